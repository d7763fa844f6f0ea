"""keel.Model: a model's text, what the analysis finds in it, its runs."""

import html
import os

import numpy as np

from . import _keel
from ._certificate import begins_with
from ._readings import Readings
from ._result import Result

_FIELDS = {}
for _name, _typed, _about in _keel.options():
    _FIELDS[_name] = _FIELDS[_typed] = _name
_ORDERS = {name: order for name, order, _ in _keel.methods() if order}
POINTS = 1001


def options():
    """Every option of a run, as {name: one line about it}."""
    return {name: about for name, _, about in _keel.options()}


def methods():
    """Every method and stabilizer, as {name: one line about it}."""
    return {name: about for name, _, about in _keel.methods()}


def _assignments(name, value):
    """A value for a parameter as the text would have it: a number, an expression, an array of numbers."""
    if isinstance(value, str):
        return [f"{name}={value}"]
    if isinstance(value, (float, int)):
        return [f"{name}={float(value)!r}"]
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return [f"{name}={float(array)!r}"]
    return [
        f"{name}" + "".join(f"[{k + 1}]" for k in index) + f"={float(array[index])!r}"
        for index in np.ndindex(array.shape)
    ]


class Model:
    """A model: the path of a file, or the text itself.

    Parameters
    ----------
    source : str or os.PathLike
        A file (its name ends in .keel, or it exists), or the text of a model.
    name : str, optional
        The name in messages; by default that of the file.
    set : dict, optional
        Values of parameters, and start values as ``{"y'": 0.1}``, for all runs.
    interpret : bool, optional
        Call no C compiler: the same bits, more slowly.

    One model may be used by several threads: each run has a reading of the text to itself.

    >>> m = Model("var x\\nx' = -x\\ninit x = 1\\nrun 0 .. 1")
    >>> round(float(m.run(rtol=1e-10)["x"][-1]), 9)
    0.367879441
    """

    def __init__(self, source, name=None, *, set=None, interpret=False):
        path = os.fspath(source)
        if (
            isinstance(source, os.PathLike)
            or "\n" not in path
            and (path.endswith(".keel") or os.path.exists(path))
        ):
            with open(path, encoding="utf-8") as file:
                self.text = file.read()
            self.name = name or path
        else:
            self.text = path
            self.name = name or "model"
        self.interpret = bool(interpret)
        self.set = dict(set or {})
        base = [word for key, value in self.set.items() for word in _assignments(key, value)]
        self._readings = Readings(self.name, self.text, self.interpret, base)
        self._readings.give(self._readings.take(()))
        self._known = None

    @property
    def _facts(self):
        if self._known is None:
            lent = self._readings.take(())
            self._known = lent[0].known()
            self._readings.give(lent)
        return self._known

    # What is in it.

    @property
    def parameters(self):
        """The parameters with their values."""
        return dict(self._facts["parameters"])

    @property
    def columns(self):
        """The names of what a run gives: unknowns, velocities, multipliers, outputs."""
        return [name for name, _, _ in self._facts["columns"]]

    @property
    def compiled(self):
        """Is machine code in use?"""
        return self._facts["compiled"]

    def check(self):
        """What the analysis found: index, freedom, hidden constraints, where start values come from."""
        return Check(self._facts)

    # Runs.

    def run(self, to=None, *, at=None, points=None, every=None, steps=False, set=None, **words):
        """One run.

        Parameters
        ----------
        to : float, optional
            Where it ends; by default as the model's `run` has it.
        at : array_like, optional
            The times at which values are wanted.
        points : int, optional
            So many evenly spaced times instead; without any of these 1001.
        every : float, optional
            Times so far apart instead.
        steps : bool, optional
            The steps themselves instead.
        set : dict, optional
            Values of parameters or at the start, as in ``{"y'": 0.1}``.
        **words
            Options of the run (``keel.options()`` lists them) and values of parameters by their names.

        Returns
        -------
        Result

        >>> m = Model("param k = 1\\nvar x\\nx' = -k*x\\ninit x = 1\\nrun 0 .. 1")
        >>> r = m.run(rtol=1e-10, k=2, at=[1.0])
        >>> round(float(r["x"][0]), 9)
        0.135335283
        """
        given, values = self._sort(words, set)
        lent = self._readings.take(values)
        reading = lent[0]
        try:
            return self._run(reading, given, values, to, at, points, every, steps)
        finally:
            self._readings.give(lent)

    def _sort(self, words, set):
        """Keywords into options and values of parameters."""
        given, values = {}, []
        for name, value in words.items():
            field = _FIELDS.get(name)
            if field is None:
                values += _assignments(name, value)
            elif self._is_parameter(name):
                raise _keel.OptionError(
                    f"`{name}` is an option and a parameter of the model: "
                    f"give the parameter by set={{{name!r}: {value!r}}}"
                )
            else:
                given[field] = value
        for name, value in (set or {}).items():
            values += _assignments(name, value)
        return given, values

    def _is_parameter(self, name):
        return any(own == name or own.startswith(name + "[") for own, _ in self._facts["parameters"])

    def _own_options(self, reading, given):
        """The options of the text that are not given, and its output times."""
        own, output = {}, {}
        for name, value in self._facts["options"]:
            field = _FIELDS.get(name.replace("-", "_"))
            if field is None:
                output[name] = value
            elif field not in given:
                own[field] = value
        fixed = "step" in given or "rtol" not in given and "atol" not in given and "step" in own
        for field in ("rtol", "atol") if fixed else ("step",):
            own.pop(field, None)
        method = given.get("method", own.get("method", ""))
        if "preserve" in output and "+" not in method and "method" not in given:
            own["method"] = f"{method}+{output['preserve']}"
        for field, value in own.items():
            own[field] = value if field in _TEXTS else True if not value else reading.number(value)
        return own, output

    def _run(self, reading, given, values, to, at, points, every, steps):
        output = {}
        if self._facts["options"]:
            own, output = self._own_options(reading, given)
            given = {**own, **given}
        begin, end = reading.span()
        end = end if to is None else float(to)
        plan = dict(given)
        if "method" not in given and "step" not in given and not given.get("reversible"):
            plan["method"] = "auto"
        if at is None and not steps:
            times = self._times(reading, begin, end, points, every, output)
        else:
            times = None if steps else np.ascontiguousarray(np.atleast_1d(at), dtype=float)
        made = reading.run(plan, end, times, steps, 0, 0)
        made["method"] = begins_with(plan.get("method") or ("rk4" if plan.get("step") else "dop853"))
        result = Result(self, made, plan, tuple(values), begin, end)
        if made["status"] < 0:
            error = _keel.RunError(made["message"])
            error.result = result
            raise error
        return result

    @staticmethod
    def _times(reading, begin, end, points, every, output):
        if every is None and points is None and output:
            every = reading.number(output["every"]) if "every" in output else None
            points = int(reading.number(output["points"])) if "points" in output else None
            if "at" in output:
                return np.array([reading.number(word) for word in output["at"].strip('"').split(",")])
        if every is not None:
            if not every > 0:
                raise _keel.OptionError(f"every must be positive, it is {every!r}")
            return begin + np.sign(end - begin) * every * np.arange(
                int(abs(end - begin) / every * (1 + 1e-15)) + 1
            )
        if points is not None and points < 1:
            raise _keel.OptionError(f"points must be at least 1, it is {points!r}")
        return np.linspace(begin, end, POINTS if points is None else points)

    def sample(self, result, times):
        """Values of all columns at these times, by the same run once more: the same bits, rows at
        round-off."""
        times = np.atleast_1d(np.asarray(times, dtype=float))
        order = np.unique(times)
        lent = self._readings.take(result._values)
        try:
            wanted = order if result.end >= result.begin else order[::-1].copy()
            made = lent[0].run(result._plan, result.end, wanted, False, 0, 0)
        finally:
            self._readings.give(lent)
        if made["status"] < 0:
            raise _keel.RunError(made["message"])
        table = np.asarray(made["y"])
        table = table if result.end >= result.begin else table[::-1]
        return table[np.searchsorted(order, times)]

    # Copies.

    def __reduce__(self):
        return _again, (self.text, self.name, self.set, self.interpret)

    def __copy__(self):
        return _again(self.text, self.name, self.set, self.interpret)

    def __deepcopy__(self, memo):
        return _again(self.text, self.name, self.set, self.interpret)

    def __repr__(self):
        facts = self._facts
        return f"<keel.Model {facts['name']}: {len(facts['columns'])} columns>"


