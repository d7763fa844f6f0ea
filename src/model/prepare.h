/* prepare.h - see prepare.c. */
#ifndef KEEL_MODEL_PREPARE_H
#define KEEL_MODEL_PREPARE_H

#include "model/private.h"

/* Of all modes, once their columns are there.  1, or 0 with a message. */
int prepare_run(struct keel_model *m);
/* The same of the last one, and of the events that lead there. */
int prepare_last(struct keel_model *m);
void prepare_release(struct keel_model *m);
#endif
