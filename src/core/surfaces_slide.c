/* surfaces_slide.c - motion along a switching surface, Filippov's solution (surfaces.c). */
#include "core/surfaces_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SLIDE_MOST = 4 }; /* surfaces met at once: pairs of combinations are tried */
#define SHORT 1e-5       /* of a step: the motion does not bend */
#define KNOWN 4e-11      /* of f+ - f-: what differences leave open of the rate */

/* One side of what is slid along, to the callbacks. */
static void show_side(struct engine *e, int above) {
    const struct surfaces *s = &e->surfaces;
    for (int j = 0; j < s->count; j++)
        if (s->met[j]) surfaces_show(e, j, above ? s->high[j] : s->low[j]);
}

/* The derivatives of the surface that is slid along, by f+ and f-, which are left in s->f with the y of their
 * sides: differences over delta to both ends.  0, or what a callback returned. */
static int slopes_over(struct engine *e, double t, const double *x, double delta, double slope[2]) {
    struct surfaces *s = &e->surfaces;
    struct field *fd = &e->field;
    int k = e->r->sliding - 1, code = 0;
    size_t algebraic = (size_t)fd->m * sizeof *x;
    double at[2] = {0, 0};
    for (int side = 0; side < 2 && code == 0; side++) {
        show_side(e, side);
        code = s->rhs(t, x, s->f[side], s->context);
        if (algebraic) memcpy(s->f[side] + fd->n, fd->y, algebraic);
        for (int ahead = 0; ahead < 2 && code == 0; ahead++) {
            double step = ahead ? delta : -delta;
            for (int j = 0; j < fd->n; j++) s->u[j] = x[j] + step * s->f[side][j];
            if (algebraic) { /* y where this leads */
                code = s->rhs(t + step, s->u, s->there, s->context);
                memcpy(s->u + fd->n, fd->y, algebraic);
                if (code) break;
            }
            code = surfaces_values(e, t + step, s->u, e->events.slope) == KEEL_OK ? 0 : 1;
            at[ahead] = surfaces_height(e, k, e->events.slope);
        }
        slope[side] = (at[1] - at[0]) / (2 * delta);
    }
    surfaces_publish(e);
    if (algebraic && code == 0) memcpy(fd->y, s->f[1] + fd->n, algebraic); /* of the side that is shown */
    return code;
}

/* The time over which they are taken: what was found where the slide began, or more once steps are long. */
static double moment(const struct engine *e) {
    return fmax(e->r->slide_moment, SHORT * fabs(e->r->h_taken));
}

static int slopes(struct engine *e, double t, const double *x, double slope[2]) {
    return slopes_over(e, t, x, moment(e), slope);
}

/* Is delta so long that round-off of the surface is 1e-11 of what the slopes make of it? */
static int tells(double delta, const double slope[2], double noise) {
    double steep = fabs(slope[0]) + fabs(slope[1]);
    return delta * steep >= 1e11 * noise && steep > 0;
}

/* A time over which differences tell the slopes, but no longer than they agree better and better, where the
 * terms of the surface cancel. */
