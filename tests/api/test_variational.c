/* test_variational.c - sensitivities of problems written in C, against differences and closed forms. */
#include "testing.h"

#include <keel/events.h>
#include <keel/sensitivity.h>

#include <math.h>
#include <string.h>

/* 2 x0' = -k x1 y,  x1' = x0 - x1 + t,  0 = y + y^3/10 - k x0: with a mass, y and a clock. */
static int f(double t, const double *u, double *out, void *user) {
    const double *k = user;
    out[0] = -*k * u[1] * u[2];
    out[1] = u[0] - u[1] + t;
    return 0;
}

static int f_by_u(double t, const double *u, double *out, void *user) {
    const double *k = user;
    (void)t;
    memcpy(out, (double[]){0, -*k * u[2], -*k * u[1], 1, -1, 0}, 6 * sizeof *out);
    return 0;
}

static int f_by_entries(double t, const double *u, double *out, void *user) {
    const double *k = user;
    (void)t;
    memcpy(out, (double[]){-*k * u[2], -*k * u[1], 1, -1}, 4 * sizeof *out);
    return 0;
}

static int f_by_p(double t, const double *u, double *out, void *user) { /* p: k, then the start of x0 */
    (void)t, (void)user;
    memcpy(out, (double[]){-u[1] * u[2], 0, 0, 0}, 4 * sizeof *out);
    return 0;
}

static int g(double t, const double *u, double *out, void *user) {
    const double *k = user;
    (void)t;
    out[0] = u[2] + u[2] * u[2] * u[2] / 10 - *k * u[0];
    return 0;
}

static int g_by_u(double t, const double *u, double *out, void *user) {
    const double *k = user;
    (void)t;
    memcpy(out, (double[]){-*k, 0, 1 + 0.3 * u[2] * u[2]}, 3 * sizeof *out);
    return 0;
}

static int g_by_p(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[0], out[1] = 0;
    return 0;
}

static int mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    memcpy(out, (double[]){2, 0, 0, 1}, 4 * sizeof *out);
    return 0;
}

static keel_problem dae(double *k, const double *u0) {
    return (keel_problem){.form = KEEL_DAE,
                          .n = 2,
                          .m = 1,
                          .u0 = u0,
                          .f = {2, f, f_by_u},
                          .mass = {mass, .constant = 1},
                          .algebraic = {1, g, g_by_u},
                          .user = k};
}

static void run(const keel_problem *p, double *out, int count) {
    keel_solver *s = keel_open(p, &(keel_options){.rtol = 1e-11, .atol = 1e-13});
    assert_int_equal(keel_run(s, 2), KEEL_OK);
    memcpy(out, keel_state(s), (size_t)count * sizeof *out);
    keel_close(s);
}

/* Dense and by a pattern alike, to differences of the plain problem, extrapolated. */
static void sensitivities_are_those_of_differences(void **state) {
    (void)state;
    static const int row_start[] = {0, 2, 4}, column[] = {1, 2, 0, 1};
    const keel_pattern pattern = {4, row_start, column};
    const double start[] = {1, 0.5, 1}, by_start[] = {0, 0, 0, 1, 0, 0};
    double k = 1.3, whole[9], value[4][3];
    const keel_parameters by = {.count = 2, .f = f_by_p, .algebraic = g_by_p, .u0 = by_start};
    for (int sparse = 0; sparse < 2; sparse++) {
        keel_problem p = dae(&k, start);
        if (sparse) p.f = (keel_map){2, f, f_by_entries, .pattern = &pattern};
        keel_variational *v = keel_variational_open(&p, &by);
        assert_string_equal(keel_variational_message(v), "");
        assert_string_equal(keel_variational_problem(v)->names[3], "d/dp0 u1");
        run(keel_variational_problem(v), whole, 9);
        for (int j = 0; j < 2; j++) {
            for (int i = 0; i < 4; i++) {
                double h = (i % 2 ? -1e-3 : 1e-3) / (i < 2 ? 1 : 2);
                double changed = k + (j == 0 ? h : 0), u0[] = {start[0] + (j == 1 ? h : 0), 0.5, 1};
                keel_problem q = dae(&changed, u0);
                run(&q, value[i], 3);
            }
            for (int i = 0; i < 3; i++) {
                double wide = (value[0][i] - value[1][i]) / 2e-3, close = (value[2][i] - value[3][i]) / 1e-3;
                double found = whole[keel_variational_place(v, i, j)];
                assert_true(fabs(found - (4 * close - wide) / 3) <= 1e-8);
            }
        }
        keel_variational_close(v);
    }
}

/* x0' = w x1, x1' = -w x0: d/dw at t is t (x1, -x0); both radii are kept. */
static int turn(double t, const double *u, double *out, void *user) {
    const double *w = user;
    (void)t;
    out[0] = *w * u[1], out[1] = -*w * u[0];
    return 0;
}

static int turn_by_u(double t, const double *u, double *out, void *user) {
    const double *w = user;
    (void)t, (void)u;
    memcpy(out, (double[]){0, *w, -*w, 0}, 4 * sizeof *out);
    return 0;
}

