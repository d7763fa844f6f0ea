/* sim_act.c - actions: all right-hand sides are taken first, then all assignments are made, then the mode
 * changes, then the state is made consistent by the smallest weighted change. */
#include "base/text.h"
#include "model/complaint.h"
#include "model/sim.h"
#include "model/touch.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 100 }; /* events at one time */

keel_status sim_fail(struct keel_sim *s, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(s->message, sizeof s->message, format, args);
    va_end(args);
    return s->status = status;
}

const double *sim_multipliers(struct keel_sim *s) {
    return s->m->mode[s->mode].road.furthers ? keel_multipliers(s->solver) : NULL;
}

static const struct model_event *event_of(const struct keel_sim *s, int event) {
    return &s->m->model->mode[s->mode].event[event];
}

/* Preparing --------------------------------------------------------------------------------------------- */

static int mode_after(const struct model_event *event, int mode) {
    for (int k = 0; k < event->actions; k++)
        if (event->action[k].kind == SYNTAX_SWITCH) mode = event->action[k].mode;
    return mode;
}

static int changes(const struct model_event *event) {
    for (int k = 0; k < event->actions; k++)
        if (event->action[k].kind == SYNTAX_ASSIGN || event->action[k].kind == SYNTAX_SWITCH) return 1;
    return 0;
}

/* The place of what is assigned among the states of the mode that follows; -1: it is none. */
static int place_in(const struct inside_mode *mode, expr target) {
    int place = road_find(&mode->road, target);
    return place < mode->road.n ? place : -1;
}

static int prepare_event(struct keel_model *m, int from, int number) {
    const struct model_event *event = &m->model->mode[from].event[number];
    struct inside_mode *mode = &m->mode[from], *next = &m->mode[mode_after(event, from)];
    int unknowns = next->road.n + next->road.m, count = unknowns, good = 1;
    if (!changes(event)) return 1;
    expr *target = pool_take(&m->pool, ((size_t)unknowns + (size_t)event->actions + 1) * sizeof *target);
    if (!target) return complaint_memory(&m->messages);
    for (int i = 0; i < unknowns; i++) target[i] = next->road.basic[i];
    for (int k = 0; k < event->actions; k++) {
        const struct model_action *action = &event->action[k];
        struct values one;
        if (action->kind != SYNTAX_ASSIGN) continue;
        if (place_in(next, action->target) < 0) {
            good = complaint_not_assigned(&next->system, &m->messages, action->where, action->target,
                                          next != mode);
            continue;
        }
        int there = values_open(&one, &mode->road, 1, &action->value, 0);
        values_close(&one);
        if (!there)
            good = complaint_no_value(&mode->system, &m->messages, action->where, "the value assigned",
                                      mode->road.missing);
        target[count++] = action->value;
    }
    if (!good) return 0;
    if (!values_open(&mode->after[number], &mode->road, count, target, 1))
        return complaint_memory(&m->messages);
    mode->touched[number] = touch_events(m, event, mode_after(event, from));
    return mode->touched[number] || complaint_memory(&m->messages);
}

int sim_prepare(struct keel_model *m) {
    struct model *model = m->model;
    expr *held = pool_take(&m->pool, ((size_t)model->helds + 1) * sizeof *held);
    for (int k = 0; k < model->helds && held; k++) held[k] = model->held[k].of;
    for (int i = 0; i < m->modes && held; i++) {
        struct inside_mode *mode = &m->mode[i];
        size_t events = (size_t)model->mode[i].events + 1;
        mode->after = pool_take(&m->pool, events * sizeof *mode->after);
        mode->onset = pool_take(&m->pool, events * sizeof *mode->onset);
        mode->onset_open = pool_take(&m->pool, events);
        mode->touched = pool_take(&m->pool, events * sizeof *mode->touched);
        if (m->pool.refused || !values_open(&mode->held, &mode->road, model->helds, held, 1))
            return complaint_memory(&m->messages);
    }
    int good = held ? 1 : complaint_memory(&m->messages);
    for (int i = 0; i < m->modes && held; i++)
        for (int k = 0; k < model->mode[i].events; k++) good &= prepare_event(m, i, k);
    return good;
}

void sim_release(struct keel_model *m) {
    for (int i = 0; i < m->modes; i++) {
        struct inside_mode *mode = &m->mode[i];
        values_close(&mode->held);
        for (int k = 0; k < m->model->mode[i].events && mode->after && mode->onset; k++) {
            values_close(&mode->after[k]);
            values_close(&mode->onset[k]);
        }
    }
}

/* Acting ------------------------------------------------------------------------------------------------ */

keel_status sim_note(struct keel_sim *s, int number) {
    const struct model_event *event = event_of(s, number);
    if (s->happenings == s->room) {
        long room = s->room ? 2 * s->room : 16;
        keel_happening *wider = realloc(s->happened, (size_t)room * sizeof *wider);
        if (!wider) return sim_fail(s, KEEL_ENOMEM, "no memory for the list of events");
        s->happened = wider;
        s->room = room;
    }
    s->happened[s->happenings++] = (keel_happening){keel_time(s->solver), event->label.text, s->mode,
                                                    mode_after(event, s->mode), changes(event)};
    sim_fired(s, number);
    return KEEL_OK;
}

