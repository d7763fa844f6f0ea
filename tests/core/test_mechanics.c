/* test_mechanics.c - mechanisms and index-1 systems against trusted digits; RATTLE against the universal
 * way, its reversibility and its energy; constraints that repeat or contradict each other. */
#include "testing.h"

#include <float.h>

/* The fewest correct digits among the first `count` unknowns at the reference i. */
static double digits(const problem *p, const keel_solver *s, int i, int count) {
    const double *u = keel_state(s), *reference = p->reference[i].u;
    double worst = DBL_EPSILON;
    assert_true(keel_time(s) == p->reference[i].t);
    for (int j = 0; j < count; j++) worst = fmax(worst, fabs(u[j] / reference[j] - 1));
    return -log10(worst);
}

static double multiplier_digits(const problem *p, keel_solver *s, int i) {
    const double *lambda = keel_multipliers(s), *reference = p->reference[i].multipliers;
    double worst = DBL_EPSILON;
    for (int j = 0; j < p->keel.constraint.count; j++)
        worst = fmax(worst, fabs(lambda[j] / reference[j] - 1));
    return -log10(worst);
}

/* Lower end first, so that a failure tells the number. */
static void assert_digits(double found, double least) {
    assert_within(found, least, 16);
}

static void assert_positions(const problem *p, double rtol, double least) {
    keel_options o = {.rtol = rtol};
    keel_solver *s = keel_open(&p->keel, &o);
    for (int i = 0; i < p->references; i++) {
        assert_ok(s, keel_run(s, p->reference[i].t));
        assert_digits(digits(p, s, i, p->keel.n / 2), least);
        assert_digits(multiplier_digits(p, s, i), least - 3);
    }
    assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

static void car_axis_has_ten_digits(void **state) {
    (void)state;
    problem p;
    problem_car_axis(&p);
    assert_positions(&p, 1e-11, 10);
}

static void andrews_has_ten_digits(void **state) {
    (void)state;
    problem p;
    problem_andrews(&p);
    assert_positions(&p, 1e-11, 10);
}

/* At rest a short first step makes velocities cheap to move; round-off in the energy must not go into
 * them. */
static void andrews_does_not_depend_on_its_first_step(void **state) {
    (void)state;
    for (double first = 1e-8; first < 2e-4; first *= 10) {
        problem p;
        problem_andrews(&p);
        keel_options o = {.rtol = 1e-11, .first_step = first};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, p.reference[0].t));
        assert_digits(digits(&p, s, 0, 7), 10);
        keel_close(s);
    }
}

static void index_one_systems_have_nine_digits(void **state) {
    (void)state;
    problem p;
    problem_chemakzo(&p);
    keel_options o = {.rtol = 1e-11};
    keel_solver *s = keel_open(&p.keel, &o);
    for (int i = 0; i < 2; i++) {
        assert_ok(s, keel_run(s, p.reference[i].t));
        assert_digits(digits(&p, s, i, 6), 9);
    }
    keel_close(s);
    problem_robertson(&p);
    o.rtol = 1e-12; /* atol is a thousandth of it, and y2 about 1e-5 */
    s = keel_open(&p.keel, &o);
    for (int i = 0; i < 2; i++) {
        assert_ok(s, keel_run(s, p.reference[i].t));
        assert_digits(digits(&p, s, i, 3), 9);
    }
    assert_below(worst_units(s, NULL), 8);
    keel_close(s);
}

static void closed_chains_match_their_references(void **state) {
    (void)state;
    problem p;
    problem_four_bar(&p);
    assert_positions(&p, 1e-12, 9);
    problem_five_link(&p);
    keel_options o = {.rtol = 1e-13};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, p.reference[0].t));
    assert_digits(digits(&p, s, 0, 8), 9);
    keel_close(s);
}

static void state_at(const problem *p, keel_options o, double t, double *u) {
    keel_solver *s = keel_open(&p->keel, &o);
    assert_ok(s, keel_run(s, t));
    memcpy(u, keel_state(s), (size_t)p->keel.n * sizeof *u);
    keel_close(s);
}

static double distance(const problem *p, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < p->keel.n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* The difference to the universal way falls fourfold when the step is halved. */
static void assert_rattle_agrees(const problem *p, double t, double h) {
    double trusted[PROBLEM_UNKNOWNS], u[PROBLEM_UNKNOWNS], before = 0;
    state_at(p, (keel_options){.method = "dop853+project", .rtol = 1e-12}, t, trusted);
    for (int halvings = 0; halvings < 3; halvings++, h /= 2) {
        state_at(p, (keel_options){.method = "rattle", .step = h}, t, u);
        double error = distance(p, u, trusted);
        if (halvings) assert_within(log2(before / error), 1.9, 2.1);
        before = error;
    }
    assert_below(before, 1e-3);
}

static void rattle_agrees_with_projection_at_order_two(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 9.81);
    assert_rattle_agrees(&p, 2, 0.002);
    problem_spherical_pendulum(&p);
    assert_rattle_agrees(&p, 4, 0.01);
    problem_four_bar(&p);
    assert_rattle_agrees(&p, 1, 0.001);
    problem_five_link(&p);
    assert_rattle_agrees(&p, 0.5, 0.001);
    problem_car_axis(&p);
    assert_rattle_agrees(&p, 0.5, 0.0005);
    problem_twin_rods(&p, 1, 1);
    assert_rattle_agrees(&p, 1, 0.01);
}

