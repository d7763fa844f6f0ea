/* test_invariants.c - invariants are judged before a run: strong, weak, false; energies that drag lets
 * fall. */
#include "testing.h"

#include <float.h>

static keel_verdict verdict_of(const keel_solver *s, const char *name) {
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (strcmp(row.name, name) == 0) return row.verdict;
    fail_msg("there is no row %s", name);
    return KEEL_UNVERIFIED;
}

static void invariants_are_strong_or_weak_as_documented(void **state) {
    (void)state;
    problem p;
    problem_pendulum_ode(&p, 1);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "tangency"), KEEL_STRONG);
    assert_int_equal(verdict_of(s, "length"), KEEL_WEAK);
    assert_int_equal(verdict_of(s, "energy"), KEEL_WEAK);
    keel_close(s);
    problem_pendulum(&p, 1);
    s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG); /* wherever the constraints hold */
    keel_close(s);
    problem_pendulum_dae(&p, 1);
    s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG);
    keel_close(s);
    problem_kepler(&p, 0.3, 1);
    s = keel_open(&p.keel, NULL);
    assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG);
    assert_int_equal(verdict_of(s, "momentum"), KEEL_STRONG);
    keel_close(s);
}

/* Verdicts that are given with a problem stand: no rate is looked at, and the run has the same bits.  With
 * another number of rows they are of another problem. */
static void known_verdicts_are_taken_over(void **state) {
    (void)state;
    problem p;
    problem_pendulum_ode(&p, 1);
    keel_solver *s[3] = {keel_open(&p.keel, NULL)};
    keel_row row;
    int verdict[8] = {0}, rows = 0, strong[8];
    for (; keel_row_at(s[0], rows, &row); rows++) verdict[rows] = row.verdict, strong[rows] = KEEL_STRONG;
    s[1] = keel_open_verified(&p.keel, NULL, rows, strong);
    assert_int_equal(verdict_of(s[1], "energy"), KEEL_STRONG); /* as told, true or not */
    keel_close(s[1]);
    s[1] = keel_open_verified(&p.keel, NULL, rows, verdict);
    s[2] = keel_open_verified(&p.keel, NULL, rows - 1, strong);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(verdict_of(s[k], "energy"), KEEL_WEAK);
        assert_ok(s[k], keel_run(s[k], 5));
        assert_memory_equal(keel_state(s[k]), keel_state(s[0]), (size_t)p.keel.n * sizeof(double));
        assert_int_equal(keel_statistics(s[k]).calls, keel_statistics(s[0]).calls);
    }
    for (int k = 0; k < 3; k++) keel_close(s[k]);
}

/* Tolerances say nothing of sizes: 1e-6 beside a relative 1e-10 would make 10^4 of a state of size 1. */
static void tolerances_are_no_sizes(void **state) {
    (void)state;
    static const double atol[] = {1e-12, 1e-9, 1e-6, 1e-3};
    for (size_t k = 0; k < sizeof atol / sizeof *atol; k++) {
        problem p;
        problem_kepler(&p, 0.6, 1);
        p.keel.f.jacobian = p.keel.invariant.jacobian = NULL;
        p.keel.invariant.terms = NULL;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.rtol = 1e-10, .atol = atol[k]});
        assert_ok(s, keel_state_of(s));
        assert_int_equal(verdict_of(s, "energy"), KEEL_STRONG);
        assert_ok(s, keel_run(s, 20));
        assert_below(worst_units(s, NULL), 4);
        keel_close(s);
    }
}

static int falsehood(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + 1.01 * u[1] * u[1] + u[2] * u[2];
    return 0;
}

static void a_false_invariant_is_refused_with_its_rate(void **state) {
    (void)state;
    problem p;
    static const char *const names[] = {"almost"};
    problem_rigid_body(&p, 2, 1, 2. / 3);
    p.keel.invariant = (keel_map){.count = 1, .value = falsehood, .names = names};
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "almost"));
    assert_non_null(strstr(keel_message(s), "rate"));
    keel_close(s);
}

/* x' = v, v' = -x - drag v, the drag setting in beyond |x| = from. */
struct dragged {
    double drag, from;
};

