/* ilu_factors.h - what ilu.c and ilu_complex.c share. */
#ifndef KEEL_LINALG_ILU_FACTORS_H
#define KEEL_LINALG_ILU_FACTORS_H

#include "linalg/ilu.h"

#define ILU_COMPENSATION 0.97 /* the share of what is left out that goes to the diagonal */

struct ilu {
    int n, complex;
    int *start, *column, *diagonal; /* n + 1; entries, ascending in a row; n: where a_ii stands */
    int *from;                      /* entries: number in the order of columns */
    int *place;                     /* n: where the row at hand has a column, or -1 */
    double *values, *factors;       /* A; L without its ones, U with inverse pivots */
    int shared;
};

/* ilu_complex.c: the same as in ilu.h. */
int ilu_complex_factor(struct ilu *a, const double *values);
void ilu_complex_multiply(const struct ilu *a, const double *x, double *out);
void ilu_complex_solve(const struct ilu *a, double *b);
#endif
