"""Beyond one trajectory: fits, equilibria, periodic orbits, sections, Lyapunov exponents."""

import os

import numpy as np

from . import _keel

_SECTION = "poincare_section"  # KEEL_SECTION


def _asked(model, sensitivity, set, words, method, spec, to=None):
    """`method(spec, options)` of a reading with these sensitivities, values and, if given, this end."""
    from ._model import _again

    given, values = model._sort(words, set)
    own = {**model.set, **values}
    other = _again(model.text, model.name, own, model.interpret, model.to if to is None else to, sensitivity)
    lent = other._readings.take(())
    try:
        options = {**other._own_options(lent[0], (), given)[0], **given}
        if "method" not in options and "step" not in options and not options.get("reversible"):
            options["method"] = "auto"
        return getattr(lent[0], method)(spec, options)
    finally:
        other._readings.give(lent)


def _names(given):
    return given if given is None or isinstance(given, str) else ", ".join(given)


# Fits -------------------------------------------------------------------------------------------------------


def _table(number, given):
    """A file as (name, bytes); columns by their names as (name, names, numbers)."""
    if isinstance(given, (str, os.PathLike)):
        with open(given, "rb") as file:
            return str(given), file.read()
    if not hasattr(given, "items"):
        raise _keel.OptionError("data: a CSV file or columns by their names are needed, as {'t': ..., 'x': ...}")
    columns = {str(name): np.asarray(values, dtype=float).ravel() for name, values in given.items()}
    if len({column.size for column in columns.values()}) > 1:
        raise _keel.OptionError("data: all columns must have the same length")
    numbers = np.ascontiguousarray(np.stack(list(columns.values()), axis=1)) if columns else np.empty((0, 0))
    return f"data {number + 1}", list(columns), numbers


def _items(given, example):
    if given is not None and not hasattr(given, "items"):
        raise _keel.OptionError(f"values by their names are needed, as {example}")
    return (given or {}).items()


def _bound(name, ends):
    low, high = ends
    return f"{name}={'' if low is None else repr(float(low))}:{'' if high is None else repr(float(high))}"


class Fit:
    """Fitted values: ``f["g"]``; with ``deviation``, ``interval`` and ``start`` by their names, ``covariance``,
    ``columns`` (sigma and residual of each), ``free`` (what the data cannot tell apart), ``doubts``,
    ``points`` (experiment, column, t, value, sigma, fitted of every number)."""

    def __init__(self, made):
        self.names = [row[0] for row in made["values"]]
        self.start = {row[0]: row[1] for row in made["values"]}
        self.values = {row[0]: row[2] for row in made["values"]}
        self.deviation = {row[0]: row[3] for row in made["values"]}
        self.interval = {row[0]: (row[4], row[5]) for row in made["values"]}
        self.bound = {row[0]: (None, "upper", "lower")[row[6]] for row in made["values"]}
        self.covariance = np.asarray(made["covariance"])
        self.columns = {
            name: {"points": count, "sigma": sigma, "residual": residual, "correlation": correlation}
            for name, count, sigma, residual, correlation in made["columns"]
        }
        self.points = np.asarray(made["points"])
        self.free, self.doubts = made["free"], made["doubts"]
        for name in ("experiments", "missing", "freedom", "sigma_given", "chi_square", "steps", "runs"):
            setattr(self, name, made[name])

    @property
    def correlation(self):
        """The correlations of the values."""
        deviation = np.sqrt(np.diag(self.covariance))
        return self.covariance / np.outer(deviation, deviation)

    def __getitem__(self, name):
        return self.values[name]

    def __repr__(self):
        lines = [f"{name} = {self.values[name]:.10g} +- {self.deviation[name]:.2g}" for name in self.names]
        return "\n".join(lines + [f"free: {text}" for text in self.free] + [f"doubt: {text}" for text in self.doubts])


def _fit(model, data, names, sigma, bounds, experiment, columns, set, words):
    several = isinstance(data, (list, tuple))
    spec = {
        "tables": [_table(i, one) for i, one in enumerate(data if several else [data])],
        "sigma": [f"{name}={float(value)!r}" for name, value in _items(sigma, "sigma={'x': 0.01}")],
        "bounds": [_bound(name, ends) for name, ends in _items(bounds, "bounds={'g': (0, 20)}")],
        "experiment": experiment,
        "columns": _names(columns),
    }
    return Fit(_asked(model, _names(names), set, words, "fit", spec))


# Orbits and equilibria --------------------------------------------------------------------------------------


class Orbit:
    """A periodic orbit: ``period``, ``start`` (states by their names), ``multipliers`` (complex; trivial ones are
    left out and named in ``trivial``), ``family``, ``turns``, ``closing``, ``error``, ``product``; ``t`` and
    ``points``, states along a period."""

    def __init__(self, made, begin):
        for name in ("period", "guess", "defect", "closing", "error", "product", "steps", "family", "turns"):
            setattr(self, name, made[name])
        self.autonomous, self.trivial = made["autonomous"], made["trivial"]
        self.start = dict(made["start"])
        self.multipliers = np.array([complex(row[0], row[1]) for row in made["multipliers"]])
        self.points = np.asarray(made["points"])
        self.t = begin + np.linspace(0, self.period, len(self.points))

    def __getitem__(self, name):
        return self.points[:, list(self.start).index(name)]

    def __repr__(self):
        family = f", one of a family in {self.family} directions" if self.family else ""
        return f"<keel.Orbit of period {self.period:.15g}{family}>"


