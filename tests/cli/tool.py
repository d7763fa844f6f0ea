"""What the tests of the command share."""
import csv
import os
import struct
import subprocess
import sys
import tempfile
import time

KEEL = os.environ["KEEL"]
EXAMPLES = os.environ["KEEL_EXAMPLES"]


def example(name):
    return os.path.join(EXAMPLES, name + ".keel")


def folder():
    """In memory where that is possible: checkpoints wait for the disk."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="keel-test-", dir=memory)


def start(*arguments, **how):
    return subprocess.Popen([KEEL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, text=True, **how)


def keel(*arguments, status=0, **how):
    """Runs the command, wants this exit status, gives what it printed."""
    process = start(*arguments, **how)
    out, err = process.communicate(timeout=120)
    check(process.returncode == status, f"{arguments}: exit {process.returncode}, not {status}: {err}{out}")
    return out, err


def refused(*arguments, status=1, words=(), **how):
    """Fails with one sentence on standard error that has these words in it."""
    out, err = keel(*arguments, status=status, **how)
    check(err.startswith("keel: ") and err.count("\n") == 1, f"{arguments}: not one sentence: {err!r}")
    for word in words:
        check(word in err, f"{arguments}: no {word!r} in {err!r}")
    return err


def check(truth, sentence="it is not so"):
    if not truth:
        raise AssertionError(sentence)


def bits(number):
    return struct.pack("<d", number)


def table(path):
    """Names and rows of a CSV; rows as text."""
    with open(path, newline="") as file:
        lines = file.read().split("\n")
    check(lines[0].startswith("# keel ") and lines[0].endswith("schema=csv/1"), lines[0])
    check(lines[-1] == "", "the last line has no end")
    rows = list(csv.reader([line for line in lines[1:-1] if not line.startswith("# status: ")], strict=True))
    for row in rows:
        check(len(row) == len(rows[0]), f"{len(row)} fields, not {len(rows[0])}: {row}")
    return rows[0], rows[1:]


def column(path, name):
    names, rows = table(path)
    at = names.index(name)
    return [row[at] for row in rows]


def content(path):
    with open(path, "rb") as file:
        return file.read()


def older(name):
    """A short file that an earlier run may have left under this name: one that keel replaces."""
    begin = {".csv": b"# keel 0\n", ".h5": b"\x89HDF\r\n\x1a\n", ".svg": b"<?xml ?><svg></svg>\n<!-- keel -->\n",
             ".html": b'<!DOCTYPE html><meta name="generator" content="keel 0">\n', ".c": b"/* A model as C, written by keel 0 */\n"}
    return begin[os.path.splitext(name)[1]]


def main(tests):
    failed = 0
    for name, test in sorted(tests.items()):
        if not name.startswith("test_"):
            continue
        begin = time.time()
        try:
            test()
            print(f"ok     {name}  {time.time() - begin:.1f} s")
        except Exception as error:
            failed += 1
            print("FAILED", name, "-", type(error).__name__, error)
    sys.exit(failed > 0)
