/* energy_momentum.c - the energy-momentum method for q' = H_p, p' = -H_q - G(q)^T lambda, 0 = g(q):
 *
 *     dq = h D_p H,  dp = -h D_q H - (D g)^T mu,  0 = g(q + dq),  mu = h lambda,
 *
 * with the discrete derivatives of energy_quotients.c.  Then D g . dq = g(q1) - g(q) = 0, and H is conserved;
 * with forms so is every momentum that follows from their symmetry.  G H_p = 0 is met to O(h^2).  lambda
 * belongs to the middle of the step.  In mechanics with the energy E(q,v), D_p H stands for M^-1 D_v E and dv
 * for M^-1 dp.  Newton runs on the increments with a matrix by differences, made anew when it contracts
 * slowly.  Gonzalez 1999.
 *
 * Sparse mechanics has the matrix of the midpoint rule, in the middle m of the step and with G(q1) below,
 *
 *     ( M                         -h/2 M    .      )
 *     ( -h/2 F_q + (mu.G)_q / 2     M      G(m)^T  )
 *     ( G(q1)                       .       .      )
 *
 * with M r in place of the residuals r of dq and dv; of a Hamiltonian f = (H_p, -H_q) it is
 *
 *     ( 1 - h/2 f_x + (0, 0; (mu.G)_q / 2, 0)   (0, G(m)^T) )
 *     ( G(q1)  0                                    .       ).
 *
 * What the quotients themselves add is of rank 1: it
 * would fill the matrix, and is as small as the change of F_q over a step. */
#include "methods/energy_momentum.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    if (!(keel_problem_traits(p) & KEEL_POSITIONS))
        return "it is for canonical Hamiltonian problems, x = (q, p), and for mechanics, x = (q, v)";
    if (p->rolling.count)
        return "rolling constraints are not holonomic; use dop853, or any method that projects";
    if (p->energy.count == 0)
        return "it needs the energy that it is to keep: give `energy` (in a model: invariant energy)";
    if (!p->energy.jacobian) return "it needs the gradient of the energy: give energy.jacobian";
    if (p->mass.value && !p->mass.constant)
        return "the mass matrix must be constant; use dop853, or any method that projects";
    return energy_doubts(p);
}

/* The numbers of the blocks: F_q or f_x, (mu.G)_q, G in the middle and at the end, 1 for redundant rows. */
static void lay_out_system(const keel_problem *p, keel_work *w) {
    struct energy_momentum *m = w->method;
    const keel_pattern *mass = p->mass.value ? p->mass.pattern : NULL, *g = p->constraint.pattern;
    const keel_system_block_kind of_mass = mass ? KEEL_BLOCK_PLAIN : KEEL_BLOCK_DIAGONAL;
    int nq = m->nq, n = 2 * nq, k = m->k, first = m->canonical ? 0 : nq;
    size_t entries = keel_native_rows_doubles(w);
    const keel_system_block block[] = {
        {of_mass, 0, 0, nq, mass},         {of_mass, 0, nq, m->canonical ? 0 : nq, mass},
        {of_mass, nq, nq, nq, mass},       {KEEL_BLOCK_PLAIN, first, 0, n - first, p->f.pattern},
        {KEEL_BLOCK_BEND, nq, 0, 0, NULL}, {KEEL_BLOCK_TRANSPOSED, nq, n, k, g},
        {KEEL_BLOCK_PLAIN, n, 0, k, g},    {KEEL_BLOCK_DIAGONAL, n, n, k, NULL},
    };
    m->system = keel_system_layout(w, n + k, block, 8, 1, 0);
    m->share = keel_work_doubles(w, (size_t)k);
    m->numbers = keel_work_doubles(w, (size_t)p->f.pattern->nnz + keel_native_bend_doubles(w) + 3 * entries +
                                          (size_t)k);
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct energy_momentum *m = w->method;
    size_t n = (size_t)p->n, k = (size_t)p->constraint.count, all = n + k, width = (size_t)w->width;
    m->nq = p->n / 2;
    m->k = p->constraint.count;
    m->forms = keel_extras_of(p)->quadratic_forms.count;
    m->canonical = !(keel_problem_traits(p) & KEEL_SECOND_ORDER);
    m->step = keel_work_doubles(w, all);
    m->change = keel_work_doubles(w, all);
    m->residual = keel_work_doubles(w, all);
    m->bent = keel_work_doubles(w, all);
    m->system = NULL;
    if (keel_native_sparse(w)) lay_out_system(p, w);
    m->matrix = keel_work_doubles(w, m->system ? 0 : all * all);
    m->pivot = keel_work_doubles(w, all);
    m->begin = keel_work_doubles(w, width);
    m->end = keel_work_doubles(w, width);
    m->middle = keel_work_doubles(w, width);
    energy_quotients_layout(p, w);
}

