/* lobatto.c - see lobatto.h.  With a of IIIA, d of IIIB, s stages,
 *
 *     Q_i = q + h sum_j a_ij H_p(Q_j,P_j),  P_i = p - h sum_j d_ij (H_q(Q_j,P_j) + G(Q_j)^T lambda_j),
 *     0 = g(Q_i),  q_1 = Q_s,  p_1 = p - h sum_j b_j (H_q(Q_j,P_j) + G(Q_j)^T lambda_j),
 *     0 = G(q_1) H_p(q_1,p_1) + g_t.
 *
 * Q_1 = q and d_is = 0: lambda_1 ... lambda_{s-1} bring the positions to the constraints, lambda_s the
 * velocity.  The stages are iterated; each round ends with a Newton step of mu_j = h lambda_j for the
 * positions, whose matrix h (a d)_il G(Q_i) H_pp N G(Q_l)^T takes H_pp from the begin of the step.  In
 * mechanics v takes the place of p: H_p = v, H_pp = 1, -H_q = M^-1 F, and N = M^-1 instead of 1.
 *
 * Sparse mechanics has z_l = N G(Q_l)^T dmu_l among its unknowns, so that N is never formed:
 *     M z_l - G(Q_l)^T dmu_l = 0,  sum_l h (a d)_il G(Q_i) z_l = g(Q_i).
 * Sparse canonical problems have M = 1 and, before z_l, G H_pp of the stage in place of G(Q_i): d/dp of the
 * velocity rows.  H_pp itself is not known, so speeds are evaluated where P has moved. */
#include "methods/lobatto.h"

#include <keel/native.h>

#include "base/text.h"
#include "linalg/dense.h"
#include "methods/sampled.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *lobatto_refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    unsigned traits = keel_problem_traits(p);
    if (!(traits & KEEL_POSITIONS))
        return "it is for canonical Hamiltonian problems, x = (q, p), and for mechanics, x = (q, v)";
    if (p->rolling.count)
        return "rolling constraints are not holonomic; use dop853, or any method that projects";
    if (p->mass.value && !p->mass.constant)
        return "the mass matrix must be constant; state the model by its momenta (canonical q, p and a "
               "hamiltonian), or use dop853, or any method that projects";
    int forces = traits & KEEL_SECOND_ORDER ? sampled_forces(p) : 1;
    if (forces < 0) return text_no_memory;
    if (!forces) return "the forces must not depend on velocities; use dop853, or any method that projects";
    return NULL;
}

/* The matrix of the positions by its blocks. */
static void lay_out_system(const keel_problem *p, keel_work *w) {
    struct lobatto *m = w->method;
    const keel_pattern *mass = p->mass.value ? p->mass.pattern : NULL, *g = p->constraint.pattern;
    const keel_pattern *below = m->by_slopes ? &m->bent : g;
    int steps = m->s - 1, nq = m->nq, k = m->k, part = nq + k, count = 0;
    keel_system_block block[KEEL_SYSTEM_BLOCKS];
    for (int l = 0; l < steps; l++) {
        int z = l * part, mu = z + nq;
        block[count++] = (keel_system_block){mass ? KEEL_BLOCK_PLAIN : KEEL_BLOCK_DIAGONAL, z, z, nq, mass};
        block[count++] = (keel_system_block){KEEL_BLOCK_TRANSPOSED, z, mu, k, g};
        block[count++] = (keel_system_block){KEEL_BLOCK_DIAGONAL, mu, mu, k, NULL};
        for (int i = 0; i < steps; i++)
            block[count++] = (keel_system_block){KEEL_BLOCK_PLAIN, i * part + nq, z, k, below};
    }
    m->system = keel_system_layout(w, steps * part, block, count, 1, 0);
    m->aside = keel_work_doubles(w, (size_t)k);
    m->found = keel_work_doubles(w, (size_t)steps * (size_t)part);
}

/* The columns of p in the pattern of the velocity rows. */
static void lay_out_slopes(const keel_problem *p, keel_work *w) {
    struct lobatto *m = w->method;
    const keel_pattern *all = p->velocity.pattern;
    int *start = (int *)keel_work_doubles(w, (size_t)m->k / 2 + 1), count = 0;
    int *column = (int *)keel_work_doubles(w, (size_t)all->nnz / 2 + 1);
    for (int i = 0; i < m->k; i++) {
        if (start) start[i] = count;
        for (int e = all->row_start[i]; e < all->row_start[i + 1]; e++) {
            if (all->column[e] < m->nq) continue;
            if (column) column[count] = all->column[e] - m->nq;
            count++;
        }
    }
    if (start) start[m->k] = count;
    m->bent = (keel_pattern){count, start, column};
    m->bent_rows = keel_work_doubles(w, (size_t)m->s * (size_t)count);
    m->velocity = keel_work_doubles(w, (size_t)all->nnz);
}

