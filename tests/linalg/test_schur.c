/* test_schur.c - saddle-point systems by their Schur complement, against the whole system and dense matrices:
 * chains, trees, rings, nets of rods, and bodies whose M has blocks. */
#include "testing.h"

#include "linalg/dense.h"
#include "linalg/saddle.h"

#include <float.h>
#include <stdlib.h>

static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

/* M and K by patterns, and the same as one saddle. */
struct mechanism {
    int nq, k, mass_start[2000], mass_column[9000], start[2000], column[9000], active[2000];
    double mass[9000], rows[9000];
    keel_pattern mass_pattern, pattern;
    unsigned char *block;
    struct saddle s;
};

static struct mechanism *y;

/* Points in the plane, coordinates 2 i and 2 i + 1, with masses of their own. */
static void points(int count, uint64_t *seed) {
    y->nq = 2 * count;
    y->k = y->start[0] = y->mass_start[0] = 0;
    for (int j = 0; j < y->nq; j++) {
        y->mass_column[j] = j;
        y->mass_start[j + 1] = j + 1;
        y->mass[j] = 1 + 0.5 * draw(seed);
    }
}

/* A row with entries from column `a` on, `width` of them, and from `b` on; -1: none. */
static void row(int a, int b, int width, const double *left, const double *right) {
    int at = y->start[y->k];
    for (int c = 0; c < width && a >= 0; c++) y->column[at] = a + c, y->rows[at++] = left[c];
    for (int c = 0; c < width && b >= 0; c++) y->column[at] = b + c, y->rows[at++] = right[c];
    y->active[y->k] = 1;
    y->start[++y->k] = at;
}

/* A rod between two points in the direction of an angle; -1: the ground. */
static void rod(int i, int j, double angle) {
    double plus[] = {2 * cos(angle), 2 * sin(angle)}, minus[] = {-plus[0], -plus[1]};
    row(i < 0 ? -1 : 2 * i, j < 0 ? -1 : 2 * j, 2, minus, plus);
}

static void attach(void) {
    y->mass_pattern = (keel_pattern){y->mass_start[y->nq], y->mass_start, y->mass_column};
    y->pattern = (keel_pattern){y->start[y->k], y->start, y->column};
    int first = y->k;
    saddle_init(&y->s, y->nq, &y->mass_pattern, &y->pattern, first, NULL, 0);
    struct arena measure = {0};
    saddle_layout(&y->s, &measure);
    y->block = aligned_alloc(32, (measure.used + 63) / 32 * 32);
    memset(y->block, 0, measure.used);
    struct arena carve = {.base = y->block};
    saddle_layout(&y->s, &carve);
    assert_int_equal(saddle_attach(&y->s), 0);
}

static void make_chain(int n, double bend, uint64_t *seed) {
    points(n, seed);
    for (int i = 0; i < n; i++) rod(i - 1, i, bend * draw(seed) - 1.5);
}

static void make_tree(int n, uint64_t *seed) {
    points(n, seed);
    for (int i = 0; i < n; i++) rod(i ? (i - 1) / 2 : -1, i, 3 * draw(seed));
}

static void make_ring(int n, uint64_t *seed) {
    points(n, seed);
    for (int i = 0; i <= n; i++) rod(i - 1, i < n ? i : -1, 3 * draw(seed));
}

/* Groups of eight points, four of them in one row, each of these with a rod to one of the others: the row has
 * four neighbours, and groups have nothing to do with each other. */
static void make_stars(int n, uint64_t *seed) {
    points(8 * n, seed);
    for (int i = 0; i < n; i++) {
        double four[8];
        for (int c = 0; c < 8; c++) four[c] = 1 + draw(seed) / 2;
        for (int j = 0; j < 4; j++) rod(8 * i + j, 8 * i + 4 + j, 3 * draw(seed));
        row(16 * i, -1, 8, four, NULL);
    }
}

/* Squares of rods, the first point on the ground by one rod. */
static void make_net(int n, uint64_t *seed) {
    points(n * n, seed);
    rod(-1, 0, 0.3);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i) rod((i - 1) * n + j, i * n + j, 0.8 * draw(seed));
            if (j) rod(i * n + j - 1, i * n + j, 1.6 + 0.8 * draw(seed));
        }
}

