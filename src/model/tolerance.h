/* tolerance.h - see tolerance.c. */
#ifndef KEEL_MODEL_TOLERANCE_H
#define KEEL_MODEL_TOLERANCE_H

#include "model/private.h"

/* Into the problems of all modes, which are filled in.  1, or 0 with a message. */
int tolerance_find(struct keel_model *m);
#endif
