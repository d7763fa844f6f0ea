/* test_native_sparse.c - native methods on large constrained mechanics: with sparse matrices they give the
 * runs that they give with dense ones, on random frameworks, and have the same bits after a copy. */
#include "sparse_runs.h"

#include "linalg/sparse.h"

enum { POINTS = 30, TEXT = 20000 };

static double draw(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

/* Which masses move each other: none, those of pairs, those of all in a row. */
enum coupling { APART, PAIRS, ROW, COUPLINGS };

static void write_rod(char *text, int i, int j, const double *x, const double *y) {
    double dx = x[i] - x[j], dy = y[i] - y[j];
    size_t used = strlen(text);
    if (j) /* the first point hangs on a pivot that sets off smoothly */
        snprintf(text + used, TEXT - used, "constraint a%d_%d: (x[%d]-x[%d])^2 + (y[%d]-y[%d])^2 = %.17g\n",
                 i, j, i, j, i, j, dx * dx + dy * dy);
    else
        snprintf(text + used, TEXT - used,
                 "constraint a%d_%d: (x[%d] - 0.1*(1 - cos(5*t)))^2 + y[%d]^2 = %.17g\n", i, j, i, i,
                 dx * dx + dy * dy);
}

/* Points that hang on earlier ones, three of them on two: a tree of rods with loops, from rest. */
static void write_framework(char *text, unsigned seed, enum coupling coupling) {
    static const char *const coupled[] = {"", " + sum(i in 1..N/2, x[2*i]'*x[2*i-1]'/4)",
                                          " + sum(i in 2..N, x[i]'*x[i-1]'/4 + y[i]'*x[i-1]'/9)"};
    double x[POINTS + 1] = {0}, y[POINTS + 1] = {0};
    snprintf(text, TEXT, "param N = %d\ncoord x[1..N], y[1..N]\n", POINTS);
    for (int i = 1; i <= POINTS; i++) {
        int on = i > 1 ? i - 1 - (int)(draw(&seed) * (i < 5 ? 1 : 3)) : 0;
        x[i] = x[on] + 0.7 + 0.6 * draw(&seed);
        y[i] = y[on] - 0.8 + 1.6 * draw(&seed);
        write_rod(text, i, on, x, y);
        if (i % 10 == 7) write_rod(text, i, on - 2, x, y);
        size_t used = strlen(text);
        snprintf(text + used, TEXT - used, "init x[%d] = %.17g, y[%d] = %.17g, x[%d]' = 0, y[%d]' = 0\n", i,
                 x[i], i, y[i], i, i);
    }
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used,
             "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2 - 9.81*y[i])%s\nrun 0 .. 1\n",
             coupled[coupling]);
}

/* Rods that turn about a pivot, with springs between them, their masses coupled. */
static void write_chain(char *text, int rods) {
    snprintf(
        text, TEXT,
        "param N = %d\ncoord x[1..N], y[1..N]\nlet X[0] = 0, Y[0] = 0\n"
        "for i in 1..N:\n"
        "    let X[i] = x[i], Y[i] = y[i]\n"
        "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 + (X[i] - X[i-1])^4 = 1 + cos(0.3)^4\n"
        "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), x[i]' = 2*i*sin(0.3), y[i]' = 2*i*cos(0.3)\n"
        "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)*(1 + i/N)/2 - 9.81*y[i] - 5*cos(y[i]))\n"
        "    + sum(i in 2..N, x[i]'*x[i-1]'/4 - 20*cos(x[i] - x[i-1] - 1))\ninvariant energy\nrun 0 .. 1\n",
        rods);
}

static const keel_problem *read_framework(unsigned seed, enum coupling coupling, keel_model **m) {
    static char text[TEXT];
    write_framework(text, seed, coupling);
    return read_text(text, m);
}

static keel_solver *run(const keel_problem *p, const keel_options *o, double t_end) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    if (keel_run(s, t_end) != KEEL_OK) fail_msg("%s", keel_message(s));
    return s;
}

