/* ensemble.h - what a keel_ensemble is made of: blocks, slices of them, the runs of members. */
#ifndef KEEL_ENSEMBLE_ENSEMBLE_H
#define KEEL_ENSEMBLE_ENSEMBLE_H

#include "keel/ensemble.h"

#include <pthread.h>

/* A slice is what a worker takes at a time: short enough that few long members do not leave others idle. */
enum { SLICE = 32, SLICES = KEEL_BLOCK / SLICE };

/* What has no fixed size: sentences, and events with their members. */
struct slice {
    char *text;
    size_t text_length, text_room;
    double *event; /* [events][1 + columns] t, columns */
    size_t events, event_room;
    int64_t event_count[SLICE]; /* by member */
};

/* The results of a block while it is computed; the arrays of `view` lie in `numbers`. */
struct block {
    keel_block view;
    struct slice slice[SLICES];
    unsigned char *numbers;
    int32_t *status, *row;
    int64_t *sentence, *steps, *event_first;
    double *t, *drift, *correction, *defect, *value, *low, *high, *mean;
    char *text; /* of all slices, once they are done */
    double *event_t, *event_value;
    int slices_left; /* to be computed */
};

struct keel_ensemble {
    keel_model *model;
    const keel_plan *plan;
    keel_ensemble_options o;
    keel_variation *variation;
    keel_sim *base; /* the model's own run: its verdicts, columns and rows */
    double *times;
    int times_kept, columns, all_columns, *column; /* the numbers of those kept among all */
    char *event;
    int64_t members;
    int workers;
    keel_status status;
    char message[640];
};

/* block.c: 0, or -1 without memory. */
int block_open(struct block *b, const struct keel_ensemble *e);
void block_close(struct block *b);
void block_begin(struct block *b, const struct keel_ensemble *e, int64_t index); /* which members */
int block_end(struct block *b, const struct keel_ensemble *e);     /* once all slices are done */
int block_say(struct slice *s, const char *sentence, int64_t *at); /* where it stands */
double *block_event(struct slice *s, int columns, int member);     /* one more; NULL */

/* member.c: member number `at` of the block.  KEEL_OK, whatever became of it; KEEL_STOPPED, KEEL_ENOMEM: the
 * block is not to be had. */
keel_status member_run(const struct keel_ensemble *e, struct block *b, int at);
#endif
