/* implicit_mechanics.c - Radau IIA with the constraints inside its stages.  With K = (G; A), G = g_q,
 *
 *     index 3:  q' = v,                 v' = M^-1 (F - K^T lambda),  0 = g,              0 = A v + b
 *     GGL:      q' = v - M^-1 G^T mu,   v' = M^-1 (F - K^T lambda),  0 = G v + g_t,  0 = A v + b,  0 = g
 *
 * (Gear, Gupta, Leimkuhler 1985: index 2, mu = 0 in the solution).  Of the jacobian, d/dq (M a + K^T lambda)
 * for fixed a and lambda, and d/dq (G v + g_t), are differences of M and K; the rest are maps.  Newton
 * stops at a fraction of the tolerance; the end is then brought to the rows along M^-1 K^T, which is a change
 * of the last stage's multipliers, so that they hold to round-off.
 *
 * Order of s stages: GGL 2 s - 1 in q and v, s in the stages' multipliers; index 3: s in v, s - 1 in lambda,
 * and in q at least 2 s - 2, here, where lambda enters linearly, 2 s - 1.  What v of the index-3 form is off
 * G v + g_t = 0 has one power of h less than the errors of q: it is judged by h dv beside q.
 * Hairer, Lubich, Roche 1989; Jay 1993; Hairer, Wanner, Solving ODEs II, VII.4. */
#include "methods/implicit_mechanics.h"

#include <keel/native.h>

#include <float.h>
#include <math.h>
#include <string.h>

const char *implicit_mechanics_refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    return keel_problem_traits(p) & KEEL_SECOND_ORDER
               ? NULL
               : "it is for mechanics (a lagrangian, M v' = F); use radau";
}

static int layout(const keel_problem *p, keel_work *w, int stabilised) {
    struct implicit_mechanics *m = w->method;
    size_t nq = (size_t)p->n / 2, kg = (size_t)p->constraint.count, k = kg + (size_t)p->rolling.count;
    size_t extra = k + (stabilised ? kg : 0), all = 2 * nq + extra;
    size_t varies = keel_native_mass_doubles(p), square = keel_native_sparse(w) ? 0 : varies;
    m->nq = (int)nq;
    m->k = (int)k;
    m->kg = (int)kg;
    m->stabilised = stabilised;
    m->mass_varies = varies > 0;
    m->before = keel_work_doubles(w, extra);
    m->now = keel_work_doubles(w, extra);
    m->mass = keel_work_doubles(w, square);
    m->masses = keel_work_doubles(w, varies && !square ? (size_t)p->mass.pattern->nnz : 0);
    size_t entries = keel_native_rows_doubles(w), sparse = (size_t)keel_native_sparse(w);
    m->rows = keel_work_doubles(w, entries);
    m->shift = keel_work_doubles(w, k);
    m->force = keel_work_doubles(w, nq);
    m->slip = keel_work_doubles(w, nq);
    m->f_jacobian = keel_work_doubles(w, sparse ? 0 : 2 * nq * nq);
    m->probe = keel_work_doubles(w, all);
    m->moved_rows = keel_work_doubles(w, entries);
    m->moved_mass = keel_work_doubles(w, 2 * square);
    m->moved_shift = keel_work_doubles(w, 2 * k);
    m->beside = keel_work_doubles(w, nq);
    m->end = keel_work_doubles(w, (size_t)w->width);
    m->residual = keel_work_doubles(w, k);
    m->shortest = keel_work_doubles(w, nq);
    m->rk.row_factor = keel_work_doubles(w, extra);
    return (int)extra;
}

static int layout_index3(const keel_problem *p, keel_work *w) {
    return layout(p, w, 0);
}

static int layout_ggl(const keel_problem *p, keel_work *w) {
    return layout(p, w, 1);
}

