/* kink.c - see kink.h. */
#include "model/kink.h"

#include <stdlib.h>

/* What changes sign where e changes its branch; EXPR_NONE: nothing. */
static expr switch_of(struct graph *g, expr e) {
    const struct expr_node n = g->node[e];
    expr turns;
    switch (n.op) {
    case EXPR_ABS:
    case EXPR_SIGN:
        return n.a;
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_NE:
        return expr_make(g, EXPR_SUB, n.a, n.b, 0);
    case EXPR_FLOOR:
    case EXPR_MOD: /* at whole numbers */
        turns = n.op == EXPR_MOD ? expr_make(g, EXPR_DIV, n.a, n.b, 0) : n.a;
        return expr_make(g, EXPR_SIN,
                         expr_make(g, EXPR_MUL, expr_constant(g, 3.14159265358979323846), turns, 0), 0, 0);
    default:
        return EXPR_NONE;
    }
}

static int varies(struct graph *g, expr e) {
    struct expr_list all;
    int found = 0;
    if (expr_symbols(g, 1, &e, &all)) return 0;
    for (size_t k = 0; k < all.count; k++) {
        uint32_t kind = g->node[all.item[k]].a;
        found |= kind == EXPR_UNKNOWN || kind == EXPR_MULTIPLIER || kind == EXPR_TIME;
    }
    free(all.item);
    return found;
}

static int add(struct graph *g, expr turn, expr *kink, int kinks) {
    if (turn == EXPR_NONE || kinks == KINK_MOST || !varies(g, turn)) return kinks;
    for (int k = 0; k < kinks; k++)
        if (kink[k] == turn) return kinks;
    kink[kinks] = turn;
    return kinks + 1;
}

int kink_find(struct graph *g, size_t count, const expr *f, expr kink[KINK_MOST]) {
    uint32_t nodes = g->count;
    unsigned char *reached = expr_take(g, nodes, 1); /* not through the branches of an `if` */
    int kinks = 0;
    if (!reached) return -1;
    for (size_t i = 0; i < count; i++) reached[f[i]] = 1;
    for (expr e = nodes; e-- > 1;) { /* users before their operands */
        const struct expr_node n = g->node[e];
        if (!reached[e]) continue;
        int operands = n.op == EXPR_IF ? 1 : expr_operands((enum expr_op)n.op);
        if (operands > 0) reached[n.a] = 1;
        if (operands > 1 && n.op != EXPR_POWI) reached[n.b] = 1;
        if (operands > 2) reached[n.c] = 1;
    }
    for (expr e = 1; e < nodes; e++)
        if (reached[e]) kinks = add(g, switch_of(g, e), kink, kinks);
    free(reached);
    return g->failed ? -1 : kinks;
}
