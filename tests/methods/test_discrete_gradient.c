/* test_discrete_gradient.c - methods that keep H by themselves: how well, for which H, and at what price. */
#include "testing.h"

#include <keel/method.h>

#include <float.h>

/* H = (p1^2 + p2^2 + q1^2 + 2 q2^2) / 2 + q1^2 q2^2 + q1 p2 / 4 + swing(t) q1: nothing separates. */
static double swing(double t, const void *user) {
    return user ? 0.3 * sin(2 * t) : 0;
}

static int quartic_energy(double t, const double *u, double *out, void *user) {
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3] + u[0] * u[0]) + u[1] * u[1] + u[0] * u[0] * u[1] * u[1] +
             0.25 * u[0] * u[3] + swing(t, user) * u[0];
    return 0;
}

static int quartic_gradient(double t, const double *u, double *out, void *user) {
    out[0] = u[0] + 2 * u[0] * u[1] * u[1] + 0.25 * u[3] + swing(t, user);
    out[1] = 2 * u[1] + 2 * u[0] * u[0] * u[1];
    out[2] = u[2];
    out[3] = u[3] + 0.25 * u[0];
    return 0;
}

static const double quartic_start[4] = {0.9, -0.4, 0.3, 0.8};
static const keel_problem quartic = {
    .form = KEEL_HAMILTONIAN,
    .name = "quartic",
    .n = 4,
    .u0 = quartic_start,
    .energy = {.count = 1, .value = quartic_energy, .jacobian = quartic_gradient}};

typedef void method_check(const keel_method *method);

/* Some want more of H, that it be convex, and refuse Kepler's. */
static int takes_any_energy(const keel_method *method) {
    problem p;
    problem_kepler_hamiltonian(&p, 0.2);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = method->name, .step = 0.1});
    int taken = keel_state_of(s) == KEEL_OK;
    keel_close(s);
    return taken;
}

static int for_energy_methods(method_check *check) {
    const keel_method *method;
    int met = 0;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        if (!(method->traits & KEEL_KEEPS_ENERGY) || method->traits & KEEL_AS_GIVEN) continue;
        if (!takes_any_energy(method)) continue;
        check(method);
        met++;
    }
    return met;
}

static keel_row energy_after(const keel_problem *p, keel_options o, double t) {
    keel_row row;
    keel_solver *s = keel_open(p, &o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, t));
    for (int i = 0; keel_row_at(s, i, &row) && row.kind != KEEL_ROW_ENERGY; i++) continue;
    assert_int_equal(row.kind, KEEL_ROW_ENERGY);
    keel_close(s);
    return row;
}

/* Steps so long that rk4 loses H altogether. */
static void check_long_steps(const keel_method *method) {
    problem p;
    keel_options o = {.method = method->name, .step = 0.25};
    assert_int_equal(energy_after(&quartic, o, 25).treatment, KEEL_ROW_WATCHED);
    assert_below(energy_after(&quartic, o, 25).units, 64);
    problem_rigid_body_hamiltonian(&p, 2, 1, 2. / 3);
    assert_below(energy_after(&p.keel, o, 25).units, 64);
    problem_kepler_hamiltonian(&p, 0.2);
    o.step = 0.04;
    assert_below(energy_after(&p.keel, o, 40).units, 64);
}

static void energy_is_kept_with_long_steps(void **state) {
    (void)state;
    assert_true(for_energy_methods(check_long_steps) >= 9);
    keel_row row = energy_after(&quartic, (keel_options){.method = "rk4+watch", .step = 0.25}, 25);
    assert_true(row.units > 1e10);
}

/* Alone H walks at random: after N steps it is off by less than 1.5 sqrt(N) units (0.13 to 0.73 sqrt(N) are
 * seen).  Projected it stays within 8 units without a trend. */
