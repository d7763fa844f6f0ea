/* test_api.c - public calls: what they promise, without a solver, with a failed one, with wrong arguments;
 * times, names and counts. */
#include "testing.h"
#include "rotation.h"

/* ---- No solver, and failed ones. ---- */

static void every_call_takes_no_solver(void **state) {
    (void)state;
    double u[2];
    keel_row row;
    keel_stats stats = keel_statistics(NULL);
    keel_close(NULL);
    assert_int_equal(keel_run(NULL, 1), KEEL_EINVAL);
    assert_int_equal(keel_step(NULL, 1), KEEL_EINVAL);
    assert_int_equal(keel_eval(NULL, 1, u), KEEL_EINVAL);
    assert_int_equal(keel_restart(NULL, 0, u), KEEL_EINVAL);
    assert_int_equal(keel_switch(NULL, &rotation, u), KEEL_EINVAL);
    assert_null(keel_fork(NULL));
    assert_int_equal(keel_save(NULL, u, sizeof u), 0);
    assert_true(isnan(keel_time(NULL)));
    assert_null(keel_state(NULL));
    assert_null(keel_multipliers(NULL));
    assert_null(keel_forces(NULL));
    assert_int_equal(keel_event(NULL), -1);
    assert_int_equal(keel_state_of(NULL), KEEL_EINVAL);
    assert_int_equal(stats.steps + stats.calls, 0);
    assert_int_equal(keel_row_at(NULL, 0, &row), 0);
    assert_string_equal(keel_message(NULL), "there is no solver");
}

/* All calls on a solver that failed with `status`; `stands`: it has a state nevertheless. */
static void try_everything(keel_solver *s, keel_status status, int stands, const char *words) {
    double u[8] = {0};
    keel_row row;
    assert_non_null(s);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(keel_state_of(s), status);
        assert_int_equal(keel_run(s, 1), status);
        assert_int_equal(keel_run(s, NAN), status);
        assert_int_equal(keel_step(s, 1), status);
        assert_int_equal(keel_switch(s, &rotation, NULL), status);
        expect_words(s, words);
        assert_int_equal(keel_state(s) != NULL, stands);
        assert_int_equal(keel_save(s, NULL, 0) > 0, stands);
        if (!stands) {
            assert_int_equal(keel_eval(s, 0, u), status);
            assert_int_equal(keel_restart(s, 0, u), status);
            assert_int_equal(keel_row_at(s, 0, &row), 0);
        }
        (void)keel_time(s);
        assert_null(keel_multipliers(s));
        assert_null(keel_forces(s));
        assert_int_equal(keel_event(s), -1);
        assert_int_equal(keel_row_at(s, -1, &row), 0);
        assert_int_equal(keel_row_at(s, 1 << 30, &row), 0);
        expect_words(s, words);
        keel_solver *equivalent = keel_fork(s);
        keel_close(s);
        s = equivalent; /* the second round with the copy */
        assert_non_null(s);
    }
    keel_close(s);
}

static int gives_up_later(double t, const double *u, double *out, void *user) {
    return t > 0.5 ? -3 : spin(t, u, out, user);
}

static void every_call_takes_a_failed_solver(void **state) {
    (void)state;
    keel_problem nothing = {.form = KEEL_MECHANICS}, late = rotation;
    try_everything(keel_open(NULL, NULL), KEEL_EINVAL, 0, "needs a problem");
    try_everything(keel_open(&nothing, NULL), KEEL_EINVAL, 0, "n = 0");
    try_everything(keel_open_abi(&rotation, NULL, 1), KEEL_EINVAL, 0, "another keel.h|compile it again");
    try_everything(keel_load(NULL, NULL, start, sizeof start), KEEL_EINVAL, 0, "needs a problem");
    try_everything(keel_load(&rotation, &(keel_options){.method = "x"}, start, 1), KEEL_EINVAL, 0,
                   "no method");
    late.f.value = gives_up_later;
    keel_solver *s = keel_open(&late, NULL);
    assert_int_equal(keel_run(s, 1), KEEL_EUSER);
    try_everything(s, KEEL_EUSER, 1, "f gave up|returned -3");
}

static void restart_clears_a_failure(void **state) {
    (void)state;
    keel_problem late = rotation;
    late.f.value = gives_up_later;
    keel_solver *s = keel_open(&late, NULL);
    assert_int_equal(keel_run(s, 1), KEEL_EUSER);
    assert_int_equal(keel_restart(s, -2, start), KEEL_OK);
    assert_int_equal(keel_state_of(s), KEEL_OK);
    assert_string_equal(keel_message(s), "");
    assert_ok(s, keel_run(s, 0.25));
    assert_below(fabs(keel_state(s)[0] - cos(2.25)), 1e-5);
    keel_close(s);
}

