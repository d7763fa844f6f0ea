"""solve_ivp with scipy's signature and fields, and what keel adds: invariants, constraints, a certificate."""

import re
import warnings

import numpy as np

from . import _keel
from ._certificate import begins_with, certificate
from ._dense import ConstantSolution, DenseSolution
from ._jacobian import jacobian
from ._model import _FIELDS, _ORDERS
from ._result import IvpResult, rows_of
from ._symbols import TraceError
from ._traced import Traced

METHODS = {
    "RK45": "dopri5",
    "RK23": "bs32",
    "DOP853": "dop853",
    "Radau": "radau",
    "BDF": "bdf",
    "LSODA": "auto",
}
MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}
_SMALLEST = 100 * np.finfo(float).eps
_NODES = 8


def convert(value, count):
    """What a function gave, as doubles."""
    try:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError("complex values: give y0 as complex numbers to solve in the complex domain")
        doubles = np.ascontiguousarray(array, dtype=float).ravel()
    except (TypeError, ValueError) as error:
        raise type(error)(f"a function gave what is no array of numbers: {error}") from None
    if doubles.size != count:
        raise ValueError(
            f"a function must give {count} value{'s' * (count != 1)}, it gave the shape {array.shape}"
        )
    return doubles


class Problem:
    """The arguments of solve_ivp, checked; functions have hidden their args."""

    def __init__(self, fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, options):
        self.t0, self.end = (float(t) for t in t_span)
        if np.isnan(self.t0) or np.isnan(self.end) or np.isinf(self.t0):
            raise _keel.OptionError("t_span must be numbers")
        self._take_start(y0)
        self.dense_output = bool(dense_output)
        self.args = self._unpack(args)
        self.source, self.vectorized = fun, bool(vectorized)
        self.fun = self._wrap(fun, self.vectorized)
        self._take_times(t_eval)
        self._take_events(events)
        self._take_rows(options)
        self._take_method(method, options)
        self._take_jacobian(options)
        self.trace = options.pop("trace", None)
        self._take_options(options)

    def _take_start(self, y0):
        y0 = np.asarray(y0)
        if y0.ndim != 1:
            raise ValueError(f"`y0` must be 1-dimensional, it has the shape {y0.shape}")
        if not (np.issubdtype(y0.dtype, np.number) or y0.dtype == bool or y0.size == 0):
            raise ValueError(f"`y0` must be numbers, it has the type {y0.dtype}")
        self.is_complex = np.iscomplexobj(y0)
        self.y0 = y0.astype(complex if self.is_complex else float)
        if not np.isfinite(self.y0).all():
            raise ValueError("All components of the initial state `y0` must be finite.")
        self.n = self.y0.size

    def sizes(self):
        """Typical sizes of the states, for what is kept: tolerances tell another story, as 1e-6 beside a
        relative 1e-10."""
        start = self.y0.view(float) if self.is_complex else self.y0
        largest = float(np.abs(start).max()) or 1.0
        return np.where(start == 0, largest, np.abs(start))

    @staticmethod
    def _unpack(args):
        if args is None:
            return ()
        try:
            return (*args,)
        except TypeError as error:
            raise TypeError(
                "Supplied 'args' cannot be unpacked. Please supply `args` as a tuple "
                f"(e.g. `args=({args},)`)"
            ) from error

    def _wrap(self, function, vectorized=False, gives_state=True):
        """A function of (t, u), u real, from one of (t, y, *args)."""
        args, is_complex = self.args, self.is_complex
        if vectorized:
            inner = function
            function = lambda t, y, *args: np.asarray(inner(t, y[:, None], *args)).ravel()
        if is_complex and gives_state:

            def split(t, u):
                value = np.asarray(function(t, u.view(complex), *args), dtype=complex)
                return np.ascontiguousarray(value).ravel().view(float)

            return split
        if is_complex:
            return lambda t, u: function(t, u.view(complex), *args)
        return (lambda t, u: function(t, u, *args)) if args else function

    def _take_times(self, t_eval):
        self.times = None
        if t_eval is None:
            return
        times = np.asarray(t_eval)
        if times.ndim != 1:
            raise ValueError("`t_eval` must be 1-dimensional.")
        low, high = sorted((self.t0, self.end))
        if np.any(times < low) or np.any(times > high):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        apart = np.diff(times)
        if self.end > self.t0 and np.any(apart <= 0) or self.end < self.t0 and np.any(apart >= 0):
            raise ValueError("Values in `t_eval` are not properly sorted.")
        self.times = np.ascontiguousarray(times, dtype=float)

    def _take_events(self, events):
        self.has_events = events is not None
        events = (events,) if callable(events) else tuple(events or ())
        self.event_sources = events
        self.events = tuple(self._wrap(event, gives_state=False) for event in events)
        self.directions = [int(np.sign(getattr(event, "direction", 0))) for event in events]
        self.allowed = []
        for event in events:
            terminal = getattr(event, "terminal", None)
            terminal = 0 if terminal is None else terminal
            if int(terminal) != terminal or terminal < 0:
                raise ValueError(
                    "The `terminal` attribute of each event must be a boolean or positive integer."
                )
            self.allowed.append(int(terminal))

    def _take_rows(self, options):
        self.rows = {}
        for kind in ("invariants", "constraints"):
            given = options.pop(kind, None) or {}
            if callable(given):
                given = {kind[:-1]: given}
            if not hasattr(given, "items"):
                given = {getattr(row, "__name__", f"{kind[:-1]}{k}"): row for k, row in enumerate(given)}
            for name, row in given.items():
                if name in self.rows:
                    raise _keel.OptionError(f"`{name}` is an invariant and a constraint")
                self.rows[name] = (row, self._wrap(row, gives_state=False), kind == "constraints")

    def _take_method(self, method, options):
        name = method if isinstance(method, str) else getattr(method, "__name__", "")
        stepper = name.split("+")[0]
        if name not in METHODS and stepper not in _ORDERS and stepper not in ("", "auto"):
            raise ValueError(
                f"`method` must be one of {', '.join(METHODS)}, or a method of keel "
                f"(keel.methods() lists them), it is {method!r}"
            )
        self.method = METHODS.get(name, name)

    def _take_jacobian(self, options):
        parts = [options.pop(name, None) for name in ("jac", "jac_sparsity", "lband", "uband")]
        jac = parts[0]
        order_explicit = self.method in ("dopri5", "bs32", "dop853")
        idle = [
            name for name, part in zip(("jac", "jac_sparsity", "lband", "uband"), parts) if part is not None
        ]
        if idle and order_explicit:
            warnings.warn(
                "The following arguments have no effect for a chosen solver: "
                f"{', '.join(f'`{name}`' for name in idle)}.",
                stacklevel=4,
            )
            self.jacobian = {}
            return
        if callable(jac):
            own, args = jac, self.args
            wrapped = (
                (lambda t, u: own(t, u.view(complex), *args))
                if self.is_complex
                else (lambda t, u: own(t, u, *args))
            )
            parts[0] = wrapped
        self.jacobian = jacobian(*parts, self.n, self.is_complex)

    def _take_options(self, options):
        if options.pop("min_step", 0):
            raise _keel.OptionError(
                "`min_step` is not taken: keel ends a run whose steps fall below what the clock " "resolves"
            )
        rtol, atol = options.pop("rtol", 1e-3), options.pop("atol", 1e-6)
        if np.any(np.asarray(rtol) < _SMALLEST):
            warnings.warn(
                "At least one element of `rtol` is too small. Setting `rtol = np.maximum(rtol, "
                f"{_SMALLEST})`.",
                stacklevel=4,
            )
            rtol = np.maximum(rtol, _SMALLEST)
        self.plan = {"rtol": float(np.min(rtol))}
        self._take_atol(np.asarray(atol, dtype=float))
        if np.ndim(rtol) and np.shape(rtol) != (self.n,):
            raise ValueError("`rtol` has wrong shape.")
        length = abs(self.end - self.t0)
        first, longest = options.pop("first_step", None), options.pop("max_step", np.inf)
        if first is not None and not first > 0:
            raise ValueError("`first_step` must be positive.")
        if first is not None and first > length:
            raise ValueError("`first_step` exceeds bounds.")
        if not longest > 0:
            raise ValueError("`max_step` must be positive.")
        self.plan.update(first_step=first, max_step=longest)
        for name, value in options.items():
            if name not in _FIELDS:
                raise TypeError(
                    f"solve_ivp() got an unexpected keyword argument {name!r}: keel.options() lists all"
                )
            self.plan[_FIELDS[name]] = value
        if isinstance(self.plan.get("keep"), (list, tuple)):
            self.plan["keep"] = ", ".join(self.plan["keep"])
        if self.plan.get("step"):
            self.plan.pop("rtol"), self.plan.pop("atol", None)

    def _take_atol(self, atol):
        self.atol = None
        if np.any(atol < 0):
            raise ValueError("`atol` must be positive.")
        if atol.ndim == 0:
            self.plan["atol"] = max(float(atol), 1e-300)
            return
        if atol.shape != (self.n,):
            raise ValueError("`atol` has wrong shape.")
        self.atol = np.maximum(np.repeat(atol, 2) if self.is_complex else atol, 1e-300)


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
        "empty": np.empty,
        "convert": convert,
        **problem.jacobian,
    }
    plan = dict(problem.plan)
    return _with_method(problem, plan, lambda: _keel.solve(spec, plan))


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


