"""f as machine code: ctypes, scipy.LowLevelCallable, and what looks like a numba.cfunc."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from meanwhile import counting

import keel

CODE = """
int tells(double t, const double *y, double *out, void *data) {
    double k = data ? *(double *)data : 1;
    out[0] = y[1], out[1] = -k*y[0];
    return 0;
}
void silent(double t, const double *y, double *out) { out[0] = y[1], out[1] = -y[0]; }
int gives_up(double t, const double *y, double *out, void *data) { return -1; }
"""
DOUBLES = ctypes.POINTER(ctypes.c_double)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("native")
    (folder / "f.c").write_text(CODE)
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "f.c", "-o", "f.so"], cwd=folder, check=True)
    found = ctypes.CDLL(str(folder / "f.so"))
    found.tells.argtypes = [ctypes.c_double, DOUBLES, DOUBLES, ctypes.c_void_p]
    found.silent.argtypes = [ctypes.c_double, DOUBLES, DOUBLES]
    found.tells.restype = found.gives_up.restype = ctypes.c_int
    found.silent.restype = None
    return found


class Cfunc:
    """As numba's: an address, and the same for ctypes."""

    def __init__(self, function):
        self.ctypes, self.address = function, ctypes.cast(function, ctypes.c_void_p).value


def solve(f, **words):
    return keel.solve_ivp(f, (0, 10), [1, 0], method="DOP853", rtol=1e-10, atol=1e-10, **words)


def test_every_way_to_give_it(library):
    scipy = pytest.importorskip("scipy")
    python = solve(lambda t, y: [y[1], -y[0]], trace=False)
    for f in (
        library.tells,
        library.silent,
        scipy.LowLevelCallable(library.tells),
        scipy.LowLevelCallable(library.silent),
        Cfunc(library.silent),
        Cfunc(library.tells),
    ):
        s = solve(f)
        assert np.array_equal(s.y, python.y) and s.nfev == python.nfev


def test_arguments_and_data(library):
    scipy = pytest.importorskip("scipy")
    two = solve(library.tells, args=(4.0,))
    assert two.y[0, -1] == pytest.approx(np.cos(20), abs=1e-7)
    data = ctypes.c_double(4.0)
    other = solve(scipy.LowLevelCallable(library.tells, ctypes.cast(ctypes.pointer(data), ctypes.c_void_p)))
    assert np.array_equal(two.y, other.y)


def test_rows_and_events_of_python_beside_it(library):
    s = solve(library.tells, invariants={"e": lambda t, y: y[0] ** 2 + y[1] ** 2}, events=lambda t, y: y[0])
    assert s.kept["e"].units < 4 and len(s.t_events[0]) == 3


def test_refusals(library):
    with pytest.raises(keel.Error, match="gave up"):
        solve(library.gives_up)
    wrong = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda t: t)
    with pytest.raises(keel.OptionError, match="other arguments"):
        solve(wrong)
    with pytest.raises(keel.OptionError, match="must be numbers"):
        solve(library.tells, args=("k",))
    with pytest.raises(keel.OptionError, match="real states"):
        keel.solve_ivp(library.tells, (0, 1), [1j, 0])


def test_other_threads_run_meanwhile(library):
    with counting() as count:
        keel.solve_ivp(library.tells, (0, 2e4), [1, 0], method="DOP853", rtol=1e-9, t_eval=[2e4])
    assert count[0] >= 2
