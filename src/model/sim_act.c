/* sim_act.c - actions: all right-hand sides are taken first, then all assignments are made, then the mode
 * changes, then the state is made consistent by the smallest weighted change. */
#include "base/text.h"
#include "model/complaint.h"
#include "model/sim.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 100 };     /* events at one time */
enum { DERIVATIVES = 4 }; /* of an event function, where it begins at zero */

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
    struct graph *g = &mode->system.m->graph;
    int place = road_place(&mode->road, target);
    if (place < 0) {
        const struct structure_value alias = mode->system.s.alias[system_unknown(&mode->system, target)];
        const struct expr_node n = g->node[mode->system.unknown[alias.unknown]];
        place = road_place(
            &mode->road, expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)alias.order + g->node[target].c));
    }
    return place < mode->road.n ? place : -1;
}

static int prepare_event(struct keel_model *m, int from, int number) {
    const struct model_event *event = &m->model->mode[from].event[number];
    struct inside_mode *mode = &m->mode[from], *next = &m->mode[mode_after(event, from)];
    int unknowns = next->road.n + next->road.m, count = unknowns;
    if (!changes(event)) return 1;
    expr *target = pool_take(&m->pool, ((size_t)unknowns + (size_t)event->actions + 1) * sizeof *target);
    if (!target) return complaint_memory(&m->messages);
    for (int i = 0; i < unknowns; i++) target[i] = next->road.basic[i];
    for (int k = 0; k < event->actions; k++) {
        const struct model_action *action = &event->action[k];
        struct values one;
        if (action->kind != SYNTAX_ASSIGN) continue;
        if (place_in(next, action->target) < 0) {
            char name[160];
            model_name(m->model, action->target, name, sizeof name);
            source_hint(source_say(&m->messages, SOURCE_ERROR, action->where.offset, action->where.length,
                                   "`%s` cannot be assigned: the equations%s determine it.", name,
                                   next == mode ? "" : " of the mode that follows"),
                        "Assign to a value that may be given at the start.");
            return 0;
        }
        int there = values_open(&one, &mode->road, 1, &action->value, 0);
        values_close(&one);
        if (!there)
            return complaint_no_value(&mode->system, &m->messages, action->where, "the value assigned",
                                      mode->road.missing);
        target[count++] = action->value;
    }
    return values_open(&mode->after[number], &mode->road, count, target, 1) || complaint_memory(&m->messages);
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
        if (m->pool.refused || !values_open(&mode->held, &mode->road, model->helds, held, 1))
            return complaint_memory(&m->messages);
    }
    for (int i = 0; i < m->modes && held; i++)
        for (int k = 0; k < model->mode[i].events; k++)
            if (!prepare_event(m, i, k)) return 0;
    return held ? 1 : complaint_memory(&m->messages);
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
        if (last && (strstr(names, name) != NULL)) continue;
        text_add(names, sizeof names, "%s`%.60s`", last ? ", " : "", name);
        last = name;
        told++;
    }
    return sim_fail(
        s, KEEL_ELIMIT,
        "more than %d events at t = %.10g: %s set each other off without time passing; let one of them "
        "leave a value that the other does not act on",
        CROWD, t, names);
}

keel_status sim_hold(struct keel_sim *s, int start_too) {
    const struct model *model = s->m->model;
    double *held = s->work;
    if (model->helds == 0) return KEEL_OK;
    if (values_at(&s->m->mode[s->mode].held, keel_time(s->solver), keel_state(s->solver), sim_multipliers(s),
                  s->parameter, held))
        return sim_fail(s, KEEL_ENEWTON, "the values at t = %.10g could not be found", keel_time(s->solver));
    for (int k = 0; k < model->helds; k++)
        if (isfinite(held[k]) && (start_too || model->held[k].moment == SYNTAX_ENTER))
            s->parameter[model->parameters + k] = held[k];
    return KEEL_OK;
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
    if (moved) { /* the new mode may use values as they were when it was entered: first as they are now */
        double *u = malloc((size_t)(s->m->mode[to].road.n + s->m->mode[to].road.m + 1) * sizeof *u);
        if (!u) return sim_fail(s, KEEL_ENOMEM, "no memory for a change of mode");
        memcpy(u, s->work, (size_t)(s->m->mode[to].road.n + s->m->mode[to].road.m) * sizeof *u);
        status = sim_hold(s, 0);
        memcpy(s->work, u, (size_t)(s->m->mode[to].road.n + s->m->mode[to].road.m) * sizeof *u);
        free(u);
        if (status != KEEL_OK) return status;
    }
    status = keel_switch(s->solver, &s->problem[to], s->work);
    if (status < 0) {
        const char *name = s->m->model->mode[to].name;
        return sim_fail(s, status, "after event `%s`%s%s%s: %.400s", event->label.text,
                        name ? ", in mode `" : "", name ? name : "", name ? "`" : "",
                        keel_message(s->solver));
    }
    s->mode = to;
    return moved ? sim_hold(s, 0) : KEEL_OK;
}

