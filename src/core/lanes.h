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

/* On a device what is rare takes its numbers from where they lie: to be kept for it they would take registers
 * from all that is not. */
#ifdef KEEL_DEVICE
#define LANES_RARE DEVICE_STEP
#else
#define LANES_RARE (void)0
#endif

struct lanes_glide;
typedef void lanes_glide_fn(struct lanes_glide *g, void *user); /* lanes_glide of a model */

/* Numbers by state, row or parameter, each for all lanes; locals of a compiled model. */
struct lanes_workspace {
    keel_real *first_x, *first_f; /* as they come in and go out; x and f can stay in registers */
    keel_real *x, *f, *next, *k, *stage, *dx, *begin, *gradients, *error, *split, *scale, *limit;
    keel_real *largest, *inverse_weight, *atol; /* by state */
    keel_real *least, *spread;                  /* as in the state of a kernel: by state, by state x state */
    /* By row; off: before the correction, was: after it, or 0 where that is found again. */
    keel_real *reference, *size, *beyond, *worst, *off, *was;
    const struct project *general; /* for runs whose two short rows cancel, with a row space of its own */
    keel_fn *terms;                /* of the rows; 0: none */
    void *user;
    lanes_glide_fn *glide; /* of fixed steps; 0: there is none */
};

/* The runs, and what a call finds out. */
struct lanes {
    struct keel_kernel_state *k[KEEL_LANES]; /* a lane without a run repeats another one, whose `own` is 0 */
    int own[KEEL_LANES];
    keel_truth live, stop; /* lanes with a run; those whose steps end here */
    keel_truth weighs;     /* those whose weights follow sizes */
    keel_truth beyond;     /* fixed steps: those whose correction the core is to look at */
    keel_truth general;    /* those whose projection has the general row space, where it need not be */
    keel_truth grown;      /* those whose sizes of rows have grown, in a step that does not stand yet */
    keel_real t, base, h, t_new, number, direction, rtol, error;
    keel_real wanted, longest, t_end, h_next, error_before, moved;        /* steps by their error */
    long begun[KEEL_LANES];                                               /* steps before this call */
    int done[KEEL_LANES], rejected[KEEL_LANES], all_rejected[KEEL_LANES]; /* and in it */
    int corrections[KEEL_LANES], newton[KEEL_LANES]; /* by the core; further iterations */
    int quiet; /* fixed steps to come in which nothing is due; they are counted already */
};

/* Steps of the run. */
static inline long lanes_steps(const struct lanes *l, int i) {
#ifdef KEEL_DEVICE /* what is carried along takes registers */
    return l->k[i]->steps + l->done[i];
#else
    return l->begun[i] + l->done[i];
#endif
}

/* Where fixed steps end: that which is next, or, for `more` = 0, the last one. */
static inline keel_real lanes_time(const struct lanes *l, int more) {
#ifdef KEEL_DEVICE
    const struct keel_kernel_state *k = l->k[0];
    long done = l->done[0] - l->quiet;
    return done + more ? k->base + (double)(k->first + done + more) * l->h : k->t;
#else
    return more ? l->base + (l->number + 1.0) * l->h : l->t;
#endif
}

static inline keel_truth lanes_finite(int n, const keel_real *x) {
    keel_real sum = keel_lift(0.0);
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) sum += x[i] * 0.0;
    return sum == 0.0;
}

static inline void lanes_choose(int n, keel_truth truth, const keel_real *a, keel_real *b) {
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) b[i] = keel_select(truth, a[i], b[i]);
}

/* What lies beside the registers of a device is written only where it is another. */
static inline void lanes_put(keel_truth truth, keel_real a, keel_real *to) {
#ifdef KEEL_DEVICE
    if (keel_all(truth)) *to = a;
#else
    *to = keel_select(truth, a, *to);
#endif
}

static inline void lanes_stop(struct lanes *l, keel_truth which, int due) {
    which &= l->live & ~l->stop;
    for (int i = 0; i < KEEL_LANES; i++)
        if (which[i]) l->k[i]->due |= due;
    l->stop |= which;
}

/* What a correction of state j is compared with. */
static inline keel_real lanes_tolerance(const struct lanes *l, const struct lanes_workspace *m, int j) {
    return m->atol[j] + l->rtol * m->largest[j];
}

static inline void lanes_limit(const struct lanes *l, const struct project *p,
                               const struct lanes_workspace *m) {
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) m->limit[j] = l->moved * lanes_tolerance(l, m, j);
}

