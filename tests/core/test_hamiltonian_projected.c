/* test_hamiltonian_projected.c - projections of large Hamiltonians with constraints: positions, then momenta,
 * then invariants, each step of Newton's method with the true derivatives of all of them. */
#include "sparse_runs.h"

#include "core/engine.h"
#include "core/manifold.h"
#include "linalg/sparse.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

enum { TEXT = 4000, MOST = 1000 };

/* A ring of rods in free motion, with four invariants; a chain with masses that are coupled and depend on the
 * place, whose pivot moves; spherical pendulums in a magnetic field, H_p of which has q. */
static const char ring[] = "param N = %d\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
                           "let X[0] = x[N], Y[0] = y[N]\n"
                           "for i in 1..N:\n"
                           "    let X[i] = x[i], Y[i] = y[i]\n"
                           "    guess px[i] = cos(5*i), py[i] = sin(3*i)\n"
                           "    guess x[i] = N/(2*pi)*cos(2*pi*i/N), y[i] = N/(2*pi)*sin(2*pi*i/N)\n"
                           "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
                           "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/2)\n"
                           "invariant energy\n"
                           "invariant mx = sum(i in 1..N, px[i])\ninvariant my = sum(i in 1..N, py[i])\n"
                           "invariant turn = sum(i in 1..N, x[i]*py[i] - y[i]*px[i])\nrun 0 .. 1\n";
static const char chain[] = "param N = %d\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
                            "let X[0] = 0.1*(1 - cos(2*t)), Y[0] = 0\n"
                            "for i in 1..N:\n"
                            "    let X[i] = x[i], Y[i] = y[i]\n"
                            "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
                            "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), px[i] = 0.3*sin(i), py[i] = 0\n"
                            "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)*(1 + x[i]^2/N^2)/2 + 9.81*y[i])\n"
                            "    + sum(i in 2..N, px[i]*px[i-1]/5)\nrun 0 .. 1\n";
static const char field[] =
    "param N = %d\ncanonical q[1..N][1..3], p[1..N][1..3]\n"
    "for i in 1..N:\n"
    "    constraint ball[i]: q[i][1]^2 + q[i][2]^2 + q[i][3]^2 = 1\n"
    "    init q[i][1] = sin(0.1*i), q[i][2] = 0, p[i][2] = 0.3\n"
    "    guess q[i][3] = -1, p[i][1] = 0, p[i][3] = 0\n"
    "hamiltonian sum(i in 1..N, ((p[i][1] - q[i][2]/2)^2 + (p[i][2] + q[i][1]/2)^2 + p[i][3]^2)/2\n"
    "    + 9.81*q[i][3]) + sum(i in 2..N, 2*(q[i][1] - q[i-1][1])^2)\ninvariant energy\nrun 0 .. 1\n";
static const char *const systems[] = {ring, chain, field};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static const keel_problem *read_count(const char *format, int count, keel_model **m) {
    char text[TEXT];
    snprintf(text, sizeof text, format, count);
    return read_text(text, m);
}

static struct engine *running(const keel_problem *p, const keel_options *o, double t_end) {
    struct engine *e = engine_open(NULL, p, o, registry_find("dop853"), stabilizers_find("project"), 1, NULL);
    assert_non_null(e);
    if (run_to(e, t_end, t_end, 0, 0) != KEEL_OK) fail_msg("%s", e->message);
    assert_true(e->field.hidden_rows.sparse);
    return e;
}

/* The residuals of the kept rows in their sizes. */
static double off(struct engine *e, const double *x) {
    const struct manifold *m = &e->manifold;
    double most = 0;
    assert_int_equal(rows_residual(&e->field, &e->rows, e->r->t, x, m->residual), KEEL_OK);
    for (int i = 0; i < m->kept; i++)
        most = fmax(most, fabs(m->residual[m->row[i]]) / e->rows.size[m->row[i]]);
    return most;
}

