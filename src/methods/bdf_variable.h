/* bdf_variable.h - what the files of the variable backward differentiation method share.
 *
 * Times are counted backwards from t_n: psi_i = t_n - t_{n-i}.  The history is kept as modified divided
 * differences of the accepted states (Krogh 1974),
 *
 *     phi_1 = x_n,   phi_{i+1} = psi_1 .. psi_i x[t_n, .., t_{n-i}],
 *
 * which with equal steps are the backward differences.  All numbers that go on from step to step are doubles
 * of the method's workspace, so that a saved run goes on with the same bits. */
#ifndef KEEL_BDF_VARIABLE_H
#define KEEL_BDF_VARIABLE_H

#include <keel/newton.h>

enum {
    BDF_MOST = 5,
    BDF_DIFFERENCES = BDF_MOST + 2, /* phi_1 .. phi_7 */
    BDF_START = 3
}; /* the order of the first steps, by error control */

struct bdf_memory {
    double known;       /* phi_1 .. phi_known are there */
    double order, next; /* of the present step; of the one after it */
    double last;        /* of the last step; 0: it was one of the start */
    double age;         /* steps since order or step length changed */
    double rejections;  /* of the present step */
    double psi[BDF_DIFFERENCES + 1];
    double jacobian, jacobian_age;    /* J is known; steps since */
    double factored, factored_age;    /* c of the factors, 0: there are none; steps since */
    double contraction;               /* of Newton's method */
    double failures, distrust;        /* fresh J in a row that did not help; differences only */
    double size, lower, same, higher; /* the error, and what it is with one order less, this one, one more */
};

/* A step of h from t_n with order k: weights of the old differences, and what follows from them. */
struct bdf_formula {
    int k, count; /* phi_1 .. phi_count make the predictor */
    double h, c;  /* x - x0 = c (f - x0'), c = h / (1 + 1/2 + .. + 1/k) */
    double beta[BDF_DIFFERENCES + 2],
        slope[BDF_DIFFERENCES + 2];    /* x0 = sum beta_i phi_i, x0' with slope_i */
    double psi[BDF_DIFFERENCES + 1];   /* of t_{n+1} */
    double equal[BDF_DIFFERENCES + 2]; /* phi_i of t_{n+1} times this is as with equal steps of h */
    double error;                      /* the error over x - x0 */
};

struct bdf_variable {
    int most;
    struct bdf_memory *memory;
    keel_newton *newton;
    double *phi;                           /* BDF_DIFFERENCES x width: phi_1, .. */
    double *ahead, *slope;                 /* width: x0 - x_n, x0' */
    double *d, *at, *rate, *moved, *scale; /* width: x - x0; x, f there; a change; one over the tolerances */
    double *columns;                       /* of the start: its order x width */
};

static inline double *bdf_difference(const keel_work *w, int i) { /* phi_i */
    const struct bdf_variable *b = w->method;
    return b->phi + (long)(i - 1) * w->width;
}
/* A saved number is not believed to be an order. */
static inline int bdf_count(double number, int least, int most) {
    return number > least ? number < most ? (int)number : most : least;
}

/* bdf_corrector.c: d and the rate at x0 + d.  KEEL_RETRY: none was found. */
keel_status bdf_correct(keel_work *w, const keel_attempt *a, const struct bdf_formula *f);
/* Root mean square of v in tolerances; fixed steps: the largest, relative. */
double bdf_size(const keel_work *w, const double *v);

/* The same of v + beta other, by error control. */
double bdf_size_beside(const keel_work *w, const double *v, const double *other, double beta);

/* bdf_control.c: what the step errs by, and what it would with other orders; the next step. */
void bdf_estimate(keel_work *w, const struct bdf_formula *f, keel_attempt *a);
double bdf_strictness(const keel_work *w); /* a step may err by one over this, in tolerances */
double bdf_next(keel_work *w, double h, double error, int rejected);

/* bdf_start.c: one of the first steps, into a->dx, with its error. */
keel_status bdf_start(keel_work *w, keel_attempt *a);
#endif