static int turn_by_w(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1], out[1] = -u[0];
    return 0;
}

static int radius(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1];
    return 0;
}

static int radius_by_u(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 2 * u[0], out[1] = 2 * u[1];
    return 0;
}

static void invariants_are_kept_with_their_derivatives(void **state) {
    (void)state;
    double w = 1.7;
    const double u0[] = {1, 0};
    const char *const names[] = {"w"};
    keel_problem p = {
        .n = 2, .u0 = u0, .f = {2, turn, turn_by_u}, .user = &w, .invariant = {1, radius, radius_by_u}};
    keel_parameters by = {.count = 1, .f = turn_by_w, .names = names};
    keel_variational *v = keel_variational_open(&p, &by);
    keel_solver *s = keel_open(keel_variational_problem(v), &(keel_options){.rtol = 1e-11});
    keel_row row;
    assert_int_equal(keel_run(s, 30), KEEL_OK);
    const double *u = keel_state(s);
    for (int i = 0; i < 2; i++) assert_true(fabs(u[2 + i] - 30 * (i ? -u[0] : u[1])) <= 1e-7);
    int rows = 0;
    for (; keel_row_at(s, rows, &row); rows++) assert_true(row.treatment == KEEL_ROW_KEPT && row.units <= 4);
    assert_int_equal(rows, 2);
    keel_row_at(s, 1, &row);
    assert_string_equal(row.name, "d/dw invariant 0");
    keel_close(s);
    keel_variational_close(v);
}

/* M v' = F with F = (-k q0 - v1/10 + sin q1, k v0 - q1^3). */
static int force(double t, const double *x, double *out, void *user) {
    const double *k = user;
    (void)t;
    out[0] = -*k * x[0] - x[3] / 10 + sin(x[1]);
    out[1] = *k * x[2] - x[1] * x[1] * x[1];
    return 0;
}

static int force_by_x(double t, const double *x, double *out, void *user) {
    const double *k = user;
    (void)t;
    memcpy(out, (double[]){-*k, cos(x[1]), 0, -0.1, 0, -3 * x[1] * x[1], *k, 0}, 8 * sizeof *out);
    return 0;
}

static int force_by_p(double t, const double *x, double *out, void *user) { /* p: k, then the start of v0 */
    (void)t, (void)user;
    memcpy(out, (double[]){-x[0], x[2], 0, 0}, 4 * sizeof *out);
    return 0;
}

static int inertia(double t, const double *x, double *out, void *user) {
    (void)t, (void)x, (void)user;
    memcpy(out, (double[]){2, 0.5, 0.5, 1}, 4 * sizeof *out);
    return 0;
}

/* H = p^2/2 - k cos q, with x' = (p, -k sin q). */
static int swing(double t, const double *x, double *out, void *user) {
    const double *k = user;
    (void)t;
    out[0] = x[1], out[1] = -*k * sin(x[0]);
    return 0;
}

static int swing_by_x(double t, const double *x, double *out, void *user) {
    const double *k = user;
    (void)t;
    memcpy(out, (double[]){0, 1, -*k * cos(x[0]), 0}, 4 * sizeof *out);
    return 0;
}

static int swing_by_p(double t, const double *x, double *out, void *user) { /* p: k, then the start of p */
    (void)t, (void)user;
    memcpy(out, (double[]){0, -sin(x[0]), 0, 0}, 4 * sizeof *out);
    return 0;
}

static int height(double t, const double *x, double *out, void *user) {
    const double *k = user;
    (void)t;
    out[0] = x[1] * x[1] / 2 - *k * cos(x[0]);
    return 0;
}

static int height_by_x(double t, const double *x, double *out, void *user) {
    const double *k = user;
    (void)t;
    out[0] = *k * sin(x[0]), out[1] = x[1];
    return 0;
}

static int height_by_p(double t, const double *x, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -cos(x[0]), out[1] = 0;
    return 0;
}

static keel_problem motion(int hamiltonian, double *k, const double *u0) {
    if (hamiltonian)
        return (keel_problem){.form = KEEL_HAMILTONIAN,
                              .n = 2,
                              .u0 = u0,
                              .f = {2, swing, swing_by_x},
                              .energy = {1, height, height_by_x},
                              .user = k};
    return (keel_problem){.form = KEEL_MECHANICS,
                          .n = 4,
                          .u0 = u0,
                          .f = {2, force, force_by_x},
                          .mass = {inertia, .constant = 1},
                          .user = k};
}

