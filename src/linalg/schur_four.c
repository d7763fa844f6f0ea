/* schur_four.c - four systems of schur.h side by side, where M is the unit matrix and S has fill: what is
 * read of B and of the factor serves four columns. */
#include "linalg/schur_private.h"

#include "base/machine.h"

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* r := L^-1 (B x - c); rows that are left out have 0. */
static inline void miss(const struct schur *s, const four *restrict x, const four *restrict c,
                        four *restrict r) {
    const double *restrict b = s->b, *restrict l = s->l;
    const int *restrict column = s->column, *restrict of = s->row_column, *restrict at = s->row_at;
    for (int i = 0; i < s->k; i++) {
        four sum = -c[s->order[i]];
        for (int e = s->start[i]; e < s->start[i + 1]; e++) sum += b[e] * x[column[e]];
        if (!(s->size[i] > 0)) sum = (four){0, 0, 0, 0};
        for (int p = s->row_start[i]; p < s->row_start[i + 1]; p++) sum -= l[at[p]] * r[of[p]];
        r[i] = sum;
    }
}

/* r := L^-T D^-1 r, x := x - B^T r */
static inline void pull(const struct schur *s, four *restrict x, four *restrict r) {
    const double *restrict b = s->b, *restrict l = s->l;
    const int *restrict column = s->column, *restrict row = s->column_row;
    for (int i = s->k - 1; i >= 0; i--) {
        four sum = r[i] * s->inverse[i];
        for (int e = s->column_start[i]; e < s->column_start[i + 1]; e++) sum -= l[e] * r[row[e]];
        r[i] = sum;
        for (int e = s->start[i]; e < s->start[i + 1]; e++) x[column[e]] -= b[e] * sum;
    }
}

MACHINE_WIDE __attribute__((flatten)) static void solve(const struct schur *s, double *x, const double *c) {
    four *r = (four *)s->four;
    miss(s, (const four *)x, (const four *)c, r);
    pull(s, (four *)x, r);
}

int schur_solve_four(const struct schur *s, double *x, const double *c) {
    if (s->forest || !s->diagonal || !s->unit) return 1;
    solve(s, x, c);
    return 0;
}
