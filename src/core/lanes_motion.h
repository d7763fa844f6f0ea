/* lanes_motion.h - mechanics of few coordinates in lanes: what core/mechanism.h does for one run, for
 * KEEL_LANES of them side by side, with the same bits.
 *
 * Iterations end for each run where they would end for it alone, and it stands still until all have ended.
 * What does not arrive in the usual number of them is left to the core, and so is a run whose M or K is
 * singular.  A compiled model has this header as text between core/mechanism.h and core/lanes_steps.h, and
 * says in motion_model what it is made of. */
#ifndef KEEL_CORE_LANES_MOTION_H
#define KEEL_CORE_LANES_MOTION_H

#define LANES_PROJECT motion_project
#define LANES_TANGENT motion_tangent
#define LANES_MEASURE motion_measure

static inline struct mechanism motion_model(void); /* by the model, below */

/* Numbers for all lanes; locals of a compiled model. */
struct motion {
    keel_real *parameter;                   /* first: where the functions of the model look for it */
    keel_real *mass, *k_rows, *shift, *at;  /* L, K and g_t of the factorization, made at t, q */
    struct rowspace space, border;          /* of K L^-T, and of the invariants beside it */
    keel_real *size, *residual, *gradients; /* of the rows, in an attempt; the last: energy and invariants */
    keel_real *place;                       /* 2 nq */
    keel_real *beside, *beside_shift;       /* K and g_t where nothing is factored */
    keel_real *c, *z, *floor_of;            /* k, not less than invariants */
    keel_real *d, *force, *weighted;        /* nq, padded; d: twice that */
    keel_real *gamma, *lambda, *direction, *part, *bordered;
    keel_real *arrived; /* the border of runs that have arrived: q, r, inverse */
    int weighed;        /* a constant M is factored; where it is positive definite: */
    keel_truth positive;
    keel_truth known; /* there is a factorization */
    keel_truth lost;  /* runs without accelerations somewhere */
    keel_real factorizations, jacobians, newton;
};

static inline void motion_begin(struct motion *w) {
    const struct mechanism m = motion_model();
    keel_truth none = {0};
    w->weighed = 0;
    w->positive = keel_always;
    w->known = w->lost = none;
    for (int j = 0; j <= m.nq; j++) w->at[j] = keel_lift(0.0);
    for (int j = 0; j < (m.nq + 3) / 4 * 4; j++) w->force[j] = keel_lift(0.0);
    w->factorizations = w->jacobians = w->newton = keel_lift(0.0);
}

static inline void motion_end(const struct motion *w, struct keel_kernel_state *const *state) {
    for (int i = 0; i < KEEL_LANES; i++) {
        if (!state[i]) continue;
        state[i]->factorizations = (long)w->factorizations[i];
        state[i]->jacobians = (long)w->jacobians[i];
        state[i]->newton = (long)w->newton[i];
    }
}

/* The row spaces, with their sizes as constants. */
static inline struct rowspace motion_space(const struct mechanism *m, const struct motion *w) {
    struct rowspace s = w->space;
    s.rows = m->k, s.width = (m->nq + 3) / 4 * 4, s.pair = 0;
    return s;
}
static inline struct rowspace motion_border(const struct mechanism *m, const struct motion *w) {
    struct rowspace s = w->border;
    s.rows = m->invariants, s.width = (m->nq + 3) / 4 * 8, s.pair = 0;
    return s;
}

static inline keel_real motion_count(keel_real count, keel_truth which, double more) {
    return count + keel_select(which, keel_lift(more), keel_lift(0.0));
}

/* Accelerations ----------------------------------------------------------------------------------------- */

static inline keel_truth motion_same(int nq, const struct motion *w, keel_real t, const keel_real *q) {
    keel_truth same = w->known & (w->at[0] == t);
    for (int j = 0; j < nq; j++) same &= w->at[1 + j] == q[j];
    return same;
}

static inline void motion_shift(const struct mechanism *m, keel_real t, const keel_real *x, keel_real *shift,
                                void *user) {
    for (int i = 0; i < m->k; i++) shift[i] = keel_lift(0.0);
    if (m->shift) m->shift(t, x, shift, user);
}

/* mechanism_factor_into for the runs in `want` that have none at (t, x).  Others make theirs again, where it
 * was made. */
