/* test_mode_changes.c - a solver goes on with another problem: the certificate stays, the state fits, a
 * failure is not the end. */
#include "testing.h"

/* A ball on a string of length 1: on the circle while the string pulls, free inside. */
static int tension(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = u[2] * u[2] + u[3] * u[3] - *(double *)user * u[1];
    return 0;
}

static int slack(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static void a_switch_keeps_the_certificate_and_works_both_ways(void **state) {
    (void)state;
    static const int down[] = {-1}, up[] = {1};
    problem taut, free_flight;
    problem_pendulum(&taut, 9.81);
    problem_pendulum(&free_flight, 9.81);
    taut.keel.event = (keel_map){.count = 1, .value = tension};
    taut.keel.event_direction = down;
    free_flight.keel.constraint = (keel_map){0};
    free_flight.keel.curvature = NULL;
    free_flight.keel.event = (keel_map){.count = 1, .value = slack};
    free_flight.keel.event_direction = up;
    taut.u0[0] = 0, taut.u0[1] = -1, taut.u0[2] = 6.5; /* too slow for the top, too fast for the horizontal */
    keel_solver *s = keel_open(&taut.keel, &(keel_options){.rtol = 1e-10});
    keel_row row;
    long steps = 0;
    double drift = 0, energy = 0.5 * 6.5 * 6.5 - 9.81;
    for (int flight = 0; flight < 3; flight++) {
        assert_int_equal(keel_run(s, 100), KEEL_EVENT);
        assert_true(keel_row_at(s, 0, &row) && strcmp(row.name, "rod") == 0);
        drift = fmax(drift, row.drift);
        const double *x = keel_state(s);
        assert_below(fabs(x[0] * x[0] + x[1] * x[1] - 1), 4e-15);
        assert_true(keel_statistics(s).steps > steps);
        steps = keel_statistics(s).steps;
        assert_true(keel_row_at(s, 2, &row));
        double energy_drift_so_far = row.drift;
        assert_true(energy_drift_so_far > 0);
        assert_ok(s, keel_switch(s, &free_flight.keel, NULL));
        assert_int_equal(keel_event(s), -1);
        assert_true(keel_row_at(s, 0, &row) && row.kind == KEEL_ROW_ENERGY);
        assert_true(row.drift >= energy_drift_so_far);
        assert_below(row.units, 16);
        assert_null(keel_multipliers(s));
        assert_int_equal(keel_run(s, 100), KEEL_EVENT);
        assert_true(keel_statistics(s).steps > steps);
        double u[4], pull;
        memcpy(u, keel_state(s), sizeof u);
        assert_below(fabs(0.5 * (u[2] * u[2] + u[3] * u[3]) + 9.81 * u[1] - energy), 1e-12);
        pull = u[0] * u[2] + u[1] * u[3];
        u[2] -= pull * u[0]; /* the string takes the outward speed */
        u[3] -= pull * u[1];
        energy = 0.5 * (u[2] * u[2] + u[3] * u[3]) + 9.81 * u[1];
        assert_ok(s, keel_switch(s, &taut.keel, u));
        assert_true(keel_row_at(s, 0, &row) && row.treatment == KEEL_ROW_KEPT);
        assert_below(row.units, 16);
        if (energy < 0) break; /* it only swings from here on */
    }
    assert_below(drift, 4e-15);
    assert_ok(s, keel_step(s, keel_time(s) + 1));
    keel_close(s);
}

static void a_switch_makes_the_state_consistent_by_the_smallest_change(void **state) {
    (void)state;
    static const double off[] = {3, 4, 1, 0};
    problem p;
    problem_pendulum(&p, 1);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_ok(s, keel_run(s, 0.5));
    assert_ok(s, keel_switch(s, &p.keel, off));
    const double *x = keel_state(s);
    assert_true(keel_time(s) == 0.5);
    assert_below(fabs(x[0] - 0.6) + fabs(x[1] - 0.8), 1e-14);
    assert_below(fabs(x[2] - 0.64) + fabs(x[3] + 0.48), 1e-14); /* (1, 0) without its part along (0.6, 0.8) */
    keel_close(s);
}

static void a_switch_that_fails_leaves_the_old_mode_to_restart(void **state) {
    (void)state;
    problem p, q;
    problem_pendulum(&p, 1);
    problem_twin_rods(&q, 1, 2);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_switch(s, &q.keel, q.u0), KEEL_ESINGULAR);
    expect_words(s, "keel_switch|contradicts");
    assert_int_equal(keel_run(s, 1), KEEL_ESINGULAR);
    assert_ok(s, keel_restart(s, 0, p.u0));
    assert_ok(s, keel_run(s, 1));
    assert_below(error_to_exact(&p, s), 1e-5);
    keel_close(s);
}

