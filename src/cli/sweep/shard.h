/* shard.h - finished blocks of a sweep on the disk, beside the file that is made of them in the end.
 *
 * NAME.keel-blocks, or NAME.keel-blocks-3 of another rank or task, begins with a head: the command line, the
 * model's text, the sizes.  A record for each block follows, with its length and a checksum.  It only grows:
 * a program that is killed while it writes leaves a last record that is not whole, which the next one drops.
 * Records may stand in any order; what is damaged between them is passed over. */
#ifndef KEEL_CLI_SWEEP_SHARD_H
#define KEEL_CLI_SWEEP_SHARD_H

#include "cli/job/output.h"

#include <keel/ensemble.h>

#include <stdint.h>

#define SHARD_ENDING ".keel-blocks"

/* What must be the same when a sweep goes on. */
struct shard_head {
    int64_t members;
    uint64_t sweep;                          /* the sum of all that decides its results (sweep_words.c) */
    int32_t columns, times, extrema, events; /* the last two: are they kept? */
    int count;                               /* words of the command line */
    char **word;
    char *model; /* its text */
};

struct shard {
    FILE *stream;
    struct claim *claim;
    struct shard_head head;
    char *text;           /* of the head */
    unsigned char *bytes; /* of a record */
    size_t capacity;
    int64_t end; /* behind the last whole record that was seen */
    int damaged; /* something between records is none */
};

/* The name of shard `number` of an output, 0: without a number; to be freed; NULL without memory. */
char *shard_path(const char *out, int number);
/* A new one, which replaces what is there; 0, or an exit status. */
int shard_create(struct shard *s, struct job *j, const char *path, const struct shard_head *head);
/* One that is there: reads its head; 0, or -1 with a sentence. */
int shard_open(struct shard *s, const char *path, char *why, size_t capacity);
/* Its head alone, whoever writes to it; the same. */
int shard_probe(struct shard *s, const char *path, char *why, size_t capacity);
/* The next whole record and its place: 1; 0: there is none any more; -1 without memory. */
int shard_next(struct shard *s, keel_block *b, int64_t *place);
/* The record at a place that shard_next gave: 1; 0: it cannot be read; -1 without memory. */
int shard_read(struct shard *s, int64_t place, keel_block *b);
int shard_cut(struct shard *s); /* drops what is behind the last whole record, to write there; 0 or -1 */
int shard_add(struct shard *s, const keel_block *b); /* 0, or -1 with errno */
int shard_settle(struct shard *s);                   /* all of it is on the disk; 0, or -1 with errno */
void shard_remove(struct shard *s);                  /* what it held is elsewhere now */
void shard_close(struct shard *s);
#endif
