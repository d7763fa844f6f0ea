/* implicit_mechanics.h - constrained mechanics as the system of an implicit Runge-Kutta method. */
#ifndef KEEL_IMPLICIT_MECHANICS_H
#define KEEL_IMPLICIT_MECHANICS_H

#include <keel/system.h>

#include "methods/implicit_rk.h"

struct implicit_mechanics {
    struct implicit_rk rk;
    int nq, k, kg, stabilised, mass_varies;
    keel_system *matrix;               /* sparse: (M, M, rows) (E - c J) */
    double row_factor, rolling_factor; /* of 0 = g and G v + g_t, of A v + b, where they are not redundant */
    double *before, *now; /* multipliers lambda, mu: at the begin of the last step, and at its end */
    double *mass;         /* nq x nq: its factor, where M is not constant */
    double *masses;       /* the same, sparse: the entries of M that stand in the factors */
    double *rows;         /* K, as keel_native_rows has it */
    double *shift;        /* k: g_t */
    double *force, *slip; /* nq */
    double *f_jacobian;   /* nq x n */
    double *probe;        /* of y */
    double *moved_rows, *moved_mass, *moved_shift, *beside; /* the same beside a place */
    double *end, *residual, *shortest;                      /* width; k; nq: a change by the mass */
};
/* implicit_sparse.c: see struct implicit_system */
size_t implicit_sparse_layout(keel_work *w, int real, int complex);
keel_status implicit_sparse_jacobian(keel_work *w, double t, const double *y, double *out);
keel_status implicit_sparse_factor(keel_work *w, const double *jacobian, int number, double real,
                                   double imaginary);
int implicit_sparse_stands(const keel_work *w, int number);
void implicit_sparse_solve(const keel_work *w, int number, double *v, double *imaginary);
void implicit_sparse_push(const keel_work *w, double h, const double *jacobian, const double *moved,
                          double *out);

extern const struct implicit_system implicit_ggl, implicit_index3;
const char *implicit_mechanics_refuse(const keel_problem *p, const keel_options *o);
#endif
