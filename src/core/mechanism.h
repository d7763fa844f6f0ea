/* mechanism.h - mechanics of few coordinates: the accelerations of M v' = F - K^T lambda, K v' = -gamma, and
 * the way back to g = 0, K v + g_t = 0 and the invariants.
 *
 * The first part is the arithmetic that core/mechanics.c and core/manifold_mass.c have with the sizes of a
 * solver.  The second is what a compiled model makes of it, with constant sizes and its own M, F, K and gamma
 * inlined; it has this header as text after core/project.h.  Both give the same bits: what the second does
 * not do in the usual number of steps it leaves to the first. */
#ifndef KEEL_CORE_MECHANISM_H
#define KEEL_CORE_MECHANISM_H

#include "core/mechanism_calls.h"
#include "core/project.h"
#include "linalg/small.h"

/* So near, in sizes of the coordinates, that K there has six digits of the factored one. */
#define MECHANISM_NEAR 1e-6

#ifndef KEEL_LANES
static inline int mechanism_near(int nq, const double *at, const double *q, const double *largest) {
    for (int j = 0; j < nq; j++)
        if (!(__builtin_fabs(q[j] - at[j]) <= MECHANISM_NEAR * largest[j])) return 0;
    return 1;
}
#endif

/* Row i of K L^-T, padded with zeros; mass: L, NULL for a unit matrix. */
static inline void mechanism_row(struct rowspace *s, int i, int nq, const keel_real *row, const int *first,
                                 const keel_real *mass) {
    keel_real *b = s->q + (long)i * s->width;
    for (int j = 0; j < nq; j++) b[j] = row[j];
    for (int j = nq; j < s->width; j++) b[j] = keel_lift(0.0);
    if (mass) small_lower_solve(nq, first, mass, b);
    rowspace_join(s->width, b);
}

/* force: F, then v'; with B = K L^-T = R Q, D = diag |q_i|^2 and z = L^-1 F
 *     lambda = R^-T D^-1 (Q z + R^-1 gamma),   v' = L^-T (z - Q^T D^-1 (Q z + R^-1 gamma)). */
static inline void mechanism_accelerate(int nq, const int *first, const keel_real *mass,
                                        const struct rowspace *s, const keel_real *gamma, keel_real *force,
                                        keel_real *lambda, keel_real *z, keel_real *weighted) {
    if (mass) small_lower_solve(nq, first, mass, force);
    if (s->rows) {
        rowspace_join(s->width, force);
        rowspace_coordinates(s, gamma, z);
        rowspace_components(s, force, lambda);
        for (int i = 0; i < s->rows; i++) lambda[i] += z[i];
        rowspace_combination(s, lambda, weighted);
        for (int j = 0; j < nq; j++) force[j] -= weighted[j];
        rowspace_coefficients(s, lambda);
    }
    if (mass) small_lower_t_solve(nq, first, mass, force);
}

/* K v + g_t */
static inline void mechanism_speeds(int nq, int rows, const keel_real *k, const keel_real *shift,
                                    const keel_real *v, keel_real *out) {
    for (int i = 0; i < rows; i++) {
        keel_real sum = shift[i];
        for (int j = 0; j < nq; j++) sum += k[(long)i * nq + j] * v[j];
        out[i] = sum;
    }
}

/* The sizes of a constraint and of its d/dt: terms |K q| and |K v|, each in value and derivative. */
static inline void mechanism_sizes(int nq, const keel_real *row, keel_real shift, keel_real t,
                                   keel_real terms, const keel_real *x, keel_real *position,
                                   keel_real *velocity) {
    keel_real of_q = keel_lift(0.0), of_v = keel_lift(0.0);
    for (int j = 0; j < nq; j++) {
        of_q += keel_abs(row[j] * x[j]);
        of_v += keel_abs(row[j] * x[nq + j]);
    }
    *velocity = 2.0 * of_v + keel_abs(shift);
    *position = of_q + (keel_abs(shift * t) + keel_abs(terms));
}

