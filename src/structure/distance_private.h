/* distance_private.h - what the files of distance share.
 *
 * Coordinates are numbered: positions from 0 on, then momenta, both point by point, then shifted positions
 * q_ic - s, which enter by their squares alone. */
#ifndef KEEL_STRUCTURE_DISTANCE_PRIVATE_H
#define KEEL_STRUCTURE_DISTANCE_PRIVATE_H

#include "structure/distance.h"

/* factor * u_a * u_b with numbers one higher than those of the coordinates, a <= b; a = 0: factor * u_b. */
struct distance_term {
    uint32_t a, b;
    expr factor;
};

enum distance_state { DISTANCE_UNSEEN, DISTANCE_POLYNOMIAL, DISTANCE_ROOT, DISTANCE_LOST };

/* A node as a polynomial in the coordinates, terms ascending by (a, b), or the root of one. */
struct distance_sum {
    enum distance_state state;
    int count;
    struct distance_term *term;
    expr constant; /* free of coordinates; EXPR_NONE: zero */
    expr left;     /* LOST: a coordinate that is in the way */
};

struct distance_shift {
    int coordinate;
    expr by; /* u - by */
};

enum { DISTANCE_SAMPLES = 3 };

/* Values and the sums of the terms' sizes at random points, node by node, as far as they were needed. */
struct distance_sample {
    double value[DISTANCE_SAMPLES], size[DISTANCE_SAMPLES];
};

struct distance_walk {
    const struct distance_problem *p;
    struct distance *d;
    struct graph *g;
    struct pool pool;         /* of the walk alone */
    int n;                    /* positions: points * dimension */
    uint32_t nodes;           /* of the graph when the walk began */
    struct distance_sum *sum; /* [nodes] */
    expr *finished;           /* [nodes] without coordinates; EXPR_NONE: not asked yet */
    int *number;              /* [nodes] 1 + the number of a coordinate; 0: none */
    struct distance_shift *shift;
    int shifts, shift_capacity;
    int *chain, chains;    /* forms by kind and points: the last of each chain, -1: none */
    expr *row;             /* [points] sums of rows of a symmetric matrix */
    int *seen;             /* [points] 1: the point occurs, 2 or 3: together with another; else 0 */
    int *touched, touches; /* the points that occur */
    struct distance_sample *sample;
    uint32_t sampled, sample_capacity;
    int failed, beyond; /* beyond: there are more forms than are asked for */
};

/* Are these the same, or zero, for all values of what they depend on? */
int distance_same(struct distance_walk *w, expr a, expr b);
int distance_zero(struct distance_walk *w, expr a);

/* Sums.  A result may be LOST; without memory w->failed is set. */
struct distance_sum distance_constant(expr e);
struct distance_sum distance_lost(expr coordinate);
struct distance_sum distance_coordinate(struct distance_walk *w, int number);
int distance_degree(const struct distance_sum *s);
struct distance_sum distance_add(struct distance_walk *w, const struct distance_sum *a,
                                 const struct distance_sum *b, int minus);
/* op MUL or DIV, by a factor free of coordinates. */
struct distance_sum distance_scale(struct distance_walk *w, const struct distance_sum *a, enum expr_op op,
                                   expr by);
struct distance_sum distance_multiply(struct distance_walk *w, const struct distance_sum *a,
                                      const struct distance_sum *b);
expr distance_symbol(const struct distance_walk *w, uint32_t number_above); /* of a term's a or b */
int distance_base(const struct distance_walk *w, uint32_t number_above);    /* without its shift */
expr distance_value(struct distance_walk *w, expr constant);                /* EXPR_NONE becomes 0 */

/* Terms that make up forms go to the constant.  Positions do only if all of them do, by differences alone;
 * with `last` 1 by distances from the origin too. */
void distance_collapse(struct distance_walk *w, struct distance_sum *s, int last);
#endif