/* What residuals may be, once sizes are others. */
static inline void lanes_allow(const struct lanes *l, const struct project *p) {
    double units = l->k[0]->allowed;
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) p->allowed[i] = units * project_unit(p->size[i]);
}

/* Begin and end ----------------------------------------------------------------------------------------- */

#define LANES_IN(count, to, from) \
    for (int j = 0; j < (count); j++) (to)[j][i] = (from)[j]
#define LANES_OUT(count, from, to) \
    for (int j = 0; j < (count); j++) (to)[j] = (from)[j][i]

/* Only what the steps of this loop read: what else a run has stays where it is. */
static inline void lanes_load(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                              struct keel_kernel_state *const *state, int keeps, int adaptive) {
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
        l->begun[i] = k->steps;
        LANES_IN(p->n, m->first_x, k->x);
        LANES_IN(p->n, m->first_f, k->f);
        if (adaptive) {
            l->direction[i] = k->direction, l->rtol[i] = k->rtol;
            l->h_next[i] = k->h_next, l->error_before[i] = k->error_before;
            l->longest[i] = k->longest, l->t_end[i] = k->t_end;
            l->wanted[i] = step_control_min(k->h_next, k->longest);
            LANES_IN(p->n, m->atol, k->atol);
        }
        if (p->kept == 0 || k->treatment == KERNEL_FREE) continue;
        LANES_IN(p->n, m->largest, k->largest);
        LANES_IN(p->kept, m->reference, k->reference);
        LANES_IN(p->kept, m->worst, k->worst);
        if (m->was) LANES_IN(p->kept, m->was, k->residual);
        if (!keeps) continue;
        LANES_IN(p->kept, m->size, k->size);
        LANES_IN(p->kept, m->beyond, k->beyond);
        LANES_IN(p->n, m->inverse_weight, k->inverse_weight);
        l->moved[i] = k->moved;
        l->weighs[i] = k->weighs ? -1 : 0;
#ifndef KEEL_DEVICE /* where they stay where they are */
        if (!k->weighs) continue;
        LANES_IN(p->n, m->least, k->least);
        LANES_IN(p->n * p->n, m->spread, k->spread);
#endif
    }
    if (keeps) lanes_allow(l, p);
    if (adaptive && keeps) lanes_limit(l, p, m);
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) m->x[j] = m->first_x[j], m->f[j] = m->first_f[j];
}

static inline void lanes_store(const struct lanes *l, const keel_rk *table, const struct project *p,
                               const struct lanes_workspace *m, int keeps, int adaptive, long *taken) {
    KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) m->first_x[j] = m->x[j], m->first_f[j] = m->f[j];
    for (int i = 0; i < KEEL_LANES; i++) {
        struct keel_kernel_state *k = l->k[i];
        if (!l->own[i]) continue;
        long done = taken[i] = l->done[i], attempts = done + l->all_rejected[i];
        k->held = !l->stop[i];
        k->t = (adaptive ? l->t : lanes_time(l, 0))[i];
        k->steps = lanes_steps(l, i);
        if (adaptive) k->h_next = l->h_next[i], k->error_before = l->error_before[i];
        k->rejected = l->all_rejected[i];
        k->corrections = keeps ? attempts - l->corrections[i] : 0;
        k->newton = keeps ? attempts - l->corrections[i] + l->newton[i] : 0;
        k->calls = attempts * (table->stages - 1) + (keeps || !table->last_is_end ? done : 0);
        if (keeps) LANES_OUT(p->kept, m->worst, k->worst);
        if (done == 0) continue;
        LANES_OUT(p->n, m->first_x, k->x);
        LANES_OUT(p->n, m->first_f, k->f);
        if (p->kept == 0 || k->treatment == KERNEL_FREE) continue;
        LANES_OUT(p->n, m->largest, k->largest);
        LANES_OUT(p->kept, m->worst, k->worst);
        if (m->was) LANES_OUT(p->kept, m->was, k->residual);
        else LANES_OUT(p->kept, p->residual, k->residual);
        if (keeps) LANES_OUT(p->n, m->inverse_weight, k->inverse_weight);
    }
}

/* Sizes ------------------------------------------------------------------------------------------------- */

static inline void lanes_residual(const struct project *p, const struct lanes_workspace *m, keel_fn *values,
                                  void *user, keel_real t) {
    values(t, m->next, p->residual, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) p->residual[i] -= m->reference[i];
}

static inline keel_truth lanes_weighs(const struct lanes *l) {
#ifdef KEEL_DEVICE
    return l->k[0]->weighs;
#else
    return l->weighs;
#endif
}

