/* elaborate_event.c - events and their actions. */
#include "lang/elaborate_private.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* x := value, for each element. */
static int assign(struct elaborate *e, const struct elaborate_line *line, const struct syntax_item *item,
                  struct model_event *event, int *capacity) {
    struct elaborate_value target, v;
    if (!elaborate_reference(e, item->target, line->frame, &target)) return 0;
    if (!elaborate_node(e, item->value, line->frame, &v)) return 0;
    if (v.shape.rank && !elaborate_same_extent(&v.shape, &target.shape)) {
        elaborate_error(e, item->value->span, "the value has another shape than what it is assigned to.");
        return 0;
    }
    for (long i = 0; i < elaborate_count(&target); i++) {
        expr symbol = elaborate_at(&target, i);
        const struct expr_node n = e->graph->node[symbol];
        if (n.op != EXPR_SYMBOL || n.a != EXPR_UNKNOWN || item->target->moment != SYNTAX_NOW) {
            source_hint(elaborate_error(e, item->target->span,
                                        "only an unknown or its derivative can be assigned to."),
                        "A quantity that jumps is a `var` with  k' = 0.");
            return 0;
        }
        for (int k = 0; k < event->actions; k++)
            if (event->action[k].kind == SYNTAX_ASSIGN && event->action[k].target == symbol) {
                elaborate_error(e, item->target->span, "`%.40s` is assigned to twice in this event.",
                                item->target->text);
                return 0;
            }
        if (!elaborate_grow(e, &event->action, event->actions, capacity, sizeof *event->action)) return 0;
        event->action[event->actions++] =
            (struct model_action){SYNTAX_ASSIGN, symbol, elaborate_at(&v, i), -1, item->span};
    }
    return 1;
}

/* One mode of each group at most. */
static int switch_mode(struct elaborate *e, const struct elaborate_line *line, const struct syntax_item *item,
                       const struct model_event *event, int *mode) {
    const struct model *m = e->model;
    *mode = elaborate_named_mode(e, item->target, line->frame);
    if (*mode < 0) return 0;
    for (int k = 0; k < event->actions; k++) {
        const struct model_action *other = &event->action[k];
        if (other->kind != SYNTAX_SWITCH || m->block[other->mode].group != m->block[*mode].group) continue;
        elaborate_error(e, item->span, "an event goes to one mode only%s.",
                        m->groups > 1 ? " of a group" : "");
        return 0;
    }
    return 1;
}

static int actions(struct elaborate *e, const struct elaborate_line *line, struct model_event *event) {
    int capacity = 0, mode = -1;
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        if (item->action == SYNTAX_ASSIGN) {
            if (!assign(e, line, item, event, &capacity)) return 0;
            continue;
        }
        if (item->action == SYNTAX_SWITCH && !switch_mode(e, line, item, event, &mode)) return 0;
        if (!elaborate_grow(e, &event->action, event->actions, &capacity, sizeof *event->action)) return 0;
        event->action[event->actions++] = (struct model_action){
            .kind = item->action, .mode = item->action == SYNTAX_SWITCH ? mode : -1, .where = item->span};
    }
    return 1;
}

/* What the event watches. */
static int watched(struct elaborate *e, const struct elaborate_line *line, expr *out) {
    const struct syntax_node *node = line->s->left;
    double value;
    if (!elaborate_one(e, node, line->frame, "what an event watches", out)) return 0;
    if (!expr_is_constant(e->graph, *out, &value)) return 1;
    elaborate_error(e, node->span, "this event watches a constant, %g: it can never happen.", value);
    return 0;
}

/* A period or a time: a number of parameters alone. */
static int timed(struct elaborate *e, const struct elaborate_line *line, expr *out) {
    int every = line->s->direction == SYNTAX_EVERY;
    const struct syntax_node *node = line->s->left;
    const char *what = every ? "the period of an event" : "the time of an event";
    char name[120];
    expr other;
    if (!elaborate_one(e, node, line->frame, what, out)) return 0;
    if (!elaborate_is_constant(e, *out, 0, &other)) {
        model_name(e->model, other, name, sizeof name);
        source_hint(elaborate_error(e, node->span, "%s is fixed, and this depends on `%s`.", what, name),
                    "When an expression goes through zero is  event NAME: expr rising -> actions.");
        return 0;
    }
    double number = elaborate_number(e, *out);
    if (isfinite(number) && (!every || number > 0)) return 1;
    elaborate_error(e, node->span,
                    every ? "%s is positive, and this is %g." : "%s is a number, and this is %g.", what,
                    number);
    return 0;
}

static void add_event(struct elaborate *e, const struct elaborate_line *line) {
    struct model_mode *mode = &e->model->mode[e->mode];
    const struct syntax_statement *s = line->s;
    struct model_event event = {.direction = s->direction, .common = line->mode < 0, .where = s->name_span};
    struct model_shape given;
    int count = mode->events + mode->timed, by_time = s->direction >= SYNTAX_EVERY;
    if (!elaborate_bounds(e, s->bounds, line->frame, &given)) return;
    elaborate_label(e, s->name, given.rank, given.low, &event.label);
    int good = by_time ? timed(e, line, &event.value) : watched(e, line, &event.value);
    if (!actions(e, line, &event) || !good || !event.label.text) return;
    if (!expr_spend(e->graph, EXPR_COST_VISIT * (double)count)) {
        elaborate_stop(e);
        return;
    }
    for (int i = 0; i < count; i++)
        if (strcmp(mode->event[i].label.text, event.label.text) == 0) {
            source_hint(elaborate_error(e, s->name_span, "the event `%.60s` is given twice, first in %s.",
                                        event.label.text, elaborate_line_of(e, mode->event[i].where)),
                        "Give one of them another name.");
            return;
        }
    if (!elaborate_grow(e, &mode->event, count, &mode->event_capacity, sizeof *mode->event)) return;
    mode->event[count] = event;
    if (by_time) mode->timed++;
    else mode->events++;
}

void elaborate_event(struct elaborate *e, const struct elaborate_line *line) {
    if (line->s->direction < SYNTAX_EVERY) add_event(e, line);
}

void elaborate_timed_event(struct elaborate *e, const struct elaborate_line *line) {
    if (line->s->direction >= SYNTAX_EVERY) add_event(e, line);
}
