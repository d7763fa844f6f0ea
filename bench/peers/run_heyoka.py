#!/usr/bin/env python3
"""run_heyoka.py - heyoka (the wheel of that name) beside bench_taylor: Kepler's orbit, the outer solar system.

usage: run_heyoka.py BENCH_TAYLOR

What heyoka compiles for a tolerance is timed apart.
"""

import sys
import time

import heyoka
from orbits import Entry, Kepler, Outer, compare

compiling = []


def motion(case):
    if case is Outer:
        return heyoka.model.nbody(6, masses=list(case.masses), Gconst=case.gravity)
    x, y, u, v = heyoka.make_vars("x", "y", "u", "v")
    cube = (x * x + y * y) ** -1.5
    return [(x, u), (y, v), (u, -x * cube), (v, -y * cube)]


def taylor(case, tolerance):
    begin = time.process_time()
    made = heyoka.taylor_adaptive(motion(case), list(case.start), tol=tolerance)
    compiling.append(time.process_time() - begin)

    def integrate():
        made.time = 0.0
        made.state[:] = case.start
        begin = time.process_time()
        steps = made.propagate_until(case.end)[3]
        return time.process_time() - begin, steps, made.state

    return integrate


def main():
    for case in Kepler, Outer:
        compiling.clear()
        compare(case, sys.argv[1], f"heyoka {heyoka.__version__}", [Entry("taylor", taylor)])
        print(f"  compiling, which is not counted: {1e3 * min(compiling):.0f} to {1e3 * max(compiling):.0f} ms")


if __name__ == "__main__":
    main()
