/* model.c - _keel.Model: one reading of a model's text, for one thread at a time.  keel.Model lends them. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

struct model {
    PyObject_HEAD keel_model *model;
    volatile int stop;
    int busy; /* a thread uses it */
    struct {  /* the state in which runs with these options begin: verified once */
        void *bytes;
        size_t count;
        keel_options options;
        char texts[200];
    } start;
};

static int is_free(struct model *m) {
    if (m->busy) PyErr_SetString(PyExc_RuntimeError, "another thread uses this reading of the model");
    return !m->busy;
}

static void forget_start(struct model *m) {
    free(m->start.bytes);
    m->start.bytes = NULL;
}

/* Reading ------------------------------------------------------------------------------------------------ */

struct reading {
    const char *name, *text;
    size_t length;
    keel_model_options options;
    keel_model *model;
};

static void read_text(void *data) {
    struct reading *r = data;
    r->model = keel_model_read(r->name, r->text, r->length, &r->options);
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
    if (!PyArg_ParseTuple(args, "ss#O!pp", &r.name, &r.text, &length, &PyList_Type, &list, &interpret,
                          &without_start))
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
                                     .stop = &m->stop};
    int raised = interrupt_call(read_text, &r, &m->stop);
    free(set);
    m->model = r.model;
    if (!raised && !m->model) PyErr_NoMemory();
    else if (!raised && keel_model_status(m->model) != KEEL_OK) raise_message(m->model);
    if (PyErr_Occurred()) Py_CLEAR(m);
    return (PyObject *)m;
}

static void release(PyObject *self) {
    PyTypeObject *own = Py_TYPE(self);
    keel_model_close(((struct model *)self)->model);
    forget_start((struct model *)self);
    PyObject_Free(self);
    Py_DECREF(own);
}

static PyObject *set(PyObject *self, PyObject *list) {
    struct model *m = (struct model *)self;
    int count;
    if (!is_free(m)) return NULL;
    const char **text = texts_of(list, &count);
    if (!text) return NULL;
    keel_status status = keel_model_set_all(m->model, text, count);
    forget_start(m);
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

struct opening {
    const keel_model *model;
    const keel_options *options;
    keel_sim *sim;
};

static void open_sim(void *data) {
    struct opening *o = data;
    o->sim = keel_sim_open(o->model, o->options);
}

/* Starts that are kept.  What decides a start are the options; their texts are compared as texts. */
static keel_options key_of(const keel_options *o, char *texts, size_t room) {
    keel_options key = *o;
    PyOS_snprintf(texts, room, "%s|%s|%s", o->method ? o->method : "", o->keep ? o->keep : "",
                  o->sets ? o->sets : "");
    key.method = key.keep = key.sets = NULL;
    return key;
}

static keel_sim *begin_again(struct model *m, const keel_options *o) {
    char texts[sizeof m->start.texts];
    keel_options key = key_of(o, texts, sizeof texts);
    if (!m->start.bytes || memcmp(&key, &m->start.options, sizeof key) != 0 ||
        strlen(texts) == sizeof texts - 1 || strcmp(texts, m->start.texts) != 0)
        return NULL;
    keel_sim *s = keel_sim_load(m->model, o, m->start.bytes, m->start.count);
    if (s && keel_sim_solver(s) && keel_state_of(keel_sim_solver(s)) >= 0) return s;
    keel_sim_close(s);
    return NULL;
}

/* Without memory nothing is kept. */
static void keep_start(struct model *m, const keel_options *o, const keel_sim *s) {
    enum { MOST = 1 << 20 };
    forget_start(m);
    m->start.count = keel_sim_save(s, NULL, 0);
    m->start.bytes = m->start.count < MOST ? malloc(m->start.count) : NULL;
    if (!m->start.bytes) return;
    keel_sim_save(s, m->start.bytes, m->start.count);
    m->start.options = key_of(o, m->start.texts, sizeof m->start.texts);
}

enum { LARGE = 40 }; /* states: what is smaller opens in no time */

static int open_run(struct model *m, const keel_options *o, struct run *r) {
    struct opening opening = {m->model, o, NULL};
    keel_mode mode = {0};
    int known = 0;
    keel_model_mode(m->model, keel_model_start(m->model), &mode);
    m->stop = 0;
    if ((opening.sim = begin_again(m, o))) {
        known = 1;
    } else if (mode.problem && mode.problem->n > LARGE) {
        if (interrupt_call(open_sim, &opening, &m->stop)) return keel_sim_close(opening.sim), -1;
    } else open_sim(&opening);
    keel_sim *sim = r->record.source.sim = opening.sim;
    if (!sim) return PyErr_NoMemory(), -1;
    keel_solver *s = keel_sim_solver(sim);
    if (!s || keel_state_of(s) < 0) {
        binding_raise(s ? keel_state_of(s) : KEEL_EINVAL, keel_sim_message(sim));
        return -1;
    }
    if (!known) keep_start(m, o, sim);
    keel_sim_attach(sim, r);
    r->record.source.columns = keel_sim_columns(sim);
    return 0;
}

static PyObject *column_names(const keel_sim *s) {
    int count = keel_sim_columns(s);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; i++) {
        PyObject *name = PyUnicode_FromString(keel_sim_column(s, i));
        if (!name || PyTuple_SetItem(names, i, name) < 0) Py_CLEAR(names);
    }
    return names;
}

