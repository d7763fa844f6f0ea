/* relax.c - the step is made longer or shorter, together with its time, until the invariants hold at its end.
 *
 *     x_new = x + (1 + g_0) dx + sum_j g_j e_j,   t_new = t + (1 + g_0) h,   I(t_new, x_new) = I at the start
 *
 * dx is the increment of a Runge-Kutta step of order p, e_j its differences to embedded formulas, one for
 * each further invariant.  g_0 = O(h^(p-1)), and the order stays p.  Ketcheson, SIAM J. Numer. Anal. 57
 * (2019) 2850; Ranocha et al., SIAM J. Sci. Comput. 42 (2020) A612; for several invariants Biswas,
 * Ketcheson, J. Sci. Comput. 97 (2023).  Near 1 + g_0 = 0 there is always another root: no step at all.
 *
 * Both parts take the state off the path, by (dx - h f) g_0 and by sum_j g_j e_j: along with the change
 * normal to the level sets, which must be, goes one along the path, which the clock does not know.  Where x''
 * lies in a level set, or the directions become dependent on these sets, that detour has a pole, and errors
 * would be of any size.  So a direction is taken as far as its detour is a small multiple of the change that
 * it makes, and the smallest change does the rest.  Steps where that is most of it are counted. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FARTHEST 0.5 /* half way to no step at all */
#define NEAR 3 /* a direction whose detour is up to so many of the changes that it makes is taken in full, */
#define FAR 20 /* one of so many not at all; sharp limits would make errors depend on where steps end */

/* Of as many factors as rows are kept: 1, and one for each embedded formula. */
struct relax {
    double *factor, *change; /* the factors g, and their change in an iteration */
    double *trial;           /* the increment of the step as it was tried */
    double *slope;           /* by columns: d row / d g_j */
    double *q, *r;           /* the normal changes that these are: q r, columns of q orthonormal */
    double *direction; /* by columns, width each: the change of the state, off the path, that goes with q */
    double *share;     /* of each column of q: how much of it is taken, 0 to 1 */
    double *normal;    /* the normal change that is wanted */
};

/* One increment that may be taken longer or shorter. */
static int refuse(const keel_problem *p, const keel_options *o, const keel_stepper *stepper, char *why,
                  size_t capacity) {
    const char *name = stepper->info.name;
    (void)p, (void)o;
    why[0] = '\0';
    if (stepper->info.traits & KEEL_MULTISTEP)
        text_set(why, capacity, "relax changes the length of every step, and %s needs equal steps", name);
    else if (!(stepper->info.traits & KEEL_RUNGE_KUTTA))
        text_set(why, capacity,
                 "relax stretches the increment of one Runge-Kutta step, and %s does not have one", name);
    else if (stepper->info.order < 2)
        text_set(why, capacity,
                 "relax needs a method of order 2 or more: no step of %s near the one asked for keeps an "
                 "invariant",
                 name);
    return why[0] != '\0';
}

/* Weight rows beside b that the method's error estimates give. */
static int embedded(const struct engine *e) {
    unsigned traits = e->stepper->info.traits;
    return !(traits & KEEL_ADAPTIVE) || traits & KEEL_IMPLICIT ? 0 : engine_estimates(e->stepper);
}

static void layout(keel_manifold *view) {
    struct relax *x = view->own;
    size_t most = 1 + (size_t)embedded(engine_of(view)), width = (size_t)view->width;
    x->trial = arena_doubles(view->arena, width);
    x->factor = arena_doubles(view->arena, most);
    x->change = arena_doubles(view->arena, most);
    x->slope = arena_doubles(view->arena, most * most);
    x->q = arena_doubles(view->arena, most * most);
    x->r = arena_doubles(view->arena, most * most);
    x->direction = arena_doubles(view->arena, most * width);
    x->share = arena_doubles(view->arena, most);
    x->normal = arena_doubles(view->arena, most);
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
static keel_length end_of(const struct run_state *r, double h, double g) {
    double longer = g * h, length = h + longer, t = r->t + length, part = t - r->t;
    double low = (r->t - (t - part)) + (length - part);
    low += r->t_low + ((h - length) + longer);
    keel_length end = {length, t + low, 0};
    end.t_low = low - (end.t - t);
    return end;
}

/* e->dx and the state with the factors g; the increment as it was tried is in trial. */
static keel_status relaxed(struct engine *e, const double *g, double h, keel_length *end, double *x_new,
                           double *low_new) {
    const struct manifold *m = &e->manifold;
    const struct relax *x = m->view.own;
    for (int i = 0; i < e->field.width; i++) {
        e->dx[i] = x->trial[i] + g[0] * x->trial[i];
        for (int j = 1; j < m->kept; j++) e->dx[i] += g[j] * e->error[j - 1][i];
    }
    step_add(e, e->r->current, NULL, x_new, low_new);
    *end = end_of(e->r, h, g[0]);
    return rows_residual(&e->field, &e->rows, end->t, x_new, m->residual);
}

/* d row_i / d g_j, from the jacobians at u, and d/dt where rows move. */
static keel_status slopes(struct engine *e, double h, double t, const double *u, int grow) {
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
        if (status == KEEL_OK && rows->map[kind]->time_dependent)
            status = map_time_derivative(fd, rows->map[kind], t, u, rows->column + rows->at[kind]);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < k; i++) {
        const double *row = rows_gradient(rows, fd, m->row[i]);
        for (int j = 0; j < k; j++) {
            const double *along = j ? e->error[j - 1] : x->trial;
            double sum = j ? 0 : rows->column[m->row[i]] * h;
            for (int l = 0; l < fd->n; l++) sum += row[l] * along[l];
            x->slope[j * k + i] = sum;
        }
    }
    fd->stats->factorizations++;
    return KEEL_OK;
}

