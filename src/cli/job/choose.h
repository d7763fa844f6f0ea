/* choose.h - a method from what the analysis found, and why. */
#ifndef KEEL_CLI_JOB_CHOOSE_H
#define KEEL_CLI_JOB_CHOOSE_H

#include <keel/model.h>

#include <stddef.h>

enum choose_steps { CHOOSE_ADAPTIVE, CHOOSE_FIXED, CHOOSE_REVERSIBLE };

/* The name of a stepper for the first mode.  The reason is one sentence. */
const char *choose_method(const keel_model *m, enum choose_steps steps, char *why, size_t capacity);
/* With the stabilizer that was asked for, or auto: methods with their own geometry refuse most. */
const char *choose_method_for(const keel_model *m, enum choose_steps steps, const char *stabilizer, char *why,
                              size_t capacity);
#endif
