/* test_newton.c - sparse matrices of implicit methods and of algebraic variables against dense ones, on
 * random systems
 *
 *     M x' = -a_i x_i + sum_k b_ik sin u_jk + sin t / 2,   0 = y^3 + 3 y - sum_k b_ik sin u_jk - cos t
 *
 * where j runs over some states x and algebraic variables y, and M may change with t and x. */
#include "testing.h"

#include "linalg/sparse.h"

enum { MOST = 400, EACH = 4 }; /* unknowns; entries of a row, its own among them */

struct random_system {
    int n, m, dense, without_f; /* dense: no patterns are given; no jacobian of f */
    double a[MOST], b[MOST][EACH], u0[MOST];
    int column[MOST][EACH];
    int row_start[2][MOST + 1], columns[2][MOST * EACH];
    keel_pattern pattern[2];
    int mass_start[MOST + 1], mass_column[3 * MOST], with_mass, near;
    keel_pattern mass_pattern;
    keel_problem problem;
};

enum { REST = 1, CHANGES = 2 }; /* of a mass matrix */

/* near: a band, once its unknowns are put in order. */
static const struct kind {
    int n, m, mass, near;
} kinds[] = {{80, 0, 0, 0},       {80, 0, 0, 1},       {35, 25, 0, 0},       {35, 25, 0, 1},
             {50, 0, 1, 0},       {50, 0, 1, 1},       {30, 20, 1, 0},       {30, 20, 1, 1},
             {60, 0, CHANGES, 0}, {60, 0, CHANGES, 1}, {30, 20, CHANGES, 0}, {0, 40, 0, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double draw(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static double coupled(const struct random_system *s, int i, const double *u) {
    double sum = 0;
    for (int k = 0; k < EACH; k++) sum += s->b[i][k] * sin(u[s->column[i][k]]);
    return sum;
}

static int rates(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    for (int i = 0; i < s->n; i++) out[i] = -s->a[i] * u[i] + coupled(s, i, u) + 0.5 * sin(t);
    return 0;
}

static int rows(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    for (int i = 0; i < s->m; i++) {
        double y = u[s->n + i];
        out[i] = y * y * y + 3 * y - coupled(s, s->n + i, u) - cos(t);
    }
    return 0;
}

/* Entries, or rows of a dense matrix. */
static void fill(const struct random_system *s, int first, int count, const double *u, double *out) {
    int all = s->n + s->m;
    if (s->dense) memset(out, 0, (size_t)count * (size_t)all * sizeof *out);
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < EACH; k++) {
            int j = s->column[i][k];
            double sign = i < s->n ? 1 : -1, entry = sign * s->b[i][k] * cos(u[j]);
            if (j == i) entry += i < s->n ? -s->a[i] : 3 * u[i] * u[i] + 3;
            out[s->dense ? (i - first) * all + j : (i - first) * EACH + k] = entry;
        }
}

static int rates_jacobian(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    (void)t;
    fill(s, 0, s->n, u, out);
    return 0;
}

static int rows_jacobian(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    (void)t;
    fill(s, s->n, s->m, u, out);
    return 0;
}

/* Of t and of two states of the row. */
static double mass_entry(const struct random_system *s, int i, int j, double t, const double *u) {
    double rest = i == j ? 2 + 0.1 * (i % 5) : 0.4;
    int k = s->column[i][3] < s->n ? s->column[i][3] : i;
    if (s->with_mass == CHANGES) rest *= 1 + 0.1 * sin(u[i] + t) * cos(2 * u[k]);
    return rest;
}

static int mass(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    if (s->dense) memset(out, 0, (size_t)s->n * (size_t)s->n * sizeof *out);
    for (int i = 0; i < s->n; i++)
        for (int e = s->mass_start[i]; e < s->mass_start[i + 1]; e++) {
            int j = s->mass_column[e];
            out[s->dense ? i * s->n + j : e] = mass_entry(s, i, j, t, u);
        }
    return 0;
}

static int ascending(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

/* A column: any, or one at most three away where the unknowns stand in an order that is not theirs. */
static int draw_column(const struct random_system *s, int i, unsigned *seed) {
    int all = s->n + s->m, stride = s->with_mass ? 1 : 11, place = 0; /* M is a band as it is */
    if (!s->near) return (int)(draw(seed) * all) % all;
    while (place * stride % all != i) place++;
    place += (int)(draw(seed) * 7) - 3;
    return place < 0 || place >= all ? i : place * stride % all;
}

/* Its own column and others, each once. */
static void draw_columns(struct random_system *s, int i, unsigned *seed) {
    int *c = s->column[i];
    c[0] = i;
    for (int k = 1; k < EACH; k++) {
        int fits = 0;
        while (!fits) {
            c[k] = draw_column(s, i, seed);
            fits = 1;
            for (int l = 0; l < k; l++) fits &= c[l] != c[k];
        }
    }
    qsort(c, EACH, sizeof *c, ascending);
    for (int k = 0; k < EACH; k++) s->b[i][k] = (i < s->n ? 1 : 0.4) * (2 * draw(seed) - 1);
}

static void draw_system(struct random_system *s, struct kind kind, unsigned seed) {
    int n = kind.n, m = kind.m;
    memset(s, 0, sizeof *s);
    s->n = n;
    s->m = m;
    s->with_mass = kind.mass;
    s->near = kind.near;
    for (int i = 0; i < n + m; i++) {
        int part = i >= n, row = part ? i - n : i;
        draw_columns(s, i, &seed);
        s->a[i] = pow(10, 4 * draw(&seed));
        s->u0[i] = i < n ? 1 + draw(&seed) : 0.3;
        memcpy(s->columns[part] + (long)row * EACH, s->column[i], sizeof s->column[i]);
        s->row_start[part][row + 1] = (row + 1) * EACH;
    }
    for (int i = 0, at = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) s->mass_column[at++] = j;
        s->mass_start[i + 1] = at;
    }
    for (int part = 0; part < 2; part++)
        s->pattern[part] = (keel_pattern){(part ? m : n) * EACH, s->row_start[part], s->columns[part]};
    s->mass_pattern = (keel_pattern){s->mass_start[n], s->mass_start, s->mass_column};
}

static const keel_problem *problem_of(struct random_system *s, int dense) {
    s->dense = dense;
    s->problem = (keel_problem){.form = s->m ? KEEL_DAE : KEEL_ODE,
                                .n = s->n,
                                .m = s->m,
                                .u0 = s->u0,
                                .user = s,
                                .f = {.count = s->n,
                                      .value = rates,
                                      .jacobian = s->without_f ? NULL : rates_jacobian,
                                      .pattern = dense ? NULL : &s->pattern[0]}};
    if (s->n == 0) s->problem.f = (keel_map){0};
    if (s->m)
        s->problem.algebraic = (keel_map){.count = s->m,
                                          .value = rows,
                                          .jacobian = rows_jacobian,
                                          .pattern = dense ? NULL : &s->pattern[1]};
    if (s->with_mass)
        s->problem.mass = (keel_matrix){mass, dense ? NULL : &s->mass_pattern, s->with_mass == REST};
    return &s->problem;
}

static keel_solver *run(struct random_system *s, int dense, const keel_options *o, double t_end) {
    keel_solver *solver = keel_open(problem_of(s, dense), o);
    if (keel_run(solver, t_end) != KEEL_OK)
        fail_msg("%s matrices: %s", dense ? "dense" : "sparse", keel_message(solver));
    return solver;
}

static void take_step(keel_solver *s) {
    if (keel_step(s, 1) != KEEL_OK) fail_msg("%s", keel_message(s));
}

static double distance(const keel_solver *a, const keel_solver *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(keel_state(a)[i] - keel_state(b)[i]));
    return most;
}

/* Real and complex matrices, adaptive and fixed steps, an explicit method for the elimination of y alone:
 * the same steps, and results that differ by round-off. */
static void sparse_is_dense(void **state) {
    static const keel_options o[] = {
        {.method = "radau", .rtol = 1e-7},           {.method = "radau5", .rtol = 1e-4},
        {.method = "gauss6", .step = 0.002},         {.method = "lobatto3c4", .step = 0.002},
        {.method = "backward-euler", .step = 0.002}, {.method = "dop853", .rtol = 1e-6}};
    static struct random_system s;
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        draw_system(&s, kinds[kind], 7u + (unsigned)kind);
        for (size_t k = 0; k < sizeof o / sizeof *o; k++) {
            if (kinds[kind].n == 0 && o[k].step == 0 && k != 5) continue;
            double t_end = o[k].step > 0 ? 0.04 : k == 5 ? 0.02 : 0.4;
            keel_solver *dense = run(&s, 1, &o[k], t_end), *sparse = run(&s, 0, &o[k], t_end);
            keel_stats a = keel_statistics(sparse), b = keel_statistics(dense);
            if (a.steps != b.steps || a.rejected != b.rejected)
                fail_msg("%s, kind %d: %ld steps and %ld", o[k].method, kind, a.steps, b.steps);
            double off = distance(sparse, dense, s.n + s.m);
            double most = kinds[kind].mass == CHANGES ? 1e-9 : 1e-11; /* their dense jacobian is a quotient */
            if (!(off <= most)) fail_msg("%s, kind %d: %.3g", o[k].method, kind, off);
            keel_defect c = keel_defect_of(sparse), d = keel_defect_of(dense);
            assert_int_equal(c.samples, d.samples);
            if (!(fabs(c.largest - d.largest) <= 1e-3 * (1 + d.largest)))
                fail_msg("%s, kind %d: defects %g and %g", o[k].method, kind, c.largest, d.largest);
            keel_close(sparse);
            keel_close(dense);
        }
    }
}

