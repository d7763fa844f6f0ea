/* test_start.c - consistent starts of every form, with and without the derivatives a person may give.
 *
 * Fixed values stay, free ones move by the smallest weighted change; what does not fit is refused with the
 * nearest values.  Then what follows from the start: algebraic variables, multipliers, redundant rows, rows
 * held to round-off by differences alone, measured here with formulas of their own. */
#include "testing.h"

#include <float.h>

#define EPS DBL_EPSILON

static void expect_state(const keel_solver *s, int count, const double *wanted, double tolerance) {
    const double *u = keel_state(s);
    for (int i = 0; i < count; i++)
        if (!(fabs(u[i] - wanted[i]) <= tolerance)) fail_msg("u[%d] = %.17g, not %.17g", i, u[i], wanted[i]);
}

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

static int ring(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static const char *const ring_names[] = {"ring"};

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

/* ---- Redundant rows, multipliers, forces. ---- */

static void redundant_rods_share_their_load_and_hold(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_twin_rods(&p, 1, 1);
    for (int given = 1; given >= 0; given--) {
        if (!given) p.keel.constraint.jacobian = NULL, p.keel.curvature = NULL;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-9});
        assert_ok(s, keel_run(s, 2));
        assert_below(error_to_exact(&p, s), 1e-6);
        assert_true(keel_row_at(s, 0, &row) && row.treatment == KEEL_ROW_KEPT);
        assert_true(keel_row_at(s, 1, &row) && row.treatment == KEEL_ROW_REDUNDANT &&
                    strcmp(row.name, "rod2") == 0);
        assert_true(keel_row_at(s, 2, &row) && row.treatment == KEEL_ROW_KEPT);
        assert_true(keel_row_at(s, 3, &row) && row.treatment == KEEL_ROW_REDUNDANT);
        assert_below(worst_units(s, NULL), 16);
        const double *lambda = keel_multipliers(s);
        assert_below(fabs(lambda[0] - 0.5) + fabs(lambda[1] - 0.5),
                     1e-7); /* the smallest of all that add up to 1 */
        keel_close(s);
    }
}

static void multipliers_and_forces_of_the_pendulum_are_those_of_the_formula(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    for (int given = 1; given >= 0; given--) {
        if (!given) p.keel.constraint.jacobian = NULL, p.keel.curvature = NULL;
        keel_solver *s = keel_open(&p.keel, NULL);
        for (int i = 0; i <= 10; i++) {
            if (i) assert_ok(s, keel_run(s, 0.1 * i));
            const double *u = keel_state(s);
            double lambda = 0.5 * (u[2] * u[2] + u[3] * u[3] - 9.81 * u[1]), tolerance = given ? 1e-13 : 1e-9;
            assert_below(fabs(keel_multipliers(s)[0] - lambda), tolerance);
            const double *force = keel_forces(s);
            assert_below(fabs(force[0] + 2 * lambda * u[0]), 4 * tolerance);
            assert_below(fabs(force[1] + 2 * lambda * u[1]), 4 * tolerance);
        }
        keel_close(s);
    }
}

static void the_multiplier_of_a_rolling_row_is_that_of_the_formula(void **state) {
    (void)state;
    problem p;
    problem_knife_edge(&p);
    for (int given = 1; given >= 0; given--) {
        if (!given) p.keel.rolling.jacobian = NULL, p.keel.curvature = NULL;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-10});
        assert_ok(s, keel_run(s, 1));
        assert_below(fabs(keel_multipliers(s)[0] - 10 * sin(2.0)), 1e-7);
        assert_below(fabs(keel_forces(s)[0] + 10 * sin(2.0) * sin(2.0)), 1e-7);
        keel_close(s);
    }
}

/* ---- A canonical Hamiltonian with a constraint. ---- */

static int hamiltonian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + 9.81 * u[1];
    return 0;
}

static int hamiltonian_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0, out[1] = 9.81, out[2] = u[2], out[3] = u[3];
    return 0;
}

static int ring_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2 * u[0], out[1] = 2 * u[1];
    return 0;
}

