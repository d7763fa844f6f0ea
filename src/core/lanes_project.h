/* lanes_project.h - see lanes.h: bringing the runs of all lanes to their manifolds.  A compiled model has
 * this header as text behind that one. */
#ifndef KEEL_CORE_LANES_PROJECT_H
#define KEEL_CORE_LANES_PROJECT_H

static inline keel_truth lanes_hold(const struct project *p) {
    keel_truth hold = keel_always;
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) hold &= keel_abs(p->residual[i]) <= p->allowed[i];
    return hold;
}

static inline keel_real lanes_worst(const struct project *p, const keel_real *residual) {
    keel_real worst = keel_lift(0.0);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) {
        keel_real units = project_in_units(residual[i], p->size[i]);
        worst = keel_select((units <= worst) | (worst != worst), worst, units);
    }
    return worst;
}

/* One iteration from x, by the gradients that stand; fresh: their row space is wanted, too, by the residuals
 * of where they were taken. */
static inline void lanes_iterate_general(const struct project *p, const keel_real *residual, keel_real *x,
                                         int fresh) {
    keel_real floor_of[KEEL_LANES_ROWS];
    for (int i = 0; i < p->kept && fresh; i++) {
        keel_truth off = keel_abs(residual[i]) > p->allowed[i];
        floor_of[i] = keel_select(off, keel_lift(MANIFOLD_DEPENDENT), keel_lift(MANIFOLD_NEARLY));
        rowspace_set(p->space, i, p->n, project_gradient(p, i), p->inverse_weight);
    }
    if (fresh) rowspace_factor_lanes(p->space, floor_of);
    project_shortest(p);
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) x[j] += p->d[j] * p->inverse_weight[j];
}

/* On a device a row space that is hardly ever wanted is found again: it would take registers from all.  So
 * are gradients and residuals of a fixed step, which it reads once: to store them would take its time. */
#ifdef KEEL_DEVICE
#define LANES_FRESH(fresh) 1
#define LANES_BRIEF(adaptive) (!(adaptive))
#else
#define LANES_FRESH(fresh) (fresh)
#define LANES_BRIEF(adaptive) 0
#endif

/* Gradients and residuals of p to where what is rare looks for them. */
static inline void lanes_lay_aside(const struct project *p, const struct lanes_workspace *m) {
    KEEL_RK_UNROLL for (int i = 0; i < p->kept * p->n; i++) m->gradients[i] = p->jacobian[i];
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) m->off[i] = p->residual[i];
}

static inline void lanes_iterate(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                 keel_real *x, int fresh) {
    if (!p->two_short) {
        lanes_iterate_general(p, fresh ? p->residual : m->off, x, fresh);
        return;
    }
    keel_real d[4] = {0}, other[4];
    keel_truth good = project_two_short(p, d);
    l->general = ~good;
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) other[i] = x[i], x[i] -= d[i];
    if (__builtin_expect(keel_all(good), 1)) return;
    if (fresh) lanes_lay_aside(p, m);
    LANES_RARE;
    lanes_iterate_general(m->general, m->off, other, LANES_FRESH(fresh));
    lanes_choose(p->n, ~good, other, x);
}

/* Have residuals contracted tenfold, in units?  Mostly products tell, |after_i| s_k <= 0.09 |before_k| s_i
 * for every i by some k, with nothing lost on the way; quotients are for the others. */
static inline keel_truth lanes_contract(const struct project *p, const keel_real *before,
                                        const keel_real *after, keel_truth asked) {
    keel_truth clear = keel_always;
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) {
        keel_truth below = {0};
        KEEL_RK_UNROLL for (int k = 0; k < p->kept; k++) {
            keel_real most = 0.09 * (keel_abs(before[k]) * p->size[i]);
            below |= (keel_abs(after[i]) * p->size[k] <= most) & (most > 1e-280) & (most < 1e280);
        }
        clear &= below;
    }
    if (keel_all(clear | ~asked)) return clear;
    keel_real was = lanes_worst(p, before), is = lanes_worst(p, after);
    return (is <= 0.1 * was) & (is < was);
}

