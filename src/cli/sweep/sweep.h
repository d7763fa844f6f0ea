/* sweep.h - an ensemble as the command runs it: its plan, what is told of it, where it goes. */
#ifndef KEEL_CLI_SWEEP_SWEEP_H
#define KEEL_CLI_SWEEP_SWEEP_H

#include "cli/files/file.h"
#include "cli/job/job.h"
#include "cli/files/json.h"

#include <keel/ensemble.h>

enum { SWEEP_REASONS = 12 };

/* A reason for which members failed, by its sentence without the numbers in it. */
struct sweep_reason {
    char sentence[JOB_SENTENCE]; /* of the first one */
    int64_t members, first;
};

/* The certificate of an ensemble, gathered block by block in their order. */
struct sweep_tally {
    int64_t members, failed, stopped, steps, events;
    double drift, correction, defect; /* the largest */
    int64_t drift_of, correction_of, defect_of;
    int drift_row;
    struct sweep_reason reason[SWEEP_REASONS];
    int reasons;
    int64_t other_reasons; /* members beyond those */
};

enum { SWEEP_SUMMARIES = 32 };

/* How failed members were run again: the words of each time, a word a line, and for each member of the block
 * at hand by which of them, from 1 on; 0: as the sweep ran it. */
struct sweep_retries {
    char **words;
    int count;
    const int32_t *of;
};

struct sweep {
    struct job job;
    keel_plan *plan;
    keel_plan_options draws;
    keel_ensemble_options options;
    keel_ensemble *ensemble;
    double *times;
    struct sweep_tally tally;
    char statistic[SWEEP_SUMMARIES][JOB_WORD]; /* mean, q05, ... */
    int statistics;
    keel_summary *summary; /* of times x columns; NULL: not asked for */
    struct sweep_retries retries;
    double begin, wall_s;
    int workers;   /* threads where nobody says how many; 0: one for each core */
    int64_t done;  /* members that were there before this run */
    int64_t share; /* members that this process is to see finished; 0: all */
};

/* sweep_plan.c: plan and ensemble from the options; 0, or an exit status. */
int sweep_plan(struct sweep *s);

/* sweep_summary.c: what --summary asks for; 0, or an exit status. */
int sweep_summary_open(struct sweep *s);
int sweep_summary_block(struct sweep *s, const keel_block *b); /* 0, or an exit status */
double sweep_summary_value(const struct sweep *s, int statistic, int quantity);
void sweep_summary_text(const struct sweep *s, FILE *out);
void sweep_summary_json(const struct sweep *s, struct json *json);

/* sweep_tally.c */
void sweep_tally_block(struct sweep_tally *t, const keel_block *b);
/* The worst of all, and why members failed; the units of corrections and defects. */
void sweep_tell_worst(const struct sweep_tally *t, const char *row, const char *corrected, const char *defect,
                      FILE *out);
void sweep_tell_failures(const struct sweep_tally *t, FILE *out);
void sweep_tally_json(const struct sweep_tally *t, const char *row, struct json *json);
void sweep_certificate(const struct sweep *s, FILE *out);
int sweep_exit(const struct sweep *s); /* how it ended */
void sweep_json(const struct sweep *s, int status, FILE *out);
const char *sweep_word(int32_t status); /* done, stopped, failed */
#endif
