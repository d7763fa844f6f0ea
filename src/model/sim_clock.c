/* sim_clock.c - events at times of their own, whole multiples of a period or one time, and the knots of
 * tables of t.  The run goes to the next of them as to an end, so the steps land on it; nothing is
 * searched, and k times the period does not drift.  Times within 4 round-offs of each other are one, as
 * ends of runs are (design rule 7). */
#include "model/sim.h"
#include "model/surface.h"
#include "symbolic/table.h"

#include <keel/extras.h>

#include <float.h>
#include <math.h>

static int same(double a, double b) {
    if (a == b) return 1;
    double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return size < HUGE_VAL && fabs(a - b) <= 4 * DBL_EPSILON * size;
}

static const struct model_mode *mode_of(const struct keel_sim *s) {
    return &s->m->model->mode[s->mode];
}

static const char *name_of(const struct keel_sim *s, int k) {
    return mode_of(s)->event[mode_of(s)->events + k].label.text;
}

/* The first time of event k from t on, t itself where it is one; never: infinite; none can be told from t:
 * NAN. */
static double time_from(const struct keel_sim *s, const struct model_mode *mode, int k, double t,
                        int beyond) {
    double value = s->time[k], way = s->direction;
    if (mode->event[mode->events + k].direction == SYNTAX_AT) {
        if (same(value, t)) return beyond ? way * HUGE_VAL : t;
        return (value - t) * way > 0 ? value : way * HUGE_VAL;
    }
    double nearest = floor(t / value + 0.5), time = nearest * value;
    int meets = same(time, t);
    if (meets && !beyond) return t;
    if (meets || (time - t) * way < 0) time = (nearest + way) * value;
    return (time - t) * way > 0 && !same(time, t) ? time : NAN;
}

/* Periods and times with the run's own parameters, and when each event is next due: it stays so until the
 * event acts (sim_fired), the mode changes or the run turns round. */
static keel_status read_times(struct keel_sim *s) {
    const struct model_mode *mode = mode_of(s);
    if (tape_call(&s->m->mode[s->mode]->times, NAN, NULL, s->parameter, s->time)) return sim_no_memory(s);
    for (int k = 0; k < mode->timed; k++) {
        int every = mode->event[mode->events + k].direction == SYNTAX_EVERY;
        if (isfinite(s->time[k]) && (!every || s->time[k] > 0)) continue;
        return sim_fail(s, KEEL_EINVAL, "the %s of event `%.80s` is %g", every ? "period" : "time",
                        name_of(s, k), s->time[k]);
    }
    s->timed_mode = s->mode;
    s->timed_way = s->direction;
    for (int k = 0; k < mode->timed; k++) s->due[k] = NAN;
    return KEEL_OK;
}

static int has_times(const struct keel_sim *s) {
    return s->timed_mode == s->mode && s->timed_way == s->direction;
}

/* When event k acts next, at t, where the run stands, or later; NAN: that cannot be told. */
static double due(struct keel_sim *s, const struct model_mode *mode, int k, double t) {
    if (isnan(s->due[k])) s->due[k] = time_from(s, mode, k, t, same(s->fired[mode->events + k].t, t));
    return s->due[k];
}

/* A table without values where the run goes on. */
static keel_status ends_here(struct keel_sim *s, int table) {
    const double *d = s->m->model->graph.rows[table], *end = d + TABLE_ROW * ((long)d[TABLE_PIECES] + 1);
    return sim_fail(s, KEEL_EUSER,
                    "the table `%.60s` has values from %.10g to %.10g alone: `outside = hold` or "
                    "`outside = repeat` goes on beyond",
                    s->m->model->graph.table_name[table], d[TABLE_ROW], end[TABLE_KNOT]);
}

static int is_outside(const double *d, double piece) {
    return d[TABLE_OUTSIDE] == TABLE_NO_VALUE && (piece < 0 || piece >= d[TABLE_PIECES]);
}

keel_status sim_outside(struct keel_sim *s, keel_status status) {
    const struct model *m = s->m->model;
    const struct formulation *r = &s->m->mode[s->mode]->formulation;
    const double *side = s->parameter + m->parameters + m->helds;
    for (int k = 0; k < r->surfaces + r->clocks && status < 0 && status != KEEL_ENOMEM; k++) {
        int table = k < r->surfaces ? r->look[k] : r->clock[k - r->surfaces];
        if (table >= 0 && is_outside(m->graph.rows[table], side[k])) return ends_here(s, table);
    }
    return status;
}

keel_status sim_pieces(struct keel_sim *s) {
    const struct formulation *r = &s->m->mode[s->mode]->formulation;
    if (r->clocks == 0 || s->direction == 0 || keel_state_of(s->solver) < 0) return KEEL_OK;
    if (!surface_clocks(r, keel_time(s->solver), s->direction, s->parameter)) return KEEL_OK;
    keel_status status = keel_go_on(s->solver, keel_state(s->solver));
    if (status >= 0) return KEEL_OK;
    sim_outside(s, status);
    if (s->status < 0) return s->status;
    return sim_fail(s, status, "at the knot t = %.10g of a table: %.400s", keel_time(s->solver),
                    keel_message(s->solver));
}

int sim_due(struct keel_sim *s) {
    const struct model_mode *mode = mode_of(s);
    double t = keel_time(s->solver);
    if (mode->timed == 0 || s->direction == 0 || keel_state_of(s->solver) < 0) return -1;
    if (!has_times(s) && read_times(s) != KEEL_OK) return -1;
    for (int k = 0; k < mode->timed; k++)
        if (same(due(s, mode, k, t), t)) return mode->events + k;
    return -1;
}

keel_status sim_next_time(struct keel_sim *s, double t_end, double *next, int *event) {
    const struct model_mode *mode = mode_of(s);
    double t = keel_time(s->solver);
    *next = t_end;
    *event = -1;
    if (s->direction == 0 || keel_state_of(s->solver) < 0 || t == t_end) return KEEL_OK;
    double knot = surface_next_knot(&s->m->mode[s->mode]->formulation, s->direction, s->parameter);
    if ((knot - t_end) * s->direction < 0 && !same(knot, t_end)) *next = knot;
    double rest = contact_next_rest(s);
    if (s->contact && rest < *next && !same(rest, t_end)) *next = rest;
    if (mode->timed == 0) return KEEL_OK;
    if (!has_times(s) && read_times(s) != KEEL_OK) return s->status;
    for (int k = 0; k < mode->timed; k++) {
        double time = due(s, mode, k, t);
        if (isnan(time))
            return sim_fail(s, KEEL_ELIMIT,
                            "the period of event `%.80s`, %g, is lost in the round-off of t = %.10g",
                            name_of(s, k), s->time[k], t);
        int at_end = same(time, t_end);
        if (!at_end && (time - *next) * s->direction >= 0) continue;
        if (!at_end) *next = time;
        if (!at_end || *event < 0) *event = mode->events + k;
    }
    return KEEL_OK;
}

int sim_next_sample(struct keel_sim *s, double t_end, double *next) {
    const struct model_mode *mode = mode_of(s);
    if (!has_times(s) && read_times(s) != KEEL_OK) return 0;
    double t = *next;
    *next = due(s, mode, 0, t);
    for (int k = 1; k < mode->timed; k++) {
        double time = due(s, mode, k, t);
        if (!((time - *next) * s->direction >= 0)) *next = time;
        if (isnan(time)) return 0;
    }
    return (t_end - *next) * s->direction > 0 && !same(*next, t_end);
}
