/* manifold_flat.c - the smallest change in sum (dx_i / reach_i)^2 that meets all kept rows.
 *
 * A d = -c with d = reach . a, so B = A reach and a is the shortest solution of B a = -c.  The
 * factorization of the first point serves all iterations while they contract tenfold; corrections are of
 * the size of the local error, so one iteration is the rule. */
#include "core/manifold.h"

#include <math.h>
#include <string.h>

static keel_status grow(struct manifold *m, double t, const double *x) {
    keel_status status = KEEL_OK;
    for (int k = 0; k < m->kept_kinds && status == KEEL_OK; k++)
        status = rows_grow(m->fd, m->rows, (keel_row_kind)m->kind[k], t, x);
    return status;
}

static keel_status jacobians(struct manifold *m, double t, const double *x) {
    for (int k = 0; k < m->kept_kinds; k++) {
        keel_status status = rows_jacobian(m->fd, m->rows, (keel_row_kind)m->kind[k], t, x);
        if (status != KEEL_OK) return status;
    }
    m->fd->stats->factorizations++;
    m->normal_known = 1;
    return rows_due(m->fd->stats->steps) ? grow(m, t, x) : KEEL_OK;
}

static const double *row_of(const struct manifold *m, int i) {
    return rows_gradient(m->rows, m->fd, m->row[i]);
}

static void factor(struct manifold *m) {
    for (int i = 0; i < m->kept; i++) {
        rowspace_set(&m->space, i, m->fd->n, row_of(m, i), m->reach);
        int off = fabs(m->residual[m->row[i]]) > m->units * rows_unit(m->rows, m->row[i]);
        m->floor_of[i] = off ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY;
    }
    rowspace_factor(&m->space, m->floor_of);
}

/* Two rows of up to four states, straight from the jacobians to the state. */
static int correct_two_short(struct manifold *m, double *x) {
    const double *reach = m->reach, *residual = m->residual;
    _Alignas(16) double d[4];
    if (!rowspace_two_short(&m->space, m->fd->n, row_of(m, 0), row_of(m, 1), reach, -residual[m->row[0]],
                            -residual[m->row[1]], d))
        return 0;
    for (int j = 0; j < 4; j++) x[j] += d[j] * reach[j]; /* padding moves by 0 */
    return 1;
}

double manifold_smallest(struct manifold *m) {
    factor(m);
    for (int i = 0; i < m->kept; i++) m->c[i] = -m->residual[m->row[i]];
    rowspace_shortest(&m->space, m->c, m->z, m->d);
    double sum = 0;
    for (int j = 0; j < m->fd->n; j++) sum += m->d[j] * m->d[j];
    return sqrt(sum);
}

static void correct(struct manifold *m, double *x, double *low, int fresh) {
    int n = m->fd->n;
    if (fresh && m->two_short && !low && correct_two_short(m, x)) return;
    if (fresh) factor(m);
    for (int i = 0; i < m->kept; i++) m->c[i] = -m->residual[m->row[i]];
    rowspace_shortest(&m->space, m->c, m->z, m->d);
    for (int j = 0; j < n; j++) m->d[j] *= m->reach[j];
    manifold_move(x, low, n, m->d);
}

/* One Newton step with the factorization that stands, or (fresh) with the jacobians that stand. */
static keel_status correct_once(struct manifold *m, double t, double *x, double *low, int fresh) {
    correct(m, x, low, fresh);
    m->fd->stats->newton++;
    /* where nothing is judged by it, the caller measures later, while the next step is already under way */
    return manifold_to_round_off(m) ? rows_residual(m->fd, m->rows, t, x, m->residual) : KEEL_OK;
}

/* Further iterations where one was not enough. */
static keel_status iterate(struct manifold *m, double t, double *x, double *low, double before) {
    int row = 0, idle = 0;
    keel_status status = grow(m, t, x);
    for (int iteration = 0; status == KEEL_OK; iteration++) {
        double worst = manifold_worst(m, &row);
        if (worst <= m->units) return KEEL_OK;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2 && manifold_settled(m)) return manifold_left_out(m, t, 0);
        if (iteration == MANIFOLD_ITERATIONS || !isfinite(worst)) return manifold_refuse(m, t, row);
        int fresh = worst > 0.1 * before;
        if (fresh) status = jacobians(m, t, x);
        before = worst;
        if (status == KEEL_OK) status = correct_once(m, t, x, low, fresh);
    }
    return status;
}

keel_status manifold_flat(struct manifold *m, double t, double *x, double *low) {
    int row = 0;
    keel_status status = rows_residual(m->fd, m->rows, t, x, m->residual);
    if (status == KEEL_OK) status = jacobians(m, t, x);
    if (status != KEEL_OK) return status;
    int to_round_off = manifold_to_round_off(m);
    double before = to_round_off ? manifold_worst(m, &row) : 0;
    status = correct_once(m, t, x, low, 1);
    if (status != KEEL_OK || !to_round_off || manifold_holds(m)) return status;
    return iterate(m, t, x, low, before);
}
