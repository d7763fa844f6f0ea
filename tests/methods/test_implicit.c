/* test_implicit.c - implicit Runge-Kutta methods: their tables, stiff problems, long runs. */
#include "orbits.h"

#include <keel/model.h>

#include "methods/implicit_tables.h"

#include <float.h>

/* Tables: B(p), C(eta), D(zeta) of Butcher with the known p, eta, zeta, from which the order follows. */
static const struct claim {
    const char *name;
    enum implicit_kind kind;
    int least, most;      /* stages */
    int order, eta, zeta; /* 2s - order, s - eta, s - zeta */
    int symmetric, symplectic;
} claims[] = {{"Gauss", IMPLICIT_GAUSS, 1, 8, 0, 0, 0, 1, 1},
              {"Radau IIA", IMPLICIT_RADAU_2A, 1, 7, 1, 0, 1, 0, 0},
              {"Lobatto IIIA", IMPLICIT_LOBATTO_3A, 2, 5, 2, 0, 2, 1, 0},
              {"Lobatto IIIB", IMPLICIT_LOBATTO_3B, 2, 5, 2, 2, 0, 1, 0},
              {"Lobatto IIIC", IMPLICIT_LOBATTO_3C, 2, 5, 2, 1, 1, 0, 0}};
enum { CLAIMS = sizeof claims / sizeof claims[0] };

static double quadrature(const struct implicit_table *t, int k) { /* sum b c^{k-1} - 1/k */
    double sum = -1.0 / k;
    for (int i = 0; i < t->s; i++) sum += t->b[i] * pow(t->c[i], k - 1);
    return fabs(sum);
}

