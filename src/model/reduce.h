/* reduce.h - unknowns of a block that leave it by sums and differences of its equations.
 *
 * z are the highest derivatives of a block, E_i its equations.  Two kinds of them can be solved for one
 * unknown without a coefficient ever being multiplied:
 *
 *   a row      a z_1 +- a z_2 .. = ..   (a a number)            z_1 is put into all other equations;
 *   a column   E_i = e z + .., E_k = +-e z + .., ..             E_k becomes E_k -+ E_i,
 *              (e of numbers and parameters; where it is 0 the block is singular)
 *
 * as are u = a.v - b.v with u a state, and the balances of the two nodes of a source.  An equation of one
 * unknown, and an unknown of one equation, are the ends of both kinds; their slope is such an e.
 * Newton's method has the same iterates with and without the unknowns that leave: it does not feel constant
 * combinations of equations, nor of unknowns; and det F_y only changes by the factor of the pivots.
 *
 * It does feel where it begins.  What leaves by a row with a source in it has no guess of its own, and leaves
 * only where it is linear in all rows, or the rest of the row neither jumps nor begins far from 0.
 *
 * Rows and columns stay short, and together they have no more entries than before (Markowitz), so that what
 * is sparse stays so.  Unknowns with a start value, a guess or a tolerance of their own stay, too. */
#ifndef KEEL_MODEL_REDUCE_H
#define KEEL_MODEL_REDUCE_H

#include "model/formulation.h"

/* What has become of the reduced system, by its rows and columns. */
struct reduce {
    struct formulation *r;
    expr *equation;       /* [rows] f_i^(c_i), what has left it replaced */
    int *solves;          /* [rows] the column it gives: the matched one, or that which has left by it */
    expr *top;            /* [columns] the unknown in terms of those that stay; EXPR_NONE: not known so */
    int *turn, turns;     /* [rows] when it took its unknown with it, from 1; 0: it stays */
    unsigned char *stays; /* [columns] its own value is asked for */
    unsigned char *jumps; /* [columns] it may be assigned, or does not begin at 0 */
    int *column_of;       /* [unknowns] the column; -1: none */
    int *row_of;          /* [equations] the row; -1: none */
    int *number;          /* [columns] 1 + the place in the block at work; 0: not in it */
};

/* The column of an unknown or of a derivative of one; -1: none. */
int reduce_column(const struct reduce *w, expr symbol);
/* 1; 0 without memory. */
int reduce_open(struct reduce *w, struct formulation *r);
/* A block of the motion; or of a direction (tangent.h), whose unknowns leave as those of the motion did, all
 * or none.  row[count] is put in order: first those that stay.  1; 0 without memory. */
int reduce_block(struct reduce *w, int count, int *row);
#endif
