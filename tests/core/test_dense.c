/* test_dense.c - between the steps: what is kept holds there too, values meet the steps without a jump,
 * have the order they should, and looking changes nothing. */
#include "testing.h"

#include <keel/method.h>

#include <float.h>

enum { POINTS = 100, VALUES = 64 };

/* All rows c(t, u) in the order of the certificate; mechanics and ODE. */
static int rows_at(const problem *p, double t, const double *u, double *out) {
    const keel_problem *k = &p->keel;
    int constraints = k->constraint.count, half = k->n / 2, count = 0;
    if (constraints) {
        double jacobian[VALUES], rate[VALUES] = {0};
        k->constraint.value(t, u, out, k->user);
        k->constraint.jacobian(t, u, jacobian, k->user);
        if (k->constraint.time_derivative) k->constraint.time_derivative(t, u, rate, k->user);
        for (int i = 0; i < constraints; i++) {
            double sum = rate[i];
            for (int j = 0; j < half; j++) sum += jacobian[i * half + j] * u[half + j];
            out[constraints + i] = sum;
        }
        count = 2 * constraints;
    }
    if (k->energy.count) k->energy.value(t, u, out + count, k->user);
    count += k->energy.count;
    if (k->invariant.count) k->invariant.value(t, u, out + count, k->user);
    return count + k->invariant.count;
}

/* The largest residual of all rows at (t, u), in the units of the moment. */
static double units_at(const problem *p, const keel_solver *s, double t, const double *u) {
    double value[VALUES], worst = 0;
    keel_row row;
    int count = rows_at(p, t, u, value);
    for (int i = 0; i < count; i++) {
        assert_true(keel_row_at(s, i, &row));
        assert_int_equal(row.treatment, KEEL_ROW_KEPT);
        double off = fabs(value[i] - row.start);
        worst = fmax(worst, off == 0 ? 0 : off / row.unit);
    }
    assert_false(keel_row_at(s, count, &row));
    return worst;
}

/* The largest over all steps to t_end and POINTS places in each. */
static double units_between(const problem *p, keel_options o, double t_end) {
    double u[PROBLEM_UNKNOWNS], worst = 0;
    keel_solver *s = keel_open(&p->keel, &o);
    while (keel_time(s) != t_end) {
        double from = keel_time(s);
        assert_ok(s, keel_step(s, t_end));
        double h = keel_time(s) - from;
        for (int k = 0; k <= POINTS; k++) {
            double t = k == POINTS ? keel_time(s) : from + k * h / POINTS;
            assert_ok(s, keel_eval(s, t, u));
            worst = fmax(worst, units_at(p, s, t, u));
        }
    }
    keel_close(s);
    return worst;
}

static const struct way {
    const char *method;
    double share; /* of a typical step; 0: adaptive */
} ways[] = {{"dop853", 0}, {"dopri5", 0}, {"rkf78", 0}, {"rk4", 1}, {"ab4", 0.25}, {"rkf78", 4}};
enum { WAYS = sizeof ways / sizeof *ways };

static void assert_rows_hold_between(const problem *p, double t_end, double step) {
    for (int i = 0; i < WAYS; i++) {
        keel_options o = {.method = ways[i].method, .rtol = 1e-8, .step = ways[i].share * step};
        assert_below(units_between(p, o, t_end), 16);
    }
}

static void invariants_hold_between_the_steps(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    assert_rows_hold_between(&p, 8, 1. / 64);
    problem_rigid_body(&p, 2, 1, 2. / 3);
    assert_rows_hold_between(&p, 8, 1. / 16);
}

static void constraints_hold_between_the_steps(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    assert_rows_hold_between(&p, 4, 1. / 128);
    problem_spherical_pendulum(&p);
    assert_rows_hold_between(&p, 8, 1. / 32);
    problem_four_bar(&p);
    assert_rows_hold_between(&p, 1, 1. / 256);
}

static void moving_constraints_hold_between_the_steps(void **state) {
    (void)state;
    problem p;
    problem_car_axis(&p);
    assert_rows_hold_between(&p, 0.5, 1. / 1024);
    assert_below(units_between(&p, (keel_options){.rtol = 1e-11}, 3), 16);
}

static void andrews_holds_between_the_steps(void **state) {
    (void)state;
    problem p;
    problem_andrews(&p);
    assert_below(units_between(&p, (keel_options){.rtol = 1e-11}, 0.03), 16);
    assert_below(units_between(&p, (keel_options){.rtol = 1e-7}, 0.03), 16);
}

