/* mechanics_sparse.c - the saddle-point solve of mechanics.c for large sparse M and K: one sparse
 * factorization of the whole system instead of L and an orthogonal basis. */
#include <keel/extras.h>
#include <keel/stabilizer.h>

#include "core/field.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int whole_diagonal(const keel_pattern *pattern, int order) {
    for (int i = 0; i < order; i++) {
        int found = 0;
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
            found |= pattern->column[e] == i;
        if (!found) return 0;
    }
    return 1;
}

static int has_pattern(const keel_map *map) {
    return map->count == 0 || (map->jacobian && map->pattern);
}

/* Has a native method no need of dense matrices?  Where M changes its forces want a pattern. */
static int native_goes_sparse(const keel_problem *p, unsigned traits) {
    if (!(traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN))) return 1;
    if (keel_extras_of(p)->quadratic_forms.count) return 0;
    if (traits & KEEL_SPARSE) return 1;
    if (!(traits & KEEL_SPARSE_FORCES) || !p->f.jacobian || !p->f.pattern) return 0;
    return sparse_pays(p->n, p->f.pattern->nnz);
}

/* The sparse way weighs by mass and keeps all constraints; all else goes the dense one. */
int mechanics_goes_sparse(const keel_problem *p, const keel_options *o, unsigned traits,
                          unsigned stabilizer) {
    int nq = p->n / 2, by_mass = o->norm == KEEL_BY_DEFAULT || o->norm == KEEL_BY_MASS;
    unsigned dense = KEEL_FIRST_ROW | KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS | KEEL_DAMPS;
    int known = !(stabilizer & dense) || stabilizer & KEEL_SPARSE_ROWS;
    int mechanics = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    if (!mechanics || !by_mass || !known || o->keep || !native_goes_sparse(p, traits)) return 0;
    if (!has_pattern(&p->constraint) || !has_pattern(&p->rolling)) return 0;
    if (p->mass.value && (!p->mass.pattern || !whole_diagonal(p->mass.pattern, nq))) return 0;
    double rows = (p->constraint.count ? p->constraint.pattern->nnz : 0) +
                  (double)(p->rolling.count ? p->rolling.pattern->nnz : 0);
    return saddle_pays(nq, p->constraint.count + p->rolling.count, p->mass.value ? p->mass.pattern->nnz : nq,
                       rows);
}

void mechanics_sparse_layout(struct field *fd, struct arena *a) {
    struct mechanics *m = &fd->mech;
    const keel_pattern *mass = fd->p.mass.value ? fd->p.mass.pattern : NULL;
    saddle_init(&m->saddle, fd->nq, mass, fd->constraint.user.pattern, fd->kg, fd->rolling.user.pattern,
                fd->kr);
    m->saddle.steady = !mass || fd->p.mass.constant;
    saddle_layout(&m->saddle, a);
    size_t entries = 1 + (size_t)(fd->kg ? fd->constraint.user.pattern->nnz : 0) +
                     (size_t)(fd->kr ? fd->rolling.user.pattern->nnz : 0);
    m->mass_values = mass ? arena_doubles(a, (size_t)mass->nnz) : NULL;
    m->k_values = arena_doubles(a, entries);
    m->beside = arena_doubles(a, entries);
    m->beside_shift = arena_doubles(a, (size_t)fd->k + 1);
    m->beside_at = arena_doubles(a, (size_t)fd->nq + 1);
}

keel_status mechanics_sparse_mass(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    if (!m->mass_values || (fd->p.mass.constant && m->mass_ready)) return KEEL_OK;
    int code = fd->p.mass.value(t, u, m->mass_values, fd->p.user);
    keel_status status = map_checked(fd, "mass", NULL, code, t, fd->p.mass.pattern->nnz, m->mass_values);
    if (status != KEEL_OK) return status;
    m->ready = 0; /* scales and values of the factored system are overwritten */
    int row = saddle_check_mass(&m->saddle, m->mass_values);
    m->mass_ready = row == 0;
    return row ? mechanics_bad_mass(fd, t, row - 1) : KEEL_OK;
}

static keel_status rows_at(struct field *fd, double t, const double *u, double *k, double *shift) {
    keel_status status = KEEL_OK;
    memset(shift + fd->kg, 0, (size_t)fd->kr * sizeof *shift);
    if (fd->kg) status = map_entries(fd, &fd->constraint, t, u, k);
    if (status == KEEL_OK && fd->kg) status = map_time_derivative(fd, &fd->constraint, t, u, shift);
    if (status == KEEL_OK && fd->kr)
        status = map_entries(fd, &fd->rolling, t, u, k + (fd->kg ? fd->constraint.user.pattern->nnz : 0));
    return status;
}

/* K and g_t beside what is factored; a start asks for them again and again at one place. */
static keel_status rows_beside(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    size_t bytes = (size_t)fd->nq * sizeof *u;
    if (m->beside_ready && m->beside_at[0] == t && memcmp(m->beside_at + 1, u, bytes) == 0) return KEEL_OK;
    m->beside_ready = 0;
    keel_status status = rows_at(fd, t, u, m->beside, m->beside_shift);
    if (status != KEEL_OK) return status;
    m->beside_at[0] = t;
    memcpy(m->beside_at + 1, u, bytes);
    m->beside_ready = 1;
    return KEEL_OK;
}

keel_status mechanics_sparse_rows(struct field *fd, double t, const double *u, const double **k,
                                  const double **shift) {
    struct mechanics *m = &fd->mech;
    int here = mechanics_factored_at(fd, t, u);
    *k = here ? m->k_values : m->beside;
    *shift = here ? m->shift : m->beside_shift;
    return here ? KEEL_OK : rows_beside(fd, t, u);
}

