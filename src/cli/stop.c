/* stop.c - see stop.h. */
#include "cli/stop.h"

#include "cli/say.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t asked;

static void note(int signal_number) {
    asked = signal_number;
}

void stop_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND; /* a second one ends the program at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int stop_asked(void) {
    return asked != 0;
}

int stop_exit(void) {
    return asked == SIGTERM ? EXIT_TERMINATED : EXIT_INTERRUPTED;
}
