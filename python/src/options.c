/* options.c - Python's values into keel_options, by the table of options; and the times that are wanted. */
#include "run.h"

#include <math.h>
#include <string.h>

static const keel_field *find(const char *name) {
    const keel_field *f;
    for (int i = 0; (f = keel_field_at(i)); i++)
        if (strcmp(f->name, name) == 0 || (f->typed && strcmp(f->typed, name) == 0)) return f;
    return NULL;
}

/* The k-th of "error|mass|unit" is k, from 1; 0: none. */
static int choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (int k = 1; *choices; k++) {
        size_t own = strcspn(choices, "|");
        if (own == length && strncmp(choices, word, own) == 0) return k;
        choices += own + (choices[own] == '|');
    }
    return 0;
}

static int refuse(const char *name, const char *why, PyObject *value) {
    PyErr_Format(binding_option_error, "%s %s, it is %R", name, why, value);
    return -1;
}

static int put_text(const keel_field *f, keel_options *o, PyObject *value) {
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    if (!text) return PyErr_Occurred() ? -1 : refuse(f->name, "must be a text", value);
    if (f->type == KEEL_FIELD_TEXT) {
        keel_field_put_text(f, o, text);
        return 0;
    }
    int k = choice(f->choices, text);
    if (k) keel_field_put(f, o, k);
    else PyErr_Format(binding_option_error, "%s must be one of %s, it is %R", f->name, f->choices, value);
    return k ? 0 : -1;
}

static int put_number(const keel_field *f, keel_options *o, PyObject *value) {
    char must[80], words[100];
    double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return refuse(f->name, "must be a number", value);
    }
    if (number == 0) return 0;                                                               /* the default */
    if (f->type == KEEL_FIELD_REAL && isinf(number) && number > 0 && f->high == 0) return 0; /* no limit */
    int whole = f->type == KEEL_FIELD_REAL || number == floor(number);
    if (whole && keel_field_fits(f, number, 1, must, sizeof must)) {
        keel_field_put(f, o, number);
        return 0;
    }
    PyOS_snprintf(words, sizeof words, "must %s", whole ? must : "be a whole number");
    return refuse(f->name, words, value);
}

int run_options(PyObject *dictionary, keel_options *o) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dictionary, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const keel_field *f = name ? find(name) : NULL;
        if (!name) return -1;
        if (!f || f->type == KEEL_FIELD_REALS) {
            PyErr_Format(binding_option_error, "there is no option `%s`", name);
            return -1;
        }
        if (value == Py_None) continue;
        int is_text = f->type == KEEL_FIELD_TEXT || f->type == KEEL_FIELD_CHOICE;
        if (is_text ? put_text(f, o, value) : put_number(f, o, value)) return -1;
    }
    return 0;
}

static int in_order(const double *t, size_t count, double begin, double end) {
    double direction = end >= begin ? 1 : -1;
    for (size_t i = 0; i < count; i++) {
        if (!((t[i] - begin) * direction >= 0 && (end - t[i]) * direction >= 0)) {
            char words[120];
            PyOS_snprintf(words, sizeof words, "the time %.17g lies outside of the run, %.17g .. %.17g", t[i],
                          begin, end);
            PyErr_SetString(binding_option_error, words);
            return 0;
        }
        if (i && !((t[i] - t[i - 1]) * direction > 0)) {
            PyErr_SetString(binding_option_error,
                            "the times at which values are wanted must follow each other in the direction of "
                            "the run");
            return 0;
        }
    }
    return 1;
}

int run_times(PyObject *object, Py_buffer *view, struct record *r, double begin, double end) {
    *view = (Py_buffer){0};
    if (object == Py_None) return 0;
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    if (view->itemsize != (Py_ssize_t)sizeof(double) || !view->format || strcmp(view->format, "d") != 0) {
        PyErr_SetString(PyExc_TypeError, "times must be doubles");
        return -1;
    }
    r->times = view->buf;
    r->count = (size_t)(view->len / view->itemsize);
    return in_order(r->times, r->count, begin, end) ? 0 : -1;
}
