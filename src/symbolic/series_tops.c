/* series_tops.c - the rows of z and their matrix, as one tape; see series.h. */
#include "symbolic/derive_rules.h"
#include "symbolic/series.h"

#include <stdlib.h>
#include <string.h>

/* Fronts pay where the factors have half the entries of a dense matrix: chains of 8, 12, 20 and 40 rods,
 * 24 to 120 unknowns, take 0.54, 0.55, 0.66 and 0.30 of the time then, of 6 rods 1.8.  One of many rows
 * has fronts in any case.  1: they are there; 0: the matrix is dense; -1: no memory. */
static int find_fronts(struct series *s, const struct derive_sparse *j, int *too_large) {
    enum { LEAST = 24, MOST = 128 };
    if (j->rows < LEAST) return 0;
    int status = series_fronts_find(&s->fronts, j), many = j->rows > MOST;
    if (status == 0 && (many || 2. * s->fronts.factors <= (double)j->rows * j->rows)) return 1;
    series_fronts_free(&s->fronts);
    *too_large = status > 0 && many;
    return status < 0 ? -1 : 0;
}

/* The rows, then their jacobian by z: column by column, or the entries in the order of the fronts. */
static size_t list_outputs(const struct series *s, const struct series_request *q, struct graph *g,
                           const struct derive_sparse *j, expr **out) {
    size_t m = (size_t)q->m, count = m + (s->fronts.m ? (size_t)s->fronts.entries : m * m);
    if (!(*out = malloc((count + 1) * sizeof **out))) return 0;
    memcpy(*out, q->row, m * sizeof **out);
    for (size_t i = m; i < count; i++)
        (*out)[i] = s->fronts.m ? j->value[s->fronts.from[i - m]] : derive_zero(g);
    for (int i = 0; i < q->m && !s->fronts.m; i++)
        for (int k = j->row_start[i]; k < j->row_start[i + 1]; k++)
            (*out)[m + (size_t)j->column[k] * m + (size_t)i] = j->value[k];
    return count;
}

int series_tops(struct series *s, struct derive *d, const struct series_request *q) {
    struct derive_sparse j;
    expr missing, *out = NULL;
    size_t count = 0;
    int too_large = 0;
    if (derive_jacobian(d, q->m, q->row, q->m, q->symbol + q->n, &j)) return -1;
    if (find_fronts(s, &j, &too_large) >= 0 && !too_large) count = list_outputs(s, q, d->g, &j, &out);
    s->linear = !expr_any_depends(d->g, (size_t)j.row_start[q->m], j.value, (size_t)q->m, q->symbol + q->n);
    derive_free(&j);
    int failed = !count || tape_build(&s->solve, d->g, count, out, q->inputs, q->input, &missing);
    free(out);
    return too_large ? 1 : failed ? -1 : 0;
}
