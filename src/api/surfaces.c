/* surfaces.c - the public calls of keel/events.h: what the motion did at switching surfaces, its two sides
 * while it slides along one, and where it comes to rest. */
#include "api/solver.h"
#include "core/engine.h"

#include <math.h>

double keel_rest_time(const keel_solver *s) {
    const struct engine *e = s ? s->engine : NULL;
    return e && e->block ? e->r->t_now + e->r->direction * run_time_left(e->r) : NAN;
}

int keel_sliding(keel_solver *s, double t, const double *u, keel_side_fn *sample, void *context) {
    if (!s || !u || !sample || !s->engine->block || s->engine->surfaces.count == 0) return 0;
    keel_stats before = s->engine->r->stats;
    int slides = surfaces_both(s->engine, t, u, sample, context);
    s->engine->r->stats = before;
    return slides;
}

int keel_surface_at(const keel_solver *s, int i, keel_surface *out) {
    if (!s || !out || !s->engine->block || i < 0 || i >= s->engine->surfaces.count) return 0;
    const struct engine *e = s->engine;
    const struct surface_tally *one = &e->surfaces.tally[i];
    double now = e->r->sliding == i + 1 ? fabs(e->r->t_now - e->r->slide_from) : 0;
    const char *const *names = e->field.event.user.names;
    *out = (keel_surface){names ? names[e->surfaces.event[i]] : NULL, one->crossings, one->slides,
                          one->slid + now};
    return 1;
}
