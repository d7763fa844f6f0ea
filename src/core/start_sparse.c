/* start_sparse.c - consistent starts of large mechanics: the levels of start.c with the sparse saddle-point
 * system, whose corner is shifted so that rows that depend on others do no harm. */
#include "core/manifold.h"
#include "core/start.h"

#include <math.h>
#include <string.h>

static int positions_only(const struct start_level *level) {
    return level->kinds == 1u << KEEL_ROW_CONSTRAINT;
}

keel_status start_sparse_factor(struct start *st, const struct start_level *level, double t, const double *u,
                                int mass) {
    struct field *fd = st->fd;
    struct mechanics *m = &fd->mech;
    const double *k, *shift;
    keel_status status = rows_grow_sparse(fd, st->rows, t, u);
    if (status == KEEL_OK) status = mechanics_sparse_mass(fd, t, u);
    if (status == KEEL_OK) status = mechanics_sparse_rows(fd, t, u, &k, &shift);
    if (status != KEEL_OK) return status;
    m->ready = 0; /* k stays where it is */
    for (int i = 0; i < fd->k; i++) st->part[i] = i < fd->kg || !positions_only(level);
    for (int j = 0; j < fd->nq; j++) st->d[j] = start_reach(st, level->first + j);
    if (saddle_factor_any(&m->saddle, m->mass_values, k, mass ? NULL : st->d, st->part) == SADDLE_FINE)
        return KEEL_OK;
    return field_fault(fd, KEEL_ESINGULAR, KEEL_ESINGULAR,
                       "the constraints and the mass matrix have no solution at t = %.10g", t);
}

void start_sparse_direction(struct start *st, const struct start_level *level, int count) {
    int base = positions_only(level) ? 0 : st->rows->at[KEEL_ROW_VELOCITY];
    memset(st->c, 0, (size_t)st->fd->k * sizeof *st->c);
    for (int i = 0; i < count; i++) st->c[st->chosen[i] - base] = -st->residual[st->chosen[i]];
    mechanics_sparse_shortest(st->fd, st->c, st->d);
}

/* Positions are large where a mechanism is long, and a move by a part of them may be many times what one
 * member bears: it is shortened until no row of G changes by more than half of itself.  Even then there may
 * be no way back: N rods in a line that are longer or shorter by e at random move, linearly, by e N^(3/2)
 * times the angles between them, so that e is N^(-3/4) at most.  st->share is that part of the half. */
keel_status start_sparse_shorten(struct start *st, double t, const double *u, double *moved) {
    struct field *fd = st->fd;
    struct hidden_rows *r = &fd->hidden_rows;
    int rows = r->sparse ? r->count : fd->kg, columns = r->sparse ? fd->n : fd->nq;
    if (rows == 0) return KEEL_OK;
    const keel_pattern *p = r->sparse ? &r->pattern : fd->constraint.user.pattern;
    const double *here = r->before, *there = r->sparse ? r->entries : fd->sparse, *shift;
    double *share = st->d;
    keel_status status =
        r->sparse ? hidden_sparse_all(fd, t, u) : mechanics_sparse_rows(fd, t, u, &here, &shift);
    if (r->sparse) memcpy(r->before, r->entries, (size_t)p->nnz * sizeof *r->before);
    if (status == KEEL_OK)
        status = r->sparse ? hidden_sparse_all(fd, t, moved)
                           : map_entries(fd, &fd->constraint, t, moved, fd->sparse);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < columns; j++) share[j] = 1;
    for (int i = 0; i < rows; i++) {
        double size = 0, change = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            size += here[e] * here[e];
            change += (there[e] - here[e]) * (there[e] - here[e]);
        }
        double most = change > 0.25 * size ? 0.5 * sqrt(size / change) : 1;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            share[p->column[e]] = fmin(share[p->column[e]], most);
    }
    for (int j = 0; j < columns; j++) moved[j] = u[j] + st->share * share[j] * (moved[j] - u[j]);
    return KEEL_OK;
}

