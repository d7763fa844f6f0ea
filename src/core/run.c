/* run.c - from step to step to t_end, stopping at events, landing exactly. */
#include "core/advance.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static int reached(const struct engine *e, double t, double t_end) {
    return (t - t_end) * e->r->direction >= 0;
}

/* Beyond a switch equal steps begin anew, at most as long as those before, so that they end on t_end. */
static keel_status new_grid(struct engine *e, double t_end) {
    struct run_state *r = e->r;
    double way = fabs(t_end - r->t), steps = ceil(way / e->o.step * (1 - 1e-12));
    r->base = r->t;
    r->count = 0;
    r->step = way / steps;
    r->fresh = 1;
    e->grid = (struct grid){t_end, steps, 1};
    return KEEL_OK;
}

/* Which fixed step ends on t_end, and whether one does (design rule 7); by a clock none does. */
static keel_status find_grid(struct engine *e, double t_end) {
    struct run_state *r = e->r;
    e->grid = (struct grid){t_end, HUGE_VAL, 0};
    if (e->field.p.clock) return KEEL_OK;
    double steps = (t_end - r->base) / (r->step * r->direction), nearest = floor(steps + 0.5);
    double clock = 4 * DBL_EPSILON * fmax(fabs(t_end), fabs(r->base)) / r->step;
    int on_grid = fabs(steps - nearest) <= fmax(4 * DBL_EPSILON * nearest, clock);
    e->grid = (struct grid){t_end, on_grid ? nearest : steps, on_grid};
    if (on_grid && nearest == (double)r->count && !reached(e, r->t, t_end))
        r->t = r->t_now = t_end; /* no step away */
    if (on_grid || !(e->stepper->info.traits & KEEL_MULTISTEP)) return KEEL_OK;
    if (r->regridded) return new_grid(e, t_end);
    engine_explain(
        e, "%s needs equal steps, and t_end = %.17g is not a whole number of steps of %.17g from %.17g",
        e->stepper->info.name, t_end, e->o.step, r->base);
    return KEEL_EINVAL;
}

/* The place where the solver stands becomes the current state; what was computed beyond it is forgotten. */
static keel_status begin_here(struct engine *e) {
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    if (r->inside) {
        memcpy(e->x[r->current], e->x_now, (size_t)(fd->n + fd->m) * sizeof(double));
        if (e->low[0]) memset(e->low[r->current], 0, (size_t)fd->n * sizeof(double));
        keel_status status = engine_rhs(e, r->t_now, e->x[r->current], e->f[r->current]);
        if (status != KEEL_OK) return engine_fail_by_fault(e);
        memcpy(e->x[r->current] + fd->n, fd->y, (size_t)fd->m * sizeof(double));
        r->rhs_known[r->current] = 1;
        r->t_low = 0;
    }
    r->slope_known[r->current] = 0; /* another branch, where the equations switch */
    r->left = r->inside ? r->event : -1;
    r->t = r->base = r->scanned = r->t_now;
    r->count = 0;
    r->inside = r->has_step = 0;
    r->fresh = 1;
    return KEEL_OK;
}

static keel_status turn_round(struct engine *e, int direction) {
    keel_status status = begin_here(e);
    if (status != KEEL_OK) return status;
    e->r->direction = direction;
    if (engine_pulls(e)) { /* the other way in t */
        status = engine_rhs(e, e->r->t, e->x[e->r->current], e->f[e->r->current]);
        if (status != KEEL_OK) return engine_fail_by_fault(e);
    }
    events_begin(e);
    return KEEL_OK;
}

/* Where single steps go: by a clock nobody knows how far it is to t_end. */
static double aim_of(const struct engine *e, double t_end) {
    return e->field.p.clock ? e->r->direction * HUGE_VAL : t_end;
}

static keel_status set_out(struct engine *e, double t_end) {
    struct run_state *r = e->r;
    double now = clock_now(e);
    int direction = t_end > now ? 1 : t_end < now ? -1 : r->direction;
    if (r->direction == 0) r->direction = direction;
    if (direction != r->direction) {
        keel_status status = turn_round(e, direction);
        if (status != KEEL_OK) return status;
    }
    t_end = aim_of(e, t_end);
    if (e->o.reversible) return KEEL_OK;
    if (e->o.step > 0) return engine_off_grid(e) ? KEEL_OK : find_grid(e, t_end);
    if (r->h_next == 0) {
        r->h_next = e->o.first_step > 0 ? e->o.first_step : control_first_step(e, t_end);
        r->error_before = 1e-4;
    }
    return KEEL_OK;
}

