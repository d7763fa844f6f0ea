/* lanes_steps.h - see lanes.h: the loops over steps, fixed or by their error.  A compiled model has this
 * header as text behind that one. */
#ifndef KEEL_CORE_LANES_STEPS_H
#define KEEL_CORE_LANES_STEPS_H

/* How rows are kept: by weights on states, or, as core/lanes_motion.h has it, by masses. */
#ifndef LANES_PROJECT
#define LANES_PROJECT lanes_project
#define LANES_TANGENT lanes_tangent
#define LANES_MEASURE lanes_measure
#endif

/* After a step ------------------------------------------------------------------------------------------ */

/* A step of the runs in `done` stands, and is counted.  The rows at its end: the largest residuals, sizes,
 * and now and then whether they rest. */
static inline void lanes_measure(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                 keel_fn *gradients, void *user, keel_truth done, int keeps, int adaptive) {
    lanes_take_in(p, m, done);
    if (lanes_may_outgrow(p, m, m->x)) {
        keel_truth outgrown = lanes_outgrow(p, m, done);
        if (keeps && keel_any(outgrown)) lanes_weigh(l, p, m, outgrown, adaptive);
    }
    if (lanes_was_quiet(l, done) || !keeps) return;
    lanes_keep_sizes(l, p, m, done);
    keel_truth looks = lanes_looks(l, done);
    if (!keel_any(looks)) return;
    gradients(adaptive ? l->t : lanes_time(l, 0), m->x, m->gradients, user);
    lanes_verify(l, p->n, p->kept, m->gradients, m->f, l->k[0]->share, looks);
}

/* Watched rows are due before their next step; all steps that were asked for are taken. */
static inline void lanes_before(struct lanes *l, int watches) {
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!l->own[i] || l->stop[i]) continue;
        if (l->done[i] >= l->k[i]->count) l->stop[i] = -1;
        else if (watches && l->rejected[i] == 0 && project_due(lanes_steps(l, i) + 1))
            l->k[i]->due = 1, l->stop[i] = -1;
    }
}

/* Fixed steps ------------------------------------------------------------------------------------------- */

/* What depends on the number of a step is asked for where it may be due; other steps are counted ahead.
 * After s > 64 steps there are so many of these. */
static inline long lanes_quiet(long s, int keeps) {
    long period = keeps ? 16 : 64, rest = s % period;
    return s <= 64 || rest == 0 ? 0 : period - 1 - rest;
}

/* Those of them that are not taken. */
static inline void lanes_take_back(struct lanes *l) {
    for (int i = 0; i < KEEL_LANES; i++) l->done[i] -= l->quiet;
    l->quiet = 0;
}

/* Of the runs that are left. */
static inline void lanes_plan(struct lanes *l, int keeps) {
    long quiet = 64;
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!l->own[i]) continue;
        long left = l->k[i]->count - l->done[i], calm = lanes_quiet(lanes_steps(l, i), keeps);
        quiet = left < quiet ? left : quiet;
        quiet = calm < quiet ? calm : quiet;
    }
    l->quiet = (int)quiet;
    for (int i = 0; i < KEEL_LANES; i++) l->done[i] += (int)quiet;
}

static inline long lanes_least(const struct lanes *l) {
    long least = l->k[0]->count;
    for (int i = 1; i < KEEL_LANES; i++)
        if (l->k[i]->count < least) least = l->k[i]->count;
    return least;
}

/* With nothing to measure: the core finds out about what is not finite. */
static inline void lanes_plain(const keel_rk *table, const struct project *p, const struct lanes_workspace *m,
                               keel_fn *rhs, void *user, struct keel_kernel_state *const *state,
                               long *taken) {
    struct lanes l;
    lanes_load(&l, p, m, state, 0, 0);
    const keel_real *last = m->k + (table->stages - 1) * p->n;
    keel_real t = l.t, base = l.base, h = l.h, number = l.number;
    for (long left = lanes_least(&l); left > 0; left--) {
        keel_rk_step(table, p->n, rhs, user, t, h, m->x, m->f, m->k, m->stage, m->dx);
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->x[i] += m->dx[i];
        number += 1.0;
        t = base + number * h;
        if (!table->last_is_end) rhs(t, m->x, m->f, user);
        KEEL_RK_UNROLL for (int i = 0; i < p->n && table->last_is_end; i++) m->f[i] = last[i];
    }
    l.t = t;
    long count = lanes_least(&l);
    for (int i = 0; i < KEEL_LANES; i++) l.done[i] = (int)count;
    l.stop = l.live;
    lanes_store(&l, table, p, m, 0, 0, taken);
}