/* y = (q, v, lambda, mu); a replay begins where the last step began. */
static keel_status begin(keel_work *w, const keel_attempt *a) {
    struct implicit_mechanics *m = w->method;
    const int *active = w->native->active;
    size_t extra = (size_t)(m->rk.n - w->n);
    if (a->first && !a->replay) {
        keel_status status = keel_rhs(w, a->t, a->x, m->rk.moved);
        if (status != KEEL_OK) return status;
        memset(m->now, 0, extra * sizeof *m->now);
        for (int i = 0; i < m->k; i++) m->now[i] = active[i] ? w->native->multipliers[i] : 0;
    }
    memcpy(m->rk.y, a->x, (size_t)w->n * sizeof *a->x);
    memcpy(m->rk.y + w->n, a->replay ? m->before : m->now, extra * sizeof *m->now);
    m->row_factor = m->stabilised ? 1 / fabs(a->h) : 1 / (a->h * a->h);
    m->rolling_factor = 1 / fabs(a->h);
    for (int i = 0; i < m->rk.n - w->n; i++) { /* what lambda does to the rows is then independent of h */
        int redundant = !active[i < m->k ? i : i - m->k], as_given = !m->stabilised && i < m->kg;
        m->rk.row_factor[i] = redundant ? 1 : as_given ? 1 / (a->h * a->h) : 1 / fabs(a->h);
    }
    return KEEL_OK;
}

static void accept(keel_work *w, int stages) {
    struct implicit_mechanics *m = w->method;
    size_t extra = (size_t)(m->rk.n - w->n);
    const double *z = implicit_row(m->rk.z, w, stages - 1) + w->n;
    memcpy(m->before, m->rk.y + w->n, extra * sizeof *m->before);
    for (size_t i = 0; i < extra; i++) m->now[i] = m->before[i] + z[i];
}

/* K and g_t; a redundant row is 0. */
static keel_status find_rows(keel_work *w, double t, const double *y, double *rows, double *shift) {
    keel_status status = keel_native_rows(w, t, y, rows);
    if (status == KEEL_OK) status = keel_native_time_derivative(w, t, y, shift);
    keel_native_rows_silence(w, rows);
    return status;
}

/* G v + g_t of the K and g_t given, and A v + b. */
static keel_status speeds(keel_work *w, double t, const double *y, const double *rows, const double *shift,
                          double *out) {
    struct implicit_mechanics *m = w->method;
    memcpy(out, shift, (size_t)m->kg * sizeof *out);
    keel_native_rows_add(w, rows, m->kg, y + m->nq, out);
    return m->k > m->kg ? keel_native_value(w, KEEL_MAP_ROLLING, t, y, out + m->kg) : KEEL_OK;
}

/* M, K, g_t, and the accelerations at y into m->force. */
static keel_status look_around(keel_work *w, double t, const double *y) {
    struct implicit_mechanics *m = w->method;
    w->calls++;
    keel_status status = keel_native_value(w, KEEL_MAP_F, t, y, m->force);
    if (status == KEEL_OK) status = keel_native_mass_factor(w, t, y, m->mass);
    if (status == KEEL_OK) status = find_rows(w, t, y, m->rows, m->shift);
    if (status != KEEL_OK) return status;
    keel_native_rows_subtract(w, m->rows, m->k, y + w->n, m->force);
    keel_native_mass_solve(w, m->mass, m->force);
    return KEEL_OK;
}

static keel_status rate(keel_work *w, double t, const double *y, double *out) {
    struct implicit_mechanics *m = w->method;
    int nq = m->nq, n = w->n, k = m->k;
    double *row = out + n, *g = m->stabilised ? row + k : row;
    keel_status status = look_around(w, t, y);
    if (status == KEEL_OK) status = speeds(w, t, y, m->rows, m->shift, row);
    if (status == KEEL_OK && m->kg) status = keel_native_value(w, KEEL_MAP_CONSTRAINT, t, y, g);
    if (status != KEEL_OK) return status;
    memset(m->slip, 0, (size_t)nq * sizeof *m->slip);
    if (m->stabilised) {
        keel_native_rows_subtract(w, m->rows, m->kg, y + n + k, m->slip);
        keel_native_mass_solve(w, m->mass, m->slip);
    }
    for (int j = 0; j < nq; j++) {
        out[j] = y[nq + j] + m->slip[j];
        out[nq + j] = m->force[j];
    }
    for (int i = 0; i < k; i++) { /* multipliers of redundant rows stay 0 */
        if (w->native->active[i]) continue;
        row[i] = -y[n + i];
        if (m->stabilised && i < m->kg) g[i] = -y[n + k + i];
    }
    for (int c = m->rk.n; c < m->rk.width; c++) out[c] = 0;
    return KEEL_OK;
}

