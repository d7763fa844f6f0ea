/* begin.h - the start of a model: values by `init` and `guess`, made consistent. */
#ifndef KEEL_MODEL_BEGIN_H
#define KEEL_MODEL_BEGIN_H

#include "model/inside.h"

/* u0 in the first mode.  1, or 0 with an error in the model's messages. */
int begin_find(struct keel_model *m);
#endif
