/* outcome.h - what a run says of itself besides its values: kept as numbers, made into Python's objects when
 * somebody asks. */
#ifndef KEEL_PYTHON_OUTCOME_H
#define KEEL_PYTHON_OUTCOME_H

#include "run.h"

PyObject *outcome_type(void); /* made once */
/* An object whose expand() gives message, end, statistics, rows, diagnosis, ... as a dictionary; NULL with an
 * exception. */
PyObject *outcome_of(const struct run *r);
#endif
