/* newton.c - see keel/newton.h: dense matrices, real ones.  J, then for each matrix its factors and pivots,
 * lie behind the struct, so that nothing saved is a pointer. */
#include <keel/newton.h>

#include "linalg/dense.h"

struct keel_newton {
    double n, unused[3];
};

static double *jacobian_of(const keel_newton *m) {
    return (double *)(m + 1);
}

static double *factors_of(const keel_newton *m, int k) {
    long n = (long)m->n;
    return jacobian_of(m) + n * n + k * (n * n + n);
}

keel_newton *keel_newton_layout(const keel_problem *p, const keel_options *o, keel_work *w, int real,
                                int complex) {
    (void)p, (void)o, (void)complex;
    size_t n = (size_t)w->n,
           count = sizeof(keel_newton) / sizeof(double) + n * n + (size_t)real * (n * n + n);
    keel_newton *m = (keel_newton *)keel_work_doubles(w, count);
    if (m) m->n = w->n;
    return m;
}

keel_status keel_newton_jacobian(keel_work *w, keel_newton *m, double t, const double *x, const double *f,
                                 int differences) {
    return keel_work_jacobian(w, t, x, f, differences, jacobian_of(m));
}

keel_status keel_newton_factor(keel_work *w, keel_newton *m, int k, double real, double imaginary) {
    (void)imaginary;
    int n = w->n;
    const double *jacobian = jacobian_of(m);
    double *lu = factors_of(m, k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) lu[(long)i * n + j] = (i == j) - real * jacobian[(long)i * n + j];
    keel_work_count(w, 1, 0);
    return dense_lu(n, lu, (int *)(lu + (long)n * n), w->halt) ? KEEL_RETRY : KEEL_OK;
}

void keel_newton_solve(const keel_work *w, const keel_newton *m, int k, double *b, double *imaginary) {
    (void)imaginary;
    const double *lu = factors_of(m, k);
    dense_lu_solve(w->n, lu, (const int *)(lu + (long)w->n * w->n), b);
}
