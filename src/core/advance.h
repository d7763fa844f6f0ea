/* advance.h - a call of run_to that can wait for its kernel: chunks of steps of several runs go side by side.
 *
 *     run_begin(&p, ...);
 *     while (run_go(&p)) run_settle(&p, steps that a kernel took of p.work); */
#ifndef KEEL_CORE_ADVANCE_H
#define KEEL_CORE_ADVANCE_H

#include "core/kernel_work.h"

struct advance {
    struct engine *e;
    double t_wake, t_end;
    double aim;                    /* of single steps: t_end, or where they go by a clock, beyond all */
    long pause, most, taken, wait; /* wait: steps before the next chunk */
    int tell, inside, ahead, events, by_kernel, simultaneous;
    keel_status status; /* KEEL_OK while it goes on, and where it ended well */
    struct kernel_work work;
};

/* Steps as run_to makes them; beside: with others, for whom a kernel may be that serves no single run. */
void run_begin(struct advance *p, struct engine *e, double t_wake, double t_end, long pause, int tell,
               int beside);
int run_go(struct advance *p); /* 1: p->work is ready for a kernel; 0: the call is over */
void run_settle(struct advance *p, long taken);
#endif