static void a_constrained_hamiltonian_moves_like_the_pendulum(void **state) {
    (void)state;
    problem p;
    for (int given = 1; given >= 0; given--) {
        static const double sizes[] = {1, 1, 4, 4}; /* for the lengths of differences */
        problem_pendulum(&p, 9.81);
        p.keel.scale = sizes;
        p.keel.form = KEEL_HAMILTONIAN;
        p.keel.f = (keel_map){0};
        p.keel.curvature = NULL;
        p.keel.energy =
            (keel_map){.count = 1, .value = hamiltonian, .jacobian = given ? hamiltonian_gradient : NULL};
        p.keel.constraint = (keel_map){
            .count = 1, .value = ring, .jacobian = given ? ring_gradient : NULL, .names = ring_names};
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-9});
        assert_ok(s, keel_run(s, 1));
        assert_below(error_to_exact(&p, s), 1e-6);
        assert_below(worst_units(s, NULL), 16);
        const double *u = keel_state(s);
        assert_below(fabs(u[0] * u[0] + u[1] * u[1] - 1), 16 * 4 * EPS);
        assert_below(fabs(u[0] * u[2] + u[1] * u[3]), 16 * 16 * EPS);
        double lambda = 0.5 * (u[2] * u[2] + u[3] * u[3] - 9.81 * u[1]);
        assert_below(fabs(keel_multipliers(s)[0] - lambda), 1e-7);
        assert_below(fabs(keel_forces(s)[1] + 2 * lambda * u[1]), 1e-7);
        keel_close(s);
        p.u0[2] = 0.5;
        s = keel_open(&p.keel, NULL);
        assert_int_equal(keel_state_of(s), KEEL_ESTART);
        expect_words(s, "do not fit `d/dt ring`|it is 1");
        keel_close(s);
        static const unsigned char p_free[] = {1, 1, 0, 0};
        p.keel.fixed = p_free;
        s = keel_open(&p.keel, NULL);
        assert_ok(s, keel_state_of(s));
        expect_state(s, 4, (double[]){1, 0, 0, 0}, 1e-9);
        keel_close(s);
    }
}

/* ---- Mass matrices and patterns. ---- */

/* M(x) = [2, x1; x1, 2 + x2^2] and f = M (x2, -x1): a rotation. */
static int bent_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2, out[1] = out[2] = u[0], out[3] = 2 + u[1] * u[1];
    return 0;
}

static int bent_force(double t, const double *u, double *out, void *user) {
    double m[4];
    bent_mass(t, u, m, user);
    out[0] = m[0] * u[1] - m[1] * u[0];
    out[1] = m[2] * u[1] - m[3] * u[0];
    return 0;
}

static const int diagonal_starts[] = {0, 1, 2}, diagonal_columns[] = {0, 1};
static const keel_pattern diagonal = {2, diagonal_starts, diagonal_columns};

static int diagonal_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 2, out[1] = 4;
    return 0;
}

static int diagonal_force(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2 * u[1], out[1] = -4 * u[0];
    return 0;
}

static int radius(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1];
    return 0;
}

static void mass_matrices_of_odes_are_divided_by(void **state) {
    (void)state;
    static const double start[] = {1, 0};
    for (int kind = 0; kind < 3; kind++) {
        keel_problem p = {.n = 2,
                          .u0 = start,
                          .f = {.count = 2, .value = kind ? diagonal_force : bent_force},
                          .mass = {.value = kind ? diagonal_mass : bent_mass,
                                   .pattern = kind ? &diagonal : NULL,
                                   .constant = kind == 2},
                          .invariant = {.count = 1, .value = radius}};
        keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-10});
        assert_ok(s, keel_run(s, 10));
        expect_state(s, 2, (double[]){cos(10.0), -sin(10.0)}, 1e-8);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
}

static keel_fn *dense_jacobian;
static int dense_columns;
static const keel_pattern *sparse_pattern;
static int sparse_rows;

/* The entries of the pattern out of the dense jacobian. */
static int sparse_jacobian(double t, const double *u, double *out, void *user) {
    double dense[64];
    int code = dense_jacobian(t, u, dense, user);
    for (int i = 0; i < sparse_rows; i++)
        for (int e = sparse_pattern->row_start[i]; e < sparse_pattern->row_start[i + 1]; e++)
            out[e] = dense[i * dense_columns + sparse_pattern->column[e]];
    return code;
}