/* Row i of s: the gradient of an invariant in lengths, freed of what the rows of K span. */
static inline void mechanism_border(int nq, const int *first, const keel_real *mass,
                                    const struct rowspace *k_space, struct rowspace *s, int i,
                                    const keel_real *gradient, keel_real tau, keel_real *floor_of) {
    int half = k_space->width;
    keel_real *b = s->q + (long)i * s->width, whole = keel_lift(0.0), left = keel_lift(0.0);
    for (int j = 0; j < s->width; j++) b[j] = keel_lift(0.0);
    for (int j = 0; j < nq; j++) b[j] = gradient[j];
    for (int j = 0; j < nq; j++) b[half + j] = gradient[nq + j] / tau;
    if (mass) small_lower_solve(nq, first, mass, b);
    if (mass) small_lower_solve(nq, first, mass, b + half);
    for (int j = 0; j < s->width; j++) whole += b[j] * b[j];
    rowspace_tangent(k_space, b);
    rowspace_tangent(k_space, b + half);
    for (int j = 0; j < s->width; j++) left += b[j] * b[j];
    *floor_of = keel_select(left > 0.0, MANIFOLD_DEPENDENT * keel_sqrt(whole / left), keel_lift(2.0));
}

/* (dq, dv) of row j of s. */
static inline void mechanism_direction(int nq, const int *first, const keel_real *mass,
                                       const struct rowspace *s, int j, keel_real tau, keel_real *direction) {
    int half = s->width / 2;
    const keel_real *q = s->q + (long)j * s->width;
    for (int i = 0; i < nq; i++) {
        direction[i] = q[i];
        direction[nq + i] = q[half + i];
    }
    if (mass) small_lower_t_solve(nq, first, mass, direction);
    if (mass) small_lower_t_solve(nq, first, mass, direction + nq);
    for (int i = 0; i < nq; i++) direction[nq + i] = direction[nq + i] / tau;
}

/* The longest of the parts of a direction, in sizes of the states. */
static inline keel_real mechanism_longest(int n, const keel_real *direction, const keel_real *largest) {
    keel_real longest = keel_lift(0.0), of[4] = {longest, longest, longest, longest};
    int i = 0;
    for (; n >= 32 && i + 4 <= n; i += 4) /* quotients and comparisons wait for each other */
        for (int k = 0; k < 4; k++) {
            keel_real whole = largest[i + k];
            keel_real way = keel_select(whole > 0.0, keel_abs(direction[i + k]) / whole, keel_lift(0.0));
            of[k] = keel_select(way > of[k], way, of[k]);
        }
    for (int k = 0; n >= 32 && k < 4; k++) longest = keel_select(of[k] > longest, of[k], longest);
    for (; i < n; i++) {
        keel_real way = keel_select(largest[i] > 0.0, keel_abs(direction[i]) / largest[i], keel_lift(0.0));
        longest = keel_select(way > longest, way, longest);
    }
    return longest;
}

/* The part of a residual within round-off that is corrected.  One unit of a row of this size moves the state
 * along its direction by eps / share of its size, however cheap a short step makes that; more than eps /
 * nearly would be noise written into the state, so no more is taken at once.  A drift is still removed, over
 * 1 / part steps. */
static inline keel_real mechanism_part(int n, const keel_real *direction, const keel_real *largest,
                                       keel_real along, keel_real size, double nearly) {
    keel_real share = along / (mechanism_longest(n, direction, largest) * size);
    return keel_select(share < nearly, share / nearly, keel_lift(1.0));
}

/* e := the part of e that neither K nor, unless it is NULL, the border sees; a: both halves, padded. */
static inline void mechanism_tangent(int nq, const int *first, const keel_real *mass,
                                     const struct rowspace *k_space, const struct rowspace *border,
                                     keel_real tau, keel_real *a, keel_real *e) {
    int half = k_space->width;
    for (int j = 0; j < half; j++) {
        a[j] = j < nq ? e[j] : keel_lift(0.0);
        a[half + j] = j < nq ? e[nq + j] : keel_lift(0.0);
    }
    if (mass) small_lower_t_multiply(nq, first, mass, a);
    if (mass) small_lower_t_multiply(nq, first, mass, a + half);
    rowspace_tangent(k_space, a);
    rowspace_tangent(k_space, a + half);
    for (int j = 0; j < nq && border; j++) a[half + j] *= tau;
    if (border) rowspace_tangent(border, a);
    for (int j = 0; j < nq && border; j++) a[half + j] = a[half + j] / tau;
    if (mass) small_lower_t_solve(nq, first, mass, a);
    if (mass) small_lower_t_solve(nq, first, mass, a + half);
    for (int j = 0; j < nq; j++) {
        e[j] = a[j];
        e[nq + j] = a[half + j];
    }
}

