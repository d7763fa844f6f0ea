/* test_stiffness.c - keel_stiffness_at: h |lambda| and the damping of what is fastest; steps at the end of
 * the stability region are seen; looking changes nothing. */
#include "testing.h"

#include <keel/diagnostics.h>

/* A slow motion x' = -x + cos t, beside y'' + 2 d w y' + w^2 (y - sin t) = 0 as a system. */
static int swing(double t, const double *u, double *out, void *user) {
    const double *p = user, w = p[0], d = p[1];
    out[0] = -u[0] + cos(t);
    out[1] = w * u[2];
    out[2] = -w * (u[1] - sin(t)) - 2 * d * w * u[2];
    return 0;
}

static keel_solver *open_swing(double *parameter, const char *method, double step) {
    static const double start[3] = {1, 0.1, 0};
    keel_problem p = {
        .form = KEEL_ODE, .n = 3, .u0 = start, .user = parameter, .f = {.count = 3, .value = swing}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = method, .step = step, .rtol = 1e-6});
    assert_ok(s, keel_state_of(s));
    return s;
}

/* A pair of eigenvalues, or the larger one of two real ones. */
static void eigenvalues_are_found(void **state) {
    (void)state;
    static const double damping[] = {0, 0.3, 0.9, 2};
    for (int k = 0; k < 4; k++) {
        double parameter[2] = {100, damping[k]}, d = damping[k], size = d > 1 ? d + sqrt(d * d - 1) : 1;
        for (int fixed = 0; fixed < 2; fixed++) {
            keel_solver *s = open_swing(parameter, "dopri5", fixed ? 1e-3 : 0);
            keel_stiffness found;
            for (int i = 0; i < 20; i++) assert_ok(s, keel_step(s, 1));
            double h = keel_time(s) - keel_time_before(s);
            assert_int_equal(keel_stiffness_at(s, &found), KEEL_OK);
            assert_within(found.product / (h * 100 * size), 0.9, 1.1);
            assert_within(found.damping, fmin(d, 1) - 0.1, fmin(d, 1) + 0.1);
            keel_close(s);
        }
    }
}

/* The rest of the transient is below the tolerance: h |lambda| stays near 6. */
static void steps_that_stability_bounds_are_seen(void **state) {
    (void)state;
    double parameter[2] = {1e4, 1};
    keel_solver *s = open_swing(parameter, "dop853", 0);
    keel_stiffness found;
    for (int i = 0; i < 300; i++) {
        assert_ok(s, keel_step(s, 10));
        if (i < 150) continue;
        assert_int_equal(keel_stiffness_at(s, &found), KEEL_OK);
        assert_within(found.product, 4, 8);
        assert_within(found.damping, 0.9, 1.1);
    }
    keel_close(s);
}

static void looking_changes_nothing(void **state) {
    (void)state;
    static void (*const fill[])(problem *) = {problem_chemakzo, problem_car_axis, problem_robertson};
    for (int k = 0; k < 3; k++) {
        problem p;
        fill[k](&p);
        keel_solver *s[2];
        for (int i = 0; i < 2; i++) {
            s[i] = keel_open(&p.keel, &(keel_options){.method = "dop853", .rtol = 1e-6});
            for (int step = 0; step < 40; step++) {
                keel_stiffness found;
                assert_ok(s[i], keel_step(s[i], p.t_end));
                if (i) assert_int_equal(keel_stiffness_at(s[i], &found), KEEL_OK);
            }
        }
        assert_true(keel_time(s[0]) == keel_time(s[1]));
        assert_memory_equal(keel_state(s[0]), keel_state(s[1]), (size_t)p.keel.n * sizeof(double));
        assert_int_equal(keel_statistics(s[0]).calls, keel_statistics(s[1]).calls);
        keel_close(s[0]);
        keel_close(s[1]);
    }
}

static void it_may_be_unknown(void **state) {
    (void)state;
    double parameter[2] = {1, 1};
    keel_solver *s = open_swing(parameter, "dop853", 0);
    keel_stiffness found;
    assert_int_equal(keel_stiffness_at(NULL, &found), KEEL_EINVAL);
    assert_int_equal(keel_stiffness_at(s, NULL), KEEL_EINVAL);
    assert_int_equal(keel_stiffness_at(s, &found), KEEL_RETRY); /* no step yet */
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_are_found),
        cmocka_unit_test(steps_that_stability_bounds_are_seen),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(it_may_be_unknown),
    };
    return cmocka_run_group_tests_name("stiffness", tests, NULL, NULL);
}
