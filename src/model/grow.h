/* grow.h - combinations of modes that a run enters for the first time.
 *
 * A model with several groups of modes is analysed in its first combination alone.  A run that goes to
 * another reads the model once more, for itself, and adds the combination there as one more mode: analysed,
 * with its functions, rows and events.  Numbers of modes, rows and surfaces stay what they were, so the run
 * goes on as between the modes of any model. */
#ifndef KEEL_MODEL_GROW_H
#define KEEL_MODEL_GROW_H

#include "model/sim.h"

/* The combination to which event `number` leads is a mode of the run's model.  KEEL_OK, or the run has
 * failed. */
keel_status grow_for(struct keel_sim *s, int number);
/* The same by the modes of its groups. */
keel_status grow_by(struct keel_sim *s, const int *combination);
#endif
