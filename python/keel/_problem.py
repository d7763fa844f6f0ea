"""The arguments of solve_ivp and solve_dae, checked."""

import warnings

import numpy as np

from . import _keel
from ._jacobian import jacobian
from ._model import _FIELDS, _ORDERS
from ._native import native

METHODS = {
    "RK45": "dopri5",
    "RK23": "bs32",
    "DOP853": "dop853",
    "Radau": "radau",
    "BDF": "bdf",
    "LSODA": "auto",
}
EXPLICIT = ("dopri5", "bs32", "dop853")
FOREVER = 1e300  # an event or the limit of steps ends a run to infinity
_SMALLEST = 100 * np.finfo(float).eps


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
        self.end = max(-FOREVER, min(FOREVER, self.end))
        self._take_start(y0)
        self.dense_output = bool(dense_output)
        self.args = self._unpack(args)
        self.source, self.vectorized = fun, bool(vectorized)
        self.native = native(fun)
        if self.native:
            self._check_native()
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

    def _check_native(self):
        if self.is_complex or self.vectorized:
            raise _keel.OptionError("a C function takes real states, one at a time")
        try:
            self.native = self.native.with_args(self.args)
        except (TypeError, ValueError):
            raise _keel.OptionError("`args` of a C function must be numbers: its data points to them") from None

    def start(self):
        """The numbers at the start, by the names that a trace has."""
        return {"t": self.t0, **{f"u{k}": value for k, value in enumerate(self.y0.tolist())}}

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
        order_explicit = self.method in EXPLICIT
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
