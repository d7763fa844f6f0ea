/* structure_alias.c - x' = u: u is a name for x', and goes.
 *
 * u^(k) becomes x^(1 + k) everywhere, which is exact and changes no solution; a mechanical system written
 * with its velocities turns into the one with second derivatives.  Only plain differences of two symbols
 * are looked at, and only where the other side is written with a derivative: names cannot run in circles, and
 * x = y is an equation like others whatever x is a name for.  A linearised equation goes with the one it was
 * made of: m x'' = F + lambda may become S'' = S_lambda, and S must be solved for as x is. */
#include "structure/structure_private.h"

#include <stdlib.h>

static int is_unknown(const struct structure_work *w, expr e, int *column, int *order) {
    const struct expr_node *n = &w->g->node[e];
    if (n->op != EXPR_SYMBOL) return 0;
    *column = structure_column(w, n->a, n->b);
    *order = (int)n->c;
    return *column >= 0;
}

/* What column j stands for, through names of names. */
static struct structure_value resolve(const struct structure_value *alias, int j) {
    struct structure_value at = {j, 0};
    while (alias[at.unknown].unknown != at.unknown) {
        at.order += alias[at.unknown].order;
        at.unknown = alias[at.unknown].unknown;
    }
    return at;
}

/* f_i is x_a^(k) - u up to sign, a and u resolved to different unknowns: u becomes a name. */
static int take_name(const struct structure_work *w, struct structure_value *alias, expr f) {
    const struct expr_node *n = &w->g->node[f];
    int column[2], order[2];
    if (n->op == EXPR_NEG) n = &w->g->node[n->a];
    if (n->op != EXPR_SUB || !is_unknown(w, n->a, &column[0], &order[0]) ||
        !is_unknown(w, n->b, &column[1], &order[1]))
        return 0;
    for (int side = 0; side < 2; side++) {
        struct structure_value u = resolve(alias, column[side]), x = resolve(alias, column[1 - side]);
        u.order += order[side];
        x.order += order[1 - side];
        if (u.order != 0 || order[1 - side] < 1 || u.unknown == x.unknown) continue;
        alias[u.unknown] = x;
        return 1;
    }
    return 0;
}

/* Every derivative of a name that occurs, and what stands for it. */
static int replace_all(struct structure_work *w, const struct structure_value *alias) {
    struct expr_list all;
    if (expr_symbols(w->g, (size_t)w->rows, w->f, &all)) return structure_out_of_memory(w->s);
    expr *from = structure_take(w->s, all.count, sizeof *from),
         *to = structure_take(w->s, all.count, sizeof *to);
    size_t count = 0;
    for (size_t k = 0; k < all.count && from && to; k++) {
        int column, order;
        if (!is_unknown(w, all.item[k], &column, &order)) continue;
        struct structure_value x = resolve(alias, column);
        if (x.unknown == column) continue;
        from[count] = all.item[k];
        to[count++] = structure_symbol(w, x.unknown, x.order + order);
    }
    int failed = !from || !to;
    free(all.item);
    if (!failed && count) failed = expr_substitute(w->g, (size_t)w->rows, w->f, count, from, to, w->f);
    return failed ? structure_out_of_memory(w->s) : 0;
}

int structure_aliases(struct structure_work *w) {
    struct structure_value *alias = structure_take(w->s, (size_t)w->columns, sizeof *alias);
    int *renumber = structure_take(w->s, (size_t)w->columns, sizeof *renumber), rows = 0, columns = 0;
    unsigned char *gone = structure_take(w->s, (size_t)w->rows, 1);
    if (!alias || !renumber || !gone) return -1;
    for (int j = 0; j < w->columns; j++) alias[j] = (struct structure_value){j, 0};
    for (int i = 0; i < w->rows; i++) {
        int of = w->p->like ? w->p->like[i] : -1;
        gone[i] = (unsigned char)((of < 0 || (of != i && gone[of])) && take_name(w, alias, w->f[i]));
    }
    if (replace_all(w, alias)) return -1;
    for (int i = 0; i < w->rows; i++)
        if (!gone[i]) w->row[rows] = w->row[i], w->f[rows++] = w->f[i];
    for (int j = 0; j < w->columns; j++) {
        w->s->alias[j] = resolve(alias, j);
        renumber[j] = alias[j].unknown == j ? columns : -1;
        if (renumber[j] >= 0) w->column[columns++] = j;
    }
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t k = 0; k < w->places[kind]; k++)
            if (w->place[kind][k] >= 0) w->place[kind][k] = renumber[w->place[kind][k]];
    w->rows = rows;
    w->columns = columns;
    return 0;
}
