/* analysis.c - see analysis.h.  Everything runs without the GIL, and Ctrl-C ends it. */
#include "analysis.h"

#include "run.h"

#include <keel/fit.h>
#include <keel/lyapunov.h>
#include <keel/orbit.h>
#include <keel/steady.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int put(PyObject *into, const char *name, PyObject *value) {
    int status = value ? PyDict_SetItemString(into, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

/* What `next` builds for 0, 1, ... until it gives NULL without an exception. */
static PyObject *list_of(PyObject *(*next)(const void *, int), const void *of) {
    PyObject *list = PyList_New(0), *one = NULL;
    for (int i = 0; list && (one = next(of, i)); i++) {
        if (PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_DECREF(one);
    }
    if (PyErr_Occurred()) Py_CLEAR(list);
    return list;
}

static PyObject *item(PyObject *spec, const char *name) {
    PyObject *value = PyDict_GetItemString(spec, name);
    return value == Py_None ? NULL : value;
}

static int take_text(PyObject *spec, const char *name, const char **to) {
    PyObject *value = item(spec, name);
    return value && !(*to = PyUnicode_AsUTF8AndSize(value, NULL)) ? -1 : 0;
}

static int take_number(PyObject *spec, const char *name, double *to) {
    PyObject *value = item(spec, name);
    if (value) *to = PyFloat_AsDouble(value);
    return PyErr_Occurred() ? -1 : 0;
}

/* Work on another thread; then its status becomes an exception.  0, or -1 with one. */
static int perform(void (*work)(void *), void *data, volatile int *stop) {
    *stop = 0;
    return interrupt_call(work, data, stop, NULL);
}

/* Fits --------------------------------------------------------------------------------------------------- */

static void run_fit(void *fit) {
    keel_fit_run(fit);
}

/* (name, bytes) of a file, or (name, [columns], buffer). */
static keel_status take_table(keel_fit *f, PyObject *table) {
    const char *name, *text, *column[1000];
    Py_ssize_t length;
    PyObject *names, *numbers;
    if (PyTuple_Size(table) == 2)
        return PyArg_ParseTuple(table, "sy#", &name, &text, &length)
                   ? keel_fit_table(f, name, text, (size_t)length)
                   : KEEL_EINVAL;
    if (!PyArg_ParseTuple(table, "sO!O", &name, &PyList_Type, &names, &numbers)) return KEEL_EINVAL;
    Py_ssize_t columns = PyList_Size(names);
    Py_buffer view;
    if (columns < 1 || columns > 1000) {
        PyErr_SetString(binding_option_error, "the data have no columns, or more than 1000");
        return KEEL_EINVAL;
    }
    for (Py_ssize_t i = 0; i < columns; i++)
        if (!(column[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(names, i), NULL))) return KEEL_EINVAL;
    if (PyObject_GetBuffer(numbers, &view, PyBUF_C_CONTIGUOUS) < 0) return KEEL_EINVAL;
    int64_t rows = view.len / (Py_ssize_t)sizeof(double) / columns;
    keel_status status = keel_fit_columns(f, name, (int)columns, column, rows, view.buf);
    PyBuffer_Release(&view);
    return status;
}

static keel_status take_texts(keel_fit *f, PyObject *list, keel_status (*take)(keel_fit *, const char *)) {
    keel_status status = KEEL_OK;
    for (Py_ssize_t i = 0; list && i < PyList_Size(list) && status == KEEL_OK; i++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL);
        status = text ? take(f, text) : KEEL_EINVAL;
    }
    return status;
}

static keel_status take_data(keel_fit *f, PyObject *spec) {
    PyObject *tables = item(spec, "tables");
    keel_status status = keel_fit_status(f);
    for (Py_ssize_t i = 0; tables && i < PyList_Size(tables) && status == KEEL_OK; i++)
        status = take_table(f, PyList_GetItem(tables, i));
    if (status == KEEL_OK) status = take_texts(f, item(spec, "sigma"), keel_fit_sigma);
    if (status == KEEL_OK) status = take_texts(f, item(spec, "bounds"), keel_fit_bound);
    return status;
}

static PyObject *next_fitted(const void *f, int i) {
    keel_fitted v;
    if (!keel_fit_at(f, i, &v)) return NULL;
    return Py_BuildValue("(sdddddi)", v.name, v.start, v.value, v.deviation, v.low, v.high, v.bound);
}

static PyObject *next_measured(const void *f, int i) {
    keel_fit_measured c;
    return keel_fit_column(f, i, &c)
               ? Py_BuildValue("(siddd)", c.name, c.points, c.sigma, c.residual, c.correlation)
               : NULL;
}

static PyObject *next_free(const void *f, int i) {
    const char *text = keel_fit_free(f, i);
    return text ? PyUnicode_FromString(text) : NULL;
}

static PyObject *next_doubt(const void *f, int i) {
    const char *text = keel_fit_doubt(f, i);
    return text ? PyUnicode_FromString(text) : NULL;
}

static PyObject *covariance(const keel_fit *f) {
    struct numbers all = {0};
    keel_fitted v;
    size_t n = 0;
    while (keel_fit_at(f, (int)n, &v)) n++;
    double *out = numbers_add(&all, n * n);
    if (!out) return PyErr_NoMemory();
    for (size_t i = 0; i < n * n; i++) out[i] = keel_fit_covariance(f, (int)(i / n), (int)(i % n));
    return numbers_give(&all, n);
}

/* experiment, column, t, value, sigma, fitted. */
static PyObject *points(const keel_fit *f) {
    struct numbers all = {0};
    keel_fit_point p;
    for (int i = 0; keel_fit_point_at(f, i, &p); i++) {
        double *row = numbers_add(&all, 6);
        if (!row) return numbers_release(&all), PyErr_NoMemory();
        row[0] = p.experiment, row[1] = p.column, row[2] = p.t;
        row[3] = p.value, row[4] = p.sigma, row[5] = p.fitted;
    }
    return numbers_give(&all, 6);
}

static PyObject *give_fit(const keel_fit *f) {
    keel_fit_summary s;
    PyObject *into = keel_fit_summarise(f, &s)
                         ? Py_BuildValue("{si,si,si,si,sO,sd,si,si}", "experiments", s.experiments,
                                         "points_count", s.points, "missing", s.missing, "freedom", s.freedom,
                                         "sigma_given", s.given ? Py_True : Py_False, "chi_square", s.square,
                                         "steps", s.steps, "runs", s.runs)
                         : NULL;
    if (into &&
        (put(into, "values", list_of(next_fitted, f)) || put(into, "covariance", covariance(f)) ||
         put(into, "columns", list_of(next_measured, f)) || put(into, "free", list_of(next_free, f)) ||
         put(into, "doubts", list_of(next_doubt, f)) || put(into, "points", points(f))))
        Py_CLEAR(into);
    return into;
}

PyObject *analysis_fit(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options) {
    keel_fit_options with = {0};
    keel_options o = {.stop = stop};
    PyObject *result = NULL;
    *stop = 0;
    if (run_options(options, &o) < 0 || take_text(spec, "columns", &with.columns) < 0 ||
        take_text(spec, "experiment", &with.experiment) < 0)
        return NULL;
    keel_fit *f = keel_fit_open(m, &o, &with);
    if (!f) return PyErr_NoMemory();
    keel_status status = take_data(f, spec);
    if (!PyErr_Occurred()) {
        if (status == KEEL_OK && perform(run_fit, f, stop) == 0) status = keel_fit_status(f);
        if (!PyErr_Occurred() && status < 0) binding_raise(status, keel_fit_message(f));
        if (!PyErr_Occurred()) result = give_fit(f);
    }
    keel_fit_close(f);
    return result;
}

/* Orbits ------------------------------------------------------------------------------------------------- */

struct task {
    keel_model *model;
    keel_options options;
    keel_orbit_options orbit;
    keel_steady_options steady;
    keel_lyapunov_options lyapunov;
    void *made;
};

static void find_orbit(void *data) {
    struct task *t = data;
    t->made = keel_orbit_find(t->model, &t->options, &t->orbit);
}

static PyObject *next_multiplier(const void *o, int i) {
    keel_multiplier m;
    return keel_orbit_multiplier(o, i, &m)
               ? Py_BuildValue("(dddii)", m.real, m.imaginary, m.size, m.one, m.small)
               : NULL;
}

static PyObject *next_trivial(const void *o, int i) {
    const char *text = keel_orbit_trivial(o, i);
    return text ? PyUnicode_FromString(text) : NULL;
}

static PyObject *next_start(const void *o, int i) {
    const char *name;
    double value;
    return keel_orbit_start(o, i, &name, &value) ? Py_BuildValue("(sd)", name, value) : NULL;
}

/* `count` points of a period, states in a row. */
static PyObject *orbit_points(keel_orbit *o, double count) {
    struct numbers all = {0};
    const char *name;
    double value;
    size_t states = 0, rows = count >= 2 && count < 1e8 ? (size_t)count : 2;
    while (keel_orbit_start(o, (int)states, &name, &value)) states++;
    double *out = numbers_add(&all, rows * states);
    if (!out) return PyErr_NoMemory();
    if (keel_orbit_points(o, (int)rows, out) == KEEL_OK) return numbers_give(&all, states);
    numbers_release(&all);
    return binding_raise(keel_orbit_status(o), keel_orbit_message(o));
}

static PyObject *give_orbit(keel_orbit *o, double count) {
    keel_orbit_summary s;
    if (!keel_orbit_summarise(o, &s)) return binding_raise(keel_orbit_status(o), keel_orbit_message(o));
    PyObject *into = Py_BuildValue("{sd,sd,sd,sd,sd,sd,si,si,si,sO}", "period", s.period, "guess", s.guess,
                                   "defect", s.defect, "closing", s.closing, "error", s.error, "product",
                                   s.product, "steps", s.steps, "family", s.family, "turns", s.turns,
                                   "autonomous", s.autonomous ? Py_True : Py_False);
    if (into &&
        (put(into, "start", list_of(next_start, o)) || put(into, "trivial", list_of(next_trivial, o)) ||
         put(into, "multipliers", list_of(next_multiplier, o)) ||
         put(into, "points", orbit_points(o, count))))
        Py_CLEAR(into);
    return into;
}

PyObject *analysis_orbit(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options) {
    struct task t = {.model = m, .options = {.stop = stop}};
    double count = 1001, segments = 0;
    if (run_options(options, &t.options) < 0 || take_text(spec, "hold", &t.orbit.hold) < 0 ||
        take_number(spec, "period", &t.orbit.period) < 0 || take_number(spec, "points", &count) < 0 ||
        take_number(spec, "segments", &segments) < 0)
        return NULL;
    t.orbit.segments = segments < INT_MAX ? (int)segments : INT_MAX;
    PyObject *result = NULL;
    if (perform(find_orbit, &t, stop) == 0) result = t.made ? give_orbit(t.made, count) : PyErr_NoMemory();
    keel_orbit_close(t.made);
    return result;
}

/* Equilibria --------------------------------------------------------------------------------------------- */

static void find_steady(void *data) {
    struct task *t = data;
    t->made = keel_steady_find(t->model, &t->options, &t->steady);
}

static PyObject *next_state(const void *s, int i) {
    const char *name;
    double value;
    return keel_steady_state(s, i, &name, &value) ? Py_BuildValue("(sd)", name, value) : NULL;
}

static PyObject *next_eigenvalue(const void *s, int i) {
    keel_eigenvalue e;
    return keel_steady_eigenvalue(s, i, &e) ? PyComplex_FromDoubles(e.real, e.imaginary) : NULL;
}

static PyObject *give_steady(const keel_steady *s) {
    static const char *const name[] = {"stable", "unstable", "undecided"};
    keel_steady_summary a;
    if (!keel_steady_summarise(s, &a)) return binding_raise(keel_steady_status(s), keel_steady_message(s));
    PyObject *into = Py_BuildValue("{sd,si,si,ss}", "rate", a.rate, "steps", a.steps, "family", a.family,
                                   "stability", name[a.stability]);
    if (into &&
        (put(into, "state", list_of(next_state, s)) || put(into, "eigenvalues", list_of(next_eigenvalue, s))))
        Py_CLEAR(into);
    return into;
}

PyObject *analysis_steady(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options) {
    struct task t = {.model = m, .options = {.stop = stop}};
    if (run_options(options, &t.options) < 0 || take_text(spec, "hold", &t.steady.hold) < 0) return NULL;
    PyObject *result = NULL;
    if (perform(find_steady, &t, stop) == 0) result = t.made ? give_steady(t.made) : PyErr_NoMemory();
    keel_steady_close(t.made);
    return result;
}

/* Lyapunov exponents ------------------------------------------------------------------------------------- */

static void find_exponents(void *data) {
    struct task *t = data;
    t->made = keel_lyapunov_run(t->model, &t->options, &t->lyapunov);
}

static PyObject *next_exponent(const void *l, int i) {
    keel_exponent e;
    return keel_lyapunov_at(l, i, &e) ? Py_BuildValue("(dd)", e.value, e.error) : NULL;
}

static PyObject *next_left_out(const void *l, int i) {
    const char *text = keel_lyapunov_left_out(l, i);
    return text ? PyUnicode_FromString(text) : NULL;
}

static PyObject *give_exponents(const keel_lyapunov *l) {
    keel_exponent sum = {0};
    if (keel_lyapunov_status(l) != KEEL_OK)
        return binding_raise(keel_lyapunov_status(l), keel_lyapunov_message(l));
    keel_lyapunov_sum(l, &sum);
    PyObject *into = Py_BuildValue("{s(dd)}", "sum", sum.value, sum.error);
    if (into && (put(into, "exponents", list_of(next_exponent, l)) ||
                 put(into, "left_out", list_of(next_left_out, l))))
        Py_CLEAR(into);
    return into;
}

PyObject *analysis_lyapunov(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options) {
    struct task t = {.model = m, .options = {.stop = stop}};
    if (run_options(options, &t.options) < 0 || take_number(spec, "transient", &t.lyapunov.transient) < 0)
        return NULL;
    PyObject *result = NULL;
    if (perform(find_exponents, &t, stop) == 0) result = t.made ? give_exponents(t.made) : PyErr_NoMemory();
    keel_lyapunov_close(t.made);
    return result;
}