/* Column j of d/dq (M a + K^T lambda) and of d/dq of the speeds, into beside and the second half of
 * moved_shift; a is in m->force, the speeds in the first. */
static keel_status beside_place(keel_work *w, double t, const double *y, int j) {
    struct implicit_mechanics *m = w->method;
    int nq = m->nq, moving = m->mass_varies;
    double *there = m->moved_mass + (moving ? (long)nq * nq : 0), *speed = m->moved_shift + m->k;
    double largest = 0; /* of y alone: what a run has seen must not matter after a restart */
    for (int c = 0; c < nq; c++) largest = fmax(largest, fabs(y[c]));
    double length = sqrt(DBL_EPSILON) * fmax(fabs(y[j]), largest > 0 ? 1e-2 * largest : 1e-3);
    m->probe[j] = y[j] + length;
    length = m->probe[j] - y[j];
    keel_status status = find_rows(w, t, m->probe, m->moved_rows, m->residual);
    if (status == KEEL_OK && moving) status = keel_native_mass(w, t, m->probe, there);
    if (status == KEEL_OK) status = speeds(w, t, m->probe, m->moved_rows, m->residual, speed);
    m->probe[j] = y[j];
    if (status != KEEL_OK) return status;
    for (int i = 0; i < nq; i++) {
        double sum = 0;
        for (int c = 0; c < nq && moving; c++)
            sum += (there[(long)i * nq + c] - m->moved_mass[(long)i * nq + c]) * m->force[c];
        for (int r = 0; r < m->k; r++)
            sum += (m->moved_rows[(long)r * nq + i] - m->rows[(long)r * nq + i]) * y[w->n + r];
        m->beside[i] = sum / length;
    }
    for (int r = 0; r < m->k; r++) speed[r] = (speed[r] - m->moved_shift[r]) / length;
    return KEEL_OK;
}

/* The columns of lambda and mu, and the rows of 0 = g, A v + b, G v + g_t by v; the rest of `out` is set. */
static void fill_constraints(keel_work *w, double *out) {
    struct implicit_mechanics *m = w->method;
    int nq = m->nq, n = w->n, k = m->k, all = m->rk.n;
    for (int i = 0; i < k; i++) {
        const double *row = m->rows + (long)i * nq;
        int at = n + i, g = m->stabilised ? n + k + i : at, of_g = i < m->kg, level = of_g && !m->stabilised;
        for (int j = 0; j < nq; j++) m->beside[j] = -row[j];
        keel_native_mass_solve(w, m->mass, m->beside);
        for (int j = 0; j < nq; j++) {
            out[(long)(nq + j) * all + at] = m->beside[j];
            if (m->stabilised && of_g) out[(long)j * all + g] = m->beside[j];
            if (!level) out[(long)at * all + nq + j] = row[j];
            if (of_g) out[(long)g * all + j] = row[j];
        }
        if (w->native->active[i]) continue;
        memset(out + (long)at * all, 0, (size_t)all * sizeof *out);
        out[(long)at * all + at] = -1;
        if (g != at && of_g) out[(long)g * all + g] = -1;
    }
}

