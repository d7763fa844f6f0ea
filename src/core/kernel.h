/* kernel.h - many steps in one go, by their error, or projected onto the kept rows, or with watched ones:
 * what a compiled model instantiates with its right-hand side and its rows inlined.  Each step is what
 * core/step.c makes of it, to the last bit. */
#ifndef KEEL_CORE_KERNEL_H
#define KEEL_CORE_KERNEL_H

#include "core/kernel_rows.h"
#include "core/step_control.h"

/* How rows are kept: by weights on states, or, as core/kernel_motion.h has it, by masses. */
#ifndef KERNEL_PROJECT
#define KERNEL_PROJECT kernel_project
#define KERNEL_TANGENT kernel_tangent
#define KERNEL_STANDS kernel_stands
#define KERNEL_RESTS kernel_rests
#define KERNEL_LOOKS(method, k) 0 /* calls of the right-hand side for looks at the rates that count */
#define KERNEL_USER(user) (user)  /* of the model's own functions */
#endif

/* That of the table; 0: its first estimate alone. */
typedef const keel_error_norm kernel_norm;

/* The error, from the mean squares of the estimates. */
static inline double kernel_combined(kernel_norm *norm, const double *squares) {
    return norm ? keel_error_size(norm, squares[0], squares[1]) : __builtin_sqrt(squares[0]);
}

/* The size of the estimates, as they stand. */
static inline double kernel_raw(const struct project *p, const struct kernel_workspace *m, kernel_norm *norm,
                                const struct keel_kernel_state *k) {
    double squares[2];
    step_control_scales(p->n, m->x, m->next, k->atol, k->rtol, m->scale);
    step_control_spare(p->n, p->direction, m->scale);
    KEEL_RK_UNROLL for (int e = 0; e < (norm ? 2 : 1); e++) squares[e] =
        step_control_square(p->n, m->error + e * p->width, m->scale);
    return kernel_combined(norm, squares);
}

/* May the estimate have vanished?  Within twice what the core takes for that. */
static inline int kernel_blind(const struct project *p, const struct kernel_workspace *m, double error) {
    return error <= 16 * 2.2204460492503131e-16 * __builtin_sqrt(step_control_square(p->n, m->dx, m->scale));
}

/* Removes from an error of a step of h what a correction takes care of. */
static inline void kernel_tangent(const struct kernel_method *method, const struct project *p, double h,
                                  void *user, double *error) {
    (void)method, (void)h, (void)user;
    project_tangent(p, error);
}

/* The same, along the manifold and across it: by the same scales, so that it need not wait for the end. */
static inline double kernel_error(const struct kernel_method *method, const struct project *p,
                                  const struct kernel_workspace *m, kernel_norm *norm, double h, void *user) {
    double along[2], across[2];
    KEEL_RK_UNROLL for (int e = 0; e < (norm ? 2 : 1); e++) {
        double *error = m->error + e * p->width;
        kernel_copy(p->n, error, m->split);
        KERNEL_TANGENT(method, p, h, user, error);
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->split[i] -= error[i];
        across[e] = step_control_square(p->n, m->split, m->scale);
        along[e] = step_control_square(p->n, error, m->scale);
    }
    return step_control_weighed(kernel_combined(norm, along), kernel_combined(norm, across));
}

/* The length of a step by the series at x; 0: it has none, and all is as before. */
static inline double kernel_series(const struct project *p, struct kernel_workspace *m,
                                   const struct keel_kernel_state *k, void *user, double t) {
    keel_taylor *c = &m->taylor;
    double before = m->before = *c->before;
    kernel_copy(p->n, c->slope, m->k);
    *c->known = 0;
    if (k->series(t, m->x, c->order, c->c, c->work, KERNEL_USER(user)) != 0) return 0;
    double h = keel_taylor_longest(c, m->x, before - before == 0 ? before : 0, k->atol, k->rtol);
    *c->before = h;
    return h;
}

/* As if that had not been asked for. */
static inline void kernel_forget_series(const struct project *p, struct kernel_workspace *m) {
    *m->taylor.before = m->before;
    kernel_copy(p->n, m->k, m->taylor.slope);
}

