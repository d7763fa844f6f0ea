/* kernel.c - many steps at once, by a kernel that the problem brings: a method with f, and the rows that are
 * watched or kept, compiled into it.
 *
 * The last steps before a call ends are left to step.c, so whoever looks into the last step finds what is
 * always there.  What a kernel cannot do, because something goes wrong in it, step.c does again and says what
 * it was. */
#include "core/kernel_work.h"
#include "core/project.h"
#include "core/verify.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 1024, LEFT = 2 };

/* On a device: what goes there should not come back soon, nor let others wait for long.  Longer ways cost
 * more than they save (an H200: launches of 262144 steps 5.4 s, of 65536 4.3 s).  The core looks at the first
 * steps and their corrections. */
enum { DEVICE_PLAIN = 65536, DEVICE_FIXED = 16384, DEVICE_CHUNK = 4096, DEVICE_FIRST = 8 };

enum { PATIENCE = 16 }; /* so many steps are left to step.c once a kernel cannot take one */

/* Is every row an energy or an invariant that the kernel has, and watched, or kept at round-off by weights on
 * states? */
static int rows_fit(const struct engine *e) {
    const struct field *fd = &e->field;
    const keel_kernel *k = fd->kernel;
    const struct rows *r = &e->rows;
    int watched = 0;
    for (int i = 0; i < r->count; i++) watched += r->treatment[i] == KEEL_ROW_WATCHED;
    int kept = manifold_projects(&e->manifold) && !e->manifold.by_mass && e->manifold.kept == r->count;
    return (kept || (watched == r->count && !manifold_corrects(&e->manifold))) &&
           r->of[KEEL_ROW_ENERGY] + r->of[KEEL_ROW_INVARIANT] == r->count && r->count <= KERNEL_ROWS &&
           k->energy == fd->p.energy.value && k->invariant == fd->p.invariant.value;
}

/* Fixed steps with nothing to measure have a kernel of their own, but for those of implicit methods. */
static int is_implicit(const struct engine *e) {
    return (e->stepper->info.traits & KEEL_IMPLICIT) != 0;
}
static int is_plain(const struct engine *e) {
    return e->o.step > 0 && !e->measured && !is_implicit(e);
}

/* Mechanics, all rows of which are kept by masses. */
static int motion_fits(const struct engine *e, int beside) {
    const keel_kernel *k = e->field.kernel;
    const struct manifold *m = &e->manifold;
    int there = k->kept || (beside && (k->kept_lanes || k->device));
    if (e->stepper->aim && e->o.step > 0) return 0; /* there is none for fixed steps */
    return there && (e->o.step > 0 || e->estimates) && e->measured && manifold_projects(m) &&
           !m->stabilizer->correct && !m->stabilizer->attempt && m->by_mass && e->rows.count <= KERNEL_ROWS &&
           mechanism_fits(m);
}

/* By a clock a kernel has steps by their error alone; the longest step would change with the state. */
static int clock_fits(const struct engine *e, int beside) {
    return !e->field.p.clock || (!beside && e->o.step == 0 && e->o.max_step == 0);
}

int kernel_fits(const struct engine *e, int beside) {
    const keel_problem *p = &e->field.p;
    const keel_kernel *k = e->field.kernel;
    if (!k || !k->method || !clock_fits(e, beside) || e->o.reversible || e->o.compensated || p->event.count ||
        e->o.own_method || strcmp(k->method, e->stepper->info.name) != 0)
        return 0;
    if (e->field.rhs == mechanics_rhs) return motion_fits(e, beside);
    if (e->field.rhs != p->f.value || (e->stepper->no_rhs && !e->work.carried)) return 0;
    if (e->stepper->aim && e->o.step > 0) return 0; /* there is none for fixed steps */
    if (is_implicit(e) && e->o.step == 0) return 0; /* none for others */
    if (is_plain(e)) return k->fixed != NULL;
    return k->kept && (e->o.step > 0 || e->estimates) && e->field.m == 0 && e->field.k == 0 &&
           (!e->measured || rows_fit(e));
}

