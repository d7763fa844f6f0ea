/* lanes.h - the kernel of core/kernel.h for KEEL_LANES runs side by side, each with its own clock, step, size
 * and status: explicit Runge-Kutta methods, fixed steps or steps by their error, rows watched or kept.
 *
 * The arithmetic is that of a single run, text and bits.  What differs from run to run is a choice between
 * two results (keel_select), not a branch.  What is rare is left to the core, one run at a time: the call
 * ends as soon as a run wants that, has taken its steps, or is near its end; the others are held, and go on
 * with the next call.  A compiled model has this header as text behind those of kernel_state.h, project.h
 * and step_control.h. */
#ifndef KEEL_CORE_LANES_H
#define KEEL_CORE_LANES_H

/* Numbers by state, row or parameter, each for all lanes; locals of a compiled model. */
struct lanes_workspace {
    keel_real *first_x, *first_f; /* as they come in and go out; x and f can stay in registers */
    keel_real *x, *f, *next, *k, *stage, *dx, *begin, *gradients, *error, *split, *scale, *limit;
    keel_real *largest, *inverse_weight, *atol;               /* by state */
    keel_real *reference, *size, *beyond, *worst, *off, *was; /* by row; off: before the correction */
    const struct project *general; /* for runs whose two short rows cancel, with a row space of its own */
    keel_fn *terms;                /* device: of the rows; 0: none */
    void *user;
};

/* The runs, and what a call finds out. */
struct lanes {
    struct keel_kernel_state *k[KEEL_LANES]; /* a lane without a run repeats another one, whose `own` is 0 */
    int own[KEEL_LANES];
    keel_truth live, stop; /* lanes with a run; those whose steps end here */
    keel_truth general;    /* those whose projection has the general row space, where it need not be */
    keel_real t, base, h, t_new, number, direction, rtol, error;
    keel_real wanted, longest, t_end, h_next, error_before; /* steps by their error */
    long done[KEEL_LANES], steps[KEEL_LANES], rejected[KEEL_LANES], all_rejected[KEEL_LANES];
    long corrections[KEEL_LANES], newton[KEEL_LANES]; /* by the core; further iterations */
    /* Fixed steps: so many to come in which nothing is due, and so many taken that are not counted yet. */
    long quiet, uncounted;
};

static inline keel_truth lanes_finite(int n, const keel_real *x) {
    keel_real sum = keel_lift(0.0);
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) sum += x[i] * 0.0;
    return sum == 0.0;
}

static inline void lanes_choose(int n, keel_truth truth, const keel_real *a, keel_real *b) {
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) b[i] = keel_select(truth, a[i], b[i]);
}

static inline void lanes_stop(struct lanes *l, keel_truth which, int due) {
    which &= l->live & ~l->stop;
    for (int i = 0; i < KEEL_LANES; i++)
        if (which[i]) l->k[i]->due |= due;
    l->stop |= which;
}

/* Begin and end ----------------------------------------------------------------------------------------- */

#define LANES_IN(count, to, from) \
    for (int j = 0; j < (count); j++) (to)[j][i] = (from)[j]
#define LANES_OUT(count, from, to) \
    for (int j = 0; j < (count); j++) (to)[j] = (from)[j][i]