/* out += (Dg)^T mu, sparse */
static void add_pull(const keel_work *w, const double *mu, double *out) {
    struct energy_momentum *m = w->method;
    double along = 0;
    memset(m->bent, 0, (size_t)m->nq * sizeof *m->bent);
    keel_native_rows_subtract(w, m->rows, m->k, mu, m->bent);
    for (int r = 0; r < m->k; r++) along += m->share[r] * mu[r];
    for (int c = 0; c < m->nq; c++) out[c] += along * m->step[c] - m->bent[c];
}

/* What the equations leave at m->step. */
static keel_status residual_of(keel_work *w, const keel_attempt *a, double *out) {
    struct energy_momentum *m = w->method;
    int nq = m->nq, n = 2 * nq, k = m->k;
    const double *mu = m->step + n;
    for (int c = 0; c < n; c++) {
        m->end[c] = a->x[c] + m->step[c];
        m->middle[c] = a->x[c] + 0.5 * m->step[c];
    }
    keel_status status = energy_quotients(w, a->t + 0.5 * a->h);
    if (status == KEEL_OK && k)
        status = keel_native_value(w, KEEL_MAP_CONSTRAINT, a->t + a->h, m->end, out + n);
    for (int r = 0; r < k; r++)
        if (!w->native->active[r]) out[n + r] = mu[r];
    for (int c = 0; c < nq; c++) {
        out[c] = m->gradient[nq + c];
        out[nq + c] = a->h * m->gradient[c];
        for (int r = 0; r < k && !m->system; r++) out[nq + c] += m->rows[(long)r * nq + c] * mu[r];
    }
    if (m->system) add_pull(w, mu, out + nq);
    keel_native_mass_solve(w, NULL, out);
    keel_native_mass_solve(w, NULL, out + nq);
    for (int c = 0; c < nq; c++) {
        out[c] = m->step[c] - a->h * out[c];
        out[nq + c] += m->step[nq + c];
    }
    return status;
}

/* The matrix of the midpoint rule at m->step, which m->end and m->middle belong to. */
static keel_status find_system(keel_work *w, const keel_attempt *a) {
    struct energy_momentum *m = w->method;
    const keel_problem *p = w->native->problem;
    size_t entries = keel_native_rows_doubles(w);
    double t = a->t + 0.5 * a->h, *bend = m->numbers + p->f.pattern->nnz,
           *by_q = bend + keel_native_bend_doubles(w), *middle = by_q + entries, *end = middle + entries,
           *aside = end + entries;
    const double *mass = keel_native_mass_entries(w);
    keel_status status = keel_native_entries(w, KEEL_MAP_F, t, m->middle, m->numbers);
    if (status == KEEL_OK && m->k) status = keel_native_rows(w, t, m->middle, middle);
    if (status == KEEL_OK && m->k)
        status =
            keel_native_bend(w, t, m->middle, middle, m->step + 2 * m->nq, m->middle + m->nq, bend, by_q);
    if (status == KEEL_OK && m->k) status = keel_native_rows(w, a->t + a->h, m->end, end);
    if (status != KEEL_OK) return status;
    keel_native_rows_silence(w, middle);
    keel_native_rows_silence(w, end);
    for (int r = 0; r < m->k; r++) aside[r] = !w->native->active[r];
    const keel_system_value value[] = {
        {1, 0, mass},   {-0.5 * a->h, 0, mass}, {1, 0, mass}, {-0.5 * a->h, 0, m->numbers},
        {0.5, 0, bend}, {1, 0, middle},         {1, 0, end},  {1, 0, aside}};
    keel_work_count(w, 1, 0);
    return keel_system_factor(w, m->system, 0, value);
}

/* m->change: what the matrix makes of it. */
static void solve(const keel_work *w) {
    struct energy_momentum *m = w->method;
    const keel_pattern *p = w->native->problem->mass.pattern;
    const double *mass = m->system ? keel_native_mass_entries(w) : NULL;
    int nq = m->nq;
    if (!m->system) {
        dense_lu_solve(2 * nq + m->k, m->matrix, (int *)m->pivot, m->change);
        return;
    }
    for (int part = 0; part < 2 && mass; part++) {
        double *r = m->change + (long)part * nq;
        memcpy(m->bent, r, (size_t)nq * sizeof *r);
        for (int i = 0; i < nq; i++) {
            r[i] = 0;
            for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
                r[i] += mass[e] * m->bent[p->column[e]];
        }
    }
    keel_system_solve(w, m->system, 0, m->change, NULL);
}

/* d residual / d step, column by column; m->residual is the one at m->step. */
static keel_status find_matrix(keel_work *w, const keel_attempt *a, const double size[3]) {
    struct energy_momentum *m = w->method;
    int nq = m->nq, all = 2 * nq + m->k;
    keel_status status = KEEL_OK;
    if (m->system) return find_system(w, a);
    for (int c = 0; c < all && status == KEEL_OK; c++) {
        double here = m->step[c], length = sqrt(DBL_EPSILON) * size[c / nq > 2 ? 2 : c / nq];
        m->step[c] = here + length;
        status = residual_of(w, a, m->change);
        for (int i = 0; i < all; i++) m->matrix[(long)i * all + c] = (m->change[i] - m->residual[i]) / length;
        m->step[c] = here;
    }
    keel_work_count(w, 1, 0);
    if (status == KEEL_OK && dense_lu(all, m->matrix, (int *)m->pivot, w->halt)) status = KEEL_RETRY;
    return status;
}