/* What a compiled model instantiates: */

struct keel_mechanics_state;

/* The model: sizes and functions, all constants.  Rows are written out, zeros included. */
struct mechanism {
    int nq, k, invariants;
    int first[8]; /* of each row of L, no more than these, the first column (small.h) */
    int steady;   /* M does not change */
    int complete; /* an invariant feels what K v + g_t = 0 takes of its direction */
    int maps;     /* of the invariants: energy, invariants */
    int (*factor)(double t, const double *x, const struct keel_mechanics_state *s, void *user);
    keel_fn *force, *mass, *curvature;
    keel_fn *constraint, *rows, *shift, *terms;
    keel_fn *values, *gradients, *value_terms;
};

#ifndef KEEL_LANES /* else core/lanes_motion.h does it for several runs at once */
/* The numbers of a solver that it reads and changes. */
struct keel_mechanics_state {
    double *mass, *k_rows, *shift, *at, *lambda; /* of the factorization, as core/field.h has them */
    struct rowspace *space;
    struct mechanism_call *calls;
    int factored; /* at (t, x) */
    /* Of a projection: */
    const double *reference;             /* of all rows: constraints, their d/dt, energy, invariants */
    double *size, *residual, *gradients; /* the last: of energy and invariants, n each */
    struct rowspace *border;
    const double *largest; /* n: sizes of the states so far */
    double tau, units, nearly;
    /* After it: */
    long factorizations, jacobians, newton;
    int overwritten; /* the factorization is another one */
    int bordered;    /* border holds the directions of the invariants */
};

/* A copy of it whose row spaces have constant sizes, and what it leaves behind.  One number after the other:
 * a copy of all at once would wait for those that were just stored. */
static inline struct rowspace mechanism_space(const struct rowspace *s, int rows, int width) {
    struct rowspace space = {rows, width, s->rank, s->q, s->r, s->inverse, s->used, s->pair};
    return space;
}
static inline struct keel_mechanics_state mechanism_copy(const struct keel_mechanics_state *s,
                                                         struct rowspace *space, struct rowspace *border) {
    struct keel_mechanics_state m = {.mass = s->mass,
                                     .k_rows = s->k_rows,
                                     .shift = s->shift,
                                     .at = s->at,
                                     .lambda = s->lambda,
                                     .space = space,
                                     .factored = s->factored,
                                     .reference = s->reference,
                                     .size = s->size,
                                     .residual = s->residual,
                                     .gradients = s->gradients,
                                     .border = border,
                                     .largest = s->largest,
                                     .tau = s->tau,
                                     .units = s->units,
                                     .nearly = s->nearly};
    return m;
}
static inline void mechanism_leave(struct keel_mechanics_state *s, const struct keel_mechanics_state *m) {
    s->space->rank = m->space->rank, s->space->pair = m->space->pair;
    if (m->border) s->border->rank = m->border->rank, s->border->pair = m->border->pair;
    s->factorizations += m->factorizations, s->jacobians += m->jacobians, s->newton += m->newton;
    s->overwritten |= m->overwritten;
    s->bordered |= m->bordered;
}

/* Its locals. */
struct mechanism_workspace {
    double *x;                     /* n */
    double *residual, *size;       /* of all rows */
    double *beside, *beside_shift; /* K and g_t where nothing is factored */
    double *c, *z, *floor_of;      /* k, not less than invariants */
    double *d, *force, *weighted;  /* nq, padded */
    double *gamma, *direction, *line, *part, *bordered;
    int *pivot;
    const struct keel_mechanics_state *whole; /* of the solver, where the state is a copy */
};

static inline void mechanism_shift(const struct mechanism *m, double t, const double *x, double *shift,
                                   void *user) {
    for (int i = 0; i < m->k; i++) shift[i] = 0;
    if (m->shift) m->shift(t, x, shift, user);
}

/* M = L L^T and the row space of K L^-T at (t, x), into the arrays of the solver.  space: its sizes may be
 * constants.  0; 1: it is for the core, as of all functions from here on. */
