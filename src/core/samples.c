/* samples.c - see samples.h.  The loop is core/kernel_samples.h: whole cycles from sample to sample, with the
 * bits of step.c and of a restart after each.  What it cannot do is left to these. */
#include "core/samples.h"

#include "core/kernel_state.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 4096 }; /* steps in one go */

struct pace samples_pace(const struct engine *e) {
    const struct run_state *r = e->r;
    return (struct pace){r->h_next, fabs(r->h_taken), r->direction, r->defect};
}

void samples_keep(struct engine *e, const struct pace *pace) {
    struct run_state *r = e->r;
    r->direction = pace->direction;
    r->defect = pace->defect;
    r->h_next = pace->h_next;
    r->error_before = 1e-4;
    if (pace->h_next > 0 && e->o.step == 0) r->familiar = pace->taken;
}

/* Nothing looks at single steps, and nothing follows the states but their rates. */
static int samples_fit(const struct engine *e) {
    const keel_stepper *m = e->stepper;
    const keel_kernel *k = e->field.kernel;
    const keel_problem *p = &e->field.p;
    int plain = !m->no_rhs && !m->aim && !m->next && !m->accept && !(m->info.traits & KEEL_IMPLICIT);
    int bare = e->rows.count + e->field.m + e->surfaces.count + p->event.count == 0 && e->verified;
    return k && k->samples && k->method && strcmp(k->method, m->info.name) == 0 && plain && bare &&
           e->field.n > 0 && e->field.rhs == p->f.value && !p->clock && !e->o.reversible &&
           !e->o.compensated && !e->o.own_method && !e->manifold.stabilizer->begin &&
           !manifold_frozen(&e->manifold) && (e->o.step > 0 || e->estimates);
}

/* Has the last sample, or the start, left nothing under way? */
static int is_fresh(const struct engine *e) {
    const struct run_state *r = e->r;
    return r->status >= 0 && r->fresh && r->count == 0 && !r->inside && r->rhs_known[r->current] &&
           r->direction != 0 && (e->o.step > 0 || r->h_next > 0) && !engine_asked(e);
}

/* Steps before one that is looked at. */
static long steps_unseen(const struct engine *e, long steps) {
    long least = steps < CHUNK ? steps : CHUNK, defect = defect_wait(e);
    long watch = e->watched ? e->r->watch.next - e->r->stats.steps - 1 : LONG_MAX;
    if (defect < least) least = defect;
    return watch < least ? watch : least;
}

static void commit(struct engine *e, const struct keel_sample_state *s) {
    struct run_state *r = e->r;
    const struct keel_kernel_state *k = &s->k;
    struct pace pace = samples_pace(e);
    size_t bytes = (size_t)e->field.width * sizeof(double);
    int now = r->current, to = (now + (int)((k->steps - r->stats.steps) % 2)) % 2;
    if (to != now) {
        memcpy(e->x[to], e->x[now], bytes);
        memcpy(e->f[to], e->f[now], bytes);
    }
    r->current = to;
    r->stats.steps = k->steps;
    r->stats.calls += k->calls;
    r->stats.rejected += k->rejected;
    pace.h_next = k->h_next;
    pace.taken = s->taken;
    engine_stand(e, k->t);
    field_forget(&e->field);
    r->rhs_known[to] = 1;
    samples_keep(e, &pace);
}

/* What the kernel is told of the run where it stands, `steps` before one that the core looks at. */
static struct keel_sample_state begin(struct engine *e, double period, double next, long steps) {
    struct run_state *r = e->r;
    return (struct keel_sample_state){.k = {.treatment = KERNEL_FREE,
                                            .t = r->t,
                                            .h = e->o.step * r->direction,
                                            .count = steps,
                                            .adaptive = e->o.step == 0,
                                            .h_next = r->h_next,
                                            .error_before = r->error_before,
                                            .longest = control_longest(e, next * period),
                                            .direction = r->direction,
                                            .rtol = e->o.rtol,
                                            .order = e->stepper->error_order,
                                            .atol = e->atol,
                                            .x = e->x[r->current],
                                            .f = e->f[r->current],
                                            .largest = e->field.size,
                                            .steps = r->stats.steps},
                                      .period = period,
                                      .next = next,
                                      .familiar = r->familiar};
}

static long take(struct engine *e, struct keel_sample_state *s, long most) {
    s->most = most;
    long taken = e->field.kernel->samples(s, e->field.p.user);
    if (taken > 0) commit(e, s);
    return taken;
}

static long by_kernel(struct engine *e, double period, double next, long most, long steps) {
    long count = is_fresh(e) ? steps_unseen(e, steps) : 0;
    if (count < 1) return 0;
    struct keel_sample_state s = begin(e, period, next, count);
    return take(e, &s, most);
}

/* The steps to the next sample by the core, which looks at one of them; the kernel assigns.  0: one of them
 * cannot, and whoever called goes on from where the run stands. */
static int by_core(struct engine *e, double period, double next, long steps) {
    const struct run_state *r = e->r;
    double t = next * period;
    if (e->watched || steps < 1 || run_to(e, t, t, steps, 0) != KEEL_OK || r->t != t || r->inside) return 0;
    struct keel_sample_state s = begin(e, period, next, 0);
    s.k.h = r->h_taken;
    return take(e, &s, 1) == 1;
}

long samples_run(struct engine *e, double period, double next, long most, long steps) {
    if (most < 1 || !samples_fit(e)) return 0;
    const struct run_state *r = e->r;
    long end = steps < LONG_MAX - r->stats.steps ? r->stats.steps + steps : LONG_MAX, samples = 0;
    for (;;) {
        long taken = by_kernel(e, period, next, most - samples, end - r->stats.steps);
        samples += taken;
        next += (double)taken * r->direction;
        if (taken == 0 || samples == most || !by_core(e, period, next, end - r->stats.steps)) return samples;
        next += r->direction;
        if (++samples == most) return samples;
    }
}
