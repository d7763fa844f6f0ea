/* sweep.c - see sweep.h.  The members run without the GIL; blocks come in their order, and are copied. */
#include "sweep.h"

#include "run.h"

#include <keel/ensemble.h>

#include <stdlib.h>
#include <string.h>

enum { EACH = 7, EXTREMA = 3 };

struct sweep {
    keel_model *model;
    PyObject *spec; /* lends the texts */
    keel_plan *plan;
    keel_plan_options draws;
    keel_ensemble_options options;
    keel_ensemble *ensemble;
    keel_summary *summary; /* NULL: not asked for */
    Py_buffer times;
    int keeps;                                         /* the values of all members */
    struct numbers each[EACH];                         /* of each member, see each_name */
    struct numbers value, extremum[EXTREMA];           /* of each member, time and column */
    struct numbers event_member, event_t, event_value; /* of each event */
    struct numbers sentence;                           /* member, place in text; and so on */
    char *text;                                        /* of all sentences */
    size_t text_length;
    volatile int64_t done, all;
    PyObject *tick;
    keel_status status;
};

static const char *const each_name[EACH] = {"status", "steps",      "t_end", "drift",
                                            "row",    "correction", "defect"};
static const char *const extremum_name[EXTREMA] = {"smallest", "largest", "mean"};

/* Blocks, without the GIL -------------------------------------------------------------------------------- */

static int copy(struct numbers *to, const double *from, size_t count) {
    double *out = numbers_add(to, count);
    if (out && count) memcpy(out, from, count * sizeof *out);
    return out || count == 0 ? 0 : -1;
}

static int copy_each(struct sweep *s, const keel_block *b) {
    size_t count = (size_t)b->count;
    double *status = numbers_add(&s->each[0], count), *steps = numbers_add(&s->each[1], count),
           *row = numbers_add(&s->each[4], count);
    if (!status || !steps || !row) return -1;
    for (size_t i = 0; i < count; i++) {
        status[i] = b->status[i];
        steps[i] = (double)b->steps[i];
        row[i] = b->row[i];
    }
    return copy(&s->each[2], b->t, count) || copy(&s->each[3], b->drift, count) ||
           copy(&s->each[5], b->correction, count) || copy(&s->each[6], b->defect, count);
}

static int copy_values(struct sweep *s, const keel_block *b) {
    size_t count = (size_t)b->count, columns = (size_t)b->columns, times = (size_t)b->times;
    const double *extremum[EXTREMA] = {b->low, b->high, b->mean};
    if (copy(&s->value, b->value, count * times * columns)) return -1;
    for (int k = 0; k < EXTREMA && b->low; k++)
        if (copy(&s->extremum[k], extremum[k], count * columns)) return -1;
    return 0;
}

static int copy_events(struct sweep *s, const keel_block *b) {
    size_t events = b->event_first ? (size_t)b->event_first[b->count] : 0;
    if (events == 0) return 0;
    double *member = numbers_add(&s->event_member, events);
    if (!member) return -1;
    for (int i = 0; i < b->count; i++)
        for (int64_t k = b->event_first[i]; k < b->event_first[i + 1]; k++)
            member[k] = (double)(b->first + i);
    return copy(&s->event_t, b->event_t, events) ||
           copy(&s->event_value, b->event_value, events * (size_t)b->columns);
}

static int copy_sentences(struct sweep *s, const keel_block *b) {
    size_t length = (size_t)b->text_length;
    char *wider = realloc(s->text, s->text_length + length + 1);
    if (!wider) return -1;
    s->text = wider;
    if (length) memcpy(s->text + s->text_length, b->text, length);
    for (int i = 0; i < b->count; i++) {
        if (b->sentence[i] < 0) continue;
        double *pair = numbers_add(&s->sentence, 2);
        if (!pair) return -1;
        pair[0] = (double)(b->first + i);
        pair[1] = (double)s->text_length + (double)b->sentence[i];
    }
    s->text_length += length;
    return 0;
}

