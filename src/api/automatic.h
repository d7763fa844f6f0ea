/* automatic.h - options.method "auto": explicit steps, and those of a stiff method while the motion is
 * stiff. */
#ifndef KEEL_API_AUTOMATIC_H
#define KEEL_API_AUTOMATIC_H

#include "core/engine.h"

int automatic_asked(const keel_options *o);
/* Looks at its steps from now on, where the problem may be stiff: not where an energy is conserved. */
void automatic_watch(struct engine *e);
/* The method that a saved state was left with; NULL: none that "auto" takes. */
const keel_stepper *automatic_saved(const void *bytes, size_t count);
/* With the method that the looks ask for.  The same engine: there is none that takes the problem.  NULL: no
 * memory. */
struct engine *automatic_change(struct engine *old);
#endif
