/* test_units.c - the units of the variables do not matter: with scaled variables and a scaled `scale` the
 * default weights give the same motion to round-off, and unit weights do not. */
#include "testing.h"

#include <float.h>

enum { N = 4, PERIODS = 25, STEPS = 2000, POINTS = 50 };

/* y_i = factor_i x_i for a problem in x with N states and two invariants. */
struct scaled {
    problem inner;
    keel_problem keel;
    double factor[N], u0[N], scale[N];
};

static void unscale(const struct scaled *s, const double *y, double *x) {
    for (int i = 0; i < N; i++) x[i] = y[i] / s->factor[i];
}

static int f(double t, const double *y, double *out, void *user) {
    const struct scaled *s = user;
    double x[N];
    unscale(s, y, x);
    s->inner.keel.f.value(t, x, out, s->inner.keel.user);
    for (int i = 0; i < N; i++) out[i] *= s->factor[i];
    return 0;
}

static int f_jacobian(double t, const double *y, double *out, void *user) {
    const struct scaled *s = user;
    double x[N];
    unscale(s, y, x);
    s->inner.keel.f.jacobian(t, x, out, s->inner.keel.user);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[N * i + j] *= s->factor[i] / s->factor[j];
    return 0;
}

static int invariants(double t, const double *y, double *out, void *user) {
    const struct scaled *s = user;
    double x[N];
    unscale(s, y, x);
    return s->inner.keel.invariant.value(t, x, out, s->inner.keel.user);
}

static int invariants_jacobian(double t, const double *y, double *out, void *user) {
    const struct scaled *s = user;
    double x[N];
    unscale(s, y, x);
    s->inner.keel.invariant.jacobian(t, x, out, s->inner.keel.user);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < N; j++) out[N * i + j] /= s->factor[j];
    return 0;
}

static int invariants_terms(double t, const double *y, double *out, void *user) {
    const struct scaled *s = user;
    double x[N];
    unscale(s, y, x);
    return s->inner.keel.invariant.terms(t, x, out, s->inner.keel.user);
}

/* Kepler's ellipse with e = 0.6. */
static void scale_kepler(struct scaled *s, const double *factor) {
    problem_kepler(&s->inner, 0.6, 1);
    s->keel = (keel_problem){.form = KEEL_ODE, .name = "scaled", .n = N, .user = s};
    s->keel.f = (keel_map){.count = N, .value = f, .jacobian = f_jacobian};
    s->keel.invariant = (keel_map){
        .count = 2, .value = invariants, .jacobian = invariants_jacobian, .terms = invariants_terms};
    for (int i = 0; i < N; i++) {
        s->factor[i] = factor[i];
        s->u0[i] = factor[i] * s->inner.u0[i];
        s->scale[i] = factor[i];
    }
    s->keel.u0 = s->u0;
    s->keel.scale = s->scale;
}

/* The states of the run, in the units of the inner problem. */
static void run(const struct scaled *s, keel_options o, double *states) {
    double span = PERIODS * s->inner.t_end, stop = span / POINTS;
    o.method = pair_of("rk4", o.method + 1);
    o.step = s->inner.t_end / STEPS;
    keel_solver *solver = keel_open(&s->keel, &o);
    for (int k = 1; k <= POINTS; k++) {
        assert_ok(solver, keel_run(solver, k == POINTS ? span : k * stop));
        unscale(s, keel_state(solver), states + N * (k - 1));
    }
    assert_int_equal(keel_statistics(solver).steps, PERIODS * STEPS);
    keel_close(solver);
}

static const double plain[N] = {1, 1, 1, 1};
static const double factors[][N] = {{1e6, 1e6, 1e6, 1e6},   {1e-6, 1e-6, 1e-6, 1e-6}, {1e6, 1e6, 1e-6, 1e-6},
                                    {1e-6, 1e-6, 1e6, 1e6}, {1e6, 1e-6, 1, 1e3},      {1e-3, 1, 1e6, 1e-6}};
enum { FACTORS = sizeof factors / sizeof *factors };

/* The largest change of the motion by scaling. */
static double changed_by(const double *factor, keel_options o) {
    static double one[N * POINTS], other[N * POINTS];
    struct scaled s;
    double worst = 0;
    scale_kepler(&s, plain);
    run(&s, o, one);
    scale_kepler(&s, factor);
    run(&s, o, other);
    for (int i = 0; i < N * POINTS; i++) worst = fmax(worst, fabs(one[i] - other[i]));
    return worst;
}

static void projection_does_not_depend_on_units(void **state) {
    (void)state;
    for (int i = 0; i < FACTORS; i++)
        assert_below(changed_by(factors[i], (keel_options){.method = "+project"}), 1e4 * DBL_EPSILON);
}

static void adjustment_does_not_depend_on_units(void **state) {
    (void)state;
    for (int i = 0; i < FACTORS; i++)
        assert_below(changed_by(factors[i], (keel_options){.method = "+adjust"}), 1e4 * DBL_EPSILON);
}

/* Unit weights do depend on them, and the measure sees it. */
static void unit_weights_depend_on_units(void **state) {
    (void)state;
    keel_options o = {.method = "+adjust", .norm = KEEL_UNIT};
    assert_true(changed_by(factors[2], o) > 1e6 * DBL_EPSILON);
    assert_true(changed_by(factors[4], o) > 1e6 * DBL_EPSILON);
}

/* Adaptive: tolerances scaled with the variables give the same steps. */
static void scaled_tolerances_give_the_same_run(void **state) {
    (void)state;
    static const double powers[][N] = {{0x1p20, 0x1p20, 0x1p20, 0x1p20}, {0x1p-20, 0x1p20, 0x1p10, 0x1p-3}};
    double end[3][N];
    long steps[3];
    for (int i = 0; i < 3; i++) {
        struct scaled s;
        double atol[N];
        scale_kepler(&s, i ? powers[i - 1] : plain);
        for (int j = 0; j < N; j++) atol[j] = 1e-12 * s.factor[j];
        keel_options o = {.rtol = 1e-9, .atol_each = atol};
        keel_solver *solver = keel_open(&s.keel, &o);
        assert_ok(solver, keel_run(solver, 3 * s.inner.t_end));
        unscale(&s, keel_state(solver), end[i]);
        steps[i] = keel_statistics(solver).steps;
        keel_close(solver);
    }
    for (int i = 1; i < 3; i++) { /* powers of two scale without rounding: the same bits */
        assert_int_equal(steps[i], steps[0]);
        assert_memory_equal(end[i], end[0], sizeof end[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_does_not_depend_on_units),
        cmocka_unit_test(adjustment_does_not_depend_on_units),
        cmocka_unit_test(unit_weights_depend_on_units),
        cmocka_unit_test(scaled_tolerances_give_the_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
