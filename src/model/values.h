/* values.h - any expressions of a mode at a point of its motion: outputs, multipliers, derivatives of any
 * order, what an action assigns.
 *
 * What the basic symbols of the road give is taken from them.  For the rest the general road of the same
 * equations is taken beside it: its algebraic variables, among them all highest derivatives and multipliers,
 * are found by Newton's method at the given states. */
#ifndef KEEL_MODEL_VALUES_H
#define KEEL_MODEL_VALUES_H

#include "model/functions.h"

struct values {
    int count;
    int direct;                            /* the road itself gives them all */
    int own, inputs;                       /* the road's unknowns; with the multipliers behind them */
    struct tape target;                    /* of what is asked for */
    int n, m;                              /* of the general road */
    struct tape state;                     /* its states from the road's own unknowns */
    struct tape residual, terms, jacobian; /* terms: sums of |terms| of the residual */
    int *row, *column;                     /* of each entry of the jacobian; columns of x as -1 */
    int entries;
    double *work;       /* inputs, residual, matrix */
    int *pivot, *guess; /* guess: by algebraic variable, the input to start from; -1: 0 */
};

/* 1; 0: see road->missing and road->derive.obstacle, or memory is out.  values_close in any case.  An
 * expression without a value is refused, or, with `lenient`, NAN. */
int values_open(struct values *v, struct road *r, int count, const expr *target, int lenient);
/* out[count] at (t, u); multiplier: as keel_multipliers gives them, or NULL where there are none.  0; -1: the
 * algebraic equations could not be solved. */
int values_at(struct values *v, double t, const double *u, const double *multiplier, const double *parameter,
              double *out);
void values_close(struct values *v);
#endif
