/* rattle.c - RATTLE and SHAKE for M v' = F(t,q) - G(t,q)^T lambda, 0 = g(t,q): symplectic, order 2.
 *
 *     v_half = v + h/2 M^-1 (F(q) - G(q)^T lambda),  q_1 = q + h v_half,  lambda such that g(q_1) = 0,
 *     v_1 = v_half + h/2 M^-1 F(q_1) - M^-1 G(q_1)^T mu,  mu such that G(q_1) v_1 + g_t = 0.
 *
 * SHAKE has the same positions, and the velocities v_1 = (q_2 - q) / 2h with q_2 the position after the next
 * step: they leave G v = 0 by O(h^2), along M^-1 G^T, which the two-form dq dp does not see.
 * For H(q,p) of any shape RATTLE is the Lobatto pair of two stages (lobatto.h).
 *
 * Newton runs on the h-scaled multipliers with the true matrix G(q_1) M^-1 G(q)^T.  Where matrices are sparse
 * it takes G(q) M^-1 G(q)^T, whose factors are those of the velocities of the step before: it contracts by
 * what a step turns.  Where that is slow, the true one is factored.  Ryckaert, Ciccotti,
 * Berendsen 1977; Andersen 1983; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4. */
#include <keel/native.h>

#include "linalg/dense.h"
#include "methods/composition.h"
#include "methods/lobatto.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUGH 1e-12 /* of the size of q: nearer than that, round-off may end the iteration */
#define SLOW 0.2    /* a contraction for which another sparse matrix pays */

struct rattle {
    struct lobatto pair; /* for canonical Hamiltonian problems; what follows is for mechanics */
    int of_mechanics;    /* x = (q, v), not (q, p) */
    int nq, k;
    int sparse;
    double *push; /* k x nq: rows M^-1 G(q)^T */
    double *g, *jacobian, *matrix, *change;
    double *shift; /* nq: of v_half, in a step of Newton's method */
    double *force; /* M^-1 F at q, then at q_1 */
    double *half;  /* v_half */
    double *gain;  /* what v has gained: sums of increments keep the bits that v itself would swallow */
    double *x_new; /* width */
    double *middle, *first; /* width, nq: SHAKE's q_1, and what v_half gained on the way to it */
    double *pivot;          /* k ints, kept as doubles' room */
};

static const char *refuse_shake(const keel_problem *p, const keel_options *o) {
    if (!(keel_problem_traits(p) & KEEL_SECOND_ORDER))
        return "it is for mechanics (a lagrangian, M v' = F - G^T lambda)";
    if (p->mass.value && !p->mass.constant)
        return "the mass matrix must be constant; use dop853, or any method that projects";
    return lobatto_refuse(p, o);
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct rattle *m = w->method;
    m->of_mechanics = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    if (!m->of_mechanics) {
        lobatto_layout(p, w, 2);
        return;
    }
    m->sparse = keel_native_sparse(w);
    size_t nq = (size_t)p->n / 2, k = (size_t)p->constraint.count, full = m->sparse ? 0 : k;
    m->nq = (int)nq;
    m->k = (int)k;
    m->push = keel_work_doubles(w, full * nq);
    m->g = keel_work_doubles(w, k);
    m->jacobian = keel_work_doubles(w, full * nq);
    m->matrix = keel_work_doubles(w, full * full);
    m->shift = keel_work_doubles(w, nq);
    m->change = keel_work_doubles(w, k);
    m->force = keel_work_doubles(w, nq);
    m->half = keel_work_doubles(w, nq);
    m->gain = keel_work_doubles(w, nq);
    m->x_new = keel_work_doubles(w, (size_t)w->width);
    m->middle = keel_work_doubles(w, (size_t)w->width);
    m->first = keel_work_doubles(w, nq);
    m->pivot = keel_work_doubles(w, k);
}

static keel_status acceleration(keel_work *w, double t, const double *x, double *force) {
    w->calls++;
    keel_status status = keel_native_value(w, KEEL_MAP_F, t, x, force);
    keel_native_mass_solve(w, NULL, force); /* M is constant */
    return status;
}

/* G(q_1) M^-1 G(q)^T; a redundant row and column stand aside. */
static void form_matrix(const keel_work *w) {
    const struct rattle *m = w->method;
    const int *active = w->native->active;
    int k = m->k, nq = m->nq;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int c = 0; c < nq; c++) sum += m->jacobian[(long)i * nq + c] * m->push[(long)j * nq + c];
            m->matrix[(long)i * k + j] = active[i] && active[j] ? sum : i == j;
        }
}

