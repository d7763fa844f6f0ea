/* lie_group.h - what the Lie-group methods share: lengths that neither overflow nor vanish, and the boost.
 *
 * Liu, Int. J. Non-Linear Mech. 36 (2001) 1047: x' = f is X' = A X for X = (x, |x|), A of so(n,1) with the
 * column f / |x|.  With A frozen X is moved by a boost of SO_o(n,1) along f. */
#ifndef KEEL_METHODS_LIE_GROUP_H
#define KEEL_METHODS_LIE_GROUP_H

#include <keel/method.h>

double lie_dot(int n, const double *a, const double *b);
double lie_length(int n, const double *v);
/* out = v / |v|, or 0; returns |v|. */
double lie_unit(int n, const double *v, double *out);

/* The boost of (x, |x|) by `rapidity` along the unit vector e, projected back to the sphere of x:
 *     n1 = (n + ((cosh z - 1) e.n + sinh z) e) / (cosh z + sinh z e.n),   n = x / |x|.
 * dx = |x| (n1 - n); returns the factor by which the boost itself has stretched |x|. */
double lie_boost(int n, const double *x, double length, const double *e, double rapidity, double *dx);
#endif
