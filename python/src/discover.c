/* discover.c - see discover.h. */
#include "discover.h"

#include <keel/discover.h>

struct search {
    keel_model *model;
    keel_discover_options options;
    keel_discovery *found;
};

static void perform(void *data) {
    struct search *s = data;
    s->found = keel_discover(s->model, &s->options);
}

static PyObject *functions_of(const keel_discovery *d) {
    PyObject *list = PyList_New(0);
    const char *text;
    for (int i = 0; list && (text = keel_discovery_function(d, i)); i++) {
        PyObject *one = PyUnicode_FromString(text);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *invariants_of(const keel_discovery *d) {
    static const char *const scope[] = {
        [KEEL_FOUND_ALL] = "all", [KEEL_FOUND_UNKNOWN] = "unknown", [KEEL_FOUND_THESE] = "these"};
    PyObject *list = PyList_New(0);
    keel_found f;
    for (int i = 0; list && keel_discovery_at(d, i, &f); i++) {
        PyObject *one =
            Py_BuildValue("(ssiiNzszzz)", f.name, f.text, f.degree, f.terms, PyBool_FromLong(f.independent),
                          f.relation, scope[f.scope], f.held, f.known, f.doubt);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

PyObject *discover_run(keel_model *m, volatile int *stop, PyObject *args) {
    struct search s = {.model = m, .options = {.stop = stop}};
    unsigned long long seed;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "iizK", &s.options.degree, &s.options.limit, &s.options.functions, &seed))
        return NULL;
    s.options.seed = seed;
    *stop = 0;
    if (interrupt_call(perform, &s, stop, NULL) == 0) {
        keel_status status = keel_discovery_status(s.found);
        if (status != KEEL_OK) binding_raise(status, keel_discovery_message(s.found));
        else {
            PyObject *functions = functions_of(s.found), *found = functions ? invariants_of(s.found) : NULL;
            if (found)
                result = Py_BuildValue(
                    "(iiOOiii)", keel_discovery_degree(s.found), keel_discovery_monomials(s.found), functions,
                    found, keel_discovery_unwritten(s.found), keel_discovery_between_events(s.found),
                    keel_discovery_odd_numbers(s.found, NULL));
            Py_XDECREF(functions);
            Py_XDECREF(found);
        }
    }
    keel_discovery_close(s.found);
    return result;
}
