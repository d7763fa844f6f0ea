/* kernel_work.h - a kernel at work on a run: what it is given, and what the run makes of it afterwards.
 *
 * A chunk of steps is prepared, taken by the kernel, alone or in a lane beside other runs, and settled. */
#ifndef KEEL_CORE_KERNEL_WORK_H
#define KEEL_CORE_KERNEL_WORK_H

#include "core/engine.h"
#include "core/kernel_state.h"

enum { KERNEL_ROWS = 16, KERNEL_STATES = 8 }; /* at most: a kernel has far fewer rows; lanes: states */

struct kernel_work {
    struct keel_kernel_state k;
    struct engine *e;
    int plain;         /* fixed steps with nothing to measure */
    long cleared;      /* looks at the rates, up to here */
    long touched;      /* the step in which the core last took part */
    keel_stats before; /* statistics before that step, in case it is forgotten; and sizes of the rows */
    double size[KERNEL_ROWS];
    double worst[KERNEL_ROWS], share[KERNEL_ROWS];
    double spread[KERNEL_STATES * KERNEL_STATES]; /* lanes */
    int shared;                                   /* it is known, for the rest of this run */
};

/* Some of the steps to t_end, fewer than `most`, none of which reaches t_wake; 0: none now, and *wait of them
 * are to be taken by step_take first. */
int kernel_prepare(struct engine *e, struct kernel_work *w, double t_wake, double t_end, long most,
                   long *wait);
long kernel_take(struct kernel_work *w); /* by the kernel of a single run; how many */
/* The run has made `taken` steps, or what is returned of them: where they went wrong, none.  What goes wrong
 * beyond them is for step_take. */
long kernel_settle(struct kernel_work *w, long taken, long *wait, keel_status *status);
#endif
