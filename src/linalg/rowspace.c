/* rowspace.c - see rowspace.h: what is not on the way of every step. */
#include "linalg/rowspace.h"

void rowspace_components(const struct rowspace *s, const double *d, double *z) {
    for (int i = 0; i < s->rows; i++) z[i] = rowspace_dot(s->width, s->q + (long)i * s->width, d);
}

/* R^T c = z over the rows in use, from the last to the first, in place. */
static void solve_transposed(const struct rowspace *s, int count, double *z) {
    for (int i = count - 1; i >= 0; i--)
        for (int k = i + 1; k < count; k++)
            if (s->used[k]) z[i] -= s->r[(long)k * s->rows + i] * z[k];
}

void rowspace_coefficients(const struct rowspace *s, double *z) {
    for (int i = 0; i < s->rows; i++) z[i] *= s->inverse[i];
    solve_transposed(s, s->rows, z);
    for (int i = 0; i < s->rows; i++) z[i] = s->used[i] ? z[i] : 0;
}

void rowspace_dependence(const struct rowspace *s, int i, double *c) {
    for (int j = 0; j < i; j++) c[j] = s->used[j] ? s->r[(long)i * s->rows + j] : 0;
    solve_transposed(s, i, c);
    for (int j = 0; j < i; j++) c[j] = s->used[j] ? c[j] : 0;
}
