/* lyapunov.h - Lyapunov exponents of a model: how fast motions that begin side by side part.
 *
 *     keel_model *m = keel_model_load("lorenz.keel", &(keel_model_options){.sensitivity = "*"});
 *     keel_lyapunov *l = keel_lyapunov_run(m, &(keel_options){.rtol = 1e-9}, &(keel_lyapunov_options){0});
 *     keel_exponent e;
 *     for (int i = 0; keel_lyapunov_at(l, i, &e); i++) printf("%g +- %g\n", e.value, e.error);
 *
 * The model is read with the sensitivities to all free start values, "*": they span the tangent space of what
 * its constraints allow.  An invariant adds the exponent 0 in the direction across its level sets: the
 * vectors stay within them, and these exponents are left out and named. */
#ifndef KEEL_LYAPUNOV_H
#define KEEL_LYAPUNOV_H

#include <keel/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a sound default. */
typedef struct keel_lyapunov_options {
    double t_end;                              /* 0: as the model's `run` has it */
    double transient;                          /* the time before counting begins; 0: a tenth of the run */
    void (*progress)(double part, void *user); /* told how far it is, 0 .. 1; NULL: nobody asks */
    void *user;
} keel_lyapunov_options;

/* error: the standard error of the mean over blocks of time, with what the errors of the steps and a growth
 * by powers of t may add. */
typedef struct keel_exponent {
    double value, error;
} keel_exponent;

typedef struct keel_lyapunov keel_lyapunov;

/* NULL only without memory; whether it came to its end is in keel_lyapunov_status. */
KEEL_API keel_lyapunov *keel_lyapunov_run(const keel_model *m, const keel_options *o,
                                          const keel_lyapunov_options *with);
KEEL_API keel_status keel_lyapunov_status(const keel_lyapunov *l);
KEEL_API const char *keel_lyapunov_message(const keel_lyapunov *l); /* why it did not; "" */
KEEL_API int keel_lyapunov_at(const keel_lyapunov *l, int i,
                              keel_exponent *out); /* the largest first; 0: no more */
/* The i-th exponent as it was known after so many blocks of time, and when that was.  0: no such block. */
KEEL_API int keel_lyapunov_course(const keel_lyapunov *l, int i, int block, double *t, double *value);
/* Of all of them: the mean of div f, the rate at which volumes grow.  0: there are none. */
KEEL_API int keel_lyapunov_sum(const keel_lyapunov *l, keel_exponent *out);
/* The i-th invariant whose exponent 0 is left out; NULL: no more. */
KEEL_API const char *keel_lyapunov_left_out(const keel_lyapunov *l, int i);
KEEL_API void keel_lyapunov_close(keel_lyapunov *l);

#ifdef __cplusplus
}
#endif
#endif