/* Too many events without time passing: the last ones are named. */
static keel_status count_crowd(struct keel_sim *s) {
    double t = keel_time(s->solver);
    s->crowd = fabs(t - s->crowd_time) <= 8 * DBL_EPSILON * fabs(t) ? s->crowd + 1 : 1;
    s->crowd_time = t;
    if (s->crowd <= CROWD) return KEEL_OK;
    char names[300] = "";
    const char *last = NULL;
    for (long k = s->happenings - 1, told = 0; k >= 0 && k >= s->happenings - CROWD && told < 4; k--) {
        const char *name = s->happened[k].event;
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
                    CROWD, t, names);
}

/* Held values as they are where the run stands.  How many are others than before; -1: a failure. */
static int take_held(struct keel_sim *s, int start_too) {
    const struct model *model = s->m->model;
    double *now = s->parameter + model->parameters;
    int changed = 0;
    if (model->helds == 0) return 0;
    if (values_at(&s->m->mode[s->mode].held, keel_time(s->solver), keel_state(s->solver), sim_multipliers(s),
                  s->parameter, s->held)) {
        sim_fail(s, KEEL_ENEWTON, "the values at t = %.10g could not be found", keel_time(s->solver));
        return -1;
    }
    for (int k = 0; k < model->helds; k++) {
        if (!isfinite(s->held[k]) || (!start_too && model->held[k].moment != SYNTAX_ENTER)) continue;
        changed += now[k] != s->held[k];
        now[k] = s->held[k];
    }
    return changed;
}

keel_status sim_hold(struct keel_sim *s, int start_too) {
    int changed = take_held(s, start_too);
    if (changed <= 0) return s->status;
    keel_status status = keel_restart(s->solver, keel_time(s->solver), keel_state(s->solver));
    if (status >= 0) return KEEL_OK;
    return sim_fail(s, status, "with the values held from t = %.10g: %.400s", keel_time(s->solver),
                    keel_message(s->solver));
}

/* The unknowns of the mode that follows and what is assigned, into s->work. */
static keel_status take_values(struct keel_sim *s, int number, const struct model_event *event, int to) {
    struct inside_mode *mode = &s->m->mode[s->mode], *next = &s->m->mode[to];
    int unknowns = next->road.n + next->road.m, at = unknowns;
    double t = keel_time(s->solver), *u = s->work;
    if (values_at(&mode->after[number], t, keel_state(s->solver), sim_multipliers(s), s->parameter, u))
        return sim_fail(s, KEEL_ENEWTON, "event `%s` at t = %.10g: the values it needs could not be found",
                        event->label.text, t);
    for (int i = 0; i < unknowns; i++)
        if (!isfinite(u[i])) u[i] = 0; /* nothing is known of it before: the equations determine it */
    for (int k = 0; k < event->actions; k++) {
        if (event->action[k].kind != SYNTAX_ASSIGN) continue;
        double value = u[at++];
        if (!isfinite(value))
            return sim_fail(s, KEEL_EUSER, "event `%s` at t = %.10g assigns something that is no number (%g)",
                            event->label.text, t, value);
        u[place_in(next, event->action[k].target)] = value;
    }
    return KEEL_OK;
}

static keel_status change(struct keel_sim *s, int number, const struct model_event *event, int to) {
    keel_status status = take_values(s, number, event, to);
    if (status != KEEL_OK) return status;
    int moved = to != s->mode;
    sim_before(s, number);
    if (moved && take_held(s, 0) < 0) return s->status; /* the new mode may use them: first as they are now */
    impact_apply(&s->m->mode[to].impact, keel_time(s->solver), s->parameter, s->work);
    status = keel_switch(s->solver, &s->problem[to], s->work);
    if (status < 0) {
        const char *name = s->m->model->mode[to].name;
        return sim_fail(s, status, "after event `%s`%s%s%s: %.400s", event->label.text,
                        name ? ", in mode `" : "", name ? name : "", name ? "`" : "",
                        keel_message(s->solver));
    }
    memcpy(s->entry, s->work, (size_t)(s->problem[to].n + s->problem[to].m) * sizeof *s->entry);
    sim_moved(s, to, s->m->mode[s->mode].touched[number]);
    s->mode = to;
    if (!moved) sim_passed(s, number);
    return moved ? sim_hold(s, 0) : KEEL_OK;
}

keel_status sim_act(struct keel_sim *s, int number) {
    const struct model_event *event = event_of(s, number);
    int to = mode_after(event, s->mode), changed = changes(event), stop = 0;
    keel_status status = sim_note(s, number);
    if (status == KEEL_OK) status = count_crowd(s);
    if (status != KEEL_OK) return status;
    for (int k = 0; k < event->actions; k++) stop |= event->action[k].kind == SYNTAX_STOP;
    if (s->observe) s->observe(s->solver, s);
    if (changed) {
        status = change(s, number, event, to);
        if (status == KEEL_OK && s->observe) s->observe(s->solver, s);
        if (status == KEEL_OK) status = sim_enter(s);
    }
    return status == KEEL_OK && stop ? KEEL_EVENT : status;
}