/* The matrix at q_1.  KEEL_ESINGULAR: it cannot be solved with. */
static keel_status factor_positions(keel_work *w, double t_new) {
    struct rattle *m = w->method;
    if (m->sparse) return keel_native_factor_oblique(w, t_new, m->x_new);
    keel_status status = keel_native_jacobian(w, KEEL_MAP_CONSTRAINT, t_new, m->x_new, 0, m->jacobian);
    if (status != KEEL_OK) return status;
    form_matrix(w);
    return dense_lu(m->k, m->matrix, (int *)m->pivot, w->halt) ? KEEL_ESINGULAR : KEEL_OK;
}

/* shift := M^-1 G(q)^T (G(q_1) M^-1 G(q)^T)^-1 g / h */
static void find_shift(keel_work *w, double h) {
    struct rattle *m = w->method;
    const int *active = w->native->active;
    int k = m->k, nq = m->nq;
    for (int i = 0; i < k; i++) m->change[i] = active[i] ? m->g[i] / h : 0;
    if (m->sparse) {
        keel_native_correct(w, m->change, m->shift);
        return;
    }
    dense_lu_solve(k, m->matrix, (int *)m->pivot, m->change);
    for (int j = 0; j < nq; j++) {
        m->shift[j] = 0;
        for (int i = 0; i < k; i++) m->shift[j] += m->push[(long)i * nq + j] * m->change[i];
    }
}

/* q_1 = q + h v_half with g(q_1) = 0 at t_new, v_half = v + gain moved along M^-1 G(q)^T. */
static keel_status solve_positions(keel_work *w, const keel_attempt *a, const double *q, double t_new) {
    struct rattle *m = w->method;
    int nq = m->nq, idle = 0, slow = 0;
    double before = HUGE_VAL, least = HUGE_VAL;
    for (int iteration = 0; iteration < 30; iteration++) {
        for (int j = 0; j < nq; j++) m->x_new[j] = q[j] + a->h * m->half[j];
        if (m->k == 0) return KEEL_OK;
        keel_status status = keel_native_value(w, KEEL_MAP_CONSTRAINT, t_new, m->x_new, m->g);
        int fresh = m->sparse ? slow : iteration < 2 || idle;
        if (status == KEEL_OK && fresh) status = factor_positions(w, t_new);
        if (status == KEEL_ESINGULAR) break;
        if (status != KEEL_OK) return status;
        find_shift(w, a->h);
        keel_work_count(w, 0, 1);
        double length = 0, largest = DBL_MIN;
        for (int j = 0; j < nq; j++) largest = fmax(largest, fabs(m->x_new[j]) + fabs(a->h * m->half[j]));
        for (int j = 0; j < nq; j++) {
            m->gain[j] -= m->shift[j];
            m->half[j] = a->x[nq + j] + m->gain[j];
            length = fmax(length, fabs(a->h * m->shift[j]) / largest);
        }
        if (!isfinite(length)) break;
        idle = length > 0.5 * least ? idle + 1 : 0; /* round-off may go round in a circle */
        least = fmin(least, length);
        slow = length > SLOW * before && length > ROUGH;
        if (length <= DBL_EPSILON || (idle >= 2 && length < ROUGH)) {
            for (int j = 0; j < nq; j++) m->x_new[j] = q[j] + a->h * m->half[j];
            return KEEL_OK;
        }
        before = length;
    }
    return keel_native_fail(w, KEEL_ENEWTON,
                            "%s: no position on the constraints was found from t = %.10g; try a smaller step",
                            w->stepper->info.name, a->t);
}

static keel_status solve_velocities(keel_work *w, const keel_attempt *a) {
    struct rattle *m = w->method;
    int nq = m->nq;
    double t_new = a->t + a->h, *v = m->x_new + nq;
    for (int j = 0; j < nq; j++) {
        m->gain[j] += 0.5 * a->h * m->force[j];
        v[j] = a->x[nq + j] + m->gain[j];
    }
    keel_status status = keel_native_factor(w, t_new, m->x_new);
    for (int iteration = 0; iteration < 2 && status == KEEL_OK && m->k; iteration++) {
        status = keel_native_velocity_rows(w, t_new, m->x_new, m->g);
        for (int i = 0; i < m->k; i++) m->g[i] = -m->g[i];
        keel_native_correct(w, m->g, m->force);
        for (int j = 0; j < nq; j++) {
            m->gain[j] += m->force[j];
            v[j] = a->x[nq + j] + m->gain[j];
        }
    }
    return status;
}

