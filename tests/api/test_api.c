/* test_api.c - every public call: what it promises, without a solver, with a failed one, with wrong
 * arguments. */
#include "testing.h"

#include <keel/method.h>

static int spin(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}

static const double start[] = {1, 0};
static const keel_problem rotation = {.n = 2, .u0 = start, .f = {.count = 2, .value = spin}};

static int same_bits(const keel_solver *a, const keel_solver *b, int count) {
    return keel_time(a) == keel_time(b) &&
           memcmp(keel_state(a), keel_state(b), (size_t)count * sizeof(double)) == 0;
}

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
        keel_solver *twin = keel_fork(s);
        keel_close(s);
        s = twin; /* the second round with the copy */
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

/* ---- Looking inside a step. ---- */

static void inside_a_step_the_rows_hold(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-10});
    double before = 0, u[4], exact[4];
    for (int i = 0; i < 10; i++, before = keel_time(s)) {
        assert_ok(s, keel_step(s, 1));
        for (int k = 0; k <= 8; k++) {
            double t = before + k / 8.0 * (keel_time(s) - before);
            assert_int_equal(keel_eval(s, t, u), KEEL_OK);
            p.exact(&p, t, exact);
            assert_below(fabs(u[0] * u[0] + u[1] * u[1] - 1), 4e-15);
            assert_below(fabs(u[0] * u[2] + u[1] * u[3]), 4e-14);
            for (int j = 0; j < 4; j++) assert_below(fabs(u[j] - exact[j]), 1e-7);
        }
        assert_memory_equal(u, keel_state(s), sizeof u);
    }
    keel_close(s);
}

static void looking_inside_changes_nothing_of_the_run(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        keel_solver *s = keel_open(&p.keel, NULL), *watched = keel_open(&p.keel, NULL);
        double u[PROBLEM_UNKNOWNS], end = fmin(p.t_end, 0.2);
        for (int k = 0; k < 12 && keel_time(s) < end; k++) {
            double before = keel_time(s);
            if (keel_step(s, end) != keel_step(watched, end) || keel_state_of(s) != KEEL_OK) break;
            assert_ok(watched, keel_eval(watched, before + 0.3 * (keel_time(s) - before), u));
            assert_ok(watched, keel_eval(watched, before + 0.9 * (keel_time(s) - before), u));
            (void)keel_multipliers(watched);
            (void)keel_forces(watched);
            if (!same_bits(s, watched, p.keel.n + p.keel.m)) fail_msg("%s", problem_name(i));
        }
        keel_close(s);
        keel_close(watched);
    }
}

/* dop853's further stages for the inside lie at a tenth, a fifth and seven ninths of the step. */
static int gap(double t, const double *u, double *out, void *user) {
    if (t > 0.09 && t < 0.11) {
        if (*(int *)user == 0) return 1;
        out[0] = out[1] = NAN;
        return 0;
    }
    return spin(t, u, out, user);
}

static int sixth(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    out[0] = t - 1.0 / 6;
    return 0;
}

static void a_step_that_cannot_be_looked_into_says_so(void **state) {
    (void)state;
    for (int not_finite = 0; not_finite < 2; not_finite++) {
        keel_problem p = rotation;
        keel_options o = {.method = "dop853", .step = 1};
        double u[2] = {7, 7};
        p.f.value = gap;
        p.user = &not_finite;
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_run(s, 1));
        assert_int_equal(keel_eval(s, 0.5, u), KEEL_EUSER);
        assert_true(strlen(keel_message(s)) > 8);
        assert_true(u[0] == 7 && u[1] == 7);
        assert_ok(s, keel_run(s, 2)); /* it did no harm */
        keel_close(s);
        p.event = (keel_map){.count = 1, .value = sixth};
        s = keel_open(&p, &o);
        assert_int_equal(keel_run(s, 1), KEEL_EUSER);
        assert_true(strlen(keel_message(s)) > 8);
        keel_close(s);
    }
}

/* ---- The observer. ---- */

struct log {
    int calls, events;
    double time[4000];
    keel_status tried[5];
};

static void note(keel_solver *s, void *user) {
    struct log *log = user;
    log->events += keel_event(s) >= 0;
    log->time[log->calls++ % 4000] = keel_time(s);
}

