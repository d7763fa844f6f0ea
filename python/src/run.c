/* run.c - see run.h.
 *
 * Steps are taken in portions.  As long as it is not known how long a step takes they are single ones; then
 * a portion takes some milliseconds, and signals are looked for in between. */
#include "run.h"

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
    record_look(&r->record);
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
    record_look(rec);
    int raised = integrate(r, counts, &released);
    if (!raised && r->status >= 0) record_finish(rec);
    if (released) PyEval_RestoreThread(released);
    return raised || PyErr_Occurred() ? -1 : 0;
}

/* What it says ------------------------------------------------------------------------------------------ */

static int put(PyObject *into, const char *name, PyObject *value) {
    int status = value ? PyDict_SetItemString(into, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

static PyObject *rows(const struct source *s) {
    PyObject *list = PyList_New(0);
    keel_row row;
    int count = s->sim ? keel_sim_rows(s->sim) : 1 << 30;
    for (int i = 0; list && i < count; i++) {
        if (s->sim && !keel_sim_row_at(s->sim, i, &row)) continue;
        if (!s->sim && !keel_row_at(s->solver, i, &row)) break;
        PyObject *one = Py_BuildValue("(siiiddddd)", row.name ? row.name : "", row.kind, row.treatment,
                                      row.verdict, row.start, row.drift, row.units, row.last, row.unit);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *statistics(keel_solver *s) {
    keel_stats n = keel_statistics(s);
    return Py_BuildValue("(lllllllll)", n.steps, n.rejected, n.calls, n.jacobians, n.factorizations,
                         n.corrections, n.events, n.switches, n.slides);
}

/* Found corrections and defects, for the certificate. */
static PyObject *diagnosis(keel_solver *s) {
    keel_correction c = keel_correction_of(s);
    keel_defect d = keel_defect_of(s);
    return Py_BuildValue("((ddsdds)(ddiil))", c.largest, c.t, c.state, c.finding, c.finding_t,
                         c.finding_state, d.largest, d.t, d.component, d.relative, d.samples);
}

/* Of the method "auto": when, and to which one. */
static PyObject *changes(const keel_solver *s) {
    PyObject *list = PyList_New(0);
    keel_change change;
    for (long i = 0; list && i < keel_changes(s); i++) {
        if (!keel_change_at(s, i, &change)) continue;
        PyObject *one = Py_BuildValue("(ds)", change.t, change.method);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static const char *sentence(struct run *r) {
    static const char *const limit =
        "the number of steps allowed (max_steps) led to a part of the span only: "
        "take method=\"radau\" if the problem is stiff, or allow more";
    const struct source *s = &r->record.source;
    const char *own = s->sim ? keel_sim_message(s->sim) : keel_message(s->solver);
    return r->status == KEEL_ELIMIT && !own[0] ? limit : own;
}

PyObject *run_give(struct run *r) {
    const struct source *s = &r->record.source;
    keel_solver *solver = source_solver(s);
    const keel_method *stabilizer = keel_stabilizer_of(solver);
    PyObject *into = PyDict_New();
    int bad = !into;
    bad = bad || put(into, "status", PyLong_FromLong(r->status)) < 0;
    bad = bad || put(into, "message", PyUnicode_FromString(sentence(r))) < 0;
    bad = bad || put(into, "end", PyFloat_FromDouble(keel_time(solver))) < 0;
    bad = bad || put(into, "statistics", statistics(solver)) < 0;
    bad = bad || put(into, "between_calls", PyLong_FromLong(r->record.calls)) < 0;
    bad = bad || put(into, "diagnosis", diagnosis(solver)) < 0;
    bad = bad || put(into, "rows", rows(s)) < 0;
    bad = bad || put(into, "stabilizer", PyUnicode_FromString(stabilizer ? stabilizer->name : "none")) < 0;
    bad = bad || put(into, "late", PyBool_FromLong(r->late)) < 0;
    bad = bad || put(into, "changes", changes(solver)) < 0;
    bad = bad || record_give(&r->record, into) < 0;
    if (bad) Py_CLEAR(into);
    return into;
}
