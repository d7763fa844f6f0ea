/* sim_act.c - actions: all right-hand sides are taken first, then all assignments are made, then the mode
 * changes, then the state is made consistent: along the directions in which impulses act (jump.h, impulse.h).
 */
#include "base/text.h"
#include "model/grow.h"
#include "model/saltation.h"
#include "model/sim_record.h"
#include "model/sim_sample.h"
#include "model/surface.h"

#include <keel/extras.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_LIMIT = 100 }; /* events at one time */

keel_status sim_fail(struct keel_sim *s, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(s->message, sizeof s->message, format, args);
    va_end(args);
    return s->status = status;
}

keel_status sim_no_memory(struct keel_sim *s) {
    return sim_fail(s, KEEL_ENOMEM, "there is not enough memory");
}

const double *sim_multipliers(struct keel_sim *s) {
    return s->m->mode[s->mode]->formulation.furthers ? keel_multipliers(s->solver) : NULL;
}

static const struct inside_event *event_of(const struct keel_sim *s, int event) {
    return &s->m->mode[s->mode]->event[event];
}

/* Acting ------------------------------------------------------------------------------------------------ */

static keel_event_record record_of(const struct keel_sim *s, int number, double t) {
    const struct inside_event *own = event_of(s, number);
    return (keel_event_record){t, own->event->label.text, s->mode, own->to, own->changes};
}

keel_status sim_note_samples(struct keel_sim *s, int number, double k, long count) {
    double period = s->time[number - s->m->model->mode[s->mode].events],
           last = k + (double)(count - 1) * s->direction;
    keel_status status = sim_record_samples(s, record_of(s, number, k * period), k, period, count);
    if (status == KEEL_OK) sim_fired(s, number, last * period);
    return status;
}

keel_status sim_note(struct keel_sim *s, int number, double t) {
    int timed = number - s->m->model->mode[s->mode].events;
    if (timed >= 0 && event_of(s, number)->event->direction == SYNTAX_EVERY) {
        double k = floor(t / s->time[timed] + 0.5);
        if (k * s->time[timed] == t) return sim_note_samples(s, number, k, 1);
    }
    keel_status status = sim_record(s, record_of(s, number, t));
    if (status == KEEL_OK) sim_fired(s, number, t);
    return status;
}

/* Too many events without time passing: the last ones are named. */
static keel_status fail_simultaneous(struct keel_sim *s, double t) {
    char names[300] = "";
    const char *last = NULL;
    for (long k = s->event_records - 1, told = 0; k >= 0 && k >= s->event_records - EVENT_LIMIT && told < 4;
         k--) {
        const char *name = sim_recorded(s, k).event;
        char quoted[64];
        text_set(quoted, sizeof quoted, "`%.60s`", name);
        if (strstr(names, quoted) != NULL) continue;
        text_add(names, sizeof names, "%s%s", last ? ", " : "", quoted);
        last = name;
        told++;
    }
    text_add(names, sizeof names, "%s", strchr(names, ',') ? " set each other off" : " sets itself off");
    return sim_fail(s, KEEL_ELIMIT,
                    "more than %d events at t = %.10g: %s without time passing; let an action leave a value "
                    "on which no event acts",
                    EVENT_LIMIT, t, names);
}

keel_status sim_count_simultaneous(struct keel_sim *s, double t) {
    s->simultaneous = fabs(t - s->simultaneous_time) <= 8 * DBL_EPSILON * fabs(t) ? s->simultaneous + 1 : 1;
    s->simultaneous_time = t;
    return s->simultaneous <= EVENT_LIMIT ? KEEL_OK : fail_simultaneous(s, t);
}

/* Is a held value that of a moment at which mode `left` is left for another?  left < 0: always. */
static int is_renewed(const struct keel_sim *s, const struct model_held *held, int left, int to) {
    const struct model *m = s->m->model;
    if (held->moment != SYNTAX_ENTER) return 0;
    return left < 0 || held->group < 0 ||
           m->mode[left].combination[held->group] != m->mode[to].combination[held->group];
}