static void the_observer_sees_every_accepted_step_once_at_its_time(void **state) {
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        struct log log = {0};
        keel_problem p = rotation;
        keel_options o = {.observe = note, .step = mode % 2 ? 0.01 : 0, .method = mode == 3 ? "ab4" : NULL};
        p.user = &log;
        keel_solver *s = keel_open(&p, &o);
        assert_int_equal(log.calls, 0);
        if (mode < 2) assert_ok(s, keel_run(s, 1));
        while (keel_time(s) < 1) assert_ok(s, keel_step(s, 1));
        assert_int_equal(log.calls, keel_statistics(s).steps);
        for (int i = 1; i < log.calls; i++) assert_true(log.time[i] > log.time[i - 1]);
        for (int i = 0; mode % 2 && i < log.calls - 1; i++) assert_true(log.time[i] == (i + 1) * 0.01);
        assert_true(log.time[log.calls - 1] == 1);
        keel_close(s);
    }
}

static int zero_of_first(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    return 0;
}

static void passing_events_are_told_and_do_not_stop(void **state) {
    (void)state;
    static const unsigned char passing[] = {1};
    struct log log = {0};
    keel_problem p = rotation;
    p.user = &log;
    p.event = (keel_map){.count = 1, .value = zero_of_first};
    p.event_kind = passing;
    keel_solver *s = keel_open(&p, &(keel_options){.observe = note, .rtol = 1e-9});
    assert_ok(s, keel_run(s, 10));
    assert_true(keel_time(s) == 10);
    assert_int_equal(log.events, 3); /* pi/2, 3 pi/2, 5 pi/2 */
    assert_int_equal(keel_statistics(s).events, 3);
    assert_int_equal(log.calls, keel_statistics(s).steps + 3);
    for (int i = 1; i < log.calls; i++) assert_true(log.time[i] > log.time[i - 1]);
    keel_close(s);
}

enum { CROWD = 120 };

static int all_at_once(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    for (int i = 0; i < CROWD; i++) out[i] = t - 0.5;
    return 0;
}

static void many_events_at_one_time_are_all_told(void **state) {
    (void)state;
    unsigned char passing[CROWD];
    struct log log = {0};
    keel_problem p = rotation;
    memset(passing, 1, sizeof passing);
    p.user = &log;
    p.event = (keel_map){.count = CROWD, .value = all_at_once};
    p.event_kind = passing;
    keel_solver *s = keel_open(&p, &(keel_options){.observe = note});
    assert_ok(s, keel_run(s, 1));
    assert_int_equal(log.events, CROWD);
    keel_close(s);
}

static void meddle(keel_solver *s, void *user) {
    struct log *log = user;
    log->tried[0] = keel_run(s, 5);
    log->tried[1] = keel_step(s, 5);
    log->tried[2] = keel_restart(s, 0, start);
    log->tried[3] = keel_switch(s, &rotation, NULL);
    keel_close(s);
    keel_close(keel_fork(s));
    double u[2];
    log->tried[4] = keel_eval(s, keel_time(s), u);
    if (log->calls++ == 0) expect_words(s, "keel_switch|observer");
}

static void an_observer_cannot_move_the_solver_it_observes(void **state) {
    (void)state;
    struct log log = {0};
    keel_problem p = rotation;
    p.user = &log;
    keel_solver *s = keel_open(&p, &(keel_options){.observe = meddle}), *quiet = keel_open(&rotation, NULL);
    assert_ok(s, keel_run(s, 1));
    assert_ok(quiet, keel_run(quiet, 1));
    for (int i = 0; i < 4; i++) assert_int_equal(log.tried[i], KEEL_EINVAL);
    assert_int_equal(log.tried[4], KEEL_OK);
    assert_true(same_bits(s, quiet, 2));
    keel_close(s);
    keel_close(quiet);
}

/* ---- Events. ---- */

