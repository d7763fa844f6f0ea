/* test_lie.c - Lie-group methods: each step against its definition, the figures of the papers behind them,
 * what they keep, and what they do at x = 0, f = 0 and where they cannot be used.
 *
 * C.-S. Liu, Preserving constraints of differential equations by numerical methods based on integrating
 * factors (2006), examples 1 and 4; Solving nonlinear differential algebraic equations by an implicit GL(n,R)
 * Lie-group method (2013), example 1.  Those papers print figures only as plots, so that digits here are
 * those of the formulas. */
#include "prey.h"
#include "testing.h"

#include <keel/method.h>

#include <float.h>

enum { MOST = 8 };

static keel_solver *opened(const keel_problem *p, keel_options o) {
    keel_solver *s = keel_open(p, &o);
    assert_non_null(s);
    assert_ok(s, keel_state_of(s));
    return s;
}

static keel_solver *ran(const keel_problem *p, keel_options o, double t) {
    keel_solver *s = opened(p, o);
    assert_ok(s, keel_run(s, t));
    return s;
}

/* A field of three variables with nothing to keep, and moving with t. */
static int general(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[1] * u[2] - 0.3 * u[0] + cos(t);
    out[1] = sin(u[0]) + 0.5 * u[2];
    out[2] = -u[0] * u[1] + 0.2 * t;
    return 0;
}

static const double general_start[3] = {0.8, -0.5, 1.1};
static const keel_problem general_problem = {
    .form = KEEL_ODE, .name = "general", .n = 3, .u0 = general_start, .f = {.count = 3, .value = general}};

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
        keel_kept row;
        problem_rigid_body(&p, 2, 1, 2. / 3);
        keel_solver *s = ran(&p.keel, (keel_options){.method = methods[k], .step = 0.05, .compensated = 1},
                             0.05 * steps[k]);
        for (int i = 0; i < 2; i++) {
            assert_true(keel_kept_at(s, i, &row));
            assert_int_equal(row.care, KEEL_ROW_WATCHED);
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
            keel_kept row;
            problem_rigid_body(&p, 2, 1, 2. / 3);
            keel_solver *s =
                ran(&p.keel, (keel_options){.method = methods[k], .theta = away ? 0.6 : 0.5, .step = 0.1}, 1);
            assert_true(keel_kept_at(s, 1, &row));
            assert_int_equal(row.care, away ? KEEL_ROW_KEPT : KEEL_ROW_WATCHED);
            assert_below(row.units, 16);
            keel_close(s);
        }
}

/* The papers -------------------------------------------------------------------------------------------- */

static int prey_structure(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = out[3] = 0;
    out[1] = -u[0] * u[1];
    out[2] = u[0] * u[1];
    return 0;
}

/* The figures show 1e-2 and 1e-1 for gps, 1e-16 and 1e-15 for hmgps, with steps 0.001 and 0.01. */
static void predators_and_prey_err_as_in_the_paper(void **state) {
    (void)state;
    static const double step[2] = {0.001, 0.01}, drift[2] = {1.910e-2, 2.329e-1},
                        error[2] = {6.05e-4, 5.39e-3};
    keel_solver *exact = ran(&prey_problem, (keel_options){.rtol = 1e-13}, 50);
    for (int k = 0; k < 2; k++) {
        keel_kept row;
        keel_solver *s = ran(&prey_problem, (keel_options){.method = "gps+watch", .step = step[k]}, 50);
        assert_true(keel_kept_at(s, 0, &row));
        assert_within(row.drift, 0.999 * drift[k], 1.001 * drift[k]);
        keel_close(s);
        for (int form = 0; form < 2; form++) {
            keel_problem p = prey_problem;
            if (form) {
                p.form = KEEL_HAMILTONIAN;
                p.energy = p.invariant;
                p.structure = (keel_matrix){.value = prey_structure};
                p.f = p.invariant = (keel_map){0};
            }
            s = ran(&p, (keel_options){.method = "hmgps", .step = step[k]}, 50);
            assert_true(keel_kept_at(s, 0, &row));
            assert_int_equal(row.care, KEEL_ROW_WATCHED);
            assert_below(row.units, 4);
            double away =
                hypot(keel_state(s)[0] - keel_state(exact)[0], keel_state(s)[1] - keel_state(exact)[1]);
            assert_within(away, 0.99 * error[k], 1.01 * error[k]);
            keel_close(s);
        }
    }
    keel_close(exact);
}

