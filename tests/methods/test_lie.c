/* test_lie.c - Lie-group methods: each step against its definition, orders, and what they keep. */
#include "testing.h"
#include "lie.h"

#include <keel/method.h>

#include <float.h>

enum { MOST = 8 };

/* The definitions ------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* exp(h A) v by its series. */
static void exponential(int n, double a[MOST][MOST], double h, const double *v, double *out) {
    double term[MOST], next[MOST];
    memcpy(term, v, (size_t)n * sizeof *v);
    memcpy(out, v, (size_t)n * sizeof *v);
    for (int k = 1; k < 40; k++) {
        for (int i = 0; i < n; i++) next[i] = h * dot(n, a[i], term) / k;
        for (int i = 0; i < n; i++) out[i] += term[i] = next[i];
    }
}

/* One step, backward if h < 0, and f at (1 - theta) x + theta x1, which is xm. */
static void take_step(const char *method, double theta, double h, double *x1, double *xm, double *f) {
    keel_solver *s =
        opened(&general_problem, (keel_options){.method = method, .theta = theta, .step = fabs(h)});
    double at = theta > 0 ? theta : 0.5;
    assert_ok(s, keel_step(s, 50 * h));
    memcpy(x1, keel_state(s), 3 * sizeof *x1);
    for (int i = 0; i < 3; i++) xm[i] = (1 - at) * general_start[i] + at * x1[i];
    general(at * h, xm, f, NULL);
    keel_close(s);
}

/* 2006, (9): X = (x, |x|) by the exponential of A = (0 a; a^T 0), a = f / |x|; and X stays on its cone. */
static void gps_moves_by_the_lorentz_group(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double h = k ? -0.2 : 0.2, x1[3], xm[3], f[3], a[MOST][MOST] = {{0}}, next[4], size;
        take_step("gps", 0, h, x1, xm, f);
        general(0, general_start, f, NULL);
        size = sqrt(dot(3, general_start, general_start));
        for (int i = 0; i < 3; i++) a[i][3] = a[3][i] = f[i] / size;
        double start[4] = {general_start[0], general_start[1], general_start[2], size};
        exponential(4, a, h, start, next);
        for (int i = 0; i < 3; i++) assert_below(fabs(x1[i] - next[i]), 8 * DBL_EPSILON);
        assert_below(fabs(sqrt(dot(3, x1, x1)) - next[3]), 8 * DBL_EPSILON);
    }
}

static const double thetas[] = {1e-300, 0.25, 0.5, 0.8, 1};
enum { THETAS = sizeof thetas / sizeof *thetas };

/* 2013, (17): x1 = x + eta d a with a = f / |xm|, b = xm / |xm|, c = a.b, d = x.b, eta = (e^{ch} - 1) / c. */
static void glnr_is_the_scheme_of_the_paper(void **state) {
    (void)state;
    for (int k = 0; k < THETAS; k++) {
        double h = k % 2 ? -0.2 : 0.2, x1[3], xm[3], f[3];
        take_step("glnr", thetas[k], h, x1, xm, f);
        double size = sqrt(dot(3, xm, xm)), c = dot(3, f, xm) / size / size;
        double d = dot(3, general_start, xm) / size, eta = expm1(c * h) / c;
        assert_true(fabs(c) > 0.01);
        for (int i = 0; i < 3; i++)
            assert_below(fabs(x1[i] - general_start[i] - eta * d * f[i] / size), 8 * DBL_EPSILON);
    }
}

/* x1 = exp(h (c I + a b^T - b a^T)) x. */
static void dso_dilates_and_rotates(void **state) {
    (void)state;
    for (int k = 0; k < THETAS; k++) {
        double h = k % 2 ? -0.2 : 0.2, x1[3], xm[3], f[3], a[MOST][MOST] = {{0}}, next[3];
        take_step("dso", thetas[k], h, x1, xm, f);
        double square = dot(3, xm, xm);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a[i][j] = (f[i] * xm[j] - xm[i] * f[j] + (i == j) * dot(3, f, xm)) / square;
        exponential(3, a, h, general_start, next);
        for (int i = 0; i < 3; i++) assert_below(fabs(x1[i] - next[i]), 16 * DBL_EPSILON);
    }
}

