/* relax.c - the step is made longer or shorter, together with its time, until the invariants hold at its end.
 *
 *     x_new = x + (1 + g_0) dx + sum_j g_j e_j,   t_new = t + (1 + g_0) h,   I(t_new, x_new) = I at the start
 *
 * dx is the increment of a Runge-Kutta step of order p, e_j its differences to embedded formulas, one for
 * each further invariant.  g_0 = O(h^(p-1)), and the order stays p.  Ketcheson, SIAM J. Numer. Anal. 57
 * (2019) 2850; Ranocha et al., SIAM J. Sci. Comput. 42 (2020) A612; for several invariants Biswas,
 * Ketcheson, J. Sci. Comput. 97 (2023).  Near 1 + g_0 = 0 there is always another root: no step at all.
 *
 * Several invariants have no solution of this kind, or a far one, where these directions become dependent on
 * the level sets: with many times the smallest change the order would be lost.  Such a step is projected, and
 * counted. */
#include "core/engine.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define FARTHEST 0.5 /* half way to no step at all */
#define DETOUR 10    /* of the smallest change: what several invariants may cost in embedded directions */

int relax_acts(const struct engine *e) {
    return e->manifold.preserve == KEEL_RELAX && e->manifold.kept > 0;
}

/* Weight rows beside b that the method's error estimates give. */
static int embedded(const struct engine *e) {
    unsigned traits = e->stepper->info.traits;
    return !(traits & KEEL_ADAPTIVE) || traits & KEEL_IMPLICIT ? 0 : engine_estimates(e->stepper);
}

int relax_estimates(const struct engine *e) {
    return relax_acts(e) ? e->manifold.kept - 1 : 0;
}

int relax_fits(struct engine *e) {
    const struct manifold *m = &e->manifold;
    if (!relax_acts(e)) return 1;
    for (int i = 0; i < m->kept; i++) {
        if (rows_kind(&e->rows, m->row[i]) >= KEEL_ROW_ENERGY) continue;
        engine_fail(e, KEEL_EINVAL,
                    "relax keeps invariants, and `%s` is an equation that no length of a step can meet",
                    rows_name(&e->rows, m->row[i]));
        return 0;
    }
    if (m->kept - 1 <= embedded(e)) return 1;
    engine_fail(
        e, KEEL_EINVAL,
        "relax with %d kept rows needs %d embedded formula%s, and %s has %d: keep fewer rows (options.keep), "
        "or take another method",
        m->kept, m->kept - 1, m->kept == 2 ? "" : "s", e->stepper->info.name, embedded(e));
    return 0;
}

/* Where a step of h + g h from t + t_low ends, in two parts: were it rounded, the clock would walk by up to
 * half a tick in every step. */
static struct relaxed end_of(const struct record *r, double h, double g) {
    double longer = g * h, length = h + longer, t = r->t + length, part = t - r->t;
    double low = (r->t - (t - part)) + (length - part);
    low += r->t_low + ((h - length) + longer);
    struct relaxed end = {length, t + low, 0};
    end.t_low = low - (end.t - t);
    return end;
}

/* e->dx and the state with the factors g; the increment as it was tried is in m->trial. */
static keel_status look(struct engine *e, const double *g, double h, struct relaxed *end, double *x_new,
                        double *low_new) {
    const struct manifold *m = &e->manifold;
    for (int i = 0; i < e->field.width; i++) {
        e->dx[i] = m->trial[i] + g[0] * m->trial[i];
        for (int j = 1; j < m->kept; j++) e->dx[i] += g[j] * e->error[j - 1][i];
    }
    step_add(e, e->r->front, NULL, x_new, low_new);
    *end = end_of(e->r, h, g[0]);
    return rows_residual(&e->field, &e->rows, end->t, x_new, m->residual);
}

/* d row_i / d g_j, from the jacobians at x, and d/dt where rows move; each row by its size. */
static keel_status slopes(struct engine *e, double h, double t, const double *x, double *slope, int grow) {
    struct manifold *m = &e->manifold;
    struct rows *rows = &e->rows;
    struct field *fd = &e->field;
    int k = m->kept;
    memset(rows->column, 0, (size_t)rows->count * sizeof *rows->column);
    for (int a = 0; a < m->kept_kinds; a++) {
        keel_row_kind kind = (keel_row_kind)m->kind[a];
        keel_status status = rows_jacobian(fd, rows, kind, t, x);
        if (status == KEEL_OK && grow) status = rows_grow(fd, rows, kind, t, x);
        if (status == KEEL_OK && rows->map[kind]->moving)
            status = map_rate(fd, rows->map[kind], t, x, rows->column + rows->at[kind]);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < k; i++) {
        const double *row = rows->jacobian + (long)m->row[i] * (fd->n + fd->m);
        double size = rows->size[m->row[i]] > 0 ? rows->size[m->row[i]] : 1;
        for (int j = 0; j < k; j++) {
            const double *along = j ? e->error[j - 1] : m->trial;
            double sum = j ? 0 : rows->column[m->row[i]] * h;
            for (int l = 0; l < fd->n; l++) sum += row[l] * along[l];
            slope[i * k + j] = sum / size;
        }
    }
    fd->stats->factorizations++;
    return KEEL_OK;
}