static inline int mechanism_factor_into(const struct mechanism *m, const struct keel_mechanics_state *s,
                                        struct rowspace *space, double *floor_of, double t, const double *x,
                                        void *user) {
    if (m->mass && !m->steady) {
        m->mass(t, x, s->mass, user);
        for (int i = 0; i < m->nq; i++)
            if (!small_cholesky_row(m->nq, m->first, s->mass, i)) return 1;
    }
    if (m->k) m->rows(t, x, s->k_rows, user);
    mechanism_shift(m, t, x, s->shift, user);
    for (int i = 0; i < m->k; i++) {
        mechanism_row(space, i, m->nq, s->k_rows + i * m->nq, m->first, m->mass ? s->mass : 0);
        floor_of[i] = MANIFOLD_DEPENDENT;
    }
    rowspace_factor(space, floor_of);
    s->at[0] = t;
    for (int j = 0; j < m->nq; j++) s->at[1 + j] = x[j];
    return space->rank < m->k;
}

/* The same by one function, wherever it is needed: its code is long. */
static inline int mechanism_factor(const struct mechanism *m, const struct mechanism_workspace *w,
                                   struct keel_mechanics_state *s, double t, const double *x, void *user) {
    s->overwritten = 1;
    s->factorizations++;
    s->jacobians += m->k > 0;
    s->space->rank = m->k;
    s->space->pair = 0;
    return m->factor(t, x, w->whole, user);
}

static inline int mechanism_rhs(const struct mechanism *m, const struct mechanism_workspace *w,
                                struct keel_mechanics_state *s, double t, const double *x, double *dx,
                                void *user) {
    double sum = 0;
    m->force(t, x, w->force, user);
    if (!s->factored && mechanism_factor(m, w, s, t, x, user)) return 1;
    if (m->k) m->curvature(t, x, w->gamma, user);
    mechanism_accelerate(m->nq, m->first, m->mass ? s->mass : 0, s->space, w->gamma, w->force, s->lambda,
                         w->z, w->weighted);
    for (int j = 0; j < m->nq; j++) {
        dx[j] = x[m->nq + j];
        dx[m->nq + j] = w->force[j];
        sum += w->force[j] * 0;
    }
    for (int i = 0; i < m->k; i++) sum += s->lambda[i] * 0;
    return !(sum == 0);
}

/* The largest of residuals in units; what is not a number passes no test. */
static inline double mechanism_worst(int count, const double *residual, const double *size) {
    double worst = 0;
    for (int i = 0; i < count; i++) {
        if (project_within(residual[i], size[i], worst)) continue;
        double units = project_in_units(residual[i], size[i]);
        if (!(units <= worst)) worst = units;
        if (worst != worst) break;
    }
    return worst;
}

/* One Newton step for K d = -c in either half of x. */
static inline void mechanism_correct(const struct mechanism *m, const struct mechanism_workspace *w,
                                     struct keel_mechanics_state *s, const double *c, double *half) {
    for (int i = 0; i < m->k; i++) w->c[i] = -c[i];
    rowspace_shortest(s->space, w->c, w->z, w->d);
    if (m->mass) small_lower_t_solve(m->nq, m->first, s->mass, w->d);
    project_move(half, 0, m->nq, w->d);
    s->newton++;
}

/* leave: so many units are left alone from the start. */
static inline int mechanism_positions(const struct mechanism *m, const struct mechanism_workspace *w,
                                      struct keel_mechanics_state *s, double t, double leave, void *user) {
    enum { MOST = 6 };
    double before = __builtin_inf();
    for (int iteration = 0; iteration < MOST; iteration++) {
        m->constraint(t, w->x, w->residual, user);
        double worst = mechanism_worst(m->k, w->residual, w->size);
        if (worst <= (iteration ? s->units : leave)) return 0;
        if (!(worst <= 0.1 * before)) return 1; /* a new factorization, or the end of what can be done */
        before = worst;
        mechanism_correct(m, w, s, w->residual, w->x);
    }
    return 1;
}

static inline int mechanism_same(int nq, const double *at, const double *q) {
    for (int j = 0; j < nq; j++)
        if (at[j] != q[j]) return 0;
    return 1;
}

