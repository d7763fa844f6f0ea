/* stiff.h - is a run stiff?  A trial of its first steps with an explicit method tells. */
#ifndef KEEL_CLI_JOB_STIFF_H
#define KEEL_CLI_JOB_STIFF_H

#include "cli/job/job.h"

struct stiff {
    int is, hits, others; /* steps that count, and others since */
    long steps;           /* of a trial */
    double t, damping;    /* where the first of those is that count; of the last step */
};

/* The method of a job, if it is explicit, with error control, and no energy is conserved; else NULL. */
const keel_method *stiff_suspect(const struct job *j);
int stiff_may_be(const struct job *j);             /* the same of the model alone */
void stiff_watch(struct stiff *w, keel_solver *s); /* looks at the last step */
void stiff_warn(struct job *j, double t);          /* the method does not suit */
/* A trial with these options; -1: no memory. */
int stiff_try(const struct job *j, const keel_options *settled, struct stiff *found);
/* Of a job with a method that was named: where it does not suit job->why says so.  0, or an exit status. */
int stiff_check(struct job *j);
#endif
