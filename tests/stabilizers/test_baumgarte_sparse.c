/* test_baumgarte_sparse.c - baumgarte on large problems: by sparse matrices rows are pulled as by full ones,
 * Newton's method knows the term, a copied run has the same bits, and memory is in proportion to the number
 * of unknowns. */
#include "sparse_runs.h"

#include "linalg/sparse.h"

static const char *const texts[] = {
    /* a chain of rods that swings, by its constraints and as mechanics, with energy kept beside them */
    "coord x[1..N], y[1..N]\nlet X[0] = 0, Y[0] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    init x[i] = i*cos(0.3), y[i] = -i*sin(0.3), x[i]' = 0, y[i]' = 0\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 - 9.81*y[i])\ninvariant energy\nrun 0 .. 1\n",
    /* the same as equations of index 3 */
    "var x[1..N], y[1..N], u[1..N], v[1..N], z[1..N]\n"
    "let X[0] = 0, Y[0] = 0, X[N+1] = 0, Y[N+1] = 0, Z[N+1] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i], Z[i] = z[i]\n"
    "for i in 1..N:\n"
    "    x[i]' = u[i]\n"
    "    y[i]' = v[i]\n"
    "    u[i]' = -Z[i]*(X[i] - X[i-1]) + Z[i+1]*(X[i+1] - X[i])\n"
    "    v[i]' = -9.81 - Z[i]*(Y[i] - Y[i-1]) + Z[i+1]*(Y[i+1] - Y[i])\n"
    "    (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), u[i] = 0, v[i] = 0\n"
    "invariant E = sum(i in 1..N, (u[i]^2 + v[i]^2)/2 + 9.81*y[i])\nrun 0 .. 1\n",
};
enum { TEXTS = 2, RODS = 40 };

static const keel_problem *read_rods(int k, int n, keel_model **m) {
    char text[1600];
    assert_in_range(snprintf(text, sizeof text, "param N = %d\n%s", n, texts[k]), 1, sizeof text - 1);
    return read_text(text, m);
}

/* The same problem without patterns. */
static const keel_map *rows;
static int columns;
static int full_rows(double t, const double *u, double *out, void *user) {
    static double entries[4096];
    const keel_pattern *p = rows->pattern;
    assert_in_range(p->nnz, 1, 4096);
    int code = rows->jacobian(t, u, entries, user);
    memset(out, 0, (size_t)rows->count * (size_t)columns * sizeof *out);
    for (int i = 0; i < rows->count; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[i * columns + p->column[e]] = entries[e];
    return code;
}

static keel_problem with_full_rows(const keel_problem *p) {
    keel_problem full = *p;
    keel_map *map = p->constraint.count ? &full.constraint : &full.hidden;
    rows = p->constraint.count ? &p->constraint : &p->hidden;
    columns = p->constraint.count ? p->n / 2 : p->n;
    assert_non_null(rows->pattern);
    map->jacobian = full_rows;
    map->pattern = NULL;
    full.f.jacobian = NULL; /* nor has f: all of J is by differences */
    full.f.pattern = NULL;
    return full;
}

static keel_solver *run(const keel_problem *p, const keel_options *o, double end) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    if (keel_run(s, end) != KEEL_OK) fail_msg("%s: %s", o->method, keel_message(s));
    return s;
}

/* Each row, to a twentieth of the worst of its kind. */
static void assert_alike(keel_solver *a, keel_solver *b) {
    keel_row here, there;
    double worst[16] = {0};
    for (int i = 0; keel_row_at(b, i, &there); i++)
        worst[there.kind] = fmax(worst[there.kind], fabs(there.drift));
    for (int i = 0; keel_row_at(a, i, &here) && keel_row_at(b, i, &there); i++) {
        if (here.treatment != KEEL_ROW_DAMPED) continue;
        if (!(fabs(here.drift - there.drift) <= 0.05 * worst[there.kind]))
            fail_msg("%s drifts by %.3g, not by %.3g", here.name, here.drift, there.drift);
    }
}

static const keel_options fixed = {.method = "rk4+baumgarte", .step = 0.01, .gain = 20};

static void rows_are_pulled_as_full_ones_are(void **state) {
    (void)state;
    for (int k = 0; k < TEXTS; k++) {
        keel_model *m;
        const keel_problem *p = read_rods(k, RODS, &m);
        keel_problem full = with_full_rows(p);
        keel_solver *a = run(p, &fixed, 1), *b = run(&full, &fixed, 1);
        if (!(keel_save(a, NULL, 0) < keel_save(b, NULL, 0) / 2)) fail_msg("text %d has full rows", k);
        assert_alike(a, b);
        for (int j = 0; j < p->n; j++) assert_below(fabs(keel_state(a)[j] - keel_state(b)[j]), 1e-6);
        keel_close(a);
        keel_close(b);
        keel_model_close(m);
    }
}

/* A gain that makes the term stiff: with full rows the jacobian is that of differences. */
static void newton_knows_the_term(void **state) {
    (void)state;
    static const char *const methods[] = {"radau+baumgarte", "bdf+baumgarte", "gauss6+baumgarte"};
    for (int k = 0; k < 2 * 3; k++) {
        keel_model *m;
        const keel_problem *p = read_rods(k / 3, 24, &m);
        keel_problem full = with_full_rows(p);
        keel_options o = {.method = methods[k % 3], .rtol = 1e-6, .gain = 1000};
        if (k % 3 == 2) o.rtol = 0, o.step = 0.01, o.gain = 100;
        keel_solver *a = run(p, &o, 0.1), *b = run(&full, &o, 0.1);
        keel_stats here = keel_statistics(a), there = keel_statistics(b);
        if (!(abs((int)(here.steps - there.steps)) <= 1 + there.steps / 10 &&
              here.newton <= 1.2 * there.newton + 10))
            fail_msg("%s, text %d: %ld steps, %ld iterations; with full rows %ld, %ld", o.method, k / 3,
                     here.steps, here.newton, there.steps, there.newton);
        keel_close(a);
        keel_close(b);
        keel_model_close(m);
    }
}

static void copies_go_on_with_the_same_bits(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853+baumgarte", "radau+baumgarte", "bdf+baumgarte"};
    for (int k = 0; k < 2 * 3; k++) {
        keel_model *m;
        const keel_problem *p = read_rods(k / 3, RODS, &m);
        keel_options o = {.method = methods[k % 3], .rtol = 1e-5, .gain = 50};
        goes_on_with_the_same_bits(run(p, &o, 0.1), p, &o, 0.2);
        keel_model_close(m);
    }
}

static void memory_is_linear(void **state) {
    (void)state;
    static const char *const methods[] = {"dop853+baumgarte", "radau+baumgarte"};
    for (int k = 0; k < TEXTS * 2; k++) {
        double size[2];
        for (int i = 0; i < 2; i++) {
            keel_model *m;
            const keel_problem *p = read_rods(k / 2, i ? 800 : 200, &m);
            keel_solver *s = keel_open(p, &(keel_options){.method = methods[k % 2]});
            size[i] = (double)keel_save(s, NULL, 0);
            keel_close(s);
            keel_model_close(m);
        }
        if (!(size[1] < 4.1 * size[0]))
            fail_msg("%s, text %d: %.0f and %.0f bytes", methods[k % 2], k / 2, size[0], size[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_pulled_as_full_ones_are),
        cmocka_unit_test(newton_knows_the_term),
        cmocka_unit_test(copies_go_on_with_the_same_bits),
        cmocka_unit_test(memory_is_linear),
    };
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
