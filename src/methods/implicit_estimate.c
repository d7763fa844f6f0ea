/* implicit_estimate.c - what a step of Radau IIA errs by.
 *
 * With u the collocation polynomial, r = h (f(u) - u') its defect, g the real eigenvalue of A,
 * L = (I - h g J)^-1, the estimate of Hairer and Wanner (Solving ODEs II, IV.8) is
 *
 *     e = g L r(begin) = O(h^{s+1}).
 *
 * The end may be better.  r = M q, M = prod (theta - c_i), and M is orthogonal to the polynomials of degree
 * s - 2; so the end, which errs by int exp(z (1 - theta)) M q for x' = lambda x + p(t), z = h lambda, feels
 * of exp(z (1 - theta)) q only the parts of degree s - 1 and more.  For each degree
 *
 *     the exponential gives a factor near 1 - L = -g z / (1 - g z): (1 - L)^(s-1) is within a factor of 7 of
 *     error / e for s = 3, 5, 7 and all z < 0;
 *     q gives a factor R, the decay of its coefficients.
 *
 * Both together, for each mode of J its own: E = (I - (1 - R) L)^(s-1) e.  Where the solution is smooth and
 * not stiff, E = O(h^{2s}); where it is stiff, or rough for the step, E = e: the classical order is not
 * there, and no tolerance may be widened by it.  Systems with multipliers have e alone: for L all that lies
 * across the constraints is stiff, but the end is brought to them.
 *
 * E is judged by the tolerance.  What lies between the nodes has the error e, and is judged by the tolerance
 * to the power (s+1)/(2s), as in RADAU5; by a little less where s is large and steps so long that E and e
 * come near each other. */
#include "methods/implicit_rk.h"

#include "base/portable.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double widening(const keel_work *w, int s) { /* the tolerance of e over the one asked for */
    return portable_power(0.1, 1 + 0.15 * (s - 3)) * portable_power(w->rtol, (s + 1.0) / (2.0 * s) - 1);
}

void implicit_estimate_scale(keel_work *w, const keel_attempt *a) {
    struct implicit_rk *m = w->method;
    m->wide = widening(w, m->table[implicit_choice(w)].s);
    for (int c = 0; c < w->n; c++)
        m->scale[c] = m->wide * fmax(w->atol[c] + w->rtol * fabs(a->x[c]), 4 * DBL_EPSILON * fabs(a->x[c]));
    for (int c = 0; c < w->n; c++)
        if (!(m->scale[c] > 0)) m->scale[c] = DBL_MIN;
}

/* L v, in place; what has no derivative holds. */
static void filter(const keel_work *w, double *v) {
    const struct implicit_rk *m = w->method;
    memset(v + w->n, 0, (size_t)(m->width - w->n) * sizeof *v);
    implicit_newton_filter(w, v);
}

/* sum_j weight_j K_j of component c. */
static double combine(const struct implicit_rk *m, int s, const double *weight, int c) {
    double sum = 0;
    for (int j = 0; j < s; j++) sum += weight[j] * m->k[(long)j * m->width + c];
    return sum;
}

/* e; *taken is the size of what L takes of g r: the stiff part.  At first steps and after rejections an e
 * that is too large is found again, with f(x + e): of what is stiff and off its path, g L r would leave a
 * part that does not depend on h. */
static keel_status estimate_at_begin(keel_work *w, const keel_attempt *a, const struct implicit_table *table,
                                     double *e, double *taken) {
    struct implicit_rk *m = w->method;
    double g = table->real[0];
    for (int round = 0; round < 2; round++) {
        const double *f = round ? m->moved : a->f;
        for (int c = 0; c < w->n; c++) e[c] = g * (a->h * f[c] - combine(m, table->s, table->at_begin, c));
        memcpy(m->stage, e, (size_t)w->n * sizeof *e);
        keel_status status = m->system ? m->system->smooth(w, a, g * a->h, e) : KEEL_OK;
        if (status != KEEL_OK) return status;
        filter(w, e);
        for (int c = 0; c < w->n; c++) m->stage[c] -= e[c];
        *taken = implicit_size(w, 1, m->stage);
        if (round || implicit_size(w, 1, e) < 1 || !(a->first || m->memory->rejections > 0)) break;
        for (int c = 0; c < w->width; c++) m->stage[c] = a->x[c] + (c < w->n ? e[c] : 0);
        if (keel_rhs(w, a->t, m->stage, m->moved) != KEEL_OK) break; /* the plain estimate will do */
    }
    w->code = 0;
    return KEEL_OK;
}

/* late = g L r late in the step: what the polynomial is off there, where x is stiff.  What sets in at the end
 * of a step is seen best there, and worst at the begin.  0: f has no value. */
