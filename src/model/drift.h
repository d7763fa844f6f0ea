/* drift.h - the rows of the certificate as expressions, so that they can be looked at between steps, too. */
#ifndef KEEL_MODEL_DRIFT_H
#define KEEL_MODEL_DRIFT_H

#include "model/inside.h"

/* 1, or 0 with a message. */
int drift_open(struct keel_model *m);
void drift_close(struct keel_model *m);
#endif
