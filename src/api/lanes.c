/* lanes.c - solvers opened again and again, and several of them side by side in the lanes of a kernel: what
 * ensembles are made of. */
#include "api/solver.h"
#include "core/advance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opening again ----------------------------------------------------------------------------------------- */

/* An engine as it is laid out, in place of the one at hand.  Methods that change, and sparse matrices, keep
 * more than the block. */
static keel_status keep_layout(keel_solver *s) {
    const struct engine *old = s->engine;
    const int *verdict = old->verified ? old->rows.verdict : NULL;
    if (!old->block || s->automatic || old->field.large || old->field.by_pattern || old->field.mech.sparse)
        return KEEL_EINVAL;
    struct engine *e = engine_carve(s, &old->field.p, &old->o, old->stepper, old->manifold.stabilizer,
                                    &(struct engine_past){VERDICTS_ALIKE, verdict, NULL});
    if (!e) return KEEL_ENOMEM;
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
    keel_status status = s->laid_out ? KEEL_OK : keep_layout(s);
    return status < 0 ? status : snapshot_open(s->laid_out, s->engine, t0, u0);
}

/* Lanes ------------------------------------------------------------------------------------------------- */

struct lane {
    keel_solver *solver; /* NULL: nothing is under way */
    struct advance advance;
    int ready; /* its next steps are for a kernel */
};

struct keel_lanes {
    int count;
    struct lane lane[KEEL_MOST_LANES];
};

keel_lanes *keel_lanes_open(int count) {
    keel_lanes *l = count > 0 && count <= KEEL_MOST_LANES ? calloc(1, sizeof *l) : NULL;
    if (l) l->count = count;
    return l;
}

void keel_lanes_close(keel_lanes *l) {
    for (int i = 0; l && i < l->count; i++)
        if (l->lane[i].solver) l->lane[i].solver->running = 0;
    free(l);
}

int keel_lanes_begin(keel_lanes *l, int i, keel_solver *s, double t_wake, double t_end) {
    if (!l || i < 0 || i >= l->count || !s || s->running || s->automatic) return 0;
    struct engine *e = s->engine;
    if (e->r->status < 0 || e->r->at_rest || !isfinite(t_end) || isnan(t_wake) || e->surfaces.count ||
        t_end == e->r->t_now)
        return 0;
    struct lane *lane = &l->lane[i];
    e->message[0] = '\0';
    s->running = 1;
    lane->solver = s;
    lane->ready = 0;
    run_begin(&lane->advance, e, t_wake, t_end, e->o.pause_steps, 0);
    return 1;
}

/* Do two of them go by the same loop? */
static int is_alike(const struct lane *a, const struct lane *b) {
    const struct kernel_work *v = &a->advance.work, *w = &b->advance.work;
    return v->plain == w->plain && v->k.treatment == w->k.treatment && v->k.adaptive == w->k.adaptive &&
           v->e->field.kernel == w->e->field.kernel;
}

/* The next steps of all that are ready: those like the first one side by side, others alone. */
static void take_steps(keel_lanes *l, int first) {
    const struct lane *one = &l->lane[first];
    const keel_kernel *kernel = one->advance.work.e->field.kernel;
    keel_kernel_lanes *by = one->advance.work.plain ? kernel->plain_lanes : kernel->kept_lanes;
    struct keel_kernel_state *state[KEEL_MOST_LANES] = {0};
    void *user[KEEL_MOST_LANES] = {0};
    long taken[KEEL_MOST_LANES] = {0};
    int beside = 0;
    for (int i = 0; i < l->count && by && kernel->lanes == l->count; i++) {
        struct lane *lane = &l->lane[i];
        if (!lane->ready || !is_alike(lane, one)) continue;
        state[i] = &lane->advance.work.k;
        user[i] = lane->advance.work.e->field.p.user;
        beside++;
    }
    if (beside > 1) by(state, user, taken);
    for (int i = 0; i < l->count; i++) {
        struct lane *lane = &l->lane[i];
        if (!lane->ready) continue;
        if (beside < 2 || !state[i]) taken[i] = kernel_take(&lane->advance.work);
        run_settle(&lane->advance, taken[i]);
        lane->ready = 0;
    }
}

int keel_lanes_go(keel_lanes *l, keel_status *status) {
    for (;;) {
        int first = -1;
        for (int i = 0; l && i < l->count; i++) {
            struct lane *lane = &l->lane[i];
            if (!lane->solver) continue;
            if (!lane->ready && !(lane->ready = run_go(&lane->advance))) {
                lane->solver->running = 0;
                lane->solver = NULL;
                *status = lane->advance.status;
                return i;
            }
            if (first < 0) first = i;
        }
        if (first < 0) return -1;
        take_steps(l, first);
    }
}
