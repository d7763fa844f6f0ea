/* sim_sample.h - plain samples, as of a controller: `every T -> u := ..`, where nothing else follows the
 * states that are assigned.
 *
 * A sample ends a step, and the rate after it is another; all else that an event may bring (rows, modes,
 * jumps, surfaces, held values, observers) is absent, and asked for once and not at every sample. */
#ifndef KEEL_MODEL_SIM_SAMPLE_H
#define KEEL_MODEL_SIM_SAMPLE_H

#include "model/sim.h"

/* Is an event a plain sample?  It stays in its mode, and nothing there follows the states that it assigns but
 * algebraic variables: no rows, surfaces, impulses, sensitivities or located events. */
int sim_sample_is_plain(const struct keel_sim *s, const struct inside_event *own);
/* What is left of an action there, at t, where the run stands. */
keel_status sim_sample_take(struct keel_sim *s, const struct inside_event *own, double t);

/* Has the mode in force no events but plain samples, and is nobody told of them?  Then the one at t and all
 * others before t_end act in one loop, while the run has less than `most` steps; tell: the observer sees
 * each.  KEEL_OK: the rest of the way is as any; else what the solver or an action says. */
int sim_sample_alone(const struct keel_sim *s);
keel_status sim_sample_all(struct keel_sim *s, double t, double t_end, long most, int tell);
#endif