static void check_long_runs(const keel_method *method) {
    enum { BLOCKS = 20, STEPS = 1000 };
    static const char *const stabilizer[2] = {"watch", "project"};
    for (int k = 0; k < 2; k++) {
        double mean[BLOCKS] = {0}, worst = 0;
        keel_row row;
        keel_solver *s = keel_open(
            &quartic,
            &(keel_options){.method = pair_of(method->name, stabilizer[k]), .step = 0.1, .compensated = 1});
        for (int b = 0; b < BLOCKS; b++)
            for (int i = 0; i < STEPS; i++) {
                assert_ok(s, keel_step(s, 1e15));
                assert_true(keel_row_at(s, 0, &row));
                double units = row.last / row.unit;
                worst = fmax(worst, fabs(units));
                mean[b] += units / STEPS;
            }
        double slope = fabs(trend(mean, BLOCKS));
        if (getenv("KEEL_SLOPES"))
            printf("%-16s %s worst %.3g units, trend %.3g units in %d steps\n", method->name,
                   k ? "project" : "alone", worst, slope, BLOCKS * STEPS);
        if (worst > (k ? 8 : 1.5 * sqrt((double)BLOCKS * STEPS)))
            fail_msg("%s: H is off by %g units", method->name, worst);
        if (slope > (k ? 0.2 : 1.5 * sqrt((double)BLOCKS * STEPS)))
            fail_msg("%s: H moves by %g units", method->name, slope);
        keel_close(s);
    }
}

static void energy_does_not_drift(void **state) {
    (void)state;
    for_energy_methods(check_long_runs);
}

/* So few that the order shows above round-off. */
static int steps_for(const keel_method *method) {
    return method->order > 6 ? 12 : method->order > 4 ? 24 : 64;
}

/* H that moves with t is taken at the middle of the step, and the order stays. */
static double error_at(const keel_problem *p, const char *method, double step, const double *exact) {
    double worst = 0;
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .step = step});
    assert_ok(s, keel_run(s, 3));
    for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(keel_state(s)[i] - exact[i]));
    keel_close(s);
    return worst;
}

static void check_moving(const keel_method *method) {
    static int swings = 1;
    keel_problem p = quartic;
    p.user = &swings;
    double exact[4];
    keel_solver *s = keel_open(&p, &(keel_options){.rtol = 1e-13, .method = "+none"});
    assert_ok(s, keel_run(s, 3));
    memcpy(exact, keel_state(s), sizeof exact);
    keel_close(s);
    double step = 3. / steps_for(method);
    double order =
        log2(error_at(&p, method->name, step, exact) / error_at(&p, method->name, step / 2, exact));
    if (fabs(order - method->order) > 0.25) fail_msg("%s: order %.2f is seen", method->name, order);
}

static void energies_may_move_with_t(void **state) {
    (void)state;
    for_energy_methods(check_moving);
}

/* B(x) is taken at the middle too.  For this H, a sum of squares, all of them are the midpoint rule. */
static double body_error(const char *method, double step) {
    problem p;
    problem_rigid_body_hamiltonian(&p, 2, 1, 2. / 3);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = method, .step = step});
    assert_ok(s, keel_run(s, 4));
    double error = error_to_exact(&p, s);
    keel_close(s);
    return error;
}

static void check_body(const keel_method *method) {
    double step = 4. / steps_for(method);
    double order = log2(body_error(method->name, step) / body_error(method->name, step / 2));
    if (order < method->order - 0.25) fail_msg("%s: order %.2f is seen", method->name, order);
}

static void structures_may_depend_on_the_state(void **state) {
    (void)state;
    for_energy_methods(check_body);
}

/* Patterns say where entries are; the motion is the same. */
static int full_structure(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memset(out, 0, 16 * sizeof *out);
    out[2] = out[7] = 1;
    out[8] = out[13] = -1;
    return 0;
}

static int sparse_structure(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[1] = 1;
    out[2] = out[3] = -1;
    return 0;
}

