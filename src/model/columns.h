/* columns.h - what a run shows: every unknown, velocities, multipliers, outputs; closed forms and trusted
 * digits for them.  The list is the same in all modes. */
#ifndef KEEL_MODEL_COLUMNS_H
#define KEEL_MODEL_COLUMNS_H

#include "model/private.h"

/* The list, and what each column is in every mode.  1, or 0 with a message. */
int columns_open(struct keel_model *m);
int columns_open_mode(struct keel_model *m, int i); /* the same of one mode */
void columns_close(struct keel_model *m);
/* The trusted digits, where they are for parameters and start values as they are now.  The same. */
int columns_references(struct keel_model *m);
#endif