static PyObject *finish(struct model *m, struct run *r) {
    if (run_integrate(r) < 0) return NULL;
    if (r->status == KEEL_ENOMEM) return PyErr_NoMemory();
    PyObject *into = run_give(r), *names = into ? column_names(r->record.source.sim) : NULL;
    keel_mode mode = {0};
    keel_model_mode(m->model, keel_sim_mode(r->record.source.sim), &mode);
    PyObject *place = Py_BuildValue("(iiis)", mode.index, mode.freedom, mode.dof, mode.name ? mode.name : "");
    if (!names || !place || PyDict_SetItemString(into, "columns", names) < 0 ||
        PyDict_SetItemString(into, "mode", place) < 0)
        Py_CLEAR(into);
    Py_XDECREF(names);
    Py_XDECREF(place);
    return into;
}

/* run(options, end or None, times or None, every step, nodes, seconds) */
static PyObject *run(PyObject *self, PyObject *args) {
    struct model *m = (struct model *)self;
    struct run r = {0};
    PyObject *options, *end, *times, *result = NULL;
    Py_buffer view;
    double begin;
    if (!PyArg_ParseTuple(args, "O!OOpid", &PyDict_Type, &options, &end, &times, &r.record.every_step,
                          &r.record.nodes, &r.budget) ||
        !is_free(m))
        return NULL;
    keel_options o = {.observe = observe, .stop = &m->stop, .pause_steps = 1 << 12};
    keel_model_span(m->model, &begin, &r.end);
    if (end != Py_None) r.end = PyFloat_AsDouble(end);
    if (PyErr_Occurred() || run_options(options, &o) < 0) return NULL;
    r.most = o.max_steps ? o.max_steps : o.step > 0 && !o.reversible ? 0 : 10000000;
    m->busy = 1;
    if (run_times(times, &view, &r.record, begin, r.end) == 0 && open_run(m, &o, &r) == 0)
        result = finish(m, &r);
    m->busy = 0;
    if (view.obj) PyBuffer_Release(&view);
    record_release(&r.record);
    keel_sim_close(r.record.source.sim);
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

static PyObject *span(PyObject *self, PyObject *unused) {
    double begin, end;
    (void)unused;
    keel_model_span(((struct model *)self)->model, &begin, &end);
    return Py_BuildValue("(dd)", begin, end);
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
    static PyMethodDef methods[] = {{"set", set, METH_O, "These values in place of all that were set."},
                                    {"run", run, METH_VARARGS, "One run, as a dictionary."},
                                    {"number", number, METH_O, "An expression of parameters."},
                                    {"span", span, METH_NOARGS, "From when to when it runs."},
                                    {"known", known, METH_NOARGS, "What the analysis found."},
                                    {NULL, NULL, 0, NULL}};
    static PyType_Slot slots[] = {{Py_tp_new, make},
                                  {Py_tp_dealloc, release},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "Model(name, text, set, interpret, without_start)"},
                                  {0, NULL}};
    static PyType_Spec spec = {"keel._keel.Model", sizeof(struct model), 0, Py_TPFLAGS_DEFAULT, slots};
    return PyType_FromSpec(&spec);
}
