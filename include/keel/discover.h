/* discover.h - invariants that nobody stated: polynomials of the states, and of the functions that the model
 * uses, that the motion keeps.
 *
 *     keel_model *m = keel_model_load("kepler.keel", NULL);
 *     keel_discovery *d = keel_discover(m, NULL);
 *     keel_found f;
 *     for (int i = 0; keel_discovery_at(d, i, &f); i++) printf("invariant %s = %s\n", f.name, f.text);
 *
 * The search is exact: all numbers are fractions, computed with modulo the prime 2^61 - 1 at random points of
 * the manifold.  What is found holds; up to the degree, and of the functions named, nothing is missed. */
#ifndef KEEL_DISCOVER_H
#define KEEL_DISCOVER_H

#include <keel/model.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a sound default. */
typedef struct keel_discover_options {
    int degree;               /* of the polynomials; 0: up to 4, as far as the limit allows */
    int limit;                /* the most monomials; 0: 2000, which take some seconds */
    const char *functions;    /* further ones of the states, comma-separated, as in "log(x), 1/(x^2 + y^2)" */
    uint64_t seed;            /* of the random points */
    const volatile int *stop; /* as in keel_options */
} keel_discover_options;

/* For which values of the parameters an invariant holds. */
typedef enum keel_found_scope {
    KEEL_FOUND_ALL,     /* all: its coefficients are numbers, or are written in the parameters */
    KEEL_FOUND_UNKNOWN, /* others have one like it, with coefficients whose form was not found */
    KEEL_FOUND_THESE    /* these: most others have none like it */
} keel_found_scope;

/* Texts live as long as the discovery, which is closed before its model. */
typedef struct keel_found {
    const char *name, *text; /* invariant name = text */
    int degree, terms;
    int independent;      /* 0: a function of those before it, as its gradient shows */
    const char *relation; /* then: the equation between them, in their names; NULL: none was found */
    keel_found_scope scope;
    const char *held;  /* the parameters that must keep their values, as in "A, B"; NULL: none */
    const char *known; /* the invariant of the model that it is; "": it follows from several; NULL: new */
    const char *doubt; /* why the model does not accept it as an invariant; NULL: it does */
} keel_found;

typedef struct keel_discovery keel_discovery;

/* NULL only without memory; whether it came to its end is in keel_discovery_status.  Nothing of the model is
 * changed that anybody sees; no run of it may be under way. */
KEEL_API keel_discovery *keel_discover(keel_model *m, const keel_discover_options *with);
KEEL_API keel_status keel_discovery_status(const keel_discovery *d);
KEEL_API const char *keel_discovery_message(const keel_discovery *d);            /* why it did not; "" */
KEEL_API int keel_discovery_at(const keel_discovery *d, int i, keel_found *out); /* 1; 0: no more */
/* What was searched: the degree, how many monomials, the i-th state or function they are made of (NULL: no
 * more). */
KEEL_API int keel_discovery_degree(const keel_discovery *d);
KEEL_API int keel_discovery_monomials(const keel_discovery *d);
KEEL_API const char *keel_discovery_function(const keel_discovery *d, int i);
/* How many were found whose coefficients are no plain fractions, so that they could not be written. */
KEEL_API int keel_discovery_unwritten(const keel_discovery *d);
/* How many numbers of the model are no plain fractions, as pi; the first of them.  They count as independent
 * of each other: an invariant that holds by a relation between them is not found. */
KEEL_API int keel_discovery_odd_numbers(const keel_discovery *d, double *first);
/* Events of the model act on its values: invariants hold between them, and may change there. */
KEEL_API int keel_discovery_between_events(const keel_discovery *d);
KEEL_API void keel_discovery_close(keel_discovery *d);

#ifdef __cplusplus
}
#endif
#endif
