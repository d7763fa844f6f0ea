/* test_sparse.c - sparse LU and saddle-point systems against the dense kernels.
 *
 * Residuals count in eps times the size of the terms.  Without the library there is nothing to compare. */
#include "testing.h"

#include "linalg/dense.h"
#include "linalg/saddle.h"

#include <float.h>
#include <stdlib.h>

enum { SEEDS = 30, MOST = 80 };

static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

static int below(uint64_t *seed, int n) {
    int i = (int)((draw(seed) + 1) / 2 * n);
    return i < n ? i : n - 1;
}

/* A random M (diagonal and some pairs) and K (two parts), by patterns and as dense matrices. */
struct system {
    int nq, k, first;
    int mass_start[MOST + 1], mass_column[4 * MOST], start[2][MOST + 1], column[2][4 * MOST];
    double mass[4 * MOST], rows[8 * MOST];
    keel_pattern mass_pattern, pattern[2];
    double dense_mass[MOST * MOST], dense_rows[MOST * MOST];
    unsigned char *block;
    struct saddle s;
};

static void fill_values(struct system *y, uint64_t *seed, double spread) {
    double size[MOST];
    memset(y->dense_mass, 0, sizeof y->dense_mass);
    memset(y->dense_rows, 0, sizeof y->dense_rows);
    for (int i = 0; i < y->nq; i++) size[i] = pow(10, spread * draw(seed));
    for (int i = 0; i < y->nq; i++)
        for (int e = y->mass_start[i]; e < y->mass_start[i + 1]; e++) {
            int j = y->mass_column[e];
            y->mass[e] = (i == j ? 2 : 0.3) * size[i] * size[j];
            y->dense_mass[i * y->nq + j] = y->mass[e];
        }
    for (int part = 0, at = 0, row = 0; part < 2; part++)
        for (int i = 0; i < (part ? y->k - y->first : y->first); i++, row++) {
            double weight = pow(10, spread * draw(seed));
            for (int e = y->start[part][i]; e < y->start[part][i + 1]; e++, at++) {
                y->rows[at] = draw(seed) * weight * size[y->column[part][e]];
                y->dense_rows[row * y->nq + y->column[part][e]] = y->rows[at];
            }
        }
}

/* Rows i and nq - 1 - i of M are coupled; row r of K has columns r, r + 2 and one more, in order. */
static void make(struct system *y, uint64_t *seed, int nq, int k, double spread) {
    *y = (struct system){.nq = nq, .k = k, .first = k - k / 3};
    int at = 0;
    for (int i = 0; i < nq; i++) {
        int pair = nq - 1 - i;
        y->mass_start[i] = at;
        if (pair < i) y->mass_column[at++] = pair;
        y->mass_column[at++] = i;
        if (pair > i) y->mass_column[at++] = pair;
    }
    y->mass_start[nq] = at;
    y->mass_pattern = (keel_pattern){at, y->mass_start, y->mass_column};
    for (int part = 0, row = 0; part < 2; part++) {
        int count = part ? k - y->first : y->first;
        at = 0;
        for (int i = 0; i < count; i++, row++) {
            int third = row + 3 + below(seed, nq - row - 3);
            y->start[part][i] = at;
            y->column[part][at++] = row;
            y->column[part][at++] = row + 2;
            y->column[part][at++] = third;
        }
        y->start[part][count] = at;
        y->pattern[part] = (keel_pattern){at, y->start[part], y->column[part]};
    }
    fill_values(y, seed, spread);
    saddle_init(&y->s, nq, &y->mass_pattern, &y->pattern[0], y->first, &y->pattern[1], k - y->first);
    struct arena measure = {0};
    saddle_layout(&y->s, &measure);
    y->block = aligned_alloc(32, measure.used + 32);
    memset(y->block, 0, measure.used + 32);
    struct arena carve = {.base = y->block};
    saddle_layout(&y->s, &carve);
    assert_int_equal(saddle_attach(&y->s), 0);
}

