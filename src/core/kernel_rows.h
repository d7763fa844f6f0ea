/* kernel_rows.h - what the steps of a kernel work on, and the rows that they keep or watch: for
 * core/kernel.h. */
#ifndef KEEL_CORE_KERNEL_ROWS_H
#define KEEL_CORE_KERNEL_ROWS_H

#include <keel/implicit.h>
#include <keel/splitting.h>
#include <keel/taylor.h>

#include "core/kernel_state.h"
#include "core/project.h"

/* How a Runge-Kutta step is called: steps that are written out stand behind pointers, others are not found
 * there by a compiler soon enough. */
#ifndef KERNEL_STEP
#define KERNEL_STEP(method) keel_rk_step
#define KERNEL_ERRORS(method) keel_rk_errors
#endif

/* Further iterations of a projection, by kernel_correct_apart; how many. */
typedef int kernel_correct_fn(struct keel_kernel_state *k, void *user, double t);

/* The method: a Runge-Kutta method, or a splitting or a series, whose steps know no rate at their ends. */
struct kernel_method {
    const keel_rk *rk;
    const keel_implicit *implicit;
    const keel_splitting *splitting;
    keel_splitting_rate *part; /* of the latter */
    keel_rk_attempt *step;     /* of rk: keel_rk_step and keel_rk_errors, or the same written out */
    keel_rk_estimates *errors;
    kernel_correct_fn *again;       /* where rows are kept */
    const struct mechanism *motion; /* mechanics, by core/kernel_motion.h: what it is made of */
};

/* What it is.  A compiled model says so before this header, and what is for others is not even read. */
#ifndef KERNEL_OF_RK
#define KERNEL_OF_RK(method) ((method)->rk != NULL)
#define KERNEL_OF_IMPLICIT(method) ((method)->implicit != NULL)
#define KERNEL_OF_SPLITTING(method) ((method)->splitting != NULL)
#endif
/* 1: steps go by a clock (core/clock), and the last state is the time. */
#ifndef KERNEL_CLOCK
#define KERNEL_CLOCK 0
#endif
#define KERNEL_RATED(method) (KERNEL_OF_RK(method) || KERNEL_OF_IMPLICIT(method))
#define KERNEL_OF_SERIES(method) (!KERNEL_RATED(method) && !KERNEL_OF_SPLITTING(method))

/* Copies of a keel_kernel_state, and what a step needs besides; in a compiled model locals, so that they can
 * stay in registers.  Of a splitting f is the rate of its last turn, at stage; k has both, of the last
 * step.  Of a series it is the rate by which the last step was judged. */
struct kernel_workspace {
    double *x, *f, *next, *k, *stage, *dx, *gradients, *error, *split, *scale;
    double *limit; /* the largest correction so far */
    keel_splitting_memory memory;
    keel_implicit_room room;
    double *last; /* of an implicit method: K of the last step */
    keel_taylor taylor;
    double before; /* of a series, until its step stands: the length before it; slopes are in k */
};

/* What one attempt needs to know and finds out. */
struct kernel_attempt {
    double t, h, t_new, error;
    long steps; /* of the run, before it */
    /* Projections by the kernel, and their iterations: of this step, rejected attempts included; of fixed
     * steps what all of them have beside one each. */
    long corrections, newton;
    int within; /* its end is within the sizes of the states */
    int known;  /* splitting: f is the rate of its first turn */
    int rounds; /* of an iteration */
};

static inline void kernel_copy(int count, const double *from, double *to) {
    KEEL_RK_UNROLL for (int i = 0; i < count; i++) to[i] = from[i];
}

static inline int kernel_finite(int n, const double *x) {
    double sum = 0;
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}

/* Is every state within its size so far?  Then all are finite. */
static inline int kernel_within(int n, const double *x, const double *largest) {
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) if (!(__builtin_fabs(x[i]) <= largest[i])) return 0;
    return 1;
}

/* What steps begin with.  Is the rate of their first turn known, of a splitting? */
static inline int kernel_begin(const struct kernel_method *method, const struct project *p,
                               const struct kernel_workspace *m, const struct keel_kernel_state *k) {
    kernel_copy(p->n, k->x, m->x);
    if (KERNEL_RATED(method)) kernel_copy(p->n, k->f, m->f);
    if (KERNEL_OF_IMPLICIT(method))
        keel_implicit_pass(method->implicit, p->n, p->width, keel_implicit_last(k->carried), m->room.width,
                           m->last);
    return KERNEL_OF_SPLITTING(method) &&
           keel_splitting_begin(method->splitting, &m->memory, k->t, m->x, m->stage, m->f);
}

static inline void kernel_end(const struct kernel_method *method, const struct project *p,
                              const struct kernel_workspace *m, const struct keel_kernel_state *k,
                              double t_end) {
    kernel_copy(p->n, m->x, k->x);
    if (!KERNEL_OF_SPLITTING(method)) kernel_copy(p->n, m->f, k->f);
    else keel_splitting_leave(method->splitting, &m->memory, t_end, m->k, m->k + p->n);
    if (KERNEL_OF_IMPLICIT(method))
        keel_implicit_pass(method->implicit, p->n, m->room.width, m->last, p->width,
                           keel_implicit_last(k->carried));
    if (k->treatment != KERNEL_FREE) kernel_copy(p->kept, p->residual, k->residual);
}

static inline void kernel_residual(const struct project *p, const struct kernel_workspace *m,
                                   const struct keel_kernel_state *k, keel_fn *values, void *user, double t) {
    values(t, m->next, p->residual, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) p->residual[i] -= k->reference[i];
}

