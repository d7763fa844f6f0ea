/* ensemble.h - one model run many times, with other parameters and start values each time.
 *
 *     keel_plan *p = keel_plan_open(m);
 *     keel_plan_over(p, "g = 1:20:200");
 *     keel_plan_draw(p, "e = uniform(0, 0.9)");
 *     keel_plan_settle(p, NULL);
 *     keel_ensemble *e = keel_ensemble_open(m, p, NULL);
 *     keel_ensemble_run(e, 0, keel_ensemble_blocks(e), sink, user);
 *
 * A plan says which values each member has: a pure function of the member's number.  Members are run in
 * blocks of KEEL_BLOCK by their numbers; a block is computed by one thread, and its results do not depend on
 * who computes it, nor on other blocks.  A member that fails has a status and a sentence; the others go
 * on. */
#ifndef KEEL_ENSEMBLE_H
#define KEEL_ENSEMBLE_H

#include <keel/model.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What varies ------------------------------------------------------------------------------------------- */

/* A model with names of what varies from run to run: parameters and start values ("g", "p[2]", "x'").  NULL
 * only without memory; whether it can be done is in keel_vary_status.  The model must not be changed while it
 * is open. */
typedef struct keel_variation keel_variation;
KEEL_API keel_variation *keel_vary_open(keel_model *m, int count, const char *const *name);
KEEL_API void keel_vary_close(keel_variation *v);
KEEL_API keel_status keel_vary_status(const keel_variation *v);
KEEL_API const char *keel_vary_message(const keel_variation *v);
KEEL_API int keel_vary_start(const keel_variation *v, int i); /* 1: value i is a start value */
/* Does the value of an expression of parameters, as in "T/100", depend on what varies? */
KEEL_API int keel_vary_moves(keel_variation *v, const char *expression);
/* Do the ends of the run? */
KEEL_API int keel_vary_span_moves(const keel_variation *v);
/* 1: the values decide so much that each run reads the model anew: the same results, more slowly. */
KEEL_API int keel_vary_anew(const keel_variation *v);
/* The ends of the run with these values: 1; 0: they are no numbers, or the same one. */
KEEL_API int keel_vary_span(const keel_variation *v, const double *value, double *from, double *to);
/* The run with these values, as keel_sim_open gives it where the model was read with them.  like: an open run
 * of the same model and options, whose verdicts on the invariants are looked at again at the start alone;
 * NULL: they are verified.  NULL only without memory; keel_sim_status tells.  Any number of threads. */
KEEL_API keel_sim *keel_vary_sim(const keel_variation *v, const keel_sim *like, const keel_options *o,
                                 const double *value);
/* An open run, opened by keel_vary_sim or by this, begins anew with other values in the memory it has: the
 * results are those of keel_vary_sim, at a tenth of its cost.  KEEL_OK; anything else: it cannot be had so,
 * and keel_vary_sim tells why. */
KEEL_API keel_status keel_vary_again(const keel_variation *v, keel_sim *s, const keel_sim *like,
                                     const double *value);

/* Plans ------------------------------------------------------------------------------------------------- */

/* A product of axes: each `over` is one (zipped, all of them are one), the lines of a table are one, and the
 * count of repetitions is one.  The last one runs fastest.  Draws add values to every member. */
typedef struct keel_plan keel_plan;
typedef enum keel_sampling {
    KEEL_RANDOM, /* Philox4x32-10 by (seed, member, name): depends on nothing else */
    KEEL_SOBOL,  /* by (seed, member, which draw it is), 32 draws at most: even in all projections */
    KEEL_LATIN   /* by (seed, member, name, count of members): one value in each of `count` equal parts */
} keel_sampling;
typedef struct keel_plan_options {
    int64_t count;     /* repetitions of the product of the other axes; 0: 1 */
    uint64_t seed;     /* of the draws */
    int zip;           /* 1: the lists of `over` go side by side */
    keel_sampling how; /* the draws are made */
    int single; /* 1: where nothing varies there is one member, the model's own run; 0: that is refused */
} keel_plan_options;
/* Numbers in the texts are expressions of the model's parameters.  NULL only without memory. */
KEEL_API keel_plan *keel_plan_open(keel_model *m);
KEEL_API void keel_plan_close(keel_plan *p);
/* "g = 1:20:200" (from, to, how many), "g = 0.5, 1, 2". */
KEEL_API keel_status keel_plan_over(keel_plan *p, const char *text);
/* "e = uniform(0, 0.9)", "p[2] = normal(2, 0.1)", "k = lognormal(0, 0.5)". */
KEEL_API keel_status keel_plan_draw(keel_plan *p, const char *text);
/* A table as CSV: names in its first line, numbers below.  name: for messages. */
KEEL_API keel_status keel_plan_table(keel_plan *p, const char *name, const char *text, size_t length);
/* The same as numbers, value[rows][columns]. */
KEEL_API keel_status keel_plan_columns(keel_plan *p, int columns, const char *const *name, int64_t rows,
                                       const double *value);
/* Once all is said; NULL: all zero. */
KEEL_API keel_status keel_plan_settle(keel_plan *p, const keel_plan_options *o);
KEEL_API const char *keel_plan_message(const keel_plan *p); /* what was wrong */
KEEL_API int64_t keel_plan_members(const keel_plan *p);
KEEL_API int keel_plan_names(const keel_plan *p); /* values of a member */
KEEL_API const char *keel_plan_name(const keel_plan *p, int i);
KEEL_API void keel_plan_values(const keel_plan *p, int64_t member, double *value); /* [names] */
/* Axis i of the product: its length, 0 past the last; name: of its only value, NULL where it has several or
 * none, as a table and repetitions have. */
