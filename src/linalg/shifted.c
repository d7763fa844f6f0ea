/* shifted.c - see shifted.h. */
#include "linalg/shifted.h"

#include "linalg/dense.h"

#include <math.h>

enum { SWEEPS = 20 };     /* two or three are usual */
#define UNBALANCED 0x1p20 /* six digits are enough for Newton's method */

static int is_balanced(int n, double c, const double *jacobian) {
    double most = 0, fixed = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double below = fabs(jacobian[(long)i * n + j]), above = fabs(jacobian[(long)j * n + i]);
            double larger = below > above ? below : above, product = below * above;
            if (larger > most) most = larger;
            if (product > fixed) fixed = product;
        }
    return !(c * most > 1 && most * most > UNBALANCED * (UNBALANCED * fixed));
}

void shifted_balance(int n, double c, const double *jacobian, double *unit) {
    if (is_balanced(n, c, jacobian)) {
        unit[0] = 0;
        return;
    }
    for (int i = 0; i < n; i++) unit[i] = 1;
    for (int sweep = 0, changed = 1; changed && sweep < SWEEPS; sweep++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0;
            for (int j = 0; j < n; j++) {
                if (j == i) continue;
                row += fabs(jacobian[(long)i * n + j]) * (unit[j] / unit[i]);
                column += fabs(jacobian[(long)j * n + i]) * (unit[i] / unit[j]);
            }
            double ratio = row / column;
            if (!(ratio >= 4 || ratio <= 0.25) || !(ratio > 0) || isinf(ratio)) continue;
            unit[i] *= ldexp(1, ilogb(sqrt(ratio)));
            changed = 1;
        }
    }
}

int shifted_lu(const struct shifted *s, double real, double imaginary, const double *jacobian, double *lu,
               int *pivot, struct keel_halt *halt) {
    int n = s->n, order = imaginary != 0 ? 2 * n : n;
    for (int i = 0; i < n; i++) {
        double factor = i < s->states ? 1 : s->row_factor[i - s->states];
        for (int j = 0; j < n; j++) {
            double entry = factor * jacobian[(long)i * n + j];
            if (s->unit) entry *= s->unit[j] / s->unit[i];
            double on_diagonal = (i == j && i < s->states) - real * entry;
            lu[(long)i * order + j] = on_diagonal;
            if (order == n) continue;
            lu[(long)i * order + n + j] = imaginary * entry;
            lu[(long)(n + i) * order + j] = -imaginary * entry;
            lu[(long)(n + i) * order + n + j] = on_diagonal;
        }
    }
    return dense_lu(order, lu, pivot, halt);
}
