/* run.c - see run.h.
 *
 * Steps are taken in portions.  As long as it is not known how long a step takes they are single ones; then
 * a portion takes some milliseconds, and signals are looked for in between. */
#include "outcome.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { QUICK = 64 }; /* steps within 5 ms: a portion of the solver (pause_steps) is short then */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void run_observe(struct run *r) {
    record_sample(&r->record);
}

static keel_status advance(struct run *r, double wake) {
    const struct source *s = &r->record.source;
    return s->sim ? keel_sim_advance(s->sim, wake, r->end) : keel_advance(s->solver, wake, r->end);
}

/* Terminal events that are to be passed; 1: go on. */
static int passes(struct run *r, int *counts) {
    int event = r->record.source.sim ? -1 : keel_event(r->record.source.solver);
    record_event(&r->record);
    return r->allowed && event >= 0 && ++counts[event] < r->allowed[event];
}

/* With the GIL, which is taken for it: did a signal raise an exception? */
static int interrupted(struct run *r, PyThreadState **released) {
    if (!r->holds_gil) PyEval_RestoreThread(*released);
    int raised = PyErr_Occurred() || PyErr_CheckSignals() < 0;
    if (!r->holds_gil) *released = PyEval_SaveThread();
    return raised;
}

static int integrate(struct run *r, int *counts, PyThreadState **released) {
    const struct source *source = &r->record.source;
    double clock = 0, begin = r->budget > 0 ? seconds() : 0;
    long stride = 1, taken = 0;
    keel_status status = KEEL_OK;
    while (keel_time(source_solver(source)) != r->end && !r->record.starved && !r->late) {
        long before = keel_statistics(source_solver(source)).steps;
        double now = keel_time(source_solver(source));
        if (r->most && before >= r->most) {
            status = KEEL_ELIMIT;
            break;
        }
        status = advance(r, stride < QUICK ? now : record_wake(&r->record, r->end));
        if (status == KEEL_EVENT && passes(r, counts)) status = KEEL_OK;
        if (status != KEEL_OK) break;
        taken += keel_statistics(source_solver(source)).steps - before + 1;
        if (taken < stride) continue;
        double then = clock;
        clock = seconds();
        if (then > 0 && clock - then < 0.005 && stride < (1 << 14)) stride *= 2;
        else if (clock - then > 0.02 && stride > 1) stride /= 2;
        taken = 0;
        r->late = r->budget > 0 && clock - begin > r->budget;
        if (then > 0 && stride > 1 && clock - then < 1e-3) continue;
        if (interrupted(r, released)) return -1;
    }
    r->status = r->record.starved ? KEEL_ENOMEM : status;
    return 0;
}

int run_integrate(struct run *r) {
    int counts[64] = {0}; /* kinds of events that are passed: problem.c allows no more */
    PyThreadState *released = NULL;
    struct record *rec = &r->record;
    rec->last = keel_time(source_solver(&rec->source));
    rec->direction = r->end >= rec->last ? 1 : -1;
    if (!r->holds_gil) released = PyEval_SaveThread();
    record_sample(rec);
    int raised = integrate(r, counts, &released);
    if (!raised && r->status >= 0) record_finish(rec);
    if (released) PyEval_RestoreThread(released);
    return raised || PyErr_Occurred() ? -1 : 0;
}

/* What it gives ------------------------------------------------------------------------------------------ */

static int put(PyObject *into, const char *name, PyObject *value) {
    int status = value ? PyDict_SetItemString(into, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

PyObject *run_give(struct run *r) {
    PyObject *into = PyDict_New();
    int bad = !into || put(into, "status", PyLong_FromLong(r->status)) < 0 ||
              put(into, "outcome", outcome_of(r)) < 0 || record_give(&r->record, into) < 0;
    if (bad) Py_CLEAR(into);
    return into;
}
