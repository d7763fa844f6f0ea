/* module.c - keel._keel: the types, the errors, and where it does not work. */
#include "outcome.h"

PyObject *binding_error, *binding_model_error, *binding_option_error, *binding_run_error;

PyObject *binding_raise(keel_status status, const char *sentence) {
    if (status == KEEL_ENOMEM) return PyErr_NoMemory();
    PyErr_SetString(status == KEEL_EINVAL ? binding_option_error : binding_run_error, sentence);
    return NULL;
}

/* Every option of a run: its name, the name people type, one line about it. */
static PyObject *options(PyObject *self, PyObject *unused) {
    PyObject *list = PyList_New(0);
    const keel_field *f;
    (void)self, (void)unused;
    for (int i = 0; list && (f = keel_field_at(i)); i++) {
        PyObject *one = Py_BuildValue("(sss)", f->name, f->typed ? f->typed : f->name, f->about);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* Every method: its name, order (0: a stabilizer), one line about it. */
static PyObject *methods(PyObject *self, PyObject *unused) {
    PyObject *list = PyList_New(0);
    (void)self, (void)unused;
    for (int kind = 0; kind < 2; kind++) {
        const keel_method *m;
        for (int i = 0; list && (m = kind ? keel_stabilizer_at(i) : keel_method_at(i)); i++) {
            PyObject *one = Py_BuildValue("(sis)", m->name, m->order, m->about);
            if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
            Py_XDECREF(one);
        }
    }
    return list;
}

static PyMethodDef functions[] = {{"options", options, METH_NOARGS, "Every option of a run."},
                                  {"methods", methods, METH_NOARGS, "Every method and stabilizer."},
                                  {"solve", problem_solve, METH_VARARGS, "A run by Python's functions."},
                                  {NULL, NULL, 0, NULL}};

/* An exception keel.NAME, also one of Python's own. */
static PyObject *exception(PyObject *module, const char *name, const char *about, PyObject *also) {
    char whole[40];
    PyOS_snprintf(whole, sizeof whole, "keel.%s", name);
    PyObject *bases = also ? PyTuple_Pack(2, binding_error, also) : NULL;
    PyObject *made = also && !bases ? NULL : PyErr_NewExceptionWithDoc(whole, about, bases, NULL);
    Py_XDECREF(bases);
    if (made && PyModule_AddObjectRef(module, name, made) < 0) Py_CLEAR(made);
    return made;
}

static int add(PyObject *module, const char *name, PyObject *object) {
    return object ? PyModule_AddObjectRef(module, name, object) : -1;
}

/* The types and errors are one for the process. */
static int fill(PyObject *m) {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "keel does not work in subinterpreters: import it in the main interpreter");
        return -1;
    }
    if (!(binding_error = exception(m, "Error", "What keel says is wrong.", NULL)) ||
        !(binding_model_error = exception(m, "ModelError", "A model's text is wrong.", PyExc_ValueError)) ||
        !(binding_option_error = exception(m, "OptionError", "A value does not fit.", PyExc_ValueError)) ||
        !(binding_run_error = exception(m, "RunError", "A run failed.", PyExc_RuntimeError)))
        return -1;
    if (add(m, "Numbers", numbers_type()) < 0 || add(m, "Outcome", outcome_type()) < 0 ||
        add(m, "Model", model_type()) < 0)
        return -1;
    return PyModule_AddStringConstant(m, "version", keel_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "keel._keel",
                                        .m_doc = "The library behind keel.",
                                        .m_methods = functions,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__keel(void) {
    return PyModuleDef_Init(&definition);
}
