/* test_relax.c - steps of the length that keeps the invariants: ends, looks and events between the steps,
 * several invariants, and what is refused.  Orders, round-off at every step, save, load and fork are in the
 * battery. */
#include "testing.h"

#include <float.h>

static const double TURN = 2 * 3.14159265358979323846;

static keel_solver *opened(const keel_problem *p, keel_options o) {
    o.method = pair_of(o.method, "relax");
    keel_solver *s = keel_open(p, &o);
    assert_non_null(s);
    assert_ok(s, keel_state_of(s));
    return s;
}

static keel_row row_of(const keel_solver *s, int i) {
    keel_row row;
    assert_true(keel_row_at(s, i, &row));
    return row;
}

/* Steps of 0.9 to 1.1 of the nominal length, on no grid; the last one lands. */
static void ends_are_met_exactly_by_steps_on_no_grid(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    double h = TURN / 100;
    keel_solver *s = opened(&p.keel, (keel_options){.method = "rk4", .step = h, .keep = "energy"});
    int off = 0, steps = 0;
    for (double before = 0; keel_time(s) != 7; before = keel_time(s), steps++) {
        assert_ok(s, keel_step(s, 7));
        double taken = keel_time(s) - before;
        assert_within(taken / h, keel_time(s) == 7 ? 0.5 : 0.9, keel_time(s) == 7 ? 1.5 : 1.1);
        off += fabs(taken - h) > 1e-6 * h;
        assert_below(row_of(s, 0).units, 4);
    }
    assert_true(off > steps / 2);
    assert_int_equal(row_of(s, 1).treatment, KEEL_ROW_WATCHED);
    assert_ok(s, keel_run(s, -1)); /* and back */
    assert_true(keel_time(s) == -1);
    assert_below(row_of(s, 0).units, 4);
    assert_below(error_to_exact(&p, s), 1e-3);
    keel_close(s);
}

/* What a step leaves behind is not handed on: the invariant is solved against its start value. */
static void nothing_accumulates(void **state) {
    (void)state;
    problem p;
    problem_rigid_body(&p, 2.0, 1.0, 2.0 / 3.0);
    keel_solver *s = opened(&p.keel, (keel_options){.method = "rk4", .step = 0.1, .keep = "casimir"});
    assert_ok(s, keel_run(s, 5000));
    assert_below(row_of(s, 0).units, 4);
    assert_int_equal(keel_statistics(s).unresolved, 0);
    keel_close(s);
}

/* Inside the steps: as accurate as at their ends, and on the manifold. */
static void looks_between_the_steps_are_accurate_and_on_the_manifold(void **state) {
    (void)state;
    static const char *const methods[] = {"rk4", "dopri5", "dop853", "rkf78", "gauss6"};
    for (int m = 0; m < 5; m++) {
        problem p;
        problem_kepler(&p, 0.3, 1);
        keel_options o = {.method = methods[m], .step = TURN / 80, .keep = "energy"};
        keel_solver *s = opened(&p.keel, o);
        double at_ends = 0, inside = 0, before = 0;
        while (keel_time(s) != TURN) {
            assert_ok(s, keel_step(s, TURN));
            at_ends = fmax(at_ends, error_to_exact(&p, s));
            for (int k = 1; k < 8; k++) {
                double t = before + k * (keel_time(s) - before) / 8, u[4], x[4], energy[2], start[2];
                assert_ok(s, keel_eval(s, t, u));
                p.exact(&p, t, x);
                for (int i = 0; i < 4; i++) inside = fmax(inside, fabs(u[i] - x[i]));
                p.keel.invariant.value(t, u, energy, p.keel.user);
                p.keel.invariant.value(0, p.u0, start, p.keel.user);
                assert_below(fabs(energy[0] - start[0]), 4 * row_of(s, 0).unit);
            }
            before = keel_time(s);
        }
        if (inside > 4 * at_ends + 1e-12)
            fail_msg("%s errs by %g between the steps, %g at them", methods[m], inside, at_ends);
        keel_close(s);
    }
}