#ifdef KEEL_DEVICE
/* The residuals of the last step, from where it ended. */
static inline void lanes_find_again(const struct lanes *l, const struct project *p,
                                    const struct lanes_workspace *m, keel_fn *values, void *user,
                                    int adaptive) {
    if (l->k[0]->treatment == KERNEL_FREE) return;
    values(adaptive ? l->t : lanes_time(l, 0), m->x, p->residual, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) p->residual[i] -= m->reference[i];
}
#endif

/* States have outgrown their sizes, and weights follow, as manifold_weigh lets them before the next step. */
static inline void lanes_weigh(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                               keel_truth outgrown, int adaptive) {
    keel_real fresh[KEEL_LANES_STATES];
    project_weigh(p->n, m->largest, m->least, m->spread, fresh);
    lanes_choose(p->n, outgrown & lanes_weighs(l), fresh, m->inverse_weight);
    if (adaptive) lanes_limit(l, p, m);
}

/* The largest residuals so far go into the certificate. */
static inline void lanes_certify(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                 keel_truth which) {
    KEEL_RK_UNROLL for (int row = 0; row < p->kept; row++) {
        keel_real units = project_in_units(m->worst[row], m->size[row]);
        for (int i = 0; i < KEEL_LANES; i++) {
            struct keel_kernel_state *k = l->k[i];
            if (!which[i] || !l->own[i]) continue;
            if (m->worst[row][i] > k->drift[row]) k->drift[row] = m->worst[row][i];
            if (units[i] > k->units[row]) k->units[row] = units[i];
        }
        m->worst[row] = keel_select(which, keel_lift(0.0), m->worst[row]);
    }
}

/* The solver has the sizes of the last step that stands: a step that must be repeated, because of its own run
 * or of one beside it, begins with these.  Those of the runs in `done` stand now. */
static inline void lanes_keep_sizes(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                    keel_truth done) {
    keel_truth stand = l->grown & done;
    if (!keel_any(stand)) return;
    for (int i = 0; i < KEEL_LANES; i++)
        if (stand[i] && l->own[i]) LANES_OUT(p->kept, m->size, l->k[i]->size);
    l->grown &= ~stand;
}

#ifndef KEEL_DEVICE
/* By the core, for run i: all of a projection, or sizes that grow where rows depend on the time, whose terms
 * only the core knows.  0, or it cannot be done. */
static inline int lanes_call(struct lanes *l, const struct project *p, const struct lanes_workspace *m, int i,
                             int (*by)(struct keel_kernel_state *k, double t)) {
    struct keel_kernel_state *k = l->k[i];
    double stand[KEEL_LANES_ROWS];
    for (int j = 0; j < p->kept; j++) stand[j] = k->size[j];
    LANES_OUT(p->n, m->begin, k->trial);
    LANES_OUT(p->kept, m->worst, k->worst);
    LANES_OUT(p->kept, m->size, k->size);
    k->steps = lanes_steps(l, i) - l->quiet;
    int bad = by(k, l->t_new[i]);
    LANES_IN(p->kept, m->worst, k->worst);
    LANES_IN(p->kept, m->size, k->size);
    for (int j = 0; j < p->kept; j++) k->size[j] = stand[j];
    lanes_allow(l, p);
    l->grown[i] = -1;
    return bad;
}
#endif

/* Sizes of the rows are due, and grow as rows_grow lets them; returns where they cannot be had. */
static inline keel_truth lanes_grow(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                    keel_truth due) {
    keel_real terms[KEEL_LANES_ROWS] = {};
    keel_truth starved = {0};
#ifndef KEEL_DEVICE
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!due[i] || l->k[i]->share) continue;
        due[i] = 0;
        LANES_OUT(p->kept * p->n, m->gradients, l->k[i]->jacobian);
        if (lanes_call(l, p, m, i, l->k[i]->grow)) starved[i] = -1;
    }
#endif
    keel_truth good = due & lanes_finite(p->kept * p->n, m->gradients);
    if (m->terms) m->terms(l->t_new, m->begin, terms, m->user);
    good &= lanes_finite(p->kept, terms);
    lanes_certify(l, p, m, good);
    KEEL_RK_UNROLL for (int row = 0; row < p->kept; row++) {
        keel_real fresh =
            project_size(p->n, m->reference[row], m->gradients + row * p->n, m->begin, m->largest) +
            keel_abs(terms[row]);
        m->size[row] = keel_select(good & (fresh > m->size[row]), fresh, m->size[row]);
    }
    lanes_allow(l, p);
    l->grown |= good;
    return starved | (due & ~good);
}

