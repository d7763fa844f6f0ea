"""Functions that become models: traced and called runs agree; what cannot be traced says why."""

import math
import warnings
from math import exp as plain_exp

import numpy as np
import pytest

import keel
from keel import solve_ivp, trace

A = np.array([[-0.5, 1.0, 0.0], [-1.0, -0.3, 0.2], [0.1, 0.0, -0.7]])


def loop(t, y):
    out = np.zeros(3)
    for i in range(3):
        for j in range(3):
            out[i] += A[i, j] * y[j]
    return out


def in_place(t, y):
    out = -y.copy()
    out += 0.5 * np.roll(y, 1)
    out *= 2
    return out


def bodies(t, u):
    q, v = u.reshape(2, 3, 2)
    a = np.zeros_like(q)
    for i in range(3):
        for j in range(3):
            if i != j:
                d = q[j] - q[i]
                a[i] += d / (np.dot(d, d) + 0.1) ** 1.5
    return np.concatenate((v.ravel(), a.ravel()))


def helper(x):
    return np.tanh(x) + x**3 / 10


def nested(t, y):
    return [helper(y[1]), -helper(y[0])]


def by_math(t, y):
    return [math.sin(y[1]) * math.exp(-t), -math.sqrt(1 + y[0] ** 2), plain_exp(-y[2])]


def unpacked(t, u):
    (x, y), v = u[:2], u[2]
    return [y, -x, v * (1 - v)]


def empty(t, y):
    out = np.empty(2)
    out[0], out[1] = y[1], -9.81 * np.sin(y[0])
    return out


def lorenz(t, u, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = u
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


THREE = [1.0, 0.3, -0.2]
TWO = [0.8, -0.4]
SIX = [1, 0, -0.5, 0.8, -0.5, -0.8, 0, 0.3, -0.25, -0.15, 0.25, -0.15]
FUNCTIONS = {
    "linear": (lambda t, y: A @ y, THREE),
    "dot": (lambda t, y: np.dot(A, y), THREE),
    "loop": (loop, THREE),
    "method_dot": (lambda t, y: y.dot(A.T), THREE),
    "in_place": (in_place, THREE),
    "bodies": (bodies, SIX),
    "nested": (nested, TWO),
    "math": (by_math, THREE),
    "unpacked": (unpacked, THREE),
    "empty": (empty, TWO),
    "lorenz": (lorenz, THREE),
    "list": (lambda t, y: [y[1], -y[0]], TWO),
    "tuple": (lambda t, y: (y[1], -y[0]), TWO),
    "array": (lambda t, y: np.array([y[1], -y[0]]), TWO),
    "asarray": (lambda t, y: np.asarray(y) * -1.5, TWO),
    "typed": (lambda t, y: np.array([y[1], -y[0]], dtype=float), TWO),
    "typed_matrix": (lambda t, y: np.array([[0, 1], [-1, -0.1 * y[0]]], dtype=np.float64) @ y, TWO),
    "hstack": (lambda t, y: np.hstack((y[1:], -y[:1])), TWO),
    "vstack": (lambda t, y: np.vstack((y[1], -y[0])).ravel(), TWO),
    "stack": (lambda t, y: np.stack([y[1], -y[0]]), TWO),
    "concatenate": (lambda t, y: np.concatenate([[y[1]], -y[:1]]), TWO),
    "cross": (lambda t, y: np.cross(y, [0.3, -1.0, 0.5]), THREE),
    "norm": (lambda t, y: -y * np.linalg.norm(y), THREE),
    "sum": (lambda t, y: -y * np.sum(y**2), THREE),
    "mean": (lambda t, y: np.mean(y) - y, THREE),
    "diff": (lambda t, y: np.append(np.diff(y), -y[-1]), THREE),
    "outer": (lambda t, y: -np.outer(y, y).sum(axis=1), THREE),
    "where": (lambda t, y: np.where(y > 0, -y, -2 * y), THREE),
    "maximum": (lambda t, y: -np.maximum(y, 0.1), THREE),
    "minimum": (lambda t, y: -np.minimum(y, 0.4), THREE),
    "clip": (lambda t, y: -np.clip(y, -0.5, 0.5), THREE),
    "abs": (lambda t, y: -abs(y) * y, THREE),
    "sign": (lambda t, y: [y[1], -y[0] - 0.1 * np.sign(y[1])], TWO),
    "sin": (lambda t, y: [y[1], -np.sin(y[0])], TWO),
    "exp": (lambda t, y: [np.exp(-y[0]) - 1, -np.expm1(y[1])], TWO),
    "log": (lambda t, y: [-np.log(1 + y[0]), np.log1p(y[1] ** 2) - y[1]], TWO),
    "inverse": (lambda t, y: [-np.arctan(y[0]), np.arcsin(y[1] / 2) - y[1]], TWO),
    "arctan2": (lambda t, y: [np.arctan2(y[1], 2 + y[0]), -y[0]], TWO),
    "hyperbolic": (lambda t, y: [-np.sinh(y[0]), -np.cosh(y[1]) * y[1] - np.tanh(y[1])], TWO),
    "hypot": (lambda t, y: -y / np.hypot(y[0], y[1]) ** 0.5, TWO),
    "power": (lambda t, y: -np.abs(y) ** 1.5, TWO),
    "powers": (lambda t, y: -(y**3) + 0.1 * y**2, TWO),
    "negative_power": (lambda t, y: -1.0 * (2 + y) ** -2, TWO),
    "base": (lambda t, y: [-(2 ** y[0]), -y[1]], TWO),
    "time": (lambda t, y: np.cos(t) - y, TWO),
    "forced": (lambda t, y: [y[1], -y[0] + 0.3 * np.sin(1.7 * t)], TWO),
    "logistic": (lambda t, y: y * (1 - y), [0.1]),
    "scalar": (lambda t, y: -y[0], [1.0]),
    "constant": (lambda t, y: [1.0, -0.5], TWO),
    "slices": (lambda t, y: -y[::-1][::-1], THREE),
    "fancy": (lambda t, y: -y[[2, 1, 0]][[2, 1, 0]], THREE),
    "reversed": (lambda t, y: -y[::-1] * 0.3, THREE),
    "zeros_like": (lambda t, y: np.zeros_like(y) - y, THREE),
    "square": (lambda t, y: -np.square(y) * y - np.reciprocal(2 + y * y), TWO),
    "log2": (lambda t, y: -np.log2(2 + y), TWO),
    "heat": (lambda t, y: np.pad(y, 1)[:-2] - 2 * y + np.pad(y, 1)[2:], THREE),
    "einsum": (lambda t, y: -np.sum(A * y, axis=1), THREE),
    "van_der_pol": (lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]], TWO),
}


