/* test_factors.c - LU and Cholesky factors against independent computations in long double. */
#include "testing.h"
#include "matrices.h"

#include "linalg/dense.h"
#include "linalg/rowspace.h"
#include "linalg/small.h"

#include <float.h>

/* max |A x - b| in eps times |A| |x|. */
static double residual_of(int n, const double *a, const double *x, const double *b) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        long double sum = -b[i], size = 0;
        for (int j = 0; j < n; j++) {
            sum += (long double)a[i * n + j] * x[j];
            size += fabsl((long double)a[i * n + j] * x[j]);
        }
        worst = fmax(worst, (double)(fabsl(sum) / size) / DBL_EPSILON);
    }
    return worst;
}

static void lu_solves_to_round_off(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < SEEDS; k++) {
            double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST], sure[MOST];
            int pivot[MOST];
            draw_many(&seed, n * n, a);
            draw_many(&seed, n, b);
            memcpy(lu, a, sizeof a);
            memcpy(x, b, sizeof b);
            assert_int_equal(dense_lu(n, lu, pivot, NULL), 0);
            dense_lu_solve(n, lu, pivot, x);
            assert_below(residual_of(n, a, x, b), 8 * n);
            solve_long(n, a, b, sure);
            for (int i = 0; i < n; i++) assert_below(fabs(x[i] - sure[i]), 1e-9 * largest(n, sure));
        }
}

static void lu_exchanges_rows_where_the_diagonal_is_zero(void **state) {
    (void)state;
    double a[9] = {0, 2, 1, 1, 0, 0, 0, 1, 0}, b[3] = {7, 5, 3};
    int pivot[3];
    assert_int_equal(dense_lu(3, a, pivot, NULL), 0);
    dense_lu_solve(3, a, pivot, b);
    assert_below(fabs(b[0] - 5) + fabs(b[1] - 3) + fabs(b[2] - 1), 0);
}

/* Scaling rows by powers of two must not change the answer's accuracy, only the chosen pivots. */
static void lu_stands_rows_and_columns_of_different_size(void **state) {
    (void)state;
    uint64_t seed = 2;
    int n = 8;
    for (int k = 0; k < SEEDS; k++) {
        double a[64], lu[64], b[8], x[8];
        int pivot[8];
        draw_many(&seed, 64, a);
        draw_many(&seed, 8, b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) a[i * n + j] = ldexp(a[i * n + j], 5 * j - 20);
        memcpy(lu, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_int_equal(dense_lu(n, lu, pivot, NULL), 0);
        dense_lu_solve(n, lu, pivot, x);
        assert_below(residual_of(n, a, x, b), 8 * n);
    }
}

static void lu_names_the_column_without_a_pivot(void **state) {
    (void)state;
    double twice[9] = {1, 2, 3, 2, 4, 5, 3, 6, 8}, empty[4] = {1, 0, 2, 0}, nothing[1] = {0};
    double not_a_number[4] = {1, 2, NAN, 3};
    int pivot[3];
    assert_int_equal(dense_lu(3, twice, pivot, NULL), 2);
    assert_int_equal(dense_lu(2, empty, pivot, NULL), 2);
    assert_int_equal(dense_lu(1, nothing, pivot, NULL), 1);
    assert_true(dense_lu(2, not_a_number, pivot, NULL) > 0);
}

/* The last row is the sum of the others (which are well conditioned), up to the rounding of that sum. */
static void lu_sees_a_dependence_hidden_in_round_off(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int n = 3; n <= 12; n++)
        for (int k = 0; k < SEEDS; k++) {
            double a[144] = {0};
            int pivot[12];
            draw_many(&seed, n * (n - 1), a);
            for (int i = 0; i < n - 1; i++) {
                a[i * n + i] += n;
                for (int j = 0; j < n; j++) a[(n - 1) * n + j] += a[i * n + j];
            }
            assert_true(dense_lu(n, a, pivot, NULL) > 0);
        }
}

/* a = s s^T + shift I */
static void draw_positive(uint64_t *seed, int n, double shift, double *a) {
    double s[MOST * MOST];
    draw_many(seed, n * n, s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = i == j ? shift : 0;
            for (int k = 0; k < n; k++) a[i * n + j] += s[i * n + k] * s[j * n + k];
        }
}

/* l_ij of a factor, which has 1 / l_ii on its diagonal. */
static long double entry(int n, const double *l, int i, int j) {
    return i == j ? 1 / (long double)l[i * n + i] : l[i * n + j];
}

static void cholesky_gives_back_the_matrix_and_solves(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < SEEDS; k++) {
            double a[MOST * MOST], l[MOST * MOST], b[MOST], x[MOST], sure[MOST];
            draw_positive(&seed, n, 0.1, a);
            draw_many(&seed, n, b);
            memcpy(l, a, sizeof a);
            memcpy(x, b, sizeof b);
            assert_int_equal(dense_cholesky(n, l, NULL), 0);
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++) {
                    long double sum = -a[i * n + j];
                    for (int c = 0; c <= j; c++) sum += entry(n, l, i, c) * entry(n, l, j, c);
                    assert_below(fabs((double)sum), (n + 1) * DBL_EPSILON * largest(n * n, a));
                }
            dense_lower_solve(n, l, x);
            dense_lower_t_solve(n, l, x);
            assert_below(residual_of(n, a, x, b), 8 * n);
            solve_long(n, a, b, sure);
            for (int i = 0; i < n; i++) assert_below(fabs(x[i] - sure[i]), 1e-9 * largest(n, sure));
        }
}

