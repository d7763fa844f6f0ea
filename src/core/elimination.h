/* elimination.h - a chain with its order of elimination compiled in, M diagonal and constant, every row of K
 * eliminated into one other from both ends (linalg/schur_rows.h): its accelerations.
 * core/elimination_project.h has its way back to the manifold.
 *
 * A compiled model has this header as text behind that one, and calls it with constant sizes and places.  F,
 * K and gamma are the problem's own functions, in a short model as a part of the loop; the bits are those of
 * core/mechanics_sparse.c. */
#ifndef KEEL_CORE_ELIMINATION_H
#define KEEL_CORE_ELIMINATION_H

#include "linalg/schur_rows.h"

/* The numbers of a solver that it reads and changes. */
struct keel_elimination_state {
    int (*force)(double t, const double *u, double *out, void *user);
    int (*rows)(double t, const double *u, double *out, void *user);
    int (*curvature)(double t, const double *u, double *out, void *user);
    const double *weight, *entry_weight; /* 1 / sqrt(M_jj), and of each entry of K; NULL: all are 1 */
    const int *active;
    double *lambda;
    const struct schur_sweep *factored; /* the core's, at (t, u); NULL: it has factored another place */
    double *at;                         /* t and q that were factored last; after it, and nothing is left */
};

static inline void elimination_pass(const struct keel_elimination_state *e, int nq, double t,
                                    const double *u) {
    e->at[0] = t;
    schur_copy(nq, u, e->at + 1);
}

/* out := (v, v') and lambda.  s: its arrays of numbers are locals.  1: it is for the core. */
static inline int elimination_accelerate(const struct schur_sweep *s, int nq, int entries,
                                         int (*force)(double, const double *, double *, void *),
                                         int (*rows)(double, const double *, double *, void *),
                                         int (*curvature)(double, const double *, double *, void *),
                                         const struct keel_elimination_state *e, double t, const double *u,
                                         double *out, void *user) {
    double *z = out + nq, *c = e->lambda;
    if (force(t, u, z, user) || curvature(t, u, c, user)) return 1;
    schur_negate(s->k, c, c);
    for (int i = 0; i < nq && e->weight; i++) z[i] *= e->weight[i];
    if (e->factored) { /* with places that are constants */
        struct schur_sweep there = *s;
        there.b = e->factored->b, there.inverse = e->factored->inverse, there.joint = e->factored->joint;
        schur_sweep_miss(&there, z, c, 0);
        schur_sweep_return(&there, z, c, 1);
    } else {
        if (rows(t, u, s->b, user)) return 1;
        for (int i = 0; i < entries && e->weight; i++) s->b[i] *= e->entry_weight[i];
        if (schur_sweep_solve(s, e->active, z, c)) return 1;
    }
    for (int i = 0; i < nq && e->weight; i++) z[i] *= e->weight[i];
    schur_copy(nq, u + nq, out);
    return !schur_finite(nq, z);
}
#endif