_TEXTS = {"method", "keep", "sets", "norm"}


def _again(text, name, set, interpret):
    model = Model.__new__(Model)
    Model.__init__(model, text if "\n" in text else text + "\n", name, set=set, interpret=interpret)
    return model


class Check:
    """What the analysis of a model found."""

    _ORIGIN = ("from the equations", "from the equations, near the guess", "init", "free: keeps its guess")

    def __init__(self, facts):
        first = facts["modes"][facts["start"]]
        self.name = facts["name"]
        self.index, self.free_values, self.degrees_of_freedom = first[1:4]
        self.hidden = [(name, text) for name, _, text, _ in first[7]]
        self.modes = [mode[0] for mode in facts["modes"] if mode[0]]
        self.parameters = dict(facts["parameters"])
        self.start = {name: self._ORIGIN[origin] for name, _, origin in facts["columns"]}
        self.free = list(facts["free"])
        self.compiled, self.why_not, self.message = facts["compiled"], facts["why_not"], facts["message"]

    def _lines(self):
        yield "index", str(self.index)
        yield "free start values", str(self.free_values)
        if self.degrees_of_freedom >= 0:
            yield "degrees of freedom", str(self.degrees_of_freedom)
        for name, text in self.hidden:
            yield f"hidden: {name}", f"0 = {text}"
        for name, origin in self.start.items():
            yield f"start of {name}", origin
        if not self.compiled and self.why_not:
            yield "interpreted", self.why_not

    def __repr__(self):
        return "\n".join([self.name] + [f"  {name:<24} {text}" for name, text in self._lines()])

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in self._lines()
        )
        return f"<b>{html.escape(self.name)}</b><table>{rows}</table>"
