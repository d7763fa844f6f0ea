/* test_newton_mechanics.c - sparse Newton matrices of mechanics and of Hamiltonians with constraints: they
 * solve (I - c J) y = b for the J of the rate, runs are those with dense matrices (those of the latter in
 * test_hamiltonian_sparse.c), and have the same bits after a copy. */
#include "sparse_runs.h"

#include "core/engine.h"
#include "linalg/sparse.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

/* Masses that move each other, springs with dampers; with strangers, no order makes a band of it. */
#define LATTICE(strangers)                                                                     \
    "param N = 40, k = 1e4, d = 100\n"                                                         \
    "coord x[1..N], y[1..N]\n"                                                                 \
    "for i in 1..N:\n"                                                                         \
    "    let r[i] = sqrt((x[i] - i)^2 + y[i]^2 + 1)\n"                                         \
    "    init x[i] = i + 0.1*sin(i), y[i] = 0.2*cos(3*i), x[i]' = cos(i), y[i]' = sin(2*i)\n"  \
    "    force x[i]: -d*x[i]'*y[i]^2\n"                                                        \
    "for i in 2..N:\n"                                                                         \
    "    force x[i]: -d*(x[i]' - x[i-1]')\n"                                                   \
    "    force x[i-1]: d*(x[i]' - x[i-1]')\n"                                                  \
    "lagrangian sum(i in 1..N, x[i]'^2 + y[i]'^2 - k*r[i]) + sum(i in 2..N, x[i]'*x[i-1]'/4\n" \
    "    - k/2*((x[i] - x[i-1])^2 + y[i]^2*y[i-1]^2))" strangers "\n"                          \
    "run 0 .. 1\n"

/* Rods on a pivot that moves, with drag. */
static const char chain[] = "param N = 30, c = 20\n"
                            "coord x[1..N], y[1..N]\n"
                            "let X[0] = 0.1*sin(5*t), Y[0] = 0\n"
                            "for i in 1..N:\n"
                            "    let X[i] = x[i], Y[i] = y[i]\n"
                            "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
                            "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), x[i]' = 0.5, y[i]' = 0\n"
                            "    force x[i]: -c*x[i]'\n"
                            "    force y[i]: -c*y[i]' - x[i]*y[i]'/N\n"
                            "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2 - 9.81*y[i])\n"
                            "run 0 .. 1\n";

/* Double pendulums in a row, by their angles, with springs and dampers between them: M(q) in blocks. */
#define PENDULA(more)                                                                           \
    "param N = 40, k = 50, d = 5\n"                                                             \
    "coord a[1..N], b[1..N]\n"                                                                  \
    "for i in 1..N:\n"                                                                          \
    "    init a[i] = 0.5*sin(i), b[i] = 1 + 0.3*cos(2*i), a[i]' = cos(i), b[i]' = 2*sin(3*i)\n" \
    "for i in 2..N:\n"                                                                          \
    "    force a[i]: -d*(a[i]' - a[i-1]')\n"                                                    \
    "    force a[i-1]: d*(a[i]' - a[i-1]')\n" more                                              \
    "lagrangian sum(i in 1..N, a[i]'^2 + b[i]'^2/2 + a[i]'*b[i]'*cos(a[i] - b[i])\n"            \
    "    + 9.81*(2*cos(a[i]) + cos(b[i]))) - sum(i in 2..N, k/2*(b[i] - b[i-1])^2)\n"           \
    "run 0 .. 1\n"

/* A carriage on each of N beams that turn about one hub's place, on a rail that couples neighbours. */
static const char arms[] =
    "param N = 30, k = 30\n"
    "coord a[1..N], r[1..N], x[1..N], y[1..N]\n"
    "for i in 1..N:\n"
    "    constraint px[i]: x[i] = r[i]*cos(a[i])\n"
    "    constraint py[i]: y[i] = r[i]*sin(a[i]) + 0.1*sin(3*t)\n"
    "    guess a[i] = 0.3*i, r[i] = 1 + i/N, x[i] = cos(0.3*i), y[i] = sin(0.3*i)\n"
    "    guess a[i]' = 1, r[i]' = 0.2*cos(i), x[i]' = 0, y[i]' = 0\n"
    "    force r[i]: -k*(r[i] - 1) - r[i]'\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 + (r[i]'^2 + (1 + r[i]^2)*a[i]'^2)/2 - 5*y[i])\n"
    "    - sum(i in 2..N, k/2*((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2))\nrun 0 .. 1\n";

