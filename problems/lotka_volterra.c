/* lotka_volterra.c - the predator-prey system with its invariant.
 *
 *   u' = u (v - 2),  v' = v (1 - u),  I = ln u - u + 2 ln v - v,  u(0) = v(0) = 2
 *
 * Hairer, Lubich, Wanner: Geometric Numerical Integration, I.1.  The reference values were computed in
 * 50-digit and in quadruple arithmetic. */
#include "support.h"

#include <math.h>

static int f(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * (u[1] - 2.0);
    out[1] = u[1] * (1.0 - u[0]);
    return 0;
}

static int f_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] - 2.0;
    out[1] = u[0];
    out[2] = -u[1];
    out[3] = 1.0 - u[0];
    return 0;
}

static int invariant(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    if (u[0] <= 0.0 || u[1] <= 0.0) return 1;
    out[0] = log(u[0]) - u[0] + 2.0 * log(u[1]) - u[1];
    return 0;
}

static int invariant_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    if (u[0] <= 0.0 || u[1] <= 0.0) return 1;
    out[0] = 1.0 / u[0] - 1.0;
    out[1] = 2.0 / u[1] - 1.0;
    return 0;
}

static int invariant_terms(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    if (u[0] <= 0.0 || u[1] <= 0.0) return 1;
    out[0] = fabs(log(u[0])) + u[0] + 2.0 * fabs(log(u[1])) + u[1];
    return 0;
}

void problem_lotka_volterra(problem *p) {
    static const char *const names[] = {"u", "v"};
    static const char *const invariant_names[] = {"I"};
    static const double at_1[] = {1.076465189461604322383, 1.089842679423670890413};
    static const double at_10[] = {1.320839386558610377898, 1.139942963573870929813};
    static const double at_100[] = {0.4812049346891597430345, 2.678126300387283742305};
    problem_begin(p, KEEL_ODE, "lotka_volterra", 2, 0, names, 100.0);
    p->u0[0] = p->u0[1] = 2.0;
    p->keel.f = (keel_map){.count = 2, .value = f, .jacobian = f_jacobian};
    p->keel.invariant = (keel_map){.count = 1,
                                   .value = invariant,
                                   .jacobian = invariant_gradient,
                                   .terms = invariant_terms,
                                   .names = invariant_names};
    problem_refer(p, 1.0, 1e-15, at_1, NULL);
    problem_refer(p, 10.0, 1e-15, at_10, NULL);
    problem_refer(p, 100.0, 1e-14, at_100, NULL);
}
