/* record.h - output rows of one run in memory, so that another run can be compared with them at their times.
 *
 * The memory is bounded: when it is full every second row is dropped, and from then on only every second one
 * is taken.  Rows are compared where both runs are in the same mode and as many events have passed: between
 * the two moments at which two runs see the same event they differ by the jump, which is no error. */
#ifndef KEEL_CLI_RUN_RECORD_H
#define KEEL_CLI_RUN_RECORD_H

#include "cli/run/trace.h"

/* Events so far.  Impacts that come ever faster end in rest after a number that round-off decides: where a
 * contact closes the count begins anew. */
struct record_passed {
    long rests, events;
};
struct record_place { /* where in the run a row stands */
    double t;
    int mode;
    struct record_passed passed;
};
int record_apart(const struct record_place *a, const struct record_place *b); /* by modes or events */

struct record {
    int columns;
    long count, capacity, most; /* rows kept, allocated, allowed */
    long stride, seen;
    int overlooks; /* samples of controllers were not counted as events */
    struct record_passed passed;
    struct record_place *place;
    double *value;   /* [count][columns] */
    double *largest; /* [columns] |value| over all rows seen */
    double *scale;   /* [columns] what differences are judged by; at first `largest` */
};

/* For rows of this run from its begin on, those of an interrupted one included.  0, or -1 without memory. */
int record_open(struct record *r, const keel_sim *sim);
int record_row(void *record, const struct trace_row *row); /* a trace_sink */
/* The times of its rows; NULL without memory. */
double *record_times(const struct record *r);
void record_close(struct record *r);

/* Another run beside the recorded one. */
struct record_match {
    const struct record *with;
    double direction;
    long at;
    struct record_passed passed;
    double *each;    /* [columns] the largest difference; NAN: never compared */
    double *largest; /* [columns] |value| of this run */
    double error;    /* the largest of all */
    int worst;
    double worst_t;
    double apart_t; /* the first time at which something differs by a hundredth of its scale; NAN */
    int off_now;
    long after, off; /* rows compared since then, and those that differ as much */
    double stray_t; /* from here on the two were in other modes, or had met other events; NAN: they are not */
    double other_t; /* the same of the first such stretch that was longer than a hundredth of the run */
};
int record_match_open(struct record_match *m, const struct record *with, double direction);
int record_match_row(void *match, const struct trace_row *row); /* a trace_sink */
void record_match_close(struct record_match *m);
#endif
