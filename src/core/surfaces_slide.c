/* surfaces_slide.c - motion along a switching surface, Filippov's solution (surfaces.c). */
#include "core/surfaces_private.h"

#include <math.h>
#include <string.h>

enum { SLIDE_MOST = 4 }; /* surfaces met at once: pairs of combinations are tried */

/* The derivatives of the surface that is slid along, by f+ and f-, which are left in s->f; 0, or -1. */
static int slopes(struct engine *e, double t, const double *x, double slope[2]) {
    struct surfaces *s = &e->surfaces;
    struct field *fd = &e->field;
    int k = e->r->sliding - 1, code = 0;
    double delta = e->r->slide_moment, at[2] = {0, 0};
    for (int side = 0; side < 2 && code == 0; side++) {
        for (int j = 0; j < s->count; j++)
            if (s->met[j]) surfaces_show(e, j, side ? s->high[j] : s->low[j]);
        code = s->rhs(t, x, s->f[side], s->context);
        for (int ahead = 0; ahead < 2 && code == 0; ahead++) {
            double step = ahead ? delta : -delta;
            for (int j = 0; j < fd->n; j++) s->u[j] = x[j] + step * s->f[side][j];
            memcpy(s->u + fd->n, fd->y, (size_t)fd->m * sizeof *x);
            code = surfaces_values(e, t + step, s->u, e->events.slope) == KEEL_OK ? 0 : 1;
            at[ahead] = surfaces_height(e, k, e->events.slope);
        }
        slope[side] = (at[1] - at[0]) / (2 * delta);
    }
    surfaces_publish(e);
    return code;
}

int surfaces_rhs(double t, const double *x, double *dx, void *engine) {
    struct engine *e = engine;
    struct surfaces *s = &e->surfaces;
    double slope[2];
    int code = slopes(e, t, x, slope);
    if (code) return code;
    double part = slope[0] / (slope[0] - slope[1]);
    for (int j = 0; j < e->field.n; j++) dx[j] = part * s->f[1][j] + (1 - part) * s->f[0][j];
    return isfinite(part) ? 0 : 1;
}

keel_status surfaces_hold(struct engine *e, double t, double *x) {
    struct surfaces *s = &e->surfaces;
    double slope[2];
    if (!e->r->sliding) return KEEL_OK;
    if (slopes(e, t, x, slope)) return KEEL_RETRY;
    for (int again = 0; again < 2; again++) {
        memcpy(s->u, x, (size_t)(e->field.n + e->field.m) * sizeof *x);
        keel_status status = surfaces_values(e, t, s->u, e->events.slope);
        if (status != KEEL_OK) return status;
        double back = surfaces_height(e, e->r->sliding - 1, e->events.slope) / (slope[1] - slope[0]);
        for (int j = 0; j < e->field.n; j++) x[j] -= back * (s->f[1][j] - s->f[0][j]);
    }
    return KEEL_OK;
}

int surfaces_share(struct engine *e, double t, const double *u, double *share) {
    double slope[2];
    int code = slopes(e, t, u, slope);
    *share = slope[0] / (slope[0] - slope[1]);
    return code;
}

keel_status surfaces_meet(struct engine *e, double t, int count, const int *met) {
    char one[64], other[64];
    if (count == 1)
        return engine_fail(
            e, KEEL_ELIMIT,
            "the solution stays on the switching surface %.60s from t = %.10g on, and its rates do "
            "not say how: give this motion a mode of its own",
            surfaces_name(e, met[0], one, sizeof one), t);
    return engine_fail(
        e, KEEL_ELIMIT,
        "the solution stays where the switching surfaces %.60s and %.60s meet, at t = "
        "%.10g: what it does there the equations do not say; give this motion a mode of its own",
        surfaces_name(e, met[0], one, sizeof one), surfaces_name(e, met[1], other, sizeof other), t);
}

/* Sliding with the combinations `below` and `above` on its two sides, which differ in `moved`: both lead to
 * each other, and what else is met stays consistent. */