void lobatto_layout(const keel_problem *p, keel_work *w, int stages) {
    struct lobatto *m = w->method;
    size_t nq = (size_t)p->n / 2, k = (size_t)p->constraint.count, width = (size_t)w->width;
    m->of_mechanics = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    int sparse = keel_native_sparse(w);
    size_t s = (size_t)stages, rows = (s - 1) * k, entries = sparse ? keel_native_rows_doubles(w) : k * nq;
    m->s = stages;
    m->nq = (int)nq;
    m->k = (int)k;
    implicit_table_fill(&m->a, IMPLICIT_LOBATTO_3A, m->s);
    implicit_table_fill(&m->d, IMPLICIT_LOBATTO_3B, m->s);
    for (int i = 0; i < m->s; i++)
        for (int l = 0; l < m->s; l++) {
            m->product[i][l] = 0;
            for (int j = 0; j < m->s; j++) m->product[i][l] += m->a.a[i][j] * m->d.a[j][l];
        }
    m->dq = keel_work_doubles(w, s * nq);
    m->dp = keel_work_doubles(w, s * nq);
    m->speed = keel_work_doubles(w, s * nq);
    m->push = keel_work_doubles(w, s * nq);
    m->impulse = keel_work_doubles(w, s * nq);
    m->sums = keel_work_doubles(w, s * nq);
    m->entries = (long)entries;
    m->g_rows = keel_work_doubles(w, s * entries);
    m->n_rows = keel_work_doubles(w, sparse ? 0 : s * entries);
    m->mu = keel_work_doubles(w, s * k);
    m->old = keel_work_doubles(w, 2 * s * nq);
    m->slope = keel_work_doubles(w, m->of_mechanics || sparse ? 0 : nq * nq);
    m->shifted = keel_work_doubles(w, sparse ? 0 : k * nq);
    m->value = keel_work_doubles(w, rows);
    m->matrix = keel_work_doubles(w, sparse ? 0 : rows * rows);
    m->pivot = keel_work_doubles(w, rows);
    m->x = keel_work_doubles(w, width);
    m->gradient = keel_work_doubles(w, width);
    m->beside = keel_work_doubles(w, width);
    m->next = keel_work_doubles(w, width);
    m->system = NULL;
    m->by_slopes = sparse && !m->of_mechanics;
    if (m->by_slopes) lay_out_slopes(p, w);
    if (sparse && k) lay_out_system(p, w);
}

/* H_p and, unless NULL, -H_q at (t, x). */
static keel_status rates(keel_work *w, double t, const double *x, double *speed, double *push) {
    struct lobatto *m = w->method;
    int nq = m->nq, mechanics = m->of_mechanics;
    keel_status status = KEEL_OK;
    if (mechanics) memcpy(speed, x + nq, (size_t)nq * sizeof *x);
    if (mechanics && !push) return KEEL_OK;
    w->calls++;
    if (mechanics) {
        status = keel_native_value(w, KEEL_MAP_F, t, x, push);
        keel_native_mass_solve(w, NULL, push); /* M is constant */
        return status;
    }
    status = keel_native_jacobian(w, KEEL_MAP_ENERGY, t, x, 0, m->gradient);
    memcpy(speed, m->gradient + nq, (size_t)nq * sizeof *x);
    for (int j = 0; j < nq && push; j++) push[j] = -m->gradient[j];
    return status;
}

/* G and N G^T at the position of x, as the rows of stage i. */
static keel_status rows_at(keel_work *w, int i, double t, const double *x) {
    struct lobatto *m = w->method;
    double *g = m->g_rows + i * m->entries, *n = m->n_rows + i * m->entries;
    if (m->system) {
        keel_status status = keel_native_entries(w, KEEL_MAP_CONSTRAINT, t, x, g);
        keel_native_rows_silence(w, g);
        return status;
    }
    keel_status status = m->k ? keel_native_jacobian(w, KEEL_MAP_CONSTRAINT, t, x, 0, g) : KEEL_OK;
    if (status != KEEL_OK) return status;
    memcpy(n, g, (size_t)m->entries * sizeof *g);
    for (int r = 0; r < m->k; r++) keel_native_mass_solve(w, NULL, n + (long)r * m->nq);
    return KEEL_OK;
}

