/* derive_kind.c - sums of |terms|, degrees, separability: questions about the form of an expression. */
#include "symbolic/derive.h"

#include <stdlib.h>

enum { NOT_QUADRATIC = 3 };

static int is_sum(const struct graph *g, expr e) {
    uint32_t op = g->node[e].op;
    while (op == EXPR_NEG) e = g->node[e].a, op = g->node[e].op;
    return op == EXPR_ADD || op == EXPR_SUB;
}

/* |terms| of e from those of its operands.  Squares and products of two sums count as one term: what their
 * sums lose is in |df/dx||x| already. */
static expr terms_of(struct graph *g, expr e, const expr *of) {
    struct expr_node n = g->node[e];
    switch (n.op) {
    case EXPR_ADD:
    case EXPR_SUB:
        return expr_make(g, EXPR_ADD, of[n.a], of[n.b], 0);
    case EXPR_NEG:
        return of[n.a];
    case EXPR_MUL:
        if (is_sum(g, n.a) && is_sum(g, n.b)) break;
        return expr_make(g, EXPR_MUL, of[n.a], of[n.b], 0);
    case EXPR_DIV:
        return expr_make(g, EXPR_DIV, of[n.a], expr_make(g, EXPR_ABS, n.b, 0, 0), 0);
    case EXPR_IF:
        return expr_make(g, EXPR_IF, n.a, of[n.b], of[n.c]);
    default:
        break;
    }
    return expr_make(g, EXPR_ABS, e, 0, 0);
}

int derive_terms_of(struct graph *g, int count, const expr *f, expr *out) {
    struct expr_list list;
    if (expr_order(g, (size_t)count, f, &list)) return -1;
    expr *of = calloc(g->count, sizeof *of);
    g->failed |= !of;
    for (size_t i = 0; i < list.count && of; i++) of[list.item[i]] = terms_of(g, list.item[i], of);
    for (int i = 0; i < count; i++) out[i] = of ? of[f[i]] : EXPR_NONE;
    free(of);
    free(list.item);
    return g->failed ? -1 : 0;
}

expr derive_terms(struct graph *g, expr f) {
    expr terms = EXPR_NONE;
    if (f != EXPR_NONE) derive_terms_of(g, 1, &f, &terms);
    return terms;
}

static int at_most(int degree) {
    return degree > 2 ? NOT_QUADRATIC : degree;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int degree_of(const struct expr_node *n, const expr *of) {
    int a = (int)of[n->a], b = n->op == EXPR_POWI ? 0 : (int)of[n->b], c = (int)of[n->c];
    switch (n->op) {
    case EXPR_ADD:
    case EXPR_SUB:
        return larger(a, b);
    case EXPR_NEG:
        return a;
    case EXPR_MUL:
        return at_most(a + b);
    case EXPR_DIV:
        return b ? NOT_QUADRATIC : a;
    case EXPR_POWI:
        return a == 0 ? 0 : (int32_t)n->b < 0 || n->b > 2 ? NOT_QUADRATIC : at_most(a * (int)n->b);
    case EXPR_IF:
        return a ? NOT_QUADRATIC : larger(b, c);
    default:
        return a || b || c ? NOT_QUADRATIC : 0;
    }
}

/* Degrees stand in the graph's scratch, so that a question costs what f does, not what the graph does. */
int derive_degree_of(struct graph *g, int count, const expr *f, int n, const expr *symbol) {
    struct expr_list list;
    expr *of = g->image;
    int result = 0;
    if (expr_reach(g, (size_t)count, f, &list)) return NOT_QUADRATIC;
    for (int j = 0; j < n; j++) of[symbol[j]] = 1;
    for (size_t i = 0; i < list.count; i++) {
        const struct expr_node *node = &g->node[list.item[i]];
        if (expr_operands((enum expr_op)node->op)) of[list.item[i]] = (expr)degree_of(node, of);
    }
    for (int i = 0; i < count; i++) result = f[i] ? larger(result, (int)of[f[i]]) : NOT_QUADRATIC;
    for (int j = 0; j < n; j++) of[symbol[j]] = EXPR_NONE;
    for (size_t i = 0; i < list.count; i++) of[list.item[i]] = EXPR_NONE;
    free(list.item);
    return result;
}

int derive_degree(struct graph *g, expr f, int n, const expr *symbol) {
    return derive_degree_of(g, 1, &f, n, symbol);
}

enum { OF_Q = 1, OF_P = 2, MIXED = 4 }; /* MIXED: not q alone plus p alone */

static int parts_of(const struct expr_node *n, const unsigned char *of) {
    int a = of[n->a], b = n->op == EXPR_POWI ? 0 : of[n->b], c = of[n->c], all = a | b | c;
    if ((all & (OF_Q | OF_P)) != (OF_Q | OF_P)) return all;
    switch (n->op) {
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_NEG:
        return all;
    case EXPR_MUL:
        return a && b ? all | MIXED : all;
    case EXPR_DIV:
        return b ? all | MIXED : all;
    case EXPR_IF:
        return a ? all | MIXED : all;
    default:
        return all | MIXED;
    }
}

int derive_separable(struct graph *g, expr f, int nq, const expr *q, int np, const expr *p) {
    struct expr_list list;
    if (f == EXPR_NONE || expr_reach(g, 1, &f, &list)) return 0;
    unsigned char *of = calloc(g->count, 1);
    int result = 0;
    g->failed |= !of;
    for (int j = 0; j < nq && of; j++) of[q[j]] |= OF_Q;
    for (int j = 0; j < np && of; j++) of[p[j]] |= OF_P;
    for (size_t i = 0; i < list.count && of; i++) {
        const struct expr_node *node = &g->node[list.item[i]];
        if (expr_operands((enum expr_op)node->op)) of[list.item[i]] = (unsigned char)parts_of(node, of);
    }
    if (of) result = !(of[f] & MIXED);
    free(of);
    free(list.item);
    return result;
}
