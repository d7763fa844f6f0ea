/* dense.c - see dense.h. */
#include "linalg/dense.h"

#include <keel/method.h>

#include "linalg/small.h"

#include <stddef.h>

int dense_lu(int n, double *a, int *pivot, struct keel_halt *halt) {
    for (int k = 0; k < n; k++)
        if (keel_halted(halt) || small_lu_column(n, a, pivot, k)) return k + 1;
    return 0;
}

void dense_lu_solve(int n, const double *lu, const int *pivot, double *b) {
    small_lu_solve(n, lu, pivot, b);
}

int dense_cholesky(int n, double *a, struct keel_halt *halt) {
    for (int i = 0; i < n; i++)
        if (keel_halted(halt) || !small_cholesky_row(n, NULL, a, i)) return i + 1;
    return 0;
}

void dense_lower_solve(int n, const double *l, double *b) {
    small_lower_solve(n, NULL, l, b);
}

void dense_lower_t_solve(int n, const double *l, double *b) {
    small_lower_t_solve(n, NULL, l, b);
}

void dense_cholesky_solve(int n, const double *l, double *b) {
    small_lower_solve(n, NULL, l, b);
    small_lower_t_solve(n, NULL, l, b);
}

void dense_lower_t_multiply(int n, const double *l, double *b) {
    small_lower_t_multiply(n, NULL, l, b);
}