/* Another norm of corrections, of which there are none, leaves the dense matrices. */
static void compare(const keel_problem *p, keel_options o, double end, double most) {
    keel_solver *sparse = run(p, &o, end);
    o.norm = KEEL_BY_ERROR;
    keel_solver *dense = run(p, &o, end);
    assert_true(2 * keel_save(sparse, NULL, 0) < keel_save(dense, NULL, 0));
    double apart = 0;
    for (int j = 0; j < p->n; j++) apart = fmax(apart, fabs(keel_state(sparse)[j] - keel_state(dense)[j]));
    if (!(apart < most)) fail_msg("%s, step %g, %d states: %g apart", o.method, o.step, p->n, apart);
    keel_close(sparse);
    keel_close(dense);
}

struct attempt {
    const char *method;
    double step, end;
};

/* Of the steps the longest turns rods so far that G(q) no longer does for G(q_1). */
static void runs_are_those_of_dense_matrices(void **state) {
    static const struct attempt tries[] = {{"rattle", 0.01, 0.2},    {"rattle", 0.1, 0.4},
                                           {"rattle4", 0.02, 0.2},   {"shake", 0.01, 0.2},
                                           {"radau-ggl", 0.02, 0.1}, {"radau-index3", 0.02, 0.1},
                                           {"spark2", 0.02, 0.2},    {"spark4", 0.05, 0.2},
                                           {"spark6", 0.05, 0.2},    {"rolling-midpoint", 0.02, 0.2}};
    (void)state;
    for (unsigned seed = 1; seed <= 6; seed++)
        for (int k = 0; k < (int)(sizeof tries / sizeof *tries); k++) {
            keel_model *m;
            const keel_problem *p = read_framework(seed, (enum coupling)(seed % COUPLINGS), &m);
            keel_options o = {.method = tries[k].method, .step = tries[k].step};
            compare(p, o, tries[k].end, 1e-10);
            keel_solver *s = run(p, &o, tries[k].end);
            if (strcmp(o.method, "radau-index3")) assert_below(worst_units(s, NULL), 16);
            keel_close(s);
            keel_model_close(m);
        }
}

static void chains_of_any_length_are_those_of_dense_matrices(void **state) {
    static const struct attempt tries[] = {{"radau-ggl", 0.02, 0.04},       {"radau-index3", 0.02, 0.04},
                                           {"spark2", 0.01, 0.03},          {"spark4", 0.005, 0.02},
                                           {"energy-momentum", 0.02, 0.04}, {"rolling-midpoint", 0.01, 0.03}};
    static char text[TEXT];
    (void)state;
    for (int rods = 20; rods <= 45; rods += rods / 2) {
        keel_model *m;
        write_chain(text, rods);
        const keel_problem *p = read_text(text, &m);
        for (int k = 0; k < (int)(sizeof tries / sizeof *tries); k++)
            compare(p, (keel_options){.method = tries[k].method, .step = tries[k].step}, tries[k].end,
                    1e-9 * rods);
        for (int k = 0; k < 2; k++) /* with error control: to the tolerance, since steps part at round-off */
            compare(p, (keel_options){.method = tries[k].method, .rtol = 1e-7}, 0.02, 1e-5 * rods);
        keel_model_close(m);
    }
}

/* Skates, each on a rod at the one before it. */
static const char skates[] =
    "param N = 20\ncoord x[1..N], y[1..N], a[1..N]\nlet X[0] = 0, Y[0] = 0\n"
    "for i in 1..N:\n"
    "    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    rolling edge[i]: x[i]'*sin(a[i]) - y[i]'*cos(a[i]) = 0\n"
    "    guess x[i] = i*cos(0.3), y[i] = -i*sin(0.3), a[i] = 0.2*i, x[i]' = 0, y[i]' = 0, a[i]' = sin(i)\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2 + a[i]'^2*(1 + i/N))/2 - y[i])\nrun 0 .. 1\n";

/* Discs that stand upright and roll, each tied to the one before it by a spring; the plane of every second
 * one heaves.  Nothing but rolls; and beams that turn, with carriages on them, whose masses change. */