/* h f without the constraints, and the sizes of q, p and mu. */
static keel_status begin(keel_work *w, const keel_attempt *a, double size[3]) {
    struct energy_momentum *m = w->method;
    int nq = m->nq;
    keel_status status = keel_native_mass_factor(w, a->t, a->x, NULL);
    if (status == KEEL_OK) status = keel_native_jacobian(w, KEEL_MAP_ENERGY, a->t, a->x, 0, m->gradient);
    if (status != KEEL_OK) return status;
    memcpy(m->begin, a->x, (size_t)w->width * sizeof *a->x);
    memset(m->step, 0, (size_t)(2 * nq + m->k) * sizeof *m->step);
    for (int c = 0; c < nq; c++) {
        m->step[c] = a->h * m->gradient[nq + c];
        m->step[nq + c] = -a->h * m->gradient[c];
    }
    keel_native_mass_solve(w, NULL, m->step);
    keel_native_mass_solve(w, NULL, m->step + nq);
    for (int part = 0; part < 2; part++) {
        size[part] = DBL_MIN;
        for (int c = part * nq; c < (part + 1) * nq; c++)
            size[part] = fmax(size[part], fabs(a->x[c]) + fabs(m->step[c]));
    }
    size[0] = fmax(size[0], 1e-6 * size[1]); /* where it rests */
    size[1] = fmax(size[1], 1e-6 * size[0]);
    size[2] = size[1];
    return KEEL_OK;
}

/* Newton from m->step on; *found 0: it got nowhere.  careful: a new matrix in every round. */
static keel_status newton(keel_work *w, const keel_attempt *a, const double size[3], int careful,
                          int *found) {
    enum { ROUNDS = 40 };
    struct energy_momentum *m = w->method;
    int nq = m->nq, n = 2 * nq, all = n + m->k, idle = 0, fresh = 1;
    double before = HUGE_VAL, least = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        keel_status status = residual_of(w, a, m->residual);
        if (status == KEEL_OK && (fresh || careful)) status = find_matrix(w, a, size);
        if (status != KEEL_OK) return status;
        memcpy(m->change, m->residual, (size_t)all * sizeof *m->change);
        solve(w);
        keel_work_count(w, 0, 1);
        double now[2] = {0, 0};
        for (int c = 0; c < all; c++) m->step[c] -= m->change[c];
        for (int c = 0; c < n; c++) now[c / nq] = fmax(now[c / nq], fabs(m->change[c]) / size[c / nq]);
        double length = fmax(now[0], now[1]);
        if (!(length < 1e8)) return KEEL_OK;
        idle = length > 0.5 * least ? idle + 1 : 0;
        least = fmin(least, length);
        /* multipliers carry the round-off of g over h, and so does p */
        *found = length == 0 || (idle && now[0] < 16 * DBL_EPSILON) || (idle > 2 && now[0] < 1e-11);
        if (*found) return KEEL_OK;
        if (!careful && (idle > 3 || length > 10 * before)) return KEEL_OK;
        fresh = length > 0.1 * before && now[0] > 1e-11;
        before = length;
    }
    return KEEL_OK;
}

/* From h f; then from q moving and p at rest, as the paper does, which is nearer where h f overshoots; then
 * from rest. */
static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct energy_momentum *m = w->method;
    double size[3];
    int found = 0;
    for (int guess = 0; guess < 3; guess++) {
        keel_status status = begin(w, a, size);
        for (int c = guess < 2 ? m->nq : 0; c < 2 * m->nq && guess; c++) m->step[c] = 0;
        if (status == KEEL_OK) status = newton(w, a, size, guess > 0, &found);
        if (status < 0) return status;
        if (found) {
            memcpy(a->dx, m->step, 2 * (size_t)m->nq * sizeof *a->dx);
            return KEEL_OK;
        }
    }
    return keel_native_fail(w, KEEL_ENEWTON,
                            "%s: no end of the step was found from t = %.10g; try a smaller step",
                            w->stepper->info.name, a->t);
}

const keel_stepper energy_momentum_methods[] = {
    {
        .info = {.name = "energy-momentum",
                 .about = "keeps H, constraints and, with forms, momenta; velocities to O(h^2)",
                 .reference = "Gonzalez 1999",
                 .order = 2,
                 .traits = KEEL_IMPLICIT | KEEL_SYMMETRIC_STEP | KEEL_KEEPS_ENERGY | KEEL_AS_GIVEN |
                           KEEL_SPARSE_FORCES},
        .no_rhs = 1,
        .size = sizeof(struct energy_momentum),
        .refuse = refuse,
        .layout = layout,
        .attempt = attempt,
    },
    {.info = {.name = NULL}},
};