static void an_event_stops_the_run_and_the_next_call_goes_on(void **state) {
    (void)state;
    problem p;
    problem_pendulum_bottom(&p, 9.81);
    for (int fixed = 0; fixed < 2; fixed++) {
        keel_solver *s =
            keel_open(&p.keel, &(keel_options){.rtol = 1e-12, .step = fixed ? 0.005 : 0, .method = "dop853"});
        for (int k = 1; k <= 3; k++) {
            assert_int_equal(keel_run(s, 3), KEEL_EVENT);
            assert_int_equal(keel_event(s), 0);
            assert_int_equal(keel_state_of(s), KEEL_OK);
            assert_below(fabs(keel_time(s) - problem_pendulum_bottom_time(&p, k)), 1e-9);
            double here = keel_time(s);
            assert_int_equal(keel_run(s, here), KEEL_OK); /* no way to go */
            assert_int_equal(keel_event(s), -1);
            assert_true(keel_time(s) == here);
        }
        assert_ok(s, keel_run(s, 3));
        assert_below(error_to_exact(&p, s), 1e-8);
        assert_int_equal(keel_statistics(s).events, 3);
        keel_close(s);
    }
}

static int two_at_once(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    out[0] = t - 0.5;
    out[1] = 3 * (0.5 - t);
    return 0;
}

static void two_events_at_one_time_stop_twice(void **state) {
    (void)state;
    for (int stay = 0; stay < 2; stay++) {
        keel_problem p = rotation;
        p.event = (keel_map){.count = 2, .value = two_at_once};
        keel_solver *s = keel_open(&p, NULL);
        assert_int_equal(keel_run(s, 1), KEEL_EVENT);
        int first = keel_event(s);
        double t = keel_time(s);
        if (stay) assert_int_equal(keel_run(s, t), KEEL_OK);
        assert_int_equal(keel_run(s, 1), KEEL_EVENT);
        assert_int_equal(keel_event(s), 1 - first);
        assert_below(fabs(keel_time(s) - 0.5), 1e-14);
        assert_int_equal(keel_run(s, 1), KEEL_OK);
        keel_close(s);
    }
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

struct euler {
    double *spare; /* width: only to see that it is saved and copied */
};

static void euler_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p, (void)o;
    struct euler *m = w->method;
    m->spare = keel_work_doubles(w, (size_t)w->width);
}

static keel_status euler_attempt(keel_work *w, keel_attempt *a) {
    struct euler *m = w->method;
    for (int i = 0; i < w->width; i++) m->spare[i] = a->dx[i] = a->h * a->f[i];
    return KEEL_OK;
}

/* Half the difference to the explicit trapezoidal rule. */
static keel_status euler_with_estimate(keel_work *w, keel_attempt *a) {
    struct euler *m = w->method;
    euler_attempt(w, a);
    for (int i = 0; i < w->width; i++) m->spare[i] = a->x[i] + a->dx[i];
    keel_status status = keel_rate(w, a->t + a->h, m->spare, a->f_end);
    if (status != KEEL_OK) return status;
    a->f_end_known = 1;
    for (int i = 0; i < w->width && a->error[0]; i++) a->error[0][i] = 0.5 * a->h * (a->f_end[i] - a->f[i]);
    return KEEL_OK;
}

static const keel_stepper own_euler = {
    .info = {.name = "own", .about = "Euler", .reference = "Euler", .order = 1},
    .size = sizeof(struct euler),
    .layout = euler_layout,
    .attempt = euler_attempt};
static const keel_stepper own_adaptive = {
    .info = {.name = "own2", .about = "Euler", .reference = "Euler", .order = 1, .traits = KEEL_ADAPTIVE},
    .error_order = 2,
    .size = sizeof(struct euler),
    .layout = euler_layout,
    .attempt = euler_with_estimate};

static void an_own_method_gives_the_bits_of_the_same_method_here(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        keel_options own = {.own_method = &own_euler, .step = 1e-4}, ours = {.method = "euler", .step = 1e-4};
        keel_solver *a = keel_open(&p.keel, &own), *b = keel_open(&p.keel, &ours);
        assert_ok(a, keel_run(a, 5e-3));
        assert_ok(b, keel_run(b, 5e-3));
        keel_solver *twin = keel_fork(a);
        assert_ok(a, keel_run(a, 1e-2));
        assert_ok(b, keel_run(b, 1e-2));
        assert_ok(twin, keel_run(twin, 1e-2));
        assert_true(same_bits(a, b, p.keel.n + p.keel.m));
        assert_true(same_bits(a, twin, p.keel.n + p.keel.m));
        keel_close(a);
        keel_close(b);
        keel_close(twin);
    }
}

