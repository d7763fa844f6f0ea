/* series.h - Taylor coefficients of the solutions of x' = f(t,x,z), 0 = r(t,x,z), by recurrences.
 *
 * Every node of the graph that moves gets a jet, its coefficients order by order; + - * / and the roots and
 * powers have recurrences of their own, every other function r(a) has r' = g a' with the g of derive_chain,
 * which is a node like others, and may contain r.  Nonsmooth functions take the branch of the expansion
 * point.  The coefficients z_k enter order k of the rows linearly, by the same matrix at every order.
 *
 * Sums of products are one node each.  What a product has of orders k and k + 1 before order k is known goes
 * to a place of its own.  Jets of which a' is asked for have a copy j a[j] behind all others, made by codes
 * of their own.  The matrix of z is dense where z is short, else it has fronts. */
#ifndef KEEL_SYMBOLIC_SERIES_H
#define KEEL_SYMBOLIC_SERIES_H

#include <keel/extras.h>
#include "symbolic/derive.h"
#include "symbolic/tape.h"

/* What a jet is made of.  c: where a product has its sum (powers: two), or the third operand of an `if`; d: a
 * number that helps (1/b, 1/(2 r), c r/a of order 0); e: the copy j a[j]. */
enum series_rule {
    SERIES_ZERO, /* all orders but the first are 0 */
    SERIES_COPY,
    SERIES_NEGATE,
    SERIES_ADD,
    SERIES_SUB,
    SERIES_SCALE,  /* b a number that does not move */
    SERIES_SHRINK, /* a/b, the same */
    SERIES_MUL,
    SERIES_SQUARE,
    SERIES_DIV,
    SERIES_INVERT, /* a/b, a does not move */
    SERIES_SQRT,
    SERIES_POWER, /* b does not move */
    SERIES_CHAIN, /* r' = b a' */
    SERIES_CHAIN_LESS,
    SERIES_CHAIN_ON, /* r' += b a' */
    SERIES_CHAIN_BY, /* r' += b a', b does not move */
    SERIES_ABS,
    SERIES_MIN,
    SERIES_MAX,
    SERIES_MOD,
    SERIES_IF,
    SERIES_OPEN, /* a sum begins */
    SERIES_MORE, /* + a b */
    SERIES_LESS,
    SERIES_MORE_SQUARE,
    SERIES_TERM, /* + a */
    SERIES_TERM_LESS,
    SERIES_TERM_BY, /* + a b, b does not move */
    SERIES_TERM_LESS_BY,
    SERIES_PUT,       /* the sum ends */
    SERIES_TIMES,     /* the copy j a[j] */
    SERIES_STEP,      /* to' = a */
    SERIES_STEP_AHEAD /* the same, an order on */
};

struct series_code {
    uint32_t rule, to, a, b, c, d, e; /* jets, or numbers that do not move */
};

/* Tables of series_fronts.def; from: the entry of the Jacobian that comes at each place.  m = 0: none. */
struct series_fronts {
    int m, entries, factors, largest, stack;
    int columns, slots;
    int *shape, *column, *onto, *slot, *to, *from;
};

struct series {
    int n, m;             /* states; unknowns z, which come behind them among the inputs */
    int rates, follows;   /* n; or as many as follow a curve, which is x */
    int given, linear;    /* z that the caller knows; 0 = r is linear in z */
    int leads;            /* some rows are those of g(t,q), of which r has the second derivative */
    uint32_t jets, fixed; /* jets 0 .. n + m: of x, z, t; numbers that do not move, or of order 0 alone */
    uint32_t copies;      /* behind the jets */
    uint32_t sums;
    struct tape zero; /* all jets at order 0, then the numbers */
    struct tape
        solve; /* the rows, then their jacobian by z, m x m or its entries in the order of the fronts */
    struct series_fronts fronts;
    struct series_code *code;
    size_t again;             /* behind all: those that are run once more when z_k is known */
    size_t ahead;             /* those of g come first, two orders ahead of the others */
    size_t early, count;      /* then those that do not depend on z */
    int *rate, *row;          /* of jets, or jets + number */
    int *shift;               /* per row: 2 of g, else 0 */
    unsigned char *nonsmooth; /* per rate: made of a nonsmooth function */
};

