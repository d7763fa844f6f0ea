/* discover.h - invariants that nobody stated (keel/discover.h). */
#ifndef KEEL_PYTHON_DISCOVER_H
#define KEEL_PYTHON_DISCOVER_H

#include "binding.h"

/* args: degree, limit, functions or None, seed.  (degree, monomials, functions, invariants, unwritten,
 * between events, odd numbers); NULL with an exception. */
PyObject *discover_run(keel_model *m, volatile int *stop, PyObject *args);
#endif
