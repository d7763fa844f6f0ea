"""What runs give: values, what was kept, events, the certificate."""

import html
from typing import NamedTuple

import numpy as np

from ._certificate import TREATMENT, begins_with, certificate

_KIND = ("constraint", "velocity", "rolling", "algebraic", "hidden", "energy", "invariant")
_VERDICT = ("unverified", "strong", "weak")


class Row(NamedTuple):
    """A constraint or an invariant over a run: drift and units are the largest over all steps."""

    name: str
    kind: str
    treatment: str
    verdict: str
    start: float
    drift: float
    units: float
    last: float
    unit: float


class Event(NamedTuple):
    """An event of a model, with the values of all columns there, before its actions."""

    t: float
    name: str
    values: dict
    changed: bool


def rows_of(made):
    return [
        Row(name, _KIND[kind], TREATMENT[treatment], _VERDICT[verdict], *numbers)
        for name, kind, treatment, verdict, *numbers in made["rows"]
    ]


def expanded(found):
    """What the extension found, with all that the run says of itself."""
    outcome = found.get("outcome")
    if outcome is not None:
        found.update(outcome.expand())
        found.pop("outcome", None)  # last: another thread may be looking
    return found


class Result:
    """A run of a model.

    ``r.t`` are the times, ``r["x"]`` the values of a column there, ``r.kept`` the rows by their names,
    ``r.events`` what happened, ``r.sol(t)`` values at any times, ``r.certificate`` the certificate.
    """

    def __init__(self, model, made, plan, values, begin, end):
        self.model, self._found, self._plan, self._values = model, made, plan, values
        self.begin, self.end = begin, end

    @property
    def _made(self):
        """All that is known of the run; most of it is looked at here first."""
        return expanded(self._found)

    @property
    def t(self):
        """The times, one for each row of ``r.y``."""
        return np.asarray(self._found["t"])

    @property
    def y(self):
        """All values: a row for each time, a column for each name of ``r.columns``."""
        return np.asarray(self._found["y"])

    @property
    def columns(self):
        return self._found["columns"]

    def __getitem__(self, name):
        if name == "t":
            return self.t
        try:
            return self.y[:, self.columns.index(name)]
        except ValueError:
            pass
        whole = [k for k, own in enumerate(self.columns) if own.startswith(name + "[")]
        if whole:
            return self.y[:, whole]
        raise KeyError(f"there is no column `{name}`: there are t, {', '.join(self.columns)}")

    def __contains__(self, name):
        return name == "t" or any(own == name or own.startswith(name + "[") for own in self.columns)

    def keys(self):
        return ("t", *self.columns)

    @property
    def kept(self):
        """What was kept or watched, as {name: Row}."""
        return {row.name: row for row in rows_of(self._made)}

    @property
    def events(self):
        """What happened, in its order."""
        values = np.asarray(self._made["event_y"]) if "event_y" in self._made else ()
        return [
            Event(t, name, dict(zip(self.columns, row.tolist())), bool(changed))
            for (t, name, _, _, changed), row in zip(self._made.get("happened", ()), values)
        ]

    @property
    def stopped(self):
        """Did an event end the run?"""
        return self._made["status"] > 0

    @property
    def method(self):
        return self._begins_with.split("+")[0] + "+" + self._made["stabilizer"]

    @property
    def _begins_with(self):
        return begins_with(self._plan.get("method") or ("rk4" if self._plan.get("step") else "dop853"))

    @property
    def steps(self):
        return self._made["statistics"][0]

    @property
    def evaluations(self):
        return self._made["statistics"][2]

    def sol(self, t, name=None):
        """Values at any times of the run: of one column, or of all as {name: values}.

        The run is made once more, with the same bits, and looked at where it is asked: all that is kept holds
        to round-off there, too.
        """
        if name is not None and name not in self.columns:
            raise KeyError(f"there is no column `{name}`: there are {', '.join(self.columns)}")
        table = self.model.sample(self, t)
        table = table[0] if np.ndim(t) == 0 else table
        return (
            table[..., self.columns.index(name)]
            if name
            else {own: table[..., k] for k, own in enumerate(self.columns)}
        )

    def accuracy(self):
        """The largest difference of each column to a run with a hundredth of the tolerance (half the step).

        Conservation is not accuracy: this is how far the values themselves can be trusted.
        """
        plan = dict(self._plan)
        if plan.get("step"):
            plan["step"] /= 2
        else:
            plan["rtol"] = (plan.get("rtol") or 1e-6) / 100
            if plan.get("atol"):
                plan["atol"] /= 100
        other = Result(self.model, self._made, plan, self._values, self.begin, self.end)
        inside = (self.t - self._made["end"]) * np.sign(self.end - self.begin) <= 0
        table = self.model.sample(other, self.t[inside])
        error = np.abs(table - self.y[inside]).max(axis=0, initial=0)
        return dict(zip(self.columns, error.tolist()))

    @property
    def certificate(self):
        """The certificate as text, as the command prints it."""
        made = {**self._made, "method": self._begins_with}
        return certificate(
            self.model._facts["name"], self.begin, made, rows_of(made), self._plan, self.columns
        )

    def to_xarray(self):
        """The values as an xarray.Dataset along t, with the certificate as an attribute."""
        import xarray

        data = {name: ("t", self[name]) for name in self.columns}
        return xarray.Dataset(data, {"t": self.t}, {"certificate": self.certificate})

    def plot(self, x="t", *names, ax=None):
        """Curves of these columns over the first one, by matplotlib; without names all states over t."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.gca()
        for name in names or [own for own in self.columns if own != x][:6]:
            ax.plot(self[x], self[name], label=name)
        ax.set_xlabel(x)
        ax.legend()
        return ax

    def _repr_html_(self):
        return f"<pre>{html.escape(self.certificate)}</pre>{_curves(self)}"

    def __repr__(self):
        return self.certificate

    def __getstate__(self):
        made = {
            key: np.array(value) if type(value).__name__ == "Numbers" else value
            for key, value in self._made.items()
        }
        return {**self.__dict__, "_found": made}


def _curves(result, width=420, height=160):
    """The first columns as small curves, without any other package."""
    out = []
    for name in result.columns[:3]:
        t, y = result.t, result[name]
        good = np.isfinite(y)
        if good.sum() < 2 or t[0] == t[-1]:
            continue
        pick = np.flatnonzero(good)[:: max(1, int(good.sum()) // 800)]
        low, high = float(y[pick].min()), float(y[pick].max())
        size = high - low or 1.0
        across = (t[pick] - t[0]) / (t[-1] - t[0]) * (width - 10) + 5
        down = (high - y[pick]) / size * (height - 30) + 5
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, down))
        out.append(
            f'<svg width="{width}" height="{height}"><polyline points="{points}" fill="none" '
            f'stroke="#1f77b4"/><text x="5" y="{height - 6}" font-size="12">{html.escape(name)}: '
            f"{low:.4g} .. {high:.4g}</text></svg>"
        )
    return "".join(out)


class IvpResult(dict):
    """What solve_ivp gives: scipy's fields as attributes, and keel's own."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self):
        return list(self.keys())

    def __repr__(self):
        width = max(map(len, self.keys()), default=0) + 1
        return "\n".join(
            f"{key.rjust(width)}: {value!r}" for key, value in self.items() if key != "certificate"
        )

    def _repr_html_(self):
        return f"<pre>{html.escape(self.certificate)}</pre>"
