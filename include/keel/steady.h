/* steady.h - equilibria of a model, and their linear stability.
 *
 *     keel_model *m = keel_model_load("pendulum.keel", &(keel_model_options){.sensitivity = "*"});
 *     keel_steady *s = keel_steady_find(m, NULL, NULL);
 *     keel_eigenvalue e;
 *     for (int i = 0; keel_steady_eigenvalue(s, i, &e); i++) printf("%g + %g i\n", e.real, e.imaginary);
 *
 * The model is read with the sensitivities to all free start values, "*".  Newton's method goes along the
 * constraints from the model's start to where nothing moves.  The eigenvalues are those of the equations
 * linearised in the tangent space of the constraints: the finite generalized eigenvalues of the
 * differential-algebraic system. */
#ifndef KEEL_STEADY_H
#define KEEL_STEADY_H

#include <keel/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a sound default. */
typedef struct keel_steady_options {
    const char *hold; /* "mass, x": states and invariants that stay as they are at the start */
    int steps;        /* of Newton's method at most; 0: 200 */
} keel_steady_options;

typedef struct keel_steady keel_steady;
/* o: of the run that is opened.  NULL only without memory. */
KEEL_API keel_steady *keel_steady_find(const keel_model *m, const keel_options *o,
                                       const keel_steady_options *with);
KEEL_API void keel_steady_close(keel_steady *s);
/* KEEL_OK; KEEL_ELIMIT: Newton's method did not converge; another: as the message says. */
KEEL_API keel_status keel_steady_status(const keel_steady *s);
KEEL_API const char *keel_steady_message(const keel_steady *s);

typedef enum keel_stability {
    KEEL_STABLE,   /* every real part is negative: deviations die out */
    KEEL_UNSTABLE, /* one is positive: some grow */
    KEEL_UNDECIDED /* the largest is zero: the linear part does not decide */
} keel_stability;
typedef struct keel_steady_summary {
    double rate; /* the largest |x'| there, in sizes of the states */
    int steps;
    int family; /* directions in which there are other equilibria, as far as the linear part tells */
    keel_stability stability;
} keel_steady_summary;
KEEL_API int keel_steady_summarise(const keel_steady *s, keel_steady_summary *out); /* 1; 0: none was found */
KEEL_API int keel_steady_state(const keel_steady *s, int i, const char **name, double *value); /* 1; 0 */
/* The largest real part first. */
typedef struct keel_eigenvalue {
    double real, imaginary;
} keel_eigenvalue;
KEEL_API int keel_steady_eigenvalue(const keel_steady *s, int i, keel_eigenvalue *out); /* 1; 0: no more */

#ifdef __cplusplus
}
#endif
#endif
