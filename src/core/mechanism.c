/* mechanism.c - accelerations and projections by functions that a compiled model brings (mechanism.h).
 *
 * What they cannot do is done again by mechanics.c and manifold_mass.c, with the same counts, and said
 * there. */
#include <keel/method.h>

#include "core/manifold.h"

#include "core/elimination_project.h"

#include <string.h>

/* There is a kernel: are M, F, K and gamma its own, and all constraints in force? */
static int functions_fit(const struct field *fd) {
    const keel_kernel *k = fd->kernel;
    if (!k->accelerations || fd->mech.sparse || fd->kr || k->force != fd->p.f.value ||
        k->constraint != fd->p.constraint.value)
        return 0;
    if (fd->constraint.time_dependent != (fd->p.constraint.time_derivative != NULL)) return 0;
    for (int i = 0; i < fd->k; i++)
        if (!fd->active[i]) return 0;
    return 1;
}

/* And is a constant M factored, which it does not do? */
static int is_ready(const struct field *fd) {
    return functions_fit(fd) && (!fd->p.mass.constant || fd->mech.mass_ready);
}

void mechanism_layout(struct field *fd, struct arena *a) {
    struct mechanics *m = &fd->mech;
    m->calls = arena_take(a, MECHANISM_CALLS * sizeof *m->calls);
    if (m->calls) mechanism_forget(m->calls, MECHANISM_CALLS);
}

static struct keel_mechanics_state state_of(struct field *fd, double t, const double *x) {
    struct mechanics *m = &fd->mech;
    return (struct keel_mechanics_state){.mass = m->mass,
                                         .k_rows = m->k_rows,
                                         .shift = m->shift,
                                         .at = m->at,
                                         .calls = m->calls,
                                         .lambda = fd->lambda,
                                         .space = &m->space,
                                         .factored = mechanics_factored_at(fd, t, x)};
}

/* What was counted, unless all is done again; then what was overwritten is made again, and counts once. */
static int leave(struct field *fd, const struct keel_mechanics_state *s, int failed) {
    keel_stats *stats = fd->stats;
    if (s->overwritten) fd->mech.ready = !failed;
    if (s->overwritten && !failed) fd->mech.mass_ready = 1;
    stats->factorizations += failed ? -(s->factored && s->overwritten) : s->factorizations;
    stats->jacobians += failed ? -(s->factored && s->overwritten) : s->jacobians;
    stats->newton += failed ? 0 : s->newton;
    return failed;
}

int mechanism_accelerates(struct field *fd, double t, const double *x, double *dx) {
    if (!is_ready(fd) || keel_halted(fd->halt)) return 0;
    struct keel_mechanics_state s = state_of(fd, t, x);
    return !leave(fd, &s, fd->kernel->accelerations(&s, t, x, dx, fd->p.user));
}

/* Is the chain the kernel's, and all rows in force?  Nothing of this changes on the way. */
__attribute__((noinline)) static int is_chain(const struct field *fd) {
    const keel_kernel *k = fd->kernel;
    const struct mechanics *m = &fd->mech;
    int all = m->roughly && m->saddle.schur && schur_chain(m->saddle.schur);
    for (int i = 0; i < fd->k; i++) all &= fd->active[i] != 0;
    return all && k->elimination && !fd->kr && k->force == fd->p.f.value &&
           k->constraint == fd->p.constraint.value && !fd->constraint.time_dependent;
}

/* And is M known? */
static inline int chain_fits(struct field *fd) {
    struct mechanics *m = &fd->mech;
    if (m->chain == 0) m->chain = is_chain(fd) ? 1 : -1;
    return m->chain > 0 && m->saddle.weighed && (!fd->p.mass.value || (fd->p.mass.constant && m->mass_ready));
}

static inline struct keel_elimination_state state_of_chain(const struct field *fd, int factored) {
    struct keel_elimination_state s = {.force = fd->p.f.value,
                                       .rows = fd->p.constraint.jacobian,
                                       .curvature = fd->p.curvature,
                                       .active = fd->active,
                                       .lambda = fd->lambda,
                                       .at = fd->mech.at,
                                       .factored = factored ? schur_chain(fd->mech.saddle.schur) : NULL};
    s.weight = schur_chain_weights(fd->mech.saddle.schur, &s.entry_weight);
    return s;
}

/* A kernel has factored so often, and the place of the last time is left. */
static inline void pass(struct field *fd, int count) {
    fd->mech.passed = 1;
    mechanics_count(fd, count);
}

int mechanism_eliminates(struct field *fd, double t, const double *x, double *dx) {
    if (!chain_fits(fd) || keel_halted(fd->halt)) return 0;
    int factored = mechanics_factored_at(fd, t, x), again = mechanics_passed_at(fd, t, x);
    if (factored && !fd->mech.saddle.by_schur) return 0;
    struct keel_elimination_state s = state_of_chain(fd, factored);
    fd->mech.ready = factored; /* what was factored before would be overwritten without the kernel, too */
    fd->mech.passed = 0;
    if (fd->kernel->elimination(&s, t, x, dx, fd->p.user)) return 0;
    if (!factored) pass(fd, !again);
    return 1;
}

