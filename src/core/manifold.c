/* manifold.c - see manifold.h: choice of rows and weights, and what the two ways share. */
#include "core/manifold.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Constraints act by the masses.  Without any, dq M dq + h^2 dv M dv would change the velocities of all
 * bodies by the same part of them, whatever their masses: a light one is moved for the errors of the heavy
 * ones, and energy and momenta hardly show it.  By sizes dv_i goes with m_i v_i. */
static keel_norm usual_norm(const struct field *fd) {
    int bodies = fd->form->norm == KEEL_BY_MASS && fd->k == 0 && !fd->mech.sparse;
    return bodies ? KEEL_BY_ERROR : fd->form->norm;
}

void manifold_init(struct manifold *m, struct field *fd, struct rows *rows, const keel_stabilizer *stabilizer,
                   keel_norm norm, double units) {
    memset(m, 0, sizeof *m);
    m->fd = fd;
    m->rows = rows;
    m->stabilizer = stabilizer;
    m->traits = stabilizer->info.traits;
    int some = stabilizer->corrections > 0 ? stabilizer->corrections : 1; /* that of its own counts as one */
    m->corrections = m->traits & KEEL_TO_ROUND_OFF || !(m->traits & KEEL_CORRECTS) ? 0 : some;
    m->view = (keel_manifold){.n = fd->n, .m = fd->m, .width = fd->width};
    m->norm = norm == KEEL_BY_DEFAULT ? usual_norm(fd) : norm;
    m->units = units;
    int by_differences = fd->kg && (!fd->constraint.user.jacobian || field_lacks_gradient(fd));
    m->stagnant = by_differences ? MANIFOLD_STAGNANT_BY_DIFFERENCES : MANIFOLD_STAGNANT;
}

void manifold_layout(struct manifold *m, struct arena *a) {
    size_t rows = (size_t)m->rows->count, n = (size_t)m->fd->n;
    size_t width = (n / 2 + 3) / 4 * 8; /* both halves padded; not less than n padded */
    if (width < (size_t)m->fd->width) width = (size_t)m->fd->width;
    m->row = arena_ints(a, rows + 1);
    m->inverse_weight = arena_doubles(a, (size_t)m->fd->width);
    m->inverse_time = arena_doubles(a, 1);
    m->residual = m->rows->residual;              /* of the trial; a step that is not accepted restores it */
    size_t full = rows - (size_t)m->rows->stored; /* rows whose gradients are kept as such */
    m->space.q = arena_doubles(a, (full + 1) * width);
    m->dual = m->fd->mech.sparse ? arena_doubles(a, (full + 1) * width) : NULL;
    m->space.r = arena_doubles(a, full * full + 1);
    m->space.inverse = arena_doubles(a, rows + 1);
    m->space.used = arena_ints(a, rows + 1);
    m->floor_of = arena_doubles(a, rows + 1);
    m->part = arena_doubles(a, rows + 1);
    m->c = arena_doubles(a, rows + 1);
    m->z = arena_doubles(a, rows + 1);
    m->d = arena_doubles(a, width);
    m->speed = arena_doubles(a, m->fd->mech.sparse ? (size_t)m->fd->k : 0);
    m->directions = arena_doubles(a, (full + 1) * n);
    m->bordered = arena_doubles(a, full * full + 1);
    m->pivot = arena_ints(a, rows + 1);
    manifold_staggered_layout(m, a);
}

void manifold_choose(struct manifold *m) {
    const struct rows *r = m->rows;
    int constraints_left = 0, seen[ROWS_KINDS] = {0};
    m->kept = m->kept_kinds = m->by_pattern = 0;
    m->all_kept = 1;
    for (int i = 0; i < r->count; i++) {
        int constraint = rows_in(ROWS_OF_CONSTRAINTS, rows_kind(r, i));
        if (r->treatment[i] == KEEL_ROW_WATCHED && constraint) constraints_left = 1;
        m->all_kept &= r->treatment[i] == KEEL_ROW_KEPT;
        if (r->treatment[i] != KEEL_ROW_KEPT && r->treatment[i] != KEEL_ROW_DAMPED) continue;
        m->row[m->kept++] = i;
        m->by_pattern += m->fd->hidden_rows.sparse && i < r->stored;
        seen[rows_kind(r, i)] = 1;
    }
    for (int kind = 0; kind < ROWS_KINDS; kind++)
        if (seen[kind]) m->kind[m->kept_kinds++] = kind;
    constraints_left &= !m->fd->mech.sparse; /* velocities may be, and stay as they are: nothing else can */
    m->by_mass = m->norm == KEEL_BY_MASS && !constraints_left && !(m->traits & KEEL_OWN_DIRECTIONS);
    m->view.kept = m->kept;
    m->space.rows = m->kept - m->by_pattern;
    struct hidden_rows *hidden = &m->fd->hidden_rows;
    for (int i = 0; i < hidden->count && hidden->sparse; i++) {
        int treatment = r->treatment[hidden->first + i];
        hidden->active[i] = treatment == KEEL_ROW_KEPT || treatment == KEEL_ROW_DAMPED;
    }
    m->space.width = m->fd->width;
    if (m->stagger) manifold_staggered_choose(m);
    if (m->by_pattern) manifold_directions_choose(m);
    m->two_short = !m->stagger && m->kept == 2 && m->fd->width == 4 && m->fd->n > 0 && m->fd->m == 0;
    m->normal_known = 0;
    m->fd->mech.roughly = m->by_mass && manifold_to_round_off(m);
    m->fd->dae.choice.roughly = m->by_pattern > 0 && manifold_to_round_off(m);
    m->fd->mech.chain = 0;
}