static LANES_APART void motion_factor(struct motion *w, keel_real t, const keel_real *x, keel_truth want) {
    const struct mechanism model = motion_model(), *m = &model;
    struct rowspace space = motion_space(m, w);
    keel_truth need = want & ~motion_same(m->nq, w, t, x);
    if (!keel_any(need)) return;
    keel_real when = keel_select(need, t, w->at[0]);
    for (int j = 0; j < m->nq; j++) {
        w->place[j] = keel_select(need, x[j], w->at[1 + j]);
        w->place[m->nq + j] = x[m->nq + j];
    }
    if (!m->steady || !w->weighed) {
        m->mass(when, w->place, w->mass, w);
        w->positive = keel_always;
        for (int i = 0; i < m->nq; i++) w->positive &= small_cholesky_row(m->nq, m->first, w->mass, i);
        w->weighed = 1;
    }
    m->rows(when, w->place, w->k_rows, w);
    motion_shift(m, when, w->place, w->shift, w);
    for (int i = 0; i < m->k; i++) {
        mechanism_row(&space, i, m->nq, w->k_rows + i * m->nq, m->first, w->mass);
        w->floor_of[i] = keel_lift(MANIFOLD_DEPENDENT);
    }
    rowspace_factor_lanes(&space, w->floor_of);
    keel_truth sound = w->positive;
    for (int i = 0; i < m->k; i++) sound &= space.inverse[i] > 0.0;
    w->known = (w->known & ~need) | (sound & need);
    w->at[0] = when;
    for (int j = 0; j < m->nq; j++) w->at[1 + j] = w->place[j];
    w->factorizations = motion_count(w->factorizations, need, 1);
    w->jacobians = motion_count(w->jacobians, need, 1);
}

/* mechanism_rhs; runs without accelerations get what is no number. */
static LANES_APART int motion_rhs(keel_real t, const keel_real *x, keel_real *dx, void *user) {
    const struct mechanism model = motion_model(), *m = &model;
    struct motion *w = (struct motion *)user;
    const struct rowspace space = motion_space(m, w);
    keel_real sum = keel_lift(0.0), none = keel_lift(0.0) / 0.0;
    m->force(t, x, w->force, user);
    motion_factor(w, t, x, keel_always);
    m->curvature(t, x, w->gamma, user);
    mechanism_accelerate(m->nq, m->first, w->mass, &space, w->gamma, w->force, w->lambda, w->z, w->weighted);
    for (int j = 0; j < m->nq; j++) sum += w->force[j] * 0.0;
    for (int i = 0; i < m->k; i++) sum += w->lambda[i] * 0.0;
    keel_truth good = w->known & (sum == 0.0);
    for (int j = 0; j < m->nq; j++) {
        dx[j] = x[m->nq + j];
        dx[m->nq + j] = keel_select(good, w->force[j], none);
    }
    w->lost |= ~good;
    return 0;
}

/* Projection -------------------------------------------------------------------------------------------- */

static inline keel_real motion_worst(int count, const keel_real *residual, const keel_real *size) {
    keel_real worst = keel_lift(0.0);
    for (int i = 0; i < count; i++) {
        keel_real units = project_in_units(residual[i], size[i]);
        worst = keel_select((units <= worst) | (worst != worst), worst, units);
    }
    return worst;
}

/* One Newton step for K d = -c in either half of x. */
static inline void motion_correct(const struct mechanism *m, struct motion *w, const keel_real *c,
                                  keel_real *half, keel_truth which) {
    const struct rowspace space = motion_space(m, w);
    for (int i = 0; i < m->k; i++) w->c[i] = -c[i];
    rowspace_shortest(&space, w->c, w->z, w->d);
    small_lower_t_solve(m->nq, m->first, w->mass, w->d);
    for (int j = 0; j < m->nq; j++) half[j] = keel_select(which, half[j] + w->d[j], half[j]);
    w->newton = motion_count(w->newton, which, 1);
}

/* Of those in `open`, who arrives?  leave: so many units are left alone from the start. */
static inline keel_truth motion_positions(const struct mechanism *m, struct motion *w, keel_real t,
                                          keel_real *x, double leave, double units, keel_truth open) {
    enum { MOST = 6 };
    keel_truth arrived = {0};
    keel_real before = keel_lift(0.0);
    for (int iteration = 0; iteration < MOST; iteration++) {
        m->constraint(t, x, w->residual, w);
        keel_real worst = motion_worst(m->k, w->residual, w->size);
        arrived |= open & (worst <= (iteration ? units : leave));
        open &= ~arrived & (iteration ? worst <= 0.1 * before : worst == worst);
        if (!keel_any(open)) break;
        before = worst;
        motion_correct(m, w, w->residual, x, open);
    }
    return arrived;
}

/* The rows are those of x; the factorization is the one at hand, if that was made near x, and made anew where
 * what is left of the residual is too much. */
