"""Functions of (t, y) traced into the text of a model.

A function is called with symbols, as the copy of it that _seen.py makes.
"""

import numpy as np

from ._arrays import Symbols, unwrap, wrap
from ._seen import seen
from ._symbols import Condition, Symbol, TraceError, failure, lift
from ._verify import Held, in_order, verify

_RESERVED = set(
    "t pi lambda energy sum der if and or not in rising falling crossing record stop model param var coord "
    "canonical let lagrangian force hamiltonian structure constraint rolling invariant init guess event "
    "mode start output exact reference run options for sqrt cbrt exp expm1 log log1p log10 sin cos tan "
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot sn cn dn ellipk ellipe jacobieps "
    "jacobisd2 abs sign min max floor mod dot cross norm begin end".split()
)


# Calling ----------------------------------------------------------------------------------------------------


def named(names):
    """Symbols with these names."""
    states = np.empty(len(names), dtype=object)
    for k, name in enumerate(names):
        states[k] = Symbol("name", name)
    return Symbols(states)


def call(function, n, args=(), start=None, vectorized=False):
    """The values of a function of (t, y) as a list of nodes."""
    y = named([f"u{k}" for k in range(n)])
    return call_with(function, (Symbols(y.array[:, None]) if vectorized else y, *args), start)


def call_with(function, args, start=None):
    """The same for a function of (t, *args).  `start` has the numbers {name: number} at the start; what comes
    out is compared with what the function gives for them."""
    args = (Symbol("name", "t"), *args)
    held = Held(args)
    nodes = _with_symbols(function, args)
    order = in_order(nodes)
    verify(function, args, nodes, order, start)
    held.check(nodes, order)
    return nodes


def _with_symbols(function, args):
    failure(clear=True)
    try:
        flat = np.array(unwrap(seen(function)(*args)), dtype=object)
        nodes = [lift(wrap(item)) for item in flat.ravel()]
    except TraceError:
        raise
    except Exception as error:
        if failure() is None:
            raise TraceError(f"with symbols it raises {type(error).__name__}: {error}") from error
    if failure() is not None:
        raise failure()
    return nodes


# Text -------------------------------------------------------------------------------------------------------

_WEAK = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_ATOM = 4


def _arguments(node):
    """The nodes a node is written with; the number of an exponent is written by itself."""
    if node.op in ("number", "name"):
        return ()
    return node.args[:1] if node.op == "^" and node.args[1].op == "number" else node.args


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
            leaf = node.op in ("number", "name")
            if not leaf and isinstance(node, Symbol) and (self.uses[id(node)] > 1 or len(text) > self.LONG):
                self.lets.append(f"let v{len(self.lets)} = {text}")
                text, level = f"v{len(self.lets) - 1}", _ATOM
            self.written[id(node)] = text, level
            self.alive.append(node)  # its id stays its own
        return [self.written[id(node)][0] for node in roots]

    def _order(self, roots):
        """What is not written yet; counts the uses."""
        order = [node for node in in_order(roots) if id(node) not in self.written]  # with exponents
        for node in roots:
            self.uses[id(node)] = self.uses.get(id(node), 0) + 1
        for node in order:
            for arg in _arguments(node):
                self.uses[id(arg)] = self.uses.get(id(arg), 0) + 1
        return [node for node in order if id(node) in self.uses]

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
        parts = [self.written[id(arg)][0] for arg in node.args]
        if node.op == "not":
            return f"(not {parts[0]})", _ATOM
        return f"({parts[0]} {node.op} {parts[1]})", _ATOM


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
    if y0 is None and n is None:
        raise TypeError("trace() needs y0, or n: how many states there are")
    n = len(y0) if n is None else n
    values = {}
    if y0 is not None:
        values = {f"s{k}": float(v) for k, v in enumerate(y0)}
    writer = Writer()
    start = {f"u{k}": float(v) for k, v in enumerate(y0)} if y0 is not None else None
    nodes = call(function, n, args, start)
    if len(nodes) != n:
        raise TraceError(f"it must give {n} values, it gives {len(nodes)}")
    rows = {name: call(row, n, args, start) for name, row in (invariants or {}).items()}
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
