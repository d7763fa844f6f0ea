/* validate.h - do problem, options and stepper fit together?  One sentence if not. */
#ifndef KEEL_CORE_VALIDATE_H
#define KEEL_CORE_VALIDATE_H

#include <keel/method.h>

/* 1, or 0 with the reason in text. */
int validate(const keel_problem *p, const keel_options *o, const keel_stepper *method, char *text,
             size_t room);
#endif
