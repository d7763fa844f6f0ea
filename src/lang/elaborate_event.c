/* elaborate_event.c - events and their actions. */
#include "lang/elaborate_private.h"

#include "base/text.h"

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

static int switch_mode(struct elaborate *e, const struct syntax_item *item, int *mode) {
    const struct model *m = e->model;
    const char *near = NULL;
    int least = (int)strlen(item->name) / 4 + 2;
    for (*mode = 0; *mode < m->modes; ++*mode) {
        const char *name = m->mode[*mode].name;
        if (!name) break;
        if (strcmp(name, item->name) == 0) return 1;
        if (text_distance(name, item->name) >= least) continue;
        near = name;
        least = text_distance(name, item->name);
    }
    struct source_message *one = elaborate_error(e, item->span, "there is no mode `%.40s`.", item->name);
    if (near) source_hint(one, "Did you mean `%.40s`?", near);
    else source_hint(one, "Write  mode %.40s:  with its equations below.", item->name);
    return 0;
}

static int actions(struct elaborate *e, const struct elaborate_line *line, struct model_event *event) {
    int capacity = 0, mode = -1, switches = 0;
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        if (item->action == SYNTAX_ASSIGN) {
            if (!assign(e, line, item, event, &capacity)) return 0;
            continue;
        }
        if (item->action == SYNTAX_SWITCH && !switch_mode(e, item, &mode)) return 0;
        if (item->action == SYNTAX_SWITCH && switches++) {
            elaborate_error(e, item->span, "an event goes to one mode only.");
            return 0;
        }
        if (!elaborate_grow(e, &event->action, event->actions, &capacity, sizeof *event->action)) return 0;
        event->action[event->actions++] = (struct model_action){
            .kind = item->action, .mode = item->action == SYNTAX_SWITCH ? mode : -1, .where = item->span};
    }
    return 1;
}

void elaborate_event(struct elaborate *e, const struct elaborate_line *line) {
    struct model_mode *mode = &e->model->mode[e->mode];
    const struct syntax_statement *s = line->s;
    struct model_event event = {.direction = s->direction, .common = line->mode < 0, .where = s->name_span};
    struct model_shape given;
    if (!elaborate_bounds(e, s->bounds, line->frame, &given)) return;
    elaborate_label(e, s->name, given.rank, given.low, &event.label);
    int good = elaborate_one(e, s->left, line->frame, "what an event watches", &event.value);
    if (!actions(e, line, &event) || !good || !event.label.text) return;
    double value;
    if (expr_is_constant(e->graph, event.value, &value)) {
        elaborate_error(e, s->left->span, "this event watches a constant, %g: it can never happen.", value);
        return;
    }
    if (!expr_spend(e->graph, EXPR_COST_VISIT * (double)mode->events)) {
        elaborate_stop(e);
        return;
    }
    for (int i = 0; i < mode->events; i++)
        if (strcmp(mode->event[i].label.text, event.label.text) == 0) {
            source_hint(elaborate_error(e, s->name_span,
                                        "the event `%.60s` is given twice, first in line %d.",
                                        event.label.text, elaborate_line_of(e, mode->event[i].where)),
                        "Give one of them another name.");
            return;
        }
    if (!elaborate_grow(e, &mode->event, mode->events, &mode->event_capacity, sizeof *mode->event)) return;
    mode->event[mode->events++] = event;
}