/* Discs that roll on a plane that heaves, with springs between them. */
static const char discs[] =
    "param N = 20, R = 0.5\n"
    "coord x[1..N], y[1..N], a[1..N], s[1..N]\n"
    "for i in 1..N:\n"
    "    rolling along[i]: x[i]' - R*s[i]'*cos(a[i]) - 0.1*mod(i, 2)*cos(3*t) = 0\n"
    "    rolling across[i]: y[i]' - R*s[i]'*sin(a[i]) = 0\n"
    "    guess x[i] = i, y[i] = 0.1*sin(i), a[i] = 0.3*i, s[i] = 0\n"
    "    guess x[i]' = 1, y[i]' = 0, a[i]' = sin(i), s[i]' = 1\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2 + 0.2*a[i]'^2 + 0.1*s[i]'^2)/2)\n"
    "    - sum(i in 2..N, 20*((x[i] - x[i-1] - 1)^2 + (y[i] - y[i-1])^2))\nrun 0 .. 1\n";

/* Rods whose masses are coupled and depend on the place, with springs, on a pivot that moves; a cart that all
 * rods hang on. */
static const char by_momenta[] =
    "param N = 30\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
    "let X[0] = 0.1*sin(5*t), Y[0] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), px[i] = 0.5, py[i] = 0.3*sin(i)\n"
    "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)*(1 + x[i]^2/N^2)/2 + 9.81*y[i])\n"
    "    + sum(i in 2..N, px[i]*px[i-1]/5 + 40*(y[i] - y[i-1])^4)\nrun 0 .. 1\n";
static const char cart[] =
    "param N = 40\ncanonical c, pc\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n"
    "for i in 1..N:\n"
    "    constraint rod[i]: (x[i] - c)^2 + y[i]^2 = 1\n"
    "    guess x[i] = sin(0.05*i), px[i] = 0.2*i, y[i] = -1, py[i] = 0\n"
    "init c = 0, pc = 1\n"
    "hamiltonian pc^2/(2*N) + sum(i in 1..N, (px[i]^2 + py[i]^2)/2 + 9.81*y[i])\nrun 0 .. 1\n";

/* Constraints of all coordinates: a thread of beads whose length breathes and whose area is held, and beads
 * whose centre of mass is moved; a thread by momenta, one bead of which is on a rod. */
#define THREAD                                                                               \
    "for i in 1..N:\n    let X[i] = x[i], Y[i] = y[i]\nlet X[N+1] = x[1], Y[N+1] = y[1]\n"   \
    "for i in 1..N:\n    let r[i] = sqrt((X[i+1] - X[i])^2 + (Y[i+1] - Y[i])^2)\n"           \
    "    guess x[i] = N*0.175*cos(2*pi*i/N) + 0.1*sin(9*i), y[i] = N*0.1375*sin(2*pi*i/N)\n" \
    "constraint length: sum(i in 1..N, r[i]*(1 + 0.1*sin(i))) = N*(1 + 0.05*sin(3*t))\n"
static const char thread[] =
    "param N = 90\ncoord x[1..N], y[1..N]\n" THREAD
    "constraint area: sum(i in 1..N, X[i]*Y[i+1] - X[i+1]*Y[i]) = 0.148*N^2\n"
    "for i in 1..N:\n    guess x[i]' = 0.3*cos(i), y[i]' = 0.2*sin(2*i)\n"
    "    force x[i]: -x[i]'*(1 + x[i]^2/N)\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 + x[i]'*y[i]'/5) - sum(i in 1..N, 40*(r[i] - 1)^2)\n"
    "run 0 .. 1\n";
static const char moved[] =
    "param N = 40\ncoord x[1..N], y[1..N]\n"
    "constraint cx: sum(i in 1..N, x[i]*(1 + i/N)) = sin(3*t)\n"
    "constraint cy: sum(i in 1..N, y[i]*(1 + i/N)) = 0.1*sum(i in 1..N, x[i]^2)\n"
    "for i in 1..N:\n    guess x[i] = i - N/2, y[i] = cos(3*i), x[i]' = cos(i), y[i]' = sin(2*i)\n"
    "    force x[i]: -x[i]'*y[i]^2\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2)\n"
    "    - sum(i in 2..N, 50*((x[i] - x[i-1] - 1)^2 + (y[i] - y[i-1])^2))\nrun 0 .. 1\n";
static const char thread_by_momenta[] =
    "param N = 90\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n" THREAD
    "for i in 1..3:\n    constraint rod[i]: (x[i] - N/5)^2 + y[i]^2 = (2 + i)^2\n"
    "for i in 1..N:\n    guess px[i] = 0.3*cos(i), py[i] = 0.2*sin(2*i)\n"
    "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)*(1 + x[i]^2/N^2)/2 + 40*(r[i] - 1)^2)\nrun 0 .. 1\n";

