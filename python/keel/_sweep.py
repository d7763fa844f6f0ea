"""Sweeps: one model run many times, with other parameters and start values each time."""

import html
import re
import sys
import time

import numpy as np

from . import _keel

_SAMPLES = ("random", "sobol", "latin")
_STATISTICS = ("count", "mean", "std", "min", "max")


# What varies ------------------------------------------------------------------------------------------------


def _texts(given, what):
    """{"g": values} or ["g = 1:20:200"] as the texts that a plan takes."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if not hasattr(given, "items"):
        return [str(text) for text in given]
    texts = []
    for name, values in given.items():
        if not isinstance(values, str):
            array = np.asarray(values, dtype=float)
            if array.ndim != 1 or array.size == 0:
                raise _keel.OptionError(f"{what}: `{name}` needs a list of numbers, or a text as in 1:20:200")
            values = ", ".join(map(repr, array.tolist()))
        texts.append(f"{name} = {values}")
    return texts


def _table(given):
    """A file, {"g": values}, or anything with columns and to_csv (a pandas.DataFrame), as (name, CSV)."""
    if given is None:
        return None
    if hasattr(given, "to_csv"):
        return "table", given.to_csv(index=False)
    if hasattr(given, "items"):
        columns = [np.asarray(values, dtype=float).ravel().tolist() for values in given.values()]
        if len({len(column) for column in columns}) != 1:
            raise _keel.OptionError("table: all columns must have the same length")
        lines = [",".join(given)] + [",".join(map(repr, row)) for row in zip(*columns)]
        return "table", "\n".join(lines) + "\n"
    with open(given, encoding="utf-8") as file:
        return str(given), file.read()


def _statistics(given):
    """What `summary` asks for, and as the extension takes it: a number, or the part of a quantile."""
    words = [word.strip() for word in given.split(",")] if isinstance(given, str) else list(given or ())
    asked = []
    for word in words:
        if word in _STATISTICS:
            asked.append(_STATISTICS.index(word))
        elif re.fullmatch(r"q\d{2,12}", word):
            asked.append(float(word[1:]) / 10.0 ** len(word[1:]))
        else:
            raise _keel.OptionError(
                f"summary: `{word}` is none of count, mean, std, min, max and quantiles as q05, q50"
            )
    if len(set(words)) != len(words):
        raise _keel.OptionError("summary: a word is given twice")
    return words, asked


def _whole(name, value, least, below=2**63):
    if isinstance(value, float) and value == int(value):
        value = int(value)
    if not isinstance(value, (int, np.integer)) or not least <= value < below:
        raise _keel.OptionError(f"{name} must be a whole number from {least} on, it is {value!r}")
    return int(value)


# Progress ---------------------------------------------------------------------------------------------------


class _Progress:
    """A line on stderr that is renewed; or a bar of tqdm where that is installed."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self.bar, self.make, self.begin, self.shown = None, tqdm, time.monotonic(), 0.0

    def __call__(self, done, members):
        if self.make:
            self.bar = self.bar or self.make(total=members, unit=" members")
            self.bar.update(done - self.bar.n)
            return
        now = time.monotonic() - self.begin
        if now - self.shown > 0.2:
            self.shown = now
            sys.stderr.write(f"\r  {done} of {members} members, {100 * done / members:.0f} %   ")
            sys.stderr.flush()

    def close(self):
        if self.bar:
            self.bar.close()
        elif self.shown:
            sys.stderr.write("\r" + 60 * " " + "\r")


# The call ---------------------------------------------------------------------------------------------------


def in_words_of_python(sentence):
    """Options as they are given here: not as the command has them."""
    return re.sub(r"--(\w+)", r"`\1`", sentence)


def sweep(model, reading, plan, fixed, times, words):
    """`words` are the keywords of Model.sweep that say what varies and what is kept; `times` an array."""
    summary, asked = _statistics(words["summary"])
    sample = words["sample"]
    if sample not in _SAMPLES:
        raise _keel.OptionError(f"sample must be one of {', '.join(_SAMPLES)}, it is {sample!r}")
    columns = words["columns"]
    count = 0 if words["count"] is None else _whole("count", words["count"], 1)
    spec = {
        "over": _texts(words["over"], "over"),
        "draw": _texts(words["draw"], "draw"),
        "table": _table(words["table"]),
        "numbers": (
            count,
            _whole("seed", words["seed"], 0, 2**64),
            bool(words["zip"]),
            _SAMPLES.index(sample),
            0 if words["workers"] is None else _whole("workers", words["workers"], 1, 2**16),
            bool(words["extrema"]),
            bool(words["keep_values"]),
        ),
        "columns": columns if columns is None or isinstance(columns, str) else ", ".join(columns),
        "event": words["events"],
        "times": times,
        "summary": asked or None,
        "quantiles": any(isinstance(one, float) for one in asked) or None,
        "fixed": fixed,
    }
    progress = words["progress"]
    tick = progress if callable(progress) else _Progress() if progress else None
    try:
        found = reading.sweep(spec, plan, tick)
    except _keel.OptionError as error:
        raise _keel.OptionError(in_words_of_python(str(error))) from None
    finally:
        if isinstance(tick, _Progress):
            tick.close()
    zipped = bool(words["zip"])
    return Sweep(model, found, plan, times, summary, words["seed"], zipped, count)


