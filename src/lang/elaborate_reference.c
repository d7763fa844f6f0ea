/* elaborate_reference.c - what a name in an expression stands for: t, pi, energy, loop indices, arguments,
 * parameters, unknowns, lets, multipliers; its indices, primes, and x.enter, x.start. */
#include "lang/elaborate_private.h"

#include <stdlib.h>
#include <string.h>

int elaborate_indices(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                      int *index) {
    int count = 0;
    if (ref->count > SYNTAX_INDICES) {
        elaborate_error(e, ref->span, "more than %d indices.", SYNTAX_INDICES);
        return 0;
    }
    for (const struct syntax_node *p = ref->parts; p; p = p->next, count++) {
        long value;
        if (!elaborate_integer(e, p, frame, "an index", &value)) return 0;
        index[count] = (int)value;
    }
    return 1;
}

static void outside(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                    const char *prefix, const struct model_shape *shape, int count, const int *index,
                    struct syntax_span where) {
    struct model_label label;
    char text[80];
    const char *line = elaborate_line_of(e, where);
    struct source_message *one;
    elaborate_label(e, ref->text, count, index, &label);
    elaborate_shape_text(shape, text, sizeof text);
    if (shape->rank == 0) {
        one = elaborate_error(e, ref->span, "`%s%.40s` is a number and has no indices (%s).", prefix,
                              ref->text, line);
    } else if (count > shape->rank)
        one = elaborate_error(e, ref->span, "`%s%.40s` has %d ind%s, not %d: it is %s%s (%s).", prefix,
                              ref->text, shape->rank, shape->rank == 1 ? "ex" : "ices", count, ref->text,
                              text, line);
    else
        one = elaborate_error(e, ref->span, "%s%s does not exist: %s is %s%s (%s).", prefix,
                              label.text ? label.text : ref->text, ref->text, ref->text, text, line);
    elaborate_error_loops(e, one, frame);
}

/* The part of a value, declared at `where`, that the indices of ref choose. */
static int choose(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                  const struct elaborate_value *v, struct syntax_span where, struct elaborate_value *out) {
    int index[SYNTAX_INDICES] = {0};
    long place;
    if (!elaborate_indices(e, ref, frame, index)) return 0;
    if (ref->count > v->shape.rank || !elaborate_place(&v->shape, ref->count, index, &place)) {
        outside(e, ref, frame, "", &v->shape, ref->count, index, where);
        return 0;
    }
    return elaborate_index(e, v, ref->count, index, out);
}

/* Multipliers and other labelled lists --------------------------------------------------------------- */

static const struct model_label *label_at(const struct model_label *label, size_t stride, int i) {
    return (const struct model_label *)(const void *)((const char *)label + (size_t)i * stride);
}

static int starts_with(const struct model_label *label, const char *base, int count, const int *index) {
    if (label->rank < count || strcmp(label->base, base) != 0) return 0;
    for (int i = 0; i < count; i++)
        if (label->index[i] != index[i]) return 0;
    return 1;
}

/* The box around the labels that start so; 0: there is none. */
static int box_of(const char *base, int count, const int *index, const struct model_label *label, int labels,
                  size_t stride, struct model_shape *box) {
    int seen = 0;
    for (int i = 0; i < labels; i++) {
        const struct model_label *one = label_at(label, stride, i);
        if (!starts_with(one, base, count, index)) continue;
        if (!seen++) box->rank = one->rank - count;
        for (int k = 0; k < box->rank; k++) {
            int at = one->index[count + k];
            if (seen == 1 || at < box->low[k]) box->low[k] = at;
            if (seen == 1 || at > box->high[k]) box->high[k] = at;
        }
    }
    return seen;
}