/* 2013, example 1: stresses Q on the yield surface |Q| = Q0, Q' = k q' - y Q. */
#define ELASTIC 2e5
#define YIELD 200.
#define STRAIN 0.002

static int strained(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = -ELASTIC * STRAIN * sin(t) - ELASTIC / YIELD * u[2] * u[0];
    out[1] = ELASTIC * STRAIN * cos(t) - ELASTIC / YIELD * u[2] * u[1];
    return 0;
}

static int yield_surface(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - YIELD * YIELD;
    return 0;
}

/* With y from d/dt |Q|^2 = 0; of all ways to continue it beside the surface the one with f.x = 0. */
static int flowing(double t, const double *u, double *out, void *user) {
    double y[3] = {u[0], u[1], 0};
    strained(t, y, out, user);
    double along = (out[0] * u[0] + out[1] * u[1]) / (u[0] * u[0] + u[1] * u[1]);
    out[0] -= along * u[0];
    out[1] -= along * u[1];
    return 0;
}

/* (33), (34) with theta_0 = 0. */
static void stresses(double t, double *out) {
    const double beta = ELASTIC * STRAIN / YIELD, m = sqrt(beta * beta - 1), k = (beta * beta - beta) / m;
    double z = 1 + k / m * (cosh(m * t) - 1), rate = k * sinh(m * t);
    double first = (z + beta - 1) / (beta * z), second = rate / (beta * z);
    out[0] = YIELD * (first * cos(t) - second * sin(t));
    out[1] = YIELD * (second * cos(t) + first * sin(t));
}

/* Largest errors of both stresses over 0 .. 10; returns the largest error of |Q|. */
static double stress_errors(const keel_problem *p, const char *method, double step, double *error) {
    double length = 0, exact[2];
    keel_solver *s = opened(p, (keel_options){.method = pair_of(method, "none"), .step = step});
    error[0] = error[1] = 0;
    while (keel_time(s) < 10) {
        assert_ok(s, keel_step(s, 10));
        stresses(keel_time(s), exact);
        const double *u = keel_state(s);
        for (int i = 0; i < 2; i++) error[i] = fmax(error[i], fabs(u[i] - exact[i]));
        length = fmax(length, fabs(hypot(u[0], u[1]) - YIELD));
    }
    keel_close(s);
    return length;
}

/* The paper compares with the exponential scheme and with rotations; with the rate at the middle of the step
 * these err by 3.383e-5, 3.455e-5 and by 9.5e-5, 5.2e-5 MPa for h = 0.001, both of order 2. */
static void stresses_err_as_the_formulas_do(void **state) {
    (void)state;
    static const double start[3] = {YIELD, 0, 0};
    const keel_problem driven = {.form = KEEL_DAE,
                                 .name = "plastic",
                                 .n = 2,
                                 .m = 1,
                                 .u0 = start,
                                 .f = {.count = 2, .value = strained},
                                 .algebraic = {.count = 1, .value = yield_surface}};
    const keel_problem flow = {.form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = flowing}};
    const struct {
        const char *method;
        const keel_problem *p;
        double error[2], room;
    } row[] = {{"so-exp", &driven, {3.383e-5, 3.455e-5}, 1e-3}, {"dso", &flow, {9.5e-5, 5.2e-5}, 1e-2}};
    for (int k = 0; k < 2; k++) {
        double error[2], half[2];
        assert_below(stress_errors(row[k].p, row[k].method, 1e-3, error), 1e-11);
        stress_errors(row[k].p, row[k].method, 5e-4, half);
        for (int i = 0; i < 2; i++) {
            assert_within(error[i] / row[k].error[i], 1 - row[k].room, 1 + row[k].room);
            assert_within(log2(error[i] / half[i]), 1.98, 2.02);
        }
    }
}

