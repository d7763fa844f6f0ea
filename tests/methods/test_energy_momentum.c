/* test_energy_momentum.c - Gonzalez 1999: four particles, two bars, two stiff springs; what is conserved, at
 * which order, and what the forms are good for. */
#include "extras.h"
#include "model_run.h"

#include <keel/method.h>

#include <float.h>

enum { PARTS = 24 }; /* q, then p */

static keel_model *four;
static keel_problem with_forms(void) {
    keel_mode mode;
    assert_true(keel_model_mode(four, 0, &mode));
    assert_true(keel_extras_of(mode.problem)->quadratic_forms.count > 0);
    return *mode.problem;
}

static int open_model(void **state) {
    (void)state;
    four = model_example("four");
    return 0;
}

static int close_model(void **state) {
    (void)state;
    keel_model_close(four);
    return 0;
}

static keel_solver *open_with(const keel_problem *p, double step) {
    keel_solver *s = keel_open(p, &(keel_options){.method = "energy-momentum", .step = step});
    assert_ok(s, keel_state_of(s));
    return s;
}

static double drift_of(const keel_solver *s, const char *name, double *units) {
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (strcmp(row.name, name) == 0) {
            if (units) *units = row.units;
            return row.drift;
        }
    fail_msg("there is no row %s", name);
    return 0;
}

static void energy_momenta_and_bars_are_kept(void **state) {
    (void)state;
    keel_problem p = with_forms();
    keel_solver *s = open_with(&p, 0.01);
    assert_ok(s, keel_run(s, 10));
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        assert_int_equal(row.treatment, row.kind == KEEL_ROW_CONSTRAINT ? KEEL_ROW_NATIVE : KEEL_ROW_WATCHED);
        if (row.kind != KEEL_ROW_VELOCITY && row.units > 16) fail_msg("%s: %g units", row.name, row.units);
    }
    assert_within(drift_of(s, "d/dt bar[1]", NULL), 1.70e-5, 1.75e-5);
    assert_within(drift_of(s, "d/dt bar[2]", NULL), 1.40e-5, 1.44e-5);
    keel_close(s);
    for (int k = 0; k < 4; k++) { /* far beyond what the stiff spring resolves */
        static const double step[] = {0.1, 0.2, 0.3, 0.4};
        s = open_with(&p, step[k]);
        double units;
        assert_ok(s, keel_run(s, 120));
        drift_of(s, "energy", &units);
        assert_below(units, 64);
        keel_close(s);
    }
}

static void rates_of_the_bars_go_with_the_square_of_the_step(void **state) {
    (void)state;
    keel_problem p = with_forms();
    double before = 0, now;
    for (double step = 0.02; step > 0.004; step /= 2, before = now) {
        keel_solver *s = open_with(&p, step);
        assert_ok(s, keel_run(s, 10));
        now = drift_of(s, "d/dt bar[1]", NULL);
        if (before > 0) assert_within(before / now, 3.8, 4.2);
        keel_close(s);
    }
}

/* x at t, and the multipliers of the last step: dp_1 + dp_3 has no part of the springs. */
static void end_at(const keel_problem *p, double step, double t, double *x, double lambda[2]) {
    keel_solver *s = open_with(p, step);
    double d[2][3], sum[3], matrix[3] = {0}, right[2] = {0};
    assert_ok(s, keel_run(s, t - step));
    memcpy(x, keel_state(s), PARTS * sizeof *x);
    assert_ok(s, keel_run(s, t));
    const double *now = keel_state(s);
    for (int c = 0; c < 3; c++) {
        d[0][c] = 0.5 * (x[c] - x[3 + c] + now[c] - now[3 + c]);
        d[1][c] = 0.5 * (x[6 + c] - x[9 + c] + now[6 + c] - now[9 + c]);
        sum[c] = -(now[12 + c] - x[12 + c] + now[18 + c] - x[18 + c]) / step;
        matrix[0] += d[0][c] * d[0][c];
        matrix[1] += d[0][c] * d[1][c];
        matrix[2] += d[1][c] * d[1][c];
        for (int i = 0; i < 2; i++) right[i] += d[i][c] * sum[c];
    }
    double det = matrix[0] * matrix[2] - matrix[1] * matrix[1];
    lambda[0] = (right[0] * matrix[2] - right[1] * matrix[1]) / det;
    lambda[1] = (right[1] * matrix[0] - right[0] * matrix[1]) / det;
    memcpy(x, now, PARTS * sizeof *x);
    keel_close(s);
}