static inline void lanes_load(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                              struct keel_kernel_state *const *state, int adaptive) {
    const struct keel_kernel_state *first = 0;
    struct lanes none = {0};
    *l = none;
    for (int i = KEEL_LANES; i-- > 0;)
        if (state[i]) first = state[i];
    for (int i = 0; i < KEEL_LANES; i++) {
        const struct keel_kernel_state *k = state[i] ? state[i] : first;
        l->k[i] = state[i] ? state[i] : (struct keel_kernel_state *)first;
        l->own[i] = state[i] != 0;
        l->live[i] = state[i] ? -1 : 0;
        l->t[i] = k->t, l->base[i] = k->base, l->h[i] = k->h, l->number[i] = (double)k->first;
        l->steps[i] = k->steps;
        LANES_IN(p->n, m->first_x, k->x);
        LANES_IN(p->n, m->first_f, k->f);
        if (k->treatment == KERNEL_FREE && !adaptive) continue;
        l->direction[i] = k->direction, l->rtol[i] = k->rtol;
        l->h_next[i] = k->h_next, l->error_before[i] = k->error_before;
        l->longest[i] = k->longest, l->t_end[i] = k->t_end;
        l->wanted[i] = step_control_min(k->h_next, k->longest);
        LANES_IN(p->n, m->atol, k->atol);
        if (k->treatment == KERNEL_FREE) continue;
        LANES_IN(p->n, m->largest, k->largest);
        LANES_IN(p->kept, m->reference, k->reference);
        LANES_IN(p->kept, m->worst, k->worst);
        LANES_IN(p->kept, m->was, k->residual);
        if (k->treatment == KERNEL_WATCHED) continue;
        LANES_IN(p->kept, m->size, k->size);
        LANES_IN(p->kept, m->beyond, k->beyond);
        LANES_IN(p->n, m->inverse_weight, k->inverse_weight);
        for (int j = 0; j < p->n && adaptive; j++)
            m->limit[j][i] = k->moved * project_tolerance(k->atol[j], k->rtol, k->largest[j]);
    }
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) m->x[j] = m->first_x[j], m->f[j] = m->first_f[j];
}

static inline void lanes_store(const struct lanes *l, const keel_rk *table, const struct project *p,
                               const struct lanes_workspace *m, int keeps, long *taken) {
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) m->first_x[j] = m->x[j], m->first_f[j] = m->f[j];
    for (int i = 0; i < KEEL_LANES; i++) {
        struct keel_kernel_state *k = l->k[i];
        if (!l->own[i]) continue;
        long done = taken[i] = l->done[i], attempts = done + l->all_rejected[i];
        k->held = !l->stop[i];
        k->t = l->t[i];
        k->steps = l->steps[i];
        k->h_next = l->h_next[i], k->error_before = l->error_before[i];
        k->rejected = l->all_rejected[i];
        k->corrections = keeps ? attempts - l->corrections[i] : 0;
        k->newton = keeps ? attempts - l->corrections[i] + l->newton[i] : 0;
        k->calls = attempts * (table->stages - 1) + (keeps || !table->last_is_end ? done : 0);
        if (done == 0) continue;
        LANES_OUT(p->n, m->first_x, k->x);
        LANES_OUT(p->n, m->first_f, k->f);
        if (k->treatment == KERNEL_FREE) continue;
        LANES_OUT(p->n, m->largest, k->largest);
        LANES_OUT(p->kept, m->worst, k->worst);
        LANES_OUT(p->kept, m->was, k->residual);
#ifdef KEEL_DEVICE
        if (keeps) LANES_OUT(p->kept, m->size, k->size);
        if (keeps) LANES_OUT(p->n, m->inverse_weight, k->inverse_weight);
#endif
    }
}

/* What the core does for one run ------------------------------------------------------------------------ */

static inline void lanes_residual(const struct project *p, const struct lanes_workspace *m, keel_fn *values,
                                  void *user, keel_real t) {
    values(t, m->next, p->residual, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) p->residual[i] -= m->reference[i];
}

#ifndef KEEL_DEVICE
/* Sizes of the rows are due.  0, or they cannot be had. */
static inline int lanes_grow(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                             int i) {
    struct keel_kernel_state *k = l->k[i];
    LANES_OUT(p->n, m->begin, k->trial);
    LANES_OUT(p->kept * p->n, m->gradients, k->jacobian);
    LANES_OUT(p->kept, m->worst, k->worst);
    int bad = k->grow(k, l->t_new[i]);
    LANES_IN(p->kept, m->worst, k->worst);
    LANES_IN(p->kept, m->size, k->size);
    return bad;
}

