/* waiting.c - see waiting.h.  A thread of its own draws: whoever is being waited for has no time to. */
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal/waiting.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 1 }; /* seconds before the first line, and between two */

static void *draw(void *data) {
    struct waiting *w = data;
    struct timespec wake;
    int shown = 0;
    clock_gettime(CLOCK_REALTIME, &wake);
    pthread_mutex_lock(&w->lock);
    for (int seconds = PATIENCE; !w->ended; seconds += PATIENCE) {
        wake.tv_sec += PATIENCE;
        int status = 0;
        while (!w->ended && status == 0) status = pthread_cond_timedwait(&w->over, &w->lock, &wake);
        if (w->ended) break;
        shown = 1;
        fprintf(stderr, "\r  %-40s %d s ", w->phase, seconds);
        fflush(stderr);
    }
    pthread_mutex_unlock(&w->lock);
    if (shown) fprintf(stderr, "\r%60s\r", "");
    return NULL;
}

void waiting_begin(struct waiting *w, const struct messages *messages, const char *phase) {
    w->phase = phase;
    w->begun = w->ended = 0;
    if (messages->quiet || messages->json || !isatty(STDERR_FILENO)) return;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->over, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that works */
    w->begun = pthread_create(&w->thread, NULL, draw, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void waiting_end(struct waiting *w) {
    if (!w->begun) return;
    pthread_mutex_lock(&w->lock);
    w->ended = 1;
    pthread_cond_signal(&w->over);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->begun = 0;
}