static void sparse_jacobians_give_the_bits_of_dense_ones(void **state) {
    (void)state;
    static const int starts[] = {0, 2, 6, 8}, columns[] = {0, 1, 0, 1, 2, 3, 2, 3};
    static const keel_pattern rods = {8, starts, columns};
    problem p;
    problem_four_bar(&p);
    dense_jacobian = p.keel.constraint.jacobian;
    dense_columns = 4, sparse_pattern = &rods, sparse_rows = 3;
    keel_solver *dense = keel_open(&p.keel, NULL);
    p.keel.constraint.jacobian = sparse_jacobian;
    p.keel.constraint.pattern = &rods;
    keel_solver *sparse = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
    assert_ok(dense, keel_run(dense, 1));
    assert_ok(sparse, keel_run(sparse, 1));
    assert_memory_equal(keel_state(dense), keel_state(sparse), 8 * sizeof(double));
    keel_close(dense);
    keel_close(sparse);
}

/* ---- No derivative at all. ---- */

/* Largest |value| in units of eps times the largest sum of |terms| so far. */
struct gauge {
    double size, worst;
};

static void measure(struct gauge *g, double value, double terms) {
    g->size = fmax(g->size, terms);
    g->worst = fmax(g->worst, fabs(value) / (EPS * g->size));
}

static void strip(problem *p) {
    keel_map *maps[] = {&p->keel.f,          &p->keel.algebraic, &p->keel.hidden,   &p->keel.energy,
                        &p->keel.constraint, &p->keel.rolling,   &p->keel.invariant};
    for (int i = 0; i < 7; i++) maps[i]->jacobian = maps[i]->rate = maps[i]->terms = NULL;
    p->keel.curvature = NULL;
}

static void kepler_without_derivatives_holds_its_invariants(void **state) {
    (void)state;
    problem p;
    problem_kepler(&p, 0.6, 1);
    strip(&p);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-9});
    struct gauge energy = {0}, momentum = {0};
    while (keel_time(s) < 20) {
        assert_ok(s, keel_step(s, 20));
        const double *u = keel_state(s);
        double kinetic = 0.5 * (u[2] * u[2] + u[3] * u[3]), potential = 1 / hypot(u[0], u[1]);
        double first = u[0] * u[3], second = u[1] * u[2];
        measure(&energy, kinetic - potential + 0.5, 2 * kinetic + potential + 0.5);
        measure(&momentum, first - second - 0.8, 2 * (fabs(first) + fabs(second)) + 0.8);
    }
    assert_below(energy.worst, 16);
    assert_below(momentum.worst, 16);
    assert_below(error_to_exact(&p, s), 1e-6);
    keel_close(s);
}

static void the_pendulum_without_derivatives_holds_position_velocity_and_energy(void **state) {
    (void)state;
    static const double sizes[] = {1, 1, 4, 4}; /* without them 2600 units of speed while y is below 1e-3 */
    problem p;
    problem_pendulum(&p, 9.81);
    p.keel.scale = sizes;
    strip(&p);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-9});
    struct gauge rod = {0}, speed = {0}, energy = {0};
    while (keel_time(s) < 5) {
        assert_ok(s, keel_step(s, 5));
        const double *u = keel_state(s);
        double kinetic = 0.5 * (u[2] * u[2] + u[3] * u[3]), square = u[0] * u[0] + u[1] * u[1];
        measure(&rod, square - 1, 2 * square);
        measure(&speed, 2 * (u[0] * u[2] + u[1] * u[3]), 4 * hypot(u[2], u[3]));
        measure(&energy, kinetic + 9.81 * u[1], 2 * kinetic + fabs(9.81 * u[1]));
    }
    assert_below(rod.worst, 16);
    assert_below(speed.worst, 16);
    assert_below(energy.worst, 16);
    assert_below(error_to_exact(&p, s), 1e-6);
    keel_close(s);
}