static void discard(struct system *y) {
    saddle_detach(&y->s);
    free(y->block);
}

/* |M d + K^T mu - f| and |K d - c|, each in eps times its own terms, in long double. */
static double residual_of(const struct system *y, const int *active, const double *f, const double *c,
                          const double *d, const double *mu) {
    double worst = 0;
    for (int j = 0; j < y->nq; j++) {
        long double sum = -f[j], size = fabs(f[j]);
        for (int i = 0; i < y->nq; i++) {
            sum += (long double)y->dense_mass[j * y->nq + i] * d[i];
            size += fabs(y->dense_mass[j * y->nq + i] * d[i]);
        }
        for (int i = 0; i < y->k; i++) {
            sum += (long double)y->dense_rows[i * y->nq + j] * mu[i];
            size += fabs(y->dense_rows[i * y->nq + j] * mu[i]);
        }
        if (size > 0) worst = fmax(worst, (double)(fabsl(sum) / size) / DBL_EPSILON);
    }
    for (int i = 0; i < y->k; i++) {
        long double sum = -c[i], size = fabs(c[i]);
        for (int j = 0; j < y->nq; j++) {
            sum += (long double)y->dense_rows[i * y->nq + j] * d[j];
            size += fabs(y->dense_rows[i * y->nq + j] * d[j]);
        }
        if (active[i] && size > 0) worst = fmax(worst, (double)(fabsl(sum) / size) / DBL_EPSILON);
    }
    return worst;
}

/* The dense solution of the whole matrix. */
static void solve_dense(const struct system *y, const double *f, const double *c, double *d, double *mu) {
    static double a[4 * MOST * MOST], b[2 * MOST];
    static int pivot[2 * MOST];
    int nq = y->nq, n = nq + y->k;
    memset(a, 0, sizeof a);
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nq; j++) a[i * n + j] = y->dense_mass[i * nq + j];
    for (int i = 0; i < y->k; i++)
        for (int j = 0; j < nq; j++) a[(nq + i) * n + j] = a[j * n + nq + i] = y->dense_rows[i * nq + j];
    for (int j = 0; j < n; j++) b[j] = j < nq ? f[j] : c[j - nq];
    assert_int_equal(dense_lu(n, a, pivot, NULL), 0);
    dense_lu_solve(n, a, pivot, b);
    memcpy(d, b, (size_t)nq * sizeof *d);
    memcpy(mu, b + nq, (size_t)y->k * sizeof *mu);
}

static void every_row(int *active) {
    for (int i = 0; i < MOST; i++) active[i] = 1;
}

static void solves_as_dense(void **state) {
    (void)state;
    uint64_t seed = 1;
    int active[MOST];
    every_row(active);
    for (int round = 0; round < SEEDS; round++) {
        struct system y;
        double f[MOST], c[MOST], d[MOST], mu[MOST], dense_d[MOST], dense_mu[MOST], size = 0;
        int nq = 12 + below(&seed, 60);
        make(&y, &seed, nq, nq / 2, 0);
        for (int again = 0; again < 3; again++) { /* new values, old pivots */
            if (again) fill_values(&y, &seed, 0);
            int status = saddle_factor(&y.s, y.mass, y.rows, active);
            assert_int_equal(status, SADDLE_FINE);
            for (int j = 0; j < y.nq; j++) d[j] = f[j] = draw(&seed);
            for (int i = 0; i < y.k; i++) mu[i] = c[i] = draw(&seed);
            saddle_solve(&y.s, d, mu);
            solve_dense(&y, f, c, dense_d, dense_mu);
            for (int j = 0; j < y.nq; j++) size = fmax(size, fabs(dense_d[j]));
            for (int j = 0; j < y.nq; j++) assert_true(fabs(d[j] - dense_d[j]) <= 1e-8 * size);
            double worst = residual_of(&y, active, f, c, d, mu);
            if (worst > 1000) fail_msg("round %d: residual of %.3g round-offs", round, worst);
        }
        discard(&y);
    }
}

