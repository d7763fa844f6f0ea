/* manifold_flat.c - the smallest change in sum (dx_i / reach_i)^2 that meets all kept rows.
 *
 * A d = -c with d = reach . a, so B = A reach and a is the shortest solution of B a = -c.  The factorization of the
 * first point serves all iterations while they contract tenfold; corrections are of the size of the local error, so one
 * iteration is the rule. */
#include "core/manifold.h"

#include <math.h>
#include <string.h>

static keel_status factor(struct manifold *m, double t, const double *x) {
    struct field *fd = m->fd;
    struct rows *r = m->rows;
    int n = fd->n, all = fd->n + fd->m;
    for (int k = 0; k < m->kept_kinds; k++) {
        keel_row_kind kind = (keel_row_kind)m->kind[k];
        keel_status status = rows_jacobian(fd, r, kind, t, x);
        if (status == KEEL_OK) status = rows_grow(fd, r, kind, t, x);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < m->kept; i++) {
        const double *row = r->jacobian + (long)m->row[i] * all;
        double *b = m->space.q + (long)i * m->space.width;
        for (int j = 0; j < n; j++) b[j] = row[j] * m->reach[j];
        for (int j = n; j < m->space.width; j++) b[j] = 0;
        double units = rows_in_units(r, m->row[i], m->residual[m->row[i]]);
        m->floor_of[i] = units > m->units ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY;
    }
    rowspace_factor(&m->space, m->floor_of);
    fd->stats->factorizations++;
    m->normal_known = 1;
    return KEEL_OK;
}

static keel_status correct_once(struct manifold *m, double t, double *x, double *low) {
    int n = m->fd->n;
    for (int i = 0; i < m->kept; i++) m->c[i] = -m->residual[m->row[i]];
    rowspace_shortest(&m->space, m->c, m->z, m->d);
    for (int j = 0; j < n; j++) m->d[j] *= m->reach[j];
    manifold_move(x, low, n, m->d);
    m->fd->stats->newton++;
    return rows_residual(m->fd, m->rows, t, x, m->residual);
}

keel_status manifold_flat(struct manifold *m, double t, double *x, double *low) {
    keel_status status = rows_residual(m->fd, m->rows, t, x, m->residual);
    if (status == KEEL_OK) status = factor(m, t, x);
    if (status != KEEL_OK) return status;
    int row = 0, idle = 0;
    double before = manifold_worst(m, &row);
    if (before == 0) return KEEL_OK;
    for (int iteration = 0;; iteration++) {
        status = correct_once(m, t, x, low);
        if (status != KEEL_OK || m->preserve != KEEL_PROJECT) return status;
        double worst = manifold_worst(m, &row);
        if (worst <= m->units) return KEEL_OK;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2 && worst <= MANIFOLD_STAGNANT) break;
        if (iteration == MANIFOLD_ITERATIONS || !isfinite(worst)) return manifold_refuse(m, t, row);
        if (worst > 0.1 * before && (status = factor(m, t, x)) != KEEL_OK) return status;
        before = worst;
    }
    return manifold_left_out(m, t, 0);
}