def _orbit(model, period, hold, segments, points, set, words):
    if segments is not None and (segments < 1 or int(segments) != segments):
        raise _keel.OptionError(f"segments must be a whole number from 1 on, not {segments}")
    spec = {
        "period": None if period is None else float(period),
        "hold": _names(hold),
        "segments": None if segments is None else float(segments),
        "points": float(points),
    }
    made = _asked(model, "*", set, words, "orbit", spec)
    lent = model._readings.take(())
    try:
        begin = lent[0].span((), ())[0]
    finally:
        model._readings.give(lent)
    return Orbit(made, begin)


class Steady:
    """An equilibrium: ``state`` by names, ``eigenvalues``, ``stability`` ("stable", "unstable", "undecided"),
    ``family``, ``rate``."""

    def __init__(self, made):
        self.state = dict(made["state"])
        self.eigenvalues = np.array(made["eigenvalues"], dtype=complex)
        self.stability, self.family = made["stability"], made["family"]
        self.rate, self.steps = made["rate"], made["steps"]

    def __getitem__(self, name):
        return self.state[name]

    def __repr__(self):
        return f"<keel.Steady, {self.stability}: {self.state}>"


def _steady(model, hold, set, words):
    return Steady(_asked(model, "*", set, words, "steady", {"hold": _names(hold)}))


# Lyapunov exponents and sections ----------------------------------------------------------------------------


class Lyapunov:
    """``exponents`` and their standard ``errors``, the largest first; ``sum`` and ``sum_error``; ``left_out``:
    invariants, each with a zero across its level sets."""

    def __init__(self, made):
        self.exponents = np.array([value for value, _ in made["exponents"]])
        self.errors = np.array([error for _, error in made["exponents"]])
        self.sum, self.sum_error = made["sum"]
        self.left_out = made["left_out"]

    def __repr__(self):
        pairs = (f"{value:+.6g} +- {error:.2g}" for value, error in zip(self.exponents, self.errors))
        return "\n".join(pairs)


def _lyapunov(model, to, transient, set, words):
    spec = {"transient": None if transient is None else float(transient)}
    return Lyapunov(_asked(model, "*", set, words, "lyapunov", spec, to if to is None else float(to)))


def _section(model, plane, to, words):
    from ._model import _again

    if not isinstance(plane, str):
        raise _keel.OptionError("a plane is a text, as in 'x - 1 rising'")
    if plane.split()[-1:] not in (["rising"], ["falling"], ["crossing"]):
        plane += " rising"
    text = f"{model.text}\nevent {_SECTION}: {plane} -> record\n"
    other = _again(text, model.name, model.set, model.interpret, model.to, model.sensitivity)
    return other.sweep(to, events=_SECTION, **words)


# The methods of a model -------------------------------------------------------------------------------------


class Analyses:
    """What a Model answers beyond its runs."""

    def fit(self, data, names, *, sigma=None, bounds=None, experiment=None, columns=None, set=None, **words):
        """Parameters and start values from data, by least squares on exact sensitivities.

        Parameters
        ----------
        data : path, mapping or list of these
            A CSV file, or columns by their names: ``t``, columns of the model, ``"sigma x"``, parameters that
            differ between experiments.  NaN is a missing value.  Each of a list is an experiment of its own.
        names : str or sequence of str
            What is fitted, beginning at the model's own values.
        sigma, bounds : dict, optional
            ``{"x": 0.01}``, standard deviations of columns; ``{"g": (0, None)}``.
        experiment, columns : optional
            The column whose values tell experiments apart; the columns of the data that count.

        Returns
        -------
        Fit

        >>> import keel
        >>> m = keel.Model("param k = 1\\nvar x\\nx' = -k*x\\ninit x = 1\\nrun 0 .. 1")
        >>> t = np.linspace(0, 1, 9)
        >>> f = m.fit({"t": t, "x": np.exp(-2 * t)}, "k")
        >>> round(f["k"], 6)
        2.0
        """
        return _fit(self, data, names, sigma, bounds, experiment, columns, set, words)

    def orbit(self, period=None, *, hold=None, segments=None, points=1001, set=None, **words):
        """A periodic orbit near the start.

        Parameters
        ----------
        period : float, optional
            About; by default the first return of the run.
        hold : str or sequence of str, optional
            States, invariants, ``"period"`` that stay as they are at the start.
        segments : int, optional
            Of the period, each shot at by itself; by default ten, or fewer of large models.

        Returns
        -------
        Orbit
        """
        return _orbit(self, period, hold, segments, points, set, words)

    def steady(self, *, hold=None, set=None, **words):
        """An equilibrium near the start, and its eigenvalues: a `Steady`."""
        return _steady(self, hold, set, words)

    def lyapunov(self, to=None, *, transient=None, set=None, **words):
        """All Lyapunov exponents of what the constraints allow: a `Lyapunov`."""
        return _lyapunov(self, to, transient, set, words)

    def section(self, plane, to=None, **words):
        """Where motions cross a plane, as ``"x - 1 rising"``: the `Sweep` of the crossings, in ``s.events``.
        Many starts come as in `sweep`; without any it is the model's own."""
        return _section(self, plane, to, words)
