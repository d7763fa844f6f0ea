/* test_eigen.c - eigenvalues against what they must satisfy: known ones of blocks behind a similarity, roots
 * of one, and sums of their powers, which are traces. */
#include "testing.h"
#include "matrices.h"

#include "linalg/eigen.h"

#include <complex.h>

enum { SIZE = 24 };

/* tr A^k - sum lambda^k, k = 1 .. 3, in |lambda|^k. */
static double traces_off(int n, const double *a, const double *re, const double *im) {
    double power[SIZE * SIZE], next[SIZE * SIZE], worst = 0, radius = 0;
    memcpy(power, a, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++) radius = fmax(radius, hypot(re[i], im[i]));
    for (int k = 1; k <= 3; k++) {
        double complex sum = 0;
        for (int i = 0; i < n; i++) sum += cpow(re[i] + I * im[i], k) - power[i * n + i];
        worst = fmax(worst, cabs(sum) / (n * pow(radius, k)));
        for (int i = 0; i < n * n; i++) {
            next[i] = 0;
            for (int j = 0; j < n; j++) next[i] += power[i / n * n + j] * a[j * n + i % n];
        }
        memcpy(power, next, sizeof power);
    }
    return worst;
}

static void powers_have_their_traces(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int n = 1; n <= SIZE; n++)
        for (int k = 0; k < 5; k++) {
            double a[SIZE * SIZE], lost[SIZE * SIZE], re[SIZE], im[SIZE];
            for (int i = 0; i < n * n; i++) {
                double x = draw(&seed);
                int row = i / n, column = i % n;
                a[i] = k == 0   ? x
                       : k == 1 ? x * pow(10, row % 7 - 3)
                       : k == 2 ? (row <= column ? x : 0)
                       : k == 3 ? (row == column ? x : 0)
                                : (row + 1) % n == column;
            }
            memcpy(lost, a, sizeof lost);
            assert_int_equal(eigen_values(n, lost, re, im), 1);
            assert_below(traces_off(n, a, re, im), 1e-11);
            for (int i = 0; i < n && k == 4; i++) assert_below(fabs(hypot(re[i], im[i]) - 1), 1e-12);
        }
}

/* -1, -1e5 and a pair -2 +- 300 i, mixed by rotations of neighbours. */
static void known_ones_are_found(void **state) {
    (void)state;
    double a[16] = {-1, 0, 0, 0, 0, -1e5, 0, 0, 0, 0, -2, 300, 0, 0, -300, -2}, re[4], im[4];
    for (int k = 0; k < 3; k++) {
        double c = cos(1 + k), s = sin(1 + k);
        for (int j = 0; j < 4; j++) {
            double up = a[k * 4 + j], down = a[k * 4 + 4 + j];
            a[k * 4 + j] = c * up + s * down, a[k * 4 + 4 + j] = c * down - s * up;
        }
        for (int i = 0; i < 4; i++) {
            double left = a[i * 4 + k], right = a[i * 4 + k + 1];
            a[i * 4 + k] = c * left + s * right, a[i * 4 + k + 1] = c * right - s * left;
        }
    }
    assert_int_equal(eigen_values(4, a, re, im), 1);
    double known[4][2] = {{-1, 0}, {-1e5, 0}, {-2, 300}, {-2, -300}};
    for (int k = 0; k < 4; k++) {
        double nearest = HUGE_VAL;
        for (int i = 0; i < 4; i++) nearest = fmin(nearest, hypot(re[i] - known[k][0], im[i] - known[k][1]));
        assert_below(nearest, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_have_their_traces),
                                       cmocka_unit_test(known_ones_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