/* A copy, a saved and loaded solver, and one that is looked at on its way go on with the same bits. */
static void same_bits(void **state) {
    static const char *const method[] = {"radau", "gauss4"};
    static struct random_system s;
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int kind = 0; kind < KINDS - 1; kind++) {
            keel_options o = {.method = method[k], .rtol = k ? 0 : 1e-6, .step = k ? 1e-3 : 0};
            draw_system(&s, kinds[kind], 31u + (unsigned)kind);
            const keel_problem *p = problem_of(&s, 0);
            size_t bytes = (size_t)(s.n + s.m) * sizeof(double);
            keel_solver *a = keel_open(p, &o);
            for (int i = 0; i < 6; i++) take_step(a);
            keel_solver *fork = keel_fork(a);
            size_t size = keel_save(a, NULL, 0);
            void *saved = malloc(size);
            keel_save(a, saved, size);
            keel_solver *loaded = keel_load(p, &o, saved, size);
            for (int i = 0; i < 12; i++) {
                static double looked[MOST];
                keel_defect defect;
                take_step(a);
                take_step(fork);
                take_step(loaded);
                double t = 0.3 * keel_time_before(fork) + 0.7 * keel_time(fork);
                assert_int_equal(keel_eval(fork, t, looked), KEEL_OK);
                keel_defect_at(fork, t, &defect);
                assert_true(keel_time(a) == keel_time(fork) && keel_time(a) == keel_time(loaded));
                assert_memory_equal(keel_state(a), keel_state(fork), bytes);
                assert_memory_equal(keel_state(a), keel_state(loaded), bytes);
            }
            keel_close(a);
            keel_close(fork);
            keel_close(loaded);
            free(saved);
        }
}

