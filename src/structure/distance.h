/* distance.h - functions of points in space that depend on distances alone.
 *
 * A function of positions q_i and momenta p_i in R^d is recognised if it can be written by the forms
 *     |q_i - q_j|^2,  |q_i - c|^2 with a fixed point c,  p_i . p_j  (i = j: |p_i|^2)
 * and no coordinate beside them, whatever the way of writing: every subexpression that is a polynomial of
 * degree 2 in the coordinates is multiplied out, and only what is left of it counts.  Factors are compared as
 * rational functions of parameters, t and other expressions at random points: equal is equal to round-off.
 * A polynomial of higher degree must be written by polynomials of degree 2, and one of these may have at most
 * DISTANCE_TERMS terms on the way.
 *
 * Each form gets a symbol, and the function is rewritten in these, ready for derive.h:
 *     grad f = sum_k df~/dpi_k grad pi_k. */
#ifndef KEEL_STRUCTURE_DISTANCE_H
#define KEEL_STRUCTURE_DISTANCE_H

#include "base/pool.h"
#include "lang/model.h"

enum { DISTANCE_TERMS = 100000 };

struct distance_problem {
    struct graph *g;
    int points, dimension;
    const expr *position, *momentum; /* [points*dimension] symbols; momentum NULL: none */
    int functions;
    const expr *function;
    enum expr_kind kind; /* the symbols of the forms: this kind, numbered from `first` on */
    uint32_t first;
    int most; /* forms beyond this number serve nobody, and nothing is recognised then; 0: any number */
};

enum distance_kind {
    DISTANCE_PAIR,   /* |q_i - q_j|^2, i < j */
    DISTANCE_CENTRE, /* |q_i - c|^2 */
    DISTANCE_PRODUCT /* p_i . p_j, i <= j */
};

struct distance_form {
    enum distance_kind kind;
    int i, j;           /* points, from 0 on; CENTRE: j = -1 */
    const expr *centre; /* [dimension] c, free of coordinates; NULL: the origin */
    expr symbol;        /* what stands for it */
    int next;           /* of the walk */
};

struct distance {
    int points, dimension;
    expr *position, *momentum; /* as in the problem */
    int forms, form_capacity;
    struct distance_form *form; /* in the order in which they were found, of recognised functions or not */
    int functions, recognised;  /* how many of them were */
    expr *function;             /* [functions] in symbols of the forms; EXPR_NONE: not recognised */
    expr *left;                 /* [functions] the first coordinate that is left; EXPR_NONE: none */
    /* Of the recognised functions: do differences of positions alone occur; is there at most one fixed point,
     * so that rotations about it (or about any point) change nothing? */
    int translations, rotations;
    struct pool pool;
};

/* These return 0, or -1 without memory; distance_close in any case. */
int distance_find(struct distance *d, const struct distance_problem *p);
/* The lagrangian or hamiltonian of a mode, then its constraints.  Points are the rows q[i] of arrays and the
 * numbers x, y, z or x1, y1 of one ending, or else the elements x[i], y[i] of one index: the first way that
 * recognises most.  Numbers q[i] alone are points on a line if all depends on their differences.  Momenta are
 * velocities where there is a lagrangian. */
int distance_model(struct distance *d, struct model *m, int mode, enum expr_kind kind, uint32_t first,
                   int most);
expr distance_form_value(const struct distance *d, struct graph *g, int k); /* in coordinates */
void distance_close(struct distance *d);
#endif