static keel_status stand_inside(struct engine *e, double t) {
    keel_status status =
        e->field.p.clock ? clock_land(e, t, &t, e->events.at_root) : dense_at(e, t, e->events.at_root);
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    memcpy(e->x_now, e->events.at_root, (size_t)(e->field.n + e->field.m) * sizeof(double));
    e->r->t_now = t;
    e->r->inside = 1;
    e->r->event = -1;
    if (e->field.p.clock && e->o.observe) e->o.observe(e->handle, e->field.p.user); /* of the step up to it */
    return KEEL_OK;
}

static void stand_at_current(struct engine *e, int tell) {
    struct run_state *r = e->r;
    r->inside = 0;
    r->event = -1;
    r->t_now = r->t;
    if (r->observed || !r->has_step || !tell) return;
    r->observed = 1;
    if (e->o.observe) e->o.observe(e->handle, e->field.p.user);
}

/* With a fixed step the number is what was asked for; any other way of choosing steps may never arrive. */
static long most_steps(const struct engine *e) {
    const keel_options *o = &e->o;
    int fixed = o->step > 0 && !o->reversible && !e->field.p.clock;
    return o->max_steps > 0 ? o->max_steps : fixed ? 0 : 10000000;
}

static keel_status too_many_steps(struct engine *e, long most) {
    return engine_fail(
        e, KEEL_ELIMIT,
        "%ld steps were taken and t = %.10g is all that was reached: the problem is stiff, the tolerance "
        "very small, or options.max_steps too low",
        most, clock_of_step(e));
}

/* In one step: an event function that has no clear sign must not hold the run. */
enum { EVENT_LIMIT = 1000 };

static keel_status too_many_events(struct engine *e) {
    char name[64];
    const char *const *names = e->field.event.user.names;
    return engine_fail(
        e, KEEL_ELIMIT,
        "more than %d events in the step from t = %.10g, %s among them: it has no clear sign, or "
        "options.max_step is to be smaller",
        EVENT_LIMIT, clock_before(e), field_name(names, e->r->event, "event", name, sizeof name));
}

/* Stops that come ever faster, each after less time than the one before: a ball that comes to rest by
 * bouncing.  Flights whose ratio is steady end at t + gap ratio / (1 - ratio).  The run ends once that is
 * near (SOON), or once a flight is no higher than what round-off leaves of the event function (BLURRED) while
 * times and speeds still shrink alike: bodies that move together touch at random. */
enum { FEW = 3, SHRINKING = 6, STEADY = 10 }; /* of one event; of any; by a steady ratio */
#define NO_TIME 1e-10                         /* of t */
#define SOON 1e-7                             /* of t */
#define BLURRED 1e3                           /* round-offs of the event function */
#define WAY 1e-3                              /* of t */

/* Is the event function lost in its round-off between two stops that are `gap` apart? */
static int is_blurred(struct engine *e, double gap) {
    struct field *fd = &e->field;
    int event = e->r->event, all = fd->n + fd->m;
    double t = e->r->t_now, *u = e->events.trial, here, noise = 0, slope;
    const double *x = engine_state(e);
    if (engine_rhs(e, t, x, e->split) != KEEL_OK) return 0;
    if (map_value(fd, &fd->event, t, x, e->events.here) != KEEL_OK) return 0;
    here = e->events.here[event];
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < all; j++) u[j] = x[j] * (1 + side * DBL_EPSILON);
        if (map_value(fd, &fd->event, t * (1 + side * DBL_EPSILON), u, e->events.here) != KEEL_OK) return 0;
        noise = fmax(noise, fabs(e->events.here[event] - here));
    }
    memcpy(u, x, (size_t)all * sizeof *u);
    for (int j = 0; j < fd->n; j++) u[j] += gap * e->split[j];
    if (map_value(fd, &fd->event, t + gap, u, e->events.here) != KEEL_OK) return 0;
    slope = fabs(e->events.here[event] - here);
    return 0.25 * slope <= BLURRED * noise;
}