/* All of a projection.  0, or it cannot be done. */
static inline int lanes_again(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                              int i) {
    struct keel_kernel_state *k = l->k[i];
    LANES_OUT(p->n, m->begin, k->trial);
    LANES_OUT(p->kept, m->worst, k->worst);
    k->steps = l->steps[i] + l->uncounted;
    if (k->again(k, l->t_new[i]) != 0) return 1;
    const struct project *to = p->two_short && !k->space->pair ? m->general : p;
    l->general[i] = p->two_short && !k->space->pair ? -1 : 0;
    LANES_IN(p->kept, m->worst, k->worst);
    LANES_IN(p->kept, m->size, k->size);
    LANES_IN(p->n, m->next, k->trial);
    LANES_IN(p->kept, p->residual, k->residual);
    const double *q = (const double *)k->space->q, *r = (const double *)k->space->r;
    const double *inverse = (const double *)k->space->inverse;
    LANES_IN(p->kept * p->width, to->space->q, q);
    LANES_IN(p->kept * p->kept, to->space->r, r);
    LANES_IN(p->kept, to->space->inverse, inverse);
    LANES_IN(p->kept * p->n, m->gradients, k->jacobian);
    l->corrections[i]++;
    return 0;
}

/* A state of run i has outgrown its size: weights and limits follow. */
static inline void lanes_weigh(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                               int i, int adaptive) {
    struct keel_kernel_state *k = l->k[i];
    LANES_OUT(p->n, m->largest, k->largest);
    k->weigh(k);
    LANES_IN(p->n, m->inverse_weight, k->inverse_weight);
    for (int j = 0; j < p->n && adaptive; j++)
        m->limit[j][i] = k->moved * project_tolerance(k->atol[j], k->rtol, k->largest[j]);
}
#else
/* On another processor there is no core: sizes grow here, as rows_grow and manifold_weigh let them, and a
 * step whose projection needs more is left to core/step.c. */
static inline void lanes_certify(struct lanes *l, const struct project *p, const struct lanes_workspace *m) {
    struct keel_kernel_state *k = l->k[0];
    for (int i = 0; i < p->kept; i++) {
        double off = m->worst[i][0], units = project_in_units(m->worst[i], m->size[i])[0];
        if (off > k->drift[i]) k->drift[i] = off;
        if (units > k->units[i]) k->units[i] = units;
        m->worst[i] = keel_lift(0.0);
    }
}

static inline int lanes_grow(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                             int i) {
    keel_real terms[KEEL_LANES_ROWS] = {};
    (void)i;
    if (!lanes_finite(p->kept * p->n, m->gradients)[0]) return 1;
    if (m->terms) m->terms(l->t_new, m->begin, terms, m->user);
    if (!lanes_finite(p->kept, terms)[0]) return 1;
    lanes_certify(l, p, m);
    KEEL_RK_UNROLL for (int row = 0; row < p->kept; row++) {
        keel_real fresh =
            project_size(p->n, m->reference[row], m->gradients + row * p->n, m->begin, m->largest) +
            keel_abs(terms[row]);
        m->size[row] = keel_select(fresh > m->size[row], fresh, m->size[row]);
    }
    return 0;
}

static inline int lanes_again(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                              int i) {
    (void)p, (void)m, (void)i;
    l->k[0]->due = 1;
    return 1;
}

static inline void lanes_weigh(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                               int i, int adaptive) {
    const struct keel_kernel_state *k = l->k[0];
    if (k->weighs) project_weigh(p->n, m->largest, k->least, k->spread, m->inverse_weight);
    for (int j = 0; j < p->n && adaptive; j++)
        m->limit[j][i] = k->moved * project_tolerance(k->atol[j], k->rtol, m->largest[j][i]);
}
#endif

/* Projection -------------------------------------------------------------------------------------------- */

static inline keel_truth lanes_hold(const struct project *p) {
    keel_truth hold = keel_always;
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) hold &=
        keel_abs(p->residual[i]) <= p->units * project_unit(p->size[i]);
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

