/* ensemble.h - what a keel_ensemble is made of: blocks, slices of them, the runs of members. */
#ifndef KEEL_ENSEMBLE_ENSEMBLE_H
#define KEEL_ENSEMBLE_ENSEMBLE_H

#include "keel/ensemble.h"

#include <keel/extras.h>

#include <pthread.h>

/* A slice is what a worker takes at a time: short enough that few long members do not leave others idle. */
enum { SLICE = 32, SLICES = KEEL_BLOCK / SLICE };

/* What has no fixed size: sentences, and events with their members. */
struct slice {
    char *text;
    size_t text_length, text_capacity;
    double *event; /* [events][1 + columns] t, columns */
    size_t events, event_capacity;
    int64_t event_count[SLICE]; /* by member */
    int left;                   /* members to be computed, on a GPU */
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

/* workers.c: blocks under way. */
struct team {
    struct keel_ensemble *e;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct block *block; /* [window] block i in block[i % window] */
    int window;
    int64_t from, to;   /* blocks */
    int64_t taken;      /* slices, counted from the first of block `from` */
    int64_t given;      /* blocks before this one were handed to the sink */
    keel_status status; /* KEEL_OK: go on */
};
/* The next slice, once there is room for its block; 0: there is none any more, or, without `wait`, not
 * yet. */
int workers_take(struct team *c, int wait, struct block **b, int *slice);
void workers_end(struct team *c, struct block *b, keel_status status); /* of a slice; NULL: of none */
int workers_ended(struct team *c);                                     /* before its time */
keel_status workers_fail(struct team *c, const char *sentence);        /* of the whole ensemble */

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
    int by_clock;                     /* nobody knows how many steps there will be (keel_problem.clock) */
    keel_sim *kernel;                 /* base, once its kernel is compiled (atomic); NULL: not yet */
    int lanes, considered;            /* of that kernel, 1: none; there is no more to ask */
    const struct keel_kernel *device; /* with one on a GPU; NULL: none */
    int64_t done, steps;              /* members and their steps so far, to tell whether compiling pays */
    keel_status status;
    char message[640];
};

/* ensemble.c: so many more members have taken so many steps.  Once those to come are many, one worker
 * compiles the kernel; the others go on without it. */
void ensemble_consider(struct keel_ensemble *e, int members, int64_t steps);

/* block.c: 0, or -1 without memory. */
int block_open(struct block *b, const struct keel_ensemble *e);
void block_close(struct block *b);
void block_begin(struct block *b, const struct keel_ensemble *e, int64_t index); /* which members */
int block_end(struct block *b, const struct keel_ensemble *e);         /* once all slices are done */
int block_message(struct slice *s, const char *sentence, int64_t *at); /* where it stands */
double *block_event(struct slice *s, int columns, int member);         /* one more; NULL */

/* A member under way. */
struct member {
    const struct keel_ensemble *e;
    struct block *b;
    int at, next; /* of the block; the next output time */
    keel_sim *sim;
    int samples; /* the defect, as options.run says */
    int lanes;   /* of its kernel */
    int runs;    /* it could be opened */
    double from, to, direction;
    double *value;                     /* of the plan */
    double *all;                       /* [all_columns] */
    double *low, *high, *sum, *before; /* [columns] over the run; of the last step */
    double t_before;
    long events;        /* that were seen */
    keel_status status; /* of the run */
    keel_status failed; /* KEEL_ENOMEM */
    char why[800];      /* it ended; "": the run tells */
};

/* member.c: 0, or -1 without memory. */
int member_open(struct member *m, const struct keel_ensemble *e, int samples);
void member_close(struct member *m);
/* Member number `at` of the block.  KEEL_OK, whatever became of it; KEEL_STOPPED, KEEL_ENOMEM: the block is
 * not to be had. */
keel_status member_run(struct member *m, struct block *b, int at);
/* The same in parts: where m->runs, advance to `wake` while it goes on, with the result in m->status. */
keel_status member_begin(struct member *m, struct block *b, int at);
int member_goes_on(struct member *m, double *wake);
keel_status member_end(struct member *m);

/* batch.c: members of a slice side by side in lanes, by one worker. */
struct batch {
    const struct keel_ensemble *e;
    int lanes; /* 1: one after the other */
    keel_lanes *way;
    struct member *member; /* [most + 1] the last one: those whose defect is sampled */
    int most;
};
int batch_open(struct batch *g, const struct keel_ensemble *e, int most); /* lanes */
void batch_close(struct batch *g);
keel_status batch_run(struct batch *g, struct block *b, int from, int to); /* members of the block */
int batch_samples(const struct batch *g, const struct block *b, int at);   /* the defect of this member? */
struct member *batch_member(struct batch *g, int i);                       /* NULL: no memory */

/* fleet.c: thousands of members at once on a GPU, slice after slice, by one worker. */
void fleet_run(struct team *c);
int fleet_window(const struct keel_ensemble *e); /* blocks under way, of all workers */
#endif
