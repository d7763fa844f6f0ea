/* progress.h - one line on a terminal for runs over a second: how far, and how long still. */
#ifndef KEEL_CLI_JOB_PROGRESS_H
#define KEEL_CLI_JOB_PROGRESS_H

#include "cli/job/job.h"

struct progress {
    double t0, t1, begin, shown;
    int wanted, visible;
};

void progress_open(struct progress *p, const struct job *j);
void progress_at(struct progress *p, double t); /* cheap; draws a few times a second */
void progress_clear(struct progress *p);
#endif
