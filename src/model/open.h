/* open.h - the steps in which a model is opened, for those who add to one: grow.h. */
#ifndef KEEL_MODEL_OPEN_H
#define KEEL_MODEL_OPEN_H

#include "model/private.h"

/* Each 1, or 0 with a message.  Mode i of the flat model: its equations analysed, its functions. */
int open_mode(struct keel_model *m, int i);
int open_problem(struct keel_model *m, int i);
int open_sides(struct keel_model *m);
int open_clock(struct keel_model *m); /* the one that is asked for, or of the options */
/* Linear invariants of each mode, as text. */
int open_linear_invariants(struct keel_model *m);
/* Start, functions and sides of the problems of all modes. */
void open_starts(struct keel_model *m);
/* What the budget allows beyond what is taken already. */
void open_allow(struct keel_model *m);
/* The same model read once more; NULL without memory. */
struct keel_model *open_again(const struct keel_model *m);
#endif