static inline keel_truth motion_velocities(const struct mechanism *m, struct motion *w, keel_real t,
                                           keel_real *x, const keel_real *largest, double units,
                                           keel_truth open) {
    enum { MOST = 4 };
    keel_real *speed = w->residual + m->k;
    keel_truth arrived = {0}, near = keel_always;
    for (int j = 0; j < m->nq; j++) near &= keel_abs(x[j] - w->at[1 + j]) <= MECHANISM_NEAR * largest[j];
    motion_factor(w, t, x, open & ~near);
    open &= w->known;
    w->jacobians = motion_count(w->jacobians, open & ~motion_same(m->nq, w, t, x), 1);
    m->rows(t, x, w->beside, w);
    motion_shift(m, t, x, w->beside_shift, w);
    for (int iteration = 0; iteration < MOST && keel_any(open); iteration++) {
        if (iteration == 2) motion_factor(w, t, x, open);
        open &= w->known;
        if (iteration > 0) motion_correct(m, w, speed, x + m->nq, open);
        mechanism_speeds(m->nq, m->k, w->beside, w->beside_shift, x + m->nq, speed);
        arrived |= open & (motion_worst(m->k, speed, w->size + m->k) <= (iteration ? units : 0.0));
        open &= ~arrived;
    }
    return arrived;
}

/* dv that keeps K v + g_t when q moves along dq, by a difference over s of the sizes. */
static inline void motion_complete(const struct mechanism *m, struct motion *w, keel_real t,
                                   const keel_real *x, const keel_real *largest, keel_real *direction,
                                   keel_truth which) {
    const struct rowspace space = motion_space(m, w);
    int nq = m->nq;
    keel_real length = mechanism_longest(nq, direction, largest), step = 1e-7 / length;
    which &= ~(length == 0.0);
    for (int j = 0; j < nq; j++) {
        w->place[j] = x[j] + step * direction[j];
        w->place[nq + j] = x[nq + j];
    }
    m->rows(t, w->place, w->beside, w);
    motion_shift(m, t, w->place, w->beside_shift, w);
    mechanism_speeds(nq, m->k, w->beside, w->beside_shift, w->place + nq, w->c);
    for (int i = 0; i < m->k; i++) w->c[i] = -(w->c[i] - w->residual[m->k + i]) / step;
    rowspace_shortest(&space, w->c, w->z, w->d);
    small_lower_t_solve(nq, m->first, w->mass, w->d);
    for (int j = 0; j < nq; j++)
        direction[nq + j] = keel_select(which, direction[nq + j] + w->d[j], direction[nq + j]);
    w->jacobians = motion_count(w->jacobians, which, 1);
}

/* The border is put aside; or it comes back, but for the runs in `which`. */
static inline void motion_keep_border(const struct motion *w, const struct rowspace *s, int back,
                                      keel_truth which) {
    keel_real *part[] = {s->q, s->r, s->inverse}, *kept = w->arrived;
    const int count[] = {s->rows * s->width, s->rows * s->rows, s->rows};
    for (int k = 0; k < 3; kept += count[k], k++)
        for (int i = 0; i < count[k]; i++) {
            if (back) part[k][i] = keel_select(which, part[k][i], kept[i]);
            else kept[i] = part[k][i];
        }
}

/* The gradients of the invariants, their sizes, and their directions along the constraints. */
static inline void motion_normals(const struct mechanism *m, struct motion *w, const struct lanes *l,
                                  const struct lanes_workspace *n, keel_truth open, int again) {
    const struct rowspace space = motion_space(m, w);
    struct rowspace border = motion_border(m, w);
    int states = 2 * m->nq, first = 2 * m->k;
    keel_real tau = keel_abs(l->h);
    m->gradients(l->t_new, n->next, w->gradients, w);
    m->value_terms(l->t_new, n->next, w->c, w);
    for (int i = 0; i < m->invariants; i++) {
        keel_real size =
            project_size(states, n->reference[first + i], w->gradients + i * states, n->next, n->largest) +
            keel_abs(w->c[i]);
        w->size[first + i] = keel_select(open & (size > w->size[first + i]), size, w->size[first + i]);
    }
    if (again) motion_keep_border(w, &border, 0, open);
    for (int i = 0; i < m->invariants; i++)
        mechanism_border(m->nq, m->first, w->mass, &space, &border, i, w->gradients + i * states, tau,
                         &w->floor_of[i]);
    rowspace_factor_lanes(&border, w->floor_of);
    if (again) motion_keep_border(w, &border, 1, open);
    w->jacobians = motion_count(w->jacobians, open, m->maps);
    w->factorizations = motion_count(w->factorizations, open, 1);
}

