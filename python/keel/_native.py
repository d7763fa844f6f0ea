"""Functions of machine code: ctypes, scipy.LowLevelCallable, numba's cfunc.  They are called without Python."""

import ctypes

import numpy as np

from . import _keel

_WANTED = "it must be `int f(double t, const double *y, double *dydt, void *data)`, or void"


class Native:
    """`address` of a function f(t, y, dydt, data); `tells`: it gives an int, 0 where all is well."""

    def __init__(self, address, tells, data, source):
        self.address, self.tells, self.data = address, tells, data
        self._source = source  # what it lives in

    def with_args(self, args):
        """`args` are the numbers that data points to."""
        if not args:
            return self
        numbers = np.array([float(arg) for arg in args])
        return Native(self.address, self.tells, numbers.ctypes.data, (self._source, numbers))


def _of_ctypes(function, data, source):
    kinds = function.argtypes
    plain = kinds is None or (
        len(kinds) in (3, 4)
        and kinds[0] is ctypes.c_double
        and all(kind is ctypes.c_void_p or hasattr(kind, "contents") for kind in kinds[1:])
    )
    if not plain or function.restype not in (None, ctypes.c_int):
        raise _keel.OptionError(f"this C function has other arguments than f: {_WANTED}")
    address = ctypes.cast(function, ctypes.c_void_p).value
    return Native(address, function.restype is ctypes.c_int, data, source)


def _pointer(capsule):
    """What a PyCapsule holds."""
    name, get = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name(capsule))


def _data_of(user_data):
    if user_data is None:
        return 0
    if type(user_data).__name__ == "PyCapsule":
        return _pointer(user_data)
    return ctypes.cast(user_data, ctypes.c_void_p).value or 0


def _of_scipy(function):
    data = _data_of(function.user_data)
    if isinstance(function.function, ctypes._CFuncPtr):
        return _of_ctypes(function.function, data, function)
    words = "".join(function.signature.split())
    plain = ("(double,double*,double*)", "(double,double*,double*,void*)", "(double,double*,double*,double*)")
    returns, bracket, rest = words.replace("const", "").partition("(")
    if returns not in ("int", "void") or bracket + rest not in plain:
        raise _keel.OptionError(f"this C function is `{function.signature}`: {_WANTED}")
    return Native(_pointer(function.function), returns == "int", data, function)


def native(function):
    """The function as Native; None: it is one of Python's."""
    if isinstance(function, ctypes._CFuncPtr):
        return _of_ctypes(function, 0, function)
    if type(function).__name__ == "LowLevelCallable":
        return _of_scipy(function)
    if isinstance(getattr(function, "address", None), int):  # numba's cfunc
        if hasattr(function, "ctypes"):
            return _of_ctypes(function.ctypes, 0, function)
        return Native(function.address, False, 0, function)
    return None
