/* test_observer.c - looking at a run: inside a step, at every step, at events; looking changes nothing. */
#include "testing.h"
#include "rotation.h"

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

static void nonterminal_events_are_told_and_do_not_stop(void **state) {
    (void)state;
    static const unsigned char event_kinds[] = {1};
    struct log log = {0};
    keel_problem p = rotation;
    p.user = &log;
    p.event = (keel_map){.count = 1, .value = zero_of_first};
    p.event_kind = event_kinds;
    keel_solver *s = keel_open(&p, &(keel_options){.observe = note, .rtol = 1e-9});
    assert_ok(s, keel_run(s, 10));
    assert_true(keel_time(s) == 10);
    assert_int_equal(log.events, 3); /* pi/2, 3 pi/2, 5 pi/2 */
    assert_int_equal(keel_statistics(s).events, 3);
    assert_int_equal(log.calls, keel_statistics(s).steps + 3);
    for (int i = 1; i < log.calls; i++) assert_true(log.time[i] > log.time[i - 1]);
    keel_close(s);
}

enum { EVENT_LIMIT = 120 };

static int all_at_once(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    for (int i = 0; i < EVENT_LIMIT; i++) out[i] = t - 0.5;
    return 0;
}

static void many_events_at_one_time_are_all_told(void **state) {
    (void)state;
    unsigned char event_kinds[EVENT_LIMIT];
    struct log log = {0};
    keel_problem p = rotation;
    memset(event_kinds, 1, sizeof event_kinds);
    p.user = &log;
    p.event = (keel_map){.count = EVENT_LIMIT, .value = all_at_once};
    p.event_kind = event_kinds;
    keel_solver *s = keel_open(&p, &(keel_options){.observe = note});
    assert_ok(s, keel_run(s, 1));
    assert_int_equal(log.events, EVENT_LIMIT);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_a_step_the_rows_hold),
        cmocka_unit_test(looking_inside_changes_nothing_of_the_run),
        cmocka_unit_test(a_step_that_cannot_be_looked_into_says_so),
        cmocka_unit_test(the_observer_sees_every_accepted_step_once_at_its_time),
        cmocka_unit_test(nonterminal_events_are_told_and_do_not_stop),
        cmocka_unit_test(many_events_at_one_time_are_all_told),
        cmocka_unit_test(an_observer_cannot_move_the_solver_it_observes),
        cmocka_unit_test(an_event_stops_the_run_and_the_next_call_goes_on),
        cmocka_unit_test(two_events_at_one_time_stop_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
