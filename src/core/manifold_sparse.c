/* manifold_sparse.c - invariants beside a large sparse K, in the norm of manifold_mass.c.
 *
 * A gradient e gives the tangent direction d of  M d + K^T mu = e, K d = 0,  and with it M d = e - K^T mu, so
 * that M never has to be applied.  Directions are made orthogonal by mass; (d, M d) go in pairs. */
#include "core/manifold.h"

#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

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
    for (int i = 0; i < fd->k; i++) m->c[i] = -m->c[i];
    saddle_multiply_t(&fd->mech.saddle, fd->mech.k_values, m->c, dual);
}

/* Row i against the earlier ones; returns the square of what is left. */
static double orthogonalize(struct manifold *m, int i) {
    struct rowspace *s = &m->space;
    int width = s->width;
    double *d = s->q + (long)i * width, *dual = m->dual + (long)i * width, left = dot(width, dual, d);
    for (int pass = 0; pass < 2 && i > 0; pass++) {
        for (int j = 0; j < i; j++) {
            double share = dot(width, m->dual + (long)j * width, d) * s->inverse[j];
            subtract(width, share, s->q + (long)j * width, d);
            subtract(width, share, m->dual + (long)j * width, dual);
        }
        left = dot(width, dual, d);
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
        memset(dual, 0, (size_t)s->width * sizeof *dual);
        memcpy(d, gradient, (size_t)nq * sizeof *d);
        for (int j = 0; j < nq; j++) {
            double inverse = fd->mech.saddle.inverse_weight[j]; /* 1 / sqrt(M_jj) stands for L^-1 */
            d[half + j] = gradient[nq + j] / m->tau;
            whole += (d[j] * inverse) * (d[j] * inverse) + (d[half + j] * inverse) * (d[half + j] * inverse);
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

void manifold_sparse_tangent(const struct manifold *m, double *e) {
    struct field *fd = m->fd;
    int nq = fd->nq, half = fd->mech.space.width;
    double *a = m->d;
    memset(a, 0, (size_t)(2 * half) * sizeof *a);
    for (int part = 0; part < 2; part++) { /* the shortest d with K d = K e is what the constraints take */
        double *whole = e + (long)part * nq;
        saddle_multiply(&fd->mech.saddle, fd->mech.k_values, whole, m->c);
        mechanics_sparse_shortest(fd, m->c, a + (long)part * half);
        for (int j = 0; j < nq; j++) a[(long)part * half + j] = whole[j] - a[(long)part * half + j];
    }
    if (m->normal_known) {
        for (int j = 0; j < nq; j++) a[half + j] *= m->tau;
        for (int i = 0; i < m->space.rows; i++) {
            const double *dual = m->dual + (long)i * m->space.width;
            double share = dot(m->space.width, dual, a) * m->space.inverse[i];
            subtract(m->space.width, share, m->space.q + (long)i * m->space.width, a);
        }
        for (int j = 0; j < nq; j++) a[half + j] /= m->tau;
    }
    memcpy(e, a, (size_t)nq * sizeof *e);
    memcpy(e + nq, a + half, (size_t)nq * sizeof *e);
}
