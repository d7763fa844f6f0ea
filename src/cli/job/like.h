/* like.h - keel run MODEL --like FILE.h5:N: member N of a sweep once more, alone, with the same bits.
 *
 * The file has the command line of the sweep, the text of its model and all values of its members: these
 * values, and the sweep's options, are taken where the command line is silent. */
#ifndef KEEL_CLI_JOB_LIKE_H
#define KEEL_CLI_JOB_LIKE_H

#include "cli/job/job.h"

struct like;

int like_open(struct job *j);  /* before the model is read; 0, or an exit status */
int like_check(struct job *j); /* after: is it the sweep's? */
void like_close(struct like *l);
#endif
