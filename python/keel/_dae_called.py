"""Differential-algebraic equations whose functions are called, since they cannot be traced.

What can be done without formulas are equations M y' = f(t, y) with a constant matrix M of any rank r.  With
y = T z, T orthogonal and M T = (A, 0), they are

    x' = A^+ f,   0 = N' f,   z = (x, a),  A^+ A = 1,  N' A = 0

for r differential and n - r algebraic unknowns.  T and N only choose where M has zero columns and rows.
"""

import re

import numpy as np

from . import _keel
from ._ivp import _NODES, _with_method, _result
from ._problem import convert
from ._result import expanded
from ._symbols import TraceError


def _numbers(value):
    return np.asarray(value, dtype=float).ravel()


def _points(problem):
    """The start, and others around it: what is the same at all of them is taken for constant."""
    chance = np.random.default_rng(1)
    yield problem.t0, problem.y0.copy()
    for part in (1e-3, 0.03, 0.3):
        size = 1 + np.abs(problem.y0)
        away = part * size * chance.uniform(-1, 1, problem.n)
        yield problem.t0 + part * (problem.end - problem.t0), problem.y0 + away


def _same_everywhere(found, what):
    first = next(found)
    size = 1e-8 * max(float(np.abs(first).max(initial=0.0)), 1e-300)
    for other in found:
        if other.shape != first.shape or not np.abs(other - first).max(initial=0.0) <= size:
            raise TraceError(f"{what}: only a constant matrix before y' can be had from functions that are called")
    return first


def _matrix(problem, fun, mass, args):
    """M, and f(t, y)."""
    if mass is not None and not callable(mass):
        return np.atleast_2d(np.asarray(mass, dtype=float)), lambda t, y: _numbers(fun(t, y, *args))
    if mass is not None:
        found = (np.atleast_2d(np.asarray(mass(t, y, *args), dtype=float)) for t, y in _points(problem))
        return _same_everywhere(found, "its mass matrix changes"), lambda t, y: _numbers(fun(t, y, *args))
    zero = np.zeros(problem.n)

    def columns(t, y):
        rest = _numbers(fun(t, y, zero.copy(), *args))
        table = [_numbers(fun(t, y, one, *args)) - rest for one in np.eye(problem.n)]
        table += [(_numbers(fun(t, y, 2 * one, *args)) - rest) / 2 for one in np.eye(problem.n)]
        return np.array(table).T

    n = problem.n
    both = _same_everywhere((columns(t, y) for t, y in _points(problem)), "its residual is not M y' - f")
    if not np.abs(both[:, :n] - both[:, n:]).max() <= 1e-8 * np.abs(both).max():
        raise TraceError("its residual is not linear in y'")
    return both[:, :n], lambda t, y: -_numbers(fun(t, y, zero.copy(), *args))


class _Split:
    """T, A^+ and N of a matrix, and the order of the unknowns where T only chooses."""

    def __init__(self, matrix, n):
        if matrix.shape[1] != n or not np.isfinite(matrix).all():
            raise _keel.OptionError(f"`mass` must have {n} columns of numbers, its shape is {matrix.shape}")
        left, size, right = np.linalg.svd(matrix)
        self.rank = rank = int((size > 1e-12 * size.max(initial=0.0)).sum())
        moved, rows = np.flatnonzero(matrix.any(axis=0)), np.flatnonzero(matrix.any(axis=1))
        self.order = None
        self.turn, self.normals = right.T, left[:, rank:]
        if len(moved) == rank:
            self.order = np.concatenate([moved, np.setdiff1d(np.arange(n), moved)])
            self.turn = np.eye(n)[:, self.order]
        if len(rows) == rank:
            self.normals = np.eye(len(matrix))[:, np.setdiff1d(np.arange(len(matrix)), rows)]
        self.inverse = np.linalg.pinv(matrix @ self.turn[:, :rank])

    def in_words_of_y(self, words):
        """The unknowns of the split problem are u[k]."""
        name = (lambda k: f"y[{self.order[k]}]") if self.order is not None else (lambda k: f"z[{k}]")
        return re.sub(r"\bu\[?(\d+)\]?(?!\w)", lambda found: name(int(found.group(1))), words)


def _spec(problem, f, split, constraints):
    turn, rank, n = split.turn, split.rank, problem.n
    back = lambda function: lambda t, z: function(t, turn @ z)

    def algebraic(t, z):
        y = turn @ z
        rows = [_numbers(g(t, y, *problem.args)) for g in constraints]
        return np.concatenate([split.normals.T @ f(t, y), *rows])

    count = algebraic(problem.t0, turn.T @ problem.y0).size
    if count != n - rank:
        raise _keel.OptionError(f"{n} unknowns need as many equations, these are {count + rank}")
    tolerances = problem.atol
    if tolerances is not None:
        chosen = tolerances[split.order] if split.order is not None else np.full(n, tolerances.min())
        tolerances = np.ascontiguousarray(chosen)
    return {
        "fun": lambda t, z: split.inverse @ f(t, turn @ z),
        "n": rank,
        "m": n - rank,
        "t0": problem.t0,
        "end": problem.end,
        "u0": np.ascontiguousarray(turn.T @ problem.y0),
        "algebraic": algebraic if rank < n else None,
        "events": tuple(back(event) for event in problem.events),
        "directions": problem.directions,
        "allowed": problem.allowed,
        "names": list(problem.rows),
        "invariants": tuple(back(row) for _, row, _ in problem.rows.values()),
        "times": problem.times,
        "steps": int(problem.times is None),
        "nodes": _NODES if problem.dense_output else 0,
        "atol": tolerances,
        "empty": np.empty,
        "convert": convert,
    }


def called(problem, fun, mass, constraints):
    """The run.  TraceError: these equations cannot be had so."""
    matrix, f = _matrix(problem, fun, mass, problem.args)
    split = _Split(matrix, problem.n)
    if split.rank == 0:
        raise TraceError("nothing in it is differentiated")
    spec, plan = _spec(problem, f, split, constraints), dict(problem.plan)
    try:
        made = _with_method(problem, plan, lambda: expanded(_keel.solve(spec, plan)))
    except _keel.Error as error:
        words = split.in_words_of_y(str(error))
        if "`hidden` rows" in words:
            words = (
                "the algebraic equations and their first derivatives do not determine what is not "
                "differentiated: of functions that are called the index may be 2 at most; write them so that "
                "they can be traced"
            )
        raise type(error)(words) from None
    for key in ("y", "between", "event_y"):
        if key in made:
            made[key] = np.ascontiguousarray(np.asarray(made[key]) @ split.turn.T)
    made["message"] = split.in_words_of_y(made["message"])
    made["diagnosis"] = tuple(
        tuple(split.in_words_of_y(part) if isinstance(part, str) else part for part in group)
        for group in made["diagnosis"]
    )
    return _result(problem, made, False)
