/* explain.h - see explain.c. */
#ifndef KEEL_MODEL_EXPLAIN_H
#define KEEL_MODEL_EXPLAIN_H

#include "model/private.h"

/* At the reading of a model, answers that walk over its graph: proofs, pairs, names of free states.  1, or 0
 * with a message. */
int explain_find(struct keel_model *m);
int explain_mode(struct keel_model *m, int i); /* the same of one mode */
#endif
