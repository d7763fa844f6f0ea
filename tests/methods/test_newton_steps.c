/* test_newton_steps.c - how many of Newton's steps implicit methods take.
 *
 * A matrix with a wrong sign or a lost entry changes no answer where the iteration still arrives: it takes
 * more rounds.  So every implicit method that takes a problem is run with sparse and with dense matrices:
 * the rounds are as many, and few for each step.  The problems are stiff, or constrained, so that simple
 * iteration does not arrive. */
#include "testing.h"

#include <keel/list.h>
#include <keel/method.h>
#include <keel/model.h>

/* Diffusion along a line with a reaction; a chain of rods; one that hangs under a large tension between
 * springs; few rods, many, and some under tension written by momenta; masses between stiff springs; double
 * pendulums by their angles; discs that roll; a thread of beads that is pulled apart, whose length and the
 * way of whose centre are given. */
#define CHAIN                                                            \
    "let X[0] = 0, Y[0] = 0\n"                                           \
    "for i in 1..N:\n"                                                   \
    "    let X[i] = x[i], Y[i] = y[i]\n"                                 \
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n" \
    "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3)\n"
static const struct source {
    const char *text;
    double step;
    int stiff; /* for methods with forces in their matrices */
} sources[] = {
    {"param N = 40\nvar u[1..N]\nlet U[0] = 0, U[N+1] = 0\n"
     "for i in 1..N:\n"
     "    let U[i] = u[i]\n"
     "    u[i]' = 40*(U[i-1] - 2*U[i] + U[i+1]) + u[i] - u[i]^3\n"
     "    init u[i] = sin(0.2*i)\nrun 0 .. 1\n",
     0.05, 0},
    {"param N = 24\ncoord x[1..N], y[1..N]\n" CHAIN
     "    guess x[i]' = 0.4*i*sin(0.3), y[i]' = 0.4*i*cos(0.3)\n"
     "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2 - 9.81*y[i] - 60*(y[i] - Y[i-1])^2)\nrun 0 "
     ".. 1\n",
     0.04, 0},
    {"param N = 24\ncoord x[1..N], y[1..N]\nlet X[0] = 0, Y[0] = 0\n"
     "for i in 1..N:\n"
     "    let X[i] = x[i], Y[i] = y[i]\n"
     "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
     "    guess x[i] = 0.01*sin(i), y[i] = -i, x[i]' = 0.03*cos(i), y[i]' = 0\n"
     "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2 - 200*y[i] - 500*x[i]^2)\nrun 0 .. 1\n",
     0.02, 1},
    {"param N = 4\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n" CHAIN
     "    guess px[i] = 0.2*i*sin(0.3), py[i] = 0.2*i*cos(0.3)\n"
     "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/2 + 9.81*y[i])\nrun 0 .. 1\n",
     0.05, 0},
    {"param N = 24\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\n" CHAIN
     "    guess px[i] = 0.4*i*sin(0.3), py[i] = 0.4*i*cos(0.3)\n"
     "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)*(1 + x[i]^2/N^2)/2 + 9.81*y[i]\n"
     "    + 60*(y[i] - Y[i-1])^2)\n"
     "run 0 .. 1\n",
     0.04, 0},
    {"param N = 24\ncanonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\nlet X[0] = 0, Y[0] = 0\n"
     "for i in 1..N:\n"
     "    let X[i] = x[i], Y[i] = y[i]\n"
     "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
     "    guess x[i] = 0.01*sin(i), y[i] = -i, px[i] = 0.03*cos(i), py[i] = 0\n"
     "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/2 + 200*y[i] + 500*x[i]^2)\nrun 0 .. 1\n",
     0.02, 1},
    {"param N = 40\ncanonical q[1..N], p[1..N]\nlet Q[0] = 0\n"
     "for i in 1..N:\n"
     "    let Q[i] = q[i]\n"
     "    init q[i] = sin(i), p[i] = 0\n"
     "hamiltonian sum(i in 1..N, p[i]^2/2 + 400*(Q[i] - Q[i-1])^2 + (Q[i] - Q[i-1])^4)\nrun 0 .. 1\n",
     0.02, 0},
    {"param N = 30\ncoord a[1..N], b[1..N]\n"
     "for i in 1..N:\n"
     "    init a[i] = 0.5*sin(i), b[i] = 1 + 0.3*cos(2*i), a[i]' = 3*cos(i), b[i]' = 4*sin(3*i)\n"
     "lagrangian sum(i in 1..N, a[i]'^2 + b[i]'^2/2 + a[i]'*b[i]'*cos(a[i] - b[i])\n"
     "    + 9.81*(2*cos(a[i]) + cos(b[i]))) - sum(i in 2..N, 200*(b[i] - b[i-1])^2)\nrun 0 .. 1\n",
     0.01, 0},
    {"param N = 20\ncoord x[1..N], y[1..N], a[1..N], s[1..N]\n"
     "for i in 1..N:\n"
     "    rolling along[i]: x[i]' - s[i]'*cos(a[i]) = 0\n"
     "    rolling across[i]: y[i]' - s[i]'*sin(a[i]) = 0\n"
     "    guess x[i] = i, y[i] = 0.1*sin(i), a[i] = 0.3*i, s[i] = 0, x[i]' = 1, y[i]' = 0\n"
     "    guess a[i]' = 2*sin(i), s[i]' = 1\n"
     "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2 + 0.2*a[i]'^2 + 0.1*s[i]'^2)/2)\n"
     "    - sum(i in 2..N, 200*((x[i] - x[i-1] - 1)^2 + (y[i] - y[i-1])^2))\nrun 0 .. 1\n",
     0.02, 0},
    {"param N = 40\ncoord x[1..N], y[1..N]\n"
     "for i in 1..N:\n    let X[i] = x[i], Y[i] = y[i]\nlet X[N+1] = x[1], Y[N+1] = y[1]\n"
     "for i in 1..N:\n"
     "    guess x[i] = 7*cos(2*pi*i/N), y[i] = 5.5*sin(2*pi*i/N), x[i]' = 0.3*cos(i), y[i]' = 0.2*sin(2*i)\n"
     "constraint length: sum(i in 1..N, sqrt((X[i+1] - X[i])^2 + (Y[i+1] - Y[i])^2)) = N\n"
     "constraint line: sum(i in 1..N, (x[i]*cos(20*t) + y[i]*sin(20*t))*(1 + i/N)) = 0\n"
     "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2 + 40*(x[i]^2 + y[i]^2)\n"
     "    - 400*((X[i+1] - X[i])^2 + (Y[i+1] - Y[i])^2))\nrun 0 .. 1\n",
     0.005, 0},
};

