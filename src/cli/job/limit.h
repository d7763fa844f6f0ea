/* limit.h - how many steps a run of the command may take: those of all its parts, events, modes and
 * checkpoints together.  With a fixed step as many as the way is long, else 10 million, or --max-steps. */
#ifndef KEEL_CLI_JOB_LIMIT_H
#define KEEL_CLI_JOB_LIMIT_H

#include <keel/model.h>

#include "cli/job/throttle.h"

enum { LIMIT_PAUSE = 4096 }; /* options.pause_steps of runs of the command */

struct limit {
    keel_model *model; /* whose compiler may be at work */
    int ahead;         /* nobody waits for that of a kernel: times are not compared */
    long most;         /* 0: any number */
    long taken;
    int stiff; /* the method is for stiff problems already */
    struct throttle throttle;
    double from;         /* where it began */
    long began, samples; /* steps before it; times at which someone was waked since */
    long kernel_at;      /* steps after which a kernel may pay; 0: it was asked for */
    long cached_at;      /* the same, if it has been compiled before; 0: it was looked for */
    double compile_s;    /* the compiler took so long */
    int pause;           /* after the last call: it is time for what is done now and then, at throttle.now */
};

/* At the begin of a run, or where a checkpoint goes on. */
struct limit limit_open(const keel_options *o, keel_sim *sim, keel_model *model);
/* Steps towards `end` until one reaches `wake`, fewer where they would take longer than some milliseconds;
 * KEEL_ELIMIT before one too many. */
keel_status limit_advance(struct limit *l, keel_sim *sim, double wake, double end);
/* What ended the run, in the words of the command; until the next call. */
const char *limit_why(const struct limit *l, keel_sim *sim, keel_status status, double end);
#endif
