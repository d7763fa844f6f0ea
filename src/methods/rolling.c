/* rolling.c - the midpoint rule with multipliers for constraints that are not holonomic, and those that are:
 * with K = (G; A), m for the middle of the step and vm = (v + v1) / 2, qm = (q + q1) / 2,
 *
 *     q1 = q + h (vm - M(qm)^-1 G(qm)^T mu),     v1 = v + h M(qm)^-1 (F(tm,qm,vm) - K(qm)^T lambda),
 *     0 = A(q1) v1 + b(q1),   0 = G(q1) v1 + g_t,   0 = g(q1).
 *
 * Since the rows hold at the begin of a step, too, exchanging the ends gives the same equations: symmetric,
 * order 2, a discrete principle of Lagrange and d'Alembert with reactions taken in the middle.  vm and q1 are
 * iterated; each round finds the multipliers for the rows at the end.  Cortes, Martinez 2001; McLachlan,
 * Perlmutter 2006; mu as Gear, Gupta, Leimkuhler 1985.
 *
 * The matrix of the multipliers is K(q1) M(qm)^-1 K(qm)^T; sparse, z = M^-1 K(qm)^T mu is among the unknowns:
 * M z - K(qm)^T mu = 0, K(q1) z = c. */
#include <keel/native.h>
#include <keel/system.h>

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct rolling {
    int nq, k, kg;
    double *dq, *dv, *old;  /* nq, nq, 2 nq: the increments, and those of the round before */
    double *mid, *end;      /* width: states */
    double *push;           /* nq: h M^-1 F */
    double *mass;           /* nq x nq: its factor in the middle, where M is not constant */
    double *rows, *n_rows;  /* K, at the middle and then at the end; M^-1 K^T row by row, sparse: K(qm) */
    keel_system *system;    /* sparse: in place of matrix; NULL: it is dense */
    double *aside, *found;  /* sparse: k, 1 for rows that stand aside; its unknowns */
    double *slip;           /* kg: h mu */
    double *value, *shift;  /* k */
    double *matrix, *pivot; /* k x k */
};

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    return keel_problem_traits(p) & KEEL_SECOND_ORDER
               ? NULL
               : "it is for mechanics (a lagrangian, M v' = F - K^T lambda)";
}

/* The blocks of G and A are told apart: the positions know G alone. */
static void lay_out_system(const keel_problem *p, keel_work *w) {
    struct rolling *m = w->method;
    const keel_pattern *mass = p->mass.value ? p->mass.pattern : NULL, *g = p->constraint.pattern,
                       *a = p->rolling.pattern;
    int nq = m->nq, kg = m->kg, kr = m->k - m->kg;
    const keel_system_block block[] = {
        {mass ? KEEL_BLOCK_PLAIN : KEEL_BLOCK_DIAGONAL, 0, 0, nq, mass},
        {KEEL_BLOCK_TRANSPOSED, 0, nq, kg, g},
        {KEEL_BLOCK_TRANSPOSED, 0, nq + kg, kr, a},
        {KEEL_BLOCK_PLAIN, nq, 0, kg, g},
        {KEEL_BLOCK_PLAIN, nq + kg, 0, kr, a},
        {KEEL_BLOCK_DIAGONAL, nq, nq, m->k, NULL},
    };
    m->system = keel_system_layout(w, nq + m->k, block, 6, 1, 0);
    m->aside = keel_work_doubles(w, (size_t)m->k);
    m->found = keel_work_doubles(w, (size_t)nq + (size_t)m->k);
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct rolling *m = w->method;
    size_t nq = (size_t)p->n / 2, kg = (size_t)p->constraint.count, k = kg + (size_t)p->rolling.count;
    m->nq = (int)nq;
    m->k = (int)k;
    m->kg = (int)kg;
    m->dq = keel_work_doubles(w, nq);
    m->dv = keel_work_doubles(w, nq);
    m->old = keel_work_doubles(w, 2 * nq);
    m->mid = keel_work_doubles(w, (size_t)w->width);
    m->end = keel_work_doubles(w, (size_t)w->width);
    m->push = keel_work_doubles(w, nq);
    m->mass = keel_work_doubles(w, keel_native_sparse(w) ? 0 : keel_native_mass_doubles(p));
    m->rows = keel_work_doubles(w, keel_native_rows_doubles(w));
    m->n_rows = keel_work_doubles(w, keel_native_rows_doubles(w));
    m->slip = keel_work_doubles(w, kg);
    m->value = keel_work_doubles(w, k);
    m->shift = keel_work_doubles(w, k);
    m->system = NULL;
    if (k && keel_native_sparse(w)) lay_out_system(p, w);
    m->matrix = keel_work_doubles(w, m->system ? 0 : k * k);
    m->pivot = keel_work_doubles(w, k);
}

