/* stop.h - Ctrl-C and SIGTERM: asked for, and looked at between two steps. */
#ifndef KEEL_CLI_STOP_H
#define KEEL_CLI_STOP_H

void stop_watch(void);
int stop_asked(void);
int stop_exit(void); /* 130 or 143 */
#endif
