/* test_wrong_claims.c - invariants and derivatives that are not what they are said to be are found, and right
 * ones are believed. */
#include "testing.h"
#include "accused.h"
#include "ends.h"

#include <keel/method.h>

static int not_conserved(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1];
    out[1] = u[0] * u[0] + 1.01 * u[1] * u[1];
    return 0;
}

static int heavy_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[2] * u[2] + u[3] * u[3]) + 1.001 * u[1];
    return 0;
}

static int growing(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] + 1e-3 * t;
    return 0;
}

static void a_wrong_invariant_is_refused_with_its_rate_and_the_point(void **state) {
    (void)state;
    static const char *const names[] = {"square", "wrong"}, *const states[] = {"x", "p"};
    static const double start[] = {0.6, 0.8};
    keel_problem p = {.n = 2, .u0 = start, .f = MAP(2, spin), .names = states};
    p.invariant = (keel_map){.count = 2, .value = not_conserved, .names = names};
    expect_end("kept", &p, NULL, 1, KEEL_EINVAL, "`wrong` is not conserved|rate|t = 0|`x` = |`p` = ");
    expect_end("watched", &p, &(keel_options){.method = "+watch"}, 1, KEEL_EINVAL,
               "`wrong` is not conserved");
    p.invariant = MAP(1, growing);
    expect_end("in time", &p, NULL, 1, KEEL_EINVAL, "`invariant` is not conserved|rate is 0.001");
    keel_problem m = sound(KEEL_MECHANICS);
    m.energy = MAP(1, heavy_energy);
    expect_end("energy", &m, NULL, 1, KEEL_EINVAL, "`energy` is not conserved");
    no_failures();
}

static void a_wrong_invariant_nobody_looks_at_is_not_judged(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_ODE);
    p.invariant = MAP(2, not_conserved);
    keel_solver *s = keel_open(&p, &(keel_options){.method = "+none"});
    assert_ok(s, keel_run(s, 1));
    keel_close(s);
}

static void true_invariants_without_derivatives_are_believed(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        p.keel.invariant.jacobian = NULL;
        p.keel.energy.jacobian = p.keel.form == KEEL_HAMILTONIAN ? p.keel.energy.jacobian : NULL;
        keel_solver *s = keel_open(&p.keel, NULL);
        if (keel_state_of(s) != KEEL_OK) report(problem_name(i), "%s%s", keel_message(s), "");
        keel_close(s);
    }
    no_failures();
}

/* A wrong entry in one derivative of the bead, the rod or the spring. */
static int (*derivative)(double t, const double *u, double *out, void *user);

static int wrong_entry(double t, const double *u, double *out, void *user) {
    int code = derivative(t, u, out, user);
    out[0] += 0.01;
    return code;
}

static void check_wrong(const char *name, keel_problem *p, keel_fn **which, const char *words) {
    derivative = *which;
    *which = wrong_entry;
    expect_end(name, p, &(keel_options){.check_jacobians = 1, .method = "+none"}, 1, KEEL_EINVAL, words);
    *which = derivative;
    keel_solver *s = keel_open(p, &(keel_options){.check_jacobians = 1});
    if (keel_state_of(s) != KEEL_OK) report(name, "right, but %s%s", keel_message(s), "");
    keel_close(s);
}

/* x cos t - p sin t of a rotation, and its partial rate. */
static int turned_back(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = u[0] * cos(t) - u[1] * sin(t);
    return 0;
}

static int turned_back_rate(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = -u[0] * sin(t) - u[1] * cos(t);
    return 0;
}

static void wrong_derivatives_are_found_on_request(void **state) {
    (void)state;
    struct trouble none = {.from = INFINITY};
    keel_problem b = bead(&none), r = rod(&none), h = spring(&none), o = sound(KEEL_ODE);
    check_wrong("constraint", &b, &b.constraint.jacobian,
                "jacobian of constraint is wrong|given as|differences say");
    check_wrong("rolling", &b, &b.rolling.jacobian, "jacobian of rolling is wrong|u[3]");
    check_wrong("energy", &b, &b.energy.jacobian, "jacobian of energy is wrong|u[0]");
    check_wrong("invariant", &b, &b.invariant.jacobian, "jacobian of invariant is wrong");
    check_wrong("rate", &b, &b.constraint.time_derivative,
                "time derivative of constraint is wrong|given as|differences say");
    check_wrong("curvature", &b, &b.curvature, "curvature|constraint|is wrong|given as|differences say");
    check_wrong("f", &r, &r.f.jacobian, "jacobian of f is wrong|f[0]|u[0]|given as 0.01");
    check_wrong("algebraic", &r, &r.algebraic.jacobian, "jacobian of algebraic is wrong");
    check_wrong("hidden", &r, &r.hidden.jacobian, "jacobian of hidden is wrong");
    check_wrong("H", &h, &h.energy.jacobian, "jacobian of energy is wrong");
    o.invariant = (keel_map){.count = 1, .value = turned_back, .time_derivative = turned_back_rate};
    check_wrong("invariant rate", &o, &o.invariant.time_derivative,
                "time derivative of invariant is wrong|given as 0.01");
    no_failures();
}

static void right_derivatives_of_all_problems_pass_the_check(void **state) {
    (void)state;
    problem p;
    for (int i = 0; problem_name(i); i++) {
        problem_at(i, &p);
        keel_solver *s = keel_open(&p.keel, &(keel_options){.check_jacobians = 1});
        if (keel_state_of(s) != KEEL_OK) report(problem_name(i), "%s%s", keel_message(s), "");
        keel_close(s);
    }
    no_failures();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_wrong_invariant_is_refused_with_its_rate_and_the_point, begin),
        cmocka_unit_test_setup(a_wrong_invariant_nobody_looks_at_is_not_judged, begin),
        cmocka_unit_test_setup(true_invariants_without_derivatives_are_believed, begin),
        cmocka_unit_test_setup(wrong_derivatives_are_found_on_request, begin),
        cmocka_unit_test_setup(right_derivatives_of_all_problems_pass_the_check, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
