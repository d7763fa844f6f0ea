/* small.h - the arithmetic of dense.h, inlined: with a few unknowns a call would cost as much as the work.
 * Compiled models have this header as text.  Golub & Van Loan, Matrix Computations, ch. 3 and 4. */
#ifndef KEEL_LINALG_SMALL_H
#define KEEL_LINALG_SMALL_H

#include <keel/real.h>

#define SMALL_EPSILON 2.2204460492503131e-16

/* Column k of an LU factorization with row exchanges, in place.  0; 1: it has no usable pivot.  Entries above
 * the diagonal belong to U and bound what the column held before elimination. */
static inline int small_lu_column(int n, double *a, int *pivot, int k) {
    int best = k;
    double above = 0, largest = __builtin_fabs(a[k * n + k]);
    for (int i = 0; i < k; i++) {
        double entry = __builtin_fabs(a[i * n + k]);
        if (entry > above) above = entry;
    }
    for (int i = k + 1; i < n; i++) {
        double entry = __builtin_fabs(a[i * n + k]);
        if (entry > largest) best = i, largest = entry;
    }
    pivot[k] = best;
    double p = a[best * n + k];
    if (!(largest > n * SMALL_EPSILON * (above > largest ? above : largest))) return 1;
    if (best != k)
        for (int j = 0; j < n; j++) {
            double exchange = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = exchange;
        }
    const double *__restrict top = a + k * n;
    for (int i = k + 1; i < n; i++) {
        double *__restrict row = a + i * n;
        double factor = row[k] /= p;
        for (int j = k + 1; j < n; j++) row[j] -= factor * top[j];
    }
    return 0;
}

static inline void small_lu_solve(int n, const double *lu, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double exchange = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = exchange;
    }
    for (int i = 1; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++) sum -= lu[i * n + j] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= lu[i * n + j] * b[j];
        b[i] = sum / lu[i * n + i];
    }
}

/* Before loops that compiled models want written out. */
#ifndef SMALL_UNROLL
#define SMALL_UNROLL
#endif

/* L is a profile: row i begins in column first[i], and what is before it, zeros, is not looked at.  NULL: all
 * rows begin in the first column.  (Elimination makes no entries there: George and Liu, Computer Solution of
 * Large Sparse Positive Definite Systems, ch. 4.) */
static inline int small_first(const int *first, int i) {
    return first ? first[i] : 0;
}

/* Row i of a = L L^T, L in the lower triangle, in place, with 1 / l_ii on its diagonal: a product where a
 * quotient would be waited for.  Is a positive definite, so far? */
static inline keel_truth small_cholesky_row(int n, const int *first, keel_real *a, int i) {
    keel_real diagonal = a[i * n + i], sum = diagonal;
    int from = small_first(first, i);
    SMALL_UNROLL for (int j = from; j < i; j++) {
        keel_real entry = a[i * n + j];
        int both = small_first(first, j);
        SMALL_UNROLL for (int k = both > from ? both : from; k < j; k++) entry -= a[i * n + k] * a[j * n + k];
        a[i * n + j] = entry * a[j * n + j];
    }
    SMALL_UNROLL for (int k = from; k < i; k++) sum -= a[i * n + k] * a[i * n + k];
    a[i * n + i] = 1.0 / keel_sqrt(sum);
    return sum > n * SMALL_EPSILON * keel_abs(diagonal);
}

/* b := L^-1 b */
static inline void small_lower_solve(int n, const int *first, const keel_real *l, keel_real *b) {
    SMALL_UNROLL for (int i = 0; i < n; i++) {
        keel_real sum = b[i];
        SMALL_UNROLL for (int j = small_first(first, i); j < i; j++) sum -= l[i * n + j] * b[j];
        b[i] = sum * l[i * n + i];
    }
}

/* b := L^-T b */
static inline void small_lower_t_solve(int n, const int *first, const keel_real *l, keel_real *b) {
    SMALL_UNROLL for (int i = n - 1; i >= 0; i--) {
        keel_real value = b[i] = b[i] * l[i * n + i];
        SMALL_UNROLL for (int j = small_first(first, i); j < i; j++) b[j] -= l[i * n + j] * value;
    }
}

/* b := L^T b */
static inline void small_lower_t_multiply(int n, const int *first, const keel_real *l, keel_real *b) {
    SMALL_UNROLL for (int i = 0; i < n; i++) {
        keel_real sum = b[i] / l[i * n + i];
        SMALL_UNROLL for (int k = i + 1; k < n; k++) if (small_first(first, k) <= i) sum +=
            l[k * n + i] * b[k];
        b[i] = sum;
    }
}
#endif
