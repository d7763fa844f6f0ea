/* table.c - see table.h.  Compiled with -fno-builtin, as expr_value.c. */
#include "symbolic/table.h"

#include <math.h>

#define SOURCE(...) __VA_ARGS__
#include "symbolic/table_source.def"
#undef SOURCE

#define SOURCE(...) #__VA_ARGS__,
const char *const table_source[] = {
#include "symbolic/table_source.def"
    NULL};
#undef SOURCE

double table_value(const double *const *table, enum expr_op op, double a, double b) {
    switch (op) {
    case EXPR_LOOK:
        return keel_table_look(table, a, b);
    case EXPR_ENTRY:
        return keel_table_entry(table, a, b);
    default:
        return keel_table_position(table, a, b);
    }
}

static int number_of(const struct graph *g, const struct expr_node *n) {
    double b;
    return expr_is_constant(g, n->b, &b) ? (int)b : -1;
}

int table_of(const struct graph *g, const struct expr_node *n) {
    return n->op == EXPR_LOOK ? number_of(g, n) / 8 : number_of(g, n);
}

int table_order(const struct graph *g, const struct expr_node *n) {
    return number_of(g, n) % 8;
}

double table_node_value(const struct graph *g, const struct expr_node *n, double a) {
    int b = number_of(g, n);
    return b < 0 || table_of(g, n) >= g->tables ? NAN : table_value(g->rows, (enum expr_op)n->op, a, b);
}

expr table_look(struct graph *g, expr x, int table, int order) {
    if (order > (int)g->rows[table][TABLE_DEGREE]) return expr_constant(g, 0);
    return expr_make(g, EXPR_LOOK, x, expr_constant(g, 8 * table + order), 0);
}

expr table_entry(struct graph *g, expr piece, int table, int number) {
    expr place = expr_make(g, EXPR_MUL, expr_constant(g, 8), piece, 0);
    place = expr_make(g, EXPR_ADD, place, expr_constant(g, number), 0);
    return expr_make(g, EXPR_ENTRY, place, expr_constant(g, table), 0);
}

/* Coefficient k times k (k - 1) .. of the derivative. */
static expr coefficient(struct graph *g, expr piece, int table, int k, int order) {
    double factor = 1;
    for (int i = 0; i < order; i++) factor *= k - i;
    expr c = table_entry(g, piece, table, TABLE_FIRST + k);
    return factor == 1 ? c : expr_make(g, EXPR_MUL, expr_constant(g, factor), c, 0);
}

expr table_polynomial(struct graph *g, expr x, expr piece, int table, int order) {
    int degree = (int)g->rows[table][TABLE_DEGREE];
    if (order > degree) return expr_constant(g, 0);
    expr s = expr_make(g, EXPR_SUB, x, table_entry(g, piece, table, TABLE_KNOT), 0);
    expr sum = coefficient(g, piece, table, degree, order);
    for (int k = degree - 1; k >= order; k--)
        sum = expr_make(g, EXPR_ADD, expr_make(g, EXPR_MUL, sum, s, 0),
                        coefficient(g, piece, table, k, order), 0);
    return sum;
}

double table_piece(const double *d, double x, double way) {
    return keel_piece_from(d, x, way);
}

double table_next(const double *d, double piece, double way) {
    return keel_entry(d, 8 * (way > 0 ? piece + 1 : piece));
}