/* How fast the event function moves where the solver stands. */
static double speed_of_event(struct engine *e, double gap) {
    struct field *fd = &e->field;
    double t = e->r->t_now, *u = e->events.trial, here;
    const double *x = engine_state(e);
    if (engine_rhs(e, t, x, e->split) != KEEL_OK) return 0;
    if (map_value(fd, &fd->event, t, x, e->events.here) != KEEL_OK) return 0;
    here = e->events.here[e->r->event];
    memcpy(u, x, (size_t)(fd->n + fd->m) * sizeof *u);
    for (int j = 0; j < fd->n; j++) u[j] += gap * e->split[j];
    if (map_value(fd, &fd->event, t + gap, u, e->events.here) != KEEL_OK) return 0;
    return fabs(e->events.here[e->r->event] - here) / gap;
}

/* The event function after the time `way` from u on, by a step of the midpoint rule.  0: it has no value. */
static int event_after(struct engine *e, double way, const double *u, double *value) {
    struct field *fd = &e->field;
    double t = e->r->t_now, *v = e->events.trial, *f = e->split;
    memcpy(v, u, (size_t)(fd->n + fd->m) * sizeof *v);
    for (int half = 1; half >= 0; half--) {
        if (engine_rhs(e, half ? t : t + way / 2, v, f) != KEEL_OK) return 0;
        for (int j = 0; j < fd->n; j++) v[j] = u[j] + (half ? way / 2 : way) * f[j];
    }
    if (map_value(fd, &fd->event, t + way, v, e->events.here) != KEEL_OK) return 0;
    *value = e->events.here[e->r->event];
    return 1;
}

/* Bodies that move together touch by round-off, at times that mean nothing and may well shrink.  What comes
 * to rest has a speed or a force that brings it back: in a moment (WAY) its event function moves by more than
 * round-off of the states explains, that of bodies that move together does not.  Round-offs have the signs of
 * the bits of j, one bit after the other: any two states have unlike signs once.  Where there is y, which is
 * not carried along, there is no telling. */
static int is_random(struct engine *e) {
    const struct field *fd = &e->field;
    const double *x = engine_state(e);
    double way = WAY * fabs(e->r->t_now) * e->r->direction, *u = e->events.at_root, here, there, noise = 0;
    if (fd->m > 0 || !event_after(e, 0, x, &here) || !event_after(e, way, x, &there)) return 0;
    for (int bit = 0; bit == 0 || fd->n >> (bit - 1) > 0; bit++) {
        double beside;
        for (int j = 0; j < fd->n; j++) {
            double round_off = DBL_EPSILON * fmax(fd->size[j], fabs(x[j]));
            u[j] = x[j] + (j >> bit & 1 ? -round_off : round_off);
        }
        if (!event_after(e, way, u, &beside)) return 0;
        noise = fmax(noise, fabs(beside - there));
    }
    return fabs(there - here) <= BLURRED * noise;
}

/* Of intervals that shrink by one ratio, behind the last: gap (ratio + ratio^2 + ...). */
static double series(const struct accumulation *a) {
    return a->gap * a->ratio / (1 - a->ratio);
}

double run_time_left(const struct run_state *r) {
    const struct accumulation *a = &r->accumulation;
    return r->at_rest || (a->t == r->t_now && a->steady >= 3) ? series(a) : NAN;
}

static keel_status come_to_rest(struct engine *e) {
    struct run_state *r = e->r;
    char name[64];
    r->at_rest = 1;
    engine_explain(
        e,
        "it comes to rest at t = %.10g: %s acts ever sooner after the time before, %.2g now; what "
        "follows, the motion at rest, needs equations of its own (a mode that the event switches to)",
        clock_told(e, r->t_now + series(&r->accumulation) * r->direction),
        field_name(e->field.event.user.names, r->event, "event", name, sizeof name), r->accumulation.gap);
    return KEEL_REST;
}

