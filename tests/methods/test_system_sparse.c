/* test_system_sparse.c - kahan, bdf2 and lgdae on large equations of first order: with sparse matrices they
 * give the runs that they give with dense ones, have the same bits after a copy, and take memory in
 * proportion to the number of unknowns. */
#include "sparse_runs.h"

#include "linalg/sparse.h"

#include <keel/extras.h>

enum { MOST_TEXT = 1200 };

static const struct text {
    int n;
    const char *text;
} texts[] = {
    /* growth and diffusion, which pushes itself along: quadratic */
    {60, "var u[1..N]\nlet U[0] = 0, U[N+1] = 1\n"
         "for i in 1..N:\n"
         "    let U[i] = u[i]\n"
         "    u[i]' = 40*(U[i-1] - 2*u[i] + U[i+1]) + 5*u[i]*(U[i+1] - U[i-1]) + u[i] - u[i]^2\n"
         "    init u[i] = 0.5 + 0.5*sin(i)\nrun 0 .. 1\n"},
    /* the same with a flux that is an algebraic variable */
    {40, "var u[1..N], y[1..N]\nlet U[0] = 0, U[N+1] = 1, Y[0] = 0\n"
         "for i in 1..N:\n"
         "    let U[i] = u[i], Y[i] = y[i]\n"
         "    u[i]' = 9*(Y[i] - Y[i-1]) + sin(t)\n"
         "    y[i] + 0.1*y[i]^3 = U[i+1] - u[i]\n"
         "    init u[i] = 0.5 + 0.5*sin(i)\nrun 0 .. 1\n"},
    /* a chain of rods, whose multipliers keep the rates of the lengths at zero: index 2 */
    {20, "var x[1..N], y[1..N], u[1..N], v[1..N], z[1..N]\n"
         "let X[0] = 0, Y[0] = 0, U[0] = 0, V[0] = 0, X[N+1] = 0, Y[N+1] = 0, Z[N+1] = 0\n"
         "for i in 1..N:\n"
         "    let X[i] = x[i], Y[i] = y[i], U[i] = u[i], V[i] = v[i], Z[i] = z[i]\n"
         "for i in 1..N:\n"
         "    x[i]' = u[i]\n"
         "    y[i]' = v[i]\n"
         "    u[i]' = -Z[i]*(X[i] - X[i-1]) + Z[i+1]*(X[i+1] - X[i])\n"
         "    v[i]' = -9.81 - Z[i]*(Y[i] - Y[i-1]) + Z[i+1]*(Y[i+1] - Y[i])\n"
         "    (X[i] - X[i-1])*(U[i] - U[i-1]) + (Y[i] - Y[i-1])*(V[i] - V[i-1]) = 0\n"
         "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), u[i] = 0, v[i] = 0\nrun 0 .. 1\n"},
    /* decay, all in step: the stretch of lgdae matters */
    {60, "var u[1..N]\nlet U[0] = u[1], U[N+1] = u[N]\n"
         "for i in 1..N:\n"
         "    let U[i] = u[i]\n"
         "    u[i]' = 0.3*(U[i-1] - 2*u[i] + U[i+1]) - 2*u[i]^3\n"
         "    init u[i] = 1 + 0.1*sin(i)\nrun 0 .. 1\n"},
};

static const struct attempt {
    const char *method;
    int text;
    double step;
} tries[] = {{"kahan", 0, 0.005}, {"kahan4", 0, 0.005},      {"bdf2", 0, 0.02},   {"bdf2", 1, 0.02},
             {"bdf2", 2, 0.01},   {"lgdae", 0, 0.005},       {"lgdae", 1, 0.005}, {"lgdae", 2, 0.01},
             {"lgdae", 3, 1},     {"lgdae-nested", 2, 0.001}};
enum { TRIES = sizeof tries / sizeof *tries };

