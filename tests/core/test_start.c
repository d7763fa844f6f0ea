/* test_start.c - consistent starts of every form, with and without the derivatives a person may give.
 *
 * Fixed values stay, free ones move by the smallest weighted change; what does not fit is refused with the
 * nearest values.  Algebraic variables are found. */
#include "testing.h"
#include "starts.h"

#include <keel/extras.h>

static keel_solver *pendulum_from(problem *p, double x, double y, double vx, double vy,
                                  const unsigned char *fixed) {
    problem_pendulum(p, 9.81);
    p->u0[0] = x, p->u0[1] = y, p->u0[2] = vx, p->u0[3] = vy;
    p->keel.fixed = fixed;
    return keel_open(&p->keel, NULL);
}

/* ---- Fixed and free values. ---- */

static void a_free_coordinate_is_moved_to_the_rod(void **state) {
    (void)state;
    static const unsigned char x_free[] = {0, 1, 1, 1};
    problem p;
    keel_solver *s = pendulum_from(&p, 0.5, -0.6, 0, 0, x_free);
    assert_ok(s, keel_state_of(s));
    expect_state(s, 4, (double[]){0.8, -0.6, 0, 0}, 4 * EPS);
    assert_true(keel_state(s)[1] == -0.6);
    keel_close(s);
    s = pendulum_from(&p, -0.5, -0.6, 0, 0, x_free); /* the nearer of the two */
    expect_state(s, 4, (double[]){-0.8, -0.6, 0, 0}, 4 * EPS);
    keel_close(s);
}

static void free_velocities_lose_their_part_along_the_rod(void **state) {
    (void)state;
    static const unsigned char v_free[] = {1, 1, 0, 0}, vy_free[] = {1, 1, 1, 0};
    problem p;
    keel_solver *s = pendulum_from(&p, 0.6, -0.8, 1, 0, v_free);
    assert_ok(s, keel_state_of(s));
    expect_state(s, 4, (double[]){0.6, -0.8, 0.64, 0.48}, 4 * EPS);
    keel_close(s);
    s = pendulum_from(&p, 0.6, -0.8, 1, 0, vy_free);
    assert_ok(s, keel_state_of(s));
    expect_state(s, 4, (double[]){0.6, -0.8, 1, 0.75}, 4 * EPS);
    keel_close(s);
}

static void free_positions_come_first_and_velocities_follow(void **state) {
    (void)state;
    static const unsigned char all_free[] = {0, 0, 0, 0};
    problem p;
    keel_solver *s = pendulum_from(&p, 3, -4, 1, 0, all_free);
    assert_ok(s, keel_state_of(s));
    expect_state(s, 4, (double[]){0.6, -0.8, 0.64, 0.48}, 4 * EPS);
    assert_ok(s, keel_run(s, 1));
    assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

/* diag(1, 9) */
static int unequal_masses(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 1, out[1] = out[2] = 0, out[3] = 9;
    return 0;
}

/* The smallest change in dq M dq has M dq along the gradient of the rod. */
static void the_change_is_the_smallest_in_the_norm_of_the_mass(void **state) {
    (void)state;
    static const unsigned char all_free[] = {0, 0, 0, 0};
    problem p;
    problem_pendulum(&p, 9.81);
    p.keel.energy = (keel_map){0};
    p.keel.mass = (keel_matrix){.value = unequal_masses, .constant = 1};
    p.u0[0] = 0.6 + 1e-4, p.u0[1] = -0.8 + 1e-4;
    p.keel.fixed = all_free;
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_ok(s, keel_state_of(s));
    const double *q = keel_state(s);
    double dx = q[0] - p.u0[0], dy = q[1] - p.u0[1];
    assert_below(fabs(q[0] * q[0] + q[1] * q[1] - 1), 4 * EPS);
    assert_below(fabs(dx * q[1] - 9 * dy * q[0]) / hypot(dx, 9 * dy), 1e-3);
    keel_close(s);
}

static void values_that_fit_to_nine_digits_are_polished_even_if_fixed(void **state) {
    (void)state;
    problem p;
    double x = 0.6 + 1e-11, y = -0.8;
    keel_solver *s = pendulum_from(&p, x, y, 0.8, 0.6 + 1e-11, NULL);
    assert_ok(s, keel_state_of(s));
    const double *u = keel_state(s);
    assert_below(fabs(u[0] * u[0] + u[1] * u[1] - 1), 4 * EPS);
    assert_below(fabs(u[0] * u[2] + u[1] * u[3]), 4 * EPS);
    keel_close(s);
}

/* ---- Starts that do not fit. ---- */

static void a_start_off_the_rod_is_refused_with_the_nearest_values(void **state) {
    (void)state;
    problem p;
    keel_solver *s = pendulum_from(&p, 0.9, 0, 0, 0, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `rod`|it is -0.19 at t = 0 instead of 0|nearest consistent values: `x` = 1 "
                    "instead of 0.9");
    expect_state(s, 4, (double[]){1, 0, 0, 0}, 4 * EPS);
    assert_int_equal(keel_run(s, 1), KEEL_ESTART);
    assert_ok(s, keel_restart(s, 0, NULL)); /* take them */
    assert_ok(s, keel_run(s, 1));
    assert_below(error_to_exact(&p, s), 1e-4);
    keel_close(s);
}

static void a_velocity_off_the_rod_is_refused_with_the_nearest_values(void **state) {
    (void)state;
    problem p;
    keel_solver *s = pendulum_from(&p, 1, 0, 0.5, 2, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `d/dt rod`|it is 1 at t = 0|`vx` = |instead of 0.5");
    expect_state(s, 4, (double[]){1, 0, 0, 2}, 4 * EPS);
    keel_close(s);
}

static void free_values_that_cannot_help_do_not_hide_the_row(void **state) {
    (void)state;
    static const unsigned char x_free[] = {0, 1, 1, 1};
    problem p;
    keel_solver *s = pendulum_from(&p, 0.5, 2, 0, 0, x_free); /* no x fits y = 2 */
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `rod`|nearest consistent values|`y` = |instead of 2");
    const double *q = keel_state(s);
    assert_below(fabs(q[0] * q[0] + q[1] * q[1] - 1),
                 64 * EPS); /* 4 units of a row of the size it had at y = 2 */
    keel_close(s);
}

static int no_circle(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] + 1;
    return 0;
}

static void a_constraint_nobody_can_meet_is_said_to_have_no_values(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    p.keel.constraint = (keel_map){.count = 1, .value = no_circle};
    p.keel.energy = (keel_map){0};
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `constraint`|no consistent values were found near them");
    keel_close(s);
}

static void many_changes_are_not_all_told(void **state) {
    (void)state;
    problem p;
    problem_five_link(&p);
    for (int i = 0; i < 8; i++) p.u0[i] += 0.01;
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "`rod|nearest consistent values|, ...");
    assert_ok(s, keel_restart(s, 0, NULL));
    keel_close(s);
}

