/* elaborate_memory.c - a `var` beside contacts: the current of a motor, the memory of a controller.
 *
 * Contacts act on M q'' = F. A variable u with u' = r is there the velocity of a coordinate of its own,
 * of mass 1 and driven by r: the same equation, in the form that contacts have. Nothing else has that
 * coordinate, the integral of u, in it, so that impacts and pushes leave u alone; it begins at 0, and
 * nobody is shown it. The energy is T2 - L0 of the lagrangian as it was written, which is without it. */
#include "lang/elaborate_private.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>

static int has_line(const struct elaborate *e, enum syntax_statement_kind kind) {
    for (int i = 0; i < e->lines; i++)
        if (e->line[i].s->kind == kind) return 1;
    return 0;
}

static int is_memory(const struct elaborate *e, expr symbol) {
    const struct expr_node n = e->graph->node[symbol];
    return n.op == EXPR_SYMBOL && n.a == EXPR_UNKNOWN && e->model->unknown[n.b].role == MODEL_MEMORY;
}

/* The name stands for the velocity. */
static void raise(struct elaborate *e, struct elaborate_name *name) {
    for (long i = 0; i < elaborate_count(&name->symbols); i++) {
        uint32_t number = e->graph->node[elaborate_at(&name->symbols, i)].b;
        expr velocity = expr_symbol(e->graph, EXPR_UNKNOWN, number, 1);
        e->model->unknown[number].role = MODEL_MEMORY;
        e->model->memories++;
        if (name->symbols.shape.rank) name->symbols.element[i] = velocity;
        else name->symbols.one = velocity;
    }
    name->role = MODEL_MEMORY;
}

void elaborate_memories(struct elaborate *e) {
    int suits = has_line(e, SYNTAX_CONTACT) && has_line(e, SYNTAX_LAGRANGIAN) && e->model->blocks == 0;
    for (int i = 0; i < e->lines && suits && !e->stopped; i++) {
        const struct syntax_statement *s = e->line[i].s;
        if (s->kind != SYNTAX_VAR) continue;
        for (const struct syntax_item *item = s->items; item; item = item->next) {
            struct elaborate_name *name = elaborate_find(e, item->name);
            if (name && name->item == item && name->role == MODEL_VAR && name->state == ELABORATE_READY)
                raise(e, name);
        }
    }
}

expr elaborate_of_memories(struct elaborate *e) {
    struct graph *g = e->graph;
    expr sum = EXPR_NONE;
    for (int i = 0; i < e->model->unknowns; i++) {
        if (e->model->unknown[i].role != MODEL_MEMORY) continue;
        expr v = expr_symbol(g, EXPR_UNKNOWN, (uint32_t)i, 1);
        expr half = expr_make(g, EXPR_MUL, expr_constant(g, 0.5), expr_make(g, EXPR_MUL, v, v, 0), 0);
        sum = sum == EXPR_NONE ? half : expr_make(g, EXPR_ADD, sum, half, 0);
    }
    return sum;
}

/* The first symbol of e that is a variable of this kind, of this order or above; EXPR_NONE: there is none. */
static expr first_of(struct elaborate *e, expr value, uint32_t order, int any_unknown, expr but) {
    struct expr_list list;
    expr found = EXPR_NONE;
    if (expr_symbols(e->graph, 1, &value, &list)) {
        elaborate_out_of_memory(e);
        return EXPR_NONE;
    }
    for (size_t i = 0; i < list.count && found == EXPR_NONE; i++) {
        const struct expr_node n = e->graph->node[list.item[i]];
        int counts = any_unknown ? n.a == EXPR_UNKNOWN : is_memory(e, list.item[i]);
        if (counts && n.c >= order && list.item[i] != but) found = list.item[i];
    }
    free(list.item);
    return found;
}

int elaborate_memory_free(struct elaborate *e, struct syntax_span where, expr function) {
    char name[120];
    expr symbol = e->model->memories ? first_of(e, function, 0, 0, EXPR_NONE) : EXPR_NONE;
    if (symbol == EXPR_NONE) return 1;
    model_name(e->model, symbol, name, sizeof name);
    source_hint(
        elaborate_error(e, where,
                        "the lagrangian of a model with contacts is of coordinates alone, and this one "
                        "has `%s`.",
                        name),
        "Write what it does to a coordinate q as  force q: ...");
    return 0;
}

