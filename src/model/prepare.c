/* prepare.c - what actions, held values and events need during a run, made when the model is read: a run
 * derives nothing, so that any number of them may share the model. */
#include "model/prepare.h"

#include "model/diagnostics.h"
#include "model/saltation.h"
#include "model/touch.h"

#include <math.h>
#include <stdlib.h>

/* The mode of a group after the actions of an event. */
static int mode_of_group(const struct model *m, const struct model_event *event, const int *before,
                         int group) {
    for (int k = 0; k < event->actions; k++) {
        const struct model_action *action = &event->action[k];
        if (action->kind == SYNTAX_SWITCH && m->block[action->mode].group == group) return action->mode;
    }
    return before[group];
}

/* The combination of modes after the actions of an event of combination `from`: its number, or -1 where it
 * was not entered yet. */
static int mode_after(const struct model *m, const struct model_event *event, int from) {
    for (int i = 0; i < m->modes; i++) {
        int same = 1;
        for (int g = 0; g < m->groups && same; g++)
            same = m->mode[i].combination[g] == mode_of_group(m, event, m->mode[from].combination, g);
        if (same) return i;
    }
    return -1;
}

static int changes(const struct model_event *event) {
    for (int k = 0; k < event->actions; k++)
        if (event->action[k].kind == SYNTAX_ASSIGN || event->action[k].kind == SYNTAX_SWITCH) return 1;
    return 0;
}

static int assignments(const struct model_event *event) {
    int count = 0;
    for (int k = 0; k < event->actions; k++) count += event->action[k].kind == SYNTAX_ASSIGN;
    return count;
}

/* The place of what is assigned among the states of the mode that follows; -1: it is none. */
static int place_in(const struct inside_mode *mode, expr target) {
    int place = formulation_find(&mode->formulation, target);
    return place < mode->formulation.n ? place : -1;
}

/* Is a rate of the symbol, or the rate of a rate, in an equation of the mode? */
static int has_rate(const struct system *y, expr symbol) {
    struct graph *g = &y->m->graph;
    const struct expr_node of = g->node[symbol];
    int found = 0;
    for (int i = 0; i < y->equations && !found; i++) {
        struct expr_list all;
        if (expr_symbols(g, 1, &y->equation[i], &all)) break;
        for (size_t k = 0; k < all.count; k++) {
            const struct expr_node n = g->node[all.item[k]];
            found |= n.a == of.a && n.b == of.b && n.c > of.c;
        }
        free(all.item);
    }
    return found;
}

/* What a state of the next mode was before: itself; or x for y', where only there x = y' and it is the rate
 * of x that the equations give.  Then x carries over, and y' follows it. */
static expr carried(const struct inside_mode *mode, const struct inside_mode *next, expr state) {
    const struct system *y = &next->system, *before = &mode->system;
    const struct expr_node n = y->m->graph.node[state];
    int j = n.a == EXPR_UNKNOWN && n.c > 0 && y->alias_of ? system_unknown(y, state) : -1;
    for (int k = j >= 0 ? y->alias_of[j] - 1 : -1; k >= 0; k = y->alias_next[k] - 1) {
        expr x = y->unknown[k];
        if (y->s.alias[k].order != (int)n.c || y->m->graph.node[x].a != EXPR_UNKNOWN) continue;
        const struct structure_value *was = before->s.alias ? &before->s.alias[k] : NULL;
        if (was && was->unknown == j && was->order == (int)n.c) continue;
        int place = formulation_find(&mode->formulation, state);
        int free_before = place >= 0 && place < mode->formulation.n;
        if (has_rate(y, x) && !(free_before && has_rate(y, state))) return x;
    }
    return state;
}

/* The unknowns of the mode that follows, then what is assigned; 1, or 0 with a message. */
static int prepare_action(struct keel_model *m, struct inside_mode *mode, struct inside_event *own) {
    const struct model_event *event = own->event;
    struct inside_mode *next = m->mode[own->to];
    int unknowns = next->formulation.n + next->formulation.m, count = unknowns, good = 1;
    int directions = m->model->directions;
    expr *target =
        pool_take(&m->pool, ((size_t)(unknowns + event->actions + directions) + 1) * sizeof *target);
    own->assigned = pool_take(&m->pool, ((size_t)event->actions + 1) * sizeof *own->assigned);
    own->stays = pool_take(&m->pool, (size_t)next->formulation.n + 1);
    if (m->pool.refused) return diagnostics_memory(&m->messages);
    for (int i = 0; i < unknowns; i++)
        target[i] = saltation_before(m, mode, own, carried(mode, next, next->formulation.basic[i]));
    for (int k = 0; k < event->actions; k++) {
        const struct model_action *action = &event->action[k];
        struct values one;
        own->assigned[k] = action->kind == SYNTAX_ASSIGN ? place_in(next, action->target) : -1;
        if (action->kind != SYNTAX_ASSIGN) continue;
        if (own->assigned[k] < 0) {
            good = diagnostics_not_assigned(&next->system, &m->messages, action->where, action->target,
                                            next != mode);
            continue;
        }
        own->stays[own->assigned[k]] = 1;
        int there = values_open(&one, &mode->formulation, 1, &action->value, 0);
        values_close(&one);
        if (!there)
            good = diagnostics_no_value(&mode->system, &m->messages, action->where, "the value assigned",
                                        mode->formulation.missing);
        target[count++] = action->value;
    }
    for (int k = 0; k < directions; k++) target[count++] = saltation_time(m, mode, own, k);
    if (!good) return 0;
    if (directions && !next->rates.count && !saltation_rates(m, next)) return 0;
    if (!next->jump.formulation && !jump_open(&next->jump, &next->formulation))
        return diagnostics_memory(&m->messages);
    if (!values_open(&own->after, &mode->formulation, count, target, 1))
        return diagnostics_memory(&m->messages);
    own->touched = touch_events(m, event, own->to);
    return own->touched || diagnostics_memory(&m->messages);
}

