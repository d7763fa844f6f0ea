/* assign.h - assignments from outside, as `--set a=3` or `ball[2].r[1]' = 0`. */
#ifndef KEEL_MODEL_ASSIGN_H
#define KEEL_MODEL_ASSIGN_H

#include "lang/syntax.h"

/* Is the name before the sign that of an unknown?  Then a start value is meant. */
int assign_is_start(const struct syntax_file *file, const char *assignment);
#endif