/* The estimates of a step; 0: they are not finite. */
static inline int kernel_estimate(const struct kernel_method *method, const struct project *p,
                                  const struct kernel_workspace *m, keel_fn *rhs, void *user,
                                  const struct keel_kernel_state *k, int estimates,
                                  const struct kernel_attempt *a) {
    int finite = 1;
    if (KERNEL_OF_SERIES(method)) {
        if (rhs(a->t + a->h, m->next, m->stage, user) != 0) return 0;
        keel_taylor_error(&m->taylor, a->h, m->x, m->dx, m->stage, k->atol, k->rtol, m->error);
        return kernel_finite(p->n, m->error);
    }
    KERNEL_ERRORS(method)(method->rk, p->n, estimates, p->width, m->k, a->h, m->error);
    KEEL_RK_UNROLL for (int e = 0; e < estimates; e++) finite &= kernel_finite(p->n, m->error + e * p->width);
    return finite;
}

/* Brings next to the manifold.  A fixed step has its rate, in stage, before it is known whether one iteration
 * was enough, and whether all is finite: the next step waits for that.  0, or it is for core/step.c. */
static inline int kernel_project(const struct kernel_method *method, const struct project *p,
                                 const struct kernel_workspace *m, keel_fn *rhs, keel_fn *values,
                                 keel_fn *gradients, void *user, struct keel_kernel_state *k, int adaptive,
                                 struct kernel_attempt *a) {
    int rated = KERNEL_RATED(method) && !adaptive, due = project_due(a->steps);
    if (__builtin_expect(due, 0)) k->steps = a->steps;
    int newton = kernel_correct(p, m, k, values, gradients, user, adaptive, due, a->t_new), done = newton;
    if (newton < 0) return k->due = 1;
    if (newton) {
        if (rated) rhs(a->t_new, m->next, m->stage, user);
        kernel_residual(p, m, k, values, user, a->t_new);
        done = project_holds(p);
    }
    if (__builtin_expect(!done, 0)) {
        int more = newton ? method->again(k, user, a->t_new) : 0;
        newton = more > 0 ? 1 + more : 0;
        if (more == 0 && kernel_again(p, m, k, a->steps, a->t_new) != 0) return 1;
        kernel_copy(p->n, k->trial, m->next);
        kernel_copy(p->kept, k->residual, p->residual);
        if (rated) rhs(a->t_new, m->next, m->stage, user);
        if (!adaptive) {
            if (!kernel_finite(p->n, m->next)) return 1;
            a->corrections -= newton == 0;
            a->newton += newton - 1;
        }
    }
    if (adaptive) {
        a->corrections += newton > 0;
        a->newton += newton;
    }
    a->within = kernel_within(p->n - KERNEL_CLOCK, m->next, k->largest);
    return !adaptive && !a->within && !kernel_finite(p->n, m->next);
}

/* The stages of an implicit step, and its increment.  0, or they do not contract, or there are none. */
static inline int kernel_iterate(const keel_implicit *implicit, const struct kernel_workspace *m,
                                 keel_fn *rhs, void *user, struct kernel_attempt *a) {
    const keel_implicit_room *r = &m->room;
    if (!(keel_implicit_scale(r->n, a->h, m->x, m->f, r->scale) > 0)) return 1;
    keel_implicit_start(implicit->start, implicit->stages, 0, implicit->stages, implicit->with_rate, a->h,
                        r->width, m->f, m->last, r->z);
    if (keel_implicit_iterate(implicit, r, rhs, user, keel_stage_sums, a->t, a->h, m->x, m->f, &a->rounds))
        return 1;
    keel_implicit_end(implicit, r, r->width, keel_stage_sums, m->dx);
    return a->rounds == 0;
}

