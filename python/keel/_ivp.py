"""solve_ivp with scipy's signature and fields, and what keel adds: invariants, constraints, a certificate."""

import re
import time
import warnings

import numpy as np

from . import _keel
from ._certificate import begins_with, certificate
from ._dense import ConstantSolution, DenseSolution
from ._problem import EXPLICIT, Problem, convert
from ._result import IvpResult, expanded, rows_of
from ._symbols import TraceError
from ._traced import Traced

MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}
_NODES = 8


# A run of functions that are called -------------------------------------------------------------------------


def _check_constraints(problem, start):
    """A constraint is an invariant whose value is zero; the start must have it."""
    for name, (_, row, is_constraint) in problem.rows.items():
        value = float(convert(row(problem.t0, start.copy()), 1)[0]) if is_constraint else 0.0
        size = 1e-9 * max(1.0, float(np.abs(start).max(initial=0.0)))
        if abs(value) > size:
            raise _keel.OptionError(
                f"the start does not satisfy the constraint `{name}`: it is {value:.3g} there, "
                "and must be 0"
            )


def _called(problem):
    """By Python's own calls."""
    start = problem.y0.view(float) if problem.is_complex else problem.y0
    spec = {
        "fun": problem.fun,
        "n": start.size,
        "m": 0,
        "t0": problem.t0,
        "end": problem.end,
        "u0": start.copy(),
        "events": problem.events,
        "directions": problem.directions,
        "allowed": problem.allowed,
        "names": list(problem.rows),
        "invariants": tuple(row for _, row, _ in problem.rows.values()),
        "times": problem.times,
        "steps": int(problem.times is None),
        "nodes": _NODES if problem.dense_output else 0,
        "atol": problem.atol,
        "scale": problem.sizes() if problem.rows else None,
        "native": problem.native and (problem.native.address, problem.native.tells, problem.native.data),
        "empty": np.empty,
        "convert": convert,
        **problem.jacobian,
    }
    plan = dict(problem.plan)
    return _with_method(problem, plan, lambda: expanded(_keel.solve(spec, plan)))


def in_words_of_y(words):
    """States as the functions name them."""
    return re.sub(r"\bu\[?(\d+)\]?(?!\w)", r"y[\1]", words)


def _with_method(problem, plan, run):
    """By the method that was asked for, which the result names."""
    plan["method"] = problem.method
    made = run()
    made["method"] = begins_with(plan["method"] or "dop853")
    made["plan"] = plan
    return made


# A run of functions that were traced ------------------------------------------------------------------------


class TraceWarning(UserWarning):
    """A function could not be traced, and is called: the sentence says why."""


def _is_quick(problem):
    """Long arrays by numpy's own code: below 20 ns a state no model is faster, and explicit methods need no
    derivatives."""
    if problem.n < 1000 or problem.rows or problem.method not in EXPLICIT:
        return False
    for _ in range(3):  # others may be at work
        begin = time.perf_counter()
        try:
            problem.fun(problem.t0, problem.y0.copy())
        except Exception:
            return False
        if time.perf_counter() - begin < 20e-9 * problem.n:
            return True
    return False


def _trace(problem):
    """The model that the functions are; None: they are called."""
    if (
        problem.trace is False
        or problem.native
        or problem.trace is None
        and (problem.is_complex or max(problem.allowed, default=0) > 1 or _is_quick(problem))
    ):
        return None
    try:
        return Traced(problem)
    except TraceError as error:
        if problem.trace:
            raise
        name = getattr(problem.source, "__name__", "the function")
        warnings.warn(f"{name} is called from Python, more slowly: {error}", TraceWarning, stacklevel=4)
        return None


# What comes out ---------------------------------------------------------------------------------------------


def _table(problem, made, name):
    table = np.asarray(made[name])
    return table.view(complex) if problem.is_complex else table


def _events_of(problem, made):
    """Times and states of each event, as scipy has them."""
    if not problem.has_events:
        return None, None
    times, states = [], []
    which = np.asarray(made["event"]) if "event" in made else np.empty(0)
    for k in range(len(problem.events)):
        here = which == k
        times.append(np.asarray(made["event_t"])[here] if here.any() else np.empty(0))
        states.append(_table(problem, made, "event_y")[here] if here.any() else np.empty(0))
    return times, states


def _solution(problem, made):
    if not problem.dense_output:
        return None
    values = _table(problem, made, "between")
    ends = np.asarray(made["ends"])
    return (
        DenseSolution(ends, values, _NODES)
        if len(ends) > 1
        else ConstantSolution(problem.t0, problem.t0, problem.y0)
    )