int elaborate_gather(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                     const char *what, const struct model_label *label, int count, size_t stride,
                     struct model_shape *shape, int **found) {
    int index[SYNTAX_INDICES] = {0};
    *shape = (struct model_shape){0};
    if (!elaborate_indices(e, ref, frame, index)) return 0;
    if (!box_of(ref->text, ref->count, index, label, count, stride, shape)) {
        if (box_of(ref->text, 0, index, label, count, stride, shape))
            outside(e, ref, frame, ref->multiplier ? "lambda." : "", shape, ref->count, index, ref->span);
        else elaborate_unknown_label(e, ref, what, label, count, stride);
        return 0;
    }
    long size = model_size(shape);
    if (size < 0 || size > ELABORATE_ELEMENTS) return elaborate_out_of_memory(e);
    *found = elaborate_take(e, (size_t)size * sizeof **found + 1);
    if (!*found) return 0;
    for (long i = 0; i < size; i++) (*found)[i] = -1;
    for (int i = 0; i < count; i++) {
        const struct model_label *one = label_at(label, stride, i);
        long place;
        if (starts_with(one, ref->text, ref->count, index) &&
            elaborate_place(shape, shape->rank, one->index + ref->count, &place))
            (*found)[place] = i;
    }
    for (long i = 0; i < size; i++) {
        if ((*found)[i] >= 0) continue;
        elaborate_error(e, ref->span, "not all elements of `%.40s` exist.", ref->text);
        return 0;
    }
    return 1;
}

static int multiplier(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                      struct elaborate_value *out) {
    struct model *m = e->model;
    struct model_shape shape;
    int *found = NULL;
    if (!e->multipliers_known) {
        elaborate_error(e, ref->span, "a constraint cannot depend on a multiplier.");
        return 0;
    }
    if (!elaborate_gather(e, ref, frame, "constraint", m->multiplier ? &m->multiplier->label : NULL,
                          m->multipliers, sizeof *m->multiplier, &shape, &found))
        return 0;
    if (!elaborate_new(e, &shape, out)) return elaborate_out_of_memory(e);
    if (!shape.rank) out->one = model_multiplier_symbol(m, found[0]);
    for (long i = 0; shape.rank && i < model_size(&shape); i++)
        out->element[i] = model_multiplier_symbol(m, found[i]);
    return elaborate_prime(e, ref->span, out, ref->primes);
}

/* Values held ---------------------------------------------------------------------------------------- */

static expr held(struct elaborate *e, expr symbol, enum syntax_moment moment) {
    struct model *m = e->model;
    int group = moment == SYNTAX_ENTER ? e->group : -1;
    for (int i = 0; i < m->helds; i++)
        if (m->held[i].of == symbol && m->held[i].moment == moment && m->held[i].group == group)
            return expr_symbol(e->graph, EXPR_HELD, (uint32_t)i, 0);
    if (!elaborate_grow(e, &m->held, m->helds, &m->held_capacity, sizeof *m->held)) return EXPR_NONE;
    m->held[m->helds] = (struct model_held){symbol, moment, group};
    return expr_symbol(e->graph, EXPR_HELD, (uint32_t)m->helds++, 0);
}

/* An expression with every symbol that moves replaced by its value at that moment. */
static expr hold(struct elaborate *e, expr value, enum syntax_moment moment) {
    struct expr_list list;
    expr out = EXPR_NONE;
    if (expr_symbols(e->graph, 1, &value, &list)) return EXPR_NONE;
    expr *to = elaborate_take(e, (list.count + 1) * sizeof *to);
    for (size_t i = 0; to && i < list.count; i++) {
        const struct expr_node n = e->graph->node[list.item[i]];
        int force = n.a == EXPR_HELD && e->model->held[n.b].moment == SYNTAX_NOW;
        int rests = n.a == EXPR_PARAMETER || (n.a == EXPR_HELD && !force);
        to[i] = rests ? list.item[i] : held(e, list.item[i], moment);
    }
    if (!to || expr_substitute(e->graph, 1, &value, list.count, list.item, to, &out)) out = EXPR_NONE;
    free(list.item);
    return out;
}

static int hold_all(struct elaborate *e, struct elaborate_value *v, enum syntax_moment moment) {
    struct elaborate_value out;
    if (!elaborate_new(e, &v->shape, &out)) return elaborate_out_of_memory(e);
    if (!v->shape.rank) out.one = hold(e, v->one, moment);
    for (long i = 0; v->shape.rank && i < elaborate_count(v); i++)
        out.element[i] = hold(e, v->element[i], moment);
    *v = out;
    return !e->graph->failed || elaborate_out_of_memory(e);
}

/* Names ---------------------------------------------------------------------------------------------- */

static int no_derivative(struct elaborate *e, const struct syntax_node *ref, const char *what,
                         const char *line) {
    if (line)
        source_hint(elaborate_error(e, ref->span, "`%.40s'`: `%.40s` is %s (%s) and does not change in time.",
                                    ref->text, ref->text, what, line),
                    "An unknown is declared with  var %.40s.", ref->text);
    else elaborate_error(e, ref->span, "`%.40s'`: `%.40s` is %s.", ref->text, ref->text, what);
    return 0;
}