/* q2 = 0 at every half turn. */
static int axis(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    return 0;
}

static void events_are_met_with_the_accuracy_of_the_method(void **state) {
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        problem p;
        problem_kepler(&p, 0.2, 1);
        p.keel.event = (keel_map){.count = 1, .value = axis};
        keel_solver *s = opened(
            &p.keel, (keel_options){.method = "rk4", .step = TURN / (fine ? 200 : 100), .keep = "energy"});
        error[fine] = 0;
        for (int k = 1; k <= 6; k++) {
            assert_int_equal(keel_run(s, 50), KEEL_EVENT);
            error[fine] = fmax(error[fine], fabs(keel_time(s) - 0.5 * k * TURN));
            assert_below(fabs(keel_state(s)[1]), 1e-14);
            assert_below(row_of(s, 0).units, 4);
        }
        keel_close(s);
    }
    assert_below(error[0], 1e-4);
    assert_within(error[0] / error[1], 10, 40);
}

/* x' = cos(t): x - sin(t) is kept, and time is stretched with the step. */
static int wave(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    out[0] = 1 + 0.5 * cos(t);
    return 0;
}

static int wave_row(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = exp(u[0] - t - 0.5 * sin(t));
    return 0;
}

static void invariants_may_depend_on_time(void **state) {
    (void)state;
    static const double start[1] = {0.25};
    const keel_problem p = {
        .n = 1, .u0 = start, .f = {.count = 1, .value = wave}, .invariant = {.count = 1, .value = wave_row}};
    keel_solver *s = opened(&p, (keel_options){.method = "heun", .step = 0.1});
    assert_ok(s, keel_run(s, 20));
    assert_below(row_of(s, 0).units, 4);
    assert_below(fabs(keel_state(s)[0] - (20.25 + 0.5 * sin(20))), 1e-12); /* the row is the solution */
    assert_below((double)keel_statistics(s).unresolved, 20); /* of 200: where the wave is straight */
    keel_close(s);
}

/* With embedded formulas; steps at which they are of no use are projected, and counted. */
static void several_invariants_take_embedded_formulas(void **state) {
    (void)state;
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    for (int m = 0; m < 4; m++) {
        problem p;
        problem_kepler(&p, 0.6, 1);
        keel_solver *s = opened(&p.keel, (keel_options){.method = methods[m], .step = TURN / 200});
        assert_ok(s, keel_run(s, 5 * TURN));
        assert_below(fmax(row_of(s, 0).units, row_of(s, 1).units), 4);
        assert_below((double)keel_statistics(s).unresolved, 50); /* of 1000 */
        if (m < 2) assert_true(keel_statistics(s).unresolved > 0);
        keel_close(s);
    }
}

/* q'' = -V'(q), over the tops of V: two wells, a pendulum that turns over, steeper wells, waves, a bell. */
enum { POTENTIALS = 5 };
static int fall(double t, const double *u, double *out, void *user) {
    (void)t;
    double q = u[0], slope[POTENTIALS] = {q * q * q - q, sin(q), pow(q, 5) - q, q + 2 * sin(4 * q),
                                          -2 * q * exp(-q * q) + 0.2 * q};
    out[0] = u[1];
    out[1] = -slope[*(const int *)user];
    return 0;
}

static int fall_energy(double t, const double *u, double *out, void *user) {
    (void)t;
    double q = u[0],
           potential[POTENTIALS] = {q * q * q * q / 4 - q * q / 2, -cos(q), pow(q, 6) / 6 - q * q / 2,
                                    q * q / 2 - cos(4 * q) / 2, exp(-q * q) + 0.1 * q * q};
    out[0] = u[1] * u[1] / 2 + potential[*(const int *)user];
    return 0;
}

