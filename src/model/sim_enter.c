/* sim_enter.c - events where a mode begins or after an action.  One that is zero there has the sign that its
 * function takes just after; one that the action has moved across zero acts. */
#include "model/sim_record.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DERIVATIVES = INSIDE_DERIVATIVES };
#define SAME_TIME (8 * DBL_EPSILON) /* of t: how well an event is located */

/* At a time of its own: there is no function. */
static int is_timed(const struct keel_sim *s, int event) {
    return event >= s->m->model->mode[s->mode].events;
}

/* Value and size of terms of an event function and of its time derivatives. */
static int onset_at(struct keel_sim *s, int number, double *v) {
    return sim_query(s, &s->m->mode[s->mode]->event[number].onset, v) == KEEL_OK;
}

static int acted_now(const struct keel_sim *s, int event) {
    double t = keel_time(s->solver);
    return fabs(t - s->fired[event].t) <= SAME_TIME * fabs(t);
}

static void fired_at_root(struct keel_sim *s, int event, double t) {
    struct sim_fired *f = &s->fired[event];
    double v[2 * DERIVATIVES];
    int known = onset_at(s, event, v), again = acted_now(s, event);
    struct sim_fired now = {.t = t, .slope = known ? v[2] : NAN};
    for (int k = 0; k < DERIVATIVES; k++)
        now.steepest[k] = fmax(again ? f->steepest[k] : 0, known ? fabs(v[2 * k]) : 0);
    *f = now;
}

void sim_fired(struct keel_sim *s, int event, double t) {
    int timed = event - s->m->model->mode[s->mode].events;
    if (timed < 0) {
        fired_at_root(s, event, t);
        return;
    }
    s->fired[event].t = t;
    s->due[timed] = NAN; /* another time is next */
}

/* Events that stand outside of modes are the same in all of them; the others begin anew, and a timed one acts
 * after the time at which its mode is entered. */
void sim_moved(struct keel_sim *s, int to, const unsigned char *touched) {
    const struct model_mode *from = &s->m->model->mode[s->mode], *next = &s->m->model->mode[to];
    struct sim_fired *before = s->fired;
    if (to != s->mode) {
        s->timed_mode = -1;
        s->fired = s->fired_before;
        s->fired_before = before;
        for (int k = 0; k < next->events + next->timed; k++) {
            double acted = k < next->events ? NAN : keel_time(s->solver);
            s->fired[k] = (struct sim_fired){.t = acted, .slope = NAN, .again = 1};
            for (int i = 0; i < from->events + from->timed; i++)
                if (from->event[i].where.offset == next->event[k].where.offset &&
                    strcmp(from->event[i].label.text, next->event[k].label.text) == 0)
                    s->fired[k] = before[i];
        }
    }
    for (int k = 0; k < next->events; k++) s->fired[k].again |= touched[k];
}

static int has_slope(const double *v) {
    return fabs(v[2]) > 1e-9 * v[3];
}

void sim_passed(struct keel_sim *s, int event) {
    struct sim_fired *f = &s->fired[event];
    double v[2 * DERIVATIVES];
    if (is_timed(s, event) || !onset_at(s, event, v) || !(v[2] * f->slope > 0) || !has_slope(v)) return;
    f->slope = v[2];
    f->again = 0;
}

/* The round-off of its terms, or of the time at which it was found. */
static int is_zero(const struct keel_sim *s, int number, const double *v) {
    double slope = fmax(fabs(v[2]), s->fired[number].steepest[1]);
    return fabs(v[0]) <= 64 * DBL_EPSILON * v[1] + SAME_TIME * fabs(keel_time(s->solver)) * slope;
}

static int side_of(struct keel_sim *s, int number) {
    double v[2 * DERIVATIVES];
    return !onset_at(s, number, v) || is_zero(s, number, v) ? 0 : (v[0] > 0) - (v[0] < 0);
}