/* By k and by the start of the first velocity or momentum. */
static void motions_have_sensitivities(void **state) {
    (void)state;
    for (int hamiltonian = 0; hamiltonian < 2; hamiltonian++) {
        int n = hamiltonian ? 2 : 4, moved = n / 2;
        const double start[] = {1, 0.5, -0.3, 0.2};
        double k = 1.3, whole[12], value[4][4], by_start[8] = {0};
        by_start[n + moved] = 1;
        const keel_parameters by = {.count = 2,
                                    .f = hamiltonian ? swing_by_p : force_by_p,
                                    .energy = hamiltonian ? height_by_p : NULL,
                                    .u0 = by_start};
        keel_problem p = motion(hamiltonian, &k, start);
        keel_variational *v = keel_variational_open(&p, &by);
        assert_string_equal(keel_variational_message(v), "");
        run(keel_variational_problem(v), whole, 3 * n);
        for (int j = 0; j < 2; j++) {
            for (int i = 0; i < 4; i++) {
                double h = (i % 2 ? -1e-3 : 1e-3) / (i < 2 ? 1 : 2), u0[4], changed = k + (j == 0 ? h : 0);
                memcpy(u0, start, sizeof u0);
                if (j) u0[moved] += h;
                keel_problem q = motion(hamiltonian, &changed, u0);
                run(&q, value[i], n);
            }
            for (int i = 0; i < n; i++) {
                double wide = (value[0][i] - value[1][i]) / 2e-3, close = (value[2][i] - value[3][i]) / 1e-3;
                double found = whole[keel_variational_place(v, i, j)];
                assert_true(fabs(found - (4 * close - wide) / 3) <= 1e-8);
            }
        }
        keel_variational_close(v);
    }
}

/* x' = -3 p x: the same steps whatever unit p has. */
static int decay(double t, const double *x, double *out, void *user) {
    const double *unit = user;
    (void)t;
    out[0] = -3 * (2 * *unit) * (x[0] / *unit);
    return 0;
}

static int decay_by_x(double t, const double *x, double *out, void *user) {
    (void)t, (void)x, (void)user;
    out[0] = -6;
    return 0;
}

static int decay_by_p(double t, const double *x, double *out, void *user) {
    const double *unit = user;
    (void)t;
    out[0] = -3 * (x[0] / *unit);
    return 0;
}

static void the_unit_of_p_does_not_matter(void **state) {
    (void)state;
    const double unit[] = {1, 0x1p-20, 0x1p20}, start = 1;
    double first = 0;
    long steps = 0;
    for (int i = 0; i < 3; i++) {
        double e = unit[i], value = 2 * e;
        keel_problem p = {.n = 1, .u0 = &start, .f = {1, decay, decay_by_x}, .user = &e};
        keel_variational *v =
            keel_variational_open(&p, &(keel_parameters){.count = 1, .f = decay_by_p, .value = &value});
        keel_solver *s = keel_open(keel_variational_problem(v), &(keel_options){.rtol = 1e-9});
        assert_int_equal(keel_run(s, 2), KEEL_OK);
        if (i == 0) first = keel_state(s)[1], steps = keel_statistics(s).steps;
        assert_true(keel_state(s)[1] * e == first);
        assert_int_equal(keel_statistics(s).steps, steps);
        keel_close(s);
        keel_variational_close(v);
    }
}

static void refuses(const keel_problem *p, const keel_parameters *by, const char *words) {
    keel_variational *v = keel_variational_open(p, by);
    assert_null(keel_variational_problem(v));
    assert_non_null(strstr(keel_variational_message(v), words));
    assert_int_equal(keel_variational_place(v, 0, 0), -1);
    keel_variational_close(v);
}

static void refusals_say_why(void **state) {
    (void)state;
    static const unsigned char kinds[] = {KEEL_SURFACE};
    double w = 1;
    const double u0[] = {1, 0};
    const keel_problem good = {.n = 2, .u0 = u0, .f = {2, turn, turn_by_u}, .user = &w};
    const keel_parameters by = {.count = 1, .f = turn_by_w}, none = {0};
    keel_problem p = good;
    refuses(NULL, &by, "are needed");
    refuses(&good, &none, "no parameter");
    p.form = KEEL_MECHANICS, p.f.count = 1, p.constraint.count = 1;
    refuses(&p, &by, "constraints need their jacobian");
    p.constraint.count = 0, p.f.count = 2;
    refuses(&p, &by, "only ODE and DAE");
    p = good, p.form = KEEL_HAMILTONIAN, p.f.value = NULL;
    refuses(&p, &by, "a hamiltonian needs x' as its f");
    p = good, p.f.jacobian = NULL;
    refuses(&p, &by, "need their jacobians");
    p = good, p.u0 = NULL;
    refuses(&p, &by, "no start");
    p = good, p.event = (keel_map){.count = 1, .value = radius}, p.event_kind = kinds;
    refuses(&p, &by, "switching surfaces");
    p = good, p.mass.value = mass;
    refuses(&p, &by, "constant and dense");
    keel_variational_close(NULL);
    assert_null(keel_variational_problem(NULL));
    assert_string_equal(keel_variational_message(NULL), "there is no variational problem");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivities_are_those_of_differences),
        cmocka_unit_test(invariants_are_kept_with_their_derivatives),
        cmocka_unit_test(motions_have_sensitivities),
        cmocka_unit_test(the_unit_of_p_does_not_matter),
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