/* Without a jacobian of f: as many evaluations as there are colours, and the results of the exact one. */
static void colours_are_few(void **state) {
    static struct random_system s;
    const keel_options o = {.method = "radau", .rtol = 1e-7};
    (void)state;
    for (int kind = 0; kind < KINDS - 1; kind++) {
        draw_system(&s, kinds[kind], 5u + (unsigned)kind);
        keel_solver *exact = run(&s, 0, &o, 0.4);
        s.without_f = 1;
        keel_solver *found = run(&s, 0, &o, 0.4);
        keel_stats a = keel_statistics(exact), b = keel_statistics(found);
        assert_within((double)b.steps, 0.9 * (double)a.steps, 1.1 * (double)a.steps + 1);
        assert_below(distance(exact, found, s.n + s.m), 1e-6);
        assert_below((double)(b.calls - a.calls), 30.0 * (double)b.jacobians); /* a column each: n of them */
        keel_close(exact);
        keel_close(found);
    }
}

/* An entry that is missing is told with its row and column. */
static void a_wrong_pattern_is_found(void **state) {
    static struct random_system s;
    static const char *names[MOST];
    static char name[MOST][16];
    char words[80];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        snprintf(name[i], sizeof name[i], "w%d", i);
        names[i] = name[i];
    }
    for (int row = 3; row < 120; row += 39)
        for (int m = 0; m < 60; m += 50) {
            draw_system(&s, (struct kind){130, m, 0, 0}, 77u + (unsigned)row);
            s.without_f = 1;
            int k = s.column[row][1] == row ? 2 : 1, hidden = s.column[row][k];
            keel_problem p = *problem_of(&s, 0);
            for (int e = row * EACH + k; e < s.n * EACH - 1; e++) s.columns[0][e] = s.columns[0][e + 1];
            for (int i = row; i < s.n; i++) s.row_start[0][i + 1]--;
            s.pattern[0].nnz--;
            p.names = names;
            keel_solver *solver = keel_open(&p, &(keel_options){.method = "radau"});
            assert_int_equal(keel_state_of(solver), KEEL_EINVAL);
            snprintf(words, sizeof words, "the pattern of f lacks an entry|`w%d` depends on `w%d`", row,
                     hidden);
            expect_words(solver, words);
            keel_close(solver);
        }
}

