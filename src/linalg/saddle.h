/* saddle.h - the large sparse saddle-point system
 *
 *     M d + K^T mu = f,   K d = c        M symmetric, positive definite; K of full rank but for rows left out
 *
 * There are two ways.  Where M has small blocks and it takes fewer operations, the Schur complement
 * K M^-1 K^T is factored (schur.h); its pattern and the choice are made once.  Else, and for matrices whose
 * rows are nearly dependent, the whole system is, so that neither M^-1 nor K M^-1 K^T (which squares the
 * condition, and may be dense) is formed.  It is equilibrated first, D M D with a unit diagonal and rows
 * E K D of unit length, so that pivots compare: one below a few round-offs means a row of K whose share of
 * new direction is below about 1e-7, and is called singular.
 *
 * All numbers lie in the caller's arena; the factors belong to `lu` and follow from the numbers
 * alone, so that a copied or saved block goes on with the same bits. */
#ifndef KEEL_LINALG_SADDLE_H
#define KEEL_LINALG_SADDLE_H

#include <keel.h>

#include "base/arena.h"
#include "linalg/schur.h"
#include "linalg/sparse.h"

struct saddle {
    int nq, k, order, entries;
    const keel_pattern *mass, *part[2]; /* of M (NULL: unit), and of the two parts of K (NULL: none) */
    int count[2];
    int *start, *row;        /* the whole matrix by columns; it is symmetric */
    int *mass_to, *k_to;     /* two places of each entry (one twice: -1), in the order of the patterns */
    int *corner;             /* k: places of the diagonal below K */
    double *values, *anchor; /* scaled; anchor: those whose pivots are used */
    int *anchor_known;       /* 1, in the block */
    double *inverse_weight, *scale; /* D, E; 0: a column that may not move, a row left out */
    double *right, *x, *rest;       /* order */
    double *spare;                  /* 2 nq + 4 k */
    double shift;                   /* what was taken off the corner, made good by refinement */
    struct sparse *lu;
    int anchored;                              /* lu has its pivots from `anchor` */
    int coupled;                               /* M has entries off its diagonal */
    int *block_start, *block_row, *block_from; /* coupled: D M D alone, and where it stands in values */
    double *block;
    struct sparse *block_lu;
    int block_factored;
    struct schur *schur; /* NULL: the whole system is always factored */
    int by_schur;        /* the factors at hand are schur's */
    int steady;          /* given: M does not change but where saddle_check_mass is called */
    int weighed;         /* inverse_weight and schur know M */
};

/* Is a problem of this size and so many entries of M and K better off sparse?  Never without the library. */
int saddle_pays(int nq, int k, double mass_entries, double k_entries);

void saddle_init(struct saddle *s, int nq, const keel_pattern *mass, const keel_pattern *first,
                 int first_count, const keel_pattern *second, int second_count);
void saddle_layout(struct saddle *s, struct arena *a);
int saddle_attach(struct saddle *s); /* after the layout: 0; 1: no memory.  Owns `lu` from here on */
void saddle_detach(struct saddle *s);

/* Is M positive definite?  0, or 1 + the row at which it is not. */
int saddle_check_mass(struct saddle *s, const double *mass);
enum { SADDLE_FINE = 0, SADDLE_SINGULAR = -1, SADDLE_MASS = -2 };
/* With the values of M and K in the order of their patterns; active: k flags, 0: the row is left out.
 * SADDLE_MASS: an entry of M's diagonal is not positive. */
int saddle_factor(struct saddle *s, const double *mass, const double *k, const int *active);
/* The same for the shortest change in sum (d_j / inverse_weight_j)^2 (0: must stay), or by mass if
 * inverse_weight is NULL; rows that depend on others do no harm: the corner is shifted.  For starts: pivots
 * are chosen anew. */
int saddle_factor_any(struct saddle *s, const double *mass, const double *k, const double *inverse_weight,
                      const int *active);
/* After saddle_factor, with the same M and K: K_end takes the place of K below, so that K_end d = c. */
int saddle_factor_oblique(struct saddle *s, const double *mass, const double *k, const double *k_end,
                          const int *active);
/* f (nq) and c (k) become d and mu.  Rows left out have mu = 0. */
void saddle_solve(struct saddle *s, double *f, double *c);
/* The same for iterations that look at their rows themselves: no refinement where it can be left out. */
void saddle_solve_roughly(struct saddle *s, double *f, double *c);
/* saddle_factor and saddle_solve_roughly at once, by the Schur complement; k stays as it is while the factors
 * serve.  1: not by that, and f and c are lost. */
int saddle_factor_solve(struct saddle *s, const double *mass, double *k, const int *active, double *f,
                        double *c);
/* The same from f = 0: d is the shortest one with K d = c, which is lost. */
void saddle_shortest(struct saddle *s, double *c, double *d);
/* Four columns x (nq each), freed of the shortest d with K d = K x, with the K that was factored; 1: they are
 * to be freed one by one. */
int saddle_tangents(struct saddle *s, const double *k, double *const x[4]);
/* Four systems at once, roughly: x (nq rows of four numbers) and c (k of them) for f and c, and x becomes d;
 * 1: they are to be solved one by one. */
int saddle_solve_four(struct saddle *s, double *x, const double *c);
/* lambda (k) := the shortest one with the same K^T lambda, if all rows that are not active depend on the
 * active ones.  The factors are lost. */
void saddle_least(struct saddle *s, const double *k, const int *active, double *lambda);
/* The row of K that is nearest to a combination of others, after SADDLE_SINGULAR. */
int saddle_weakest(struct saddle *s);
/* v := M^-1 v for an M that saddle_check_mass has seen. */
void saddle_divide(struct saddle *s, const double *mass, double *v);
/* D from M's diagonal; 0: an entry is not positive. */
int saddle_weigh(struct saddle *s, const double *mass);
/* Rows of K, with columns weighed by M's diagonal, that are combinations of others: independent[i] stays or
 * becomes 1 for all rows but these.  A share of new direction below 1e-6 is none.  1: it cannot be
 * told; -1: no memory. */
int saddle_rank(struct saddle *s, const double *mass, const double *k, int *independent);
/* out := K x, or K^T x added to out. */
void saddle_multiply(const struct saddle *s, const double *k, const double *x, double *out);
void saddle_multiply_t(const struct saddle *s, const double *k, const double *x, double *out);
#endif
