/* shard.h - the finished blocks of a sweep on the disk, beside the file that is made of them in the end.
 *
 * NAME.keel-blocks begins with a head: the command line, the model's text, the sizes.  A record for each
 * block follows, with its length and a checksum.  It only grows: a program that is killed while it writes
 * leaves a last record that is not whole, which the next one drops.  Records may stand in any order. */
#ifndef KEEL_CLI_SHARD_H
#define KEEL_CLI_SHARD_H

#include "cli/output.h"

#include <keel/ensemble.h>

#include <stdint.h>

/* What must be the same when a sweep goes on. */
struct shard_head {
    int64_t members;
    int32_t columns, times, folds, events; /* the last two: are they kept? */
    int count;                             /* words of the command line */
    char **word;
    char *model; /* its text */
};

struct shard {
    FILE *stream;
    struct claim *claim;
    struct shard_head head;
    char *text;           /* of the head */
    unsigned char *bytes; /* of a record */
    size_t room;
    int64_t blocks; /* whole records */
};

/* The name of the shard of an output; to be freed; NULL without memory. */
char *shard_path(const char *out);
/* A new one; 0, or an exit status. */
int shard_create(struct shard *s, struct job *j, const char *out, const struct shard_head *head);
/* Reads the head of an interrupted sweep's; 0, or -1 with a sentence. */
int shard_open(struct shard *s, const char *out, char *why, size_t room);
/* The next whole record: 1; 0: there is none, and the shard ends here; -1 without memory. */
int shard_next(struct shard *s, keel_block *b);
int shard_rewind(struct shard *s); /* to the first record; 0 or -1 */
int shard_cut(struct shard *s);    /* drops what is behind the last record that was read; 0 or -1 */
int shard_add(struct shard *s, const keel_block *b); /* 0, or -1 with errno */
int shard_settle(struct shard *s);                   /* all of it is on the disk; 0, or -1 with errno */
void shard_remove(struct shard *s);                  /* what it held is elsewhere now */
void shard_close(struct shard *s);
#endif
