/* model.c - names of symbols, values of expressions of parameters, and the end of a model. */
#include "lang/model.h"

#include "base/text.h"
#include "lang/elaborate_private.h"
#include "symbolic/expr_print.h"
#include "symbolic/table.h"
#include "lang/syntax_find.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

expr model_multiplier_symbol(struct model *m, int k) {
    int force = m->multiplier[k].force;
    return force ? expr_symbol(&m->graph, EXPR_HELD, (uint32_t)(force - 1), 0)
                 : expr_symbol(&m->graph, EXPR_MULTIPLIER, (uint32_t)k, 0);
}

void model_name(const struct model *m, expr symbol, char *out, size_t capacity) {
    static const char *const moment[] = {"", ".enter", ".start"};
    const struct expr_node n = m->graph.node[symbol];
    uint32_t primes = n.c;
    text_set(out, capacity, "%s", "?");
    if (n.op != EXPR_SYMBOL) return;
    switch ((enum expr_kind)n.a) {
    case EXPR_TIME:
        text_set(out, capacity, "t");
        break;
    case EXPR_PARAMETER:
        text_set(out, capacity, "%s", m->parameter[n.b].label.text);
        break;
    case EXPR_UNKNOWN:
        text_set(out, capacity, "%s%s",
                 m->unknown[n.b].role == MODEL_MEMORY && n.c == 0 ? "integral of " : "",
                 m->unknown[n.b].label.text);
        primes -= m->unknown[n.b].role == MODEL_MEMORY && n.c > 0;
        break;
    case EXPR_MULTIPLIER:
        text_set(out, capacity, "lambda.%s", m->multiplier[n.b].label.text);
        break;
    case EXPR_HELD:
        if (n.b >= (uint32_t)m->helds) break;
        model_name(m, m->held[n.b].of, out, capacity);
        text_add(out, capacity, "%s", moment[m->held[n.b].moment]);
        break;
    case EXPR_SIDE:
        text_set(out, capacity, "side %u", (unsigned)n.b + 1);
        break;
    }
    for (uint32_t i = 0; i < primes && n.a != EXPR_TIME; i++) text_add(out, capacity, "'");
}

const char *model_unit(const struct model *m, expr symbol) {
    const struct expr_node n = m->graph.node[symbol];
    if (n.op != EXPR_SYMBOL) return NULL;
    if (n.a == EXPR_UNKNOWN) return n.c < MODEL_UNITS ? m->unknown[n.b].unit[n.c] : NULL;
    return n.a == EXPR_MULTIPLIER && n.c == 0 ? m->multiplier[n.b].unit : NULL;
}

static void name_of(void *user, expr symbol, char *out, size_t capacity) {
    model_name(user, symbol, out, capacity);
}

size_t model_print(const struct model *m, expr e, char *out, size_t capacity) {
    return expr_print(&m->graph, e, name_of, (void *)m, out, capacity);
}

struct syntax_span model_nonsmooth(const struct model *m, const struct source *source, expr obstacle,
                                   struct syntax_span where, char *out, size_t capacity) {
    const struct expr_node *n = &m->graph.node[obstacle];
    const char *function =
        n->op == EXPR_LOOK ? m->graph.table_name[table_of(&m->graph, n)] : expr_name((enum expr_op)n->op);
    struct syntax_span at = where.length ? syntax_find_call(m->file, where, function) : where;
    int found = at.offset != where.offset || at.length != where.length;
    if (found && at.length < capacity && !memchr(source->text + at.offset, '\n', at.length))
        text_set(out, capacity, "%.*s", (int)at.length, source->text + at.offset);
    else model_print(m, obstacle, out, capacity);
    return at;
}

void model_nonsmooth_hint(const struct model *m, expr obstacle, char *out, size_t capacity) {
    const struct expr_node n = m->graph.node[obstacle];
    char a[60] = "", b[60] = "0";
    if (n.op == EXPR_LOOK) {
        text_set(out, capacity,
                 "Interpolate it more smoothly: `spline` has two derivatives that do not jump, `pchip` one; "
                 "`outside = hold` has none at its ends.");
        return;
    }
    if (n.op == EXPR_ABS || n.op == EXPR_SIGN || n.op == EXPR_MIN || n.op == EXPR_MAX)
        model_print(m, n.a, a, sizeof a);
    if (n.op == EXPR_MIN || n.op == EXPR_MAX) model_print(m, n.b, b, sizeof b);
    if (a[0])
        text_set(out, capacity, "Write two modes, %s >= %s and %s < %s, with an event between them.", a, b, a,
                 b);
    else text_set(out, capacity, "Write modes, one on each side of the switch, with an event between them.");
}

long model_size(const struct model_shape *s) {
    long size = 1;
    for (int i = 0; i < s->rank; i++) {
        long extent = (long)s->high[i] - s->low[i] + 1;
        if (extent <= 0) return 0;
        if (size > LONG_MAX / extent) return -1;
        size *= extent;
    }
    return size;
}

/* parameter: their numbers; NULL: the model's own. */
static double value_of(const struct model *m, const struct expr_node *n, const double *parameter,
                       const double *number, double t) {
    double value;
    switch (n->op) {
    case EXPR_CONSTANT:
        memcpy(&value, &n->a, sizeof value);
        return value;
    case EXPR_SYMBOL:
        if (n->a == EXPR_TIME) return t;
        if (n->a != EXPR_PARAMETER || n->c != 0) return NAN;
        return parameter ? parameter[n->b] : m->parameter[n->b].number;
    case EXPR_POWI:
        return expr_integer_power(number[n->a], (int32_t)n->b);
    case EXPR_IF:
        return number[n->a] != 0 ? number[n->b] : number[n->c];
    case EXPR_LOOK:
        return table_node_value(&m->graph, n, number[n->a]);
    default:
        return expr_value((enum expr_op)n->op, number[n->a],
                          expr_operands((enum expr_op)n->op) > 1 ? number[n->b] : 0);
    }
}

double model_number(struct model *m, expr value, double t) {
    struct elaborate *e = m->names;
    struct graph *g = &m->graph;
    struct expr_list list;
    double out;
    if (expr_is_constant(g, value, &out)) return out;
    if (value == EXPR_NONE) return NAN;
    if (e->numbers < g->count) {
        double *number = expr_widen(g, e->number, g->capacity, sizeof *number);
        if (!number) return NAN;
        e->number = number;
        e->numbers = g->capacity;
    }
    if (expr_order(g, 1, &value, &list)) return NAN;
    for (size_t i = 0; i < list.count; i++) {
        expr at = list.item[i];
        if (expr_is_constant(g, at, &out)) e->number[at] = out;
        else e->number[at] = value_of(m, &g->node[at], NULL, e->number, t);
    }
    free(list.item);
    return e->number[value];
}

void model_numbers(const struct model *m, const struct expr_list *order, const double *parameter, double t,
                   double *number) {
    for (size_t i = 0; i < order->count; i++) {
        expr at = order->item[i];
        number[at] = value_of(m, &m->graph.node[at], parameter, number, t);
    }
}

void model_release(struct model *m) {
    if (!m) return;
    for (int i = 0; i < m->modes; i++) motion_close(&m->mode[i].motion);
    m->modes = 0;
    derive_close(&m->names->derive);
    free(m->names->number);
    m->names->number = NULL;
    expr_close(&m->graph);
}
