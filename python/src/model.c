/* model.c - _keel.Model: one reading of a model's text, for one thread at a time.  keel.Model lends them. */
#include "analysis.h"
#include "discover.h"
#include "run.h"
#include "starts.h"
#include "sweep.h"

#include <stdlib.h>

struct model {
    PyObject_HEAD keel_model *model;
    volatile int stop;
    int busy; /* a thread uses it */
    struct starts starts;
    PyObject *columns; /* the names of them; NULL: not asked for yet */
};

static int is_free(struct model *m) {
    if (m->busy) PyErr_SetString(PyExc_RuntimeError, "another thread uses this reading of the model");
    return !m->busy;
}

/* What belongs to the values that are set. */
static void forget(struct model *m) {
    starts_forget(&m->starts);
    Py_CLEAR(m->columns);
}

/* Reading ------------------------------------------------------------------------------------------------ */

struct reading {
    const char *name, *text; /* text NULL: that of the file `name` */
    size_t length;
    keel_model_options options;
    keel_model *model;
};

static void read_text(void *data) {
    struct reading *r = data;
    r->model = r->text ? keel_model_read(r->name, r->text, r->length, &r->options)
                       : keel_model_load(r->name, &r->options);
}

/* The texts of a list of strings, borrowed; NULL with an exception.  To be freed. */
static const char **texts_of(PyObject *list, int *count) {
    Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : -1;
    const char **text = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *text);
    if (n < 0) PyErr_SetString(PyExc_TypeError, "a list of texts is needed");
    else if (!text) PyErr_NoMemory();
    for (Py_ssize_t i = 0; text && i < n; i++)
        if (!(text[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL))) {
            free(text);
            return NULL;
        }
    *count = (int)n;
    return text;
}

static int raise_message(const keel_model *m) {
    if (keel_model_status(m) == KEEL_ENOMEM) PyErr_NoMemory();
    else PyErr_SetString(binding_model_error, keel_model_message(m));
    return -1;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *unused) {
    struct reading r = {0};
    PyObject *list;
    Py_ssize_t length;
    int interpret, without_start, sets;
    (void)unused;
    const char *to = NULL, *sensitivity = NULL;
    if (!PyArg_ParseTuple(args, "sz#O!pp|zz", &r.name, &r.text, &length, &PyList_Type, &list, &interpret,
                          &without_start, &to, &sensitivity))
        return NULL;
    const char **set = texts_of(list, &sets);
    struct model *m = set ? (struct model *)PyType_GenericAlloc(type, 0) : NULL;
    if (!m) return free(set), NULL;
    r.length = (size_t)length;
    r.options = (keel_model_options){.set = set,
                                     .sets = sets,
                                     .interpret = interpret,
                                     .kernel_later = 1,
                                     .without_start = without_start,
                                     .to = to,
                                     .sensitivity = sensitivity,
                                     .stop = &m->stop};
    int raised = interrupt_call(read_text, &r, &m->stop, NULL);
    free(set);
    m->model = r.model;
    if (!raised && !m->model) PyErr_NoMemory();
    else if (!raised && keel_model_status(m->model) != KEEL_OK) raise_message(m->model);
    if (PyErr_Occurred()) Py_CLEAR(m);
    return (PyObject *)m;
}

static void release(PyObject *self) {
    PyTypeObject *own = Py_TYPE(self);
    forget((struct model *)self);
    keel_model_close(((struct model *)self)->model);
    PyObject_Free(self);
    Py_DECREF(own);
}

static PyObject *text(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyUnicode_FromString(keel_model_text(((struct model *)self)->model));
}

static PyObject *set(PyObject *self, PyObject *list) {
    struct model *m = (struct model *)self;
    int count;
    if (!is_free(m)) return NULL;
    const char **text = texts_of(list, &count);
    if (!text) return NULL;
    forget(m);
    keel_status status = keel_model_set_all(m->model, text, count);
    free(text);
    if (status == KEEL_ENOMEM) return PyErr_NoMemory();
    if (status == KEEL_OK) Py_RETURN_NONE;
    PyErr_SetString(binding_model_error, keel_model_message(m->model));
    return NULL;
}

/* Running ------------------------------------------------------------------------------------------------ */

static void observe(keel_solver *solver, void *sim) {
    (void)solver;
    run_observe(keel_sim_attached(sim));
}

/* Values of parameters and starts in place of those that are set: run(..., names, numbers). */
struct values {
    keel_variation *variation; /* NULL: none */
    double *number;
};

