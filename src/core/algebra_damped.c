/* algebra_damped.c - the algebraic variables from a guess that is far off: at a start, or behind a switch.
 *
 * A diode that begins to carry a current has a potential that lies 10 V from where it was, and an exponential
 * in between: Newton's first step leads 10^6 V beyond, where there are no values.  A shorter step in the same
 * direction is taken, the longest one (by halves) that brings the solution nearer as the present F_y sees it
 * (natural monotonicity: Deuflhard, Newton Methods for Nonlinear Problems, 3.3),
 *
 *   |F_y^-1 F(y - s dy)| <= (1 - s/2) |dy|,    dy = F_y^-1 F(y). */
#include "core/algebra.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 100 };
#define SHORTEST 0x1p-50 /* share of a step */
#define NEAR 1e-3        /* a step so short, in sizes of y, is left to Newton's method */

/* Of y itself, in sizes of the unknowns where the step begins. */
static double damped_length(const struct field *fd, const double *u, const double *step) {
    double sum = 0;
    for (int j = 0; j < algebra_own(fd); j++) {
        double size = fmax(fabs(u[fd->n + j]), 1e-3 * fd->size[fd->n + j] + DBL_MIN), part = step[j] / size;
        sum += part * part;
    }
    return sqrt(sum);
}

/* The share of the step that was taken; 0: none helps.  u is moved. */
static double damped_step(struct field *fd, double t, double *u, double length) {
    struct algebra *d = &fd->dae;
    double *trial = d->beside;
    memcpy(trial, u, (size_t)fd->n * sizeof *u);
    for (double share = 1; share >= SHORTEST; share /= 2) {
        for (int j = 0; j < fd->m; j++) trial[fd->n + j] = u[fd->n + j] - share * d->step[j];
        keel_status status = algebra_values(fd, t, trial);
        if (status < 0) return 0;
        if (status != KEEL_OK) continue;
        memcpy(d->aim, d->values, (size_t)fd->m * sizeof *u);
        algebra_divide(fd, d->aim);
        if (!(damped_length(fd, u, d->aim) <= (1 - share / 2) * length)) continue;
        memcpy(u, trial, (size_t)(fd->n + fd->m) * sizeof *u);
        return share;
    }
    return 0;
}

keel_status algebra_approach(struct field *fd, double t, double *u) {
    struct algebra *d = &fd->dae;
    int sign;
    for (int k = 0; k < STEPS; k++) {
        keel_status status = algebra_linearize(fd, t, u, &sign);
        if (status != KEEL_OK) return status;
        memcpy(d->step, d->values, (size_t)fd->m * sizeof *u);
        algebra_divide(fd, d->step);
        double length = damped_length(fd, u, d->step);
        if (!isfinite(length)) return KEEL_RETRY;
        if (length <= NEAR) break;
        if (damped_step(fd, t, u, length) == 0) return KEEL_RETRY;
    }
    fd->fault.status = KEEL_OK;
    return algebra_newton(fd, t, u, 0);
}
