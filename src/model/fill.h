/* fill.h - the keel_problem of a mode, from its formulation and its functions. */
#ifndef KEEL_MODEL_FILL_H
#define KEEL_MODEL_FILL_H

#include "model/functions.h"

struct fill {
    keel_problem problem;
    keel_extras extras;
    /* f, algebraic, hidden, energy, constraint, rolling, invariant, mass, velocity,
     * quadratic_forms, energy_of_forms, original_f, original_g, constraint_bend */
    keel_pattern pattern[14];
};

/* Everything but start values and user. */
void fill_problem(struct fill *out, const struct formulation *r, const struct functions *f, const char *name);
/* Does what is left of the model's budget allow for the dense matrices of the problem, for its checks?  The
 * latter leave the graph failed if not. */
int fill_matrices_fit(const struct formulation *r);
int fill_checks_fit(const struct formulation *r, const struct functions *f);
#endif
