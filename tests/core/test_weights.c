/* test_weights.c - masses and weights in every shape: what they change, and what they must not. */
#include "testing.h"
#include "forms.h"

static int unit_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

static void identity_mass_may_be_absent_constant_or_a_function(void **state) {
    (void)state;
    problem p;
    double absent[4], constant[4], varying[4], units[3];
    problem_pendulum(&p, 9.81);
    state_at(&p.keel, &tight, 3, absent, &units[0]);
    p.keel.mass = (keel_matrix){.value = unit_mass, .constant = 1};
    state_at(&p.keel, &tight, 3, constant, &units[1]);
    p.keel.mass.constant = 0;
    state_at(&p.keel, &tight, 3, varying, &units[2]);
    assert_below(distance(4, absent, constant), 1e-13);
    assert_below(distance(4, constant, varying), 1e-13);
    for (int k = 0; k < 3; k++) assert_below(units[k], 4);
}

/* Doubling the mass and the force changes nothing but the multipliers. */
static int heavy_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[3] = 2;
    out[1] = out[2] = 0;
    return 0;
}

static int heavy_force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    out[0] = 0;
    out[1] = -2 * *(const double *)user;
    return 0;
}

static void twice_the_mass_and_force_doubles_the_multipliers_only(void **state) {
    (void)state;
    problem light, heavy;
    problem_pendulum(&light, 9.81);
    problem_pendulum(&heavy, 9.81);
    heavy.keel.mass = (keel_matrix){.value = heavy_mass, .constant = 1};
    heavy.keel.f = (keel_map){.count = 2, .value = heavy_force};
    keel_solver *a = keel_open(&light.keel, &tight), *b = keel_open(&heavy.keel, &tight);
    assert_ok(a, keel_run(a, 2));
    assert_ok(b, keel_run(b, 2));
    assert_below(distance(4, keel_state(a), keel_state(b)), 1e-11);
    assert_below(fabs(2 * keel_multipliers(a)[0] - keel_multipliers(b)[0]), 1e-9);
    keel_close(a);
    keel_close(b);
}

/* An ODE with a mass matrix of order n: M x' = M f, M not the identity. */
static const double skewed[9] = {2, 1, 0, 0, 3, 1, 1, 0, 1};

static int skewed_mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memcpy(out, skewed, sizeof skewed);
    return 0;
}

static keel_fn *body_rate;

static int skewed_rate(double t, const double *u, double *out, void *user) {
    double rate[3];
    body_rate(t, u, rate, user);
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int j = 0; j < 3; j++) out[i] += skewed[3 * i + j] * rate[j];
    }
    return 0;
}

static void mass_matrices_of_odes_are_divided_out(void **state) {
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        problem p;
        problem_rigid_body(&p, 2, 1, 2. / 3);
        body_rate = p.keel.f.value;
        p.keel.f = (keel_map){.count = 3, .value = skewed_rate};
        p.keel.mass = (keel_matrix){.value = skewed_mass, .constant = constant};
        check_exact(&p, &tight, 10, 1e-11);
    }
}

/* The weights decide where on the manifold the state lands, at the size of the local error: never whether. */
static void all_weights_lead_to_the_same_manifold(void **state) {
    (void)state;
    static const double given[6] = {3, 1, 2, 0.5, 1, 0.25};
    static const keel_norm norms[] = {KEEL_BY_DEFAULT, KEEL_BY_ERROR, KEEL_BY_MASS, KEEL_UNIT, KEEL_GIVEN};
    for (int k = 0; k < 5; k++) {
        problem p;
        keel_options o = {
            .rtol = 1e-10, .atol = 1e-12, .norm = norms[k], .weights = norms[k] == KEEL_GIVEN ? given : NULL};
        problem_pendulum(&p, 9.81);
        check_exact(&p, &o, 5, 1e-7);
        problem_knife_edge(&p);
        check_exact(&p, &o, 2, 1e-7);
        if (norms[k] == KEEL_BY_MASS) continue;
        problem_kepler(&p, 0.4, 1);
        check_exact(&p, &o, 10, 1e-7);
        pendulum_canonical(&p, 9.81);
        check_exact(&p, &o, 5, 1e-7);
        problem_pendulum_dae(&p, 9.81);
        check_exact(&p, &o, 5, 1e-7);
    }
}

static void weights_by_default_are_by_mass_in_mechanics_and_by_error_elsewhere(void **state) {
    (void)state;
    problem p;
    double a[4], b[4];
    problem_pendulum(&p, 9.81);
    keel_options chosen = {.method = "rk4", .step = 0.01}, named = chosen;
    named.norm = KEEL_BY_MASS;
    state_at(&p.keel, &chosen, 2, a, NULL);
    state_at(&p.keel, &named, 2, b, NULL);
    assert_memory_equal(a, b, sizeof a);
    named.norm = KEEL_BY_ERROR;
    state_at(&p.keel, &named, 2, b, NULL);
    assert_memory_not_equal(a, b, sizeof a);
    problem_kepler(&p, 0.4, 1);
    state_at(&p.keel, &chosen, 2, a, NULL);
    state_at(&p.keel, &named, 2, b, NULL);
    assert_memory_equal(a, b, sizeof a);
}

/* A state with an enormous weight is not touched by a correction that others can make. */
static void heavy_weights_hold_a_state_still(void **state) {
    (void)state;
    problem p;
    static const double hold[3] = {1e8, 1, 1};
    double moved[3], held[3], free_x[3];
    problem_rigid_body(&p, 2, 1, 2. / 3);
    keel_options o = {.method = "rk2+none", .step = 0.125};
    state_at(&p.keel, &o, 0.125, moved, NULL);
    o.method = pair_of(o.method, "project");
    state_at(&p.keel, &o, 0.125, free_x, NULL);
    o.norm = KEEL_GIVEN;
    o.weights = hold;
    state_at(&p.keel, &o, 0.125, held, NULL);
    assert_below(fabs(held[0] - moved[0]), 1e-12);
    assert_true(fabs(free_x[0] - moved[0]) > 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_mass_may_be_absent_constant_or_a_function),
        cmocka_unit_test(twice_the_mass_and_force_doubles_the_multipliers_only),
        cmocka_unit_test(mass_matrices_of_odes_are_divided_out),
        cmocka_unit_test(all_weights_lead_to_the_same_manifold),
        cmocka_unit_test(weights_by_default_are_by_mass_in_mechanics_and_by_error_elsewhere),
        cmocka_unit_test(heavy_weights_hold_a_state_still),
    };
    return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