static const char *const texts[] = {
    LATTICE(""),
    LATTICE("- sum(i in 1..N, k/9*(x[i] - i - y[1 + mod(7*i, N)])^2)"),
    chain,
    PENDULA(""),
    PENDULA("    force b[i]: -d*sin(b[i] - a[1 + mod(7*i, N)])\n"),
    arms,
    discs,
    thread,
    moved,
    by_momenta,
    cart,
    thread_by_momenta,
};
enum { TEXTS = sizeof texts / sizeof *texts, OF_MECHANICS = TEXTS - 3 };

static double draw(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* out = y - c J y, one part of it at a time: J y by central differences of the rate. */
static void apply(struct engine *e, double t, const double *x, const double *y, double *out) {
    int n = e->field.n;
    double way = 1e-5, probe[400], rate[2][400];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++) probe[i] = x[i] + (side ? -way : way) * y[i];
        assert_int_equal(keel_rhs(&e->work, t, probe, rate[side]), KEEL_OK);
    }
    for (int i = 0; i < n; i++) out[i] = (rate[0][i] - rate[1][i]) / (2 * way);
}

static void solve_one(struct engine *e, keel_newton *newton, int k, double real, double imaginary) {
    double t = e->r->t, x[400], f[400], b[400], other[400], y[400], z[400], jy[400], jz[400];
    int n = e->field.n, complex = k >= newton->real;
    unsigned seed = 7;
    memcpy(x, e->x[e->r->current], (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] += 0.01 * draw(&seed), b[i] = y[i] = draw(&seed), other[i] = z[i] = draw(&seed);
    assert_int_equal(keel_rhs(&e->work, t, x, f), KEEL_OK);
    assert_int_equal(keel_newton_jacobian(&e->work, newton, t, x, f, 0), KEEL_OK);
    assert_int_equal(keel_newton_factor(&e->work, newton, k, real, imaginary), KEEL_OK);
    keel_newton_solve(&e->work, newton, k, y, complex ? z : NULL);
    if (!complex) memset(z, 0, sizeof z), memset(other, 0, sizeof other);
    apply(e, t, x, y, jy);
    apply(e, t, x, z, jz);
    for (int i = 0; i < n; i++) {
        double scale = fabs(b[i]) + fabs(y[i]) + fabs(other[i]) + fabs(z[i]) +
                       hypot(real, imaginary) * (fabs(jy[i]) + fabs(jz[i]));
        assert_below(fabs(y[i] - real * jy[i] + imaginary * jz[i] - b[i]), 2e-6 * scale);
        assert_below(fabs(z[i] - real * jz[i] - imaginary * jy[i] - other[i]), 2e-6 * scale);
    }
}

static void the_equations_are_solved(void **state) {
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        keel_model *m;
        const keel_problem *p = read_text(texts[i], &m);
        const keel_options o = {.rtol = 1e-6};
        struct engine *e =
            engine_open(NULL, p, &o, registry_find("radau"), stabilizers_find("none"), 1, NULL);
        assert_non_null(e);
        assert_int_equal(run_to(e, 0.01, 0.01, 0, 0), KEEL_OK);
        assert_true(e->field.large);
        for (int k = 0; k < e->field.newtons; k++) {
            keel_newton *newton = &e->field.newton[k];
            if (newton->of != newton || !newton->anchor) continue;
            for (int left_out = 0; left_out < 2; left_out++) { /* as a redundant constraint is */
                if (left_out && (!e->field.kg || i >= OF_MECHANICS)) continue;
                if (left_out) e->field.active[3] = e->field.mech.ready = 0;
                solve_one(e, newton, 0, 0.03, 0);
                if (newton->complex) solve_one(e, newton, newton->real, 0.02, 0.01);
            }
        }
        engine_close(e);
        keel_model_close(m);
    }
}

static keel_solver *run(const keel_problem *p, const keel_options *o, double t_end) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    if (keel_run(s, t_end) != KEEL_OK) fail_msg("%s", keel_message(s));
    return s;
}

/* Another norm of corrections, of which there are none, leaves the dense matrices. */
static void runs_are_those_of_dense_matrices(void **state) {
    static const char *const methods[] = {"radau+none", "bdf+none"};
    (void)state;
    for (int i = 0; i < OF_MECHANICS; i++)
        for (int k = 0; k < 2; k++) {
            keel_model *m;
            const keel_problem *p = read_text(texts[i], &m);
            keel_options o = {.method = methods[k], .rtol = 1e-6};
            keel_solver *sparse = run(p, &o, 0.3);
            o.norm = KEEL_BY_ERROR;
            keel_solver *dense = run(p, &o, 0.3);
            keel_stats a = keel_statistics(sparse), b = keel_statistics(dense);
            for (int j = 0; j < p->n; j++)
                assert_below(fabs(keel_state(sparse)[j] - keel_state(dense)[j]), 2e-5);
            assert_below((double)a.steps, 1.1 * (double)b.steps + 2);
            assert_below((double)a.calls, (double)b.calls);
            keel_close(sparse);
            keel_close(dense);
            keel_model_close(m);
        }
}

