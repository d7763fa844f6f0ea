/* mechanics.c - M(q) v' = F(t,q,v) - K^T lambda with K v' = -gamma: the saddle-point solve.
 *
 * With M = L L^T, z = L^-1 F, the rows of B = K L^-T as B = R Q and D = diag |q_i|^2:
 *     lambda = R^-T D^-1 (Q z + R^-1 gamma),   v' = L^-T (z - Q^T D^-1 (Q z + R^-1 gamma)).
 * The same factorization serves the projection of positions, velocities and error estimates. */
#include "core/field.h"

#include "core/differences.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

void mechanics_profile(struct field *fd) {
    const keel_pattern *p = fd->p.mass.pattern;
    int *first = fd->mech.first;
    for (int i = 0; i < fd->nq && first; i++) {
        first[i] = i;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] < first[i]) first[i] = p->column[e];
    }
}

void mechanics_layout(struct field *fd, struct arena *a) {
    struct mechanics *m = &fd->mech;
    size_t nq = (size_t)fd->nq, k = (size_t)fd->k, width = (nq + 3) / 4 * 4;
    m->at = arena_doubles(a, nq + 1);
    m->shift = arena_doubles(a, k + 1);
    m->gamma = arena_doubles(a, k + 1);
    m->force = arena_doubles(a, width);
    m->weighted = arena_doubles(a, width);
    m->z = arena_doubles(a, k + 1);
    m->space = (struct rowspace){.rows = m->sparse ? 0 : fd->k, .width = (int)width};
    if (m->sparse) {
        mechanics_sparse_layout(fd, a);
        return;
    }
    m->mass = fd->p.mass.value ? arena_doubles(a, nq * nq) : NULL;
    int *first = arena_ints(a, nq);
    m->first = m->mass && fd->p.mass.pattern ? first : NULL;
    mechanics_profile(fd);
    m->k_rows = arena_doubles(a, k * nq + 1);
    m->beside_shift = arena_doubles(a, k + 1);
    m->space.q = arena_doubles(a, k * width + 4);
    m->space.r = arena_doubles(a, k * k + 1);
    m->space.inverse = arena_doubles(a, k + 1);
    m->space.used = arena_ints(a, k + 1);
    mechanism_layout(fd, a);
    redundant_layout(&m->of_rows, a, fd->k, fd->nq);
}

keel_status mechanics_bad_mass(struct field *fd, double t, int row) {
    char buffer[64];
    return field_fault(fd, KEEL_RETRY, KEEL_ESINGULAR,
                       "the mass matrix is not positive definite at t = %.10g (at %s)", t,
                       field_name(fd->p.names, row, "u", buffer, sizeof buffer));
}

keel_status mechanics_mass(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    if (!m->mass || (fd->p.mass.constant && m->mass_ready)) return KEEL_OK;
    keel_status status = map_matrix(fd, &fd->p.mass, "mass", fd->nq, t, u, m->mass);
    if (status != KEEL_OK) return status;
    int row = 0;
    while (row < fd->nq && !keel_halted(fd->halt) && small_cholesky_row(fd->nq, m->first, m->mass, row))
        row++;
    m->mass_ready = row == fd->nq;
    return m->mass_ready ? KEEL_OK : mechanics_bad_mass(fd, t, row);
}

double mechanics_orthogonal_fraction(const struct field *fd, int *row) {
    return fd->mech.sparse ? 1 : redundant_least_fraction(&fd->mech.space, row);
}

keel_status mechanics_lost_rank(struct field *fd, double t, int row) {
    char buffer[64];
    int rolling = row >= fd->kg;
    const char *const *names = rolling ? fd->rolling.user.names : fd->constraint.user.names;
    return field_fault(
        fd, KEEL_RETRY, KEEL_ESINGULAR,
        "the constraint %s loses its own direction at t = %.10g (a dead centre): the motion is not "
        "determined beyond this position",
        field_name(names, rolling ? row - fd->kg : row, rolling ? "rolling" : "constraint", buffer,
                   sizeof buffer),
        t);
}

/* Rows that carry the motion better than those in force, where some follow from others. */
__attribute__((noinline)) static void choose_rows(struct field *fd, int independent) {
    struct mechanics *m = &fd->mech;
    for (int i = 0; i < fd->k; i++)
        mechanism_row(&m->space, i, fd->nq, m->k_rows + (long)i * fd->nq, m->first, m->mass);
    redundant_choose(&m->of_rows, &m->space, independent);
}

