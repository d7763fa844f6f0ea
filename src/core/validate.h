/* validate.h - do problem, options and stepper and stabilizer fit together?  One sentence if not. */
#ifndef KEEL_CORE_VALIDATE_H
#define KEEL_CORE_VALIDATE_H

#include <keel/stabilizer.h>

/* KEEL_OK, KEEL_EINVAL with the reason in text, or KEEL_ENOMEM. */
keel_status validate(const keel_problem *p, const keel_options *o, const keel_stepper *method,
                     const keel_stabilizer *stabilizer, char *text, size_t capacity);
#endif
