#!/usr/bin/env python3
"""run_heyoka.py - heyoka (the wheel of that name) beside bench_taylor, on Kepler's orbit, e = 0.6, 25 periods.

usage: run_heyoka.py BENCH_TAYLOR

What heyoka compiles for a tolerance is timed apart.  As in bench/taylor.c, times are the best of several rounds of
processor time, and for each error the loosest tolerance is taken that meets it together with the two after it.
"""

import math
import re
import subprocess
import sys
import time

import heyoka

ERRORS = 1e-6, 1e-9, 1e-12
ROUNDS = 300
START = 0.4, 0.0, 0.0, 2.0
END = 25 * 2 * math.pi  # where the orbit is at its start again


def integrator(tolerance):
    x, y, u, v = heyoka.make_vars("x", "y", "u", "v")
    cube = (x * x + y * y) ** -1.5
    motion = [(x, u), (y, v), (u, -x * cube), (v, -y * cube)]
    begin = time.process_time()
    made = heyoka.taylor_adaptive(motion, list(START), tol=tolerance)
    return made, time.process_time() - begin


def run(made):
    made.time = 0.0
    made.state[:] = START
    begin = time.process_time()
    steps = made.propagate_until(END)[3]
    took = time.process_time() - begin
    return took, steps, max(abs(a - b) for a, b in zip(made.state, START))


def loosest(error):
    """The integrator for the loosest tolerance that meets the error with the two after it, or None."""
    met = []
    quarter = round(-4 * math.log10(error)) - 12
    while quarter <= 60 and len(met) < 3:
        tolerance = 10 ** (-quarter / 4)
        made, compiling = integrator(tolerance)
        met = met + [(tolerance, made, compiling)] if run(made)[2] <= error else []
        quarter += 1
    return met[0] if met else None


def main():
    ours = subprocess.run([sys.argv[1], "kepler-25"], capture_output=True, text=True, check=True).stdout
    unit = float(re.search(r"takes ([0-9.]+) ns", ours).group(1)) * 1e-9
    print(ours, end="")
    print(f"heyoka {heyoka.__version__}, whose compiling is not counted")
    print(f"  {'':16} {'tol':>8} {'error':>8} {'time/ms':>9} {'units':>11} {'steps':>6} {'compiling/ms':>13}")
    for error in ERRORS:
        found = loosest(error)
        if not found:
            print(f"  does not reach {error:.0e}")
            continue
        tolerance, made, compiling = found
        took, steps, reached = min(run(made) for _ in range(ROUNDS))
        print(f"  {'taylor':16} {tolerance:8.1e} {reached:8.1e} {1e3 * took:9.3f} {took / unit:11.0f} "
              f"{steps:6} {1e3 * compiling:13.0f}")


if __name__ == "__main__":
    main()
