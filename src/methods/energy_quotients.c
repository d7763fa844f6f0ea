/* energy_quotients.c - discrete derivatives D f with D f . (x1 - x0) = f(x1) - f(x0), symmetric in x0 and x1.
 *
 * On a space of z, for the function f and with d = z1 - z0,
 *     D f = c + r W d / (d . W d),   c = sum_i b_i grad f(z0 + c_i d),  r = f(z1) - f(z0) - c . d.
 * For coordinates there is one node and W = 1, the midpoint discrete gradient; over a short way r comes from
 * three nodes, which err by less than the round-off of f.
 *
 * With forms pi(x) of degree 2 at most, H = H~(pi) and g = g~(pi), the discrete derivative
 *     D f = Dpi((x0 + x1)/2)^T D f~(pi(x0), pi(x1))
 * is equivariant: momenta of motions of space that leave pi alone are conserved.  There are three nodes then,
 * and W = diag c^2 gives each form its share of r, whatever its units, and none to those without a part in f.
 * Without forms g has its quotient on q-space and H
 *     D_q H = mean of D_q H(., p0) and D_q H(., p1),  D_p H = mean of D_p H(q0, .) and D_p H(q1, .).
 * Gonzalez 1996, 1999. */
#include "methods/energy_momentum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SHORT 1e-3 /* of the size: three nodes miss its sixth power */

static const double three_at[3] = {0.1127016653792583115, 0.5, 0.8872983346207416885};
static const double three_weight[3] = {5. / 18, 8. / 18, 5. / 18};

struct space {
    enum energy_space kind;
    double t;
    const double *fixed; /* x with the part that does not move */
    int size, functions;
};

void energy_quotients_layout(const keel_problem *p, keel_work *w) {
    struct energy_momentum *m = w->method;
    size_t n = (size_t)p->n, nq = n / 2, k = (size_t)p->constraint.count,
           forms = (size_t)keel_extras_of(p)->quadratic_forms.count;
    size_t size = forms > n ? forms : n, functions = forms ? 1 + k : k > 1 ? k : 1;
    size_t full = functions * size, entries = keel_native_rows_doubles(w);
    size_t stored = m->system ? (entries > nq ? entries : nq) : full;
    m->slope = keel_work_doubles(w, stored);
    m->node = keel_work_doubles(w, stored);
    for (int i = 0; i < 2; i++) m->value[i] = keel_work_doubles(w, functions);
    for (int i = 0; i < 2; i++) m->pi[i] = keel_work_doubles(w, forms);
    m->place = keel_work_doubles(w, size);
    m->from = keel_work_doubles(w, size);
    m->way = keel_work_doubles(w, size);
    m->pi_rows = keel_work_doubles(w, forms * n);
    m->x = keel_work_doubles(w, (size_t)w->width);
    m->gradient = keel_work_doubles(w, (size_t)w->width);
    m->rows = keel_work_doubles(w, m->system ? entries : k * nq);
}

/* How many numbers the slopes of function f are, and the coordinates they belong to; NULL: all of them. */
static int row_of(const keel_work *w, const struct space *s, int f, const int **column) {
    const struct energy_momentum *m = w->method;
    const keel_pattern *p = w->native->problem->constraint.pattern;
    int sparse = m->system && s->kind == ENERGY_HOLDS;
    *column = sparse ? p->column + p->row_start[f] : NULL;
    return sparse ? p->row_start[f + 1] - p->row_start[f] : s->size;
}

/* The slopes of all functions. */
static long stored(const keel_work *w, const struct space *s) {
    const struct energy_momentum *m = w->method;
    int sparse = m->system && s->kind == ENERGY_HOLDS;
    return sparse ? (long)keel_native_rows_doubles(w) : (long)s->size * s->functions;
}

/* The state at z, where the space is one of states. */
static const double *state_at(struct energy_momentum *m, const struct space *s, const double *z) {
    if (s->kind == ENERGY_FORMS || s->kind == ENERGY_HOLDS) return z;
    memcpy(m->x, s->fixed, 2 * (size_t)m->nq * sizeof *z);
    memcpy(m->x + (s->kind == ENERGY_P ? m->nq : 0), z, (size_t)m->nq * sizeof *z);
    return m->x;
}

static keel_native_map map_of(const struct space *s) {
    return s->kind == ENERGY_FORMS   ? KEEL_MAP_ENERGY_OF_FORMS
           : s->kind == ENERGY_HOLDS ? KEEL_MAP_CONSTRAINT
                                     : KEEL_MAP_ENERGY;
}

