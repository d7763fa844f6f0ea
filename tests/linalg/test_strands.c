/* test_strands.c - chains that are eliminated from both ends (linalg/schur_strands.c): each row has the bits
 * of a row by itself, whatever the length, in the plane and in space, numbered by points or coordinates. */
#include "testing.h"

#include "linalg/schur_private.h"
#include "linalg/sparse.h"

#include <stdlib.h>

enum { MOST = 64, NUMBERS = 3 * MOST, ENTRIES = 6 * MOST };

static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

/* n points in d dimensions, row i between points i - 1 and i. */
struct chain {
    int n, d, start[MOST + 1], column[ENTRIES], mass_start[NUMBERS + 1], mass_column[NUMBERS], active[MOST];
    double k[ENTRIES], mass[NUMBERS], f[NUMBERS], c[MOST];
    keel_pattern pattern, mass_pattern;
};

/* by_points: x_1 y_1 x_2 y_2 ..; else x_1 x_2 .. y_1 y_2 .. */
static void make(struct chain *y, int n, int d, int by_points, uint64_t *seed) {
    int at = 0;
    y->n = n, y->d = d;
    for (int i = 0; i < n; i++) {
        y->start[i] = at;
        y->active[i] = 1;
        y->c[i] = draw(seed);
        for (int e = 0; e < 2 * d; e++) {
            int p = by_points ? e % d : e / 2, point = i - 1 + (by_points ? e / d : e % 2);
            if (point >= 0)
                y->column[at] = by_points ? d * point + p : p * n + point, y->k[at++] = draw(seed);
        }
    }
    y->start[n] = at;
    for (int j = 0; j < d * n; j++) {
        y->mass_start[j] = y->mass_column[j] = j;
        y->mass[j] = 1.5 + draw(seed);
        y->f[j] = draw(seed);
    }
    y->mass_start[d * n] = d * n;
    y->pattern = (keel_pattern){at, y->start, y->column};
    y->mass_pattern = (keel_pattern){d * n, y->mass_start, y->mass_column};
}

static struct schur *open_chain(const struct chain *y, int unit) {
    const keel_pattern *const part[] = {&y->pattern, NULL};
    const int count[] = {y->n, 0};
    int starved;
    struct schur *s = schur_open(y->d * y->n, unit ? NULL : &y->mass_pattern, part, count, 1e9, &starved);
    assert_non_null(s);
    assert_int_equal(schur_weigh(s, y->mass), 0);
    return s;
}

/* One way to solve: 0 exactly, 1 not, 2 factored and solved at once, 3 the shortest.  1: no pivots. */
static int solve(struct schur *s, struct chain *y, int way, double *d, double *mu) {
    memcpy(d, y->f, sizeof y->f);
    memcpy(mu, y->c, sizeof y->c);
    if (way == 2) return schur_factor_solve(s, y->k, y->active, d, mu);
    if (schur_factor(s, y->k, y->active)) return 1;
    if (way == 3) schur_shortest(s, y->c, d);
    else schur_solve(s, d, mu, way == 0);
    return 0;
}

/* Those that were not asked for have the bits of the rows alone, whose loops other tests compare. */
static void same_bits(struct chain *y, int unit) {
    struct schur *strands = open_chain(y, unit), *alone = open_chain(y, unit);
    double d[2][NUMBERS], mu[2][MOST];
    assert_int_equal(strands->sweep.dimension, y->d);
    /* but for the ends, and one of an odd number */
    assert_true(strands->sweep.end - strands->sweep.begin >= y->n - 3);
    alone->sweep.end = 0;
    for (int way = 0; way < 4; way++) {
        assert_int_equal(solve(strands, y, way, d[0], mu[0]), 0);
        assert_int_equal(solve(alone, y, way, d[1], mu[1]), 0);
        assert_memory_equal(d[0], d[1], (size_t)(y->d * y->n) * sizeof(double));
        assert_memory_equal(mu[0], mu[1], (size_t)y->n * sizeof(double));
    }
    schur_close(strands);
    schur_close(alone);
}

static void strands_have_the_bits_of_rows(void **state) {
    (void)state;
    static struct chain y;
    uint64_t seed = 1;
    for (int n = 8; n <= MOST; n++)
        for (int kind = 0; kind < 8; kind++) {
            make(&y, n, 2 + kind % 2, kind / 2 % 2, &seed);
            if (n % 3 == 0) y.active[n / 2] = y.active[n / 3] = 0;
            same_bits(&y, kind / 4);
        }
}

/* K d = c of what was found, and M d + K^T mu = f. */
static void strands_solve(void **state) {
    (void)state;
    static struct chain y;
    uint64_t seed = 2;
    for (int way = 0; way < 3; way++) {
        double d[NUMBERS], mu[MOST];
        make(&y, 40, 2, 0, &seed);
        struct schur *s = open_chain(&y, 0);
        assert_int_equal(solve(s, &y, way, d, mu), 0);
        for (int i = 0; i < y.n; i++) {
            double off = -y.c[i];
            for (int e = y.start[i]; e < y.start[i + 1]; e++) {
                off += y.k[e] * d[y.column[e]];
                y.f[y.column[e]] -= y.k[e] * mu[i];
            }
            assert_true(fabs(off) <= 1e-9);
        }
        for (int j = 0; j < 2 * y.n; j++) assert_true(fabs(y.f[j] - y.mass[j] * d[j]) <= 1e-9);
        schur_close(s);
    }
}

/* A row that is no number, or that others have already, has no pivot, wherever it is. */
static void bad_rows_are_found(void **state) {
    (void)state;
    static struct chain y;
    static const double bad[] = {NAN, HUGE_VAL};
    double d[NUMBERS], mu[MOST];
    uint64_t seed = 3;
    for (int i = 0; i < 40; i++)
        for (int kind = 0; kind < 3; kind++) {
            make(&y, 40, 2, 0, &seed);
            struct schur *s = open_chain(&y, 1);
            for (int e = y.start[i]; e < y.start[i + 1]; e++)
                if (kind < 2 && e % 2) y.k[e] = bad[kind];
                else if (kind == 2) y.k[e] = 0;
            for (int way = 0; way < 3; way++) assert_int_equal(solve(s, &y, way, d, mu), 1);
            schur_close(s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_have_the_bits_of_rows),
        cmocka_unit_test(strands_solve),
        cmocka_unit_test(bad_rows_are_found),
    };
    if (!sparse_available()) return 0; /* nothing is large without it */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
