/* isolate.c - see isolate.h. */
#include "model/isolate.h"

#include "symbolic/derive_rules.h"

/* f(z) = right, one operation undone: f becomes the operand with z.  0: it stands in several operands, or
 * the operation has no inverse everywhere. */
static int undo(struct graph *g, expr z, expr *f, expr *right) {
    const struct expr_node n = g->node[*f];
    int in_a = expr_operands((enum expr_op)n.op) >= 1 && expr_depends(g, n.a, 1, &z);
    int in_b = expr_operands((enum expr_op)n.op) == 2 && expr_depends(g, n.b, 1, &z);
    int zero = derive_is_zero(g, *right);
    if (in_a == in_b) return 0;
    switch (n.op) {
    case EXPR_NEG:
        *right = derive_sub(g, derive_zero(g), *right);
        break;
    case EXPR_ADD:
        *right = derive_sub(g, *right, in_a ? n.b : n.a);
        break;
    case EXPR_SUB:
        *right = in_a ? derive_add(g, *right, n.b) : derive_sub(g, n.a, *right);
        break;
    case EXPR_MUL:
        *right = zero ? *right : derive_div(g, *right, in_a ? n.b : n.a);
        break;
    case EXPR_DIV:
        if (in_b) return 0;
        *right = derive_mul(g, *right, n.b);
        break;
    default:
        return 0;
    }
    *f = in_a ? n.a : n.b;
    return 1;
}

expr isolate_node(struct graph *g, expr f, expr z) {
    expr inner = f, right = derive_zero(g);
    while (inner != z && undo(g, z, &inner, &right)) {}
    return inner == z ? right : EXPR_NONE;
}

enum { DEEPEST = 200 }; /* sums of that many terms */

static expr rest_of(struct graph *g, expr f, expr z, int depth) {
    const struct expr_node n = g->node[f];
    if (f == z) return derive_zero(g);
    if (!expr_depends(g, f, 1, &z)) return f;
    if (depth == DEEPEST) return EXPR_NONE;
    expr a = rest_of(g, n.a, z, depth + 1);
    switch (n.op) {
    case EXPR_NEG:
        return derive_sub(g, derive_zero(g), a);
    case EXPR_ADD:
        return derive_add(g, a, rest_of(g, n.b, z, depth + 1));
    case EXPR_SUB:
        return derive_sub(g, a, rest_of(g, n.b, z, depth + 1));
    case EXPR_MUL:
        return derive_mul(g, a, rest_of(g, n.b, z, depth + 1));
    case EXPR_DIV:
        return expr_depends(g, n.b, 1, &z) ? EXPR_NONE : derive_div(g, a, n.b);
    default:
        return EXPR_NONE;
    }
}

expr isolate_rest(struct graph *g, expr f, expr z) {
    return rest_of(g, f, z, 0);
}

expr isolate_solve(struct derive *d, expr f, expr z) {
    struct graph *g = d->g;
    expr found = isolate_node(g, f, z), at_zero = EXPR_NONE;
    if (found != EXPR_NONE) return found;
    if (derive_degree(g, f, 1, &z) > 1) return EXPR_NONE;
    expr slope = derive_partial(d, f, z), zero = derive_zero(g);
    if (slope != EXPR_NONE) at_zero = isolate_rest(g, f, z);
    if (at_zero == EXPR_NONE && (slope == EXPR_NONE || expr_substitute(g, 1, &f, 1, &z, &zero, &at_zero)))
        return EXPR_NONE;
    return derive_div(g, derive_sub(g, zero, at_zero), slope);
}
