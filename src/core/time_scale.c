/* time_scale.c - 1/T, T the time in which the motion changes, from f_x at one point.
 *
 * It weighs velocities against positions where the weights must not depend on the step, and is the gain of
 * baumgarte. */
#include "core/engine.h"

#include <math.h>
#include <string.h>

/* Sizes for the estimate: positions share one, velocities too; what starts near 0 may grow as large as the
 * rest. */
static void find_sizes(const struct field *fd, double *size) {
    int halves = (fd->traits & KEEL_POSITIONS) != 0;
    double shared[2] = {0, 0}, largest = 0; /* of velocities, of positions */
    for (int j = 0; j < fd->n; j++) shared[j < fd->nq] = fmax(shared[j < fd->nq], fd->size[j]);
    for (int j = 0; j < fd->n; j++) {
        size[j] = halves ? fmax(fd->size[j], shared[j < fd->nq]) : fd->size[j];
        largest = fmax(largest, size[j]);
    }
    for (int j = 0; j < fd->n; j++)
        if (size[j] <= fd->least[j]) size[j] = largest;
}

static double length_of(const struct field *fd, const double *size, const double *v) {
    double length = 0;
    for (int j = 0; j < fd->n; j++)
        if (size[j] > 0) length = fmax(length, fabs(v[j]) / size[j]);
    return length;
}

/* v := f_x v by a quotient; its length before, 0: there is none. */
static double turn(struct engine *e, double t, const double *x, const double *f, double *v) {
    struct field *fd = &e->field;
    double length = length_of(fd, e->dx, v), s = 1e-6 / length, *at = e->x_now;
    if (!(length > 0) || !isfinite(s)) return 0;
    memcpy(at, x, (size_t)(fd->n + fd->m) * sizeof *x);
    for (int j = 0; j < fd->n; j++) at[j] += s * v[j];
    if (field_rhs(fd, t, at, e->split) != KEEL_OK) return 0;
    for (int j = 0; j < fd->n; j++) v[j] = (e->split[j] - f[j]) / s;
    return length;
}

/* 1/T: how fast f_x^2 lets a displacement grow, the largest of a few powers.  Squared, since of a pair
 * q' = v, v' = -w^2 q one power alone says nothing about w; not the last of them, since f_x may be nilpotent
 * where a motion begins (a pendulum at rest). */
double time_scale_inverse(struct engine *e, double t, const double *x, const double *f) {
    enum { SQUARES = 5 };
    struct field *fd = &e->field;
    double *v = e->scratch, *size = e->dx, rate = 0;
    find_sizes(fd, size);
    for (int j = 0; j < fd->n; j++) v[j] = size[j] * (j % 3 == 1 ? -0.7 : 1 - 0.1 * (j % 5));
    for (int k = 0; k < SQUARES; k++) {
        double before = turn(e, t, x, f, v);
        if (before == 0 || turn(e, t, x, f, v) == 0) break;
        double here = sqrt(length_of(fd, size, v) / before);
        if (isfinite(here)) rate = fmax(rate, here);
    }
    fd->fault.status = KEEL_OK;
    memcpy(fd->y, x + fd->n, (size_t)fd->m * sizeof *x);
    return rate;
}
