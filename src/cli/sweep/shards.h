/* shards.h - all shards of one sweep, of whatever ranks and tasks: which blocks are there, and where. */
#ifndef KEEL_CLI_SWEEP_SHARDS_H
#define KEEL_CLI_SWEEP_SHARDS_H

#include "cli/sweep/shard.h"

struct shards_place {
    int64_t at;
    int32_t shard; /* -1: the block is missing */
};

struct shards {
    struct shard *shard;
    int count;
    struct shards_place *place; /* [blocks] */
    int64_t blocks, found;
};

/* Names of files, to be freed by shards_forget. */
struct shards_names {
    char **path;
    int count;
};
/* The shards of an output that are there; of all outputs in a folder, where it is one; or the shard itself.
 * Adds to the list; 0, or -1 without memory. */
int shards_find(struct shards_names *n, const char *out);
void shards_forget(struct shards_names *n);

/* Opens them and reads each through once; head: of the sweep that they must be of, NULL: of the first one's.
 * What a kill has left behind the last record is cut off.  0, or an exit status. */
int shards_open(struct shards *s, struct job *j, const struct shards_names *n, const struct shard_head *head);
/* The shard of a name, opened or made and ready to be added to; its number, or -1: the job has failed. */
int shards_own(struct shards *s, struct job *j, const char *path, const struct shard_head *head);
/* One more block; 0, or -1 with errno. */
int shards_add(struct shards *s, int own, const keel_block *b);
/* A block: 1; 0: it is missing; -1: the job has failed. */
int shards_read(struct shards *s, struct job *j, int64_t index, keel_block *b);
void shards_remove(struct shards *s); /* what they held is elsewhere now */
void shards_close(struct shards *s);
#endif
