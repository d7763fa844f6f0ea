/* elimination.h - accelerations of a chain, its order of elimination compiled in: M diagonal and constant,
 * every row of K eliminated into one other from both ends (linalg/schur_rows.h).
 *
 * A compiled model has this header as text behind that one, and calls it with constant sizes and places.  F,
 * K and gamma are the problem's own functions; the bits are those of core/mechanics_sparse.c. */
#ifndef KEEL_CORE_ELIMINATION_H
#define KEEL_CORE_ELIMINATION_H

/* The numbers of a solver that it reads and changes. */
struct keel_elimination_state {
    int (*force)(double t, const double *u, double *out, void *user);
    int (*rows)(double t, const double *u, double *out, void *user);
    int (*curvature)(double t, const double *u, double *out, void *user);
    const double *weight, *entry_weight; /* 1 / sqrt(M_jj), and of each entry of K; NULL: all are 1 */
    const int *active;
    double *lambda;
};

/* out := (v, v') and lambda.  s: its arrays of numbers are locals.  1: it is for the core. */
static inline int elimination_accelerate(const struct schur_sweep *s, int nq, int entries,
                                         const struct keel_elimination_state *e, double t, const double *u,
                                         double *out, void *user) {
    double *z = out + nq, *c = e->lambda, sum[4] = {0, 0, 0, 0};
    int j = 0;
    if (e->force(t, u, z, user) || e->curvature(t, u, c, user) || e->rows(t, u, s->b, user)) return 1;
    for (int i = 0; i < s->k; i++) c[i] = -c[i];
    for (int i = 0; i < entries && e->weight; i++) s->b[i] *= e->entry_weight[i];
    for (int i = 0; i < nq && e->weight; i++) z[i] *= e->weight[i];
    if (schur_sweep_solve(s, e->active, z, c)) return 1;
    for (int i = 0; i < nq && e->weight; i++) z[i] *= e->weight[i];
    for (int i = 0; i < nq; i++) out[i] = u[nq + i];
    for (; j + 4 <= nq; j += 4)
        for (int i = 0; i < 4; i++) sum[i] += z[j + i] * 0;
    for (; j < nq; j++) sum[0] += z[j] * 0;
    return !((sum[0] + sum[1]) + (sum[2] + sum[3]) == 0);
}
#endif
