/* lie.h - runs and refusals, and a problem with nothing to keep. */
#ifndef KEEL_TESTS_LIE_H
#define KEEL_TESTS_LIE_H

#include "testing.h"

static inline keel_solver *opened(const keel_problem *p, keel_options o) {
    keel_solver *s = keel_open(p, &o);
    assert_non_null(s);
    assert_ok(s, keel_state_of(s));
    return s;
}

static inline keel_solver *ran(const keel_problem *p, keel_options o, double t) {
    keel_solver *s = opened(p, o);
    assert_ok(s, keel_run(s, t));
    return s;
}

/* A field of three variables with nothing to keep, and moving with t. */
static inline int general(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[1] * u[2] - 0.3 * u[0] + cos(t);
    out[1] = sin(u[0]) + 0.5 * u[2];
    out[2] = -u[0] * u[1] + 0.2 * t;
    return 0;
}

static const double general_start[3] = {0.8, -0.5, 1.1};
static const keel_problem general_problem = {
    .form = KEEL_ODE, .name = "general", .n = 3, .u0 = general_start, .f = {.count = 3, .value = general}};

static inline void assert_refused(const keel_problem *p, keel_options o, const char *sentence) {
    o.step = 0.1;
    keel_solver *s = keel_open(p, &o);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), sentence)) fail_msg("`%s` instead of `%s`", keel_message(s), sentence);
    keel_close(s);
}
#endif
