/* test_empty.c - modes without states: time passes, algebraic variables follow it, events happen.
 *
 * With n = 0 there is no error to control; steps only serve to look for events and to be observed. */
#include "testing.h"

#include <float.h>

#define EPS DBL_EPSILON

static const double pi = 3.14159265358979323846;

/* Events t - 1.25 and sin 3 t: of the clock alone. */
static int clock_events(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    out[0] = t - 1.25;
    out[1] = sin(3 * t);
    return 0;
}

/* y1 + y2 = 2 t, y1 e^y1 = e^t: y1 rises with t, y1 = 1 at t = 1. */
static int two_unknowns(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] + u[1] - 2 * t;
    out[1] = u[0] * exp(u[0] - t) - 1;
    return 0;
}

static int two_unknowns_jacobian(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = out[1] = 1;
    out[2] = (1 + u[0]) * exp(u[0] - t);
    out[3] = 0;
    return 0;
}

/* y1 = 1 at t = 1, where y2 = 1; y2 = 2.5 somewhere. */
static int unknown_events(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] - 1;
    out[1] = u[1] - 2.5;
    return 0;
}

static keel_problem clock_alone(void) {
    return (keel_problem){.form = KEEL_ODE, .name = "clock", .event = {.count = 2, .value = clock_events}};
}

static const double guess[] = {0.5, 0};

static keel_problem following(void) {
    return (keel_problem){.form = KEEL_DAE,
                          .name = "following",
                          .m = 2,
                          .u0 = guess,
                          .algebraic = {.count = 2, .value = two_unknowns, .jacobian = two_unknowns_jacobian},
                          .event = {.count = 2, .value = unknown_events}};
}

static void check_following(const keel_solver *s) {
    const double *y = keel_state(s);
    double t = keel_time(s);
    assert_below(fabs(y[0] + y[1] - 2 * t), 8 * EPS * (1 + t));
    assert_below(fabs(y[0] * exp(y[0] - t) - 1), 32 * EPS * (1 + t));
}

/* Every method that takes the form, with fixed steps, and with error control if it has an estimate. */
static int next_way(int *i, int *fixed, keel_options *o) {
    for (; keel_method_at(*i); ++*i, *fixed = 0) {
        const keel_method *method = keel_method_at(*i);
        keel_problem p = clock_alone();
        for (; *fixed < 2; ++*fixed) {
            *o = (keel_options){.method = method->name, .step = *fixed ? 1. / 64 : 0, .check_jacobians = 1};
            keel_solver *s = keel_open(&p, o);
            keel_status status = keel_state_of(s);
            keel_close(s);
            if (status != KEEL_OK) continue;
            ++*fixed;
            return 1;
        }
    }
    return 0;
}

static void events_of_the_clock_are_found_to_round_off(void **state) {
    (void)state;
    static const int which[] = {1, 0, 1, 1};
    double when[] = {pi / 3, 1.25, 2 * pi / 3, pi};
    keel_problem p = clock_alone();
    keel_options o;
    int i = 0, fixed = 0, ways = 0;
    keel_row row;
    while (next_way(&i, &fixed, &o)) {
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_state_of(s));
        for (int k = 0; k < 4; k++) {
            assert_int_equal(keel_run(s, 4), KEEL_EVENT);
            assert_int_equal(keel_event(s), which[k]);
            assert_below(fabs(keel_time(s) - when[k]), 4 * EPS * when[k]);
        }
        assert_int_equal(keel_run(s, 4), KEEL_OK);
        assert_true(keel_time(s) == 4);
        assert_non_null(keel_state(s));
        assert_int_equal(keel_eval(s, 4, NULL), KEEL_OK);
        assert_false(keel_row_at(s, 0, &row));
        keel_close(s);
        ways++;
    }
    assert_true(ways >= 15);
}

static void events_of_algebraic_variables_are_found_to_round_off(void **state) {
    (void)state;
    keel_problem p = following();
    keel_options o;
    int i = 0, fixed = 0;
    keel_row row;
    while (next_way(&i, &fixed, &o)) {
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_state_of(s));
        check_following(s);
        assert_int_equal(keel_run(s, 4), KEEL_EVENT);
        assert_int_equal(keel_event(s), 0);
        assert_below(fabs(keel_time(s) - 1), 8 * EPS);
        check_following(s);
        assert_int_equal(keel_run(s, 4), KEEL_EVENT);
        assert_int_equal(keel_event(s), 1);
        assert_below(fabs(keel_state(s)[1] - 2.5), 16 * EPS);
        check_following(s);
        assert_int_equal(keel_run(s, 4), KEEL_OK);
        check_following(s);
        assert_true(keel_row_at(s, 1, &row) && row.treatment == KEEL_ROW_NATIVE);
        assert_below(row.units, 16);
        assert_false(keel_row_at(s, 2, &row));
        keel_close(s);
    }
}

