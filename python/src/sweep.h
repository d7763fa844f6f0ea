/* sweep.h - one model run many times (keel/ensemble.h), its results as arrays. */
#ifndef KEEL_PYTHON_SWEEP_H
#define KEEL_PYTHON_SWEEP_H

#include "binding.h"

/* spec: what varies and what is kept; options: of each run; tick: called with (done, all) now and then, or
 * None.  A dictionary; NULL with an exception. */
PyObject *sweep_run(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options, PyObject *tick);
#endif
