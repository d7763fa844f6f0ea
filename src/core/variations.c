/* variations.c - sensitivities at a switching surface.
 *
 * At a fixed time t just beyond the surface, motions that belong to p and p + dp differ by what they did
 * between their crossings: one went by f+ for the time tau dp in which the other still went by f-.  So
 *
 *     S+ = S- + (f- - f+) tau,
 *
 * (M. A. Aizerman, F. R. Gantmakher, J. Appl. Math. Mech. 22 (1958) 1065-1078). */
#include "core/surfaces_private.h"

#include <keel/extras.h>

#include <math.h>
#include <string.h>

#define CONTINUOUS 1e-10 /* of f-, f+: their difference is round-off */
#define TOGETHER 1e-9    /* of tau: surfaces that are one */

static const keel_variations *variations_of(const struct engine *e) {
    return &keel_extras_of(&e->field.p)->variations;
}

void variations_layout(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    size_t count = (size_t)s->count, directions = (size_t)variations_of(e)->directions;
    if (directions == 0) return;
    s->before = arena_doubles(&e->arena, count);
    s->moments = arena_doubles(&e->arena, count * directions);
}

void variations_stand(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    if (variations_of(e)->directions) memcpy(s->before, s->side, (size_t)s->count * sizeof *s->before);
}

/* f-, f+ and the moments where the solver stands. */
static keel_status look(struct engine *e, double t, const double *u) {
    struct surfaces *s = &e->surfaces;
    for (int k = 0; k < s->count; k++) surfaces_show(e, k, s->before[k]);
    keel_status status = engine_rhs(e, t, u, s->f[0]);
    int code = status == KEEL_OK ? variations_of(e)->moments(t, u, s->moments, e->field.p.user) : 0;
    surfaces_publish(e);
    if (status == KEEL_OK) status = engine_rhs(e, t, u, s->f[1]);
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    return code == 0 ? KEEL_OK
                     : engine_fail(e, KEEL_EUSER,
                                   "the derivatives of the time of a switch have no value at t = %.10g", t);
}

/* Does another surface that was crossed at the same time move otherwise? */
static int parts(const struct engine *e, int crossed, int direction) {
    const struct surfaces *s = &e->surfaces;
    int directions = variations_of(e)->directions;
    double tau = s->moments[crossed * directions + direction];
    for (int k = 0; k < s->count; k++) {
        double other = s->moments[k * directions + direction];
        if (s->side[k] != s->before[k] && !(fabs(other - tau) <= TOGETHER * (fabs(other) + fabs(tau))))
            return 1;
    }
    return 0;
}

static keel_status refuse(struct engine *e, int crossed, double t, const char *why) {
    char name[60];
    return engine_fail(e, KEEL_EUSER, "the sensitivities end at t = %.10g, where %.60s switches: %s", t,
                       surfaces_name(e, crossed, name, sizeof name), why);
}

keel_status variations_slide(struct engine *e) {
    if (!e->r->sliding || variations_of(e)->directions == 0) return KEEL_OK;
    return refuse(e, e->r->sliding - 1, e->r->t_now,
                  "the motion slides along it, which they do not follow; give the sliding a mode of its own");
}

keel_status variations_cross(struct engine *e, int crossed) {
    const keel_variations *v = variations_of(e);
    struct surfaces *s = &e->surfaces;
    double t = e->r->t_now, *u = engine_state(e);
    keel_status status = variations_slide(e);
    if (v->directions == 0 || status != KEEL_OK) return status;
    status = look(e, t, u);
    if (status != KEEL_OK) return status;
    if (!e->r->inside) {
        memcpy(e->x_now, u, (size_t)(e->field.n + e->field.m) * sizeof *u);
        u = e->x_now;
        e->r->inside = 1;
    }
    for (int i = 0; i < e->field.n; i++) {
        if (v->direction[i] < 0) continue;
        double before = s->f[0][v->of[i]], after = s->f[1][v->of[i]];
        if (fabs(before - after) <= CONTINUOUS * (fabs(before) + fabs(after))) continue;
        double tau = s->moments[crossed * v->directions + v->direction[i]];
        if (!isfinite(tau))
            return refuse(
                e, crossed, t,
                "its time has no derivative; it is only touched, or an algebraic variable decides it");
        if (parts(e, crossed, v->direction[i]))
            return refuse(e, crossed, t,
                          "another switch has the same time, and what follows has no derivative");
        u[i] += (before - after) * tau;
    }
    return KEEL_OK;
}
