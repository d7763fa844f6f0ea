/* gmres.h - A x = b for a large sparse A without its factors: GMRES with the incomplete ones of ilu.h.
 *
 * Over the Krylov space of S M^-1 A S^-1 the method makes
 *
 *     | S M^-1 (b - A x) |
 *
 * as small as it can be, step by step, and begins again at the x found when the basis is full (Saad, Schultz,
 * SIAM J. Sci. Stat. Comput. 7 (1986) 856).  As M is near A, this is the error of x in units of 1 / S: what a
 * solve inside Newton's method is asked to make small.  x starts at 0, so that the result depends on A, b, S
 * and the accuracy alone. */
#ifndef KEEL_LINALG_GMRES_H
#define KEEL_LINALG_GMRES_H

#include "linalg/ilu.h"

struct gmres; /* workspace */

struct gmres *gmres_open(int n); /* n: numbers of a vector at most.  NULL: no memory */
void gmres_close(struct gmres *g);

/* b := x with an error of at most `enough` in the root mean square of S x, or `relative` of that of
 * S M^-1 b if that is more.  scale: S, one for each unknown, which of a complex A is a pair in b: A x = b is
 * then a real system of twice the order.  1; 0: the steps did not lead there, and b is as it was. */
int gmres_solve(struct gmres *g, const struct ilu *a, double *b, const double *scale, double enough,
                double relative);
int gmres_steps(const struct gmres *g); /* of the last solve: products with A and M^-1 */
double gmres_operations(const struct gmres *g, const struct ilu *a); /* about as many as that solve took */
#endif