static void same_bits(void **state) {
    static const char *const methods[] = {"radau", "bdf"};
    (void)state;
    for (int i = 0; i < TEXTS; i++)
        for (int k = 0; k < 2; k++) {
            keel_model *m;
            const keel_problem *p = read_text(texts[i], &m);
            const keel_options o = {.method = methods[k], .rtol = 1e-6};
            keel_solver *a = run(p, &o, 0.05);
            goes_on_with_the_same_bits(a, p, &o, 0.1);
            keel_model_close(m);
        }
}

/* Points that constraints hold at 0: all that their rows have is 0, and the change of all rods leaves its
 * round-off there, in a start, too. */
#define HUNG(number, guess, more)                                                         \
    "param N = " number                                                                   \
    "\ncoord x[0..N], y[0..N]\nconstraint left: x[0] = 0\nconstraint up: y[0] = 0\n" more \
    "for i in 0..N:\n    guess " guess ", x[i]' = 0, y[i]' = 0\n"                         \
    "    force x[i]: -2*x[i]'\n    force y[i]: -2*y[i]'\n"                                \
    "for i in 1..N:\n    constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"  \
    "lagrangian sum(i in 0..N, (x[i]'^2 + y[i]'^2)/2 - 9.81*y[i])\nrun 0 .. 1\n"

static void what_is_held_at_zero_shortens_no_step(void **state) {
    const char *const hung[] = {HUNG("50", "x[i] = i*cos(0.3), y[i] = i*sin(0.3)", ""),
                                HUNG("100", "x[i] = 0.8*i, y[i] = -0.3*N*sin(pi*i/N)",
                                     "constraint right: x[N] = 0.8*N\nconstraint level: y[N] = 0\n")};
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_model *m;
        const keel_problem *p = read_text(hung[i], &m);
        keel_solver *s = keel_open(p, &(keel_options){.method = "radau", .max_steps = 12});
        keel_row row;
        if (keel_run(s, 0.05) != KEEL_OK) fail_msg("%d: %s", i, keel_message(s));
        for (int k = 0; keel_row_at(s, k, &row); k++)
            if (!(row.units <= 4)) fail_msg("%s: %g units", row.name, row.units);
        keel_close(s);
        keel_model_close(m);
    }
}

/* A cart that pendulums hang on: its row of M depends on all of them. */
static const char wagon[] = "param N = 60\ncoord x, a[1..N]\n"
                            "for i in 1..N:\n    init a[i] = sin(i), a[i]' = cos(i)\ninit x = 0, x' = 1\n"
                            "lagrangian 2*N*x'^2 + sum(i in 1..N, (1 + i/N)*x'*a[i]'*cos(a[i]) + a[i]'^2\n"
                            "    + 9.81*cos(a[i]))\nrun 0 .. 1\n";

static const keel_problem *plain;
static int wrong_in_one(double t, const double *u, double *out, void *user) {
    int code = plain->extras->mass_change(t, u, out, user);
    out[0] += 1;
    return code;
}

static const char *sentence_with(const keel_problem *p, keel_fn *change, long *steps) {
    static char text[300];
    keel_extras extras = *p->extras;
    keel_problem other = *p;
    other.extras = &extras;
    extras.mass_change = change;
    keel_solver *s = keel_open(&other, &(keel_options){.method = "radau", .check_jacobians = 1});
    keel_run(s, 0.1);
    snprintf(text, sizeof text, "%s", keel_message(s));
    *steps = keel_statistics(s).steps;
    keel_close(s);
    return text;
}

/* It is exact in models: runs are those by differences, and one that is wrong is told. */
static void the_change_of_masses_is_given(void **state) {
    const char *const moving[] = {wagon, PENDULA("")};
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_model *m;
        long exact, steps;
        const keel_problem *p = read_text(moving[i], &m);
        assert_true(p->extras->mass_change && !p->mass.constant);
        assert_string_equal(sentence_with(p, p->extras->mass_change, &exact), "");
        assert_string_equal(sentence_with(p, NULL, &steps), "");
        assert_int_equal(exact, steps);
        plain = p;
        assert_non_null(strstr(sentence_with(p, wrong_in_one, &steps), "mass_change is wrong in row 0"));
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_equations_are_solved),
        cmocka_unit_test(runs_are_those_of_dense_matrices),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(what_is_held_at_zero_shortens_no_step),
        cmocka_unit_test(the_change_of_masses_is_given),
    };
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
