/* limit.c - see limit.h. */
#include "cli/limit.h"

#include "base/text.h"
#include "cli/job.h"

#include <string.h>

enum { USUAL = 10000000 };

struct limit limit_open(const keel_options *o, keel_sim *sim) {
    int fixed = o->step > 0 && !o->reversible;
    return (struct limit){.most = o->max_steps > 0 ? o->max_steps
                                  : fixed          ? 0
                                                   : USUAL,
                          .taken = keel_statistics(keel_sim_solver(sim)).steps,
                          .stiff = o->step > 0 || (o->method && strncmp(o->method, "radau", 5) == 0)};
}

keel_status limit_advance(struct limit *l, keel_sim *sim, double wake, double end) {
    long before = l->taken;
    if (l->most && l->taken >= l->most) return KEEL_ELIMIT;
    int single = l->pace.stride < LIMIT_PAUSE || (l->most && l->most - l->taken < LIMIT_PAUSE);
    keel_status status = keel_sim_advance(sim, single ? keel_time(keel_sim_solver(sim)) : wake, end);
    l->taken = keel_statistics(keel_sim_solver(sim)).steps;
    l->pause = pace_ready(&l->pace, l->taken > before ? l->taken - before : 1);
    return status;
}

const char *limit_why(const struct limit *l, keel_sim *sim, keel_status status, double end) {
    static char why[JOB_SENTENCE];
    keel_solver *s = keel_sim_solver(sim);
    if (status != KEEL_ELIMIT || keel_state_of(s) < 0 || keel_sim_message(sim)[0]) return job_why(sim);
    text_set(why, sizeof why, "%ld steps led to t = %.10g only, of %.10g: %sallow more by --max-steps N",
             l->taken, keel_time(s), end, l->stiff ? "" : "take --method radau if the problem is stiff, or ");
    return why;
}
