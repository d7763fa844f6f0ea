/* yardstick.c - see yardstick.h. */
#include "cli/run/yardstick.h"

#include "base/text.h"
#include "cli/run/trial.h"

#include <math.h>
#include <stdlib.h>

/* A yardstick that takes longer than this many steps is none. */
static const long most_steps = 10000000;

const char *yardstick_word(enum yardstick_kind kind) {
    static const char *const word[] = {"exact", "reference", "rerun", "none"};
    return word[kind];
}

/* Does the model bring closed forms, or digits inside the span? */
static int look_at_model(struct yardstick *y, struct job *j, const keel_options *o) {
    struct trace t = {0};
    keel_options plain = *o;
    plain.observe = NULL;
    keel_sim *sim = keel_sim_open(j->model, &plain);
    int status = 0;
    y->kind = YARDSTICK_RERUN;
    keel_status state = keel_sim_solver(sim) ? keel_state_of(keel_sim_solver(sim)) : KEEL_EINVAL;
    if (sim && state < 0 && state != KEEL_ENOMEM) status = job_fail(j, EXIT_FAILED, "%s", job_why(sim));
    else if (!sim || state == KEEL_ENOMEM || trace_open_at(&t, j, y->times, y->count) ||
             trace_attach(&t, sim))
        status = job_no_memory(j);
    else if (t.exacts) y->kind = YARDSTICK_EXACT;
    else if (t.references) y->kind = YARDSTICK_REFERENCE, y->references = t.references;
    keel_sim_close(sim);
    trace_close(&t);
    return status;
}

static void run_better(struct yardstick *y, struct job *j, const keel_options *tight,
                       const keel_options *less) {
    struct trial r, other;
    y->kind = YARDSTICK_NONE;
    trial_run(&r, j, tight, y, &y->record, most_steps);
    int good = r.status == TRIAL_DONE || r.status == TRIAL_STOPPED;
    if (good) {
        y->kind = YARDSTICK_RERUN;
        text_set(y->about, sizeof y->about, "%s+%s at %s %.3g", tight->method, r.stabilizer,
                 tight->step > 0 ? "step" : "rtol", tight->step > 0 ? tight->step : tight->rtol);
    } else
        text_set(y->about, sizeof y->about, "%s", r.status == TRIAL_INTERRUPTED ? "interrupted" : r.message);
    if (good && less) {
        trial_run(&other, j, less, y, NULL, most_steps);
        if (other.status == TRIAL_DONE || other.status == TRIAL_STOPPED)
            y->own = other.error, y->apart_t = other.apart_t;
        trial_close(&other);
    }
    trial_close(&r);
}

int yardstick_open(struct yardstick *y, struct job *j, double *times, long count, const keel_options *tight,
                   const keel_options *less) {
    *y = (struct yardstick){.own = NAN, .apart_t = NAN, .times = times, .count = count};
    if (!times) return job_no_memory(j);
    if (look_at_model(y, j, tight)) return j->status;
    if (y->kind == YARDSTICK_EXACT) text_set(y->about, sizeof y->about, "the exact solution");
    else if (y->kind == YARDSTICK_REFERENCE)
        text_set(y->about, sizeof y->about, "the reference digits at %d time%s", y->references,
                 y->references == 1 ? "" : "s");
    else run_better(y, j, tight, less);
    return 0;
}

void yardstick_close(struct yardstick *y) {
    record_close(&y->record);
    free(y->times);
    *y = (struct yardstick){0};
}
