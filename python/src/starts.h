/* starts.h - where the runs of one reading of a model begin. */
#ifndef KEEL_PYTHON_STARTS_H
#define KEEL_PYTHON_STARTS_H

#include "binding.h"

#include <keel/ensemble.h>

enum { STARTS_NAMES = 4 }; /* lists of names whose variations are kept */

struct starts {
    keel_options options; /* of the start that is kept; their texts are in `texts` */
    char texts[200];
    void *bytes; /* the state in which runs with these options begin: verified once; NULL: none is kept */
    size_t count;
    keel_sim *like; /* an open run that stands there, for runs with other values; NULL: not yet */
    struct {
        PyObject *names; /* a tuple of texts */
        keel_variation *variation;
    } varied[STARTS_NAMES];
    int next; /* the one that is given up for another */
};

void starts_forget(struct starts *s); /* the model is to change, or to go */
/* A run from the model's start; NULL without memory. */
keel_sim *starts_open(struct starts *s, const keel_model *m, const keel_options *o);
/* The variation of these names, which the model allows without being read anew; NULL: it does not, or with an
 * exception. */
keel_variation *starts_variation(struct starts *s, keel_model *m, PyObject *names);
/* A run with these values; NULL without memory. */
keel_sim *starts_vary(struct starts *s, const keel_model *m, const keel_options *o, const keel_variation *v,
                      const double *value);
#endif
