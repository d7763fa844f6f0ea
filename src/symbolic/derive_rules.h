/* derive_rules.h - the derivative of each operation, and sums and products that drop structural zeros. */
#ifndef KEEL_SYMBOLIC_DERIVE_RULES_H
#define KEEL_SYMBOLIC_DERIVE_RULES_H

#include "symbolic/derive.h"

/* The structural zero: 0 + x = x, 0*x = 0 and 0/x = 0 here, whatever x.  Factors 2^k are drawn together. */
expr derive_zero(struct graph *g);
int derive_is_zero(const struct graph *g, expr e);
expr derive_add(struct graph *g, expr a, expr b);
expr derive_sub(struct graph *g, expr a, expr b);
expr derive_mul(struct graph *g, expr a, expr b);
expr derive_div(struct graph *g, expr a, expr b);

/* f * d e / d operand k, for every operation but IF, MIN, MAX and truths. */
expr derive_chain(struct graph *g, expr e, int k, expr f);
/* The divisor of a quotient, or the base of a negative power, may grow as exp(u) does: exp(u), cosh(u),
 * sinh(u), 1 + exp(u) and their powers.  Then this is de/du, inner is u, and all stays finite where the
 * operand overflows and e is 0.  So it is for powers of a square root: inner is what stands under it.
 * Otherwise EXPR_NONE, and inner is left alone. */
expr derive_decay(struct graph *g, expr e, int k, expr *inner);
/* May e be differentiated, varies[i] being 0 where its operand i does not?  If not, it becomes the obstacle.
 */
int derive_passable(struct derive *d, expr e, const int varies[3]);
#endif
