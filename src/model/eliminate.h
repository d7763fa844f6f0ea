/* eliminate.h - accelerations and multipliers of mechanics, solved for on paper.
 *
 * They are the block
 *
 *     [ M  K^T ] [ q''    ]
 *     [ K   0  ] [ lambda ] = -b,
 *
 * and their sensitivities in each direction a block with the same matrix and another b.  M is positive
 * definite and K has full rank, so that elimination needs no pivots in the order q'', lambda: it meets the
 * squares of Cholesky's factors of M, then, with the other sign, those of K M^-1 K^T.  The block of a
 * hamiltonian, q'' = H_pp p' + .., p' = -K^T lambda + .., K q'' = .., ends in K H_pp K^T.  As expressions the
 * factors of all these blocks are the same nodes of the graph: every direction adds the work of one solve.
 * Derivatives of what many rows become would keep the C compiler busy for minutes, and are left out. */
#ifndef KEEL_MODEL_ELIMINATE_H
#define KEEL_MODEL_ELIMINATE_H

#include "model/formulation.h"

enum { ELIMINATE_SHORT = 8 }; /* rows whose solution is short enough for derivatives by all states */

/* The rows row[count] of the reduced system: top[j] of their columns j becomes an expression in which no
 * highest derivative of the block is left.  1; 0: they are no such block, or too many, and top is as it was.
 */
int eliminate_block(struct formulation *r, int count, const int *row, expr *top);
#endif
