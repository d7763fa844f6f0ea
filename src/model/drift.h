/* drift.h - the rows of the certificate over all modes, to be looked at between steps, too. */
#ifndef KEEL_MODEL_DRIFT_H
#define KEEL_MODEL_DRIFT_H

#include "model/private.h"

/* 1, or 0 with a message. */
int drift_open(struct keel_model *m);
/* value - start of all rows at the unknowns u of the mode in force. */
keel_status drift_at(struct keel_sim *s, double t, const double *u, int rows, double *drift);
#endif
