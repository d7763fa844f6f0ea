/* eigen.h - the eigenvalues of a small matrix, for questions about a problem; not for steps. */
#ifndef KEEL_LINALG_EIGEN_H
#define KEEL_LINALG_EIGEN_H

/* Of the n x n matrix a, row by row, which is lost: real and imaginary parts.  1; 0: no convergence; -1: no
 * memory. */
int eigen_values(int n, double *a, double *real, double *imaginary);
#endif
