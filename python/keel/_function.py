"""keel.sweep: functions of Python as a model with named parameters, run many times."""

import re

import numpy as np

from ._model import Model
from ._symbols import TraceError
from ._trace import Writer, call, explicit, model_text, named, row_names


def _model_of(fun, t_span, y0, args, invariants):
    """The model with a parameter for each of `args`, and what these are called in it."""
    y0 = np.asarray(y0, dtype=float)
    args = dict(args or {})
    own = row_names([*args, *(invariants or {})])
    symbols = tuple(named([own[name] for name in args])) if args else ()
    writer = Writer()
    start = {"t": float(t_span[0]), **{f"u{k}": float(value) for k, value in enumerate(y0)}}
    start |= {own[name]: float(value) for name, value in args.items()}
    nodes = call(fun, y0.size, symbols, start)
    if len(nodes) != y0.size:
        raise TraceError(f"it must give {y0.size} values, it gives {len(nodes)}")
    rows = {name: call(row, y0.size, symbols, start) for name, row in (invariants or {}).items()}
    if any(len(row) != 1 for row in rows.values()):
        raise TraceError("an invariant must give one value")
    equations = explicit(writer.add(nodes))
    texts = {own[name]: writer.add(row)[0] for name, row in rows.items()}
    text = model_text(y0.size, equations, texts, [], writer)
    first = "".join(f"param {own[name]} = {float(value)!r}\n" for name, value in args.items())
    text = text.replace("model traced\n", "model traced\n" + first, 1)
    values = {"begin_time": float(t_span[0]), "end_time": float(t_span[1])}
    values |= {f"s{k}": float(value) for k, value in enumerate(y0)}
    values |= {name: float(value) for value, name in writer.numbers.items()}
    return Model(text, getattr(fun, "__name__", "function"), set=values), own


def _renamed(given, own):
    """Names of arguments and of states, y[0], as the model has them."""
    rename = lambda name: own.get(name, re.sub(r"^y\[(\d+)\]$", r"u\1", name))
    if given is None or isinstance(given, str):
        return given if given is None else _in_text(given, rename)
    if hasattr(given, "items"):
        return {rename(name.strip()): values for name, values in given.items()}
    return [_in_text(text, rename) for text in given]


def _in_text(text, rename):
    name, sign, rest = text.partition("=")
    return f"{rename(name.strip())} = {rest}" if sign else rename(name.strip())


def sweep(fun, t_span, y0, *, args=None, invariants=None, **words):
    """Many runs of y' = fun(t, y, *args), with other arguments and start values each time, on all cores.

    The function is traced (see solve_ivp); what cannot be traced raises a TraceError.

    Parameters
    ----------
    args : dict, optional
        ``{"k": 1.0}``: the arguments behind y, in their order, by their names.
    invariants : dict of callables, optional
        ``{"energy": H}``: H(t, y, *args) is kept.
    **words
        As in Model.sweep; what varies are arguments, ``over={"k": [1, 2]}``, and start values,
        ``over={"y[0]": "0:1:5"}``.  The columns are y[0], y[1], ...

    >>> def f(t, y, k): return [-k*y[0]]
    >>> s = sweep(f, (0, 1), [1], args={"k": 1.0}, over={"k": [1, 2]}, rtol=1e-9)
    >>> [round(float(x), 6) for x in s["y[0]"]]
    [0.367879, 0.135335]
    """
    model, own = _model_of(fun, t_span, y0, args, invariants)
    for key in ("over", "draw", "table", "columns", "set"):
        if key in words and not hasattr(words[key], "to_csv") and not (key == "table" and _is_path(words[key])):
            words[key] = _renamed(words[key], own)
    words = {own.get(name, name): value for name, value in words.items()}
    result = model.sweep(**words)
    back = {name: key for key, name in own.items()}
    result.rename(lambda name: back.get(name, re.sub(r"^(start\.)?u(\d+)$", r"\1y[\2]", name)))
    return result


def _is_path(table):
    return not hasattr(table, "items")
