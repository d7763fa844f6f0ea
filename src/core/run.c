/* run.c - from step to step to t_end, stopping at events, landing exactly. */
#include "core/engine.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static int reached(const struct engine *e, double t, double t_end) {
    return (t - t_end) * e->r->direction >= 0;
}

/* Which fixed step ends on t_end, and whether one does (design rule 7). */
static keel_status find_grid(struct engine *e, double t_end) {
    struct record *r = e->r;
    double steps = (t_end - r->base) / (e->o.step * r->direction), nearest = floor(steps + 0.5);
    double clock = 4 * DBL_EPSILON * fmax(fabs(t_end), fabs(r->base)) / e->o.step;
    int on_grid = fabs(steps - nearest) <= fmax(4 * DBL_EPSILON * nearest, clock);
    e->grid = (struct grid){t_end, on_grid ? nearest : steps, on_grid};
    if (on_grid && nearest == (double)r->count && !reached(e, r->t, t_end))
        r->t = r->t_now = t_end; /* no step away */
    if (on_grid || !(e->stepper->info.traits & KEEL_MULTISTEP)) return KEEL_OK;
    engine_say(e,
               "%s needs equal steps, and t_end = %.17g is not a whole number of steps of %.17g from %.17g",
               e->stepper->info.name, t_end, e->o.step, r->base);
    return KEEL_EINVAL;
}

/* The place where the solver stands becomes the front, and what was computed beyond it is forgotten. */
static keel_status begin_here(struct engine *e) {
    struct record *r = e->r;
    struct field *fd = &e->field;
    if (r->inside) {
        memcpy(e->x[r->front], e->x_now, (size_t)(fd->n + fd->m) * sizeof(double));
        if (e->low[0]) memset(e->low[r->front], 0, (size_t)fd->n * sizeof(double));
        keel_status status = engine_rate(e, r->t_now, e->x[r->front], e->f[r->front]);
        if (status != KEEL_OK) return engine_fail_by_fault(e);
        r->rate_known[r->front] = 1;
        r->t_low = 0;
    }
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
    if (baumgarte_applies(e)) { /* it pulls the other way in t */
        status = engine_rate(e, e->r->t, e->x[e->r->front], e->f[e->r->front]);
        if (status != KEEL_OK) return engine_fail_by_fault(e);
    }
    events_begin(e);
    return KEEL_OK;
}

static keel_status set_out(struct engine *e, double t_end) {
    struct record *r = e->r;
    int direction = t_end > r->t_now ? 1 : t_end < r->t_now ? -1 : r->direction;
    if (r->direction == 0) r->direction = direction;
    if (direction != r->direction) {
        keel_status status = turn_round(e, direction);
        if (status != KEEL_OK) return status;
    }
    if (e->o.reversible) return KEEL_OK;
    if (e->o.step > 0) return relax_acts(e) ? KEEL_OK : find_grid(e, t_end);
    if (r->h_next == 0) {
        r->h_next = e->o.first_step > 0 ? e->o.first_step : control_first_step(e, t_end);
        r->error_before = 1e-4;
    }
    return KEEL_OK;
}

static keel_status stand_inside(struct engine *e, double t) {
    keel_status status = dense_at(e, t, e->events.at_root);
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    memcpy(e->x_now, e->events.at_root, (size_t)(e->field.n + e->field.m) * sizeof(double));
    e->r->t_now = t;
    e->r->inside = 1;
    e->r->event = -1;
    return KEEL_OK;
}

static void stand_at_front(struct engine *e) {
    struct record *r = e->r;
    r->inside = 0;
    r->event = -1;
    r->t_now = r->t;
    if (r->told || !r->has_step) return;
    r->told = 1;
    if (e->o.observe) e->o.observe(e->handle, e->field.p.user);
}

/* With a fixed step the number is what was asked for; any other way of choosing steps may never arrive. */
static long most_steps(const keel_options *o) {
    int fixed = o->step > 0 && !o->reversible;
    return o->max_steps > 0 ? o->max_steps : fixed ? 0 : 10000000;
}

static keel_status too_many_steps(struct engine *e, long most) {
    return engine_fail(
        e, KEEL_ELIMIT,
        "%ld steps were taken and t = %.10g is all that was reached: the problem is stiff, the tolerance "
        "very small, or options.max_steps too low",
        most, e->r->t);
}

/* In one step: an event function that has no clear sign must not hold the run. */
enum { CROWD = 1000 };

static keel_status too_many_events(struct engine *e) {
    char name[64];
    const char *const *names = e->field.event.user.names;
    return engine_fail(
        e, KEEL_ELIMIT,
        "more than %d events in the step from t = %.10g, %s among them: it has no clear sign, or "
        "options.max_step is to be smaller",
        CROWD, e->r->t_before, field_name(names, e->r->event, "event", name, sizeof name));
}