static keel_status jacobian(keel_work *w, double t, const double *y, int differences, double *out) {
    struct implicit_mechanics *m = w->method;
    int nq = m->nq, n = w->n, k = m->k, all = m->rk.n;
    if (m->rk.sparse) {
        keel_status found = m->mass_varies ? look_around(w, t, y) : KEEL_OK;
        return found == KEEL_OK ? implicit_sparse_jacobian(w, t, y, out) : found;
    }
    memset(out, 0, (size_t)all * (size_t)all * sizeof *out);
    memcpy(m->probe, y, (size_t)all * sizeof *y);
    keel_status status = keel_native_jacobian(w, KEEL_MAP_F, t, y, differences, m->f_jacobian);
    if (status == KEEL_OK) status = look_around(w, t, y);
    if (status == KEEL_OK) status = speeds(w, t, y, m->rows, m->shift, m->moved_shift);
    if (status == KEEL_OK && m->mass_varies) status = keel_native_mass(w, t, y, m->moved_mass);
    for (int j = 0; j < n && status == KEEL_OK; j++) {
        if (j < nq) status = beside_place(w, t, y, j);
        else out[(long)(j - nq) * all + j] = 1;
        for (int i = 0; i < nq; i++)
            m->beside[i] = m->f_jacobian[(long)i * n + j] - (j < nq ? m->beside[i] : 0);
        keel_native_mass_solve(w, m->mass, m->beside);
        for (int i = 0; i < nq; i++) out[(long)(nq + i) * all + j] = m->beside[i];
        for (int r = 0; r < k && j < nq; r++)
            if (m->stabilised || r >= m->kg) out[(long)(n + r) * all + j] = m->moved_shift[k + r];
    }
    if (status == KEEL_OK) fill_constraints(w, out);
    return status;
}

/* The round-off of the largest coordinate, which multipliers take to all, is as far as Newton gets.  Fixed
 * steps are solved to it, and with index 3 it goes from q to h v. */
static void weigh(const keel_work *w, double h, double *scale) {
    const struct implicit_mechanics *m = w->method;
    double largest[2] = {0, 0};
    int nq = m->nq;
    for (int c = 0; c < 2 * nq; c++)
        largest[c / nq] = fmax(largest[c / nq], w->rtol > 0 ? fabs(m->rk.y[c]) : scale[c]);
    if (w->rtol > 0) {
        double floor = 16 * DBL_EPSILON / implicit_newton_enough(w, m->rk.table[0].s);
        for (int c = 0; c < 2 * nq; c++) scale[c] = fmax(scale[c], floor * largest[c / nq]);
        return;
    }
    if (m->kg && !m->stabilised) largest[1] = fmax(largest[1], largest[0] / fabs(h));
    for (int c = 0; c < 2 * nq; c++) scale[c] = largest[c / nq];
}

/* m->shortest := the part of v that K sees, by the mass at the begin of the step; `all` 0: G alone. */
static keel_status normal_part(keel_work *w, const keel_attempt *a, int all, const double *v) {
    struct implicit_mechanics *m = w->method;
    keel_status status = keel_native_factor(w, a->t, a->x);
    if (status == KEEL_OK) status = keel_native_rows(w, a->t, a->x, m->moved_rows);
    if (status != KEEL_OK) return status;
    memset(m->residual, 0, (size_t)m->k * sizeof *m->residual);
    keel_native_rows_add(w, m->moved_rows, all ? m->k : m->kg, v, m->residual);
    keel_native_correct(w, m->residual, m->shortest);
    return KEEL_OK;
}

/* In the index-3 form v is off 0 = G v + g_t by the O(h^s) of the step before, which the step absorbs in its
 * multipliers.  The error estimate must not see it, since a shorter step would not make it smaller: q' is
 * taken without it, and the jump to the stages, along M^-1 K^T, is left to the multipliers. */
