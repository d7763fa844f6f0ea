/* vary.h - one model with other parameters and start values, run after run, on any number of threads.
 *
 * What the values decide is found once: which parameters follow from them, the `init` and `guess` values, the
 * ends of the run.  A member then costs a vector of parameters, a consistent start and an opened solver; the
 * model is only read.  Where more depends on the values (a parameter decides the structure, a tolerance, an
 * `init` of what is no state) each member is read as a model of its own: the same results, more slowly. */
#ifndef KEEL_MODEL_VARY_H
#define KEEL_MODEL_VARY_H

#include "keel/ensemble.h"
#include "model/sim.h"

/* An expression of parameters and t, with the order in which its nodes are evaluated. */
struct vary_formula {
    expr value; /* EXPR_NONE: none */
    struct expr_list order;
};

/* What varies: a parameter, or the start value at a place of the unknowns; the other is -1. */
struct vary_one {
    char *name;
    int parameter, place;
};

/* A parameter that follows from what varies. */
struct vary_dependent {
    int parameter;
    struct vary_formula formula;
};

/* A start value by `init` or `guess`; its number is that of the node `value`. */
struct vary_given {
    expr value;
    int place;
};

struct keel_variation {
    keel_model *m;
    int count, dependents, givens, parameters;
    struct vary_one *one;
    struct vary_dependent *dependent; /* in the order of their numbers */
    struct vary_given *given;
    struct vary_formula begin, end, from, to;
    struct expr_list order; /* of all given values, and of those held at the start */
    expr *held;             /* [helds] the expression of each; EXPR_NONE: 0 */
    unsigned char *moves;   /* [parameters] it varies, or follows from what does */
    unsigned char *fixed;   /* [n + m] of the first mode */
    size_t nodes;           /* numbers of nodes are below this */
    int anew;               /* each member is a model of its own */
    keel_status status;
    char message[640];
};

/* vary_start.c: the run of a member by what was found once.  NULL: it cannot be had so, or without memory;
 * then reading the values anew tells why. */
struct keel_sim *vary_quick(const struct keel_variation *v, const struct keel_sim *like,
                            const keel_options *o, const double *value);
/* The same in place of an open run, by keel_vary_again. */
struct vary_again;
void vary_again_close(struct vary_again *a);
/* Are the rows treated as with the model's own values? */
int vary_treats_alike(const struct keel_sim *s, const struct keel_sim *like);
/* The parameters with these values, and the ends of the run; number: [nodes].  1; 0: one is not finite. */
int vary_parameters(const struct keel_variation *v, const double *value, double *parameter, double *number);
int vary_span(const struct keel_variation *v, const double *parameter, double *number, double span[2]);
#endif
