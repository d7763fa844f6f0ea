/* solver.h - what a keel_solver is. */
#ifndef KEEL_API_SOLVER_H
#define KEEL_API_SOLVER_H

#include "core/snapshot.h"

struct keel_solver {
    struct engine *engine;
    int running;                  /* the observer is called from within */
    int automatic;                /* the method is changed where the motion is, or is no longer, stiff */
    const keel_stabilizer *asked; /* NULL: the one that suits each mode */
    struct verified *verified;    /* modes that were left */
    struct snapshot *laid_out;    /* keel_open_again; NULL: not yet */
};

/* Says what a call lacks, and leaves the solver as it is: KEEL_EINVAL. */
keel_status solver_misuse(struct engine *e, const char *sentence);
#endif
