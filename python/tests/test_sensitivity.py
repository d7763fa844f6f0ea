"""Sensitivities: columns of a model that was read with them, against differences, in copies and sweeps."""

import copy
import pathlib
import pickle

import pytest

import keel

PENDULUM = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pendulum.keel"
WORDS = dict(to=2.0, points=3, rtol=1e-11)


def test_derivatives_of_all_columns():
    m = keel.Model(PENDULUM, sensitivity=["l", "y'"], interpret=True)
    r = m.run(**WORDS)
    h = 1e-4
    plain = keel.Model(PENDULUM, interpret=True)
    for name, by in (("l", lambda v: {"l": 1 + v}), ("y'", lambda v: {"y'": v})):
        ends = [plain.run(set=by(v), **WORDS) for v in (h, -h)]
        for column in ("x", "y", "x'", "tension"):
            difference = (ends[0][column][-1] - ends[1][column][-1]) / (2 * h)
            assert r[f"d/d{name} {column}"][-1] == pytest.approx(difference, rel=1e-4, abs=1e-4)
    assert r.kept["d/dl rod"].units <= 16 and r.kept["d/dl energy"].units <= 16


def test_copies_and_other_values():
    m = keel.Model(PENDULUM, sensitivity="g", interpret=True)
    first = m.run(g=5.0, **WORDS)["d/dg x"]
    for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert (other.run(g=5.0, **WORDS)["d/dg x"] == first).all()
    assert (keel.Model(PENDULUM, sensitivity="g", set={"g": 5.0}, interpret=True).run(**WORDS)["d/dg x"] == first).all()


def test_a_name_that_is_none():
    with pytest.raises(keel.ModelError, match="the sensitivity to `k`"):
        keel.Model(PENDULUM, sensitivity="k", interpret=True)
