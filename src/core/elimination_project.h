/* elimination_project.h - the way of a short chain back to g = 0, K v = 0 and its energy, with its order of
 * elimination and all of its functions compiled in (core/elimination.h).
 *
 * The arithmetic is that of core/manifold_mass.c with core/manifold_sparse.c, and so are the bits: what is
 * not done in the usual number of steps is left to these, and x stands.  A compiled model has this header as
 * text behind core/mechanism.h. */
#ifndef KEEL_CORE_ELIMINATION_PROJECT_H
#define KEEL_CORE_ELIMINATION_PROJECT_H

#include "core/elimination.h"
#include "core/mechanism.h"

/* What a compiled model instantiates: */

struct elimination_workspace;
struct keel_restoration_state;

/* Sizes and functions, all constants. */
struct elimination_model {
    int nq, k, entries, energy; /* energy: 1, or there is none */
    const int *start, *column;  /* of the rows of K in their own order: k + 1, entries */
    keel_fn *rows, *constraint, *terms, *value, *gradient, *value_terms;
    /* elimination_factor, elimination_correct and elimination_tangent with it: needed in several places */
    int (*factor)(const struct elimination_workspace *w, struct keel_restoration_state *e, double t,
                  void *user);
    void (*correct)(const struct elimination_workspace *w, struct keel_restoration_state *e, const double *c,
                    double *half);
    void (*tangent)(const struct elimination_workspace *w, const struct keel_restoration_state *e,
                    double *half, double *dual);
};

/* Locals of constant size; from b on those of a struct schur_sweep. */
struct elimination_workspace {
    double *x, *residual, *size, *k, *at, *c, *mu, *d;
    double *b, *inverse, *joint, *work, *lack, *r;
};

/* The numbers of a solver that it reads and changes. */
struct keel_restoration_state {
    const double *weight, *entry_weight; /* as in accelerations */
    const int *active;
    int energy;                 /* is it kept? */
    const double *reference;    /* of all rows: constraints, their d/dt, energy */
    double *size, *residual;    /* of these */
    double *gradient;           /* of the energy */
    const double *largest;      /* n: sizes of the states so far */
    const double *inverse_mass; /* 1 / sqrt(M_jj) */
    double tau, units, nearly;
    double *tangent, *dual, *direction; /* of the energy: both halves, padded, twice; n */
    double *part, *inverse_left;
    int *used;
    /* After it, the factorization of the core: K's entries, where it was made, t and q, and its numbers. */
    double *k, *at;
    const struct schur_sweep *factored;
    long factorizations, schur, jacobians, newton;
};

/* K at w->x, factored. */
static inline int elimination_factor(const struct elimination_model *m, const struct schur_sweep *s,
                                     const struct elimination_workspace *w, struct keel_restoration_state *e,
                                     double t, void *user) {
    m->rows(t, w->x, w->k, user);
    schur_copy(m->entries, w->k, s->b);
    for (int i = 0; i < m->entries && e->weight; i++) s->b[i] *= e->entry_weight[i];
    schur_copy(m->nq, w->x, w->at);
    e->factorizations++;
    e->schur++;
    e->jacobians++;
    return schur_sweep_factor(s, w->d, e->active);
}

/* half -= the shortest d with K d = c. */
static inline void elimination_correct(const struct elimination_model *m, const struct schur_sweep *s,
                                       const struct elimination_workspace *w,
                                       struct keel_restoration_state *e, const double *c, double *half) {
    schur_negate(s->k, c, w->c);
    schur_clear(m->nq, w->d);
    schur_sweep_miss(s, w->d, w->c, 1);
    schur_sweep_return(s, w->d, w->mu, 1);
    for (int j = 0; j < m->nq && e->weight; j++) w->d[j] *= e->weight[j];
    schur_add(m->nq, 1, w->d, half);
    e->newton++;
}

/* One half of a gradient becomes its tangent direction; dual: the half less K^T mu. */
static inline void elimination_tangent(const struct elimination_model *m, const struct schur_sweep *s,
                                       const struct elimination_workspace *w,
                                       const struct keel_restoration_state *e, double *half, double *dual) {
    int pulls = 0;
    schur_copy(m->nq, half, dual);
    schur_clear(s->k, w->c);
    for (int j = 0; j < m->nq && e->weight; j++) half[j] *= e->weight[j];
    schur_sweep_solve_exactly(s, m->nq, half, w->c, w->mu);
    for (int j = 0; j < m->nq && e->weight; j++) half[j] *= e->weight[j];
    for (int i = 0; i < s->k; i++) {
        w->mu[i] = -w->mu[i];
        pulls |= w->mu[i] != 0;
    }
    for (int i = 0; i < s->k && pulls; i++)
        for (int at = m->start[i]; at < m->start[i + 1]; at++) dual[s->column[at]] += w->k[at] * w->mu[i];
}

