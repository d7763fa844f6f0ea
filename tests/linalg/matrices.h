/* matrices.h - random matrices, and solutions in long double.
 *
 * Residuals count in eps times the size of the terms, so the bounds do not depend on the matrices. */
#ifndef KEEL_TESTS_MATRICES_H
#define KEEL_TESTS_MATRICES_H

#include "testing.h"

#include "linalg/rowspace.h"

enum { MOST = 24, SEEDS = 20 };

/* A number in -1 .. 1; the same sequence on every machine. */
static inline double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(1LL << 52) - 1;
}

static inline void draw_many(uint64_t *seed, int count, double *out) {
    for (int i = 0; i < count; i++) out[i] = draw(seed);
}

static inline double largest(int count, const double *x) {
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* Gauss-Jordan with complete pivoting in long double: slow, and another algorithm. */
static inline void solve_long(int n, const double *matrix, const double *b, double *x) {
    long double a[MOST][MOST + 1];
    int column_of[MOST] = {0}, taken[MOST] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i][j] = matrix[i * n + j];
        a[i][n] = b[i];
    }
    for (int k = 0; k < n; k++) {
        int row = k, column = -1;
        for (int i = k; i < n; i++)
            for (int j = 0; j < n; j++)
                if (!taken[j] && (column < 0 || fabsl(a[i][j]) > fabsl(a[row][column]))) row = i, column = j;
        for (int j = 0; j <= n; j++) {
            long double exchange = a[k][j];
            a[k][j] = a[row][j];
            a[row][j] = exchange;
        }
        taken[column] = 1;
        column_of[k] = column;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            long double factor = a[i][column] / a[k][column];
            for (int j = 0; j <= n; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = 0; k < n; k++) x[column_of[k]] = (double)(a[k][n] / a[k][column_of[k]]);
}
#endif
