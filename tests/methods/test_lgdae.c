/* test_lgdae.c - Liu 2013: its four examples by both forms of the method, what holds natively, and at which
 * order; values are those of the converged scheme. */
#include "model_run.h"

#include <float.h>

static const char *const forms[2] = {"lgdae", "lgdae-nested"};

static keel_sim *open_sim(keel_model *m, const char *method, double step) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = pair_of(method, "watch"), .step = step});
    assert_non_null(s);
    assert_ok(keel_sim_solver(s), keel_state_of(keel_sim_solver(s)));
    return s;
}

/* The largest error of each of the first `count` columns against the model's exact lines. */
static void errors_to(keel_sim *s, double t_end, int count, double *worst) {
    double value[40], exact[40];
    memset(worst, 0, (size_t)count * sizeof *worst);
    while (keel_time(keel_sim_solver(s)) < t_end) {
        if (keel_sim_step(s, t_end) < 0) fail_msg("%s", keel_sim_message(s));
        assert_int_equal(keel_sim_values(s, value), KEEL_OK);
        assert_int_equal(keel_sim_exact(s, keel_time(keel_sim_solver(s)), exact), KEEL_OK);
        for (int i = 0; i < count; i++) worst[i] = fmax(worst[i], fabs(value[i] - exact[i]));
    }
}

static keel_row row_named(const keel_sim *s, const char *name) {
    keel_row row;
    for (int i = 0; keel_row_at(keel_sim_solver((keel_sim *)s), i, &row); i++)
        if (strcmp(row.name, name) == 0) return row;
    fail_msg("there is no row %s", name);
    return row;
}

static void assert_native(const keel_sim *s, const char *name) {
    assert_int_equal(row_named(s, name).treatment, KEEL_ROW_NATIVE);
    assert_below(row_named(s, name).units, 16);
}

/* (33), (34) of the paper for theta_0 = 0, beta = 2. */
static void plastic_exact(double t, double *q) {
    double m = sqrt(3), z = 1 + 2. / 3 * (cosh(m * t) - 1), dz = 2 / m * sinh(m * t), a = (z + 1) / (2 * z);
    q[0] = 200 * (a * cos(t) - dz / (2 * z) * sin(t));
    q[1] = 200 * (dz / (2 * z) * cos(t) + a * sin(t));
}

static void plastic_errors(keel_model *m, const char *method, double step, double *worst) {
    keel_sim *s = open_sim(m, method, step);
    worst[0] = worst[1] = 0;
    while (keel_time(keel_sim_solver(s)) < 10) {
        double exact[2];
        if (keel_sim_step(s, 10) < 0) fail_msg("%s", keel_sim_message(s));
        plastic_exact(keel_time(keel_sim_solver(s)), exact);
        for (int i = 0; i < 2; i++)
            worst[i] = fmax(worst[i], fabs(keel_state(keel_sim_solver(s))[i] - exact[i]));
    }
    assert_native(s, "line 11");
    keel_sim_close(s);
}

/* Example 1: h = 0.001 gives 3.90e-5 and 2.18e-5 MPa, half the step a quarter of it. */
static void plasticity(void **state) {
    (void)state;
    keel_model *m = model_example("plastic2");
    for (int form = 0; form < 2; form++) {
        double whole[2], half[2];
        plastic_errors(m, forms[form], 0.001, whole);
        assert_within(whole[0], 3.88e-5, 3.93e-5);
        assert_within(whole[1], 2.16e-5, 2.20e-5);
        if (form) continue;
        plastic_errors(m, forms[form], 0.0005, half);
        for (int i = 0; i < 2; i++) assert_within(log2(whole[i] / half[i]), 1.98, 2.02);
    }
    keel_model_close(m);
}

/* Example 2 starts at x = 0, where the printed algorithm divides by |x|. */
static void a_start_at_zero(void **state) {
    (void)state;
    keel_model *m = model_example("liu2013_2");
    for (int form = 0; form < 2; form++) {
        double whole[3], half[3];
        for (int halved = 0; halved < 2; halved++) {
            keel_sim *s = open_sim(m, forms[form], halved ? 0.0005 : 0.001);
            errors_to(s, 1, 3, halved ? half : whole);
            assert_native(s, "line 9");
            keel_sim_close(s);
        }
        assert_within(whole[0], 4.1e-8, 4.4e-8);
        assert_within(whole[1], 6.0e-8, 6.2e-8);
        for (int i = 0; i < 3; i++) assert_within(log2(whole[i] / half[i]), 1.95, 2.05);
    }
    keel_model_close(m);
}