def test_there_are_fifty():
    assert len(FUNCTIONS) >= 50


@pytest.mark.parametrize("name", FUNCTIONS)
def test_traced_and_called_agree(name):
    f, start = FUNCTIONS[name]
    words = {"rtol": 1e-8, "atol": 1e-10, "method": "DOP853", "t_eval": np.linspace(0, 1, 9)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced = solve_ivp(f, (0, 1), start, trace=True, **words)
        called = solve_ivp(f, (0, 1), start, trace=False, **words)
    assert traced.success and called.success
    tolerance = 1e-10 + 1e-8 * np.abs(called.y).max(axis=1)
    nonsmooth = name in ("where", "maximum", "minimum", "clip", "abs", "sign")  # called runs step over them
    assert (np.abs(traced.y - called.y).max(axis=1) / tolerance).max() < (3e3 if nonsmooth else 30)


def interpolated(t, y):
    return np.interp(t, [0, 1], [0, 1]) - y


def branches(t, y):
    return [1.0] if y[0] < 0.5 else [-1.0]


def with_float(t, y):
    return [float(y[0])]


class Table:
    def __call__(self, x):
        return float(x)


TABLE = Table()
COUNT = [0]


def changes(t, y):
    COUNT[0] += 1
    return -y * COUNT[0]


def swallows(t, y):
    try:
        return -y if y[0] > 0 else y
    except Exception:
        return y * 0


@pytest.mark.parametrize(
    "f, why",
    [
        (interpolated, "np.interp"),
        (branches, "branches on a value"),
        (with_float, "as a number"),
        (lambda t, y: [TABLE(y[0])], "as a number"),
        (changes, "something else at each call"),
        (swallows, "branches on a value"),
        (lambda t, y: -y if int(t) == 0 else y, "as a number"),
        (lambda t, y: [max(y[0], 0.2)], "branches on a value"),
        (lambda t, y: np.linalg.inv(np.diag(y)) @ y, "np.inv"),
    ],
)
def test_what_cannot_be_traced_says_why(f, why):
    with pytest.warns(keel.TraceWarning, match=f"called from Python.*{why}") as caught:
        s = solve_ivp(f, (0, 0.4), [0.1])
    assert len(caught) == 1 and s.success and not s.compiled
    with pytest.raises(keel.TraceError, match=why):
        solve_ivp(f, (0, 0.4), [0.1], trace=True)


def test_the_text_is_a_model():
    H = lambda t, u: (u[1] ** 2 + u[0] ** 2) / 2
    text = trace(lambda t, u: [u[1], -u[0]], [1.0, 0.25], invariants={"H": H})
    r = keel.Model(text).run(20, at=[20.0], rtol=1e-9)
    assert r.kept["H"].units < 4 and r["u0"][0] == pytest.approx(np.cos(20) + 0.25 * np.sin(20), abs=1e-7)


def test_arguments_are_no_other_model():
    from keel._traced import _entries

    f = lambda t, y, a, b: -a * y + b * y**3
    solve_ivp(f, (0, 1), [1.0], args=(1.25, 0.5))
    before = len(_entries)
    s = solve_ivp(f, (0, 2), [0.5], args=(2.75, 0.0625))
    assert len(_entries) == before
    called = solve_ivp(f, (0, 2), [0.5], args=(2.75, 0.0625), trace=False)
    assert s.y[0, -1] == pytest.approx(called.y[0, -1], rel=1e-6)


def test_a_long_run_is_compiled(monkeypatch):
    f = lambda t, y: [y[1], -np.sin(y[0]) - 1e-9 * y[1]]
    monkeypatch.setattr("keel._traced.BUDGET", 1e-9)  # any run is long
    for _ in range(2):
        s = solve_ivp(f, (0, 20000), [1.0, 0.0], "DOP853", rtol=1e-10, t_eval=[20000])
    assert s.compiled and s.success


def test_switches_are_met_exactly():
    """Dry friction: called functions miss the instant, a model locates it."""
    f = lambda t, y: [y[1], -np.sign(y[1])]
    s = solve_ivp(f, (0, 3), [0.0, 1.0], rtol=1e-9, atol=1e-12, trace=True, t_eval=[0.5, 3.0])
    assert np.allclose(s.y[:, -1], [0.5, 0.0], atol=1e-9)


def test_rows_may_have_any_name():
    rows = {"energy": lambda t, u: u[0] ** 2 + u[1] ** 2, "x y": lambda t, u: u[0] ** 2 + u[1] ** 2 + 1}
    s = solve_ivp(lambda t, u: [u[1], -u[0]], (0, 10), [1, 0], invariants=rows, trace=True, keep="energy")
    assert set(s.kept) == set(rows) and s.kept["energy"].units < 4
