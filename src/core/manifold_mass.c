/* manifold_mass.c - mechanics: the smallest change in dq M dq + tau^2 dv M dv.
 *
 * Positions: G dq = -g.  Velocities, with the factorization at the corrected q: K dv = -(K v + g_t).
 * Invariants: all rows jointly, by bordering: their gradients, freed of what the constraints span, give
 * tangent directions (dq, dv); dv is completed by what keeps the velocity rows when q moves, so that the
 * matrix dI/d(directions) is the true one and the sweeps converge quadratically.  Energy by velocities
 * alone would be singular at every turning point. */
#include "core/manifold.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* From coordinates of length, a = L^T d. */
static void from_lengths(const struct field *fd, double *a) {
    if (fd->mech.mass) small_lower_t_solve(fd->nq, fd->mech.first, fd->mech.mass, a);
}

/* s_i of constraint and d/dt rows from the factored K: terms |K q| and |K v|, each in value and
 * derivative. */
static keel_status grow(struct manifold *m, double t, const double *x) {
    struct field *fd = m->fd;
    struct rows *r = m->rows;
    const double *shift = fd->mech.shift;
    int nq = fd->nq;
    if (fd->mech.sparse) return rows_grow_sparse(fd, r, t, x);
    if (fd->kg && fd->constraint.user.terms) {
        keel_status status = map_terms(fd, &fd->constraint, t, x, r->terms);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < fd->k; i++) {
        double *size = r->size + r->at[KEEL_ROW_VELOCITY] + i, position, velocity;
        double terms = i < fd->kg && fd->constraint.user.terms ? r->terms[i] : 0;
        mechanism_sizes(nq, fd->mech.k_rows + (long)i * nq, shift[i], t, terms, x, &position, &velocity);
        *size = fmax(*size, velocity);
        if (i < fd->kg) r->size[i] = fmax(r->size[i], position);
    }
    return KEEL_OK;
}

static double worst_of(const struct manifold *m, int first, int count, const double *residual, int *row) {
    double worst = 0;
    for (int i = 0; i < count; i++) {
        if (m->rows->treatment[first + i] != KEEL_ROW_KEPT) continue;
        if (project_within(residual[i], m->rows->size[first + i], worst)) continue;
        double units = rows_in_units(m->rows, first + i, residual[i]);
        if (units > worst) {
            worst = units;
            *row = first + i;
        }
    }
    return worst;
}

/* m->d := the shortest d with K d = m->c. */
static void shortest(struct manifold *m) {
    struct field *fd = m->fd;
    if (fd->mech.sparse) {
        mechanics_sparse_shortest(fd, m->c, m->d);
        return;
    }
    rowspace_shortest(&fd->mech.space, m->c, m->z, m->d);
    from_lengths(fd, m->d);
}

/* One Newton step for K d = -c in either half of x. */
static void correct_half(struct manifold *m, const double *c, double *x, double *low) {
    struct field *fd = m->fd;
    for (int i = 0; i < fd->k; i++) m->c[i] = -c[i];
    shortest(m);
    manifold_move(x, low, fd->nq, m->d);
    fd->stats->newton++;
}

/* leave: so many units are left alone from the start. */
static keel_status positions(struct manifold *m, double t, double *x, double *low, double leave) {
    struct field *fd = m->fd;
    double *g = m->residual, before = HUGE_VAL;
    int row = 0, idle = 0;
    for (int i = fd->kg; i < fd->k; i++) g[i] = 0; /* rolling rows do not touch positions */
    for (int iteration = 0;; iteration++) {
        keel_status status = map_value(fd, &fd->constraint, t, x, g);
        if (status != KEEL_OK) return status;
        double worst = worst_of(m, 0, fd->kg, g, &row);
        if (worst <= (iteration ? m->units : leave)) return KEEL_OK;
        if (m->corrections && iteration >= m->corrections) return KEEL_OK;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2 && worst <= MANIFOLD_STAGNANT) return KEEL_OK;
        if (iteration == MANIFOLD_ITERATIONS || !isfinite(worst)) return manifold_refuse(m, t, row);
        if (worst > 0.1 * before && (status = mechanics_factor(fd, t, x)) != KEEL_OK) return status;
        before = worst;
        correct_half(m, g, x, low);
    }
}

/* The rows are those of x; the factorization is the one at hand, made where the step ended, if positions have
 * moved by the step's error alone since then: a millionth of the residual is left then.  Where that is too
 * much, it is made here. */
