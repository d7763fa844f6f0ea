/* variational.h - inside of keel_variational.
 *
 * Unknowns: x, then S of each p; then y, then Y of each p. */
#ifndef KEEL_API_VARIATIONAL_H
#define KEEL_API_VARIATIONAL_H

#include <keel/extras.h>
#include <keel/sensitivity.h>

struct constrained;

struct keel_variational {
    keel_problem of, problem;
    keel_parameters by;
    int copies, rows;                /* 1 + count; energy and invariants of `of` */
    int second;                      /* q' = v, M v' = F */
    struct constrained *constrained; /* forces of constraints, or x' by second derivatives of H; or NULL */
    double *u, *jacobian, *partial, *start, *atol, *scale;
    unsigned char *fixed;
    int *array_of, *direction, *primal; /* the latter two as in keel_variations */
    keel_extras extras;
    const char **names, **row_names, **hidden_names;
    char *text; /* of the names */
    char message[200];
};

/* constrained.c: does the problem need it?  NULL, or why it cannot be had. */
int constrained_needed(const keel_problem *p);
const char *constrained_obstacle(const keel_problem *p, const keel_parameters *by);
/* NULL without memory, or with a sentence in *why: derivatives that do not fit their functions. */
struct constrained *constrained_open(keel_variational *v, const char **why);
void constrained_close(struct constrained *c);
/* x' and S'; constraints and velocity constraints, then their derivatives in each direction. */
keel_fn constrained_rates, constrained_rows;
int constrained_row_count(const struct constrained *c);
/* The name of row i of the motion: `rod`, `d/dt rod`. */
void constrained_row_name(const struct constrained *c, int i, char *out, int capacity);
#endif