/* Stops that come ever faster, each after less time than the one before, until hardly any passes: a ball that
 * comes to rest by bouncing.  Beyond the end of such a sequence nothing is known. */
enum { SHRINKING = 4 };
#define NO_TIME 1e-10 /* of t */

static keel_status stop_at_event(struct engine *e) {
    struct record *r = e->r;
    char name[64];
    double gap = fabs(r->t_now - r->storm.t);
    if (gap <= 64 * DBL_EPSILON * fabs(r->t_now)) return KEEL_EVENT; /* several at one time */
    int count = gap < 0.999 * r->storm.gap ? r->storm.count + 1 : 0;
    r->storm = (struct storm){r->t_now, gap, count};
    if (count < SHRINKING || gap > NO_TIME * fabs(r->t_now)) return KEEL_EVENT;
    return engine_fail(
        e, KEEL_ELIMIT,
        "events come faster and faster: %s at t = %.10g is the last of %d, each sooner after the "
        "one before, and now after %.2g; let what is done there end the sequence",
        field_name(e->field.event.user.names, r->event, "event", name, sizeof name), r->t_now, count, gap);
}

/* Event i at u and how it changes from there along f. */
static keel_status look_ahead(struct engine *e, int i, double t, double *u, const double *f, double delta,
                              double *here, double *change) {
    struct field *fd = &e->field;
    keel_status status = map_value(fd, &fd->event, t, u, e->events.here);
    *here = e->events.here[i];
    for (int j = 0; j < fd->n; j++) u[j] += delta * f[j];
    if (status == KEEL_OK) status = map_value(fd, &fd->event, t + delta, u, e->events.here);
    *change = e->events.here[i] - *here;
    return status;
}

/* Beyond a kink the way is back: both sides lead to it.  The run stands on one of them, to round-off. */
static int leads_back(struct engine *e, int i) {
    const struct record *r = e->r;
    struct field *fd = &e->field;
    double delta = 1e-3 * fabs(r->h_taken) * r->direction, *u = e->events.trial, here, change;
    int far = e->events.sign[i];
    memcpy(u, e->x[r->front], (size_t)(fd->n + fd->m) * sizeof *u);
    if (look_ahead(e, i, r->t, u, e->f[r->front], delta, &here, &change) != KEEL_OK) return 0;
    if (change * far < 0) return here * far > 0;
    if (field_rate(fd, r->t + delta, u, e->split) != KEEL_OK) return 0;
    return look_ahead(e, i, r->t + delta, u, e->split, delta, &here, &change) == KEEL_OK && here * far > 0 &&
           change * far < 0;
}

/* So often, with hardly a step between: the solution slides along the kink. */
enum { SLIDES = 10000, BETWEEN = 100 };

static keel_status pass_kink(struct engine *e) {
    struct record *r = e->r;
    int kink = r->event;
    keel_status status = begin_here(e);
    if (status != KEEL_OK || !leads_back(e, kink)) return status;
    if (r->stats.steps - r->slid > BETWEEN) r->slides = 0;
    r->slid = r->stats.steps;
    if (++r->slides < SLIDES) return KEEL_OK;
    return engine_fail(e, KEEL_ELIMIT,
                       "both sides of a kink of the right-hand side lead to it: the solution slides along it "
                       "from t = %.10g on; give the sliding equations of its own",
                       r->t);
}

keel_status run_to(struct engine *e, double t_end, int one_step) {
    struct record *r = e->r;
    int crowd = 0;
    int events = e->field.p.event.count > 0, fused = !one_step && fused_fits(e);
    long wait = 0, taken = 0, most = most_steps(&e->o);
    keel_status status = set_out(e, t_end);
    while (status == KEEL_OK) {
        if (events && r->has_step) {
            double to = reached(e, r->t, t_end) ? t_end : r->t;
            if (events_scan(e, to, &status)) {
                if (++crowd > CROWD) return too_many_events(e);
                int passing = e->field.p.passing ? e->field.p.passing[r->event] : 0;
                if (!passing) return stop_at_event(e);
                if (passing == EVENTS_KINK) status = pass_kink(e);
                else if (e->o.observe) e->o.observe(e->handle, e->field.p.user);
                continue;
            }
            if (status != KEEL_OK) return engine_fail_by_fault(e);
        }
        if (reached(e, r->t, t_end)) {
            if (r->t != t_end) return stand_inside(e, t_end);
            stand_at_front(e);
            return KEEL_OK;
        }
        stand_at_front(e);
        if (one_step && taken > 0) return KEEL_OK;
        if (engine_asked(e)) return KEEL_STOPPED;
        if (most > 0 && taken == most) return too_many_steps(e, most);
        if (fused && wait == 0) {
            long marched = fused_march(e, t_end, most > 0 ? most - taken : LONG_MAX, &wait, &status);
            taken += marched;
            if (marched > 0) continue;
        }
        wait -= wait > 0;
        status = step_take(e, t_end);
        taken++;
        crowd = 0;
    }
    return status;
}
