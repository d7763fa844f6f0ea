/* svd.c - see svd.h.  Rotations of pairs of columns until all are orthogonal (M. R. Hestenes, Inversion of
 * matrices by biorthogonalization, J. SIAM 6 (1958) 51-90; Golub and Van Loan, Matrix Computations, 8.6). */
#include "linalg/svd.h"

#include "base/portable.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum { SWEEPS = 60 };

static double product(int m, int n, const double *a, int i, int j) {
    double sum = 0;
    for (int k = 0; k < m; k++)
        sum += a[(size_t)k * (size_t)n + (size_t)i] * a[(size_t)k * (size_t)n + (size_t)j];
    return sum;
}

static void turn(int m, int n, double *a, int i, int j, double cosine, double sine) {
    for (int k = 0; k < m; k++) {
        double *x = &a[(size_t)k * (size_t)n + (size_t)i], *y = &a[(size_t)k * (size_t)n + (size_t)j];
        double left = *x, right = *y;
        *x = cosine * left - sine * right;
        *y = sine * left + cosine * right;
    }
}

/* Makes columns i < j orthogonal, the longer one first; 1: they were not.  least: what is shorter is
 * rounding, and has no direction. */
static int rotate(int m, int n, double *a, double *v, int i, int j, double least) {
    double p = product(m, n, a, i, i), q = product(m, n, a, j, j), r = product(m, n, a, i, j);
    double rounds = (m + 8) * DBL_EPSILON * sqrt(p) * sqrt(q); /* as a sum of m terms does */
    int orthogonal = fabs(r) <= rounds || fmin(p, q) <= least * least;
    if (orthogonal && p >= q * (1 - 1e-10)) return 0;
    double cosine = 0, sine = 1; /* an exchange */
    if (!orthogonal) {
        double half = (q - p) / (2 * r),
               tangent = copysign(1, half) / (fabs(half) + portable_length(1, half));
        cosine = 1 / portable_length(1, tangent);
        sine = cosine * tangent;
        if (p - tangent * r < q + tangent * r) { /* what will be their squares */
            double kept = cosine;
            cosine = -sine;
            sine = kept;
        }
    }
    turn(m, n, a, i, j, cosine, sine);
    turn(n, n, v, i, j, cosine, sine);
    return 1;
}

int svd_jacobi(int m, int n, double *a, double *sigma, double *v) {
    int turned = 1;
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, sqrt(product(m, n, a, i, i)));
    for (int i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) turned |= rotate(m, n, a, v, i, j, DBL_EPSILON * largest);
    }
    for (int i = 0; i < n; i++) sigma[i] = sqrt(product(m, n, a, i, i));
    return !turned;
}
