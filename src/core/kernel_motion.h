/* kernel_motion.h - steps of core/kernel.h for mechanics of few coordinates, projected by masses.
 *
 * Accelerations and the way back to the manifold are the two functions that a compiled model has of
 * core/mechanism.h; what they factor stays in numbers of the kernel's own.  Where one of them gives up, the
 * whole step is for core/step.c.  A compiled model has this header as text between core/kernel_rows.h and
 * core/kernel.h, and gives the loop of the latter two functions in place of values and gradients: one that
 * brings x, in place, to the manifold, and the gradients of the invariants. */
#ifndef KEEL_CORE_KERNEL_MOTION_H
#define KEEL_CORE_KERNEL_MOTION_H

/* What these functions find behind `user`; locals of a compiled model. */
struct kernel_motion {
    struct keel_mechanics_state s; /* its sizes of the rows are those of attempts, too */
    int known;                     /* there is a factorization, made at s.at */
    double *along;                 /* both halves of an error, padded */
    double *gradients;             /* of the invariants, where they are looked at */
    void *user;                    /* of the model */
};

/* A run goes on.  0, or M, where it is constant, is not positive definite. */
static inline int motion_begin(const struct mechanism *model, struct kernel_motion *w,
                               const struct keel_kernel_state *k, int rows) {
    for (int i = 0; i < rows; i++) w->s.size[i] = k->size[i];
    if (!model->steady) return 0;
    model->mass(k->t, k->x, w->s.mass, w->user);
    for (int i = 0; i < model->nq; i++)
        if (!small_cholesky_row(model->nq, model->first, w->s.mass, i)) return 1;
    return 0;
}

/* Around a call of either function at (t, x). */
static inline struct keel_mechanics_state *motion_enter(const struct mechanism *model,
                                                        struct kernel_motion *w, double t, const double *x) {
    w->s.factored = w->known && w->s.at[0] == t && mechanism_same(model->nq, w->s.at + 1, x);
    w->s.overwritten = w->s.bordered = 0;
    return &w->s;
}
static inline int motion_leave(struct kernel_motion *w, int failed) {
    if (w->s.overwritten) w->known = !failed;
    return failed;
}

/* Has a state moved by a larger share of its size than was looked at? */
static inline int motion_far(const struct project *p, const struct kernel_workspace *m,
                             const struct keel_kernel_state *k) {
    for (int i = 0; i < p->n; i++)
        if (kernel_way(m, i) > k->beyond[0] * k->largest[i]) return 1;
    return 0;
}

#define KERNEL_PROJECT motion_project
#define KERNEL_TANGENT motion_tangent
#define KERNEL_STANDS motion_stands
#define KERNEL_RESTS motion_rests
#define KERNEL_LOOKS motion_looks
#define KERNEL_USER(user) ((struct kernel_motion *)(user))->user

/* kernel_project for mechanics. */
static inline int motion_project(const struct kernel_method *method, const struct project *p,
                                 const struct kernel_workspace *m, keel_fn *rhs, keel_fn *project,
                                 keel_fn *gradients, void *user, struct keel_kernel_state *k, int adaptive,
                                 struct kernel_attempt *a) {
    struct kernel_motion *w = (struct kernel_motion *)user;
    long before = w->s.newton;
    (void)method, (void)gradients;
    w->s.tau = __builtin_fabs(a->h);
    if (project(a->t_new, m->next, m->next, user) != 0) return 1;
    if (!adaptive && motion_far(p, m, k)) return k->due = 1;
    if (!adaptive && rhs(a->t_new, m->next, m->stage, user) != 0) return 1;
    a->corrections += adaptive;
    a->newton += w->s.newton - before - !adaptive; /* of fixed steps one each is counted anyway */
    a->within = kernel_within(p->n, m->next, k->largest);
    return 0;
}

/* kernel_tangent for mechanics. */
static inline void motion_tangent(const struct kernel_method *method, const struct project *p, double h,
                                  void *user, double *error) {
    const struct mechanism *model = method->motion;
    struct kernel_motion *w = (struct kernel_motion *)user;
    struct rowspace space = *w->s.space, border = *w->s.border; /* with their sizes as constants */
    (void)p;
    space.rows = model->k, space.width = (model->nq + 3) / 4 * 4, space.pair = 0;
    border.rows = model->invariants, border.width = 2 * space.width, border.pair = 0;
    mechanism_tangent(model->nq, model->first, w->s.mass, &space, model->invariants ? &border : 0,
                      __builtin_fabs(h), w->along, error);
}

/* kernel_stands for mechanics: larger sizes of the rows hold from here on, and the residuals so far go into
 * the certificate by those before.  Masses do not ask for sizes of the states. */
static inline int motion_stands(const struct kernel_method *method, const struct project *p,
                                const struct kernel_workspace *m, void *user, struct keel_kernel_state *k,
                                const struct kernel_attempt *a) {
    const struct kernel_motion *w = (const struct kernel_motion *)user;
    int grown = 0;
    (void)method;
    for (int i = 0; i < p->kept; i++) grown |= w->s.size[i] > k->size[i];
    if (grown) project_certify(p->kept, k->worst, k->size, k->drift, k->units);
    for (int i = 0; i < p->kept && grown; i++) k->worst[i] = 0, k->size[i] = w->s.size[i];
    k->factorizations = w->s.factorizations;
    k->jacobians = w->s.jacobians;
    if (a->within || !project_outgrown(p->n, m->x, k->largest)) return 1;
    k->outgrown = 1;
    if (k->adaptive) kernel_limit(p, m, k);
    return 1;
}

/* Calls for looks at the rates: one for each invariant, as core/verify.c has them, unless they are known. */
static inline long motion_looks(const struct kernel_method *method, const struct keel_kernel_state *k) {
    return KERNEL_RATED(method) ? 0 : k->verifications * method->motion->invariants;
}

/* kernel_rests for mechanics: of its rows energy and invariants can move by themselves. */
static inline int motion_rests(const struct kernel_method *method, const struct project *p,
                               const struct kernel_workspace *m, keel_fn *rhs, keel_fn *gradients, void *user,
                               struct keel_kernel_state *k, double t) {
    const struct mechanism *model = method->motion;
    struct kernel_motion *w = (struct kernel_motion *)user;
    const double *rate = KERNEL_RATED(method) ? m->f : m->dx;
    if (model->invariants == 0) return 1;
    k->unseen = 1;
    if (!k->share || (!KERNEL_RATED(method) && rhs(t, m->x, m->dx, user) != 0)) return 0;
    gradients(t, m->x, w->gradients, user);
    for (int i = 0; i < model->invariants; i++)
        if (!project_rests(p->n, 0, w->gradients + i * p->n, rate, k->share[2 * model->k + i])) return 0;
    w->s.jacobians += model->invariants;
    k->factorizations = w->s.factorizations;
    k->jacobians = w->s.jacobians;
    k->unseen = 0;
    k->verifications++;
    return 1;
}
#endif