/* bordered c = c; where can it be solved? */
static inline keel_truth motion_solve(int count, struct motion *w) {
    keel_truth good = keel_always;
    if (count == 1) {
        keel_real size = keel_abs(w->bordered[0]);
        w->c[0] = w->c[0] / w->bordered[0];
        return size > SMALL_EPSILON * size;
    }
    for (int lane = 0; lane < KEEL_LANES; lane++) {
        double a[KEEL_LANES_ROWS * KEEL_LANES_ROWS], b[KEEL_LANES_ROWS];
        int pivot[KEEL_LANES_ROWS], bad = 0;
        for (int i = 0; i < count * count; i++) a[i] = w->bordered[i][lane];
        for (int i = 0; i < count; i++) b[i] = w->c[i][lane];
        for (int k = 0; k < count && !bad; k++) bad = small_lu_column(count, a, pivot, k);
        if (bad) good[lane] = 0;
        else small_lu_solve(count, a, pivot, b);
        for (int i = 0; i < count; i++) w->c[i][lane] = b[i];
    }
    return good;
}

/* One step for the invariants, all of them jointly; who has made it?  again: others have arrived. */
static inline keel_truth motion_invariants(const struct mechanism *m, struct motion *w, const struct lanes *l,
                                           const struct lanes_workspace *n, double units, keel_truth open,
                                           int again) {
    int states = 2 * m->nq, count = m->invariants, first = 2 * m->k;
    const struct rowspace border = motion_border(m, w), *s = &border;
    motion_normals(m, w, l, n, open, again);
    for (int j = 0; j < count; j++) {
        keel_real *direction = w->direction + j * states, size = w->size[first + j];
        keel_truth used = s->inverse[j] != 0.0;
        mechanism_direction(m->nq, m->first, w->mass, s, j, keel_abs(l->h), direction);
        keel_real part =
            mechanism_part(states, direction, n->largest, 1.0 / s->inverse[j], size, l->k[0]->nearly);
        keel_truth whole = project_in_units(w->residual[first + j], size) > units;
        w->part[j] = keel_select(used, keel_select(whole, keel_lift(1.0), part), keel_lift(0.0));
        if (m->complete) motion_complete(m, w, l->t_new, n->next, n->largest, direction, open & used);
    }
    for (int i = 0; i < count; i++) {
        w->c[i] = -w->residual[first + i] * w->part[i];
        for (int j = 0; j < count; j++) {
            keel_real sum = keel_lift(0.0);
            for (int c = 0; c < states; c++)
                sum += w->gradients[i * states + c] * w->direction[j * states + c];
            w->bordered[i * count + j] = keel_select((s->inverse[i] != 0.0) & (s->inverse[j] != 0.0), sum,
                                                     keel_lift(i == j ? 1.0 : 0.0));
        }
    }
    keel_truth good = open & motion_solve(count, w);
    for (int j = 0; j < count; j++) {
        keel_truth moves = good & (w->c[j] != 0.0);
        for (int i = 0; i < states; i++)
            n->next[i] = keel_select(moves, n->next[i] + w->c[j] * w->direction[j * states + i], n->next[i]);
        /* errors along it stay: they count in full */
        s->inverse[j] = keel_select(good & (w->part[j] < 1.0), keel_lift(0.0), s->inverse[j]);
    }
    w->newton = motion_count(w->newton, good, 1);
    return good;
}

/* Lets the sizes of constraints and their d/dt grow to those at the factored place. */
static inline void motion_grow(const struct mechanism *m, struct motion *w, keel_real t, const keel_real *x) {
    for (int i = 0; i < m->k; i++) w->c[i] = keel_lift(0.0);
    if (m->terms) m->terms(t, x, w->c, w);
    for (int i = 0; i < m->k; i++) {
        keel_real position, velocity;
        mechanism_sizes(m->nq, w->k_rows + i * m->nq, w->shift[i], t, w->c[i], x, &position, &velocity);
        w->size[i] = keel_select(position > w->size[i], position, w->size[i]);
        w->size[m->k + i] = keel_select(velocity > w->size[m->k + i], velocity, w->size[m->k + i]);
    }
}

