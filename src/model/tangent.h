/* tangent.h - the variational model: sensitivities as further unknowns.
 *
 * For a parameter or start value p every unknown x_j, and every multiplier, gets a companion S_j = dx_j/dp,
 * named `d/dp x_j`.  Every equation f = 0 gets the equation linearised along the motion,
 *
 *     D f = sum_jk df/dx_j^(k) S_j^(k) + df/dp = 0,
 *
 * every invariant I the invariant D I, every output y the output D y, every start value x_j = e(p) the start
 * value S_j = D e.  The structure analysis then finds the hidden equations of both: the linearised
 * constraints and what they hide are rows of the manifold like any other.  System Jacobian and offsets of
 * the companions are those of the unknowns, so that the index is that of the model. */
#ifndef KEEL_MODEL_TANGENT_H
#define KEEL_MODEL_TANGENT_H

#include "model/private.h"

/* Companions of all unknowns, with start values, invariants and outputs, for m->sensitivity.  1, or 0 with a
 * message. */
int tangent_add(struct keel_model *m);
/* The linearised equations behind those of a mode.  1, or 0 with a message or the graph failed. */
int tangent_equations(struct system *y, struct source_messages *messages);
/* How many they are at most. */
size_t tangent_count(const struct model *m, size_t equations);

/* Is equation i one of them? */
static inline int tangent_equation(const struct system *y, int i) {
    return y->origin[i].kind == SYSTEM_TANGENT;
}

/* The direction whose companion a symbol is, -1: it is none; the unknown or multiplier it belongs to. */
int tangent_direction(const struct model *m, expr symbol);
expr tangent_primal(struct model *m, expr symbol);
/* D e in direction k, of the branches in force; EXPR_NONE without memory. */
expr tangent_derivative(struct model *m, int k, expr e);
#endif