static keel_status no_end(keel_work *w, double t) {
    return keel_native_fail(
        w, KEEL_ENEWTON,
        "%s: no end of the step on the constraints was found from t = %.10g; try a smaller step",
        w->stepper->info.name, t);
}

/* h M^-1 F and M^-1 K^T in the middle. */
static keel_status look_at_middle(keel_work *w, const keel_attempt *a) {
    struct rolling *m = w->method;
    double t = a->t + 0.5 * a->h;
    for (int j = 0; j < m->nq; j++) {
        m->mid[j] = a->x[j] + 0.5 * m->dq[j];
        m->mid[m->nq + j] = a->x[m->nq + j] + 0.5 * m->dv[j];
    }
    w->calls++;
    keel_status status = keel_native_value(w, KEEL_MAP_F, t, m->mid, m->push);
    if (status == KEEL_OK) status = keel_native_mass_factor(w, t, m->mid, m->mass);
    if (status == KEEL_OK) status = keel_native_rows(w, t, m->mid, m->rows);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < m->nq; j++) m->push[j] *= a->h;
    keel_native_mass_solve(w, m->mass, m->push);
    if (m->system) keel_native_rows_silence(w, m->rows);
    memcpy(m->n_rows, m->rows, keel_native_rows_doubles(w) * sizeof *m->rows);
    for (int i = 0; i < m->k && !m->system; i++)
        keel_native_mass_solve(w, m->mass, m->n_rows + (long)i * m->nq);
    return KEEL_OK;
}

/* value := (K(q1) M(qm)^-1 K(qm)^T)^-1 value for the first `count` rows, kg or k; redundant ones stand
 * aside. */
static int solve_dense(const keel_work *w, int count) {
    const struct rolling *m = w->method;
    const int *active = w->native->active;
    for (int i = 0; i < count; i++)
        for (int l = 0; l < count; l++) {
            double sum = 0;
            for (int j = 0; j < m->nq; j++)
                sum += m->rows[(long)i * m->nq + j] * m->n_rows[(long)l * m->nq + j];
            m->matrix[(long)i * count + l] = active[i] && active[l] ? sum : i == l;
        }
    if (dense_lu(count, m->matrix, (int *)m->pivot, w->halt)) return 0;
    dense_lu_solve(count, m->matrix, (int *)m->pivot, m->value);
    return 1;
}

static int solve_system(keel_work *w, int count) {
    struct rolling *m = w->method;
    const double *g = m->rows, *g_middle = m->n_rows;
    long of_g = m->kg ? w->native->problem->constraint.pattern->nnz : 0;
    int rolls = count > m->kg, nq = m->nq;
    const keel_system_value value[] = {{1, 0, keel_native_mass_entries(w)},  {-1, 0, g_middle},
                                       {rolls ? -1 : 0, 0, g_middle + of_g}, {1, 0, g},
                                       {rolls ? 1 : 0, 0, g + of_g},         {1, 0, m->aside}};
    for (int i = 0; i < m->k; i++) m->aside[i] = i >= count || !w->native->active[i];
    keel_native_rows_silence(w, m->rows);
    if (keel_system_factor(w, m->system, 0, value) != KEEL_OK) return 0;
    memset(m->found, 0, (size_t)(nq + m->k) * sizeof *m->found);
    memcpy(m->found + nq, m->value, (size_t)count * sizeof *m->value);
    keel_system_solve(w, m->system, 0, m->found, NULL);
    memcpy(m->value, m->found + nq, (size_t)count * sizeof *m->value);
    return 1;
}

static int solve_rows(keel_work *w, int count) {
    const struct rolling *m = w->method;
    for (int i = 0; i < count; i++)
        if (!w->native->active[i]) m->value[i] = 0;
    return m->system ? solve_system(w, count) : solve_dense(w, count);
}

/* v -= M^-1 K^T factor, of the first `count` rows */
static void subtract(const keel_work *w, int count, const double *factor, double *v) {
    const struct rolling *m = w->method;
    if (m->system) {
        memset(m->found, 0, (size_t)m->nq * sizeof *m->found);
        keel_native_rows_subtract(w, m->n_rows, count, factor, m->found);
        keel_native_mass_solve(w, NULL, m->found);
        for (int j = 0; j < m->nq; j++) v[j] += m->found[j];
        return;
    }
    keel_native_rows_subtract(w, m->n_rows, count, factor, v);
}

