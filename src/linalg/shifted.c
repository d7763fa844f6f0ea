/* shifted.c - see shifted.h. */
#include "linalg/shifted.h"

#include "linalg/dense.h"

int shifted_lu(const struct shifted *s, double real, double imaginary, const double *jacobian, double *lu,
               int *pivot, struct keel_halt *halt) {
    int n = s->n, order = imaginary != 0 ? 2 * n : n;
    for (int i = 0; i < n; i++) {
        double factor = i < s->states ? 1 : s->row_factor[i - s->states];
        for (int j = 0; j < n; j++) {
            double entry = factor * jacobian[(long)i * n + j];
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