/* None where the clock hardly resolves a step.  Steps by their error end before t_wake by themselves. */
static long chunk(const struct engine *e, double t_wake, long most) {
    const struct run_state *r = e->r;
    long longest = !e->field.kernel->device ? CHUNK
                   : is_plain(e)            ? DEVICE_PLAIN
                   : e->o.step > 0          ? DEVICE_FIXED
                                            : DEVICE_CHUNK;
    if (e->o.step == 0) return most - LEFT < 1 ? 0 : most - LEFT < longest ? most - LEFT : longest;
    double steps = fmin(e->grid.steps, (t_wake - r->base) / (e->o.step * r->direction));
    double left = fmin(steps - (double)r->count, (double)most) - LEFT;
    double clock = 64 * DBL_EPSILON * fmax(fabs(r->base), fabs(e->grid.t_end));
    return left < 1 || e->o.step < clock ? 0 : (long)fmin(left, (double)longest);
}

/* The two buffers change places with every step.  Nobody can look between the ends of a chunk. */
static void advance(struct engine *e, double t, long count, long calls) {
    struct run_state *r = e->r;
    int now = r->current, to = (now + (int)(count % 2)) % 2, rated = !e->stepper->no_rhs;
    size_t bytes = (size_t)e->field.width * sizeof(double);
    if (to != now) memcpy(e->x[to], e->x[now], bytes);
    if (to != now && (rated || e->stepper->aim)) memcpy(e->f[to], e->f[now], bytes);
    r->current = to;
    r->rhs_known[to] = rated;
    r->count += count;
    r->has_step = 0;
    r->t = r->t_now = r->t_before = t;
    r->stats.steps += count;
    r->stats.calls += calls;
}

/* What step.c would have left after the last look at the rates. */
static void clear(struct kernel_work *w) {
    if (w->k.verifications > w->cleared && !w->e->manifold.by_mass) verify_clear(&w->e->start);
    w->cleared = w->k.verifications;
}

/* Before sizes grow, and at the end. */
static void certify(struct kernel_work *w) {
    struct rows *r = &w->e->rows;
    if (w->k.treatment == KERNEL_FREE) return;
    project_certify(r->count, w->worst, r->size, r->drift, r->units);
    memset(w->worst, 0, sizeof w->worst);
}

/* The core takes part in the step under way. */
static void touch(struct kernel_work *w) {
    const struct rows *r = &w->e->rows;
    if (w->touched == w->k.steps) return;
    w->before = w->e->r->stats;
    memcpy(w->size, r->size, (size_t)r->count * sizeof *r->size);
    w->touched = w->k.steps;
}

/* Sizes that are due, after what a look before them would have left. */
static int grow(struct keel_kernel_state *k, double t) {
    struct kernel_work *w = (struct kernel_work *)k;
    struct engine *e = w->e;
    touch(w);
    keel_status status = engine_finite(e->rows.count * e->field.n, k->jacobian) ? KEEL_OK : KEEL_RETRY;
    clear(w);
    certify(w);
    for (int i = 0; i < e->manifold.kept_kinds && status == KEEL_OK; i++)
        status = rows_grow(&e->field, &e->rows, (keel_row_kind)e->manifold.kind[i], t, k->trial);
    return status != KEEL_OK;
}

/* A projection that needs new gradients on its way. */
static int again(struct keel_kernel_state *k, double t) {
    struct kernel_work *w = (struct kernel_work *)k;
    keel_stats *stats = &w->e->r->stats;
    long steps = stats->steps;
    touch(w);
    clear(w);
    certify(w);
    stats->steps = k->steps;
    keel_status status = manifold_correct(&w->e->manifold, t, k->trial, NULL);
    stats->steps = steps;
    return status != KEEL_OK;
}

/* A correction that is larger than those before: in a single run step.c takes such a step. */
static void note(struct keel_kernel_state *k, double t, double t_new) {
    struct engine *e = ((struct kernel_work *)k)->e;
    double before = e->r->t;
    e->r->t = t;
    if (correction_counts(e)) correction_note(e, t_new, k->h);
    e->r->t = before;
}

/* For the rates of the rows, which the kernel looks at if they do not depend on t. */
static const double *shares(const struct engine *e, double share[KERNEL_ROWS]) {
    const struct field *fd = &e->field;
    if (fd->energy.time_dependent || fd->invariant.time_dependent) return NULL;
    for (int i = 0; i < e->rows.count; i++)
        share[i] = verify_share(fd, rows_kind(&e->rows, i) == KEEL_ROW_ENERGY ? &fd->energy : &fd->invariant);
    return share;
}