static void check_patterns(const keel_method *method) {
    static const int rows[5] = {0, 1, 2, 3, 4}, columns[4] = {2, 3, 0, 1}, row[2] = {0, 4},
                     all[4] = {0, 1, 2, 3};
    static const keel_pattern of_structure = {4, rows, columns}, of_gradient = {4, row, all};
    keel_problem full = quartic, sparse = quartic;
    full.structure = (keel_matrix){.value = full_structure};
    sparse.structure = (keel_matrix){.value = sparse_structure, .pattern = &of_structure};
    sparse.energy.pattern = &of_gradient;
    const keel_problem *p[3] = {&quartic, &full, &sparse};
    double end[3][4];
    for (int k = 0; k < 3; k++) {
        keel_solver *s = keel_open(p[k], &(keel_options){.method = method->name, .step = 0.1});
        assert_ok(s, keel_run(s, 5));
        memcpy(end[k], keel_state(s), sizeof end[k]);
        keel_close(s);
    }
    for (int i = 0; i < 4; i++) {
        assert_below(fabs(end[1][i] - end[0][i]), 1e-12);
        assert_true(end[2][i] == end[1][i]);
    }
}

static void structures_may_be_sparse(void **state) {
    (void)state;
    for_energy_methods(check_patterns);
}

/* Two bodies of mass 1 and 3: the average of gradients keeps their momentum, the others need not. */
static int pull_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double stretch = u[1] - u[0] - 1;
    out[0] = 0.5 * u[2] * u[2] + u[3] * u[3] / 6 + 0.5 * stretch * stretch + 0.25 * pow(stretch, 4);
    return 0;
}

static int pull_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    double stretch = u[1] - u[0] - 1;
    out[1] = stretch + stretch * stretch * stretch;
    out[0] = -out[1];
    out[2] = u[2];
    out[3] = u[3] / 3;
    return 0;
}

static int momentum(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[2] + u[3];
    return 0;
}

static void the_average_keeps_linear_invariants(void **state) {
    (void)state;
    static const double start[4] = {0, 1.4, 0.3, 0.6};
    static const char *const methods[2] = {"average-field", "average-field4"};
    const keel_problem p = {.form = KEEL_HAMILTONIAN,
                            .n = 4,
                            .u0 = start,
                            .energy = {.count = 1, .value = pull_energy, .jacobian = pull_gradient},
                            .invariant = {.count = 1, .value = momentum}};
    for (int k = 0; k < 2; k++) {
        keel_solver *s = keel_open(&p, &(keel_options){.method = methods[k], .step = 0.2, .compensated = 1});
        keel_row row;
        assert_ok(s, keel_run(s, 40));
        for (int i = 0; keel_row_at(s, i, &row); i++) assert_below(row.units, 16);
        keel_close(s);
    }
}

/* At rest, and next to it, where every quotient is 0 / 0. */
static void check_rest(const keel_method *method) {
    static const double away[3] = {0, 1e-12, 1e-5};
    for (int k = 0; k < 3; k++) {
        const double start[4] = {away[k], 0, 0, -away[k]};
        keel_problem p = quartic;
        p.u0 = start;
        keel_solver *s = keel_open(&p, &(keel_options){.method = method->name, .step = 0.1});
        assert_ok(s, keel_run(s, 10));
        for (int i = 0; i < 4; i++) assert_below(fabs(keel_state(s)[i]), 3 * away[k]);
        keel_close(s);
    }
}

static void rest_is_kept(void **state) {
    (void)state;
    for_energy_methods(check_rest);
}

static void assert_refused(const keel_problem *p, const char *method, const char *word) {
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .step = 0.1});
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), word)) fail_msg("`%s` does not speak of %s", keel_message(s), word);
    keel_close(s);
}

static void check_refusals(const keel_method *method) {
    problem p;
    keel_problem blind = quartic;
    blind.energy.jacobian = NULL;
    assert_refused(&blind, method->name, "gradient");
    problem_kepler(&p, 0.6, 1);
    assert_refused(&p.keel, method->name, "Hamiltonian");
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    for_energy_methods(check_refusals);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_kept_with_long_steps),
        cmocka_unit_test(energy_does_not_drift),
        cmocka_unit_test(energies_may_move_with_t),
        cmocka_unit_test(structures_may_be_sparse),
        cmocka_unit_test(structures_may_depend_on_the_state),
        cmocka_unit_test(the_average_keeps_linear_invariants),
        cmocka_unit_test(rest_is_kept),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("discrete gradients", tests, NULL, NULL);
}
