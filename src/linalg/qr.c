/* qr.c - see qr.h.  Golub and Van Loan, Matrix Computations, 5.2. */
#include "linalg/qr.h"

#include <math.h>
#include <stddef.h>

/* The reflection I - 2 v v^T / v^T v takes x to -sign(x_1) |x| e_1, with v = x + sign(x_1) |x| e_1; v is kept
 * with v^T v = 2. */
static double reflection(int m, int n, double *a, int k) {
    double largest = 0, sum = 0;
    for (int i = k; i < m; i++) largest = fmax(largest, fabs(a[(size_t)i * (size_t)n + (size_t)k]));
    if (!(largest > 0)) return 0;
    for (int i = k; i < m; i++) {
        double x = a[(size_t)i * (size_t)n + (size_t)k] / largest;
        sum += x * x;
    }
    double length = largest * sqrt(sum);
    double *head = &a[(size_t)k * (size_t)n + (size_t)k], corner = -copysign(length, *head);
    double size = sqrt(length * (length + fabs(*head))); /* v^T v / 2 = size^2 */
    *head -= corner;
    for (int i = k; i < m; i++) a[(size_t)i * (size_t)n + (size_t)k] /= size;
    return corner;
}

static void reflect(int m, int n, const double *a, int k, double *b, int stride) {
    double sum = 0;
    for (int i = k; i < m; i++) sum += a[(size_t)i * (size_t)n + (size_t)k] * b[(size_t)i * (size_t)stride];
    for (int i = k; i < m; i++) b[(size_t)i * (size_t)stride] -= sum * a[(size_t)i * (size_t)n + (size_t)k];
}

void qr_factor(int m, int n, double *a, double *diagonal) {
    for (int k = 0; k < n; k++) {
        diagonal[k] = reflection(m, n, a, k);
        for (int j = k + 1; j < n && diagonal[k] != 0; j++) reflect(m, n, a, k, a + j, n);
    }
}

void qr_transposed(int m, int n, const double *a, double *b) {
    for (int k = 0; k < n; k++) reflect(m, n, a, k, b, 1); /* no vector, no reflection */
}

void qr_solve(int n, const double *a, const double *diagonal, double *b) {
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[(size_t)i * (size_t)n + (size_t)j] * b[j];
        b[i] /= diagonal[i];
    }
}

void qr_solve_transposed(int n, const double *a, const double *diagonal, double *b) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) b[i] -= a[(size_t)j * (size_t)n + (size_t)i] * b[j];
        b[i] /= diagonal[i];
    }
}
