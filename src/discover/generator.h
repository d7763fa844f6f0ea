/* generator.h - what invariants are sought as polynomials of: the states, and functions of them.
 *
 * The functions are those that the model uses: exp, sin with cos, log, roots; the reciprocals of roots and of
 * what is divided by; the logarithm of a state that keeps its sign because its own derivative is a multiple
 * of it; and those that are asked for. */
#ifndef KEEL_DISCOVER_GENERATOR_H
#define KEEL_DISCOVER_GENERATOR_H

#include "discover/variety.h"
#include "model/private.h"

struct generator {
    expr base, value, rate; /* value: base or 1/base; rate: its time derivative along the motion */
    int reciprocal;         /* value is 1/base */
    int partner;            /* the generator whose reciprocal it is, or the reverse; -1: none */
    int of;                 /* it is the logarithm of this state, up to its sign; -1 */
    char *text;             /* base as text of the language, in brackets where it is a sum */
};

struct generators {
    struct graph *g;
    struct system *y;
    struct variety *w;
    struct generator *list;
    int count, capacity, states; /* the first ones are states */
    expr obstacle;               /* a function that is not smooth */
    char why[400];
};

/* `functions`: expressions of the model's names beside those it uses, comma-separated; NULL: none.  1; 0: see
 * why, "" without memory. */
int generator_find(struct generators *s, struct keel_model *m, struct variety *w, const char *functions,
                   uint64_t seed);
/* Of all that the model or the user gives in other names: v becomes x'. */
expr generator_first_names(const struct system *y, expr e);
/* The derivatives along the motion; then the graph may rest.  1 or 0. */
int generator_rates(struct generators *s);
void generator_close(struct generators *s);
#endif