/* x is moved by so much of the sizes, and one step leads back: how far is it off then? */
static double one_step(struct engine *e, double way, double *x) {
    struct manifold *m = &e->manifold;
    unsigned seed = 5;
    memcpy(x, e->x[e->r->current], (size_t)e->field.n * sizeof *x);
    for (int j = 0; j < e->field.n; j++) {
        seed = seed * 1664525u + 1013904223u;
        x[j] += way * ((double)(seed >> 8) / (1 << 24) - 0.5);
    }
    off(e, x);
    for (int k = 0; k < m->kept_kinds; k++)
        assert_int_equal(rows_jacobian(&e->field, &e->rows, (keel_row_kind)m->kind[k], e->r->t, x), KEEL_OK);
    assert_int_equal(manifold_hidden_correct(m, e->r->t, x, NULL, 1), KEEL_OK);
    return off(e, x);
}

static void steps_are_those_of_newton(void **state) {
    static double x[MOST];
    (void)state;
    for (int system = 0; system < SYSTEMS; system++) {
        keel_model *m;
        const keel_problem *p = read_count(systems[system], 40, &m);
        const keel_options o = {.rtol = 1e-6};
        struct engine *e = running(p, &o, 0.05);
        double far = one_step(e, 1e-4, x), near = one_step(e, 1e-5, x);
        if (!(near <= far / 70 && far <= 1e-5)) fail_msg("system %d: %g, %g", system, far, near);
        engine_close(e);
        keel_model_close(m);
    }
}

/* What is left of an error changes no row. */
static void tangents_change_no_row(void **state) {
    static double x[MOST], error[MOST], before[MOST], moved[MOST];
    (void)state;
    for (int system = 0; system < SYSTEMS; system++) {
        keel_model *m;
        const keel_problem *p = read_count(systems[system], 40, &m);
        const keel_options o = {.rtol = 1e-6};
        struct engine *e = running(p, &o, 0.05);
        int rows = e->rows.count;
        one_step(e, 1e-9, x);
        for (int j = 0; j < p->n; j++) error[j] = 1e-6 * sin(7 * j);
        double *const both[] = {error, NULL};
        manifold_tangents(&e->manifold, 1, both);
        for (int j = 0; j < p->n; j++) moved[j] = x[j] + error[j];
        off(e, x);
        memcpy(before, e->manifold.residual, (size_t)rows * sizeof *before);
        off(e, moved);
        double length = 0;
        for (int j = 0; j < p->n; j++) length = fmax(length, fabs(error[j]));
        assert_true(length > 1e-7);
        for (int k = 0; k < e->manifold.kept; k++) {
            int i = e->manifold.row[k];
            double change = fabs(e->manifold.residual[i] - before[i]);
            if (!(change <= 1e-9 * e->rows.size[i])) fail_msg("system %d, row %d: %g", system, i, change);
        }
        engine_close(e);
        keel_model_close(m);
    }
}

/* Of 400 rods, where sizes of positions are those of the chain: a state between two steps takes one
 * factorization, which is counted with its rows, too; and all rows hold. */
static void a_state_between_steps_takes_one_factorization(void **state) {
    static const char *const methods[] = {"rattle", "dop853", "gauss4"};
    static double u[4 * 400];
    enum { LOOKS = 50 };
    keel_model *m;
    const keel_problem *p = read_count(chain, 400, &m);
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_solver *s = keel_open(p, &(keel_options){.method = methods[k], .step = 0.01});
        if (keel_run(s, 0.05) != KEEL_OK) fail_msg("%s: %s", methods[k], keel_message(s));
        long before = (long)keel_statistics(s).factorizations;
        for (int i = 1; i <= LOOKS; i++)
            if (keel_eval(s, 0.04 + 0.01 * i / (LOOKS + 1), u) != KEEL_OK) fail_msg("%s", keel_message(s));
        long taken = (long)keel_statistics(s).factorizations - before;
        if (taken > 2 * LOOKS + 4) fail_msg("%s: %ld factorizations for %d states", methods[k], taken, LOOKS);
        assert_below(worst_units(s, NULL), 8);
        keel_close(s);
    }
    keel_model_close(m);
}

static double error_of(const keel_problem *p, const char *method, double step, const double *right) {
    keel_solver *s = keel_open(p, &(keel_options){.method = method, .step = step});
    double most = 0;
    if (keel_run(s, 0.4) != KEEL_OK) fail_msg("%s: %s", method, keel_message(s));
    assert_below(worst_units(s, NULL), 8);
    for (int j = 0; j < p->n; j++) most = fmax(most, fabs(keel_state(s)[j] - right[j]));
    keel_close(s);
    return most;
}

