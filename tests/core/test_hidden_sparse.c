/* test_hidden_sparse.c - hidden rows of large DAEs by their pattern against dense ones.
 *
 * K pairs turn, x' = -w y, y' = w x, at rates w that are algebraic, w^3 + w = 1 + x/3, or given; what they
 * keep, r^2 = x^2 + y^2, is written as rows that couple neighbours: h_i = r_i^2 + r_{i+1}^2 / 2 - 3/2.  Two
 * states beside them, a' = b, b' = -a, are known by an invariant alone, which has a full row:
 * a^2 + b^2 + sum r_i^2 / 10. */
#include "testing.h"

enum { MOST = 900 }; /* pairs */

struct pairs {
    int k, rows, algebraic, dense; /* rows: K, or one more, the sum of the first two */
    double off;                    /* what the last row is off */
    double u0[3 * MOST + 2];
    unsigned char fixed[3 * MOST + 2];
    int f_start[2 * MOST + 3], f_column[4 * MOST + 2];
    int w_start[MOST + 1], w_column[2 * MOST];
    int h_start[MOST + 2], h_column[4 * MOST + 6];
    keel_pattern f, w, h;
    keel_problem problem;
};

static double rate(const struct pairs *s, int i, const double *u) {
    return s->algebraic ? u[2 * s->k + 2 + i] : 1 + (double)i / s->k;
}

static int turn(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    for (int i = 0; i < s->k; i++) {
        out[2 * i] = -rate(s, i, u) * u[2 * i + 1];
        out[2 * i + 1] = rate(s, i, u) * u[2 * i];
    }
    out[2 * s->k] = u[2 * s->k + 1];
    out[2 * s->k + 1] = -u[2 * s->k];
    return 0;
}

static int turn_jacobian(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    for (int i = 0; i < s->k; i++) {
        *out++ = -rate(s, i, u);
        if (s->algebraic) *out++ = -u[2 * i + 1];
        *out++ = rate(s, i, u);
        if (s->algebraic) *out++ = u[2 * i];
    }
    *out++ = 1;
    *out++ = -1;
    return 0;
}

static int rates(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    for (int i = 0; i < s->k; i++) {
        double w = rate(s, i, u);
        out[i] = w * w * w + w - 1 - u[2 * i] / 3;
    }
    return 0;
}

static int rates_jacobian(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    for (int i = 0; i < s->k; i++) {
        *out++ = -1.0 / 3;
        *out++ = 3 * rate(s, i, u) * rate(s, i, u) + 1;
    }
    return 0;
}

static double square(const double *u, int i) {
    return u[2 * i] * u[2 * i] + u[2 * i + 1] * u[2 * i + 1];
}

static int radii(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    for (int i = 0; i < s->k; i++)
        out[i] = i + 1 < s->k ? square(u, i) + 0.5 * square(u, i + 1) - 1.5 : square(u, i) - 1;
    if (s->rows > s->k) out[s->k] = out[0] + out[1] + s->off;
    return 0;
}

/* Entries in the order of the pattern, or full rows. */
static int radii_jacobian(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    int n = 2 * s->k + 2;
    (void)t;
    if (s->dense) memset(out, 0, (size_t)s->rows * (size_t)n * sizeof *out);
    for (int i = 0; i < s->rows; i++)
        for (int e = s->h_start[i]; e < s->h_start[i + 1]; e++) {
            int j = s->h_column[e], own = i < s->k ? j / 2 == i : j / 2 == 0;
            double factor = i < s->k ? (own ? 2 : 1) : own ? 2 : j / 2 == 1 ? 3 : 1;
            out[s->dense ? (long)i * n + j : e] = factor * u[j];
        }
    return 0;
}

static int sum(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    out[0] = u[2 * s->k] * u[2 * s->k] + u[2 * s->k + 1] * u[2 * s->k + 1];
    for (int i = 0; i < s->k; i++) out[0] += 0.1 * square(u, i);
    return 0;
}

static int sum_jacobian(double t, const double *u, double *out, void *user) {
    const struct pairs *s = user;
    (void)t;
    for (int j = 0; j < 2 * s->k + 2; j++) out[j] = (j < 2 * s->k ? 0.2 : 2) * u[j];
    return 0;
}

