/* samples.h - a motion that goes on with other values of some states, and samples of a controller by a
 * kernel. */
#ifndef KEEL_CORE_SAMPLES_H
#define KEEL_CORE_SAMPLES_H

#include "core/engine.h"

/* What steps have learned, and a restart at the same time with other values would forget. */
struct pace {
    double h_next, taken;
    int direction;
    keel_defect defect;
};

struct pace samples_pace(const struct engine *e);
void samples_keep(struct engine *e, const struct pace *pace); /* after the restart */

/* keel_run_samples */
long samples_run(struct engine *e, double period, double next, long most, long steps);
#endif