/* The theta method itself, its ends, and what it is called otherwise. */
static void theta_is_the_theta_method(void **state) {
    (void)state;
    for (int k = 0; k < THETAS; k++) {
        double h = k % 2 ? -0.2 : 0.2, x1[3], xm[3], f[3];
        take_step("theta", thetas[k], h, x1, xm, f);
        for (int i = 0; i < 3; i++) assert_below(fabs(x1[i] - general_start[i] - h * f[i]), 8 * DBL_EPSILON);
    }
    static const struct {
        const char *name;
        double theta;
    } same[] = {{"midpoint", 0}, {"midpoint", 0.5}, {"backward-euler", 1}};
    for (int k = 0; k < 3; k++) {
        keel_solver *s =
            ran(&general_problem, (keel_options){.method = "theta", .theta = same[k].theta, .step = 0.05}, 2);
        keel_solver *other = ran(&general_problem, (keel_options){.method = same[k].name, .step = 0.05}, 2);
        for (int i = 0; i < 3; i++)
            assert_below(fabs(keel_state(s)[i] - keel_state(other)[i]), 64 * DBL_EPSILON);
        keel_close(s);
        keel_close(other);
    }
}

/* Orders ------------------------------------------------------------------------------------------------ */

static double general_error(const char *method, double theta, double step, const double *exact) {
    double worst = 0;
    keel_solver *s = ran(&general_problem, (keel_options){.method = method, .theta = theta, .step = step}, 2);
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(keel_state(s)[i] - exact[i]));
    keel_close(s);
    return worst;
}

/* In two halvings, where f moves with t; 2 for theta = 1/2 alone. */
static void orders_follow_theta(void **state) {
    (void)state;
    static const char *const methods[] = {"theta", "glnr", "dso", "gps"};
    keel_solver *s = ran(&general_problem, (keel_options){.rtol = 1e-13}, 2);
    double exact[3], error[3];
    memcpy(exact, keel_state(s), sizeof exact);
    keel_close(s);
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < (m < 3 ? THETAS : 1); k++) {
            double theta = m < 3 ? thetas[k] : 0, order = theta == 0.5 ? 2 : 1;
            for (int i = 0; i < 3; i++) error[i] = general_error(methods[m], theta, 2. / (800 << i), exact);
            for (int i = 0; i < 2; i++) {
                double seen = log2(error[i] / error[i + 1]);
                if (fabs(seen - order) > 0.05)
                    fail_msg("%s with theta %g: order %g is seen", methods[m], theta, seen);
            }
        }
}

/* x' = A(t) x in six dimensions, A skew, with all planes turning at different rates. */
static int turning(double t, const double *u, double *out, void *user) {
    (void)user;
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double rate = sin(1.7 * i + 0.6 * j + (0.3 + 0.1 * j) * t) + 0.2 * u[(i + j) % 6];
            out[i] += rate * u[j];
            out[j] -= rate * u[i];
        }
    return 0;
}

static void rotations_in_many_dimensions_have_their_order(void **state) {
    (void)state;
    static const double start[6] = {1, -0.5, 0.3, 0.8, -1.2, 0.1};
    static const struct {
        const char *name;
        int order, steps;
    } row[] = {{"rkmk4", 4, 100}, {"so-exp", 2, 800}, {"dso", 2, 800}};
    keel_problem p = {.form = KEEL_ODE, .n = 6, .u0 = start, .f = {.count = 6, .value = turning}};
    keel_solver *exact = ran(&p, (keel_options){.rtol = 1e-13}, 2);
    for (int k = 0; k < 3; k++) {
        double error[3] = {0};
        for (int i = 0; i < 3; i++) {
            keel_solver *s =
                ran(&p, (keel_options){.method = row[k].name, .step = 2. / (row[k].steps << i)}, 2);
            for (int j = 0; j < 6; j++)
                error[i] = fmax(error[i], fabs(keel_state(s)[j] - keel_state(exact)[j]));
            assert_below(fabs(dot(6, keel_state(s), keel_state(s)) / dot(6, start, start) - 1), 1e-13);
            keel_close(s);
        }
        for (int i = 0; i < 2; i++)
            assert_within(log2(error[i] / error[i + 1]), row[k].order - 0.1, row[k].order + 0.1);
    }
    keel_close(exact);
}

