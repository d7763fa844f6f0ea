"""What the tests of the command share: KEEL is the program, KEEL_SOURCE the sources, KEEL_BUILD where files may go."""
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

KEEL = os.environ["KEEL"]
EXAMPLES = os.path.join(os.environ["KEEL_SOURCE"], "examples")
BUILD = os.environ["KEEL_BUILD"]
SKIPPED = 77


def example(name):
    """The file of a model, in examples/ or in examples/papers/."""
    path = os.path.join(EXAMPLES, name + ".keel")
    return path if os.path.exists(path) else os.path.join(EXAMPLES, "papers", name + ".keel")


def needs(*programs):
    """Ends the test as skipped where a program is not installed."""
    for program in programs:
        if not shutil.which(program):
            print("skipped: there is no", program)
            sys.exit(SKIPPED)


def runs(path):
    """Does the process run whose number the file holds?"""
    with open(path) as file:
        number = file.read().strip()
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def on_terminal(stream, *arguments, size=None, env=None):
    """What the command writes to `stream`, stdout or stderr, where that is a terminal of this size (rows, columns).
    With its exit status."""
    master, slave = pty.openpty()
    if size:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: slave}
    child = subprocess.Popen([KEEL, *arguments], stdin=subprocess.DEVNULL, env=env, **streams)
    os.close(slave)
    seen = b""
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:  # the other end is closed
        pass
    os.close(master)
    return seen.decode(), child.wait()


class Case(unittest.TestCase):
    """Every test has a folder of its own, which must be empty of unfinished files at its end."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def tearDown(self):
        self.assertEqual([f for f in os.listdir(self.folder) if ".part-" in f or f.endswith(".keel-lock")], [])

    def path(self, name):
        return os.path.join(self.folder, name)

    def keel(self, *arguments, status=0, **more):
        environment = dict(os.environ, **more.pop("env", {}))
        done = subprocess.run([KEEL, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder, env=environment, timeout=120, **more)
        self.assertEqual(done.returncode, status, (arguments, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def refused(self, *arguments, status=2, **more):
        """One sentence on standard error and nothing else."""
        done = self.keel(*arguments, status=status, **more)
        self.assertEqual(done.stdout, b"")
        said = done.stderr.decode()
        self.assertEqual(said.count("\n"), 1, said)
        return said
