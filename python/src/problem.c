/* problem.c - _keel.solve: a run whose functions are Python's.
 *
 * A call costs what Python's own call costs.  The array that a function sees is used again for the next
 * call, unless somebody has kept it.  The GIL is held all the time, unless no function is Python's: f may be
 * machine code. */
#include "run.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 64 };

struct callbacks {
    struct run *run;
    PyObject *fun, *jacobian, *algebraic, *events, *invariants, *mass;
    PyObject *empty;   /* makes an array of so many doubles */
    PyObject *convert; /* convert(value, count): doubles, or a sentence why not */
    PyObject *u;       /* what functions see */
    Py_buffer view;    /* of u */
    PyObject *doubt;   /* the last arithmetic error, which asked for a shorter step */
    int n, m, events_count, jacobian_count;
    union { /* f as machine code; NULL: it is Python's */
        void *address;
        int (*tells)(double t, const double *u, double *out, void *data);
        void (*is_silent)(double t, const double *u, double *out, void *data);
    } native;
    void *data;
};

/* Arguments and results ---------------------------------------------------------------------------------- */

/* u with these values.  Only this file and its buffer hold it, unless a function has kept it. */
static PyObject *array_of(struct callbacks *c, const double *u) {
    size_t bytes = (size_t)(c->n + c->m) * sizeof *u;
    if (!c->u || Py_REFCNT(c->u) > 2) {
        if (c->view.obj) PyBuffer_Release(&c->view);
        Py_CLEAR(c->u);
        c->u = PyObject_CallFunction(c->empty, "i", c->n + c->m);
        if (!c->u || PyObject_GetBuffer(c->u, &c->view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
    }
    if (bytes) memcpy(c->view.buf, u, bytes);
    return c->u;
}

static int take_items(PyObject *value, double *out, int count) {
    int is_list = PyList_CheckExact(value);
    if (!is_list && !PyTuple_CheckExact(value)) return 0;
    if ((is_list ? PyList_Size(value) : PyTuple_Size(value)) != count) return 0;
    for (int i = 0; i < count; i++) {
        PyObject *item = is_list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
        out[i] = PyFloat_AsDouble(item);
        if (out[i] == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
    }
    return 1;
}

static int take_buffer(PyObject *value, double *out, int count) {
    Py_buffer view;
    if (!PyObject_CheckBuffer(value)) return 0;
    if (PyObject_GetBuffer(value, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return 0;
    }
    int fits = view.format && strcmp(view.format, "d") == 0 && view.ndim == 1 &&
               view.len == (Py_ssize_t)count * (Py_ssize_t)sizeof *out;
    if (fits && count) memcpy(out, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    return fits;
}

/* Takes the reference; 0, or -1 with an exception. */
static int take(struct callbacks *c, PyObject *value, double *out, int count) {
    int taken = value && (take_items(value, out, count) || take_buffer(value, out, count));
    if (value && !taken) {
        PyObject *doubles = PyObject_CallFunction(c->convert, "Oi", value, count);
        taken = doubles && take_buffer(doubles, out, count);
        Py_XDECREF(doubles);
    }
    Py_XDECREF(value);
    return taken ? 0 : -1;
}

/* An arithmetic error asks for a shorter step, as values do that are not finite; all else ends the run. */
static int error_of(struct callbacks *c) {
    if (!PyErr_ExceptionMatches(PyExc_ArithmeticError)) return -1;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    Py_XDECREF(c->doubt);
    c->doubt = value;
    return 1;
}

static int call(struct callbacks *c, PyObject *function, double t, const double *u, double *out, int count) {
    PyObject *array, *time, *value = NULL;
    if (PyErr_Occurred() || PyErr_CheckSignals() < 0) return -1;
    array = array_of(c, u);
    time = array ? PyFloat_FromDouble(t) : NULL;
    if (time) value = PyObject_CallFunctionObjArgs(function, time, array, NULL);
    Py_XDECREF(time);
    return take(c, value, out, count) == 0 ? 0 : error_of(c);
}

/* The callbacks of the problem --------------------------------------------------------------------------- */

static int rhs(double t, const double *u, double *out, void *user) {
    struct callbacks *c = user;
    return call(c, c->fun, t, u, out, c->n);
}

static int native_tells(double t, const double *u, double *out, void *user) {
    const struct callbacks *c = user;
    return c->native.tells(t, u, out, c->data);
}

static int native_is_silent(double t, const double *u, double *out, void *user) {
    const struct callbacks *c = user;
    c->native.is_silent(t, u, out, c->data);
    return 0;
}

static int jacobian(double t, const double *u, double *out, void *user) {
    struct callbacks *c = user;
    return call(c, c->jacobian, t, u, out, c->jacobian_count);
}

static int algebraic(double t, const double *u, double *out, void *user) {
    struct callbacks *c = user;
    return call(c, c->algebraic, t, u, out, c->m);
}

static int mass(double t, const double *u, double *out, void *user) {
    struct callbacks *c = user;
    return call(c, c->mass, t, u, out, c->n * c->n);
}

static int each(struct callbacks *c, PyObject *functions, double t, const double *u, double *out) {
    Py_ssize_t count = PyTuple_Size(functions);
    int status = 0;
    for (Py_ssize_t i = 0; i < count && status == 0; i++)
        status = call(c, PyTuple_GetItem(functions, i), t, u, out + i, 1);
    return status;
}

static int events(double t, const double *u, double *out, void *user) {
    struct callbacks *c = user;
    return each(c, c->events, t, u, out);
}

static int invariants(double t, const double *u, double *out, void *user) {
    struct callbacks *c = user;
    return each(c, c->invariants, t, u, out);
}

static void observe(keel_solver *solver, void *user) {
    (void)solver;
    run_observe(((struct callbacks *)user)->run);
}

/* The call ----------------------------------------------------------------------------------------------- */

/* What solve() is given, as buffers and lists. */
struct given {
    Py_buffer u0, times, rows, columns, atol, scale;
    int direction[EVENTS], allowed[EVENTS];
    unsigned char kind[EVENTS];
    const char *name[EVENTS];
    keel_pattern pattern;
};

static PyObject *item(PyObject *spec, const char *name) {
    PyObject *value = PyDict_GetItemString(spec, name);
    return value == Py_None ? NULL : value;
}

static int buffer(PyObject *spec, const char *name, Py_buffer *view) {
    PyObject *value = item(spec, name);
    return value ? PyObject_GetBuffer(value, view, PyBUF_C_CONTIGUOUS) : 0;
}

static long whole(PyObject *spec, const char *name) {
    PyObject *value = item(spec, name);
    return value ? PyLong_AsLong(value) : 0;
}

/* events: functions; directions and allowed (0: it goes on) beside them. */
static int take_events(struct given *g, PyObject *spec, struct callbacks *c, keel_problem *p) {
    PyObject *direction = item(spec, "directions"), *allowed = item(spec, "allowed");
    c->events = item(spec, "events");
    Py_ssize_t count = c->events ? PyTuple_Size(c->events) : 0;
    if (count > EVENTS) {
        PyErr_Format(binding_option_error, "at most %d events can be given, these are %d", EVENTS,
                     (int)count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        g->direction[i] = (int)PyLong_AsLong(PyList_GetItem(direction, i));
        g->allowed[i] = (int)PyLong_AsLong(PyList_GetItem(allowed, i));
        g->kind[i] = g->allowed[i] > 0 ? KEEL_TERMINAL : KEEL_NONTERMINAL;
    }
    if (count) {
        p->event = (keel_map){.count = (int)count, .value = events};
        p->event_direction = g->direction;
        p->event_kind = g->kind;
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int take_invariants(struct given *g, PyObject *spec, struct callbacks *c, keel_problem *p) {
    PyObject *names = item(spec, "names");
    c->invariants = item(spec, "invariants");
    Py_ssize_t count = c->invariants ? PyTuple_Size(c->invariants) : 0;
    if (count > EVENTS) {
        PyErr_Format(binding_option_error, "at most %d invariants can be given", EVENTS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (!(g->name[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(names, i), NULL))) return -1;
    if (count) p->invariant = (keel_map){.count = (int)count, .value = invariants, .names = g->name};
    return 0;
}

/* "native": (address, does it tell, data). */
static int take_native(PyObject *spec, struct callbacks *c, keel_problem *p) {
    PyObject *native = item(spec, "native");
    unsigned long long address, data;
    int tells;
    if (!native) return 0;
    if (!PyArg_ParseTuple(native, "KpK", &address, &tells, &data)) return -1;
    c->native.address = (void *)(uintptr_t)address;
    c->data = (void *)(uintptr_t)data;
    p->f.value = tells ? native_tells : native_is_silent;
    return 0;
}

static int take_functions(struct given *g, PyObject *spec, struct callbacks *c, keel_problem *p) {
    c->fun = item(spec, "fun");
    c->jacobian = item(spec, "jac");
    c->algebraic = item(spec, "algebraic");
    c->mass = item(spec, "mass");
    c->empty = item(spec, "empty");
    c->convert = item(spec, "convert");
    c->n = p->n = (int)whole(spec, "n");
    c->m = p->m = (int)whole(spec, "m");
    p->form = c->m ? KEEL_DAE : KEEL_ODE;
    p->user = c;
    if (p->n) p->f = (keel_map){.count = p->n, .value = rhs, .jacobian = c->jacobian ? jacobian : NULL};
    if (c->algebraic) p->algebraic = (keel_map){.count = p->m, .value = algebraic};
    if (c->mass) p->mass = (keel_matrix){.value = mass};
    if (buffer(spec, "u0", &g->u0) < 0 || buffer(spec, "rows", &g->rows) < 0 ||
        buffer(spec, "cols", &g->columns) < 0 || buffer(spec, "atol", &g->atol) < 0 ||
        buffer(spec, "scale", &g->scale) < 0)
        return -1;
    p->u0 = g->u0.buf;
    p->atol = g->atol.buf;
    p->scale = g->scale.buf;
    c->jacobian_count = p->n * (p->n + p->m);
    if (g->rows.obj) {
        g->pattern = (keel_pattern){.row_start = g->rows.buf, .column = g->columns.buf};
        g->pattern.nnz = c->jacobian_count = g->pattern.row_start[p->n];
        p->f.pattern = &g->pattern;
    }
    if (take_native(spec, c, p) < 0 || take_events(g, spec, c, p) < 0 || take_invariants(g, spec, c, p) < 0)
        return -1;
    c->run->holds_gil =
        !c->native.address || c->jacobian || c->algebraic || c->mass || p->event.count || p->invariant.count;
    return 0;
}

/* The exception of a function, the arithmetic error that no step was short enough for, or keel's sentence. */
static PyObject *raise_refusal(struct callbacks *c, const keel_solver *s) {
    if (PyErr_Occurred()) return NULL;
    if (c->doubt && keel_state_of(s) == KEEL_EUSER) {
        PyErr_SetObject((PyObject *)Py_TYPE(c->doubt), c->doubt);
        return NULL;
    }
    return binding_raise(keel_state_of(s), keel_message(s));
}

static PyObject *integrate(struct callbacks *c, struct run *r, const keel_problem *p, const keel_options *o) {
    keel_solver *s = r->record.source.solver = keel_open(p, o);
    PyObject *result = NULL;
    if (!s) return PyErr_NoMemory();
    r->record.source.columns = p->n + p->m;
    if (keel_state_of(s) < 0 || PyErr_Occurred()) raise_refusal(c, s);
    else if (run_integrate(r) == 0) {
        if (r->status == KEEL_ENOMEM) PyErr_NoMemory();
        else if (r->status == KEEL_EUSER && c->doubt) raise_refusal(c, s);
        else result = run_give(r);
    }
    keel_close(s);
    return result;
}

static void release(struct callbacks *c, struct given *g, struct run *r) {
    Py_buffer *views[] = {&c->view, &g->u0, &g->times, &g->rows, &g->columns, &g->atol, &g->scale};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (views[i]->obj) PyBuffer_Release(views[i]);
    Py_XDECREF(c->u);
    Py_XDECREF(c->doubt);
    record_release(&r->record);
}

/* solve(spec, options): spec has the problem, span, times. */
PyObject *problem_solve(PyObject *self, PyObject *args) {
    PyObject *spec, *options, *result = NULL;
    struct given g = {0};
    struct run r = {.holds_gil = 1};
    struct callbacks c = {.run = &r};
    keel_problem p = {0};
    keel_options o = {.observe = observe};
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &spec, &PyDict_Type, &options)) return NULL;
    if (!item(spec, "t0") || !item(spec, "end") || !item(spec, "u0")) {
        PyErr_SetString(PyExc_TypeError, "t0, end and u0 are needed");
        return NULL;
    }
    p.t0 = PyFloat_AsDouble(item(spec, "t0"));
    r.end = PyFloat_AsDouble(item(spec, "end"));
    r.record.every_step = (int)whole(spec, "steps");
    r.record.nodes = (int)whole(spec, "nodes");
    r.allowed = g.allowed;
    PyObject *times = item(spec, "times");
    if (!PyErr_Occurred() && run_options(options, &o) == 0 && take_functions(&g, spec, &c, &p) == 0 &&
        run_times(times ? times : Py_None, &g.times, &r.record, p.t0, r.end) == 0) {
        r.most = o.max_steps ? o.max_steps : 10000000;
        result = integrate(&c, &r, &p, &o);
    }
    release(&c, &g, &r);
    return result;
}