/* The rows are those of x; the factorization is the one at hand, if that was made near x, and made anew where
 * what is left of the residual is too much. */
static inline int mechanism_velocities(const struct mechanism *m, const struct mechanism_workspace *w,
                                       struct keel_mechanics_state *s, double t, void *user) {
    enum { MOST = 4 };
    double *speed = w->residual + m->k;
    int near = mechanism_near(m->nq, s->at + 1, w->x, s->largest), beside = 0;
    for (int iteration = 0; iteration < MOST; iteration++) {
        int same = mechanism_same(m->nq, s->at + 1, w->x);
        if (!same && (iteration == 2 || (iteration == 0 && !near))) {
            if (mechanism_factor(m, w, s, t, w->x, user)) return 1;
            same = 1;
        }
        if (iteration == 0 && !same) {
            m->rows(t, w->x, w->beside, user);
            mechanism_shift(m, t, w->x, w->beside_shift, user);
            s->jacobians++;
            beside = 1;
        }
        if (iteration > 0) mechanism_correct(m, w, s, speed, w->x + m->nq);
        mechanism_speeds(m->nq, m->k, beside ? w->beside : s->k_rows, beside ? w->beside_shift : s->shift,
                         w->x + m->nq, speed);
        if (mechanism_worst(m->k, speed, w->size + m->k) <= (iteration ? s->units : 0)) return 0;
    }
    return 1;
}

/* dv that keeps K v + g_t when q moves along dq, by a difference over s of the sizes. */
static inline void mechanism_complete(const struct mechanism *m, const struct mechanism_workspace *w,
                                      struct keel_mechanics_state *s, double t, double *direction,
                                      void *user) {
    int nq = m->nq;
    double length = mechanism_longest(nq, direction, s->largest);
    if (length == 0) return;
    double step = 1e-7 / length;
    for (int j = 0; j < 2 * nq; j++) w->line[j] = w->x[j];
    for (int j = 0; j < nq; j++) w->line[j] += step * direction[j];
    m->rows(t, w->line, w->beside, user);
    mechanism_shift(m, t, w->line, w->beside_shift, user);
    s->jacobians++;
    mechanism_speeds(nq, m->k, w->beside, w->beside_shift, w->line + nq, w->c);
    for (int i = 0; i < m->k; i++) w->c[i] = -(w->c[i] - w->residual[m->k + i]) / step;
    rowspace_shortest(s->space, w->c, w->z, w->d);
    if (m->mass) small_lower_t_solve(nq, m->first, s->mass, w->d);
    for (int j = 0; j < nq; j++) direction[nq + j] += w->d[j];
}

/* The gradients of the invariants, their sizes, and their directions along the constraints. */
static inline void mechanism_normals(const struct mechanism *m, const struct mechanism_workspace *w,
                                     struct keel_mechanics_state *s, double t, void *user) {
    int n = 2 * m->nq, first = 2 * m->k;
    m->gradients(t, w->x, s->gradients, user);
    if (m->value_terms) m->value_terms(t, w->x, w->c, user);
    for (int i = 0; i < m->invariants; i++) {
        double size = project_size(n, s->reference[first + i], s->gradients + i * n, w->x, s->largest);
        if (m->value_terms) size += __builtin_fabs(w->c[i]);
        if (size > w->size[first + i]) w->size[first + i] = size;
    }
    for (int i = 0; i < m->invariants; i++)
        mechanism_border(m->nq, m->first, m->mass ? s->mass : 0, s->space, s->border, i, s->gradients + i * n,
                         s->tau, &w->floor_of[i]);
    rowspace_factor(s->border, w->floor_of);
    s->jacobians += m->maps;
    s->factorizations++;
    s->bordered = 1;
}

