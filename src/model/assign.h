/* assign.h - assignments from outside, as `--set a=3` or `ball[2].r[1]' = 0`. */
#ifndef KEEL_MODEL_ASSIGN_H
#define KEEL_MODEL_ASSIGN_H

#include "base/dictionary.h"
#include "lang/syntax.h"

/* The names of the unknowns of a file.  0 without memory. */
int assign_unknowns(struct dictionary *unknowns, const struct syntax_file *file);
/* Is the name before the sign that of an unknown?  Then a start value is meant. */
int assign_is_start(const struct dictionary *unknowns, const char *assignment);
#endif
