/* adams.c - Adams-Bashforth and Adams-Bashforth-Moulton (PECE) methods with equal steps.
 *
 *     ab:   x + h sum_j beta_j f_{n-j}
 *     abm:  predict so, then x + h (alpha_0 f(predicted) + sum_j alpha_j f_{n+1-j})
 *
 * The history holds rates at corrected states: the stabilizer acts before the rate is taken.  The first
 * steps are made with an 8th-order Runge-Kutta formula.  Between the steps the interpolant of all rates is
 * integrated.  Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, III.1. */
#include <keel/explicit.h>
#include <keel/method.h>

#include "methods/explicit_tables.h"

#include <math.h>
#include <string.h>

enum { MOST = 6 };

struct table {
    int order;
    double bashforth[MOST]; /* over f_n, f_{n-1}, ... */
    double moulton[MOST];   /* over f_{n+1}, f_n, ...; all 0: none */
};

struct adams {
    double *count;   /* rates in the history */
    double *history; /* MOST x width: f_{n-1}, f_{n-2}, ... at the accepted state x_n */
    double *k, *stage, *predicted;
};

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p;
    (void)o;
    struct adams *m = w->method;
    size_t width = (size_t)w->width;
    m->count = keel_work_doubles(w, 1);
    m->history = keel_work_doubles(w, MOST * width);
    m->k = keel_work_doubles(w, (size_t)explicit_rkf78.stages * width);
    m->stage = keel_work_doubles(w, width);
    m->predicted = keel_work_doubles(w, width);
}

static int rates_known(const struct adams *m) {
    return *m->count > 0 ? (int)fmin(*m->count, MOST) : 0; /* a saved number may be anything */
}

/* dx = h (first . first_weight + sum_j weight_j history_j) */
static void advance(const keel_work *w, double h, double first_weight, const double *first, int count,
                    const double *weight, double *dx) {
    const struct adams *m = w->method;
    for (int i = 0; i < w->width; i++) {
        double sum = first_weight * first[i];
        for (int j = 0; j < count; j++)
            sum += weight[j] * m->history[(size_t)j * (size_t)w->width + (size_t)i];
        dx[i] = h * sum;
    }
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    const struct table *table = w->stepper->table;
    struct adams *m = w->method;
    int before = table->order - 1;
    if (a->first) *m->count = 0;
    if (rates_known(m) < before) {
        w->calls += explicit_rkf78.stages - 1;
        w->code = keel_rk_step(&explicit_rkf78, w->width, w->rhs, w->context, a->t, a->h, a->x, a->f, m->k,
                               m->stage, a->dx);
        return w->code == 0 ? KEEL_OK : w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
    }
    advance(w, a->h, table->bashforth[0], a->f, before, table->bashforth + 1, a->dx);
    if (table->moulton[0] == 0) return KEEL_OK;
    for (int i = 0; i < w->width; i++) m->stage[i] = a->x[i] + a->dx[i];
    keel_status status = keel_rhs(w, a->t + a->h, m->stage, m->predicted);
    if (status != KEEL_OK) return status;
    advance(w, a->h, table->moulton[1], a->f, before - 1, table->moulton + 2, a->dx);
    for (int i = 0; i < w->width; i++) a->dx[i] += a->h * table->moulton[0] * m->predicted[i];
    return KEEL_OK;
}

static void accept(keel_work *w, const keel_segment *s) {
    struct adams *m = w->method;
    size_t width = (size_t)w->width;
    memmove(m->history + width, m->history, (MOST - 1) * width * sizeof(double));
    memcpy(m->history, s->f, width * sizeof(double));
    if (*m->count < MOST) ++*m->count;
}

/* Integral from 0 to theta of the Lagrange polynomial that is 1 at node j and 0 at the others; nodes 1, 0,
 * -1, ... */
static double lagrange_integral(int nodes, int j, double theta) {
    double c[MOST + 1] = {1}, scale = 1; /* coefficients of prod (s - s_i) */
    int degree = 0;
    for (int i = 0; i < nodes; i++) {
        if (i == j) continue;
        double node = 1 - i;
        for (int d = ++degree; d > 0; d--) c[d] = c[d - 1] - node * c[d];
        c[0] *= -node;
        scale *= i - j; /* s_j - s_i */
    }
    double sum = 0;
    for (int d = degree; d >= 0; d--) sum = sum * theta + c[d] / (d + 1);
    return sum * theta / scale;
}

