/* least_squares.h - the smallest sum of squares of a function, within bounds: Levenberg and Marquardt's
 * method in a scaled trust region.
 *
 * A step s minimises |r + J s|^2 in |D s| <= delta, D the largest lengths so far of the columns of J: the
 * units of the parameters do not matter.  delta follows how well r + J s foretells r.  (J. J. More, The
 * Levenberg-Marquardt algorithm: implementation and theory, Lecture Notes in Mathematics 630 (1978) 105-116.)
 * A parameter on its bound that would leave it is left out of the step, and a step ends at the bounds. */
#ifndef KEEL_ANALYSIS_LEAST_SQUARES_H
#define KEEL_ANALYSIS_LEAST_SQUARES_H

/* A parameter whose change by its own size does less than this part of what another's does is not seen. */
#define LEAST_SQUARES_UNSEEN 1e-9

/* r[rows] and its Jacobian [rows][n], row by row, at x: 0; 1: they have no value there; < 0: give up. */
typedef int least_squares_fn(void *user, const double *x, double *r, double *jacobian);

enum least_squares_end {
    LEAST_SQUARES_CONVERGED,
    LEAST_SQUARES_SLOW,     /* not within `most` steps */
    LEAST_SQUARES_NO_START, /* the function has no value where it begins */
    LEAST_SQUARES_GIVEN_UP, /* by the function */
    LEAST_SQUARES_NO_MEMORY
};

struct least_squares {
    int rows, n;
    least_squares_fn *value;
    void *user;
    const double *low, *high; /* [n] bounds, infinite where there are none */
    double least;             /* relative steps shorter than that are none */
    double noise;             /* the rounding of |r|: a column that does less, alone, is not seen */
    int most;                 /* steps */
    double *x, *r, *jacobian; /* [n], [rows], [rows][n]: the start, then the end */
    double square;            /* |r|^2 there */
    int steps, calls;         /* taken */
};

enum least_squares_end least_squares_find(struct least_squares *l);
#endif
