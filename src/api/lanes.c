/* lanes.c - solvers opened again and again, and several of them side by side in the lanes of a kernel: what
 * ensembles are made of. */
#include "api/solver.h"
#include "core/advance.h"
#include "core/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opening again ----------------------------------------------------------------------------------------- */

/* An engine as it is laid out, in place of the one at hand.  Methods that change, and sparse matrices, keep
 * more than the block. */
static keel_status keep_layout(keel_solver *s, double t0, const double *u0) {
    const struct engine *old = s->engine;
    const int *verdict = old->verified ? old->rows.verdict : NULL;
    if (!old->block || s->automatic || old->field.large || old->field.by_pattern || old->field.mech.sparse)
        return KEEL_EINVAL;
    struct engine *e = engine_carve(s, &old->field.p, &old->o, old->stepper, old->manifold.stabilizer,
                                    &(struct engine_past){.verdicts = VERDICTS_ALIKE, .verdict = verdict});
    if (!e) return KEEL_ENOMEM;
    e->field.p.t0 = t0;
    e->field.p.u0 = u0;
    if (e->block) engine_settle_ahead(e);
    s->laid_out = e->block ? snapshot_take(e) : NULL;
    keel_status status = s->laid_out ? KEEL_OK : e->block ? KEEL_ENOMEM : KEEL_EINVAL;
    if (status == KEEL_OK) {
        e->field.kernel = old->field.kernel;
        engine_close(s->engine);
        s->engine = e;
    } else engine_close(e);
    return status;
}

keel_status keel_open_again(keel_solver *s, double t0, const double *u0) {
    if (!s || !u0 || s->running || !isfinite(t0)) return KEEL_EINVAL;
    int count = s->engine->field.n + s->engine->field.m;
    for (int i = 0; i < count; i++)
        if (!isfinite(u0[i])) return KEEL_EINVAL;
    keel_status status = s->laid_out ? KEEL_OK : keep_layout(s, t0, u0);
    return status < 0 ? status : snapshot_open(s->laid_out, s->engine, t0, u0);
}

int keel_rests_at(keel_solver *s, double t0, const double *u0) {
    if (!s || !u0 || s->running || !s->engine->block || !s->engine->verified) return 0;
    struct field *fd = &s->engine->field;
    for (int i = 0; i < fd->n; i++) fd->size[i] = fabs(u0[i]); /* of this start, not of one before */
    return verify_at_a_glance(&s->engine->start, t0, u0);
}

int keel_treats_alike(const keel_solver *a, const keel_solver *b) {
    if (!a || !b || !a->engine->block || !b->engine->block) return 0;
    const struct rows *own = &a->engine->rows, *other = &b->engine->rows;
    return own->count == other->count &&
           memcmp(own->treatment, other->treatment, (size_t)own->count * sizeof *own->treatment) == 0;
}

/* Lanes ------------------------------------------------------------------------------------------------- */

struct lane {
    keel_solver *solver; /* NULL: nothing is under way */
    struct advance advance;
    int ready;      /* its next steps are for a kernel */
    int brief;      /* device: so often in a row it took few steps there; such a run goes on here */
    double further; /* and further iterations of projections, a share of its last steps there below 1 */
};

/* A run among those that take steps on a device side by side. */
struct place {
    double key;
    int lane;
};

struct keel_lanes {
    int count, at; /* the next lane to look at */
    struct lane *lane;
    const keel_device *device; /* NULL: none */
    void *queue;
    struct keel_kernel_state **state; /* [count], of those that take steps now, as the next two */
    void **user;
    long *taken;
    struct place *beside; /* [count] their lanes */
    char message[300];
};

static keel_lanes *open_lanes(int count) {
    keel_lanes *l = calloc(1, sizeof *l);
    size_t all = (size_t)count;
    if (!l) return NULL;
    l->count = count;
    l->lane = calloc(all, sizeof *l->lane);
    l->state = calloc(all, sizeof *l->state);
    l->user = calloc(all, sizeof *l->user);
    l->taken = calloc(all, sizeof *l->taken);
    l->beside = calloc(all, sizeof *l->beside);
    if (l->lane && l->state && l->user && l->taken && l->beside) return l;
    keel_lanes_close(l);
    return NULL;
}

keel_lanes *keel_lanes_open(int count) {
    return count > 0 && count <= KEEL_MOST_LANES ? open_lanes(count) : NULL;
}

keel_lanes *keel_lanes_open_device(int count, const keel_kernel *kernel) {
    keel_lanes *l = count > 0 && kernel && kernel->device ? open_lanes(count) : NULL;
    if (!l) return NULL;
    l->device = kernel->device;
    l->queue = l->device->open(count, l->message, sizeof l->message);
    return l;
}

const char *keel_lanes_message(const keel_lanes *l) {
    return l ? l->message : "there is not enough memory";
}

void keel_lanes_close(keel_lanes *l) {
    if (!l) return;
    for (int i = 0; i < l->count && l->lane; i++)
        if (l->lane[i].solver) l->lane[i].solver->running = 0;
    if (l->queue) l->device->close(l->queue);
    free(l->lane);
    free(l->state);
    free(l->user);
    free(l->taken);
    free(l->beside);
    free(l);
}

