/* choice.h - which of dependent constraints carry the motion, as numbers that the run sets.
 *
 * Where constraints of a lagrangian follow from others wherever these hold, the structure analysis leaves
 * some of them out.  No such choice serves everywhere: in a flat position of a spatial linkage its rows
 * become dependent although all rows together keep their rank.  So all of them stay, with their multipliers:
 *
 *     M q'' + K^T lambda = F,    c_i (K_i q'' + gamma_i) + (1 - c_i) lambda_i = 0,
 *
 * c_i = 1 for rows in force and 0 for the others, frozen like the side of a switching surface.  The core sets
 * them where it finds q'' and lambda (core/choice.c).  In each direction the equations are these, linearised;
 * q'' and its sensitivities do not depend on the choice. */
#ifndef KEEL_MODEL_CHOICE_H
#define KEEL_MODEL_CHOICE_H

#include "model/formulation.h"

/* Are there such constraints, in equations that are linear and stand as they are?  r->choice, or none.  1, or
 * 0 without memory. */
int choice_find(struct formulation *r);
/* Of row i of the reduced system: the equation with its choice; EXPR_NONE: it has none, or the graph failed.
 */
expr choice_equation(struct formulation *r, int i);
/* Of the constraint that the analysis has left out as number k, with its multiplier. */
expr choice_left_equation(struct formulation *r, int k);
expr choice_left_multiplier(const struct formulation *r, int k);
/* Rows of the manifold that belong to them, of the motion and then of each direction: how many, and which. */
int choice_hidden_count(const struct formulation *r);
expr choice_hidden(struct formulation *r, int k, char *label, size_t capacity);
/* The constraint that hidden row k of the analysis is of, and that of choice_hidden; -1: none. */
int choice_of_hidden(const struct formulation *r, int equation);
int choice_of_left(const struct formulation *r, int k);
/* The places of all these in `basic` and among the algebraic equations; rows: of those of the motion, by
 * the rows of the reduced system, -1 - k for those left out.  1; 0: the equations are not linear in y. */
int choice_places(struct formulation *r, int own, const int *rows);
/* Where no constraint follows from others: the same places, with all rows in force and no c_i, for sparse
 * factors; or none.  1, or 0 without memory. */
int choice_without(struct formulation *r, int own, const int *rows);
/* The equations without what is solved for, if there are places.  1, or 0 without memory. */
int choice_offsets(struct formulation *r, int own);
#endif