/* No stage but the first is where the core has factored. */
int mechanism_stages(const keel_work *w, const keel_attempt *a, double *k) {
    struct field *fd = w->context;
    if (w->rhs != mechanics_rhs || !fd->kernel || !fd->kernel->stages || !chain_fits(fd) || a->h == 0 ||
        keel_halted(fd->halt) || strcmp(fd->kernel->method, w->stepper->info.name) != 0)
        return 1;
    const keel_rk *table = w->stepper->table;
    for (int i = 1; i < table->stages; i++)
        if (table->c[i] == 0) return 1;
    struct keel_elimination_state s = state_of_chain(fd, 0);
    double *const error[] = {table->error[0] ? a->error[0] : NULL, table->error[1] ? a->error[1] : NULL};
    fd->mech.ready = fd->mech.passed = 0;
    if (fd->kernel->stages(&s, a->t, a->h, a->x, a->f, k, a->dx, error, fd->p.user)) return 1;
    pass(fd, table->stages - 1);
    return 0;
}

/* Are all rows kept by their smallest change, and those of the kernel? */
static int rows_fit(const struct manifold *m) {
    const struct field *fd = m->fd;
    const keel_kernel *k = fd->kernel;
    return k->projection && m->all_kept && m->corrections == 0 && k->energy == fd->p.energy.value &&
           k->invariant == fd->p.invariant.value && !fd->energy.time_dependent &&
           !fd->invariant.time_dependent;
}

int mechanism_fits(const struct manifold *m) {
    return functions_fit(m->fd) && rows_fit(m);
}

/* Of a chain: are they constraints, their d/dt, and no other but one energy, or none? */
static int chain_rows_fit(const struct manifold *m) {
    const struct field *fd = m->fd;
    const struct rows *r = m->rows;
    int others = r->count - r->at[KEEL_ROW_ENERGY];
    if (!fd->kernel->restoration || !m->all_kept || m->corrections) return 0;
    return others == 0 || (others == 1 && r->of[KEEL_ROW_ENERGY] == 1 && !fd->energy.time_dependent &&
                           fd->kernel->energy == fd->p.energy.value);
}

static int chain_projects(struct manifold *m, double t, double *x) {
    struct field *fd = m->fd;
    struct rows *r = m->rows;
    int energy = r->at[KEEL_ROW_ENERGY];
    if (!chain_rows_fit(m) || !chain_fits(fd) || mechanics_factored_at(fd, t, x) || keel_halted(fd->halt))
        return 0;
    struct keel_restoration_state s = {.active = fd->active,
                                       .energy = r->count - energy,
                                       .reference = r->reference,
                                       .size = r->size,
                                       .residual = m->residual,
                                       .gradient = rows_gradient(r, fd, energy),
                                       .largest = fd->size,
                                       .inverse_mass = fd->mech.saddle.inverse_weight,
                                       .tau = m->tau,
                                       .units = m->units,
                                       .nearly = m->nearly,
                                       .tangent = m->space.q,
                                       .dual = m->dual,
                                       .direction = m->directions,
                                       .part = m->part,
                                       .inverse_left = m->space.inverse,
                                       .used = m->space.used,
                                       .k = fd->mech.k_values,
                                       .at = fd->mech.at,
                                       .factored = schur_chain(fd->mech.saddle.schur)};
    s.weight = schur_chain_weights(fd->mech.saddle.schur, &s.entry_weight);
    m->space.rows = r->count - energy;
    m->space.width = 2 * fd->mech.space.width;
    int again = mechanics_passed_at(fd, t, x);
    if (fd->kernel->restoration(&s, t, x, fd->p.user)) return 0;
    m->space.rank = m->space.rows ? *s.used : 0;
    m->normal_known = m->space.rows > 0;
    fd->mech.saddle.by_schur = fd->mech.ready = 1;
    fd->mech.passed = 0;
    fd->stats->factorizations += s.factorizations;
    fd->stats->schur += s.schur;
    fd->stats->jacobians += s.jacobians;
    fd->stats->newton += s.newton;
    mechanics_count(fd, -again);
    return 1;
}

int mechanism_projects(struct manifold *m, double t, double *x) {
    struct field *fd = m->fd;
    struct rows *r = m->rows;
    if (fd->mech.sparse) return chain_projects(m, t, x);
    if (!is_ready(fd) || !rows_fit(m) || keel_halted(fd->halt)) return 0;
    struct keel_mechanics_state s = state_of(fd, t, x);
    s.reference = r->reference;
    s.size = r->size;
    s.residual = m->residual;
    s.gradients = rows_gradient(r, fd, r->at[KEEL_ROW_ENERGY]);
    s.largest = fd->size;
    s.tau = m->tau;
    s.units = m->units;
    s.nearly = m->nearly;
    s.border = &m->space;
    m->space.rows = m->kept - r->at[KEEL_ROW_ENERGY];
    m->space.width = 2 * fd->mech.space.width;
    if (leave(fd, &s, fd->kernel->projection(&s, t, x, fd->p.user))) return 0;
    m->normal_known = s.bordered;
    return 1;
}