/* 1; 0: the model must be read with them; -1 with an exception.  number is to be freed. */
static int take_values(struct model *m, PyObject *names, PyObject *numbers, struct values *v) {
    Py_ssize_t count = PyTuple_Size(names);
    if (count == 0) return 1;
    if (PyTuple_Size(numbers) != count) {
        PyErr_SetString(PyExc_TypeError, "each name needs a number");
        return -1;
    }
    v->variation = starts_variation(&m->starts, m->model, names);
    if (!v->variation) return PyErr_Occurred() ? -1 : 0;
    v->number = malloc((size_t)count * sizeof *v->number);
    if (!v->number) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < count; i++) v->number[i] = PyFloat_AsDouble(PyTuple_GetItem(numbers, i));
    return PyErr_Occurred() ? -1 : 1;
}

static int span_of(const struct model *m, const struct values *v, double *begin, double *end) {
    if (v->variation) return keel_vary_span(v->variation, v->number, begin, end);
    keel_model_span(m->model, begin, end);
    return 1;
}

struct opening {
    struct model *m;
    const keel_options *options;
    const struct values *values;
    keel_sim *sim;
};

static void open_sim(void *data) {
    struct opening *o = data;
    struct starts *s = &o->m->starts;
    o->sim = o->values->variation
                 ? starts_vary(s, o->m->model, o->options, o->values->variation, o->values->number)
                 : starts_open(s, o->m->model, o->options);
}

enum { LARGE = 40 }; /* states: what is smaller opens in no time */

/* 1; 0: these values are to be read, which tells what is wrong with them; -1 with an exception. */
static int open_run(struct model *m, const keel_options *o, const struct values *v, struct run *r) {
    struct opening opening = {m, o, v, NULL};
    keel_mode mode = {0};
    int raised = 0;
    keel_model_mode(m->model, keel_model_start(m->model), &mode);
    m->stop = 0;
    if (mode.problem && mode.problem->n > LARGE) raised = interrupt_call(open_sim, &opening, &m->stop, NULL);
    else open_sim(&opening);
    keel_sim *sim = r->record.source.sim = opening.sim;
    if (raised) return -1;
    keel_status status = sim ? keel_sim_status(sim) : KEEL_ENOMEM;
    if (status < 0 && status != KEEL_ENOMEM && v->variation) return 0;
    if (status < 0) return binding_raise(status, keel_sim_message(sim)), -1;
    keel_sim_attach(sim, r);
    r->record.source.columns = keel_sim_columns(sim);
    return 1;
}

/* A new reference; those of the model are made once. */
static PyObject *column_names(struct model *m, const keel_sim *s) {
    int count = keel_sim_columns(s);
    if (m->columns && PyTuple_Size(m->columns) == count) return Py_NewRef(m->columns);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; i++) {
        PyObject *name = PyUnicode_FromString(keel_sim_column(s, i));
        if (!name || PyTuple_SetItem(names, i, name) < 0) Py_CLEAR(names);
    }
    Py_XDECREF(m->columns);
    m->columns = Py_XNewRef(names);
    return names;
}

static PyObject *finish(struct model *m, struct run *r) {
    if (run_integrate(r) < 0) return NULL;
    if (r->status == KEEL_ENOMEM) return PyErr_NoMemory();
    PyObject *into = run_give(r), *names = into ? column_names(m, r->record.source.sim) : NULL;
    if (!names || PyDict_SetItemString(into, "columns", names) < 0) Py_CLEAR(into);
    Py_XDECREF(names);
    return into;
}

/* One run; NULL without an exception: the values must be read. */
static PyObject *run_with(struct model *m, PyObject *span, PyObject *times, const keel_options *o,
                          const struct values *v, struct run *r) {
    Py_buffer view = {0};
    PyObject *result = NULL;
    double begin;
    if (span == Py_None ? !span_of(m, v, &begin, &r->end) : !PyArg_ParseTuple(span, "dd", &begin, &r->end))
        return NULL;
    if (run_times(times, &view, &r->record, begin, r->end) == 0 && open_run(m, o, v, r) > 0)
        result = finish(m, r);
    if (view.obj) PyBuffer_Release(&view);
    return result;
}

/* run(options, (begin, end) or None, times or None, every step, nodes, seconds, names, numbers); None: it
 * must be read with these values. */