/* Rough places ------------------------------------------------------------------------------------------ */

static int growing(double t, const double *u, double *out, void *user) {
    const double *rate = user;
    (void)t;
    for (int i = 0; i < (int)rate[1]; i++) out[i] = rate[0] * u[i];
    return 0;
}

/* f parallel to x is exact for the group methods, whatever the size of x. */
static void growth_and_decay_are_exact_at_every_size(void **state) {
    (void)state;
    static const char *const methods[] = {"gps", "glnr", "dso"};
    static const double sizes[] = {1, 1e-200, 1e200, 1e-306};
    for (int m = 0; m < 3; m++)
        for (int n = 1; n <= 3; n++)
            for (int k = 0; k < 4; k++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    double rate[2] = {2 * sign, n};
                    double start[3] = {sizes[k], -0.5 * sizes[k], 3 * sizes[k]};
                    keel_problem p = {.form = KEEL_ODE,
                                      .n = n,
                                      .u0 = start,
                                      .f = {.count = n, .value = growing},
                                      .user = rate};
                    keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.5}, 2);
                    for (int i = 0; i < n; i++)
                        assert_below(fabs(keel_state(s)[i] / (start[i] * exp(4 * sign)) - 1), 1e-14);
                    keel_close(s);
                }
}

static int steady(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    const double *f = user;
    for (int i = 0; i < 2; i++) out[i] = f[i];
    return 0;
}

/* From x = 0, or near it, x = x0 + f t is followed to first order, and through 0 too; f = 0 stays. */
static void the_origin_can_be_left_and_passed(void **state) {
    (void)state;
    static const char *const methods[] = {"gps", "glnr", "dso"};
    static const double starts[][2] = {{0, 0}, {1e-12, 0}, {0, 1e-3}, {1e-2, -2e-2}, {-1, -2}, {-1, -2.03}};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 6; k++) {
            double f[2] = {1, 2}, rest[2] = {0, 0}, error[2];
            keel_problem p = {
                .form = KEEL_ODE, .n = 2, .u0 = starts[k], .f = {.count = 2, .value = steady}, .user = f};
            for (int i = 0; i < 2; i++) {
                keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = i ? 0.001 : 0.01}, 2);
                error[i] = fmax(fabs(keel_state(s)[0] - starts[k][0] - 2),
                                fabs(keel_state(s)[1] - starts[k][1] - 4));
                keel_close(s);
            }
            if (error[0] > 0.2 || error[1] > 0.25 * error[0] + 1e-12)
                fail_msg("%s from (%g, %g): errors %g, %g", methods[m], starts[k][0], starts[k][1], error[0],
                         error[1]);
            p.user = rest;
            keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.01}, 2);
            assert_memory_equal(keel_state(s), starts[k], sizeof starts[k]);
            keel_close(s);
        }
}

/* x0' = -10^6 (x0 - cos t) - sin t: far too stiff for anything but a solve by Newton's method. */
static int stiff(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = -1e6 * (u[0] - cos(t)) - sin(t);
    out[1] = -u[1];
    return 0;
}

static void stiff_problems_are_solved(void **state) {
    (void)state;
    static const char *const methods[] = {"theta", "glnr", "dso"};
    static const double start[2] = {1, 1};
    keel_problem p = {.form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = stiff}};
    for (int m = 0; m < 3; m++) {
        keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.1}, 2);
        assert_below(fabs(keel_state(s)[0] - cos(2)), 3e-3);
        assert_below(fabs(keel_state(s)[1] - exp(-2)), 1e-3);
        keel_close(s);
    }
}

