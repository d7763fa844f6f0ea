/* sweep_run.h - a sweep at work: its blocks are computed by this process, or by all ranks; each writes those
 * it has finished to its own shard. */
#ifndef KEEL_CLI_SWEEP_SWEEP_RUN_H
#define KEEL_CLI_SWEEP_SWEEP_RUN_H

#include "cli/sweep/agenda.h"
#include "cli/sweep/ranks.h"
#include "cli/sweep/sweep_file.h"

#include <pthread.h>

struct sweep_run {
    struct sweep sweep;
    struct ranks ranks;
    int part, parts; /* of an array job, from 1 on; 0: none */
    int count;       /* words of the command line, as they are kept */
    char **word;
    uint64_t sum; /* of all that decides the results */
    int resumed;
    struct sweep_file file;
    struct shards shards;
    int own; /* the shard of this process; -1: none */
    struct agenda agenda;
    pthread_mutex_t lock; /* of what follows, and of the job */
    int halt;             /* nothing more is to be begun */
    int64_t before;       /* members that were finished when it began */
    int64_t here, failed; /* finished since, those of other ranks, too */
    int progress;         /* is it shown? */
    double shown;
};

/* keel sweep --retry-failed FILE.h5: the command line; the exit status. */
int sweep_retry(int count, char **argv);
/* Computes what is to be done, with the shards open; 0, or an exit status. */
int sweep_run_blocks(struct sweep_run *r);
#endif
