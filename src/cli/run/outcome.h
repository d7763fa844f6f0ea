/* outcome.h - how a run ended and how good it is: what certificate, JSON and report tell. */
#ifndef KEEL_CLI_RUN_OUTCOME_H
#define KEEL_CLI_RUN_OUTCOME_H

#include "cli/run/accuracy.h"

enum outcome_status { OUTCOME_DONE, OUTCOME_STOPPED, OUTCOME_INTERRUPTED, OUTCOME_FAILED };

struct outcome {
    enum outcome_status status;
    int exit;
    char message[JOB_SENTENCE];
    keel_sim *sim;
    struct trace *trace;
    char lacking[JOB_SENTENCE]; /* what has no value in some rows; "": all have */
    double wall_s;              /* with output, whose part is trace->seconds */
    keel_stats stats;           /* at the end; looking at the results afterwards counts no more */
    struct accuracy accuracy;
};

const char *outcome_word(enum outcome_status status); /* done, stopped, ... */
void outcome_certificate(const struct outcome *o, const struct job *j, FILE *out, int color);
/* Steps whose kept rows the stabilizer could not meet, in a sentence without its point; 0: there are none. */
int outcome_unresolved(const struct outcome *o, const struct job *j, char *out, size_t capacity);
/* The largest change by a projection, and a finding, in a sentence without its point each; 0: none. */
int outcome_correction(const struct outcome *o, const struct job *j, char *out, size_t capacity);
int outcome_finding(const struct outcome *o, char *out, size_t capacity);
/* Why corrections were not measured, or where: in a part of a sentence; 0: they were. */
int outcome_not_corrected(const struct outcome *o, const struct job *j, char *out, size_t capacity);
/* The first column of a table of the certificate, names: as wide as the longest up to OUTCOME_WIDEST; a name
 * that is longer stands above its numbers. */
enum { OUTCOME_NARROWEST = 20, OUTCOME_WIDEST = 36 };
int outcome_widen(int width, const char *name); /* from OUTCOME_NARROWEST on, over all names */
void outcome_name(FILE *out, const char *name, int width);
/* Row i of the certificate over all modes, of keel_sim_rows; 0: no mode of the run has it.  Without a
 * stabilizer steps are not measured: drift is then the largest at output
 * times, units and last are NAN. */
int outcome_row(const struct outcome *o, const struct job *j, int i, keel_row *row);
/* "watched", "by the method"; "at output times": where alone it is looked at; "": it is kept.  Where output
 * between the steps is further off than their ends, that number, too. */
void outcome_treatment(const struct outcome *o, const struct job *j, int i, const keel_row *row, char *out,
                       size_t capacity);
/* Of the mode in force; NULL: it has none. */
const char *outcome_state_name(const struct outcome *o, int component);
void outcome_release(struct outcome *o);
#endif