/* What is kept ------------------------------------------------------------------------------------------ */

#ifdef __SANITIZE_ADDRESS__
enum { LONG = 10000 };
#else
enum { LONG = 1000000 };
#endif

/* Both quadratic invariants of the rigid body, with steps of 0.05 and compensated sums; dso keeps them too
 * where f.x = 0, for x1 - x is parallel to f there. */
static void quadratic_invariants_stay_for_a_million_steps(void **state) {
    (void)state;
    static const char *const methods[] = {"glnr", "dso"};
    static const long steps[] = {LONG, LONG / 10};
    for (int k = 0; k < 2; k++) {
        problem p;
        keel_row row;
        problem_rigid_body(&p, 2, 1, 2. / 3);
        keel_solver *s = ran(&p.keel, (keel_options){.method = methods[k], .step = 0.05, .compensated = 1},
                             0.05 * steps[k]);
        for (int i = 0; i < 2; i++) {
            assert_true(keel_row_at(s, i, &row));
            assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
            assert_below(row.drift, 2e-14);
        }
        keel_close(s);
    }
}

/* Where f.x = 0 the stretched step is the step. */
static void glnr_is_the_midpoint_rule_on_spheres(void **state) {
    (void)state;
    problem p;
    problem_rigid_body(&p, 2, 1, 2. / 3);
    keel_solver *s = ran(&p.keel, (keel_options){.method = "glnr", .step = 0.1}, 10);
    keel_solver *other = ran(&p.keel, (keel_options){.method = "midpoint", .step = 0.1}, 10);
    for (int i = 0; i < 3; i++) assert_below(fabs(keel_state(s)[i] - keel_state(other)[i]), 1e-14);
    keel_close(s);
    keel_close(other);
}

/* Theta away from 1/2 has no geometry to protect: what there is to keep is projected. */
static void theta_away_from_the_middle_is_projected(void **state) {
    (void)state;
    static const char *const methods[] = {"theta", "glnr", "dso"};
    for (int k = 0; k < 3; k++)
        for (int away = 0; away < 2; away++) {
            problem p;
            keel_row row;
            problem_rigid_body(&p, 2, 1, 2. / 3);
            keel_solver *s =
                ran(&p.keel, (keel_options){.method = methods[k], .theta = away ? 0.6 : 0.5, .step = 0.1}, 1);
            assert_true(keel_row_at(s, 1, &row));
            assert_int_equal(row.treatment, away ? KEEL_ROW_KEPT : KEEL_ROW_WATCHED);
            assert_below(row.units, 16);
            keel_close(s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gps_moves_by_the_lorentz_group),
        cmocka_unit_test(glnr_is_the_scheme_of_the_paper),
        cmocka_unit_test(dso_dilates_and_rotates),
        cmocka_unit_test(theta_is_the_theta_method),
        cmocka_unit_test(orders_follow_theta),
        cmocka_unit_test(rotations_in_many_dimensions_have_their_order),
        cmocka_unit_test(quadratic_invariants_stay_for_a_million_steps),
        cmocka_unit_test(glnr_is_the_midpoint_rule_on_spheres),
        cmocka_unit_test(theta_away_from_the_middle_is_projected),
    };
    return cmocka_run_group_tests_name("lie", tests, NULL, NULL);
}
