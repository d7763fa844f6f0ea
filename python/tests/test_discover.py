"""Invariants that nobody stated, from Python."""

import pytest

import keel

KEPLER = """canonical q[1..2], p[1..2]
hamiltonian dot(p, p)/2 - 1/norm(q)
invariant energy
init q = (0.4, 0), p = (0, 2)
run 0 .. 10
"""


def test_kepler_has_four():
    found = keel.Model(KEPLER).discover()
    assert [one.independent for one in found] == [True, True, True, False]
    assert [one.known for one in found] == [None, "energy", None, None]
    assert found[0].text == "q[1]*p[2] - p[1]*q[2]" and found[0].degree == 2 and found[0].parameters == "all"
    assert found[3].relation and "found4^2" in found[3].relation
    assert found.degree == 4 and found.functions[:2] == ["q[1]", "p[1]"] and found.unwritten == 0
    assert "invariant found4 = " in repr(found) and "<code>" in found._repr_html_()


def test_the_lines_belong_to_a_model():
    kept = keel.Model(KEPLER + keel.Model(KEPLER).discover(degree=3).lines).run(rtol=1e-9).kept
    assert all(kept[f"found{k}"].units < 16 for k in range(1, 5))


def test_functions_and_none():
    text = "var x, y\nx' = x*y\ny' = x^2*y\ninit x = 1, y = 1\nrun 0 .. 1\n"
    found = keel.Model(text).discover(2, functions=["exp(x)", "1/(x + y)"], seed=5)
    assert {"exp(x)", "1/(x + y)", "log(x)", "log(y)"} <= set(found.functions)
    assert [one.text for one in found] == ["x^2 - 2*y"]
    lorenz = "var x, y, z\nx' = 10*(y - x)\ny' = x*(28 - z) - y\nz' = x*y - 8/3*z\ninit x = 1, y = 1, z = 1\nrun 0 .. 1"
    assert keel.Model(lorenz).discover() == [] and "# no invariant" in repr(keel.Model(lorenz).discover())


def test_refusals():
    model = keel.Model(KEPLER)
    with pytest.raises(keel.Error, match="5005 monomials"):
        model.discover(9)
    with pytest.raises(keel.Error, match="unknown name"):
        model.discover(functions="zz")
    with pytest.raises(keel.OptionError, match="degree must be"):
        model.discover(0)
