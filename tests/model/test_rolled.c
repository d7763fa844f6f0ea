/* test_rolled.c - compiled loops of models have the bits of the interpreter.
 *
 * In a lattice of springs and in a chain loads and stores of one loop go at different strides.  gcc 12 took
 * functions of such loops for functions without effects, and left their calls out. */
#include "testing.h"
#include "cache.h"

#include <keel/model.h>

#include <math.h>
#include <string.h>

static const char lattice[] =
    "param N = 60, k = 1e6, d = 100\n"
    "coord x[1..N], y[1..N]\n"
    "for i in 2..N:\n"
    "    let X[i] = x[i] - x[i-1], Y[i] = y[i] - y[i-1]\n"
    "    let r[i] = sqrt(X[i]^2 + Y[i]^2), w[i] = d*r[i]'/r[i]\n"
    "    force x[i]: -w[i]*X[i]\n"
    "    force x[i-1]: w[i]*X[i]\n"
    "for i in 1..N: init x[i] = i, y[i] = 0.1*sin(i), x[i]' = cos(i), y[i]' = sin(2*i)\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 - 9.81*y[i]) - sum(i in 2..N, k/2*(r[i] - 1)^2)\n"
    "run 0 .. 1\n";

static const char chain[] = "param N = 200\n"
                            "var x[1..N], y[1..N], f[1..N+1]\n"
                            "let X[0] = 0, Y[0] = 0\n"
                            "f[N+1] = 0\n"
                            "for i in 1..N:\n"
                            "    let X[i] = x[i], Y[i] = y[i]\n"
                            "    (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
                            "    init x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n"
                            "let X[N+1] = 0, Y[N+1] = 0\n"
                            "for i in 1..N:\n"
                            "    x[i]'' = -f[i]*(X[i] - X[i-1]) + f[i+1]*(X[i+1] - X[i])\n"
                            "    y[i]'' = -f[i]*(Y[i] - Y[i-1]) + f[i+1]*(Y[i+1] - Y[i]) - 9.81\n"
                            "run 0 .. 1\n";

/* Its gradient is that of the motion, turned. */
static const char cluster[] =
    "param N = 90, m = 1/N, e = 0.05\n"
    "canonical q[1..N][1..3], p[1..N][1..3]\n"
    "hamiltonian sum(i in 1..N, dot(p[i], p[i])/(2*m))\n"
    "    - sum(i in 1..N, j in i+1..N, m^2/sqrt(dot(q[j] - q[i], q[j] - q[i]) + e^2))\n"
    "for i in 1..N:\n"
    "    init q[i] = (cos(i), sin(1.3*i), cos(1.7*i)), p[i] = m*(sin(i), cos(2.3*i), sin(0.7*i))\n"
    "run 0 .. 1\n";

static keel_model *read_model(const char *text, int interpret) {
    keel_model *m =
        keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = interpret});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static const keel_problem *problem_of(const keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    return mode.problem;
}

static void compare(keel_fn *a, keel_fn *b, const keel_problem *p, const keel_problem *q, const double *u,
                    size_t count) {
    double *x = calloc(count + 1, sizeof *x), *y = calloc(count + 1, sizeof *y);
    assert_true(x && y && (a != NULL) == (b != NULL));
    if (a) assert_int_equal(a(0.5, u, x, p->user), b(0.5, u, y, q->user));
    assert_memory_equal(x, y, count * sizeof *x);
    free(x);
    free(y);
}

static void compare_maps(const keel_map *a, const keel_map *b, const keel_problem *p, const keel_problem *q,
                         const double *u) {
    size_t count = (size_t)a->count;
    assert_int_equal(a->count, b->count);
    compare(a->value, b->value, p, q, u, count);
    compare(a->terms, b->terms, p, q, u, count);
    if (a->pattern) compare(a->jacobian, b->jacobian, p, q, u, (size_t)a->pattern->nnz);
}

static void same_bits(const char *text) {
    keel_model *compiled = read_model(text, 0), *interpreted = read_model(text, 1);
    const keel_problem *p = problem_of(compiled), *q = problem_of(interpreted);
    int n = p->n + p->m;
    double *u = calloc((size_t)n, sizeof *u);
    assert_non_null(u);
    for (int i = 0; i < n; i++) u[i] = p->u0[i] + (i * 37 % 101) / 1000.;
    compare_maps(&p->f, &q->f, p, q, u);
    compare_maps(&p->algebraic, &q->algebraic, p, q, u);
    compare_maps(&p->hidden, &q->hidden, p, q, u);
    compare_maps(&p->constraint, &q->constraint, p, q, u);
    compare_maps(&p->energy, &q->energy, p, q, u);
    free(u);
    keel_model_close(compiled);
    keel_model_close(interpreted);
}

static void test_lattice(void **state) {
    same_bits(lattice);
    (void)state;
}

static void test_chain(void **state) {
    same_bits(chain);
    (void)state;
}

static void test_cluster(void **state) {
    same_bits(cluster);
    (void)state;
}

/* grad H = (-p', q'), bit by bit, and its part along a direction is the slope of H. */
static void test_gradient_of_the_motion(void **state) {
    keel_model *m = read_model(cluster, 1);
    const keel_problem *p = problem_of(m);
    int n = p->n, half = n / 2;
    double *f = calloc((size_t)n, sizeof *f), *g = calloc((size_t)n, sizeof *g), *u = calloc((size_t)n, 8);
    double h = 1e-4, slope = 0, size = 0, ends[2];
    assert_true(f && g && u);
    assert_int_equal(p->f.value(0, p->u0, f, p->user), 0);
    assert_int_equal(p->energy.jacobian(0, p->u0, g, p->user), 0);
    for (int i = 0; i < half; i++) assert_true(g[i] == -f[half + i] && g[half + i] == f[i]);
    for (int i = 0; i < n; i++) slope += g[i] * (i % 7 - 3), size += fabs(g[i] * (i % 7 - 3));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) u[i] = p->u0[i] + (k ? h : -h) * (i % 7 - 3) / half;
        assert_int_equal(p->energy.value(0, u, &ends[k], p->user), 0);
    }
    assert_below(fabs((ends[1] - ends[0]) / (2 * h) * half - slope), 1e-6 * size);
    free(f);
    free(g);
    free(u);
    keel_model_close(m);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_cluster),
        cmocka_unit_test(test_gradient_of_the_motion),
    };
    return cmocka_run_group_tests_name("rolled", tests, make_cache, drop_cache);
}
