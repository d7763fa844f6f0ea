"""Mechanics from functions: a Lagrangian, forces and constraints become a Model."""

import numpy as np

from ._model import Model
from ._symbols import TraceError
from ._trace import Writer, call_with, named, row_names


def _scalar(function, args, what, start):
    nodes = call_with(function, args, start)
    if len(nodes) != 1:
        raise TraceError(f"{what} must give one value, it gives {len(nodes)}")
    return nodes[0]


def mechanics(
    lagrangian,
    q0,
    v0,
    t_span,
    *,
    constraints=None,
    forces=None,
    invariants=None,
    energy=True,
    fixed=False,
    args=(),
    name="mechanics",
):
    """A Model of the motion with this Lagrangian L(t, q, v), q' = v.

    Parameters
    ----------
    lagrangian : callable
        ``L(t, q, v)``; the equations of motion are derived from it.
    q0, v0 : array_like
        The start: guesses, of which the nearest start that satisfies the constraints is taken, or, if
        ``fixed``, values that are meant.
    constraints : dict of callables, optional
        ``{"rod": g}``: g(t, q) = 0.
    forces : callable, optional
        ``f(t, q, v)``: what no potential gives.
    invariants : dict of callables, optional
        ``{"L": I}``: I(t, q, v) is kept.
    energy : bool, optional
        Keep the energy; give False where it changes, as with friction.

    >>> L = lambda t, q, v: (v @ v)/2 - 9.81*q[1]
    >>> m = mechanics(L, [1, 0], [0, 0], (0, 10), constraints={"rod": lambda t, q: q @ q - 1})
    >>> r = m.run(rtol=1e-8)
    >>> bool(r.kept["rod"].units < 4 and r.kept["energy"].units < 4)
    True
    """
    q0, v0 = np.asarray(q0, dtype=float), np.asarray(v0, dtype=float)
    n = q0.size
    q, v = named([f"q{k}" for k in range(n)]), named([f"q{k}'" for k in range(n)])
    begin, end = (float(t) for t in t_span)
    start = {"t": begin, **dict(zip((item.args for item in (*q, *v)), (*q0.tolist(), *v0.tolist())))}
    writer = Writer()
    action = writer.add([_scalar(lagrangian, (q, v, *args), "the Lagrangian", start)])[0]
    names = row_names([*(constraints or {}), *(invariants or {})])
    lines = [
        f"constraint {names[key]}: {writer.add([_scalar(g, (q, *args), key, start)])[0]} = 0"
        for key, g in (constraints or {}).items()
    ]
    lines += [
        f"invariant {names[key]} = {writer.add([_scalar(i, (q, v, *args), key, start)])[0]}"
        for key, i in (invariants or {}).items()
    ]
    if forces is not None:
        nodes = call_with(forces, (q, v, *args), start)
        if len(nodes) != n:
            raise TraceError(f"forces must give {n} values, they give {len(nodes)}")
        lines += [f"force q{k}: {text}" for k, text in enumerate(writer.add(nodes))]
    word = "init" if fixed else "guess"
    lines += [f"{word} q{k} = {float(q0[k])!r}, q{k}' = {float(v0[k])!r}" for k in range(n)]
    head = [f"model {name}", "coord " + ", ".join(f"q{k}" for k in range(n))]
    head += [f"param {own} = {value!r}" for value, own in writer.numbers.items()]
    tail = ["invariant energy"] if energy else []
    text = (
        "\n".join([*head, *writer.lets, f"lagrangian {action}", *lines, *tail, f"run {begin!r} .. {end!r}"])
        + "\n"
    )
    return Model(text, name)