static keel_status values_at(keel_work *w, const struct space *s, const double *z, double *out) {
    w->calls++;
    return keel_native_value(w, map_of(s), s->t, state_at(w->method, s, z), out);
}

static keel_status slopes_at(keel_work *w, const struct space *s, const double *z, double *out) {
    struct energy_momentum *m = w->method;
    int part = s->kind == ENERGY_Q || s->kind == ENERGY_P;
    w->calls++;
    if (m->system && s->kind == ENERGY_HOLDS)
        return keel_native_entries(w, KEEL_MAP_CONSTRAINT, s->t, z, out);
    keel_status status =
        keel_native_jacobian(w, map_of(s), s->t, state_at(m, s, z), 0, part ? m->gradient : out);
    if (part) memcpy(out, m->gradient + (s->kind == ENERGY_P ? m->nq : 0), (size_t)s->size * sizeof *out);
    return status;
}

/* out += the mean gradient over the way, by one node or three. */
static keel_status add_mean(keel_work *w, const struct space *s, int nodes, double *out) {
    struct energy_momentum *m = w->method;
    keel_status status = KEEL_OK;
    for (int i = 0; i < nodes && status == KEEL_OK; i++) {
        double at = nodes == 1 ? 0.5 : three_at[i], weight = nodes == 1 ? 1 : three_weight[i];
        for (int j = 0; j < s->size; j++) m->place[j] = m->from[j] + at * m->way[j];
        status = slopes_at(w, s, m->place, m->node);
        for (long e = 0; e < stored(w, s); e++) out[e] += weight * m->node[e];
    }
    return status;
}

/* What c . d misses of every function, in m->value[0].  Round-off of the values is no part of it. */
static keel_status find_missing(keel_work *w, const struct space *s, int is_short) {
    struct energy_momentum *m = w->method;
    double *missing = m->value[0];
    keel_status status = KEEL_OK;
    memset(missing, 0, (size_t)s->functions * sizeof *missing);
    const int *column;
    for (int i = 0; i < 3 && is_short && status == KEEL_OK; i++) {
        for (int j = 0; j < s->size; j++) m->place[j] = m->from[j] + three_at[i] * m->way[j];
        status = slopes_at(w, s, m->place, m->node);
        const double *node = m->node, *slope = m->slope;
        for (int f = 0; f < s->functions; f++)
            for (int e = 0, length = row_of(w, s, f, &column); e < length; e++, node++, slope++)
                missing[f] += three_weight[i] * (*node - *slope) * m->way[column ? column[e] : e];
    }
    if (is_short) return status;
    for (int j = 0; j < s->size; j++) m->place[j] = m->from[j] + m->way[j];
    status = values_at(w, s, m->from, m->value[0]);
    if (status == KEEL_OK) status = values_at(w, s, m->place, m->value[1]);
    const double *slope = m->slope;
    for (int f = 0; f < s->functions; f++) {
        double terms = fabs(m->value[1][f]) + fabs(m->value[0][f]);
        missing[f] = m->value[1][f] - m->value[0][f];
        for (int e = 0, length = row_of(w, s, f, &column); e < length; e++, slope++) {
            int j = column ? column[e] : e;
            missing[f] -= *slope * m->way[j];
            terms += fabs(*slope) * (fabs(m->from[j]) + fabs(m->place[j]));
        }
        if (fabs(missing[f]) <= DBL_EPSILON * terms) missing[f] = 0;
    }
    return status;
}

/* Adds r W d / (d . W d) to the slopes; those of sparse constraints keep r / d.d apart. */
static void add_rest(const keel_work *w, const struct space *s) {
    struct energy_momentum *m = w->method;
    int forms = s->kind == ENERGY_FORMS, apart = m->system && s->kind == ENERGY_HOLDS;
    double square = 0;
    for (int j = 0; j < s->size && apart; j++) square += m->way[j] * m->way[j];
    for (int f = 0; f < s->functions && apart; f++)
        m->share[f] = square > DBL_MIN ? m->value[0][f] / square : 0;
    for (int f = 0; f < s->functions && !apart; f++) {
        double *slope = m->slope + (long)f * s->size;
        square = 0;
        for (int j = 0; j < s->size; j++) {
            double share = m->way[j] * (forms ? slope[j] : 1);
            square += share * share;
        }
        if (m->value[0][f] == 0 || !(square > DBL_MIN)) continue;
        for (int j = 0; j < s->size; j++)
            slope[j] += m->value[0][f] / square * m->way[j] * (forms ? slope[j] * slope[j] : 1);
    }
}