/* Near both ends of each step the dense values approach the states there; at the ends they are the states. */
static void dense_values_meet_the_steps(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        problem p;
        double before[4], u[4];
        problem_kepler(&p, 0.6, 1);
        keel_options o = {.method = ways[i].method, .rtol = 1e-6, .step = ways[i].share / 64};
        keel_solver *s = keel_open(&p.keel, &o);
        double jump = 0;
        for (int k = 0; k < 50; k++) {
            double from = keel_time(s);
            memcpy(before, keel_state(s), sizeof before);
            assert_ok(s, keel_step(s, 10));
            double to = keel_time(s), tiny = 1e-12 * (to - from);
            assert_ok(s, keel_eval(s, from, u));
            assert_memory_equal(u, before, sizeof u);
            assert_ok(s, keel_eval(s, to, u));
            assert_memory_equal(u, keel_state(s), sizeof u);
            assert_ok(s, keel_eval(s, from + tiny, u));
            for (int j = 0; j < 4; j++) jump = fmax(jump, fabs(u[j] - before[j]));
            assert_ok(s, keel_eval(s, to - tiny, u));
            for (int j = 0; j < 4; j++) jump = fmax(jump, fabs(u[j] - keel_state(s)[j]));
        }
        assert_below(jump, 1e-11);
        keel_close(s);
    }
}

/* The largest error inside the first step of length h, away from its ends. */
static double error_inside(const problem *p, const char *method, const char *stabilizer, double h) {
    double worst = 0, u[PROBLEM_UNKNOWNS], exact[PROBLEM_UNKNOWNS];
    keel_options o = {.method = pair_of(method, stabilizer), .step = h};
    keel_solver *s = keel_open(&p->keel, &o);
    assert_ok(s, keel_step(s, 8));
    for (int k = 1; k < 8; k++) {
        assert_ok(s, keel_eval(s, k * h / 8, u));
        p->exact(p, k * h / 8, exact);
        for (int i = 0; i < p->keel.n; i++) worst = fmax(worst, fabs(u[i] - exact[i]));
    }
    keel_close(s);
    return worst;
}

/* An interpolant of order q errs by O(h^(q+1)) inside one step. */
static void dense_values_have_their_order(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double h, order;
    } row[] = {{"rk4", 1. / 128, 3}, {"dopri5", 1. / 64, 4}, {"dop853", 1. / 16, 7}, {"rkf78", 1. / 16, 7}};
    problem p;
    problem_kepler(&p, 0.6, 1);
    for (int i = 0; i < 4; i++)
        for (int kept = 0; kept < 2; kept++) {
            const char *stabilizer = kept ? "project" : "none";
            double h = row[i].h, rough = error_inside(&p, row[i].method, stabilizer, h);
            double fine = error_inside(&p, row[i].method, stabilizer, h / 2);
            assert_true(fine > 1e-15);
            assert_within(log2(rough / fine) - 1, row[i].order - 0.25, row[i].order + 2.25);
        }
}

/* The largest error inside the steps to t = 4, once the memory of the method is full. */
static double error_of_adams(const char *method, double h) {
    problem p;
    double u[4], exact[4], worst = 0;
    problem_kepler(&p, 0.2, 1);
    keel_options o = {.method = method, .step = h};
    keel_solver *s = keel_open(&p.keel, &o);
    while (keel_time(s) < 4) {
        double from = keel_time(s);
        assert_ok(s, keel_step(s, 4));
        for (int k = 1; k < 4 && from > 8 * h; k++) {
            assert_ok(s, keel_eval(s, from + k * h / 4, u));
            p.exact(&p, from + k * h / 4, exact);
            for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(u[i] - exact[i]));
        }
    }
    keel_close(s);
    return worst;
}

static void adams_values_between_steps_have_their_order(void **state) {
    (void)state;
    assert_within(log2(error_of_adams("ab4", 1. / 64) / error_of_adams("ab4", 1. / 128)), 3.7, 4.6);
    assert_within(log2(error_of_adams("ab6", 1. / 64) / error_of_adams("ab6", 1. / 128)), 5.6, 6.8);
    assert_within(log2(error_of_adams("abm6", 1. / 64) / error_of_adams("abm6", 1. / 128)), 5.6, 7.5);
}