/* Rotation at a speed of its own, with damping where that is not 0; counts the calls of its invariant. */
struct wheel {
    double speed, damping;
    long calls;
};

static int turn(double t, const double *u, double *out, void *user) {
    (void)t;
    const struct wheel *w = user;
    out[0] = w->speed * u[1] - w->damping * u[0];
    out[1] = -w->speed * u[0];
    return 0;
}

static int radius(double t, const double *u, double *out, void *user) {
    (void)t;
    ((struct wheel *)user)->calls++;
    out[0] = u[0] * u[0] + u[1] * u[1];
    return 0;
}

static keel_problem turning(struct wheel *w) {
    static const double start[] = {1, 0.5};
    return (keel_problem){.n = 2,
                          .u0 = start,
                          .f = {.count = 2, .value = turn},
                          .invariant = {.count = 1, .value = radius},
                          .user = w};
}

static void a_mode_is_verified_once_and_runs_with_the_same_bits(void **state) {
    (void)state;
    struct wheel wheel[] = {{1, 0, 0}, {3, 0, 0}};
    long first = 0, again = 0;
    keel_row row;
    keel_problem p = turning(&wheel[0]);
    keel_solver *s = keel_open(&p, NULL);
    for (int k = 1; k <= 5; k++) {
        assert_ok(s, keel_run(s, k));
        keel_solver *fork = keel_fork(s); /* has been nowhere else */
        long before = wheel[k % 2].calls;
        p = turning(&wheel[k % 2]); /* in the same place: the solver knows a problem by what it calls */
        assert_ok(s, keel_switch(s, &p, NULL));
        long calls = wheel[k % 2].calls - before;
        if (k == 1) first = calls;
        if (k == 3) again = calls;
        assert_ok(fork, keel_switch(fork, &p, NULL));
        assert_true(keel_row_at(s, 0, &row) && row.verdict == KEEL_STRONG);
        assert_ok(s, keel_run(s, k + 0.5));
        assert_ok(fork, keel_run(fork, k + 0.5));
        assert_memory_equal(keel_state(s), keel_state(fork), 2 * sizeof(double));
        keel_stats a = keel_statistics(s), b = keel_statistics(fork);
        assert_memory_equal(&a, &b, sizeof a);
        keel_close(fork);
    }
    assert_true(first > 50 && again < first / 4);
    keel_close(s);
}

static void a_false_invariant_is_refused_in_every_new_mode(void **state) {
    (void)state;
    struct wheel wheel[] = {{1, 0, 0}, {3, 0, 0}, {1, 0.1, 0}};
    keel_problem p[] = {turning(&wheel[0]), turning(&wheel[1]), turning(&wheel[2])};
    keel_solver *s = keel_open(&p[0], NULL);
    for (int k = 1; k <= 4; k++) {
        assert_ok(s, keel_run(s, k));
        assert_ok(s, keel_switch(s, &p[k % 2], NULL));
        assert_int_equal(keel_switch(s, &p[2], NULL), KEEL_EINVAL);
        expect_words(s, "keel_switch|is not conserved");
    }
    keel_close(s);
}

/* A program may make up a new problem at every switch. */
static void hundreds_of_modes_are_no_burden(void **state) {
    (void)state;
    enum { MODES = 200 };
    static struct wheel wheel[MODES];
    keel_problem p = turning(&wheel[0]);
    wheel[0].speed = 1;
    keel_solver *s = keel_open(&p, NULL);
    for (int k = 1; k < MODES; k++) {
        wheel[k].speed = 1 + 0.01 * k;
        p = turning(&wheel[k]);
        assert_ok(s, keel_switch(s, &p, NULL));
        assert_true(wheel[k].calls > 50);
    }
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_keeps_the_certificate_and_works_both_ways),
        cmocka_unit_test(a_switch_makes_the_state_consistent_by_the_smallest_change),
        cmocka_unit_test(a_switch_that_fails_leaves_the_old_mode_to_restart),
        cmocka_unit_test(a_mode_is_verified_once_and_runs_with_the_same_bits),
        cmocka_unit_test(a_false_invariant_is_refused_in_every_new_mode),
        cmocka_unit_test(hundreds_of_modes_are_no_burden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