/* The steps that were taken are those of the run. */
static void commit(struct kernel_work *w, long taken) {
    const struct keel_kernel_state *k = &w->k;
    struct engine *e = w->e;
    struct run_state *r = e->r;
    if (k->moved_state >= 0) correction_enter(e, k->moved_state, k->moved, k->moved_t);
    r->stats.corrections += k->corrections;
    r->stats.newton += k->newton;
    r->stats.factorizations += e->manifold.by_mass ? k->factorizations : k->corrections;
    r->stats.jacobians +=
        e->manifold.by_mass ? k->jacobians : (k->corrections + k->verifications) * e->manifold.kept_kinds;
    r->stats.rejected += k->rejected;
    r->outgrown = k->outgrown;
    r->h_next = k->h_next;
    r->error_before = k->error_before;
    advance(e, k->t, taken, k->calls);
    clear(w);
}

/* Fixed steps with nothing to measure. */
static void prepare_plain(struct engine *e, struct kernel_work *w, long count) {
    const struct run_state *r = e->r;
    int now = r->current, rated = !e->stepper->no_rhs;
    size_t bytes = (size_t)e->field.width * sizeof(double);
    memcpy(e->x[1 - now], e->x[now], bytes);
    if (rated) memcpy(e->f[1 - now], e->f[now], bytes);
    w->e = e;
    w->plain = 1;
    w->k = (struct keel_kernel_state){.t = r->t,
                                      .base = r->base,
                                      .h = e->o.step * r->direction,
                                      .first = r->count,
                                      .count = count,
                                      .x = e->x[now],
                                      .f = rated ? e->f[now] : e->work.carried};
}

/* How weights follow sizes, for lanes, which do not ask step_weigh. */
static void take_weights(const struct engine *e, struct kernel_work *w) {
    const struct manifold *m = &e->manifold;
    w->k.weighs = !m->by_mass && m->norm != KEEL_UNIT && m->norm != KEEL_GIVEN && !manifold_frozen(m) &&
                  e->field.n <= KERNEL_STATES;
    w->k.spread = w->spread;
    if (!w->k.weighs || w->shared) return;
    sizes_shares(&e->field, w->spread);
    w->shared = 1;
}

static void prepare_kept(struct engine *e, struct kernel_work *w, double t_wake, double t_end, long count) {
    struct run_state *r = e->r;
    struct rows *rows = &e->rows;
    int keeps = manifold_corrects(&e->manifold);
    step_weigh(e);
    w->e = e;
    w->plain = 0;
    w->cleared = 0;
    w->touched = -1;
    w->k = (struct keel_kernel_state){.treatment = keeps         ? KERNEL_KEPT
                                                   : e->measured ? KERNEL_WATCHED
                                                                 : KERNEL_FREE,
                                      .t = r->t,
                                      .base = r->base,
                                      .h = e->o.step * r->direction,
                                      .first = r->count,
                                      .count = count,
                                      .adaptive = e->estimates > 0,
                                      .h_next = r->h_next,
                                      .error_before = r->error_before,
                                      .longest = control_longest(e, t_end),
                                      /* steps that are not planned for it, but seen there */
                                      .t_end = e->field.p.clock ? r->direction * HUGE_VAL : t_wake,
                                      .wake = t_wake,
                                      .direction = r->direction,
                                      .rtol = e->o.rtol,
                                      .order = e->stepper->error_order,
                                      .atol = e->atol,
                                      .space = &e->manifold.space,
                                      .x = e->x[r->current],
                                      .f = e->f[r->current],
                                      .carried = e->work.carried,
                                      .series = keel_extras_of(&e->field.p)->series.value,
                                      .largest = e->field.size,
                                      .inverse_weight = e->manifold.inverse_weight,
                                      .reference = rows->reference,
                                      .size = rows->size,
                                      .drift = rows->drift,
                                      .units = rows->units,
                                      .least = e->field.least,
                                      .residual = rows->residual,
                                      .allowed = e->manifold.units,
                                      .nearly = e->manifold.nearly,
                                      .moved = r->correction.largest,
                                      .moved_state = -1,
                                      .beyond = rows->beyond,
                                      .steps = r->stats.steps,
                                      .grow = grow,
                                      .jacobian = rows->jacobian,
                                      .again = again,
                                      .trial = e->dx,
                                      .note = note,
                                      .next = e->x[1 - r->current],
                                      .part = e->manifold.part};
    memset(w->worst, 0, sizeof w->worst);
    w->k.worst = w->worst;
    w->k.share = keeps ? shares(e, w->share) : NULL;
    if (keeps && (e->field.kernel->device || e->field.kernel->lanes)) take_weights(e, w);
}

