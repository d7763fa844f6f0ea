/* run.h - one run, of a model or of a problem of callbacks, from its start to its end. */
#ifndef KEEL_PYTHON_RUN_H
#define KEEL_PYTHON_RUN_H

#include "record.h"

struct run {
    struct record record;
    double end;
    int holds_gil;      /* functions of Python are called */
    double budget;      /* seconds it may take; 0: any number */
    int late;           /* it would take longer */
    const int *allowed; /* so many terminal events of each kind end it; NULL: the first */
    long most;          /* steps; 0: any number */
    keel_status status;
};

/* 0, or -1 with a Python exception (an interrupt, a function that raised). */
int run_integrate(struct run *r);
void run_observe(struct run *r); /* what options.observe does */
/* Status, outcome (outcome.h) and the record as a dictionary; NULL with an exception. */
PyObject *run_give(struct run *r);

/* Options ----------------------------------------------------------------------------------------------- */

/* Members from a dictionary, whose texts must outlive the options; 0, or -1 with an exception.  atol may be
 * an object with a buffer: the caller puts it. */
int run_options(PyObject *dictionary, keel_options *o);
/* Which times are wanted: an object with a buffer of doubles, or None.  0, or -1 with an exception. */
int run_times(PyObject *object, Py_buffer *view, struct record *r, double begin, double end);
#endif
