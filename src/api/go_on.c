/* go_on.c - the same motion with other values of some states: a restart that keeps what steps have learned;
 * and many of them by a kernel. */
#include "api/solver.h"
#include "core/samples.h"

#include <keel/extras.h>

keel_status keel_go_on(keel_solver *s, const double *u) {
    if (!s || !s->engine->block) return KEEL_EINVAL;
    struct pace pace = samples_pace(s->engine);
    keel_status status = keel_restart(s, clock_now(s->engine), u);
    if (status >= 0 && s->engine->r->direction == 0) samples_keep(s->engine, &pace);
    return status;
}

long keel_run_samples(keel_solver *s, double period, double next, long most, long steps) {
    if (!s || s->running || !s->engine->block) return 0;
    s->engine->message[0] = '\0';
    s->running = 1;
    long samples = samples_run(s->engine, period, next, most, steps);
    s->running = 0;
    return samples;
}
