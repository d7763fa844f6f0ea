/* touch.h - which events the assignments of an event act on. */
#ifndef KEEL_MODEL_TOUCH_H
#define KEEL_MODEL_TOUCH_H

#include "model/private.h"

/* By event of mode `to`: may the assignments of an event set it off?  In the pool; NULL: there is no memory,
 * or the budget is used up. */
unsigned char *touch_events(struct keel_model *m, const struct model_event *event, int to);
#endif