def check_file(path):
    """The end of a name decides what is written."""
    if path is not None and not str(path).endswith((".npz", ".nc", ".h5", ".hdf5")):
        raise _keel.OptionError(f"out: the name must end in .npz, .nc or .h5, it is {str(path)!r}")


# What comes out ---------------------------------------------------------------------------------------------


class Sweep:
    """The members of a sweep.

    ``s["x"]`` has the values of a column, shaped as the axes of the sweep, with the output times behind them
    if there are any; ``s["g"]`` the values of what varies, of a start value ``s["start.x"]``.  ``s.failed`` are the sentences of members that
    failed, by their numbers; ``s.to_xarray()`` makes a Dataset; ``s.run(k)`` runs member k once more.
    """

    def __init__(self, model, found, plan, times, summary, seed, zipped, count):
        self.model, self._plan, self.seed = model, plan, seed
        self.members, self.columns = found["members"], found["columns"]
        self._own_names, self._places = tuple(found["names"]), found["places"]
        called = {
            name: f"start.{name}" if is_start else name
            for name, (_, is_start) in zip(found["names"], found["places"])
        }
        self.names = list(called.values())
        self.rows, self.failed = found["rows"], found["sentences"]
        self.method = (plan.get("method") or ("rk4" if plan.get("step") else "dop853")).split("+")[0]
        self.method += "+" + found["stabilizer"]
        self.t = None if times is None else np.array(times)
        self.axes = self._axes(found["axes"], called, zipped, count)
        self.shape = tuple(self.axes.values())
        values = np.asarray(found["values"])
        self.values = {name: self._shaped(values[:, k]) for k, name in enumerate(self.names)}
        self.status = self._shaped(np.asarray(found["status"]).astype(np.int32))
        self.steps = self._shaped(np.asarray(found["steps"]).astype(np.int64))
        self.drift_row = self._shaped(np.asarray(found["row"]).astype(np.int32))
        for name in ("t_end", "drift", "correction", "defect"):
            setattr(self, name, self._shaped(np.asarray(found[name])))
        self._value = np.asarray(found["value"]) if "value" in found else None
        self.extrema = {
            name: self._by_column(found[name]) for name in ("smallest", "largest", "mean") if name in found
        }
        self.events = None
        if "event_t" in found:
            table = np.asarray(found["event_value"])
            self.events = {
                "member": np.asarray(found["event_member"]).astype(np.int64),
                "t": np.asarray(found["event_t"]),
                **{name: table[:, k] for k, name in enumerate(self.columns)},
            }
        self.summary = {
            word: {name: self._over_times(np.asarray(numbers)[:, k]) for k, name in enumerate(self.columns)}
            for word, numbers in zip(summary, found["summary"])
        }

    @staticmethod
    def _axes(found, called, zipped, count):
        """{name: length}; what has no value of its own is called as keel sweep calls it."""
        axes = {}
        for k, (length, name) in enumerate(found):
            last = k == len(found) - 1
            nameless = (
                "trajectory"
                if len(found) == 1
                else "zip" if zipped and k == 0 else "draw" if count and last else "table"
            )
            axes[called.get(name, nameless)] = length
        return axes

    def _shaped(self, array, *behind):
        return array.reshape((*self.shape, *behind))

    def _over_times(self, array):
        return array if self.t is not None else array[0]

    def _by_column(self, table):
        table = np.asarray(table)
        return {name: self._shaped(table[:, k]) for k, name in enumerate(self.columns)}

    def __getitem__(self, name):
        if name in self.columns and self._value is None:
            raise KeyError(f"the values of `{name}` were not kept: keep_values=False")
        if name in self.columns:
            times = () if self.t is None else (len(self.t),)
            return self._shaped(self._value[:, self.columns.index(name)], *times)
        if name in self.values:
            return self.values[name]
        known = ", ".join([*self.names, *self.columns])
        raise KeyError(f"there is no column `{name}`: there are {known}")

    def __contains__(self, name):
        return name in self.columns or name in self.values

    def keys(self):
        return (*self.names, *self.columns)

    def __len__(self):
        return self.members

    def values_of(self, member):
        """What varies, as member `member` has it: {name: number}, as `run` takes it."""
        numbers = (float(self.values[name].ravel()[member]) for name in self.names)
        return dict(zip(self._own_names, numbers))

    def run(self, member, **words):
        """Member `member` alone, as a Result, with the options of the sweep; `words` as in Model.run."""
        return self.model.run(set=self.values_of(member), **{"method": self.method, **self._plan, **words})

    def rename(self, name_of):
        """Names as somebody else calls them: of what varies, columns, axes, rows."""
        new = lambda table: {name_of(name): value for name, value in table.items()}
        self.names, self.columns, self.rows = (
            [name_of(name) for name in names] for names in (self.names, self.columns, self.rows)
        )
        self.values, self.axes = new(self.values), new(self.axes)
        self.extrema = {kind: new(columns) for kind, columns in self.extrema.items()}
        self.summary = {word: new(columns) for word, columns in self.summary.items()}
        self.events = new(self.events) if self.events else self.events

    # In other forms.

    def to_xarray(self):
        """An xarray.Dataset over the axes of the sweep and the output times."""
        import xarray

        dims = tuple(self.axes)
        data, coords = {}, {}
        for name, (axis, _) in zip(self.names, self._places):
            along = tuple(slice(None) if axis in (k, -1) else 0 for k in range(len(dims)))
            coords[name] = (dims if axis < 0 else dims[axis], self.values[name][along])
        if self.t is not None:
            coords["t"] = self.t
        behind = () if self.t is None else ("t",)
        for name in self.columns if self._value is not None else ():
            data[name] = ((*dims, *behind), self[name])
        for name in ("status", "steps", "drift", "drift_row", "correction", "defect", "t_end"):
            data[name] = (dims, getattr(self, name))
        for kind, columns in self.extrema.items():
            data |= {f"{kind}.{name}": (dims, array) for name, array in columns.items()}
        for word, columns in self.summary.items():
            data |= {f"summary.{word}.{name}": (behind, array) for name, array in columns.items()}
        for name, array in (self.events or {}).items():
            data[f"event.{name}"] = ("event", array)
        if self.failed:
            said = np.full(self.members, "", dtype=object)
            said[list(self.failed)] = list(self.failed.values())
            data["sentence"] = (dims, self._shaped(said))
        facts = {"model": self.model.text, "rows": ", ".join(self.rows), "method": self.method}
        facts |= {"seed": str(self.seed), "keel_version": _keel.version, "certificate": self.certificate}
        return xarray.Dataset(data, coords, facts)

    def save(self, path):
        """To a file: .npz by numpy; .nc and .h5 by xarray and h5netcdf."""
        check_file(path)
        if not str(path).endswith(".npz"):
            self.to_xarray().to_netcdf(path, engine="h5netcdf")
            return
        arrays = {name: self.values[name] for name in self.names}
        if self._value is not None:
            arrays |= {name: self[name] for name in self.columns}
        for name in ("status", "steps", "drift", "drift_row", "correction", "defect", "t_end"):
            arrays[name] = getattr(self, name)
        arrays |= {f"event.{name}": array for name, array in (self.events or {}).items()}
        np.savez(path, **arrays, **({} if self.t is None else {"t": self.t}))

    @property
    def certificate(self):
        """The worst of all members, and how many failed for which reason."""
        return "\n".join(self._lines())

    def _lines(self):
        axes = " x ".join(f"{length} {name}" for name, length in self.axes.items())
        yield f"{self.model._facts['name']}  {self.method}"
        yield f"  members    {self.members}: {axes}"
        if any(axis < 0 for axis, _ in self._places):
            yield f"  drawn      with seed {self.seed}"
        yield f"  steps      {int(self.steps.sum())}"
        unit = ("errors of a step", "of the state") if self._plan.get("step") else ("tolerances",) * 2
        worst = _largest(self.drift)
        if worst is None:
            yield "  drift      nothing was measured"
        else:
            row = self.rows[self.drift_row.ravel()[worst]]
            yield f"  drift      at most {self.drift.ravel()[worst]:.3g} round-offs ({row}, member {worst})"
        worst = _largest(self.correction)
        if worst is not None and self.correction.ravel()[worst] > 0:
            found = self.correction.ravel()[worst]
            yield f"  corrected  by at most {found:.2g} {unit[0]} (member {worst})"
        worst = _largest(self.defect)
        if worst is not None:
            yield f"  defect     at most {self.defect.ravel()[worst]:.1e} {unit[1]} (member {worst})"
        stopped = int((self.status > 0).sum())
        if stopped:
            yield f"  stopped    {stopped} members, by an event or at rest"
        yield from self._failures()

    def _failures(self):
        reasons = {}
        for member, sentence in self.failed.items():
            key = re.sub(r"[-+]?[\d.]+(e[-+]?\d+)?", "#", sentence)
            reasons.setdefault(key, []).append((member, sentence))
        if self.failed:
            yield f"  failed     {len(self.failed)} of {self.members} members"
        for members in list(reasons.values())[:12]:
            yield f"             {len(members)}, first member {members[0][0]}: {members[0][1]}"

    def __repr__(self):
        return self.certificate

    def _repr_html_(self):
        return f"<pre>{html.escape(self.certificate)}</pre>"


def _largest(array):
    """The member with the largest number; None: there is none."""
    flat = array.ravel()
    good = np.flatnonzero(~np.isnan(flat))
    return int(good[np.argmax(flat[good])]) if good.size else None