static double stages(const struct implicit_table *t, int k) { /* sum_j a_ij c_j^{k-1} - c_i^k / k */
    double worst = 0;
    for (int i = 0; i < t->s; i++) {
        double sum = -pow(t->c[i], k) / k;
        for (int j = 0; j < t->s; j++) sum += t->a[i][j] * pow(t->c[j], k - 1);
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static double adjoint_stages(const struct implicit_table *t, int k) { /* sum_i b_i c_i^{k-1} a_ij - ... */
    double worst = 0;
    for (int j = 0; j < t->s; j++) {
        double sum = -t->b[j] / k * (1 - pow(t->c[j], k));
        for (int i = 0; i < t->s; i++) sum += t->b[i] * pow(t->c[i], k - 1) * t->a[i][j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void simplifying_assumptions_hold_to_round_off_and_no_further(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++)
        for (int s = claims[m].least; s <= claims[m].most; s++) {
            struct implicit_table t;
            implicit_table_fill(&t, claims[m].kind, s);
            int p = 2 * s - claims[m].order, eta = s - claims[m].eta, zeta = s - claims[m].zeta;
            for (int k = 1; k <= p; k++) assert_below(quadrature(&t, k), 1e-14);
            for (int k = 1; k <= eta; k++) assert_below(stages(&t, k), 1e-14);
            for (int k = 1; k <= zeta; k++) assert_below(adjoint_stages(&t, k), 1e-14);
            assert_true(quadrature(&t, p + 1) > 1e-12);
            assert_true(p <= eta + zeta + 1 && p <= 2 * eta + 2); /* Butcher 1964: the order is p */
        }
}

static void coefficients_are_symmetric_and_symplectic_where_said(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++)
        for (int s = claims[m].least; s <= claims[m].most; s++) {
            struct implicit_table t;
            double symmetry = 0, symplecticity = 0;
            implicit_table_fill(&t, claims[m].kind, s);
            for (int i = 0; i < s; i++)
                for (int j = 0; j < s; j++) {
                    double a = t.a[i][j], b = t.b[j];
                    symmetry = fmax(symmetry, fabs(t.a[s - 1 - i][s - 1 - j] + a - b));
                    symplecticity = fmax(symplecticity, fabs(t.b[i] * a + b * t.a[j][i] - t.b[i] * b));
                }
            assert_true((symmetry < 1e-15) == claims[m].symmetric);
            if (claims[m].symplectic) assert_below(symplecticity, 1e-16);
            else assert_true(symplecticity > 1e-4);
        }
}

/* A T = T D, and T T^-1 = 1. */
static void tables_are_decomposed(void **state) {
    (void)state;
    for (int m = 0; m < CLAIMS; m++)
        for (int s = claims[m].least; s <= claims[m].most; s++) {
            struct implicit_table t;
            int at = 0;
            implicit_table_fill(&t, claims[m].kind, s);
            for (int b = 0; b < t.blocks; b++) {
                double re = t.real[b], im = t.imaginary[b];
                for (int i = 0; i < s; i++) {
                    double first = -re * t.t[i][at], second = 0;
                    for (int j = 0; j < s; j++) first += t.a[i][j] * t.t[j][at];
                    if (im != 0) {
                        first += im * t.t[i][at + 1];
                        second = -im * t.t[i][at] - re * t.t[i][at + 1];
                        for (int j = 0; j < s; j++) second += t.a[i][j] * t.t[j][at + 1];
                    }
                    assert_below(fmax(fabs(first), fabs(second)), 1e-8);
                }
                at += im != 0 ? 2 : 1;
            }
            assert_int_equal(at, s);
            for (int i = 0; i < s; i++)
                for (int j = 0; j < s; j++) {
                    double sum = -(i == j);
                    for (int k = 0; k < s; k++) sum += t.t[i][k] * t.t_inverse[k][j];
                    assert_below(fabs(sum), 1e-10);
                }
        }
}

/* Largest relative error of all unknowns at the last reference. */
static double relative_error(const problem *p, const keel_solver *s) {
    const problem_reference *r = &p->reference[p->references - 1];
    double worst = 0;
    for (int i = 0; i < p->keel.n + p->keel.m; i++) worst = fmax(worst, fabs(keel_state(s)[i] / r->u[i] - 1));
    return worst;
}

static int robertson_ode(double t, const double *y, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    out[2] = 3e7 * y[1] * y[1];
    out[1] = -out[0] - out[2];
    return 0;
}

static void problem_robertson_ode(problem *p) { /* without a jacobian */
    problem_robertson(p);
    p->keel.form = KEEL_ODE;
    p->keel.n = 3;
    p->keel.m = 0;
    p->keel.algebraic = (keel_map){0};
    p->keel.f = (keel_map){.count = 3, .value = robertson_ode};
}

/* All unknowns to 1e-10 of their own size, y2 = 8e-14 of Robertson included. */
static const struct stiff {
    void (*fill)(problem *p);
    double rtol, atol;
    int steps; /* no more than */
} stiff[] = {{problem_van_der_pol, 1e-10, 1e-13, 350},
             {problem_robertson, 1e-10, 1e-20, 200},
             {problem_robertson_ode, 1e-10, 1e-20, 200},
             {problem_chemakzo, 1e-11, 1e-14, 80}};
enum { STIFF = sizeof stiff / sizeof stiff[0] };

static void stiff_problems_are_solved_to_ten_digits(void **state) {
    (void)state;
    for (int k = 0; k < STIFF; k++) {
        problem p;
        stiff[k].fill(&p);
        keel_options o = {
            .method = "radau", .rtol = stiff[k].rtol, .atol = stiff[k].atol, .check_jacobians = 1};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, p.t_end));
        keel_stats stats = keel_statistics(s);
        if (getenv("KEEL_STIFF")) /* a table for the curious */
            printf("%-12s %.1e, %ld steps, %ld rejected, %ld calls\n", p.keel.name, relative_error(&p, s),
                   stats.steps, stats.rejected, stats.calls);
        assert_below(relative_error(&p, s), 1e-10);
        assert_below((double)stats.steps, stiff[k].steps);
        keel_close(s);
    }
}

/* What RADAU5 itself does: of van der Pol's oscillator (rtol = atol = 1e-4, from (2, -0.66)) it accepts
 * 238 of 275 steps and errs by 4e-6; of Robertson's reaction to t = 0.3 (rtol 1e-2, atol 1e-8) 15 of 17,
 * 1 rejected; of the reaction of Akzo Nobel (rtol 1e-4, 1e-6, 1e-8, 1e-10, atol a thousandth) it takes 31,
 * 55, 107 and 221. */
static void steps_are_as_many_as_those_of_radau5(void **state) {
    (void)state;
    problem p;
    problem_robertson_ode(&p);
    keel_solver *reaction = keel_open(
        &p.keel, &(keel_options){.method = "radau5", .rtol = 1e-2, .atol = 1e-8, .first_step = 1e-6});
    assert_ok(reaction, keel_run(reaction, 0.3));
    assert_within((double)keel_statistics(reaction).steps, 11, 18);
    assert_below((double)keel_statistics(reaction).rejected, 2);
    assert_below(fabs(keel_state(reaction)[1] - 3.44772e-5), 1e-8);
    keel_close(reaction);
    problem_van_der_pol(&p);
    p.u0[1] = -0.66;
    keel_solver *s = keel_open(
        &p.keel, &(keel_options){.method = "radau5", .rtol = 1e-4, .atol = 1e-4, .first_step = 1e-6});
    assert_ok(s, keel_run(s, 2));
    assert_below(fabs(keel_state(s)[0] - 1.70616773), 2e-5);
    assert_within((double)keel_statistics(s).steps, 180, 290);
    keel_close(s);
    static const double taken[4] = {31, 55, 107, 221};
    for (int k = 0; k < 4; k++) {
        double rtol = pow(10, -4 - 2 * k);
        problem_chemakzo(&p);
        s = keel_open(
            &p.keel,
            &(keel_options){.method = "radau5", .rtol = rtol, .atol = 1e-3 * rtol, .first_step = 1e-6});
        assert_ok(s, keel_run(s, 180));
        assert_within((double)keel_statistics(s).steps, 0.7 * taken[k], 1.2 * taken[k]);
        keel_close(s);
    }
}

static keel_fn *right;
static int how_wrong;
static int wrong(double t, const double *u, double *out, void *user) {
    int code = right(t, u, out, user);
    if (how_wrong == 0) out[3] *= 0.7;
    if (how_wrong == 1) out[3] *= -1;
    if (how_wrong == 2) out[0] = out[1] = out[2] = out[3] = 0;
    return code;
}

static void a_wrong_jacobian_only_costs_time(void **state) {
    (void)state;
    problem p;
    for (how_wrong = 0; how_wrong < 3; how_wrong++) {
        problem_van_der_pol(&p);
        right = p.keel.f.jacobian;
        p.keel.f.jacobian = wrong;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "radau", .rtol = 1e-8, .atol = 1e-11});
        assert_ok(s, keel_run(s, 2));
        if (getenv("KEEL_STIFF"))
            printf("wrong %d: %.1e, %ld steps, %ld rejected\n", how_wrong, relative_error(&p, s),
                   keel_statistics(s).steps, keel_statistics(s).rejected);
        assert_below(relative_error(&p, s), 1e-7);
        assert_below((double)(keel_statistics(s).steps + keel_statistics(s).rejected), 2000);
        keel_close(s);
    }
}