/* Further iterations of those in `open`, while they contract; returns who does not arrive. */
static inline keel_truth lanes_iterate_again(struct lanes *l, const struct project *p,
                                             const struct lanes_workspace *m, keel_fn *values, void *user,
                                             keel_truth open) {
    keel_real last[KEEL_LANES_ROWS];
    keel_truth left = open, at_work = open;
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) last[i] = m->off[i];
    while (keel_any(at_work)) {
        at_work &= lanes_contract(p, last, p->residual, at_work);
        if (!keel_any(at_work)) break;
        LANES_RARE;
        KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) last[i] = p->residual[i];
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->split[i] = m->next[i];
        lanes_iterate(l, p, m, m->split, 0);
        lanes_choose(p->n, at_work, m->split, m->next);
        lanes_residual(p, m, values, user, l->t_new);
        for (int i = 0; i < KEEL_LANES; i++) l->newton[i] += at_work[i] != 0;
        left &= ~(at_work & lanes_hold(p));
        at_work &= left;
    }
    return left;
}

/* What one iteration did not bring to the manifold: more of them, then the core. */
static inline keel_truth lanes_insist(struct lanes *l, const struct project *p,
                                      const struct lanes_workspace *m, keel_fn *values, void *user,
                                      keel_truth open, keel_truth good) {
    keel_truth lost = {0}, left = lanes_iterate_again(l, p, m, values, user, open & good) | (open & ~good);
    for (int i = 0; i < KEEL_LANES; i++)
        if (left[i] && l->own[i] && lanes_again(l, p, m, i)) lost[i] = -1;
    return lost;
}

/* What lanes_lay_aside would have left, from where the projection began. */
static inline void lanes_look_back(const struct lanes *l, const struct project *p,
                                   const struct lanes_workspace *m, keel_fn *values, keel_fn *gradients,
                                   void *user) {
    gradients(l->t_new, m->begin, m->gradients, user);
    values(l->t_new, m->begin, m->off, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) m->off[i] -= m->reference[i];
    LANES_RARE;
}

/* Brings next to the manifold where `want` says so; returns where that was done.  The rate of a fixed step is
 * in stage then. */
static inline keel_truth lanes_project(struct lanes *l, const struct project *p,
                                       const struct lanes_workspace *m, keel_fn *rhs, keel_fn *values,
                                       keel_fn *gradients, void *user, int adaptive, keel_truth want) {
    lanes_residual(p, m, values, user, l->t_new);
    if (!adaptive) {
        keel_truth beyond = {0};
        KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) beyond |= keel_abs(p->residual[i]) > m->beyond[i];
#ifdef KEEL_DEVICE /* the whole step is for the core */
        if (__builtin_expect(keel_any(beyond & want), 0)) lanes_stop(l, beyond & want, 1);
        want &= ~beyond;
#endif
        l->beyond = beyond;
    }
    keel_real brief[KEEL_LANES_ROWS * KEEL_LANES_STATES];
    struct project first = *p;
    if (LANES_BRIEF(adaptive)) first.jacobian = brief;
    gradients(l->t_new, m->next, LANES_BRIEF(adaptive) ? brief : m->gradients, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->begin[i] = m->next[i];
    KEEL_RK_UNROLL for (int i = 0; i < p->kept && !LANES_BRIEF(adaptive); i++) m->off[i] = p->residual[i];
    keel_truth good = keel_always;
    if (l->quiet == 0) {
        keel_truth due = {0};
        for (int i = 0; i < KEEL_LANES; i++)
            if (l->own[i] && want[i] && project_due(lanes_steps(l, i))) due[i] = -1;
        if (keel_any(due)) {
            if (LANES_BRIEF(adaptive)) lanes_lay_aside(&first, m);
            good = ~lanes_grow(l, p, m, due);
        }
#ifdef KEEL_DEVICE
        lanes_stop(l, ~good, 1);
        want &= good;
        good = keel_always;
#endif
    }
    lanes_iterate(l, &first, m, m->next, 1);
    if (!adaptive) rhs(l->t_new, m->next, m->stage, user);
    lanes_residual(p, m, values, user, l->t_new);
    keel_truth open = want & l->live & ~(good & lanes_hold(p));
    if (__builtin_expect(keel_any(open), 0)) {
        if (LANES_BRIEF(adaptive)) lanes_look_back(l, p, m, values, gradients, user);
        keel_truth lost = lanes_insist(l, p, m, values, user, open, good);
        if (keel_any(lost)) lanes_stop(l, lost, 0);
        want &= ~lost;
        if (!adaptive) rhs(l->t_new, m->next, m->stage, user);
    }
    return adaptive || !lanes_may_outgrow(p, m, m->next) ? want : want & lanes_finite(p->n, m->next);
}
#endif
