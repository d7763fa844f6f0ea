/* test_kahan.c - Kahan's method: what it is, what it keeps, and what it cannot take. */
#include "prey.h"
#include "testing.h"

#include <float.h>

static keel_solver *run(const keel_problem *p, keel_options o, double t) {
    keel_solver *s = keel_open(p, &o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, t));
    return s;
}

/* To t = 50; the paper's figure shows errors of H from 1e-13 to 1e-7 for the shorter step. */
static void the_invariant_errs_as_in_the_paper(void **state) {
    (void)state;
    static const double step[2] = {0.001, 0.01}, error[2] = {7.0e-8, 7.0e-6};
    for (int k = 0; k < 2; k++) {
        keel_row row;
        keel_solver *s = run(&prey_problem, (keel_options){.method = "kahan", .step = step[k]}, 50);
        assert_true(keel_row_at(s, 0, &row));
        assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
        assert_within(row.drift, 0.97 * error[k], 1.03 * error[k]);
        keel_close(s);
    }
    keel_solver *s = run(&prey_problem, (keel_options){.method = "kahan", .step = 0.001}, 50);
    keel_solver *exact = run(&prey_problem, (keel_options){.rtol = 1e-13}, 50);
    double worst = 0;
    for (int i = 0; i < 2; i++) worst = hypot(worst, keel_state(s)[i] - keel_state(exact)[i]);
    assert_within(worst, 2.65e-6, 2.75e-6);
    keel_close(s);
    keel_close(exact);
}

/* (x1 - x) / h = 2 f((x + x1) / 2) - f(x) / 2 - f(x1) / 2: the same as a Runge-Kutta formula. */
static void steps_satisfy_the_defining_formula(void **state) {
    (void)state;
    problem p;
    problem_rigid_body(&p, 2, 1, 2. / 3);
    const double h = 0.3;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "kahan", .step = h});
    for (int k = 0; k < 20; k++) {
        double x[3], middle[3], f[3][3];
        memcpy(x, keel_state(s), sizeof x);
        assert_ok(s, keel_step(s, 100));
        const double *end = keel_state(s);
        for (int i = 0; i < 3; i++) middle[i] = 0.5 * (x[i] + end[i]);
        p.keel.f.value(0, x, f[0], p.keel.user);
        p.keel.f.value(0, middle, f[1], p.keel.user);
        p.keel.f.value(0, end, f[2], p.keel.user);
        for (int i = 0; i < 3; i++)
            assert_below(fabs(end[i] - x[i] - h * (2 * f[1][i] - 0.5 * (f[0][i] + f[2][i]))),
                         8 * DBL_EPSILON);
    }
    keel_close(s);
}

/* Energy and Casimir are not kept, but close: bounded over 10^5 long steps, and so with other invariants. */
static void the_rigid_body_stays_near_its_invariants(void **state) {
    (void)state;
    problem p;
    keel_row row;
    double error[2][2] = {{0}};
    problem_rigid_body(&p, 2, 1, 2. / 3);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "kahan", .step = 0.3});
    for (long k = 0; k < 100000; k++) {
        assert_ok(s, keel_step(s, 1e9));
        for (int i = 0; i < 2; i++) {
            assert_true(keel_row_at(s, i, &row));
            int late = k >= 50000;
            error[late][i] = fmax(error[late][i], fabs(row.last));
        }
    }
    for (int i = 0; i < 2; i++) {
        assert_within(error[0][i], 1e-4, 0.1);
        assert_below(error[1][i], 1.001 * error[0][i]);
    }
    keel_close(s);
}

/* Given, sparse, or found: the same Jacobian. */
static void jacobians_need_not_be_given(void **state) {
    (void)state;
    static const int start[3] = {0, 2, 4}, column[4] = {0, 1, 0, 1};
    static const keel_pattern pattern = {4, start, column};
    keel_problem without = prey_problem, sparse = prey_problem;
    without.f.jacobian = NULL;
    sparse.f.pattern = &pattern;
    keel_options o = {.method = "kahan", .step = 0.1};
    keel_solver *s = run(&prey_problem, o, 20), *found = run(&without, o, 20), *spread = run(&sparse, o, 20);
    for (int i = 0; i < 2; i++) {
        assert_below(fabs(keel_state(s)[i] - keel_state(found)[i]), 1e-13);
        assert_true(keel_state(s)[i] == keel_state(spread)[i]);
    }
    keel_close(s);
    keel_close(found);
    keel_close(spread);
}

/* A linear equation with a swinging coefficient: order 2 needs f at the middle of the step. */
static int swinging(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = cos(t) * u[0] * (1 - u[0] / 4);
    return 0;
}

static void coefficients_may_depend_on_t(void **state) {
    (void)state;
    static const double start = 1;
    keel_problem p = {.form = KEEL_ODE, .n = 1, .u0 = &start, .f = {.count = 1, .value = swinging}};
    double error[2], exact = 4 / (1 + 3 * exp(-sin(2.0))); /* logistic in sin t */
    for (int k = 0; k < 2; k++) {
        keel_solver *s = run(&p, (keel_options){.method = "kahan", .step = 0.02 / (k + 1)}, 2);
        error[k] = fabs(keel_state(s)[0] - exact);
        keel_close(s);
    }
    assert_within(log2(error[0] / error[1]), 1.95, 2.05);
}

static void assert_refused(const keel_problem *p, const char *word) {
    keel_solver *s = keel_open(p, &(keel_options){.method = "kahan", .step = 0.1});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), word)) fail_msg("`%s` does not speak of %s", keel_message(s), word);
    keel_close(s);
}

static void fields_that_are_not_quadratic_are_refused(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    assert_refused(&p.keel, "degree 2");
    problem_kepler_hamiltonian(&p, 0.6);
    assert_refused(&p.keel, "degree 2");
    problem_rigid_body_hamiltonian(&p, 2, 1, 2. / 3);
    assert_refused(&p.keel, "grad H");
    problem_pendulum(&p, 1);
    assert_refused(&p.keel, "constraints");
}

/* x' = x^2 from 1: the step 1 / (1 - h x) has its pole at h = 1. */
static int square(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0];
    return 0;
}

static void a_pole_is_told(void **state) {
    (void)state;
    static const double start = 1;
    keel_problem p = {.form = KEEL_ODE, .n = 1, .u0 = &start, .f = {.count = 1, .value = square}};
    keel_solver *s = keel_open(&p, &(keel_options){.method = "kahan", .step = 1});
    assert_int_equal(keel_run(s, 3), KEEL_ENEWTON);
    assert_true(strstr(keel_message(s), "kahan") != NULL);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_invariant_errs_as_in_the_paper),
        cmocka_unit_test(steps_satisfy_the_defining_formula),
        cmocka_unit_test(the_rigid_body_stays_near_its_invariants),
        cmocka_unit_test(jacobians_need_not_be_given),
        cmocka_unit_test(coefficients_may_depend_on_t),
        cmocka_unit_test(fields_that_are_not_quadratic_are_refused),
        cmocka_unit_test(a_pole_is_told),
    };
    return cmocka_run_group_tests_name("kahan", tests, NULL, NULL);
}