/* So is one that the mass matrix wants: rows of M must change with states of the same rows of f alone. */
static int mass_of_others(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    mass(t, u, out, user);
    out[s->mass_start[17]] += 1e-3 * u[44] * u[44];
    return 0;
}

static void what_masses_depend_on_is_in_the_pattern(void **state) {
    static struct random_system s;
    unsigned seed = 1;
    int there = 1;
    (void)state;
    while (there) {
        draw_system(&s, (struct kind){60, 0, CHANGES, 0}, seed++);
        there = 0;
        for (int k = 0; k < EACH; k++) there |= s.column[17][k] == 44;
    }
    for (int given = 0; given < 2; given++) {
        s.without_f = !given;
        keel_problem p = *problem_of(&s, 0);
        p.mass.value = mass_of_others;
        keel_solver *solver = keel_open(&p, &(keel_options){.method = "radau"});
        assert_int_equal(keel_state_of(solver), KEEL_EINVAL);
        expect_words(solver, "the pattern of f lacks an entry: row 17 of the mass matrix|(column 44)");
        keel_close(solver);
    }
}

/* A jacobian that is given and wrong costs time, and is told to who asks. */
static int wrong_jacobian(double t, const double *u, double *out, void *user) {
    const struct random_system *s = user;
    rates_jacobian(t, u, out, user);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < EACH; k++)
            if (s->column[i][k] == i) out[i * EACH + k] = -0.2 * s->a[i];
    return 0;
}

