/* rowspace.c - see rowspace.h: what is not on the way of every step. */
#include "linalg/rowspace.h"

void rowspace_dependence(const struct rowspace *s, int i, double *c) {
    for (int j = 0; j < i; j++) c[j] = s->used[j] ? s->r[(long)i * s->rows + j] : 0;
    rowspace_solve_transposed(s, i, c);
    for (int j = 0; j < i; j++) c[j] = s->used[j] ? c[j] : 0;
}
