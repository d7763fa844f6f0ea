/* test_fronts.c - the factors of a large sparse matrix by fronts: they solve what they should, whatever
 * pivots the numbers ask for, and their size grows with the matrix where its graph is a line or a plane. */
#include "testing.h"

#include "symbolic/series.h"

#include <stdlib.h>

#define SOURCE(...) __VA_ARGS__
#include "symbolic/series_fronts.def"

static unsigned long seed;

static double chance(void) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (double)(seed >> 33) / 2147483648.;
}

/* Rows of a matrix, entry after entry; nothing is listed twice. */
struct matrix {
    struct derive_sparse pattern;
    double *value;
};

static struct matrix matrix_open(int m, int most) {
    struct matrix a = {.pattern = {.rows = m, .columns = m}};
    a.pattern.row_start = calloc((size_t)m + 1, sizeof(int));
    a.pattern.column = calloc((size_t)most, sizeof(int));
    a.value = calloc((size_t)most, sizeof(double));
    assert_true(a.pattern.row_start && a.pattern.column && a.value);
    return a;
}

static void matrix_add(struct matrix *a, int row, int column, double value) {
    int *end = &a->pattern.row_start[row + 1];
    if (*end < a->pattern.row_start[row]) *end = a->pattern.row_start[row];
    for (int e = a->pattern.row_start[row]; e < *end; e++)
        if (a->pattern.column[e] == column) return;
    a->pattern.column[*end] = column;
    a->value[(*end)++] = value;
}

static void matrix_close(struct matrix *a) {
    free(a->pattern.row_start);
    free(a->pattern.column);
    free(a->value);
}

static struct keel_fronts tables_of(const struct series_fronts *f) {
    return (struct keel_fronts){f->m,     f->entries, f->factors, f->largest, f->stack,
                                f->shape, f->column,  f->onto,    f->slot,    f->to};
}

/* The largest residual of A x = b, in the largest |A| |x|; -1: singular. */
static double residual(const struct matrix *a, const struct series_fronts *f) {
    int m = f->m;
    const struct keel_fronts tables = tables_of(f);
    double *value = malloc((size_t)series_fronts_room(f) * sizeof *value), *x = malloc((size_t)m * sizeof *x);
    double *b = malloc((size_t)m * sizeof *b), most = 0, size = 0;
    assert_true(value && x && b);
    for (int e = 0; e < f->entries; e++) value[e] = a->value[f->from[e]];
    for (int i = 0; i < m; i++) b[i] = x[i] = chance() - 0.5;
    int singular = keel_fronts_factor(&tables, value);
    if (!singular) keel_fronts_solve(&tables, value, x);
    for (int i = 0; i < m && !singular; i++) {
        double sum = -b[i], terms = 0;
        for (int e = a->pattern.row_start[i]; e < a->pattern.row_start[i + 1]; e++) {
            sum += a->value[e] * x[a->pattern.column[e]];
            terms += fabs(a->value[e] * x[a->pattern.column[e]]);
        }
        most = fmax(most, fabs(sum));
        size = fmax(size, terms);
    }
    free(value);
    free(x);
    free(b);
    return singular ? -1 : most / size;
}

static void assert_solved(const struct matrix *a) {
    struct series_fronts f;
    assert_int_equal(series_fronts_find(&f, &a->pattern), 0);
    double off = residual(a, &f);
    assert_true(off >= 0);
    assert_below(off, 1e-13);
    series_fronts_free(&f);
}

/* Any pattern, also with rows and columns that are full, and no entry of the diagonal to rely on. */
static void random_matrices_are_solved(void **state) {
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        int m = 1 + (int)(60 * chance()), full = (int)(8 * chance());
        struct matrix a = matrix_open(m, m * m);
        for (int i = 0; i < m; i++) {
            matrix_add(&a, i, (i + 7 * trial) % m, 1e-3 + chance()); /* not singular by structure */
            for (int k = 0; k < 3; k++) matrix_add(&a, i, (int)(m * chance()), chance() - 0.5);
            if (full & 1) matrix_add(&a, i, m / 2, chance() - 0.5);
            for (int j = 0; j < m && (full & 2) && i == m / 3; j++) matrix_add(&a, i, j, chance() - 0.5);
            for (int j = 0; j < m && full == 4; j++) matrix_add(&a, i, j, chance() - 0.5);
        }
        assert_solved(&a);
        matrix_close(&a);
    }
}