static void a_restart_is_made_consistent(void **state) {
    (void)state;
    problem p;
    keel_solver *s = pendulum_from(&p, 1, 0, 0, 0, NULL);
    assert_ok(s, keel_run(s, 0.5));
    assert_ok(s, keel_restart(s, 7, (double[]){3, -4, 1, 0}));
    assert_true(keel_time(s) == 7);
    expect_state(s, 4, (double[]){0.6, -0.8, 0.64, 0.48}, 8 * EPS);
    keel_close(s);
}

/* ---- Algebraic variables. ---- */

/* x' = -y, 0 = y^3 + y - x */
static int minus_y(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[1];
    return 0;
}

static int cubic(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] * u[1] * u[1] + u[1] - u[0];
    return 0;
}

static int cubic_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -1;
    out[1] = 3 * u[1] * u[1] + 1;
    return 0;
}

static const char *const cubic_names[] = {"amount", "flow"};

static void algebraic_variables_are_found_from_any_guess(void **state) {
    (void)state;
    static const double guesses[] = {1, 0, 0.3, -2, 1000};
    for (int i = 0; i < 10; i++) {
        double u0[] = {2, guesses[i % 5]}; /* y = 1 */
        keel_problem p = {
            .form = KEEL_DAE,
            .n = 1,
            .m = 1,
            .u0 = u0,
            .f = {.count = 1, .value = minus_y},
            .algebraic = {.count = 1, .value = cubic, .jacobian = i < 5 ? cubic_jacobian : NULL}};
        keel_solver *s = keel_open(&p, NULL);
        assert_ok(s, keel_state_of(s));
        expect_state(s, 2, (double[]){2, 1}, 4 * EPS);
        /* y' (3 y^2 + 1) = -y, so 3/2 (y^2 - 1) + ln y = -t */
        assert_ok(s, keel_run(s, 1));
        double y = keel_state(s)[1];
        assert_below(fabs(1.5 * (y * y - 1) + log(y) + 1), 1e-5);
        assert_below(fabs(y * y * y + y - keel_state(s)[0]), 4 * EPS);
        keel_close(s);
    }
}

static void a_fixed_algebraic_variable_must_be_right(void **state) {
    (void)state;
    static const unsigned char all_fixed[] = {1, 1};
    double u0[] = {2, 1.5};
    keel_problem p = {.form = KEEL_DAE,
                      .n = 1,
                      .m = 1,
                      .u0 = u0,
                      .fixed = all_fixed,
                      .names = cubic_names,
                      .f = {.count = 1, .value = minus_y},
                      .algebraic = {.count = 1, .value = cubic}};
    keel_solver *s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(
        s, "`flow` does not fit the algebraic equations|nearest consistent value 1 instead of 1.5 at t = 0");
    expect_state(s, 2, (double[]){2, 1}, 4 * EPS);
    assert_ok(s, keel_restart(s, 0, NULL));
    keel_close(s);
    u0[1] = 1;
    s = keel_open(&p, NULL);
    assert_ok(s, keel_state_of(s));
    keel_close(s);
}

/* Index 2: x' = (-x2, x1) + (y + 0.1) x with |x| = 1, so y = -0.1 and x turns. */
static int pushed(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[1] + (u[2] + 0.1) * u[0];
    out[1] = u[0] + (u[2] + 0.1) * u[1];
    return 0;
}