static void orders_are_kept(void **state) {
    static const struct {
        const char *method;
        int order;
        double step;
    } tries[] = {{"rk4", 4, 0.0125},   {"gauss4", 4, 0.0125}, {"gauss6", 6, 0.04},
                 {"radau5", 5, 0.025}, {"ab4", 4, 0.003125},  {"lobatto3c4", 4, 0.0125}};
    static double right[MOST];
    (void)state;
    for (int system = 0; system < SYSTEMS; system++) {
        keel_model *m;
        const keel_problem *p = read_count(systems[system], 20, &m);
        keel_solver *s = keel_open(p, &(keel_options){.method = "dop853", .rtol = 1e-12, .atol = 1e-14});
        assert_int_equal(keel_run(s, 0.4), KEEL_OK);
        memcpy(right, keel_state(s), (size_t)p->n * sizeof *right);
        keel_close(s);
        for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
            double coarse = error_of(p, tries[k].method, tries[k].step, right),
                   fine = error_of(p, tries[k].method, tries[k].step / 2, right), order = log2(coarse / fine);
            if (!(order > tries[k].order - 0.4 && coarse < 1e-2))
                fail_msg("%s, system %d: order %.2f (%g, %g)", tries[k].method, system, order, coarse, fine);
        }
        keel_model_close(m);
    }
}

/* The first row alone is met, by sparse matrices as all rows are. */
static void the_first_row_alone_is_met(void **state) {
    (void)state;
    for (int system = 0; system < SYSTEMS; system++) {
        keel_model *m;
        keel_row first, second;
        const keel_problem *p = read_count(systems[system], 30, &m);
        keel_solver *s = keel_open(p, &(keel_options){.method = "rk4+post", .step = 0.01}),
                    *all = keel_open(p, &(keel_options){.method = "rk4+project", .step = 0.01});
        assert_true(keel_save(s, NULL, 0) <= keel_save(all, NULL, 0));
        if (keel_run(s, 0.1) != KEEL_OK) fail_msg("system %d: %s", system, keel_message(s));
        assert_true(keel_row_at(s, 0, &first) && keel_row_at(s, 1, &second));
        assert_int_equal(first.treatment, KEEL_ROW_KEPT);
        assert_int_equal(second.treatment, KEEL_ROW_WATCHED);
        assert_below(first.units, 16);
        assert_below(1e3, second.units);
        keel_close(s);
        keel_close(all);
        keel_model_close(m);
    }
}

static void run_ring(const keel_problem *p, double rtol, double *x) {
    keel_solver *s = keel_open(p, &(keel_options){.method = "dop853", .rtol = rtol});
    if (keel_run(s, 5) != KEEL_OK) fail_msg("%s", keel_message(s));
    memcpy(x, keel_state(s), (size_t)p->n * sizeof *x);
    keel_close(s);
}

/* What four invariants of 400 rods lack is made good by momenta.  Positions that are moved for it by their
 * sizes, those of the ring, bring an error of 2e-6. */
static void invariants_are_met_by_momenta(void **state) {
    static double x[4 * 400], right[4 * 400];
    keel_model *m;
    const keel_problem *p = read_count(ring, 400, &m);
    double most = 0;
    (void)state;
    run_ring(p, 1e-10, right);
    run_ring(p, 1e-6, x);
    for (int j = 0; j < p->n; j++) most = fmax(most, fabs(x[j] - right[j]));
    assert_below(most, 4e-7);
    keel_model_close(m);
}

/* At rest momenta do not change the energy, and a first step may be so short that positions hardly count:
 * what round-off leaves of it is no reason to move. */