/* The state and its multipliers by a trusted method. */
static void trusted_at(const keel_problem *p, double t, double *x, double lambda[2]) {
    keel_solver *s = keel_open(p, &(keel_options){.rtol = 1e-13});
    assert_ok(s, keel_run(s, t));
    memcpy(x, keel_state(s), PARTS * sizeof *x);
    memcpy(lambda, keel_multipliers(s), 2 * sizeof *lambda);
    keel_close(s);
}

static double norm_between(const double *a, const double *b, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void values_of_the_paper(void **state) {
    (void)state;
    static const double printed[4] = {1.975e-5, 5.094e-6, 1.284e-6, 3.215e-7}, zero[PARTS] = {0};
    keel_problem p = with_forms();
    double exact[PARTS], x[PARTS], lambda[2];
    trusted_at(&p, 0.1, exact, lambda);
    for (int k = 0; k < 4; k++) {
        end_at(&p, ldexp(0.01, -k), 0.1, x, lambda);
        double error = norm_between(x, exact, 9, 12) / norm_between(exact, zero, 9, 12);
        assert_within(error / printed[k], 0.99, 1.01);
    }
}

/* q and p of order 2; the multiplier is that of the middle of the step, and of order 1 at its end. */
static void orders(void **state) {
    (void)state;
    keel_problem p = with_forms();
    double exact[PARTS], middle[PARTS], at_end[2], at_middle[2], x[PARTS], lambda[2], error[2][4];
    trusted_at(&p, 0.1, exact, at_end);
    for (int k = 0; k < 2; k++) {
        double step = ldexp(0.1, -7 - k);
        trusted_at(&p, 0.1 - 0.5 * step, middle, at_middle);
        end_at(&p, step, 0.1, x, lambda);
        error[k][0] = norm_between(x, exact, 0, 12);
        error[k][1] = norm_between(x, exact, 12, 24);
        error[k][2] = norm_between(lambda, at_middle, 0, 2);
        error[k][3] = norm_between(lambda, at_end, 0, 2);
    }
    for (int i = 0; i < 4; i++) {
        double order = log2(error[0][i] / error[1][i]);
        assert_within(order, (i < 3 ? 2 : 1) - 0.1, (i < 3 ? 2 : 1) + 0.1);
    }
}

static void steps_retrace_themselves(void **state) {
    (void)state;
    keel_problem p = with_forms();
    keel_solver *s = open_with(&p, 0.01);
    assert_ok(s, keel_run(s, 2));
    assert_true(norm_between(keel_state(s), p.u0, 0, PARTS) > 1);
    assert_ok(s, keel_run(s, 0));
    assert_below(norm_between(keel_state(s), p.u0, 0, PARTS), 1e-12);
    keel_close(s);
}

/* Without forms the energy stays and the momenta go. */
static void momenta_need_forms(void **state) {
    (void)state;
    keel_problem p = with_forms();
    double units;
    own_extras(&p)->quadratic_forms = own_extras(&p)->energy_of_forms = (keel_map){0};
    keel_solver *s = open_with(&p, 0.01);
    assert_ok(s, keel_run(s, 10));
    assert_below((drift_of(s, "energy", &units), units), 32);
    assert_below((drift_of(s, "bar[1]", &units), units), 16);
    assert_within(drift_of(s, "J[1]", NULL), 1e-8, 1e-3);
    keel_close(s);
}

/* On x^4 + y^4 + z^4 = 1 in a field: D g . dq = g(q1) - g(q) is what keeps H. */
static void energy_on_a_quartic_surface(void **state) {
    (void)state;
    keel_model *m = model_of("model quartic\ncanonical q[1..3], p[1..3]\n"
                             "hamiltonian dot(p, p)/2*(1 + q[1]^2/4) + q[3] + q[2]^3/3\n"
                             "constraint on: q[1]^4 + q[2]^4 + q[3]^4 = 1\n"
                             "init q = (1, 0, 0), p = (0, 0.7, -0.4)\nrun 0 .. 10\n");
    for (double step = 0.02; step > 0.004; step /= 2) {
        double units;
        keel_sim *sim = keel_sim_open(m, &(keel_options){.method = "energy-momentum", .step = step});
        run_to(sim, 10);
        assert_below((drift_of(keel_sim_solver(sim), "energy", &units), units), 32);
        assert_below((drift_of(keel_sim_solver(sim), "on", &units), units), 16);
        keel_sim_close(sim);
    }
    keel_model_close(m);
}

/* A lagrangian with pairwise forms: the same way in velocities. */
static void mechanics_keeps_them_too(void **state) {
    (void)state;
    keel_model *m =
        model_of("model rods\nparam m[1..3] = (1, 2, 3)\ncoord q[1..3][1..2]\n"
                 "let sq(a) = dot(a, a)\n"
                 "lagrangian sum(i in 1..3, m[i]*sq(q[i]')/2) - 5*(norm(q[1] - q[3]) - 1)^2\n"
                 "constraint rod[1]: sq(q[1] - q[2]) = 1\nconstraint rod[2]: sq(q[2] - q[3]) = 1\n"
                 "invariant energy\n"
                 "invariant L = sum(i in 1..3, m[i]*(q[i][1]*q[i][2]' - q[i][2]*q[i][1]'))\n"
                 "init q = ((0, 0), (1, 0), (1, 1)), q' = ((0, 1), (0, 0), (0.5, 0))\nrun 0 .. 5\n");
    keel_mode mode;
    double units;
    assert_true(keel_model_mode(m, 0, &mode) && mode.problem->form == KEEL_MECHANICS);
    assert_true(keel_extras_of(mode.problem)->quadratic_forms.count > 0);
    keel_solver *s = open_with(mode.problem, 0.02);
    assert_ok(s, keel_run(s, 5));
    assert_below((drift_of(s, "energy", &units), units), 32);
    assert_below((drift_of(s, "L", &units), units), 32);
    assert_below((drift_of(s, "rod[1]", &units), units), 16);
    keel_close(s);
    keel_model_close(m);
}

static int wrong(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int i = 0; i < 12; i++) out[i] = u[i] * u[i] * u[i];
    return 0;
}