/* One iteration from x, by the gradients that stand; fresh: they are new. */
static inline void lanes_iterate_general(const struct project *p, keel_real *x, int fresh) {
    keel_real floor_of[KEEL_LANES_ROWS];
    for (int i = 0; i < p->kept && fresh; i++) {
        keel_truth off = keel_abs(p->residual[i]) > p->units * project_unit(p->size[i]);
        floor_of[i] = keel_select(off, keel_lift(MANIFOLD_DEPENDENT), keel_lift(MANIFOLD_NEARLY));
        rowspace_set(p->space, i, p->n, project_gradient(p, i), p->inverse_weight);
    }
    if (fresh) rowspace_factor_lanes(p->space, floor_of);
    project_shortest(p);
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) x[j] += p->d[j] * p->inverse_weight[j];
}

static inline void lanes_iterate(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                 keel_real *x, int fresh) {
    if (!p->two_short) {
        lanes_iterate_general(p, x, fresh);
        return;
    }
    keel_real other[4];
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) other[i] = x[i];
    keel_truth good = project_two_short(p, x);
    l->general = ~good;
    if (__builtin_expect(keel_all(good), 1)) return;
    lanes_iterate_general(m->general, other, fresh);
    lanes_choose(p->n, ~good, other, x);
}

/* Further iterations of those in `open`, while they contract tenfold; returns who does not arrive. */
static inline keel_truth lanes_iterate_again(struct lanes *l, const struct project *p,
                                             const struct lanes_workspace *m, keel_fn *values, void *user,
                                             keel_truth open) {
    keel_real before = lanes_worst(p, m->off), worst = lanes_worst(p, p->residual);
    keel_truth left = open, at_work = open & (worst <= 0.1 * before) & (worst < before);
    while (keel_any(at_work)) {
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->split[i] = m->next[i];
        lanes_iterate(l, p, m, m->split, 0);
        lanes_choose(p->n, at_work, m->split, m->next);
        lanes_residual(p, m, values, user, l->t_new);
        for (int i = 0; i < KEEL_LANES; i++) l->newton[i] += at_work[i] != 0;
        left &= ~(at_work & lanes_hold(p));
        before = worst;
        worst = lanes_worst(p, p->residual);
        at_work &= left & (worst <= 0.1 * before) & (worst < before);
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

/* Brings next to the manifold where `want` says so; returns where that was done.  The rate of a fixed step is
 * in stage then. */
static inline keel_truth lanes_project(struct lanes *l, const struct project *p,
                                       const struct lanes_workspace *m, keel_fn *rhs, keel_fn *values,
                                       keel_fn *gradients, void *user, int adaptive, keel_truth want) {
    lanes_residual(p, m, values, user, l->t_new);
    if (!adaptive) {
        keel_truth beyond = {0};
        KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) beyond |= keel_abs(p->residual[i]) > m->beyond[i];
        if (__builtin_expect(keel_any(beyond & want), 0)) lanes_stop(l, beyond & want, 1);
        want &= ~beyond;
    }
    gradients(l->t_new, m->next, m->gradients, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->begin[i] = m->next[i];
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) m->off[i] = p->residual[i];
    keel_truth starved = {0};
    for (int i = 0; i < KEEL_LANES && l->quiet == 0; i++)
        if (l->own[i] && want[i] && project_due(l->steps[i]) && lanes_grow(l, p, m, i)) starved[i] = -1;
    keel_truth good = ~starved;
    lanes_iterate(l, p, m, m->next, 1);
    if (!adaptive) rhs(l->t_new, m->next, m->stage, user);
    lanes_residual(p, m, values, user, l->t_new);
    keel_truth open = want & l->live & ~(good & lanes_hold(p));
    if (__builtin_expect(keel_any(open), 0)) {
        keel_truth lost = lanes_insist(l, p, m, values, user, open, good);
        if (keel_any(lost)) lanes_stop(l, lost, 0);
        want &= ~lost;
        if (!adaptive) rhs(l->t_new, m->next, m->stage, user);
    }
    return adaptive ? want : want & lanes_finite(p->n, m->next);
}
#endif
