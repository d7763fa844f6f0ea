/* analysis.h - questions beyond one trajectory: fits, equilibria, orbits, Lyapunov exponents. */
#ifndef KEEL_PYTHON_ANALYSIS_H
#define KEEL_PYTHON_ANALYSIS_H

#include "binding.h"

/* A dictionary; NULL with an exception.  spec: what is asked for; options: of the runs. */
PyObject *analysis_fit(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options);
PyObject *analysis_orbit(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options);
PyObject *analysis_steady(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options);
PyObject *analysis_lyapunov(keel_model *m, volatile int *stop, PyObject *spec, PyObject *options);
#endif
