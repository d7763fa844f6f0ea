/* dense.h - small dense kernels: serial, so that every run gives the same bits.  Matrices are row by row. */
#ifndef KEEL_LINALG_DENSE_H
#define KEEL_LINALG_DENSE_H

struct keel_halt;

/* LU with row exchanges, in place.  Returns 0, or 1 + the index of a column without a usable pivot: one below
 * n eps of the largest entry that stood in its column; or of the column at which halt
 * asked to give up. */
int dense_lu(int n, double *a, int *pivot, struct keel_halt *halt);
void dense_lu_solve(int n, const double *lu, const int *pivot, double *b);

/* a = L L^T, L in the lower triangle, in place, with 1 / l_ii on its diagonal.  Returns 0, or 1 + the row at
 * which a is not positive definite, or at which halt asked to give up. */
int dense_cholesky(int n, double *a, struct keel_halt *halt);
void dense_lower_solve(int n, const double *l, double *b);      /* b := L^-1 b */
void dense_lower_t_solve(int n, const double *l, double *b);    /* b := L^-T b */
void dense_cholesky_solve(int n, const double *l, double *b);   /* b := (L L^T)^-1 b */
void dense_lower_t_multiply(int n, const double *l, double *b); /* b := L^T b */
#endif