static void restart_without_values_goes_on_from_where_it_stands(void **state) {
    (void)state;
    keel_solver *s = keel_open(&rotation, NULL);
    assert_ok(s, keel_run(s, 1));
    assert_ok(s, keel_restart(s, 5, NULL));
    assert_true(keel_time(s) == 5);
    assert_ok(s, keel_run(s, 6));
    assert_below(fabs(keel_state(s)[0] - cos(2.0)), 1e-5);
    assert_ok(s, keel_restart(s, 0, keel_state(s)));
    assert_ok(s, keel_run(s, 1));
    assert_below(fabs(keel_state(s)[0] - cos(3.0)), 1e-5);
    keel_close(s);
}

static void restart_in_a_place_where_f_fails_is_a_failure_that_restart_clears(void **state) {
    (void)state;
    keel_problem late = rotation;
    late.f.value = gives_up_later;
    keel_solver *s = keel_open(&late, NULL);
    assert_int_equal(keel_restart(s, 3, start), KEEL_EUSER);
    expect_words(s, "f gave up at t = 3");
    assert_int_equal(keel_run(s, 4), KEEL_EUSER);
    assert_int_equal(keel_restart(s, 0, start), KEEL_OK);
    assert_ok(s, keel_run(s, 0.4));
    keel_close(s);
}

/* ---- Wrong arguments. ---- */

static void refused(keel_solver *s, keel_status got, const char *words) {
    assert_int_equal(got, KEEL_EINVAL);
    expect_words(s, words);
    assert_int_equal(keel_state_of(s), KEEL_OK);
}

static void wrong_arguments_do_no_harm(void **state) {
    (void)state;
    static const double not_finite[] = {1, NAN};
    keel_problem other = rotation, bigger = rotation, wrong = rotation, negative = rotation, none = rotation;
    double u[2] = {7, 7};
    keel_solver *s = keel_open(&rotation, NULL), *untouched = keel_open(&rotation, NULL);
    bigger.n = 3;
    wrong.f.count = 1;
    negative.m = -1;
    none.n = 0;
    refused(s, keel_eval(s, 0.5, u), "no step yet");
    for (int i = 1; i <= 3; i++) {
        assert_ok(untouched, keel_run(untouched, i));
        refused(s, keel_run(s, NAN), "t_end is not finite");
        refused(s, keel_run(s, INFINITY), "t_end is not finite");
        refused(s, keel_step(s, -INFINITY), "t_end is not finite");
        refused(s, keel_restart(s, NAN, start), "keel_restart|finite");
        refused(s, keel_restart(s, 1, not_finite), "keel_restart|finite");
        refused(s, keel_switch(s, NULL, NULL), "keel_switch needs a problem");
        refused(s, keel_switch(s, &bigger, NULL), "keel_switch|another number of unknowns");
        refused(s, keel_switch(s, &other, not_finite), "keel_switch|u0[1] is not finite");
        refused(s, keel_switch(s, &wrong, start), "f must have count n = 2");
        refused(s, keel_switch(s, &negative, start), "m = -1");
        refused(s, keel_switch(s, &none, start), "n = 0");
        assert_ok(s, keel_run(s, i));
        assert_string_equal(keel_message(s), "");
        refused(s, keel_eval(s, 10, u), "keel_eval: t = 10|not inside the last step");
        refused(s, keel_eval(s, NAN, u), "keel_eval|not inside the last step");
        refused(s, keel_eval(s, i, NULL), "keel_eval needs room");
        assert_true(u[0] == 7 && u[1] == 7);
        assert_true(same_bits(s, untouched, 2));
    }
    keel_close(s);
    keel_close(untouched);
}

static void weights_for_each_state_fit_only_problems_of_the_same_size(void **state) {
    (void)state;
    static const double weights[] = {1, 2}, three[] = {1, 2, 3};
    keel_problem bigger = rotation;
    bigger.n = 3;
    keel_options with_weights = {.norm = KEEL_GIVEN, .weights = weights}, with_atol = {.atol_each = weights};
    keel_solver *s = keel_open(&rotation, &with_weights), *a = keel_open(&rotation, &with_atol);
    refused(s, keel_switch(s, &bigger, three), "weights or tolerances for each state");
    refused(a, keel_switch(a, &bigger, three), "weights or tolerances for each state");
    keel_close(s);
    keel_close(a);
}