/* As good between the steps as at them: over a period, relative to the tolerance. */
static void dense_values_meet_the_tolerance(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853", "dopri5", "rkf78"};
    for (int m = 0; m < 3; m++)
        for (int digits = 5; digits <= 11; digits += 2) {
            problem p;
            double worst = 0, u[4], exact[4];
            problem_kepler(&p, 0.6, 1);
            keel_options o = {.method = methods[m], .rtol = pow(10, -digits)};
            keel_solver *s = keel_open(&p.keel, &o);
            while (keel_time(s) < p.t_end) {
                double from = keel_time(s);
                assert_ok(s, keel_step(s, p.t_end));
                for (int k = 1; k < 16; k++) {
                    double t = from + k * (keel_time(s) - from) / 16;
                    assert_ok(s, keel_eval(s, t, u));
                    p.exact(&p, t, exact);
                    for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(u[i] - exact[i]));
                }
            }
            keel_close(s);
            assert_below(worst / o.rtol, 100);
        }
}

/* The states of 60 steps with `looks` evaluations in each, and the certificate after them. */
static void run_looking(const problem *p, keel_options o, int looks, double *states, keel_row *last) {
    double u[PROBLEM_UNKNOWNS];
    int n = p->keel.n + p->keel.m;
    keel_solver *s = keel_open(&p->keel, &o);
    for (int k = 0; k < 60; k++) {
        double from = keel_time(s);
        assert_ok(s, keel_step(s, 100));
        double h = keel_time(s) - from;
        for (int i = 0; i < looks; i++) assert_ok(s, keel_eval(s, from + h * (0.9 - 0.7 * i / looks), u));
        memcpy(states + k * n, keel_state(s), (size_t)n * sizeof *u);
    }
    for (int i = 0; i < 3; i++) keel_row_at(s, i, &last[i]);
    keel_close(s);
}

static void looking_does_not_disturb(void **state) {
    (void)state;
    void (*const fill[])(problem *) = {problem_spherical_pendulum, problem_chemakzo, problem_car_axis,
                                       problem_four_bar};
    static const double step[] = {1. / 32, 1. / 64, 1. / 1024, 1. / 256};
    double still[60 * PROBLEM_UNKNOWNS], looked[60 * PROBLEM_UNKNOWNS];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < WAYS; i++) {
            problem p;
            keel_row row[2][3] = {{{0}}};
            fill[k](&p);
            size_t bytes = 60 * (size_t)(p.keel.n + p.keel.m) * sizeof *still;
            keel_options o = {.method = ways[i].method,
                              .rtol = 1e-8,
                              .step = ways[i].share * step[k],
                              .compensated = k == 0};
            run_looking(&p, o, 0, still, row[0]);
            run_looking(&p, o, 7, looked, row[1]);
            assert_memory_equal(still, looked, bytes);
            for (int r = 0; r < 3; r++) {
                assert_true(row[0][r].units == row[1][r].units && row[0][r].unit == row[1][r].unit);
                assert_true(row[0][r].last == row[1][r].last && row[0][r].drift == row[1][r].drift);
            }
        }
}

/* keel_run to places inside a step reads dense output; the steps stay where they were. */
static void output_times_do_not_disturb_fixed_steps(void **state) {
    (void)state;
    static const char *const methods[] = {"ab4", "abm6"};
    for (int m = 0; m < 2; m++) {
        problem p;
        double plain[4];
        problem_kepler(&p, 0.6, 1);
        keel_options o = {.method = methods[m], .step = 1. / 64};
        keel_solver *s = keel_open(&p.keel, &o), *looking = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, 4));
        memcpy(plain, keel_state(s), sizeof plain);
        double u[4];
        while (keel_time(looking) < 4) {
            double from = keel_time(looking);
            assert_ok(looking, keel_step(looking, 4));
            assert_ok(looking, keel_eval(looking, from + 0.3 / 64, u));
        }
        assert_memory_equal(plain, keel_state(looking), sizeof plain);
        keel_close(s);
        keel_close(looking);
    }
}

/* Methods that keep constraints by themselves do so at the ends of steps; their polynomials are brought
 * there, and the steps are those of a run that nobody looks into. */
