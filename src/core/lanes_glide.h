/* lanes_glide.h - fixed steps in which nothing rare happens, by a function of its own: its numbers stay in
 * registers, where those of lanes_step lie in memory, since what is rare asks for those of single runs.
 *
 * lanes_step takes the others from their begin, so that no step is taken in halves.  A compiled model has
 * this header as text between core/lanes.h and core/lanes_steps.h; a GPU has nothing to gain by it. */
#ifndef KEEL_CORE_LANES_GLIDE_H
#define KEEL_CORE_LANES_GLIDE_H
#ifndef KEEL_DEVICE
/* What steps in which nothing rare happens read and change, on the way there and back. */
struct lanes_glide {
    keel_real x[KEEL_LANES_STATES], f[KEEL_LANES_STATES], largest[KEEL_LANES_STATES];
    keel_real inverse_weight[KEEL_LANES_STATES], reference[KEEL_LANES_ROWS], allowed[KEEL_LANES_ROWS];
    keel_real beyond[KEEL_LANES_ROWS], worst[KEEL_LANES_ROWS], was[KEEL_LANES_ROWS];
    keel_real t, base, h, number;
    keel_truth weighs, steps, looked; /* steps of each run; how many of its rates have been looked at */
    const keel_real *least, *spread;
    const double *share;
    long most; /* steps */
};

/* The same while they are taken.  Nobody asks for the numbers of one run here: so they stay in registers, or
 * are stored once, where those of the workspace are stored whenever they change. */
struct lanes_quick {
    keel_real x[KEEL_LANES_STATES], f[KEEL_LANES_STATES], next[KEEL_LANES_STATES], stage[KEEL_LANES_STATES];
    keel_real dx[KEEL_LANES_STATES], k[KEEL_LANES_STATES * KEEL_LANES_STAGES], d[KEEL_LANES_STATES];
    keel_real largest[KEEL_LANES_STATES], inverse_weight[KEEL_LANES_STATES];
    keel_real gradients[KEEL_LANES_STATES * KEEL_LANES_ROWS], q[KEEL_LANES_STATES * KEEL_LANES_ROWS];
    keel_real r[KEEL_LANES_ROWS * KEEL_LANES_ROWS], inverse[KEEL_LANES_ROWS], c[KEEL_LANES_ROWS];
    keel_real z[KEEL_LANES_ROWS], residual[KEEL_LANES_ROWS], reference[KEEL_LANES_ROWS];
    keel_real allowed[KEEL_LANES_ROWS], beyond[KEEL_LANES_ROWS], worst[KEEL_LANES_ROWS], was[KEEL_LANES_ROWS];
    int used[KEEL_LANES_ROWS];
};

static inline void lanes_copy(int count, const keel_real *from, keel_real *to) {
    KEEL_RK_UNROLL for (int i = 0; i < count; i++) to[i] = from[i];
}

static inline void lanes_quick_residual(const struct project *p, struct lanes_quick *q, keel_fn *values,
                                        void *user, keel_real t) {
    values(t, q->next, q->residual, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) q->residual[i] -= q->reference[i];
}

/* One iteration of a projection; where is it not enough, or to be looked at? */
static inline keel_truth lanes_quick_project(const struct project *p, struct lanes_quick *q, keel_fn *values,
                                             keel_fn *gradients, void *user, keel_real t) {
    keel_truth rare = {0};
    lanes_quick_residual(p, q, values, user, t);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) rare |= keel_abs(q->residual[i]) > q->beyond[i];
    gradients(t, q->next, q->gradients, user);
    if (p->two_short) {
        rare |= ~project_two_short(p, q->d);
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) q->next[i] -= q->d[i];
    } else lanes_iterate_general(p, q->residual, q->next, 1);
    lanes_quick_residual(p, q, values, user, t);
    return rare | ~lanes_hold(p);
}

/* So many steps from s on let no sizes grow, as project_due has it, or, watched, are none before which
 * the core looks at the rows. */
static inline long lanes_window(long s, int keeps) {
    long due = 64; /* the first such number that is not below s, or, watched, above it */
    if (!keeps) s++;
    if (s >= 64) due = (s + 63) / 64 * 64;
    else
        for (long power = 1; power < 64; power *= 2)
            if (s <= power) due = power < due ? power : due;
    return s == 0 ? 0 : due - s;
}

static inline long lanes_ahead(const struct lanes *l, int keeps) {
    long ahead = 64;
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!l->own[i]) continue;
        long left = l->k[i]->count - l->done[i], window = lanes_window(lanes_steps(l, i), keeps);
        ahead = left < ahead ? left : ahead;
        ahead = window < ahead ? window : ahead;
    }
    return ahead;
}

/* States that have outgrown their sizes, and weights after them; 0: one is not finite. */
static inline int lanes_quick_outgrow(const struct project *p, struct lanes_quick *q,
                                      const struct lanes_glide *g, keel_truth outgrown, int keeps) {
    if (!keel_all(lanes_finite(p->n, q->next))) return 0;
    KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) {
        keel_real size = keel_abs(q->next[i]);
        q->largest[i] = keel_select(size > q->largest[i], size, q->largest[i]);
    }
    if (!keeps) return 1;
    project_weigh(p->n, q->largest, g->least, g->spread, q->d);
    lanes_choose(p->n, outgrown & g->weighs, q->d, q->inverse_weight);
    return 1;
}