/* Bodies with `width` coordinates, three or more, all coupled in M, joined by one or two rows each. */
static void make_bodies(int n, int width, int joints, uint64_t *seed) {
    y->nq = n * width;
    y->k = y->start[0] = y->mass_start[0] = 0;
    for (int j = 0, at = 0; j < y->nq; j++) {
        for (int c = j / width * width; c < (j / width + 1) * width; c++) {
            y->mass_column[at] = c;
            y->mass[at++] =
                c == j ? 2 + 0.1 * width : 0.3 * cos(j + c); /* symmetric, its diagonal outweighs */
        }
        y->mass_start[j + 1] = at;
    }
    for (int i = 0; i < n; i++)
        for (int joint = 0; joint < joints; joint++) {
            double left[16], right[16];
            for (int c = 0; c < width; c++) left[c] = draw(seed), right[c] = draw(seed);
            row(i ? (i - 1) * width : -1, i * width, width, left, right);
        }
}

static void discard(void) {
    saddle_detach(&y->s);
    free(y->block);
}

/* Worst of M d + K^T mu = f over its terms, and of K d = c over |K_i| |d|, in round-offs. */
static void residuals(const double *f, const double *c, const double *d, const double *mu, double *motion,
                      double *rows) {
    long double *sum = calloc((size_t)y->nq, sizeof *sum), *size = calloc((size_t)y->nq, sizeof *size);
    double longest = 0;
    *motion = *rows = 0;
    for (int j = 0; j < y->nq; j++) {
        longest = fmax(longest, fmax(fabs(d[j]), fabs(f[j])));
        sum[j] = -f[j];
        size[j] = fabs(f[j]);
        for (int e = y->mass_start[j]; e < y->mass_start[j + 1]; e++) {
            sum[j] += (long double)y->mass[e] * d[y->mass_column[e]];
            size[j] += fabs(y->mass[e] * d[y->mass_column[e]]);
        }
    }
    for (int i = 0; i < y->k; i++) {
        long double off = -c[i], length = 0;
        for (int e = y->start[i]; e < y->start[i + 1]; e++) {
            sum[y->column[e]] += (long double)y->rows[e] * mu[i];
            size[y->column[e]] += fabs(y->rows[e] * mu[i]);
            off += (long double)y->rows[e] * d[y->column[e]];
            length += fabs(y->rows[e]);
        }
        if (y->active[i]) *rows = fmax(*rows, (double)(fabsl(off) / (length * longest)) / DBL_EPSILON);
    }
    for (int j = 0; j < y->nq; j++)
        if (size[j] > 0) *motion = fmax(*motion, (double)(fabsl(sum[j]) / size[j]) / DBL_EPSILON);
    free(sum), free(size);
}

static void solve_dense(const double *f, const double *c, double *d, double *mu) {
    int n = y->nq + y->k, *pivot = calloc((size_t)n, sizeof *pivot);
    double *a = calloc((size_t)n * (size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    for (int j = 0; j < y->nq; j++)
        for (int e = y->mass_start[j]; e < y->mass_start[j + 1]; e++)
            a[j * n + y->mass_column[e]] = y->mass[e];
    for (int i = 0; i < y->k; i++) {
        int at = y->nq + i;
        if (!y->active[i]) a[at * n + at] = 1;
        for (int e = y->start[i]; e < y->start[i + 1] && y->active[i]; e++)
            a[at * n + y->column[e]] = a[y->column[e] * n + at] = y->rows[e];
    }
    for (int j = 0; j < n; j++) b[j] = j < y->nq ? f[j] : y->active[j - y->nq] ? c[j - y->nq] : 0;
    assert_int_equal(dense_lu(n, a, pivot, NULL), 0);
    dense_lu_solve(n, a, pivot, b);
    memcpy(d, b, (size_t)y->nq * sizeof *d);
    memcpy(mu, b + y->nq, (size_t)y->k * sizeof *mu);
    free(a), free(b), free(pivot);
}

static void same(const char *what, int count, const double *a, const double *b, double agree) {
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= agree * size)) fail_msg("%s: %.17g and %.17g at %d", what, a[i], b[i], i);
}

enum { MOST = 2000 };
static double f[MOST], c[MOST], d[3][MOST], mu[3][MOST];

static void right_hand_sides(uint64_t *seed) {
    for (int j = 0; j < y->nq; j++) f[j] = draw(seed);
    for (int i = 0; i < y->k; i++) c[i] = draw(seed);
}

static void solve(int way) {
    assert_int_equal(saddle_factor(&y->s, y->mass, y->rows, y->active), SADDLE_FINE);
    memcpy(d[way], f, sizeof f);
    memcpy(mu[way], c, sizeof c);
    saddle_solve(&y->s, d[way], mu[way]);
}

