"""Checkpoints that are damaged, or put together from others: test_checkpoint.py has some, long_checkpoint.py 1000."""
import os
import subprocess
import time

from tool import KEEL, check, content, example

CALL = ("run", example("kepler"), "--step", "2e-5", "--tend", "1000", "--every", "0.01", "--quiet")


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def checkpoint(place, name, rows):
    """The files of a run that was ended after so many bytes of rows."""
    process = subprocess.Popen([KEEL, *CALL, "--checkpoint", f"{place}/{name}", "--checkpoint-every", "0.01"])
    while size(f"{place}/{name}.rows") <= rows:
        time.sleep(0.01)
        check(process.poll() is None, f"the run has ended: {process.returncode}")
    process.terminate()
    process.wait()
    return content(f"{place}/{name}"), content(f"{place}/{name}.rows")


def damaged(dice, good, other):
    """Bytes that are not those of `good`; some are of `other`, a later checkpoint of the same run."""
    at, more = dice.randrange(len(good)), dice.randrange(1, 64)
    wrong = bytearray(good)
    kind = dice.randrange(7)
    if kind == 0:
        wrong[at] ^= 1 << dice.randrange(8)
    elif kind == 1:
        del wrong[at:]
    elif kind == 2:
        wrong += dice.randbytes(more)
    elif kind == 3:
        wrong[at:at + more] = bytes(len(wrong[at:at + more]))
    elif kind == 4:
        del wrong[at:at + more]
    elif kind == 5:
        wrong[at:at] = dice.randbytes(more)
    else:
        wrong[at:] = other[at:]
    return bytes(wrong)


def refuses(place, state, rows):
    """A run that is to go on from these is refused in one sentence, and touches nothing."""
    before = {"state": state, "state.rows": rows, "a.csv": b"what was there before\n"}
    for name, data in before.items():
        with open(f"{place}/{name}", "wb") as file:
            file.write(data)
    run = subprocess.run([KEEL, *CALL, "--resume", f"{place}/state", "--out", f"{place}/a.csv"], capture_output=True)
    check(run.returncode == 1, f"exit {run.returncode}: {run.stderr}")
    check(run.stderr.startswith(b"keel: ") and run.stderr.count(b"\n") == 1, f"not one sentence: {run.stderr}")
    check(all(content(f"{place}/{name}") == data for name, data in before.items()), "a file was touched")


def damage(dice, place, count):
    """So many checkpoints, the state or its rows damaged."""
    state, rows = checkpoint(place, "one", 20000)
    later, later_rows = checkpoint(place, "two", 60000)
    for name in os.listdir(place):
        os.unlink(f"{place}/{name}")
    tried = 0
    while tried < count:
        of_rows = dice.randrange(4) == 0
        wrong = damaged(dice, rows, later_rows) if of_rows else damaged(dice, state, later)
        if wrong in (state, later) or (of_rows and wrong[:len(rows)] == rows):
            continue  # rows behind those of the state are those of a run that was killed later
        refuses(place, *((state, wrong) if of_rows else (wrong, rows)))
        tried += 1
    refuses_nothing(place, state, rows)


def refuses_nothing(place, state, rows):
    """The checkpoint itself is taken: it is its damage that was refused."""
    for name, data in (("state", state), ("state.rows", rows)):
        with open(f"{place}/{name}", "wb") as file:
            file.write(data)
    process = subprocess.Popen([KEEL, *CALL, "--resume", f"{place}/state"], stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.terminate()
    process.communicate()
    check(process.returncode in (0, 143, -15), f"the checkpoint itself is refused: {process.returncode}")