/* The increment of a step of h from x.  0, or the right-hand side failed. */
static inline int kernel_propose(const struct kernel_method *method, const struct project *p,
                                 const struct kernel_workspace *m, keel_fn *rhs, void *user,
                                 struct kernel_attempt *a) {
    if (KERNEL_OF_IMPLICIT(method)) return kernel_iterate(method->implicit, m, rhs, user, a);
    if (KERNEL_OF_RK(method))
        return KERNEL_STEP(method)(method->rk, p->n, rhs, user, a->t, a->h, m->x, m->f, m->k, m->stage,
                                   m->dx);
    if (KERNEL_OF_SERIES(method)) {
        keel_taylor_sum(&m->taylor, a->h, m->dx);
        return 0;
    }
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->stage[i] = m->x[i], m->dx[i] = 0;
    return keel_splitting_step(method->splitting, m->memory.outer, m->memory.inner, method->part, user, a->t,
                               a->known, m->x, m->stage, m->f, m->dx, 0);
}

/* next, from x in a step of h, on the manifold if rows are kept, with its error.  0, or it is for
 * core/step.c. */
static inline int kernel_attempt(const struct kernel_method *method, const struct project *p,
                                 const struct kernel_workspace *m, keel_fn *rhs, keel_fn *values,
                                 keel_fn *gradients, kernel_norm *norm, void *user,
                                 struct keel_kernel_state *k, int keeps, int adaptive,
                                 struct kernel_attempt *a) {
    a->error = 0;
    if (kernel_propose(method, p, m, rhs, user, a) != 0) return 1;
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->next[i] = m->x[i] + m->dx[i];
    if ((adaptive || !keeps) && !kernel_finite(p->n, m->next)) return 1;
    if (adaptive) {
        if (!kernel_estimate(method, p, m, rhs, user, k, norm ? 2 : 1, a)) return 1;
        a->error = kernel_raw(p, m, norm, k);
    }
    if (!keeps || a->error > CONTROL_HOPELESS) return 0;
    if (KERNEL_PROJECT(method, p, m, rhs, values, gradients, user, k, adaptive, a)) return 1;
    if (KERNEL_OF_SERIES(method)) return !(a->error > 0 && a->error < 0.5); /* else it must be split */
    if (adaptive) a->error = step_control_min(a->error, kernel_error(method, p, m, norm, a->h, user));
    return 0;
}

/* Where an attempt with the step `wanted` ends; 0: that is too near to t_end, or too short. */
static inline int kernel_aim(const struct keel_kernel_state *k, struct kernel_attempt *a, double wanted) {
    if (!(wanted <= 0.5 * __builtin_fabs(k->t_end - a->t))) return 0;
    a->t_new = a->t + wanted * k->direction;
    a->h = a->t_new - a->t;
    double length = __builtin_fabs(a->h);
    return length > 4 * 2.2204460492503131e-16 * __builtin_fabs(a->t) && length >= 1e-300;
}

/* f at next, which the last stage may be.  0: it is of no use. */
static inline int kernel_rhs(const struct kernel_method *method, const struct project *p,
                             const struct kernel_workspace *m, keel_fn *rhs, void *user, int keeps,
                             int adaptive, double t) {
    const keel_rk *table = method->rk;
    if (!KERNEL_RATED(method)) return 1;
    if (KERNEL_OF_RK(method) && table->last_is_end && !keeps) {
        if (KERNEL_CLOCK && !(m->k[table->stages * p->n - 1] > 0)) return 0;
        kernel_copy(p->n, m->k + (table->stages - 1) * p->n, m->f);
        return 1;
    }
    if (adaptive || !keeps) rhs(t, m->next, m->stage, user);
    if (adaptive && !kernel_finite(p->n, m->stage)) return 0;
    if (KERNEL_CLOCK && !(m->stage[p->n - 1] > 0)) return 0;
    kernel_copy(p->n, m->stage, m->f);
    return 1;
}

/* By a clock: does time pass in the step, and is its end before the run wakes? */
static inline int kernel_passes(const struct kernel_method *method, const struct project *p,
                                const struct kernel_workspace *m, const struct keel_kernel_state *k) {
    double now = m->next[p->n - 1];
    int rate = !KERNEL_OF_SERIES(method) || m->stage[p->n - 1] > 0;
    return rate && (now - m->x[p->n - 1]) * k->direction > 0 && (now - k->wake) * k->direction < 0;
}

