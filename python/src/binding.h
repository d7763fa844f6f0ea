/* binding.h - what the files of the extension share: Python's stable interface, errors, owned numbers. */
#ifndef KEEL_PYTHON_BINDING_H
#define KEEL_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <keel/model.h>
#include <keel/options.h>

/* keel.Error and what follows from it; module.c makes them. */
extern PyObject *binding_error, *binding_model_error, *binding_option_error, *binding_run_error;

/* Raises what fits the status, with keel's sentence.  Gives NULL. */
PyObject *binding_raise(keel_status status, const char *sentence);

/* Numbers that grow. */
struct numbers {
    double *data;
    size_t count, capacity;
};
double *numbers_add(struct numbers *a, size_t more); /* where they go; NULL without memory */
void numbers_release(struct numbers *a);
/* An object with the buffer protocol that owns them; columns 0: one dimension.  `a` is empty afterwards. */
PyObject *numbers_give(struct numbers *a, size_t columns);
PyObject *numbers_type(void); /* made once */

/* `work(data)` without the GIL on a thread of its own, while signals are looked for and tick(data), if any,
 * is called, which gives -1 with an exception; an exception sets *stop.  0, or -1 with it. */
int interrupt_call(void (*work)(void *), void *data, volatile int *stop, int (*tick)(void *));

PyObject *model_type(void);
PyObject *problem_solve(PyObject *self, PyObject *args);
#endif