static keel_problem index_two(const double *u0) {
    return (keel_problem){.form = KEEL_DAE,
                          .n = 2,
                          .m = 1,
                          .u0 = u0,
                          .f = {.count = 2, .value = pushed},
                          .algebraic = {.count = 1, .value = ring, .names = ring_names}};
}

static void index_two_needs_no_hidden_rows(void **state) {
    (void)state;
    double u0[] = {1, 0, 7};
    keel_problem p = index_two(u0);
    keel_row row;
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-9});
    assert_ok(s, keel_state_of(s));
    expect_state(s, 3, (double[]){1, 0, -0.1}, 16 * EPS);
    assert_ok(s, keel_run(s, 10));
    expect_state(s, 3, (double[]){cos(10.0), sin(10.0), -0.1}, 1e-7);
    assert_true(keel_row_at(s, 0, &row) && row.kind == KEEL_ROW_ALGEBRAIC && row.treatment == KEEL_ROW_KEPT);
    assert_below(row.units, 16);
    keel_close(s);
}

static void index_two_starts_off_the_manifold_are_refused_or_moved(void **state) {
    (void)state;
    static const unsigned char all_free[] = {0, 0, 0};
    double u0[] = {1.2, 0, 0};
    keel_problem p = index_two(u0);
    keel_solver *s = keel_open(&p, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `ring`|it is 0.44|u[0] = 1 instead of 1.2");
    expect_state(s, 3, (double[]){1, 0, -0.1},
                 16 * EPS); /* nearest values, the algebraic variable among them */
    keel_close(s);
    p.fixed = all_free;
    s = keel_open(&p, NULL);
    assert_ok(s, keel_state_of(s));
    expect_state(s, 3, (double[]){1, 0, -0.1}, 16 * EPS);
    keel_close(s);
}

static void index_three_finds_its_algebraic_variable_and_holds_both_rows(void **state) {
    (void)state;
    problem p;
    problem_pendulum_dae(&p, 9.81);
    p.u0[4] = 55;
    for (int given = 0; given < 2; given++) {
        if (!given) p.keel.f.jacobian = p.keel.algebraic.jacobian = p.keel.hidden.jacobian = NULL;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-9});
        assert_ok(s, keel_state_of(s));
        expect_state(s, 5, (double[]){1, 0, 0, 0, 0}, 1e-12);
        assert_ok(s, keel_run(s, 1));
        assert_below(error_to_exact(&p, s), 1e-6);
        const double *u = keel_state(s);
        assert_below(fabs(u[4] - (u[2] * u[2] + u[3] * u[3] - 9.81 * u[1])), 1e-11);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
        problem_pendulum_dae(&p, 9.81);
    }
    p.u0[2] = 0.5;
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    expect_words(s, "do not fit `tangency`|it is 0.5");
    keel_close(s);
}

static void the_start_alone_is_that_of_a_run(void **state) {
    (void)state;
    static const unsigned char x_free[] = {0, 1, 0, 0};
    problem p;
    double u[4], last[4] = {7, 7, 7, 7};
    keel_solver *s = pendulum_from(&p, 0.5, -0.6, 1, 0.3, x_free);
    assert_ok(s, keel_state_of(s));
    assert_int_equal(keel_find_start(&p.keel, NULL, u), KEEL_OK);
    assert_memory_equal(u, keel_state(s), sizeof u);
    keel_close(s);
    p.keel.fixed = (const unsigned char[]){1, 1, 1, 1};
    assert_int_equal(keel_find_start(&p.keel, NULL, last), KEEL_ESTART);
    assert_true(last[0] == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_alone_is_that_of_a_run),
        cmocka_unit_test(a_free_coordinate_is_moved_to_the_rod),
        cmocka_unit_test(free_velocities_lose_their_part_along_the_rod),
        cmocka_unit_test(free_positions_come_first_and_velocities_follow),
        cmocka_unit_test(the_change_is_the_smallest_in_the_norm_of_the_mass),
        cmocka_unit_test(values_that_fit_to_nine_digits_are_polished_even_if_fixed),
        cmocka_unit_test(a_start_off_the_rod_is_refused_with_the_nearest_values),
        cmocka_unit_test(a_velocity_off_the_rod_is_refused_with_the_nearest_values),
        cmocka_unit_test(free_values_that_cannot_help_do_not_hide_the_row),
        cmocka_unit_test(a_constraint_nobody_can_meet_is_said_to_have_no_values),
        cmocka_unit_test(many_changes_are_not_all_told),
        cmocka_unit_test(a_restart_is_made_consistent),
        cmocka_unit_test(algebraic_variables_are_found_from_any_guess),
        cmocka_unit_test(a_fixed_algebraic_variable_must_be_right),
        cmocka_unit_test(index_two_needs_no_hidden_rows),
        cmocka_unit_test(index_two_starts_off_the_manifold_are_refused_or_moved),
        cmocka_unit_test(index_three_finds_its_algebraic_variable_and_holds_both_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
