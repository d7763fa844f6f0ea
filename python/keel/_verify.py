"""A trace is believed where it gives the numbers that the function gives.

What a function does beside its formulas cannot be seen by symbols: asking for the type of a value, counting
its calls, keeping what it is given.  So the nodes are evaluated at the start and beside it, and the function
is called there.
"""

import math
import operator
import sys

import numpy as np

from ._arrays import Symbols
from ._symbols import NUMPY, Symbol, TraceError

_BY_OP = {
    **{own: getattr(np, name) for name, own in NUMPY.items()},
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
    "neg": operator.neg,
    "max": np.maximum,
    "min": np.minimum,
    "mod": np.mod,
    "if": np.where,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
}
LEAVES = ("number", "name")
MOST = 100_000  # nodes; a longer text would take seconds to read
SLACK = 1e-10  # of the largest number on the way: sums may be in another order


def in_order(roots):
    """The nodes behind these ones: arguments before what uses them."""
    order, seen, stack = [], set(), list(reversed(roots))
    while stack:
        node = stack[-1]
        if id(node) in seen:
            stack.pop()
            continue
        below = () if node.op in LEAVES else [arg for arg in node.args if id(arg) not in seen]
        if below:
            stack += reversed(below)
            continue
        seen.add(id(node))
        order.append(stack.pop())
        if len(order) > MOST:
            raise TraceError(f"it has more than {MOST} operations")
    return order


# Numbers ----------------------------------------------------------------------------------------------------


class Place:
    """Where a function is called with numbers: {name: number}, a name at a time as it is asked for.

    `known` are those of the start; what they leave out has numbers that are no special ones.  `beside` moves
    all of them a little.
    """

    def __init__(self, known, beside=0.0):
        self.is_start = bool(known) and not beside
        self._known, self._beside = known or {}, beside
        self._size = max((abs(value) for value in self._known.values()), default=0.0) or 1.0
        self._names = {}

    def __getitem__(self, name):
        if name not in self._names:
            part = math.cos(1.0 + 2.4 * len(self._names))
            number = self._known.get(name)
            self.is_start = self.is_start and number is not None
            number = 0.5 * part if number is None else number
            self._names[name] = number + self._beside * self._size * part
        return self._names[name]

    def of(self, value):
        """An argument with numbers in the place of symbols."""
        if isinstance(value, Symbol):
            return float(self[value.args])
        if isinstance(value, Symbols):
            return np.array([self[item.args] for item in value.array.flat]).reshape(value.shape)
        return value


def _evaluate(order, place):
    """{id of a node: its number}."""
    numbers = {}
    for node in order:
        op = node.op
        if op == "number":
            numbers[id(node)] = np.float64(node.args)
        elif op == "name":
            numbers[id(node)] = np.float64(place[node.args])
        else:
            numbers[id(node)] = _BY_OP[op](*[numbers[id(arg)] for arg in node.args])
    return numbers


def verify(function, args, nodes, order, start):
    """TraceError: the nodes are not what the function gives for numbers, at the start and beside it."""
    with np.errstate(all="ignore"):
        for place in (Place(start), Place(start, 1e-2)):
            given = [place.of(arg) for arg in args]
            numbers = _evaluate(order, place)
            try:
                called = np.asarray(function(*given), dtype=float).ravel()
            except Exception as error:
                if place.is_start:
                    raise TraceError(f"it raises {type(error).__name__}: {error}") from error
                continue  # it need not have a value there
            _compare(np.array([numbers[id(node)] for node in nodes], dtype=float), called, numbers)


def _compare(found, called, numbers):
    if found.shape != called.shape:
        raise TraceError(f"with symbols it gives {found.size} values, with numbers {called.size}")
    if (found == called).all():
        return
    sizes = np.abs(np.array(list(numbers.values()), dtype=float))
    most = np.max(sizes, where=np.isfinite(sizes), initial=0.0)
    wrong = np.isfinite(called) & ~(np.abs(found - called) <= SLACK * (most + np.abs(called)))
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise TraceError(
            f"with symbols it gives other values than with numbers ({found[k]:.6g}, and {called[k]:.6g}): it "
            "depends on more than its arguments, or on their types"
        )


# What is kept -----------------------------------------------------------------------------------------------


class Held:
    """How often the symbols that a function is given are referred to."""

    def __init__(self, args):
        self._leaves = [arg for arg in args if isinstance(arg, Symbol)]
        for arg in args:
            if isinstance(arg, Symbols):
                self._leaves += arg.array.flat
        self._before = self._count()

    def _count(self):
        return [sys.getrefcount(leaf) for leaf in self._leaves]

    def check(self, nodes, order):
        """TraceError: somebody else than these nodes holds symbols, as a list to which the function
        appends."""
        ours = _references(nodes, order)
        for k, (before, now) in enumerate(zip(self._before, self._count())):
            if now > before + ours.get(id(self._leaves[k]), 0):
                raise TraceError(
                    "it keeps what it is called with, as in a list: a model would not call it; symbols of "
                    "this trial are kept, too, unless you give trace=False"
                )


def _references(nodes, order):
    """{id: how often nodes refer to it}."""
    count = {}
    for node in order:
        for arg in node.args if node.op not in LEAVES else ():
            count[id(arg)] = count.get(id(arg), 0) + 1
    for node in (*nodes, *order):
        count[id(node)] = count.get(id(node), 0) + 1
    return count
