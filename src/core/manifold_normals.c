/* manifold_normals.c - directions across the manifold: D = W^-1 G^T, one column for each kept row.
 *
 * W is what the corrections minimise by: the square of the weight of each state, or dq M dq + tau^2 dv M dv.
 * With W = S S^T the weighted rows are B = G S^-T, and D = S^-T B^T.  Any displacement across the manifold is
 * D mu for some mu; where rows depend on each other, some of the mu are not used. */
#include "core/manifold.h"

#include "linalg/dense.h"

#include <string.h>

void manifold_normals_layout(struct normals *d, const struct manifold *m, struct arena *a) {
    size_t rows = (size_t)m->rows->count, n = (size_t)m->fd->n, width = (n / 2 + 3) / 4 * 8;
    if (width < (size_t)m->fd->width) width = (size_t)m->fd->width;
    d->space.q = arena_doubles(a, (rows + 1) * width);
    d->space.r = arena_doubles(a, rows * rows + 1);
    d->space.inverse = arena_doubles(a, rows + 1);
    d->space.used = arena_ints(a, rows + 1);
    d->column = arena_doubles(a, rows * n + 1);
    d->weighted = arena_doubles(a, width);
    d->z = arena_doubles(a, rows + 1);
    d->floor_of = arena_doubles(a, rows + 1);
}

/* b := S^-1 gradient, padded. */
static void weigh_gradient(const struct manifold *m, int width, const double *gradient, double *b) {
    const struct field *fd = m->fd;
    int nq = fd->nq, half = width / 2;
    memset(b, 0, (size_t)width * sizeof *b);
    for (int j = 0; j < fd->n && !m->by_mass; j++) b[j] = gradient[j] * m->inverse_weight[j];
    for (int j = 0; j < nq && m->by_mass; j++) {
        b[j] = gradient[j];
        b[half + j] = gradient[nq + j] / m->tau;
    }
    if (m->by_mass && fd->mech.mass) {
        dense_lower_solve(nq, fd->mech.mass, b);
        dense_lower_solve(nq, fd->mech.mass, b + half);
    }
}

/* move := S^-T b. */
static void to_state(const struct manifold *m, int width, const double *b, double *move) {
    const struct field *fd = m->fd;
    int nq = fd->nq, half = width / 2;
    for (int j = 0; j < fd->n && !m->by_mass; j++) move[j] = b[j] * m->inverse_weight[j];
    if (!m->by_mass) return;
    memcpy(move, b, (size_t)nq * sizeof *b);
    for (int j = 0; j < nq; j++) move[nq + j] = b[half + j] / m->tau;
    if (!fd->mech.mass) return;
    dense_lower_t_solve(nq, fd->mech.mass, move);
    dense_lower_t_solve(nq, fd->mech.mass, move + nq);
}

/* b := S^T move, padded. */
static void to_weighted(const struct manifold *m, int width, const double *move, double *b) {
    const struct field *fd = m->fd;
    int nq = fd->nq, half = width / 2;
    memset(b, 0, (size_t)width * sizeof *b);
    for (int j = 0; j < fd->n && !m->by_mass; j++)
        b[j] = m->inverse_weight[j] > 0 ? move[j] / m->inverse_weight[j] : 0;
    if (!m->by_mass) return;
    memcpy(b, move, (size_t)nq * sizeof *b);
    for (int j = 0; j < nq; j++) b[half + j] = move[nq + j] * m->tau;
    if (!fd->mech.mass) return;
    dense_lower_t_multiply(nq, fd->mech.mass, b);
    dense_lower_t_multiply(nq, fd->mech.mass, b + half);
}

keel_status manifold_normals(struct manifold *m, struct normals *d, double t, const double *u) {
    struct field *fd = m->fd;
    int n = fd->n;
    keel_status status = m->by_mass ? mechanics_factor(fd, t, u) : KEEL_OK;
    for (int k = 0; k < m->kept_kinds && status == KEEL_OK; k++)
        status = rows_jacobian(fd, m->rows, (keel_row_kind)m->kind[k], t, u);
    if (status != KEEL_OK) return status;
    d->space.rows = m->kept;
    d->space.width = m->by_mass ? 2 * fd->mech.space.width : fd->width;
    for (int i = 0; i < m->kept; i++) {
        double *b = d->space.q + (long)i * d->space.width;
        weigh_gradient(m, d->space.width, rows_gradient(m->rows, fd, m->row[i]), b);
        to_state(m, d->space.width, b, d->column + (long)i * n);
    }
    return KEEL_OK;
}

void manifold_normals_factor(const struct manifold *m, struct normals *d, const double *residual) {
    for (int i = 0; i < m->kept; i++) {
        int row = m->row[i], within = residual && rows_in_units(m->rows, row, residual[row]) <= m->units;
        weigh_gradient(m, d->space.width, rows_gradient(m->rows, m->fd, row),
                       d->space.q + (long)i * d->space.width);
        d->floor_of[i] = within ? MANIFOLD_NEARLY : MANIFOLD_DEPENDENT;
    }
    rowspace_factor(&d->space, d->floor_of);
    m->fd->stats->factorizations++;
}

void manifold_normals_add(const struct manifold *m, const struct normals *d, double factor, const double *mu,
                          double *out) {
    int n = m->fd->n;
    for (int i = 0; i < m->kept; i++) {
        double share = factor * mu[i];
        for (int j = 0; j < n && share != 0; j++) out[j] += share * d->column[(long)i * n + j];
    }
}

void manifold_normals_coefficients(const struct manifold *m, const struct normals *d, const double *move,
                                   double *mu) {
    to_weighted(m, d->space.width, move, d->weighted);
    rowspace_components(&d->space, d->weighted, mu);
    rowspace_coefficients(&d->space, mu);
}

void manifold_normals_shortest(const struct manifold *m, const struct normals *d, const double *c,
                               double *move) {
    rowspace_shortest(&d->space, c, d->z, d->weighted);
    to_state(m, d->space.width, d->weighted, move);
}
