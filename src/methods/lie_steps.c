/* lie_steps.c - x' = f(t,x) as x' = A(t,x) x, and a step by the group element exp(h A) of a frozen A.
 *
 *     gps      A of so(n,1) on (x, |x|), frozen at the begin of the step:  x1 = x + eta f,
 *              eta = ((cosh z - 1) f.x + sinh z |f| |x|) / |f|^2,  z = h |f| / |x|           (order 1)
 *     so-exp   the same group on the direction of x alone, where |x| is constant; f is taken at a first
 *              guess of the middle of the step.  In a DAE x' = v - y x, |x| = const, it is v    (order 2)
 *     glnr     A = f x^T / |x|^2 of gl(n), frozen at xm = (1 - theta) x + theta x1:
 *              x1 = x + h sigma f(xm),  sigma = (e^u - 1) / (u (1 + theta (e^u - 1))),  u = h f.xm / |xm|^2
 *     dso      A = c I + a b^T - b a^T, dilations and rotations, a = f / |x|, b = x / |x|, c = a.b, frozen at
 *              the same xm:  x1 = e^{ch} (I + sin(wh) / w R + (1 - cos wh) / w^2 R^2) x,
 *              R = a b^T - b a^T,  w^2 = |a|^2 - c^2           (both of order 2 for theta = 1/2, otherwise 1)
 *
 * glnr is the theta method with a stretched step: x1 - x is parallel to f(xm), so that with theta = 1/2 it
 * keeps what the midpoint rule keeps, and where f.x = 0 it is the midpoint rule.  All of them depend on where
 * the origin is, and none can leave x = 0: a step from there is taken without the group, and so is one from
 * near it: |h f| > 10 |x|, for gps eta > 2 h.
 * Liu, CMES 12 (2006) 83; Liu, J. Appl. Math. (2013) 987905; Liu, Appl. Math. Lett. 26 (2013) 710; Hong, Liu,
 * Int. J. Non-Linear Mech. 35 (2000) 447. */
#include "methods/lie_group.h"

#include "methods/increment.h"
#include "methods/sampled.h"
#include "methods/theta.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum kind { GLNR, DSO }; /* of the implicit ones */

struct lie {
    const keel_problem *problem;
    struct increment solver; /* of the implicit ones */
    double theta;
    double *middle, *rate;  /* width */
    double *along, *across; /* width: unit vectors */
    double *near, *beside;  /* width: the plain increment, and one near it */
    double *unknowns;       /* n + m */
};

struct implicit_step {
    keel_work *w;
    const keel_attempt *a;
    int plain; /* x is as good as 0 */
};

/* eta / h = (1 + c) / 2 (e^z - 1) / z + (1 - c) / 2 (1 - e^-z) / z, c the cosine between f and x: the
 * formula above without a difference of large numbers, 2 sinh^2(z / 2) standing for cosh z - 1.  Above 2
 * x is too near to 0 for this step. */
static double stretch(keel_work *w, const keel_attempt *a) {
    struct lie *m = w->method;
    double length = lie_unit(w->n, a->x, m->along), speed = lie_unit(w->n, a->f, m->across);
    double z = fabs(a->h) * speed / length, together = 0, apart = 0, sign = a->h < 0 ? -1 : 1;
    if (!(z > 0)) return 1;
    for (int i = 0; i < w->n; i++) {
        double sum = m->along[i] + sign * m->across[i], difference = m->along[i] - sign * m->across[i];
        together += 0.25 * sum * sum; /* (1 + c) / 2 */
        apart += 0.25 * difference * difference;
    }
    double factor = (together * expm1(z) - apart * expm1(-z)) / z;
    return factor <= 2 ? factor : 1;
}

static keel_status gps(keel_work *w, keel_attempt *a) {
    double factor = stretch(w, a);
    for (int i = 0; i < w->width; i++) a->dx[i] = factor * a->h * a->f[i];
    return KEEL_OK;
}

