/* levels.h - the equations that the start values must meet, level by level: positions, then velocities; or
 * all at once.  An `init` of what follows from the unknowns is an equation like the others. */
#ifndef KEEL_MODEL_LEVELS_H
#define KEEL_MODEL_LEVELS_H

#include "model/initial.h"

/* Rows of expressions for the unknowns first .. first + columns - 1. */
struct level {
    int count, first, columns;
    expr *row;
};

enum { LEVELS_MOST = 2 };

/* How many `init` are about what is no state. */
int levels_asked(const struct begin *b);
/* How many; -1 without memory. */
int levels_of(struct begin *b, struct level *level);
/* left[j], j < columns: how much of the direction of unknown first + j the rows leave free at u0, the fixed
 * ones given.  1 or 0. */
int levels_left(struct begin *b, const struct level *l, double *left);
/* Moves what is not fixed in u0 to where the rows hold, by the smallest steps; 1: found, 0: u0 is as it
 * was. */
int levels_meet(struct begin *b, const struct level *l);
#endif