/* Brings next of those in `open` to the manifold; who arrives? */
static inline keel_truth motion_sweeps(const struct mechanism *m, struct motion *w, const struct lanes *l,
                                       const struct project *p, const struct lanes_workspace *n,
                                       keel_truth open) {
    enum { MOST = 6 };
    int rows = 2 * m->k + m->invariants;
    keel_truth arrived = {0};
    keel_real before = keel_lift(0.0);
    for (int i = 0; i < rows; i++) w->size[i] = n->size[i];
    motion_factor(w, l->t_new, n->next, open);
    open &= w->known;
    motion_grow(m, w, l->t_new, n->next);
    for (int sweep = 0; sweep < MOST && keel_any(open); sweep++) {
        open = motion_positions(m, w, l->t_new, n->next, sweep ? 1 : 0, p->units, open);
        open = motion_velocities(m, w, l->t_new, n->next, n->largest, p->units, open);
        if (m->invariants == 0) return open;
        m->values(l->t_new, n->next, w->residual + 2 * m->k, w);
        for (int i = 2 * m->k; i < rows; i++) w->residual[i] -= n->reference[i];
        if (sweep) { /* before, sizes of the invariants are not known */
            keel_real worst = motion_worst(rows, w->residual, w->size);
            arrived |= open & (worst <= p->units);
            open &= ~arrived & (sweep > 1 ? worst <= 0.5 * before : worst == worst);
            before = worst;
        }
        if (keel_any(open)) open = motion_invariants(m, w, l, n, p->units, open, sweep);
    }
    return arrived;
}

/* Has a state moved by a larger share of its size than was looked at? */
static inline keel_truth motion_far(const struct project *p, const struct lanes_workspace *m) {
    keel_truth far = {0};
    for (int i = 0; i < p->n; i++)
        far |= keel_abs(m->next[i] - (m->x[i] + m->dx[i])) > m->beyond[0] * m->largest[i];
    return far;
}

/* lanes_project for mechanics. */
static inline keel_truth motion_project(struct lanes *l, const struct project *p,
                                        const struct lanes_workspace *m, keel_fn *rhs, keel_fn *values,
                                        keel_fn *gradients, void *user, int adaptive, keel_truth want) {
    const struct mechanism model = motion_model();
    struct motion *w = (struct motion *)user;
    keel_truth none = {0}, grown = {0};
    (void)values, (void)gradients;
    if (adaptive) w->lost = none; /* of attempts that were rejected; estimates tell of this one */
    keel_truth held = motion_sweeps(&model, w, l, p, m, want & l->live & ~w->lost);
    held &= lanes_finite(p->kept, w->size) & lanes_finite(p->n, m->next);
    for (int i = 0; i < p->kept; i++) grown |= held & (w->size[i] > m->size[i]);
    if (keel_any(grown)) {
        lanes_certify(l, p, m, grown);
        lanes_choose(p->kept, held, w->size, m->size);
        l->grown |= grown;
    }
    if (adaptive) return held;
    l->beyond = motion_far(p, m);
#ifdef KEEL_DEVICE /* the whole step is for the core */
    if (keel_any(l->beyond & held)) lanes_stop(l, l->beyond & held, 1);
    held &= ~l->beyond;
#endif
    rhs(l->t_new, m->next, m->stage, user);
    held &= ~w->lost;
    w->lost = none;
    return held;
}

/* lanes_tangent for mechanics. */
static inline void motion_tangent(const struct lanes *l, const struct project *p,
                                  const struct lanes_workspace *m, keel_real *error) {
    const struct mechanism model = motion_model();
    struct motion *w = (struct motion *)m->user;
    const struct rowspace space = motion_space(&model, w), border = motion_border(&model, w);
    (void)p;
    mechanism_tangent(model.nq, model.first, w->mass, &space, model.invariants ? &border : 0, keel_abs(l->h),
                      w->d, error);
}

/* lanes_measure for mechanics. */
static inline void motion_measure(struct lanes *l, const struct project *p, const struct lanes_workspace *m,
                                  keel_fn *gradients, void *user, keel_truth done, int keeps, int adaptive) {
    const struct mechanism model = motion_model();
    struct motion *w = (struct motion *)user;
    (void)gradients, (void)keeps;
    lanes_take_in(p, m, done);
    lanes_keep_sizes(l, p, m, done);
    if (lanes_may_outgrow(p, m, m->x)) {
        keel_truth outgrown = lanes_outgrow(p, m, done);
        if (adaptive && keel_any(outgrown)) lanes_limit(l, p, m);
    }
    if (lanes_was_quiet(l, done) || model.invariants == 0) return;
    keel_truth looks = lanes_looks(l, done);
    if (!keel_any(looks)) return;
    model.gradients(adaptive ? l->t : lanes_time(l, 0), m->x, w->gradients, user);
    w->jacobians = motion_count(w->jacobians, looks, model.invariants);
    lanes_verify(l, p->n, model.invariants, w->gradients, m->f, l->k[0]->share + 2 * model.k, looks);
}
#endif
