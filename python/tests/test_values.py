"""Runs with other values of parameters: the bits, rows and refusals of a model that was read with them."""

import pathlib

import numpy as np
import pytest

import keel

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NAMES = ["pendulum", "kepler", "bounce", "slack_rod", "stick_slip", "robertson", "damped", "twin_rods"]
FACTORS = (1.25, 0.0, -1.0)


def told(run):
    """All that a run gives, or what it says is wrong."""
    try:
        r = run()
    except keel.RunError as error:
        return "failed", str(error), error.result.y.tobytes()
    except keel.Error as error:
        return type(error), str(error)
    return r.t.tobytes(), r.y.tobytes(), str(r), r.begin, r.end, [str(event) for event in r.events]


@pytest.mark.parametrize("name", NAMES)
def test_as_if_they_had_been_read(name):
    path = EXAMPLES / f"{name}.keel"
    m = keel.Model(path, interpret=True)
    begin, end = m._readings.use({}, lambda reading, *values: reading.span(*values))
    words = dict(to=begin + (end - begin) * 1e-3, steps=True, max_steps=200)
    changes = [{own: factor * value} for own, value in list(m.parameters.items())[:3] for factor in FACTORS]
    changes += [{own: 0.3} for own, _, origin in m._facts["columns"] if origin == 2][:2]
    for change in changes:
        fresh = told(lambda: keel.Model(path, set=change, interpret=True).run(**words))
        assert told(lambda: m.run(set=change, **words)) == fresh, change
        assert told(lambda: m.run(set=change, **words)) == fresh, change  # and once more


@pytest.mark.parametrize(
    "text, change",
    [
        ("param n = 2\nvar q[1..n]\nfor i in 1..n: q[i]' = -i*q[i]\nfor i in 1..n: init q[i] = 1\nrun 0 .. 1\n", {"n": 3}),
        ("param s = 2\nvar x {atol = 1e-3*s}\nx' = -s*x\ninit x = 1\nrun 0 .. 1\n", {"s": 3}),
        ("param s = 2\nvar x {scale = s}\nx' = -x\ninit x = 1\nrun 0 .. 1\n", {"s": 100}),
        ("param k = 1\nvar x, y\nx' = y\ny = -k*x\ninit y = -2*k\nrun 0 .. 1\n", {"k": 3}),
        ("param T = 1\nvar x\nx' = -x\ninit x = 1\nrun 0 .. T\noptions step = T/10, method = rk4\n", {"T": 3}),
        ("param a = 1, w = sqrt(a)\nvar x, v\nx' = v\nv' = -a*x\ninit x = 1/w, v = 0\nrun 0 .. 2*pi/w\n", {"a": 3}),
        ("param c = 1\nvar x, v\nx' = v\nv' = -x - c*sign(v)\ninit x = 2, v = 0.1\nrun 0 .. 3\n", {"v": -0.2, "c": 0.3}),
    ],
)  # fmt: skip
def test_what_decides_more_than_a_start(text, change):
    change = {name: float(value) for name, value in change.items()}
    m = keel.Model(text, interpret=True)
    for _ in range(2):
        assert told(lambda: m.run(set=change)) == told(lambda: keel.Model(text, set=change).run())
        assert told(lambda: m.run()) == told(lambda: keel.Model(text).run())


def test_an_invariant_of_some_values_alone_is_refused_before_the_run():
    text = "param c = 0\nvar x, v\nx' = v\nv' = -x - c*v\ninvariant size = x^2 + v^2\ninit x = 1, v = 0\nrun 0 .. 1\n"
    m = keel.Model(text)
    m.run()
    with pytest.raises(keel.ModelError, match="`size` is not conserved"):
        m.run(c=0.1)
    assert m.run(c=0.0).kept["size"].units < 4


def test_functions_with_other_arguments_and_starts():
    def f(t, y, k):
        return [y[1], -k * y[0]]

    for k, start in ((1.5, [1, 0]), (2.5, [0.3, 2.0]), (1.5, [1, 0])):
        s = keel.solve_ivp(f, (0, 3), start, args=(k,), rtol=1e-9, atol=1e-9)
        w = np.sqrt(k)
        exact = start[0] * np.cos(3 * w) + start[1] * np.sin(3 * w) / w
        assert s.y[0, -1] == pytest.approx(exact, abs=1e-6)
