/* spectrum.h - what the eigenvalues of d f / d x say about a stiff problem beside its time scales. */
#ifndef KEEL_CORE_SPECTRUM_H
#define KEEL_CORE_SPECTRUM_H

#include "core/engine.h"

/* Is there a part that is hardly damped, and not much slower than the fastest one?  0 beyond 100 unknowns,
 * and where it cannot be told; -1: no memory. */
int spectrum_swings(struct engine *e);
#endif
