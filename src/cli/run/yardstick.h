/* yardstick.h - what errors are measured by: closed forms, trusted digits, or a run that is far better. */
#ifndef KEEL_CLI_RUN_YARDSTICK_H
#define KEEL_CLI_RUN_YARDSTICK_H

#include "cli/run/record.h"

enum yardstick_kind { YARDSTICK_EXACT, YARDSTICK_REFERENCE, YARDSTICK_RERUN, YARDSTICK_NONE };
struct yardstick {
    enum yardstick_kind kind;
    struct record record; /* RERUN: its rows */
    double own;           /* RERUN: how far a less exact one lies from it; NAN: not known */
    double apart_t; /* RERUN: where that one differs by more than a hundredth: no yardstick there; NAN */
    int references;
    double *times; /* output times of all that are compared */
    long count;
    char about[JOB_SENTENCE]; /* "the exact solution", "dop853+project at rtol 1e-13", why there is none */
};
const char *yardstick_word(enum yardstick_kind kind); /* exact, reference, rerun, none */
/* The model's own where it has one, else a run with `tight`; `less` (or NULL) tells how good that is.  Takes
 * over `times`.  0, or an exit status. */
int yardstick_open(struct yardstick *y, struct job *j, double *times, long count, const keel_options *tight,
                   const keel_options *less);
void yardstick_close(struct yardstick *y);
#endif
