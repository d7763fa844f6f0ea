/* stiffness.c - h |lambda| of the fastest part of the motion, and whether it is damped.
 *
 * Where an explicit method is held back by its stability, its error estimate lies in the eigenspace of the
 * fastest eigenvalues (Hairer, Wanner, Solving ODEs II, IV.2).  So this is where J is tried, by differences
 * of the rate, three times: v, J v, J^2 v, J^3 v.  Of the last three the least squares
 *
 *     J^3 v = p J^2 v + q J v
 *
 * give lambda as a root of lambda^2 = p lambda + q: a real one, or a pair with |lambda|^2 = -q, Re = p/2.
 * Looking leaves steps, statistics and bits as they are. */
#include "core/engine.h"
#include "core/step_control.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double product(const struct engine *e, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < e->field.n; i++) sum += a[i] * e->scale[i] * (b[i] * e->scale[i]);
    return sum;
}

/* out = J v, at x where the rate is f; a probe moves x by a root of round-off. */
static keel_status apply(struct engine *e, const double *x, const double *f, const double *v, double *probe,
                         double *out) {
    int n = e->field.n;
    double size = sqrt(product(e, v, v) / n), move = sqrt(DBL_EPSILON) / (e->o.rtol * size);
    if (size == 0) memset(out, 0, (size_t)n * sizeof *out); /* J of nothing */
    if (size == 0) return KEEL_OK;
    if (!isfinite(move)) return KEEL_RETRY;
    memcpy(probe, x, (size_t)e->field.width * sizeof *x);
    for (int i = 0; i < n; i++) probe[i] += move * v[i];
    keel_status status = engine_rhs(e, e->r->t, probe, out);
    for (int i = 0; i < n; i++) out[i] = (out[i] - f[i]) / move;
    return status == KEEL_OK && !engine_finite(n, out) ? KEEL_RETRY : status;
}

/* lambda from v1, v2 = J v1, v3 = J v2. */
static keel_stiffness of_powers(const struct engine *e, double h, const double *v1, const double *v2,
                                const double *v3) {
    double a = product(e, v1, v1), b = product(e, v1, v2), c = product(e, v2, v2);
    double along = product(e, v3, v2), before = product(e, v3, v1), det = a * c - b * b, size, real;
    if (det > 1e-8 * a * c) { /* two directions */
        double p = (along * a - before * b) / det, q = (before * c - along * b) / det;
        double square = p * p / 4 + q;
        real = square < 0 ? p / 2 : p / 2 + copysign(sqrt(square), p);
        size = square < 0 ? sqrt(-q) : fabs(real);
    } else {
        real = c > 0 ? along / c : 0;
        size = fabs(real);
    }
    return (keel_stiffness){.product = h * size, .damping = size > 0 ? -real * e->r->direction / size : 0};
}

/* The way of an implicit method damps what is fast: a vector with a part in every direction, which 3 more
 * powers turn to the fastest one.  Signs by the bits of a sequence that repeats nowhere (Thue and Morse). */
static void take_any(const struct engine *e, double *v) {
    for (int i = 0; i < e->field.n; i++) v[i] = (__builtin_popcount((unsigned)i) % 2 ? -1 : 1) / e->scale[i];
}

/* Three powers of J along the estimate, or six of anything. */
static keel_status find(struct engine *e, int any, double h, keel_stiffness *out) {
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    keel_stats before = r->stats;
    const double *x = e->x[r->current];
    double *f = e->workspace, *power[3] = {f + fd->width, f + 2 * fd->width, f + 3 * fd->width};
    double *probe = f + 4 * fd->width, *first = probe + fd->width;
    step_control_scales(fd->n, x, x, e->atol, e->o.rtol, e->scale);
    if (fd->m) algebra_stand(fd, r->t, x);
    keel_status status = engine_rhs(e, r->t, x, f);
    int seen = e->estimates && engine_finite(fd->n, e->error[0]) && product(e, e->error[0], e->error[0]) > 0;
    if (any) take_any(e, first);
    const double *v = any ? first : seen ? e->error[0] : f;
    for (int k = 0; k < (any ? 6 : 3) && status == KEEL_OK; k++, v = power[(k - 1) % 3])
        status = apply(e, x, f, v, probe, power[k % 3]);
    if (status == KEEL_OK) *out = of_powers(e, h, power[0], power[1], power[2]);
    r->stats = before;
    fd->fault.status = KEEL_OK;
    return status == KEEL_OK && isfinite(out->product) ? KEEL_OK : KEEL_RETRY;
}

keel_status stiffness_find(struct engine *e, keel_stiffness *out) {
    int implicit = (e->stepper->info.traits & KEEL_IMPLICIT) != 0;
    if (e->field.n == 0 || !e->r->has_step) return KEEL_RETRY;
    return find(e, implicit, fabs(e->r->h_taken), out);
}

keel_status stiffness_fastest(struct engine *e, keel_stiffness *out) {
    return e->field.n == 0 ? KEEL_RETRY : find(e, 1, 1, out);
}
