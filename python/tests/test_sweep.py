"""Sweeps: the bits of keel sweep and of single runs; what fails, stops and is kept; functions of Python."""

import csv
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import keel

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
COMMAND = os.environ.get("KEEL_COMMAND") or shutil.which("keel")
SPRING = "param k = 1, c = 0\nvar x, v\nx' = v\nv' = -k*x - c*v\ninit x = 1, v = 0\nrun 0 .. 1\n"


@pytest.fixture(scope="module")
def pendulum():
    return keel.Model(EXAMPLES / "pendulum.keel")


def by_command(folder, model, *words):
    out = folder / "out.csv"
    subprocess.run([COMMAND, "sweep", model, *words, "--out", out, "--force", "--quiet"], check=True)
    with open(out, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.skipif(not COMMAND, reason="the command keel is not there")
@pytest.mark.parametrize(
    "example, words, line, event",
    [
        (
            "pendulum",
            dict(to=3, over={"g": [1, 5, 9.81], "l": "0.5:2:3"}, rtol=1e-8),
            "--tend 3 --over g=1,5,9.81 --over l=0.5:2:3 --rtol 1e-8",
            0,
        ),
        (
            "pendulum",
            dict(to=2, draw={"g": "normal(9.81, 0.1)"}, count=40, seed=7, sample="sobol", times=[0, 0.5, 2]),
            "--tend 2 --draw g=normal(9.81,0.1) --count 40 --seed 7 --sample sobol --at 0,0.5,2",
            0,
        ),
        (
            "bounce",
            dict(over={"e": [0.5, 0.8]}, events="hit", method="rkf78"),
            "--over e=0.5,0.8 --events hit --method rkf78",
            1,
        ),
        (
            "kepler",
            dict(over=["e = 0.1:0.7:3"], to=5, every=1, columns=["q[1]"], method="rk4", step=0.01),
            "--over e=0.1:0.7:3 --tend 5 --every 1 --columns q[1] --method rk4 --step 0.01",
            0,
        ),
    ],
)
def test_the_bits_of_the_command(tmp_path, example, words, line, event):
    path = EXAMPLES / f"{example}.keel"
    s = keel.Model(path).sweep(**words)
    lines = by_command(tmp_path, path, *line.split())
    for name in s.columns:
        own = s.events[name] if event else s[name].ravel()
        assert own.tolist() == [float(one[name]) for one in lines]
    if not event:
        times = 1 if s.t is None else len(s.t)
        for name, column in (("drift", s.drift), ("correction", s.correction)):
            assert np.repeat(column.ravel(), times).tolist() == [float(one[name]) for one in lines]


def test_a_member_is_a_run_with_its_values(pendulum):
    s = pendulum.sweep(2, over={"l": [0.5, 2], "y'": [0.0, 0.3]}, rtol=1e-7)
    for k in range(4):
        r = s.run(k, at=[2.0])
        assert [s[name].ravel()[k] for name in s.columns] == r.y[-1].tolist()
        assert s.values_of(k) == {"l": float(s["l"].ravel()[k]), "y'": float(s["start.y'"].ravel()[k])}


def test_bits_do_not_depend_on_workers(pendulum):
    words = dict(draw={"g": "uniform(5, 10)"}, count=1500, columns="x, y", rtol=1e-5)
    one, four = (pendulum.sweep(0.3, workers=workers, **words) for workers in (1, 4))
    assert np.array_equal(one["x"], four["x"]) and np.array_equal(one.drift, four.drift)


def test_axes_tables_and_lists_side_by_side():
    m = keel.Model(SPRING)
    s = m.sweep(over={"k": [1, 2], "c": [0, 1]}, zip=True, table={"x": [1, 2, 3]})
    assert s.axes == {"zip": 2, "table": 3} and s["x"].shape == (2, 3)
    assert s["k"][:, 0].tolist() == [1, 2] and s["start.x"][0].tolist() == [1, 2, 3]
    s = m.sweep(k=np.linspace(1, 2, 3), c=0.5)
    assert s.axes == {"k": 3} and s.model.parameters["c"] == 0.5


def test_statistics_without_the_values():
    m = keel.Model(SPRING)
    words = dict(draw={"x": "normal(0, 1)"}, count=2000, times=[0, 1])
    s = m.sweep(summary="count, mean, std, q50", keep_values=False, **words)
    all_of_them = m.sweep(**words)["x"]
    assert s.summary["count"]["x"].tolist() == [2000, 2000]
    assert s.summary["mean"]["x"] == pytest.approx(all_of_them.mean(axis=0), abs=1e-14)
    assert s.summary["std"]["x"] == pytest.approx(all_of_them.std(axis=0, ddof=1), rel=1e-12)
    assert s.summary["q50"]["x"] == pytest.approx(np.median(all_of_them, axis=0), abs=2e-3)
    with pytest.raises(KeyError, match="keep_values"):
        s["x"]


def test_extrema_and_sections():
    s = keel.Model(SPRING + "event top: v falling -> record\n").sweep(7, k=[1, 4], extrema=True, events="top")
    assert s.extrema["largest"]["x"] == pytest.approx([1, 1], abs=1e-6)
    assert s.events["member"].tolist() == sorted(s.events["member"]) and abs(s.events["v"]).max() < 1e-12


def test_failed_members_have_their_sentences(pendulum):
    s = pendulum.sweep(1, over={"l": [1.0, 0.0, 2.0]})
    assert list(s.failed) == [1] and "rod" in s.failed[1]
    assert s.status[1] < 0 and np.isnan(s["x"][1]) and np.isfinite(s["x"][[0, 2]]).all()
    assert "failed     1 of 3" in str(s) and "failed" in s._repr_html_()


@pytest.mark.parametrize(
    "words, sentence",
    [
        ({}, "nothing varies"),
        ({"over": {"kk": [1]}}, "`kk`"),
        ({"over": {"k": []}}, "a list of numbers"),
        ({"over": "k = 1:2"}, "from:to:count"),
        ({"draw": {"k": "uniform(0, 1)"}}, "count"),
        ({"draw": {"k": "gauss(0, 1)"}, "count": 3}, "gauss"),
        ({"over": {"k": [1]}, "times": [3.0]}, "outside of the run"),
        ({"over": {"k": [1]}, "columns": "y"}, "there is no column `y`"),
        ({"over": {"k": [1]}, "events": "hit"}, "no event `hit`"),
        ({"over": {"k": [1]}, "summary": "middle"}, "`middle` is none of"),
        ({"over": {"k": [1]}, "seed": -1}, "seed must"),
        ({"over": {"k": [1]}, "workers": 0}, "workers must"),
        ({"over": {"k": [1]}, "out": "x.txt"}, "must end in"),
    ],
)
def test_refusals(words, sentence):
    with pytest.raises(keel.OptionError, match=sentence):
        keel.Model(SPRING).sweep(**words)


def test_options_that_depend_on_what_varies_are_refused():
    m = keel.Model(SPRING + "options step = k/100, method = rk4\n")
    with pytest.raises(keel.OptionError, match="depends on what varies"):
        m.sweep(k=[1, 2])
    m = keel.Model(SPRING.replace("0 .. 1", "0 .. k"))
    with pytest.raises(keel.OptionError, match="ends of the run"):
        m.sweep(k=[1, 2], times=[0.5])
    assert m.sweep(k=[1, 2]).t_end.tolist() == [1, 2]


def test_files_and_copies(tmp_path):
    s = keel.Model(SPRING).sweep(k=[1, 2], times=[0, 1], out=tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        assert np.array_equal(file["x"], s["x"]) and file["k"].tolist() == [1, 2]
    again = pickle.loads(pickle.dumps(s))
    assert np.array_equal(again["x"], s["x"]) and again.certificate == s.certificate


def test_a_dataset():
    pytest.importorskip("xarray")
    d = keel.Model(SPRING).sweep(k=[1, 2], draw={"x": "uniform(1, 2)"}, count=3, times=[0, 1]).to_xarray()
    assert d["x"].dims == ("k", "draw", "t") and d["start.x"].dims == ("k", "draw")
    assert d["x"].sel(t=0).equals(d["start.x"].rename("x").assign_coords(t=0.0)) or np.array_equal(
        d["x"].sel(t=0), d["start.x"]
    )
    assert d["k"].values.tolist() == [1, 2] and "model" in d.attrs


def test_progress_is_told_and_may_end_it():
    m, told = keel.Model(SPRING), []
    m.sweep(draw={"k": "uniform(1, 2)"}, count=3000, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (3000, 3000)

    def stop(done, of):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        m.sweep(draw={"k": "uniform(1, 2)"}, count=10**6, progress=stop)


def test_an_interrupt_ends_a_sweep():
    code = f"""
import keel, os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # processes in the background ignore it
m = keel.Model({SPRING!r})
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.time()
try:
    m.sweep(1000, draw={{"k": "uniform(1, 2)"}}, count=10**6, keep_values=False, summary="mean")
except KeyboardInterrupt:
    print("interrupted", time.time() - begin < 20)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted True\n", done.stderr


def test_functions():
    def f(t, y, k, c):
        return [y[1], -k * y[0] - c * y[1]]

    def energy(t, y, k, c):
        return y[1] ** 2 + k * y[0] ** 2

    s = keel.sweep(
        f,
        (0, 2),
        [1, 0],
        args={"k": 1.0, "c": 0.0},
        invariants={"energy": energy},
        over={"k": [1.0, 4.0], "y[0]": "1:2:3"},
        rtol=1e-10,
    )
    exact = s["start.y[0]"] * np.cos(2 * np.sqrt(s["k"]))
    assert np.abs(s["y[0]"] - exact).max() < 1e-8 and s.drift.max() < 4
    assert s.rows == ["energy"] and s.axes == {"k": 2, "start.y[0]": 3}
    with pytest.raises(keel.TraceError, match="branches"):
        keel.sweep(lambda t, y, k: [k if y[0] > 0 else 0], (0, 1), [1], args={"k": 1.0}, k=[1, 2])
