/* steady.h - an equilibrium on the way, and what the files of its search share: steady.c searches and tells,
 * steady_sizes.c has the typical sizes of the states. */
#ifndef KEEL_ANALYSIS_STEADY_H
#define KEEL_ANALYSIS_STEADY_H

#include "analysis/bundle.h"

#include <keel/steady.h>

enum { STEADY_HOLDS = 24 };

struct keel_steady {
    struct bundle bundle;
    keel_status status;
    char message[TEXT_SENTENCE];
    keel_steady_summary about;
    int n, r, holds;
    double t;
    double *size, *x, *q;                 /* [n]; [n]; [r][n]: x / size is what vectors and rates belong to */
    double *f, *rate;                     /* [n] x'; [r][n] of the vectors */
    double *a, *right, *sigma, *v, *step; /* [r + STEADY_HOLDS][r], [r + STEADY_HOLDS], [r], [r][r], [r] */
    double *last, *left,
        *uncertain; /* [r] sigma before the step; work [r + STEADY_HOLDS + n]; [r] of eigenvalues */
    double *old_x, *old_q, *linear;
    double speed; /* |Q^T f| */
    double bend;  /* by how much the singular values change along a step, for its length */
    int hold[STEADY_HOLDS];
    double value[STEADY_HOLDS]; /* state j, or invariant -1 - i; what it is held at */
    keel_eigenvalue *eigenvalue;
};

/* f, D f Q, and the length of f. */
keel_status steady_look(keel_steady *s);
/* Sizes of the states, and the tangent vectors in them. */
keel_status steady_sizes_find(keel_steady *s);
#endif
