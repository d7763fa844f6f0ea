"""keel.Model: a model's text, what the analysis finds in it, its runs."""

import difflib
import html
import math
import os
import re

import numpy as np

from . import _keel
from ._analysis import Analyses
from ._discover import Discovery
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


def _take(values, name, value):
    """A value of a parameter into `values`: a float, an expression, or an array of floats by its elements."""
    kind = type(value)
    if kind is str or kind is float and -math.inf < value < math.inf:
        values[name] = value
        return
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.isfinite(array).all():
        wanted = "a finite number, an array of them or an expression"
        raise _keel.OptionError(f"`{name}` must be {wanted}, it is {value!r}")
    if array.ndim == 0:
        values[name] = float(array)
    for index in np.ndindex(array.shape) if array.ndim else ():
        values[name + "".join(f"[{k + 1}]" for k in index)] = float(array[index])


class Model(Analyses):
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
    to : float or str, optional
        The end of the runs, in place of the text's.
    sensitivity : str or sequence of str, optional
        Parameters, and unknowns or derivatives that `init` gives: every column gets its derivative by each
        of them, as in ``r["d/dg x"]``.

    One model may be used by several threads: each run has a reading of the text to itself.

    >>> m = Model("var x\\nx' = -x\\ninit x = 1\\nrun 0 .. 1")
    >>> round(float(m.run(rtol=1e-10)["x"][-1]), 9)
    0.367879441
    """

    def __init__(self, source, name=None, *, set=None, interpret=False, to=None, sensitivity=None):
        path = os.fspath(source)
        if (
            isinstance(source, os.PathLike)
            or "\n" not in path
            and (path.endswith(".keel") or os.path.exists(path))
        ):
            with open(path, encoding="utf-8") as file:
                self.text = file.read()
            if re.search(r"^\s*(import|table)\b", self.text, re.MULTILINE):  # what lies beside it
                self.text = _keel.Model(path, None, [], True, True).text()
            self.name = name or path
        else:
            self.text = path
            self.name = name or "model"
        self.interpret = bool(interpret)
        self.set, self.to = dict(set or {}), to
        self.sensitivity = sensitivity if sensitivity is None else _listed(sensitivity)
        own = {}
        for key, value in self.set.items():
            _take(own, key, value)
        base = [f"{key}={value}" for key, value in own.items()]
        end = to if to is None or isinstance(to, str) else repr(float(to))
        self._readings = Readings(self.name, self.text, self.interpret, base, end, self.sensitivity)
        self._readings.give(self._readings.take(()))
        self._known = None

    @property
    def _facts(self):
        if self._known is None:
            lent = self._readings.take(())
            self._known = lent[0].known()
            self._readings.give(lent)
            self._heads = {name.partition("[")[0] for name, _ in self._known["parameters"]}
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

    def discover(self, degree=None, *, functions=None, seed=1, limit=None):
        """Invariants that nobody stated: a list of `Found`.

        All polynomials up to `degree` (4, or less where there would be more than `limit` monomials) of the states, the
        functions that the model uses, and `functions`, as in "1/(x^2 + y^2), atan(x)".

        >>> m = Model("canonical q, p\\nhamiltonian p^2/2 + q^4\\ninit q = 1, p = 0\\nrun 0 .. 1")
        >>> m.discover()[0].text
        '2*q^4 + p^2'
        """
        if functions is not None and not isinstance(functions, str):
            functions = ", ".join(functions)
        for name, value in (("degree", degree), ("limit", limit)):
            if value is not None and not 1 <= value <= 100_000_000:
                raise _keel.OptionError(f"{name} must be a whole number from 1 on, not {value}")
        reading = _keel.Model(self.name, self.text, self._readings.base, True, False, self._readings.to, None)
        return Discovery(*reading.discover(degree or 0, limit or 0, functions, seed))

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
        return self._readings.use(values, self._run, given, values, to, at, points, every, steps)

    def _sort(self, words, set):
        """Keywords into options and values of parameters."""
        given, values = {}, {}
        for name, value in words.items():
            field = _FIELDS.get(name)
            if field is None:
                if self._facts and name not in self._heads:
                    self._refuse_keyword(name)
                _take(values, name, value)
            elif self._facts and name in self._heads:
                raise _keel.OptionError(
                    f"`{name}` is an option and a parameter of the model: "
                    f"give the parameter by set={{{name!r}: {value!r}}}"
                )
            else:
                given[field] = value
        if set is not None and not hasattr(set, "items"):
            raise _keel.OptionError(f"set must be a dictionary, as {{\"y'\": 0.1}}, it is {set!r}")
        for name, value in (set or {}).items():
            _take(values, name, value)
        return given, values

    def _refuse_keyword(self, name):
        near = difflib.get_close_matches(name, [*self._heads, *options()], 1)
        there = ", ".join(sorted(self._heads))
        hint = f"did you mean `{near[0]}`?" if near else f"the parameters are {there}"
        start = " (a start value goes into `set`)" if name in self.columns else ""
        raise _keel.OptionError(f"there is no option and no parameter `{name}`{start}; {hint}")

    def _own_options(self, reading, names, given):
        """The options of the text that are not given, and its output times; None: they depend on `names`."""
        own, output = {}, {}
        for name, value in self._facts["options"]:
            if name == "clock":  # the reading has it
                continue
            field = _FIELDS.get(name.replace("-", "_"))
            if names and field not in _TEXTS and reading.moves(names, value):
                return None
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

    def _run(self, reading, names, numbers, given, values, to, at, points, every, steps):
        """None: the values must be read."""
        output = {}
        if (self._known or self._facts)["options"]:
            found = self._own_options(reading, names, given)
            if found is None:
                return None
            own, output = found
            given = {**own, **given}
        span = reading.span(names, numbers)
        if span is None:
            return None
        begin, end = span
        if to is not None:
            end = reading.number(to) if isinstance(to, str) else float(to)
            if not math.isfinite(end) or end == begin:
                raise _keel.OptionError(f"a run goes from {begin!r} to another finite time, not to {to!r}")
        plan = dict(given)
        if "method" not in given and "step" not in given and not given.get("reversible"):
            plan["method"] = "auto"
        if steps:
            times = None
        elif at is None:
            times = self._times(reading, begin, end, points, every, output)
        else:
            times = _doubles(at)
        made = reading.run(plan, (begin, end), times, steps, 0, 0.0, names, numbers)
        if made is None:
            return None
        result = Result(self, made, plan, values, begin, end)
        if made["status"] < 0:
            error = _keel.RunError(result._made["message"])
            error.result = result
            raise error
        return result

    def sweep(
        self,
        to=None,
        *,
        over=None,
        zip=False,
        draw=None,
        table=None,
        count=None,
        seed=1,
        sample="random",
        times=None,
        every=None,
        columns=None,
        extrema=False,
        events=None,
        summary=None,
        keep_values=True,
        workers=None,
        out=None,
        progress=False,
        set=None,
        **words,
    ):
        """Many runs, with other parameters and start values each time, on all cores.

        Each member has the bits of a run with its values; they are those of `keel sweep`, whatever the number
        of workers.  A member that fails leaves the others alone: ``s.failed`` has its sentence.

        Parameters
        ----------
        to : float or str, optional
            Where all runs end; by default as the model's `run` has it.
        over : dict or list of str, optional
            ``{"g": np.linspace(1, 20, 50), "y'": "0:3:4"}``: axes of a grid, the last one fastest.
        zip : bool, optional
            The lists of `over` go side by side.
        draw : dict or list of str, optional
            ``{"e": "uniform(0, 0.9)", "k": "normal(2, 0.1)"}``: also lognormal.
        table : path, dict or DataFrame, optional
            A column for each value, a line for each member.
        count : int, optional
            So many repetitions, with other draws.
        seed, sample : int, str, optional
            Of the draws; "random", "sobol" or "latin".
        times, every : array_like, float, optional
            Times at which columns are kept; without them their values at the end.
        columns : list of str, optional
            These alone.
        extrema : bool, optional
            Smallest, largest and mean of each column over the run, in ``s.extrema``.
        events : str, optional
            The times of this event and the columns there, in ``s.events``: a section.
        summary : str, optional
            ``"mean, std, q05"``: over all members, in ``s.summary``; with ``keep_values=False`` only that is
            kept, in memory that hardly grows.
        workers : int, optional
            Threads; one for each core by default.
        out : path, optional
            A file for the result: .npz, or .nc and .h5 by xarray.
        progress : bool or callable, optional
            Shows how far it is; ``progress(done, members)`` is called now and then.
        set, **words
            As in `run`, for all members; keywords with a list of values are axes, too.

        Returns
        -------
        Sweep

        >>> m = Model("param k = 1\\nvar x\\nx' = -k*x\\ninit x = 1\\nrun 0 .. 1")
        >>> s = m.sweep(over={"k": [1, 2, 3]}, rtol=1e-9)
        >>> [round(float(x), 6) for x in s["x"]]
        [0.367879, 0.135335, 0.049787]
        """
        from . import _sweep

        _sweep.check_file(out)
        axes = {name: words.pop(name) for name in list(words) if _is_list(words[name])}
        over = [*_sweep._texts(over, "over"), *_sweep._texts(axes, "over")]
        given, values = self._sort(words, set)
        asked = {
            "over": over, "zip": zip, "draw": draw, "table": table, "count": count, "seed": seed,
            "sample": sample, "columns": columns, "extrema": extrema, "events": events, "summary": summary,
            "keep_values": keep_values, "workers": workers, "progress": progress,
        }  # fmt: skip
        model = self
        if to is not None or values:
            to = self.to if to is None else to
            own = {**self.set, **values}
            model = _again(self.text, self.name, own, self.interpret, to, self.sensitivity)
        lent = model._readings.take(())
        try:
            result = model._sweep(lent[0], given, times, every, asked)
        finally:
            model._readings.give(lent)
        if out is not None:
            result.save(out)
        return result

    def _sweep(self, reading, given, times, every, asked):
        from . import _sweep

        own, output = self._own_options(reading, (), given)
        fixed = [(name, value) for name, value in self._facts["options"] if _FIELDS.get(name) not in _TEXTS]
        begin, end = reading.span((), ())
        if times is None and (every is not None or "every" in output or "at" in output):
            times = self._times(reading, begin, end, None, every, output)
        if times is not None:
            times = np.unique(np.asarray(times, dtype=float))
            times = np.ascontiguousarray(times if end >= begin else times[::-1])
            outside = (times - begin) * (times - end) > 0
            if outside.any():
                raise _keel.OptionError(
                    f"the time {times[outside][0]!r} lies outside of the run, {begin!r} .. {end!r}"
                )
        return _sweep.sweep(self, reading, {**own, **given}, fixed, times, asked)

    @staticmethod
    def _times(reading, begin, end, points, every, output):
        if every is None and points is None and output:
            every = reading.number(output["every"]) if "every" in output else None
            points = int(reading.number(output["points"])) if "points" in output else None
            if "at" in output:
                return np.array([reading.number(word) for word in output["at"].strip('"').split(",")])
        if every is not None:
            if not isinstance(every, (int, float, np.number)) or not every > 0:
                raise _keel.OptionError(f"every must be a positive number, it is {every!r}")
            return begin + np.sign(end - begin) * every * np.arange(
                int(abs(end - begin) / every * (1 + 1e-15)) + 1
            )
        if points is not None and not (isinstance(points, (int, np.integer)) and points >= 1):
            raise _keel.OptionError(f"points must be a whole number from 1 on, it is {points!r}")
        return np.linspace(begin, end, POINTS if points is None else points)

    def sample(self, result, times):
        """Values of all columns at these times, by the same run once more: the same bits, rows at
        round-off."""
        times = np.atleast_1d(np.asarray(times, dtype=float))
        order = np.unique(times)
        wanted = order if result.end >= result.begin else order[::-1].copy()
        span = (result.begin, result.end)
        made = self._readings.use(
            result._values,
            lambda reading, *values: reading.run(result._plan, span, wanted, False, 0, 0.0, *values),
        )
        if made["status"] < 0:
            raise _keel.RunError(made["outcome"].expand()["message"])
        table = np.asarray(made["y"])
        table = table if result.end >= result.begin else table[::-1]
        return table[np.searchsorted(order, times)]

    # Copies.

    def __reduce__(self):
        return _again, (self.text, self.name, self.set, self.interpret, self.to, self.sensitivity)

    def __copy__(self):
        return _again(self.text, self.name, self.set, self.interpret, self.to, self.sensitivity)

    def __deepcopy__(self, memo):
        return _again(self.text, self.name, self.set, self.interpret, self.to, self.sensitivity)

    def __repr__(self):
        facts = self._facts
        return f"<keel.Model {facts['name']}: {len(facts['columns'])} columns>"


def _is_list(value):
    return not isinstance(value, str) and np.ndim(value) > 0


def _doubles(times):
    if type(times) is np.ndarray and times.ndim == 1 and times.dtype == float and times.flags.c_contiguous:
        return times
    return np.ascontiguousarray(np.atleast_1d(times), dtype=float)


_TEXTS = {"method", "keep", "sets", "norm"}


def _listed(names):
    return names if isinstance(names, str) else ", ".join(names)


def _again(text, name, set, interpret, to=None, sensitivity=None):
    text = text if "\n" in text else text + "\n"
    return Model(text, name, set=set, interpret=interpret, to=to, sensitivity=sensitivity)


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