/* The states at eight times. */
static void fall_run(int potential, const char *method, int steps, double *out) {
    static const double start[POTENTIALS][2] = {{0.3, 0.5}, {0, 2.5}, {0.2, 0.9}, {0.1, 2.5}, {1.2, 1.6}};
    const keel_problem p = {.n = 2,
                            .u0 = start[potential],
                            .f = {.count = 2, .value = fall},
                            .invariant = {.count = 1, .value = fall_energy},
                            .user = &potential};
    keel_solver *s = keel_open(&p, &(keel_options){.method = method, .step = 10. / steps, .compensated = 1});
    assert_ok(s, keel_state_of(s));
    for (int i = 0; i < 8; i++) {
        assert_ok(s, keel_run(s, 10. * (i + 1) / 8));
        memcpy(out + (size_t)2 * (size_t)i, keel_state(s), 2 * sizeof *out);
    }
    keel_close(s);
}

/* Where x'' lies in a level set no length of a step brings the state back to it, and near such a place a
 * small change of the row takes a large one of the length.  A step that happens to end there must not show:
 * errors are about C h^p for steps of any length. */
static void errors_are_regular_where_steps_run_along_the_level_sets(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int order, steps;
    } by[] = {
        {"heun+relax", 2, 512}, {"bs32+relax", 3, 512}, {"rk4+relax", 4, 512}, {"dopri5+relax", 5, 256}};
    for (int potential = 0; potential < POTENTIALS; potential++) {
        double exact[16], u[16];
        fall_run(potential, "dop853+none", 4096, exact);
        for (int m = 0; m < 4; m++) {
            double least = HUGE_VAL, most = 0;
            for (int steps = by[m].steps; steps <= 2 * by[m].steps; steps += by[m].steps / 8) {
                double error = 0;
                fall_run(potential, by[m].method, steps, u);
                for (int k = 0; k < 16; k++) error = fmax(error, fabs(u[k] - exact[k]));
                least = fmin(least, error * pow(steps, by[m].order));
                most = fmax(most, error * pow(steps, by[m].order));
            }
            if (most > 4 * least)
                fail_msg("%s, potential %d: errors of %g to %g h^%d", by[m].method, potential, least, most,
                         by[m].order);
        }
    }
}

/* The embedded direction is nearly dependent on the first, and in places wholly: round-off in the rows does
 * not go into the error along the path, by whatever factor. */
static void round_off_of_several_invariants_stays_small(void **state) {
    (void)state;
    static const double inertia[4][3] = {
        {2, 1, 2. / 3}, {3, 2, 1.5}, {1.2, 1, 0.9}, {5, 1, 0.7}}; /* the second lies between */
    for (int i = 0; i < 4; i++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            problem p;
            problem_rigid_body(&p, inertia[i][0], inertia[i][1], inertia[i][2]);
            keel_options o = {.method = "bs32", .step = 10. / (fine ? 20480 : 1024), .compensated = 1};
            keel_solver *s = opened(&p.keel, o);
            assert_ok(s, keel_run(s, 10));
            assert_int_equal(keel_statistics(s).unresolved, 0);
            error[fine] = error_to_exact(&p, s);
            keel_close(s);
        }
        assert_below(fabs(error[1] - error[0] / 8000), 1e-14); /* order 3 */
    }
}

/* Nor do errors depend on which steps end where the directions are dependent. */
static void errors_of_several_invariants_are_regular(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int order, steps;
    } by[] = {{"bs32", 3, 256}, {"dopri5", 5, 64}, {"dop853", 8, 24}, {"rkf78", 8, 24}, {"rkf78-7", 7, 24}};
    static const double inertia[4][3] = {{2, 1, 2. / 3}, {2.5, 1.1, 0.7}, {1.8, 0.9, 0.5}, {2, 1.5, 0.5}};
    for (int i = 0; i < 4; i++)
        for (int m = 0; m < 5; m++) {
            double least = HUGE_VAL, most = 0;
            for (int steps = by[m].steps; steps <= 2 * by[m].steps; steps += 8) {
                problem p;
                problem_rigid_body(&p, inertia[i][0], inertia[i][1], inertia[i][2]);
                keel_options o = {.method = by[m].method, .step = 10. / steps, .compensated = 1};
                keel_solver *s = opened(&p.keel, o);
                double error = 0;
                for (int k = 1; k <= 8; k++) {
                    assert_ok(s, keel_run(s, 10. * k / 8));
                    error = fmax(error, error_to_exact(&p, s));
                }
                least = fmin(least, error * pow(steps, by[m].order));
                most = fmax(most, error * pow(steps, by[m].order));
                keel_close(s);
            }
            if (most > 3 * least)
                fail_msg("%s, body %d: errors of %g to %g h^%d", by[m].method, i, least, most, by[m].order);
        }
}

