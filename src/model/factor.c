/* factor.c - see factor.h. */
#include "model/factor.h"

#include <math.h>
#include <stdlib.h>

/* What `init` and `guess` say, init first; from[i] is a symbol of any order. */
struct given {
    size_t count;
    expr *from, *to;
};

static int is_listed(const struct given *s, expr symbol) {
    for (size_t i = 0; i < s->count; i++)
        if (s->from[i] == symbol) return 1;
    return 0;
}

static int take_given(const struct system *y, struct given *s) {
    struct model *m = y->m;
    const struct model_givens *lists[] = {&m->init, &m->guess};
    size_t room = (size_t)m->init.count + (size_t)m->guess.count + 1;
    *s =
        (struct given){0, expr_take(&m->graph, room, sizeof(expr)), expr_take(&m->graph, room, sizeof(expr))};
    for (int l = 0; l < 2 && s->from && s->to; l++)
        for (int k = 0; k < lists[l]->count; k++) {
            const struct model_given *one = &lists[l]->list[k];
            double value = one->target == EXPR_NONE ? NAN : model_number(m, one->value, y->t0);
            if (!isfinite(value) || is_listed(s, one->target)) continue;
            s->from[s->count] = one->target;
            s->to[s->count++] = expr_constant(&m->graph, value);
        }
    return s->from && s->to && !m->graph.failed;
}

/* e at the start, with all that is given times `scale`; NAN where something is open. */
static double value_at(const struct system *y, const struct given *s, expr e, double scale) {
    struct graph *g = &y->m->graph;
    expr *to = expr_take(g, s->count + 1, sizeof *to);
    double value;
    for (size_t i = 0; i < s->count && to; i++) {
        expr_is_constant(g, s->to[i], &value);
        to[i] = expr_constant(g, scale * value);
    }
    int failed = !to || (s->count && expr_substitute(g, 1, &e, s->count, s->from, to, &e));
    free(to);
    return failed ? NAN : model_number(y->m, e, y->t0);
}

enum zero { OPEN, ZERO, NOT_ZERO };

/* Zero: a change of what is given by 1e-8 of it explains the value.  Not zero: one of 1e-4 does not. */
static enum zero zero_at(const struct system *y, const struct given *s, expr e) {
    const double part = 1.0 / 64;
    double here = value_at(y, s, e, 1);
    double change = fmax(fabs(value_at(y, s, e, 1 + part) - here), fabs(value_at(y, s, e, 1 - part) - here));
    if (!isfinite(here) || !isfinite(change)) return OPEN;
    if (fabs(here) <= 1e-8 * change / part) return ZERO;
    return fabs(here) > 1e-4 * change / part ? NOT_ZERO : OPEN;
}

static int has_unknown(struct graph *g, expr e) {
    struct expr_list all;
    int found = 0;
    if (expr_symbols(g, 1, &e, &all)) return 0;
    for (size_t k = 0; k < all.count && !found; k++) {
        const struct expr_node *n = &g->node[all.item[k]];
        found = n->a == EXPR_UNKNOWN || n->a == EXPR_MULTIPLIER;
    }
    free(all.item);
    return found;
}

/* The factor of e that is zero; EXPR_NONE: e has no factors of which just one is. */
static expr zero_factor(const struct system *y, const struct given *s, expr e) {
    struct graph *g = &y->m->graph;
    struct expr_node n = g->node[e];
    expr found = EXPR_NONE, inner;
    if (n.op == EXPR_NEG || n.op == EXPR_DIV) return zero_factor(y, s, n.a);
    if (n.op == EXPR_POWI && (int32_t)n.b > 1) found = n.a;
    if (n.op == EXPR_MUL && has_unknown(g, n.a) && has_unknown(g, n.b)) {
        enum zero a = zero_at(y, s, n.a), b = zero_at(y, s, n.b);
        if (a == ZERO && b == NOT_ZERO) found = n.a;
        else if (b == ZERO && a == NOT_ZERO) found = n.b;
    }
    if (found == EXPR_NONE) return EXPR_NONE;
    inner = zero_factor(y, s, found);
    return inner == EXPR_NONE ? found : inner;
}

expr factor_of_equation(const struct system *y, expr equation) {
    struct graph *g = &y->m->graph;
    struct given s;
    if (equation == EXPR_NONE || !has_unknown(g, equation)) return equation;
    int taken = take_given(y, &s);
    expr factor = taken ? zero_factor(y, &s, equation) : EXPR_NONE;
    free(s.from);
    free(s.to);
    if (!taken || g->failed) return EXPR_NONE;
    return factor == EXPR_NONE ? equation : factor;
}
