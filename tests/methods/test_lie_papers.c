/* test_lie_papers.c - the values of the papers behind the Lie-group methods.
 *
 * C.-S. Liu, Preserving constraints of differential equations by numerical methods based on integrating
 * factors (2006), examples 1 and 4; Solving nonlinear differential algebraic equations by an implicit GL(n,R)
 * Lie-group method (2013), example 1. Those papers print figures only as plots, so that digits here are those
 * of the formulas. */
#include "testing.h"
#include "lie.h"
#include "prey.h"

#include <keel/method.h>

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
        keel_row row;
        keel_solver *s = ran(&prey_problem, (keel_options){.method = "gps+watch", .step = step[k]}, 50);
        assert_true(keel_row_at(s, 0, &row));
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
            assert_true(keel_row_at(s, 0, &row));
            assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
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
        double error[2], margin;
    } row[] = {{"so-exp", &driven, {3.383e-5, 3.455e-5}, 1e-3}, {"dso", &flow, {9.5e-5, 5.2e-5}, 1e-2}};
    for (int k = 0; k < 2; k++) {
        double error[2], half[2];
        assert_below(stress_errors(row[k].p, row[k].method, 1e-3, error), 1e-11);
        stress_errors(row[k].p, row[k].method, 5e-4, half);
        for (int i = 0; i < 2; i++) {
            assert_within(error[i] / row[k].error[i], 1 - row[k].margin, 1 + row[k].margin);
            assert_within(log2(error[i] / half[i]), 1.98, 2.02);
        }
    }
}

/* Refusals ---------------------------------------------------------------------------------------------- */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predators_and_prey_err_as_in_the_paper),
        cmocka_unit_test(stresses_err_as_the_formulas_do),
        cmocka_unit_test(other_daes_are_refused),
    };
    return cmocka_run_group_tests_name("lie", tests, NULL, NULL);
}
