"""The ten circuits among the examples: against their closed forms and trusted digits, or against equations of another
kind, written here and solved by scipy.  One unknown a node, one current a source, coil and amplifier, one voltage a
capacitor; a run solves for no more than the first two."""
import json
import math
import re
import sys

try:
    import numpy
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq
except ImportError:
    print("skipped: there is no scipy")
    sys.exit(77)

from tool import check, example, folder, keel, table

# nodes, currents, capacitors
CIRCUITS = {"rectifier": (3, 1, 1), "filter": (4, 2, 2), "circuits/rlc": (3, 2, 1), "circuits/bridge": (4, 2, 0),
            "circuits/ladder": (1001, 1, 1000), "circuits/full_wave": (4, 1, 1), "circuits/buck": (3, 2, 1),
            "circuits/amplifier": (10, 2, 5), "circuits/ring_modulator": (11, 10, 7)}


def columns(name, *words):
    """The columns of a run, as arrays by their names."""
    with folder() as place:
        keel("run", example(name), *words, "--accuracy", "no", "--out", f"{place}/a.csv", "--quiet")
        names, rows = table(f"{place}/a.csv")
    values = numpy.array([[float(cell or "nan") for cell in row] for row in rows])
    return {name: values[:, k] for k, name in enumerate(names)}


def near(value, wanted, bound, what):
    off = numpy.max(numpy.abs(value - wanted))
    check(off <= bound, f"{what}: off by {off}")


def test_unknowns():
    for name, (nodes, currents, capacitors) in {**CIRCUITS, "circuits/oscillator": (3, 2, 1)}.items():  # and its level
        mode = json.loads(keel("check", example(name), "--json")[0])["modes"][0]
        check(mode["unknowns"] == nodes + currents + capacitors and mode["index"] == 1, f"{name}: {mode}")
        form = re.search(r"form .*?(\d+) states?(?:, and (\d+) values? solved for)?", keel("check", example(name))[0])
        check(sum(int(number or 0) for number in form.groups()) <= nodes + currents, f"{name}: {form.group()}")


def test_closed_forms_and_digits():
    for name, bound in (("rlc", 1e-7), ("bridge", 1e-8), ("ladder", 1e-6), ("amplifier", 1e-6), ("ring_modulator", 1e-6)):
        loose = ("--rtol", 1e-6 if name in ("ladder", "ring_modulator") else 1e-9)
        accuracy = json.loads(keel("run", example("circuits/" + name), *loose, "--json")[0])["accuracy"]
        check(accuracy["rel"] <= bound, f"{name}: {accuracy}")


def test_filter():
    near(columns("filter", "--rtol", 1e-10)["error"], 0, 1e-8, "filter")


def diode(u, saturation=1e-12, thermal=0.02585, leak=1e-9):
    return saturation * math.expm1(u / thermal) + leak * u if u < 15 else 1e200


def test_rectifier():
    """One state; the diode's voltage d from the current through it and the lead."""
    def rate(t, u):
        v = 10 * math.sin(100 * math.pi * t) - u[0]
        d = brentq(lambda d: diode(d) - (v - d), min(v, 0) - 1e-9, max(v, 0) + 1e-9, xtol=1e-14, rtol=1e-14)
        return [(diode(d) - u[0] / 100) / 1e-3]

    run = columns("rectifier", "--rtol", 1e-9, "--tend", 0.03)
    exact = solve_ivp(rate, (0, 0.03), [0], "DOP853", run["t"], rtol=1e-10, atol=1e-12)
    near(run["c.u"], exact.y[0], 1e-6, "rectifier")


def test_full_wave():
    """The source stands in the middle: b = u/2 + s, n = u/2 - s, and s follows from the current i through the lead."""
    def rate(t, u):
        v, half = 10 * math.sin(100 * math.pi * t), u[0] / 2
        s = brentq(lambda s: diode(s - half) - diode(-s - half) - (v - 2 * s), min(v, 0) / 2 - 1e-9, max(v, 0) / 2 + 1e-9,
                   xtol=1e-14, rtol=1e-14)
        return [(diode(s - half) + diode(-s - half) - u[0] / 100) / 1e-3]

    run = columns("circuits/full_wave", "--rtol", 1e-9, "--tend", 0.03)
    exact = solve_ivp(rate, (0, 0.03), [0], "DOP853", run["t"], rtol=1e-10, atol=1e-12)
    near(run["c.u"], exact.y[0], 1e-6, "full_wave")


def test_oscillator():
    """Up from 0 to U/2 in T log 2, then from one half to the other in T log 3, T = R C."""
    with folder() as place:
        keel("run", example("circuits/oscillator"), "--rtol", 1e-9, "--accuracy", "no", "--events", f"{place}/e.csv", "--quiet")
        names, rows = table(f"{place}/e.csv")
    times = numpy.array([row[names.index("t")] for row in rows], dtype=float)
    near(times, 1e-3 * (math.log(2) + math.log(3) * numpy.arange(9)), 1e-10, "oscillator")


def test_buck():
    """Coil and capacitor; x is where the currents of switch, diode and coil meet."""
    period, duty, end = 20e-6, 0.4, 2e-4

    def rate(resistance):
        def of(t, y):
            i, u = y
            x = brentq(lambda x: (12 - x) / resistance + diode(-x) - i, -2, 13 + 12 * (i < 0), xtol=1e-14, rtol=1e-14)
            return [(x - u) / 1e-4, (i - u / 5) / 47e-6]
        return of

    run = columns("circuits/buck", "--rtol", 1e-9, "--tend", end)
    state, found = [0, 0], []
    for k in range(round(end / period)):
        for begin, stop, resistance in ((k, k + duty, 0.01), (k + duty, k + 1, 1e6)):
            begin, stop = begin * period, stop * period
            at = [t for t in run["t"] if begin <= t < stop]
            piece = solve_ivp(rate(resistance), (begin, stop), state, "DOP853", at + [stop], rtol=1e-10, atol=1e-12)
            found.extend(piece.y[:, :len(at)].T)
            state = piece.y[:, -1]
    count = len(found)
    near(run["coil.i"][:count], numpy.array(found)[:, 0], 1e-6, "buck: the coil")
    near(run["c.u"][:count], numpy.array(found)[:, 1], 1e-6, "buck: the capacitor")


if __name__ == "__main__":
    import tool
    tool.main(globals())