/* The shortest d with K d = c is the solution for f = 0, to the last bit. */
static void shortest_is_that_of_no_force(void) {
    double of_force[MOST] = {0}, shortest[MOST], rows[MOST], again[MOST];
    memcpy(rows, c, sizeof c);
    memcpy(again, c, sizeof c);
    saddle_solve_roughly(&y->s, of_force, rows);
    saddle_shortest(&y->s, again, shortest);
    for (int j = 0; j < y->nq; j++) assert_true(shortest[j] == of_force[j]);
}

/* Four columns, freed at once of the shortest d with K d = K x, are as if freed one by one; nobody's numbers
 * depend on those beside them. */
static void tangents_are_unseen(int forest) {
    static double x[4][MOST], from[MOST], seen[MOST], shortest[MOST], *const all[] = {x[0], x[1], x[2], x[3]};
    for (int column = 0; column < 4; column++)
        for (int j = 0; j < y->nq; j++) x[column][j] = column % 2 ? sin(j + column) : f[j];
    memcpy(from, f, sizeof f);
    assert_int_equal(saddle_tangents(&y->s, y->rows, all), !forest);
    if (!forest) return;
    assert_memory_equal(x[0], x[2], (size_t)y->nq * sizeof(double));
    saddle_multiply(&y->s, y->rows, from, seen);
    saddle_shortest(&y->s, seen, shortest);
    for (int j = 0; j < y->nq; j++) from[j] -= shortest[j];
    same("tangents", y->nq, x[0], from, 1e-9);
    for (int column = 0; column < 2; column++) {
        saddle_multiply(&y->s, y->rows, x[column], seen);
        for (int i = 0; i < y->k; i++) assert_true(!y->active[i] || fabs(seen[i]) <= 1e-9);
    }
}

/* By the Schur complement, by the whole system, and dense.  `forest`: M is diagonal, and S has no fill. */
static void agrees(const char *what, uint64_t *seed, double agree, int forest) {
    double motion, rows;
    attach();
    right_hand_sides(seed);
    if (!y->s.schur) fail_msg("%s: no Schur complement", what);
    solve(0);
    for (int e = 0; e < y->mass_start[y->nq]; e++) y->mass[e] *= 1.5; /* and again with other values */
    solve(0);
    if (!y->s.by_schur) fail_msg("%s: fell back", what);
    shortest_is_that_of_no_force();
    tangents_are_unseen(forest);
    residuals(f, c, d[0], mu[0], &motion, &rows);
    if (!(motion <= 100 && rows <= 200)) fail_msg("%s: off by %.3g and %.3g", what, motion, rows);
    schur_close(y->s.schur);
    y->s.schur = NULL;
    solve(1);
    assert_false(y->s.by_schur);
    shortest_is_that_of_no_force();
    tangents_are_unseen(0);
    same(what, y->nq, d[0], d[1], agree);
    same(what, y->k, mu[0], mu[1], agree);
    for (int i = 0; i < y->k; i++)
        if (!y->active[i]) assert_true(mu[0][i] == 0);
    if (y->nq + y->k <= 200) {
        solve_dense(f, c, d[2], mu[2]);
        same(what, y->nq, d[0], d[2], agree);
        same(what, y->k, mu[0], mu[2], agree);
    }
    discard();
}

static void formulations_agree(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int large = 0; large < 2; large++) {
        int n = large ? 500 : 40;
        make_chain(n, 1.5, &seed);
        agrees("a chain", &seed, 1e-10, 1);
        make_chain(n, 0.001, &seed); /* taut: mu is a thousand times d, and S's condition n^2 */
        agrees("a taut chain", &seed, 1e-9, 1);
        make_tree(n, &seed);
        agrees("a tree", &seed, 1e-10, 0);
        make_stars(n / 8, &seed);
        agrees("stars", &seed, 1e-10, 1);
        make_ring(n, &seed);
        agrees("a ring", &seed, 1e-10, 1);
        make_bodies(large ? 150 : 15, 3, 2, &seed);
        agrees("bodies in the plane", &seed, 1e-9, 0);
        make_bodies(large ? 100 : 10, 6, 2, &seed);
        agrees("bodies in space", &seed, 1e-9, 0);
    }
    make_bodies(15, 3, 1, &seed);
    agrees("a chain of bodies", &seed, 1e-9, 0);
    make_net(5, &seed);
    agrees("a net", &seed, 1e-9, 0);
    points(40, &seed);
    agrees("no rows", &seed, 1e-12, 1);
}

