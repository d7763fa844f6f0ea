/* sweep_file.h - the results of a sweep as one file, CSV or HDF5, made of its blocks in their order.
 *
 * Certificate and summaries are gathered on the way, with or without a file. */
#ifndef KEEL_CLI_SWEEP_SWEEP_FILE_H
#define KEEL_CLI_SWEEP_SWEEP_FILE_H

#include "cli/sweep/shards.h"
#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_csv.h"
#include "cli/sweep/sweep_hdf5.h"

struct sweep_file {
    struct sweep *sweep;
    struct claim *claim; /* the file's name; NULL: none is wanted */
    struct sweep_csv csv;
    struct sweep_hdf5 *hdf5; /* one of the two is in use */
    int64_t fed;             /* blocks before this one are in it */
};

/* All give 0, or an exit status. */
int sweep_file_claim(struct sweep_file *f, struct sweep *s, const char *out); /* the name, if it is one */
int sweep_file_open(struct sweep_file *f, int count, char **word);            /* the command line */
int sweep_file_feed(struct sweep_file *f, const keel_block *b);               /* the next block */
/* The blocks that follow, as far as the shards have them. */
int sweep_file_catch_up(struct sweep_file *f, struct shards *shards);
int sweep_file_end(struct sweep_file *f); /* in place */
void sweep_file_drop(struct sweep_file *f);
#endif
