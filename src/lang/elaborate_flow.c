/* elaborate_flow.c - nodes: what flows out of one through all that is joined to it adds up to zero.
 *
 * One unknown a node, its potential NAME.v, and one equation, its balance. */
#include "lang/elaborate_private.h"

#include <string.h>

/* Into a node whose potential is given anything may flow: it has no balance. */
static int is_given(const struct elaborate *e, expr target) {
    const struct expr_node n = e->graph->node[target];
    return n.op != EXPR_SYMBOL || n.a != EXPR_UNKNOWN;
}

/* One more part that is joined to a node, for messages: no more names than a sentence has room for. */
static int join(struct elaborate *e, const char **joined) {
    enum { MOST = 60 };
    size_t length = *joined ? strlen(*joined) : 0;
    if (!e->use || (length > 2 && strcmp(*joined + length - 2, "..") == 0)) return 1;
    int full = length + strlen(e->use->instance) > MOST;
    const char *head = length ? elaborate_text(e, *joined, ", ") : "";
    *joined = head ? elaborate_text(e, head, full ? ".." : e->use->instance) : NULL;
    return *joined != NULL;
}

static int add(struct elaborate *e, expr target, expr value) {
    struct model_mode *mode = &e->model->mode[e->mode];
    size_t unknowns = (size_t)e->model->unknowns + 1;
    if (is_given(e, target)) return 1;
    if (!mode->flow) mode->flow = elaborate_take(e, unknowns * sizeof *mode->flow);
    if (!mode->joined) mode->joined = elaborate_take(e, unknowns * sizeof *mode->joined);
    if (!mode->flow || !mode->joined) return 0;
    uint32_t node = e->graph->node[target].b;
    if (!join(e, &mode->joined[node])) return 0;
    expr *sum = &mode->flow[node];
    *sum = *sum == EXPR_NONE ? value : expr_make(e->graph, EXPR_ADD, *sum, value, 0);
    return *sum != EXPR_NONE || elaborate_out_of_memory(e);
}

void elaborate_flow(struct elaborate *e, const struct elaborate_line *line) {
    const struct syntax_item *item = line->s->items;
    struct elaborate_value target, v;
    if (!elaborate_reference(e, item->target, line->frame, &target)) return;
    if (!elaborate_node(e, item->value, line->frame, &v)) return;
    if (v.shape.rank && !elaborate_same_extent(&v.shape, &target.shape)) {
        elaborate_error(e, item->value->span, "the flow has another shape than the nodes it comes from.");
        return;
    }
    for (long i = 0; i < elaborate_count(&target); i++)
        if (!add(e, elaborate_at(&target, i), elaborate_at(&v, i))) return;
}

void elaborate_balance(struct elaborate *e, const struct elaborate_line *line) {
    const struct model_mode *mode = &e->model->mode[e->mode];
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        const struct elaborate_name *name = elaborate_find(e, item->name);
        if (!name || name->kind != ELABORATE_UNKNOWN || name->state != ELABORATE_READY) continue;
        for (long i = 0; i < elaborate_count(&name->symbols); i++) {
            const uint32_t number = e->graph->node[elaborate_at(&name->symbols, i)].b;
            expr sum = mode->flow ? mode->flow[number] : EXPR_NONE;
            if (sum == EXPR_NONE) {
                source_hint(elaborate_error(e, item->name_span, "nothing is joined to the node of `%.60s`.",
                                            e->model->unknown[number].label.text),
                            "Join a part to it, or remove it.");
                return;
            }
            const char *place = elaborate_text(e, "at ", e->model->unknown[number].label.text);
            struct model_row *row =
                place ? elaborate_add_equation(e, sum, place, item->span, line->mode < 0) : NULL;
            if (!row) return;
            row->parts = mode->joined[number];
        }
    }
}