static keel_solver *run(const keel_problem *p, const keel_options *o, int steps) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    if (keel_run(s, steps * o->step) != KEEL_OK) fail_msg("%s: %s", o->method, keel_message(s));
    return s;
}

static const keel_problem *read_sized(int k, int times, keel_model **m) {
    char text[MOST_TEXT];
    assert_in_range(snprintf(text, sizeof text, "param N = %d\n%s", times * texts[k].n, texts[k].text), 1,
                    sizeof text - 1);
    return read_text(text, m);
}

/* The equations as they were written, with full rows. */
static const keel_map *written;
static int full_rows(double t, const double *u, double *out, void *user) {
    static double entries[4096];
    const keel_pattern *p = written->pattern;
    int columns = 5 * written->count / 4,
        code = written->jacobian(t, u, entries, user); /* x, y, u, v and z */
    memset(out, 0, (size_t)written->count * (size_t)columns * sizeof *out);
    for (int i = 0; i < written->count; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[i * columns + p->column[e]] = entries[e];
    return code;
}

/* Without a jacobian the matrices are dense; by differences that are exact to round-off, or that a search for
 * the end of a step does not feel. */
static void runs_are_those_of_dense_matrices(void **state) {
    (void)state;
    for (int k = 0; k < TRIES; k++) {
        keel_model *m;
        const keel_problem *p = read_sized(tries[k].text, 1, &m);
        keel_options o = {.method = tries[k].method, .step = tries[k].step};
        keel_problem bare = *p;
        keel_extras extras = *keel_extras_of(p);
        bare.f.jacobian = NULL;
        written = &keel_extras_of(p)->original_f;
        assert_true(tries[k].text != 2 || written->count > 0);
        if (written->count) extras.original_f.jacobian = full_rows, extras.original_f.pattern = NULL;
        bare.extras = &extras;
        keel_solver *sparse = run(p, &o, 10), *dense = run(&bare, &o, 10);
        keel_stats a = keel_statistics(sparse), b = keel_statistics(dense);
        size_t full = (size_t)p->n * (size_t)p->n * sizeof(double), fewer = keel_save(sparse, NULL, 0);
        if (!(fewer + full * 3 / 4 < keel_save(dense, NULL, 0)))
            fail_msg("%s, text %d is dense", o.method, tries[k].text);
        assert_true(a.steps == b.steps && labs(a.newton - b.newton) <= a.steps / 2);
        for (int j = 0; j < p->n; j++)
            assert_below(fabs(keel_state(sparse)[j] - keel_state(dense)[j]), 1e-10);
        keel_close(sparse);
        keel_close(dense);
        keel_model_close(m);
    }
}

static void same_bits(void **state) {
    (void)state;
    for (int k = 0; k < TRIES; k++) {
        keel_model *m;
        const keel_problem *p = read_sized(tries[k].text, 1, &m);
        keel_options o = {.method = tries[k].method, .step = tries[k].step};
        keel_solver *a = run(p, &o, 5);
        goes_on_with_the_same_bits(a, p, &o, 10 * o.step);
        keel_model_close(m);
    }
}

/* Rows that are watched included. */
static void memory_is_linear(void **state) {
    (void)state;
    for (int k = 0; k < TRIES; k++) {
        double size[2];
        for (int i = 0; i < 2; i++) {
            keel_model *m;
            const keel_problem *p = read_sized(tries[k].text, i ? 40 : 10, &m);
            keel_solver *s = keel_open(p, &(keel_options){.method = tries[k].method, .step = tries[k].step});
            size[i] = (double)keel_save(s, NULL, 0);
            keel_close(s);
            keel_model_close(m);
        }
        if (!(size[1] < 4.1 * size[0]))
            fail_msg("%s, text %d: %.0f and %.0f bytes", tries[k].method, tries[k].text, size[0], size[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_those_of_dense_matrices),
                                       cmocka_unit_test(same_bits), cmocka_unit_test(memory_is_linear)};
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