/* Is the method without what its last step would have left it, for steps as long as these? */
static int lacks_memory(const struct engine *e) {
    const double *carried = e->work.carried;
    return carried && (e->r->fresh || carried[0] != e->o.step * e->r->direction);
}

/* Steps up to this length are the kernel's.  By a clock none is planned for t_wake: those that may pass it,
 * by the rate of time where they begin. */
static double way_left(const struct engine *e, double t_wake) {
    int now = e->r->current;
    if (!e->field.p.clock) return 0.5 * fabs(t_wake - e->r->t);
    return fabs((t_wake - clock_of_step(e)) / e->f[now][e->field.n - 1]);
}

int kernel_prepare(struct engine *e, struct kernel_work *w, double t_wake, double t_end, long most,
                   long *wait) {
    if (lacks_memory(e)) {
        *wait = 1;
        return 0;
    }
    if (e->field.kernel->device && !is_plain(e) && e->r->stats.steps < DEVICE_FIRST) {
        *wait = DEVICE_FIRST - e->r->stats.steps;
        return 0;
    }
    int lands = e->o.step == 0 && !(e->r->h_next <= way_left(e, t_wake));
    if (lands || e->r->familiar > 0) return 0; /* the kernel would leave this step to step.c */
    long count = chunk(e, t_wake, most);
    *wait = count ? 0 : LONG_MAX;
    if (count == 0) return 0;
    long alone = defect_wait(e);
    if (alone == 0) return 0;
    if (alone < count) count = alone;
    if (is_plain(e)) prepare_plain(e, w, count);
    else prepare_kept(e, w, t_wake, t_end, count);
    return 1;
}

long kernel_take(struct kernel_work *w) {
    struct keel_kernel_state *k = &w->k;
    const keel_kernel *kernel = w->e->field.kernel;
    void *user = w->e->field.p.user;
    if (!w->plain) {
        long taken = kernel->kept ? kernel->kept(k, user) : 0; /* mechanics may have none */
        /* a step that is repeated begins with the sizes that it had */
        if (w->touched == k->steps) memcpy(k->size, w->size, (size_t)w->e->rows.count * sizeof *k->size);
        return taken;
    }
    k->calls = kernel->fixed(k->t, k->base, k->h, k->first, k->count, k->x, k->f, user);
    return k->calls < 0 ? 0 : k->count;
}

/* A state that is not finite never becomes finite again: one look at the end of the chunk finds it. */
static long settle_plain(struct kernel_work *w, long taken, long *wait) {
    struct engine *e = w->e;
    struct run_state *r = e->r;
    int now = r->current, rated = !e->stepper->no_rhs;
    size_t bytes = (size_t)e->field.width * sizeof(double);
    if (taken > 0 && engine_finite(e->field.n, e->x[now])) {
        advance(e, r->base + (double)(r->count + taken) * e->o.step * r->direction, taken, w->k.calls);
        return taken;
    }
    memcpy(e->x[now], e->x[1 - now], bytes);
    if (rated) memcpy(e->f[now], e->f[1 - now], bytes);
    *wait = LONG_MAX;
    return 0;
}

long kernel_settle(struct kernel_work *w, long taken, long *wait, keel_status *status) {
    struct engine *e = w->e;
    if (w->plain) return settle_plain(w, taken, wait);
    certify(w);
    if (w->touched == w->k.steps) e->r->stats = w->before;
    int early = e->field.kernel->device ? taken < w->k.count : taken == 0;
    *wait = w->k.due ? 1 : early && !w->k.held ? PATIENCE : 0;
    if (taken == 0) return 0;
    commit(w, taken);
    if (w->k.unseen && project_verifies(e->r->stats.steps) && step_verify(e) != KEEL_OK)
        *status = engine_fail_by_fault(e);
    return taken;
}
