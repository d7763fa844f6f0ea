/* dense.c - see dense.h.  Golub & Van Loan, Matrix Computations, ch. 3 and 4. */
#include "linalg/dense.h"

#include <keel/method.h>

#include <float.h>
#include <math.h>

static double column_size(int n, const double *a, int column) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i * n + column]));
    return size;
}

int dense_lu(int n, double *a, int *pivot, struct keel_halt *halt) {
    for (int k = 0; k < n; k++) {
        if (keel_halted(halt)) return k + 1;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        pivot[k] = best;
        double p = a[best * n + k];
        /* entries above the diagonal belong to U and bound what the column held before elimination */
        if (!(fabs(p) > n * DBL_EPSILON * column_size(n, a, k))) return k + 1;
        if (best != k)
            for (int j = 0; j < n; j++) {
                double exchange = a[k * n + j];
                a[k * n + j] = a[best * n + j];
                a[best * n + j] = exchange;
            }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= p;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return 0;
}

void dense_lu_solve(int n, const double *lu, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double exchange = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = exchange;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= lu[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= lu[i * n + j] * b[j];
        b[i] /= lu[i * n + i];
    }
}

int dense_cholesky(int n, double *a, struct keel_halt *halt) {
    for (int i = 0; i < n; i++) {
        if (keel_halted(halt)) return i + 1;
        double diagonal = a[i * n + i];
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (j < i) {
                a[i * n + j] = sum / a[j * n + j];
            } else {
                if (!(sum > n * DBL_EPSILON * fabs(diagonal))) return i + 1;
                a[i * n + i] = sqrt(sum);
            }
        }
    }
    return 0;
}

static inline void lower_solve(int n, const double *l, double *b) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) b[i] -= l[i * n + j] * b[j];
        b[i] /= l[i * n + i];
    }
}

static inline void lower_t_solve(int n, const double *l, double *b) {
    for (int i = n - 1; i >= 0; i--) {
        b[i] /= l[i * n + i];
        for (int j = 0; j < i; j++) b[j] -= l[i * n + j] * b[i];
    }
}

void dense_lower_solve(int n, const double *l, double *b) {
    lower_solve(n, l, b);
}

void dense_lower_t_solve(int n, const double *l, double *b) {
    lower_t_solve(n, l, b);
}

void dense_cholesky_solve(int n, const double *l, double *b) {
    lower_solve(n, l, b);
    lower_t_solve(n, l, b);
}

void dense_lower_t_multiply(int n, const double *l, double *b) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = i; k < n; k++) sum += l[k * n + i] * b[k];
        b[i] = sum;
    }
}