static int take_block(void *user, const keel_block *b) {
    struct sweep *s = user;
    size_t numbers = (size_t)b->times * (size_t)b->columns;
    int bad = copy_each(s, b) || copy_sentences(s, b) || copy_events(s, b) || (s->keeps && copy_values(s, b));
    for (int i = 0; i < b->count && s->summary && !bad; i++)
        bad = keel_summary_add(s->summary, b->value + (size_t)i * numbers) != KEEL_OK;
    if (bad) s->status = KEEL_ENOMEM;
    s->done = b->first + b->count;
    return bad;
}

static void open_ensemble(void *user) {
    struct sweep *s = user;
    s->ensemble = keel_ensemble_open(s->model, s->plan, &s->options);
    s->status = s->ensemble ? keel_ensemble_status(s->ensemble) : KEEL_ENOMEM;
}

static void integrate(void *user) {
    struct sweep *s = user;
    keel_status status = keel_ensemble_run(s->ensemble, 0, keel_ensemble_blocks(s->ensemble), take_block, s);
    if (s->status == KEEL_OK) s->status = status;
}

/* What is asked for -------------------------------------------------------------------------------------- */

static PyObject *item(PyObject *spec, const char *name) {
    PyObject *value = PyDict_GetItemString(spec, name);
    return value == Py_None ? NULL : value;
}

/* Of a list of texts; NULL past the last, or with an exception. */
static const char *text_at(PyObject *list, Py_ssize_t i) {
    return list && i < PyList_Size(list) ? PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL) : NULL;
}

static int refuse(keel_status status, const char *sentence) {
    binding_raise(status, sentence);
    return -1;
}

static int make_plan(struct sweep *s) {
    PyObject *over = item(s->spec, "over"), *draw = item(s->spec, "draw"), *table = item(s->spec, "table");
    const char *text, *name;
    Py_ssize_t length;
    keel_status status = KEEL_OK;
    if (!(s->plan = keel_plan_open(s->model))) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; status == KEEL_OK && (text = text_at(over, i)); i++)
        status = keel_plan_over(s->plan, text);
    if (table && !PyArg_ParseTuple(table, "ss#", &name, &text, &length)) return -1;
    if (table && status == KEEL_OK) status = keel_plan_table(s->plan, name, text, (size_t)length);
    for (Py_ssize_t i = 0; status == KEEL_OK && (text = text_at(draw, i)); i++)
        status = keel_plan_draw(s->plan, text);
    if (PyErr_Occurred()) return -1;
    if (status == KEEL_OK) status = keel_plan_settle(s->plan, &s->draws);
    s->all = keel_plan_members(s->plan);
    return status == KEEL_OK ? 0 : refuse(status, keel_plan_message(s->plan));
}

static int take_text(PyObject *spec, const char *name, const char **to) {
    PyObject *value = item(spec, name);
    if (value && !(*to = PyUnicode_AsUTF8AndSize(value, NULL))) return -1;
    return 0;
}

static int take_options(struct sweep *s, PyObject *options, volatile int *stop) {
    PyObject *times = item(s->spec, "times");
    int sampling;
    unsigned long long seed;
    long long count;
    if (!PyArg_ParseTuple(PyDict_GetItemString(s->spec, "numbers"), "LKpiipp", &count, &seed, &s->draws.zip,
                          &sampling, &s->options.workers, &s->options.extrema, &s->keeps))
        return -1;
    s->draws.count = count;
    s->draws.seed = seed;
    s->draws.how = (keel_sampling)sampling;
    s->options.run = (keel_options){.stop = stop, .defect_every = 128};
    if (run_options(options, &s->options.run) < 0 || take_text(s->spec, "columns", &s->options.columns) < 0 ||
        take_text(s->spec, "event", &s->options.event) < 0)
        return -1;
    s->draws.single = s->options.event != NULL; /* a section of the model's own run */
    if (times && PyObject_GetBuffer(times, &s->times, PyBUF_C_CONTIGUOUS) < 0) return -1;
    s->options.times = s->times.buf;
    s->options.count = (int)(s->times.len / (Py_ssize_t)sizeof(double));
    return 0;
}

