/* test_multipliers.c - multipliers, forces of constraints and redundant rows, against formulas of their
 * own. */
#include "testing.h"
#include "starts.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_rods_share_their_load_and_hold),
        cmocka_unit_test(multipliers_and_forces_of_the_pendulum_are_those_of_the_formula),
        cmocka_unit_test(the_multiplier_of_a_rolling_row_is_that_of_the_formula),
        cmocka_unit_test(a_constrained_hamiltonian_moves_like_the_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
