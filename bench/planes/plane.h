/* plane.h - the Brusselator with diffusion on N x N points of a periodic square (Hairer, Wanner, Solving ODEs
 * II, IV.10), written by hand, and by CVODE and IDA.
 *
 * u of all points, then v; rows of the square one after the other. */
#ifndef KEEL_BENCH_PLANE_H
#define KEEL_BENCH_PLANE_H

enum { PLANE_ENTRIES = 6 }; /* of a column of the jacobian */
#define PLANE_SWITCH 1.1    /* from here on a disc is fed; runs go from 0 to 11.5 */
#define PLANE_END 11.5

void plane_start(int side, double *u);
void plane_rate(int side, int fed, const double *u, double *du);
/* Compressed columns of a + b J: start (2 side^2 + 1), row and value (PLANE_ENTRIES of each column). */
void plane_jacobian(int side, const double *u, double a, double b, long *start, long *row, double *value);

enum plane_solver { PLANE_CVODE_KLU, PLANE_IDA_KLU, PLANE_CVODE_GMRES };

struct plane_run {
    double seconds; /* of the solver alone, opening included */
    long steps, calls, jacobians, factorizations;
};
/* BDF with KLU (ordered by AMD, refactored with the pivots of the first matrix), or CVODE's GMRES without a
 * preconditioner; u: the end.  It stops at the switch and begins anew.  0: it is not here, or failed. */
int plane_sundials(enum plane_solver solver, int side, double rtol, double *u, struct plane_run *out);
#endif
