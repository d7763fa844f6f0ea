"""Functions that become models: traced and called runs agree; what cannot be traced says why."""

import functools
import itertools
import math
import types
import warnings
from math import exp as plain_exp

import numpy as np
import pytest

import keel
from keel import solve_ivp, trace
from keel._traced import Traced

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


def flattened(t, y):
    other = y.flatten()
    other[0] = 0.0  # y itself stays
    return -y - 0.1 * other


def matrix_of(k):
    matrix = np.zeros((2, 2))
    matrix[0, 1], matrix[1, 0] = k, -k
    return matrix


def acceleration(y):
    out = np.zeros(1)
    out[0] = -math.sin(y[0])
    return out


class Spring:
    def __init__(self, k):
        self.k = k

    def __call__(self, t, y):
        out = np.empty(2)
        out[0], out[1] = y[1], -self.k * math.sin(y[0])
        return out

    def rates(self, t, y):
        return np.array([y[1], -self.k * y[0]]) + np.zeros(2)


def closed_over():
    import math as own

    def rate(y):
        return -own.exp(y[0])

    return lambda t, y: [rate(y), -y[1]]


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
    "einsum_letters": (lambda t, y: -np.einsum("ij,j->i", A, y) - 0.1 * np.einsum("i,i", y, y), THREE),
    "stacked_matmul": (lambda t, y: -np.matmul(np.stack([A, A.T]), y[:, None])[1, :, 0], THREE),
    "matmul_out": (lambda t, y: np.matmul(A, y, out=np.zeros(3)), THREE),
    "clip_out": (lambda t, y: np.clip(-y, -0.5, 0.5, out=np.zeros(3)), THREE),
    "flatten": (flattened, TWO),
    "keepdims": (lambda t, y: (y - np.mean(y[None, :], axis=1, keepdims=True)).ravel() - 2 * y, THREE),
    "empty_product": (lambda t, y: -y * np.prod(y[3:]), THREE),
    "conditions": (lambda t, y: -y * np.where((y > -9) & np.array([True, False, True]), 1.0, 0.5), THREE),
    "constants": (lambda t, y: np.linalg.inv(matrix_of(2.0)) @ y, TWO),
    "helper": (lambda t, y: [y[1], acceleration(y)[0]], TWO),
    "partial": (functools.partial(lorenz, sigma=5.0, rho=2.0), THREE),
    "object": (Spring(2.0), TWO),
    "method": (Spring(3.0).rates, TWO),
    "closure": (closed_over(), TWO),
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
COUNT, LOG = [0], []


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
        (changes, "depends on more than its arguments"),
        (swallows, "branches on a value"),
        (lambda t, y: -y if int(t) == 0 else y, "as a number"),
        (lambda t, y: [max(y[0], 0.2)], "branches on a value"),
        (lambda t, y: np.linalg.inv(np.diag(y)) @ y, "np.inv"),
        (lambda t, y: -y.astype(int) - 1, "type int"),
        (lambda t, y: np.array(-y, dtype=np.float32), "type float32"),
        (lambda t, y: -np.sum(y, where=[True], keepdims=True), "`where`"),
        (lambda t, y: -y if isinstance(t, float) else y, "depends on .* their types"),
        (lambda t, y: [-y[0], 0][: 2 - isinstance(t, float)], "2 values, with numbers 1"),
        (lambda t, y: LOG.append(t) or -y, "keeps what it is called with"),
        (lambda t, y: LOG.append(2 * y) or -y, "keeps what it is called with"),
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


def test_many_short_runs_are_compiled(monkeypatch):
    f = lambda t, y: [y[1], -np.tanh(y[0])]
    monkeypatch.setattr("keel._traced.BUDGET", 100)
    monkeypatch.setattr("keel._traced.time", types.SimpleNamespace(perf_counter=lambda: next(clock)))
    clock = iter(range(0, 10000, 15))  # each run takes 15 s
    found = [solve_ivp(f, (0, 20), [1.0, 0.0], "DOP853", rtol=1e-8, t_eval=[20]) for _ in range(9)]
    assert [one.compiled for one in found] == [False] * 7 + [True] * 2
    assert np.array_equal(found[0].y, found[-1].y)


def test_long_arrays_are_called(monkeypatch):
    """Without a warning: numpy's own code for them is as fast."""
    for seconds, traced in ((2e-6, False), (2e-3, True)):
        clock = itertools.count(0, seconds)
        monkeypatch.setattr("keel._ivp.time", types.SimpleNamespace(perf_counter=lambda: next(clock)))
        made = []
        monkeypatch.setattr("keel._ivp.Traced", lambda problem: made.append(problem) or Traced(problem))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            s = solve_ivp(lambda t, y: -y, (0, 0.1), np.linspace(0, 1, 1000))
        assert s.success and bool(made) == traced
    assert np.allclose(s.y[:, -1], np.linspace(0, 1, 1000) * np.exp(-0.1), rtol=1e-3)


def test_switches_are_met_exactly():
    """Dry friction: called functions miss the instant, a model locates it."""
    f = lambda t, y: [y[1], -np.sign(y[1])]
    s = solve_ivp(f, (0, 3), [0.0, 1.0], rtol=1e-9, atol=1e-12, trace=True, t_eval=[0.5, 3.0])
    assert np.allclose(s.y[:, -1], [0.5, 0.0], atol=1e-9)


def test_rows_may_have_any_name():
    rows = {"energy": lambda t, u: u[0] ** 2 + u[1] ** 2, "x y": lambda t, u: u[0] ** 2 + u[1] ** 2 + 1}
    s = solve_ivp(lambda t, u: [u[1], -u[0]], (0, 10), [1, 0], invariants=rows, trace=True, keep="energy")
    assert set(s.kept) == set(rows) and s.kept["energy"].units < 4
