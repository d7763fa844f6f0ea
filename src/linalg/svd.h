/* svd.h - the singular values and vectors of a small matrix, for questions about a problem; not for steps. */
#ifndef KEEL_LINALG_SVD_H
#define KEEL_LINALG_SVD_H

/* A = U S V^T of an m x n matrix, row by row: a becomes U S, whose columns are orthogonal; sigma[n], the
 * largest first; v is n x n, row by row, its columns in that order.  Values below eps times the largest are
 * rounding.  1; 0: no convergence. */
int svd_jacobi(int m, int n, double *a, double *sigma, double *v);
#endif