static keel_status velocities(struct manifold *m, double t, double *x, double *low, double leave) {
    struct field *fd = m->fd;
    int first = m->rows->at[KEEL_ROW_VELOCITY], row = 0;
    double *speed = m->residual + first;
    const double *k = NULL, *shift = NULL;
    keel_status status = mechanics_factored_near(fd, t, x) ? KEEL_OK : mechanics_factor(fd, t, x);
    if (status == KEEL_OK && !fd->mech.sparse) status = mechanics_rows(fd, t, x, &k, &shift);
    for (int iteration = 0; status == KEEL_OK; iteration++) {
        status = fd->mech.sparse ? mechanics_velocity_rows(fd, t, x, speed)
                                 : mechanics_speeds(fd, t, x, k, shift, speed);
        double worst = worst_of(m, first, fd->k, speed, &row);
        if (status != KEEL_OK || worst <= (iteration ? m->units : leave)) break;
        if (iteration == 3 || (iteration && m->corrections)) { /* linear in v: one is enough */
            if (m->corrections == 0 && worst > m->stagnant) return manifold_refuse(m, t, row);
            break;
        }
        if (iteration == 1 && (status = mechanics_factor(fd, t, x)) != KEEL_OK) break;
        correct_half(m, speed, x + fd->nq, low ? low + fd->nq : NULL);
    }
    return status;
}

/* dv that keeps K v + g_t when q moves along dq: dv -= K^+ (d/ds of the velocity rows along dq). */
static keel_status complete_direction(struct manifold *m, double t, const double *x, double *direction) {
    struct field *fd = m->fd;
    int nq = fd->nq;
    double length = mechanism_longest(nq, direction, fd->size);
    if (length == 0) return KEEL_OK;
    double s = 1e-7 / length;
    memcpy(fd->line, x, (size_t)fd->n * sizeof *x);
    for (int j = 0; j < nq; j++) fd->line[j] += s * direction[j];
    keel_status status = mechanics_velocity_rows(fd, t, fd->line, m->c);
    const double *here = m->residual + m->rows->at[KEEL_ROW_VELOCITY];
    for (int i = 0; i < fd->k; i++) m->c[i] = -(m->c[i] - here[i]) / s;
    shortest(m);
    for (int j = 0; j < nq; j++) direction[nq + j] += m->d[j];
    return status;
}

/* The energy does not feel the completion: v M (M^-1 K^T) = K v, which is zero unless constraints move. */
static int completion_matters(const struct manifold *m) {
    const struct field *fd = m->fd;
    int energy_alone = m->kind[m->kept_kinds - 1] == KEEL_ROW_ENERGY;
    return fd->k > 0 && (!energy_alone || fd->constraint.time_dependent || fd->kr > 0);
}

/* Gradients of the kept invariants in lengths, freed of the constraints' directions, made orthogonal. */
static keel_status border(struct manifold *m, double t, const double *x, int first_kept) {
    struct field *fd = m->fd;
    struct rows *r = m->rows;
    struct rowspace *s = &m->space;
    int half = fd->mech.space.width;
    for (int k = 0; k < m->kept_kinds; k++) {
        keel_row_kind kind = (keel_row_kind)m->kind[k];
        if (rows_in(ROWS_OF_CONSTRAINTS, kind)) continue;
        keel_status status = rows_jacobian(fd, r, kind, t, x);
        if (status == KEEL_OK) status = rows_grow(fd, r, kind, t, x);
        if (status != KEEL_OK) return status;
    }
    s->rows = m->kept - first_kept;
    s->width = 2 * half;
    if (fd->mech.sparse) {
        manifold_sparse_border(m, first_kept);
        return KEEL_OK;
    }
    for (int i = 0; i < s->rows; i++)
        mechanism_border(fd->nq, fd->mech.first, fd->mech.mass, &fd->mech.space, s, i,
                         rows_gradient(r, fd, m->row[first_kept + i]), m->tau, &m->floor_of[i]);
    rowspace_factor(s, m->floor_of);
    fd->stats->factorizations++;
    m->normal_known = 1;
    return KEEL_OK;
}

/* 1 where the residual is beyond round-off. */
static double part_to_correct(const struct manifold *m, int j, int row, const double *direction) {
    if (rows_in_units(m->rows, row, m->residual[row]) > m->units) return 1;
    return mechanism_part(m->fd->n, direction, m->fd->size, 1 / m->space.inverse[j], m->rows->size[row],
                          m->nearly);
}