static void looks_between_the_steps_solve_for_y(void **state) {
    (void)state;
    keel_problem p = following();
    p.event = (keel_map){0};
    keel_solver *s = keel_open(&p, &(keel_options){.max_step = 0.75});
    for (double t = 0; t < 3; t = keel_time(s)) {
        double y[2];
        assert_ok(s, keel_step(s, 3));
        double middle = 0.5 * (t + keel_time(s));
        assert_ok(s, keel_eval(s, middle, y));
        assert_below(fabs(y[0] + y[1] - 2 * middle), 8 * EPS * (1 + middle));
        assert_below(fabs(y[0] * exp(y[0] - middle) - 1), 32 * EPS * (1 + middle));
        check_following(s);
    }
    assert_int_equal(keel_statistics(s).steps, 4);
    keel_close(s);
}

static void count_steps(keel_solver *s, void *user) {
    (void)s;
    ++*(int *)user;
}

static void steps_are_a_hundredth_of_the_way_or_as_long_as_allowed(void **state) {
    (void)state;
    int seen = 0;
    keel_problem p = clock_alone();
    p.event = (keel_map){0};
    p.user = &seen;
    keel_solver *s = keel_open(&p, &(keel_options){.observe = count_steps});
    assert_ok(s, keel_run(s, 1e6));
    assert_within(seen, 100, 101);
    assert_ok(s, keel_run(s, -1e6)); /* back */
    assert_within(seen, 200, 202);
    keel_close(s);
    seen = 0;
    s = keel_open(&p, &(keel_options){.observe = count_steps, .max_step = 2});
    assert_ok(s, keel_run(s, 16));
    assert_int_equal(seen, 8);
    keel_close(s);
    seen = 0; /* many near ends: not a hundred steps each */
    s = keel_open(&p, &(keel_options){.observe = count_steps});
    for (int k = 1; k <= 5000; k++) assert_ok(s, keel_run(s, k * 1e-3));
    assert_within(seen, 5000, 6000);
    seen = 0; /* then a far one: not steps of the near ones */
    assert_ok(s, keel_run(s, 1e9));
    assert_within(seen, 100, 120);
    seen = 0; /* the least the clock can tell apart */
    for (int k = 0; k < 10; k++) assert_ok(s, keel_run(s, nextafter(keel_time(s), 2e9)));
    assert_int_equal(seen, 10);
    keel_close(s);
    seen = 0;
    s = keel_open(&p, &(keel_options){.observe = count_steps, .first_step = 1e-3});
    assert_ok(s, keel_run(s, 1));
    assert_within(seen, 101, 106);
    keel_close(s);
}

/* Solves only in steps shorter than 0.01 between 1 and 1.1. */
static double last_good;
static int touchy(double t, const double *u, double *out, void *user) {
    (void)user;
    if (t > 1 && t < 1.1 && t - last_good > 0.01) return 1;
    last_good = fmax(t, 0);
    out[0] = u[0] - t;
    return 0;
}

static int minus_one(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = -1;
    return 0;
}

static void a_step_that_cannot_be_had_is_shortened(void **state) {
    (void)state;
    static const double zero[] = {0};
    last_good = 0;
    keel_problem p = {.form = KEEL_DAE,
                      .m = 1,
                      .u0 = zero,
                      .algebraic = {.count = 1, .value = touchy, .time_derivative = minus_one}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "bs32", .max_step = 0.125});
    assert_ok(s, keel_run(s, 4));
    assert_true(keel_state(s)[0] == 4);
    assert_true(keel_statistics(s).rejected > 0);
    assert_below((double)keel_statistics(s).steps, 80);
    keel_close(s);
}

