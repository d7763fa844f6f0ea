/* trace.h - what a run gives at its output times: columns, drifts, errors.
 *
 * The observer of the run samples between the steps, so the output never disturbs them. */
#ifndef KEEL_CLI_RUN_TRACE_H
#define KEEL_CLI_RUN_TRACE_H

#include "cli/job/job.h"

/* Why a row is given: an output time, a step; an event that is only recorded; before and after an action. */
enum trace_kind { TRACE_OUTPUT, TRACE_RECORD, TRACE_BEFORE, TRACE_AFTER };

enum { TRACE_SINKS = 8 };

/* One row of the results.  Arrays as long as trace says. */
struct trace_row {
    enum trace_kind kind;
    double t;
    const double *value; /* columns */
    const double *drift; /* rows */
    const double *error; /* columns: value - closed form; NAN where there is none */
    int mode;
    const char *event; /* the event it stands on; NULL: none */
};
typedef int trace_sink(void *user, const struct trace_row *row); /* 0; other: nothing more is to be given */

struct trace {
    struct job *job;
    keel_sim *sim;
    int columns, rows, exacts; /* exacts: columns with a closed form */
    double *times;             /* output times, in the order of the run */
    long count, next;
    int every_step;
    double *value, *drift, *error;
    double *beside;               /* room for another row */
    unsigned char *closed;        /* [columns] it has a closed form */
    double *largest_drift;        /* [rows] over all rows given */
    double *largest;              /* [columns] |value|, for relative errors */
    double *size;                 /* [columns] the same of their terms, now and then */
    long sized;                   /* places at which it was taken, of SIZES over the run */
    double *worst;                /* [columns] |error| against closed forms and references; NAN: none */
    double worst_of_all, worst_t; /* the worst of all and where it is */
    int references;               /* trusted points met */
    double *trusted, *trusted_t, direction;
    trace_sink *sink[TRACE_SINKS];
    void *user[TRACE_SINKS];
    int sinks;
    int overlooks;          /* samples of controllers go unseen: nobody wants their rows */
    long events;            /* that were sampled */
    int acted;              /* the last sample was before an action */
    int live;               /* the row at hand is where the run stands */
    double seconds;         /* wall time of looking, by whoever calls trace_sample */
    struct missing missing; /* by quantity: columns, drifts, closed forms of columns */
    int failed;             /* of the sinks: nothing is given any more */
};

/* Output times from the options; 0, or an exit status.  trace_close in any case. */
int trace_open(struct trace *t, struct job *j);
/* The same with `count` output times of one's own, in the order of the run.  0 or -1 without memory. */
int trace_open_at(struct trace *t, struct job *j, const double *times, long count);
void trace_add(struct trace *t, trace_sink *sink, void *user);
/* The run it belongs to, once it is open.  0 or -1 without memory. */
int trace_attach(struct trace *t, keel_sim *sim);
/* Samples of controllers bring no rows of their own from here on: the run takes them in one loop. */
void trace_overlook(struct trace *t);
/* All output times up to where the run stands; at steps the row itself if every step is wanted. */
void trace_sample(struct trace *t);
/* The time that it waits for: a step that reaches it is to be looked at. */
double trace_wake(const struct trace *t);
/* The largest drift over all rows given, of a row of keel_sim_rows; NAN: it came with a mode that the run
 * grew. */
double trace_drift(const struct trace *t, int row);
/* A row to what is gathered here and to all sinks. */
void trace_give(struct trace *t, const struct trace_row *row);
void trace_close(struct trace *t);
#endif