/* Example 3: the circle itself is not kept, |u|^2 - 1 = -h^2 t^2. */
static void the_circle_is_left_by_a_formula(void **state) {
    (void)state;
    keel_model *m = model_example("liu2013_3");
    double error[3];
    keel_sim *s = open_sim(m, "lgdae", 1e-4);
    errors_to(s, 0.1, 3, error);
    assert_within(error[0], 1.2e-12, 1.6e-12);
    assert_within(error[2], 4.9e-11, 5.1e-11);
    errors_to(s, 1, 3, error);
    assert_within(error[0], 4.7e-9, 4.9e-9);
    assert_within(error[2], 2.1e-9, 2.3e-9);
    assert_native(s, "line 7");
    assert_within(-value_of(s, "I1"), 0.995e-8, 1.005e-8);
    keel_sim_close(s);
    keel_model_close(m);
}

/* The same with the constraint on the position, index 3: d/dt of it is watched. */
static void index_three(void **state) {
    (void)state;
    keel_model *m = model_example("sand");
    for (int form = 0; form < 2; form++) {
        double error[2];
        keel_sim *s = open_sim(m, forms[form], 1e-3);
        errors_to(s, 1, 2, error);
        assert_below(fmax(error[0], error[1]), 2e-6);
        assert_native(s, "line 5");
        assert_int_equal(row_named(s, "d/dt line 5").treatment, KEEL_ROW_WATCHED);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* Example 4, two multipliers. */
static void two_multipliers(void **state) {
    (void)state;
    keel_model *m = model_example("liu2013_4");
    double error[4];
    keel_sim *s = open_sim(m, "lgdae", 1e-4);
    errors_to(s, 1, 4, error);
    assert_below(fmax(error[0], error[1]), 3e-10);
    assert_below(fmax(error[2], error[3]), 5e-10);
    assert_native(s, "line 5");
    assert_native(s, "line 6");
    keel_sim_close(s);
    s = open_sim(m, "lgdae-nested", 1e-3);
    errors_to(s, 1, 4, error);
    assert_within(fmax(error[2], error[3]), 3.5e-8, 4.5e-8);
    assert_native(s, "line 5");
    assert_native(s, "line 6");
    keel_sim_close(s);
    keel_model_close(m);
}

/* Symmetric: the energy swings and does not drift. */
static void energy_stays_bounded(void **state) {
    (void)state;
    keel_model *m = model_example("liu2013_4");
    keel_sim *s = open_sim(m, "lgdae", 0.05);
    double swing[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        while (keel_time(keel_sim_solver(s)) < (k ? 200 : 10)) {
            if (keel_sim_step(s, 200) < 0) fail_msg("%s", keel_sim_message(s));
            const double *u = keel_state(keel_sim_solver(s));
            swing[k] = fmax(swing[k], fabs(0.5 * (u[2] * u[2] + u[3] * u[3]) + u[1]));
        }
    assert_within(swing[0], 6.0e-4, 6.5e-4);
    assert_within(swing[1] / swing[0], 0.98, 1.02);
    keel_sim_close(s);
    keel_model_close(m);
}

/* x' = a x is met exactly, whatever the step. */
static int growth(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int i = 0; i < 2; i++) out[i] = -0.7 * u[i];
    return 0;
}

static void growth_is_exact(void **state) {
    (void)state;
    static const double start[2] = {1, -2};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = growth}};
    for (int form = 0; form < 2; form++) {
        keel_solver *s = keel_open(&p, &(keel_options){.method = forms[form], .step = 0.5});
        assert_ok(s, keel_run(s, 10));
        for (int i = 0; i < 2; i++) assert_below(fabs(keel_state(s)[i] / start[i] / exp(-7) - 1), 1e-13);
        keel_close(s);
    }
}

static void a_step_without_an_end_says_so(void **state) {
    (void)state;
    keel_model *m = model_example("liu2013_4");
    keel_sim *s = open_sim(m, "lgdae", 5);
    while (keel_sim_run(s, 100) > 0) {}
    assert_int_equal(keel_state_of(keel_sim_solver(s)), KEEL_ENEWTON);
    assert_non_null(strstr(keel_sim_message(s), "lgdae: no end of the step with its multipliers was found"));
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plasticity),
        cmocka_unit_test(a_start_at_zero),
        cmocka_unit_test(the_circle_is_left_by_a_formula),
        cmocka_unit_test(index_three),
        cmocka_unit_test(two_multipliers),
        cmocka_unit_test(energy_stays_bounded),
        cmocka_unit_test(growth_is_exact),
        cmocka_unit_test(a_step_without_an_end_says_so),
    };
    return cmocka_run_group_tests_name("lgdae", tests, NULL, NULL);
}