/* G H_pp of stage i at (t, x). */
static keel_status slopes_at(keel_work *w, int i, double t, const double *x) {
    struct lobatto *m = w->method;
    if (!m->by_slopes) return KEEL_OK;
    const keel_pattern *all = w->native->problem->velocity.pattern;
    double *out = m->bent_rows + (long)i * m->bent.nnz;
    keel_status status = keel_native_entries(w, KEEL_MAP_VELOCITY, t, x, m->velocity);
    for (int e = 0; e < all->nnz; e++)
        if (all->column[e] >= m->nq) *out++ = m->velocity[e];
    return status;
}

/* H_pp by differences, from the speed of the first stage on.  It steers the iteration and nothing else;
 * without constraints it stays 0. */
static keel_status find_slope(keel_work *w, double t, const double *x) {
    struct lobatto *m = w->method;
    int nq = m->nq;
    double largest = 0;
    if (m->of_mechanics || m->by_slopes || m->k == 0) return KEEL_OK;
    for (int j = nq; j < 2 * nq; j++) largest = fmax(largest, fabs(x[j]));
    double length = sqrt(DBL_EPSILON) * (largest > 0 ? largest : 1);
    memcpy(m->x, x, (size_t)w->width * sizeof *x);
    keel_status status = KEEL_OK;
    for (int c = 0; c < nq && status == KEEL_OK; c++) {
        m->x[nq + c] = x[nq + c] + length;
        status = rates(w, t, m->x, m->beside, NULL);
        m->x[nq + c] = x[nq + c];
        for (int r = 0; r < nq; r++) m->slope[(long)r * nq + c] = (m->beside[r] - m->speed[r]) / length;
    }
    return status;
}

/* out = H_pp in. */
static void apply_slope(const struct lobatto *m, const double *in, double *out) {
    int nq = m->nq;
    if (m->of_mechanics) {
        memcpy(out, in, (size_t)nq * sizeof *out);
        return;
    }
    for (int i = 0; i < nq; i++) {
        out[i] = 0;
        for (int j = 0; j < nq; j++) out[i] += m->slope[(long)i * nq + j] * in[j];
    }
}

static keel_status no_positions(keel_work *w, double t) {
    return keel_native_fail(w, KEEL_ENEWTON,
                            "%s: no stages on the constraints were found from t = %.10g; try a smaller step",
                            w->stepper->info.name, t);
}

/* Block (i,l) := factor G_i H_pp N G_l^T in a matrix of `order` columns; redundant rows stand aside. */
static void fill_block(const keel_work *w, int i, int l, double factor, int order, double *block) {
    struct lobatto *m = w->method;
    const int *active = w->native->active;
    int nq = m->nq, k = m->k, same = i == l + 1 || order == k;
    for (int c = 0; c < k; c++) {
        double *shifted = m->shifted + (long)c * nq;
        apply_slope(m, m->n_rows + ((long)l * k + c) * nq, shifted);
        for (int r = 0; r < k; r++) {
            const double *g = m->g_rows + ((long)i * k + r) * nq;
            double sum = 0;
            for (int j = 0; j < nq; j++) sum += g[j] * shifted[j];
            block[(long)r * order + c] = active[r] && active[c] ? factor * sum : same && r == c;
        }
    }
}

/* The impulses -h H_q - N G^T mu of the stages; mu_s is not known yet. */
static void find_impulses(const keel_work *w, double h) {
    struct lobatto *m = w->method;
    int nq = m->nq, k = m->k;
    for (int j = 0; j < m->s; j++) {
        double *impulse = m->impulse + (long)j * nq;
        for (int c = 0; c < nq; c++) impulse[c] = h * m->push[(long)j * nq + c];
        if (m->system && j < m->s - 1) {
            memset(m->beside, 0, (size_t)nq * sizeof *m->beside);
            keel_native_rows_subtract(w, m->g_rows + j * m->entries, k, m->mu + (long)j * k, m->beside);
            keel_native_mass_solve(w, NULL, m->beside);
            for (int c = 0; c < nq; c++) impulse[c] += m->beside[c];
        }
        for (int r = 0; r < k && j < m->s - 1 && !m->system; r++) {
            const double *n = m->n_rows + ((long)j * k + r) * nq;
            double mu = m->mu[(long)j * k + r];
            for (int c = 0; c < nq; c++) impulse[c] -= n[c] * mu;
        }
    }
}

