/* search.h - the invariants among all polynomials of the generators up to a degree.
 *
 * dI/dt = sum c_k dM_k/dt is zero at every point of the manifold: c lies in the null space of the matrix of
 * the rates of the monomials M_k at random points.  Monomials that are combinations of those before them on
 * the manifold (r^2 = x^2 + y^2, multiples of constraints, constants) are no columns of it.  The columns
 * ascend by degree, so that each vector of the null space has the least degree that it can have. */
#ifndef KEEL_DISCOVER_SEARCH_H
#define KEEL_DISCOVER_SEARCH_H

#include "discover/echelon.h"
#include "discover/generator.h"
#include "discover/monomial.h"

/* coefficient * (product of parameters) * monomial */
struct search_term {
    int monomial;
    int family; /* a monomial of the parameters; 0: 1 */
    residue coefficient;
};

/* For which values of the parameters it holds. */
enum search_scope { SEARCH_ALL, SEARCH_UNKNOWN, SEARCH_THESE };

struct search_found {
    int degree, terms;
    struct search_term *term;
    residue *now; /* [terms] coefficient times parameters, as they are */
    enum search_scope scope;
    uint64_t held;         /* parameters that must keep their values: bit k is s->parameter[k] */
    int independent;       /* functionally, of those before it */
    char *text, *relation; /* relation: or NULL */
    const char *known;     /* the stated invariant that it is; "": it follows from several; or NULL */
};

struct search_stated {
    const char *name;
    expr value;
};

struct search {
    struct system *y;
    struct variety w;
    struct generators gens;
    struct monomials basis;
    struct generic_list list; /* values and rates of the generators, gradients, stated invariants */
    expr *variable;           /* [variables] that gradients are taken by: states, then other coordinates */
    int variables;
    struct derive_sparse slope, normal; /* of the generators and of the rows of the manifold, by these */
    struct search_stated *stated;       /* invariants that the model states */
    int stateds;
    uint64_t seed;
    const volatile int *stop;
    char name[24];        /* found1, found2, ... */
    int *column, columns; /* monomials that are independent, without 1 */
    int checks;           /* points beyond those that the rank needed */
    int parameters;       /* that the equations contain and that may vary */
    int *parameter;
    unsigned char *vary;         /* [model's parameters] these */
    struct monomials family;     /* of all parameters that vary, up to a small degree */
    residue *value, *rate, *row; /* [basis.count] scratch */
    residue *generator, *generator_rate;
    int points;             /* the sample: points of the manifold with the parameters as they are */
    residue *sample;        /* [points * generators] */
    residue *stated_sample; /* [stateds * SEARCH_POINTS] */
    struct search_found *found;
    int founds, capacity;
    struct search_found
        *aside; /* functions of one of those, constants: no news, nor are products with them */
    int asides, aside_capacity;
    int truncated;   /* not all products were looked at: there are too many */
    residue **other; /* [others] the null space at other values of the parameters, where these matter */
    int others;
    int unwritten;        /* found, with coefficients that are no plain fractions */
    int stopped, starved; /* by the user; without memory */
    char why[400];
};

enum { SEARCH_POINTS = 640, SEARCH_CHECKS = 12 };

/* The generators and monomials are there; all else is sought.  1; 0: stopped, starved, or why. */
int search_run(struct search *s);
void search_close(struct search *s);

/* For the parts of a search. */
/* A point: generator, generator_rate, value and rate.  vary: as in variety_point. */
int search_point(struct search *s, uint64_t seed, const unsigned char *vary);
int search_asked_to_stop(struct search *s);
/* The value of a found invariant at a point of the sample, whose monomials have these values. */
residue search_value(const struct search_found *f, const residue *value);
/* What lies in the span of the products of those found, with 1: rows by function, columns by point. */
int search_span(struct search *s, int degree, struct echelon *out);
/* Its values over the sample into row[points]. */
void search_sample(struct search *s, const struct search_found *f, residue *row);
/* Adds multiples of others to a vector of a null space, to have fewer entries.  1; 0 without memory. */
int search_shorten(int columns, residue *v, int others, residue *const *other);
void search_found_close(struct search_found *f);
#endif