static PyObject *run(PyObject *self, PyObject *args) {
    struct model *m = (struct model *)self;
    struct run r = {0};
    struct values v = {0};
    PyObject *options, *ends, *times, *names, *numbers, *result = NULL;
    if (!PyArg_ParseTuple(args, "O!OOpidO!O!", &PyDict_Type, &options, &ends, &times, &r.record.every_step,
                          &r.record.nodes, &r.budget, &PyTuple_Type, &names, &PyTuple_Type, &numbers) ||
        !is_free(m))
        return NULL;
    keel_options o = {.observe = observe, .stop = &m->stop, .pause_steps = 1 << 12};
    if (run_options(options, &o) < 0) return NULL;
    r.most = o.max_steps ? o.max_steps : o.step > 0 && !o.reversible ? 0 : 10000000;
    m->busy = 1;
    if (take_values(m, names, numbers, &v) > 0) result = run_with(m, ends, times, &o, &v, &r);
    m->busy = 0;
    free(v.number);
    record_release(&r.record);
    keel_sim_close(r.record.source.sim);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}

/* sweep(spec, options, tick): see sweep.h. */
static PyObject *sweep(PyObject *self, PyObject *args) {
    struct model *m = (struct model *)self;
    PyObject *spec, *options, *tick;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyDict_Type, &spec, &PyDict_Type, &options, &tick) || !is_free(m))
        return NULL;
    m->busy = 1;
    PyObject *result = sweep_run(m->model, &m->stop, spec, options, tick);
    m->busy = 0;
    return result;
}

/* fit(spec, options) and so on: see analysis.h. */
static PyObject *analyse(PyObject *self, PyObject *args,
                         PyObject *(*work)(keel_model *, volatile int *, PyObject *, PyObject *)) {
    struct model *m = (struct model *)self;
    PyObject *spec, *options;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &spec, &PyDict_Type, &options) || !is_free(m))
        return NULL;
    m->busy = 1;
    PyObject *result = work(m->model, &m->stop, spec, options);
    m->busy = 0;
    return result;
}

static PyObject *fit(PyObject *self, PyObject *args) {
    return analyse(self, args, analysis_fit);
}

static PyObject *orbit(PyObject *self, PyObject *args) {
    return analyse(self, args, analysis_orbit);
}

static PyObject *steady(PyObject *self, PyObject *args) {
    return analyse(self, args, analysis_steady);
}

static PyObject *lyapunov(PyObject *self, PyObject *args) {
    return analyse(self, args, analysis_lyapunov);
}

/* discover(degree, limit, functions, seed): see discover.h. */
static PyObject *discover(PyObject *self, PyObject *args) {
    struct model *m = (struct model *)self;
    if (!is_free(m)) return NULL;
    m->busy = 1;
    PyObject *result = discover_run(m->model, &m->stop, args);
    m->busy = 0;
    return result;
}

/* What is known ------------------------------------------------------------------------------------------ */

static PyObject *number(PyObject *self, PyObject *text) {
    struct model *m = (struct model *)self;
    const char *words = PyUnicode_AsUTF8AndSize(text, NULL);
    double value;
    if (!words || !is_free(m)) return NULL;
    if (keel_model_number(m->model, words, &value)) return PyFloat_FromDouble(value);
    PyErr_SetString(binding_option_error, keel_model_refusal(m->model));
    return NULL;
}

/* span(names, numbers): from when to when it runs; None: it must be read with these values. */
static PyObject *span(PyObject *self, PyObject *args) {
    struct model *m = (struct model *)self;
    struct values v = {0};
    PyObject *names, *numbers;
    double begin, end;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &names, &PyTuple_Type, &numbers) || !is_free(m))
        return NULL;
    int good = take_values(m, names, numbers, &v);
    if (good > 0) good = span_of(m, &v, &begin, &end);
    free(v.number);
    if (good < 0) return NULL;
    return good ? Py_BuildValue("(dd)", begin, end) : Py_NewRef(Py_None);
}

/* moves(names, text): does an expression depend on them? */
static PyObject *moves(PyObject *self, PyObject *args) {
    struct model *m = (struct model *)self;
    PyObject *names;
    const char *text;
    if (!PyArg_ParseTuple(args, "O!s", &PyTuple_Type, &names, &text) || !is_free(m)) return NULL;
    keel_variation *v = starts_variation(&m->starts, m->model, names);
    if (PyErr_Occurred()) return NULL;
    return PyBool_FromLong(!v || keel_vary_moves(v, text));
}