static void place(const keel_work *w, const keel_attempt *a, int i) {
    const struct lobatto *m = w->method;
    for (int c = 0; c < m->nq; c++) {
        m->x[c] = a->x[c] + m->dq[(long)i * m->nq + c];
        m->x[m->nq + c] = a->x[m->nq + c] + m->dp[(long)i * m->nq + c];
    }
}

/* P_i, then Q_i, from the rates of the last round; speeds follow P by H_pp, or are those of the P_i. */
static keel_status form_stages(keel_work *w, const keel_attempt *a) {
    struct lobatto *m = w->method;
    int s = m->s, nq = m->nq;
    double h = a->h;
    keel_status status = KEEL_OK;
    find_impulses(w, h);
    stage_sums(m->d.of_stage, s, s, nq, m->impulse, m->sums);
    for (int i = 0; i < s; i++) {
        double *dp = m->dp + (long)i * nq, *now = m->sums + (long)i * nq;
        for (int c = 0; c < nq; c++) {
            m->beside[c] = now[c] - dp[c];
            dp[c] = now[c];
        }
        if (m->by_slopes) {
            place(w, a, i);
            if (status == KEEL_OK)
                status = rates(w, a->t + m->a.c[i] * h, m->x, m->speed + (long)i * nq, NULL);
            continue;
        }
        apply_slope(m, m->beside, m->next);
        for (int c = 0; c < nq; c++) m->speed[(long)i * nq + c] += m->next[c];
    }
    stage_sums(m->a.of_stage, s, s, nq, m->speed, m->dq); /* Q_1 = q: the first row of a is 0 */
    for (long c = 0; c < (long)s * nq; c++) m->dq[c] *= h;
    return status;
}

/* value := the dmu of these g(Q_2), ..., g(Q_s). */
static keel_status solve_system(keel_work *w, const keel_attempt *a) {
    struct lobatto *m = w->method;
    const double *mass = keel_native_mass_entries(w);
    int steps = m->s - 1, nq = m->nq, k = m->k, part = nq + k, count = 0;
    keel_system_value value[KEEL_SYSTEM_BLOCKS];
    for (int r = 0; r < k; r++) m->aside[r] = !w->native->active[r];
    for (int l = 0; l < steps; l++) {
        value[count++] = (keel_system_value){1, 0, mass};
        value[count++] = (keel_system_value){-1, 0, m->g_rows + l * m->entries};
        value[count++] = (keel_system_value){1, 0, m->aside};
        for (int i = 0; i < steps; i++)
            value[count++] = (keel_system_value){a->h * m->product[i + 1][l], 0,
                                                 m->by_slopes ? m->bent_rows + (long)(i + 1) * m->bent.nnz
                                                              : m->g_rows + (i + 1) * m->entries};
    }
    keel_status status = keel_system_factor(w, m->system, 0, value);
    keel_work_count(w, 1, 0);
    if (status != KEEL_OK) return status == KEEL_RETRY ? no_positions(w, a->t) : status;
    memset(m->found, 0, (size_t)steps * (size_t)part * sizeof *m->found);
    for (int i = 0; i < steps; i++)
        memcpy(m->found + (long)i * part + nq, m->value + (long)i * k, (size_t)k * sizeof *m->value);
    keel_system_solve(w, m->system, 0, m->found, NULL);
    for (int i = 0; i < steps; i++)
        memcpy(m->value + (long)i * k, m->found + (long)i * part + nq, (size_t)k * sizeof *m->value);
    return KEEL_OK;
}

static keel_status solve_dense(keel_work *w, const keel_attempt *a) {
    struct lobatto *m = w->method;
    int k = m->k, rows = (m->s - 1) * k;
    for (int i = 1; i < m->s; i++)
        for (int l = 0; l < m->s - 1; l++)
            fill_block(w, i, l, a->h * m->product[i][l], rows,
                       m->matrix + (long)(i - 1) * k * rows + (long)l * k);
    if (dense_lu(rows, m->matrix, (int *)m->pivot, w->halt)) return no_positions(w, a->t);
    dense_lu_solve(rows, m->matrix, (int *)m->pivot, m->value);
    return KEEL_OK;
}

