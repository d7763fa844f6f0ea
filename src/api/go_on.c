/* go_on.c - the same motion with other values of some states: a restart that keeps what steps have learned.
 */
#include "api/solver.h"

#include <keel/extras.h>

#include <math.h>

keel_status keel_go_on(keel_solver *s, const double *u) {
    if (!s || !s->engine->block) return KEEL_EINVAL;
    double h = s->engine->r->h_next, taken = s->engine->r->h_taken;
    int direction = s->engine->r->direction;
    keel_defect defect = s->engine->r->defect;
    keel_status status = keel_restart(s, clock_now(s->engine), u);
    struct engine *e = s->engine;
    if (status < 0 || e->r->direction != 0) return status;
    e->r->direction = direction;
    e->r->defect = defect;
    e->r->h_next = h;
    e->r->error_before = 1e-4;
    if (h > 0 && e->o.step == 0) e->r->familiar = fabs(taken);
    return status;
}
