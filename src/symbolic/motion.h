/* motion.h - equations of motion by exact derivatives.
 *
 * Lagrange: p = L_v, M = L_vv, and M q'' = F - G^T lambda with F = L_q + force - (p_q v + p_t + ...), the
 * part of p' without accelerations.  Hamilton: q' = H_p, p' = -H_q + force - G^T lambda.  Poisson: x' = B(x)
 * grad H. */
#ifndef KEEL_SYMBOLIC_MOTION_H
#define KEEL_SYMBOLIC_MOTION_H

#include "symbolic/derive.h"

struct motion {
    int n;                     /* degrees of freedom; in a Poisson system the unknowns listed */
    expr *q, *v;               /* [n] symbols: positions; velocities or momenta.  Poisson: q the unknowns */
    expr *p;                   /* [n] generalised momenta, of a lagrangian */
    struct derive_sparse mass; /* n x n, of a lagrangian */
    expr *force;               /* [n] F; of a hamiltonian p' without multipliers */
    expr *rate;                /* [n] q' of a hamiltonian; x' of a Poisson system */
    expr *structure;           /* [n*n] B, row by row */
    int rows;                  /* of G: holonomic constraints, then rolling ones */
    struct derive_sparse gradient;               /* G: rows x n */
    int *column_first, *column_next, *entry_row; /* its columns: entries linked, -1 at the end */
};

enum motion_status {
    MOTION_OK,
    MOTION_MEMORY,
    MOTION_NONSMOOTH,  /* see derive.obstacle */
    MOTION_HIGH_ORDER, /* the lagrangian has accelerations */
    MOTION_RATES       /* the hamiltonian has derivatives */
};

/* q, v, p, force and rate are taken from the heap; force[] on entry: what `force` adds, EXPR_NONE for
 * nothing. */
int motion_open(struct motion *m, int n, const expr *q, const expr *v, const expr *force);
enum motion_status motion_lagrange(struct motion *m, struct derive *d, expr lagrangian);
enum motion_status motion_hamilton(struct motion *m, struct derive *d, expr hamiltonian);
enum motion_status motion_poisson(struct motion *m, struct derive *d, expr hamiltonian,
                                  const expr *structure);
/* G by the positions for holonomic constraints, by the velocities for the rolling ones. */
enum motion_status motion_gradient(struct motion *m, struct derive *d, int holonomic, int rolling,
                                   const expr *constraint);
/* The equation of row i as an expression that is zero: M q'' - F + G^T lambda, with multiplier[rows]. */
expr motion_equation(const struct motion *m, struct derive *d, int i, const expr *multiplier);
/* For a hamiltonian: the equation of p'; motion_equation gives that of q'. */
expr motion_equation_momentum(const struct motion *m, struct derive *d, int i, const expr *multiplier);
/* v L_v - L; as T2 - L0 in the terms that were written where L is a polynomial of degree 2 in v. */
expr motion_energy(const struct motion *m, struct derive *d, expr lagrangian);
/* The first (i, j) with B_ij + B_ji not zero, as i*n + j; -1: skew, as far as random points show; -2: memory.
 */
int motion_skew(struct graph *g, int n, const expr *structure);
void motion_close(struct motion *m);
#endif