/* D f of all functions of the space in m->slope, from m->from over m->way. */
static keel_status quotient(keel_work *w, const struct space *s) {
    struct energy_momentum *m = w->method;
    int forms = s->kind == ENERGY_FORMS;
    double size = DBL_MIN, longest = 0;
    memset(m->slope, 0, (size_t)stored(w, s) * sizeof *m->slope);
    keel_status status = add_mean(w, s, forms ? 3 : 1, m->slope);
    for (int j = 0; j < s->size; j++) {
        size = fmax(size, fabs(m->from[j]) + fabs(m->from[j] + m->way[j]));
        longest = fmax(longest, fabs(m->way[j]));
    }
    if (status == KEEL_OK) status = find_missing(w, s, !forms && longest <= SHORT * size);
    if (status == KEEL_OK) add_rest(w, s);
    return status;
}

/* DH and Dg by forms. */
static keel_status by_forms(keel_work *w, double t) {
    struct energy_momentum *m = w->method;
    int n = 2 * m->nq, forms = m->forms;
    struct space s = {ENERGY_FORMS, t, NULL, forms, 1 + m->k};
    keel_status status = keel_native_value(w, KEEL_MAP_QUADRATIC_FORMS, t, m->begin, m->pi[0]);
    if (status == KEEL_OK) status = keel_native_value(w, KEEL_MAP_QUADRATIC_FORMS, t, m->end, m->pi[1]);
    if (status == KEEL_OK)
        status = keel_native_jacobian(w, KEEL_MAP_QUADRATIC_FORMS, t, m->middle, 0, m->pi_rows);
    for (int j = 0; j < forms && status == KEEL_OK; j++) {
        m->from[j] = m->pi[0][j];
        m->way[j] = 0; /* Dpi . d is pi1 - pi0 without its cancellation */
        for (int c = 0; c < n; c++) m->way[j] += m->pi_rows[(long)j * n + c] * m->step[c];
    }
    if (status == KEEL_OK) status = quotient(w, &s);
    memset(m->gradient, 0, (size_t)n * sizeof *m->gradient);
    memset(m->rows, 0, (size_t)m->k * (size_t)m->nq * sizeof *m->rows);
    for (int f = 0; f <= m->k && status == KEEL_OK; f++)
        for (int j = 0; j < forms; j++) {
            double share = m->slope[(long)f * forms + j],
                   *out = f ? m->rows + (long)(f - 1) * m->nq : m->gradient;
            for (int c = 0; c < (f ? m->nq : n) && share != 0; c++)
                out[c] += share * m->pi_rows[(long)j * n + c];
        }
    return status;
}

static keel_status by_coordinates(keel_work *w, double t) {
    struct energy_momentum *m = w->method;
    int nq = m->nq;
    double *sum = m->bent; /* the mean of two quotients, for q and for p */
    keel_status status = KEEL_OK;
    memset(sum, 0, 2 * (size_t)nq * sizeof *sum);
    for (int half = 0; half < 4 && status == KEEL_OK; half++) {
        int first = half % 2 * nq;
        struct space s = {half % 2 ? ENERGY_P : ENERGY_Q, t, half / 2 ? m->end : m->begin, nq, 1};
        for (int j = 0; j < nq; j++) {
            m->from[j] = m->begin[first + j];
            m->way[j] = m->step[first + j];
        }
        status = quotient(w, &s);
        for (int j = 0; j < nq; j++) sum[first + j] += 0.5 * m->slope[j];
    }
    memcpy(m->gradient, sum, 2 * (size_t)nq * sizeof *sum);
    if (status != KEEL_OK || m->k == 0) return status;
    struct space s = {ENERGY_HOLDS, t, NULL, nq, m->k};
    for (int j = 0; j < nq; j++) {
        m->from[j] = m->begin[j];
        m->way[j] = m->step[j];
    }
    status = quotient(w, &s);
    memcpy(m->rows, m->slope, (size_t)stored(w, &s) * sizeof *m->rows);
    return status;
}

keel_status energy_quotients(keel_work *w, double t) {
    const struct energy_momentum *m = w->method;
    return m->forms ? by_forms(w, t) : by_coordinates(w, t);
}
