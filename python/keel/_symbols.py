"""Symbols that stand for numbers while a function is traced.

A Symbol is a node of an expression: an operation and its arguments.  Operators, numpy's functions and methods
of arrays make new nodes.  What needs a number (a branch, math.sin, an index) ends the trace with a
TraceError.
"""

import math
import threading

import numpy as np

from ._keel import Error


class TraceError(Error, TypeError):
    """A function cannot be traced: the sentence says why."""


class Symbol:
    """A scalar: `op` is "number", "name", one of + - * / ^ neg, or the name of a function of the language."""

    __slots__ = ("op", "args")

    def __init__(self, op, args):
        self.op, self.args = op, args

    __hash__ = object.__hash__

    def __bool__(self):
        refuse("it branches on a value: write np.where, or two runs with an event between them")

    def _number(self, *unused):
        refuse(
            "it asks for a value as a number (float(), an array of floats, an index, a function that cannot "
            "be traced)"
        )

    __float__ = __int__ = __index__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = _number

    def __iter__(self):
        raise TypeError("a number has no elements")

    shape, ndim, size = (), 0, 1

    @property
    def real(self):
        return self

    def item(self):
        return self

    def copy(self):
        return self


class Condition:
    """What a comparison gives; only np.where takes it."""

    __slots__ = ("op", "args")

    def __init__(self, op, args):
        self.op, self.args = op, args

    __bool__ = Symbol.__bool__
    __float__ = __int__ = __index__ = Symbol._number

    def __and__(self, other):
        return np.logical_and(self, other)

    def __or__(self, other):
        return np.logical_or(self, other)

    def __invert__(self):
        return Condition("not", (self,))

    __rand__, __ror__ = __and__, __or__


def _truth(value):
    """A Condition, of a number that it is not zero."""
    return value if isinstance(value, Condition) else Condition("!=", (lift(value), lift(0)))


def _logical(op):
    return lambda *args: Condition(op, tuple(_truth(arg) for arg in args))


_state = threading.local()


def refuse(why):
    """Functions may catch it: the trace has failed all the same."""
    _state.failed = TraceError(why)
    raise _state.failed


def failure(clear=False):
    """The last refusal in this thread, or None."""
    if clear:
        _state.failed = None
    return getattr(_state, "failed", None)


def lift(value):
    """A number as a node."""
    if isinstance(value, Symbol):
        return value
    if isinstance(value, Condition):
        return Symbol("if", (value, lift(1), lift(0)))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return lift(value[()])
    if isinstance(value, (complex, np.complexfloating)):
        refuse("it has complex numbers")
    try:
        number = float(value)
    except (TypeError, ValueError):
        refuse(f"it computes with {type(value).__name__}")
    if not math.isfinite(number):
        refuse("it has a constant that is not finite")
    return Symbol("number", number)


def _plain(value):
    return value.op == "number" if isinstance(value, Symbol) else isinstance(value, (int, float, np.number))


def _number_of(value):
    return value.args if isinstance(value, Symbol) else value


def _both(op, value, left=None, right=None):
    """A binary operation on two scalars; numbers among themselves stay numbers, neutral ones vanish."""

    def operate(a, b):
        if _plain(a) and _plain(b):
            return value(_number_of(a), _number_of(b))
        if _plain(b) and _number_of(b) == right:
            return a
        if _plain(a) and left is not None and _number_of(a) == left:
            return b
        return Symbol(op, (lift(a), lift(b)))

    return operate


def _power(a, b):
    if _plain(a) and _plain(b):
        return _number_of(a) ** _number_of(b)
    if _plain(b) and _number_of(b) == 0.5:
        return Symbol("sqrt", (lift(a),))
    return Symbol("^", (lift(a), lift(b)))


def _function(name, value):
    def operate(*args):
        if all(_plain(a) for a in args):
            return value(*(_number_of(a) for a in args))
        return Symbol(name, tuple(lift(a) for a in args))

    return operate


def _compare(op):
    return lambda a, b: Condition(op, (lift(a), lift(b)))


def _negative(a):
    return -_number_of(a) if _plain(a) else Symbol("neg", (a,))


