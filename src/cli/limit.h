/* limit.h - how many steps a run of the command may take: those of all its parts, events, modes and
 * checkpoints together.  With a fixed step as many as the way is long, else 10 million, or --max-steps. */
#ifndef KEEL_CLI_LIMIT_H
#define KEEL_CLI_LIMIT_H

#include <keel/model.h>

struct limit {
    long most; /* 0: any number */
    long taken;
    int stiff; /* the method is for stiff problems already */
};

/* At the begin of a run, or where a checkpoint goes on. */
struct limit limit_open(const keel_options *o, keel_sim *sim);
/* One step towards `end`, or KEEL_ELIMIT before one too many. */
keel_status limit_step(struct limit *l, keel_sim *sim, double end);
/* What ended the run, in the words of the command; until the next call. */
const char *limit_why(const struct limit *l, keel_sim *sim, keel_status status, double end);
#endif
