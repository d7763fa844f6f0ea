/* lie_rkmk.c - Runge-Kutta-Munthe-Kaas methods for motion on a sphere: x' = A(t,x) x with A skew.
 *
 *     x(t) = exp(u(t)) x0,   u' = A - [u,A] / 2 + [u,[u,A]] / 12 - ... (the next one is of fifth order),
 *
 * and u is found by the classical Runge-Kutta method.  Rotations keep |x|.  A is taken from f itself,
 * A = (f x^T - x f^T) / |x|^2, so that A x = f where f.x = 0.  All stages lie in the span of x and the four
 * rates: with an orthonormal basis Q of it, u = Q U Q^T, commutators and exponentials are those of 5 x 5
 * matrices.  Munthe-Kaas, Appl. Numer. Math. 29 (1999) 115; Hairer, Lubich, Wanner, Geometric Numerical
 * Integration, IV.8. */
#include "methods/lie_group.h"
#include "methods/sampled.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 4, MOST = STAGES + 1 };
typedef double matrix[MOST][MOST];

struct rkmk {
    double *basis;        /* MOST x width */
    double *stage, *rate; /* width */
};

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    return sampled_sphere(p, 0);
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p, (void)o;
    struct rkmk *m = w->method;
    m->basis = keel_work_doubles(w, MOST * (size_t)w->width);
    m->stage = keel_work_doubles(w, (size_t)w->width);
    m->rate = keel_work_doubles(w, (size_t)w->width);
}

/* [a,b] of the first `size` rows and columns. */
static void commute(int size, matrix a, matrix b, matrix out) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            double sum = 0;
            for (int k = 0; k < size; k++) sum += a[i][k] * b[k][j] - b[i][k] * a[k][j];
            out[i][j] = sum;
        }
}

/* k := k - [u,k] / 2 + [u,[u,k]] / 12 */
static void pull_back(int size, matrix u, matrix k) {
    matrix once, twice;
    commute(size, u, k, once);
    commute(size, u, once, twice);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) k[i][j] += twice[i][j] / 12 - once[i][j] / 2;
}

/* d = exp(u) v - v by its series, in pieces in which u is below 1. */
static void turn(int size, matrix u, const double *v, double *d) {
    double square = 0, term[MOST], next[MOST];
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) square += u[i][j] * u[i][j];
    double norm = sqrt(square);
    int pieces = norm < 1e6 ? 1 + (int)norm : 1;
    memset(d, 0, MOST * sizeof *d);
    for (int piece = 0; piece < pieces; piece++) {
        double bound = 1; /* of the term, in terms of |v| */
        for (int i = 0; i < size; i++) term[i] = v[i] + d[i];
        for (int order = 1; bound > 1e-3 * DBL_EPSILON * norm && order < 24; order++) {
            double factor = 1 / (pieces * (double)order);
            for (int i = 0; i < size; i++) {
                next[i] = 0;
                for (int j = 0; j < size; j++) next[i] += u[i][j] * term[j];
            }
            for (int i = 0; i < size; i++) d[i] += term[i] = factor * next[i];
            bound *= factor * norm;
        }
    }
}

/* Coordinates of the rate; what is new in it becomes basis vector number `at`. */
static void resolve(const keel_work *w, int at, double *coordinates) {
    const struct rkmk *m = w->method;
    double *fresh = m->basis + (long)at * w->width, speed = lie_length(w->n, m->rate);
    memcpy(fresh, m->rate, (size_t)w->width * sizeof *fresh);
    memset(coordinates, 0, MOST * sizeof *coordinates);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < at; k++) {
            const double *known = m->basis + (long)k * w->width;
            double part = lie_dot(w->n, known, fresh);
            coordinates[k] += part;
            for (int i = 0; i < w->n; i++) fresh[i] -= part * known[i];
        }
    coordinates[at] = lie_unit(w->n, fresh, fresh);
    if (coordinates[at] > 4 * DBL_EPSILON * speed) return;
    coordinates[at] = 0;
    memset(fresh, 0, (size_t)w->width * sizeof *fresh);
}

/* out = Q d, the sum of `count` basis vectors. */
static void combine(const keel_work *w, int count, const double *d, double *out) {
    const struct rkmk *m = w->method;
    memset(out, 0, (size_t)w->width * sizeof *out);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < w->n; i++) out[i] += d[k] * m->basis[(long)k * w->width + i];
}

/* h A of the rate with these coordinates at the stage y = start + d. */
static void generator(int size, double factor, const double *f, const double *start, const double *d,
                      matrix out) {
    double y[MOST];
    for (int i = 0; i < size; i++) y[i] = (start[i] + d[i]) / start[0];
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) out[i][j] = factor * (f[i] * y[j] - y[i] * f[j]);
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    static const double node[STAGES] = {0, 0.5, 0.5, 1}, weight[STAGES] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    struct rkmk *m = w->method;
    matrix k = {{0}}, u = {{0}}, sum = {{0}};
    double length = lie_unit(w->n, a->x, m->basis), start[MOST] = {length}, d[MOST] = {0}, f[MOST];
    memset(a->dx, 0, (size_t)w->width * sizeof *a->dx);
    if (length == 0) return lie_length(w->n, a->f) == 0 ? KEEL_OK : KEEL_RETRY;
    memcpy(m->rate, a->f, (size_t)w->width * sizeof *a->f);
    for (int s = 0; s < STAGES; s++) {
        int size = s + 2; /* x, the rates before, and the one of this stage */
        if (s > 0) {
            for (int i = 0; i < size; i++)
                for (int j = 0; j < size; j++) u[i][j] = node[s] * k[i][j];
            turn(s + 1, u, start, d);
            combine(w, s + 1, d, m->stage);
            for (int i = 0; i < w->width; i++) m->stage[i] += a->x[i];
            keel_status status = keel_rhs(w, a->t + node[s] * a->h, m->stage, m->rate);
            if (status != KEEL_OK) return status;
        }
        resolve(w, s + 1, f);
        generator(size, a->h / length, f, start, d, k);
        if (s > 0) pull_back(size, u, k);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) sum[i][j] += weight[s] * k[i][j];
    }
    turn(MOST, sum, start, d);
    combine(w, MOST, d, a->dx);
    return isfinite(lie_length(w->n, a->dx)) ? KEEL_OK : KEEL_RETRY;
}

const keel_stepper lie_rkmk_methods[] = {
    {.info = {.name = "rkmk4",
              .about = "Runge-Kutta-Munthe-Kaas: rotations for motion on a sphere |x| = const",
              .reference = "Munthe-Kaas 1999",
              .order = 4,
              .traits = KEEL_KEEPS_LENGTH},
     .size = sizeof(struct rkmk),
     .refuse = refuse,
     .layout = layout,
     .attempt = attempt},
    {.info = {.name = NULL}},
};
