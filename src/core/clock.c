/* clock.c - time where steps go by another variable, d t = s(t, x) d tau (problem.clock).
 *
 * The last state is t: its rate is s, and f is s times the rate of the others.  So methods, rows, events and
 * dense output work in tau as they do in t, and invariants stay invariants, d I / d tau = s d I / d t = 0.
 * Here is what people see: the time of a place, and the place of a time.  A run takes its steps as if it had
 * no end; where one has passed the time that was asked for, the place inside of it is found on the dense
 * output, then on the method's own step, and there the state t differs from the time by round-off alone. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 60, MOST_POLISHES = 6 };

/* Along the chord of the last step, and beyond it. */
double clock_told(const struct engine *e, double tau) {
    const struct run_state *r = e->r;
    if (!e->field.p.clock) return tau;
    double rate = r->has_step && r->h_taken != 0 ? (clock_of_step(e) - clock_before(e)) / r->h_taken
                                                 : e->f[r->current][e->field.n - 1];
    return clock_of_step(e) + (tau - r->t) * rate;
}

double clock_rate(struct engine *e) {
    struct run_state *r = e->r;
    int now = r->current;
    if (!e->field.p.clock) return 1;
    if (!r->rhs_known[now]) r->rhs_known[now] = engine_rhs(e, r->t, e->x[now], e->f[now]) == KEEL_OK;
    double rate = fabs(e->f[now][e->field.n - 1]);
    return r->rhs_known[now] && rate > 0 ? rate : 1;
}

keel_status clock_check(struct engine *e) {
    const struct run_state *r = e->r;
    double rate = e->f[r->current][e->field.n - 1];
    if (r->rhs_known[r->current] && !(rate > 0))
        return engine_fail(e, KEEL_EUSER,
                           "the clock is %.3g at t = %.10g, and it must be positive along the whole run",
                           rate, clock_of_step(e));
    if (r->has_step && !((clock_of_step(e) - clock_before(e)) * r->direction > 0))
        return engine_fail(e, KEEL_EUSER,
                           "the clock lets no time pass in the step from t = %.10g: it must be positive "
                           "along the whole run, and resolved by the clock of the machine",
                           clock_before(e));
    return KEEL_OK;
}

/* The cubic through both ends of the step, in shares of it. */
struct cubic {
    double begin, whole, slope, bend;
};

static struct cubic cubic_of(const struct engine *e) {
    keel_segment s = dense_step(e);
    int last = e->field.n - 1;
    double whole = s.x_end[last] - s.x[last];
    return (struct cubic){s.x[last], whole, s.h * s.f[last] - whole,
                          2 * whole - s.h * (s.f[last] + s.f_end[last])};
}

static double cubic_value(const struct cubic *c, double theta) {
    return c->begin + theta * (c->whole + (1 - theta) * (c->slope + theta * c->bend));
}

static double cubic_rate(const struct cubic *c, double theta) {
    return c->whole + (1 - 2 * theta) * c->slope + theta * (2 - 3 * theta) * c->bend;
}

/* Where the cubic has t, by Newton's method between two places that enclose it. */
static double cubic_place(const struct cubic *c, double t) {
    double low = 0, high = 1, theta = (t - c->begin) / c->whole;
    for (int k = 0; k < MOST_TRIALS; k++) {
        double off = (cubic_value(c, theta) - t) / c->whole, rate = cubic_rate(c, theta) / c->whole;
        if (off > 0) high = theta;
        else low = theta;
        double next = theta - off / rate;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - theta) <= 1e-9) return next;
        theta = next;
    }
    return theta;
}

/* On the dense output, from there on by secants; the first one has the slope of the cubic. */
keel_status clock_find(struct engine *e, double t, double *tau) {
    const struct run_state *r = e->r;
    int last = e->field.n - 1;
    if (t == clock_of_step(e) || t == clock_before(e)) {
        *tau = t == clock_of_step(e) ? r->t : r->t_before;
        return KEEL_OK;
    }
    keel_status status = dense_rates(e);
    if (status != KEEL_OK) return status;
    struct cubic c = cubic_of(e);
    double low = 0, high = 1, theta = cubic_place(&c, t), h = r->t - r->t_before;
    double before = HUGE_VAL, off_before = NAN, at_before = NAN;
    for (int k = 0; k < MOST_TRIALS; k++) {
        *tau = r->t_before + theta * h;
        status = dense_raw(e, *tau, e->scratch);
        if (status != KEEL_OK) return status;
        double off = e->scratch[last] - t, rate = (off - off_before) / (theta - at_before);
        if (!(rate * c.whole > 0)) rate = cubic_rate(&c, theta);
        if (fabs(off) <= 2 * DBL_EPSILON * fabs(t) || fabs(off) >= before) return KEEL_OK;
        if (k > 8) before = fabs(off); /* round-off, where it ceases to fall */
        if (off * c.whole > 0) high = theta;
        else low = theta;
        double next = theta - off / rate;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (r->t_before + next * h == *tau) return KEEL_OK;
        off_before = off;
        at_before = theta;
        theta = next;
    }
    return KEEL_OK;
}

keel_status clock_land(struct engine *e, double t, double *tau, double *u) {
    const struct run_state *r = e->r;
    int last = e->field.n - 1, one_step = !(e->stepper->info.traits & KEEL_MULTISTEP);
    keel_status status = clock_find(e, t, tau);
    if (status == KEEL_OK) status = dense_at(e, *tau, u);
    if (status != KEEL_OK) return status;
    double rate = (clock_of_step(e) - clock_before(e)) / (r->t - r->t_before), off = HUGE_VAL, at = *tau;
    double low = fmin(r->t, r->t_before), high = fmax(r->t, r->t_before);
    if (engine_rhs(e, at, u, e->split) == KEEL_OK) rate = e->split[last];
    for (int k = 0; k < MOST_POLISHES && one_step; k++) {
        if (!(at > low && at < high) || step_again(e, at, e->events.trial) != KEEL_OK) break;
        double now = e->events.trial[last] - t;
        if (!(fabs(now) < off)) break; /* round-off */
        off = fabs(now);
        *tau = at;
        memcpy(u, e->events.trial, (size_t)e->field.n * sizeof *u);
        at -= now / rate;
        if (at == *tau) break;
    }
    u[last] = t;
    return KEEL_OK;
}