/* Units of the unknowns and of the rows over 16 decades. */
static void bad_scales_do_no_harm(void **state) {
    (void)state;
    uint64_t seed = 2;
    int active[MOST];
    every_row(active);
    for (int round = 0; round < SEEDS; round++) {
        struct system y;
        double f[MOST], c[MOST], d[MOST], mu[MOST];
        make(&y, &seed, 40, 20, 4);
        int status = saddle_factor(&y.s, y.mass, y.rows, active);
        assert_int_equal(status, SADDLE_FINE);
        for (int j = 0; j < y.nq; j++) f[j] = 0;
        for (int i = 0; i < y.k; i++) {
            double size = 0;
            for (int j = 0; j < y.nq; j++)
                size = fmax(size, fabs(y.dense_rows[i * y.nq + j] / sqrt(y.dense_mass[j * y.nq + j])));
            mu[i] = c[i] = draw(&seed) * size;
        }
        memcpy(d, f, sizeof d);
        saddle_solve(&y.s, d, mu);
        double worst = residual_of(&y, active, f, c, d, mu);
        if (worst > 1e6) fail_msg("round %d: residual of %.3g round-offs", round, worst);
        discard(&y);
    }
}

/* Pivots that served the first matrix vanish in the second: the solution must not notice. */
static void lost_pivots_are_replaced(void **state) {
    (void)state;
    uint64_t seed = 3;
    int active[MOST];
    every_row(active);
    for (int round = 0; round < SEEDS; round++) {
        struct system y;
        double f[MOST], c[MOST], d[MOST], mu[MOST];
        make(&y, &seed, 30, 15, 0);
        assert_int_equal(saddle_factor(&y.s, y.mass, y.rows, active), SADDLE_FINE);
        double tiny = round % 2 ? 0 : 1e-13;
        for (int part = 0, at = 0, row = 0; part < 2; part++)
            for (int i = 0; i < (part ? y.k - y.first : y.first); i++, row++)
                for (int e = y.start[part][i]; e < y.start[part][i + 1]; e++, at++) {
                    int last = e == y.start[part][i + 1] - 1;
                    if (last || (e + round) % 2) continue;
                    y.rows[at] *= tiny;
                    y.dense_rows[row * y.nq + y.column[part][e]] = y.rows[at];
                }
        int status = saddle_factor(&y.s, y.mass, y.rows, active);
        int independent[MOST] = {0}, rank = 0;
        assert_int_equal(saddle_rank(&y.s, y.mass, y.rows, independent), 0);
        for (int i = 0; i < y.k; i++) rank += independent[i];
        assert_int_equal(status == SADDLE_FINE, rank == y.k);
        if (status == SADDLE_FINE) {
            for (int j = 0; j < y.nq; j++) d[j] = f[j] = draw(&seed);
            for (int i = 0; i < y.k; i++) mu[i] = c[i] = draw(&seed);
            saddle_solve(&y.s, d, mu);
            double worst = residual_of(&y, active, f, c, d, mu);
            if (worst > 1000) fail_msg("round %d: residual of %.3g round-offs", round, worst);
        }
        discard(&y);
    }
}

/* Row 4 becomes twice row 1: seen by rank and as singular, solved with the row left out, and solved for
 * consistent right-hand sides at a start. */
