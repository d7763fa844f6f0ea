/* lobatto.h - a step of the Lobatto IIIA-IIIB pairs for q' = H_p, p' = -H_q - G(t,q)^T lambda, 0 = g(t,q),
 * and for mechanics with a constant mass matrix: symplectic, symmetric, order 2 s - 2 with s stages.  s = 2
 * is RATTLE for any H.
 *
 * Jay 1996; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4. */
#ifndef KEEL_METHODS_LOBATTO_H
#define KEEL_METHODS_LOBATTO_H

#include <keel/method.h>
#include <keel/system.h>

#include "methods/implicit_tables.h"

enum { LOBATTO_STAGES = 5 }; /* at most */

/* A method's struct begins with it. */
struct lobatto {
    struct implicit_table a, d;
    double product[LOBATTO_STAGES][LOBATTO_STAGES]; /* a d */
    int s, nq, k;
    int of_mechanics; /* x = (q, v), not (q, p) */
    /* By stage, nq each: increments of Q and P, H_p and -H_q there. */
    double *dq, *dp, *speed, *push;
    double *impulse, *sums;  /* by stage, nq each: what a stage adds to p; P anew */
    long entries;            /* of G: k x nq, or sparse: as keel_native_rows has them */
    double *g_rows, *n_rows; /* by stage: G, and N G^T row by row, not if sparse */
    keel_system *system;     /* sparse: what `matrix` is else; NULL: it is dense */
    double *aside, *found;   /* sparse: k, 1 for redundant rows; its unknowns */
    int by_slopes;           /* sparse, and canonical: G H_pp has entries of its own */
    keel_pattern bent;       /* of G H_pp */
    double *bent_rows;       /* by stage: its entries */
    double *velocity;        /* entries of d/dx (G H_p + g_t), which has them */
    double *mu;              /* by stage, k: h lambda */
    double *old;             /* dq and dp of the round before */
    double *slope;           /* nq x nq: H_pp; mechanics has none */
    double *shifted;         /* k x nq: H_pp N G^T, row by row */
    double *value, *matrix, *pivot;
    double *x, *gradient, *beside, *next; /* width */
};

const char *lobatto_refuse(const keel_problem *p, const keel_options *o);
void lobatto_layout(const keel_problem *p, keel_work *w, int stages);
keel_status lobatto_attempt(keel_work *w, keel_attempt *a);
#endif