/* The rows of K at hand that say something new, into `independent`. */
static keel_status rank_of(struct field *fd, const double *k, int *independent) {
    int code = saddle_rank(&fd->mech.saddle, fd->mech.mass_values, k, independent);
    if (code >= 0) return code ? KEEL_RETRY : KEEL_OK;
    return field_fault(fd, KEEL_ENOMEM, KEEL_ENOMEM, "no memory to look for redundant constraints");
}

keel_status start_sparse_rank(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    const double *k, *shift;
    keel_status status = mechanics_sparse_mass(fd, t, u);
    if (status == KEEL_OK) status = mechanics_sparse_rows(fd, t, u, &k, &shift);
    fd->mech.ready = 0;
    return status == KEEL_OK ? rank_of(fd, k, fd->active) : status;
}

keel_status start_sparse_diagnose(struct start *st, double t, const double *u, int row) {
    struct field *fd = st->fd;
    const double *k, *shift;
    int dependent = 0;
    keel_status status = mechanics_sparse_rows(fd, t, u, &k, &shift);
    fd->mech.ready = 0;
    memset(st->part, 0, (size_t)fd->k * sizeof *st->part);
    if (status == KEEL_OK) status = rank_of(fd, k, st->part);
    if (status != KEEL_OK) return status == KEEL_ENOMEM ? status : KEEL_ESTART;
    for (int i = 0; i < fd->k; i++) dependent |= !st->part[i];
    if (!dependent) return KEEL_ESTART;
    return field_fault(
        fd, KEEL_ESINGULAR, KEEL_ESINGULAR,
        "`%s` contradicts other constraints: wherever these hold it is off (by %.3g at t = %.10g)",
        rows_name(st->rows, row), st->residual[row], t);
}

/* The manifold's own sweep over the invariants of the level, whatever the stabilizer of the run is. */
static struct manifold sweeper(struct start *st, const struct start_level *rest) {
    struct manifold m = *st->manifold;
    const struct rows *r = st->rows;
    m.traits = KEEL_CORRECTS;
    m.corrections = 0;
    m.row = st->chosen;
    m.residual = st->residual;
    m.kept = m.kept_kinds = 0;
    m.tau = 1;
    for (int kind = KEEL_ROW_ENERGY; kind < ROWS_KINDS; kind++) {
        int before = m.kept;
        for (int i = r->at[kind]; i < r->at[kind] + r->of[kind] && rest->kinds >> kind & 1; i++)
            if (i != rest->except) m.row[m.kept++] = i;
        if (m.kept > before) m.kind[m.kept_kinds++] = kind;
    }
    return m;
}

keel_status start_sparse_rest(struct start *st, const struct start_level *rest, double t, double *u,
                              int hasty) {
    enum { SWEEPS = 12 };
    keel_status (*solve)(struct start *, const struct start_level *, double, double *) =
        hasty ? start_solve_hasty : start_solve;
    struct field *fd = st->fd;
    const struct start_level positions = {1u << KEEL_ROW_CONSTRAINT, -1, 0, fd->nq};
    const struct start_level velocities = {1u << KEEL_ROW_VELOCITY | 1u << KEEL_ROW_ROLLING, -1, fd->nq,
                                           fd->nq};
    for (int sweep = 0;; sweep++) {
        keel_status status = fd->kg ? solve(st, &positions, t, u) : KEEL_OK;
        if (status == KEEL_OK && fd->k) status = solve(st, &velocities, t, u);
        if (status == KEEL_OK) status = rows_residual(fd, st->rows, t, u, st->residual);
        struct manifold m = sweeper(st, rest);
        int row;
        if (status != KEEL_OK || m.kept == 0 || (sweep && manifold_worst(&m, &row) <= MANIFOLD_STAGNANT))
            return status;
        if (sweep == SWEEPS) return KEEL_ESTART;
        status = mechanics_factor(fd, t, u);
        if (status == KEEL_OK) status = manifold_mass_invariants(&m, t, u, NULL, 0);
        st->manifold->normal_known = 0; /* its directions have been used */
        if (status != KEEL_OK) return status;
    }
}