keel_status mechanics_sparse_factor(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    keel_status status = mechanics_sparse_mass(fd, t, u);
    if (status == KEEL_OK) status = rows_at(fd, t, u, m->k_values, m->shift);
    if (status != KEEL_OK) return status;
    fd->stats->factorizations++;
    int code = saddle_factor(&m->saddle, m->mass_values, m->k_values, fd->active);
    fd->stats->schur += m->saddle.by_schur;
    return code == SADDLE_FINE ? KEEL_OK : mechanics_lost_rank(fd, t, saddle_weakest(&m->saddle));
}

keel_status mechanics_sparse_oblique(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    m->ready = 0;
    keel_status status = rows_beside(fd, t, u);
    if (status != KEEL_OK) return status;
    fd->stats->factorizations++;
    int code = saddle_factor_oblique(&m->saddle, m->mass_values, m->k_values, m->beside, fd->active);
    return code == SADDLE_FINE ? KEEL_OK : KEEL_ESINGULAR;
}

keel_status mechanics_sparse_velocity_rows(struct field *fd, double t, const double *u, double *out) {
    const double *k, *shift;
    keel_status status = mechanics_sparse_rows(fd, t, u, &k, &shift);
    if (status != KEEL_OK) return status;
    saddle_multiply(&fd->mech.saddle, k, u + fd->nq, out);
    for (int i = 0; i < fd->kg; i++) out[i] += shift[i];
    return fd->kr ? map_value(fd, &fd->rolling, t, u, out + fd->kg) : KEEL_OK;
}

void mechanics_sparse_accelerate(struct field *fd, double *force) {
    struct mechanics *m = &fd->mech;
    for (int i = 0; i < fd->k; i++) fd->lambda[i] = -m->gamma[i];
    if (m->roughly) saddle_solve_roughly(&m->saddle, force, fd->lambda);
    else saddle_solve(&m->saddle, force, fd->lambda);
}

/* F, K and gamma; 0: one of them failed. */
static int evaluate(struct field *fd, double t, const double *u, double *force) {
    struct mechanics *m = &fd->mech;
    void *user = fd->p.user;
    if (fd->p.f.value(t, u, force, user) || fd->p.curvature(t, u, fd->lambda, user)) return 0;
    if (fd->kg && fd->p.constraint.jacobian(t, u, m->k_values, user)) return 0;
    double *rolling = m->k_values + (fd->kg ? fd->p.constraint.pattern->nnz : 0);
    if (fd->kr && fd->p.rolling.jacobian(t, u, rolling, user)) return 0;
    for (int i = 0; i < fd->k; i++) fd->lambda[i] = -fd->lambda[i];
    memset(m->shift, 0, (size_t)fd->k * sizeof *m->shift);
    return !fd->constraint.time_dependent ||
           map_time_derivative(fd, &fd->constraint, t, u, m->shift) == KEEL_OK;
}

/* What is not finite in F or gamma is not so in v', and no pivot is found where K is not: nothing is looked
 * at but the result. */
int mechanics_sparse_at_once(struct field *fd, double t, const double *u, double *force) {
    struct mechanics *m = &fd->mech;
    size_t bytes = (size_t)fd->nq * sizeof *u;
    if (!fd->p.curvature || keel_halted(fd->halt) || mechanics_factored_at(fd, t, u)) return 0;
    if (m->mass_values && !(fd->p.mass.constant && m->mass_ready)) return 0;
    int again = mechanics_passed_at(fd, t, u);
    m->ready = m->passed = 0;
    if (!evaluate(fd, t, u, force)) return 0;
    if (saddle_factor_solve(&m->saddle, m->mass_values, m->k_values, fd->active, force, fd->lambda)) return 0;
    if (!(fd->nq < MAP_MANY ? keel_native_finite(fd->nq, force) : map_finite(fd->nq, force))) return 0;
    fd->stats->factorizations++;
    fd->stats->schur++;
    fd->stats->jacobians += (fd->kg > 0) + (fd->kr > 0);
    mechanics_count(fd, -again);
    m->at[0] = t;
    memcpy(m->at + 1, u, bytes);
    m->ready = 1;
    return 1;
}

void mechanics_sparse_shortest(struct field *fd, double *c, double *d) {
    saddle_shortest(&fd->mech.saddle, c, d);
}

void mechanics_sparse_sizes(const struct field *fd, const double *k, const double *x, double *position,
                            double *velocity) {
    const keel_pattern *part[] = {fd->constraint.user.pattern, fd->rolling.user.pattern};
    int count[] = {fd->kg, fd->kr};
    const double *v = x + fd->nq;
    for (int p = 0, row = 0; p < 2; p++)
        for (int i = 0; i < count[p]; i++, row++) {
            const int *column = part[p]->column + part[p]->row_start[i];
            int entries = part[p]->row_start[i + 1] - part[p]->row_start[i];
            double of_q = 0, of_v = 0;
            for (int e = 0; e < entries; e++) {
                of_q += fabs(k[e] * x[column[e]]);
                of_v += fabs(k[e] * v[column[e]]);
            }
            position[row] = of_q;
            velocity[row] = of_v;
            k += entries;
        }
}

void mechanics_sparse_least_multipliers(struct field *fd) {
    int redundant = 0;
    for (int i = 0; i < fd->k; i++) redundant |= !fd->active[i];
    if (!redundant) return;
    saddle_least(&fd->mech.saddle, fd->mech.k_values, fd->active, fd->lambda);
    fd->mech.ready = 0;
}