/* Numbers that are the same for all members must not depend on what varies. */
static int check_fixed(struct sweep *s) {
    keel_variation *v = keel_ensemble_variation(s->ensemble);
    PyObject *list = item(s->spec, "fixed");
    const char *name, *text;
    for (Py_ssize_t i = 0; list && i < PyList_Size(list); i++) {
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &name, &text)) return -1;
        if (!keel_vary_moves(v, text)) continue;
        PyErr_Format(binding_option_error,
                     "the model's option %s = %s depends on what varies, and is to be the same for all "
                     "members: give a number",
                     name, text);
        return -1;
    }
    if (!s->options.count || !keel_vary_span_moves(v)) return 0;
    return refuse(KEEL_EINVAL, "the ends of the run depend on what varies, so there are no common output "
                               "times: give `to` a number");
}

static int open_summary(struct sweep *s) {
    PyObject *wanted = item(s->spec, "summary");
    double numbers = (double)keel_ensemble_times(s->ensemble) * keel_ensemble_columns(s->ensemble);
    if (!wanted) return 0;
    if (numbers > 1e7) return refuse(KEEL_EINVAL, "summary: there are more than 10^7 numbers a member");
    s->summary = keel_summary_open((int)numbers, item(s->spec, "quantiles") != NULL);
    return s->summary ? 0 : (PyErr_NoMemory(), -1);
}

/* What comes out ----------------------------------------------------------------------------------------- */