static void write_patterns(struct pairs *s) {
    int k = s->k, n = 2 * k + 2, at = 0;
    for (int i = 0; i < n; i++) {
        s->f_column[at++] = i ^ 1; /* of x: y, and back */
        if (s->algebraic && i < 2 * k) s->f_column[at++] = n + i / 2;
        s->f_start[i + 1] = at;
    }
    s->f = (keel_pattern){at, s->f_start, s->f_column};
    for (int i = 0; i < k; i++) {
        s->w_column[2 * i] = 2 * i;
        s->w_column[2 * i + 1] = n + i;
        s->w_start[i + 1] = 2 * i + 2;
    }
    s->w = (keel_pattern){2 * k, s->w_start, s->w_column};
    at = 0;
    for (int i = 0; i < s->rows; i++) {
        int first = i < k ? 2 * i : 0, last = i < k ? 2 * i + 4 : 6;
        for (int j = first; j < last && j < 2 * k; j++) s->h_column[at++] = j;
        s->h_start[i + 1] = at;
    }
    s->h = (keel_pattern){at, s->h_start, s->h_column};
}

static const keel_problem *pairs_of(struct pairs *s, int k, int algebraic, int redundant, int dense) {
    int n = 2 * k + 2;
    memset(s, 0, sizeof *s);
    s->k = k;
    s->rows = k + redundant;
    s->algebraic = algebraic;
    s->dense = dense;
    for (int i = 0; i < k; i++) {
        s->u0[2 * i] = cos(0.7 * i);
        s->u0[2 * i + 1] = sin(0.7 * i);
        s->u0[n + i] = 0.7;
    }
    s->u0[2 * k] = 1;
    write_patterns(s);
    s->problem = (keel_problem){.form = KEEL_DAE,
                                .n = n,
                                .m = algebraic ? k : 0,
                                .u0 = s->u0,
                                .user = s,
                                .f = {.count = n, .value = turn, .jacobian = turn_jacobian, .pattern = &s->f},
                                .hidden = {.count = s->rows,
                                           .value = radii,
                                           .jacobian = radii_jacobian,
                                           .pattern = dense ? NULL : &s->h},
                                .invariant = {.count = 1, .value = sum, .jacobian = sum_jacobian}};
    if (algebraic)
        s->problem.algebraic =
            (keel_map){.count = k, .value = rates, .jacobian = rates_jacobian, .pattern = &s->w};
    return &s->problem;
}

static double distance(const keel_solver *a, const keel_solver *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(keel_state(a)[i] - keel_state(b)[i]));
    return most;
}

/* The same steps and, to round-off, the same states; rows within 4 units, beside a redundant one, too. */
static void sparse_is_dense(void **state) {
    static const keel_options o[] = {
        {.method = "dop853", .rtol = 1e-7},     {.method = "radau", .rtol = 1e-6},
        {.method = "bdf", .rtol = 1e-5},        {.method = "rk4", .step = 0.05},
        {.method = "rk4+adjust", .step = 0.05}, {.method = "rk4+post", .step = 0.05}};
    static struct pairs a, b;
    (void)state;
    for (size_t k = 0; k < sizeof o / sizeof *o; k++)
        for (int kind = 0; kind < 4; kind++) {
            int algebraic = kind & 1, redundant = kind >> 1;
            keel_solver *sparse = keel_open(pairs_of(&a, 40, algebraic, redundant, 0), &o[k]);
            keel_solver *dense = keel_open(pairs_of(&b, 40, algebraic, redundant, 1), &o[k]);
            if (keel_run(sparse, 2) != KEEL_OK) fail_msg("%s: %s", o[k].method, keel_message(sparse));
            if (keel_run(dense, 2) != KEEL_OK) fail_msg("%s: %s", o[k].method, keel_message(dense));
            assert_int_equal(keel_statistics(sparse).steps, keel_statistics(dense).steps);
            assert_true(keel_save(sparse, NULL, 0) < keel_save(dense, NULL, 0));
            double off = distance(sparse, dense, a.problem.n + a.problem.m);
            if (!(off <= 1e-11)) fail_msg("%s, kind %d: %.3g", o[k].method, kind, off);
            if (!strchr(o[k].method, '+')) assert_below(worst_units(sparse, NULL), 4.0001);
            keel_close(sparse);
            keel_close(dense);
        }
}