static keel_status smooth(keel_work *w, const keel_attempt *a, double h, double *defect) {
    struct implicit_mechanics *m = w->method;
    int nq = m->nq;
    if (m->kg == 0 || m->stabilised) return KEEL_OK;
    keel_status status = normal_part(w, a, 1, defect + nq);
    for (int j = 0; j < nq && status == KEEL_OK; j++) defect[nq + j] -= m->shortest[j];
    if (status == KEEL_OK) status = keel_native_velocity_rows(w, a->t, a->x, m->residual);
    if (status != KEEL_OK) return status;
    for (int i = m->kg; i < m->k; i++) m->residual[i] = 0;
    keel_native_correct(w, m->residual, m->shortest);
    for (int j = 0; j < nq; j++) defect[j] -= h * m->shortest[j];
    return KEEL_OK;
}

/* Index 3: what v is off G v + g_t = 0 does no more harm than h times it does to q; and it has the round-off
 * of q over h. */
static keel_status filter(keel_work *w, const keel_attempt *a, int by_z, double *error) {
    struct implicit_mechanics *m = w->method;
    double largest = DBL_MIN;
    int nq = m->nq;
    if (m->kg == 0 || m->stabilised || w->rtol == 0) return KEEL_OK;
    keel_status status = by_z ? KEEL_OK : normal_part(w, a, 0, error + nq);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < nq; j++) largest = fmax(largest, w->atol[j] + w->rtol * fabs(a->x[j]));
    for (int j = 0; j < nq; j++) {
        double of_v = w->atol[nq + j] + w->rtol * fabs(a->x[nq + j]), share = fabs(a->h) * of_v / largest;
        error[nq + j] -= (1 - fmin(1, share)) * (by_z ? error[nq + j] : m->shortest[j]);
    }
    return KEEL_OK;
}

/* The shortest change of q, or v, by the mass, that brings m->residual to 0. */
static double shorten(keel_work *w, double *x, double *dx, const double *from) {
    struct implicit_mechanics *m = w->method;
    double largest = 0, size = DBL_MIN;
    keel_native_correct(w, m->residual, m->shortest);
    for (int j = 0; j < m->nq; j++) {
        dx[j] -= m->shortest[j];
        x[j] = from[j] + dx[j];
        largest = fmax(largest, fabs(m->shortest[j]));
        size = fmax(size, fabs(x[j]));
    }
    return largest / size;
}

static keel_status end(keel_work *w, keel_attempt *a) {
    struct implicit_mechanics *m = w->method;
    double t = a->t + a->h, *x = m->end;
    int nq = m->nq;
    if (m->k == 0) return KEEL_OK;
    for (int c = 0; c < w->width; c++) x[c] = a->x[c] + a->dx[c];
    keel_status status = m->kg ? keel_native_factor(w, t, x) : KEEL_OK;
    for (int round = 0; round < 4 && status == KEEL_OK && m->kg; round++) {
        status = keel_native_value(w, KEEL_MAP_CONSTRAINT, t, x, m->residual);
        for (int i = m->kg; i < m->k; i++) m->residual[i] = 0;
        if (status == KEEL_OK && shorten(w, x, a->dx, a->x) <= DBL_EPSILON) break;
    }
    if (status != KEEL_OK || (!m->stabilised && m->k == m->kg)) return status;
    status = keel_native_factor(w, t, x);
    for (int round = 0; round < 2 && status == KEEL_OK; round++) {
        status = keel_native_velocity_rows(w, t, x, m->residual);
        for (int i = 0; i < m->kg && !m->stabilised; i++) m->residual[i] = 0;
        if (status == KEEL_OK) shorten(w, x + nq, a->dx + nq, a->x + nq);
    }
    return status;
}

#define SYSTEM(its_layout)                                                                              \
    {                                                                                                   \
        .layout = (its_layout), .begin = begin, .rhs = rate, .jacobian = jacobian, .weigh = weigh,      \
        .sparse = implicit_sparse_layout, .factor = implicit_sparse_factor,                             \
        .stands = implicit_sparse_stands, .solve = implicit_sparse_solve, .push = implicit_sparse_push, \
        .smooth = smooth, .filter = filter, .end = end, .accept = accept                                \
    }
const struct implicit_system implicit_ggl = SYSTEM(layout_ggl), implicit_index3 = SYSTEM(layout_index3);