/* Newton from the step as it was tried; the slopes serve while it contracts tenfold. */
static keel_status solve(struct engine *e, double h, struct relaxed *end, double *x_new, double *low_new,
                         int *found) {
    struct manifold *m = &e->manifold;
    int k = m->kept, row = 0, idle = 0, fresh = 0;
    double before = manifold_worst(m, &row);
    for (int iteration = 0; iteration < MANIFOLD_ITERATIONS; iteration++) {
        keel_status status = fresh ? slopes(e, h, end->t, x_new, m->bordered, 1) : KEEL_OK;
        if (status != KEEL_OK) return status;
        if ((fresh || iteration == 0) && dense_lu(k, m->bordered, m->pivot, e->field.halt)) return KEEL_OK;
        for (int i = 0; i < k; i++) {
            double size = e->rows.size[m->row[i]];
            m->change[i] = -m->residual[m->row[i]] / (size > 0 ? size : 1);
        }
        dense_lu_solve(k, m->bordered, m->pivot, m->change);
        e->field.stats->newton++;
        for (int j = 0; j < k; j++) m->factor[j] += m->change[j];
        if (!(fabs(m->factor[0]) <= FARTHEST)) return KEEL_OK;
        status = look(e, m->factor, h, end, x_new, low_new);
        if (status != KEEL_OK) return status;
        double worst = manifold_worst(m, &row);
        *found = worst <= m->units;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2) *found = manifold_settled(m);
        if (*found || idle >= 2) return KEEL_OK;
        fresh = worst > 0.1 * before;
        before = worst;
    }
    return KEEL_OK;
}

/* |sum_j g_j e_j|: how far the embedded formulas take the state off the way. */
static double aside(const struct engine *e) {
    const struct manifold *m = &e->manifold;
    double sum = 0;
    for (int l = 0; l < e->field.n; l++) {
        double moved = 0;
        for (int j = 1; j < m->kept; j++) moved += m->factor[j] * e->error[j - 1][l];
        if (m->reach[l] > 0) sum += moved * moved / (m->reach[l] * m->reach[l]);
    }
    return sqrt(sum);
}

/* The step as it was tried, corrected by the smallest change; counted, unless it is a matter of round-off. */
static keel_status project(struct engine *e, double h, struct relaxed *end, double *x_new, double *low_new) {
    struct manifold *m = &e->manifold;
    memset(m->factor, 0, (size_t)m->kept * sizeof *m->factor);
    keel_status status = look(e, m->factor, h, end, x_new, low_new);
    int near = status == KEEL_OK && manifold_settled(m);
    if (status == KEEL_OK) status = manifold_correct(m, end->t, x_new, low_new);
    m->fold = !near;
    return status;
}

keel_status relax_step(struct engine *e, double h, struct relaxed *end, double *x_new, double *low_new) {
    struct manifold *m = &e->manifold;
    int found = 0;
    memcpy(m->trial, e->dx, (size_t)e->field.width * sizeof *e->dx);
    memset(m->factor, 0, (size_t)m->kept * sizeof *m->factor);
    m->normal_known = m->fold = 0;
    keel_status status = look(e, m->factor, h, end, x_new, low_new);
    int holds = status == KEEL_OK && manifold_holds(m);
    if (status == KEEL_OK && (!holds || project_due(e->field.stats->steps)))
        status = slopes(e, h, end->t, x_new, m->bordered, project_due(e->field.stats->steps));
    if (status != KEEL_OK || holds) return status;
    e->field.stats->corrections++;
    double smallest = m->kept > 1 ? manifold_smallest(m) : 0;
    status = solve(e, h, end, x_new, low_new, &found);
    if (status != KEEL_OK || (found && aside(e) <= DETOUR * smallest)) return status;
    return project(e, h, end, x_new, low_new);
}
