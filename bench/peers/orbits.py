"""orbits.py - what peers from Python integrate beside bench_taylor, and how: Kepler's orbit, the outer solar system.

As in bench/taylor.c, times are the best of several rounds of processor time, and for each error the loosest
tolerance is taken that meets it together with the two after it.
"""

import math
import re
import subprocess
from typing import NamedTuple


class Kepler:
    """e = 0.6, 25 periods: at the end the orbit is at its start again."""

    case, errors, rounds = "kepler-25", (1e-6, 1e-9, 1e-12), 300
    start = 0.4, 0.0, 0.0, 2.0
    answer = dict(enumerate(start))
    end = 25 * 2 * math.pi


class Outer:
    """Six bodies over 10^5 days; numbers and answer are those of bench/cases/outer.c."""

    case, errors, rounds = "outer", (1e-6, 1e-9), 60
    masses = 1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449, 1 / 1.3e8
    gravity = 2.95912208286e-4
    bodies = (
        (0, 0, 0, 0, 0, 0),
        (-3.5023653, -3.8169847, -1.5507963, 0.00565429, -0.00412490, -0.00190589),
        (9.0755314, -3.0458353, -1.6483708, 0.00168318, 0.00483525, 0.00192462),
        (8.3101420, -16.2901086, -7.2521278, 0.00354178, 0.00137102, 0.00055029),
        (11.4707666, -25.7294829, -10.8169456, 0.00288930, 0.00114527, 0.00039677),
        (-15.5387357, -25.2225594, -3.1902382, 0.00276725, -0.00170702, -0.00136504),
    )
    places = (
        (0.61972240118581445323, -0.24836361562713779594, -0.12450681490122868234),
        (-0.61062886946113692499, -5.0071316336284885651, -2.1335889587892111763),
        (0.4154657294165632897, 8.0727587902944630827, 3.325166069868790153),
        (19.280176007538941008, 6.3718593373676464253, 2.5115110518767149728),
        (-29.324410741075489284, 3.3556636337103378231, 2.096386578642061238),
        (14.121353432024388752, -28.711526331435671011, -13.079588559285879157),
    )
    start = tuple(float(number) for body in bodies for number in body)
    answer = {6 * body + k: place[k] for body, place in enumerate(places) for k in range(3)}
    end = 1e5


class Run(NamedTuple):
    took: float  # s of the processor
    steps: int
    error: float


class Entry(NamedTuple):
    """A row: make(case, tolerance) gives a function that integrates and returns seconds, steps and the state at the
    end."""

    name: str
    make: object
    rounds: int = 0  # 0: those of the case


def run(case, integrate):
    took, steps, state = integrate()
    return Run(took, steps, max(abs(state[i] - number) for i, number in case.answer.items()))


def loosest(case, error, make):
    """(tolerance, integrate) for the loosest tolerance that meets the error with the two after it, or None."""
    met = []
    quarter = round(-4 * math.log10(error)) - 12
    while quarter <= 60 and len(met) < 3:
        tolerance = 10 ** (-quarter / 4)
        integrate = make(case, tolerance)
        met = met + [(tolerance, integrate)] if run(case, integrate).error <= error else []
        quarter += 1
    return met[0] if met else None


def compare(case, bench, title, entries):
    ours = subprocess.run([bench, case.case], capture_output=True, text=True, check=True).stdout
    unit = float(re.search(r"takes ([0-9.]+) ns", ours).group(1)) * 1e-9
    print(ours, end="")
    print(title)
    print(f"  {'':22} {'tol':>8} {'error':>8} {'time/ms':>9} {'units':>11} {'steps':>6}")
    for error in case.errors:
        for entry in entries:
            found = loosest(case, error, entry.make)
            if not found:
                print(f"  {entry.name:22} does not reach {error:.0e}")
                continue
            tolerance, integrate = found
            best = min(run(case, integrate) for _ in range(entry.rounds or case.rounds))
            print(f"  {entry.name:22} {tolerance:8.1e} {best.error:8.1e} {1e3 * best.took:9.3f} "
                  f"{best.took / unit:11.0f} {best.steps:6}")
