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

struct relax {
    double *factor, *change; /* one for each kept row, and its change in an iteration */
    double *trial;           /* the increment of the step as it was tried */
};

/* One increment that may be taken longer or shorter. */
static int refuse(const keel_problem *p, const keel_options *o, const keel_stepper *stepper, char *why,
                  size_t room) {
    const char *name = stepper->info.name;
    (void)p, (void)o;
    why[0] = '\0';
    if (stepper->info.traits & KEEL_MULTISTEP)
        text_set(why, room, "relax changes the length of every step, and %s needs equal steps", name);
    else if (!(stepper->info.traits & KEEL_RUNGE_KUTTA))
        text_set(why, room, "relax stretches the increment of one Runge-Kutta step, and %s does not have one",
                 name);
    else if (stepper->info.order < 2)
        text_set(why, room,
                 "relax needs a method of order 2 or more: no step of %s near the one asked for keeps an "
                 "invariant",
                 name);
    return why[0] != '\0';
}

static void layout(keel_manifold *view) {
    struct relax *x = view->own;
    const struct engine *e = engine_of(view);
    x->trial = arena_doubles(view->arena, (size_t)view->width);
    x->factor = arena_doubles(view->arena, (size_t)e->rows.count + 1);
    x->change = arena_doubles(view->arena, (size_t)e->rows.count + 1);
}

/* Weight rows beside b that the method's error estimates give. */
static int embedded(const struct engine *e) {
    unsigned traits = e->stepper->info.traits;
    return !(traits & KEEL_ADAPTIVE) || traits & KEEL_IMPLICIT ? 0 : engine_estimates(e->stepper);
}

static keel_status begin(keel_manifold *view, double t, const double *u) {
    struct engine *e = engine_of(view);
    const struct manifold *m = &e->manifold;
    (void)t, (void)u;
    for (int i = 0; i < m->kept; i++) {
        if (!rows_in(ROWS_OF_EQUATIONS, rows_kind(&e->rows, m->row[i]))) continue;
        return engine_fail(
            e, KEEL_EINVAL,
            "relax keeps invariants, and `%s` is an equation that no length of a step can meet",
            rows_name(&e->rows, m->row[i]));
    }
    if (m->kept - 1 <= embedded(e)) return KEEL_OK;
    return engine_fail(
        e, KEEL_EINVAL,
        "relax with %d kept rows needs %d embedded formula%s, and %s has %d: keep fewer rows (options.keep), "
        "or take another method",
        m->kept, m->kept - 1, m->kept == 2 ? "" : "s", e->stepper->info.name, embedded(e));
}

/* Where a step of h + g h from t + t_low ends, in two parts: were it rounded, the clock would walk by up to
 * half a tick in every step. */
static keel_length end_of(const struct record *r, double h, double g) {
    double longer = g * h, length = h + longer, t = r->t + length, part = t - r->t;
    double low = (r->t - (t - part)) + (length - part);
    low += r->t_low + ((h - length) + longer);
    keel_length end = {length, t + low, 0};
    end.t_low = low - (end.t - t);
    return end;
}

/* e->dx and the state with the factors g; the increment as it was tried is in trial. */
static keel_status look(struct engine *e, const double *g, double h, keel_length *end, double *x_new,
                        double *low_new) {
    const struct manifold *m = &e->manifold;
    const struct relax *x = m->view.own;
    for (int i = 0; i < e->field.width; i++) {
        e->dx[i] = x->trial[i] + g[0] * x->trial[i];
        for (int j = 1; j < m->kept; j++) e->dx[i] += g[j] * e->error[j - 1][i];
    }
    step_add(e, e->r->front, NULL, x_new, low_new);
    *end = end_of(e->r, h, g[0]);
    return rows_residual(&e->field, &e->rows, end->t, x_new, m->residual);
}

