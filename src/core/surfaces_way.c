/* surfaces_way.c - which way a switching surface goes from where the solver stands, and how far from it signs
 * mean something. */
#include "core/surfaces_private.h"

#include <math.h>
#include <string.h>

enum { ORDERS = 12 }; /* derivatives that may decide which way a surface goes */

/* y, which a surface may depend on, where the states are. */
static keel_status solve(struct engine *e, double t, double *u) {
    const struct field *fd = &e->field;
    if (fd->m == 0) return KEEL_OK;
    keel_status status = engine_rhs(e, t, u, e->split);
    memcpy(u + fd->n, fd->y, (size_t)fd->m * sizeof *u);
    return status;
}

/* An Euler step of length delta. */
static keel_status euler(struct engine *e, double delta, double *t, double *u) {
    const struct field *fd = &e->field;
    keel_status status = engine_rhs(e, *t, u, e->split);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < fd->n; j++) u[j] += delta * e->split[j];
    *t += delta;
    return solve(e, *t, u);
}

/* Which way surface k moves from (t, u) with the sides that are shown, along the run: +1 up, -1 down, 0: it
 * stays within round-off.  By one Euler step, and where that does not tell, by two: (d/dt)^2.  Where nothing
 * moves at all m steps show (d/dt)^m: the last of a row of bodies in contact feels an impact on
 * the first with a high derivative.  *order: of the derivative that tells. */
static int way_and_order(struct engine *e, double t, const double *u, int k, int *order) {
    static const double share[] = {1e-6, 1e-4, 1e-2};
    struct surfaces *s = &e->surfaces;
    const struct field *fd = &e->field;
    double begin = surfaces_height(e, k, s->value);
    *order = 0;
    for (int length = 0; length < 3; length++) {
        double delta = share[length] * surfaces_moment(e), at = t;
        memcpy(s->trial, u, (size_t)(fd->n + fd->m) * sizeof *u);
        for (int stage = 0; stage < ORDERS; stage++) {
            if (euler(e, delta, &at, s->trial) != KEEL_OK) break;
            if (surfaces_values(e, at, s->trial, e->events.here) != KEEL_OK) break;
            double change = surfaces_height(e, k, e->events.here) - begin;
            *order = stage + 1;
            if (fabs(change) > SURFACES_NOISES * s->noise[s->event[k]]) return change > 0 ? 1 : -1;
            if (stage > 0 && change != 0) break;
        }
    }
    return 0;
}

int surfaces_way(struct engine *e, double t, const double *u, int k) {
    int order;
    return way_and_order(e, t, u, k, &order);
}

/* A surface that is met and left along a tangent, or not at all: near it the errors of the steps, and of what
 * lies between them, have any sign.  Its side is known by the derivative, and stays while its height is below
 * what the tolerances leave of it. */
void surfaces_rests(struct engine *e, double t, const double *u, double steep) {
    struct surfaces *s = &e->surfaces;
    int n = e->field.n, order;
    if (e->r->sliding) return;
    for (int k = 0; k < s->count; k++) {
        if (!s->met[k] || surfaces_stairs(e, k)) continue;
        if (steep == 0 && fabs(s->value[s->event[k]]) > SURFACES_NOISES * s->noise[s->event[k]]) continue;
        if (steep == 0 && way_and_order(e, t, u, k, &order) != 0 && order == 1) continue;
        double height = 0, here = s->value[s->event[k]];
        for (int way = 0; way < 3; way++) {
            memcpy(s->trial, u, (size_t)(n + e->field.m) * sizeof *u);
            for (int j = 0; j < n; j++)
                s->trial[j] += ((j + way) % 3 == 1 ? -1 : 1) * (e->atol[j] + e->o.rtol * fabs(u[j]));
            if (solve(e, t, s->trial) != KEEL_OK) break;
            if (surfaces_values(e, t, s->trial, e->events.here) != KEEL_OK) break;
            height = fmax(height, fabs(e->events.here[s->event[k]] - here));
        }
        /* tolerances may be far from the size of a state, and fixed steps have none */
        if (steep > 0) height = fmin(height, 1e-3 * steep * fabs(surfaces_moment(e)));
        if (isfinite(height)) s->rest[k] = height;
        s->noise[s->event[k]] = fmax(s->noise[s->event[k]], s->rest[k] / SURFACES_NOISES);
    }
}
