/* lcp.h - the linear complementarity problem: w = M z + q, w >= 0, z >= 0, w z = 0. */
#ifndef KEEL_LINALG_LCP_H
#define KEEL_LINALG_LCP_H

/* Lemke's method with lexicographic ties: z[n].  0; 1: it ended on a ray, and for a copositive M there is no
 * solution; -1: no memory. */
int lcp_solve(int n, const double *m, const double *q, double *z);
#endif