/* The same problem with full rows. */
static const keel_problem *by_pattern;
static int full_jacobian(double t, const double *u, double *out, void *user) {
    const keel_pattern *p = by_pattern->f.pattern;
    static double entries[4096];
    int n = by_pattern->n, code = by_pattern->f.jacobian(t, u, entries, user);
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[(long)i * n + p->column[e]] = entries[e];
    return code;
}

/* In mechanics another norm, of corrections, leaves the dense matrices. */
static const keel_problem *dense_one(const keel_problem *p, keel_options *o) {
    static keel_problem full;
    full = *(by_pattern = p);
    if (p->form == KEEL_MECHANICS) o->norm = KEEL_BY_ERROR;
    else if (p->f.jacobian && p->f.pattern) full.f.jacobian = full_jacobian, full.f.pattern = NULL;
    return &full;
}

/* Rounds for each step; -1: the method does not take the problem. */
static double rounds_of(const keel_problem *p, keel_options o, double end) {
    keel_solver *s = keel_open(p, &o);
    int taken = keel_state_of(s) != KEEL_EINVAL;
    if (taken && keel_run(s, end) != KEEL_OK) fail_msg("%s: %s", o.method, keel_message(s));
    keel_stats counts = keel_statistics(s);
    keel_close(s);
    return taken ? (double)counts.newton / (double)counts.steps : -1;
}

/* rattle8 is a product of rattles: of the matrix of rattle. */
static int is_composed(const char *name) {
    static const char *const base[] = {"midpoint", "trapezoid", "rattle"};
    for (int i = 0; i < 3; i++)
        if (strncmp(name, base[i], strlen(base[i])) == 0 && name[strlen(base[i])]) return 1;
    return 0;
}

enum { NATIVE = KEEL_CONSTRAINED | KEEL_AS_GIVEN };

/* Rounds for each step: at most so many, and sparse ones at most ratio x dense ones + slack.  Native methods
 * with tolerances take the same rounds with either.  Fixed steps go on to round-off, where the last rounds
 * differ by it. */
struct bound {
    double most, ratio, slack;
};

static struct bound bound_of(const keel_method *method, double rtol) {
    int rolls = strcmp(method->name, "rolling-midpoint") == 0; /* it iterates its forces */
    int rough =
        strcmp(method->name, "rattle") == 0 || strcmp(method->name, "shake") == 0; /* G(q) for G(q_1) */
    double most = rolls ? 90 : 35;
    if (method->traits & NATIVE && rtol > 0) return (struct bound){5, 1.01, 0.05};
    if (method->traits & KEEL_SPARSE_FORCES) return (struct bound){most, 2.2, 3};
    if (method->traits & NATIVE) return (struct bound){most, rough ? 1.7 : 1.1, 1.5};
    return (struct bound){most, 1.3, 3}; /* projections are counted, too */
}

/* Are the forces, and the pull of the constraints, in a matrix of its own? */
static int has_forces(const keel_method *method) {
    return (method->traits & KEEL_SPARSE_FORCES) != 0;
}

static int compare(const keel_problem *p, const keel_method *method, double step, double rtol, double end) {
    keel_options o = {.method = method->name, .step = step, .rtol = rtol};
    double rounds = rounds_of(p, o, end), full;
    if (rounds < 0) return 0;
    full = rounds_of(dense_one(p, &o), o, end);
    const struct bound b = bound_of(method, rtol);
    int few = fmax(rounds, full) <= b.most;
    if (few && rounds <= b.ratio * full + b.slack && full <= 1.3 * b.ratio * rounds + b.slack)
        return rounds > 0;
    fail_msg("%s, form %d, %s: %.2f rounds a step with sparse matrices, %.2f with dense ones", o.method,
             (int)p->form, rtol > 0 ? "with a tolerance" : "fixed steps", rounds, full);
    return rounds > 0;
}

static void rounds_are_few(void **state) {
    int compared = 0;
    (void)state;
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        keel_mode mode;
        const struct source *from = &sources[k];
        keel_model *m = keel_model_read("test.keel", from->text, strlen(from->text),
                                        &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        assert_true(keel_model_mode(m, 0, &mode));
        for (int i = 0; keel_method_at(i); i++) {
            const keel_method *method = keel_method_at(i);
            if (!(method->traits & KEEL_IMPLICIT) || is_composed(method->name)) continue;
            if (from->stiff && !has_forces(method)) continue;
            if (k == 0 && strcmp(method->name, "lgdae-nested") == 0) continue; /* it iterates */
            compared += compare(mode.problem, method, from->step, 0, 10 * from->step);
            if (method->traits & KEEL_ADAPTIVE)
                compared += compare(mode.problem, method, 0, 1e-5, 10 * from->step);
        }
        keel_model_close(m);
    }
    assert_true(compared > 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
