/* lcp.c - see lcp.h.  Cottle, Pang, Stone, The Linear Complementarity Problem, 4.4.
 *
 * The tableau has a row for each basic variable: w - M z - 1 z0 = q.  z0 enters first, for the most
 * negative q; then the complement of what has left enters, until z0 leaves. */
#include "linalg/lcp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING 1e-11 /* of the largest entry of the column that stood there: no pivot */
#define TIE 1e-13

struct tableau {
    int n, width; /* columns: w, z, z0, q */
    double *a;    /* n x width */
    int *basic;   /* by row: its variable, 0 .. 2n */
};

static void exchange(struct tableau *t, int row, int column) {
    double *p = t->a + (long)row * t->width, pivot = p[column];
    for (int j = 0; j < t->width; j++) p[j] /= pivot;
    p[column] = 1;
    for (int i = 0; i < t->n; i++) {
        double *r = t->a + (long)i * t->width, share = r[column];
        if (i == row || share == 0) continue;
        for (int j = 0; j < t->width; j++) r[j] -= share * p[j];
        r[column] = 0;
    }
    t->basic[row] = column;
}

/* Does row a leave before row b?  The smaller ratio, q first, then the columns of w one after the other. */
static int before(const struct tableau *t, int a, int b, int column) {
    const double *x = t->a + (long)a * t->width, *y = t->a + (long)b * t->width;
    for (int k = -1; k < t->n; k++) {
        int j = k < 0 ? t->width - 1 : k;
        double left = x[j] / x[column], right = y[j] / y[column];
        if (fabs(left - right) > TIE * (fabs(left) + fabs(right) + (k < 0))) return left < right;
    }
    return 0;
}

/* z0 leaves as soon as it may: then all is solved. */
static int leaving(const struct tableau *t, int column) {
    double largest = 0;
    int best = -1, last = -1;
    for (int i = 0; i < t->n; i++) largest = fmax(largest, fabs(t->a[(long)i * t->width + column]));
    for (int i = 0; i < t->n; i++) {
        const double *r = t->a + (long)i * t->width;
        if (r[column] <= NOTHING * fmax(largest, 1)) continue;
        if (t->basic[i] == 2 * t->n) last = i;
        if (best < 0 || before(t, i, best, column)) best = i;
    }
    if (last < 0 || best == last) return best;
    const double *x = t->a + (long)last * t->width, *y = t->a + (long)best * t->width;
    return x[t->width - 1] / x[column] <= y[t->width - 1] / y[column] + TIE ? last : best;
}

static int pivoting(struct tableau *t) {
    int n = t->n, first = 0;
    for (int i = 1; i < n; i++) {
        const double *r = t->a + (long)i * t->width;
        if (r[t->width - 1] < t->a[(long)first * t->width + t->width - 1]) first = i;
    }
    if (t->a[(long)first * t->width + t->width - 1] >= 0) return 0;
    int left = t->basic[first];
    exchange(t, first, 2 * n);
    for (int round = 0; round < 100 * n + 100; round++) {
        int enters = left < n ? left + n : left - n, row = leaving(t, enters);
        if (row < 0) return 1;
        left = t->basic[row];
        exchange(t, row, enters);
        if (left == 2 * n) return 0;
    }
    return 1;
}

int lcp_solve(int n, const double *m, const double *q, double *z) {
    int width = 2 * n + 2;
    double size = 0;
    struct tableau t = {n, width, calloc((size_t)n * (size_t)width + 1, sizeof(double)),
                        malloc(((size_t)n + 1) * sizeof(int))};
    int status = t.a && t.basic ? 0 : -1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(q[i]));
    for (int i = 0; i < n; i++) z[i] = 0;
    for (int i = 0; i < n && status == 0; i++) {
        double *r = t.a + (long)i * width;
        r[i] = 1;
        for (int j = 0; j < n; j++) r[n + j] = -m[(long)i * n + j];
        r[2 * n] = -1;
        r[2 * n + 1] = size > 0 ? q[i] / size : 0;
        t.basic[i] = i;
    }
    if (status == 0 && size > 0) status = pivoting(&t);
    for (int i = 0; i < n && status == 0; i++)
        if (t.basic[i] >= n && t.basic[i] < 2 * n)
            z[t.basic[i] - n] = size * fmax(t.a[(long)i * width + width - 1], 0);
    free(t.a);
    free(t.basic);
    return status;
}