static int zeros(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[1] = out[2] = 0;
    return 0;
}

static void expect_refusal(keel_problem p, const char *words) {
    keel_solver *s = keel_open(&p, &(keel_options){.method = "energy-momentum", .step = 0.01});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), words)) fail_msg("%s", keel_message(s));
    keel_close(s);
}

static void wrong_forms_are_refused(void **state) {
    (void)state;
    keel_problem p = with_forms();
    own_extras(&p)->energy_of_forms.value = zeros;
    expect_refusal(p, "`energy_of_forms` of `quadratic_forms` is not what");
    p = with_forms();
    own_extras(&p)->quadratic_forms.value = wrong;
    expect_refusal(p, "degree 2 at most");
    p = with_forms();
    own_extras(&p)->energy_of_forms.jacobian = NULL;
    expect_refusal(p, "need their jacobians");
    p = with_forms();
    own_extras(&p)->energy_of_forms.count = 2;
    own_extras(&p)->energy_of_forms.pattern = NULL;
    expect_refusal(p, "count 3, it has 2");
}

static void a_step_without_an_end_says_so(void **state) {
    (void)state;
    keel_problem p = with_forms();
    keel_solver *s = open_with(&p, 5);
    assert_int_equal(keel_run(s, 500), KEEL_ENEWTON);
    assert_non_null(strstr(keel_message(s), "energy-momentum: no end of the step was found from t = "));
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_momenta_and_bars_are_kept),
        cmocka_unit_test(rates_of_the_bars_go_with_the_square_of_the_step),
        cmocka_unit_test(values_of_the_paper),
        cmocka_unit_test(orders),
        cmocka_unit_test(steps_retrace_themselves),
        cmocka_unit_test(momenta_need_forms),
        cmocka_unit_test(energy_on_a_quartic_surface),
        cmocka_unit_test(mechanics_keeps_them_too),
        cmocka_unit_test(wrong_forms_are_refused),
        cmocka_unit_test(a_step_without_an_end_says_so),
    };
    return cmocka_run_group_tests_name("energy-momentum", tests, open_model, close_model);
}