def _trace(problem):
    """The model that the functions are; None: they are called."""
    if (
        problem.trace is False
        or problem.trace is None
        and (problem.is_complex or max(problem.allowed, default=0) > 1)
    ):
        return None
    try:
        return Traced(problem)
    except TraceError as error:
        if problem.trace:
            raise
        name = getattr(problem.source, "__name__", "the function")
        warnings.warn(f"{name} is called from Python, more slowly: {error}", TraceWarning, stacklevel=3)
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


def _in_words_of_y(words):
    """States as the functions name them."""
    return re.sub(r"\bu\[?(\d+)\]?(?!\w)", r"y[\1]", words)


def _result(problem, made, compiled):
    made["message"] = _in_words_of_y(made["message"])
    made["diagnosis"] = tuple(
        tuple(_in_words_of_y(part) if isinstance(part, str) else part for part in group)
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
    if np.isinf(problem.end):
        raise _keel.OptionError("t_span must end at a finite time")
    start = problem.y0.view(float) if problem.is_complex else problem.y0
    _check_constraints(problem, start)
    traced = _trace(problem)
    if traced is None:
        return _result(problem, _called(problem), False)
    nodes = _NODES if problem.dense_output else 0
    plan = dict(problem.plan)
    made = _with_method(problem, plan, lambda: traced.run(plan, nodes))
    return _result(problem, made, traced.compiled)
