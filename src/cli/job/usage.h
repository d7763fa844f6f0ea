/* usage.h - a model that could not be had: is it the command line's fault?  Then that is wrong usage. */
#ifndef KEEL_CLI_JOB_USAGE_H
#define KEEL_CLI_JOB_USAGE_H

#include "cli/job/job.h"

/* Both: 0, or an exit status when the sentence has been told. */
int usage_file(struct job *j);    /* before: is there a file j->path to read?  The nearest name if not. */
int usage_options(struct job *j); /* after: --set, --t0 or --tend is wrong in itself */
#endif