static void dependent_rows_are_found(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < SEEDS; round++) {
        struct system y;
        double f[MOST], c[MOST], d[MOST], mu[MOST];
        int active[MOST], independent[MOST] = {0}, left_out = -1, rank = 0;
        every_row(active);
        make(&y, &seed, 30, 12, 1);
        memcpy(y.column[0] + 12, y.column[0] + 3, 3 * sizeof(int));
        saddle_detach(&y.s);
        assert_int_equal(saddle_attach(&y.s), 0); /* the pattern has changed */
        for (int e = 0; e < 3; e++) y.rows[12 + e] = 2 * y.rows[3 + e];
        for (int j = 0; j < y.nq; j++) y.dense_rows[4 * y.nq + j] = 2 * y.dense_rows[1 * y.nq + j];
        assert_int_equal(saddle_factor(&y.s, y.mass, y.rows, active), SADDLE_SINGULAR);
        int weakest = saddle_weakest(&y.s);
        assert_true(weakest == 1 || weakest == 4);
        assert_int_equal(saddle_rank(&y.s, y.mass, y.rows, independent), 0);
        for (int i = 0; i < y.k; i++) {
            rank += independent[i];
            if (!independent[i]) left_out = i;
        }
        assert_int_equal(rank, y.k - 1);
        assert_true(left_out == 1 || left_out == 4);
        for (int i = 0; i < y.k; i++) c[i] = draw(&seed);
        c[4] = 2 * c[1];
        for (int start = 0; start < 2; start++) {
            active[left_out] = start;
            int status = start ? saddle_factor_any(&y.s, y.mass, y.rows, NULL, active)
                               : saddle_factor(&y.s, y.mass, y.rows, active);
            assert_int_equal(status, SADDLE_FINE);
            for (int j = 0; j < y.nq; j++) d[j] = f[j] = draw(&seed);
            memcpy(mu, c, sizeof mu);
            saddle_solve(&y.s, d, mu);
            double worst = residual_of(&y, active, f, c, d, mu);
            if (worst > 1e5) fail_msg("round %d: residual of %.3g round-offs", round, worst);
            if (!start) assert_true(mu[left_out] == 0);
        }
        discard(&y);
    }
}

/* The numbers depend on the anchor and the values, not on what was factored in between, and a copy of the
 * block goes on with the same bits. */
static void same_bits_after_a_copy(void **state) {
    (void)state;
    uint64_t seed = 5;
    int active[MOST];
    every_row(active);
    struct system y;
    double d[3][MOST], mu[3][MOST];
    make(&y, &seed, 50, 25, 0);
    assert_int_equal(saddle_factor(&y.s, y.mass, y.rows, active), SADDLE_FINE);
    fill_values(&y, &seed, 0);
    for (int way = 0; way < 3; way++) {
        if (way == 1) assert_int_equal(saddle_factor_any(&y.s, y.mass, y.rows, NULL, active), SADDLE_FINE);
        if (way == 2) {
            saddle_detach(&y.s);
            assert_int_equal(saddle_attach(&y.s), 0);
        }
        assert_int_equal(saddle_factor(&y.s, y.mass, y.rows, active), SADDLE_FINE);
        for (int j = 0; j < y.nq; j++) d[way][j] = sin(j);
        for (int i = 0; i < y.k; i++) mu[way][i] = cos(i);
        saddle_solve(&y.s, d[way], mu[way]);
        assert_memory_equal(d[0], d[way], (size_t)y.nq * sizeof(double));
        assert_memory_equal(mu[0], mu[way], (size_t)y.k * sizeof(double));
    }
    discard(&y);
}

/* Columns that may not move stay, and the rest is the shortest change in the norm of the reach. */
static void reach_is_respected(void **state) {
    (void)state;
    uint64_t seed = 6;
    int active[MOST];
    every_row(active);
    struct system y;
    double reach[MOST], d[MOST] = {0}, mu[MOST], c[MOST];
    make(&y, &seed, 40, 10, 0);
    for (int j = 0; j < y.nq; j++) reach[j] = j % 5 == 1 ? 0 : 1 + j % 3;
    for (int i = 0; i < y.k; i++) mu[i] = c[i] = draw(&seed);
    assert_int_equal(saddle_factor_any(&y.s, y.mass, y.rows, reach, active), SADDLE_FINE);
    saddle_solve(&y.s, d, mu);
    for (int j = 0; j < y.nq; j++) {
        double pull = 0; /* d_j = -reach_j^2 (K^T mu)_j */
        for (int i = 0; i < y.k; i++) pull += y.dense_rows[i * y.nq + j] * mu[i];
        if (reach[j] == 0) assert_true(d[j] == 0);
        assert_true(fabs(d[j] + reach[j] * reach[j] * pull) <= 1e-12 * (1 + fabs(d[j])));
    }
    for (int i = 0; i < y.k; i++) {
        double sum = -c[i];
        for (int j = 0; j < y.nq; j++) sum += y.dense_rows[i * y.nq + j] * d[j];
        assert_true(fabs(sum) <= 1e-12);
    }
    discard(&y);
}