/* From the sizes that are known; where an array has none, a guess. */
static void weigh_by_size(struct manifold *m) {
    const struct field *fd = m->fd;
    for (int i = 0; i < fd->n; i++) m->d[i] = fd->size[i] > fd->least[i] ? fd->size[i] : 0;
    sizes_spread(fd, m->d, m->inverse_weight);
    for (int i = 0; i < fd->n; i++)
        if (m->inverse_weight[i] == 0) m->inverse_weight[i] = fd->size[i];
}

/* Sizes that are to last.  A state that is small just now grows by T x' within the time of the motion: with
 * weights as of the moment D would turn by a right angle within a step or two when it does.  A state that
 * starts near 0 may grow as large as the rest. */
static void widen(struct manifold *m, const double *rate) {
    double largest = 0;
    for (int i = 0; i < m->fd->n && m->inverse_time[0] > 0; i++) {
        double way = fabs(rate[i]) / m->inverse_time[0];
        if (isfinite(way)) m->inverse_weight[i] = fmax(m->inverse_weight[i], way);
    }
    for (int i = 0; i < m->fd->n; i++) largest = fmax(largest, m->inverse_weight[i]);
    for (int i = 0; i < m->fd->n; i++)
        if (m->inverse_weight[i] <= m->fd->least[i]) m->inverse_weight[i] = largest;
}

void manifold_weigh(struct manifold *m, const double *rate) {
    int by_size = m->norm != KEEL_UNIT && m->norm != KEEL_GIVEN;
    if (m->fd->mech.sparse) return; /* weighed by mass alone */
    if (by_size) weigh_by_size(m);
    for (int i = 0; i < m->fd->n && !by_size; i++)
        m->inverse_weight[i] = m->norm == KEEL_UNIT ? 1 : 1 / m->given[i];
    if (manifold_frozen(m) && by_size) widen(m, rate);
}

void manifold_move(double *x, double *low, int n, const double *d) {
    project_move(x, low, n, d);
}

double manifold_worst(const struct manifold *m, int *row) {
    double worst = 0;
    for (int i = 0; i < m->kept; i++) {
        if (project_within(m->residual[m->row[i]], m->rows->size[m->row[i]], worst)) continue;
        double units = rows_in_units(m->rows, m->row[i], m->residual[m->row[i]]);
        if (units > worst) {
            worst = units;
            *row = m->row[i];
        }
    }
    return worst;
}

int manifold_holds(struct manifold *m) {
    struct project p = manifold_project(m);
    return project_holds(&p);
}

int manifold_settled(const struct manifold *m) {
    for (int i = 0; i < m->kept; i++) {
        int row = m->row[i];
        double limit = rows_kind(m->rows, row) == KEEL_ROW_VELOCITY ? m->stagnant : MANIFOLD_STAGNANT;
        if (!(rows_in_units(m->rows, row, m->residual[row]) <= limit)) return 0;
    }
    return 1;
}

keel_status manifold_refuse(const struct manifold *m, double t, int row) {
    return field_fault(m->fd, KEEL_RETRY, KEEL_EPROJECT,
                       "no way back to the manifold at t = %.10g: `%s` is off by %.3g (%.3g round-off units)",
                       t, rows_name(m->rows, row), m->residual[row],
                       rows_in_units(m->rows, row, m->residual[row]));
}

keel_status manifold_left_out(const struct manifold *m, double t, int first) {
    for (int i = first; i < m->kept; i++) {
        int row = m->row[i];
        if (!m->space.used[i - first] && rows_in_units(m->rows, row, m->residual[row]) > MANIFOLD_SILENT)
            return manifold_refuse(m, t, row);
    }
    return KEEL_OK;
}

keel_status manifold_correct(struct manifold *m, double t, double *x, double *low) {
    m->normal_known = m->view.unresolved = 0;
    if (!manifold_corrects(m)) return KEEL_OK;
    m->fd->stats->corrections++;
    m->far = 1;
    if (!m->stabilizer->correct) return manifold_shortest(m, t, x, low);
    keel_status status = m->stabilizer->correct(&m->view, t, x, low);
    m->far = 1; /* whatever steps by the smallest change it was made of */
    return status;
}

keel_status manifold_shortest(struct manifold *m, double t, double *x, double *low) {
    return m->by_mass ? manifold_mass(m, t, x, low) : manifold_flat(m, t, x, low);
}

static void tangent(struct manifold *m, double *e) {
    if (m->by_mass) {
        manifold_mass_tangent(m, e);
        return;
    }
    if (m->stagger) {
        manifold_staggered_tangent(m, e);
        return;
    }
    struct project p = manifold_project(m);
    project_tangent(&p, e);
}

void manifold_tangents(struct manifold *m, int count, double *const e[2]) {
    if (m->by_mass && m->fd->mech.sparse) manifold_sparse_tangents(m, count, e);
    else if (m->by_pattern) manifold_hidden_tangents(m, count, e);
    else
        for (int k = 0; k < count; k++) tangent(m, e[k]);
}
