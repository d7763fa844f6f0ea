/* algebra.h - which algebraic variables are the motion's own.
 *
 * With sensitivities y is followed by Y_k = dy/dp_k, and the rows F by
 *
 *     F_y Y_k + F_x S_k + F_p = 0,
 *
 * linear in Y_k: the matrix of all is block triangular, with F_y in every block of its diagonal.  One
 * factorization serves them, and solutions part or meet in y alone: only y has branches to be followed. */
#ifndef KEEL_CORE_ALGEBRA_H
#define KEEL_CORE_ALGEBRA_H

#include "core/field.h"

#include <keel/extras.h>

/* How many of the m there are; all of them where they do not stand block by block (keel_variations). */
static inline int algebra_own(const struct field *fd) {
    const keel_variations *v = &keel_extras_of(&fd->p)->variations;
    if (v->directions == 0 || fd->m == 0 || fd->dae.any_derived) return fd->m;
    return v->direction[fd->n + fd->m - 1] < 0 ? fd->m : fd->m / (1 + v->directions);
}

/* Does F_y of the motion not depend on y? */
static inline int algebra_is_linear(const struct field *fd) {
    return keel_extras_of(&fd->p)->variations.linear && !fd->dae.any_derived;
}

/* v := F_y^-1 v of one block, by the factors that stand. */
void algebra_divide_block(const struct field *fd, int own, double *v);
/* The length of dae.step, from u, of y_first .. y_end-1, in sizes of the unknowns before or after it. */
double algebra_step_length(const struct field *fd, const double *u, int first, int end);

/* choice.c: is y accelerations and multipliers, all of them? */
int choice_serves(const struct field *fd);
static inline int choice_trades(const struct field *fd) { /* and do constraints depend on others? */
    return fd->dae.choice.serves && !fd->dae.choice.sparse;
}
void choice_layout(struct field *fd, struct arena *a);
/* If so, M and K at u, factored, with the rows in force among dependent constraints; */
keel_status choice_make(struct field *fd, double t, const double *u);
/* K_r = sum C_rj K_j there of a row that is not in force, until the next call: C_r; */
const double *choice_shares(struct field *fd, int r);
/* and y of u, with the least multipliers. */
keel_status choice_solve(struct field *fd, double t, double *u);
keel_status choice_bad_mass(struct field *fd, double t);
keel_status choice_lost_rank(struct field *fd, double t, int row);

/* choice_sparse.c: has it sparse factors? */
int choice_goes_sparse(const struct field *fd);
void choice_sparse_layout(struct field *fd, struct arena *a);
int choice_sparse_attach(struct field *fd); /* 1: no memory */
void choice_sparse_detach(struct field *fd);
keel_status choice_sparse_make(struct field *fd, double t, const double *u);
/* y of the motion, or of a direction, where its rows have these values at y = 0. */
void choice_sparse_solve(struct field *fd, const double *value, double *y);

/* algebra_staggered.c: can y be found without its sensitivities? */
int algebra_goes_staggered(const struct field *fd);
void algebra_staggered_layout(struct field *fd, struct arena *a);
/* F_y at u alone: its entries, in dae.of_y; */
keel_status algebra_own_entries(struct field *fd, double t, const double *u);
/* and where it is factored.  0: it has no values there. */
int algebra_own_matrix(struct field *fd, double t, const double *u);
/* Y_k, with y and the factors that stand; contraction: by what these shrink a step of y; known: dae.values
 * are those of u.  0: they do not settle so. */
int algebra_directions(struct field *fd, double t, double *u, double contraction, int known);
#endif
