/* manifold_hidden.c - Newton's step of manifold_flat.c with hidden rows by their pattern
 * (hidden_sparse.c). */
#include "core/manifold.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How far a state may be moved at unit cost: by sizes, and positions of a Hamiltonian with constraints no
 * further than its momenta move them within a step, as in dq M dq + h^2 dv M dv.  By sizes alone a long chain
 * would meet its invariants by moving far. */
static int weigh(struct manifold *m) {
    const struct field *fd = m->fd;
    double *weight = fd->hidden_rows.weight;
    int nq = fd->nq, known = fd->hidden_rows.blocks > 1 && m->norm == KEEL_BY_ERROR && fd->inertia[0] > 0;
    memcpy(weight, m->inverse_weight, (size_t)fd->n * sizeof *weight);
    for (int j = 0; j < nq && known; j++) {
        double way = m->tau * weight[nq + j] / fd->inertia[j];
        if (way > 0) weight[j] = fmin(weight[j], way);
    }
    return known;
}

/* The hidden rows first, then what invariants add to their directions. */
static int factor(struct manifold *m) {
    struct field *fd = m->fd;
    struct rowspace *s = &m->space;
    const double *weight = fd->hidden_rows.weight;
    if (manifold_directions_factor(m)) return 1;
    if (!hidden_sparse_factor(fd, weight, fd->hidden_rows.active, 0)) return 0;
    s->rows = m->kept - m->by_pattern;
    s->width = fd->width;
    for (int i = 0; i < s->rows; i++) {
        int row = m->row[m->by_pattern + i];
        int off = rows_in_units(m->rows, row, m->residual[row]) > m->units;
        rowspace_set(s, i, fd->n, rows_gradient(m->rows, fd, row), weight);
        m->floor_of[i] = hidden_sparse_border(fd, s, i, off ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY);
    }
    rowspace_factor(s, m->floor_of);
    hidden_sparse_face(fd, s, m->rows, m->row + m->by_pattern, weight, m->nearly);
    return 1;
}

/* Is there an invariant whose round-off would be noise in the states? */
static int is_noisy(const struct manifold *m) {
    int noisy = 0;
    for (int i = 0; i < m->space.rows; i++) noisy |= m->space.used[i] && m->fd->hidden_rows.part[i] < 1;
    return noisy;
}

/* At rest momenta do not change an energy, and just after they do with noise: there positions are moved by
 * their sizes. */
int manifold_hidden_factor(struct manifold *m) {
    int limited = weigh(m);
    if (!factor(m)) return 0;
    if (!limited || m->fd->hidden_rows.directions.stands || !is_noisy(m)) return 1;
    memcpy(m->fd->hidden_rows.weight, m->inverse_weight, (size_t)m->fd->n * sizeof *m->inverse_weight);
    return factor(m);
}

/* Of c_i of an invariant within its round-off only a part, as by mass, where all of it would be noise; beyond
 * it all, and no error along it stays. */
static void limit(struct manifold *m, int i) {
    double *part = m->fd->hidden_rows.part;
    int off = rows_in_units(m->rows, m->row[m->by_pattern + i], m->c[i]) > m->units;
    if (off) part[i] = 1;
    m->c[i] *= part[i];
}

/* a := the shortest one that meets the hidden rows; then along the tangent what invariants lack; limited: of
 * round-off a part. */
static void find_shortest(struct manifold *m, const double *wanted, int limited, double *a) {
    struct field *fd = m->fd;
    double *along = fd->line, *c = fd->hidden_rows.c;
    const double *weight = fd->hidden_rows.weight;
    int first = fd->hidden_rows.first, invariants = m->kept - m->by_pattern;
    if (fd->hidden_rows.directions.stands) {
        manifold_directions_shortest(m, wanted, a);
        return;
    }
    for (int i = 0; i < fd->hidden_rows.count; i++) c[i] = fd->hidden_rows.active[i] ? wanted[first + i] : 0;
    hidden_sparse_shortest(fd, c, a);
    for (int i = 0; i < invariants; i++) {
        int row = m->row[m->by_pattern + i];
        const double *gradient = rows_gradient(m->rows, fd, row);
        m->c[i] = wanted[row];
        for (int j = 0; j < fd->n; j++) m->c[i] -= gradient[j] * weight[j] * a[j];
        if (limited) limit(m, i);
    }
    if (invariants) hidden_sparse_along(fd, &m->space, m->c, m->z, along);
    for (int j = 0; j < fd->n; j++) a[j] = (invariants ? a[j] + along[j] : a[j]) * weight[j];
}

void manifold_hidden_shortest(struct manifold *m, const double *wanted, double *a) {
    find_shortest(m, wanted, 0, a);
}

keel_status manifold_hidden_correct(struct manifold *m, double t, double *x, double *low, int fresh) {
    int n = m->fd->n;
    if (fresh && !manifold_hidden_factor(m)) return manifold_refuse(m, t, m->row[0]);
    find_shortest(m, m->residual, m->fd->hidden_rows.blocks > 1, m->d);
    for (int j = 0; j < n; j++) m->d[j] = -m->d[j];
    manifold_move(x, low, n, m->d);
    for (int j = 0; j < n; j++) /* what each projection shrinks would stay among the slow subnormal numbers */
        if (fabs(x[j]) < DBL_MIN) x[j] = 0;
    return KEEL_OK;
}

/* The displacement by which the invariants change as by e, along it, where all of that is corrected. */
static void leave_invariants(struct manifold *m, double *e) {
    struct field *fd = m->fd;
    const double *weight = fd->hidden_rows.weight;
    for (int i = 0; i < m->space.rows; i++) {
        const double *gradient = rows_gradient(m->rows, fd, m->row[m->by_pattern + i]);
        m->c[i] = 0;
        for (int j = 0; j < fd->n && !(fd->hidden_rows.part[i] < 1); j++)
            m->c[i] += gradient[j] * weight[j] * e[j];
    }
    hidden_sparse_along(fd, &m->space, m->c, m->z, m->d);
    for (int j = 0; j < fd->n; j++) e[j] -= m->d[j];
}

static void into_weights(const struct manifold *m, double *e) {
    const double *weight = m->fd->hidden_rows.weight;
    for (int j = 0; j < m->fd->n; j++) e[j] = weight[j] > 0 ? e[j] / weight[j] : 0;
}
static void out_of_weights(const struct manifold *m, double *e) {
    const double *weight = m->fd->hidden_rows.weight;
    for (int j = 0; j < m->fd->n; j++) e[j] *= weight[j];
}

void manifold_hidden_tangents(struct manifold *m, int count, double *const e[2]) {
    int stands = m->fd->hidden_rows.directions.stands;
    for (int k = 0; k < count; k++) into_weights(m, e[k]);
    int one_by_one = !stands || count < 2 || manifold_directions_tangents(m, e);
    for (int k = 0; k < count && one_by_one; k++) {
        if (stands) {
            manifold_directions_tangent(m, e[k]);
            continue;
        }
        hidden_sparse_tangent(m->fd, e[k]);
        if (m->fd->hidden_rows.blocks == 1) rowspace_tangent(&m->space, e[k]);
        else if (m->space.rows) leave_invariants(m, e[k]);
    }
    for (int k = 0; k < count; k++) out_of_weights(m, e[k]);
}