static void a_span_of_length_zero_is_nothing_to_do(void **state) {
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        keel_solver *s = keel_open(&rotation, &(keel_options){.step = fixed ? 0.1 : 0});
        assert_int_equal(keel_run(s, 0), KEEL_OK);
        expect_words(s, "t_end = 0|nothing to do");
        assert_int_equal(keel_step(s, 0), KEEL_OK);
        assert_int_equal(keel_statistics(s).steps, 0);
        assert_ok(s, keel_run(s, 1));
        assert_string_equal(keel_message(s), "");
        assert_int_equal(keel_run(s, 1), KEEL_OK);
        expect_words(s, "t_end = 1|nothing to do");
        keel_close(s);
    }
}

/* ---- Time. ---- */

static void runs_land_on_their_ends_exactly(void **state) {
    (void)state;
    static const double ends[] = {0.1, 0.30000000000000004, 1.0 / 3, 2, 1.9999999999999998, -1, 0, 1e-300,
                                  1e3};
    for (int fixed = 0; fixed < 2; fixed++) {
        keel_solver *s = keel_open(&rotation, &(keel_options){.step = fixed ? 0.0625 : 0, .rtol = 1e-9});
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            assert_ok(s, keel_run(s, ends[i]));
            assert_true(keel_time(s) == ends[i]);
            if (fabs(keel_state(s)[0] - cos(ends[i])) > 1e-3) fail_msg("%d: off at t = %g", fixed, ends[i]);
        }
        keel_close(s);
    }
}

static void an_end_a_rounding_away_is_no_step_away(void **state) {
    (void)state;
    static const char *const methods[] = {"rk4", "abm4"};
    for (int i = 0; i < 2; i++) {
        keel_solver *s = keel_open(&rotation, &(keel_options){.method = methods[i], .step = 0.1});
        assert_ok(s, keel_run(s, 0.3));
        assert_ok(s, keel_run(s, 0.1 * 3));
        assert_true(keel_time(s) == 0.1 * 3 && 0.1 * 3 > 0.3);
        assert_below(fabs(keel_state(s)[0] - cos(0.3)), 1e-5);
        assert_ok(s, keel_run(s, 1));
        assert_int_equal(keel_statistics(s).steps, 10);
        assert_below(fabs(keel_state(s)[0] - cos(1.0)), 1e-4);
        keel_close(s);
    }
}

static void a_step_is_one_step_and_not_beyond_the_end(void **state) {
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        keel_solver *s = keel_open(&rotation, &(keel_options){.step = fixed ? 0.1 : 0});
        long steps = 0;
        while (keel_time(s) < 2) {
            double before = keel_time(s);
            assert_ok(s, keel_step(s, 2));
            assert_int_equal(keel_statistics(s).steps, ++steps);
            assert_true(keel_time(s) > before && keel_time(s) <= 2);
        }
        assert_true(keel_time(s) == 2 && steps > 1);
        keel_close(s);
    }
}

static void a_run_goes_there_and_back_again(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    for (int multistep = 0; multistep < 2; multistep++) {
        keel_options o = {.rtol = 1e-11};
        if (multistep) o = (keel_options){.method = "abm6", .step = 1.0 / 512};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, 1));
        assert_ok(s, keel_run(s, 0));
        assert_below(error_to_exact(&p, s), 1e-8);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
}

static void a_start_that_is_not_at_zero_is_kept(void **state) {
    (void)state;
    keel_problem p = rotation;
    p.t0 = -7.5;
    keel_solver *s = keel_open(&p, NULL);
    assert_true(keel_time(s) == -7.5);
    assert_memory_equal(keel_state(s), start, sizeof start);
    assert_int_equal(keel_event(s), -1);
    keel_close(s);
}

/* ---- Methods. ---- */

static void the_methods_are_listed_once_each_with_what_they_are(void **state) {
    (void)state;
    int count = 0;
    assert_null(keel_method_at(-1));
    for (const keel_method *m; (m = keel_method_at(count)); count++) {
        assert_true(m->name[0] && m->about[0] && m->reference[0] && m->order >= 1);
        for (int i = 0; i < count; i++) assert_string_not_equal(m->name, keel_method_at(i)->name);
    }
    assert_true(count >= 10);
    assert_null(keel_method_at(count));
    assert_null(keel_method_at(1 << 30));
}

static void every_status_has_a_name_of_its_own(void **state) {
    (void)state;
    for (int a = KEEL_ELIMIT; a <= KEEL_RETRY; a++)
        for (int b = KEEL_ELIMIT; b < a; b++)
            assert_string_not_equal(keel_status_name((keel_status)a), keel_status_name((keel_status)b));
    assert_string_equal(keel_status_name((keel_status)99), "unknown status");
    assert_string_equal(keel_version(), KEEL_VERSION);
}