static inline void lanes_note_all(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                  keel_truth which) {
    for (int i = 0; i < KEEL_LANES; i++)
        if (which[i] && l->own[i]) lanes_note(l, p, m, i);
}

/* A step that not all runs could take: the end of the call. */
static inline void lanes_end(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                             keel_fn *gradients, void *user, keel_truth done, int keeps) {
    lanes_stop(l, ~done, 0);
    done &= ~l->stop;
    if (keeps) lanes_note_all(l, p, m, l->beyond & done);
    lanes_choose(p->n, done, m->next, m->x);
    lanes_choose(p->n, done, m->stage, m->f);
    l->t = keel_select(done, l->t_new, l->t);
    lanes_take_back(l);
    LANES_MEASURE(l, p, m, gradients, user, done, keeps, 0);
}

/* One step of every run; 0: one of them stops. */
static inline int lanes_step(struct lanes *l, const keel_rk *table, const struct project *p,
                             const struct lanes_workspace *m, keel_fn *rhs, keel_fn *values,
                             keel_fn *gradients, void *user, int keeps) {
#ifndef KEEL_DEVICE
    if (m->glide) lanes_glides(l, p, m, user, keeps);
#endif
    if (l->quiet == 0) {
        lanes_before(l, !keeps);
        if (keel_any(l->stop)) return 0;
        if (!m->glide) lanes_plan(l, keeps);
    }
    keel_rk_step(table, p->n, rhs, user, lanes_time(l, 0), l->h, m->x, m->f, m->k, m->stage, m->dx);
    l->t_new = lanes_time(l, 1);
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->next[i] = m->x[i] + m->dx[i];
    keel_truth done = l->live;
    if (keeps) done = LANES_PROJECT(l, p, m, rhs, values, gradients, user, 0, done);
    else {
        lanes_residual(p, m, values, user, l->t_new);
        done &= lanes_finite(p->n, m->next) & lanes_finite(p->kept, p->residual);
        if (table->last_is_end)
            for (int i = 0; i < p->n; i++) m->stage[i] = m->k[(table->stages - 1) * p->n + i];
        else rhs(l->t_new, m->next, m->stage, user);
    }
    if (__builtin_expect(keel_any(l->live & ~done), 0)) {
        lanes_end(l, p, m, gradients, user, done, keeps);
        return 0;
    }
    if (keeps && __builtin_expect(keel_any(l->beyond), 0)) lanes_note_all(l, p, m, l->beyond);
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->x[i] = m->next[i], m->f[i] = m->stage[i];
    l->t = l->t_new;
    l->number += 1.0;
    LANES_MEASURE(l, p, m, gradients, user, keel_always, keeps, 0);
    return !keel_any(l->stop);
}

static inline void lanes_fixed(const keel_rk *table, const struct project *p, const struct lanes_workspace *m,
                               keel_fn *rhs, keel_fn *values, keel_fn *gradients, void *user,
                               struct keel_kernel_state *const *state, long *taken, int keeps) {
    struct lanes l;
    lanes_load(&l, p, m, state, keeps, 0);
    while (lanes_step(&l, table, p, m, rhs, values, gradients, user, keeps)) {}
    lanes_store(&l, table, p, m, keeps, 0, taken);
}

/* Steps by their error ---------------------------------------------------------------------------------- */

/* Where attempts of the lengths wanted end; runs that are too near to t_end, or too slow, stop. */
static inline void lanes_aim(struct lanes *l) {
    keel_truth near = ~(l->wanted <= 0.5 * keel_abs(l->t_end - l->t));
    l->t_new = l->t + l->wanted * l->direction;
    l->h = l->t_new - l->t;
    keel_real length = keel_abs(l->h);
    near |= ~((length > 4 * 2.2204460492503131e-16 * keel_abs(l->t)) & (length >= 1e-300));
    if (keel_any(near & l->live)) lanes_stop(l, near, 0);
}

static inline keel_real lanes_combined(const keel_error_norm *norm, const keel_real *squares) {
    return norm ? keel_error_size(norm, squares[0], squares[1]) : keel_sqrt(squares[0]);
}

static inline keel_real lanes_raw(const struct lanes *l, const struct project *p,
                                  const struct lanes_workspace *m, const keel_error_norm *norm) {
    keel_real squares[2];
    step_control_scales(p->n, m->x, m->next, m->atol, l->rtol, m->scale);
    step_control_spare(p->n, p->direction, m->scale);
    KEEL_RK_UNROLL for (int e = 0; e < (norm ? 2 : 1); e++) squares[e] =
        step_control_square(p->n, m->error + e * p->width, m->scale);
    return lanes_combined(norm, squares);
}