static keel_status stop_at_event(struct engine *e) {
    struct run_state *r = e->r;
    double t = fabs(r->t_now), gap = fabs(r->t_now - r->accumulation.t);
    if (gap <= 64 * DBL_EPSILON * t) return KEEL_EVENT; /* several at one time */
    double ratio = r->accumulation.gap > 0 ? gap / r->accumulation.gap : 1;
    int shrinks = ratio < 0.999, steady = fabs(ratio - r->accumulation.ratio) <= 1e-3 * ratio;
    double speed = speed_of_event(e, gap),
           slower = r->accumulation.speed > 0 ? speed / r->accumulation.speed : 0;
    int same = r->event == r->accumulation.event;
    int alike = fabs(ratio - r->accumulation.ratio) <= 0.05 * ratio && fabs(slower - ratio) <= 0.2 * ratio;
    r->accumulation = (struct accumulation){.t = r->t_now,
                                            .gap = gap,
                                            .ratio = ratio,
                                            .speed = speed,
                                            .count = shrinks ? r->accumulation.count + 1 : 0,
                                            .steady = shrinks && steady ? r->accumulation.steady + 1 : 0,
                                            .alike = shrinks && alike ? r->accumulation.alike + 1 : 0,
                                            .same = shrinks && same ? r->accumulation.same + 1 : 0,
                                            .event = r->event};
    if (r->accumulation.count < SHRINKING && r->accumulation.same < FEW) return KEEL_EVENT;
    int foreseen = r->accumulation.steady >= STEADY ||
                   (r->accumulation.same >= FEW && r->accumulation.alike > 0 && ratio < 0.5);
    int soon = (gap <= NO_TIME * t || (foreseen && series(&r->accumulation) <= SOON * t)) && !is_random(e);
    int blurred = !soon && r->accumulation.alike >= SHRINKING && is_blurred(e, gap);
    return soon || blurred ? come_to_rest(e) : KEEL_EVENT;
}

/* What is kept must not jump where the equations switch: the state does not. */
static keel_status rows_go_on(struct engine *e, int event, const double *before) {
    struct rows *rows = &e->rows;
    double *after = e->kept_aside + rows->count;
    char name[64];
    if (rows_residual(&e->field, rows, e->r->t_now, engine_state(e), after) != KEEL_OK)
        return engine_fail_by_fault(e);
    for (int i = 0; i < rows->count; i++) {
        double jump = after[i] - before[i];
        if (rows->treatment[i] != KEEL_ROW_KEPT || rows_in_units(rows, i, jump) <= 1e4) continue;
        return engine_fail(e, KEEL_EINVAL,
                           "`%s` jumps by %.3g where %s switches, at t = %.10g: it is not kept there; write "
                           "it without the jump, or leave it out",
                           rows_name(rows, i), jump,
                           field_name(e->field.event.user.names, event, "surface", name, sizeof name),
                           clock_now(e));
    }
    return KEEL_OK;
}

/* Beyond the surface on which the solver stands. */
static keel_status pass_surface(struct engine *e, double t_end) {
    int event = e->r->surface;
    double *before = e->kept_aside;
    if (e->measured && rows_residual(&e->field, &e->rows, e->r->t_now, engine_state(e), before) != KEEL_OK)
        return engine_fail_by_fault(e);
    keel_status status = surfaces_pass(e);
    if (status == KEEL_OK && e->measured) status = rows_go_on(e, event, before);
    if (status == KEEL_OK) status = begin_here(e);
    if (status != KEEL_OK) return status;
    surfaces_passed(e);
    e->r->regridded = 1;
    if (e->o.step == 0) control_restart(e, t_end);
    int on_grid = e->o.step > 0 && !e->o.reversible && !engine_off_grid(e);
    return on_grid ? find_grid(e, t_end) : KEEL_OK;
}

/* Steps that may be taken before the call ends, or fails, or one is looked at. */
static long steps_left(const struct engine *e, const struct advance *p) {
    long left = p->most > 0 ? p->most - p->taken : LONG_MAX;
    long watch = e->watched ? e->r->watch.next - e->r->stats.steps : left;
    if (watch < left) left = watch;
    return p->pause > 0 && p->pause - p->taken < left ? p->pause - p->taken : left;
}

void run_begin(struct advance *p, struct engine *e, double t_wake, double t_end, long pause, int tell,
               int beside) {
    struct run_state *r = e->r;
    double began = clock_now(e);
    p->e = e; /* `work` is left as it is: a call of one step has no time to clear it */
    p->work.shared = 0;
    p->t_end = t_end;
    p->pause = pause;
    p->tell = tell;
    p->inside = r->inside;
    p->most = most_steps(e);
    p->taken = p->wait = 0;
    p->simultaneous = 0;
    p->events = e->field.p.event.count > 0;
    p->status = set_out(e, t_end);
    p->aim = aim_of(e, t_end);
    if (p->status == KEEL_OK && e->field.p.clock) p->status = clock_check(e);
    p->t_wake = reached(e, t_wake, t_end) ? t_end : t_wake;
    p->ahead = !reached(e, began, p->t_wake);
    p->by_kernel = p->ahead && !(tell && e->o.observe) && kernel_fits(e, beside);
    if (p->status == KEEL_OK && e->surfaces.count) p->status = surfaces_settle(e);
    if (p->status == KEEL_OK && r->surface >= 0) p->status = pass_surface(e, p->aim);
}