/* Rows that are said twice are left out, of the largest and the smallest index. */
static void rows_may_be_left_out(void **state) {
    (void)state;
    uint64_t seed = 2;
    make_chain(40, 1, &seed);
    for (int i = 0; i < 3; i++) {
        int from = y->start[10 * i + 1];
        row(y->column[from], y->column[from + 2], 2, y->rows + from, y->rows + from + 2);
    }
    y->active[1] = y->active[41] = y->active[42] = 0;
    agrees("rows left out", &seed, 1e-10, 0);
}

/* What must not go by the Schur complement, or not always, is solved all the same. */
static void falls_back(void **state) {
    (void)state;
    uint64_t seed = 3;
    double motion, rows, all = 0;
    make_chain(40, 1, &seed);
    attach();
    right_hand_sides(&seed);
    for (int e = 0; e < 2; e++) { /* rows 19 and 20 differ by 1e-5 beside the point they share */
        y->rows[y->start[20] + e] = y->rows[y->start[19] + 2 + e];
        y->rows[y->start[19] + e] = 1e-5 * draw(&seed);
        y->rows[y->start[20] + 2 + e] = 1e-5 * draw(&seed);
    }
    solve(0);
    assert_true(y->s.schur && !y->s.by_schur);
    residuals(f, c, d[0], mu[0], &motion, &rows);
    if (!(motion <= 1000 && rows <= 1000)) fail_msg("nearly dependent: off by %.3g and %.3g", motion, rows);
    make_chain(40, 1, &seed); /* the same patterns with better values */
    solve(0);
    assert_true(y->s.by_schur);
    discard();

    make_bodies(8, 16, 2, &seed);
    attach();
    assert_null(y->s.schur); /* wide blocks */
    right_hand_sides(&seed);
    solve(0);
    residuals(f, c, d[0], mu[0], &motion, &rows);
    assert_true(motion <= 1000 && rows <= 1000);
    discard();

    points(300, &seed); /* spokes: all rods share a point, S is full */
    for (int i = 1; i < 300; i++) rod(0, i, 3 * draw(&seed));
    attach();
    assert_null(y->s.schur);
    right_hand_sides(&seed);
    solve(0);
    residuals(f, c, d[0], mu[0], &motion, &rows);
    assert_true(motion <= 1000 && rows <= 1000);
    for (int i = 0; i < y->k; i++) all += fabs(mu[0][i]);
    assert_true(all > 0);
    discard();
}

/* The numbers follow from the values, whatever was factored before. */
static void same_bits(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int bodies = 0; bodies < 2; bodies++) {
        if (bodies) make_bodies(30, 3, 2, &seed);
        else make_ring(60, &seed);
        attach();
        right_hand_sides(&seed);
        solve(0);
        double reach[MOST], other[9000];
        for (int j = 0; j < y->nq; j++) reach[j] = j % 7 ? 1 : 0;
        for (int e = 0; e < y->start[y->k]; e++) other[e] = y->rows[e] * (1 + 0.1 * draw(&seed));
        assert_int_equal(saddle_factor(&y->s, y->mass, other, y->active), SADDLE_FINE);
        assert_int_equal(saddle_factor_any(&y->s, y->mass, other, reach, y->active), SADDLE_FINE);
        solve(1);
        saddle_detach(&y->s);
        assert_int_equal(saddle_attach(&y->s), 0);
        solve(2);
        for (int way = 1; way < 3; way++) {
            assert_memory_equal(d[0], d[way], (size_t)y->nq * sizeof(double));
            assert_memory_equal(mu[0], mu[way], (size_t)y->k * sizeof(double));
        }
        discard();
    }
}

/* A long chain that hangs, its tension a thousand times what moves it: K d = c to the round-off of d. Without
 * refinement M d + K^T mu = f holds as well, and K d = c well enough to iterate with. */
static void tension_does_no_harm(void **state) {
    (void)state;
    uint64_t seed = 5;
    double motion, rows;
    int n = 950;
    points(n, &seed);
    for (int i = 0; i < n; i++) rod(i - 1, i, 0.3 * sin(3.0 * i / n) - 1.5707963);
    for (int j = 0; j < 2 * n; j++) {
        f[j] = j % 2 ? -9.81 : 0;
        c[j / 2] = sin(0.01 * j);
        y->mass[j] = 1;
    }
    attach();
    solve(0);
    residuals(f, c, d[0], mu[0], &motion, &rows);
    if (!(motion <= 100 && rows <= 50)) fail_msg("off by %.3g and %.3g", motion, rows);
    memcpy(d[1], f, sizeof f);
    memcpy(mu[1], c, sizeof c);
    saddle_solve_roughly(&y->s, d[1], mu[1]);
    residuals(f, c, d[1], mu[1], &motion, &rows);
    assert_true(motion <= 100 && rows <= 1e6);
    same("roughly", y->nq, d[1], d[0], 1e-8);
    discard();
}