/* A diagonal entry that is not positive is told as such. */
static void bad_mass_is_told(void **state) {
    (void)state;
    uint64_t seed = 7;
    int active[MOST];
    every_row(active);
    struct system y;
    make(&y, &seed, 20, 5, 0);
    assert_int_equal(saddle_check_mass(&y.s, y.mass), 0);
    y.mass[y.mass_start[18]] *= 10; /* the pair 1, 18: beyond the diagonal's mean */
    int row = saddle_check_mass(&y.s, y.mass);
    assert_true(row == 2 || row == 19);
    y.mass[y.mass_start[7] + (y.nq - 1 - 7 < 7)] = 0;
    assert_int_equal(saddle_check_mass(&y.s, y.mass), 8);
    assert_int_equal(saddle_factor(&y.s, y.mass, y.rows, active), SADDLE_MASS);
    discard(&y);
}

/* Factors of a chain have a fixed number of entries per link. */
static void a_chain_fills_linearly(void **state) {
    (void)state;
    double per_link[2];
    for (int round = 0; round < 2; round++) {
        int n = round ? 20000 : 200, at = 0;
        int *start = calloc((size_t)n + 1, sizeof *start), *column = calloc(4 * (size_t)n, sizeof *column);
        int *active = calloc((size_t)n, sizeof *active);
        double *rows = calloc(4 * (size_t)n, sizeof *rows);
        for (int i = 0; i < n; i++) {
            start[i] = at;
            for (int part = 0; part < 2; part++)
                for (int end = i ? i - 1 : 0; end <= i; end++) {
                    rows[at] = (end == i ? 1 : -1) * (part ? sin(i) : cos(i));
                    column[at++] = part * n + end;
                }
            active[i] = 1;
        }
        start[n] = at;
        keel_pattern pattern = {at, start, column};
        struct saddle s;
        struct arena measure = {0};
        saddle_init(&s, 2 * n, NULL, &pattern, n, NULL, 0);
        saddle_layout(&s, &measure);
        unsigned char *block = aligned_alloc(32, measure.used + 32);
        memset(block, 0, measure.used + 32);
        struct arena carve = {.base = block};
        saddle_layout(&s, &carve);
        assert_int_equal(saddle_attach(&s), 0);
        schur_close(s.schur); /* the whole system is meant here */
        s.schur = NULL;
        assert_int_equal(saddle_factor(&s, NULL, rows, active), SADDLE_FINE);
        per_link[round] = (double)sparse_entries(s.lu) / n;
        saddle_detach(&s);
        free(block), free(start), free(column), free(active), free(rows);
    }
    assert_true(per_link[0] > 0 && per_link[1] <= 1.1 * per_link[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_as_dense),          cmocka_unit_test(bad_scales_do_no_harm),
        cmocka_unit_test(lost_pivots_are_replaced), cmocka_unit_test(dependent_rows_are_found),
        cmocka_unit_test(same_bits_after_a_copy),   cmocka_unit_test(reach_is_respected),
        cmocka_unit_test(bad_mass_is_told),         cmocka_unit_test(a_chain_fills_linearly),
    };
    if (!sparse_available()) {
        printf("no sparse solver in this build\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