static double find_moment(struct engine *e, double t, const double *u, double noise) {
    enum { DECADES = 20 };
    double delta = SHORT * fabs(surfaces_moment(e));
    double slope[2], longer[2], apart = HUGE_VAL;
    int code = slopes_over(e, t, u, delta, slope);
    for (int k = 0; k < DECADES && !code; k++) {
        double before = apart;
        if (tells(delta, slope, noise)) break;
        code = slopes_over(e, t, u, 10 * delta, longer);
        apart = fabs(longer[0] - slope[0]) + fabs(longer[1] - slope[1]);
        if (code || apart > before) break;
        delta *= 10;
        memcpy(slope, longer, sizeof slope);
    }
    return delta;
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

/* x + way (f+ - f-), with the y of the side that is shown; its height above the surface.  0: none. */
static int aside(struct engine *e, double t, const double *x, double way, double *height) {
    struct surfaces *s = &e->surfaces;
    struct field *fd = &e->field;
    for (int j = 0; j < fd->n; j++) s->there[j] = x[j] + way * (s->f[1][j] - s->f[0][j]);
    if (fd->m && s->rhs(t, s->there, s->u, s->context)) return 0;
    if (fd->m) memcpy(s->there + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    if (surfaces_values(e, t, s->there, e->events.slope) != KEEL_OK) return 0;
    *height = surfaces_height(e, e->r->sliding - 1, e->events.slope);
    return 1;
}

static keel_status hold(struct engine *e, double t, double *x, double slope[2]) {
    const struct surfaces *s = &e->surfaces;
    double height;
    if (slopes(e, t, x, slope)) return KEEL_RETRY;
    for (int again = 0; again < 2; again++) {
        if (!aside(e, t, x, 0, &height)) return KEEL_RETRY;
        double back = height / (slope[1] - slope[0]);
        for (int j = 0; j < e->field.n; j++) x[j] -= back * (s->f[1][j] - s->f[0][j]);
    }
    return KEEL_OK;
}

keel_status surfaces_hold(struct engine *e, double t, double *x) {
    double slope[2];
    return e->r->sliding ? hold(e, t, x, slope) : KEEL_OK;
}

/* Terms of the surface grow, t above all, and their round-off with them: rates that it makes noisy would make
 * steps short, and these the moment. */
keel_status surfaces_hold_step(struct engine *e, double t, double *x) {
    const struct surfaces *s = &e->surfaces;
    double slope[2], here = 0, noise = 0;
    if (!e->r->sliding) return KEEL_OK;
    keel_status status = hold(e, t, x, slope);
    for (int way = 0; way < 3 && status == KEEL_OK; way++) {
        double off = way == 1 ? DBL_EPSILON : way == 2 ? -DBL_EPSILON : 0;
        for (int j = 0; j < e->field.n + e->field.m; j++) s->u[j] = x[j] * (j % 2 ? 1 - off : 1 + off);
        if (surfaces_values(e, t * (1 + off), s->u, e->events.slope) != KEEL_OK) return KEEL_RETRY;
        double height = surfaces_height(e, e->r->sliding - 1, e->events.slope);
        if (way == 0) here = height;
        noise = fmax(noise, fabs(height - here));
    }
    if (status == KEEL_OK && !tells(10 * moment(e), slope, noise))
        e->r->slide_moment = fmax(e->r->slide_moment, find_moment(e, t, x, noise));
    return status;
}

/* The share is known to some 1e-11, and f with it.  What is slid along may well be zero, with a tolerance far
 * below that. */
void surfaces_bound(const struct engine *e, double *scale) {
    const struct surfaces *s = &e->surfaces;
    for (int j = 0; j < e->field.n; j++) {
        double least = KNOWN * fabs(e->r->h_taken * (s->f[1][j] - s->f[0][j]));
        if (scale[j] * least > 1) scale[j] = 1 / least;
    }
}

int surfaces_share(struct engine *e, double t, const double *u, double *share) {
    double slope[2];
    int code = slopes(e, t, u, slope);
    *share = slope[0] / (slope[0] - slope[1]);
    return code;
}

int surfaces_mean(struct engine *e, double t, const double *u, double *value, double *share) {
    struct surfaces *s = &e->surfaces;
    const struct field *fd = &e->field;
    int events = fd->p.event.count, code = surfaces_share(e, t, u, share);
    memcpy(s->u, u, (size_t)fd->n * sizeof *u);
    for (int i = 0; i < events; i++) value[i] = 0;
    for (int side = 0; side < 2 && code == 0; side++) {
        show_side(e, side);
        memcpy(s->u + fd->n, s->f[side] + fd->n, (size_t)fd->m * sizeof *u);
        code = surfaces_values(e, t, s->u, e->events.slope) != KEEL_OK;
        for (int i = 0; i < events; i++) value[i] += (side ? *share : 1 - *share) * e->events.slope[i];
    }
    surfaces_publish(e);
    return code;
}

/* The state on the side that is shown, into s->there: so far from the surface that round-off does not move it
 * back.  f+ leads down, f- up. */
static int stand_beside(struct engine *e, double t, const double *x, int above) {
    enum { TRIES = 18, CLEAR = 64 };
    double sign = above ? 1 : -1, way = -sign * 1e-18 * moment(e), height;
    for (int k = 0; k < TRIES; k++, way *= 16)
        if (!aside(e, t, x, way, &height)) return 0;
        else if (height * sign > 0) return aside(e, t, x, CLEAR * way, &height);
    return 0;
}

int surfaces_both(struct engine *e, double t, const double *u, keel_side_fn *sample, void *context) {
    struct surfaces *s = &e->surfaces;
    double slope[2], share;
    int good = 1;
    if (!e->r->sliding || (t - e->r->slide_from) * e->r->direction < 0 || slopes(e, t, u, slope)) return 0;
    share = fmin(fmax(slope[0] / (slope[0] - slope[1]), 0), 1);
    for (int above = 0; above < 2; above++) {
        show_side(e, above);
        good = good && stand_beside(e, t, u, above);
        if (good) sample(t, s->there, above ? share : 1 - share, context);
    }
    surfaces_publish(e);
    if (e->field.m) memcpy(e->field.y, s->f[1] + e->field.n, (size_t)e->field.m * sizeof *u);
    return good;
}

keel_status surfaces_meet(struct engine *e, double t, int count, const int *met) {
    char one[60], other[60];
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
    e->r->slide_moment = find_moment(e, t, u, s->noise[s->event[met[first]]]);
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
    char name[60];
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
keel_status surfaces_leave(struct engine *e, double t, const double *u, double *steep) {
    struct surfaces *s = &e->surfaces;
    double slope[2];
    if (slopes(e, t, u, slope)) return engine_fail_by_fault(e);
    *steep = fabs(slope[0]) + fabs(slope[1]);
    int above = slope[0] / (slope[0] - slope[1]) > 0.5;
    for (int k = 0; k < s->count; k++)
        if (s->met[k]) s->side[k] = above ? s->high[k] : s->low[k];
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
