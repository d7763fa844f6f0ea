/* algebra.h - which algebraic variables are the motion's own.
 *
 * With sensitivities y is followed by Y_k = dy/dp_k, and the rows F by
 *
 *     F_y Y_k + F_x S_k + F_p = 0,
 *
 * linear in Y_k: the matrix of all is block triangular, with F_y in every block of its diagonal.  One
 * factorization serves them, and solutions part or meet in y alone: only y has branches to be followed. */
#ifndef KEEL_CORE_ALGEBRA_H
#define KEEL_CORE_ALGEBRA_H

#include "core/field.h"

#include <keel/extras.h>

/* How many of the m there are; all of them where they do not stand block by block (keel_variations). */
static inline int algebra_own(const struct field *fd) {
    const keel_variations *v = &keel_extras_of(&fd->p)->variations;
    if (v->directions == 0 || fd->m == 0 || fd->dae.any_derived) return fd->m;
    return v->direction[fd->n + fd->m - 1] < 0 ? fd->m : fd->m / (1 + v->directions);
}
#endif
