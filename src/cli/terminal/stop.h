/* stop.h - signals that end a run: Ctrl-C, SIGTERM, SIGHUP (the terminal is gone), SIGXCPU (the time is up).
 * Asked for, and looked at between two steps and by all that takes long. */
#ifndef KEEL_CLI_TERMINAL_STOP_H
#define KEEL_CLI_TERMINAL_STOP_H

void stop_watch(void);
int stop_asked(void);
int stop_exit(void); /* 128 and the signal's number */
/* For keel_options.stop: at once; or a second later, so that a step which ends within it still counts and a
 * checkpoint goes on with the same bits. */
const volatile int *stop_flag(void);
const volatile int *stop_flag_late(void);
#endif
