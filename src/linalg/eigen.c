/* eigen.c - see eigen.h.  Hessenberg form by elimination with pivots, then QR steps in complex arithmetic
 * with Wilkinson's shift (Golub and Van Loan, Matrix Computations, 7.5): half as fast as the real ones, and a
 * third as long. */
#include "linalg/eigen.h"

#include "base/portable.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 60 }; /* steps for one eigenvalue; every tenth has another shift */

static void exchange(int count, double *a, double *b, int stride) {
    for (int i = 0; i < count; i++, a += stride, b += stride) {
        double kept = *a;
        *a = *b;
        *b = kept;
    }
}

static void reduce(int n, double *a) {
    for (int k = 1; k < n - 1; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k - 1]) > fabs(a[pivot * n + k - 1])) pivot = i;
        if (a[pivot * n + k - 1] == 0) continue;
        if (pivot != k) {
            exchange(n, a + pivot * n, a + k * n, 1);
            exchange(n, a + pivot, a + k, n);
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k - 1] / a[k * n + k - 1];
            for (int j = k - 1; j < n && factor != 0; j++) a[i * n + j] -= factor * a[k * n + j];
            for (int j = 0; j < n && factor != 0; j++) a[j * n + k] += factor * a[j * n + i];
        }
    }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its corner. */
static double complex shift_of(int n, const double complex *h, int last) {
    const double complex *row = h + (last - 1) * n + last - 1;
    double complex a = row[0], b = row[1], c = row[n], d = row[n + 1];
    double complex root = csqrt((a - d) * (a - d) / 4 + b * c), middle = (a + d) / 2;
    return cabs(middle + root - d) < cabs(middle - root - d) ? middle + root : middle - root;
}

/* H - shift = Q R, then R Q + shift, by rotations; rows and columns from `first` to `last`. */
static void rotate(int n, double complex *h, int first, int last, double complex shift, double *cosine,
                   double complex *sine) {
    for (int k = first; k <= last; k++) h[k * n + k] -= shift;
    for (int k = first; k < last; k++) {
        double complex x = h[k * n + k], y = h[(k + 1) * n + k];
        double length = portable_length(cabs(x), cabs(y)), size = cabs(x);
        double complex phase = size > 0 ? x / size : 1;
        cosine[k] = length > 0 ? size / length : 1;
        sine[k] = length > 0 ? phase * conj(y) / length : 0;
        for (int j = k; j <= last; j++) {
            double complex up = h[k * n + j], down = h[(k + 1) * n + j];
            h[k * n + j] = cosine[k] * up + sine[k] * down;
            h[(k + 1) * n + j] = cosine[k] * down - conj(sine[k]) * up;
        }
    }
    for (int k = first; k < last; k++)
        for (int i = first; i <= k + 1; i++) {
            double complex left = h[i * n + k], right = h[i * n + k + 1];
            h[i * n + k] = cosine[k] * left + conj(sine[k]) * right;
            h[i * n + k + 1] = cosine[k] * right - sine[k] * left;
        }
    for (int k = first; k <= last; k++) h[k * n + k] += shift;
}

static int is_small(int n, const double complex *h, int k) {
    double around = cabs(h[k * n + k]) + cabs(h[(k - 1) * n + k - 1]);
    return cabs(h[k * n + k - 1]) <= DBL_EPSILON * around;
}

int eigen_values(int n, double *a, double *real, double *imaginary) {
    size_t entries = (size_t)n * (size_t)n, numbers = (size_t)n + 1;
    double complex *h = malloc((entries + numbers) * sizeof *h);
    double *cosine = malloc(numbers * sizeof *cosine);
    int steps = 0, last = n - 1, good = h && cosine ? 1 : -1;
    if (good > 0) reduce(n, a);
    for (int i = 0; good > 0 && i < n; i++) /* what elimination leaves below is no part of it */
        for (int j = 0; j < n; j++) h[i * n + j] = j + 1 < i ? 0 : a[i * n + j];
    while (good > 0 && last >= 0) {
        int first = last;
        while (first > 0 && !is_small(n, h, first)) first--;
        if (first == last) {
            real[last] = creal(h[last * n + last]);
            imaginary[last] = cimag(h[last * n + last]);
            last--;
            steps = 0;
            continue;
        }
        double complex shift =
            steps % 10 == 9 ? h[last * n + last] + cabs(h[last * n + last - 1]) : shift_of(n, h, last);
        rotate(n, h, first, last, shift, cosine, h + entries);
        if (++steps > MOST) good = 0;
    }
    free(h);
    free(cosine);
    return good;
}
