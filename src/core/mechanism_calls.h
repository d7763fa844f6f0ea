/* mechanism_calls.h - functions of one argument that several maps of a mechanism call: M, F, K, gamma, g and
 * the energy of angles.
 *
 * Accelerations and projections take all these maps at the same few places, where a sine costs as much as ten
 * products.  So the last argument of each call and its value are kept; codegen/emit_calls.c numbers them.  A
 * compiled model has this header as text before core/mechanism.h. */
#ifndef KEEL_CORE_MECHANISM_CALLS_H
#define KEEL_CORE_MECHANISM_CALLS_H

struct mechanism_call {
    double at, value;
};
enum { MECHANISM_CALLS = 48 }; /* as codegen/emit.h numbers them at most */

/* What maps find behind `user`: what all functions of a model find there, and these. */
struct mechanism_user {
    const double *parameters;
    const double *const *tables;
    struct mechanism_call *calls;
};

static inline void mechanism_forget(struct mechanism_call *call, int count) {
    for (int i = 0; i < count; i++) call[i].at = call[i].value = __builtin_nan("");
}

/* f(x).  The same argument has the same bits: 0 and -0 are two. */
static inline double mechanism_called(struct mechanism_call *call, double x, double f(double)) {
    unsigned long long here, there;
    __builtin_memcpy(&here, &x, sizeof here);
    __builtin_memcpy(&there, &call->at, sizeof there);
    if (here != there) {
        call->value = f(x);
        call->at = x;
    }
    return call->value;
}
#endif
