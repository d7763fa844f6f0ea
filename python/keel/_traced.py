"""Runs of functions that were traced: the models they are, kept for the next call."""

import collections
import threading
import time

import numpy as np

from . import _keel
from ._readings import CompleteReadings
from ._result import expanded
from ._symbols import TraceError
from ._trace import Writer, call, explicit, model_text, row_names

KEPT = 64  # models
BUDGET = 0.1  # seconds in the interpreter, of all runs of a text: as long as the compiler takes


class _Entry:
    def __init__(self, text):
        self.interpreted, self.compiled = (CompleteReadings("traced", text, b) for b in (True, False))
        self.left = BUDGET  # of the runs so far; nothing: the compiler pays

    @property
    def long(self):
        return self.left <= 0


_entries = collections.OrderedDict()
_lock = threading.Lock()


def _entry(text):
    with _lock:
        entry = _entries.get(text)
        if entry is None:
            entry = _entries[text] = _Entry(text)
            if len(_entries) > KEPT:
                _entries.popitem(last=False)
        _entries.move_to_end(text)
        return entry


def _one(function, problem, what):
    nodes = call(function, problem.n, problem.args, problem.start())
    if len(nodes) != 1:
        raise TraceError(f"{what} must give one value")
    return nodes[0]


def _right_sides(problem):
    nodes = call(problem.source, problem.n, problem.args, problem.start(), problem.vectorized)
    if len(nodes) != problem.n:
        raise TraceError(f"it must give {problem.n} values, it gives {len(nodes)}")
    return nodes, explicit, ()


def _write(problem, equations):
    """The text, the values of its parameters, the names of its rows.  `equations`: nodes, how texts of them
    become lines, which start values are guesses."""
    writer, n = Writer(), problem.n
    nodes, lines, guessed = equations(problem)
    rows = {name: _one(row, problem, name) for name, (row, _, _) in problem.rows.items()}
    events = [_one(event, problem, "an event") for event in problem.event_sources]
    texts = writer.add([*nodes, *rows.values(), *events])
    names = row_names(rows)
    first = len(nodes)
    row_texts = dict(zip((names[name] for name in rows), texts[first : first + len(rows)]))
    marked = list(zip(texts[first + len(rows) :], problem.directions, problem.allowed))
    text = model_text(n, lines(texts[:first]), row_texts, marked, writer, _marks(problem), guessed)
    return text, {name: value for value, name in writer.numbers.items()}, names


def _marks(problem):
    """What is said of each unknown: the letters of the parameters."""
    return ({"atol": "a"} if problem.atol is not None else {}) | ({"scale": "z"} if problem.rows else {})


def _values(problem, numbers):
    values = {"begin_time": problem.t0, "end_time": problem.end}
    values |= {f"s{k}": value for k, value in enumerate(problem.y0.tolist())}
    if problem.atol is not None:
        values |= {f"a{k}": value for k, value in enumerate(problem.atol.tolist())}
    if problem.rows:
        values |= {f"z{k}": value for k, value in enumerate(problem.sizes().tolist())}
    return values | {name: float(value) for name, value in numbers.items()}


class Traced:
    """A problem of solve_ivp as a model.  TraceError: it cannot be one."""

    def __init__(self, problem, equations=None):
        self.may_be_called = equations is None
        equations = equations or _right_sides
        if problem.is_complex:
            raise TraceError("complex numbers are not traced")
        if any(count > 1 for count in problem.allowed):
            raise TraceError("events that end the run at their second time or later are not traced")
        self.problem = problem
        self.text, numbers, self.names = _write(problem, equations)
        self.values = _values(problem, numbers)
        self.entry = _entry(self.text)
        self.compiled = False
        self._read(self.entry.compiled if self.entry.long else self.entry.interpreted)

    def _read(self, readings):
        """So that what a model refuses is told before the run."""
        try:
            readings.use(self.values, lambda reading, *values: reading.span(*values))
        except _keel.ModelError as error:
            if not self.may_be_called or "is not conserved" in str(error):
                raise
            raise TraceError(f"as a model it is refused: {str(error).strip()}") from error

    def run(self, plan, nodes):
        problem = self.problem
        plan = dict(plan)
        if plan.get("keep"):
            plan["keep"] = ", ".join(
                self.names.get(name.strip(), name.strip()) for name in plan["keep"].split(",")
            )
        if problem.atol is not None:
            plan.pop("atol", None)
        if not self.entry.long:
            begin = time.perf_counter()
            made = self._by(self.entry.interpreted, plan, nodes, self.entry.left)
            self.entry.left = 0 if made["late"] else self.entry.left - (time.perf_counter() - begin)
            if not made["late"]:
                return made
        made = self._by(self.entry.compiled, plan, nodes, 0.0)
        self.compiled = True
        return made

    def _by(self, readings, plan, nodes, budget):
        times = self.problem.times
        made = readings.use(
            self.values,
            lambda reading, *values: reading.run(plan, None, times, times is None, nodes, budget, *values),
        )
        return self._as_called(expanded(made))

    def _as_called(self, made):
        """Columns, rows and events as a run of callbacks gives them."""
        columns, n = made["columns"], self.problem.n
        wanted = [f"u{k}" for k in range(n)]
        if columns != tuple(wanted):
            pick = [columns.index(name) for name in wanted]
            for key in ("y", "between", "event_y"):
                if key in made:
                    made[key] = np.ascontiguousarray(np.asarray(made[key])[:, pick])
        back = {own: name for name, own in self.names.items()}
        made["rows"] = [(back.get(row[0], row[0]), *row[1:]) for row in made["rows"]]
        if "event" in made:
            made["event"] = np.array([float(name[1:]) for _, name, *_ in made["happened"]])
        return made