/* f, or v of v - y x: f with y = 0. */
static keel_status driven(keel_work *w, double t, const double *x, double *out) {
    struct lie *m = w->method;
    if (m->problem->m == 0) return keel_rhs(w, t, x, out);
    memcpy(m->unknowns, x, (size_t)w->n * sizeof *x);
    m->unknowns[w->n] = 0;
    w->calls++;
    w->code = m->problem->f.value(t, m->unknowns, out, m->problem->user);
    return w->code == 0 ? KEEL_OK : w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
}

static keel_status so_exp(keel_work *w, keel_attempt *a) {
    struct lie *m = w->method;
    int n = w->n;
    double length = lie_length(n, a->x), speed = lie_unit(n, a->f, m->across);
    memset(a->dx, 0, (size_t)w->width * sizeof *a->dx);
    if (length == 0) return speed == 0 ? KEEL_OK : KEEL_RETRY;
    lie_boost(n, a->x, length, m->across, 0.5 * a->h * speed / length, a->dx);
    for (int i = 0; i < w->width; i++) m->middle[i] = a->x[i] + a->dx[i];
    keel_status status = driven(w, a->t + 0.5 * a->h, m->middle, m->rate);
    if (status != KEEL_OK) return status;
    speed = lie_unit(n, m->rate, m->across);
    lie_boost(n, a->x, length, m->across, a->h * speed / length, a->dx);
    return isfinite(lie_length(n, a->dx)) ? KEEL_OK : KEEL_RETRY;
}

/* Written so that e^u does not overflow. */
static double sigma(double u, double theta) {
    if (u == 0) return 1;
    if (theta == 0.5) return tanh(0.5 * u) / (0.5 * u);
    double part = -expm1(-fabs(u)); /* 1 - e^-|u| */
    return part / fabs(u) / (1 - (u > 0 ? 1 - theta : theta) * part);
}

/* e^{ch} exp(h R) x - x; e = across is the direction of f in the plane, b = along that of xm. */
static void rotate(const keel_work *w, const keel_attempt *a, double c, double turn, double *out) {
    const struct lie *m = w->method;
    double b_x = lie_dot(w->n, m->along, a->x), e_x = lie_dot(w->n, m->across, a->x);
    double half = sin(0.5 * turn), versed = 2 * half * half, sine = sin(turn), more = expm1(a->h * c);
    for (int i = 0; i < w->n; i++) {
        double turned = sine * (m->across[i] * b_x - m->along[i] * e_x) -
                        versed * (m->along[i] * b_x + m->across[i] * e_x);
        out[i] = more * (a->x[i] + turned) + turned;
    }
}

/* x1 - x as it follows from f at xm = x + theta d. */
static keel_status increment_of(void *context, const double *d, double *out) {
    const struct implicit_step *step = context;
    keel_work *w = step->w;
    const keel_attempt *a = step->a;
    struct lie *m = w->method;
    int n = w->n;
    for (int i = 0; i < n; i++) m->middle[i] = a->x[i] + m->theta * d[i];
    keel_status status = keel_rhs(w, a->t + m->theta * a->h, m->middle, m->rate);
    if (status != KEEL_OK) return status;
    double length = lie_unit(n, m->middle, m->along);
    double c = length > 0 ? lie_dot(n, m->rate, m->along) / length : 0;
    if (step->plain || length == 0) {
        for (int i = 0; i < n; i++) out[i] = a->h * m->rate[i];
    } else if (*(const enum kind *)w->stepper->table == GLNR) {
        double stretched = a->h * sigma(a->h * c, m->theta);
        for (int i = 0; i < n; i++) out[i] = stretched * m->rate[i];
    } else {
        for (int i = 0; i < n; i++) m->rate[i] = m->rate[i] / length - c * m->along[i];
        double angular = lie_unit(n, m->rate, m->across);
        rotate(w, a, c, a->h * angular, out);
    }
    return KEEL_OK;
}