KEEL_API int64_t keel_plan_axis(const keel_plan *p, int i, const char **name);
KEEL_API int keel_plan_axis_of(const keel_plan *p, int i); /* the axis of value i; -1: it is drawn */

/* Runs -------------------------------------------------------------------------------------------------- */

enum { KEEL_BLOCK = 1024 };

typedef struct keel_ensemble_options {
    keel_options run;    /* of each member, without an observer */
    const double *times; /* at which columns are kept, in the order of the run; NULL: at the end alone */
    int count;           /* of them */
    const char *columns; /* "x, y": these alone; NULL: all */
    int extrema;         /* 1: smallest, largest and mean of each column over the run, too */
    const char *event;   /* the times of this event and the columns there; NULL: none */
    int workers;         /* threads; 0: one for each core */
    int lanes;  /* 2, 4, 8: members side by side in a vector, from the first one on; 1: none; 0: as many
                            as the machine has, once it pays to compile the loop for them */
    int device; /* 1: on the GPU; workers, 0: two for each core, as they wait for it */
    const double *span; /* from, to: the run ends there whatever the values say; NULL: as the model says */
} keel_ensemble_options;

/* The results of members first .. first + count - 1, each array in their order. */
typedef struct keel_block {
    int64_t index, first;
    int count, columns, times;
    const int32_t *status;   /* a keel_status; > 0: it ended early, by a `stop` or at rest */
    const int64_t *sentence; /* where it stands in `text`; -1: none */
    const char *text;
    int64_t text_length;
    const int64_t *steps;
    const double *t;                 /* where it ended */
    const double *drift;             /* the worst row, in round-off units; NAN: nothing was measured */
    const int32_t *row;              /* its number (keel_ensemble_row); -1 */
    const double *correction;        /* as keel_correction.largest */
    const double *defect;            /* as keel_defect.largest; NAN: nothing was looked at */
    const double *value;             /* [count][times][columns]; NAN: the member did not get there */
    const double *low, *high, *mean; /* [count][columns] over the run; NULL: not asked for */
    const int64_t *event_first; /* [count + 1] the events of each member among event_t; NULL: not asked for */
    const double *event_t;      /* [events] */
    const double *event_value;  /* [events][columns] */
} keel_block;

typedef struct keel_ensemble keel_ensemble;
/* Opens the model's own run first, which is to be sound.  NULL only without memory. */
KEEL_API keel_ensemble *keel_ensemble_open(keel_model *m, const keel_plan *p, const keel_ensemble_options *o);
KEEL_API void keel_ensemble_close(keel_ensemble *e);
KEEL_API keel_status keel_ensemble_status(const keel_ensemble *e);
KEEL_API const char *keel_ensemble_message(const keel_ensemble *e);
KEEL_API int64_t keel_ensemble_blocks(const keel_ensemble *e);
KEEL_API int keel_ensemble_columns(const keel_ensemble *e);
KEEL_API const char *keel_ensemble_column(const keel_ensemble *e, int i);
KEEL_API int keel_ensemble_times(const keel_ensemble *e); /* at least 1: the end */
KEEL_API const char *keel_ensemble_row(const keel_ensemble *e, int i);
KEEL_API keel_variation *keel_ensemble_variation(const keel_ensemble *e);
/* Blocks from .. to - 1 on all workers; `sink` gets them one at a time, in their order, and ends the run by
 * anything but 0.  KEEL_OK; KEEL_STOPPED: by the sink or options.run.stop; KEEL_ENOMEM;
 * KEEL_EINVAL: the GPU failed, as the message says. */
typedef int keel_block_sink(void *user, const keel_block *b);
KEEL_API keel_status keel_ensemble_run(keel_ensemble *e, int64_t from, int64_t to, keel_block_sink *sink,
                                       void *user);
/* How many members run side by side in lanes, by now; 1: they run one after the other on each core. */
KEEL_API int keel_ensemble_lanes(const keel_ensemble *e);
KEEL_API int keel_ensemble_device(const keel_ensemble *e);     /* 1: they run on the GPU */
KEEL_API keel_sim *keel_ensemble_base(const keel_ensemble *e); /* the model's own run, as it begins */

/* Summaries --------------------------------------------------------------------------------------------- */

/* Moments and quantiles of quantities over members, in memory that hardly grows with their number: with
 * quantiles by 16 kB a quantity whenever it doubles.  The result depends on the values and their order
 * alone. */
typedef struct keel_summary keel_summary;
typedef struct keel_moments {
    int64_t count;                             /* of finite values; the others are left out */
    double mean, deviation, smallest, largest; /* NAN: too few */
} keel_moments;
KEEL_API keel_summary *keel_summary_open(int quantities, int quantiles); /* quantiles: are they wanted? */
KEEL_API void keel_summary_close(keel_summary *s);
KEEL_API keel_status keel_summary_add(keel_summary *s, const double *value);        /* of one member */
KEEL_API int keel_summary_moments(const keel_summary *s, int i, keel_moments *out); /* 1; 0 past the last */
/* The value below which a part of all lies, 0 .. 1: at most log2(count / 2048) / 2048 of them lie on its
 * wrong side.  Exact up to 2047 values, and at 0 and 1. */
KEEL_API double keel_summary_quantile(const keel_summary *s, int i, double part);

#ifdef __cplusplus
}
#endif
#endif