/* r of u' = r, however it is written; EXPR_NONE after a message. */
static expr rate_of(struct elaborate *e, struct syntax_span where, expr value, expr top) {
    struct graph *g = e->graph;
    const struct expr_node n = g->node[value];
    char name[120], other[120];
    expr rate = EXPR_NONE, zero = derive_zero(g), rest;
    if (n.op == EXPR_SUB && n.a == top) rate = n.b;
    else if (derive_degree(g, value, 1, &top) == 1) {
        expr slope = derive_partial(&e->derive, value, top);
        if (slope == EXPR_NONE || expr_substitute(g, 1, &value, 1, &top, &zero, &rest))
            return elaborate_out_of_memory(e), EXPR_NONE;
        rate = derive_div(g, derive_sub(g, zero, rest), slope);
    }
    expr high = rate == EXPR_NONE ? top : first_of(e, rate, 2, 1, EXPR_NONE);
    if (high == EXPR_NONE) return rate;
    model_name(e->model, top, name, sizeof name);
    model_name(e->model, high, other, sizeof other);
    source_hint(
        elaborate_error(e, where,
                        "beside contacts the rate `%s` is one of t, positions, velocities and variables, "
                        "and this one has `%s`.",
                        name, other),
        "Solve the equation for `%s`.", name);
    return EXPR_NONE;
}

int elaborate_memory_rate(struct elaborate *e, const struct elaborate_line *line, expr value, expr *target,
                          expr *rate) {
    const struct model_mode *mode = &e->model->mode[e->mode];
    char name[120];
    *target = EXPR_NONE;
    if (!e->model->memories) return 1;
    expr top = first_of(e, value, 2, 0, EXPR_NONE), any = first_of(e, value, 0, 0, EXPR_NONE);
    if (any == EXPR_NONE) return 1; /* it is about something else */
    expr above = first_of(e, value, 3, 0, EXPR_NONE);
    if (above != EXPR_NONE) {
        model_name(e->model, above, name, sizeof name);
        source_hint(elaborate_error(e, line->s->left->span,
                                    "beside contacts a `var` has one equation, for its rate, and this one "
                                    "has `%s`.",
                                    name),
                    "Let the rate be a variable of its own:  var v,  u' = v,  v' = ...");
        return 0;
    }
    if (top == EXPR_NONE) {
        model_name(e->model, any, name, sizeof name);
        source_hint(
            elaborate_error(e, line->s->left->span,
                            "beside contacts a `var` has one equation, for its rate, and this one has "
                            "none."),
            "Write  %s' = ...,  or  let  for what follows from others.", name);
        return 0;
    }
    uint32_t number = e->graph->node[top].b;
    if (mode->force && mode->force[number] != EXPR_NONE) {
        model_name(e->model, top, name, sizeof name);
        elaborate_error(e, line->s->left->span, "`%s` is given twice.", name);
        return 0;
    }
    *rate = rate_of(e, line->s->left->span, value, top);
    *target = expr_symbol(e->graph, EXPR_UNKNOWN, number, 0);
    return *rate != EXPR_NONE;
}

void elaborate_memories_begin(struct elaborate *e) {
    const struct model *m = e->model;
    const struct model_mode *mode = &m->mode[m->start];
    for (int i = 0; i < m->unknowns && !e->messages->errors; i++) {
        if (m->unknown[i].role != MODEL_MEMORY) continue;
        if (!mode->force || mode->force[i] == EXPR_NONE)
            source_hint(
                elaborate_error(e, m->unknown[i].where, "`%s` has no equation.", m->unknown[i].label.text),
                "Write  %s' = ...,  or  let  for what follows from others.", m->unknown[i].label.text);
        else elaborate_begin_at(e, expr_symbol(e->graph, EXPR_UNKNOWN, (uint32_t)i, 0), m->unknown[i].where);
    }
}
