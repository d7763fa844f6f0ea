/* bundle.c - see bundle.h. */
#include "analysis/bundle.h"

#include <keel/diagnostics.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

keel_status bundle_fail(struct bundle *m, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(m->message, sizeof m->message, format, args);
    va_end(args);
    return m->status = status;
}

/* Opening ------------------------------------------------------------------------------------------------ */

static int find_places(struct bundle *m, int rows) {
    const keel_problem *p = m->problem;
    int *number = calloc((size_t)p->n + 1, sizeof *number); /* by unknown, its number among the model's own */
    keel_sensitivity one;
    for (int i = 0; i < p->n && number; i++)
        if (keel_model_sensitivity(m->model, i, &one))
            m->r = one.direction >= m->r ? one.direction + 1 : m->r;
        else number[i] = m->n++;
    size_t all = (size_t)m->n * (size_t)m->r + 1, names = (size_t)BUNDLE_NAMES * (size_t)m->r + 1;
    m->state = calloc((size_t)m->n + 1, sizeof *m->state);
    m->place = calloc(all, sizeof *m->place);
    m->u = calloc((size_t)(p->n + p->m) + 1, sizeof *m->u);
    m->rate = calloc((size_t)p->n + 1, sizeof *m->rate);
    m->row = calloc(names, sizeof *m->row);
    m->slope = calloc(names, sizeof *m->slope);
    m->residual = calloc((size_t)rows + 1, sizeof *m->residual);
    int good = number && m->state && m->place && m->u && m->rate && m->row && m->slope && m->residual;
    for (int i = 0; i < p->n && good; i++)
        if (keel_model_sensitivity(m->model, i, &one)) m->place[one.direction * m->n + number[one.of]] = i;
        else m->state[number[i]] = i;
    free(number);
    return good;
}

/* The number of a row of the certificate; -1: there is none of this name. */
static int row_named(const keel_solver *s, const char *name) {
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (strcmp(row.name, name) == 0) return i;
    return -1;
}

static void find_invariants(struct bundle *m) {
    const keel_solver *s = keel_sim_solver(m->sim);
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row) && m->names < BUNDLE_NAMES && m->names < m->r; i++) {
        int *at = m->row + (size_t)m->names * (size_t)m->r, all = 1;
        if ((row.kind != KEEL_ROW_ENERGY && row.kind != KEEL_ROW_INVARIANT) ||
            row.treatment == KEEL_ROW_VARYING)
            continue;
        for (int k = 0; k < m->r && all; k++) {
            char name[2 * BUNDLE_NAME];
            text_set(name, sizeof name, "d/d%.100s %.100s", keel_model_direction(m->model, k), row.name);
            at[k] = row_named(s, name);
            all = at[k] >= 0; /* a derivative itself has none */
        }
        if (!all) continue;
        m->self[m->names] = i;
        text_set(m->name[m->names++], BUNDLE_NAME, "%.110s", row.name);
    }
}

keel_status bundle_open(struct bundle *m, const keel_model *model, const keel_options *o) {
    keel_mode mode;
    keel_row row;
    int rows = 0;
    *m = (struct bundle){.model = model};
    m->sim = keel_sim_open(model, o);
    if (!m->sim) return bundle_fail(m, KEEL_ENOMEM, "%s", text_no_memory);
    if (keel_sim_status(m->sim) < 0)
        return bundle_fail(m, keel_sim_status(m->sim), "%s", keel_sim_message(m->sim));
    if (keel_model_groups(model) > 0 || !keel_model_mode(model, 0, &mode))
        return bundle_fail(m, KEEL_EINVAL, "a model with modes has other tangent spaces in each of them");
    m->problem = mode.problem;
    while (keel_row_at(keel_sim_solver(m->sim), rows, &row)) rows++;
    if (!find_places(m, rows)) return bundle_fail(m, KEEL_ENOMEM, "%s", text_no_memory);
    if (m->r == 0) return bundle_fail(m, KEEL_EINVAL, "no start value is free: there is nothing to part");
    find_invariants(m);
    return KEEL_OK;
}

void bundle_close(struct bundle *m) {
    keel_sim_close(m->sim);
    free(m->state), free(m->place);
    free(m->u), free(m->rate);
    free(m->row), free(m->slope), free(m->residual);
    *m = (struct bundle){0};
}

/* Where it stands ---------------------------------------------------------------------------------------- */

double bundle_time(const struct bundle *m) {
    return keel_time(keel_sim_solver(m->sim));
}

int bundle_autonomous(const struct bundle *m) {
    const keel_problem *p = m->problem;
    const keel_map *map[] = {&p->f, &p->algebraic, &p->hidden};
    int autonomous = 1;
    for (int i = 0; i < 3; i++) autonomous &= map[i]->count == 0 || map[i]->autonomous;
    return autonomous;
}

const char *bundle_name(const struct bundle *m, int j) {
    return m->problem->names[m->state[j]];
}

static const double *unknowns(struct bundle *m) {
    return keel_state(keel_sim_solver(m->sim));
}

static void take(const struct bundle *m, const double *u, double *x, double *s) {
    for (int j = 0; j < m->n && x; j++) x[j] = u[m->state[j]];
    for (int k = 0; k < m->r * m->n && s; k++) s[k] = u[m->place[k]];
}

void bundle_get(struct bundle *m, double *x, double *s) {
    take(m, unknowns(m), x, s);
}

keel_status bundle_set(struct bundle *m, double t, const double *x, const double *s) {
    keel_solver *solver = keel_sim_solver(m->sim);
    memcpy(m->u, unknowns(m), (size_t)(m->problem->n + m->problem->m) * sizeof *m->u);
    for (int j = 0; j < m->n; j++) m->u[m->state[j]] = x[j];
    for (int k = 0; k < m->r * m->n; k++) m->u[m->place[k]] = s[k];
    keel_status status = keel_restart(solver, t, m->u);
    return status < 0 ? bundle_fail(m, status, "%s", keel_message(solver)) : KEEL_OK;
}