static int dragged_f(double t, const double *u, double *out, void *user) {
    (void)t;
    const struct dragged *d = user;
    double beyond = fmax(fabs(u[0]) - d->from, 0);
    out[0] = u[1];
    out[1] = -u[0] - d->drag * (d->from > 0 ? beyond * beyond : 1) * u[1];
    return 0;
}

static int dragged_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static int dragged_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    out[1] = u[1];
    return 0;
}

static keel_status open_dragged(double drag, double from, double x, double v, int given) {
    struct dragged d = {drag, from};
    double u0[] = {x, v};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = u0, .user = &d};
    p.f = (keel_map){.count = 2, .value = dragged_f};
    p.energy = (keel_map){.count = 1, .value = dragged_energy, .jacobian = given ? dragged_gradient : NULL};
    keel_solver *s = keel_open(&p, NULL);
    keel_status status = keel_state_of(s);
    if (status != KEEL_OK && !strstr(keel_message(s), "`energy` is not conserved"))
        fail_msg("%s", keel_message(s));
    keel_close(s);
    return status;
}

static void the_least_drag_is_found_before_the_run(void **state) {
    (void)state;
    static const double starts[][2] = {{1, 0}, {1, 0.5}, {-3e5, 2e4}, {0, 1e-6}};
    for (int k = 0; k < 4; k++) {
        double x = starts[k][0], v = starts[k][1], size = fmax(fabs(x), fabs(v));
        assert_int_equal(open_dragged(0, 0, x, v, 1), KEEL_OK);
        assert_int_equal(open_dragged(0, 0, x, v, 0), KEEL_OK);
        assert_int_equal(open_dragged(1e-6, 0, x, v, 1), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-6, 0, x, v, 0), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-11, 0, x, v, 1), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-3 / (size * size), 1.5 * size, x, v, 1), KEEL_EINVAL);
        assert_int_equal(open_dragged(1e-3 / (size * size), 1.5 * size, x, v, 0), KEEL_EINVAL);
    }
}

/* The forces of a mechanical problem, or the rates of the pendulum as a DAE, with a drag. */
static keel_fn *plain_f;
static double added_drag;
static int with_drag_on_forces(double t, const double *u, double *out, void *user) {
    int code = plain_f(t, u, out, user);
    out[0] -= added_drag * u[2];
    return code;
}

static int with_drag_on_rates(double t, const double *u, double *out, void *user) {
    int code = plain_f(t, u, out, user);
    out[2] -= added_drag * u[2];
    return code;
}

static void drag_is_found_where_constraints_hold(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        problem p;
        if (k % 2) problem_pendulum_dae(&p, 9.81);
        else problem_pendulum(&p, 9.81);
        plain_f = p.keel.f.value;
        added_drag = k < 4 ? 0 : 1e-6;
        p.keel.f.value = k % 2 ? with_drag_on_rates : with_drag_on_forces;
        p.keel.f.jacobian = NULL;
        if (k / 2 % 2) p.keel.invariant.jacobian = p.keel.energy.jacobian = NULL;
        keel_solver *s = keel_open(&p.keel, NULL);
        if ((keel_state_of(s) == KEEL_OK) != (k < 4)) fail_msg("%d: %s", k, keel_message(s));
        keel_close(s);
    }
}

static void looking_far_leaves_the_units_of_the_run(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_kepler(&p, 0.6, 1);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_true(keel_row_at(s, 0, &row)); /* |E_x x| + |E| with E = v^2/2 - 1/r, r = 0.4, v = 2 */
    assert_within(row.unit / DBL_EPSILON, 7, 13);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_are_strong_or_weak_as_documented),
        cmocka_unit_test(known_verdicts_are_taken_over),
        cmocka_unit_test(tolerances_are_no_sizes),
        cmocka_unit_test(a_false_invariant_is_refused_with_its_rate),
        cmocka_unit_test(the_least_drag_is_found_before_the_run),
        cmocka_unit_test(drag_is_found_where_constraints_hold),
        cmocka_unit_test(looking_far_leaves_the_units_of_the_run),
    };
    return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
