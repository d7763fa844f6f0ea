/* checkpoint.h - a run that is killed goes on from the last checkpoint, with the same bits and results.
 *
 * FILE holds the state of the run and what run it is; FILE.rows the rows it has given (journal.h).  FILE is
 * replaced as a whole, after the rows it counts are on the disk; both go when the run has ended well. */
#ifndef KEEL_CLI_RUN_CHECKPOINT_H
#define KEEL_CLI_RUN_CHECKPOINT_H

#include "cli/run/journal.h"

struct checkpoint {
    struct job *job;
    const char *path, *from;                  /* where it is saved, what it goes on from; NULL: not wanted */
    struct claim *state, *rows;               /* of path and path.rows, as long as the run lasts */
    struct claim *state_before, *rows_before; /* of from, where it is another one */
    double every, last, begin; /* seconds between two, the last one, the begin of this part of the run */
    double spent;              /* wall time of the parts before */
    char *about;               /* what run it is, line by line */
    unsigned char *bytes;      /* of the checkpoint it goes on from */
    size_t count;
    struct journal journal;
};

/* The options; the checkpoint to go on from is read and must be one of this run.  0, or an exit status. */
int checkpoint_open(struct checkpoint *c, struct job *j);
keel_sim *checkpoint_sim(struct checkpoint *c); /* as it was saved; NULL: there is none to go on from */
/* Once the trace and all its sinks are there: gives the rows of the parts before, then saves.  0, or an exit
 * status. */
int checkpoint_begin(struct checkpoint *c, struct trace *t);
/* Between two steps: saves when it is time, or `at_once`.  0, or -1 with the job's sentence set. */
int checkpoint_at(struct checkpoint *c, const struct trace *t, double now, int at_once);
void checkpoint_forget(struct checkpoint *c); /* the run has ended well: the files go */
void checkpoint_close(struct checkpoint *c);
#endif