/* One variable on a "sphere" cannot move; without states there is nothing to do. */
static void one_variable_and_none(void **state) {
    (void)state;
    static const char *const methods[] = {"gps", "so-exp", "glnr", "dso", "rkmk4", "theta", "hmgps"};
    static const double start = 0.7;
    double rate[2] = {0, 1};
    keel_problem p = {
        .form = KEEL_ODE, .n = 1, .u0 = &start, .f = {.count = 1, .value = growing}, .user = rate};
    keel_problem none = {.form = KEEL_ODE};
    for (int m = 0; m < 6; m++) {
        keel_solver *s = ran(&p, (keel_options){.method = methods[m], .step = 0.25}, 1);
        assert_true(keel_state(s)[0] == start);
        keel_close(s);
        s = ran(&none, (keel_options){.method = methods[m], .step = 0.25}, 1);
        assert_true(keel_time(s) == 1);
        keel_close(s);
    }
}

/* The equilibrium of H, where its gradient has no direction. */
static void rest_is_kept(void **state) {
    (void)state;
    static const double rest[2] = {1, 1};
    keel_problem p = prey_problem;
    p.u0 = rest;
    keel_solver *s = ran(&p, (keel_options){.method = "hmgps", .step = 0.1}, 1);
    assert_memory_equal(keel_state(s), rest, sizeof rest);
    keel_close(s);
}

/* Refusals ---------------------------------------------------------------------------------------------- */

static void assert_refused(const keel_problem *p, keel_options o, const char *sentence) {
    o.step = 0.1;
    keel_solver *s = keel_open(p, &o);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    if (!strstr(keel_message(s), sentence)) fail_msg("`%s` instead of `%s`", keel_message(s), sentence);
    keel_close(s);
}

static void wrong_thetas_are_refused(void **state) {
    (void)state;
    static const double wrong[] = {-0.1, 1.1, NAN, HUGE_VAL};
    for (int k = 0; k < 4; k++)
        assert_refused(&general_problem, (keel_options){.method = "glnr", .theta = wrong[k]},
                       "it must lie between 0 and 1");
    assert_refused(&general_problem, (keel_options){.method = "rk4", .theta = 0.5}, "rk4 has no theta");
}

/* A saved state goes on with its own theta alone. */
static void states_know_their_theta(void **state) {
    (void)state;
    static unsigned char bytes[1 << 14];
    keel_options o = {.method = "glnr", .theta = 0.7, .step = 0.1};
    keel_solver *s = ran(&general_problem, o, 1);
    size_t size = keel_save(s, bytes, sizeof bytes);
    assert_within((double)size, 1, sizeof bytes);
    keel_solver *again = keel_load(&general_problem, &o, bytes, size);
    assert_ok(again, keel_run(again, 2));
    assert_ok(s, keel_run(s, 2));
    assert_memory_equal(keel_state(s), keel_state(again), 3 * sizeof(double));
    keel_close(s);
    keel_close(again);
    o.theta = 0.6;
    s = keel_load(&general_problem, &o, bytes, size);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    keel_close(s);
}

/* A drag is seen if it is small, and if it sets in later. */
static int dragged(double t, const double *u, double *out, void *user) {
    const double *drag = user;
    out[0] = -u[1] - (t >= drag[1]) * drag[0] * u[0];
    out[1] = u[0] - (t >= drag[1]) * drag[0] * u[1];
    return 0;
}