/* The calls of the right-hand side, which `known` steps began without; `rounds` of an iteration. */
static inline long kernel_calls(const struct kernel_method *method, const struct kernel_workspace *m,
                                long done, long rejected, long known, long rounds, int keeps) {
    const keel_rk *table = method->rk;
    if (KERNEL_OF_IMPLICIT(method))
        return done + rounds * (method->implicit->stages - method->implicit->first_explicit);
    if (KERNEL_OF_SERIES(method)) return done * (m->taylor.order + 1);
    if (!KERNEL_OF_RK(method)) return done * keel_splitting_turns(method->splitting, &m->memory) - known;
    return (done + rejected) * (table->stages - 1) + (keeps || !table->last_is_end ? done : 0);
}

/* What a method keeps of an accepted step.  Does the next one, of a splitting, begin where its last turn left
 * off? */
static inline int kernel_carry(const struct kernel_method *method, const struct kernel_workspace *m,
                               const struct kernel_attempt *a) {
    const keel_splitting *s = method->splitting;
    if (KERNEL_OF_IMPLICIT(method)) kernel_copy(method->implicit->stages * (int)m->room.width, m->k, m->last);
    if (!KERNEL_OF_SPLITTING(method)) return 0;
    kernel_copy(2 * s->half, m->stage, m->k);
    kernel_copy(2 * s->half, m->f, m->k + 2 * s->half);
    return m->memory.outer[s->stages] != 0 && keel_splitting_known(s, a->t_new, a->t + a->h, m->x, m->stage);
}

/* After a rejected attempt, which is rare: not worth a place between the others. */
__attribute__((noinline, unused)) static double kernel_shorter(struct keel_kernel_state *k, double h,
                                                               double error) {
    return step_control_next(k->order, h, error, 1, &k->error_before);
}

/* What follows from an accepted step for the length of the next one. */
static inline void kernel_next(const struct kernel_method *method, const struct project *p,
                               const struct kernel_workspace *m, struct keel_kernel_state *k,
                               const struct kernel_attempt *a, int rejected) {
    double h = __builtin_fabs(a->h);
    if (KERNEL_OF_SERIES(method)) kernel_copy(p->n, m->stage, m->f);
    else h = step_control_next(k->order, h, a->error, rejected > 0, &k->error_before);
    k->h_next = step_control_min(h, k->longest);
}

/* A step stands, with its end in x.  Do the sizes of the states stand, too?  Else weights, which follow them,
 * are for the core.  No row has time in it, and its weight says nothing. */
static inline int kernel_stands(const struct kernel_method *method, const struct project *p,
                                const struct kernel_workspace *m, void *user, struct keel_kernel_state *k,
                                const struct kernel_attempt *a) {
    int n = p->n - KERNEL_CLOCK;
    (void)method, (void)user;
    if (KERNEL_CLOCK) k->outgrown = project_outgrown(1, m->x + n, k->largest + n);
    if (a->within || !project_outgrown(n, m->x, k->largest)) return 1;
    k->outgrown = 1;
    return 0;
}

/* Fixed or adaptive steps.  Returns how many were taken: fewer than count after one by which a state has
 * outgrown its size, or at which the core must look at the rates of the rows, or before one that core/step.c
 * must make. */
