/* svd.h - the singular values and vectors of a small matrix, for questions about a problem; not for steps. */
#ifndef KEEL_LINALG_SVD_H
#define KEEL_LINALG_SVD_H

/* A = U S V^T of an m x n matrix, row by row: a becomes U S, whose columns are orthogonal; sigma[n], the
 * largest first; v is n x n, row by row, its columns in that order.  Small singular values are right to
 * n eps of the length of their column, not of the largest.  1; 0: no convergence. */
int svd_jacobi(int m, int n, double *a, double *sigma, double *v);
#endif