/* The way of the car axis: yb = sin(10 t) / 10, xb = sqrt(1 - yb^2). */
static void drive_car_axis(int with_rate, double bound_of_speed) {
    static const double sizes[] = {1, 1, 1, 1,
                                   1, 1, 1, 1}; /* without them 320 units of speed: xl is 0.05 at most */
    problem p;
    problem_car_axis(&p);
    keel_fn *rate = p.keel.constraint.rate;
    strip(&p);
    p.keel.scale = sizes;
    p.keel.constraint.rate = with_rate ? rate : NULL;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-8});
    struct gauge row[4] = {{0}};
    while (keel_time(s) < 1) {
        assert_ok(s, keel_step(s, 1));
        const double *u = keel_state(s), *v = u + 4;
        double t = keel_time(s), yb = 0.1 * sin(10 * t), xb = sqrt(1 - yb * yb), yr = cos(10 * t),
               xr = -yb * yr / xb;
        double dx = u[0] - u[2], dy = u[1] - u[3], dvx = v[0] - v[2], dvy = v[1] - v[3];
        double parts[4] = {xr * u[0], xb * v[0], yr * u[1], yb * v[1]}, terms = 0, sum = 0;
        for (int i = 0; i < 4; i++) sum += parts[i], terms += 2 * fabs(parts[i]);
        measure(&row[0], xb * u[0] + yb * u[1],
                fabs(xb * u[0]) + fabs(yb * u[1]) + fabs(t) * fabs(xr * u[0] + yr * u[1]));
        measure(&row[1], dx * dx + dy * dy - 1,
                2 * (fabs(dx) * (fabs(u[0]) + fabs(u[2])) + fabs(dy) * (fabs(u[1]) + fabs(u[3]))));
        measure(&row[2], sum, terms);
        measure(&row[3], 2 * (dx * dvx + dy * dvy),
                4 * (fabs(dx) * (fabs(v[0]) + fabs(v[2])) + fabs(dy) * (fabs(v[1]) + fabs(v[3]))));
    }
    assert_below(row[0].worst, 16);
    assert_below(row[1].worst, 16);
    assert_below(row[2].worst, bound_of_speed);
    assert_below(row[3].worst, 32); /* 24 measured: 16 is what given derivatives keep */
    for (int i = 0; i < 8; i++) assert_below(fabs(keel_state(s)[i] - p.reference[0].u[i]), 1e-5);
    keel_close(s);
}

static void the_car_axis_without_derivatives_holds_its_moving_rows(void **state) {
    (void)state;
    drive_car_axis(1, 16);
}

/* Differences in time leave 241 units on d/dt of the moving row. */
static void the_car_axis_without_a_rate_holds_its_rows_nearly(void **state) {
    (void)state;
    drive_car_axis(0, 400);
}

static void every_problem_runs_without_derivatives(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        strip(&p);
        double t_end = fmin(0.02 * p.t_end, 0.5);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-7});
        keel_status status = keel_run(s, t_end);
        if (status < 0) fail_msg("%s: %s", problem_name(i), keel_message(s));
        if (worst_units(s, NULL) > 50) fail_msg("%s: %g units", problem_name(i), worst_units(s, NULL));
        if (p.exact && keel_time(s) == t_end && error_to_exact(&p, s) > 1e-4)
            fail_msg("%s is off", problem_name(i));
        keel_close(s);
    }
}

/* ---- Without algebraic variables: an ODE on a given manifold. ---- */

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
        if (k % 2) p.hidden.rate = minus_cosine;
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

int main(void) {
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(redundant_rods_share_their_load_and_hold),
        cmocka_unit_test(multipliers_and_forces_of_the_pendulum_are_those_of_the_formula),
        cmocka_unit_test(the_multiplier_of_a_rolling_row_is_that_of_the_formula),
        cmocka_unit_test(a_constrained_hamiltonian_moves_like_the_pendulum),
        cmocka_unit_test(mass_matrices_of_odes_are_divided_by),
        cmocka_unit_test(sparse_jacobians_give_the_bits_of_dense_ones),
        cmocka_unit_test(kepler_without_derivatives_holds_its_invariants),
        cmocka_unit_test(the_pendulum_without_derivatives_holds_position_velocity_and_energy),
        cmocka_unit_test(the_car_axis_without_derivatives_holds_its_moving_rows),
        cmocka_unit_test(the_car_axis_without_a_rate_holds_its_rows_nearly),
        cmocka_unit_test(every_problem_runs_without_derivatives),
        cmocka_unit_test(an_ode_keeps_a_given_balance),
        cmocka_unit_test(an_ode_follows_a_moving_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