/* One step for the invariants, all of them jointly. */
static inline int mechanism_invariants(const struct mechanism *m, const struct mechanism_workspace *w,
                                       struct keel_mechanics_state *s, double t, void *user) {
    int n = 2 * m->nq, count = m->invariants, first = 2 * m->k;
    mechanism_normals(m, w, s, t, user);
    for (int j = 0; j < count; j++) {
        double *direction = w->direction + j * n, residual = w->residual[first + j];
        mechanism_direction(m->nq, m->first, m->mass ? s->mass : 0, s->border, j, s->tau, direction);
        w->part[j] = 1;
        if (!s->border->used[j]) w->part[j] = 0;
        else if (!(project_in_units(residual, w->size[first + j]) > s->units))
            w->part[j] = mechanism_part(n, direction, s->largest, 1 / s->border->inverse[j],
                                        w->size[first + j], s->nearly);
        if (s->border->used[j] && m->complete) mechanism_complete(m, w, s, t, direction, user);
    }
    for (int i = 0; i < count; i++) {
        w->c[i] = -w->residual[first + i] * w->part[i];
        for (int j = 0; j < count; j++) {
            double sum = 0;
            for (int c = 0; c < n; c++) sum += s->gradients[i * n + c] * w->direction[j * n + c];
            w->bordered[i * count + j] = s->border->used[i] && s->border->used[j] ? sum : i == j;
        }
    }
    for (int k = 0; k < count; k++)
        if (small_lu_column(count, w->bordered, w->pivot, k)) return 1;
    small_lu_solve(count, w->bordered, w->pivot, w->c);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < n && w->c[j] != 0; i++) w->x[i] += w->c[j] * w->direction[j * n + i];
        if (w->part[j] < 1) s->border->inverse[j] = 0; /* errors along it stay: they count in full */
    }
    s->newton++;
    return 0;
}

/* Lets the sizes of constraints and their d/dt grow to those at the factored place. */
static inline void mechanism_grow(const struct mechanism *m, const struct mechanism_workspace *w,
                                  const struct keel_mechanics_state *s, double t, void *user) {
    for (int i = 0; i < m->k; i++) w->c[i] = 0;
    if (m->terms) m->terms(t, w->x, w->c, user);
    for (int i = 0; i < m->k; i++) {
        double position, velocity;
        mechanism_sizes(m->nq, s->k_rows + i * m->nq, s->shift[i], t, w->c[i], w->x, &position, &velocity);
        if (position > w->size[i]) w->size[i] = position;
        if (velocity > w->size[m->k + i]) w->size[m->k + i] = velocity;
    }
}

static inline int mechanism_sweeps(const struct mechanism *m, const struct mechanism_workspace *w,
                                   struct keel_mechanics_state *s, double t, void *user) {
    enum { MOST = 6 };
    int rows = 2 * m->k + m->invariants;
    double before = __builtin_inf();
    if (!s->factored && mechanism_factor(m, w, s, t, w->x, user)) return 1;
    mechanism_grow(m, w, s, t, user);
    for (int sweep = 0; sweep < MOST; sweep++) {
        if (mechanism_positions(m, w, s, t, sweep ? 1 : 0, user)) return 1;
        if (mechanism_velocities(m, w, s, t, user)) return 1;
        if (m->invariants == 0) return 0;
        m->values(t, w->x, w->residual + 2 * m->k, user);
        for (int i = 2 * m->k; i < rows; i++) w->residual[i] -= s->reference[i];
        /* the invariants' sizes are not known before their gradients are */
        double worst = sweep ? mechanism_worst(rows, w->residual, w->size) : __builtin_inf();
        if (worst <= s->units) return 0;
        if (sweep && !(worst <= 0.5 * before)) return 1;
        before = worst;
        if (mechanism_invariants(m, w, s, t, user)) return 1;
    }
    return 1;
}

/* x is brought to the manifold, or left as it is. */
static inline int mechanism_project(const struct mechanism *m, const struct mechanism_workspace *w,
                                    struct keel_mechanics_state *s, double t, double *x, void *user) {
    int n = 2 * m->nq, rows = 2 * m->k + m->invariants;
    double sum = 0;
    for (int i = 0; i < n; i++) w->x[i] = x[i];
    for (int i = 0; i < rows; i++) w->size[i] = s->size[i];
    if (mechanism_sweeps(m, w, s, t, user)) return 1;
    for (int i = 0; i < rows; i++) sum += w->size[i] * 0;
    for (int i = 0; i < n; i++) sum += w->x[i] * 0;
    if (!(sum == 0)) return 1;
    for (int i = 0; i < n; i++) x[i] = w->x[i];
    for (int i = 0; i < rows; i++) {
        s->size[i] = w->size[i];
        s->residual[i] = w->residual[i];
    }
    return 0;
}
#endif
#endif