static int look_late(keel_work *w, const keel_attempt *a, const struct implicit_table *table, double *late) {
    struct implicit_rk *m = w->method;
    for (int c = 0; c < w->width; c++) m->stage[c] = a->x[c] + combine(m, table->s, table->to_late, c);
    int there = keel_rhs(w, a->t + table->late * a->h, m->stage, m->moved) == KEEL_OK;
    /* Back to the end: algebraic variables are followed from call to call, and the step goes on there. */
    for (int c = 0; c < w->width; c++) m->stage[c] = a->x[c] + a->dx[c];
    keel_rhs(w, a->t + a->h, m->stage, late);
    w->code = 0;
    for (int c = 0; c < w->n && there; c++)
        late[c] = table->real[0] * (a->h * m->moved[c] - combine(m, table->s, table->at_late, c));
    if (there) filter(w, late);
    return there;
}

/* R of component c.  Of u' it is the decay of the last coefficients, the next one of which is e / (2 g),
 * since P_s - P_{s-1} is 0 at the nodes and +-2 at the begin.  Of exp(a theta), a small, R is 0.4 to 0.6 of
 * that; where nothing decays it is 1.  A rough part that is small beside the rest of u' does not show there,
 * but in q, which changes by the share a late / (s + 1) where R is a quarter of it: half of the change is
 * taken. */
static double decay(const struct implicit_rk *m, const struct implicit_table *table, int c, double e,
                    const double *late) {
    int s = table->s;
    double next = e / (2 * table->real[0] * sqrt(2 * s + 1)), last = combine(m, s, table->tail[1], c);
    double ratio =
        portable_length(next, last) / fmax(portable_length(last, combine(m, s, table->tail[0], c)), DBL_MIN);
    double change = late ? fabs(late[c] - e) / fmax(fmax(fabs(late[c]), fabs(e)), DBL_MIN) : 0;
    return fmin(1, fmax(ratio * (1 + ratio) / 2, change / 2));
}

/* The size of E.  late, if there is any, is brought to the begin: times M(begin) / M(late), and by L once
 * more, since u = x at the begin and is off elsewhere.  The larger one of both counts. */
static double size_at_end(keel_work *w, const struct implicit_table *table, const double *e, double *late,
                          double *workspace) {
    struct implicit_rk *m = w->method;
    double *rest = workspace, *part = workspace + m->width, *rough = workspace + 2 * (long)m->width;
    if (late) filter(w, late);
    for (int c = 0; c < w->n; c++) {
        if (late) late[c] *= table->begin_by_late;
        rough[c] = decay(m, table, c, e[c], late);
        rest[c] = late && fabs(late[c]) > fabs(e[c]) ? late[c] : e[c];
    }
    for (int k = 1; k < table->s; k++) {
        memcpy(part, rest, (size_t)w->n * sizeof *part);
        filter(w, part);
        for (int c = 0; c < w->n; c++) rest[c] -= (1 - rough[c]) * part[c];
    }
    return implicit_size(w, 1, rest);
}

/* What is stiff may be right at the nodes alone, and what is rough may hide where e is small by chance: one
 * more f tells.  With three stages it would be a tenth of all calls, and is asked for where there is
 * something stiff. */
static int late_is_asked_for(const keel_work *w, const struct implicit_table *table, double size,
                             double taken) {
    const struct implicit_rk *m = w->method;
    return !m->system && size < 10 && (table->s > 3 || taken >= 0.1);
}

/* The larger one of e and late gives the vector, and E, where it exceeds what they are allowed, its size.  E
 * is of the power s + 1 + (s - 1) (1 - y) of h, y its factor for each degree: d log (1 - L) / d log h = L. */
keel_status implicit_estimate(keel_work *w, const keel_attempt *a) {
    struct implicit_rk *m = w->method;
    const struct implicit_table *table = &m->table[implicit_choice(w)];
    double *e = m->residual, *late = e + m->width, *copy = late + m->width, *workspace = copy + m->width;
    double wide = m->wide, taken, between = 0;
    keel_status status = estimate_at_begin(w, a, table, e, &taken);
    if (status != KEEL_OK) return status;
    double size = implicit_size(w, 1, e);
    int looked = late_is_asked_for(w, table, size, taken) && look_late(w, a, table, late);
    if (looked) {
        between = implicit_size(w, 1, late);
        memcpy(copy, late, (size_t)w->n * sizeof *copy);
    }
    double end = m->system ? 0 : size_at_end(w, table, e, looked ? copy : NULL, workspace);
    double largest = fmax(size, between), allowed = wide;
    m->memory->exponent = table->s + 1;
    if (wide * end > largest) {
        m->memory->exponent +=
            (table->s - 1) * (1 - portable_power(fmin(1, end / largest), 1.0 / (table->s - 1)));
        allowed = largest / end;
    }
    for (int c = 0; c < w->width; c++)
        a->error[0][c] = c < w->n ? (between > size ? late : e)[c] / allowed : 0;
    return m->system ? m->system->filter(w, a, 0, a->error[0]) : KEEL_OK;
}