/* Held values as they are where the run stands.  How many are others than before; -1: a failure. */
static int take_held(struct keel_sim *s, int start_too, int left, int to) {
    const struct model *model = s->m->model;
    double *now = s->parameter + model->parameters;
    int changed = 0;
    if (model->helds == 0) return 0;
    keel_status status = sim_query(s, &s->m->mode[s->mode]->held, s->held);
    if (status == KEEL_ENEWTON)
        sim_fail(s, status, "the values at t = %.10g could not be found", keel_time(s->solver));
    if (status != KEEL_OK) return -1;
    for (int k = 0; k < model->helds; k++) {
        if (!isfinite(s->held[k]) || (!start_too && !is_renewed(s, &model->held[k], left, to))) continue;
        changed += now[k] != s->held[k];
        now[k] = s->held[k];
    }
    return changed;
}

keel_status sim_hold(struct keel_sim *s, int start_too, int left) {
    int changed = take_held(s, start_too, left, s->mode);
    if (changed <= 0) return s->status;
    keel_status status = keel_restart(s->solver, keel_time(s->solver), keel_state(s->solver));
    if (status >= 0) return KEEL_OK;
    return sim_fail(s, status, "with the values held from t = %.10g: %.400s", keel_time(s->solver),
                    keel_message(s->solver));
}

keel_status sim_no_number(struct keel_sim *s, const struct inside_event *own, double value) {
    return sim_fail(s, KEEL_EUSER, "event `%s` at t = %.10g assigns something that is no number (%g)",
                    own->event->label.text, keel_time(s->solver), value);
}

keel_status sim_take_values(struct keel_sim *s, const struct inside_event *own) {
    const struct model_event *event = own->event;
    const struct formulation *next = &s->m->mode[own->to]->formulation;
    int unknowns = next->n + next->m, at = unknowns;
    double *u = s->work;
    keel_status status = sim_query(s, &own->after, u);
    if (status == KEEL_ENOMEM) return status;
    if (status != KEEL_OK)
        return sim_fail(s, status, "event `%s` at t = %.10g: the values it needs could not be found",
                        event->label.text, keel_time(s->solver));
    for (int i = 0; i < unknowns; i++)
        if (!isfinite(u[i])) u[i] = 0; /* nothing is known of it before: the equations determine it */
    for (int k = 0; k < event->actions; k++) {
        if (event->action[k].kind != SYNTAX_ASSIGN) continue;
        double value = u[at++];
        if (!isfinite(value)) return sim_no_number(s, own, value);
        u[own->assigned[k]] = value;
    }
    return KEEL_OK;
}

const char *sim_said_by(const keel_solver *solver) {
    static const char call[] = "keel_switch: ";
    const char *why = keel_message(solver);
    return strncmp(why, call, sizeof call - 1) == 0 ? why + sizeof call - 1 : why;
}

/* How far the constraints are off where the run stands, relative to their terms: a method that does not keep
 * them all leaves no better state to assign from. */
static double off_constraints(const struct keel_sim *s) {
    double off = 0;
    keel_row row;
    for (int i = 0; keel_row_at(s->solver, i, &row); i++)
        if (row.kind != KEEL_ROW_ENERGY && row.kind != KEEL_ROW_INVARIANT && row.unit > 0)
            off = fmax(off, DBL_EPSILON * fabs(row.last) / row.unit);
    return off;
}

/* Was a value that was assigned, in s->entry, not left as it is?  Then it cannot hold, and the sentence says
 * so.  off: of the constraints, before. */
static int moves_assigned(const struct keel_sim *s, const struct inside_event *own, double off, char *out,
                          size_t capacity) {
    const keel_problem *p = &s->problem[own->to];
    const double *x = keel_state(s->solver), *u = s->entry;
    double largest = 0;
    for (int i = 0; i < p->n; i++) largest = fmax(largest, fmax(fabs(x[i]), fabs(u[i])));
    for (int i = 0; i < p->n; i++) {
        if (!own->stays[i] || fabs(x[i] - u[i]) <= (1e-9 + 10 * off) * largest) continue;
        text_set(out, capacity,
                 "`%.60s` := %.10g does not fit the constraints there (they make it %.10g): assign all that "
                 "they tie together so that they hold, or leave it out",
                 p->names[i], u[i], x[i]);
        return 1;
    }
    return 0;
}

keel_status sim_fail_after(struct keel_sim *s, const struct inside_event *own, keel_status status,
                           const char *why) {
    const char *name = s->m->model->mode[own->to].name;
    if (status == KEEL_ENOMEM) return sim_no_memory(s);
    return sim_fail(s, status, "after event `%s`%s%s%s: %.400s", own->event->label.text,
                    name ? ", in mode `" : "", name ? name : "", name ? "`" : "", why);
}

