/* table.h - tables as functions: piecewise polynomials in numbers that are not part of the graph.
 *
 * The graph knows three operations of them, b the number of the table:
 *
 *     LOOK      (x, 8 b + k)  the k-th derivative at x: what a model writes, load(x), and what follows
 *     POSITION  (x, b)        grows with x and is whole at the knots: its floor is the piece of x
 *     ENTRY     (8 i + j, b)  number j of piece i: knot, 1/width, c0 .. c3
 *
 * Before a run the pieces are frozen (model/surface): LOOK becomes the polynomial of ENTRY numbers of a piece
 * that stays while a step is taken, so that every step, Jacobian and Taylor series sees a polynomial. */
#ifndef KEEL_SYMBOLIC_TABLE_H
#define KEEL_SYMBOLIC_TABLE_H

#include "symbolic/expr.h"

enum { TABLE_ROW = 6, TABLE_SMOOTHEST = 2 };
enum table_outside { TABLE_NO_VALUE, TABLE_HOLDS, TABLE_REPEATS };
/* Of the first row, and of a piece. */
enum { TABLE_PIECES, TABLE_OUTSIDE, TABLE_DEGREE, TABLE_PERIOD, TABLE_SMOOTH };
enum { TABLE_KNOT, TABLE_RATE, TABLE_FIRST /* coefficient */ };

static inline int table_is(enum expr_op op) {
    return op == EXPR_LOOK || op == EXPR_ENTRY || op == EXPR_POSITION;
}
double table_value(const double *const *table, enum expr_op op, double a, double b);
/* The same of a node of the graph; NAN where b is no table of it. */
double table_node_value(const struct graph *g, const struct expr_node *n, double a);
/* Which table; of a LOOK, which derivative. */
int table_of(const struct graph *g, const struct expr_node *n);
int table_order(const struct graph *g, const struct expr_node *n);
expr table_look(struct graph *g, expr x, int table, int order); /* 0 beyond the degree */
expr table_entry(struct graph *g, expr piece, int table, int number);
/* LOOK on the piece given: its polynomial. */
expr table_polynomial(struct graph *g, expr x, expr piece, int table, int order);
extern const char *const table_source[]; /* the C of it; ends with NULL */

/* The piece on which a motion goes on from x, way > 0 upwards; the knot at which it leaves it. */
double table_piece(const double *d, double x, double way);
double table_next(const double *d, double piece, double way);
#endif
