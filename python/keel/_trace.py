"""Functions of (t, y) traced into the text of a model.

A function is called with symbols.  Where its globals name numpy or math, the copy that is called sees modules
whose arrays and functions take symbols: np.zeros(4), math.sin.  Other code that it calls sees numpy itself,
which hands symbols back through __array_ufunc__ and __array_function__.
"""

import math
import types

import numpy as np

from ._arrays import OWN, Symbols, unwrap, wrap
from ._symbols import SCALAR, Condition, Symbol, TraceError, failure, lift, refuse

MOST = 100_000  # nodes; a longer text would take seconds to read
_RESERVED = set(
    "t pi lambda energy sum der if and or not in rising falling crossing record stop model param var coord "
    "canonical let lagrangian force hamiltonian structure constraint rolling invariant init guess event "
    "mode start output exact reference run options for sqrt cbrt exp expm1 log log1p log10 sin cos tan "
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot sn cn dn ellipk ellipe jacobieps "
    "jacobisd2 abs sign min max floor mod dot cross norm begin end".split()
)


# What functions see in the place of numpy and math ----------------------------------------------------------


def _array(value, *args, **words):
    """As np.array, which puts single symbols into arrays of their own; whatever the type that is asked for."""
    found = np.array(unwrap(value), dtype=object)
    items = [wrap(item) for item in found.ravel()]
    if not any(isinstance(item, (Symbol, Condition)) for item in items):
        return np.array(value, *args, **words)
    made = np.empty(found.size, dtype=object)
    for k, item in enumerate(items):
        made[k] = item
    return Symbols(made.reshape(found.shape))


def _filled(number):
    return lambda shape, dtype=float, *args, **words: (
        Symbols(np.full(shape, number, dtype=object))
        if dtype in (float, np.float64, object)
        else np.full(shape, number, dtype=dtype)
    )


def _scalar_math(name):
    function = SCALAR[name]
    return lambda *args: (
        function(*args) if any(isinstance(a, Symbol) for a in args) else getattr(np, name)(*args)
    )


_NUMPY = {
    np.array: _array,
    np.asarray: _array,
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


def _exchange(value):
    if value is np or value is math or value is np.linalg:
        return _Module(value, _IN_PLACE)
    try:
        return _IN_PLACE.get(value, value)
    except TypeError:
        return value


def _seen(function):
    """The function with other globals; what is no plain function stays as it is."""
    if not isinstance(function, types.FunctionType):
        return function
    names = set(function.__code__.co_names)
    changed = {name: _exchange(value) for name, value in function.__globals__.items() if name in names}
    if all(value is function.__globals__[name] for name, value in changed.items()):
        return function
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, **changed},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


# Calling ----------------------------------------------------------------------------------------------------


def named(names):
    """Symbols with these names."""
    states = np.empty(len(names), dtype=object)
    for k, name in enumerate(names):
        states[k] = Symbol("name", name)
    return Symbols(states)


def call(function, n, args=(), vectorized=False):
    """The values of a function of (t, y) as a list of nodes, and their shape."""
    y = named([f"u{k}" for k in range(n)])
    return call_with(function, (Symbols(y.array[:, None]) if vectorized else y, *args))


def call_with(function, args):
    """The same for a function of (t, *args)."""
    failure(clear=True)
    try:
        value = _seen(function)(Symbol("name", "t"), *args)
        flat = np.array(unwrap(value), dtype=object)
        nodes = [lift(wrap(item)) for item in flat.ravel()]
    except TraceError:
        raise
    except Exception as error:
        if failure() is None:
            raise TraceError(f"with symbols it raises {type(error).__name__}: {error}") from error
    if failure() is not None:
        raise failure()
    return nodes, flat.shape


# Text -------------------------------------------------------------------------------------------------------

_WEAK = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_ATOM = 4


def _arguments(node):
    """The nodes a node is written with; the number of an exponent is written by itself."""
    if isinstance(node, Symbol) and node.op in ("number", "name"):
        return ()
    if isinstance(node, Symbol) and node.op == "^" and node.args[1].op == "number":
        return node.args[:1]
    return [arg for arg in node.args if isinstance(arg, (Symbol, Condition))]


