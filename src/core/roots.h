/* roots.h - where a polynomial changes its sign, none missed.
 *
 * Its Bernstein coefficients over an interval bound it, and their changes of sign are at least as many as its
 * roots there (Descartes): none, no root; one, one root; else the interval is halved. */
#ifndef KEEL_CORE_ROOTS_H
#define KEEL_CORE_ROOTS_H

enum { ROOTS_DEGREE = 60 }; /* at most */

/* Changes of sign in 0 .. 1 of the sum of a[k] s^k, k = 0 .. degree, to `at`; how many, at most
 * ROOTS_DEGREE.  Values within noise have no sign, but for that at 1, where none follows: 0 is a change
 * there.  Places closer than `least` are not told apart: of such only whether they are odd in number counts.
 * sign: before 0, or 0: not known, and then the first sign is no change; becomes that behind 1. */
int roots_find(int degree, const double *a, double noise, double least, int *sign, double *at);
double roots_slope(int degree, const double *a, double s); /* the derivative at s */
double roots_value(int degree, const double *a, double s);
#endif
