"""keel.Model: reading, runs, what a run gives, copies, errors."""

import copy
import pathlib
import pickle
import sys

import numpy as np
import pytest

import keel

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
DECAY = "param k = 1\nvar x\nx' = -k*x\ninit x = 1\noutput twice = 2*x\nrun 0 .. 1\n"


@pytest.fixture(scope="module")
def pendulum():
    return keel.Model(EXAMPLES / "pendulum.keel")


def test_a_run_at_given_times(pendulum):
    at = np.linspace(0, 10, 101)
    r = pendulum.run(10, rtol=1e-10, at=at, l=2.0)
    assert np.array_equal(r.t, at)
    assert np.abs(r["x"] ** 2 + r["y"] ** 2 - 4).max() < 1e-14
    assert r.kept["rod"].units < 4 and r.kept["energy"].units < 4
    assert r["tension"].shape == (101,)
    assert "rod" in r.certificate and "dop853+project" in r.certificate


def test_arrays_are_not_copied(pendulum):
    r = pendulum.run(1, points=5)
    assert np.shares_memory(r.y, r["x"]) and not r.y.flags.owndata


@pytest.mark.parametrize(
    "words, count", [({"points": 7}, 7), ({"every": 0.25}, 5), ({}, 1001), ({"at": 0.5}, 1)]
)
def test_times(words, count):
    assert len(keel.Model(DECAY).run(**words).t) == count


def test_steps_are_steps():
    r = keel.Model(DECAY).run(steps=True, rtol=1e-8)
    assert len(r.t) == r.steps + 1 and r.t[0] == 0 and r.t[-1] == 1


def test_values_of_parameters_hold_for_one_run():
    m = keel.Model(DECAY)
    assert m.run(at=1, k=2, rtol=1e-10)["x"][0] == pytest.approx(np.exp(-2), rel=1e-9)
    assert m.run(at=1, rtol=1e-10)["x"][0] == pytest.approx(np.exp(-1), rel=1e-9)
    assert m.run(at=1, set={"x": 3}, rtol=1e-10)["x"][0] == pytest.approx(3 * np.exp(-1), rel=1e-9)
    assert m.run(at=1, k="3*1", rtol=1e-10)["x"][0] == pytest.approx(np.exp(-3), rel=1e-9)


def test_arrays_as_parameters():
    m = keel.Model("param a[1..2] = (1, 2)\nvar x[1..2]\nx' = a\ninit x = 0\nrun 0 .. 1\n")
    assert np.allclose(m.run(at=1, a=[5, 7])["x"], [[5, 7]])


def test_a_parameter_that_is_named_like_an_option():
    m = keel.Model("param gain = 1\nvar x\nx' = gain\ninit x = 0\nrun 0 .. 1\n")
    with pytest.raises(keel.OptionError, match="set="):
        m.run(gain=2)
    assert m.run(at=1, set={"gain": 2})["x"][0] == pytest.approx(2)


def test_options_of_the_text_wait_for_what_is_given():
    m = keel.Model(DECAY + "options method = rk4, step = 0.1, points = 3\n")
    assert m.run().steps == 10 and len(m.run().t) == 3
    assert m.run(step=0.5).steps == 2
    assert m.run(rtol=1e-9, method="dop853").method.startswith("dop853")


def test_solution_at_any_time(pendulum):
    r = pendulum.run(10, rtol=1e-9, at=[10.0])
    t = np.array([3.2, 1.1, 9.9, 3.2])
    x, y = r.sol(t, "x"), r.sol(t, "y")
    assert np.abs(x**2 + y**2 - 1).max() < 4e-15 and x[0] == x[3]
    assert r.sol(10.0, "x") == r["x"][0]
    assert set(r.sol(1.0)) == set(r.columns)


def test_accuracy_is_told(pendulum):
    loose = pendulum.run(5, rtol=1e-5, points=11)
    tight = pendulum.run(5, rtol=1e-11, points=11)
    measured = np.abs(loose["x"] - tight["x"]).max()
    assert 0.5 * measured < loose.accuracy()["x"] < 2 * measured


def test_events_and_jumps():
    r = keel.Model(EXAMPLES / "bounce.keel").run()
    assert [event.name for event in r.events] == ["hit"] * len(r.events) and len(r.events) > 2
    assert abs(r.events[0].values["y"]) < 1e-12 and r.events[0].changed


def test_backwards():
    m = keel.Model("var x\nx' = -x\ninit x = 1\nrun 1 .. 0\n")
    r = m.run(points=3, rtol=1e-10)
    assert np.allclose(r.t, [1, 0.5, 0]) and r["x"][-1] == pytest.approx(np.e, rel=1e-9)
    assert r.sol([0.25, 0.75], "x") == pytest.approx(np.exp([0.75, 0.25]), rel=1e-8)


def test_stiff_equations_get_another_method():
    r = keel.Model("var x\nx' = -1000*(x - cos(t))\ninit x = 0\nrun 0 .. 20\n").run(at=[20.0])
    assert r["x"][0] == pytest.approx(np.cos(20), abs=2e-3) and r.steps < 500
    assert "for stiff equations" in str(r)