/* Do all rows rest at the new state, where somebody looks? */
static inline int lanes_quick_rest(const struct project *p, struct lanes_quick *q, keel_fn *gradients,
                                   void *user, keel_real t, const double *share, keel_truth looks) {
    keel_truth rest = keel_always;
    gradients(t, q->next, q->gradients, user);
    KEEL_RK_UNROLL for (int i = 0; i < p->kept; i++) rest &=
        project_rests(p->n, keel_lift(0.0), q->gradients + i * p->n, q->stage, share[i]);
    return !keel_any(looks & ~rest);
}

/* Fixed steps, so many at most, as long as nothing rare happens.  lanes_step takes
 * that one from its begin.  Of what it does in any case this is the part that most steps need. */
static inline void lanes_glide(struct lanes_glide *g, const keel_rk *table, const struct project *p,
                               struct lanes_quick *q, keel_fn *rhs, keel_fn *values, keel_fn *gradients,
                               void *user, int keeps) {
    const int n = p->n, rows = p->kept;
    const double *share = g->share;
    long left = g->most;
    keel_real t = g->t, number = g->number, base = g->base, h = g->h;
    keel_truth steps = g->steps, looked = {0};
    lanes_copy(n, g->x, q->x), lanes_copy(n, g->f, q->f), lanes_copy(n, g->largest, q->largest);
    lanes_copy(rows, g->reference, q->reference);
    lanes_copy(rows, g->worst, q->worst), lanes_copy(rows, g->was, q->was);
    if (keeps) {
        lanes_copy(n, g->inverse_weight, q->inverse_weight);
        lanes_copy(rows, g->allowed, q->allowed), lanes_copy(rows, g->beyond, q->beyond);
    }
    for (; left > 0; left--) {
        keel_rk_step(table, n, rhs, user, t, h, q->x, q->f, q->k, q->stage, q->dx);
        keel_real t_new = base + (number + 1.0) * h;
        keel_truth rare = {0}, outgrown = {0};
        KEEL_RK_UNROLL for (int i = 0; i < n; i++) q->next[i] = q->x[i] + q->dx[i];
        if (keeps) rare = lanes_quick_project(p, q, values, gradients, user, t_new);
        else {
            lanes_quick_residual(p, q, values, user, t_new);
            rare = ~lanes_finite(rows, q->residual);
        }
        if (table->last_is_end && !keeps) lanes_copy(n, q->k + (table->stages - 1) * n, q->stage);
        else rhs(t_new, q->next, q->stage, user);
        KEEL_RK_UNROLL for (int i = 0; i < n; i++) outgrown |= ~(keel_abs(q->next[i]) <= q->largest[i]);
        if (__builtin_expect(keel_any(rare), 0)) break;
        keel_truth looks = ((steps + 1 & 15) == 0) | (steps < 64);
        if (keeps && keel_any(looks)) {
            if (!share || !lanes_quick_rest(p, q, gradients, user, t_new, share, looks)) break;
            looked -= looks;
        }
        if (keel_any(outgrown) && !lanes_quick_outgrow(p, q, g, outgrown, keeps)) break;
        KEEL_RK_UNROLL for (int i = 0; i < rows; i++) {
            keel_real off = keel_abs(q->residual[i]);
            q->worst[i] = keel_select(q->worst[i] > off, q->worst[i], off);
            q->was[i] = q->residual[i];
        }
        lanes_copy(n, q->next, q->x), lanes_copy(n, q->stage, q->f);
        t = t_new;
        number += 1.0;
        steps += 1;
    }
    lanes_copy(n, q->x, g->x), lanes_copy(n, q->f, g->f), lanes_copy(n, q->largest, g->largest);
    lanes_copy(rows, q->worst, g->worst), lanes_copy(rows, q->was, g->was);
    if (keeps) lanes_copy(n, q->inverse_weight, g->inverse_weight);
    g->t = t, g->number = number, g->looked = looked;
    g->most = left;
}

/* The same by the function of the model: by copies, so that the numbers of the workspace are known to nobody
 * else, and a compiler may keep them where it likes.  The next step is for lanes_step. */
static inline void lanes_glides(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                void *user, int keeps) {
    const int n = p->n, rows = p->kept;
    long ahead = lanes_ahead(l, keeps);
    if (ahead == 0) return;
    struct lanes_glide g; /* not cleared: that would take as long as a step */
    g.t = l->t, g.base = l->base, g.h = l->h, g.number = l->number, g.weighs = l->weighs;
    g.least = m->least, g.spread = m->spread, g.share = l->k[0]->share, g.most = ahead;
    lanes_copy(n, m->x, g.x), lanes_copy(n, m->f, g.f), lanes_copy(n, m->largest, g.largest);
    lanes_copy(rows, m->reference, g.reference);
    lanes_copy(rows, m->worst, g.worst), lanes_copy(rows, m->was, g.was);
    if (keeps) {
        lanes_copy(n, m->inverse_weight, g.inverse_weight);
        lanes_copy(rows, p->allowed, g.allowed), lanes_copy(rows, m->beyond, g.beyond);
    }
    for (int i = 0; i < KEEL_LANES; i++) g.steps[i] = lanes_steps(l, i);
    m->glide(&g, user);
    lanes_copy(n, g.x, m->x), lanes_copy(n, g.f, m->f), lanes_copy(n, g.largest, m->largest);
    lanes_copy(rows, g.worst, m->worst), lanes_copy(rows, g.was, m->was);
    if (keeps) lanes_copy(n, g.inverse_weight, m->inverse_weight);
    l->t = g.t, l->number = g.number;
    for (int i = 0; i < KEEL_LANES; i++) {
        l->done[i] += (int)(ahead - g.most);
        if (l->own[i]) l->k[i]->verifications += g.looked[i];
    }
}
#endif
#endif