/* d row_i / d g_j, from the jacobians at u, and d/dt where rows move; each row by its size. */
static keel_status slopes(struct engine *e, double h, double t, const double *u, double *slope, int grow) {
    struct manifold *m = &e->manifold;
    const struct relax *x = m->view.own;
    struct rows *rows = &e->rows;
    struct field *fd = &e->field;
    int k = m->kept;
    memset(rows->column, 0, (size_t)rows->count * sizeof *rows->column);
    for (int a = 0; a < m->kept_kinds; a++) {
        keel_row_kind kind = (keel_row_kind)m->kind[a];
        keel_status status = rows_jacobian(fd, rows, kind, t, u);
        if (status == KEEL_OK && grow) status = rows_grow(fd, rows, kind, t, u);
        if (status == KEEL_OK && rows->map[kind]->moving)
            status = map_rate(fd, rows->map[kind], t, u, rows->column + rows->at[kind]);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < k; i++) {
        const double *row = rows->jacobian + (long)m->row[i] * (fd->n + fd->m);
        double size = rows->size[m->row[i]] > 0 ? rows->size[m->row[i]] : 1;
        for (int j = 0; j < k; j++) {
            const double *along = j ? e->error[j - 1] : x->trial;
            double sum = j ? 0 : rows->column[m->row[i]] * h;
            for (int l = 0; l < fd->n; l++) sum += row[l] * along[l];
            slope[i * k + j] = sum / size;
        }
    }
    fd->stats->factorizations++;
    return KEEL_OK;
}

/* Newton from the step as it was tried; the slopes serve while it contracts tenfold. */
static keel_status solve(struct engine *e, double h, keel_length *end, double *x_new, double *low_new,
                         int *found) {
    struct manifold *m = &e->manifold;
    struct relax *x = m->view.own;
    int k = m->kept, row = 0, idle = 0, fresh = 0;
    double before = manifold_worst(m, &row);
    for (int iteration = 0; iteration < MANIFOLD_ITERATIONS; iteration++) {
        keel_status status = fresh ? slopes(e, h, end->t, x_new, m->bordered, 1) : KEEL_OK;
        if (status != KEEL_OK) return status;
        if ((fresh || iteration == 0) && dense_lu(k, m->bordered, m->pivot, e->field.halt)) return KEEL_OK;
        for (int i = 0; i < k; i++) {
            double size = e->rows.size[m->row[i]];
            x->change[i] = -m->residual[m->row[i]] / (size > 0 ? size : 1);
        }
        dense_lu_solve(k, m->bordered, m->pivot, x->change);
        e->field.stats->newton++;
        for (int j = 0; j < k; j++) x->factor[j] += x->change[j];
        if (!(fabs(x->factor[0]) <= FARTHEST)) return KEEL_OK;
        status = look(e, x->factor, h, end, x_new, low_new);
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
    const struct relax *x = m->view.own;
    double sum = 0;
    for (int l = 0; l < e->field.n; l++) {
        double moved = 0;
        for (int j = 1; j < m->kept; j++) moved += x->factor[j] * e->error[j - 1][l];
        if (m->reach[l] > 0) sum += moved * moved / (m->reach[l] * m->reach[l]);
    }
    return sqrt(sum);
}

/* The step as it was tried, corrected by the smallest change; counted, unless it is a matter of round-off. */
static keel_status project(struct engine *e, double h, keel_length *end, double *x_new, double *low_new) {
    struct manifold *m = &e->manifold;
    struct relax *x = m->view.own;
    memset(x->factor, 0, (size_t)m->kept * sizeof *x->factor);
    keel_status status = look(e, x->factor, h, end, x_new, low_new);
    int near = status == KEEL_OK && manifold_settled(m);
    if (status == KEEL_OK) status = manifold_correct(m, end->t, x_new, low_new);
    m->view.unresolved = !near;
    return status;
}

static keel_status lengthen(keel_manifold *view, double h, keel_length *end, double *x_new, double *low_new) {
    struct engine *e = engine_of(view);
    struct manifold *m = &e->manifold;
    struct relax *x = view->own;
    int found = 0;
    memcpy(x->trial, e->dx, (size_t)e->field.width * sizeof *e->dx);
    memset(x->factor, 0, (size_t)m->kept * sizeof *x->factor);
    m->normal_known = m->view.unresolved = 0;
    keel_status status = look(e, x->factor, h, end, x_new, low_new);
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

/* Where the length is given (t_end, events, places between the steps) the step is projected. */
const keel_stabilizer relax_stabilizers[] = {
    {.info = {.name = "relax",
              .about = "Runge-Kutta: the step is made longer or shorter until the invariants hold at its end",
              .reference = "Ketcheson, SIAM J. Numer. Anal. 57 (2019) 2850",
              .traits =
                  KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF | KEEL_OWN_DIRECTIONS | KEEL_OFF_GRID},
     .size = sizeof(struct relax),
     .refuse = refuse,
     .layout = layout,
     .begin = begin,
     .lengthen = lengthen},
    {.info = {0}}};
