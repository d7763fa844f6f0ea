/* numbers.c - arrays of doubles that grow while a run records, and reach numpy without a copy. */
#include "binding.h"

#include <stdlib.h>

double *numbers_add(struct numbers *a, size_t more) {
    if (a->count + more > a->capacity) {
        size_t capacity = a->capacity ? 2 * a->capacity : 64;
        while (capacity < a->count + more) capacity *= 2;
        double *wider = realloc(a->data, capacity * sizeof *wider);
        if (!wider) return NULL;
        a->data = wider;
        a->capacity = capacity;
    }
    a->count += more;
    return a->data + a->count - more;
}

void numbers_release(struct numbers *a) {
    free(a->data);
    *a = (struct numbers){0};
}

/* The object -------------------------------------------------------------------------------------------- */

struct owner {
    PyObject_HEAD double *data;
    Py_ssize_t shape[2], strides[2];
    int dimensions;
};

static PyObject *type;

PyObject *numbers_give(struct numbers *a, size_t columns) {
    struct owner *o = (struct owner *)PyType_GenericAlloc((PyTypeObject *)type, 0);
    if (!o) return NULL;
    Py_ssize_t width = (Py_ssize_t)sizeof(double);
    o->data = a->data;
    o->dimensions = columns ? 2 : 1;
    o->shape[0] = (Py_ssize_t)(columns ? a->count / columns : a->count);
    o->shape[1] = (Py_ssize_t)columns;
    o->strides[0] = columns ? width * (Py_ssize_t)columns : width;
    o->strides[1] = width;
    *a = (struct numbers){0};
    return (PyObject *)o;
}

static void release(PyObject *self) {
    PyTypeObject *own = Py_TYPE(self);
    free(((struct owner *)self)->data);
    PyObject_Free(self);
    Py_DECREF(own);
}

static int give_buffer(PyObject *self, Py_buffer *view, int flags) {
    struct owner *o = (struct owner *)self;
    static double nothing[1];
    Py_ssize_t count = o->shape[0] * (o->dimensions == 2 ? o->shape[1] : 1);
    if (!(flags & PyBUF_ND) && o->dimensions == 2) {
        PyErr_SetString(PyExc_BufferError, "the numbers have two dimensions");
        return -1;
    }
    *view = (Py_buffer){.buf = o->data ? o->data : nothing,
                        .obj = self,
                        .len = count * (Py_ssize_t)sizeof(double),
                        .itemsize = sizeof(double),
                        .ndim = o->dimensions,
                        .format = flags & PyBUF_FORMAT ? "d" : NULL,
                        .shape = flags & PyBUF_ND ? o->shape : NULL,
                        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? o->strides : NULL};
    Py_INCREF(self);
    return 0;
}

PyObject *numbers_type(void) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, release},
                                  {Py_bf_getbuffer, give_buffer},
                                  {Py_tp_doc, "Numbers of a run."},
                                  {0, NULL}};
    static PyType_Spec spec = {"keel._keel.Numbers", sizeof(struct owner), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return type = PyType_FromSpec(&spec);
}