static const char discs[] =
    "param N = 20, R = 0.5\ncoord x[1..N], y[1..N], a[1..N], s[1..N]\n"
    "for i in 1..N:\n"
    "    rolling along[i]: x[i]' - R*s[i]'*cos(a[i]) - 0.1*mod(i, 2)*cos(3*t) = 0\n"
    "    rolling across[i]: y[i]' - R*s[i]'*sin(a[i]) = 0\n"
    "    guess x[i] = i, y[i] = 0.1*sin(i), a[i] = 0.3*i, s[i] = 0, x[i]' = 1, y[i]' = 0, a[i]' = sin(i), "
    "s[i]' = 1\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2 + 0.2*a[i]'^2 + 0.1*s[i]'^2)/2)\n"
    "    - sum(i in 2..N, 20*((x[i] - x[i-1] - 1)^2 + (y[i] - y[i-1])^2))\nrun 0 .. 1\n";
static const char beams[] =
    "param N = 12\ncoord a[1..N], r[1..N], x[1..N], y[1..N], w[1..N]\n"
    "for i in 1..N:\n"
    "    constraint px[i]: x[i] = r[i]*cos(a[i])\n"
    "    constraint py[i]: y[i] = r[i]*sin(a[i])\n"
    "    rolling wheel[i]: w[i]' - r[i]*a[i]' = 0\n"
    "    guess a[i] = 0.3*i, r[i] = 1 + i/N, x[i] = cos(0.3*i), y[i] = sin(0.3*i), w[i] = 0\n"
    "    guess a[i]' = 1, r[i]' = 0.2*cos(i), x[i]' = 0, y[i]' = 0, w[i]' = 1\n"
    "    force r[i]: -30*(r[i] - 1) - r[i]'\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 + (r[i]'^2 + (1 + r[i]^2)*a[i]'^2)/2 + w[i]'^2/4\n"
    "    + 0.3*w[i]'*r[i]'*sin(a[i]) - 5*y[i])\n"
    "    - sum(i in 2..N, 15*((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2))\nrun 0 .. 1\n";

static void what_rolls_is_that_of_dense_matrices(void **state) {
    static const char *const texts[] = {skates, discs, beams};
    static const char *const methods[] = {"rolling-midpoint", "radau-ggl", "radau-index3"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        keel_model *m;
        const keel_problem *p = read_text(texts[i], &m);
        assert_true(p->rolling.count >= 12 && p->mass.constant == (i < 2));
        for (int k = 0; k < 3; k++) {
            compare(p, (keel_options){.method = methods[k], .step = 0.02}, 0.1, 1e-10);
            if (k) compare(p, (keel_options){.method = methods[k], .rtol = 1e-7}, 0.1, 1e-7);
        }
        keel_model_close(m);
    }
}

/* The pattern of what rolls must have what its rows depend on, too: the angle of a skate. */
static const keel_problem *plain;
static int without_angles(double t, const double *u, double *out, void *user) {
    double entries[64];
    int code = plain->rolling.jacobian(t, u, entries, user);
    for (int i = 0; i < plain->rolling.count; i++)
        for (int k = 0; k < 2; k++) out[2 * i + k] = entries[3 * i + k];
    return code;
}

static void what_rolls_shows_its_coordinates(void **state) {
    static const char *const methods[] = {"radau", "radau-ggl"};
    int start[32] = {0}, column[64];
    keel_model *m;
    (void)state;
    plain = read_text(skates, &m);
    const keel_pattern *before = plain->rolling.pattern, lacking = {2 * plain->rolling.count, start, column};
    assert_int_equal(before->nnz, 3 * plain->rolling.count);
    for (int i = 0; i < plain->rolling.count; i++) {
        start[i + 1] = 2 * i + 2;
        for (int k = 0; k < 2; k++) column[2 * i + k] = before->column[3 * i + k];
    }
    keel_problem p = *plain;
    p.extras = NULL;
    p.velocity = (keel_map){0};
    p.rolling.jacobian = without_angles;
    p.rolling.pattern = &lacking;
    for (int k = 0; k < 2; k++) {
        keel_solver *s = keel_open(&p, &(keel_options){.method = methods[k], .step = 0.02});
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        expect_words(s, "the pattern of rolling lacks an entry|depends on `a[");
        keel_close(s);
    }
    keel_model_close(m);
}