/* What the core does for one run: all of a projection.  0, or it cannot be done. */
static inline int lanes_again(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                              int i) {
    struct keel_kernel_state *k = l->k[i];
#ifdef KEEL_DEVICE /* there is none here: the step is left to core/step.c */
    k->due = 1;
    return 1;
#else
    LANES_OUT(p->n, m->largest, k->largest);
    LANES_OUT(p->n, m->inverse_weight, k->inverse_weight);
    if (lanes_call(l, p, m, i, k->again) != 0) return 1;
    const struct project *to = p->two_short && !k->space->pair ? m->general : p;
    l->general[i] = p->two_short && !k->space->pair ? -1 : 0;
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
#endif
}

/* A correction of run i, of the step to next, that is larger than any before. */
static inline void lanes_note(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                              int i) {
#ifndef KEEL_DEVICE
    struct keel_kernel_state *k = l->k[i];
    LANES_OUT(p->n, m->x, k->x);
    LANES_OUT(p->n, m->f, k->f);
    LANES_OUT(p->n, m->dx, k->trial);
    LANES_OUT(p->n, m->next, k->next);
    LANES_OUT(p->kept, m->off, k->part);
    LANES_OUT(p->kept, m->size, k->size);
    LANES_OUT(p->n, m->largest, k->largest);
    k->note(k, l->t[i], l->t_new[i]);
    for (int row = 0; row < p->kept; row++) m->beyond[row][i] = k->beyond[row];
#endif
}

/* May a state be beyond its size, or not finite?  A thread asks before it looks closer; lanes look closer in
 * less time than the question takes. */
static inline int lanes_may_outgrow(const struct project *p, const struct lanes_workspace *m,
                                    const keel_real *x) {
#ifdef KEEL_DEVICE
    keel_truth within = keel_always;
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) within &= keel_abs(x[i]) <= m->largest[i];
    return !keel_all(within);
#else
    return 1;
#endif
}

/* Into the largest residuals. */
static inline void lanes_take_in(const struct project *p, const struct lanes_workspace *m, keel_truth done) {
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) {
        keel_real off = keel_abs(p->residual[i]);
        lanes_put(done & ~(m->worst[i] > off), off, &m->worst[i]);
        if (m->was) m->was[i] = keel_select(done, p->residual[i], m->was[i]);
    }
}

/* Into the sizes; who has outgrown them? */
static inline keel_truth lanes_outgrow(const struct project *p, const struct lanes_workspace *m,
                                       keel_truth done) {
    keel_truth outgrown = {0};
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) {
        keel_real size = keel_abs(m->x[i]);
        keel_truth larger = done & ~(size <= m->largest[i]);
        m->largest[i] = keel_select(larger, size, m->largest[i]);
        outgrown |= larger;
    }
    return outgrown;
}

static inline void lanes_count(struct lanes *l, keel_truth done) {
    for (int i = 0; i < KEEL_LANES; i++)
        if (done[i]) l->done[i]++;
}

/* After a step of the runs in `done`: is nothing due in it, so that it was counted ahead?  Else it is counted
 * now. */
static inline int lanes_was_quiet(struct lanes *l, keel_truth done) {
    if (l->quiet) return l->quiet--, 1;
    lanes_count(l, done);
    return 0;
}

/* Whose rates are to be looked at after this step? */
static inline keel_truth lanes_looks(const struct lanes *l, keel_truth done) {
    keel_truth looks = {0};
    for (int i = 0; i < KEEL_LANES; i++)
        if (done[i] && l->own[i] && project_verifies(lanes_steps(l, i))) looks[i] = -1;
    return looks;
}

/* Do so many rows rest, each by its share?  Where one does not, and where shares are not known, the core
 * looks at it. */
static inline void lanes_verify(struct lanes *l, int n, int rows, const keel_real *gradients,
                                const keel_real *f, const double *share, keel_truth looks) {
    keel_truth rest = keel_always;
    for (int i = 0; i < rows && share; i++)
        rest &= project_rests(n, keel_lift(0.0), gradients + i * n, f, share[i]);
    if (!share) rest = ~keel_always;
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!looks[i]) continue;
        if (rest[i]) l->k[i]->verifications++;
        else l->k[i]->unseen = 1;
    }
    lanes_stop(l, looks & ~rest, 0);
}
#endif