/* From m->near on: m->near + d. */
static keel_status increment_beside(void *context, const double *d, double *out) {
    const struct implicit_step *step = context;
    struct lie *m = step->w->method;
    for (int i = 0; i < step->w->n; i++) m->beside[i] = m->near[i] + d[i];
    keel_status status = increment_of(context, m->beside, out);
    for (int i = 0; i < step->w->n; i++) out[i] -= m->near[i];
    return status;
}

/* Where the solution is not found from x on, which stiff problems show, it is looked for beside that of the
 * plain formula. */
static keel_status implicit(keel_work *w, keel_attempt *a) {
    struct lie *m = w->method;
    int n = w->n, code;
    double length = lie_length(n, a->x), speed = lie_length(n, a->f), size = 0;
    struct implicit_step step = {w, a, length <= 0.1 * fabs(a->h) * speed};
    for (int i = 0; i < n; i++) size = fmax(size, fmax(fabs(a->x[i]), fabs(a->h * a->f[i])));
    memset(a->dx, 0, (size_t)w->width * sizeof *a->dx);
    keel_status status = increment_solve(w, &m->solver, n, increment_of, &step, size, a->dx);
    if (status != KEEL_RETRY || step.plain) return status;
    code = w->code;
    step.plain = 1;
    status = increment_solve(w, &m->solver, n, increment_of, &step, size, m->near);
    step.plain = 0;
    if (status == KEEL_OK) status = increment_solve(w, &m->solver, n, increment_beside, &step, size, a->dx);
    for (int i = 0; i < n; i++) a->dx[i] += m->near[i];
    if (status == KEEL_RETRY) w->code = code;
    return status;
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    struct lie *m = w->method;
    size_t width = (size_t)w->width;
    m->theta = KEEL_VALUE(o, theta);
    m->problem = p;
    m->middle = keel_work_doubles(w, width);
    m->rate = keel_work_doubles(w, width);
    m->along = keel_work_doubles(w, width);
    m->across = keel_work_doubles(w, width);
    m->near = keel_work_doubles(w, width);
    m->beside = keel_work_doubles(w, width);
    m->unknowns = keel_work_doubles(w, (size_t)(p->n + p->m));
    if (w->stepper->info.traits & KEEL_IMPLICIT) increment_layout(&m->solver, w, (size_t)w->n);
}

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    return sampled_sphere(p, 1);
}

static const enum kind is_glnr = GLNR, is_dso = DSO;

#define LIE .size = sizeof(struct lie), .layout = layout
#define THETA (KEEL_IMPLICIT | KEEL_SYMMETRIC_STEP)

const keel_stepper lie_steps_methods[] = {
    {.info = {.name = "gps",
              .about = "group-preserving scheme: (x, |x|) moved in SO_o(n,1)",
              .reference = "Liu 2001, 2006",
              .order = 1},
     .attempt = gps,
     LIE},
    {.info = {.name = "so-exp",
              .about = "exponential scheme of SO_o(n,1) for motion on a sphere |x| = const",
              .reference = "Hong, Liu 2000; Liu 2006",
              .order = 2,
              .traits = KEEL_KEEPS_LENGTH},
     .refuse = refuse,
     .attempt = so_exp,
     LIE},
    {.info = {.name = "glnr",
              .about = "implicit GL(n,R) method: the theta method with a stretched step",
              .reference = "Liu 2013",
              .order = 2,
              .traits = THETA | KEEL_QUADRATIC,
              .fields = theta_fields},
     .table = &is_glnr,
     .attempt = implicit,
     LIE},
    {.info = {.name = "dso",
              .about = "implicit dilations and rotations of x, DSO(n)",
              .reference = "Liu 2013",
              .order = 2,
              .traits = THETA | KEEL_KEEPS_LENGTH,
              .fields = theta_fields},
     .table = &is_dso,
     .attempt = implicit,
     LIE},
    {.info = {.name = NULL}},
};
