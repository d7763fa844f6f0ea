/* manifold_flat.c - the smallest change in sum (W_i dx_i)^2 that meets all kept rows.
 *
 * A d = -c with d = W^-1 a, so B = A W^-1 and a is the shortest solution of B a = -c.  The
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

static inline keel_status jacobians(struct manifold *m, double t, const double *x) {
    for (int k = 0; k < m->kept_kinds; k++) {
        keel_status status = rows_jacobian(m->fd, m->rows, (keel_row_kind)m->kind[k], t, x);
        if (status != KEEL_OK) return status;
    }
    m->fd->stats->factorizations++;
    m->normal_known = 1;
    return project_due(m->fd->stats->steps) ? grow(m, t, x) : KEEL_OK;
}

void manifold_factor(struct manifold *m) {
    struct project p = manifold_project(m);
    project_factor(&p);
}

/* One Newton step with the jacobians that stand, and, unless fresh, with their factorization.  Two rows of
 * four states have it written out. */
static inline keel_status correct_once(struct manifold *m, const struct project *p, double t, double *x,
                                       double *low, int fresh) {
    struct project four = *p;
    four.n = 4;
    if (m->by_pattern) {
        keel_status status = manifold_hidden_correct(m, t, x, low, fresh);
        if (status != KEEL_OK) return status;
    } else if (m->stagger) {
        keel_status status = manifold_staggered_correct(m, t, x, low, fresh);
        if (status != KEEL_OK) return status;
    } else if (!(p->two_short && p->n == 4 && !low && project_two(&four, x)))
        project_correct(p, x, low, fresh);
    m->fd->stats->newton++;
    /* where nothing is judged by it, the caller measures later, while the next step is already under way */
    return manifold_to_round_off(m) ? rows_residual(m->fd, m->rows, t, x, m->residual) : KEEL_OK;
}

/* Further iterations where one was not enough. */
static keel_status iterate(struct manifold *m, const struct project *p, double t, double *x, double *low,
                           double before) {
    int row = 0, idle = 0;
    keel_status status = grow(m, t, x);
    for (int iteration = 0; status == KEEL_OK; iteration++) {
        double worst = manifold_worst(m, &row);
        if (worst <= m->units) return KEEL_OK;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2 && manifold_settled(m))
            return manifold_left_out(m, field_time(m->fd, t, x), m->by_pattern);
        if (iteration == MANIFOLD_ITERATIONS || !isfinite(worst))
            return manifold_refuse(m, field_time(m->fd, t, x), row);
        int fresh = worst > 0.1 * before;
        if (fresh) status = jacobians(m, t, x);
        before = worst;
        if (status == KEEL_OK) status = correct_once(m, p, t, x, low, fresh);
    }
    return status;
}

keel_status manifold_flat(struct manifold *m, double t, double *x, double *low) {
    struct project p = manifold_project(m);
    keel_status status = rows_residual(m->fd, m->rows, t, x, m->residual);
    if (status == KEEL_OK) status = jacobians(m, t, x);
    if (status != KEEL_OK) return status;
    m->far = 0;
    for (int i = 0; i < m->rows->count; i++) {
        m->part[i] = m->residual[i];
        m->far |= fabs(m->part[i]) > m->rows->beyond[i];
    }
    status = correct_once(m, &p, t, x, low, 1);
    for (int k = 1; k < m->corrections && status == KEEL_OK; k++) {
        status = rows_residual(m->fd, m->rows, t, x, m->residual);
        if (status == KEEL_OK) status = jacobians(m, t, x);
        if (status == KEEL_OK) status = correct_once(m, &p, t, x, low, 1);
    }
    if (status != KEEL_OK || !manifold_to_round_off(m) || project_holds(&p)) return status;
    double before = project_worst(&p, m->part), worst;
    /* where sizes are so small that a unit is 0 both are infinite, and contract no more */
    while ((worst = project_worst(&p, m->residual)) <= 0.1 * before && worst < before) {
        /* sizes may lag, but what is too strict costs one iteration at most */
        status = correct_once(m, &p, t, x, low, 0);
        if (status != KEEL_OK || project_holds(&p)) return status;
        before = worst;
    }
    return iterate(m, &p, t, x, low, before);
}