/* Is one of the residuals larger than any that was looked at? */
static inline int kernel_beyond(const struct project *p, const struct keel_kernel_state *k) {
    KEEL_RK_UNROLL for (int i = 0; i < p->kept;
                        i++) if (__builtin_fabs(p->residual[i]) > k->beyond[i]) return 1;
    return 0;
}

static inline double kernel_way(const struct kernel_workspace *m, int i) {
    return __builtin_fabs(m->next[i] - (m->x[i] + m->dx[i]));
}

/* Tolerances are those of the sizes so far, which stay while the kernel runs. */
static inline double kernel_tolerance(const struct keel_kernel_state *k, int i) {
    return project_tolerance(k->atol[i], k->rtol, k->largest[i]);
}

static inline void kernel_limit(const struct project *p, const struct kernel_workspace *m,
                                const struct keel_kernel_state *k) {
    for (int i = 0; i < p->n; i++) m->limit[i] = k->moved * kernel_tolerance(k, i);
}

/* Has the projection moved a state by more tolerances than any before? */
static inline int kernel_moved(const struct project *p, const struct kernel_workspace *m) {
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) if (kernel_way(m, i) > m->limit[i]) return 1;
    return 0;
}

/* The largest of such a step, in tolerances, and its state. */
static inline double kernel_largest(const struct project *p, const struct kernel_workspace *m,
                                    const struct keel_kernel_state *k, int *state) {
    double largest = k->moved;
    for (int i = 0; i < p->n; i++)
        if (kernel_way(m, i) > largest * kernel_tolerance(k, i))
            *state = i, largest = kernel_way(m, i) / kernel_tolerance(k, i);
    return largest;
}

static inline void kernel_enter(const struct project *p, const struct kernel_workspace *m,
                                struct keel_kernel_state *k, double largest, int state, double t) {
    k->moved = largest;
    k->moved_state = state;
    k->moved_t = t;
    kernel_limit(p, m, k);
}

/* One iteration from next, which is left in trial.  0: it is for the core; -1: all of the step is. */
static inline int kernel_correct(const struct project *p, const struct kernel_workspace *m,
                                 struct keel_kernel_state *k, keel_fn *values, keel_fn *gradients, void *user,
                                 int adaptive, int due, double t) {
    kernel_residual(p, m, k, values, user, t);
    if (!adaptive && __builtin_expect(kernel_beyond(p, k), 0)) return -1;
    gradients(t, m->next, m->gradients, user);
    kernel_copy(p->n, m->next, k->trial);
    if (__builtin_expect(due, 0)) {
        kernel_copy(p->kept * p->n, m->gradients, k->jacobian);
        if (k->grow(k, t) != 0) return 0;
    }
    if (p->two_short && !project_two(p, m->next)) return 0;
    if (!p->two_short) project_correct(p, m->next, 0, 1);
    return 1;
}

/* A projection of trial by the gradients there, while iterations contract tenfold; returns how many there are
 * beyond the first, with the end in trial and its residuals.  0: it is for the core, and all is as before.
 * It is rare: as a function with memory of its own it takes no register from the loop of the steps. */
static inline int kernel_correct_apart(const struct project *p, const struct kernel_workspace *m,
                                       struct keel_kernel_state *k, keel_fn *values, keel_fn *gradients,
                                       void *user, double t) {
    kernel_copy(p->n, k->trial, m->next);
    kernel_residual(p, m, k, values, user, t);
    gradients(t, m->next, m->gradients, user);
    double before = project_worst(p, p->residual), worst = before;
    for (int count = 0; count == 0 || (worst <= 0.1 * before && worst < before); count++) {
        before = worst;
        if (p->two_short && !project_two(p, m->next)) return 0;
        if (!p->two_short) project_correct(p, m->next, 0, count == 0);
        kernel_residual(p, m, k, values, user, t);
        if (count > 0 && project_holds(p)) {
            kernel_copy(p->n, m->next, k->trial);
            kernel_copy(p->kept, p->residual, k->residual);
            return count;
        }
        worst = project_worst(p, p->residual);
    }
    return 0;
}

/* All of a projection of trial, by the core.  0, or it cannot be done. */
static inline int kernel_again(const struct project *p, const struct kernel_workspace *m,
                               struct keel_kernel_state *k, long steps, double t) {
    k->steps = steps;
    if (k->again(k, t) != 0) return 1;
    kernel_copy(p->kept * p->width, k->space->q, p->space->q);
    kernel_copy(p->kept * p->kept, k->space->r, p->space->r);
    kernel_copy(p->kept, k->space->inverse, p->space->inverse);
    kernel_copy(p->kept * p->n, k->jacobian, m->gradients);
    p->space->pair = k->space->pair;
    return 0;
}

/* Do all rows rest at the new state?  Of a splitting its rate is to be found. */
static inline int kernel_rests(const struct kernel_method *method, const struct project *p,
                               const struct kernel_workspace *m, keel_fn *rhs, keel_fn *gradients, void *user,
                               struct keel_kernel_state *k, double t) {
    k->unseen = 1;
    if (!k->share) return 0;
    if (!KERNEL_RATED(method)) rhs(t, m->x, m->dx, user);
    gradients(t, m->x, m->gradients, user);
    for (int i = 0; i < p->kept; i++)
        if (!project_rests(p->n, 0, m->gradients + i * p->n, KERNEL_RATED(method) ? m->f : m->dx,
                           k->share[i]))
            return 0;
    k->unseen = 0;
    k->verifications++;
    return 1;
}
#endif
