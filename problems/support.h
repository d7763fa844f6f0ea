/* support.h - what the problem files share: an empty problem to fill, and its table of reference values. */
#ifndef KEEL_PROBLEMS_SUPPORT_H
#define KEEL_PROBLEMS_SUPPORT_H

#include "problems.h"

/* Clears p; sets form, name, sizes, names of the unknowns (n + m), t_end, and points u0 and user into p. */
void problem_begin(problem *p, keel_form form, const char *name, int n, int m, const char *const *names,
                   double t_end);
void problem_start(problem *p, const double *u0); /* n + m values */
void problem_refer(problem *p, double t, double trust, const double *u, const double *multipliers);
/* Coefficient k of the product of two series whose coefficients lie `stride` apart. */
double problem_product(const double *a, const double *b, int stride, int k);
#endif