/* Orthonormal; 0: they do not span r directions. */
static int orthonormal(const struct bundle *m, double *q) {
    for (int k = 0; k < m->r; k++) {
        double length = bundle_orthonormal(m->n, k, q, q + (size_t)k * (size_t)m->n);
        if (!(length > 0) || !isfinite(length)) return 0;
    }
    return 1;
}

/* The nearest point where constraints and linearised constraints hold is one of x and S together, and vectors
 * that are not tangent at x would move x, too.  So they are short at first, which leaves x alone, and then
 * have their length. */
keel_status bundle_place(struct bundle *m, double t, const double *size, double *x, double *q) {
    static const double length[] = {1e-3, 1};
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < m->r * m->n; k++) q[k] *= length[round] * size[k % m->n];
        if (bundle_set(m, t, x, q) != KEEL_OK) return m->status;
        bundle_get(m, x, q);
        for (int k = 0; k < m->r * m->n; k++) q[k] /= size[k % m->n];
        if (round == 0 && !orthonormal(m, q))
            return bundle_fail(m, KEEL_ESINGULAR,
                               "tangent vectors fall together at t = %.10g: the constraints lose rank", t);
    }
    return KEEL_OK;
}

keel_status bundle_go(struct bundle *m, double t) {
    keel_status status;
    while ((status = keel_sim_run(m->sim, t)) == KEEL_EVENT) {}
    if (status == KEEL_OK) return KEEL_OK;
    return bundle_fail(m, status > 0 ? KEEL_ESTOP : status, "%s", keel_sim_message(m->sim));
}

keel_status bundle_rates(struct bundle *m, double *dx, double *ds) {
    const keel_problem *p = m->problem;
    if (keel_rates(keel_sim_solver(m->sim), bundle_time(m), unknowns(m), m->rate) != KEEL_OK)
        return bundle_fail(m, KEEL_EUSER, "the rates have no value at t = %.10g", bundle_time(m));
    take(m, m->rate, dx, ds);
    for (int i = 0; i < p->n; i++)
        if (!isfinite(m->rate[i]))
            return bundle_fail(m, KEEL_EUSER, "the rate of `%.80s` has no value at t = %.10g", p->names[i],
                               bundle_time(m));
    return KEEL_OK;
}

keel_status bundle_rates_beside(struct bundle *m, double round_offs, double *ds) {
    int all = m->problem->n + m->problem->m;
    for (int i = 0; i < all; i++)
        m->u[i] = unknowns(m)[i] * (1 + round_offs * DBL_EPSILON * cos(1.3 * i + round_offs));
    if (keel_rates(keel_sim_solver(m->sim), bundle_time(m), m->u, m->rate) != KEEL_OK)
        return bundle_fail(m, KEEL_EUSER, "the rates have no value at t = %.10g", bundle_time(m));
    take(m, m->rate, NULL, ds);
    return KEEL_OK;
}

keel_status bundle_slopes(struct bundle *m) {
    keel_solver *solver = keel_sim_solver(m->sim);
    keel_row row;
    if (m->names == 0) return KEEL_OK;
    memcpy(m->u, unknowns(m), (size_t)(m->problem->n + m->problem->m) * sizeof *m->u);
    if (keel_residuals(solver, keel_time(solver), m->u, m->residual) != KEEL_OK)
        return bundle_fail(m, KEEL_EUSER, "an invariant has no value at t = %.10g", keel_time(solver));
    for (int i = 0; i < m->names * m->r; i++)
        if (keel_row_at(solver, m->row[i], &row)) m->slope[i] = row.start + m->residual[m->row[i]];
    return KEEL_OK;
}

/* Vectors ------------------------------------------------------------------------------------------------ */

double bundle_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double bundle_orthonormal(int n, int count, const double *basis, double *v) {
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < count; k++) {
            const double *b = basis + (size_t)k * (size_t)n;
            double part = bundle_dot(n, b, v);
            for (int i = 0; i < n; i++) v[i] -= part * b[i];
        }
    double length = sqrt(bundle_dot(n, v, v));
    for (int i = 0; i < n && length > 0; i++) v[i] /= length;
    return length;
}

/* sum_k |A_jk| or, turned, |A_kj|, k != j, in sizes that are `grown` times as large. */
static double sum_beside(int n, int r, const double *rate, const double *q, int j, int turned,
                         const double *grown) {
    double sum = 0;
    for (int k = 0; k < n; k++) {
        double entry = 0;
        int row = turned ? k : j, column = turned ? j : k;
        for (int c = 0; c < r && k != j; c++) entry += rate[c * n + row] * q[c * n + column];
        sum += fabs(entry) * grown[column] / grown[row];
    }
    return sum;
}

void bundle_balance(int n, int r, const double *rate, const double *q, const double *known, double *grown) {
    enum { SWEEPS = 10 };
    for (int j = 0; j < n; j++) grown[j] = 1;
    for (int sweep = 0, changed = 1; sweep < SWEEPS && changed; sweep++) {
        changed = 0;
        for (int j = 0; j < n; j++) {
            if (known[j] > 0) continue;
            double ratio =
                sqrt(sum_beside(n, r, rate, q, j, 0, grown) / sum_beside(n, r, rate, q, j, 1, grown));
            if (!(ratio > 0) || !isfinite(ratio) || (ratio > 1e-3 && ratio < 1e3)) continue;
            grown[j] *= ratio;
            changed = 1;
        }
    }
}
