/* sim_sample.c - see sim_sample.h. */
#include "model/sim_sample.h"

#include <keel/extras.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Has a problem no rows but those from which y is solved?  Then any state is consistent, and none moves. */
static int is_free(const keel_problem *p) {
    return !p->energy.value && p->invariant.count == 0 && p->constraint.count == 0 && p->rolling.count == 0 &&
           p->hidden.count == 0 && p->algebraic.count == p->m;
}

int sim_sample_is_plain(const struct keel_sim *s, const struct inside_event *own) {
    const struct inside_mode *mode = s->m->mode[s->mode];
    return own->event->direction >= SYNTAX_EVERY && own->to == s->mode && !s->contact &&
           is_free(&s->problem[s->mode]) && s->m->surfaces == 0 && s->m->model->directions == 0 &&
           s->m->model->mode[s->mode].events == 0 && !mode->jump.there && !mode->impact.there &&
           !mode->impact.impulse.there;
}

/* The unknowns after the sample, into s->entry: those of the state but for what is assigned, by the function
 * of the model. */
static keel_status take_assigned(struct keel_sim *s, const struct inside_event *own, double t) {
    keel_fn *value = s->m->mode[s->mode]->functions.call[functions_role_sample];
    const double *state = keel_state(s->solver);
    size_t bytes = (size_t)(s->problem[s->mode].n + s->problem[s->mode].m) * sizeof *s->entry;
    double *assigned = s->work;
    if (!value) {
        keel_status status = sim_take_values(s, own);
        if (status == KEEL_OK) memcpy(s->entry, s->work, bytes);
        return status;
    }
    if (value(t, state, assigned, &s->bound[s->mode])) return sim_no_memory(s);
    memcpy(s->entry, state, bytes);
    assigned += own->sample;
    for (int k = 0; k < own->event->actions; k++) {
        if (own->assigned[k] < 0) continue;
        if (!isfinite(*assigned)) return sim_no_number(s, own, *assigned);
        s->entry[own->assigned[k]] = *assigned++;
    }
    return KEEL_OK;
}

keel_status sim_sample_take(struct keel_sim *s, const struct inside_event *own, double t) {
    keel_status status = take_assigned(s, own, t);
    if (status != KEEL_OK) return status;
    status = keel_go_on(s->solver, s->entry);
    return status < 0 ? sim_fail_after(s, own, status, sim_said_by(s->solver)) : KEEL_OK;
}

/* Nothing happens in the mode in force but plain samples. */
static int is_sampled(const struct keel_sim *s) {
    const struct model_mode *mode = &s->m->model->mode[s->mode];
    const struct inside_mode *inside = s->m->mode[s->mode];
    if (mode->timed == 0 || inside->branches.there || inside->formulation.clocks || s->problem[s->mode].clock)
        return 0;
    for (int i = mode->events; i < mode->events + mode->timed; i++) {
        const struct model_event *event = &mode->event[i];
        for (int k = 0; k < event->actions; k++)
            if (event->action[k].kind == SYNTAX_STOP) return 0;
        if (!sim_sample_is_plain(s, &inside->event[i])) return 0;
    }
    return 1;
}

int sim_sample_alone(const struct keel_sim *s) {
    return s->overlooks || (!s->observe && is_sampled(s));
}

int keel_sim_overlook_samples(keel_sim *s) {
    if (!s || s->status < 0 || s->m->modes > 1 || s->m->model->groups > 1) return 0;
    return s->overlooks = is_sampled(s);
}

static keel_status act(struct keel_sim *s, int number, double t) {
    const struct inside_event *own = &s->m->mode[s->mode]->event[number];
    keel_status status = sim_note(s, number, t);
    if (status == KEEL_OK) status = sim_count_simultaneous(s, t);
    return status == KEEL_OK && own->changes ? sim_sample_take(s, own, t) : status;
}

/* All that act at t, where the run stands, in the order of the file. */
static keel_status act_now(struct keel_sim *s, double t) {
    const struct model_mode *mode = &s->m->model->mode[s->mode];
    if (mode->timed == 1) return act(s, mode->events, t);
    keel_status status = KEEL_OK;
    for (int number; status == KEEL_OK && (number = sim_due(s)) >= 0;) status = act(s, number, t);
    return status;
}

/* How many samples may go to a kernel: all of the event that has one, before another acts and before t_end,
 * where the run stands at one of them; the last one is for the steps of the core.  *k: of the next one. */
static long samples_ahead(const struct keel_sim *s, double t, double t_end, double *k) {
    const struct model_mode *mode = &s->m->model->mode[s->mode];
    const struct formulation *r = &s->m->mode[s->mode]->formulation;
    int own = r->sample_event;
    if (r->sample_places == 0 || s->due[own] != t) return 0;
    for (int i = 0; i < mode->timed; i++)
        if (i != own && (s->due[i] - t_end) * s->direction < 0) t_end = s->due[i];
    double period = s->time[own], all = floor(fabs(t_end - t) / period) - 1;
    *k = floor(t / period + 0.5);
    double last = *k * period + s->direction * all * period, size = fmax(fabs(t), fabs(last));
    int resolved = *k * period == t && period > 1e3 * DBL_EPSILON * size;
    return resolved && all >= 1 ? (long)fmin(all, 1 << 30) : 0;
}

/* Samples by the kernel, from that at t on; *t is the next one behind them.  How many; -1: it failed. */
static long take_by_kernel(struct keel_sim *s, double t_end, long most, double *t) {
    double k = 0;
    long ahead = samples_ahead(s, *t, t_end, &k);
    long left = most == LONG_MAX ? most : most - keel_statistics(s->solver).steps - 1;
    if (ahead < 1 || left < 1) return 0;
    const struct formulation *r = &s->m->mode[s->mode]->formulation;
    int number = s->m->model->mode[s->mode].events + r->sample_event;
    double period = s->time[r->sample_event];
    long taken = keel_run_samples(s->solver, period, k, ahead, left);
    if (taken == 0) return 0;
    if (sim_note_samples(s, number, k, taken) != KEEL_OK) return -1;
    s->simultaneous = 1;
    s->simultaneous_time = (k + s->direction * (double)(taken - 1)) * period;
    *t = s->simultaneous_time;
    return sim_next_sample(s, t_end, t) ? taken : -1;
}

/* Cycles that a kernel cannot take are tried ever more rarely. */
enum { MOST_PATIENCE = 64 };
struct patience {
    long wait, length;
};
static int tries(struct patience *p) {
    return p->wait == 0 || p->wait-- == 0;
}
static void learn(struct patience *p, long taken) {
    p->length = taken ? 0 : p->length == 0 ? 1 : p->length < MOST_PATIENCE ? 2 * p->length : p->length;
    p->wait = p->length;
}

keel_status sim_sample_all(struct keel_sim *s, double t, double t_end, long most, int tell) {
    keel_status status;
    struct patience patience = {0};
    int by_kernel = !(tell && s->o.observe);
    s->unseen = !tell;
    do {
        if (by_kernel && tries(&patience)) {
            long taken = take_by_kernel(s, t_end, most, &t);
            if ((status = s->status) < 0) break;
            learn(&patience, taken);
        }
        status = tell ? keel_run(s->solver, t) : keel_advance(s->solver, t, t);
        if (status != KEEL_OK || keel_time(s->solver) != t) break; /* or it pauses */
        status = act_now(s, t);
    } while (status == KEEL_OK && (most == LONG_MAX || keel_statistics(s->solver).steps < most) &&
             sim_next_sample(s, t_end, &t));
    s->unseen = 0;
    return status;
}