/* Are residuals certainly within so many units? */
static inline int elimination_within(int count, const double *residual, const double *size, double units) {
    int off = 0;
    for (int i = 0; i < count; i++) off |= !project_within(residual[i], size[i], units);
    return !off;
}

/* Are they within them, or all zero?  The quotients decide where products do not. */
static inline int elimination_holds(int count, const double *residual, const double *size, double units) {
    int off = 0;
    for (int i = 0; i < count && units == 0; i++) off |= !(residual[i] == 0);
    if (units == 0) return !off;
    return elimination_within(count, residual, size, units) ||
           mechanism_worst(count, residual, size) <= units;
}

/* The sizes of constraints and of their d/dt at the place that is factored. */
static inline void elimination_grow(const struct elimination_model *m, const struct elimination_workspace *w,
                                    double t, void *user) {
    const double *v = w->x + m->nq;
    schur_clear(m->k, w->c);
    if (m->terms) m->terms(t, w->x, w->c, user);
    for (int i = 0; i < m->k; i++) {
        double of_q = 0, of_v = 0;
        for (int e = m->start[i]; e < m->start[i + 1]; e++) {
            of_q += __builtin_fabs(w->k[e] * w->x[m->column[e]]);
            of_v += __builtin_fabs(w->k[e] * v[m->column[e]]);
        }
        of_q += __builtin_fabs(w->c[i]);
        of_v = 2 * of_v;
        if (of_q > w->size[i]) w->size[i] = of_q;
        if (of_v > w->size[m->k + i]) w->size[m->k + i] = of_v;
    }
}

static inline int elimination_positions(const struct elimination_model *m,
                                        const struct elimination_workspace *w,
                                        struct keel_restoration_state *e, double t, double leave,
                                        void *user) {
    enum { MOST = 6 };
    double before = __builtin_inf();
    for (int iteration = 0; iteration < MOST; iteration++) {
        m->constraint(t, w->x, w->residual, user);
        if (elimination_within(m->k, w->residual, w->size, iteration ? e->units : leave)) return 0;
        double worst = mechanism_worst(m->k, w->residual, w->size);
        if (worst <= (iteration ? e->units : leave)) return 0;
        if (!(worst <= 0.1 * before)) return 1; /* a new factorization, or the end of what can be done */
        before = worst;
        m->correct(w, e, w->residual, w->x);
    }
    return 1;
}

/* K is that of x. */
static inline int elimination_velocities(const struct elimination_model *m,
                                         const struct elimination_workspace *w,
                                         struct keel_restoration_state *e, double t, double leave,
                                         void *user) {
    enum { MOST = 3 };
    double *speed = w->residual + m->k, *v = w->x + m->nq;
    if (__builtin_memcmp(w->at, w->x, (size_t)m->nq * sizeof *w->x) && m->factor(w, e, t, user)) return 1;
    for (int iteration = 0; iteration < MOST; iteration++) {
        for (int i = 0; i < m->k; i++)
            speed[i] =
                schur_product(m->start[i + 1] - m->start[i], w->k + m->start[i], m->column + m->start[i], v) +
                0.0;
        if (elimination_holds(m->k, speed, w->size + m->k, iteration ? e->units : leave)) return 0;
        m->correct(w, e, speed, v);
    }
    return 1;
}