static int put(PyObject *into, const char *name, PyObject *value) {
    int status = value ? PyDict_SetItemString(into, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

static PyObject *texts_of(const struct sweep *s, const char *(*name)(const struct sweep *, int)) {
    PyObject *list = PyList_New(0);
    const char *one;
    for (int i = 0; list && (one = name(s, i)); i++) {
        PyObject *text = PyUnicode_FromString(one);
        if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static const char *name_of(const struct sweep *s, int i) {
    return keel_plan_name(s->plan, i);
}

static const char *column_of(const struct sweep *s, int i) {
    return keel_ensemble_column(s->ensemble, i);
}

static const char *row_of(const struct sweep *s, int i) {
    return keel_ensemble_row(s->ensemble, i);
}

/* [(length, name or None)] of the product, [(axis or -1, is it a start value?)] of the names. */
static PyObject *axes(const struct sweep *s) {
    PyObject *list = PyList_New(0);
    const char *name;
    int64_t length;
    for (int i = 0; list && (length = keel_plan_axis(s->plan, i, &name)); i++) {
        PyObject *one = Py_BuildValue("(Lz)", (long long)length, name);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *places(const struct sweep *s) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < keel_plan_names(s->plan); i++) {
        PyObject *one = Py_BuildValue("(ii)", keel_plan_axis_of(s->plan, i),
                                      keel_vary_start(keel_ensemble_variation(s->ensemble), i));
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* The values of all members. */
static PyObject *values(const struct sweep *s) {
    struct numbers all = {0};
    size_t names = (size_t)keel_plan_names(s->plan);
    double *out = names ? numbers_add(&all, (size_t)s->done * names) : NULL;
    if (!out && names) return PyErr_NoMemory();
    for (int64_t k = 0; k < s->done; k++) keel_plan_values(s->plan, k, out + (size_t)k * names);
    return numbers_give(&all, names);
}

static PyObject *sentences(const struct sweep *s) {
    PyObject *into = PyDict_New();
    for (size_t i = 0; into && i + 1 < s->sentence.count; i += 2) {
        PyObject *member = PyLong_FromDouble(s->sentence.data[i]);
        PyObject *text = PyUnicode_FromString(s->text + (size_t)s->sentence.data[i + 1]);
        if (!member || !text || PyDict_SetItem(into, member, text) < 0) Py_CLEAR(into);
        Py_XDECREF(member);
        Py_XDECREF(text);
    }
    return into;
}

/* summary: [0 count, 1 mean, 2 deviation, 3 smallest, 4 largest, or a part of a quantile as a float]. */
static PyObject *statistic(const struct sweep *s, PyObject *wanted) {
    struct numbers all = {0};
    size_t count = (size_t)keel_ensemble_times(s->ensemble) * (size_t)keel_ensemble_columns(s->ensemble);
    double *out = numbers_add(&all, count), part = PyFloat_Check(wanted) ? PyFloat_AsDouble(wanted) : 0;
    long kind = PyFloat_Check(wanted) ? -1 : PyLong_AsLong(wanted);
    if (!out) return PyErr_NoMemory();
    for (size_t q = 0; q < count; q++) {
        keel_moments m = {0};
        keel_summary_moments(s->summary, (int)q, &m);
        const double value[] = {(double)m.count, m.mean, m.deviation, m.smallest, m.largest};
        out[q] = kind < 0 || kind > 4 ? keel_summary_quantile(s->summary, (int)q, part) : value[kind];
    }
    return numbers_give(&all, (size_t)keel_ensemble_columns(s->ensemble));
}

static PyObject *summaries(const struct sweep *s) {
    PyObject *list = PyList_New(0), *wanted = item(s->spec, "summary");
    for (Py_ssize_t i = 0; list && s->summary && i < PyList_Size(wanted); i++) {
        PyObject *one = statistic(s, PyList_GetItem(wanted, i));
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *give(struct sweep *s) {
    size_t columns = (size_t)keel_ensemble_columns(s->ensemble);
    keel_solver *base = keel_sim_solver(keel_ensemble_base(s->ensemble));
    const keel_method *stabilizer = keel_stabilizer_of(base);
    PyObject *into = PyDict_New();
    int bad = !into || put(into, "members", PyLong_FromLongLong(s->done)) ||
              put(into, "names", texts_of(s, name_of)) || put(into, "columns", texts_of(s, column_of)) ||
              put(into, "rows", texts_of(s, row_of)) || put(into, "axes", axes(s)) ||
              put(into, "places", places(s)) || put(into, "values", values(s)) ||
              put(into, "sentences", sentences(s)) || put(into, "summary", summaries(s)) ||
              put(into, "stabilizer", PyUnicode_FromString(stabilizer ? stabilizer->name : ""));
    for (int k = 0; k < EACH && !bad; k++) bad = put(into, each_name[k], numbers_give(&s->each[k], 0));
    if (!bad && s->keeps) bad = put(into, "value", numbers_give(&s->value, columns));
    for (int k = 0; k < EXTREMA && !bad && s->keeps && s->options.extrema; k++)
        bad = put(into, extremum_name[k], numbers_give(&s->extremum[k], columns));
    if (!bad && s->options.event)
        bad = put(into, "event_member", numbers_give(&s->event_member, 0)) ||
              put(into, "event_t", numbers_give(&s->event_t, 0)) ||
              put(into, "event_value", numbers_give(&s->event_value, columns));
    if (bad) Py_CLEAR(into);
    return into;
}

static int tell(void *user) {
    struct sweep *s = user;
    if (s->tick == Py_None) return 0;
    PyObject *told = PyObject_CallFunction(s->tick, "LL", (long long)s->done, (long long)s->all);
    Py_XDECREF(told);
    return told ? 0 : -1;
}

static void release(struct sweep *s) {
    struct numbers *rest[] = {&s->value, &s->event_member, &s->event_t, &s->event_value, &s->sentence};
    for (int k = 0; k < EACH; k++) numbers_release(&s->each[k]);
    for (int k = 0; k < EXTREMA; k++) numbers_release(&s->extremum[k]);
    for (int k = 0; k < 5; k++) numbers_release(rest[k]);
    if (s->times.obj) PyBuffer_Release(&s->times);
    free(s->text);
    keel_ensemble_close(s->ensemble);
    keel_summary_close(s->summary);
    keel_plan_close(s->plan);
}

PyObject *sweep_run(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options, PyObject *tick) {
    struct sweep s = {.model = m, .spec = spec, .tick = tick};
    PyObject *result = NULL;
    *stop = 0;
    int raised = take_options(&s, options, stop) < 0 || make_plan(&s) < 0;
    if (!raised) raised = interrupt_call(open_ensemble, &s, stop, NULL);
    if (!raised && s.status < 0)
        raised = refuse(s.status, s.ensemble ? keel_ensemble_message(s.ensemble) : "");
    if (!raised) raised = check_fixed(&s) || open_summary(&s) || interrupt_call(integrate, &s, stop, tell);
    if (!raised && s.status == KEEL_ENOMEM) PyErr_NoMemory();
    else if (!raised) result = give(&s);
    release(&s);
    return result;
}