/* Value and size of terms of an event function and of its time derivatives. */
static int prepare_onset(struct keel_model *m, struct inside_mode *mode, struct inside_event *own) {
    struct graph *g = &m->model->graph;
    expr e = system_expression(&mode->system, own->event->value), target[2 * INSIDE_DERIVATIVES];
    for (int k = 0; k < INSIDE_DERIVATIVES; k++) {
        target[2 * k] = e;
        target[2 * k + 1] = e == EXPR_NONE ? e : derive_terms(g, e);
        e = derive_total(&mode->formulation.derive, e);
        if (e == EXPR_NONE) e = expr_constant(g, NAN);
    }
    return values_open(&own->onset, &mode->formulation, 2 * INSIDE_DERIVATIVES, target, 1) ||
           diagnostics_memory(&m->messages);
}

/* The periods and times of timed events as functions of the parameters. */
static int prepare_times(struct keel_model *m, const struct model_mode *from, struct tape *times) {
    struct graph *g = &m->model->graph;
    size_t parameters = (size_t)m->model->parameters;
    struct tape_input *input = pool_take(&m->pool, (parameters + 1) * sizeof *input);
    expr *value = pool_take(&m->pool, (size_t)from->timed * sizeof *value), missing;
    if (m->pool.refused) return diagnostics_memory(&m->messages);
    for (uint32_t i = 0; i < parameters; i++)
        input[i] = (struct tape_input){expr_symbol(g, EXPR_PARAMETER, i, 0), TAPE_PARAMETER, i};
    for (int k = 0; k < from->timed; k++) value[k] = from->event[from->events + k].value;
    return tape_build_straight(times, g, (size_t)from->timed, value, parameters, input, &missing) == 0 ||
           diagnostics_memory(&m->messages);
}

static int prepare_mode(struct keel_model *m, int number, const expr *held) {
    const struct model_mode *from = &m->model->mode[number];
    struct inside_mode *mode = m->mode[number];
    mode->event = pool_take(&m->pool, ((size_t)(from->events + from->timed) + 1) * sizeof *mode->event);
    if (!mode->event || !values_open(&mode->held, &mode->formulation, m->model->helds, held, 1))
        return diagnostics_memory(&m->messages);
    for (int k = 0; k < from->events + from->timed; k++)
        mode->event[k] = (struct inside_event){.event = &from->event[k],
                                               .to = mode_after(m->model, &from->event[k], number),
                                               .changes = changes(&from->event[k])};
    for (int k = from->events + 1; k < from->events + from->timed; k++)
        mode->event[k].sample = mode->event[k - 1].sample + assignments(&from->event[k - 1]);
    return from->timed == 0 || prepare_times(m, from, &mode->times);
}

/* What was taken when a mode began. */
static const expr *held_values(struct keel_model *m) {
    expr *held = pool_take(&m->pool, ((size_t)m->model->helds + 1) * sizeof *held);
    for (int k = 0; k < m->model->helds && held; k++) held[k] = m->model->held[k].of;
    return held;
}

static int prepare_onsets(struct keel_model *m, int i) {
    int good = 1;
    for (int k = 0; k < m->model->mode[i].events && good; k++)
        good = prepare_onset(m, m->mode[i], &m->mode[i]->event[k]);
    return good;
}

int prepare_run(struct keel_model *m) {
    struct model *model = m->model;
    const expr *held = held_values(m);
    if (!held) return diagnostics_memory(&m->messages);
    for (int i = 0; i < m->modes; i++)
        if (!prepare_mode(m, i, held)) return 0;
    int good = 1; /* the mistakes of all events are told */
    for (int i = 0; i < m->modes; i++)
        for (int k = 0; k < model->mode[i].events + model->mode[i].timed; k++) {
            struct inside_event *own = &m->mode[i]->event[k];
            if (own->changes && own->to >= 0) good &= prepare_action(m, m->mode[i], own);
        }
    for (int i = 0; i < m->modes && good && !m->without_start; i++) good = prepare_onsets(m, i);
    return good;
}

int prepare_last(struct keel_model *m) {
    const struct model *model = m->model;
    const expr *held = held_values(m);
    int last = m->modes - 1, good = 1;
    if (!held) return diagnostics_memory(&m->messages);
    if (!prepare_mode(m, last, held)) return 0;
    for (int i = 0; i < m->modes; i++)
        for (int k = 0; k < model->mode[i].events + model->mode[i].timed; k++) {
            struct inside_event *own = &m->mode[i]->event[k];
            int known = i < last && own->to >= 0;
            if (!known) own->to = mode_after(model, own->event, i);
            if (!known && own->changes && own->to >= 0) good &= prepare_action(m, m->mode[i], own);
        }
    return good && prepare_onsets(m, last);
}

void prepare_release(struct keel_model *m) {
    for (int i = 0; i < m->modes; i++) {
        struct inside_mode *mode = m->mode[i];
        values_close(&mode->held);
        values_close(&mode->rates);
        jump_close(&mode->jump);
        tape_free(&mode->times);
        for (int k = 0; k < m->model->mode[i].events + m->model->mode[i].timed && mode->event; k++) {
            values_close(&mode->event[k].after);
            values_close(&mode->event[k].onset);
        }
    }
}
