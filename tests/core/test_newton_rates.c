/* test_newton_rates.c - DAEs of index 2 and 3 with patterns, d/dt of whose rows determines y, against the
 * same ones with dense matrices.
 *
 * N springs are joined by K random constraints, each of three of them, and have drags w that are algebraic:
 *
 *     g_i(t, q) = sum_j a_ij sin(q_j + b_ij) - c_i - e sin(t + i),    w_j^3 + w_j = 1 + q_j / 3,
 *     M q' = M v,   M v' = -q - w v / 5 - G^T lambda.
 *
 * Index 3: F has g, and G v + g_t is hidden.  Index 2: F has G v + g_t.  Rows of w stand before those of
 * lambda, their unknowns behind. */
#include "testing.h"

#include "failing_memory.h"

enum { MOST = 4000, EACH = 3 };

struct kind {
    int index, drags, mass, moving;
};

struct springs {
    struct kind kind;
    int n, k, dense;
    double a[MOST][EACH], b[MOST][EACH], c[MOST];
    int at[MOST][EACH];
    double mass[2 * MOST], u0[4 * MOST];
    int f_start[2 * MOST + 1], f_column[12 * MOST];
    int r_start[2 * MOST + 1], r_column[8 * MOST];
    int h_start[MOST + 1], h_column[2 * EACH * MOST];
    int m_start[2 * MOST + 1], m_column[2 * MOST];
    keel_pattern f, r, h, m;
    keel_problem problem;
    int use[MOST][8], uses[MOST]; /* constraints of a coordinate */
};