/* The model's part: symbols of x and z, f and r of them, what else may stand in them (inputs: x and z
 * are u[0] .. u[n+m-1]).  Functions that follow a curve stand in the place of f.  lead: NULL, or for each row
 * EXPR_NONE or the g(t,q) whose second derivative the row is; then q' = v, and v' is one of z. */
struct series_request {
    int n, m, given, rates, follows;
    const expr *symbol, *rate, *row, *lead; /* n + m; rates; m; m */
    size_t inputs;
    const struct tape_input *input;
};

/* Beyond there is no series: doubles of work, as keel_series has it, and places of jets are numbers with
 * flags. */
enum { SERIES_MOST_ROOM = 1 << 28, SERIES_MOST_JETS = 1 << 29 };
enum { SERIES_SHAPE = 7 }; /* numbers that tell a front */

/* 0; -1: no memory; 1: too large. */
int series_build(struct series *s, struct derive *d, const struct series_request *q);
void series_free(struct series *s);
/* For series_build, one after the other; 0, or -1 without memory.  Codes of rows that lead come first.  What
 * differs by a number is read where it is, slopes of one argument are brought together; sums of products
 * become one node each; jets that nothing needs are dropped from the list of their nodes, products get the
 * places of their sums, and what is run again is found; copies are made where they are wanted. */
int series_lead(struct series *s, size_t values);
int series_tidy(struct series *s, size_t jets, size_t fixed);
int series_fuse(struct series *s, size_t jets, size_t fixed);
int series_trim(struct series *s, size_t *jets, expr *jet, size_t fixed);
int series_copies(struct series *s);
/* The matrix of z, with its fronts; 0, -1, or 1: too large. */
int series_tops(struct series *s, struct derive *d, const struct series_request *q);
/* Of a square pattern: 0; -1: no memory; 1: too large, or singular whatever its entries are. */
int series_fronts_find(struct series_fronts *f, const struct derive_sparse *j);
double series_fronts_room(const struct series_fronts *f); /* doubles: entries, factors, and what they take */
void series_fronts_free(struct series_fronts *f);
/* Which operands of a rule are jets. */
enum { SERIES_FIRST = 1, SERIES_SECOND = 2, SERIES_THIRD = 4 };
int series_operands(uint32_t rule);
/* needed[jet], not 0 for some: set for all that codes 0 .. end make these of. */
void series_reach(const struct series *s, size_t end, uint32_t *needed);
/* The products a b of a code that have sums; up to two. */
struct series_product {
    uint32_t a, b;
};
int series_products(const struct series_code *c, struct series_product product[2]);
/* Compiled models lay jets out SERIES_STRIDE apart where that is enough: addresses are constants then. */
#define SERIES_STRIDE 38
int series_has_stride(const struct series *s);
/* Doubles of the matrix of z, with its factors and pivots. */
long series_room(const struct series *s);
/* Doubles of work for `orders`: workspace + per_order (orders + 1). */
void series_workspace(const struct series *s, long *workspace, long *per_order);
/* As keel_series.value; p: parameters. */
int series_run(const struct series *s, double t, const double *u, int orders, double *out, double *work,
               const double *p);
/* As keel_composed_fn, of a series whose rates follow a curve; nonsmooth ones are not numbers. */
int series_follow(const struct series *s, double t, const double *u, const double *c, int orders, double *out,
                  double *work, const double *p);

/* 1 / k in two parts from over[2 k] on, k = 1 .. orders. */
void series_inverses(int orders, double *over);
extern const char *const series_source[];        /* the C of the recurrences; ends with NULL */
extern const char *const series_fronts_source[]; /* of the fronts, before it */
extern const char *const series_follow_source[]; /* and of those along a curve */
#endif
