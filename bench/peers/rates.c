/* rates.c - right-hand sides as Fortran calls them: for Hairer's DOP853 in scipy's wheels. */
#include "cases/kepler.h"
#include "cases/outer.h"

void kepler(const int *n, const double *t, const double *u, double *du);
void outer(const int *n, const double *t, const double *u, double *du);
void nothing(void);

void kepler(const int *n, const double *t, const double *u, double *du) {
    (void)n, (void)t;
    kepler_rate(u, du);
}

/* u: place and velocity of one body after the other. */
void outer(const int *n, const double *t, const double *u, double *du) {
    double q[OUTER_BODIES][3], force[OUTER_BODIES][3];
    (void)n, (void)t;
    for (int i = 0; i < OUTER_BODIES; i++)
        for (int c = 0; c < 3; c++) q[i][c] = u[6 * i + c];
    outer_forces(q, force);
    for (int i = 0; i < OUTER_BODIES; i++)
        for (int c = 0; c < 3; c++) {
            du[6 * i + c] = u[6 * i + 3 + c];
            du[6 * i + 3 + c] = force[i][c] / outer_mass[i];
        }
}

/* For what asks for a function that it does not call. */
void nothing(void) {}
