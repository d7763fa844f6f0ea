/* isolate.h - an equation solved for one unknown that stands in it once, or linearly. */
#ifndef KEEL_MODEL_ISOLATE_H
#define KEEL_MODEL_ISOLATE_H

#include "symbolic/derive.h"

/* The z with f(z) = 0 as an expression without z; EXPR_NONE: not to be had this way.
 * Where z stands once the operations around it are undone one by one, so that x' - f = 0 gives f itself and
 * no rounding is added; else, where f is linear in z, z = -f(0)/f_z. */
expr isolate_solve(struct derive *d, expr f, expr z);
/* The same for any node z, by undoing operations alone. */
expr isolate_node(struct graph *g, expr f, expr z);
/* f with z = 0 where z stands in sums and products: its terms are gone; EXPR_NONE: it stands elsewhere. */
expr isolate_rest(struct graph *g, expr f, expr z);
#endif
