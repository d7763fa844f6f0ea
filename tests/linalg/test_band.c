/* test_band.c - factors of band matrices, real and complex, and the order that makes a matrix one.
 *
 * A residual counts in eps times the size of its row and of the solution. */
#include "testing.h"

#include "linalg/band.h"

#include <float.h>
#include <stdlib.h>

enum { WIDEST = 6, LONGEST = 60 };

static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

/* A band with rows of different size; `weight` is added to the diagonal. */
struct matrix {
    int n, lower, upper, parts;
    double value[LONGEST * (2 * WIDEST + 1) * 2];
};

static double *entry(struct matrix *m, int i, int j) {
    return m->value + ((long)i * (m->lower + 1 + m->upper) + j - i + m->lower) * m->parts;
}

static int inside(const struct matrix *m, int i, int j) {
    return j >= 0 && j < m->n && j >= i - m->lower && j <= i + m->upper;
}

static void make(struct matrix *m, uint64_t *seed, double weight) {
    memset(m->value, 0, sizeof m->value);
    for (int i = 0; i < m->n; i++) {
        double unit = pow(10, 6 * draw(seed));
        for (int j = i - m->lower; j <= i + m->upper; j++)
            for (int part = 0; part < m->parts && inside(m, i, j); part++)
                entry(m, i, j)[part] = unit * (draw(seed) + (i == j && part == 0 ? weight : 0));
    }
}

static double residual(struct matrix *m, const double *x, const double *b) {
    double worst = 0, largest = 0;
    for (int i = 0; i < m->parts * m->n; i++) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < m->n; i++) {
        double sum[2] = {-b[m->parts * i], m->parts > 1 ? -b[2 * i + 1] : 0};
        double size = fabs(sum[0]) + fabs(sum[1]);
        for (int j = 0; j < m->n; j++) {
            if (!inside(m, i, j)) continue;
            const double *a = entry(m, i, j), *v = x + m->parts * j;
            double im = m->parts > 1 ? a[1] : 0, v_im = m->parts > 1 ? v[1] : 0;
            sum[0] += a[0] * v[0] - im * v_im;
            sum[1] += a[0] * v_im + im * v[0];
            size += (fabs(a[0]) + fabs(im)) * largest;
        }
        worst = fmax(worst, (fabs(sum[0]) + fabs(sum[1])) / (DBL_EPSILON * size));
    }
    return worst;
}

static double solve(struct matrix *m, struct band *b, uint64_t *seed) {
    double x[2 * LONGEST], right[2 * LONGEST];
    for (int i = 0; i < m->parts * m->n; i++) x[i] = right[i] = draw(seed);
    assert_int_equal(band_factor(b, m->value), 0);
    band_solve(b, x);
    return residual(m, x, right);
}

static void all_widths(double weight, double allowed) {
    uint64_t seed = 3;
    for (int lower = 0; lower <= WIDEST; lower++)
        for (int upper = 0; upper <= WIDEST; upper++)
            for (int n = 1; n <= LONGEST; n += n < 9 ? 1 : 17)
                for (int complex = 0; complex < 2; complex++) {
                    static struct matrix m;
                    m = (struct matrix){.n = n, .lower = lower, .upper = upper, .parts = 1 + complex};
                    struct band *b = band_open(n, lower, upper, complex);
                    assert_non_null(b);
                    make(&m, &seed, weight);
                    assert_below(solve(&m, b, &seed), allowed);
                    band_close(b);
                }
}

static void factors_without_interchanges_solve_to_round_off(void **state) {
    (void)state;
    all_widths(4 * WIDEST, 10);
}

static void factors_with_interchanges_solve_to_round_off(void **state) {
    (void)state;
    all_widths(0, 100);
}

/* What was factored before does not matter, whether rows were interchanged or not. */
static void factors_follow_from_the_values_alone(void **state) {
    (void)state;
    uint64_t seed = 5;
    static struct matrix m, other;
    m = other = (struct matrix){.n = 40, .lower = 2, .upper = 3, .parts = 1};
    struct band *b = band_open(40, 2, 3, 0);
    double x[40], again[40];
    make(&m, &seed, 20);
    make(&other, &seed, 0);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 40; i++) x[i] = i + 1;
        assert_int_equal(band_factor(b, m.value), 0);
        band_solve(b, x);
        if (k > 0) assert_memory_equal(x, again, sizeof x);
        memcpy(again, x, sizeof x);
        assert_int_equal(band_factor(b, other.value), 0);
    }
    band_close(b);
}

static void a_singular_matrix_has_no_factors(void **state) {
    (void)state;
    for (int complex = 0; complex < 2; complex++) {
        static struct matrix m;
        uint64_t seed = 7;
        m = (struct matrix){.n = 12, .lower = 1, .upper = 1, .parts = 1 + complex};
        struct band *b = band_open(12, 1, 1, complex);
        make(&m, &seed, 4);
        for (int i = 4; i <= 6; i++)
            for (int part = 0; part < m.parts; part++) entry(&m, i, 5)[part] = 0;
        assert_int_equal(band_factor(b, m.value), 1);
        band_close(b);
    }
}

/* A line of points with two unknowns each, all first ones before all second ones: two diagonals beside. */
static void an_order_brings_neighbours_together(void **state) {
    (void)state;
    enum { POINTS = 50, N = 2 * POINTS };
    int start[N + 1] = {0}, row[4 * N], position[N], lower, upper, seen[N] = {0};
    for (int j = 0, at = 0; j < N; j++) {
        int point = j % POINTS, partner = j < POINTS ? j + POINTS : j - POINTS;
        int list[4] = {point > 0 ? j - 1 : -1, j, point < POINTS - 1 ? j + 1 : -1, partner};
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 4; k++)
                if (list[k] == i) row[at++] = i;
        start[j + 1] = at;
    }
    assert_int_equal(band_order(N, start, row, position, &lower, &upper), 1);
    assert_in_range(lower, 1, 2);
    assert_in_range(upper, 1, 2);
    for (int i = 0; i < N; i++) seen[position[i]]++;
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
}

/* An unknown that all others depend on; parts that do not depend on each other. */
static void an_order_is_found_where_there_is_one(void **state) {
    (void)state;
    enum { N = 60 };
    int start[N + 1] = {0}, row[3 * N], position[N], lower, upper;
    for (int j = 0, at = 0; j < N; j++) {
        if (j > 0) row[at++] = 0;
        row[at++] = j;
        start[j + 1] = at;
    }
    assert_int_equal(band_order(N, start, row, position, &lower, &upper), 0);
    for (int i = 0; i < N; i++) assert_int_equal(position[i], i);
    for (int j = 0; j < N; j++) { /* j and N - 1 - j */
        int other = N - 1 - j;
        row[2 * j] = j < other ? j : other;
        row[2 * j + 1] = j < other ? other : j;
        start[j + 1] = 2 * j + 2;
    }
    assert_int_equal(band_order(N, start, row, position, &lower, &upper), 1);
    assert_int_equal(lower, 1);
    assert_int_equal(upper, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_without_interchanges_solve_to_round_off),
        cmocka_unit_test(factors_with_interchanges_solve_to_round_off),
        cmocka_unit_test(factors_follow_from_the_values_alone),
        cmocka_unit_test(a_singular_matrix_has_no_factors),
        cmocka_unit_test(an_order_brings_neighbours_together),
        cmocka_unit_test(an_order_is_found_where_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
