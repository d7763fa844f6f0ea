/* sets.h - the values that are given to a model in place of its text's: a list of "name = value". */
#ifndef KEEL_MODEL_SETS_H
#define KEEL_MODEL_SETS_H

#include "model/private.h"

/* The model's list with one more, which comes last and takes the place of an earlier one of the same name;
 * NULL without memory. */
char **sets_with(const struct keel_model *m, char *assignment, int *count);
/* The model's list from now on.  What it shares with the one before stays, in the same order. */
void sets_take(struct keel_model *m, char **list, int count);
void sets_free(char **list, int count);
#endif