/* Four systems at once are those one by one, where M is 1 and S has fill. */
static void four_at_once(void **state) {
    (void)state;
    static double x[4 * MOST], of[4 * MOST];
    uint64_t seed = 7;
    for (int forest = 0; forest < 2; forest++) {
        forest ? make_chain(36, 1, &seed) : make_net(6, &seed);
        for (int j = 0; j < y->nq; j++) y->mass[j] = 1;
        y->active[7] = 0;
        attach();
        right_hand_sides(&seed);
        solve(0);
        for (int j = 0; j < 4 * y->nq; j++) x[j] = j % 4 == 2 ? draw(&seed) : f[j / 4];
        for (int i = 0; i < 4 * y->k; i++) of[i] = i % 4 == 2 ? draw(&seed) : c[i / 4];
        assert_int_equal(saddle_solve_four(&y->s, x, of), forest);
        for (int j = 0; j < y->nq && !forest; j++)
            assert_true(fabs(x[4 * j] - d[0][j]) <= 1e-10 && x[4 * j] == x[4 * j + 3]);
        discard();
    }
}

/* Columns that may not move stay, others move in proportion to the square of their reach. */
static void reach_is_respected(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int bodies = 0; bodies < 2; bodies++) {
        double reach[MOST], pull[MOST] = {0};
        if (bodies) make_bodies(20, 3, 2, &seed);
        else make_chain(40, 1, &seed);
        attach();
        right_hand_sides(&seed);
        for (int j = 0; j < y->nq; j++) reach[j] = j % 11 == 2 ? 0 : 1 + j % 3;
        assert_int_equal(saddle_factor_any(&y->s, y->mass, y->rows, reach, y->active), SADDLE_FINE);
        assert_true(y->s.by_schur);
        memset(d[0], 0, sizeof d[0]);
        memcpy(mu[0], c, sizeof c);
        saddle_solve(&y->s, d[0], mu[0]);
        saddle_multiply_t(&y->s, y->rows, mu[0], pull);
        for (int j = 0; j < y->nq; j++) {
            if (reach[j] == 0) assert_true(d[0][j] == 0);
            assert_true(fabs(d[0][j] + reach[j] * reach[j] * pull[j]) <= 1e-11 * (1 + fabs(d[0][j])));
        }
        saddle_multiply(&y->s, y->rows, d[0], mu[1]);
        same("rows", y->k, mu[1], c, 1e-9);
        discard();
    }
}

static void bad_mass_is_told(void **state) {
    (void)state;
    uint64_t seed = 7;
    make_bodies(10, 3, 2, &seed);
    attach();
    assert_int_equal(saddle_check_mass(&y->s, y->mass), 0);
    for (int e = y->mass_start[13]; e < y->mass_start[14]; e++)
        if (y->mass_column[e] == 12) y->mass[e] *= 100; /* the pair 12, 13 of the fifth body */
    assert_int_equal(saddle_check_mass(&y->s, y->mass), 14);
    y->mass[y->mass_start[4] + 1] = 0;
    assert_int_equal(saddle_check_mass(&y->s, y->mass), 5);
    assert_int_equal(saddle_factor(&y->s, y->mass, y->rows, y->active), SADDLE_MASS);
    discard();
}

/* Operations for each rod do not depend on how many there are. */
static void growth_is_linear(void **state) {
    (void)state;
    uint64_t seed = 8;
    double each[2][2];
    for (int large = 0; large < 2; large++)
        for (int ring = 0; ring < 2; ring++) {
            int n = large ? 900 : 90;
            if (ring) make_ring(n, &seed);
            else make_chain(n, 1, &seed);
            attach();
            each[ring][large] = schur_operations(y->s.schur) / n;
            discard();
        }
    for (int ring = 0; ring < 2; ring++) assert_true(each[ring][1] <= 1.1 * each[ring][0]);
    assert_true(each[0][0] <= 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_agree),   cmocka_unit_test(rows_may_be_left_out),
        cmocka_unit_test(falls_back),           cmocka_unit_test(same_bits),
        cmocka_unit_test(tension_does_no_harm), cmocka_unit_test(four_at_once),
        cmocka_unit_test(reach_is_respected),   cmocka_unit_test(bad_mass_is_told),
        cmocka_unit_test(growth_is_linear),
    };
    if (!sparse_available()) {
        printf("no sparse solver in this build\n");
        return 0;
    }
    y = calloc(1, sizeof *y);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(y);
    return failed;
}