static void an_own_method_with_an_estimate_is_controlled_and_projected(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.own_method = &own_adaptive, .rtol = 1e-7});
    assert_ok(s, keel_run(s, 0.5));
    assert_below(error_to_exact(&p, s), 2e-2);
    assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

static keel_status lazy_attempt(keel_work *w, keel_attempt *a) {
    (void)w, (void)a;
    return KEEL_ENEWTON;
}

static keel_status reluctant_attempt(keel_work *w, keel_attempt *a) {
    if (a->h > 0.01) return KEEL_RETRY;
    return euler_with_estimate(w, a);
}

static void an_own_method_may_fail_or_ask_for_shorter_steps(void **state) {
    (void)state;
    keel_stepper lazy = own_adaptive, reluctant = own_adaptive;
    lazy.attempt = lazy_attempt;
    reluctant.attempt = reluctant_attempt;
    keel_solver *s = keel_open(&rotation, &(keel_options){.own_method = &lazy});
    assert_int_equal(keel_run(s, 1), KEEL_ENEWTON);
    expect_words(s, "own2 could not make a step from t = 0");
    keel_close(s);
    s = keel_open(&rotation, &(keel_options){.own_method = &reluctant, .rtol = 1e-2, .first_step = 1});
    assert_ok(s, keel_run(s, 1));
    assert_true(keel_statistics(s).steps >= 100);
    keel_close(s);
    s = keel_open(&rotation, &(keel_options){.own_method = &reluctant, .step = 0.1});
    assert_int_equal(keel_run(s, 1), KEEL_ENEWTON);
    expect_words(s, "own2 could not make a step|the step is fixed");
    keel_close(s);
}

/* ---- What is copied, chosen, read. ---- */

/* Opens with arrays on the stack, which are gone when it returns. */
static keel_solver *open_from_arrays(const problem *p, keel_norm norm, int spoil) {
    double u0[4] = {1, 0, 0, 0}, scale[4] = {1, 2, 3, 4}, weights[4] = {1, 2, 3, 4};
    double atol[4] = {1e-9, 1e-9, 1e-9, 1e-9};
    unsigned char fixed[4] = {1, 1, 1, 1}, passing[1] = {0};
    int array_of[4] = {0, 0, 1, 1}, direction[1] = {-1};
    keel_problem q = p->keel;
    keel_options o = {.norm = norm, .weights = norm == KEEL_GIVEN ? weights : NULL, .atol_each = atol};
    q.u0 = u0, q.scale = scale, q.fixed = fixed;
    q.event_kind = passing, q.array_of = array_of, q.event_direction = direction;
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
    memset(passing, 0xff, sizeof passing);
    memset(array_of, 0, sizeof array_of);
    memset(direction, 1, sizeof direction);
    memset(&q, 0, sizeof q);
    memset(&o, 0, sizeof o);
    keel_solver *twin = keel_fork(s);
    assert_int_equal(keel_run(s, 1), KEEL_EVENT);
    assert_int_equal(keel_run(twin, 1), KEEL_EVENT);
    assert_true(same_bits(s, twin, 4));
    keel_close(s);
    return twin;
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

static void given_weights_are_the_norm(void **state) {
    (void)state;
    static const double ones[] = {1, 1, 1, 1}, others[] = {1, 5, 1, 5};
    problem p;
    problem_kepler(&p, 0.6, 1);
    keel_options given = {.norm = KEEL_GIVEN, .weights = ones}, unit = {.norm = KEEL_UNIT};
    keel_solver *a = keel_open(&p.keel, &given), *b = keel_open(&p.keel, &unit), *twin;
    given.weights = others;
    keel_solver *c = keel_open(&p.keel, &given);
    twin = keel_fork(a);
    keel_solver *const all[] = {a, b, c, twin};
    for (int i = 0; i < 4; i++) assert_ok(all[i], keel_run(all[i], 5));
    assert_true(same_bits(a, b, 4) && same_bits(a, twin, 4) && !same_bits(a, c, 4));
    for (int i = 0; i < 4; i++) keel_close(all[i]);
}

static int row_of(const keel_solver *s, const char *name, keel_row *row) {
    for (int i = 0; keel_row_at(s, i, row); i++)
        if (strcmp(row->name, name) == 0) return 1;
    return 0;
}

static void the_certificate_lists_every_row_by_name_and_kind(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_ok(s, keel_run(s, 1));
    assert_true(keel_row_at(s, 0, &row) && strcmp(row.name, "rod") == 0 && row.kind == KEEL_ROW_CONSTRAINT);
    assert_true(row.treatment == KEEL_ROW_KEPT && row.start == 0 && row.unit > 0 &&
                row.drift >= fabs(row.last));
    assert_true(keel_row_at(s, 1, &row) && strcmp(row.name, "d/dt rod") == 0 &&
                row.kind == KEEL_ROW_VELOCITY);
    assert_true(keel_row_at(s, 2, &row) && strcmp(row.name, "energy") == 0 && row.kind == KEEL_ROW_ENERGY);
    assert_int_equal(row.verdict, KEEL_STRONG);
    assert_int_equal(keel_row_at(s, 3, &row), 0);
    assert_int_equal(keel_row_at(s, 0, NULL), 0);
    keel_close(s);
}

static void keep_chooses_the_rows(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_kepler(&p, 0.6, 1);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.keep = " momentum ,"});
    assert_ok(s, keel_run(s, 20));
    assert_true(row_of(s, "momentum", &row) && row.treatment == KEEL_ROW_KEPT);
    assert_below(row.units, 16);
    assert_true(row_of(s, "energy", &row) && row.treatment == KEEL_ROW_WATCHED);
    assert_true(row.units > 1e3);
    keel_close(s);
}