static double dot(int count, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void subtract(int count, double factor, const double *a, double *b) {
    for (int i = 0; i < count; i++) b[i] -= factor * a[i];
}

/* The smallest change that makes rows differ by these values, in an orthonormal basis of the normals. */
static void normal_change(const struct manifold *m, const double *value, double *out) {
    const struct rowspace *s = &m->space;
    for (int i = 0; i < m->kept; i++) {
        out[i] = value[i] - dot(i, s->r + (long)i * s->rows, out);
        if (!s->used[i]) out[i] = 0;
    }
    for (int i = 0; i < m->kept; i++) out[i] *= sqrt(s->inverse[i]);
}

/* What the clock does not know of the directions: dx - h f at the end of a step is h f - dx at its begin, up
 * to a term of the next order.  By weights; a state that was 0 until now is as large as the step makes it. */
static void off_the_path(const struct engine *e, double h) {
    const struct manifold *m = &e->manifold;
    const struct relax *x = m->view.own;
    const double *f = e->f[e->r->current];
    int width = e->field.width;
    for (int l = 0; l < e->field.n; l++) {
        double way = x->trial[l], usual = m->inverse_weight[l], size = fmax(usual, fabs(way));
        double weight = usual > 0 ? 1 / size : 0;
        x->direction[l] = (h * f[l] - way) * weight;
        for (int j = 1; j < m->kept; j++) x->direction[(long)j * width + l] = e->error[j - 1][l] * weight;
    }
}

/* From the slopes: q r by Gram-Schmidt, with a second pass for what the first one leaves, the directions with
 * it, and how much of each is taken. */
static void orthogonalize(struct engine *e, double h) {
    const struct manifold *m = &e->manifold;
    struct relax *x = m->view.own;
    int k = m->kept, n = e->field.n, width = e->field.width;
    manifold_factor(&e->manifold);
    off_the_path(e, h);
    for (int j = 0; j < k; j++) {
        double *q = x->q + (long)j * k, *direction = x->direction + (long)j * width;
        normal_change(m, x->slope + (long)j * k, q);
        double whole = sqrt(dot(k, q, q));
        for (int pass = 0; pass < 2 && j > 0; pass++)
            for (int i = 0; i < j; i++) {
                double part = dot(k, x->q + (long)i * k, q);
                x->r[(long)i * k + j] = pass ? x->r[(long)i * k + j] + part : part;
                subtract(k, part, x->q + (long)i * k, q);
                subtract(n, part, x->direction + (long)i * width, direction);
            }
        double length = j ? sqrt(dot(k, q, q)) : whole,
               own = length > k * DBL_EPSILON * whole ? 1 / length : 0;
        double detour = sqrt(dot(n, direction, direction)) * own;
        for (int i = 0; i < k; i++) q[i] *= own;
        for (int l = 0; l < n && j < k - 1; l++) direction[l] *= own; /* for those that follow */
        x->r[(long)j * k + j] = own > 0 ? length : 1;
        x->share[j] = own == 0 || detour >= FAR ? 0 : detour <= NEAR ? 1 : (FAR - detour) / (FAR - NEAR);
    }
}

/* x->change with the first `used` columns; do the rows hold then, but for half of the allowed units? */
static int change_by(struct engine *e, int used) {
    const struct manifold *m = &e->manifold;
    struct relax *x = m->view.own;
    int k = m->kept;
    for (int i = k - 1; i >= 0; i--) {
        x->change[i] = i < used ? x->share[i] * dot(k, x->q + (long)i * k, x->normal) : 0;
        for (int j = i + 1; j < used; j++) x->change[i] -= x->r[(long)i * k + j] * x->change[j];
        x->change[i] /= x->r[(long)i * k + i];
    }
    for (int i = 0; i < k; i++) {
        double left = m->residual[m->row[i]];
        for (int j = 0; j < used; j++) left += x->slope[(long)j * k + i] * x->change[j];
        if (!(rows_in_units(&e->rows, m->row[i], left) <= 0.5 * m->units)) return 0;
    }
    return 1;
}

/* The change of the factors that takes the residuals away, by the fewest directions: the return value.
 *
 * Where a further direction is nearly dependent on the first, a round-off in a row is worth many of them
 * along the path.  So it waits until more than half of the allowed units are left without it: what truncation
 * leaves in the rows grows to that, and is taken then; round-off does not grow. */
static int change_factors(struct engine *e) {
    const struct manifold *m = &e->manifold;
    struct relax *x = m->view.own;
    int used = 1;
    for (int i = 0; i < m->kept; i++) x->change[i] = -m->residual[m->row[i]];
    normal_change(m, x->change, x->normal);
    while (!change_by(e, used) && used < m->kept) used++;
    for (int j = 0; j < m->kept; j++) x->factor[j] += x->change[j];
    return used;
}

/* Is most of the change that is wanted left to be done? */
static int mostly_left(const struct relax *x, int k) {
    double whole = dot(k, x->normal, x->normal), left = whole;
    for (int j = 0; j < k; j++) {
        double part = dot(k, x->q + (long)j * k, x->normal), rest = 1 - x->share[j];
        left -= (1 - rest * rest) * part * part;
    }
    return left > 0.25 * whole;
}

enum outcome { RESOLVED, PARTLY, UNRESOLVED };

/* Newton from the step as it was tried; the slopes serve while it contracts tenfold.  One iteration, where a
 * direction is taken in part. */
static keel_status solve(struct engine *e, double h, keel_length *end, double *x_new, double *low_new,
                         enum outcome *outcome) {
    struct manifold *m = &e->manifold;
    struct relax *x = m->view.own;
    int row = 0, idle = 0, fresh = 0;
    double before = manifold_worst(m, &row);
    *outcome = UNRESOLVED;
    for (int iteration = 0; iteration < MANIFOLD_ITERATIONS; iteration++) {
        keel_status status = fresh ? slopes(e, h, end->t, x_new, 1) : KEEL_OK;
        if (status != KEEL_OK) return status;
        if (fresh || iteration == 0) orthogonalize(e, h);
        int used = change_factors(e), partly = 0;
        e->field.stats->newton++;
        for (int j = 0; j < used; j++) partly |= x->share[j] < 1;
        if (!(fabs(x->factor[0]) <= FARTHEST)) return KEEL_OK;
        status = relaxed(e, x->factor, h, end, x_new, low_new);
        if (status != KEEL_OK) return status;
        double worst = manifold_worst(m, &row);
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (worst <= m->units || (idle >= 2 && manifold_settled(m))) *outcome = RESOLVED;
        else if (partly) *outcome = PARTLY;
        if (*outcome != UNRESOLVED || idle >= 2) return KEEL_OK;
        fresh = worst > 0.1 * before;
        before = worst;
    }
    return KEEL_OK;
}

static keel_status lengthen(keel_manifold *view, double h, keel_length *end, double *x_new, double *low_new) {
    struct engine *e = engine_of(view);
    struct manifold *m = &e->manifold;
    struct relax *x = view->own;
    enum outcome outcome;
    memcpy(x->trial, e->dx, (size_t)e->field.width * sizeof *e->dx);
    memset(x->factor, 0, (size_t)m->kept * sizeof *x->factor);
    m->normal_known = m->view.unresolved = 0;
    keel_status status = relaxed(e, x->factor, h, end, x_new, low_new);
    int holds = status == KEEL_OK && manifold_holds(m), settled = manifold_settled(m);
    if (status == KEEL_OK && (!holds || project_due(e->field.stats->steps)))
        status = slopes(e, h, end->t, x_new, project_due(e->field.stats->steps));
    if (status != KEEL_OK || holds) return status;
    e->field.stats->corrections++;
    status = solve(e, h, end, x_new, low_new, &outcome);
    if (status != KEEL_OK || outcome == RESOLVED) return status;
    int mostly = mostly_left(x, m->kept);
    if (outcome == UNRESOLVED) { /* as it was tried */
        memset(x->factor, 0, (size_t)m->kept * sizeof *x->factor);
        status = relaxed(e, x->factor, h, end, x_new, low_new);
    }
    if (status == KEEL_OK) status = manifold_correct(m, end->t, x_new, low_new);
    m->view.unresolved = !settled && (outcome == UNRESOLVED || mostly); /* settled: a matter of round-off */
    return status;
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
