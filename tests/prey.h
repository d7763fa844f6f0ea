/* prey.h - predators and prey: positive states, a Hamiltonian of logarithms, a quadratic field. */
#ifndef KEEL_TESTS_PREY_H
#define KEEL_TESTS_PREY_H

#include <keel.h>

#include <math.h>

/* Liu 2006, example 1: x' = -x + x y, y' = y - x y, H = ln x - x + ln y - y, from (1/2, 1/2) to t = 50. */
static int prey(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[0] + u[0] * u[1];
    out[1] = u[1] - u[0] * u[1];
    return 0;
}

static int prey_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -1 + u[1];
    out[1] = u[0];
    out[2] = -u[1];
    out[3] = 1 - u[0];
    return 0;
}

static int prey_invariant(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    if (!(u[0] > 0 && u[1] > 0)) return 1;
    out[0] = log(u[0]) - u[0] + log(u[1]) - u[1];
    return 0;
}

static int prey_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 1 / u[0] - 1;
    out[1] = 1 / u[1] - 1;
    return 0;
}

static const double prey_start[2] = {0.5, 0.5};
static const keel_problem prey_problem = {
    .form = KEEL_ODE,
    .name = "predators and prey",
    .n = 2,
    .u0 = prey_start,
    .f = {.count = 2, .value = prey, .jacobian = prey_jacobian},
    .invariant = {.count = 1, .value = prey_invariant, .jacobian = prey_gradient}};
#endif