/* Events of the last step.  1: the call ends, with p->status. */
static int pass_events(struct advance *p) {
    struct engine *e = p->e;
    struct run_state *r = e->r;
    double to = r->t;
    if (reached(e, clock_of_step(e), p->t_end)) {
        to = p->t_end;
        if (e->field.p.clock && clock_find(e, p->t_end, &to) != KEEL_OK)
            return p->status = engine_fail_by_fault(e), 1;
    }
    while (events_scan(e, to, &p->status)) {
        if (++p->simultaneous > EVENT_LIMIT) return p->status = too_many_events(e), 1;
        if (r->surface >= 0) {
            if (e->o.observe) e->o.observe(e->handle, e->field.p.user); /* of the step up to it */
            if (p->t_wake != p->t_end && reached(e, clock_now(e), p->t_wake)) return 1;
            p->status = pass_surface(e, p->aim);
            return p->status != KEEL_OK;
        }
        int kind = e->field.p.event_kind ? e->field.p.event_kind[r->event] : 0;
        if (!kind) return p->status = stop_at_event(e), 1;
        if (e->o.observe) e->o.observe(e->handle, e->field.p.user);
    }
    if (p->status == KEEL_OK) return 0;
    return p->status = engine_fail_by_fault(e), 1;
}

/* Where the current state stands.  1: the call ends there. */
static int arrive(struct advance *p) {
    struct engine *e = p->e;
    struct run_state *r = e->r;
    double now = clock_of_step(e);
    int near = reached(e, now, p->t_wake); /* as t_end is not, unless t_wake is */
    if (near && reached(e, now, p->t_end)) {
        if (now != p->t_end) return p->status = stand_inside(e, p->t_end), 1;
        stand_at_current(e, 1);
        return 1;
    }
    int wakes = (near && (p->taken > 0 || p->ahead)) || (p->pause > 0 && p->taken == p->pause);
    stand_at_current(e, p->tell || wakes || p->inside); /* of a step begun before, it has seen a part */
    p->inside = 0;
    if (wakes) return 1;
    if (engine_asked(e)) return p->status = KEEL_STOPPED, 1;
    if (r->watch.wanted) return p->status = KEEL_RETRY, 1;
    if (p->most > 0 && p->taken == p->most) return p->status = too_many_steps(e, p->most), 1;
    return 0;
}

static void take_step(struct advance *p) {
    struct engine *e = p->e;
    p->wait -= p->wait > 0;
    p->status = step_take(e, p->aim);
    if (p->status == KEEL_OK && e->field.p.clock) p->status = clock_check(e);
    if (p->status == KEEL_OK && defect_may_be_due(e)) defect_sample(e);
    if (p->status == KEEL_OK && watch_is_due(e)) watch_step(e);
    if (p->status == KEEL_OK && e->r->surface >= 0) p->status = pass_surface(e, p->aim);
    p->taken++;
    p->simultaneous = 0;
}

int run_go(struct advance *p) {
    struct engine *e = p->e;
    while (p->status == KEEL_OK) {
        if (p->events && e->r->has_step && pass_events(p)) return 0;
        if (arrive(p)) return 0;
        if (p->by_kernel && p->wait == 0 &&
            kernel_prepare(e, &p->work, p->t_wake, p->t_end, steps_left(e, p), &p->wait))
            return 1;
        take_step(p);
    }
    return 0;
}

void run_settle(struct advance *p, long taken) {
    taken = kernel_settle(&p->work, taken, &p->wait, &p->status);
    p->taken += taken;
    if (taken == 0 && p->status == KEEL_OK && !p->work.k.held) take_step(p);
}

keel_status run_to(struct engine *e, double t_wake, double t_end, long pause, int tell) {
    struct advance p;
    run_begin(&p, e, t_wake, t_end, pause, tell, 0);
    while (run_go(&p)) run_settle(&p, kernel_take(&p.work));
    return p.status;
}
