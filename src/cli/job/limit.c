/* limit.c - see limit.h. */
#include "cli/job/limit.h"

#include "base/text.h"
#include "cli/job/job.h"

#include <math.h>
#include <string.h>

enum { USUAL = 10000000 };
enum { QUICK = 64 }; /* steps within 5 ms: LIMIT_PAUSE of them take no longer than a third of a second */

/* A kernel saves some tenths of a microsecond a step.  The compiler takes some tenths of a second, beside the
 * run or before it goes on, and to look for what it has made before takes a quarter of a millisecond. */
enum { KERNEL_FIRST = 1 << 14, KERNEL_LEAST = 1000000, KERNEL_BESIDE = 200000, KERNEL_BETWEEN = 32 };
enum { KERNEL_CACHED = 1 << 7, KERNEL_FOUND = 1 << 9 };

struct limit limit_open(const keel_options *o, keel_sim *sim, keel_model *model) {
    keel_mode mode = {0};
    keel_model_mode(model, keel_model_start(model), &mode);
    int fixed = o->step > 0 && !o->reversible && !(mode.problem && mode.problem->clock);
    keel_solver *s = keel_sim_solver(sim);
    return (struct limit){.model = model,
                          .most = o->max_steps > 0 ? o->max_steps
                                  : fixed          ? 0
                                                   : USUAL,
                          .taken = keel_statistics(s).steps,
                          .from = keel_time(s),
                          .began = keel_statistics(s).steps,
                          .kernel_at = KERNEL_FIRST,
                          .cached_at = KERNEL_CACHED,
                          .stiff = o->step > 0 || (o->method && (strncmp(o->method, "radau", 5) == 0 ||
                                                                 strncmp(o->method, "auto", 4) == 0))};
}

/* Once it is known how long the run will be: are there so many more steps to take, and many between two
 * samples?  Counted, not timed. */
static int kernel_pays(const struct limit *l, keel_sim *sim, double end, double least) {
    double now = keel_time(keel_sim_solver(sim)), taken = (double)(l->taken - l->began);
    double left = taken * fabs(end - now) / fabs(now - l->from);
    return left >= least && taken >= KERNEL_BETWEEN * (double)l->samples;
}

/* One that an earlier run had compiled is looked for once. */
static void find_kernel(struct limit *l, keel_sim *sim, double end) {
    if (!l->cached_at || !l->kernel_at || l->taken - l->began < l->cached_at) return;
    l->cached_at *= 2;
    if (!kernel_pays(l, sim, end, KERNEL_FOUND)) return;
    double begin = job_seconds();
    l->cached_at = 0;
    if (keel_sim_compile_cached(sim)) l->kernel_at = 0;
    l->compile_s += job_seconds() - begin;
}

static void ask_for_kernel(struct limit *l, keel_sim *sim, double end) {
    if (!l->kernel_at || l->taken - l->began < l->kernel_at) return;
    l->kernel_at *= 2;
    if (!kernel_pays(l, sim, end, l->ahead ? KERNEL_BESIDE : KERNEL_LEAST)) return;
    double begin = job_seconds();
    l->kernel_at = 0;
    if (!l->ahead) keel_sim_compile(sim);
    l->compile_s += job_seconds() - begin;
}

/* Machine code where there is some by now. */
static void change_over(struct limit *l, keel_sim *sim, double end) {
    if (l->pause) keel_model_compile(l->model, 0);
    if (l->ahead) find_kernel(l, sim, end);
    ask_for_kernel(l, sim, end);
    if (!l->kernel_at && l->ahead && l->pause) keel_sim_compile_ahead(sim);
}

keel_status limit_advance(struct limit *l, keel_sim *sim, double wake, double end) {
    long before = l->taken;
    if (l->most && l->taken >= l->most) return KEEL_ELIMIT;
    int slow = l->throttle.stride < QUICK, single = slow || (l->most && l->most - l->taken < LIMIT_PAUSE);
    keel_status status = keel_sim_advance(sim, single ? keel_time(keel_sim_solver(sim)) : wake, end);
    l->taken = keel_statistics(keel_sim_solver(sim)).steps;
    l->pause = throttle_ready(&l->throttle, l->taken > before ? l->taken - before : 1);
    l->samples += (keel_time(keel_sim_solver(sim)) - wake) * (end - l->from) >= 0;
    if (status == KEEL_OK) change_over(l, sim, end);
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
