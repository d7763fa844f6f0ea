/* monomial.h - all products of generators up to a degree, and their values at points.
 *
 * Each is a product of one before it and a generator: values and rates take two products each. */
#ifndef KEEL_DISCOVER_MONOMIAL_H
#define KEEL_DISCOVER_MONOMIAL_H

#include "discover/residue.h"

struct monomials {
    int count, generators, degree;
    int *before, *factor; /* [count] number 0 is 1, without either */
    int *degree_of;       /* [count] ascending, where all weights are 1 */
    int capacity;
};

/* How many there are of these generators up to the degree, at most; beyond this they are not counted. */
#define MONOMIAL_MANY 1e12
double monomial_count(int generators, int degree);
/* partner[k]: a generator that never stands beside generator k, or -1.  1; 0 without memory. */
int monomial_open(struct monomials *b, int generators, const int *partner, int degree);
/* The same with generators of these degrees, and no more than `most` of them: 1; 0: there are more; -1. */
int monomial_weighted(struct monomials *b, int generators, const int *weight, int degree, int most);
void monomial_close(struct monomials *b);
/* The powers of the generators in monomial i. */
void monomial_powers(const struct monomials *b, int i, int *power);
/* [count] each; rates and generator rates may be NULL. */
void monomial_values(const struct monomials *b, const residue *generator, const residue *generator_rate,
                     residue *value, residue *rate);
#endif