def _result(problem, made, compiled):
    made["message"] = in_words_of_y(made["message"])
    made["diagnosis"] = tuple(
        tuple(in_words_of_y(part) if isinstance(part, str) else part for part in group)
        for group in made["diagnosis"]
    )
    statistics = made["statistics"]
    status = -1 if made["status"] < 0 else 1 if made["status"] > 0 else 0
    t_events, y_events = _events_of(problem, made)
    rows = rows_of(made)
    names = [f"y[{k}]" for k in range(problem.n)]
    text = certificate(
        getattr(problem.source, "__name__", "solve_ivp"), problem.t0, made, rows, made["plan"], names
    )
    return IvpResult(
        t=np.asarray(made["t"]),
        y=_table(problem, made, "y").T,
        sol=_solution(problem, made),
        t_events=t_events,
        y_events=y_events,
        nfev=statistics[2] - made["between_calls"],
        njev=0 if problem.jacobian.get("constant") else statistics[3],
        nlu=statistics[4],
        nfev_dense=made["between_calls"],
        status=status,
        message=made["message"] if status < 0 else MESSAGES[status],
        success=status >= 0,
        certificate=text,
        kept={row.name: row for row in rows},
        compiled=compiled,
        method=made["method"],
    )


def _standing(problem):
    """Without a span or without states there is nothing to integrate."""
    times = problem.times
    if times is None:
        times = np.array([problem.t0, problem.end])
    y = np.repeat(problem.y0[:, None], len(times), axis=1)
    none = [np.empty(0) for _ in problem.events] if problem.has_events else None
    sol = ConstantSolution(problem.t0, problem.end, problem.y0) if problem.dense_output else None
    return IvpResult(
        t=times,
        y=y,
        sol=sol,
        t_events=none,
        y_events=none,
        nfev=0,
        njev=0,
        nlu=0,
        status=0,
        message=MESSAGES[0],
        success=True,
        certificate="",
        kept={},
        compiled=False,
        method="",
    )


def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    **options,
):
    """Solve y' = fun(t, y), y(t0) = y0, as scipy.integrate.solve_ivp does, and keep what the solution keeps.

    All of scipy's arguments are taken: ``jac``, ``jac_sparsity``, ``first_step``, ``max_step``, ``rtol`` and
    ``atol`` (numbers or arrays; of an array of ``rtol`` the smallest counts), ``lband``, ``uband``.  scipy's
    names of methods stand for keel's: RK45 dopri5, RK23 bs32, DOP853 dop853, Radau radau, BDF bdf, LSODA the
    choice between an explicit and an implicit one.  keel's own names, as ``"rkf78+project"``, are taken, too.

    More arguments
    --------------
    invariants : dict of callables, optional
        ``{"energy": H}``: H(t, y) keeps its start value.  Each is checked before the run, and kept to
        round-off.
    constraints : dict of callables, optional
        ``{"rod": g}``: g(t, y) = 0, which the equations must keep.
    fun : callable
        A C function is called without Python: of ctypes, a ``scipy.LowLevelCallable`` or a ``numba.cfunc``,
        as ``int f(double t, const double *y, double *dydt, void *data)`` (0: all is well) or void; ``args``
        are the doubles that data points to.
    keep : str or list, optional
        Keep these rows and only watch the others.
    trace : bool, optional
        Functions are called with symbols, and become a model that is compiled, if the run is long, with
        exact derivatives (keel.trace shows its text).  A function that cannot be traced is called, and a
        TraceWarning says why.  False: do not try; True: raise a TraceError instead.
    **options
        Every option of ``keel.options()``.

    Returns
    -------
    IvpResult
        scipy's t, y, sol, t_events, y_events, nfev (calls of the steps), njev, nlu, status, message, success;
        ``certificate``, ``kept`` (``{name: Row}``), ``compiled``, ``method``, ``nfev_dense`` (calls for
        ``sol``).

    >>> import numpy as np
    >>> def f(t, u): return [u[1], -u[0]]
    >>> def H(t, u): return u[0]**2 + u[1]**2
    >>> s = solve_ivp(f, (0, 100), [1, 0], invariants={"energy": H}, rtol=1e-8)
    >>> bool(abs(H(0, s.y[:, -1]) - 1) < 1e-14)
    True
    """
    problem = Problem(fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, options)
    if problem.n == 0 or problem.t0 == problem.end:
        return _standing(problem)
    start = problem.y0.view(float) if problem.is_complex else problem.y0
    _check_constraints(problem, start)
    try:
        return _solve(problem)
    except (_keel.ModelError, _keel.OptionError, _keel.RunError) as error:
        raise type(error)(in_words_of_y(str(error))) from None


def _solve(problem):
    traced = _trace(problem)
    if traced is None:
        return _result(problem, _called(problem), False)
    nodes = _NODES if problem.dense_output else 0
    plan = dict(problem.plan)
    made = _with_method(problem, plan, lambda: traced.run(plan, nodes))
    return _result(problem, made, traced.compiled)