static void an_energy_at_rest_stays(void **state) {
    static const char large[] = "param N = %d, L = 1e9, m = 1e3, g = 9.81*L\n"
                                "canonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
                                "let X[0] = 0, Y[0] = 0\n"
                                "for i in 1..N:\n"
                                "    let X[i] = x[i], Y[i] = y[i]\n"
                                "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = L^2\n"
                                "    init x[i] = 0.6*i*L, y[i] = -0.8*i*L, px[i] = 0, py[i] = 0\n"
                                "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/(2*m) + m*g*y[i])\n"
                                "run 0 .. 0.5\n";
    static double right[MOST];
    (void)state;
    for (int count = 10; count <= 60; count += 50) {
        keel_model *m;
        const keel_problem *p = read_count(large, count, &m);
        double most = 0;
        for (int k = 0; k < 2; k++) {
            keel_solver *s = keel_open(p, &(keel_options){.method = "dop853", .rtol = k ? 1e-8 : 1e-11});
            if (keel_run(s, 0.5) != KEEL_OK) fail_msg("%d rods: %s", count, keel_message(s));
            assert_below(worst_units(s, NULL), 8);
            assert_true(keel_statistics(s).steps < 200);
            for (int j = 0; j < p->n && k; j++) most = fmax(most, fabs(keel_state(s)[j] - right[j]));
            memcpy(right, keel_state(s), (size_t)p->n * sizeof *right);
            keel_close(s);
        }
        assert_below(most, 1e-4 * 1e13); /* of momenta */
        keel_model_close(m);
    }
}

/* Masses of eight powers of ten start at rest: the velocities are those of the lagrangian, whose projections
 * go by mass.  Energies that momenta alone made good would change them by 1e-4. */
static void a_start_at_rest_brings_no_noise(void **state) {
    enum { RODS = 10 };
    static const char both[] = "param N = 10\nlet X[0] = 0, Y[0] = 0\nfor i in 1..N:\n"
                               "    let X[i] = x[i], Y[i] = y[i], m[i] = 10^(8*i/N - 4)\n"
                               "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
                               "    init x[i] = 0.6*i, y[i] = -0.8*i\ninvariant energy\nrun 0 .. 0.01\n";
    static const char *const form[] = {
        "coord x[1..N]\ncoord y[1..N]\ninit x' = 0, y' = 0\n"
        "lagrangian sum(i in 1..N, m[i]*((x[i]'^2 + y[i]'^2)/2 - 9.81*y[i]))\n",
        "canonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\ninit px = 0, py = 0\n"
        "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/(2*m[i]) + 9.81*m[i]*y[i])\n"};
    double velocity[2][2 * RODS];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[TEXT];
        keel_model *m;
        snprintf(text, sizeof text, "%s%s", both, form[k]);
        const keel_problem *p = read_text(text, &m);
        keel_solver *s = keel_open(p, &(keel_options){.method = "dop853", .rtol = 1e-11});
        if (keel_run(s, 0.01) != KEEL_OK) fail_msg("%s", keel_message(s));
        for (int j = 0; j < 2 * RODS; j++)
            velocity[k][j] = keel_state(s)[2 * RODS + j] / (k ? pow(10, 8.0 * (j % RODS + 1) / RODS - 4) : 1);
        keel_close(s);
        keel_model_close(m);
    }
    for (int j = 0; j < 2 * RODS; j++) assert_below(fabs(velocity[1][j] - velocity[0][j]), 1e-9);
}

static void same_bits(void **state) {
    static const char *const methods[] = {"dop853", "rattle", "radau"};
    (void)state;
    for (int k = 0; k < 3 * SYSTEMS; k++) {
        keel_model *m;
        const keel_problem *p = read_count(systems[k / 3], 30, &m);
        const keel_options o = {.method = methods[k % 3], .step = k % 3 == 1 ? 0.01 : 0};
        keel_solver *s = keel_open(p, &o);
        if (keel_run(s, 0.05) != KEEL_OK) fail_msg("%s: %s", o.method, keel_message(s));
        goes_on_with_the_same_bits(s, p, &o, 0.1);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_newton),
        cmocka_unit_test(tangents_change_no_row),
        cmocka_unit_test(a_state_between_steps_takes_one_factorization),
        cmocka_unit_test(orders_are_kept),
        cmocka_unit_test(the_first_row_alone_is_met),
        cmocka_unit_test(invariants_are_met_by_momenta),
        cmocka_unit_test(an_energy_at_rest_stays),
        cmocka_unit_test(a_start_at_rest_brings_no_noise),
        cmocka_unit_test(same_bits),
    };
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
