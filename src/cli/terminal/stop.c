/* stop.c - see stop.h. */
#include "cli/terminal/stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int asked, asked_late; /* as sig_atomic_t */

static void note(int signal_number) {
    asked = signal_number;
    alarm(1);
}

static void note_late(int signal_number) {
    (void)signal_number;
    asked_late = 1;
}

static void watch(int signal_number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(signal_number, &action, NULL);
}

void stop_watch(void) {
    struct sigaction before;
    watch(SIGINT, note, (int)SA_RESETHAND); /* a second one ends the program at once */
    watch(SIGTERM, note, (int)SA_RESETHAND);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup: it goes on */
        watch(SIGHUP, note, (int)SA_RESETHAND);
    watch(SIGXCPU, note, 0); /* comes every second from now on; the hard limit ends the program */
    watch(SIGALRM, note_late, 0);
}

int stop_asked(void) {
    return asked != 0;
}

int stop_exit(void) {
    return 128 + asked;
}

const volatile int *stop_flag(void) {
    return &asked;
}

const volatile int *stop_flag_late(void) {
    return &asked_late;
}