@pytest.mark.parametrize(
    "words, kind, sentence",
    [
        ({"rtol": -1}, keel.OptionError, "rtol must"),
        ({"rtol": "tight"}, keel.OptionError, "must be a number"),
        ({"method": "rk5"}, keel.OptionError, "there is no method `rk5`"),
        ({"max_steps": 1.5}, keel.OptionError, "whole number"),
        ({"norm": "small"}, keel.OptionError, "one of"),
        ({"at": [2.0]}, keel.OptionError, "outside of the run"),
        ({"at": [0.5, 0.2]}, keel.OptionError, "follow each other"),
        ({"kk": 2}, keel.OptionError, "no parameter `kk`; did you mean `k`"),
        ({"rtoll": 2}, keel.OptionError, "did you mean `rtol`"),
        ({"k": np.nan}, keel.OptionError, "`k` must be a finite number"),
        ({"k": None}, keel.OptionError, "`k` must be a finite number"),
        ({"to": np.inf}, keel.OptionError, "another finite time, not to inf"),
        ({"to": 0}, keel.OptionError, "another finite time, not to 0"),
        ({"set": ["k=1"]}, keel.OptionError, "set must be a dictionary"),
        ({"every": "a"}, keel.OptionError, "positive number"),
        ({"k": "1/0"}, keel.ModelError, "division by zero"),
        ({"every": -1}, keel.OptionError, "positive"),
        ({"points": 0}, keel.OptionError, "from 1 on"),
    ],
)
def test_refusals_carry_the_sentence(words, kind, sentence):
    with pytest.raises(kind, match=sentence) as caught:
        keel.Model(DECAY).run(**words)
    assert isinstance(caught.value, (keel.Error, ValueError))


def test_a_wrong_value_changes_nothing():
    m = keel.Model(DECAY)
    with pytest.raises(keel.ModelError, match="error: kk=3.0: the model has no parameter"):
        m.run(set={"kk": 3})
    assert m.run(at=1, rtol=1e-10)["x"][0] == pytest.approx(np.exp(-1), rel=1e-9)


def test_wrong_texts_are_shown_with_their_place():
    with pytest.raises(keel.ModelError, match="(?s)unknown name `y`.*x' = y.*\\^"):
        keel.Model("var x\nx' = y\n")
    with pytest.raises(FileNotFoundError):
        keel.Model("there_is_no_such.keel")


def test_a_run_that_fails_has_what_was_found():
    with pytest.raises(keel.RunError) as caught:
        keel.Model("var x\nx' = x^2\ninit x = 1\nrun 0 .. 2\n").run(at=[0.5, 1.5])
    assert isinstance(caught.value, RuntimeError) and caught.value.result["x"][0] == pytest.approx(
        2, rel=1e-5
    )


def test_pickles_and_copies(pendulum):
    r = pendulum.run(2, l=1.5, points=11, rtol=1e-9)
    for again in (pickle.loads(pickle.dumps(r)), copy.deepcopy(r)):
        assert np.array_equal(again.y, r.y) and again.certificate == r.certificate
        assert again.sol(0.3, "x") == r.sol(0.3, "x")
    for m in (pickle.loads(pickle.dumps(pendulum)), copy.copy(pendulum)):
        assert np.array_equal(m.run(2, l=1.5, points=11, rtol=1e-9).y, r.y)


def test_what_the_analysis_found(pendulum):
    c = pendulum.check()
    assert c.index == 3 and c.free_values == 2 and c.degrees_of_freedom == 1
    assert any("rod" in name for name, _ in c.hidden)
    assert "index" in repr(c) and "<table>" in c._repr_html_()
    assert pendulum.parameters["g"] == 9.81 and "tension" in pendulum.columns


def test_shown_in_a_notebook(pendulum):
    shown = pendulum.run(2)._repr_html_()
    assert "<pre>" in shown and "<svg" in shown


def test_unknown_columns_are_named(pendulum):
    with pytest.raises(KeyError, match="there is no column `z`"):
        pendulum.run(1, points=2)["z"]


def test_xarray(pendulum):
    pytest.importorskip("xarray")
    d = pendulum.run(1, points=5).to_xarray()
    assert d["x"].dims == ("t",) and "rod" in d.attrs["certificate"]


def test_plots(pendulum):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    ax = pendulum.run(1, points=5).plot("x", "y", ax=Figure().subplots())
    assert len(ax.lines) == 1


def test_lists_of_options_and_methods():
    assert "rtol" in keel.options() and "dop853" in keel.methods() and "project" in keel.methods()
    assert sys.version_info >= (3, 11)


def test_a_file_that_imports(tmp_path):
    (tmp_path / "mine.keel").write_text("part Decay(x0):\n    var x\n    x' = -x\n    init x = x0\n")
    path = tmp_path / "model.keel"
    path.write_text('import "mine.keel"\nuse Decay a(2)\nrun 0 .. 1\n')
    m = keel.Model(path)
    assert abs(m.run(rtol=1e-10)["a.x"][-1] - 2 * np.exp(-1)) < 1e-9
    (tmp_path / "mine.keel").unlink()  # the text has it now
    assert "part Decay" in m.text and pickle.loads(pickle.dumps(m)).run()["a.x"][0] == 2
    with pytest.raises(keel.ModelError, match="mine.keel.*is not imported"):
        keel.Model(path)
