/* newton.c - see keel/newton.h: what is laid out, and the dense way. */
#include "core/newton.h"

#include "core/field.h"
#include "linalg/dense.h"
#include "linalg/shifted.h"

#include <math.h>
#include <string.h>

static keel_newton *newton_next(struct field *fd) {
    return fd->newtons < NEWTON_MOST ? &fd->newton[fd->newtons++] : NULL;
}

keel_newton *newton_layout(keel_work *w, int real, int complex, int lasting) {
    keel_newton *n = newton_next(field_of(w));
    size_t order = (size_t)w->n, reals = (size_t)real, pairs = (size_t)complex;
    if (!n || real + complex > NEWTON_MATRICES) return NULL;
    *n = (keel_newton){.real = real, .complex = complex, .of = n};
    if (field_of(w)->large) {
        newton_sparse_layout(w, n, lasting);
        return n;
    }
    n->jacobian = keel_work_doubles(w, order * order);
    n->lu = keel_work_doubles(w, (reals + 4 * pairs) * order * order);
    n->pivot = (int *)keel_work_doubles(w, ((reals + 2 * pairs) * order + 1) / 2);
    n->unit = keel_work_doubles(w, (reals + pairs) * order);
    n->pair = keel_work_doubles(w, pairs ? 2 * order : 0);
    return n;
}

keel_newton *keel_newton_layout(const keel_problem *p, const keel_options *o, keel_work *w, int real,
                                int complex) {
    (void)p, (void)o;
    return newton_layout(w, real, complex, 1);
}

keel_newton *keel_newton_beside(keel_work *w, keel_newton *of) {
    keel_newton *n = of ? newton_next(field_of(w)) : NULL;
    if (!n) return NULL;
    *n = (keel_newton){.real = of->real, .complex = of->complex, .of = of};
    if (field_of(w)->large) newton_sparse_layout(w, n, 0);
    else n->jacobian = keel_work_doubles(w, (size_t)w->n * (size_t)w->n);
    return n;
}

keel_status keel_newton_jacobian(keel_work *w, keel_newton *n, double t, const double *x, const double *f,
                                 int differences) {
    if (field_of(w)->large) return newton_sparse_jacobian(w, n, t, x, f, differences);
    return keel_work_jacobian(w, t, x, f, differences, n->jacobian);
}

int keel_newton_alike(const keel_work *w, const keel_newton *a, const keel_newton *b, const double *scale,
                      double share) {
    double difference = 0, size = 0;
    if (field_of(w)->large) return newton_sparse_alike(w, a, b, scale, share);
    for (long e = 0; e < (long)w->n * w->n; e++) {
        double change = scale[e % w->n] / scale[e / w->n];
        difference = fmax(difference, fabs(a->jacobian[e] - b->jacobian[e]) * change);
        size = fmax(size, fabs(a->jacobian[e]) * change);
    }
    return !(difference > share * size);
}

static double *newton_lu(const keel_newton *n, int order, int k, int **pivot) {
    long pairs = k > n->real ? k - n->real : 0, square = (long)order * order;
    *pivot = n->pivot + (k + pairs) * order;
    return n->lu + (k + 3 * pairs) * square;
}

/* The units of matrix k, or NULL: they are all 1. */
static double *newton_unit(const keel_newton *n, int order, int k) {
    double *unit = n->unit + (long)k * order;
    return unit[0] > 0 ? unit : NULL;
}

/* b := (I - c J)^-1 b, of `parts` vectors one after the other. */
static void newton_solve_dense(const keel_newton *n, int order, int k, int parts, double *b) {
    int *pivot;
    const double *lu = newton_lu(n, order, k, &pivot), *unit = newton_unit(n, order, k);
    for (int i = 0; unit && i < parts * order; i++) b[i] /= unit[i % order];
    dense_lu_solve(parts * order, lu, pivot, b);
    for (int i = 0; unit && i < parts * order; i++) b[i] *= unit[i % order];
}

keel_status keel_newton_factor(keel_work *w, keel_newton *n, int k, double real, double imaginary) {
    int *pivot;
    keel_work_count(w, 1, 0);
    if (field_of(w)->large) {
        newton_krylov_choose(field_of(w), n->of);
        return newton_sparse_factor(w, n, k, real, imaginary);
    }
    double *lu = newton_lu(n->of, w->n, k, &pivot);
    shifted_balance(w->n, fabs(real) + fabs(imaginary), n->jacobian, n->of->unit + (long)k * w->n);
    const struct shifted s = {w->n, w->n, NULL, newton_unit(n->of, w->n, k)};
    return shifted_lu(&s, real, imaginary, n->jacobian, lu, pivot, w->halt) ? KEEL_RETRY : KEEL_OK;
}

void keel_newton_solve(const keel_work *w, const keel_newton *n, int k, double *b, double *imaginary) {
    int order = w->n;
    if (field_of(w)->large) {
        (field_of(w)->damped ? newton_pulled_solve : newton_sparse_solve)(w, n->of, k, b, imaginary);
        return;
    }
    double *pair = n->of->pair;
    size_t bytes = (size_t)order * sizeof *b;
    if (!imaginary) {
        newton_solve_dense(n->of, order, k, 1, b);
        return;
    }
    memcpy(pair, b, bytes);
    memcpy(pair + order, imaginary, bytes);
    newton_solve_dense(n->of, order, k, 2, pair);
    memcpy(b, pair, bytes);
    memcpy(imaginary, pair + order, bytes);
}

int keel_newton_iterates(const keel_work *w, const keel_newton *n, int k) {
    return field_of(w)->large && newton_krylov_iterates(n->of, k);
}

void keel_newton_solve_near(const keel_work *w, const keel_newton *n, int k, double *b, double *imaginary,
                            const double *scale, double enough) {
    int alone = field_of(w)->large && !field_of(w)->damped;
    if (alone && newton_krylov_solve(w, n->of, k, b, imaginary, scale, enough)) return;
    keel_newton_solve(w, n, k, b, imaginary);
}
