/* starts.h - the state a start must give, and the ring that starts of several forms are on. */
#ifndef KEEL_TESTS_STARTS_H
#define KEEL_TESTS_STARTS_H

#include "testing.h"

#include <float.h>

#define EPS DBL_EPSILON

static inline void expect_state(const keel_solver *s, int count, const double *wanted, double tolerance) {
    const double *u = keel_state(s);
    for (int i = 0; i < count; i++)
        if (!(fabs(u[i] - wanted[i]) <= tolerance)) fail_msg("u[%d] = %.17g, not %.17g", i, u[i], wanted[i]);
}

static inline int ring(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static const char *const ring_names[] = {"ring"};
#endif