add = _both("+", lambda a, b: a + b, 0, 0)
subtract = _both("-", lambda a, b: a - b, None, 0)
multiply = _both("*", lambda a, b: a * b, 1, 1)
divide = _both("/", lambda a, b: np.float64(a) / b, None, 1)
larger, smaller = _function("max", np.maximum), _function("min", np.minimum)

# Functions of one argument or two: numpy's names, and those of the language.
NUMPY = {
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "log10": "log10",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "hypot": "hypot",
    "absolute": "abs",
    "fabs": "abs",
    "sign": "sign",
    "floor": "floor",
}
SCALAR = {name: _function(own, getattr(np, name)) for name, own in NUMPY.items()}
SCALAR.update(
    add=add,
    subtract=subtract,
    multiply=multiply,
    divide=divide,
    true_divide=divide,
    power=_power,
    float_power=_power,
    negative=_negative,
    positive=lambda a: a,
    maximum=larger,
    minimum=smaller,
    fmax=larger,
    fmin=smaller,
    square=lambda a: multiply(a, a),
    reciprocal=lambda a: divide(1.0, a),
    remainder=_function("mod", np.mod),
    mod=_function("mod", np.mod),
    floor_divide=lambda a, b: SCALAR["floor"](divide(a, b)),
    ceil=lambda a: _negative(SCALAR["floor"](_negative(a))),
    log2=lambda a: divide(SCALAR["log"](a), math.log(2)),
    exp2=lambda a: _power(2.0, a),
    deg2rad=lambda a: multiply(a, math.pi / 180),
    radians=lambda a: multiply(a, math.pi / 180),
    rad2deg=lambda a: multiply(a, 180 / math.pi),
    degrees=lambda a: multiply(a, 180 / math.pi),
    conjugate=lambda a: a,
    heaviside=lambda a, b: choose(_compare("<")(a, 0), 0.0, choose(_compare(">")(a, 0), 1.0, b)),
    less=_compare("<"),
    less_equal=_compare("<="),
    greater=_compare(">"),
    greater_equal=_compare(">="),
    equal=_compare("=="),
    not_equal=_compare("!="),
    logical_and=_logical("and"),
    logical_or=_logical("or"),
    bitwise_and=_logical("and"),
    bitwise_or=_logical("or"),
    logical_not=_logical("not"),
    invert=_logical("not"),
)


def choose(condition, a, b):
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    return Symbol("if", (_truth(condition), lift(a), lift(b)))


def _operator(name, reflected=False):
    """A method of Symbol: scalars at once, arrays through numpy."""
    function, ufunc = SCALAR[name], getattr(np, name)

    def operate(self, other):
        if isinstance(other, (Symbol, int, float, np.number)):
            return function(other, self) if reflected else function(self, other)
        if isinstance(other, (list, tuple)) or hasattr(other, "__array_ufunc__"):
            return ufunc(other, self) if reflected else ufunc(self, other)
        return NotImplemented

    return operate


for _sign, _name in (
    ("add", "add"),
    ("sub", "subtract"),
    ("mul", "multiply"),
    ("truediv", "divide"),
    ("pow", "power"),
    ("mod", "remainder"),
    ("floordiv", "floor_divide"),
):
    setattr(Symbol, f"__{_sign}__", _operator(_name))
    setattr(Symbol, f"__r{_sign}__", _operator(_name, True))
for _sign, _name in (
    ("lt", "less"),
    ("le", "less_equal"),
    ("gt", "greater"),
    ("ge", "greater_equal"),
    ("eq", "equal"),
    ("ne", "not_equal"),
):
    setattr(Symbol, f"__{_sign}__", _operator(_name))
Symbol.__neg__ = _negative
Symbol.__pos__ = lambda self: self
Symbol.__abs__ = SCALAR["absolute"]
for _name in (
    "sqrt",
    "cbrt",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log10",
    "log2",
    "exp2",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "arctan2",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
    "hypot",
    "fabs",
    "sign",
    "floor",
    "ceil",
    "square",
    "reciprocal",
    "conjugate",
    "deg2rad",
    "rad2deg",
    "radians",
    "degrees",
):
    setattr(Symbol, _name, (lambda function: lambda self, *more: function(self, *more))(SCALAR[_name]))