keel_status manifold_mass_invariants(struct manifold *m, double t, double *x, double *low, int first_kept) {
    struct field *fd = m->fd;
    int n = fd->n, count = m->kept - first_kept;
    keel_status status = border(m, t, x, first_kept);
    if (status != KEEL_OK) return status;
    int complete = completion_matters(m);
    for (int j = 0; j < count; j++) {
        double *direction = m->directions + (long)j * n;
        mechanism_direction(fd->nq, fd->mech.first, fd->mech.mass, &m->space, j, m->tau, direction);
        m->part[j] = m->space.used[j] ? part_to_correct(m, j, m->row[first_kept + j], direction) : 0;
        if (m->space.used[j] && complete) status = complete_direction(m, t, x, direction);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < count; i++) {
        const double *gradient = rows_gradient(m->rows, fd, m->row[first_kept + i]);
        int row = m->row[first_kept + i];
        m->c[i] = -m->residual[row] * m->part[i] * manifold_part(m, row, low);
        for (int j = 0; j < count; j++) {
            const double *direction = m->directions + (long)j * n;
            double sum = fd->mech.sparse ? project_dot(n, gradient, direction) : 0;
            for (int c = 0; c < n && !fd->mech.sparse; c++) sum += gradient[c] * direction[c];
            m->bordered[(long)i * count + j] = m->space.used[i] && m->space.used[j] ? sum : i == j;
        }
    }
    if (dense_lu(count, m->bordered, m->pivot, m->fd->halt)) return manifold_refuse(m, t, m->row[first_kept]);
    dense_lu_solve(count, m->bordered, m->pivot, m->c);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < n; i++) m->d[i] = m->c[j] * m->directions[(long)j * n + i];
        if (m->c[j] != 0) manifold_move(x, low, n, m->d);
        if (m->part[j] < 1) m->space.inverse[j] = 0; /* errors along it stay: they count in full */
    }
    fd->stats->newton++;
    return KEEL_OK;
}

/* Those of the constraints and their d/dt are known from positions and velocities. */
static keel_status residual_of_invariants(struct manifold *m, double t, const double *x) {
    const struct rows *r = m->rows;
    keel_status status = KEEL_OK;
    for (int kind = KEEL_ROW_ENERGY; kind < ROWS_KINDS && status == KEEL_OK; kind++)
        if (r->of[kind]) status = map_value(m->fd, r->map[kind], t, x, m->residual + r->at[kind]);
    for (int i = r->at[KEEL_ROW_ENERGY]; i < r->count; i++) m->residual[i] -= r->reference[i];
    return status;
}

keel_status manifold_mass(struct manifold *m, double t, double *x, double *low) {
    struct field *fd = m->fd;
    int first_kept = 0, row = 0, idle = 0, of_constraints = m->rows->at[KEEL_ROW_VELOCITY] + fd->k;
    while (first_kept < m->kept && m->row[first_kept] < of_constraints) first_kept++;
    int bordering = first_kept < m->kept;
    double before = HUGE_VAL;
    if (m->fd->kernel && !low && mechanism_projects(m, t, x)) return KEEL_OK;
    keel_status status = mechanics_factor(fd, t, x);
    if (status == KEEL_OK) status = grow(m, t, x);
    for (int sweep = 0; status == KEEL_OK; sweep++) {
        /* where a mechanism is long its rods' units are much coarser than the energy's: correcting what is
         * round-off to them would undo the sweep before */
        double leave = sweep && fd->mech.sparse ? m->units : 0;
        /* elsewhere a unit is left of positions, since that sweep has moved along the constraints */
        if (fd->kg) status = positions(m, t, x, low, sweep ? fmax(leave, 1) : 0);
        if (status == KEEL_OK) status = velocities(m, t, x, low, leave);
        if (status == KEEL_OK) status = residual_of_invariants(m, t, x);
        if (status != KEEL_OK || !bordering || (m->corrections && sweep >= m->corrections)) break;
        double worst = manifold_worst(m, &row);
        if (sweep == 0) worst = HUGE_VAL; /* the invariants' sizes are not known before their gradients are */
        if (worst <= m->units) break;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2 && manifold_settled(m)) return manifold_left_out(m, t, first_kept);
        if (sweep == MANIFOLD_ITERATIONS || isnan(worst) || (sweep && isinf(worst)))
            return manifold_refuse(m, t, row);
        before = worst;
        status = manifold_mass_invariants(m, t, x, low, first_kept);
    }
    return status;
}

void manifold_mass_tangent(const struct manifold *m, double *e) {
    const struct field *fd = m->fd;
    mechanism_tangent(fd->nq, fd->mech.first, fd->mech.mass, &fd->mech.space,
                      m->normal_known ? &m->space : NULL, m->tau, m->d, e);
}