static int declared(struct elaborate *e, struct elaborate_name *name, const struct syntax_node *ref,
                    const struct elaborate_frame *frame, struct elaborate_value *out) {
    int index[SYNTAX_INDICES] = {0};
    switch (name->kind) {
    case ELABORATE_FUNCTION:
    case ELABORATE_TABLE:
        source_hint(elaborate_error(e, ref->span, "`%.40s` is a %s (%s).", ref->text,
                                    name->kind == ELABORATE_TABLE ? "table" : "function",
                                    elaborate_line_of(e, name->where)),
                    "Write its arguments: %.40s(x).", ref->text);
        return 0;
    case ELABORATE_UNKNOWN:
        if (name->state == ELABORATE_READY) return choose(e, ref, frame, &name->symbols, name->where, out);
        if (name->state == ELABORATE_NEW)
            elaborate_error(e, ref->span,
                            "`%.40s` is an unknown (%s), and this must be known before the run.", ref->text,
                            elaborate_line_of(e, name->where));
        return 0;
    case ELABORATE_PARAMETER:
        if (ref->primes) return no_derivative(e, ref, "a parameter", elaborate_line_of(e, name->where));
        break;
    case ELABORATE_LET:
        break;
    }
    return elaborate_indices(e, ref, frame, index) &&
           elaborate_let(e, name, ref, frame, ref->count, index, out);
}

/* t, pi and energy: 1, 0, or -1 for other names. */
static int reserved(struct elaborate *e, const struct syntax_node *ref, struct elaborate_value *out) {
    int t = strcmp(ref->text, "t") == 0, pi = strcmp(ref->text, "pi") == 0;
    if (!t && !pi && strcmp(ref->text, "energy") != 0) return -1;
    if (ref->parts) {
        elaborate_error(e, ref->span, "`%s` is a number and has no indices.", ref->text);
        return 0;
    }
    if (t && ref->primes) return no_derivative(e, ref, "the time, its rate is 1", NULL);
    if (pi && ref->primes) return no_derivative(e, ref, "a number", NULL);
    if (t) out->one = expr_symbol(e->graph, EXPR_TIME, 0, 0);
    else if (pi) out->one = expr_constant(e->graph, 3.14159265358979323846);
    else out->one = elaborate_energy(e, ref->span);
    return out->one != EXPR_NONE;
}

static const struct elaborate_frame *local(const char *text, const struct elaborate_frame *frame) {
    while (frame && strcmp(frame->name, text) != 0) frame = frame->up;
    return frame;
}

int elaborate_reference(struct elaborate *e, const struct syntax_node *ref,
                        const struct elaborate_frame *frame, struct elaborate_value *out) {
    const struct elaborate_frame *inner = local(ref->text, frame);
    struct elaborate_name *name;
    int good;
    *out = (struct elaborate_value){0};
    if (ref->multiplier) {
        if (!multiplier(e, ref, frame, out)) return 0;
    } else if (inner) {
        if (inner->range && ref->primes) return no_derivative(e, ref, "a loop index", NULL);
        if (!choose(e, ref, frame, &inner->value, ref->span, out)) return 0;
        if (!elaborate_prime(e, ref->span, out, ref->primes)) return 0;
    } else if ((good = reserved(e, ref, out)) >= 0) {
        if (!good || !elaborate_prime(e, ref->span, out, ref->primes)) return 0;
    } else if ((name = elaborate_find(e, ref->text)) != NULL) {
        if (!declared(e, name, ref, frame, out) || !elaborate_prime(e, ref->span, out, ref->primes)) return 0;
    } else {
        elaborate_unknown(e, ref, frame);
        return 0;
    }
    if (ref->moment == SYNTAX_NOW) return 1;
    if (ref->moment == SYNTAX_ENTER && e->group < 0 && e->model->groups > 1) {
        source_hint(elaborate_error(e, ref->span,
                                    "there are several groups of modes, and `.enter` outside of them says "
                                    "not which one is entered."),
                    "Write the line into the modes of one group, or let an event assign the value.");
        return 0;
    }
    return hold_all(e, out, ref->moment);
}
