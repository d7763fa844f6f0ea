/* saddle_least.c - the shortest lambda with a given K^T lambda, rows R of K depending on the others, A.
 *
 * K_R = C K_A, so N = (I, -C^T) spans what K^T does not see, and lambda - N y is the shortest for
 * (I + C C^T) y = N^T lambda.  C itself is never formed: C^T y is the mu of  d + K_A^T mu = K_R^T y,
 * K_A d = 0,  and C z is K_R d of  d + K_A^T mu = 0, K_A d = z.  Conjugate gradients; no eigenvalue is
 * below 1. */
#include "linalg/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 100 };

struct least {
    struct saddle *s;
    const double *k;
    const int *active;
    double *f, *c; /* nq and k: right-hand sides */
};

/* out := N y; y is 0 on A. */
static void spread(const struct least *l, const double *y, double *out) {
    int count = l->s->k;
    memset(l->f, 0, (size_t)l->s->nq * sizeof *l->f);
    saddle_multiply_t(l->s, l->k, y, l->f);
    memset(l->c, 0, (size_t)count * sizeof *l->c);
    saddle_solve(l->s, l->f, l->c);
    for (int i = 0; i < count; i++) out[i] = l->active[i] ? -l->c[i] : y[i];
}

/* y := N^T z, 0 on A. */
static void gather(const struct least *l, const double *z, double *y) {
    int count = l->s->k;
    memset(l->f, 0, (size_t)l->s->nq * sizeof *l->f);
    for (int i = 0; i < count; i++) l->c[i] = l->active[i] ? z[i] : 0;
    saddle_solve(l->s, l->f, l->c);
    saddle_multiply(l->s, l->k, l->f, l->c);
    for (int i = 0; i < count; i++) y[i] = l->active[i] ? 0 : z[i] - l->c[i];
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void saddle_least(struct saddle *s, const double *k, const int *active, double *lambda) {
    int count = s->k;
    double *inverse_weight = s->spare, *rest = inverse_weight + s->nq, *way = rest + count,
           *moved = way + count;
    struct least l = {s, k, active, moved + count, moved + count + s->nq};
    for (int j = 0; j < s->nq; j++) inverse_weight[j] = 1;
    if (saddle_factor_any(s, NULL, k, inverse_weight, active) != SADDLE_FINE) return;
    gather(&l, lambda, rest);
    memcpy(way, rest, (size_t)count * sizeof *way);
    double left = dot(count, rest, rest), first = left;
    for (int i = 0; i < ITERATIONS && left > DBL_EPSILON * DBL_EPSILON * first; i++) {
        spread(&l, way, moved);
        double step = left / dot(count, moved, moved);
        for (int j = 0; j < count; j++) lambda[j] -= step * moved[j];
        gather(&l, lambda, rest);
        double now = dot(count, rest, rest);
        if (!(now < left)) break;
        for (int j = 0; j < count; j++) way[j] = rest[j] + now / left * way[j];
        left = now;
    }
}
