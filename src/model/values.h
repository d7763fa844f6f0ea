/* values.h - any expressions of a mode at a point of its motion: outputs, multipliers, derivatives of any
 * order, what an action assigns.
 *
 * What the basic symbols of the formulation give is taken from them.  For the rest the general formulation of
 * the same equations is taken beside it: its algebraic variables, among them all highest derivatives and
 * multipliers, are found by Newton's method at the given states. */
#ifndef KEEL_MODEL_VALUES_H
#define KEEL_MODEL_VALUES_H

#include "model/functions.h"

struct values {
    int count;
    int direct;         /* the formulation itself gives them all */
    int own, inputs;    /* the formulation's unknowns; with the multipliers behind them */
    int *as_state;      /* count: the state of the formulation that it is; -1: none */
    int *unknown;       /* count: all are unknowns of the formulation, these; or NULL, and */
    struct tape target; /* of what is asked for */
    int n, m;           /* of the general formulation; of its algebraic variables those that are needed */
    struct tape state;  /* its states from the formulation's own unknowns */
    struct tape residual, terms, jacobian; /* terms: sums of |terms| of the residual */
    int *row, *column;                     /* of each entry of the jacobian; columns of x as -1 */
    int entries;
    int *guess; /* by algebraic variable, the input to start from; -1: 0 */
};

/* What values_at writes to.  It belongs to who asks, so that many may ask at the same time. */
struct values_work {
    double *number; /* inputs, unknowns, residual and its terms, entries, matrix; two values of each */
    int *pivot;
    size_t numbers, pivots;
};

/* 1; 0: see formulation->missing and formulation->derive.obstacle, or memory is out.  values_close in any
 * case.  An expression without a value is refused, or, with `lenient`, NAN. */
int values_open(struct values *v, struct formulation *r, int count, const expr *target, int lenient);
/* The same, lenient, for points whose algebraic variables are those of another state: they are found anew. */
int values_open_anew(struct values *v, struct formulation *r, int count, const expr *target);
/* Room for v, beside what it has room for already; 0, or -1 without memory.  All zero is an empty one. */
int values_reserve(struct values_work *w, const struct values *v);
void values_release(struct values_work *w);
/* out[count] at (t, u); multiplier: as keel_multipliers gives them, or NULL where there are none.
 * KEEL_ENEWTON: the algebraic equations could not be solved, and what depends on their variables is NAN;
 * KEEL_ENOMEM. */
keel_status values_at(const struct values *v, double t, const double *u, const double *multiplier,
                      const double *parameter, const struct values_work *w, double *out);
/* Room in w for 2*count more. */
double *values_workspace(const struct values *v, const struct values_work *w);
void values_close(struct values *v);
#endif