static double draw(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static int drags(const struct springs *s) {
    return s->kind.drags ? s->n / 2 : 0;
}

static double mass_of(const struct springs *s, int i) {
    return s->kind.mass ? s->mass[i] : 1;
}

static double shift(const struct springs *s, double t, int i, int order) {
    double e = s->kind.moving ? 0.05 : 0;
    return -e * (order ? cos(t + i) : sin(t + i));
}

static double slope(const struct springs *s, int i, int k, const double *u) {
    return s->a[i][k] * cos(u[s->at[i][k]] + s->b[i][k]);
}

static int motion(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    const double *v = u + s->n, *y = u + 2 * s->n;
    (void)t;
    for (int j = 0; j < s->n; j++) {
        out[j] = mass_of(s, j) * v[j];
        out[s->n + j] = -u[j] - (j < drags(s) ? 0.2 * y[s->k + j] * v[j] : 0);
    }
    for (int i = 0; i < s->k; i++)
        for (int k = 0; k < EACH; k++) out[s->n + s->at[i][k]] -= slope(s, i, k, u) * y[i];
    return 0;
}

/* Entries in the order of the pattern, or rows of a matrix. */
static void put(const struct springs *s, const keel_pattern *p, int columns, int row, int column,
                double value, double *out) {
    if (s->dense) out[(long)row * columns + column] = value;
    for (int e = p->row_start[row]; e < p->row_start[row + 1] && !s->dense; e++)
        if (p->column[e] == column) out[e] = value;
}

static void clear(const struct springs *s, const keel_pattern *p, int rows, int columns, double *out) {
    size_t count = s->dense ? (size_t)rows * (size_t)columns : (size_t)p->nnz;
    memset(out, 0, count * sizeof *out);
}

static int motion_jacobian(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    int n = s->n, all = 2 * n + s->k + drags(s);
    const double *y = u + 2 * n;
    (void)t;
    clear(s, &s->f, 2 * n, all, out);
    for (int j = 0; j < n; j++) {
        double by_q = -1;
        put(s, &s->f, all, j, n + j, mass_of(s, j), out);
        for (int c = 0; c < s->uses[j]; c++) {
            int i = s->use[j][c] / EACH, k = s->use[j][c] % EACH;
            by_q += s->a[i][k] * sin(u[j] + s->b[i][k]) * y[i];
            put(s, &s->f, all, n + j, 2 * n + i, -slope(s, i, k, u), out);
        }
        put(s, &s->f, all, n + j, j, by_q, out);
        if (j >= drags(s)) continue;
        put(s, &s->f, all, n + j, n + j, -0.2 * y[s->k + j], out);
        put(s, &s->f, all, n + j, 2 * n + s->k + j, -0.2 * u[n + j], out);
    }
    return 0;
}

static double constraint(const struct springs *s, double t, int i, const double *u) {
    double sum = shift(s, t, i, 0) - s->c[i];
    for (int k = 0; k < EACH; k++) sum += s->a[i][k] * sin(u[s->at[i][k]] + s->b[i][k]);
    return sum;
}

static double rate(const struct springs *s, double t, int i, const double *u) {
    double sum = shift(s, t, i, 1);
    for (int k = 0; k < EACH; k++) sum += slope(s, i, k, u) * u[s->n + s->at[i][k]];
    return sum;
}

static void put_constraint(const struct springs *s, const keel_pattern *p, int columns, int row, int i,
                           int derived, const double *u, double *out) {
    for (int k = 0; k < EACH; k++) {
        int j = s->at[i][k];
        double bent = -s->a[i][k] * sin(u[j] + s->b[i][k]) * u[s->n + j];
        put(s, p, columns, row, j, derived ? bent : slope(s, i, k, u), out);
        if (derived) put(s, p, columns, row, s->n + j, slope(s, i, k, u), out);
    }
}

static int rows(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    for (int j = 0; j < drags(s); j++) {
        double w = u[2 * s->n + s->k + j];
        *out++ = w * w * w + w - 1 - u[j] / 3;
    }
    for (int i = 0; i < s->k; i++) *out++ = s->kind.index == 3 ? constraint(s, t, i, u) : rate(s, t, i, u);
    return 0;
}

static int rows_jacobian(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    int n = s->n, d = drags(s), all = 2 * n + s->k + d;
    (void)t;
    clear(s, &s->r, d + s->k, all, out);
    for (int j = 0; j < d; j++) {
        double w = u[2 * n + s->k + j];
        put(s, &s->r, all, j, j, -1.0 / 3, out);
        put(s, &s->r, all, j, 2 * n + s->k + j, 3 * w * w + 1, out);
    }
    for (int i = 0; i < s->k; i++) put_constraint(s, &s->r, all, d + i, i, s->kind.index == 2, u, out);
    return 0;
}

static int hidden(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    for (int i = 0; i < s->k; i++) out[i] = rate(s, t, i, u);
    return 0;
}

static int hidden_jacobian(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    (void)t;
    clear(s, &s->h, s->k, 2 * s->n, out);
    for (int i = 0; i < s->k; i++) put_constraint(s, &s->h, 2 * s->n, i, i, 1, u, out);
    return 0;
}

static int masses(double t, const double *u, double *out, void *user) {
    const struct springs *s = user;
    (void)t, (void)u;
    if (s->dense) memset(out, 0, 4 * (size_t)s->n * (size_t)s->n * sizeof *out);
    for (int i = 0; i < 2 * s->n; i++) out[s->dense ? (long)i * (2 * s->n + 1) : i] = s->mass[i];
    return 0;
}

static int ascending(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

static void end_row(int *start, int row, int *column, int count) {
    start[row + 1] = start[row] + count;
    qsort(column + start[row], (size_t)count, sizeof *column, ascending);
}

/* Three coordinates of each constraint, of those near its own place: no coordinate has more than four. */
static void draw_constraints(struct springs *s, unsigned *seed) {
    for (int i = 0; i < s->k; i++)
        for (int k = 0; k < EACH; k++) {
            int j = 0, known = 1;
            while (known || s->uses[j] == 4) {
                j = (int)(3 * i + 12 * draw(seed)) % s->n;
                known = 0;
                for (int before = 0; before < k; before++) known |= s->at[i][before] == j;
            }
            s->at[i][k] = j;
            s->use[j][s->uses[j]++] = EACH * i + k;
            s->a[i][k] = 0.5 + draw(seed);
            s->b[i][k] = draw(seed) - 0.5;
        }
}

static void write_patterns(struct springs *s) {
    int n = s->n, d = drags(s);
    for (int i = 0; i < 2 * n; i++) {
        int *column = s->f_column + s->f_start[i], j = i - n, count = 0;
        if (i < n) column[count++] = n + i;
        else {
            column[count++] = j;
            if (j < d) column[count++] = n + j, column[count++] = 2 * n + s->k + j;
            for (int c = 0; c < s->uses[j]; c++) column[count++] = 2 * n + s->use[j][c] / EACH;
        }
        end_row(s->f_start, i, s->f_column, count);
        s->m_column[i] = i;
        s->m_start[i + 1] = i + 1;
    }
    for (int j = 0; j < d; j++) {
        s->r_column[s->r_start[j]] = j;
        s->r_column[s->r_start[j] + 1] = 2 * n + s->k + j;
        end_row(s->r_start, j, s->r_column, 2);
    }
    for (int i = 0; i < s->k; i++) {
        int *row = s->r_column + s->r_start[d + i], *below = s->h_column + s->h_start[i], both = 2 * EACH;
        for (int k = 0; k < EACH; k++) {
            row[k] = below[k] = s->at[i][k];
            row[EACH + k] = below[EACH + k] = n + s->at[i][k];
        }
        end_row(s->r_start, d + i, s->r_column, s->kind.index == 3 ? EACH : both);
        end_row(s->h_start, i, s->h_column, both);
    }
    s->f = (keel_pattern){s->f_start[2 * n], s->f_start, s->f_column};
    s->r = (keel_pattern){s->r_start[d + s->k], s->r_start, s->r_column};
    s->h = (keel_pattern){s->h_start[s->k], s->h_start, s->h_column};
    s->m = (keel_pattern){2 * n, s->m_start, s->m_column};
}

static const keel_problem *springs_of(struct springs *s, struct kind kind, int n, unsigned seed, int dense) {
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->n = n;
    s->k = n / 3;
    s->dense = dense;
    draw_constraints(s, &seed);
    for (int j = 0; j < n; j++) s->u0[j] = draw(&seed) - 0.5;
    for (int i = 0; i < s->k; i++) s->c[i] = constraint(s, 0, i, s->u0);
    for (int i = 0; i < 2 * n; i++) s->mass[i] = 1 + draw(&seed);
    for (int j = 0; j < n; j++) s->u0[n + j] = draw(&seed) - 0.5;
    for (int j = 0; j < drags(s); j++) s->u0[2 * n + s->k + j] = 0.7;
    write_patterns(s);
    static unsigned char free_start[4 * MOST];
    s->problem = (keel_problem){
        .form = KEEL_DAE,
        .n = 2 * n,
        .m = s->k + drags(s),
        .u0 = s->u0,
        .fixed = free_start,
        .user = s,
        .f = {.count = 2 * n, .value = motion, .jacobian = motion_jacobian, .pattern = dense ? NULL : &s->f},
        .algebraic = {.count = s->k + drags(s),
                      .value = rows,
                      .jacobian = rows_jacobian,
                      .pattern = dense ? NULL : &s->r}};
    if (kind.index == 3)
        s->problem.hidden = (keel_map){
            .count = s->k, .value = hidden, .jacobian = hidden_jacobian, .pattern = dense ? NULL : &s->h};
    if (kind.mass)
        s->problem.mass = (keel_matrix){.value = masses, .pattern = dense ? NULL : &s->m, .constant = 1};
    return &s->problem;
}

static double distance(const keel_solver *a, const keel_solver *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(keel_state(a)[i] - keel_state(b)[i]));
    return most;
}

static keel_solver *run(struct springs *s, const keel_options *o, double t_end) {
    keel_solver *solver = keel_open(&s->problem, o);
    if (keel_run(solver, t_end) != KEEL_OK) fail_msg("%s: %s", o->method, keel_message(solver));
    return solver;
}

static struct kind kind_of(int code) {
    return (struct kind){2 + (code & 1), code >> 1 & 1, code >> 2 & 1, code >> 3 & 1};
}

static struct springs one, other;

/* The same steps and states, with far fewer solutions for y: none for columns of J by differences.  rodas5p
 * has J in its formula, and the dense one is that of differences. */
static void sparse_is_dense(void **state) {
    static const struct {
        keel_options o;
        double off, newton;
    } way[] = {
        {{.method = "dop853", .rtol = 1e-7}, 1e-12, 1.05}, {{.method = "radau", .rtol = 1e-6}, 1e-12, 0.45},
        {{.method = "bdf", .rtol = 1e-5}, 1e-10, 0.7},     {{.method = "rodas5p", .rtol = 1e-6}, 1e-7, 0.45},
        {{.method = "gauss4", .step = 0.05}, 1e-12, 1.07}, {{.method = "rk4", .step = 0.05}, 1e-12, 1.02}};
    (void)state;
    for (size_t k = 0; k < sizeof way / sizeof *way; k++)
        for (int code = k == 1 ? 0 : (int)k % 3; code < 16;
             code += k == 1 ? 1 : 3) { /* all of them by radau */
            const keel_options *o = &way[k].o;
            springs_of(&one, kind_of(code), 42, 7 + (unsigned)code, 0);
            springs_of(&other, kind_of(code), 42, 7 + (unsigned)code, 1);
            keel_solver *sparse = run(&one, o, 1), *dense = run(&other, o, 1);
            keel_stats a = keel_statistics(sparse), b = keel_statistics(dense);
            double off = distance(sparse, dense, one.problem.n + one.problem.m);
            if (!(off <= way[k].off)) fail_msg("%s, kind %d: %.3g", o->method, code, off);
            if (way[k].off < 1e-8) assert_int_equal(a.steps, b.steps);
            if (!((double)a.newton <= way[k].newton * (double)b.newton))
                fail_msg("%s, kind %d: %ld solutions for y, dense %ld", o->method, code, (long)a.newton,
                         (long)b.newton);
            assert_below(worst_units(sparse, NULL), worst_units(dense, NULL) + 4);
            assert_below((double)keel_save(sparse, NULL, 0), 0.3 * (double)keel_save(dense, NULL, 0));
            keel_close(sparse);
            keel_close(dense);
        }
}

/* Without jacobians, of one map after the other and of all: the same motion, and no more memory. */
static void patterns_are_filled(void **state) {
    const keel_options o = {.method = "radau", .rtol = 1e-6};
    (void)state;
    for (int code = 0; code < 16; code += 5)
        for (int lacks = 1; lacks < 8; lacks++) {
            springs_of(&one, kind_of(code), 60, 7 + (unsigned)code, 0);
            keel_solver *given = run(&one, &o, 1);
            if (lacks & 1) one.problem.f.jacobian = NULL;
            if (lacks & 2) one.problem.algebraic.jacobian = NULL;
            if (lacks & 4) one.problem.hidden.jacobian = NULL;
            keel_solver *filled = run(&one, &o, 1);
            double off = distance(given, filled, one.problem.n);
            if (!(off <= 1e-8)) fail_msg("kind %d, without %d: %.3g", code, lacks, off);
            assert_below(worst_units(filled, NULL), 8);
            assert_below((double)keel_save(filled, NULL, 0), 1.01 * (double)keel_save(given, NULL, 0));
            keel_close(given);
            keel_close(filled);
        }
}

/* An entry that a pattern lacks is told with its row and column. */
static void wrong_patterns_are_found(void **state) {
    static const char *const words[] = {"pattern of f lacks an entry|d/dt of",
                                        "pattern of algebraic lacks an entry|algebraic[",
                                        "pattern of hidden lacks an entry|hidden["};
    (void)state;
    for (int which = 0; which < 3; which++) {
        springs_of(&one, kind_of(1), 60, 3, 0);
        keel_pattern *p[] = {&one.f, &one.r, &one.h};
        int *start[] = {one.f_start, one.r_start, one.h_start};
        int *column[] = {one.f_column, one.r_column, one.h_column};
        int rows_of[] = {2 * one.n, one.k, one.k}, row = which == 0 ? one.n + 5 : 5, from = start[which][row];
        for (int e = from; e + 1 < p[which]->nnz; e++) column[which][e] = column[which][e + 1];
        for (int i = row; i < rows_of[which]; i++) start[which][i + 1]--;
        p[which]->nnz--;
        one.problem.f.jacobian = one.problem.algebraic.jacobian = one.problem.hidden.jacobian = NULL;
        keel_solver *s = keel_open(&one.problem, &(keel_options){.method = "radau"});
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        expect_words(s, words[which]);
        char place[64];
        snprintf(place, sizeof place, "row %d, column", row);
        expect_words(s, place);
        keel_close(s);
    }
}

/* From where no row holds to the nearest point where all do. */
static void starts_agree(void **state) {
    (void)state;
    for (int code = 0; code < 16; code += 3) {
        keel_solver *s[2];
        for (int dense = 0; dense < 2; dense++) {
            struct springs *p = dense ? &other : &one;
            springs_of(p, kind_of(code), 60, 11, dense);
            for (int j = 0; j < 120; j++) p->u0[j] *= 1 + 0.05 * sin(3 * j);
            s[dense] = keel_open(&p->problem, &(keel_options){.method = "radau"});
            if (keel_step(s[dense], 1) != KEEL_OK) fail_msg("%s", keel_message(s[dense]));
        }
        assert_below(distance(s[0], s[1], one.problem.n + one.problem.m), 1e-11);
        keel_close(s[0]);
        keel_close(s[1]);
    }
}

/* Twice the unknowns: twice the memory. */
static void memory_is_linear(void **state) {
    double bytes[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        springs_of(&one, kind_of(3), 1000 << i, 5, 0);
        keel_solver *s = run(&one, &(keel_options){.method = "radau", .rtol = 1e-5}, 0.2);
        bytes[i] = (double)keel_save(s, NULL, 0);
        assert_below(worst_units(s, NULL), 4.0001);
        keel_close(s);
    }
    assert_below(bytes[1], 2.05 * bytes[0]);
}

/* Copied, saved and sampled solvers go on with the same bits. */
static void same_bits(void **state) {
    static double looked[4 * MOST];
    const keel_options o = {.method = "radau", .rtol = 1e-5};
    (void)state;
    for (int lacks = 0; lacks < 2; lacks++) {
        springs_of(&one, kind_of(11), 60, 9, 0);
        if (lacks)
            one.problem.f.jacobian = one.problem.algebraic.jacobian = one.problem.hidden.jacobian = NULL;
        keel_solver *a = keel_open(&one.problem, &o);
        for (int i = 0; i < 3; i++) assert_int_equal(keel_step(a, 10), KEEL_OK);
        size_t size = keel_save(a, NULL, 0), bytes = (size_t)one.problem.n * sizeof(double);
        void *saved = malloc(size);
        keel_save(a, saved, size);
        keel_solver *fork = keel_fork(a), *loaded = keel_load(&one.problem, &o, saved, size);
        for (int i = 0; i < 4; i++) {
            double middle = 0.5 * (keel_time_before(fork) + keel_time(fork));
            assert_int_equal(keel_eval(fork, middle, looked), KEEL_OK);
            assert_int_equal(keel_step(a, 10), KEEL_OK);
            assert_int_equal(keel_step(fork, 10), KEEL_OK);
            assert_int_equal(keel_step(loaded, 10), KEEL_OK);
            assert_memory_equal(keel_state(a), keel_state(fork), bytes);
            assert_memory_equal(keel_state(a), keel_state(loaded), bytes);
        }
        keel_close(a);
        keel_close(fork);
        keel_close(loaded);
        free(saved);
    }
}

/* Whichever allocation fails: no solver, no copy, or all of it; and what was taken is given back. */
static void memory_that_runs_out_does_no_harm(void **state) {
    (void)state;
#ifdef COUNTED
    const keel_options o = {.method = "radau", .rtol = 1e-5};
    long number = 0, reached = 1;
    springs_of(&one, kind_of(11), 20, 9, 0);
    one.problem.f.jacobian = one.problem.algebraic.jacobian = one.problem.hidden.jacobian = NULL;
    keel_close(keel_open(&one.problem, &o)); /* a library is loaded once */
    while (reached) {
        long taken = allocations - frees;
        failing_at = allocations + ++number;
        keel_solver *s = keel_open(&one.problem, &o), *fork = s ? keel_fork(s) : NULL;
        keel_status status = s ? keel_step(s, 1) : KEEL_OK;
        reached = allocations >= failing_at;
        failing_at = 0;
        if (s && status != KEEL_OK) assert_int_equal(status, KEEL_ENOMEM);
        assert_true(reached || (s && fork));
        keel_close(s);
        keel_close(fork);
        assert_true(allocations - frees - taken <= reached); /* the one that failed is counted, too */
    }
    assert_true(number > 40);
#else
    skip();
#endif
}

/* Two constraints that are one: lambda is not determined, and the sentence says what may be missing. */
static void singular_rates_are_told(void **state) {
    (void)state;
    springs_of(&one, kind_of(0), 60, 4, 0);
    for (int k = 0; k < EACH; k++) {
        one.at[1][k] = one.at[0][k];
        one.a[1][k] = one.a[0][k];
        one.b[1][k] = one.b[0][k];
    }
    memset(one.uses, 0, sizeof one.uses);
    for (int i = 0; i < one.k; i++)
        for (int k = 0; k < EACH; k++) one.use[one.at[i][k]][one.uses[one.at[i][k]]++] = EACH * i + k;
    write_patterns(&one);
    keel_solver *s = keel_open(&one.problem, &(keel_options){.method = "radau"});
    assert_int_equal(keel_state_of(s), KEEL_ESINGULAR);
    expect_words(s, "not determined|hidden");
    keel_close(s);
}

/* What has no plain structure is dense, as it was: a mass matrix off the diagonal, stabilizers with ways of
 * their own. */
static void others_are_dense(void **state) {
    (void)state;
    springs_of(&one, kind_of(1), 30, 4, 0);
    keel_solver *s = run(&one, &(keel_options){.method = "midpoint+coupled", .step = 0.02}, 0.2);
    assert_below(1e5, (double)keel_save(s, NULL, 0));
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_is_dense),
                                       cmocka_unit_test(patterns_are_filled),
                                       cmocka_unit_test(wrong_patterns_are_found),
                                       cmocka_unit_test(starts_agree),
                                       cmocka_unit_test(memory_is_linear),
                                       cmocka_unit_test(same_bits),
                                       cmocka_unit_test(memory_that_runs_out_does_no_harm),
                                       cmocka_unit_test(singular_rates_are_told),
                                       cmocka_unit_test(others_are_dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