/* Fixed steps far beyond the fast time, by Newton; and looks in between change nothing. */
static void fixed_steps_pass_over_fast_times_and_looks_leave_no_trace(void **state) {
    (void)state;
    static const char *const methods[] = {"backward-euler", "radau3", "radau9", "radau13", "lobatto3c6"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        problem p;
        double u[2];
        problem_van_der_pol(&p);
        keel_options o = {.method = methods[k], .step = 1e-3};
        keel_solver *plain = keel_open(&p.keel, &o), *looked = keel_open(&p.keel, &o);
        while (keel_time(looked) < 0.5) {
            assert_ok(plain, keel_step(plain, 0.5));
            assert_ok(looked, keel_step(looked, 0.5));
            assert_ok(looked, keel_eval(looked, keel_time(looked) - 0.4e-3, u));
        }
        assert_memory_equal(keel_state(plain), keel_state(looked), 2 * sizeof(double));
        double slow = log(keel_state(plain)[0]) - 0.5 * keel_state(plain)[0] * keel_state(plain)[0];
        assert_below(fabs(slow - (log(2) - 2 + 0.5)), 2e-3); /* y1' = y1 / (1 - y1^2) */
        keel_close(plain);
        keel_close(looked);
    }
}

/* From rest at zero a position has no size but what the step adds to it; of a force that is known to some
 * round-offs Newton's changes then go up and down in turns for ever, and more so of parts of a step. */
