/* test_svd.c - QR factors and singular values of random matrices: orthogonality, products, known ranks. */
#include "testing.h"

#include "linalg/qr.h"
#include "linalg/svd.h"

enum { ROWS = 12, COLUMNS = 5 };

static double number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

/* |A x - b| is smallest: the residual is orthogonal to the columns; and R^T R is A^T A. */
static void qr_solves_least_squares(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 50; round++) {
        int n = 1 + round % COLUMNS;
        double a[ROWS * COLUMNS], f[ROWS * COLUMNS], d[COLUMNS], b[ROWS], x[ROWS], y[COLUMNS];
        for (int i = 0; i < ROWS * n; i++) f[i] = a[i] = number(&seed);
        for (int i = 0; i < ROWS; i++) x[i] = b[i] = number(&seed);
        qr_factor(ROWS, n, f, d);
        qr_transposed(ROWS, n, f, x);
        qr_solve(n, f, d, x);
        for (int k = 0; k < n; k++) {
            double slope = 0;
            for (int i = 0; i < ROWS; i++) {
                double r = b[i];
                for (int j = 0; j < n; j++) r -= a[i * n + j] * x[j];
                slope += r * a[i * n + k];
            }
            assert_below(fabs(slope), 1e-13);
        }
        memcpy(y, x, sizeof y); /* R^-1 R^-T (A^T A) y = y */
        for (int k = 0; k < n; k++) {
            y[k] = 0;
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < n; j++) y[k] += a[i * n + k] * a[i * n + j] * x[j];
        }
        qr_solve_transposed(n, f, d, y);
        qr_solve(n, f, d, y);
        for (int k = 0; k < n; k++) assert_below(fabs(y[k] - x[k]), 1e-11);
    }
}

static void columns_of_zeros_have_no_reflection(void **state) {
    (void)state;
    double a[6] = {0, 1, 0, 2, 0, 2}, d[2], b[3] = {1, 2, 3};
    qr_factor(3, 2, a, d);
    qr_transposed(3, 2, a, b);
    assert_true(d[0] == 0 && fabs(fabs(d[1]) - sqrt(8)) < 1e-14);
}

/* A = (U S) V^T, columns orthogonal, the largest first; of rank r the rest is round-off. */
static void singular_values_are_those_of_the_product(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 60; round++) {
        int m = round % 3 == 0 ? 3 : ROWS, n = COLUMNS, rank = 1 + round % 3;
        double left[ROWS * 3], right[3 * COLUMNS], a[ROWS * COLUMNS], u[ROWS * COLUMNS], sigma[COLUMNS];
        double v[COLUMNS * COLUMNS];
        for (int i = 0; i < m * rank; i++) left[i] = number(&seed);
        for (int i = 0; i < rank * n; i++) right[i] = number(&seed);
        for (int i = 0; i < m * n; i++) {
            a[i] = 0;
            for (int k = 0; k < rank; k++) a[i] += left[i / n * rank + k] * right[k * n + i % n];
            u[i] = a[i];
        }
        assert_true(svd_jacobi(m, n, u, sigma, v));
        for (int i = 0; i < m * n; i++) {
            double product = 0;
            for (int k = 0; k < n; k++) product += u[i / n * n + k] * v[i % n * n + k];
            assert_below(fabs(product - a[i]), 1e-14);
        }
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double product = 0;
                for (int j = 0; j < n; j++) product += v[j * n + i] * v[j * n + k];
                assert_below(fabs(product - (i == k)), 1e-14);
            }
        for (int k = 1; k < n; k++) assert_true(sigma[k] <= sigma[k - 1] * (1 + 1e-9));
        assert_true(sigma[rank - 1] > 1e-6 && sigma[rank] < 1e-14);
    }
}

static void no_number_is_told(void **state) {
    (void)state;
    double a[4] = {1, NAN, 2, 3}, sigma[2], v[4];
    assert_false(svd_jacobi(2, 2, a, sigma, v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qr_solves_least_squares),
        cmocka_unit_test(columns_of_zeros_have_no_reflection),
        cmocka_unit_test(singular_values_are_those_of_the_product),
        cmocka_unit_test(no_number_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