/* Items of a list until `next` gives NULL without an exception. */
static PyObject *list_of(PyObject *(*next)(const keel_model *, int), const keel_model *m) {
    PyObject *list = PyList_New(0), *one = NULL;
    for (int i = 0; list && (one = next(m, i)); i++) {
        if (PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_DECREF(one);
    }
    if (PyErr_Occurred()) Py_CLEAR(list);
    return list;
}

static PyObject *next_parameter(const keel_model *m, int i) {
    const char *name;
    double value;
    return keel_model_parameter(m, i, &name, &value) ? Py_BuildValue("(sd)", name, value) : NULL;
}

static PyObject *next_option(const keel_model *m, int i) {
    const char *name, *value;
    return keel_model_option(m, i, &name, &value) ? Py_BuildValue("(ss)", name, value) : NULL;
}

static PyObject *next_free(const keel_model *m, int i) {
    const char *name = keel_model_free_value(m, i);
    return name ? PyUnicode_FromString(name) : NULL;
}

static PyObject *next_mode(const keel_model *m, int i) {
    keel_mode mode;
    keel_hidden h;
    if (!keel_model_mode(m, i, &mode)) return NULL;
    PyObject *hidden = PyList_New(0);
    for (int k = 0; hidden && keel_model_hidden(m, i, k, &h); k++) {
        PyObject *one = Py_BuildValue("(sssi)", h.name, h.of, h.text, h.order);
        if (!one || PyList_Append(hidden, one) < 0) Py_CLEAR(hidden);
        Py_XDECREF(one);
    }
    if (!hidden) return NULL;
    return Py_BuildValue("(ziiiiiiN)", mode.name, mode.index, mode.freedom, mode.dof, mode.equations,
                         mode.unknowns, mode.redundant, hidden);
}

/* Columns with the place their start values come from: 0 equations, 1 guess, 2 init, 3 free. */
static PyObject *columns(const keel_model *m) {
    keel_sim *s = keel_sim_open(m, NULL);
    int count = s && keel_sim_solver(s) ? keel_sim_columns(s) : 0;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *one =
            Py_BuildValue("(sii)", keel_sim_column(s, i), keel_sim_column_kind(s, i), keel_sim_origin(s, i));
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    keel_sim_close(s);
    return list;
}

static PyObject *known(PyObject *self, PyObject *unused) {
    const keel_model *m = ((struct model *)self)->model;
    const char *why = "";
    (void)unused;
    int compiled = keel_model_compiled(m, &why);
    return Py_BuildValue("{ss,sN,sN,sN,sN,sN,sN,si,ss,ss,sz}", "name", keel_model_name(m), "parameters",
                         list_of(next_parameter, m), "options", list_of(next_option, m), "free",
                         list_of(next_free, m), "modes", list_of(next_mode, m), "columns", columns(m),
                         "compiled", PyBool_FromLong(compiled), "start", keel_model_start(m), "why_not",
                         compiled || !why ? "" : why, "message", keel_model_message(m), "source",
                         keel_model_source(m));
}

PyObject *model_type(void) {
    static PyMethodDef methods[] = {{"text", text, METH_NOARGS, "The whole text, with what it imports."},
                                    {"set", set, METH_O, "These values in place of all that were set."},
                                    {"run", run, METH_VARARGS, "One run, as a dictionary."},
                                    {"sweep", sweep, METH_VARARGS, "Many runs, as a dictionary of arrays."},
                                    {"fit", fit, METH_VARARGS, "Parameters from data, as a dictionary."},
                                    {"orbit", orbit, METH_VARARGS, "A periodic orbit, as a dictionary."},
                                    {"steady", steady, METH_VARARGS, "An equilibrium, as a dictionary."},
                                    {"lyapunov", lyapunov, METH_VARARGS, "Exponents, as a dictionary."},
                                    {"discover", discover, METH_VARARGS, "Invariants nobody stated."},
                                    {"number", number, METH_O, "An expression of parameters."},
                                    {"span", span, METH_VARARGS, "From when to when it runs."},
                                    {"moves", moves, METH_VARARGS, "Does an expression depend on names?"},
                                    {"known", known, METH_NOARGS, "What the analysis found."},
                                    {NULL, NULL, 0, NULL}};
    static PyType_Slot slots[] = {{Py_tp_new, make},
                                  {Py_tp_dealloc, release},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "Model(name, text, set, interpret, without_start[, to])"},
                                  {0, NULL}};
    static PyType_Spec spec = {"keel._keel.Model", sizeof(struct model), 0, Py_TPFLAGS_DEFAULT, slots};
    return PyType_FromSpec(&spec);
}