static void fixed_steps_start_from_rest_at_zero(void **state) {
    (void)state;
    static const char *const methods[] = {"gauss6", "gauss8", "gauss12", "lobatto3a6", "radau9"};
    static const double steps[] = {1e-3, 3.90625e-4, 2e-4};
    static const char text[] = "canonical q, p\nhamiltonian 8*p^2/2 + 20*(q - cn(cn(q, 0.6)^4, 0.6))^2/2\n"
                               "init q = 0, p = 0\nrun 0 .. 1\n";
    keel_model *m = keel_model_read("rest.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int i = 0; i < 3; i++) {
            keel_options o = {.method = methods[k], .step = steps[i]}, tight = {.rtol = 1e-13};
            keel_sim *one = keel_sim_open(m, &o), *other = keel_sim_open(m, &tight);
            keel_solver *s = keel_sim_solver(one), *t = keel_sim_solver(other);
            double t_end = 20 * steps[i], u[2];
            while (keel_time(s) < t_end) {
                assert_ok(s, keel_step(s, t_end));
                for (int j = 1; j < 20; j++)
                    assert_ok(s, keel_eval(s, keel_time(s) - 0.05 * j * steps[i], u));
            }
            assert_ok(t, keel_run(t, t_end));
            assert_below(fabs(keel_state(s)[0] / keel_state(t)[0] - 1), 1e-9);
            keel_sim_close(one);
            keel_sim_close(other);
        }
    keel_model_close(m);
}

static void quadratic_invariants_do_not_drift(void **state) {
    (void)state;
    quadratic_drift(KEEL_QUADRATIC | KEEL_SYMPLECTIC, 1e5, 0);
}

/* Round-off alone: no faster than the square root of the number of steps. */
static void gauss8_keeps_the_energy_of_an_orbit(void **state) {
    (void)state;
    double walk = orbit_walk("gauss8", 100000, 1);
    if (getenv("KEEL_STIFF")) printf("orbit: %.2g round-offs a root of a step\n", walk);
    assert_below(walk, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplifying_assumptions_hold_to_round_off_and_no_further),
        cmocka_unit_test(coefficients_are_symmetric_and_symplectic_where_said),
        cmocka_unit_test(tables_are_decomposed),
        cmocka_unit_test(stiff_problems_are_solved_to_ten_digits),
        cmocka_unit_test(steps_are_as_many_as_those_of_radau5),
        cmocka_unit_test(a_wrong_jacobian_only_costs_time),
        cmocka_unit_test(fixed_steps_pass_over_fast_times_and_looks_leave_no_trace),
        cmocka_unit_test(fixed_steps_start_from_rest_at_zero),
        cmocka_unit_test(quadratic_invariants_do_not_drift),
        cmocka_unit_test(gauss8_keeps_the_energy_of_an_orbit),
    };
    return cmocka_run_group_tests_name("implicit", tests, NULL, NULL);
}
