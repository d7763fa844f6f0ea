/* change.c - another method from here on: the same run, with the numbers that it had.
 *
 * The other engine is laid out as for a saved state, and takes over the numbers that both have in common:
 * start values, state, tolerances, what is held and how well, events with their signs, sides of surfaces,
 * statistics.  What belongs to a method begins anew. */
#include "core/engine.h"
#include "core/save.h"

#include <string.h>

static void begin_anew(struct engine *e) {
    struct run_state *r = e->r;
    r->t_before = r->base = r->scanned = r->t;
    r->count = 0;
    r->fresh = 1;
    r->has_step = r->dense_ready = r->walked = 0;
    r->piece = r->degree = r->sampled = 0;
    r->left = -1;
    r->error_before = 1e-4;
}

struct engine *change_engine(const struct engine *old, const keel_stepper *method) {
    keel_problem p = old->field.p;
    p.t0 = old->r->t;
    p.u0 = old->x[old->r->current];
    struct engine *e = engine_open(old->handle, &p, &old->o, method, old->manifold.stabilizer, 0, NULL);
    if (!e || e->r->status < 0) return e;
    if (e->common != old->common) {
        engine_fail(e, KEEL_EINVAL, "%s has other numbers than %s", method->info.name,
                    old->stepper->info.name);
        return e;
    }
    struct field_facts facts = field_facts(&old->field);
    memcpy(e->block, old->block, e->common);
    save_tie(e, &facts);
    e->settled = old->settled;
    e->verified = old->verified;
    e->watched = old->watched;
    e->field.kernel = old->field.kernel;
    e->field.mech.chain = 0;
    e->field.p.t0 = old->field.p.t0;
    begin_anew(e);
    double *x = e->x[e->r->current];
    keel_status status = newton_check(&e->work, e->r->t, x);
    if (status == KEEL_OK && e->manifold.stabilizer->begin)
        status = e->manifold.stabilizer->begin(&e->manifold.view, e->r->t, x);
    if (status != KEEL_OK) engine_fail(e, KEEL_EINVAL, "%s cannot begin here", method->info.name);
    return e;
}
