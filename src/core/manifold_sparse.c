/* manifold_sparse.c - invariants beside a large sparse K, in the norm of manifold_mass.c.
 *
 * A gradient e gives the tangent direction d of  M d + K^T mu = e, K d = 0,  and with it M d = e - K^T mu, so
 * that M never has to be applied.  Directions are made orthogonal by mass; (d, M d) go in pairs. */
#include "core/manifold.h"

#include "base/machine.h"

#include <math.h>
#include <string.h>

/* b := b - factor a */
static void subtract(int n, double factor, const double *a, double *b) {
    for (int i = 0; i < n; i++) b[i] -= factor * a[i];
}

/* e (a half) becomes d; dual: e - K^T mu. */
static void to_tangent(struct manifold *m, double *e, double *dual) {
    struct field *fd = m->fd;
    memcpy(dual, e, (size_t)fd->nq * sizeof *dual);
    memset(m->c, 0, (size_t)fd->k * sizeof *m->c);
    saddle_solve(&fd->mech.saddle, e, m->c);
    int pulls = 0;
    for (int i = 0; i < fd->k; i++) {
        m->c[i] = -m->c[i];
        pulls |= m->c[i] != 0;
    }
    if (pulls) saddle_multiply_t(&fd->mech.saddle, fd->mech.k_values, m->c, dual);
}

/* Row i against the earlier ones; returns the square of what is left. */
static double orthogonalize(struct manifold *m, int i) {
    struct rowspace *s = &m->space;
    int width = s->width;
    double *d = s->q + (long)i * width, *dual = m->dual + (long)i * width, left = project_dot(width, dual, d);
    for (int pass = 0; pass < 2 && i > 0; pass++) {
        for (int j = 0; j < i; j++) {
            double share = project_dot(width, m->dual + (long)j * width, d) * s->inverse[j];
            subtract(width, share, s->q + (long)j * width, d);
            subtract(width, share, m->dual + (long)j * width, dual);
        }
        left = project_dot(width, dual, d);
    }
    return left;
}

void manifold_sparse_border(struct manifold *m, int first_kept) {
    struct field *fd = m->fd;
    struct rowspace *s = &m->space;
    int nq = fd->nq, half = fd->mech.space.width;
    s->rank = 0;
    for (int i = 0; i < s->rows; i++) {
        const double *gradient = rows_gradient(m->rows, fd, m->row[first_kept + i]);
        double *d = s->q + (long)i * s->width, *dual = m->dual + (long)i * s->width, whole = 0;
        memset(d, 0, (size_t)s->width * sizeof *d);
        memcpy(d, gradient, (size_t)nq * sizeof *d);
        for (int j = 0; j < nq; j++) d[half + j] = gradient[nq + j] / m->tau;
        for (int part = 0; part < 2; part++) { /* 1 / sqrt(M_jj) stands for L^-1 */
            double *a = d + part * half, *in_lengths = dual + part * half;
            for (int j = 0; j < half; j++)
                in_lengths[j] = j < nq ? a[j] * fd->mech.saddle.inverse_weight[j] : 0;
            whole += project_dot(nq, in_lengths, in_lengths);
        }
        to_tangent(m, d, dual);
        to_tangent(m, d + half, dual + half);
        double left = orthogonalize(m, i);
        int used = left > 0 && left >= MANIFOLD_DEPENDENT * MANIFOLD_DEPENDENT * whole;
        s->used[i] = used;
        s->rank += used;
        s->inverse[i] = used ? 1 / left : 0;
    }
    fd->stats->factorizations++;
    m->normal_known = 1;
}

/* The shortest d with K d = K e is what the constraints take of either half. */
static void leave_constraints(const struct manifold *m, double *e) {
    struct field *fd = m->fd;
    for (int part = 0; part < 2; part++, e += fd->nq) {
        saddle_multiply(&fd->mech.saddle, fd->mech.k_values, e, m->c);
        mechanics_sparse_shortest(fd, m->c, m->d);
        subtract(fd->nq, 1, m->d, e);
    }
}

MACHINE_WIDE __attribute__((flatten)) static void leave_invariants(const struct manifold *m, double *e) {
    int nq = m->fd->nq, half = m->fd->mech.space.width;
    for (int i = 0; i < m->space.rows; i++) {
        const double *dual = m->dual + (long)i * m->space.width, *d = m->space.q + (long)i * m->space.width;
        double whole = project_dot(nq, dual, e) + m->tau * project_dot(nq, dual + half, e + nq);
        double share = whole * m->space.inverse[i];
        subtract(nq, share, d, e);
        subtract(nq, share / m->tau, d + half, e + nq);
    }
}

void manifold_sparse_tangents(const struct manifold *m, int count, double *const e[2]) {
    struct field *fd = m->fd;
    double *last = e[count - 1], *const half[] = {e[0], e[0] + fd->nq, last, last + fd->nq};
    int one_by_one = saddle_tangents(&fd->mech.saddle, fd->mech.k_values, half);
    for (int k = 0; k < count; k++) {
        if (one_by_one) leave_constraints(m, e[k]);
        if (m->normal_known) leave_invariants(m, e[k]);
    }
}