/* One Newton step of mu_1 ... mu_{s-1} for g(Q_2) = ... = g(Q_s) = 0; stages are formed anew. */
static keel_status correct(keel_work *w, const keel_attempt *a) {
    struct lobatto *m = w->method;
    const int *active = w->native->active;
    int k = m->k, rows = (m->s - 1) * k;
    if (k == 0) return KEEL_OK;
    for (int i = 1; i < m->s; i++) {
        double t = a->t + m->a.c[i] * a->h;
        place(w, a, i);
        keel_status status = keel_native_value(w, KEEL_MAP_CONSTRAINT, t, m->x, m->value + (long)(i - 1) * k);
        if (status == KEEL_OK) status = rows_at(w, i, t, m->x);
        if (status == KEEL_OK) status = slopes_at(w, i, t, m->x);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < rows; i++)
        if (!active[i % k]) m->value[i] = 0;
    keel_status status = m->system ? solve_system(w, a) : solve_dense(w, a);
    if (status != KEEL_OK) return status;
    keel_work_count(w, 0, 1);
    for (int i = 0; i < rows; i++) m->mu[i] += m->value[i];
    return form_stages(w, a);
}

/* The largest change of dq against the size of q, and of dp against that of p, in the last round. */
static void changes(const struct lobatto *m, const keel_attempt *a, double change[2]) {
    int nq = m->nq, count = m->s * nq;
    for (int part = 0; part < 2; part++) {
        const double *now = part ? m->dp : m->dq, *old = m->old + (long)part * count;
        double size = DBL_MIN, worst = 0;
        for (int c = 0; c < nq; c++) size = fmax(size, fabs(a->x[part * nq + c]));
        for (int c = 0; c < count; c++) size = fmax(size, fmax(fabs(now[c]), fabs(old[c])));
        for (int c = 0; c < nq; c++) size = fmax(size, fabs(a->h * (part ? m->push : m->speed)[c]));
        for (int c = 0; c < count; c++) worst = fmax(worst, fabs(now[c] - old[c]));
        change[part] = isfinite(now[count - 1]) ? worst / size : HUGE_VAL;
    }
}

static keel_status begin(keel_work *w, const keel_attempt *a) {
    struct lobatto *m = w->method;
    size_t nq = (size_t)m->nq, count = (size_t)m->s * nq;
    keel_status status = keel_native_mass_factor(w, a->t, a->x, NULL);
    if (status == KEEL_OK) status = rates(w, a->t, a->x, m->speed, m->push);
    if (status == KEEL_OK) status = rows_at(w, 0, a->t, a->x);
    if (status == KEEL_OK) status = find_slope(w, a->t, a->x);
    for (int i = 1; i < m->s; i++) {
        memcpy(m->speed + (size_t)i * nq, m->speed, nq * sizeof *m->speed);
        memcpy(m->push + (size_t)i * nq, m->push, nq * sizeof *m->push);
    }
    memset(m->mu, 0, (size_t)m->s * (size_t)m->k * sizeof *m->mu);
    double *later = m->system ? m->g_rows : m->n_rows; /* of the stages after the first; mu is 0 */
    memset(later + m->entries, 0, (size_t)m->entries * (size_t)(m->s - 1) * sizeof *later);
    memset(m->dq, 0, count * sizeof *m->dq);
    memset(m->dp, 0, count * sizeof *m->dp);
    return status == KEEL_OK ? form_stages(w, a) : status;
}

/* Until nothing is gained.  The multipliers carry round-off over h, so p settles before q does, at more. */
static keel_status solve_stages(keel_work *w, const keel_attempt *a) {
    enum { ROUNDS = 80 };
    struct lobatto *m = w->method;
    size_t count = (size_t)m->s * (size_t)m->nq;
    double least = HUGE_VAL, change[2];
    int idle = 0;
    keel_status status = begin(w, a);
    if (status != KEEL_OK) return status;
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(m->old, m->dq, count * sizeof *m->dq);
        memcpy(m->old + count, m->dp, count * sizeof *m->dp);
        for (int i = 0; i < m->s && round && status == KEEL_OK; i++) {
            place(w, a, i);
            status = rates(w, a->t + m->a.c[i] * a->h, m->x, m->speed + (long)i * m->nq,
                           m->push + (long)i * m->nq);
        }
        if (status == KEEL_OK && round) status = form_stages(w, a);
        if (status == KEEL_OK) status = correct(w, a);
        if (status == KEEL_RETRY && idle)
            break; /* it has run off: the place says nothing about the problem */
        if (status != KEEL_OK) return status;
        changes(m, a, change);
        double now = fmax(change[0], change[1]);
        if (!(now < 1e6)) break;
        idle = now >= least ? idle + 1 : 0;
        if (round) least = fmin(least, now);
        if (round && (now == 0 || (idle && change[0] < 64 * DBL_EPSILON) || (idle > 2 && change[0] < 1e-9)))
            return KEEL_OK;
    }
    return no_positions(w, a->t);
}

