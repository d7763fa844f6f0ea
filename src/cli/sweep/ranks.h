/* ranks.h - the processes that mpirun or srun has started for one sweep.
 *
 * Rank 0 hands out blocks, shows progress and makes the file; the others compute.  Messages are of one size,
 * and whoever waits for one sleeps: a core that waits is another rank's.  All calls come from the thread that
 * has opened them. */
#ifndef KEEL_CLI_SWEEP_RANKS_H
#define KEEL_CLI_SWEEP_RANKS_H

#include "cli/job/job.h"

#include <stdint.h>

struct ranks {
    int rank, size; /* 0 and 1 where nobody has started several */
    int open;       /* MPI is in use */
};

enum rank_word { RANK_WANTS, RANK_DONE, RANK_FAILED, RANK_GIVEN, RANK_AGREED };

struct rank_message {
    int32_t word, status;
    int64_t from, to, failed; /* blocks from .. to - 1; members that failed */
    uint64_t sum;
    char sentence[JOB_SENTENCE];
};

/* Looks at the environment, and loads and starts MPI where there are several: 0, or -1 with a sentence. */
int ranks_open(struct ranks *r, char *why, size_t capacity);
void ranks_close(struct ranks *r);
/* Threads of this rank where nobody says how many: the cores that it may use, shared with its neighbours. */
int ranks_workers(void);
void ranks_send(const struct ranks *r, int to, const struct rank_message *m);
/* The message that has come, if one has: 1 and from whom; 0: none. */
int ranks_poll(const struct ranks *r, int *from, struct rank_message *m);
/* Waits for a word: RANK_AGREED, or any of the others. */
void ranks_receive(const struct ranks *r, int from, enum rank_word word, struct rank_message *m);
void ranks_rest(void); /* half a millisecond */
/* All ranks come here with their status so far and the sum of what they have read; 0: all are well and have
 * read the same.  Else the first status that is none, and rank 0 has told whose. */
int ranks_agree(const struct ranks *r, struct job *j, uint64_t sum);
#endif
