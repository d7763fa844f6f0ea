/* derive.h - exact derivatives on the graph, and what kind of function an expression is.
 *
 * A structural zero is the constant +0: a term that differentiation gives no part in, whatever the values.
 * Those are dropped, and factors 2^k drawn together, which is exact while nothing leaves the normal range;
 * nothing else is simplified beyond the rules of expr.h. */
#ifndef KEEL_SYMBOLIC_DERIVE_H
#define KEEL_SYMBOLIC_DERIVE_H

#include "symbolic/expr.h"

/* abs, sign, min, max, floor, mod and an `if` whose condition varies are nonsmooth.  One that stands in the
 * way is an obstacle, named and not passed, or the derivative of the branch in force is taken.  The elliptic
 * functions are differentiated by m where m <= 1; second derivatives by m lose digits at m near 0 and 1, and
 * are NaN there. */
enum derive_nonsmooth { DERIVE_NONE, DERIVE_ANY, DERIVE_CONTINUOUS /* abs, min, max */ };

/* The derivative of a symbol in a direction of one's own; EXPR_NONE without memory. */
typedef expr derive_direction(void *user, expr symbol);

struct derive {
    struct graph *g;
    int nonsmooth;               /* which of them are passed */
    derive_direction *direction; /* of derive_total; NULL: along the motion, d/dt */
    void *user;                  /* of the direction */
    expr obstacle;               /* the first node that could not be differentiated; EXPR_NONE: none so far */
    expr *memo;                  /* per node: derivative of the walk under way, or adjoint */
    unsigned char *hit;          /* per node: varies with the symbols asked for */
    int known;                   /* hit is: between derive_vary and derive_rest */
    expr *total;                 /* per node: what derive_total gives, kept between calls */
    uint32_t capacity, total_capacity;
};

/* Compressed rows: value[row_start[i] .. row_start[i+1]) in the columns column[], ascending in each row. */
struct derive_sparse {
    int rows, columns;
    int *row_start, *column;
    expr *value;
};

void derive_open(struct derive *d, struct graph *g, int nonsmooth);
void derive_open_along(struct derive *d, struct graph *g, int nonsmooth, derive_direction *direction,
                       void *user);
void derive_close(struct derive *d);
void derive_free(struct derive_sparse *s);

/* EXPR_NONE: see obstacle; if that is EXPR_NONE too, memory ran out. */
expr derive_partial(struct derive *d, expr f, expr symbol);
/* df/dt along a motion: t' = 1, x^(k) goes to x^(k+1), parameters and held values rest.  After
 * derive_open_along: the derivative in that direction. */
expr derive_total(struct derive *d, expr f);
/* These return 0, or -1 as above.  Reverse mode: all n derivatives for a few times the operations of f. */
int derive_gradient(struct derive *d, expr f, int n, const expr *symbol, expr *out);
/* The same of -f: sums as they stand, which a sign before them would turn around. */
int derive_descent(struct derive *d, expr f, int n, const expr *symbol, expr *out);
/* Gradients of many f, each by those of the symbols that it holds: what varies with any of them is marked
 * once, until derive_rest, and a gradient costs that part of its f alone. */
int derive_vary(struct derive *d, int rows, const expr *f, int n, const expr *symbol);
void derive_rest(struct derive *d);
int derive_jacobian(struct derive *d, int rows, const expr *f, int n, const expr *symbol,
                    struct derive_sparse *out);
/* How many entries such a Jacobian has, 0 by structure or not; without memory the graph has failed. */
double derive_entries(struct graph *g, int rows, const expr *f, int n, const expr *symbol);

/* The sum of |terms| of f: its round-off unit.  (a - b)*k/c counts as (|a| + |b|)*|k|/|c|. */
expr derive_terms(struct graph *g, expr f);
int derive_terms_of(struct graph *g, int count, const expr *f, expr *out); /* of many at once; 0 or -1 */

/* The degree of f as a polynomial in the symbols: 0, 1, 2, and 3 for all that is not a polynomial of
 * degree 2. */
int derive_degree(struct graph *g, expr f, int n, const expr *symbol);
int derive_degree_of(struct graph *g, int count, const expr *f, int n, const expr *symbol); /* the largest */
/* Is f a function of q alone plus one of p alone? */
int derive_separable(struct graph *g, expr f, int nq, const expr *q, int np, const expr *p);
#endif
