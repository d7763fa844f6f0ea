/* outcome.h - how a run ended and how good it is: what certificate, JSON and report tell. */
#ifndef KEEL_CLI_OUTCOME_H
#define KEEL_CLI_OUTCOME_H

#include "cli/record.h"

enum outcome_status { OUTCOME_DONE, OUTCOME_STOPPED, OUTCOME_INTERRUPTED, OUTCOME_FAILED };
enum outcome_yardstick { OUTCOME_EXACT, OUTCOME_REFERENCE, OUTCOME_RERUN, OUTCOME_NONE };

struct outcome {
    enum outcome_status status;
    int exit;
    char message[JOB_SENTENCE];
    keel_sim *sim;
    struct trace *trace;
    char lacking[JOB_SENTENCE]; /* what has no value in some rows; "": all have */
    double wall_s;
    keel_stats stats; /* at the end; looking at the results afterwards counts no more */
    enum outcome_yardstick yardstick;
    double error, relative; /* the largest absolute error, and relative to the quantity's largest value */
    int worst;              /* the column it is in */
    double worst_t;
    double *each;           /* [columns] errors, NAN where there are none; NULL: not measured */
    const char *unmeasured; /* why there is no accuracy */
    struct record record;   /* rows for the tighter rerun */
    double apart_t;         /* where the rerun leaves it by a hundredth; NAN: nowhere */
};

const char *outcome_word(enum outcome_status status); /* done, stopped, ... */
const char *outcome_yardstick_word(enum outcome_yardstick y);
/* Once run and trace are open: rows are remembered if a rerun may be compared with them.  0 or -1. */
int outcome_watch(struct outcome *o);
/* Errors against closed forms and trusted digits, or by a tighter rerun at all output times.  again:
 * 0: no rerun; 1: if the run was short; 2: in any case. */
void outcome_measure(struct outcome *o, struct job *j, int again);
void outcome_certificate(const struct outcome *o, const struct job *j, FILE *out, int color);
/* Steps at which scale or relax found no factors, in a sentence without its point; 0: there are none. */
int outcome_folds(const struct outcome *o, const struct job *j, char *out, size_t room);
/* Rows can be at round-off beside values that have nothing to do with the model: steps far beyond stability
 * do that.  A sentence without its point where the tighter rerun shows it; 0: there is none. */
int outcome_warning(const struct outcome *o, const struct job *j, char *out, size_t room);
/* Row i of the certificate.  Without a stabilizer steps are not measured: drift is then the largest at output
 * times, units and last are NAN. */
int outcome_row(const struct outcome *o, const struct job *j, int i, keel_kept *row);
double outcome_drift_seen(const struct outcome *o, const char *row); /* the largest at output times */
/* "watched", "by the method"; "at output times": where alone it is looked at; "": it is kept */
const char *outcome_care_word(const struct job *j, const keel_kept *row);
/* Of the mode in force; NULL: it has none. */
const char *outcome_state_name(const struct outcome *o, int component);
void outcome_release(struct outcome *o);
#endif
