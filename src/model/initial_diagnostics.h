/* initial_diagnostics.h - what the core refuses at the start, told in the words of the model. */
#ifndef KEEL_MODEL_INITIAL_DIAGNOSTICS_H
#define KEEL_MODEL_INITIAL_DIAGNOSTICS_H

#include "model/initial.h"

/* Why the solver, which has failed, did not accept the start. */
void initial_diagnose(struct begin *b, const keel_solver *s);
/* An `invariant energy` that the core only watches, since H depends on t, is an error here: 1 if so. */
int initial_energy_varies(struct begin *b, const keel_solver *s);
#endif