static void motions_off_the_sphere_are_refused(void **state) {
    (void)state;
    static const char *const methods[] = {"so-exp", "rkmk4"};
    static const double zero[2] = {0, 0}, start[2] = {1, 0};
    for (int m = 0; m < 2; m++) {
        keel_options o = {.method = methods[m]};
        problem p;
        double drag[2] = {0, 0};
        keel_problem ring = {
            .form = KEEL_ODE, .n = 2, .u0 = start, .f = {.count = 2, .value = dragged}, .user = drag};
        assert_refused(&general_problem, o, "|x| must be constant, and f is not orthogonal to x");
        problem_kepler_hamiltonian(&p, 0.2);
        assert_refused(&p.keel, o, "not orthogonal");
        p.keel.energy.jacobian = NULL;
        assert_refused(&p.keel, o, "give f = B grad H, or the gradient of H");
        problem_pendulum(&p, 1);
        assert_refused(&p.keel, o, "without constraints and mass matrix");
        keel_close(ran(&ring, (keel_options){.method = methods[m], .step = 0.1}, 1));
        drag[0] = 1e-10;
        assert_refused(&ring, o, "not orthogonal");
        drag[1] = 1.5;
        assert_refused(&ring, o, "not orthogonal");
        ring.u0 = zero;
        assert_refused(&ring, o, "there is no sphere to move on");
    }
}

static int ellipse(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + 2 * u[1] * u[1] - YIELD * YIELD;
    return 0;
}

static int across(double t, const double *u, double *out, void *user) {
    strained(t, u, out, user);
    out[0] += u[2];
    return 0;
}

static void other_daes_are_refused(void **state) {
    (void)state;
    static const double start[3] = {YIELD, 0, 0};
    keel_problem p = {.form = KEEL_DAE,
                      .n = 2,
                      .m = 1,
                      .u0 = start,
                      .f = {.count = 2, .value = strained},
                      .algebraic = {.count = 1, .value = ellipse}};
    assert_refused(&p, (keel_options){.method = "so-exp"}, "of DAEs it takes x' = v(t,x) - y x");
    p.algebraic.value = yield_surface;
    assert_refused(&p, (keel_options){.method = "rkmk4"}, "without constraints and mass matrix");
    p.f.value = across;
    assert_refused(&p, (keel_options){.method = "so-exp"}, "of DAEs it takes x' = v(t,x) - y x");
}

static int moving_invariant(double t, const double *u, double *out, void *user) {
    prey_invariant(t, u, out, user);
    out[0] += 0.1 * sin(t);
    return 0;
}

static void energies_without_a_convex_shape_are_refused(void **state) {
    (void)state;
    const keel_options o = {.method = "hmgps"};
    problem p;
    keel_problem q = prey_problem;
    problem_kepler_hamiltonian(&p, 0.2);
    assert_refused(&p.keel, o, "H must be strictly convex or concave");
    p.keel.energy.jacobian = NULL;
    assert_refused(&p.keel, o, "give energy.jacobian");
    problem_pendulum(&p, 1);
    assert_refused(&p.keel, o, "without constraints and mass matrix");
    q.invariant.jacobian = NULL;
    assert_refused(&q, o, "give invariant.jacobian");
    q = prey_problem;
    q.invariant.value = moving_invariant;
    assert_refused(&q, o, "H must not depend on t");
    assert_refused(&general_problem, o, "there is no energy and no invariant to be kept");
    assert_refused(&(keel_problem){.form = KEEL_ODE}, o, "there are no states");
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
        cmocka_unit_test(predators_and_prey_err_as_in_the_paper),
        cmocka_unit_test(stresses_err_as_the_formulas_do),
        cmocka_unit_test(growth_and_decay_are_exact_at_every_size),
        cmocka_unit_test(the_origin_can_be_left_and_passed),
        cmocka_unit_test(stiff_problems_are_solved),
        cmocka_unit_test(one_variable_and_none),
        cmocka_unit_test(rest_is_kept),
        cmocka_unit_test(wrong_thetas_are_refused),
        cmocka_unit_test(states_know_their_theta),
        cmocka_unit_test(motions_off_the_sphere_are_refused),
        cmocka_unit_test(other_daes_are_refused),
        cmocka_unit_test(energies_without_a_convex_shape_are_refused),
    };
    return cmocka_run_group_tests_name("lie", tests, NULL, NULL);
}
