/* manifold_hidden.c - Newton's step of manifold_flat.c with hidden rows by their pattern
 * (hidden_sparse.c). */
#include "core/manifold.h"

/* The hidden rows first, then what invariants add to their directions. */
int manifold_hidden_factor(struct manifold *m) {
    struct field *fd = m->fd;
    struct rowspace *s = &m->space;
    if (!hidden_sparse_factor(fd, m->inverse_weight, fd->hidden_rows.active, 0)) return 0;
    s->rows = m->kept - m->by_pattern;
    s->width = fd->width;
    for (int i = 0; i < s->rows; i++) {
        int row = m->row[m->by_pattern + i];
        int off = rows_in_units(m->rows, row, m->residual[row]) > m->units;
        rowspace_set(s, i, fd->n, rows_gradient(m->rows, fd, row), m->inverse_weight);
        m->floor_of[i] = hidden_sparse_border(fd, s, i, off ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY);
    }
    rowspace_factor(s, m->floor_of);
    return 1;
}

/* a := the shortest one that meets the hidden rows; then along the tangent what invariants lack. */
void manifold_hidden_shortest(struct manifold *m, const double *wanted, double *a) {
    struct field *fd = m->fd;
    double *along = fd->line, *c = fd->hidden_rows.c;
    int first = fd->hidden_rows.first, invariants = m->kept - m->by_pattern;
    for (int i = 0; i < fd->hidden_rows.count; i++) c[i] = fd->hidden_rows.active[i] ? wanted[first + i] : 0;
    hidden_sparse_shortest(fd, c, a);
    for (int i = 0; i < invariants; i++) {
        int row = m->row[m->by_pattern + i];
        const double *gradient = rows_gradient(m->rows, fd, row);
        m->c[i] = wanted[row];
        for (int j = 0; j < fd->n; j++) m->c[i] -= gradient[j] * m->inverse_weight[j] * a[j];
    }
    if (invariants) rowspace_shortest(&m->space, m->c, m->z, along);
    for (int j = 0; j < fd->n; j++) a[j] = (invariants ? a[j] + along[j] : a[j]) * m->inverse_weight[j];
}

keel_status manifold_hidden_correct(struct manifold *m, double t, double *x, double *low, int fresh) {
    int n = m->fd->n;
    if (fresh && !manifold_hidden_factor(m)) return manifold_refuse(m, t, m->row[0]);
    manifold_hidden_shortest(m, m->residual, m->d);
    for (int j = 0; j < n; j++) m->d[j] = -m->d[j];
    manifold_move(x, low, n, m->d);
    return KEEL_OK;
}

void manifold_hidden_tangent(struct manifold *m, double *e) {
    int n = m->fd->n;
    for (int j = 0; j < n; j++) e[j] = m->inverse_weight[j] > 0 ? e[j] / m->inverse_weight[j] : 0;
    hidden_sparse_tangent(m->fd, e);
    rowspace_tangent(&m->space, e);
    for (int j = 0; j < n; j++) e[j] *= m->inverse_weight[j];
}
