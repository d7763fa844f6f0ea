"""Disks that are full: what test_disk.py samples and long_disk.py does a hundred times."""
import os
import random
import resource
import shutil
import subprocess

from tool import KEEL, check, content, example, folder, older

HDF5 = os.environ.get("KEEL_HDF5") == "1"


def small_files(limit):
    """For a process whose files may not grow beyond this: as a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def writers():
    """Calls that write files: words, and the files."""
    bounce = ("run", example("bounce"), "--points", "2000", "--quiet")
    yield (*bounce, "--out", "a.csv"), ["a.csv"]
    yield (*bounce, "--out", "a.csv", "--events", "e.csv"), ["a.csv", "e.csv"]
    if HDF5:
        yield (*bounce, "--out", "a.h5"), ["a.h5"]
    yield ("run", example("pendulum"), "--quiet", "--report", "a.html"), ["a.html"]
    yield (*bounce, "--out", "a.csv", "--checkpoint", "state", "--checkpoint-every", "1e-6"), ["a.csv"]
    yield ("emit", example("pendulum"), "--out", "m.c"), ["m.c"]
    yield ("compare", example("lorenz"), "--tend", "1", "--quiet", "--out", "c.csv"), ["c.csv"]
    if shutil.which("gnuplot"):
        yield (*bounce, "--plot", "a.svg"), ["a.svg"]


def said_failed(data):
    """A table whose last line says that the run has failed."""
    return data.splitlines()[-1:] and data.splitlines()[-1].startswith(b"# status: failed")


def full_disk(words, files, dice):
    """The disk is full somewhere within the files that are written: that is told, and what was there stays."""
    with folder() as place:
        subprocess.run([KEEL, *words], cwd=place, capture_output=True, check=True)
        whole = {name: content(f"{place}/{name}") for name in files}
        limit = dice.randrange(max(map(len, whole.values())))
        for name in os.listdir(place):
            os.unlink(f"{place}/{name}")
        for name in files:
            with open(f"{place}/{name}", "wb") as file:
                file.write(older(name))
        run = subprocess.run([KEEL, *words], cwd=place, capture_output=True, preexec_fn=small_files(limit))
        what = f"{words} with {limit} bytes: exit {run.returncode}, {run.stderr[-300:]}"
        check(run.returncode == 1 and (b"cannot be written" in run.stderr or b"File too large" in run.stderr), what)
        for name in os.listdir(place):
            data = content(f"{place}/{name}")
            if not name.startswith("state"):
                check(name in files, f"{name} is left; {what}")
                check(data in (older(name), whole[name]) or said_failed(data), f"{name} is half-written; {what}")
        if any(name.startswith("state") for name in os.listdir(place)):
            again = [*words] + (["--resume", "state"] if os.path.exists(f"{place}/state") else [])
            run = subprocess.run([KEEL, *again], cwd=place, capture_output=True)
            check(run.returncode == 0, f"{again}: {run.stderr}")
            check(all(content(f"{place}/{name}") == whole[name] for name in files), f"resumed: {what}")


def full_disks(count, seed):
    dice = random.Random(seed)
    calls = list(writers())
    for k in range(count):
        full_disk(*calls[k % len(calls)], dice)