keel_status sim_act(struct keel_sim *s, int number) {
    const struct model_event *event = event_of(s, number);
    int to = mode_after(event, s->mode), changed = changes(event), stop = 0;
    keel_status status = sim_note(s, number);
    if (status == KEEL_OK) status = count_crowd(s);
    if (status != KEEL_OK) return status;
    for (int k = 0; k < event->actions; k++) {
        stop |= event->action[k].kind == SYNTAX_STOP;
        if (event->action[k].kind == SYNTAX_RECORD && s->observe) s->observe(s->solver, s);
    }
    if (changed) {
        status = change(s, number, event, to);
        if (status == KEEL_OK) status = sim_enter(s, (int)event->where.offset);
    }
    return status == KEEL_OK && stop ? KEEL_EVENT : status;
}

/* Where a mode begins ----------------------------------------------------------------------------------- */

/* Value and size of terms of an event function and of its time derivatives. */
static struct values *onset_of(struct keel_sim *s, int number) {
    struct inside_mode *mode = &s->m->mode[s->mode];
    struct graph *g = &s->m->model->graph;
    expr e = system_expression(&mode->system, event_of(s, number)->value), target[2 * DERIVATIVES];
    if (mode->onset_open[number]) return &mode->onset[number];
    for (int k = 0; k < DERIVATIVES; k++) {
        target[2 * k] = e;
        target[2 * k + 1] = e == EXPR_NONE ? e : derive_terms(g, e);
        e = derive_total(&mode->road.derive, e);
        if (e == EXPR_NONE) e = expr_constant(g, NAN);
    }
    if (!values_open(&mode->onset[number], &mode->road, 2 * DERIVATIVES, target, 1)) return NULL;
    mode->onset_open[number] = 1;
    return &mode->onset[number];
}

/* The sign an event function takes just after this moment, if it is zero now; 0: it is not, or one cannot
 * tell.  A derivative counts as zero if it is the round-off of its terms, or if the next one outweighs it
 * within `moment`: where events coincide they do so only to the accuracy with which they are located. */
static int sign_after(struct keel_sim *s, int number, double direction) {
    double v[2 * DERIVATIVES], t = keel_time(s->solver), forward = 1;
    double moment = 1e-10 * fmax(fabs(t), fabs(s->m->span[1] - s->m->span[0]));
    struct values *onset = onset_of(s, number);
    if (!onset || values_at(onset, t, keel_state(s->solver), sim_multipliers(s), s->parameter, v)) return 0;
    if (!(fabs(v[0]) <= 64 * DBL_EPSILON * v[1])) return 0;
    for (int k = 1; k < DERIVATIVES; k++) {
        double size = fabs(v[2 * k]), next = k + 1 < DERIVATIVES ? fabs(v[2 * k + 2]) * moment : 0;
        forward *= direction; /* d/dt along the run */
        if (!isfinite(size)) return 0;
        if (size > 1e-9 * v[2 * k + 1] && !(size <= next)) return v[2 * k] * forward > 0 ? 1 : -1;
    }
    return 0;
}

keel_status sim_enter(struct keel_sim *s, int just_fired) {
    const struct model_mode *mode = &s->m->model->mode[s->mode];
    const struct road *r = &s->m->mode[s->mode].road;
    double direction = s->m->span[1] >= s->m->span[0] ? 1 : -1;
    s->entered = 1;
    for (int k = 0; k < mode->events; k++) {
        if ((int)mode->event[k].where.offset == just_fired || r->event_direction[k] == 0) continue;
        if (sign_after(s, k, direction) != r->event_direction[k]) continue;
        return sim_act(s, k);
    }
    return KEEL_OK;
}
