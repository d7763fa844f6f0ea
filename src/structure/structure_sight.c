/* structure_sight.c - what a zero at a point proves.
 *
 * At r = 1e-45, 1 - cos(r) is 0 to the last bit: cos(r) is 1 there whatever r.  Such a zero says nothing.  A
 * zero proves that an expression vanishes identically only if every operation on the way to it felt its
 * operands:
 *     a + b      by min(m(a), m(b)) / max(m(a), m(b)), with the masses of structure_sample.c;
 *     f(a)       by |a f'/f| (else it is constant to round-off) and |a^2 f''/f| (else it is linear).
 * Products, quotients and integer powers feel both operands always, unless they underflow.  The sight of an
 * expression is the smallest of these numbers below it. */
#include "structure/structure_private.h"

#include <math.h>
#include <stdlib.h>

/* First and second differences over a quarter of the operand.  Near the end of a function's domain, where
 * one of them is no number, it is neither constant nor linear. */
static double function_sight(const struct structure_sample *v, enum expr_op op, double a, double b,
                             int side) {
    const double part = 0.25;
    double x = side ? b : a, f[3];
    if (x == 0) return 1; /* by an exact zero: as exact */
    for (int k = 0; k < 3; k++) {
        double moved = x * (1 + part * (k - 1));
        f[k] = structure_sample_value(v, op, side ? a : moved, side ? moved : b);
        if (!isfinite(f[k])) return 1;
    }
    double size = fmax(fmax(fabs(f[0]), fabs(f[1])), fabs(f[2]));
    double slope = fmax(fabs(f[2] - f[1]), fabs(f[1] - f[0])) / part;
    double bend = fabs(f[2] - 2 * f[1] + f[0]) / (part * part);
    return size > 0 ? fmin(fmin(slope, bend) / size, 1) : 0;
}

static double balance(double a, double b) {
    double least = fmin(a, b), most = fmax(a, b);
    return least == 0 || !isfinite(most) ? 1 : least / most;
}

static int underflows(const struct structure_sample *v, const struct expr_node *n, expr e) {
    int both = n->op == EXPR_MUL;
    return v->value[e] == 0 && v->value[n->a] != 0 && (!both || v->value[n->b] != 0);
}

static double own_sight(const struct structure_sample *v, const struct graph *g, expr e) {
    const struct expr_node *n = &g->node[e];
    enum expr_op op = (enum expr_op)n->op;
    double number;
    switch (op) {
    case EXPR_NEG:
        return 1;
    case EXPR_ADD:
    case EXPR_SUB:
        return balance(v->mass[n->a], v->mass[n->b]);
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_POWI:
        return underflows(v, n, e) ? 0 : 1;
    case EXPR_IF:
        return 0; /* one branch has not been seen */
    default: {
        double least = 1;
        for (int side = 0; side < expr_operands(op); side++)
            if (!expr_is_constant(g, side ? n->b : n->a, &number))
                least = fmin(least, function_sight(v, op, v->value[n->a], v->value[n->b], side));
        return least;
    }
    }
}

int structure_sight(struct structure_sample *v, const struct structure_work *w, size_t roots,
                    const expr *root) {
    struct expr_list list;
    struct graph *g = w->g;
    if (expr_order(g, roots, root, &list)) return structure_out_of_memory(w->s);
    free(v->sight);
    v->sight = expr_spend(g, 2.0 * (double)g->count) ? calloc(g->count, sizeof *v->sight) : NULL;
    for (size_t i = 0; i < list.count && v->sight; i++) {
        expr e = list.item[i];
        const struct expr_node *n = &g->node[e];
        int operands = expr_operands((enum expr_op)n->op);
        double least = operands ? own_sight(v, g, e) : 1;
        if (operands > 0) least = fmin(least, v->sight[n->a]);
        if (operands > 1) least = fmin(least, v->sight[n->b]);
        v->sight[e] = least;
    }
    free(list.item);
    return v->sight ? 0 : structure_out_of_memory(w->s);
}
