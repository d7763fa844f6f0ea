/* outcome.c - see outcome.h.  Nothing in it points into the run or the model, which may be gone by then. */
#include "outcome.h"

#include <stdlib.h>
#include <string.h>

struct outcome {
    PyObject_HEAD double end;
    int late;
    long between_calls;
    keel_stats stats;
    keel_correction correction;
    keel_defect defect;
    const char *stabilizer; /* a constant of the library */
    char *message;          /* NULL: none */
    keel_row *row;          /* [rows], their names behind them */
    int rows;
    keel_change *change; /* [changes] of the method "auto" */
    long changes;
};

static PyObject *type;

/* Keeping ------------------------------------------------------------------------------------------------ */

static const char *sentence(const struct run *r) {
    static const char *const limit =
        "the number of steps allowed (max_steps) led to a part of the span only: "
        "take method=\"radau\" if the problem is stiff, or allow more";
    const struct source *s = &r->record.source;
    const char *own = s->sim ? keel_sim_message(s->sim) : keel_message(s->solver);
    return r->status == KEEL_ELIMIT && !own[0] ? limit : own;
}

/* Row i; 0: past the last; -1: it is none of the mode the run ended in. */
static int row_at(const struct source *s, int i, keel_row *row) {
    if (!s->sim) return keel_row_at(s->solver, i, row);
    if (i >= keel_sim_rows(s->sim)) return 0;
    return keel_sim_row_at(s->sim, i, row) ? 1 : -1;
}

static int keep_rows(struct outcome *o, const struct source *s) {
    keel_row one;
    size_t capacity = 0;
    int count = 0, found;
    for (int i = 0; (found = row_at(s, i, &one)); i++)
        if (found > 0) capacity += strlen(one.name ? one.name : "") + 1, count++;
    if (count == 0) return 0;
    o->row = malloc((size_t)count * sizeof *o->row + capacity);
    if (!o->row) return -1;
    char *text = (char *)(o->row + count);
    for (int i = 0; o->rows < count; i++) {
        if (row_at(s, i, &one) < 0) continue;
        size_t length = strlen(one.name ? one.name : "") + 1;
        one.name = memcpy(text, one.name ? one.name : "", length);
        text += length;
        o->row[o->rows++] = one;
    }
    return 0;
}

static int keep_changes(struct outcome *o, const keel_solver *s) {
    long count = keel_changes(s);
    if (count == 0) return 0;
    o->change = malloc((size_t)count * sizeof *o->change);
    for (long i = 0; o->change && i < count; i++) o->changes += keel_change_at(s, i, &o->change[o->changes]);
    return o->change ? 0 : -1;
}

static int keep_message(struct outcome *o, const char *words) {
    if (!words[0]) return 0;
    o->message = malloc(strlen(words) + 1);
    if (o->message) strcpy(o->message, words);
    return o->message ? 0 : -1;
}

PyObject *outcome_of(const struct run *r) {
    const struct source *s = &r->record.source;
    keel_solver *solver = source_solver(s);
    const keel_method *stabilizer = keel_stabilizer_of(solver);
    struct outcome *o = (struct outcome *)PyType_GenericAlloc((PyTypeObject *)type, 0);
    if (!o) return NULL;
    o->end = keel_time(solver);
    o->late = r->late;
    o->between_calls = r->record.calls;
    o->stats = keel_statistics(solver);
    o->correction = keel_correction_of(solver);
    o->defect = keel_defect_of(solver);
    o->stabilizer = stabilizer ? stabilizer->name : "";
    if (keep_message(o, sentence(r)) == 0 && keep_rows(o, s) == 0 && keep_changes(o, solver) == 0)
        return (PyObject *)o;
    Py_DECREF(o);
    return PyErr_NoMemory();
}

static void release(PyObject *self) {
    struct outcome *o = (struct outcome *)self;
    PyTypeObject *own = Py_TYPE(self);
    free(o->message);
    free(o->row);
    free(o->change);
    PyObject_Free(self);
    Py_DECREF(own);
}

/* Telling ------------------------------------------------------------------------------------------------ */

static PyObject *list_of(const struct outcome *o, long count,
                         PyObject *(*item)(const struct outcome *, long)) {
    PyObject *list = PyList_New(0);
    for (long i = 0; list && i < count; i++) {
        PyObject *one = item(o, i);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *row_of(const struct outcome *o, long i) {
    const keel_row *row = &o->row[i];
    return Py_BuildValue("(siiiddddd)", row->name, row->kind, row->treatment, row->verdict, row->start,
                         row->drift, row->units, row->last, row->unit);
}

static PyObject *change_of(const struct outcome *o, long i) {
    return Py_BuildValue("(ds)", o->change[i].t, o->change[i].method);
}

static PyObject *outcome_expand(PyObject *self, PyObject *unused) {
    const struct outcome *o = (struct outcome *)self;
    const keel_stats *n = &o->stats;
    const keel_correction *c = &o->correction;
    const keel_defect *d = &o->defect;
    (void)unused;
    PyObject *rows = list_of(o, o->rows, row_of), *changes = list_of(o, o->changes, change_of);
    if (!rows || !changes) return Py_XDECREF(rows), Py_XDECREF(changes), NULL;
    return Py_BuildValue("{ss,sd,sO,sl,ss,s(lllllllll),s((ddsdds)(ddiil)),sN,sN}", "message",
                         o->message ? o->message : "", "end", o->end, "late", o->late ? Py_True : Py_False,
                         "between_calls", o->between_calls, "stabilizer", o->stabilizer, "statistics",
                         n->steps, n->rejected, n->calls, n->jacobians, n->factorizations, n->corrections,
                         n->events, n->switches, n->slides, "diagnosis", c->largest, c->t, c->state,
                         c->finding, c->finding_t, c->finding_state, d->largest, d->t, d->component,
                         d->relative, d->samples, "rows", rows, "changes", changes);
}

PyObject *outcome_type(void) {
    static PyMethodDef methods[] = {{"expand", outcome_expand, METH_NOARGS, "All of it, by names."},
                                    {NULL, NULL, 0, NULL}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, release},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "What a run says of itself."},
                                  {0, NULL}};
    static PyType_Spec spec = {"keel._keel.Outcome", sizeof(struct outcome), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return type = PyType_FromSpec(&spec);
}