/* There, velocities turned round, and back: the start with velocities turned round. */
static void rattle_is_reversible_to_round_off(void **state) {
    (void)state;
    void (*const fill[])(problem *) = {problem_spherical_pendulum, problem_four_bar};
    for (int i = 0; i < 2; i++) {
        problem p;
        double u[PROBLEM_UNKNOWNS], h = 1. / 128;
        fill[i](&p);
        int n = p.keel.n;
        keel_options o = {.method = "rattle", .step = h};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, 1000 * h));
        memcpy(u, keel_state(s), (size_t)n * sizeof *u);
        assert_true(distance(&p, u, p.u0) > 0.1);
        for (int j = n / 2; j < n; j++) u[j] = -u[j];
        assert_ok(s, keel_restart(s, 0, u));
        assert_ok(s, keel_run(s, 1000 * h));
        memcpy(u, keel_state(s), (size_t)n * sizeof *u);
        for (int j = n / 2; j < n; j++) u[j] = -u[j];
        assert_below(distance(&p, u, p.u0), 5e-12);
        assert_ok(s, keel_restart(s, 1000 * h, p.u0));
        assert_ok(s, keel_run(s, 0));
        assert_ok(s, keel_run(s, 1000 * h));
        assert_below(distance(&p, keel_state(s), p.u0), 5e-12);
        keel_close(s);
    }
}

/* Symplectic: the energy swings with the step squared and does not drift; constraints hold natively. */
static void rattle_bounds_the_energy_without_drift(void **state) {
    (void)state;
    enum { BLOCKS = 100 };
#ifdef __SANITIZE_ADDRESS__
    const int block = 500;
#else
    const int block = 5000;
#endif
    double swing[2], mean[BLOCKS];
    for (int halved = 0; halved < 2; halved++) {
        problem p;
        keel_row energy;
        problem_pendulum(&p, 9.81);
        keel_options o = {.method = "rattle", .step = halved ? 0.005 : 0.01};
        keel_solver *s = keel_open(&p.keel, &o);
        for (int b = 0; b < BLOCKS; b++) {
            mean[b] = 0;
            for (int k = 0; k < block; k++) {
                assert_ok(s, keel_step(s, 1e6));
                assert_true(keel_row_at(s, 2, &energy));
                mean[b] += energy.last / block;
            }
        }
        assert_int_equal(energy.kind, KEEL_ROW_ENERGY);
        assert_int_equal(energy.treatment, KEEL_ROW_WATCHED);
        swing[halved] = energy.drift;
        assert_below(fabs(trend(mean, BLOCKS)), 0.02 * energy.drift);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
    assert_within(swing[0], 1e-5, 0.01);
    assert_within(swing[0] / swing[1], 3.8, 4.2);
}

/* Evaluations are those of the steps, however often somebody asks for multipliers. */
static void asking_is_not_counted(void **state) {
    (void)state;
    problem p;
    problem_twin_rods(&p, 1, 1);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rk4", .step = 0.1});
    assert_ok(s, keel_run(s, 1));
    long calls = keel_statistics(s).calls;
    for (int k = 0; k < 5; k++) assert_non_null(keel_multipliers(s));
    assert_int_equal(keel_statistics(s).calls, calls);
    keel_close(s);
}

static void repeated_constraints_share_the_load(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853", "rattle"};
    for (int m = 0; m < 2; m++) {
        problem p;
        keel_row row;
        int redundant = 0;
        problem_twin_rods(&p, 1, 1);
        keel_options o = {.method = methods[m], .rtol = 1e-10, .step = m ? 0.001 : 0};
        keel_solver *s = keel_open(&p.keel, &o);
        for (int k = 1; k <= 6; k++) {
            assert_ok(s, keel_run(s, 0.5 * k));
            const double *lambda = keel_multipliers(s);
            assert_below(fabs(lambda[0] - 0.5), m ? 1e-12 : 1e-9);
            assert_below(fabs(lambda[1] - lambda[0]), 1e-15);
        }
        assert_below(error_to_exact(&p, s), m ? 1e-3 : 1e-8);
        assert_below(worst_units(s, NULL), 16);
        for (int i = 0; keel_row_at(s, i, &row); i++)
            if (row.treatment == KEEL_ROW_REDUNDANT) {
                redundant++;
                assert_non_null(strstr(row.name, "rod2"));
            }
        assert_int_equal(redundant, 2); /* rod2 and d/dt rod2 */
        keel_close(s);
    }
}

static void contradicting_constraints_are_refused_by_name(void **state) {
    (void)state;
    static const double other[] = {1.1, 0.9, 1 + 1e-6};
    for (int i = 0; i < 3; i++) {
        problem p;
        problem_twin_rods(&p, 1, other[i]);
        keel_solver *s = keel_open(&p.keel, NULL);
        assert_int_equal(keel_state_of(s), KEEL_ESINGULAR);
        assert_int_equal(keel_run(s, 1), KEEL_ESINGULAR);
        assert_non_null(strstr(keel_message(s), "rod1"));
        assert_non_null(strstr(keel_message(s), "rod2"));
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(car_axis_has_ten_digits),
        cmocka_unit_test(andrews_has_ten_digits),
        cmocka_unit_test(andrews_does_not_depend_on_its_first_step),
        cmocka_unit_test(index_one_systems_have_nine_digits),
        cmocka_unit_test(closed_chains_match_their_references),
        cmocka_unit_test(rattle_agrees_with_projection_at_order_two),
        cmocka_unit_test(rattle_is_reversible_to_round_off),
        cmocka_unit_test(rattle_bounds_the_energy_without_drift),
        cmocka_unit_test(asking_is_not_counted),
        cmocka_unit_test(repeated_constraints_share_the_load),
        cmocka_unit_test(contradicting_constraints_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
