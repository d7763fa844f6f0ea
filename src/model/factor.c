/* factor.c - see factor.h. */
#include "model/factor.h"

#include <math.h>
#include <stdlib.h>

/* What `init`, or else `guess`, says of a symbol; NAN: nothing. */
static double given_value(const struct system *y, expr symbol) {
    struct model *m = y->m;
    const struct model_givens *lists[] = {&m->init, &m->guess};
    for (int l = 0; l < 2; l++)
        if (symbol < lists[l]->symbols && lists[l]->place[symbol])
            return model_number(m, lists[l]->list[lists[l]->place[symbol] - 1].value, y->t0);
    return NAN;
}

/* e at the start, with all that is given times `scale`; NAN where something is open. */
static double value_at(const struct system *y, expr e, double scale) {
    struct graph *g = &y->m->graph;
    struct expr_list all;
    if (expr_symbols(g, 1, &e, &all)) return NAN;
    expr *to = expr_take(g, all.count + 1, sizeof *to);
    size_t count = 0;
    for (size_t i = 0; i < all.count && to; i++) {
        double value = given_value(y, all.item[i]);
        if (!isfinite(value)) continue;
        all.item[count] = all.item[i];
        to[count++] = expr_constant(g, scale * value);
    }
    int failed = !to || (count && expr_substitute(g, 1, &e, count, all.item, to, &e));
    free(to);
    free(all.item);
    return failed ? NAN : model_number(y->m, e, y->t0);
}

enum zero { OPEN, ZERO, NOT_ZERO };

/* Zero: a change of what is given by 1e-8 of it explains the value.  Not zero: one of 1e-4 does not. */
static enum zero zero_at(const struct system *y, expr e) {
    const double part = 1.0 / 64;
    double here = value_at(y, e, 1);
    double change = fmax(fabs(value_at(y, e, 1 + part) - here), fabs(value_at(y, e, 1 - part) - here));
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
static expr zero_factor(const struct system *y, expr e) {
    struct graph *g = &y->m->graph;
    struct expr_node n = g->node[e];
    expr found = EXPR_NONE, inner;
    if (n.op == EXPR_NEG || n.op == EXPR_DIV) return zero_factor(y, n.a);
    if (n.op == EXPR_POWI && (int32_t)n.b > 1) found = n.a;
    if (n.op == EXPR_MUL && has_unknown(g, n.a) && has_unknown(g, n.b)) {
        enum zero a = zero_at(y, n.a), b = zero_at(y, n.b);
        if (a == ZERO && b == NOT_ZERO) found = n.a;
        else if (b == ZERO && a == NOT_ZERO) found = n.b;
    }
    if (found == EXPR_NONE) return EXPR_NONE;
    inner = zero_factor(y, found);
    return inner == EXPR_NONE ? found : inner;
}

expr factor_of_equation(const struct system *y, expr equation) {
    struct graph *g = &y->m->graph;
    if (equation == EXPR_NONE || !has_unknown(g, equation)) return equation;
    expr factor = zero_factor(y, equation);
    if (g->failed) return EXPR_NONE;
    return factor == EXPR_NONE ? equation : factor;
}

expr factor_in_doubt(const struct system *y, expr equation) {
    struct graph *g = &y->m->graph;
    if (equation == EXPR_NONE) return EXPR_NONE;
    struct expr_node n = g->node[equation];
    if (n.op == EXPR_NEG || n.op == EXPR_DIV) return factor_in_doubt(y, n.a);
    if (n.op != EXPR_MUL || !has_unknown(g, n.a) || !has_unknown(g, n.b)) return EXPR_NONE;
    enum zero a = zero_at(y, n.a), b = zero_at(y, n.b);
    return a == ZERO && b != NOT_ZERO ? n.a : b == ZERO && a != NOT_ZERO ? n.b : EXPR_NONE;
}