/* The state where the solver stands is the new mode's, s->work, made consistent. */
static keel_status enter_mode(struct keel_sim *s, const struct inside_event *own) {
    const struct inside_mode *mode = s->m->mode[own->to];
    const char *why = NULL;
    struct jump_path path;
    double t = keel_time(s->solver), off = off_constraints(s);
    keel_status status = jump_apply(&mode->jump, t, s->parameter, own->stays, s->work, &path);
    if (status == KEEL_OK) {
        int samples = own->event->direction >= SYNTAX_EVERY && own->to == s->mode && !s->contact;
        status =
            samples ? keel_go_on(s->solver, s->work) : keel_switch(s->solver, &s->problem[own->to], s->work);
        if (status < 0) why = sim_said_by(s->solver);
        else status = jump_check(&mode->jump, t, s->parameter, own->stays, keel_state(s->solver), &path);
        if (status == KEEL_OK && moves_assigned(s, own, off, path.why, sizeof path.why)) status = KEEL_ESTART;
    }
    if (status < 0) sim_fail_after(s, own, status, why ? why : path.why);
    jump_forget(&path);
    return status < 0 ? status : KEEL_OK;
}

static keel_status change(struct keel_sim *s, int number) {
    const struct inside_event *own = event_of(s, number);
    if (sim_sample_is_plain(s, own)) return sim_sample_take(s, own, keel_time(s->solver));
    keel_status status = sim_take_values(s, own);
    if (status == KEEL_OK) status = sim_rows_before(s);
    if (status != KEEL_OK) return status;
    int to = own->to, from = s->mode, moved = to != from;
    sim_before(s, number);
    if (moved && take_held(s, 0, from, to) < 0)
        return s->status; /* the new mode may use them: first as they are now */
    size_t bytes = (size_t)(s->problem[to].n + s->problem[to].m) * sizeof *s->entry;
    memcpy(s->entry, s->work, bytes);
    if (moved) surface_clocks(&s->m->mode[to]->formulation, keel_time(s->solver), s->direction, s->parameter);
    if (!impact_apply(&s->m->mode[to]->impact, keel_time(s->solver), s->parameter, own->stays,
                      s->work + saltation_at(s, own), s->work))
        return sim_no_memory(s);
    status = saltation_apply(s, own);
    if (status != KEEL_OK) return status;
    if (s->status < 0) return s->status; /* sides could not be found without memory */
    ledger_leave(s);
    if (s->contact) { /* what is assigned may open them, or let them hit */
        s->problem[to] = s->contact->plain;
        s->contact->set = NULL;
    }
    status = enter_mode(s, own);
    if (status == KEEL_OK) status = saltation_check(s, own);
    if (status < 0) return status;
    memcpy(s->entry, s->work, bytes);
    sim_moved(s, to, own->touched);
    s->mode = to;
    if (!moved) sim_passed(s, number);
    status = moved ? sim_hold(s, 0, from) : KEEL_OK;
    ledger_enter(s);
    if (status == KEEL_OK) status = sim_rows_after(s);
    return status == KEEL_OK && s->contact ? contact_settle(s, -1, 0) : status;
}

keel_status sim_act(struct keel_sim *s, int number) {
    int stop = 0;
    keel_status status = event_of(s, number)->to < 0 ? grow_for(s, number) : KEEL_OK;
    if (status != KEEL_OK) return status;
    const struct inside_event *own = event_of(s, number);
    double t = keel_time(s->solver);
    status = sim_note(s, number, t);
    if (status == KEEL_OK) status = sim_count_simultaneous(s, t);
    if (status != KEEL_OK) return status;
    for (int k = 0; k < own->event->actions; k++) stop |= own->event->action[k].kind == SYNTAX_STOP;
    if (s->observe && !s->overlooks) s->observe(s->solver, s);
    if (own->changes) {
        status = change(s, number);
        if (status == KEEL_OK && s->observe && !s->overlooks) s->observe(s->solver, s);
        if (status == KEEL_OK) status = sim_enter(s);
    }
    return stop && (status == KEEL_OK || status == KEEL_REST) ? KEEL_EVENT : status;
}