static void cholesky_reads_only_the_lower_triangle(void **state) {
    (void)state;
    double a[9] = {4, NAN, NAN, 2, 5, NAN, 2, 3, 6};
    assert_int_equal(dense_cholesky(3, a, NULL), 0);
    assert_below(fabs(a[0] - 0.5) + fabs(a[3] - 1) + fabs(a[4] - 0.5) + fabs(a[6] - 1) + fabs(a[7] - 1), 0);
    assert_below(fabs(a[8] - 0.5), 0);
}

static void cholesky_names_the_row_that_is_not_positive(void **state) {
    (void)state;
    double negative[4] = {1, 2, 2, 3}, zero[1] = {0}, first[4] = {-1, 0, 0, 1}, flat[4] = {1, 1, 1, 1};
    double not_a_number[4] = {1, 0, NAN, 1};
    assert_int_equal(dense_cholesky(2, negative, NULL), 2);
    assert_int_equal(dense_cholesky(1, zero, NULL), 1);
    assert_int_equal(dense_cholesky(2, first, NULL), 1);
    assert_int_equal(dense_cholesky(2, flat, NULL), 2);
    assert_true(dense_cholesky(2, not_a_number, NULL) > 0);
}

static void triangular_solves_and_products_undo_each_other(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int n = 1; n <= MOST; n++) {
        double a[MOST * MOST], b[MOST], x[MOST];
        draw_positive(&seed, n, 1, a);
        draw_many(&seed, n, b);
        assert_int_equal(dense_cholesky(n, a, NULL), 0);
        memcpy(x, b, sizeof b);
        dense_lower_t_multiply(n, a, x);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = i; k < n; k++) sum += (double)entry(n, a, k, i) * b[k];
            assert_below(fabs(x[i] - sum), n * DBL_EPSILON * 10);
        }
        dense_lower_t_solve(n, a, x);
        for (int i = 0; i < n; i++) assert_below(fabs(x[i] - b[i]), 1e-13);
        dense_lower_solve(n, a, x);
        for (int i = 0; i < n; i++) {
            double sum = -b[i];
            for (int j = 0; j <= i; j++) sum += (double)entry(n, a, i, j) * x[j];
            assert_below(fabs(sum), 1e-13);
        }
    }
}

/* Rows of a positive matrix that begin at random columns: what is before them is not looked at, and all
 * numbers are those of the full matrix. */
static void a_profile_leaves_out_zeros(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < SEEDS; k++) {
            double s[MOST * MOST] = {0}, a[MOST * MOST] = {0}, full[MOST * MOST], b[MOST], x[MOST], y[MOST];
            int first[MOST];
            draw_many(&seed, n * n, s);
            draw_many(&seed, n, b);
            for (int i = 0; i < n; i++) {
                first[i] = (int)((s[i] + 1) / 2 * (i + 0.999));
                for (int j = first[i]; j < i; j++) a[i * n + j] = s[i * n + j];
                a[i * n + i] = n + 1;
            }
            memcpy(full, a, sizeof a);
            assert_int_equal(dense_cholesky(n, full, NULL), 0);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < first[i]; j++) a[i * n + j] = NAN;
            for (int i = 0; i < n; i++) assert_true(small_cholesky_row(n, first, a, i));
            for (int i = 0; i < n; i++)
                for (int j = first[i]; j <= i; j++) assert_true(a[i * n + j] == full[i * n + j]);
            memcpy(x, b, sizeof b), memcpy(y, b, sizeof b);
            small_lower_solve(n, first, a, x), dense_lower_solve(n, full, y);
            for (int i = 0; i < n; i++) assert_true(x[i] == y[i]);
            small_lower_t_multiply(n, first, a, x), dense_lower_t_multiply(n, full, y);
            for (int i = 0; i < n; i++) assert_true(x[i] == y[i]);
            small_lower_t_solve(n, first, a, x), dense_lower_t_solve(n, full, y);
            for (int i = 0; i < n; i++) assert_true(x[i] == y[i]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves_to_round_off),
        cmocka_unit_test(lu_exchanges_rows_where_the_diagonal_is_zero),
        cmocka_unit_test(lu_stands_rows_and_columns_of_different_size),
        cmocka_unit_test(lu_names_the_column_without_a_pivot),
        cmocka_unit_test(lu_sees_a_dependence_hidden_in_round_off),
        cmocka_unit_test(cholesky_gives_back_the_matrix_and_solves),
        cmocka_unit_test(cholesky_reads_only_the_lower_triangle),
        cmocka_unit_test(cholesky_names_the_row_that_is_not_positive),
        cmocka_unit_test(triangular_solves_and_products_undo_each_other),
        cmocka_unit_test(a_profile_leaves_out_zeros),
    };
    return cmocka_run_group_tests_name("linalg", tests, NULL, NULL);
}