/* The third rod of a chain said twice, by C, which tells nobody. */
static int said_twice(double t, const double *u, double *out, void *user) {
    int code = plain->constraint.value(t, u, out, user);
    out[plain->constraint.count] = 3 * out[2];
    return code;
}
static int rows_twice(double t, const double *u, double *out, void *user) {
    const keel_pattern *p = plain->constraint.pattern;
    int code = plain->constraint.jacobian(t, u, out, user), at = p->nnz;
    for (int e = p->row_start[2]; e < p->row_start[3]; e++) out[at++] = 3 * out[e];
    return code;
}
static int bent_twice(double t, const double *u, double *out, void *user) {
    int code = plain->curvature(t, u, out, user);
    out[plain->constraint.count] = 3 * out[2];
    return code;
}

static void a_redundant_row_stands_aside(void **state) {
    static const struct attempt tries[] = {{"rattle", 0.01, 0.03},          {"radau-ggl", 0.01, 0.03},
                                           {"radau-index3", 0.01, 0.03},    {"spark2", 0.01, 0.03},
                                           {"spark4", 0.005, 0.02},         {"energy-momentum", 0.01, 0.03},
                                           {"rolling-midpoint", 0.01, 0.03}};
    static char text[TEXT];
    keel_model *m;
    (void)state;
    write_chain(text, 25);
    plain = read_text(text, &m);
    const keel_pattern *before = plain->constraint.pattern;
    int rows = plain->constraint.count, start[32], column[200],
        extra = before->row_start[3] - before->row_start[2];
    memcpy(start, before->row_start, (size_t)(rows + 1) * sizeof *start);
    memcpy(column, before->column, (size_t)before->nnz * sizeof *column);
    memcpy(column + before->nnz, before->column + before->row_start[2], (size_t)extra * sizeof *column);
    start[rows + 1] = before->nnz + extra;
    const keel_pattern after = {before->nnz + extra, start, column};
    keel_problem p = *plain;
    p.extras = NULL;
    p.constraint =
        (keel_map){.count = rows + 1, .value = said_twice, .jacobian = rows_twice, .pattern = &after};
    p.velocity = (keel_map){0};
    p.curvature = bent_twice;
    for (int k = 0; k < (int)(sizeof tries / sizeof *tries); k++) {
        keel_options o = {.method = tries[k].method, .step = tries[k].step};
        compare(&p, o, tries[k].end, 1e-8);
        keel_solver *once = run(plain, &o, tries[k].end), *twice = run(&p, &o, tries[k].end);
        for (int j = 0; j < p.n; j++) assert_below(fabs(keel_state(once)[j] - keel_state(twice)[j]), 1e-8);
        keel_close(once);
        keel_close(twice);
    }
    keel_model_close(m);
}

static void same_bits(void **state) {
    enum { ON_BEAMS = 7 }; /* from here on */
    static const char *const methods[] = {
        "rattle",       "rattle6",          "shake",     "spark4",       "radau-ggl",
        "radau-index3", "rolling-midpoint", "radau-ggl", "radau-index3", "rolling-midpoint"};
    (void)state;
    for (int k = 0; k < (int)(sizeof methods / sizeof *methods); k++) {
        keel_model *m;
        const keel_problem *p =
            k < ON_BEAMS ? read_framework(3, (enum coupling)(k % COUPLINGS), &m) : read_text(beams, &m);
        const keel_options o = {.method = methods[k], .step = 0.01};
        keel_solver *a = run(p, &o, 0.05);
        goes_on_with_the_same_bits(a, p, &o, 0.1);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_those_of_dense_matrices),
        cmocka_unit_test(chains_of_any_length_are_those_of_dense_matrices),
        cmocka_unit_test(what_rolls_is_that_of_dense_matrices),
        cmocka_unit_test(what_rolls_shows_its_coordinates),
        cmocka_unit_test(a_redundant_row_stands_aside),
        cmocka_unit_test(same_bits),
    };
    return sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