/* The direction of the energy along the constraints, and its size. */
static inline void elimination_border(const struct elimination_model *m,
                                      const struct elimination_workspace *w, struct keel_restoration_state *e,
                                      double t, void *user) {
    int nq = m->nq, n = 2 * nq, half = (nq + 3) / 4 * 4, row = 2 * m->k;
    double whole = 0, *a = e->tangent, *dual = e->dual;
    m->gradient(t, w->x, e->gradient, user);
    double size = project_terms(n, __builtin_fabs(e->reference[row]), e->gradient, w->x);
    double least = PROJECT_ROUNDED * project_terms(n, 0, e->gradient, e->largest);
    size = size > least ? size : least;
    w->c[0] = 0;
    if (m->value_terms) m->value_terms(t, w->x, w->c, user);
    size += __builtin_fabs(w->c[0]);
    if (size > w->size[row]) w->size[row] = size;
    schur_clear(2 * half, a);
    schur_clear(2 * half, dual);
    schur_copy(nq, e->gradient, a);
    schur_divide_by(nq, e->tau, e->gradient + nq, a + half);
    for (int part = 0; part < 2; part++) {
        schur_multiply(nq, a + part * half, e->inverse_mass, dual);
        whole += project_dot(nq, dual, dual);
    }
    m->tangent(w, e, a, dual);
    m->tangent(w, e, a + half, dual + half);
    double left = project_dot(2 * half, dual, a);
    *e->used = left > 0 && left >= MANIFOLD_DEPENDENT * MANIFOLD_DEPENDENT * whole;
    *e->inverse_left = *e->used ? 1 / left : 0;
    e->jacobians++;
    e->factorizations++;
}

/* One step for the energy. */
static inline int elimination_energy(const struct elimination_model *m, const struct elimination_workspace *w,
                                     struct keel_restoration_state *e, double t, void *user) {
    int nq = m->nq, n = 2 * nq, half = (nq + 3) / 4 * 4, row = 2 * m->k;
    double *direction = e->direction, slope = 1;
    elimination_border(m, w, e, t, user);
    schur_copy(nq, e->tangent, direction);
    schur_divide_by(nq, e->tau, e->tangent + half, direction + nq);
    *e->part = *e->used;
    if (*e->used && !(project_in_units(w->residual[row], w->size[row]) > e->units))
        *e->part = mechanism_part(n, direction, e->largest, 1 / *e->inverse_left, w->size[row], e->nearly);
    if (*e->used) slope = project_dot(n, e->gradient, direction);
    if (!(__builtin_fabs(slope) > 0)) return 1;
    double way = -w->residual[row] * *e->part / slope;
    if (way != 0) schur_add(n, way, direction, w->x);
    if (*e->part < 1) *e->inverse_left = 0; /* errors along it stay: they count in full */
    e->newton++;
    return 0;
}

static inline int elimination_sweeps(const struct elimination_model *m, const struct elimination_workspace *w,
                                     struct keel_restoration_state *e, double t, void *user) {
    enum { MOST = 6 };
    int row = 2 * m->k;
    double before = __builtin_inf();
    if (m->factor(w, e, t, user)) return 1;
    elimination_grow(m, w, t, user);
    for (int sweep = 0; sweep < MOST; sweep++) {
        double leave = sweep ? e->units : 0;
        if (elimination_positions(m, w, e, t, sweep ? schur_larger(leave, 1) : 0, user)) return 1;
        if (elimination_velocities(m, w, e, t, leave, user)) return 1;
        if (!e->energy) return 0;
        m->value(t, w->x, w->residual + row, user);
        w->residual[row] -= e->reference[row];
        /* the energy's size is not known before its gradient is */
        if (sweep && elimination_within(row + 1, w->residual, w->size, e->units)) return 0;
        double worst = sweep ? mechanism_worst(row + 1, w->residual, w->size) : __builtin_inf();
        if (worst <= e->units) return 0;
        if (sweep && !(worst <= 0.5 * before)) return 1;
        before = worst;
        if (elimination_energy(m, w, e, t, user)) return 1;
    }
    return 1;
}

/* x is brought to the manifold, and the factorization there to the core; or both stay as they are. */
static inline int elimination_project(const struct elimination_model *m,
                                      const struct elimination_workspace *w, struct keel_restoration_state *e,
                                      double t, double *x, void *user) {
    int n = 2 * m->nq, rows = 2 * m->k + e->energy;
    schur_copy(n, x, w->x);
    schur_copy(rows, e->size, w->size);
    if (elimination_sweeps(m, w, e, t, user)) return 1;
    if (!schur_finite(n, w->x) || !schur_finite(rows, w->size)) return 1;
    schur_copy(n, w->x, x);
    schur_copy(rows, w->size, e->size);
    schur_copy(rows, w->residual, e->residual);
    schur_copy(m->entries, w->k, e->k);
    schur_copy(m->entries, w->b, e->factored->b);
    schur_copy(m->k, w->inverse, e->factored->inverse);
    schur_copy(m->k, w->joint, e->factored->joint);
    e->at[0] = t;
    schur_copy(m->nq, w->at, e->at + 1);
    return 0;
}
#endif
