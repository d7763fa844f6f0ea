#!/usr/bin/env python3
"""run_scipy.py - scipy beside bench_taylor: Hairer's DOP853, with a right-hand side in C that Fortran calls, and
solve_ivp with one in Python.

usage: run_scipy.py BENCH_TAYLOR

Wheels before 1.15 have the Fortran; with later ones solve_ivp stands alone.
"""

import ctypes
import math
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import scipy
from orbits import Entry, Kepler, Outer, compare
from scipy.integrate import solve_ivp

FORTRAN = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15)
HERE = pathlib.Path(__file__).parent


def compiled(folder):
    """The functions of rates.c as capsules, which scipy's wrappers hand on to the Fortran as they are."""
    path = pathlib.Path(folder) / "rates.so"
    subprocess.run(["cc", "-O3", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", f"-I{HERE.parent}",
                    str(HERE / "rates.c"), "-o", str(path), "-lm"], check=True)
    library = ctypes.CDLL(str(path))
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return {name: capsule(ctypes.cast(getattr(library, name), ctypes.c_void_p), None, None)
            for name in ("kepler", "outer", "nothing")}


def rate_of(rates, case):
    return rates["kepler" if case is Kepler else "outer"]


def dop853(rates):
    from scipy.integrate import _dop

    def make(case, tolerance):
        count = len(case.start)
        work, limits = numpy.zeros(11 * count + 21), numpy.zeros(21, dtype=numpy.int32)
        limits[0] = 10**7
        each = numpy.full(1, tolerance)

        def integrate():
            start = numpy.array(case.start)
            begin = time.process_time()
            state, counts = _dop.dop853(rate_of(rates, case), 0.0, start, case.end, each, each, rates["nothing"], 0,
                                        work.copy(), limits.copy())[1:3]
            return time.process_time() - begin, int(counts[17]), state

        return integrate

    return make


def kepler_in_python(t, u):
    cube = math.hypot(u[0], u[1]) ** 3
    return u[2], u[3], -u[0] / cube, -u[1] / cube


def outer_in_python(t, u):
    each = u.reshape(6, 6)
    apart = each[:, None, :3] - each[None, :, :3]
    square = (apart**2).sum(axis=2) + numpy.eye(6)
    pull = (apart * (Outer.gravity * numpy.array(Outer.masses) / (square * numpy.sqrt(square)))[:, :, None]).sum(axis=1)
    return numpy.concatenate((each[:, 3:], -pull), axis=1).ravel()


def in_python(method):
    def make(case, tolerance):
        def integrate():
            begin = time.process_time()
            found = solve_ivp(kepler_in_python if case is Kepler else outer_in_python, (0, case.end), case.start,
                              method=method, rtol=tolerance, atol=tolerance)
            return time.process_time() - begin, len(found.t) - 1, found.y[:, -1]

        return integrate

    return make


def main():
    warnings.simplefilter("ignore")  # of tolerances below round-off, which no row needs
    with tempfile.TemporaryDirectory() as folder:
        entries = [Entry("solve_ivp DOP853", in_python("DOP853"), 2)]
        if FORTRAN:
            rates = compiled(folder)
            entries = [Entry("Hairer's DOP853", dop853(rates))] + entries
        for case in Kepler, Outer:
            compare(case, sys.argv[1], f"scipy {scipy.__version__}", entries)


if __name__ == "__main__":
    main()