static void a_wrong_jacobian_costs_time(void **state) {
    static struct random_system s;
    const keel_options o = {.method = "radau", .rtol = 1e-6};
    (void)state;
    draw_system(&s, (struct kind){100, 0, 0, 0}, 12);
    keel_solver *right = run(&s, 0, &o, 0.3);
    keel_problem p = *problem_of(&s, 0);
    p.f.jacobian = wrong_jacobian;
    keel_solver *wrong = keel_open(&p, &o);
    assert_int_equal(keel_run(wrong, 0.3), KEEL_OK);
    assert_below(distance(right, wrong, s.n), 1e-4);
    keel_close(wrong);
    keel_close(right);
    wrong = keel_open(&p, &(keel_options){.method = "radau", .check_jacobians = 1});
    assert_int_equal(keel_state_of(wrong), KEEL_EINVAL);
    expect_words(wrong, "the jacobian of f is wrong");
    keel_close(wrong);
}

/* Diffusion on a line of many points. */
static int line(double t, const double *u, double *out, void *user) {
    int n = *(const int *)user;
    (void)t;
    for (int i = 0; i < n; i++) {
        double left = i > 0 ? u[i - 1] : u[1], right = i < n - 1 ? u[i + 1] : u[n - 2];
        out[i] = 1e-4 * n * n * (left - 2 * u[i] + right) + u[i] - u[i] * u[i] * u[i];
    }
    return 0;
}

static keel_solver *open_line(int *n, const keel_options *o, keel_pattern *p, double *u0) {
    int *start = malloc(((size_t)*n + 1) * sizeof(int)), *column = malloc(3 * (size_t)*n * sizeof(int));
    assert_true(start && column);
    start[0] = 0;
    for (int i = 0, at = 0; i < *n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < *n; j++) column[at++] = j;
        start[i + 1] = at;
        u0[i] = 0.1 * cos(18.85 * i / (*n - 1)) + 0.05 * sin(19.0 * i / (*n - 1));
    }
    *p = (keel_pattern){start[*n], start, column};
    keel_problem line_problem = {
        .n = *n, .u0 = u0, .user = n, .f = {.count = *n, .value = line, .pattern = p}};
    return keel_open(&line_problem, o);
}

/* Ten thousands of unknowns: a saved state has some dozens of numbers for each. */
static void many_unknowns_run(void **state) {
    enum { N = 20000 };
    static double u0[N];
    int n = N;
    keel_pattern p;
    (void)state;
    keel_solver *s = open_line(&n, &(keel_options){.method = "radau", .rtol = 1e-4}, &p, u0);
    if (keel_run(s, 0.5) != KEEL_OK) fail_msg("%s", keel_message(s));
    assert_below((double)keel_save(s, NULL, 0), 200.0 * N * sizeof(double));
    keel_close(s);
    free((void *)p.row_start);
    free((void *)p.column);
}

/* Without the library: dense, up to what the machine holds. */
static void dense_without_the_library(void **state) {
    enum { N = 400000 };
    static double u0[N];
    int n = 60;
    keel_pattern p;
    (void)state;
    keel_solver *s = open_line(&n, &(keel_options){.method = "radau", .rtol = 1e-4}, &p, u0);
    if (keel_run(s, 0.5) != KEEL_OK) fail_msg("%s", keel_message(s));
    keel_close(s);
    free((void *)p.row_start);
    free((void *)p.column);
    n = N;
    s = open_line(&n, &(keel_options){.method = "radau", .rtol = 1e-4}, &p, u0);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    expect_words(s, "400000 unknowns take|for lack of KLU|this machine has");
    keel_close(s);
    free((void *)p.row_start);
    free((void *)p.column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(colours_are_few),
        cmocka_unit_test(a_wrong_pattern_is_found),
        cmocka_unit_test(what_masses_depend_on_is_in_the_pattern),
        cmocka_unit_test(a_wrong_jacobian_costs_time),
        cmocka_unit_test(many_unknowns_run),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(dense_without_the_library)};
    if (!sparse_available()) return cmocka_run_group_tests(without, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
