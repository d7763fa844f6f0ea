/* implicit_mechanics.h - constrained mechanics as the system of an implicit Runge-Kutta method. */
#ifndef KEEL_IMPLICIT_MECHANICS_H
#define KEEL_IMPLICIT_MECHANICS_H

#include "methods/implicit_rk.h"

struct implicit_mechanics {
    struct implicit_rk rk;
    int nq, k, kg, stabilised, mass_varies;
    double *before, *now; /* multipliers lambda, mu: at the begin of the last step, and at its end */
    double *mass;         /* nq x nq: its factor, where M is not constant */
    double *rows;         /* k x nq: K */
    double *shift;        /* k: g_t */
    double *force, *slip; /* nq */
    double *f_jacobian;   /* nq x n */
    double *probe;        /* of y */
    double *moved_rows, *moved_mass, *moved_shift, *beside; /* the same beside a place */
    double *end, *residual, *shortest;                      /* width; k; nq: a change by the mass */
};
extern const struct implicit_system implicit_ggl, implicit_index3;
const char *implicit_mechanics_refuse(const keel_problem *p, const keel_options *o);
#endif
