/* initial.h - the start of a model: values by `init` and `guess`, made consistent. */
#ifndef KEEL_MODEL_INITIAL_H
#define KEEL_MODEL_INITIAL_H

#include "model/private.h"

/* LEFT_FREE: guessed, and nothing else determines it. */
enum begin_given { BEGIN_NOT_GIVEN, BEGIN_GUESSED, BEGIN_FIXED, BEGIN_LEFT_FREE };

/* What the files of the start share: the values in m->u0, and what is known about each of the n + m. */
struct begin {
    struct keel_model *m;
    struct inside_mode *mode;
    struct formulation *r;
    double t0;
    unsigned char *given;            /* enum begin_given */
    const struct model_given **from; /* the line that gave it; or NULL */
    double *last;                    /* as given */
    int implieds;                    /* `init` of what follows from the unknowns: expression - value */
    expr *implied;
};

/* u0 in the first mode.  1, or 0 with an error in the model's messages. */
int initial_find(struct keel_model *m);
#endif
