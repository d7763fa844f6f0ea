/* record.h - what a run leaves behind: samples at times or at steps, nodes between steps, events. */
#ifndef KEEL_PYTHON_RECORD_H
#define KEEL_PYTHON_RECORD_H

#include "binding.h"

/* What is run: a model, or a problem of callbacks. */
struct source {
    keel_sim *sim; /* NULL: the solver alone */
    keel_solver *solver;
    int columns;
};
keel_solver *source_solver(const struct source *s);

enum { RECORD_EVENTS = 1 << 24 }; /* more of them are counted, not kept */

struct record {
    struct source source;
    const double *times; /* wanted, in the order of the run */
    size_t count, next;
    int every_step;
    int nodes;                       /* values for each step, its ends included; 0: none */
    double direction;                /* of the run */
    struct numbers t, y;             /* samples */
    struct numbers ends, between;    /* ends of steps; `nodes` rows for each step */
    struct numbers event_t, event_y; /* events of the solver */
    struct numbers event;            /* which */
    long noted;                      /* events of the model that were looked at */
    int acted;                       /* the last event has changed something */
    double last;                     /* the time of the last sample */
    struct numbers value;            /* the columns then */
    long calls;                      /* of f, for what was looked at between steps */
    int starved;
};

void record_sample(struct record *r); /* where the solver stands after a step, or at an event */
void record_event(struct record *r);  /* a terminal event, unless it was looked at already */
void record_finish(struct record *r); /* the end, if it is no step's */
double record_wake(const struct record *r, double end);
void record_clear(struct record *r); /* for another run with the same times */
void record_release(struct record *r);
/* The parts as objects into the dictionary; 0, or -1 with an exception. */
int record_give(struct record *r, PyObject *into);
#endif