/* x + h int P, P through f_end and the history; the small mismatch at the end fades out with flat slopes. */
static void dense(const keel_work *w, const keel_segment *s, double theta, double *x) {
    const struct table *table = w->stepper->table;
    const struct adams *m = w->method;
    int known = rates_known(m), nodes = 1 + (known < table->order ? known : table->order);
    double here[MOST + 1] = {0}, end[MOST + 1] = {0}, fade = theta * theta * (3 - 2 * theta);
    for (int j = 0; j < nodes; j++) {
        here[j] = lagrange_integral(nodes, j, theta);
        end[j] = lagrange_integral(nodes, j, 1);
    }
    for (int i = 0; i < w->width; i++) {
        double at = here[0] * s->f_end[i], at_end = end[0] * s->f_end[i];
        for (int j = 1; j < nodes; j++) {
            double f = m->history[(size_t)(j - 1) * (size_t)w->width + (size_t)i];
            at += here[j] * f;
            at_end += end[j] * f;
        }
        double mismatch = s->x_end[i] - (s->x[i] + s->h * at_end);
        x[i] = s->x[i] + s->h * at + fade * mismatch;
    }
}

static const struct table ab2 = {2, {3. / 2, -1. / 2}, {0}};
static const struct table ab3 = {3, {23. / 12, -16. / 12, 5. / 12}, {0}};
static const struct table ab4 = {4, {55. / 24, -59. / 24, 37. / 24, -9. / 24}, {0}};
static const struct table ab5 = {5, {1901. / 720, -2774. / 720, 2616. / 720, -1274. / 720, 251. / 720}, {0}};
static const struct table ab6 = {
    6, {4277. / 1440, -7923. / 1440, 9982. / 1440, -7298. / 1440, 2877. / 1440, -475. / 1440}, {0}};
static const struct table abm2 = {2, {3. / 2, -1. / 2}, {1. / 2, 1. / 2}};
static const struct table abm3 = {3, {23. / 12, -16. / 12, 5. / 12}, {5. / 12, 8. / 12, -1. / 12}};
static const struct table abm4 = {
    4, {55. / 24, -59. / 24, 37. / 24, -9. / 24}, {9. / 24, 19. / 24, -5. / 24, 1. / 24}};
static const struct table abm5 = {5,
                                  {1901. / 720, -2774. / 720, 2616. / 720, -1274. / 720, 251. / 720},
                                  {251. / 720, 646. / 720, -264. / 720, 106. / 720, -19. / 720}};
static const struct table abm6 = {
    6,
    {4277. / 1440, -7923. / 1440, 9982. / 1440, -7298. / 1440, 2877. / 1440, -475. / 1440},
    {475. / 1440, 1427. / 1440, -798. / 1440, 482. / 1440, -173. / 1440, 27. / 1440}};

#define METHOD(method, the_order, the_table, what)                                                 \
    {                                                                                              \
        .info = {.name = method,                                                                   \
                 .about = what,                                                                    \
                 .reference = "Adams; Bashforth 1883; Moulton 1926",                               \
                 .order = the_order,                                                               \
                 .traits = KEEL_MULTISTEP},                                                        \
        .table = &(the_table), .size = sizeof(struct adams), .layout = layout, .attempt = attempt, \
        .accept = accept, .dense = dense                                                           \
    }

const keel_stepper adams_methods[] = {
    METHOD("ab2", 2, ab2, "Adams-Bashforth, 2 steps"),
    METHOD("ab3", 3, ab3, "Adams-Bashforth, 3 steps"),
    METHOD("ab4", 4, ab4, "Adams-Bashforth, 4 steps"),
    METHOD("ab5", 5, ab5, "Adams-Bashforth, 5 steps"),
    METHOD("ab6", 6, ab6, "Adams-Bashforth, 6 steps"),
    METHOD("abm2", 2, abm2, "Adams-Bashforth-Moulton (PECE), order 2"),
    METHOD("abm3", 3, abm3, "Adams-Bashforth-Moulton (PECE), order 3"),
    METHOD("abm4", 4, abm4, "Adams-Bashforth-Moulton (PECE), order 4"),
    METHOD("abm5", 5, abm5, "Adams-Bashforth-Moulton (PECE), order 5"),
    METHOD("abm6", 6, abm6, "Adams-Bashforth-Moulton (PECE), order 6"),
    {.info = {.name = NULL}},
};