/* The nearest consistent start, with some values fixed. */
static void starts_agree(void **state) {
    static struct pairs a, b;
    (void)state;
    for (int some_fixed = 0; some_fixed < 2; some_fixed++) {
        keel_solver *s[2];
        for (int dense = 0; dense < 2; dense++) {
            struct pairs *p = dense ? &b : &a;
            pairs_of(p, 40, 1, 0, dense);
            for (int j = 0; j < 80; j++) p->u0[j] *= 1 + 0.1 * sin(3 * j);
            for (int j = 0; j < 80 && some_fixed; j += 2) p->fixed[j] = fabs(p->u0[j]) < 0.5;
            p->problem.fixed = p->fixed;
            s[dense] = keel_open(&p->problem, &(keel_options){.method = "radau"});
            if (keel_step(s[dense], 1) != KEEL_OK) fail_msg("%s", keel_message(s[dense]));
        }
        assert_below(distance(s[0], s[1], a.problem.n + a.problem.m), 1e-11);
        keel_close(s[0]);
        keel_close(s[1]);
    }
}

static void contradictions_are_told(void **state) {
    static struct pairs a;
    (void)state;
    pairs_of(&a, 40, 0, 1, 0);
    a.off = 0.01;
    keel_solver *s = keel_open(&a.problem, &(keel_options){.method = "dop853"});
    assert_int_equal(keel_state_of(s), KEEL_ESINGULAR);
    expect_words(s, "contradicts other equations");
    keel_close(s);
}

/* Twice the rows, twice the memory: k^2 n would be eight times as much. */
static void memory_is_linear(void **state) {
    static struct pairs s;
    double bytes[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_solver *solver = keel_open(pairs_of(&s, 450 << i, 1, 0, 0), &(keel_options){.method = "radau"});
        bytes[i] = (double)keel_save(solver, NULL, 0);
        if (keel_run(solver, 0.1) != KEEL_OK) fail_msg("%s", keel_message(solver));
        assert_below(worst_units(solver, NULL), 4.0001);
        keel_close(solver);
    }
    assert_below(bytes[1], 2.05 * bytes[0]);
}

/* Copied, saved and sampled solvers go on with the same bits. */
static void same_bits(void **state) {
    static struct pairs p;
    static double looked[3 * MOST + 2];
    const keel_options o = {.method = "radau", .rtol = 1e-5};
    (void)state;
    pairs_of(&p, 60, 1, 0, 0);
    keel_solver *a = keel_open(&p.problem, &o);
    for (int i = 0; i < 3; i++) assert_int_equal(keel_step(a, 10), KEEL_OK);
    size_t size = keel_save(a, NULL, 0);
    void *saved = malloc(size);
    keel_save(a, saved, size);
    keel_solver *fork = keel_fork(a), *loaded = keel_load(&p.problem, &o, saved, size);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(keel_step(a, 10), KEEL_OK);
        assert_int_equal(keel_step(fork, 10), KEEL_OK);
        assert_int_equal(keel_step(loaded, 10), KEEL_OK);
        assert_int_equal(keel_eval(fork, 0.5 * (keel_time_before(fork) + keel_time(fork)), looked), KEEL_OK);
        assert_memory_equal(keel_state(a), keel_state(fork), (size_t)p.problem.n * sizeof(double));
        assert_memory_equal(keel_state(a), keel_state(loaded), (size_t)p.problem.n * sizeof(double));
    }
    keel_close(a);
    keel_close(fork);
    keel_close(loaded);
    free(saved);
}

/* Stabilizers with ways of their own have full rows of the invariant behind those of a large F. */
static void own_ways_find_their_rows(void **state) {
    static const char *const method[] = {"midpoint+scale", "midpoint+relax", "midpoint+symmetric"};
    static struct pairs p;
    (void)state;
    for (int k = 0; k < 3; k++) {
        pairs_of(&p, 30, 1, 0, 0);
        p.problem.hidden = (keel_map){0};
        keel_solver *s = keel_open(&p.problem, &(keel_options){.method = method[k], .step = 0.05});
        if (keel_run(s, 0.5) != KEEL_OK) fail_msg("%s: %s", method[k], keel_message(s));
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_is_dense),
                                       cmocka_unit_test(starts_agree),
                                       cmocka_unit_test(contradictions_are_told),
                                       cmocka_unit_test(memory_is_linear),
                                       cmocka_unit_test(same_bits),
                                       cmocka_unit_test(own_ways_find_their_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
