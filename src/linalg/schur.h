/* schur.h - the saddle-point system of saddle.h by its Schur complement, where M has small blocks.
 *
 * With M = L L^T block by block, B = K L^-T and z = L^-1 f,
 *
 *     S mu = B z - c,   S = B B^T,   L^T d = z - B^T mu.
 *
 * S has as many rows as K, mostly a small part of the whole system.  Its pattern and that of its factors are
 * fixed once, with an order of little fill; S is then summed and factored row by row without exchanges,
 * which a positive definite matrix allows.  A pivot over S_ii is the square of the share of new direction
 * that its row of K has.
 *
 * S has the squared condition of B, which does less harm than it seems.  M d + K^T mu = f holds as it stands,
 * and what is left of K d = c, a residual r, moves d by B^T S^-1 r, no more than |r| over the least singular
 * value of B.  r itself is round-off of the terms that mu pulls with; where these are large beside d
 * (the tension of a long chain) one refinement makes r a round-off of d.  Shares below a thousandth are
 * refused.
 *
 * The numbers follow from M, K and the flags alone, so nothing of this needs to be saved. */
#ifndef KEEL_LINALG_SCHUR_H
#define KEEL_LINALG_SCHUR_H

#include <keel.h>

struct schur;

/* Patterns are borrowed; mass NULL: M is the unit matrix.  NULL: M's blocks are large, a factorization and
 * two solves take more than `limit` operations; or no memory, then *starved is 1.  The library of sparse.h
 * gives the order. */
struct schur *schur_open(int nq, const keel_pattern *mass, const keel_pattern *const part[2],
                         const int count[2], double limit, int *starved);
void schur_close(struct schur *s);

/* L from the values of M.  0, or 1 + the row at which M is not positive definite. */
int schur_weigh(struct schur *s, const double *mass);
/* L^-1 = diag inverse_weight instead; 0: must stay. */
void schur_weigh_by(struct schur *s, const double *inverse_weight);
/* With the values of K in the order of its patterns.  0; 1: a pivot is too small, nothing can be solved. */
int schur_factor(struct schur *s, const double *k, const int *active);
/* f (nq) and c (k) become d and mu.  `exactly`: K d = c is looked at and refined; else d is good enough for
 * an iteration that looks at its rows itself. */
void schur_solve(struct schur *s, double *f, double *c, int exactly);
/* schur_factor and schur_solve, not exactly; k stays as it is while the factors serve.  1: a pivot is too
 * small, and f and c are lost. */
int schur_factor_solve(struct schur *s, double *k, const int *active, double *f, double *c);
/* d: the shortest one with K d = c, in the norm of M, as good as that. */
void schur_shortest(struct schur *s, const double *c, double *d);
/* x - M^-1 K^T S^-1 K x for four columns x (nq each) at once, with the K that was factored: what of them K
 * does not see.  1: not where M has blocks, or S has fill. */
int schur_tangents(const struct schur *s, const double *k, double *const x[4]);
/* Four systems at once, of the unit matrix for M and not exactly: x (nq rows of four) and c (k) become d.  1:
 * M is another, or S a forest. */
int schur_solve_four(const struct schur *s, double *x, const double *c);
/* The sweep over the rows of a chain, with M diagonal (linalg/schur_rows.h); NULL: it is none.  Of it: 1 over
 * the root of M's diagonal, and of each entry; NULL: all are 1. */
const struct schur_sweep *schur_chain(const struct schur *s);
const double *schur_chain_weights(const struct schur *s, const double **of_entries);
void schur_divide(struct schur *s, double *v);  /* v := M^-1 v, after schur_weigh */
double schur_operations(const struct schur *s); /* to factor and to solve twice */
#endif