static void save_load_and_fork_go_on_with_the_same_bits(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        static unsigned char bytes[1 << 16];
        keel_problem p = m ? following() : clock_alone();
        keel_solver *s = keel_open(&p, NULL);
        assert_int_equal(keel_run(s, 4), KEEL_EVENT);
        size_t size = keel_save(s, bytes, sizeof bytes);
        assert_in_range(size, 1, sizeof bytes);
        keel_solver *loaded = keel_load(&p, NULL, bytes, size), *equivalent = keel_fork(s);
        keel_solver *all[] = {s, loaded, equivalent};
        double t[3], y[3] = {0};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(keel_run(all[k], 4), KEEL_EVENT);
            t[k] = keel_time(all[k]);
            if (m) y[k] = keel_state(all[k])[0];
            assert_ok(all[k], keel_restart(all[k], 2, NULL));
            assert_true(keel_time(all[k]) == 2);
            keel_close(all[k]);
        }
        assert_true(t[0] == t[1] && t[0] == t[2] && y[0] == y[1] && y[0] == y[2]);
    }
}

/* Falls from rest at height 1 after waiting to t = 1.25; rests on the ground from then on. */
static int fall(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -2;
    return 0;
}

static int ground(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    return 0;
}

static void modes_with_and_without_states_take_turns(void **state) {
    (void)state;
    static const double height[] = {1, 0};
    keel_problem wait = clock_alone(), rest = following();
    keel_problem drop = {.form = KEEL_ODE,
                         .n = 2,
                         .u0 = height,
                         .f = {.count = 2, .value = fall},
                         .event = {.count = 1, .value = ground}};
    for (int fixed = 0; fixed < 2; fixed++) {
        keel_options o = {.step = fixed ? 0.05 : 0};
        keel_solver *s = keel_open(&wait, &o);
        while (keel_run(s, 10) == KEEL_EVENT && keel_event(s) != 0) continue;
        assert_below(fabs(keel_time(s) - 1.25), 4 * EPS);
        assert_int_equal(keel_switch(s, &drop, NULL), KEEL_EINVAL); /* it needs values */
        assert_int_equal(keel_switch(s, &drop, height), KEEL_OK);
        assert_int_equal(keel_run(s, 10), KEEL_EVENT);
        assert_below(fabs(keel_time(s) - 2.25), 1e-12);
        assert_int_equal(keel_switch(s, &rest, (double[]){1.5, 3}), KEEL_OK);
        check_following(s);
        assert_int_equal(keel_run(s, keel_time(s) + 1), KEEL_OK);
        check_following(s);
        assert_int_equal(keel_switch(s, &wait, NULL), KEEL_OK); /* nothing to give */
        assert_true(keel_run(s, 10) >= 0);
        assert_ok(s, keel_state_of(s));
        keel_close(s);
    }
}

/* I(t) = 3: without states an invariant either holds or does not. */
static int three(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[1] = 3;
    return 0;
}

static int the_time(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    out[0] = out[1] = t;
    return 0;
}

static void invariants_without_states_hold_or_are_refused(void **state) {
    (void)state;
    for (int count = 1; count < 3; count++) {
        keel_problem p = {.form = KEEL_DAE, .invariant = {.count = count, .value = three}};
        keel_row row;
        keel_solver *s = keel_open(&p, NULL);
        assert_ok(s, keel_run(s, 3));
        assert_true(keel_row_at(s, count - 1, &row) && row.units == 0 && row.verdict == KEEL_STRONG);
        keel_close(s);
        p.invariant.value = the_time;
        s = keel_open(&p, NULL);
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        assert_non_null(strstr(keel_message(s), "is not conserved"));
        keel_close(s);
    }
}

static void what_cannot_be_without_states_says_so(void **state) {
    (void)state;
    keel_problem p = clock_alone();
    keel_solver *s = keel_open(&p, &(keel_options){.method = "rattle", .step = 0.1});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "mechanics"));
    keel_close(s);
    p.f = (keel_map){.count = 0, .value = fall};
    s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    keel_close(s);
    p = following();
    p.u0 = NULL;
    s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "no start values"));
    keel_close(s);
    p = following();
    p.algebraic = (keel_map){.count = 2, .value = clock_events}; /* without y */
    s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESINGULAR);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_the_clock_are_found_to_round_off),
        cmocka_unit_test(events_of_algebraic_variables_are_found_to_round_off),
        cmocka_unit_test(looks_between_the_steps_solve_for_y),
        cmocka_unit_test(steps_are_a_hundredth_of_the_way_or_as_long_as_allowed),
        cmocka_unit_test(a_step_that_cannot_be_had_is_shortened),
        cmocka_unit_test(save_load_and_fork_go_on_with_the_same_bits),
        cmocka_unit_test(modes_with_and_without_states_take_turns),
        cmocka_unit_test(invariants_without_states_hold_or_are_refused),
        cmocka_unit_test(what_cannot_be_without_states_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
