/* manifold_pull.c - the smallest displacement d with G d = c at a given place, for large sparse rows: what
 * a term of the rate pulls by (baumgarte), and the projection P = D (G D)^-1 G in its jacobian.
 *
 * Hidden rows go by their pattern (manifold_hidden.c).  Mechanics goes in the order of its projection, by the
 * saddle-point system that the accelerations have left: positions dq by K dq = c_g, velocities dv by
 * K dv = c_s - s_q dq, s the velocity rows, and what invariants lack then, by bordering.  Any of them meets
 * G d = c, so that rows decay alike; displacements along the manifold differ by O(c). */
#include "core/manifold.h"

#include "linalg/dense.h"

#include <string.h>

int manifold_pulls_sparse(const struct manifold *m) {
    return m->fd->mech.sparse || m->fd->hidden_rows.sparse;
}

/* out := s_q way, by a quotient. */
static keel_status bend(struct manifold *m, const double *way, double *out) {
    struct field *fd = m->fd;
    double length = mechanism_longest(fd->nq, way, fd->size), s = 1e-7 / length;
    memset(out, 0, (size_t)fd->k * sizeof *out);
    if (!(length > 0)) return KEEL_OK;
    memcpy(fd->line, m->aim, (size_t)fd->n * sizeof *fd->line);
    for (int j = 0; j < fd->nq; j++) fd->line[j] += s * way[j];
    keel_status status = mechanics_velocity_rows(fd, m->aim_t, fd->line, out);
    for (int i = 0; i < fd->k; i++) out[i] = (out[i] - m->speed[i]) / s;
    return status;
}

/* half := the shortest one with K half = m->c */
static void shortest_half(struct manifold *m, double *half) {
    mechanics_sparse_shortest(m->fd, m->c, m->d);
    memcpy(half, m->d, (size_t)m->fd->nq * sizeof *half);
}

static int first_invariant(const struct manifold *m) {
    int first = 0, end = m->rows->at[KEEL_ROW_ENERGY];
    while (first < m->kept && m->row[first] < end) first++;
    return first;
}

/* Directions of the invariants, along which constraints and their d/dt hold, and the matrix of both. */
static keel_status border(struct manifold *m, int first) {
    struct field *fd = m->fd;
    int n = fd->n, count = m->kept - first;
    m->space.rows = count;
    m->space.width = 2 * fd->mech.space.width;
    manifold_sparse_border(m, first);
    m->normal_known = 0; /* no correction was made */
    for (int j = 0; j < count; j++) {
        double *direction = m->directions + (long)j * n;
        mechanism_direction(fd->nq, NULL, NULL, &m->space, j, m->tau, direction);
        keel_status status = fd->k ? bend(m, direction, m->z) : KEEL_OK;
        if (status != KEEL_OK) return status;
        for (int i = 0; i < fd->k; i++) m->c[i] = -m->z[i];
        if (fd->k) mechanics_sparse_shortest(fd, m->c, m->d);
        for (int i = 0; i < fd->nq && fd->k; i++) direction[fd->nq + i] += m->d[i];
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double sum =
                project_dot(n, rows_gradient(m->rows, fd, m->row[first + i]), m->directions + (long)j * n);
            m->bordered[(long)i * count + j] = m->space.used[i] && m->space.used[j] ? sum : i == j;
        }
    return dense_lu(count, m->bordered, m->pivot, fd->halt) ? manifold_refuse(m, m->aim_t, m->row[first])
                                                            : KEEL_OK;
}

keel_status manifold_aim(struct manifold *m, double t, const double *u) {
    struct field *fd = m->fd;
    m->aim_t = t;
    m->aim = u;
    keel_status status = fd->mech.sparse ? mechanics_factor(fd, t, u) : KEEL_OK;
    for (int k = 0; k < m->kept_kinds && status == KEEL_OK; k++)
        status = rows_jacobian(fd, m->rows, (keel_row_kind)m->kind[k], t, u);
    if (status != KEEL_OK) return status;
    if (!fd->mech.sparse) return manifold_hidden_factor(m) ? KEEL_OK : manifold_refuse(m, t, m->row[0]);
    if (fd->k) status = mechanics_velocity_rows(fd, t, u, m->speed);
    int first = first_invariant(m);
    return status == KEEL_OK && first < m->kept ? border(m, first) : status;
}

static keel_status shortest_by_mass(struct manifold *m, const double *c, double *move) {
    struct field *fd = m->fd;
    int n = fd->n, nq = fd->nq, velocity = m->rows->at[KEEL_ROW_VELOCITY], first = first_invariant(m);
    memset(move, 0, (size_t)n * sizeof *move);
    if (fd->kg) {
        memcpy(m->c, c, (size_t)fd->kg * sizeof *c);
        memset(m->c + fd->kg, 0, (size_t)fd->kr * sizeof *c); /* what rolls leaves positions alone */
        shortest_half(m, move);
    }
    if (fd->k) {
        keel_status status = bend(m, move, m->z);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < fd->k; i++) m->c[i] = c[velocity + i] - m->z[i];
        shortest_half(m, move + nq);
    }
    if (first == m->kept) return KEEL_OK;
    for (int i = first; i < m->kept; i++)
        m->c[i - first] = c[m->row[i]] - project_dot(n, rows_gradient(m->rows, fd, m->row[i]), move);
    dense_lu_solve(m->kept - first, m->bordered, m->pivot, m->c);
    for (int i = 0; i < m->kept - first; i++)
        for (int j = 0; j < n; j++) move[j] += m->c[i] * m->directions[(long)i * n + j];
    return KEEL_OK;
}

keel_status manifold_shortest_at(struct manifold *m, const double *c, double *move) {
    if (m->fd->mech.sparse) return shortest_by_mass(m, c, move);
    manifold_hidden_shortest(m, c, move);
    return KEEL_OK;
}

keel_status manifold_rates_at(struct manifold *m, const double *v, double *c) {
    struct field *fd = m->fd;
    memset(c, 0, (size_t)m->rows->count * sizeof *c);
    for (int i = manifold_pulls_sparse(m) ? first_invariant(m) : 0; i < m->kept; i++) {
        const double *gradient = rows_gradient(m->rows, fd, m->row[i]);
        for (int j = 0; j < fd->n; j++) c[m->row[i]] += gradient[j] * v[j];
    }
    if (fd->hidden_rows.sparse) hidden_sparse_multiply(fd, v, c + fd->hidden_rows.first);
    if (!fd->mech.sparse || fd->k == 0) return KEEL_OK;
    double *speed = c + m->rows->at[KEEL_ROW_VELOCITY];
    keel_status status = bend(m, v, speed);
    saddle_multiply(&fd->mech.saddle, fd->mech.k_values, v + fd->nq, m->z);
    for (int i = 0; i < fd->k; i++) speed[i] += m->z[i];
    saddle_multiply(&fd->mech.saddle, fd->mech.k_values, v, m->z);
    memcpy(c, m->z, (size_t)fd->kg * sizeof *c);
    return status;
}