/* Removes from the first or second estimate what a correction takes care of. */
static inline void lanes_tangent(const struct lanes *l, const struct project *p,
                                 const struct lanes_workspace *m, keel_real *error) {
    project_tangent(p, error);
    if (p->two_short && keel_any(l->general & l->live)) {
        keel_real other[4] = {{0}};
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) other[i] = m->split[i];
        project_tangent(m->general, other);
        lanes_choose(p->n, l->general, other, error);
    }
}

/* The error along the manifold and across it; split: the parts across. */
static inline keel_real lanes_error(const struct lanes *l, const struct project *p,
                                    const struct lanes_workspace *m, const keel_error_norm *norm) {
    keel_real along[2], across[2];
    KEEL_RK_UNROLL for (int e = norm ? 1 : 0; e >= 0; e--) { /* the parts of the first one stay */
        keel_real *error = m->error + e * p->width;
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->split[i] = error[i];
        LANES_TANGENT(l, p, m, error);
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->split[i] -= error[i];
        across[e] = step_control_square(p->n, m->split, m->scale);
        along[e] = step_control_square(p->n, error, m->scale);
    }
    return step_control_weighed(lanes_combined(norm, along), lanes_combined(norm, across));
}

/* Estimates that may have vanished are for the core. */
static inline void lanes_unblind(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                 keel_truth there) {
    keel_truth blind = there & (l->error <= CONTROL_BLIND);
    if (!keel_any(blind)) return;
    blind &= l->error <= 16 * 2.2204460492503131e-16 * keel_sqrt(step_control_square(p->n, m->dx, m->scale));
    for (int i = 0; i < KEEL_LANES; i++)
        if (!step_control_unseen(l->h[i], l->longest[i], project_due(lanes_steps(l, i)))) blind[i] = 0;
    lanes_stop(l, blind, 1);
}

static inline double lanes_way(const struct lanes_workspace *m, int j, int i) {
    return __builtin_fabs(m->next[j][i] - (m->x[j][i] + m->dx[j][i]));
}

/* Is a correction of more than a tolerance explained by the error of the step, as core/correction.c asks?
 * Where weights follow sizes; else that is for the core. */
static inline int lanes_explained(const struct lanes *l, const struct project *p,
                                  const struct lanes_workspace *m, int i) {
    const struct keel_kernel_state *k = l->k[i];
    double most[KEEL_LANES_STATES], error = 0;
    if (!k->weighs) return 0;
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) {
        double size = 0;
        KEEL_RK_UNROLL for (int s = 0; s < p->n; s++) size =
            step_control_max(size, k->spread[j * p->n + s] * m->largest[s][i]);
        most[j] =
            step_control_max(project_tolerance(k->atol[j], k->rtol, size), 4 * 2.2204460492503131e-16 * size);
        error = step_control_max(error, __builtin_fabs(m->error[j][i] + m->split[j][i]) / most[j]);
    }
    double allowed = 0.999 * step_control_max(1, 10 * error);
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) if (!(lanes_way(m, j, i) <= most[j] * allowed)) return 0;
    return 1;
}

/* Corrections that are larger than any before: those of more than a tolerance are for the core, unless it is
 * known what it says. */
static inline keel_truth lanes_moved(struct lanes *l, const struct project *p,
                                     const struct lanes_workspace *m, keel_truth done) {
    keel_truth moved = {0};
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) moved |=
        keel_abs(m->next[i] - (m->x[i] + m->dx[i])) > m->limit[i];
    moved &= done & l->live;
    if (!keel_any(moved)) return moved;
    for (int i = 0; i < KEEL_LANES; i++) {
        const struct keel_kernel_state *k = l->k[i];
        int far = 0;
        KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) far |=
            lanes_way(m, j, i) > project_tolerance(k->atol[j], k->rtol, m->largest[j][i]);
        if (!moved[i] || !l->own[i] || !far || lanes_explained(l, p, m, i)) continue;
        l->k[i]->due = 1;
        l->stop[i] = -1;
    }
    return moved & ~l->stop;
}

/* They stand in the record. */
static inline void lanes_enter(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                               keel_truth moved) {
    for (int i = 0; i < KEEL_LANES; i++) {
        struct keel_kernel_state *k = l->k[i];
        if (!moved[i] || !l->own[i]) continue;
        for (int j = 0; j < p->n; j++) {
            double one = project_tolerance(k->atol[j], k->rtol, m->largest[j][i]);
            if (lanes_way(m, j, i) > k->moved * one) k->moved_state = j, k->moved = lanes_way(m, j, i) / one;
        }
        k->moved_t = l->t_new[i];
        l->moved[i] = k->moved;
    }
    lanes_limit(l, p, m);
}

