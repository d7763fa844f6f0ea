/* stage_sums.h - sums over the stages of a step, rounded once (keel/implicit.h), for any number of them. */
#ifndef KEEL_STAGE_SUMS_H
#define KEEL_STAGE_SUMS_H

#include <keel/implicit.h>

#include "base/twofold.h"

void stage_weights_set(keel_stage_weights *w, int j, struct twofold value);

/* A keel_stage_summer. */
void stage_sums(const keel_stage_weights *w, int rows, int s, long width, const double *k, double *out);
#endif
