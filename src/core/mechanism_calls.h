/* mechanism_calls.h - functions of one argument that several maps of a mechanism call: M, F, K, gamma, g and
 * the energy of angles.
 *
 * Accelerations and projections take all these maps at the same few places, where a sine costs as much as ten
 * products.  So the last argument of each call and its value are kept; codegen/emit_calls.c numbers them.  A
 * compiled model has this header as text before core/mechanism.h. */
#ifndef KEEL_CORE_MECHANISM_CALLS_H
#define KEEL_CORE_MECHANISM_CALLS_H

struct mechanism_call {
    double at, value, beside; /* beside: the cosine, where value is a sine */
};
enum { MECHANISM_CALLS = 48 }; /* as codegen/emit.h numbers them at most */

/* What maps find behind `user`: what all functions of a model find there, and these. */
struct mechanism_user {
    const double *parameters;
    const double *const *tables;
    struct mechanism_call *calls;
};

static inline void mechanism_forget(struct mechanism_call *call, int count) {
    for (int i = 0; i < count; i++) call[i].at = call[i].value = call[i].beside = __builtin_nan("");
}

/* The same argument has the same bits: 0 and -0 are two. */
static inline int mechanism_knows(const struct mechanism_call *call, double x) {
    unsigned long long here, there;
    __builtin_memcpy(&here, &x, sizeof here);
    __builtin_memcpy(&there, &call->at, sizeof there);
    return here == there;
}

/* f(x) */
static inline double mechanism_called(struct mechanism_call *call, double x, double f(double)) {
    if (!mechanism_knows(call, x)) {
        call->value = f(x);
        call->at = x;
    }
    return call->value;
}

/* Sine and cosine of x, by f. */
static inline const struct mechanism_call *mechanism_turned(struct mechanism_call *call, double x,
                                                            void f(double, double *, double *)) {
    if (!mechanism_knows(call, x)) {
        f(x, &call->value, &call->beside);
        call->at = x;
    }
    return call;
}
#endif