/* K L^-T as a row space.  Where some rows follow from others, those that carry the motion are those of the
 * start, or others that do it better here. */
static keel_status factor_dense(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    int nq = fd->nq, k = fd->k, row, independent = 0;
    double *floor_of = m->z;
    keel_status status = mechanics_mass(fd, t, u);
    if (status == KEEL_OK && fd->kg) status = map_jacobian(fd, &fd->constraint, t, u, m->k_rows);
    if (status == KEEL_OK && fd->kg) status = map_time_derivative(fd, &fd->constraint, t, u, m->shift);
    if (status == KEEL_OK && fd->kr)
        status = map_jacobian(fd, &fd->rolling, t, u, m->k_rows + (long)fd->kg * nq);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < k; i++) independent += m->of_rows.in_force[i] = fd->active[i] != 0;
    for (int chosen = 0;; chosen = 1) {
        for (int i = 0; i < k; i++) {
            mechanism_row(&m->space, i, nq, m->k_rows + (long)i * nq, m->first, m->mass);
            floor_of[i] = m->of_rows.in_force[i] ? sqrt(DBL_EPSILON) : 2;
        }
        rowspace_factor(&m->space, floor_of);
        fd->stats->factorizations++;
        if (chosen || independent == k ||
            (m->space.rank >= independent && mechanics_orthogonal_fraction(fd, &row) >= REDUNDANT_NARROW))
            break;
        choose_rows(fd, independent);
    }
    for (int i = 0; i < k; i++)
        if (m->of_rows.in_force[i] && !m->space.used[i]) return mechanics_lost_rank(fd, t, i);
    return KEEL_OK;
}

keel_status mechanics_factor(struct field *fd, double t, const double *u) {
    struct mechanics *m = &fd->mech;
    if (mechanics_factored_at(fd, t, u)) return KEEL_OK;
    int again = mechanics_passed_at(fd, t, u);
    m->ready = m->passed = 0;
    keel_status status = m->sparse ? mechanics_sparse_factor(fd, t, u) : factor_dense(fd, t, u);
    if (status != KEEL_OK) return status;
    m->at[0] = t;
    memcpy(m->at + 1, u, (size_t)fd->nq * sizeof *u);
    m->ready = 1;
    mechanics_count(fd, -again);
    return KEEL_OK;
}

int mechanics_factored_near(const struct field *fd, double t, const double *u) {
    const struct mechanics *m = &fd->mech;
    if (!m->ready || m->sparse || m->at[0] != t) return 0;
    return mechanism_near(fd->nq, m->at + 1, u, fd->size);
}

/* K and g_t, of the factorization where it was made at u. */
keel_status mechanics_rows(struct field *fd, double t, const double *u, const double **k,
                           const double **shift) {
    struct mechanics *m = &fd->mech;
    int here = mechanics_factored_at(fd, t, u) || !fd->kg;
    *k = here ? m->k_rows : fd->matrix;
    *shift = here ? m->shift : m->beside_shift;
    if (here) return KEEL_OK;
    keel_status status = map_time_derivative(fd, &fd->constraint, t, u, m->beside_shift);
    return status == KEEL_OK ? map_jacobian(fd, &fd->constraint, t, u, fd->matrix) : status;
}

keel_status mechanics_speeds(struct field *fd, double t, const double *u, const double *k,
                             const double *shift, double *out) {
    mechanism_speeds(fd->nq, fd->kg, k, shift, u + fd->nq, out);
    return fd->kr ? map_value(fd, &fd->rolling, t, u, out + fd->kg) : KEEL_OK;
}

keel_status mechanics_velocity_rows(struct field *fd, double t, const double *u, double *out) {
    const double *k, *shift;
    if (fd->mech.sparse) return mechanics_sparse_velocity_rows(fd, t, u, out);
    keel_status status = mechanics_rows(fd, t, u, &k, &shift);
    return status == KEEL_OK ? mechanics_speeds(fd, t, u, k, shift, out) : status;
}

struct motion {
    struct field *fd;
    double t, clock; /* clock 0: nothing depends on t, so it stands still */
    const double *u;
};

/* u moved along its own velocity for a time s: q + s v, v kept. */
static const double *moved(const struct motion *c, double s) {
    double *path = c->fd->path;
    int nq = c->fd->nq;
    for (int j = 0; j < nq; j++) path[j] = c->u[j] + s * c->u[nq + j];
    memcpy(path + nq, c->u + nq, (size_t)nq * sizeof *path);
    return path;
}