/* Sums are kept by the method to round-off; no length of a step can do more, and none is asked to. */
static int exchange(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] * u[1] - 0.7 * u[0];
    out[1] = -out[0];
    return 0;
}

static int sum(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] + u[1];
    return 0;
}

static void linear_invariants_do_no_harm(void **state) {
    (void)state;
    static const double start[2] = {0.3, 1.1};
    const keel_problem p = {
        .n = 2, .u0 = start, .f = {.count = 2, .value = exchange}, .invariant = {.count = 1, .value = sum}};
    keel_solver *s = opened(&p, (keel_options){.method = "rk4", .step = 0.01});
    assert_ok(s, keel_run(s, 500));
    assert_below(row_of(s, 0).units, 4);
    assert_int_equal(keel_statistics(s).unresolved, 0);
    keel_close(s);
}

/* Without rows there is nothing to relax: steps are on their grid. */
static void nothing_to_keep_is_an_ordinary_run(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.2, 1);
    p.keel.invariant = (keel_map){0};
    keel_solver *s = opened(&p.keel, (keel_options){.method = "rk4", .step = 0.125});
    keel_solver *other = keel_open(&p.keel, &(keel_options){.method = "rk4", .step = 0.125});
    assert_ok(s, keel_run(s, 8));
    assert_ok(other, keel_run(other, 8));
    assert_memory_equal(keel_state(s), keel_state(other), 4 * sizeof(double));
    keel_close(s);
    keel_close(other);
}

static void refused(const keel_problem *p, const char *method, const char *words) {
    keel_solver *s = keel_open(p, &(keel_options){.method = pair_of(method, "relax"), .step = 0.01});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), words)) fail_msg("\"%s\" is not in \"%s\"", words, keel_message(s));
    keel_close(s);
}

static void what_cannot_be_relaxed_is_refused(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    refused(&p.keel, "ab4", "relax changes the length of every step, and ab4 needs equal steps");
    refused(&p.keel, "euler", "relax needs a method of order 2 or more: no step of euler");
    refused(&p.keel, "rk4", "relax with 2 kept rows needs 1 embedded formula, and rk4 has 0: keep fewer");
    problem_kepler_hamiltonian(&p, 0.6);
    refused(&p.keel, "verlet", "relax stretches the increment of one Runge-Kutta step, and verlet does not");
    problem_pendulum(&p, 1);
    refused(&p.keel, "dop853", "relax keeps invariants, and `rod` is an equation that no length of a step");
    refused(&p.keel, "rattle", "rattle keeps the constraints by itself");
    problem_pendulum_dae(&p, 1);
    refused(&p.keel, "dop853", "is an equation that no length of a step can meet");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_met_exactly_by_steps_on_no_grid),
        cmocka_unit_test(nothing_accumulates),
        cmocka_unit_test(looks_between_the_steps_are_accurate_and_on_the_manifold),
        cmocka_unit_test(events_are_met_with_the_accuracy_of_the_method),
        cmocka_unit_test(invariants_may_depend_on_time),
        cmocka_unit_test(several_invariants_take_embedded_formulas),
        cmocka_unit_test(round_off_of_several_invariants_stays_small),
        cmocka_unit_test(errors_of_several_invariants_are_regular),
        cmocka_unit_test(errors_are_regular_where_steps_run_along_the_level_sets),
        cmocka_unit_test(linear_invariants_do_no_harm),
        cmocka_unit_test(nothing_to_keep_is_an_ordinary_run),
        cmocka_unit_test(what_cannot_be_relaxed_is_refused),
    };
    return cmocka_run_group_tests_name("relax", tests, NULL, NULL);
}
