/* kink.h - where abs, sign, min, max, floor, mod and `if` change their branch.
 *
 * A method of high order loses its order on a step over a kink; adaptive steps end there instead. */
#ifndef KEEL_MODEL_KINK_H
#define KEEL_MODEL_KINK_H

#include "lang/expr.h"

enum { KINK_MOST = 32 }; /* further ones are left to the error control */

/* Expressions that change sign at the kinks of these functions; how many, or -1 without memory.  What stands
 * in a branch of an `if` is left out: it may have no value where the branch is not taken. */
int kink_find(struct graph *g, size_t count, const expr *f, expr kink[KINK_MOST]);
#endif