/* G(q_1) H_pp N G(q_1)^T at (t, m->x). */
static keel_status factor_speed(keel_work *w, const keel_attempt *a, double t) {
    struct lobatto *m = w->method;
    int last = m->s - 1;
    if (m->system) return keel_native_factor(w, t, m->x);
    fill_block(w, last, last, 1, m->k, m->matrix);
    return dense_lu(m->k, m->matrix, (int *)m->pivot, w->halt) ? no_positions(w, a->t) : KEEL_OK;
}

/* shift := N G^T of what these factors make of m->value */
static void find_shift(keel_work *w, double *shift) {
    struct lobatto *m = w->method;
    int nq = m->nq, k = m->k, last = m->s - 1;
    if (m->system) {
        keel_native_correct(w, m->value, shift);
        return;
    }
    dense_lu_solve(k, m->matrix, (int *)m->pivot, m->value);
    for (int c = 0; c < nq; c++) {
        shift[c] = 0;
        for (int r = 0; r < k; r++) shift[c] += m->n_rows[((long)last * k + r) * nq + c] * m->value[r];
    }
}

/* mu_s such that G(q_1) H_p(q_1,p_1) + g_t = 0, in gain: p_1 - p. */
static keel_status solve_speed(keel_work *w, const keel_attempt *a, double *gain) {
    struct lobatto *m = w->method;
    const int *active = w->native->active;
    int nq = m->nq, k = m->k, last = m->s - 1;
    double t = a->t + a->h, before = HUGE_VAL, *g_t = m->mu + (long)last * k, *shift = m->beside;
    keel_status status = KEEL_OK;
    if (k == 0) return KEEL_OK;
    for (int c = 0; c < nq; c++) {
        m->x[c] = a->x[c] + m->dq[(long)last * nq + c];
        m->x[nq + c] = a->x[nq + c] + gain[c];
    }
    status = rows_at(w, last, t, m->x);
    if (status == KEEL_OK) status = keel_native_time_derivative(w, t, m->x, g_t);
    if (status == KEEL_OK) status = factor_speed(w, a, t);
    if (status != KEEL_OK) return status;
    for (int iteration = 0; iteration < 20; iteration++) {
        double largest = 0, size = DBL_MIN;
        for (int c = 0; c < nq; c++) m->x[nq + c] = a->x[nq + c] + gain[c];
        status = rates(w, t, m->x, m->next, NULL);
        if (status != KEEL_OK) return status;
        memcpy(m->value, g_t, (size_t)k * sizeof *g_t);
        keel_native_rows_add(w, m->g_rows + last * m->entries, k, m->next, m->value);
        for (int r = 0; r < k; r++)
            if (!active[r]) m->value[r] = 0;
        find_shift(w, shift);
        for (int c = 0; c < nq; c++) {
            gain[c] -= shift[c];
            largest = fmax(largest, fabs(shift[c]));
            size = fmax(size, fabs(m->x[nq + c]) + fabs(gain[c]));
        }
        if (largest <= DBL_EPSILON * size || (largest >= 0.5 * before && largest <= 1e-10 * size))
            return KEEL_OK;
        before = largest;
    }
    return no_positions(w, a->t);
}

keel_status lobatto_attempt(keel_work *w, keel_attempt *a) {
    struct lobatto *m = w->method;
    int nq = m->nq;
    keel_status status = solve_stages(w, a);
    if (status != KEEL_OK) return status;
    memcpy(a->dx, m->dq + (long)(m->s - 1) * nq, (size_t)nq * sizeof *a->dx);
    find_impulses(w, a->h);
    stage_sums(&m->a.of_end, 1, m->s, nq, m->impulse, a->dx + nq);
    return solve_speed(w, a, a->dx + nq);
}
