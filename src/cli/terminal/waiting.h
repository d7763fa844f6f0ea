/* waiting.h - one line on a terminal while something takes longer than a second before or after a run: what
 * is being done, and for how long. */
#ifndef KEEL_CLI_TERMINAL_WAITING_H
#define KEEL_CLI_TERMINAL_WAITING_H

#include "cli/terminal/message.h"

#include <pthread.h>

struct waiting {
    const char *volatile phase; /* what is being done, as in "compiling the model"; set by anyone */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t over;
    int begun, ended; /* there is a thread; it is to end */
};

/* w stays where it is until waiting_end.  Without a terminal, with --quiet or --json nothing is shown. */
void waiting_begin(struct waiting *w, const struct messages *messages, const char *phase);
void waiting_end(struct waiting *w);
#endif
