/* newton.h - the matrices of Newton's method on x' = f(t, x), M x' = f, and on DAEs of index 1: dense or
 * sparse alike.
 *
 * A method asks for room in its layout, for a jacobian and factors in its attempts.  J is d rhs / dx.
 * Whether J is kept row by row or as the entries of a pattern, and whether y of a DAE is eliminated or
 * carried along in a larger matrix, is not the method's concern. */
#ifndef KEEL_NEWTON_H
#define KEEL_NEWTON_H

#include <keel/method.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_newton keel_newton;

/* Layout only: room for one J and for `real` + `complex` factored matrices, numbered in this order.  What
 * it points to belongs to the solver and is saved and copied with it.  A method may ask for two of them,
 * and for one more J of each; NULL: that was one too many. */
KEEL_API keel_newton *keel_newton_layout(const keel_problem *p, const keel_options *o, keel_work *w, int real,
                                         int complex);
/* Layout only: another J, whose factors take the place of those of `of`. */
KEEL_API keel_newton *keel_newton_beside(keel_work *w, keel_newton *of);

/* J at (t, x), where the right-hand side is f: from the problem's own jacobians if they suffice and
 * differences is 0. No factors stand then. */
KEEL_API keel_status keel_newton_jacobian(keel_work *w, keel_newton *n, double t, const double *x,
                                          const double *f, int differences);
/* Does no entry of a differ from that of b by more than `share` of the largest one?  Both in units of
 * scale (n). */
KEEL_API int keel_newton_alike(const keel_work *w, const keel_newton *a, const keel_newton *b,
                               const double *scale, double share);
/* Matrix k := I - c J, c = real + i imaginary, factored.  KEEL_RETRY: singular. */
KEEL_API keel_status keel_newton_factor(keel_work *w, keel_newton *n, int k, double real, double imaginary);
/* b := (I - c J)^-1 b, with its imaginary part for complex matrices, else NULL. */
KEEL_API void keel_newton_solve(const keel_work *w, const keel_newton *n, int k, double *b,
                                double *imaginary);
/* The same where an error of `enough` in the root mean square of scale (n) times b does no harm: a solve that
 * goes by iteration ends there. */
KEEL_API void keel_newton_solve_near(const keel_work *w, const keel_newton *n, int k, double *b,
                                     double *imaginary, const double *scale, double enough);
/* Do solves with matrix k go by iteration, as far as is known? */
KEEL_API int keel_newton_iterates(const keel_work *w, const keel_newton *n, int k);

#ifdef __cplusplus
}
#endif
#endif
