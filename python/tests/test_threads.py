"""Threads, interrupts, other interpreters, memory."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from meanwhile import counting

import keel

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def test_one_model_in_many_threads():
    m = keel.Model(EXAMPLES / "pendulum.keel")
    lengths = np.linspace(1, 2, 12)
    alone = [m.run(5, l=l, points=11).y for l in lengths]
    found = [None] * len(lengths)

    def work(first):
        for k in range(first, len(lengths), 4):
            found[k] = m.run(5, l=lengths[k], points=11).y

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, found))


def test_other_threads_run_meanwhile():
    m = keel.Model("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 1e6\n")
    with counting() as count:
        m.run(at=[2e4], to=2e4, rtol=1e-9)
    assert count[0] >= 2


LONG = "var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 1e9\n"


@pytest.mark.parametrize(
    "work",
    [
        f"m = keel.Model({LONG!r}); start(); m.run(at=[1e9], max_steps=10**9)",
        f"m = keel.Model({LONG!r}); start(); m.run(steps=True, max_steps=10**9, max_step=1e-3)",
        "start(); keel.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1e9), [1, 0], t_eval=[1e9], "
        "max_steps=10**9, trace=False)",
    ],
)
def test_an_interrupt_ends_a_run(work):
    code = f"""
import keel, os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # processes in the background ignore it
def start():
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    global begin
    begin = time.time()
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", time.time() - begin < 5)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted True\n", done.stderr


def test_other_interpreters_are_refused():
    code = (
        "import _xxsubinterpreters as s; i = s.create()\n"
        "s.run_string(i, 'try:\\n import keel._keel\\nexcept ImportError as e:\\n print(e)')"
    )
    done = subprocess.run([sys.executable, "-c", "import keel\n" + code], capture_output=True, text=True)
    if "No module named '_xxsubinterpreters'" in done.stderr:
        pytest.skip("this Python has no such module")
    assert "subinterpreter" in done.stdout + done.stderr


def test_memory_does_not_grow():
    m = keel.Model(
        "param k = 1\nvar x, y\nx' = y\ny' = -k*x\ninvariant e = y^2 + k*x^2\ninit x = 1, y = 0\n"
        "event zero: x crossing -> record\nrun 0 .. 5\n"
    )

    def turn(count):
        for k in range(count):
            m.run(points=20, k=1 + k % 7)
            keel.solve_ivp(
                lambda t, y: -y, (0, 1), [1.0, 2.0], dense_output=True, events=lambda t, y: y[0] - 0.5
            )

    turn(300)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    turn(int(os.environ.get("KEEL_PYTHON_TURNS", 300)))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB
