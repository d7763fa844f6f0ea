/* interrupt.c - a long call of the library that Ctrl-C ends at once.
 *
 * Only Python's main thread looks at signals, and only between its own instructions.  So the call runs on
 * another thread, and this one looks every few milliseconds. */
#include "binding.h"

#include <pthread.h>
#include <time.h>

struct task {
    void (*work)(void *);
    void *data;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int done;
};

static void *perform(void *data) {
    struct task *t = data;
    t->work(t->data);
    pthread_mutex_lock(&t->lock);
    t->done = 1;
    pthread_cond_signal(&t->ended);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Until it is done, or some milliseconds have passed. */
static int wait_for(struct task *t) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&t->lock);
    int late = 0;
    while (!t->done && !late) late = pthread_cond_timedwait(&t->ended, &t->lock, &until) != 0;
    int done = t->done;
    pthread_mutex_unlock(&t->lock);
    return done;
}

int interrupt_call(void (*work)(void *), void *data, volatile int *stop, int (*tick)(void *)) {
    struct task t = {work, data, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t thread;
    int done = 0, failed = 0;
    if (pthread_create(&thread, NULL, perform, &t) != 0) {
        Py_BEGIN_ALLOW_THREADS work(data);
        Py_END_ALLOW_THREADS return 0;
    }
    while (!done) {
        Py_BEGIN_ALLOW_THREADS done = wait_for(&t);
        Py_END_ALLOW_THREADS if (failed) continue;
        if (PyErr_CheckSignals() < 0 || (tick && tick(data) < 0)) failed = -1, *stop = 1;
    }
    pthread_join(thread, NULL);
    pthread_cond_destroy(&t.ended);
    pthread_mutex_destroy(&t.lock);
    return failed;
}
