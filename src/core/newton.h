/* newton.h - what stands behind keel/newton.h.
 *
 * Dense: J row by row, and the factors of I - c J, all in the solver's block. */
#ifndef KEEL_CORE_NEWTON_H
#define KEEL_CORE_NEWTON_H

#include <keel/newton.h>

enum { NEWTON_MOST = 5 }; /* one for samples of the defect, and two of a method with one beside each */

struct keel_newton {
    int real, complex;
    double *jacobian; /* n x n */
    keel_newton *of;  /* the one that has the factors */
    double *lu;       /* one matrix after the other: n x n, complex ones 2n x 2n */
    int *pivot;
    double *pair; /* 2n */
};
#endif
