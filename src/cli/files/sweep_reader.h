/* sweep_reader.h - an HDF5 file of keel sweep, read back: what it is, values of members, blocks. */
#ifndef KEEL_CLI_FILES_SWEEP_READER_H
#define KEEL_CLI_FILES_SWEEP_READER_H

#include "cli/files/netcdf.h"

#include <keel/ensemble.h>

/* A list of texts, one behind the other. */
struct reader_names {
    char *text, **name;
    int count;
};

struct sweep_reader {
    struct netcdf n;
    struct reader_names model, model_text, method, version, seed;          /* one each */
    struct reader_names command, axes, values, values_axis, columns, rows; /* rows: one, lines in it */
    struct reader_names retries;                                           /* there may be none */
    hsize_t size[NETCDF_RANK + 1];                                         /* of the axes */
    int64_t members, blocks, events;
    int times, timed; /* at least 1; is there an axis t? */
    int extrema;
    hid_t status, steps, drift, row, correction, defect, t_end, sentence, retry, *column;
    hid_t event_t, event_member, *event_column; /* -1: there are none */
    hid_t *extremum;                            /* [3][columns] */
    unsigned char *numbers;                     /* the arrays of a block */
    double *value, *piece;
    char **said;
    int32_t *retry_of; /* of the members of a block */
    char *text;
    double *event;
};

/* 0, or -1 with a sentence; sweep_reader_close in any case. */
int sweep_reader_open(struct sweep_reader *r, const char *path, char *why, size_t capacity);
void sweep_reader_close(struct sweep_reader *r);
/* All of a block, until the next call; 0, or -1: it cannot be read. */
int sweep_reader_block(struct sweep_reader *r, int64_t index, keel_block *b);
/* Value i of a member, as the plan gave it. */
int sweep_reader_value(const struct sweep_reader *r, int i, int64_t member, double *value);
/* The numbers of a variable over the members first .. first + count - 1, with all times where it has them;
 * each: how many a member has.  To be freed; NULL: there is no such variable, or no memory. */
double *sweep_reader_numbers(const struct sweep_reader *r, const char *name, int64_t first, int64_t count,
                             int *each);
/* All numbers of a variable over one dimension: t, an axis, event.x; the same. */
double *sweep_reader_line(const struct sweep_reader *r, const char *name, int64_t *count);
/* The unit of a variable; to be freed; NULL: it has none. */
char *sweep_reader_unit(struct sweep_reader *r, const char *name);
#endif