class Writer:
    """Nodes as text; what is used twice, or is long, becomes a `let`.  Numbers are parameters: another value
    of an argument is no other model."""

    LONG = 400

    def __init__(self):
        self.lets, self.numbers, self.written, self.uses, self.alive = [], {}, {}, {}, []

    def add(self, roots):
        """The texts of these nodes."""
        order = self._order(roots)
        for node in order:
            text, level = self._text(node)
            leaf = isinstance(node, Symbol) and node.op in ("number", "name")
            if not leaf and isinstance(node, Symbol) and (self.uses[id(node)] > 1 or len(text) > self.LONG):
                self.lets.append(f"let v{len(self.lets)} = {text}")
                text, level = f"v{len(self.lets) - 1}", _ATOM
            self.written[id(node)] = text, level
            self.alive.append(node)  # its id stays its own
        return [self.written[id(node)][0] for node in roots]

    def _order(self, roots):
        """Arguments before what uses them; counts the uses."""
        order, stack = [], [(root, False) for root in reversed(roots)]
        seen = set()
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
                continue
            self.uses[id(node)] = self.uses.get(id(node), 0) + 1
            if id(node) in seen or id(node) in self.written:
                continue
            seen.add(id(node))
            if len(seen) > MOST:
                refuse(f"it has more than {MOST} operations")
            stack.append((node, True))
            stack += [(arg, False) for arg in reversed(_arguments(node))]
        return order

    def number(self, value):
        if value == int(value) and abs(value) < 1e6:
            return str(int(value)) if value >= 0 else f"({int(value)})"
        return self.numbers.setdefault(value, f"c{len(self.numbers)}")

    def _argument(self, node, level):
        text, own = self.written[id(node)]
        return text if own >= level else f"({text})"

    def _text(self, node):
        if isinstance(node, Condition):
            return self._condition(node)
        op = node.op
        if op == "number":
            return self.number(node.args), _ATOM
        if op == "name":
            return node.args, _ATOM
        if op == "neg":
            return f"(-{self._argument(node.args[0], _ATOM)})", _ATOM
        if op == "^":
            return self._power(*node.args), 3
        if op in _WEAK:
            level = _WEAK[op]
            left, right = node.args
            return f"{self._argument(left, level)} {op} {self._argument(right, level + 1)}", level
        return f"{op}({', '.join(self.written[id(arg)][0] for arg in node.args)})", _ATOM

    def _power(self, base, exponent):
        if exponent.op == "number":
            value = exponent.args
            text = str(int(value)) if value == int(value) else repr(value)
            return f"{self._argument(base, _ATOM)}^{text if value >= 0 else f'({text})'}"
        return f"{self._argument(base, _ATOM)}^{self._argument(exponent, _ATOM)}"

    def _condition(self, node):
        parts = []
        for arg in node.args:
            if isinstance(arg, (Symbol, Condition)):
                parts.append(self.written[id(arg)][0])
            else:
                parts.append("1 > 0" if arg else "0 > 1")
        if node.text == "not":
            return f"(not {parts[0]})", _ATOM
        return f"({parts[0]} {node.text} {parts[1]})", _ATOM


def row_names(names):
    """Names of the language for invariants and constraints: as they are given where that can be."""
    found = {}
    for k, name in enumerate(names):
        plain = name.isidentifier() and name.isascii() and not name.startswith("_") and name not in _RESERVED
        numbered = name[:1] in "ucsveaz" and name[1:].isdigit()
        found[name] = name if plain and not numbered else f"row_{k}"
    return found


def model_text(n, equations, rows, events, writer, marks={}, guessed=()):
    """Lines of `equations`, `rows` ({name: text}) and `events` ([(text, direction, terminal)]) as one model;
    `marks` are properties of unknowns with the letters of their parameters; of the start values those in
    `guessed` are free."""
    words = {0: "crossing", 1: "rising", -1: "falling"}
    lines = ["model traced", "param begin_time = 0, end_time = 1"]
    lines += [f"param s{k} = 0" for k in range(n)]
    lines += [f"param {letter}{k} = 1" for letter in marks.values() for k in range(n)]
    lines += [f"param {name} = 1" for name in writer.numbers.values()]
    for k in range(n):
        words_of = ", ".join(f"{mark} = {letter}{k}" for mark, letter in marks.items())
        lines.append(f"var u{k}" + (f" {{{words_of}}}" if marks else ""))
    lines += writer.lets
    lines += equations
    lines += [f"invariant {name} = {text}" for name, text in rows.items()]
    lines += [
        f"event e{k}: {text} {words[direction]} -> {'stop' if terminal else 'record'}"
        for k, (text, direction, terminal) in enumerate(events)
    ]
    lines += [f"{'guess' if k in guessed else 'init'} u{k} = s{k}" for k in range(n)]
    lines.append("run begin_time .. end_time")
    return "\n".join(lines) + "\n"


def explicit(texts):
    return [f"u{k}' = {text}" for k, text in enumerate(texts)]


def trace(function, y0=None, n=None, args=(), invariants=None):
    """The text of the model that a function of (t, y) is.

    Parameters
    ----------
    function : callable
        As solve_ivp takes it.
    y0 : array_like, optional
        The start, for its size; or give ``n``.
    invariants : dict of callables, optional

    Raises TraceError, with the reason, where the function cannot be traced.

    >>> import numpy as np
    >>> print(trace(lambda t, y: [y[1], -np.sin(y[0])], n=2).splitlines()[-5])
    u0' = u1
    """
    n = len(y0) if n is None else n
    values = {}
    if y0 is not None:
        values = {f"s{k}": float(v) for k, v in enumerate(y0)}
    writer = Writer()
    nodes, _ = call(function, n, args)
    if len(nodes) != n:
        raise TraceError(f"it must give {n} values, it gives {len(nodes)}")
    rows = {name: call(row, n, args)[0] for name, row in (invariants or {}).items()}
    equations = writer.add(nodes)
    names = row_names(rows)
    texts = {names[name]: writer.add(row)[0] for name, row in rows.items()}
    text = model_text(n, explicit(equations), texts, [], writer)
    for value, name in writer.numbers.items():
        values[name] = value
    for name, value in values.items():
        text = text.replace(
            f"param {name} = {0 if name.startswith('s') else 1}\n", f"param {name} = {value!r}\n"
        )
    return text
