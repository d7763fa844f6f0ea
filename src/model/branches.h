/* branches.h - branches that change the index.
 *
 * The analysis takes an equation as a whole: 0 = if(x > 0, y - x, x - 1/2) contains y.  In its second
 * branch it does not; y would then follow from d/dt of that branch, which is another system.  The offsets
 * c, d serve all branches if and only if J_ij = df_i/dx_j^(d_j - c_i) is regular in each.  That is looked
 * at, at points around the start values when the model is read, and on the way whenever a branch has
 * changed. */
#ifndef KEEL_MODEL_BRANCHES_H
#define KEEL_MODEL_BRANCHES_H

#include "symbolic/tape.h"
#include "model/formulation.h"

struct branches {
    int there; /* J has branches */
    const struct formulation *formulation;
    struct tape entries;
    int *row, *first, *number, blocks; /* of J */
};

/* J, for surface_freeze, where it has branches: 1, or 0 without memory. */
int branches_find(struct formulation *r);
/* What a check needs: 1, or 0 without memory.  branches_close in any case. */
int branches_open(struct branches *b, const struct formulation *r);
void branches_close(struct branches *b);
/* The equation of a block that is singular at (t, u), for the sides in `parameter`; -1: none is; -2: no
 * memory.  by_zeros: singular by its zeros, whatever the other entries are; one point may be singular by
 * accident. */
int branches_singular(const struct branches *b, double t, const double *u, const double *parameter,
                      int by_zeros);
/* At points around the start values: 1, or 0 with a message. */
int branches_check(const struct branches *b, const struct tape *event, const double span[2],
                   const double *parameter, int parameters);
/* "the `if` of line 3 changes ...": a sentence about that equation. */
void branches_sentence(const struct branches *b, int equation, char *out, size_t capacity);
#endif
