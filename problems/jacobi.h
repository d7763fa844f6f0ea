/* jacobi.h - Jacobi's elliptic functions and the complete integral K, of parameter m = k^2, 0 <= m < 1. */
#ifndef KEEL_PROBLEMS_JACOBI_H
#define KEEL_PROBLEMS_JACOBI_H

void problem_jacobi(long double u, long double m, double *sn, double *cn, double *dn);
long double problem_ellipk(long double m);
#endif
