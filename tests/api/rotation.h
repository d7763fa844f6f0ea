/* rotation.h - x' = y, y' = -x, the problem that most tests of the calls use. */
#ifndef KEEL_TESTS_ROTATION_H
#define KEEL_TESTS_ROTATION_H

#include "testing.h"

static inline int spin(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}

static const double start[] = {1, 0};
static const keel_problem rotation = {.n = 2, .u0 = start, .f = {.count = 2, .value = spin}};

static inline int same_bits(const keel_solver *a, const keel_solver *b, int count) {
    return keel_time(a) == keel_time(b) &&
           memcmp(keel_state(a), keel_state(b), (size_t)count * sizeof(double)) == 0;
}
#endif
