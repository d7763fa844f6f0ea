/* qr.h - least squares by Householder's reflections.  Matrices are row by row. */
#ifndef KEEL_LINALG_QR_H
#define KEEL_LINALG_QR_H

/* A = Q R of an m x n matrix, m >= n, in place: R above the diagonal, the vectors of the reflections on and
 * below it; diagonal[n]: that of R. */
void qr_factor(int m, int n, double *a, double *diagonal);
void qr_transposed(int m, int n, const double *a, double *b); /* b := Q^T b */
/* R x = b and R^T x = b, in place; the diagonal must have no zero. */
void qr_solve(int n, const double *a, const double *diagonal, double *b);
void qr_solve_transposed(int n, const double *a, const double *diagonal, double *b);
#endif
