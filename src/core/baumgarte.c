/* baumgarte.c - a term in the right-hand side that pulls back to the manifold (Baumgarte 1972).
 *
 *     x' = f(t,x) - gain D (G D)^-1 c(t,x),   D = W^-1 G^T   (+ gain where t runs backward)
 *
 * so that c' = -gain c for rows whose rate is zero by f itself.  A constraint g and its d/dt s, with g' = s
 * and s' = 0 by f, become g' = s - gain g, s' = -gain s: that is g'' + 2 gain g' + gain^2 g = 0, the
 * classical form with alpha = beta = gain, and the term touches positions and velocities alike.
 *
 * The gain.  With it the right-hand side changes as fast as 1/gain.  A step of order p drives c away by
 * h^(p+1) (1/T)^(p+1), T the time of the motion, and, since stages lie off the manifold by O(h^2), by
 * h^2/T^2 (gain h)^(p-1) through the term; c stays at about (sum of the two) / (gain h).  The least is at
 * gain = 1/T, whatever h is.  A gain in proportion to 1/h would leave c at O(h^2), and the state with it,
 * with a method of any order.  So gain is an estimate of 1/T from f_x at the start, and h only bounds it: to
 * 1/h, and for multistep methods, which are stable on much less of the negative axis, to 2^(1-p)/h. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

int baumgarte_applies(const struct engine *e) {
    return e->manifold.preserve == KEEL_BAUMGARTE && e->manifold.kept > 0;
}

void baumgarte_layout(struct engine *e) {
    struct baumgarte *b = &e->baumgarte;
    struct arena *a = &e->arena;
    e->field.damped = e->manifold.preserve == KEEL_BAUMGARTE && e->rows.count > 0;
    if (!e->field.damped) return;
    size_t rows = (size_t)e->rows.count, vector = (size_t)(e->field.n + e->field.m + 7) / 4 * 4;
    manifold_normals_layout(&b->here, &e->manifold, a);
    b->gain = arena_doubles(a, 1);
    b->c = arena_doubles(a, rows + 1);
    b->residual = arena_doubles(a, rows + 1);
    b->move = arena_doubles(a, vector);
    b->size = arena_doubles(a, vector);
    b->at = arena_doubles(a, vector);
    e->work.rate = baumgarte_rate;
    e->work.context = e;
}

keel_status baumgarte_add(struct engine *e, double t, const double *x, double *dx) {
    struct baumgarte *b = &e->baumgarte;
    struct field *fd = &e->field;
    struct manifold *m = &e->manifold;
    memcpy(b->at, x, (size_t)fd->n * sizeof *x);
    memcpy(b->at + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    m->tau = 1 / b->gain[0];
    keel_status status = rows_residual(fd, &e->rows, t, b->at, b->residual);
    if (status == KEEL_OK) status = manifold_normals(m, &b->here, t, b->at);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < m->kept; i++) b->c[i] = b->residual[m->row[i]];
    manifold_normals_shortest(m, &b->here, b->c, b->move);
    double pull = e->r->direction < 0 ? -b->gain[0] : b->gain[0]; /* along the run */
    for (int j = 0; j < fd->n; j++) dx[j] -= pull * b->move[j];
    return KEEL_OK;
}

int baumgarte_rate(double t, const double *x, double *dx, void *engine) {
    struct engine *e = engine;
    int code = e->field.rate(t, x, dx, e->field.context);
    if (code != 0 || !baumgarte_applies(e)) return code;
    keel_status status = baumgarte_add(e, t, x, dx);
    return status == KEEL_OK ? 0 : status > 0 ? 1 : -1;
}

/* Sizes for the estimate: positions share one, velocities too; what starts near 0 may grow as large as the
 * rest. */
static void find_sizes(const struct field *fd, double *size) {
    int halves = fd->p.form == KEEL_MECHANICS || (fd->p.form == KEEL_HAMILTONIAN && !fd->p.structure.value);
    double largest = 0;
    for (int j = 0; j < fd->n; j++) {
        size[j] = fd->size[j];
        for (int i = 0; i < fd->n && halves; i++)
            if ((i < fd->nq) == (j < fd->nq)) size[j] = fmax(size[j], fd->size[i]);
        largest = fmax(largest, size[j]);
    }
    for (int j = 0; j < fd->n; j++)
        if (size[j] <= fd->least[j]) size[j] = largest;
}

static double length_of(const struct field *fd, const double *size, const double *v) {
    double length = 0;
    for (int j = 0; j < fd->n; j++)
        if (size[j] > 0) length = fmax(length, fabs(v[j]) / size[j]);
    return length;
}

/* v := f_x v by a quotient; its length before, 0: there is none. */
static double turn(struct engine *e, double t, const double *x, const double *f, double *v) {
    struct baumgarte *b = &e->baumgarte;
    struct field *fd = &e->field;
    double length = length_of(fd, b->size, v), s = 1e-6 / length;
    if (!(length > 0) || !isfinite(s)) return 0;
    memcpy(b->at, x, (size_t)(fd->n + fd->m) * sizeof *x);
    for (int j = 0; j < fd->n; j++) b->at[j] += s * v[j];
    if (field_rate(fd, t, b->at, e->split) != KEEL_OK) return 0;
    for (int j = 0; j < fd->n; j++) v[j] = (e->split[j] - f[j]) / s;
    return length;
}

/* 1/T: how fast f_x^2 lets a displacement grow, the largest of a few powers.  Squared, since of a pair
 * q' = v, v' = -w^2 q one power alone says nothing about w; not the last of them, since f_x may be nilpotent
 * where a motion begins (a pendulum at rest). */
static double rate_of_motion(struct engine *e, double t, const double *x, const double *f) {
    enum { SQUARES = 5 };
    struct field *fd = &e->field;
    double *v = e->baumgarte.move, rate = 0, *size = e->baumgarte.size;
    find_sizes(fd, size);
    for (int j = 0; j < fd->n; j++) v[j] = size[j] * (j % 3 == 1 ? -0.7 : 1 - 0.1 * (j % 5));
    for (int k = 0; k < SQUARES; k++) {
        double before = turn(e, t, x, f, v);
        if (before == 0 || turn(e, t, x, f, v) == 0) break;
        double here = sqrt(length_of(fd, size, v) / before);
        if (isfinite(here)) rate = fmax(rate, here);
    }
    fd->fault.status = KEEL_OK;
    memcpy(fd->y, x + fd->n, (size_t)fd->m * sizeof *x);
    return rate;
}

void baumgarte_begin(struct engine *e, double t, const double *x, const double *f) {
    double gain = e->o.gain, h = e->o.step;
    int multistep = (e->stepper->info.traits & KEEL_MULTISTEP) != 0;
    if (gain == 0) {
        double most = h > 0 ? (multistep ? ldexp(1, 1 - e->stepper->info.order) : 1) / h : HUGE_VAL;
        gain = fmin(rate_of_motion(e, t, x, f), most);
        if (gain < DBL_MIN) gain = isfinite(most) ? most : 1; /* nothing moves: any will do */
    }
    e->baumgarte.gain[0] = gain;
}