static void nothing_is_kept_without_being_asked_or_where_the_method_keeps_it(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "+watch"});
    assert_ok(s, keel_run(s, 1));
    for (int i = 0; keel_row_at(s, i, &row); i++) assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
    keel_close(s);
    s = keel_open(&p.keel, &(keel_options){.method = "rattle", .step = 0.01});
    assert_ok(s, keel_run(s, 1));
    assert_true(row_of(s, "rod", &row) && row.treatment == KEEL_ROW_NATIVE);
    assert_true(row_of(s, "d/dt rod", &row) && row.treatment == KEEL_ROW_NATIVE);
    assert_true(row_of(s, "energy", &row) && row.treatment == KEEL_ROW_WATCHED && row.drift > 1e-6);
    keel_close(s);
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
        cmocka_unit_test(inside_a_step_the_rows_hold),
        cmocka_unit_test(looking_inside_changes_nothing_of_the_run),
        cmocka_unit_test(a_step_that_cannot_be_looked_into_says_so),
        cmocka_unit_test(the_observer_sees_every_accepted_step_once_at_its_time),
        cmocka_unit_test(passing_events_are_told_and_do_not_stop),
        cmocka_unit_test(many_events_at_one_time_are_all_told),
        cmocka_unit_test(an_observer_cannot_move_the_solver_it_observes),
        cmocka_unit_test(an_event_stops_the_run_and_the_next_call_goes_on),
        cmocka_unit_test(two_events_at_one_time_stop_twice),
        cmocka_unit_test(the_methods_are_listed_once_each_with_what_they_are),
        cmocka_unit_test(every_status_has_a_name_of_its_own),
        cmocka_unit_test(an_own_method_gives_the_bits_of_the_same_method_here),
        cmocka_unit_test(an_own_method_with_an_estimate_is_controlled_and_projected),
        cmocka_unit_test(an_own_method_may_fail_or_ask_for_shorter_steps),
        cmocka_unit_test(arrays_of_numbers_are_copied_at_open),
        cmocka_unit_test(given_weights_are_the_norm),
        cmocka_unit_test(the_certificate_lists_every_row_by_name_and_kind),
        cmocka_unit_test(keep_chooses_the_rows),
        cmocka_unit_test(nothing_is_kept_without_being_asked_or_where_the_method_keeps_it),
        cmocka_unit_test(statistics_count_calls_steps_and_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