static inline long kernel_steps(const struct kernel_method *method, const struct project *p,
                                struct kernel_workspace *m, keel_fn *rhs, keel_fn *values, keel_fn *gradients,
                                kernel_norm *norm, void *user, struct keel_kernel_state *k, int keeps,
                                int adaptive) {
    enum { MOST_REJECTED = 60 };
    int watches = !keeps && p->kept > 0 && k->treatment == KERNEL_WATCHED;
    long done = 0, corrections = 0, newton = 0, all_rejected = 0, known = 0, rounds = 0;
    double t_end = k->t;
    struct kernel_attempt a = {.t = k->t, .h = k->h, .steps = k->steps};
    int series = KERNEL_OF_SERIES(method), begun = 0;
    a.known = kernel_begin(method, p, m, k);
    if (keeps && adaptive) kernel_limit(p, m, k);
    for (int goes_on = 1; goes_on && done < k->count;) {
        int rejected = 0;
        /* a step like the one before would be too near to t_end: its series is found once, by the core */
        if (series && !kernel_aim(k, &a, step_control_min(k->h_next, k->longest))) break;
        double aim = !adaptive ? 0 : series ? kernel_series(p, m, k, user, a.t) : k->h_next;
        double wanted = adaptive ? step_control_min(aim, k->longest) : 0;
        begun = series;
        if (series && !(aim > 0)) goto out;
        if (adaptive) a.corrections = a.newton = 0;
        if (watches && project_due(a.steps + 1)) {
            k->due = 1;
            break;
        }
        for (;;) {
            if (adaptive && !kernel_aim(k, &a, wanted)) goto out;
            if (!adaptive) a.t_new = k->base + (double)(k->first + done + 1) * a.h;
            if (kernel_attempt(method, p, m, rhs, values, gradients, norm, user, k, keeps, adaptive, &a))
                goto out;
            if (adaptive && a.error <= CONTROL_BLIND &&
                step_control_unseen(a.h, k->longest, project_due(a.steps)) && kernel_blind(p, m, a.error)) {
                k->due = 1;
                goto out;
            }
            if (!adaptive || a.error <= 1) break;
            if (series || !(a.error < 1e300) || rejected++ == MOST_REJECTED) goto out;
            wanted = kernel_shorter(k, __builtin_fabs(a.h), a.error);
        }
        int moved = keeps && adaptive && kernel_moved(p, m), state = k->moved_state;
        double largest = __builtin_expect(moved, 0) ? kernel_largest(p, m, k, &state) : 0;
        /* by a clock the core tells the time of a correction */
        if (largest > 1 || (KERNEL_CLOCK && (moved || !kernel_passes(method, p, m, k)))) {
            k->due = 1;
            goto out;
        }
        if (watches) kernel_residual(p, m, k, values, user, a.t_new);
        if (watches && !kernel_finite(p->kept, p->residual)) goto out;
        if (!kernel_rhs(method, p, m, rhs, user, keeps, adaptive, a.t_new)) goto out;
        if (__builtin_expect(moved, 0)) kernel_enter(p, m, k, largest, state, a.t_new); /* the step stands */
        begun = 0;
        if (adaptive) kernel_next(method, p, m, k, &a, rejected);
        kernel_copy(p->n, m->next, m->x);
        if (keeps && !KERNEL_STANDS(method, p, m, user, k, &a)) goes_on = 0;
        if (watches) project_outgrown(p->n, m->x, k->largest);
        KEEL_RK_UNROLL for (int i = 0; i < p->kept && (keeps || watches); i++) k->worst[i] =
            step_control_max(k->worst[i], __builtin_fabs(p->residual[i]));
        if (adaptive) {
            corrections += a.corrections, newton += a.newton;
            all_rejected += rejected;
        }
        known += a.known;
        rounds += a.rounds;
        a.known = kernel_carry(method, m, &a);
        t_end = a.t + a.h;
        a.t = a.t_new;
        a.steps++;
        done++;
        if (keeps && project_verifies(a.steps) && !KERNEL_RESTS(method, p, m, rhs, gradients, user, k, a.t))
            goes_on = 0;
    }
out:
    if (begun) kernel_forget_series(p, m);
    if (done > 0) kernel_end(method, p, m, k, t_end);
    k->t = a.t;
    k->steps = a.steps;
    k->corrections = adaptive ? corrections : keeps ? done + a.corrections : 0;
    k->newton = adaptive ? newton : keeps ? done + a.newton : 0;
    k->rejected = all_rejected;
    k->calls = kernel_calls(method, m, done, all_rejected, known, rounds, keeps) + KERNEL_LOOKS(method, k);
    return done;
}
#endif
