/* test_step_limits.c - steps that tolerances, the clock, a singularity or the options do not let go on: the
 * run ends with a sentence, and only where it must. */
#include "testing.h"
#include "ends.h"

static int explode(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0];
    return 0;
}

static void a_singularity_ends_with_the_time_it_was_met(void **state) {
    (void)state;
    static const double one[] = {1};
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    for (int i = 0; i < 4; i++) {
        keel_problem p = {.n = 1, .u0 = one, .f = MAP(1, explode)};
        keel_options o = {.method = methods[i]};
        expect_end(methods[i], &p, &o, 2, KEEL_ESTEP,
                   "step size fell to|at t = 1|singularity|tolerance|rtol 1e-06");
    }
    no_failures();
}

static int unit_growth(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int i = 0; i < 4; i++) out[i] = u[i];
    return 0;
}

static void a_component_that_stays_zero_needs_no_absolute_tolerance(void **state) {
    (void)state;
    static const double start[] = {1, 0, 0, 0}, none[] = {0, 0, 0, 0};
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    for (int i = 0; i < 4; i++) {
        keel_problem p = {.n = 4, .u0 = start, .f = MAP(4, unit_growth)};
        keel_options o = {.atol_each = none, .method = methods[i]};
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_run(s, 1));
        assert_below(fabs(keel_state(s)[0] - exp(1.0)), 1e-5);
        assert_true(keel_state(s)[1] == 0);
        keel_close(s);
    }
}

static void a_relative_tolerance_at_a_zero_crossing_is_met_or_ends_in_a_sentence(void **state) {
    (void)state;
    static const double start[] = {1, 0}, none[] = {0, 0};
    keel_problem p = {.n = 2, .u0 = start, .f = MAP(2, spin)};
    keel_options o = {.atol_each = none, .rtol = 1e-12};
    keel_solver *s = keel_open(&p, &o);
    keel_status status = keel_run(s, 10);
    if (status != KEEL_OK)
        check_status("zero crossing", s, status, KEEL_ESTEP, "tolerance that cannot be met");
    if (status == KEEL_OK) assert_below(fabs(keel_state(s)[0] - cos(10.0)), 1e-9);
    keel_close(s);
    no_failures();
}

static void a_fixed_step_the_clock_cannot_resolve_is_refused(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    p.t0 = 1e9;
    keel_options o = {.step = 1e-9};
    expect_end("clock", &p, &o, 1e9 + 1, KEEL_ESTEP, "step = 1e-09|clock|t = 1000000000");
    o = (keel_options){.max_step = 1e-9};
    expect_end("clock adaptive", &p, &o, 1e9 + 1, KEEL_ESTEP, "step size|clock|t = 1000000000");
    no_failures();
}

static void too_many_steps_end_with_how_far_they_led(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    keel_options o = {.max_steps = 7, .max_step = 0.01};
    expect_end("adaptive", &p, &o, 1, KEEL_ELIMIT, "7 steps|t = 0.0|max_steps");
    o = (keel_options){.max_steps = 7, .step = 0.01};
    expect_end("fixed", &p, &o, 1, KEEL_ELIMIT, "7 steps|t = 0.07|max_steps");
    no_failures();
}

static void the_limit_of_steps_counts_in_each_call(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    keel_options o = {.max_steps = 10, .step = 0.1};
    keel_solver *s = keel_open(&p, &o);
    for (int i = 1; i <= 5; i++) assert_int_equal(keel_run(s, i), KEEL_OK);
    keel_close(s);
}

static void equal_steps_that_miss_the_end_are_refused_and_harmless(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    keel_options o = {.method = "abm4", .step = 0.01};
    keel_solver *s = keel_open(&p, &o);
    assert_int_equal(keel_run(s, 1), KEEL_OK);
    check_status("adams", s, keel_run(s, 1.995), KEEL_EINVAL, "abm4 needs equal steps|t_end = 1.99|0.01");
    assert_int_equal(keel_state_of(s), KEEL_OK);
    assert_ok(s, keel_run(s, 2));
    assert_below(fabs(keel_state(s)[0] - cos(2.0)), 1e-8);
    keel_close(s);
    no_failures();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_singularity_ends_with_the_time_it_was_met, begin),
        cmocka_unit_test_setup(a_component_that_stays_zero_needs_no_absolute_tolerance, begin),
        cmocka_unit_test_setup(a_relative_tolerance_at_a_zero_crossing_is_met_or_ends_in_a_sentence, begin),
        cmocka_unit_test_setup(a_fixed_step_the_clock_cannot_resolve_is_refused, begin),
        cmocka_unit_test_setup(too_many_steps_end_with_how_far_they_led, begin),
        cmocka_unit_test_setup(the_limit_of_steps_counts_in_each_call, begin),
        cmocka_unit_test_setup(equal_steps_that_miss_the_end_are_refused_and_harmless, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
