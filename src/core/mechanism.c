/* mechanism.c - accelerations and projections by functions that a compiled model brings (mechanism.h).
 *
 * What they cannot do is done again by mechanics.c and manifold_mass.c, with the same counts, and said
 * there. */
#include "core/manifold.h"

#include "linalg/schur_rows.h"

#include "core/elimination.h"

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

static struct keel_mechanics_state state_of(struct field *fd, double t, const double *x) {
    struct mechanics *m = &fd->mech;
    return (struct keel_mechanics_state){.mass = m->mass,
                                         .k_rows = m->k_rows,
                                         .shift = m->shift,
                                         .at = m->at,
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

/* Is the chain the kernel's, its M known, all rows in force, and nothing at hand that was factored here? */
static int chain_fits(const struct field *fd, double t, const double *x) {
    const keel_kernel *k = fd->kernel;
    const struct mechanics *m = &fd->mech;
    if (!k->elimination || !m->roughly || fd->kr || k->force != fd->p.f.value ||
        k->constraint != fd->p.constraint.value || fd->constraint.time_dependent)
        return 0;
    if (!m->saddle.schur || !m->saddle.weighed || !schur_chain(m->saddle.schur)) return 0;
    if (fd->p.mass.value && !(fd->p.mass.constant && m->mass_ready)) return 0;
    int all = 1; /* without a way out, so that several go at once */
    for (int i = 0; i < fd->k; i++) all &= fd->active[i] != 0;
    return all && !mechanics_factored_at(fd, t, x);
}

int mechanism_eliminates(struct field *fd, double t, const double *x, double *dx) {
    if (!chain_fits(fd, t, x) || keel_halted(fd->halt)) return 0;
    struct keel_elimination_state s = {.force = fd->p.f.value,
                                       .rows = fd->p.constraint.jacobian,
                                       .curvature = fd->p.curvature,
                                       .active = fd->active,
                                       .lambda = fd->lambda};
    s.weight = schur_chain_weights(fd->mech.saddle.schur, &s.entry_weight);
    if (fd->kernel->elimination(&s, t, x, dx, fd->p.user)) return 0;
    fd->mech.ready = 0; /* what was factored before would be overwritten without it, too */
    fd->stats->factorizations++;
    fd->stats->schur++;
    fd->stats->jacobians++;
    return 1;
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

int mechanism_projects(struct manifold *m, double t, double *x) {
    struct field *fd = m->fd;
    struct rows *r = m->rows;
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
