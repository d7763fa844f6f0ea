/* finite.h - which part of which line has no finite value at the start. */
#ifndef KEEL_MODEL_FINITE_H
#define KEEL_MODEL_FINITE_H

#include "model/private.h"

/* An error for every line of a mode with a part that is infinite or no number at (t, u), in the words of the
 * line; how many. */
int finite_tell(struct keel_model *m, int mode, double t, const double *u);
#endif