static keel_status constraint_on_path(void *context, double s, double *out) {
    const struct motion *c = context;
    return map_value(c->fd, &c->fd->constraint, c->t + s * c->clock, moved(c, s), out);
}

static keel_status speed_on_path(void *context, double s, double *out) { /* G v + g_t, A v + b */
    const struct motion *c = context;
    return mechanics_velocity_rows(c->fd, c->t + s * c->clock, moved(c, s), out);
}

double mechanics_path_length(const struct field *fd, const double *u) {
    double length = fd->constraint.time_dependent || fd->rolling.time_dependent ? fd->t_length : HUGE_VAL;
    for (int j = 0; j < fd->nq; j++)
        if (u[fd->nq + j] != 0) length = fmin(length, fd->length[j] / fabs(u[fd->nq + j]));
    return length < HUGE_VAL ? length : 1;
}

/* gamma = d/dt (G v + g_t), d/dt (A v + b) at constant v.  Errors here are harmless: they act along M^-1
 * K^T, which the projection of velocities removes. */
keel_status mechanics_curvature(struct field *fd, double t, const double *u, double *gamma) {
    if (fd->p.curvature) {
        if (keel_halted(fd->halt)) return map_stopped(fd);
        int code = fd->p.curvature(t, u, gamma, fd->p.user);
        return map_checked(fd, "curvature", NULL, code, t, fd->k, gamma);
    }
    struct motion path = {fd, t, fd->constraint.time_dependent || fd->rolling.time_dependent, u};
    double length = mechanics_path_length(fd, u), *work = fd->curvature_work;
    int nested = fd->kg && !fd->constraint.user.jacobian;
    keel_status status = KEEL_OK;
    if (!nested || fd->kr)
        status =
            differences_along(speed_on_path, &path, fd->k, length, DIFFERENCES_LEVELS, 1, work, gamma, NULL);
    if (status == KEEL_OK && nested) /* one differentiation, not two of them nested */
        status = differences_along(constraint_on_path, &path, fd->kg, length, DIFFERENCES_LEVELS, 2, work,
                                   gamma, NULL);
    return status;
}

int mechanics_rhs(double t, const double *x, double *dx, void *field) {
    struct field *fd = field;
    struct mechanics *m = &fd->mech;
    int nq = fd->nq, k = fd->k;
    if (fd->kernel && (m->sparse ? mechanism_eliminates(fd, t, x, dx) : mechanism_accelerates(fd, t, x, dx)))
        return 0;
    double *force = m->sparse ? dx + nq : m->force; /* dense rows are padded */
    memcpy(dx, x + nq, (size_t)nq * sizeof *dx);
    if (m->sparse && m->roughly && mechanics_sparse_at_once(fd, t, x, force)) return 0;
    keel_status status = map_value(fd, &fd->f, t, x, force);
    if (status == KEEL_OK) status = mechanics_factor(fd, t, x);
    if (status == KEEL_OK && k) status = mechanics_curvature(fd, t, x, m->gamma);
    if (status != KEEL_OK) return status;
    if (m->sparse) {
        mechanics_sparse_accelerate(fd, force);
        return 0;
    }
    mechanism_accelerate(nq, m->first, m->mass, &m->space, m->gamma, force, fd->lambda, m->z, m->weighted);
    memcpy(dx + nq, force, (size_t)nq * sizeof *dx);
    return 0;
}

void mechanics_least_multipliers(struct field *fd) {
    struct mechanics *m = &fd->mech;
    if (m->sparse) {
        mechanics_sparse_least_multipliers(fd);
        return;
    }
    redundant_find_unseen(&m->of_rows, &m->space, fd->nq, m->k_rows, m->mass);
    if (m->of_rows.unseen.rows == 0) return;
    redundant_trade(&m->of_rows, fd->k, fd->lambda, NULL);
    memcpy(fd->lambda, m->of_rows.lambda, (size_t)fd->k * sizeof *fd->lambda);
}

keel_status mechanics_reactions(struct field *fd, double t, const double *u, double *out) {
    const struct mechanics *m = &fd->mech;
    (void)t;
    (void)u;
    memset(out, 0, (size_t)fd->nq * sizeof *out);
    if (m->sparse) {
        saddle_multiply_t(&m->saddle, m->k_values, fd->lambda, out);
        for (int j = 0; j < fd->nq; j++) out[j] = -out[j];
        return KEEL_OK;
    }
    for (int j = 0; j < fd->nq; j++)
        for (int i = 0; i < fd->k; i++) out[j] -= m->k_rows[(long)i * fd->nq + j] * fd->lambda[i];
    return KEEL_OK;
}