void sim_before(struct keel_sim *s, int event) {
    for (int k = 0; k < s->m->model->mode[s->mode].events; k++)
        if (k != event && s->fired[k].side == 0) s->fired[k].side = side_of(s, k);
}

/* Has what was done since sim_before moved it across zero, in its direction? */
static int jumped(struct keel_sim *s, int number, int wanted) {
    int before = s->fired[number].side, now = before ? side_of(s, number) : 0;
    return now && now == -before && (wanted == 0 || wanted == now);
}

/* What is left of derivative k by the actions at this time: the round-off of what it was, or what the next
 * one made of it within the accuracy of the time.  Bodies that hand on an impact and stay in contact are left
 * with such values; they say nothing of where they go. */
static double remainder_of(const struct keel_sim *s, int number, int k) {
    const double *steepest = s->fired[number].steepest;
    double later = k + 1 < DERIVATIVES ? SAME_TIME * fabs(keel_time(s->solver)) * steepest[k + 1] : 0;
    return fmax(64 * DBL_EPSILON * steepest[k], later);
}

/* The sign an event function takes just after this moment, if it is zero now; 0: it is not, or one cannot
 * tell.  A derivative counts as zero if it is the round-off of its terms, or a remainder, or if the next one
 * outweighs it within `moment`: where events coincide they do so only to the accuracy with which they are
 * located. */
static int sign_after(const struct keel_sim *s, int number, const double *v) {
    double t = keel_time(s->solver), forward = 1;
    double moment = 1e-10 * fmax(fabs(t), fabs(t - s->span[0])); /* not of the span, which may be any */
    if (!is_zero(s, number, v)) return 0;
    for (int k = 1; k < DERIVATIVES; k++) {
        double size = fabs(v[2 * k]), next = k + 1 < DERIVATIVES ? fabs(v[2 * k + 2]) * moment : 0;
        forward *= s->direction; /* d/dt along the run */
        if (!isfinite(size)) return 0;
        if (size > 1e-9 * v[2 * k + 1] && size > remainder_of(s, number, k) && !(size <= next))
            return v[2 * k] * forward > 0 ? 1 : -1;
    }
    return 0;
}

/* May the event act?  Not if it did at this time and nothing has acted on it since: no assignment, and no
 * other mode in which its slope is another. */
static void renew(struct keel_sim *s, int number) {
    struct sim_fired *f = &s->fired[number];
    double v[2 * DERIVATIVES];
    if (!acted_now(s, number)) *f = (struct sim_fired){.t = NAN, .slope = NAN, .again = 1, .side = f->side};
    else if (!onset_at(s, number, v) || !(fabs(v[2] - f->slope) <= 1e-9 * v[3])) f->again = 1;
}

keel_status sim_enter(struct keel_sim *s) {
    const struct model_mode *mode = &s->m->model->mode[s->mode];
    const int *wanted = s->m->mode[s->mode]->formulation.event_direction;
    double v[2 * DERIVATIVES];
    s->entered = 1;
    for (int k = 0; k < mode->events; k++) renew(s, k);
    for (int k = 0; k < mode->events; k++) {
        if (s->status < 0) return s->status;
        int moves_on =
            wanted[k] && s->fired[k].again && onset_at(s, k, v) && sign_after(s, k, v) == wanted[k];
        if (!moves_on && !jumped(s, k, wanted[k])) continue;
        int from = s->mode;
        long before = s->event_records;
        keel_status status = moves_on && !has_slope(v) ? sim_rest(s, k, acted_now(s, k) ? v : NULL) : KEEL_OK;
        if (status == KEEL_OK) status = sim_act(s, k);
        if (status == KEEL_REST) return status;
        if (status == KEEL_EVENT) s->entered = 0; /* the others when the run goes on */
        if (status != KEEL_OK || s->mode != from || sim_recorded(s, before).changed) return status;
    }
    for (int k = 0; k < mode->events; k++) s->fired[k].side = 0;
    return s->status < 0 ? s->status : KEEL_OK;
}