/* Masses 1 in a line, held together by constraints: zeros below, where multipliers have no entry. */
static struct matrix chain(int rods) {
    struct matrix a = matrix_open(2 * rods, 8 * rods);
    for (int i = 0; i < rods; i++) {
        matrix_add(&a, i, i, 1);
        matrix_add(&a, i, rods + i, 1 + chance());
        if (i + 1 < rods) matrix_add(&a, i, rods + i + 1, -1 - chance());
    }
    for (int i = 0; i < rods; i++) {
        matrix_add(&a, rods + i, i, 1 + chance());
        if (i > 0) matrix_add(&a, rods + i, i - 1, -1 - chance());
    }
    return a;
}

static struct matrix plane(int side) {
    struct matrix a = matrix_open(side * side, 5 * side * side);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            int row = i * side + j;
            matrix_add(&a, row, row, 1e-8);
            if (i > 0) matrix_add(&a, row, row - side, chance());
            if (i + 1 < side) matrix_add(&a, row, row + side, chance());
            if (j > 0) matrix_add(&a, row, row - 1, chance());
            if (j + 1 < side) matrix_add(&a, row, row + 1, chance());
        }
    return a;
}

static double factors_of(const struct matrix *a) {
    struct series_fronts f;
    assert_int_equal(series_fronts_find(&f, &a->pattern), 0);
    double factors = f.factors;
    series_fronts_free(&f);
    return factors;
}

static void lines_and_planes_fill_little(void **state) {
    (void)state;
    struct matrix line = chain(1000), longer = chain(10000), small = plane(20), large = plane(80);
    assert_solved(&line);
    assert_solved(&small);
    assert_solved(&large);
    assert_below(factors_of(&line), 20. * line.pattern.rows);
    assert_below(factors_of(&longer), 10.5 * factors_of(&line));
    assert_below(factors_of(&large), 16 * 2.5 * factors_of(&small)); /* n log n; a band's n^(3/2) were 64 */
    matrix_close(&line);
    matrix_close(&longer);
    matrix_close(&small);
    matrix_close(&large);
}

/* One unknown in all rows costs one column, and no time that grows with the square. */
static void a_full_column_comes_last(void **state) {
    (void)state;
    enum { M = 4000 };
    struct matrix a = matrix_open(M, 4 * M);
    for (int i = 0; i < M; i++) {
        matrix_add(&a, i, i, 2 + chance());
        if (i > 0) matrix_add(&a, i, i - 1, chance());
        if (i + 1 < M) matrix_add(&a, i, i + 1, chance());
        matrix_add(&a, i, 0, chance());
    }
    assert_solved(&a);
    assert_below(factors_of(&a), 20. * M);
    matrix_close(&a);
}

static void what_has_no_solution_is_told(void **state) {
    (void)state;
    struct series_fronts f;
    struct matrix a = matrix_open(3, 9);
    for (int i = 0; i < 3; i++) matrix_add(&a, i, i % 2, 1); /* no row has the last unknown */
    assert_int_equal(series_fronts_find(&f, &a.pattern), 1);
    matrix_close(&a);
    a = matrix_open(2, 4);
    for (int i = 0; i < 4; i++) matrix_add(&a, i / 2, i % 2, 1); /* two equal rows */
    assert_int_equal(series_fronts_find(&f, &a.pattern), 0);
    assert_true(residual(&a, &f) < 0);
    series_fronts_free(&f);
    matrix_close(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_are_solved),
        cmocka_unit_test(lines_and_planes_fill_little),
        cmocka_unit_test(a_full_column_comes_last),
        cmocka_unit_test(what_has_no_solution_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