/* One Newton step of h mu for g(q1) = 0, then the v1 that meets the velocity rows there. */
static keel_status find_end(keel_work *w, const keel_attempt *a) {
    struct rolling *m = w->method;
    int nq = m->nq;
    double t = a->t + a->h;
    for (int j = 0; j < nq; j++) m->dq[j] = a->h * (a->x[nq + j] + 0.5 * m->dv[j]);
    subtract(w, m->kg, m->slip, m->dq);
    for (int j = 0; j < nq; j++) m->end[j] = a->x[j] + m->dq[j];
    keel_status status = keel_native_rows(w, t, m->end, m->rows);
    if (status == KEEL_OK && m->kg) status = keel_native_value(w, KEEL_MAP_CONSTRAINT, t, m->end, m->value);
    if (status != KEEL_OK) return status;
    if (m->kg) {
        if (!solve_rows(w, m->kg)) return no_end(w, a->t);
        for (int i = 0; i < m->kg; i++) m->slip[i] += m->value[i];
        subtract(w, m->kg, m->value, m->dq);
        for (int j = 0; j < nq; j++) m->end[j] = a->x[j] + m->dq[j];
        status = keel_native_rows(w, t, m->end, m->rows);
        if (status == KEEL_OK) status = keel_native_time_derivative(w, t, m->end, m->shift);
    }
    memcpy(m->dv, m->push, (size_t)nq * sizeof *m->dv);
    for (int round = 0; round < 2 && status == KEEL_OK && m->k; round++) { /* the second one for round-off */
        for (int j = 0; j < nq; j++) m->end[nq + j] = a->x[nq + j] + m->dv[j];
        memcpy(m->value, m->shift, (size_t)m->kg * sizeof *m->value);
        keel_native_rows_add(w, m->rows, m->kg, m->end + nq, m->value);
        if (m->k > m->kg) status = keel_native_value(w, KEEL_MAP_ROLLING, t, m->end, m->value + m->kg);
        if (status == KEEL_OK && !solve_rows(w, m->k)) return no_end(w, a->t);
        subtract(w, m->k, m->value, m->dv);
    }
    keel_work_count(w, 0, 1);
    return status;
}

/* The largest change of the last round, of dq against q, and of dv against v. */
static double change(const struct rolling *m, const keel_attempt *a) {
    double worst = 0;
    for (int part = 0; part < 2; part++) {
        const double *now = part ? m->dv : m->dq, *x = a->x + (long)part * m->nq;
        double size = DBL_MIN, most = 0;
        for (int j = 0; j < m->nq; j++) {
            size = fmax(size, fmax(fabs(x[j]), fabs(now[j])));
            most = fmax(most, fabs(now[j] - m->old[part * m->nq + j]));
            if (!isfinite(now[j])) return HUGE_VAL;
        }
        worst = fmax(worst, most / size);
    }
    return worst;
}

/* Until nothing is gained: what a tolerance leaves is not symmetric. */
static keel_status attempt(keel_work *w, keel_attempt *a) {
    enum { ROUNDS = 100 };
    struct rolling *m = w->method;
    size_t bytes = (size_t)m->nq * sizeof *m->dq;
    double least = HUGE_VAL;
    int idle = 0;
    for (int j = 0; j < m->nq; j++) m->dq[j] = a->h * a->x[m->nq + j];
    memset(m->dv, 0, bytes);
    memset(m->slip, 0, (size_t)m->kg * sizeof *m->slip);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(m->old, m->dq, bytes);
        memcpy(m->old + m->nq, m->dv, bytes);
        keel_status status = look_at_middle(w, a);
        if (status == KEEL_OK) status = find_end(w, a);
        if (status != KEEL_OK) return status;
        double now = change(m, a);
        if (!(now < 1e6)) break;
        idle = now >= least ? idle + 1 : 0;
        least = fmin(least, now);
        if (now == 0 || (idle && now < 64 * DBL_EPSILON) || (idle > 2 && now < 1e-10)) {
            memcpy(a->dx, m->dq, bytes);
            memcpy(a->dx + m->nq, m->dv, bytes);
            return KEEL_OK;
        }
    }
    return no_end(w, a->t);
}

const keel_stepper rolling_methods[] = {
    {.info = {.name = "rolling-midpoint",
              .about =
                  "midpoint rule with reactions in the middle: rolling and holonomic constraints at the ends",
              .reference = "Cortes, Martinez 2001; McLachlan, Perlmutter 2006",
              .order = 2,
              .traits = KEEL_IMPLICIT | KEEL_SYMMETRIC_STEP | KEEL_CONSTRAINED | KEEL_SPARSE},
     .no_rhs = 1,
     .size = sizeof(struct rolling),
     .refuse = refuse,
     .layout = layout,
     .attempt = attempt},
    {.info = {.name = NULL}},
};