int keel_lanes_begin(keel_lanes *l, int i, keel_solver *s, double t_wake, double t_end) {
    if (!l || i < 0 || i >= l->count || !s || s->running || s->automatic) return 0;
    struct engine *e = s->engine;
    if (e->r->status < 0 || e->r->at_rest || !isfinite(t_end) || isnan(t_wake) || e->surfaces.count ||
        e->field.p.clock || t_end == e->r->t_now)
        return 0;
    if (l->device && (!e->field.kernel || e->field.kernel->device != l->device)) return 0;
    struct lane *lane = &l->lane[i];
    e->message[0] = '\0';
    s->running = 1;
    lane->solver = s;
    lane->ready = lane->brief = 0;
    lane->further = 0;
    run_begin(&lane->advance, e, t_wake, t_end, e->o.pause_steps, 0, 1);
    return 1;
}

/* Do two of them go by the same loop? */
static int is_alike(const struct lane *a, const struct lane *b) {
    const struct kernel_work *v = &a->advance.work, *w = &b->advance.work;
    return v->plain == w->plain && v->k.treatment == w->k.treatment && v->k.adaptive == w->k.adaptive &&
           v->e->field.kernel == w->e->field.kernel;
}

static void settle(struct lane *lane, long taken) {
    run_settle(&lane->advance, taken);
    lane->ready = 0;
}

/* The next steps of all that are ready: those like the first one side by side, others alone. */
static void take_steps(keel_lanes *l, int first) {
    const struct lane *one = &l->lane[first];
    const keel_kernel *kernel = one->advance.work.e->field.kernel;
    keel_kernel_lanes *by = one->advance.work.plain ? kernel->plain_lanes : kernel->kept_lanes;
    struct keel_kernel_state *state[KEEL_MOST_LANES] = {0};
    void *user[KEEL_MOST_LANES] = {0};
    long taken[KEEL_MOST_LANES] = {0};
    int beside = 0, least = kernel->kept || one->advance.work.plain ? 2 : 1; /* mechanics has lanes alone */
    for (int i = 0; i < l->count && by && kernel->lanes == l->count; i++) {
        struct lane *lane = &l->lane[i];
        if (!lane->ready || !is_alike(lane, one)) continue;
        state[i] = &lane->advance.work.k;
        user[i] = lane->advance.work.e->field.p.user;
        beside++;
    }
    if (beside >= least) by(state, user, taken);
    for (int i = 0; i < l->count; i++) {
        struct lane *lane = &l->lane[i];
        if (!lane->ready) continue;
        if (beside < least || !state[i]) taken[i] = kernel_take(&lane->advance.work);
        settle(lane, taken[i]);
    }
}

/* What a run wants of the core again and again is cheaper without the way there and back. */
enum { FEW = 32, OFTEN = 2 };

/* Threads beside each other wait for each other: fixed steps look at their rows after the same numbers of
 * steps together, and runs that iterate often lie beside those that do, too.  What a run comes to does not
 * depend on its place. */
static struct place place_of(const struct lane *lane, int at) {
    const struct keel_kernel_state *k = &lane->advance.work.k;
    int looks = k->treatment != KERNEL_FREE && !k->adaptive;
    return (struct place){looks ? (double)(k->steps % 64) + lane->further : 0, at};
}

static int compare_places(const void *a, const void *b) {
    const struct place *v = a, *w = b;
    return v->key != w->key ? (v->key > w->key) - (v->key < w->key) : v->lane - w->lane;
}

/* The steps of a launch are taken. */
static void settle_there(struct lane *lane, long taken) {
    const struct keel_kernel_state *k = &lane->advance.work.k;
    lane->brief = taken < FEW && k->count >= FEW ? lane->brief + 1 : 0;
    if (taken > 0) lane->further = fmin((double)(k->newton - k->corrections) / (double)taken, 0.999);
    settle(lane, taken);
}

/* The same on the device. */
static int take_steps_there(keel_lanes *l, int first) {
    const struct lane *one = &l->lane[first];
    int beside = 0;
    for (int i = 0; i < l->count; i++) {
        const struct lane *lane = &l->lane[i];
        if (!lane->ready || lane->brief >= OFTEN || !is_alike(lane, one)) continue;
        l->beside[beside++] = place_of(lane, i);
    }
    qsort(l->beside, (size_t)beside, sizeof *l->beside, compare_places);
    for (int i = 0; i < beside; i++) {
        struct kernel_work *w = &l->lane[l->beside[i].lane].advance.work;
        l->state[i] = &w->k;
        l->user[i] = w->e->field.p.user;
    }
    if (beside && l->device->steps(l->queue, one->advance.work.plain, beside, l->state, l->user, l->taken,
                                   l->message, sizeof l->message))
        return -1;
    for (int i = 0; i < beside; i++) settle_there(&l->lane[l->beside[i].lane], l->taken[i]);
    for (int i = 0; i < l->count; i++) {
        struct lane *lane = &l->lane[i];
        if (!lane->ready) continue;
        lane->brief = 0;
        settle(lane, kernel_take(&lane->advance.work));
    }
    return 0;
}

int keel_lanes_go(keel_lanes *l, keel_status *status) {
    if (!l || l->message[0]) return -1;
    for (;;) {
        int first = -1;
        for (; l->at < l->count; l->at++) {
            struct lane *lane = &l->lane[l->at];
            if (!lane->solver) continue;
            if (!lane->ready && !(lane->ready = run_go(&lane->advance))) {
                lane->solver->running = 0;
                lane->solver = NULL;
                *status = lane->advance.status;
                return l->at;
            }
        }
        l->at = 0;
        for (int i = 0; i < l->count && first < 0; i++)
            if (l->lane[i].ready && l->lane[i].brief < OFTEN) first = i;
        for (int i = 0; i < l->count && first < 0; i++)
            if (l->lane[i].ready) first = i;
        if (first < 0) return -1;
        if (!l->device) take_steps(l, first);
        else return take_steps_there(l, first) ? -1 : -2;
    }
}
