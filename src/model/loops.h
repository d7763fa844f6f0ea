/* loops.h - closed loops: constraints of mechanics that are dependent where all of them hold.
 *
 * Three bodies in a ring of four parallel hinges have 23 constraints on 21 coordinates, and move: on the
 * manifold g = 0 the rows of G = dg/dq have rank 20.  Away from it they have not, so no count of unknowns and
 * no random point shows it.  Points of the manifold do. */
#ifndef KEEL_MODEL_LOOPS_H
#define KEEL_MODEL_LOOPS_H

#include "model/system.h"

/* Marks constraints that depend on those before them at all points of the manifold that were found, by their
 * places in the mode's list.  How many; 0 also where no such point was found, then with the gap, of which
 * `dependent` has the constraints; -1 without memory. */
int loops_dependent(const struct system *y, unsigned char *dependent, struct loops_gap *gap,
                    struct pool *pool);

/* The gap between the start values and guesses and the manifold, with the coordinates that `init` gives where
 * they are.  1; 0 without memory. */
int loops_open(const struct system *y, struct loops_gap *gap, struct pool *pool);
#endif