/* ---- What is copied, chosen, read. ---- */

/* Opens with arrays on the stack, which are gone when it returns. */
static keel_solver *open_from_arrays(const problem *p, keel_norm norm, int spoil) {
    double u0[4] = {1, 0, 0, 0}, scale[4] = {1, 2, 3, 4}, weights[4] = {1, 2, 3, 4};
    double atol[4] = {1e-9, 1e-9, 1e-9, 1e-9};
    unsigned char fixed[4] = {1, 1, 1, 1}, event_kinds[1] = {0};
    int array_of[4] = {0, 0, 1, 1}, direction[1] = {-1};
    keel_problem q = p->keel;
    keel_options o = {.norm = norm, .weights = norm == KEEL_GIVEN ? weights : NULL, .atol_each = atol};
    q.u0 = u0, q.scale = scale, q.fixed = fixed;
    q.event_kind = event_kinds, q.array_of = array_of, q.event_direction = direction;
    keel_solver *s = keel_open(&q, &o);
    if (!spoil) {
        assert_int_equal(keel_run(s, 1), KEEL_EVENT);
        return s;
    }
    memset(u0, 0xff, sizeof u0);
    memset(scale, 0xff, sizeof scale);
    memset(weights, 0xff, sizeof weights);
    memset(atol, 0xff, sizeof atol);
    memset(fixed, 0, sizeof fixed);
    memset(event_kinds, 0xff, sizeof event_kinds);
    memset(array_of, 0, sizeof array_of);
    memset(direction, 1, sizeof direction);
    memset(&q, 0, sizeof q);
    memset(&o, 0, sizeof o);
    keel_solver *equivalent = keel_fork(s);
    assert_int_equal(keel_run(s, 1), KEEL_EVENT);
    assert_int_equal(keel_run(equivalent, 1), KEEL_EVENT);
    assert_true(same_bits(s, equivalent, 4));
    keel_close(s);
    return equivalent;
}

static void arrays_of_numbers_are_copied_at_open(void **state) {
    (void)state;
    static const keel_norm norms[] = {KEEL_GIVEN, KEEL_BY_ERROR};
    problem p;
    problem_pendulum_bottom(&p, 9.81);
    for (int i = 0; i < 2; i++) {
        keel_solver *kept = open_from_arrays(&p, norms[i], 0), *spoilt = open_from_arrays(&p, norms[i], 1);
        assert_true(same_bits(kept, spoilt, 4));
        assert_ok(spoilt, keel_switch(spoilt, &p.keel,
                                      NULL)); /* with the tolerances and weights it was opened with */
        assert_ok(kept, keel_switch(kept, &p.keel, NULL));
        assert_ok(kept, keel_run(kept, 1));
        assert_ok(spoilt, keel_run(spoilt, 1));
        assert_true(same_bits(kept, spoilt, 4));
        keel_close(kept);
        keel_close(spoilt);
    }
}

static void statistics_count_calls_steps_and_events(void **state) {
    (void)state;
    problem p;
    problem_pendulum_bottom(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_run(s, 1), KEEL_EVENT);
    keel_stats stats = keel_statistics(s);
    assert_true(stats.steps > 0 && stats.calls > 11 * stats.steps && stats.events == 1);
    assert_true(stats.jacobians > 0 && stats.factorizations > 0 && stats.newton > 0 &&
                stats.corrections >= stats.steps);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_takes_no_solver),
        cmocka_unit_test(every_call_takes_a_failed_solver),
        cmocka_unit_test(restart_clears_a_failure),
        cmocka_unit_test(restart_without_values_goes_on_from_where_it_stands),
        cmocka_unit_test(restart_in_a_place_where_f_fails_is_a_failure_that_restart_clears),
        cmocka_unit_test(wrong_arguments_do_no_harm),
        cmocka_unit_test(weights_for_each_state_fit_only_problems_of_the_same_size),
        cmocka_unit_test(a_span_of_length_zero_is_nothing_to_do),
        cmocka_unit_test(runs_land_on_their_ends_exactly),
        cmocka_unit_test(an_end_a_rounding_away_is_no_step_away),
        cmocka_unit_test(a_step_is_one_step_and_not_beyond_the_end),
        cmocka_unit_test(a_run_goes_there_and_back_again),
        cmocka_unit_test(a_start_that_is_not_at_zero_is_kept),
        cmocka_unit_test(the_methods_are_listed_once_each_with_what_they_are),
        cmocka_unit_test(every_status_has_a_name_of_its_own),
        cmocka_unit_test(arrays_of_numbers_are_copied_at_open),
        cmocka_unit_test(statistics_count_calls_steps_and_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
