/* test_manifold.c - equations without algebraic variables on a given manifold, at rest or moving. */
#include "testing.h"
#include "starts.h"

/* Exchange between three stores, k1 = 2 and k2 = 0.5; nothing is lost: the sum stays 1. */
static int exchange(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -2 * u[0] + 0.5 * u[1] * u[2];
    out[1] = 2 * u[0] - 0.5 * u[1] * u[2] - u[1];
    out[2] = u[1];
    return 0;
}

static int balance(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] + u[1] + u[2] - 1;
    return 0;
}

static void an_ode_keeps_a_given_balance(void **state) {
    (void)state;
    static const char *const names[] = {"balance"};
    static const unsigned char last_free[] = {1, 1, 0};
    double u0[] = {0.7, 0.2, 0.3}, u[3];
    keel_problem p = {.form = KEEL_DAE,
                      .n = 3,
                      .u0 = u0,
                      .f = {.count = 3, .value = exchange},
                      .hidden = {.count = 1, .value = balance, .names = names}};
    keel_row row;
    keel_solver *s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `balance`|it is 0.2");
    keel_close(s);
    p.fixed = last_free;
    s = keel_open(&p, &(keel_options){.rtol = 1e-8});
    assert_ok(s, keel_state_of(s));
    expect_state(s, 3, (double[]){0.7, 0.2, 0.1}, 4 * EPS);
    for (int k = 1; k <= 40; k++) {
        assert_ok(s, keel_step(s, 1000));
        double t = keel_time(s);
        assert_ok(s, keel_eval(s, t - 1e-3 * k / 40, u));
        assert_below(fabs(u[0] + u[1] + u[2] - 1), 4 * EPS);
    }
    assert_true(keel_row_at(s, 0, &row) && row.kind == KEEL_ROW_HIDDEN && row.treatment == KEEL_ROW_KEPT);
    assert_below(row.units, 4);
    assert_false(keel_row_at(s, 1, &row));
    keel_close(s);
}

/* x' = cos t, v' = -x: the moving row x = sin t, with or without its rate, and one that begins to move. */
static int driven(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = cos(t);
    out[1] = -u[0];
    return 0;
}

static int on_the_sine(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] - sin(t);
    return 0;
}

static int minus_cosine(double t, const double *u, double *out, void *user) {
    (void)u, (void)user;
    out[0] = -cos(t);
    return 0;
}

static double begin_at(double t) {
    return t > 20 ? (t - 20) * (t - 20) * (t - 20) : 0;
}

static int driven_late(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = t > 20 ? 3 * (t - 20) * (t - 20) : 0;
    out[1] = -u[0];
    return 0;
}

static int moves_late(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] - begin_at(t);
    return 0;
}

static void an_ode_follows_a_moving_row(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853", "bs32", "rk4", "abm4"};
    double u0[] = {0, 1}, u[2];
    keel_row row;
    for (int k = 0; k < 8; k++) {
        keel_problem p = {.form = KEEL_DAE,
                          .n = 2,
                          .u0 = u0,
                          .f = {.count = 2, .value = driven},
                          .hidden = {.count = 1, .value = on_the_sine}};
        keel_options o = {.method = methods[k / 2], .step = k < 4 ? 0 : 1. / 64, .rtol = 1e-7};
        if (k % 2) p.hidden.time_derivative = minus_cosine;
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_run(s, 8));
        assert_below(fabs(keel_state(s)[0] - sin(8.0)), 8 * EPS);
        assert_below(fabs(keel_state(s)[1] - cos(8.0)), 1e-6);
        assert_ok(s, keel_step(s, 9));
        double t = keel_time(s) - 0.003;
        assert_ok(s, keel_eval(s, t, u));
        assert_below(fabs(u[0] - sin(t)), 8 * EPS);
        assert_true(keel_row_at(s, 0, &row) && row.treatment == KEEL_ROW_KEPT);
        assert_below(row.units, 4);
        keel_close(s);
    }
    keel_problem p = {.form = KEEL_DAE,
                      .n = 2,
                      .u0 = u0,
                      .f = {.count = 2, .value = driven_late},
                      .hidden = {.count = 1, .value = moves_late}};
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-7, .max_step = 1});
    assert_ok(s, keel_run(s, 25));
    assert_below(fabs(keel_state(s)[0] - begin_at(25)), 250 * 4 * EPS);
    assert_below(worst_units(s, NULL), 4);
    keel_close(s);
}

static long steps_taken(const keel_problem *p, const char *method, double rtol, double t_end) {
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .rtol = rtol});
    assert_ok(s, keel_run(s, t_end));
    long steps = keel_statistics(s).steps;
    keel_close(s);
    return steps;
}

/* Parts of an error may be larger than the whole: directions across the manifold are not at right angles to
 * it by the tolerances, and the norm of dop853 is a quotient.  A step that would be right without its
 * projection is right with it. */
static void a_projection_asks_for_no_more_steps(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"dop853+none", "dop853+project"},
                                           {"dopri5+none", "dopri5+project"}};
    for (int k = 0; k < 5; k++)
        for (double rtol = 1e-6; rtol > 5e-11; rtol /= 100)
            for (int i = 0; i < 2; i++) {
                problem p;
                if (k < 2) problem_kepler(&p, 0.5 + 0.1 * k, 1);
                else if (k == 2) problem_kepler_space(&p, 0.6, 1);
                else if (k == 3) problem_rigid_body(&p, 2, 1, 2.0 / 3);
                else problem_lotka_volterra(&p);
                long alone = steps_taken(&p.keel, pairs[i][0], rtol, 40),
                     projected = steps_taken(&p.keel, pairs[i][1], rtol, 40);
                if (projected > alone + alone / 50)
                    fail_msg("problem %d, %s, rtol %g: %ld steps, without %ld", k, pairs[i][1], rtol,
                             projected, alone);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ode_keeps_a_given_balance),
        cmocka_unit_test(an_ode_follows_a_moving_row),
        cmocka_unit_test(a_projection_asks_for_no_more_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