/* The next step of each run: after an accepted one, or once more. */
static inline void lanes_control(struct lanes *l, keel_truth there, keel_truth done) {
    enum { MOST_REJECTED = 60 };
    keel_truth again = {0}, moves = there & l->live & ~l->stop;
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!moves[i]) continue;
        if (done[i] ? l->rejected[i] > 0 : 1) again[i] = -1;
        if (done[i]) l->all_rejected[i] += l->rejected[i], l->rejected[i] = 0;
        else if (!(l->error[i] < 1e300) || l->rejected[i]++ == MOST_REJECTED) l->stop[i] = -1;
    }
    moves &= ~l->stop;
    keel_real before = l->error_before;
    keel_real next = step_control_next(l->k[0]->order, keel_abs(l->h), l->error, again, &before);
    l->error_before = keel_select(moves, before, l->error_before);
    keel_real bounded = keel_select(next < l->longest, next, l->longest);
    l->wanted = keel_select(moves, keel_select(done, bounded, next), l->wanted);
    l->h_next = keel_select(moves & done, bounded, l->h_next);
}

/* One attempt of every run; 0: one of them stops. */
static inline int lanes_attempt(struct lanes *l, const keel_rk *table, const struct project *p,
                                const struct lanes_workspace *m, keel_fn *rhs, keel_fn *values,
                                keel_fn *gradients, const keel_error_norm *norm, void *user, int keeps) {
    int watches = !keeps && p->kept > 0 && l->k[0]->treatment == KERNEL_WATCHED;
    lanes_before(l, watches);
    lanes_aim(l);
    if (keel_any(l->stop)) return 0;
    keel_rk_step(table, p->n, rhs, user, l->t, l->h, m->x, m->f, m->k, m->stage, m->dx);
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) m->next[i] = m->x[i] + m->dx[i];
    keel_truth there = l->live & lanes_finite(p->n, m->next);
    keel_rk_errors(table, p->n, norm ? 2 : 1, p->width, m->k, l->h, m->error);
    KEEL_RK_UNROLL for (int e = 0; e < (norm ? 2 : 1); e++) there &=
        lanes_finite(p->n, m->error + e * p->width);
    l->error = lanes_raw(l, p, m, norm);
    if (keeps) {
        keel_truth want = there & ~(l->error > CONTROL_HOPELESS);
        keel_truth held = LANES_PROJECT(l, p, m, rhs, values, gradients, user, 1, want);
        there &= ~(want & ~held);
        keel_real parts = lanes_error(l, p, m, norm);
        l->error = keel_select(want & (parts <= l->error), parts, l->error); /* at most that of the whole */
    }
    if (keel_any(l->live & ~there)) lanes_stop(l, ~there, 0);
    lanes_unblind(l, p, m, there);
    keel_truth done = there & (l->error <= 1.0) & ~l->stop, moved = {0};
    if (keeps) moved = lanes_moved(l, p, m, done);
    if (watches) lanes_residual(p, m, values, user, l->t_new);
    if (watches) lanes_stop(l, done & ~lanes_finite(p->kept, p->residual), 0);
    if (table->last_is_end && !keeps)
        for (int i = 0; i < p->n; i++) m->stage[i] = m->k[(table->stages - 1) * p->n + i];
    else {
        rhs(l->t_new, m->next, m->stage, user);
        lanes_stop(l, done & ~lanes_finite(p->n, m->stage), 0);
    }
    done &= ~l->stop;
    if (keel_any(moved & done)) lanes_enter(l, p, m, moved & done);
    lanes_control(l, there, done);
    lanes_choose(p->n, done, m->next, m->x);
    lanes_choose(p->n, done, m->stage, m->f);
    l->t = keel_select(done, l->t_new, l->t);
    if (keeps || watches) LANES_MEASURE(l, p, m, gradients, user, done, keeps, 1);
    else lanes_count(l, done);
    return 1;
}

static inline void lanes_adaptive(const keel_rk *table, const struct project *p,
                                  const struct lanes_workspace *m, keel_fn *rhs, keel_fn *values,
                                  keel_fn *gradients, const keel_error_norm *norm, void *user,
                                  struct keel_kernel_state *const *state, long *taken, int keeps) {
    struct lanes l;
    lanes_load(&l, p, m, state, keeps, 1);
    while (lanes_attempt(&l, table, p, m, rhs, values, gradients, norm, user, keeps)) {}
    lanes_store(&l, table, p, m, keeps, 1, taken);
}
#endif
