"""What functions see while they are traced, in the place of numpy and math.

A function is called as a copy whose globals and closure name other modules: there np.zeros(4) holds symbols
and math.sin takes them.  The functions that it names are such copies, too.  All other code sees numpy itself,
which hands symbols back through __array_ufunc__ and __array_function__.
"""

import functools
import math
import types

import numpy as np

from ._arrays import OWN, Symbols, is_float, unwrap, wrap
from ._symbols import SCALAR, Condition, Symbol, refuse


def _array(value, dtype=None, *args, **words):
    """As np.array, which puts single symbols into arrays of their own."""
    found = np.array(unwrap(value), dtype=object)
    items = [wrap(item) for item in found.ravel()]
    if not any(isinstance(item, (Symbol, Condition)) for item in items):
        return np.array(value, dtype, *args, **words)
    if not is_float(dtype):
        refuse(f"it makes an array of type {np.dtype(dtype)} of its values")
    made = np.empty(found.size, dtype=object)
    for k, item in enumerate(items):
        made[k] = item
    return Symbols(made.reshape(found.shape))


def _asarray(value, dtype=None, *args, **words):
    if isinstance(value, Symbols) and is_float(dtype):
        return value
    return _array(value, dtype, *args, **words)


def _filled(number):
    return lambda shape, dtype=float, *args, **words: (
        Symbols(np.full(shape, number, dtype=object))
        if is_float(dtype)
        else np.full(shape, number, dtype=dtype)
    )


def _scalar_math(name):
    function = SCALAR[name]
    return lambda *args: (
        function(*args) if any(isinstance(a, Symbol) for a in args) else getattr(np, name)(*args)
    )


_NUMPY = {
    np.array: _array,
    np.asarray: _asarray,
    np.zeros: _filled(0.0),
    np.empty: _filled(0.0),
    np.ones: _filled(1.0),
    np.linalg.norm: lambda x, *args, **words: (
        OWN[np.linalg.norm](x, *args, **words)
        if not isinstance(x, np.ndarray) or x.dtype == object
        else np.linalg.norm(x, *args, **words)
    ),
}
_MATH = {
    getattr(math, name): _scalar_math(own)
    for name, own in {
        "sin": "sin",
        "cos": "cos",
        "tan": "tan",
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
        "atan2": "arctan2",
        "sinh": "sinh",
        "cosh": "cosh",
        "tanh": "tanh",
        "asinh": "arcsinh",
        "acosh": "arccosh",
        "atanh": "arctanh",
        "sqrt": "sqrt",
        "exp": "exp",
        "expm1": "expm1",
        "log1p": "log1p",
        "log10": "log10",
        "fabs": "fabs",
        "pow": "power",
        "floor": "floor",
        "ceil": "ceil",
        "degrees": "degrees",
        "radians": "radians",
    }.items()
}
_MATH[math.log] = lambda x, *base: (
    _scalar_math("log")(x) / np.log(base[0]) if base else _scalar_math("log")(x)
)
_MATH[math.hypot] = lambda *args: (
    SCALAR["sqrt"](sum(a * a for a in args)) if len(args) != 2 else _scalar_math("hypot")(*args)
)
_IN_PLACE = {**_NUMPY, **_MATH}


class _Module:
    """A module with some of its functions exchanged."""

    def __init__(self, module, exchanged):
        self._module, self._exchanged = module, exchanged

    def __getattr__(self, name):
        value = getattr(self._module, name)
        if isinstance(value, types.ModuleType):
            return _Module(value, self._exchanged)
        try:
            return self._exchanged.get(value, value)
        except TypeError:
            return value


# Copies of functions ----------------------------------------------------------------------------------------


def _names(code):
    """The globals that a function may name, in what is defined within it, too."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _exchange(value, copies):
    if value is np or value is math or value is np.linalg:
        return _Module(value, _IN_PLACE)
    try:
        own = _IN_PLACE.get(value, value)
    except TypeError:
        return value
    return _copy(own, copies) if own is value else own


def _copy_function(function, copies):
    """Cells and globals are filled when the copy is known: functions may name each other."""
    if (function.__module__ or "").partition(".")[0] == "numpy":
        return function
    cells = [(cell, _cell(cell)) for cell in function.__closure__ or ()]
    copy = types.FunctionType(
        function.__code__,
        dict(function.__globals__),
        function.__name__,
        function.__defaults__,
        tuple(new for _, new in cells),
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copies[function] = copy
    for old, new in cells:
        if new is not old:
            new.cell_contents = _exchange(old.cell_contents, copies)
    for name in _names(function.__code__) & function.__globals__.keys():
        copy.__globals__[name] = _exchange(function.__globals__[name], copies)
    return copy


def _cell(cell):
    """A cell for the copy: the same one, if its value is not exchanged."""
    try:
        value = cell.cell_contents
    except ValueError:  # empty
        return cell
    return types.CellType() if callable(value) or isinstance(value, types.ModuleType) else cell


def _copy(value, copies):
    """A callable of Python as one that sees the exchanged modules; all else stays as it is."""
    if isinstance(value, types.FunctionType):
        return copies.get(value) or _copy_function(value, copies)
    if isinstance(value, types.MethodType):
        return types.MethodType(_copy(value.__func__, copies), value.__self__)
    if type(value) is functools.partial:
        return functools.partial(_copy(value.func, copies), *value.args, **value.keywords)
    return value


def seen(function):
    """The function as it is called with symbols."""
    own = getattr(type(function), "__call__", None)
    if isinstance(own, types.FunctionType):  # an object of a class with __call__
        function = types.MethodType(own, function)
    return _copy(function, {})