static int slides(struct engine *e, double t, const double *u, int count, const int *met, unsigned below,
                  unsigned moved) {
    struct surfaces *s = &e->surfaces;
    unsigned above = below ^ moved;
    int first = 0;
    while (!(moved >> first & 1)) first++;
    if (!(above >> first & 1)) return 0; /* counted once: the first one goes up */
    for (int side = 0; side < 2; side++) {
        unsigned here = side ? above : below;
        surfaces_take(e, t, u, count, met, here);
        for (int i = 0; i < count; i++)
            if (moved >> i & 1 && surfaces_way(e, t, u, met[i]) != (here >> i & 1 ? -1 : 1)) return 0;
    }
    for (int i = 0; i < count; i++) { /* what does not move keeps its side */
        double low = s->low[met[i]], high = s->high[met[i]];
        s->met[met[i]] = moved >> i & 1;
        s->side[met[i]] = above >> i & 1 ? high : low;
        if (!(moved >> i & 1) || above >> i & 1) continue;
        s->low[met[i]] = high; /* this one goes down where the first goes up */
        s->high[met[i]] = low;
    }
    e->r->sliding = met[first] + 1;
    e->r->slide_moment = 1e-5 * fabs(surfaces_moment(e));
    surfaces_attach(e);
    surfaces_publish(e);
    double share; /* no number where the rates do not move the surface at all */
    int good = surfaces_share(e, t, u, &share) == 0 && share >= 0 && share <= 1;
    for (int i = 0; i < count && good; i++) {
        if (met[i] == met[first]) continue;
        int way = surfaces_way(e, t, u, met[i]);
        good = moved >> i & 1 ? way == 0 : way == 0 || way == (above >> i & 1 ? 1 : -1);
    }
    if (good) return 1;
    e->r->sliding = 0;
    surfaces_attach(e);
    for (int i = 0; i < count; i++) {
        double *low = &s->low[met[i]], *high = &s->high[met[i]], swap = *low;
        s->met[met[i]] = 1;
        if (*low <= *high) continue;
        *low = *high;
        *high = swap;
    }
    return 0;
}

/* Who cannot follow the mean of two fields, why, and what can; KEEL_OK: all can. */
static keel_status slide_or_refuse(struct engine *e, double t) {
    const char *who = e->stepper->info.name, *why = NULL, *instead = "take dop853 or radau";
    char name[64];
    if (e->stepper->no_rhs == 1 || e->stepper->info.traits & (KEEL_AS_GIVEN | KEEL_CONSTRAINED))
        why = "it steps by the equations of one side, and sliding is a mean of both";
    else if (engine_attempts(e)) {
        who = e->manifold.stabilizer->info.name;
        why = "it makes steps of its own, by the equations of one side";
        instead = "take the stabilizer project";
    } else if (e->o.reversible) {
        who = "reversible";
        why = "a motion that has begun to slide does not tell where it came from";
        instead = "leave that option out";
    }
    if (!why) return KEEL_OK;
    return engine_fail(e, KEEL_EINVAL,
                       "the solution slides along the switching surface %.60s from t = %.10g on, and `%s` "
                       "cannot follow it there: %s; %s, or give this motion a mode of its own",
                       surfaces_name(e, e->r->sliding - 1, name, sizeof name), t, who, why, instead);
}

keel_status surfaces_slide(struct engine *e, double t, const double *u, int count, const int *met) {
    if (count > SLIDE_MOST) return surfaces_meet(e, t, count, met);
    for (int size = 1; size <= count; size++) /* one surface first */
        for (unsigned moved = 1; moved < 1u << count; moved++) {
            if (__builtin_popcount(moved) != size) continue;
            for (unsigned below = 0; below < 1u << count; below++)
                if (slides(e, t, u, count, met, below, moved)) return slide_or_refuse(e, t);
        }
    return surfaces_meet(e, t, count, met);
}

/* a has reached 0 or 1: the motion of that side takes over. */
keel_status surfaces_leave(struct engine *e, double t, const double *u) {
    struct surfaces *s = &e->surfaces;
    double share;
    if (surfaces_share(e, t, u, &share)) return engine_fail_by_fault(e);
    int above = share > 0.5;
    for (int k = 0; k < s->count; k++) {
        if (s->met[k]) s->side[k] = above ? s->high[k] : s->low[k];
        s->met[k] = 0;
    }
    surfaces_end_slide(e);
    surfaces_publish(e);
    return KEEL_OK;
}

void surfaces_end_slide(struct engine *e) {
    struct run_state *r = e->r;
    if (r->sliding) e->surfaces.tally[r->sliding - 1].slid += fabs(r->t_now - r->slide_from);
    r->sliding = 0;
    surfaces_attach(e);
}
