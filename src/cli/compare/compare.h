/* compare.h - one problem by several methods: the rows of the table, for text, CSV, JSON and plots. */
#ifndef KEEL_CLI_COMPARE_COMPARE_H
#define KEEL_CLI_COMPARE_COMPARE_H

#include "cli/plots/plot.h"
#include "cli/run/trial.h"
#include "cli/run/yardstick.h"

struct compare_row {
    char method[JOB_WORD], stabilizer[JOB_WORD]; /* stabilizer as asked for, then what `auto` has become */
    double step, rtol;                           /* one of them is 0 */
    enum trial_status status;
    char message[JOB_SENTENCE];
    double error, max_drift, scaled_drift; /* NAN: not measured */
    long steps, evaluations, jacobians;
    double wall_s; /* without output; NAN: it did not run */
    int best, tried;
};
struct compare {
    struct compare_row *row;
    int count;
    int automatic;          /* no --methods: chosen from what accepts the problem */
    struct missing missing; /* of the first row that lacks values */
    struct yardstick yardstick;
};

/* What is to be compared, from --methods, --steps, --rtol or the analysis.  0, or an exit status.
 * compare_close in any case. */
int compare_open(struct compare *c, struct job *j);
/* Runs everything; ends early when a signal asks for it.  0, or an exit status. */
int compare_run(struct compare *c, struct job *j);
void compare_close(struct compare *c);

/* The best: least time among the rows whose error is within a factor 2 of the smallest.  Errors below the
 * yardstick's own count as that; a yardstick that is wrong by itself names no best. */
void compare_mark_best(struct compare *c);

void compare_text(const struct compare *c, const struct job *j, FILE *out);
/* Work, precision and drift: error and drift over time, a curve for each method.  0, or an exit status. */
int compare_plot(const struct compare *c, struct job *j, struct plot *p);
void compare_csv(const struct compare *c, const struct job *j, FILE *out);
void compare_json(const struct compare *c, const struct job *j, const char *status, int exit_status,
                  FILE *out);
#endif