static void native_constraints_hold_between_the_steps(void **state) {
    (void)state;
    int seen = 0;
    for (int k = 0; keel_method_at(k); k++) {
        const keel_method *method = keel_method_at(k);
        if (!(method->traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN))) continue;
        problem p;
        double u[8];
        problem_pendulum(&p, 1.0);
        keel_options o = {.method = method->name, .step = method->traits & KEEL_ADAPTIVE ? 0 : 0.02};
        keel_solver *s = keel_open(&p.keel, &o), *calm = keel_open(&p.keel, &o);
        if (keel_state_of(s) == KEEL_OK) {
            double before = keel_time(s);
            for (int i = 0; i < 60; i++) {
                assert_ok(s, keel_step(s, 10));
                assert_ok(calm, keel_step(calm, 10));
                for (int j = 1; j < 5; j++) {
                    assert_ok(s, keel_eval(s, before + 0.2 * j * (keel_time(s) - before), u));
                    double rod = u[0] * u[0] + u[1] * u[1] - 1, slip = u[0] * u[2] + u[1] * u[3];
                    if (!(fabs(rod) < 50 * DBL_EPSILON) ||
                        (method->traits & KEEL_CONSTRAINED && !(fabs(slip) < 500 * DBL_EPSILON)))
                        fail_msg("%s: %g, %g at t = %g", method->name, rod, slip, keel_time(s));
                }
                before = keel_time(s);
                assert_memory_equal(keel_state(s), keel_state(calm), 4 * sizeof *u);
            }
            seen++;
        }
        keel_close(s);
        keel_close(calm);
    }
    assert_true(seen >= 4);
}

static void places_outside_the_last_step_are_refused(void **state) {
    (void)state;
    problem p;
    double u[4], kept[4];
    problem_kepler(&p, 0.6, 1);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_eval(s, 0.1, u), KEEL_EINVAL);
    assert_ok(s, keel_eval(s, 0, u));
    assert_memory_equal(u, p.u0, sizeof u);
    assert_ok(s, keel_step(s, 1));
    assert_ok(s, keel_step(s, 1));
    memcpy(kept, keel_state(s), sizeof kept);
    assert_int_equal(keel_eval(s, 0, u), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "not inside the last step"));
    assert_int_equal(keel_eval(s, 1.5 * keel_time(s), u), KEEL_EINVAL);
    assert_int_equal(keel_eval(s, NAN, u), KEEL_EINVAL);
    assert_memory_equal(kept, keel_state(s), sizeof kept);
    assert_ok(s, keel_run(s, 1));
    keel_close(s);
}

enum { CHAIN = 11 };

/* x_j' = x_(j-1), and at the end of the chain what is stiff, z' = -1e6 (z - x). */
static int stiff_end(double t, const double *x, double *dx, void *user) {
    (void)t, (void)user;
    dx[0] = 1;
    for (int j = 1; j < CHAIN; j++) dx[j] = x[j - 1];
    dx[CHAIN] = -1e6 * (x[CHAIN] - x[CHAIN - 1]);
    return 0;
}

/* A step from rest sees nothing of the end of the chain, and is longer than its stability allows: the stages
 * that dense output adds must not make something of it. */
static void a_step_from_rest_has_no_stiff_values_inside(void **state) {
    (void)state;
    static const double u0[CHAIN + 1];
    const keel_problem p = {
        .form = KEEL_ODE, .n = CHAIN + 1, .f = {.count = CHAIN + 1, .value = stiff_end}, .u0 = u0};
    const keel_options o = {.method = "dop853", .rtol = 1e-6, .atol = 1e-9, .first_step = 0.05};
    double u[CHAIN + 1];
    keel_solver *s = keel_open(&p, &o);
    assert_ok(s, keel_step(s, 1));
    assert_true(keel_time(s) > 0.01);
    for (int k = 1; k < POINTS; k++) {
        assert_ok(s, keel_eval(s, k * keel_time(s) / POINTS, u));
        assert_below(fabs(u[CHAIN]), 1e-6);
    }
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_between_the_steps),
        cmocka_unit_test(constraints_hold_between_the_steps),
        cmocka_unit_test(moving_constraints_hold_between_the_steps),
        cmocka_unit_test(andrews_holds_between_the_steps),
        cmocka_unit_test(dense_values_meet_the_steps),
        cmocka_unit_test(dense_values_have_their_order),
        cmocka_unit_test(adams_values_between_steps_have_their_order),
        cmocka_unit_test(dense_values_meet_the_tolerance),
        cmocka_unit_test(looking_does_not_disturb),
        cmocka_unit_test(output_times_do_not_disturb_fixed_steps),
        cmocka_unit_test(native_constraints_hold_between_the_steps),
        cmocka_unit_test(places_outside_the_last_step_are_refused),
        cmocka_unit_test(a_step_from_rest_has_no_stiff_values_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