/* M^-1 G^T and M^-1 F at (t, x). */
static keel_status look_around(keel_work *w, double t, const double *x) {
    struct rattle *m = w->method;
    keel_status status = keel_native_factor(w, t, x);
    if (status == KEEL_OK) status = acceleration(w, t, x, m->force);
    if (status == KEEL_OK && !m->sparse) status = keel_native_rows(w, t, x, m->push);
    for (int i = 0; i < m->k && status == KEEL_OK && !m->sparse; i++)
        keel_native_mass_solve(w, NULL, m->push + (long)i * m->nq);
    return status;
}

/* From q on, with v_half = v + gain + share M^-1 F. */
static keel_status leap(keel_work *w, const keel_attempt *a, const double *q, double t, double share) {
    struct rattle *m = w->method;
    keel_status status = look_around(w, t, q);
    for (int j = 0; j < m->nq; j++) {
        m->gain[j] += share * m->force[j];
        m->half[j] = a->x[m->nq + j] + m->gain[j];
    }
    return status == KEEL_OK ? solve_positions(w, a, q, t + a->h) : status;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct rattle *m = w->method;
    int nq = m->nq;
    if (!m->of_mechanics) return lobatto_attempt(w, a);
    memset(m->gain, 0, (size_t)nq * sizeof *m->gain);
    keel_status status = leap(w, a, a->x, a->t, 0.5 * a->h);
    if (status == KEEL_OK) status = acceleration(w, a->t + a->h, m->x_new, m->force);
    if (status == KEEL_OK) status = solve_velocities(w, a);
    for (int j = 0; j < nq; j++) a->dx[j] = a->h * m->half[j];
    memcpy(a->dx + nq, m->gain, (size_t)nq * sizeof *m->gain);
    return status;
}

static keel_status attempt_shake(keel_work *w, keel_attempt *a) {
    struct rattle *m = w->method;
    int nq = m->nq;
    memset(m->gain, 0, (size_t)nq * sizeof *m->gain);
    keel_status status = leap(w, a, a->x, a->t, 0.5 * a->h);
    for (int j = 0; j < nq; j++) a->dx[j] = a->h * m->half[j];
    memcpy(m->first, m->gain, (size_t)nq * sizeof *m->gain);
    memcpy(m->middle, m->x_new, (size_t)nq * sizeof *m->x_new);
    memcpy(m->middle + nq, a->x + nq, (size_t)nq * sizeof *a->x);
    if (status == KEEL_OK) status = leap(w, a, m->middle, a->t + a->h, a->h);
    for (int j = 0; j < nq; j++) a->dx[nq + j] = 0.5 * (m->first[j] + m->gain[j]);
    return status;
}

#define TRAITS (KEEL_IMPLICIT | KEEL_SYMPLECTIC | KEEL_SYMMETRIC_STEP | KEEL_CONSTRAINED | KEEL_SPARSE)

const keel_stepper rattle_methods[] = {
    {
        .info = {.name = "rattle",
                 .about = "RATTLE: symplectic, keeps positions and velocities on the constraints",
                 .reference = "Andersen 1983; Hairer, Lubich, Wanner VII.1.4",
                 .order = 2,
                 .traits = TRAITS},
        .no_rhs = 1,
        .size = sizeof(struct rattle),
        .refuse = lobatto_refuse,
        .layout = layout,
        .attempt = attempt,
    },
    COMPOSITIONS("rattle", "RATTLE", TRAITS, rattle_methods[0], struct rattle, lobatto_refuse, "Reich 1996"),
    {
        .info = {.name = "shake",
                 .about = "SHAKE: symplectic, keeps positions on the constraints, velocities to O(h^2)",
                 .reference = "Ryckaert, Ciccotti, Berendsen 1977; Hairer, Lubich, Wanner VII.1.4",
                 .order = 2,
                 .traits = KEEL_IMPLICIT | KEEL_SYMPLECTIC | KEEL_AS_GIVEN | KEEL_SPARSE},
        .no_rhs = 1,
        .size = sizeof(struct rattle),
        .refuse = refuse_shake,
        .layout = layout,
        .attempt = attempt_shake,
    },
    {.info = {.name = NULL}},
};
