"""Fits, equilibria, orbits, sections and exponents: the same as the command's."""

import math
import pathlib

import numpy as np
import pytest

import keel

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PENDULUM = EXAMPLES / "pendulum.keel"


def model(name):
    return keel.Model(EXAMPLES / f"{name}.keel", interpret=True)


def test_a_fit_of_a_file_and_of_arrays():
    m = keel.Model(PENDULUM, set={"g": 9.5, "l": 1.05}, interpret=True)
    f = m.fit(EXAMPLES / "swing.csv", ["g", "l"])
    assert f["g"] == pytest.approx(9.822438495, abs=1e-6) and f["l"] == pytest.approx(1.001281208, abs=1e-7)
    assert f.interval["g"][0] < f["g"] < f.interval["g"][1] and f.start == {"g": 9.5, "l": 1.05}
    assert f.correlation[0, 1] > 0.9 and not f.free and not f.doubts and f.points.shape == (400, 6)
    table = np.genfromtxt(EXAMPLES / "swing.csv", delimiter=",", names=True, skip_header=1)
    again = m.fit({name: table[name] for name in ("t", "x", "y")}, "g, l", sigma={"x": 0.02, "y": 0.02})
    assert again.sigma_given and again["g"] == pytest.approx(f["g"], abs=0.01)
    assert again.chi_square == pytest.approx(398, rel=0.2)


def test_two_experiments_bounds_and_what_is_free():
    m = keel.Model("param a = 1, b = 1\nvar x\nx' = -a*b*x\ninit x = 1\nrun 0 .. 1\n", interpret=True)
    t = np.linspace(0, 2, 21)
    data = [{"t": t, "x": np.exp(-k * t)} for k in (0.7, 0.9)]
    f = m.fit(data, "a")
    assert f.experiments == 2 and 0.7 < f["a"] < 0.9
    assert "only a*b is determined" in m.fit(data, "a, b").free[0]
    bounded = m.fit(data[0], "a", bounds={"a": (0.8, None)})
    assert bounded["a"] == 0.8 and bounded.bound["a"] == "lower" and math.isnan(bounded.deviation["a"])
    with pytest.raises(keel.OptionError, match="neither a column nor a parameter"):
        m.fit({"t": t, "z": t}, "a")
    with pytest.raises(keel.ModelError, match="the sensitivity to `zz`"):
        m.fit(data, "zz")


def test_an_orbit():
    o = model("arenstorf").orbit(17.07, hold=["x", "y"])
    assert o.period == pytest.approx(17.0652165601579625, abs=1e-11) and o.family == 0
    assert o.start["y'"] == pytest.approx(-2.00158510637908252, abs=1e-11)
    assert o.trivial == ["along the orbit", "jacobi"] and abs(o.multipliers[0]) > 100
    assert np.abs(o["x"][0] - o["x"][-1]) < 1e-8 and len(o.t) == 1001
    with pytest.raises(keel.Error, match="cannot be held"):
        model("arenstorf").orbit(17.07, hold="nothing")
    swing = keel.Model("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", interpret=True)
    assert swing.orbit(6, segments=3).period == pytest.approx(2 * math.pi, rel=1e-9)


def test_an_equilibrium():
    s = keel.Model(PENDULUM, interpret=True).steady(set={"y": 0.9})
    assert s.stability == "unstable" and s["y"] == pytest.approx(1)
    assert s.eigenvalues[0].real == pytest.approx(math.sqrt(9.81))


def test_exponents():
    found = model("lorenz").lyapunov(200, rtol=1e-8)
    assert found.sum == pytest.approx(-41 / 3, abs=1e-6) and found.exponents[0] > 0.5 and found.left_out == []


def test_wrong_values_are_refused():
    """An end at 0 is one; other values that mean nothing have a sentence."""
    m = keel.Model("var x\nx' = -x\ninit x = 1\nrun 0 .. 9\n", interpret=True)
    swing = keel.Model("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 9\n", interpret=True)
    for wrong in (lambda: m.lyapunov(0), lambda: m.lyapunov(math.nan), lambda: m.lyapunov(transient=-1),
                  lambda: swing.orbit(-6), lambda: swing.orbit(6, segments=0), lambda: swing.orbit(6, segments=1.5), lambda: swing.orbit(math.nan), lambda: swing.orbit(6, hold="x, x"),
                  lambda: m.section(3), lambda: m.fit({"t": [1], "x": [1]}, "x", bounds="x"),
                  lambda: m.fit({"t": [1], "x": [1]}, "x", sigma=3)):
        with pytest.raises(keel.Error):
            wrong()


def test_sections():
    circle = keel.Model("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 20\n", interpret=True)
    s = circle.section("x - 0.5 falling", rtol=1e-10)
    assert np.allclose(s.events["t"], math.pi / 3 + 2 * math.pi * np.arange(len(s.events["t"])), atol=1e-8)
    s = model("henon").section("q[1]", 100, over={"y0": [0.1, 0.2]})
    assert set(s.events["member"]) == {0, 1} and np.abs(s.events["q[1]"]).max() < 1e-13
