"""A compiler that hangs, fails, lies or floods: the model runs in the interpreter, and that is told once."""
import json
import os
import subprocess
import unittest

import cli

MODEL = cli.example("pendulum")
FAULTS = {  # what the compiler does; what is told of it
    "hangs": ("sleep 1000 & echo $! > $0.pid; wait", "not done within 1 s"),
    "fails": ("echo 'model.c:1:1: error: no more registers' >&2; exit 1", "error: no more registers"),
    "dies": ("kill -9 $$", "gave no reason"),
    "makes nothing": ("exit 0", "cannot be"),
    "makes garbage": ('while [ "$1" != -o ]; do shift; done; head -c 100000 /dev/urandom > "$2"', "cannot be loaded"),
    "floods its messages": ("exec yes", "wrote more than"),
    "speaks in escapes": ("printf 'error: \\033[31m\\001red\\n'; exit 1", "error:"),
}


class Fallback(cli.Case):
    def setUp(self):
        super().setUp()
        self.home = dict(XDG_CACHE_HOME=self.path("cache"))

    def compiler(self, script):
        path = self.path("cc")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o700)
        return dict(self.home, CC=path)

    def test_every_fault(self):
        right = self.keel("run", MODEL, "--interpret", "--out", "right.csv", env=self.home)
        self.assertEqual(right.stderr, b"")
        for name, (script, told) in FAULTS.items():
            with self.subTest(name):
                limit = "1" if name == "hangs" else "100"
                done = self.keel("run", MODEL, "--compile-limit", limit, "--out", "a.csv", env=self.compiler(script))
                said = done.stderr.decode()
                self.assertEqual(said.count("\n"), 1, said)
                self.assertIn("runs in the interpreter", said)
                self.assertIn(told, said)
                self.assertNotIn("\033", said)
                with open(self.path("a.csv")) as one, open(self.path("right.csv")) as other:
                    self.assertEqual(one.read(), other.read())
                self.assertEqual([f for f in os.listdir(self.path("cache/keel")) if f.startswith("build.")], [])
        self.assertFalse(cli.runs(self.path("cc.pid")))

    def test_no_compiler(self):
        for command in ["run"], ["converge", "--levels", "2", "--step", "0.05"], ["compare", "--methods", "rk4", "--steps", "0.05"]:
            done = self.keel(command[0], MODEL, *command[1:], "--tend", "1", env=dict(self.home, CC="/nowhere/cc"))
            self.assertIn("/nowhere/cc", done.stderr.decode())
            self.assertEqual(done.stderr.decode().count("interpreter"), 1)

    def test_json_and_report(self):
        for more, why in ({}, None), (dict(CC="/nowhere/cc"), "/nowhere/cc"):
            done = self.keel("run", MODEL, "--json", "--report", "a.html", env=dict(self.home, **more))
            self.assertEqual(done.stderr, b"")
            said = json.loads(done.stdout)
            self.assertEqual(said["compiled"], why is None)
            self.assertTrue(why is None or why in said["interpreted_why"])
            with open(self.path("a.html")) as file:
                self.assertIn("interpreted: " if why else ", compiled", file.read())
        said = json.loads(self.keel("run", MODEL, "--json", "--interpret", env=self.home).stdout)
        self.assertIn("as asked", said["interpreted_why"])

    def test_kernels_are_compiled_where_they_pay(self):
        """A short run has the model's functions alone; a long one its loop, too, and the same numbers."""
        def libraries():
            return len([f for f in os.listdir(self.path("cache/keel")) if f.endswith(".so")])
        model = self.path("swing.keel")
        with open(model, "w") as text:
            text.write("var x, y\nx' = y\ny' = -x\ninvariant r = x^2 + y^2\ninit x = 1, y = 0\nrun 0 .. 200\n")
        for method in "dop853", "rk4+project", "rk4+watch":
            more = [] if method == "dop853" else ["--step", "0.01"]
            self.keel("run", model, "--method", method, *more, env=self.home)
            self.assertEqual(libraries(), 1, method)
        # many rows: hardly a step between two of them
        self.keel("run", model, "--method", "rk4", "--step", "1e-4", "--every", "1e-3", "--out", "rows.csv", env=self.home)
        self.assertEqual(libraries(), 1)
        long = ["run", model, "--method", "rk4+project", "--step", "1e-4", "--points", "50"]
        self.keel(*long, "--out", "long.csv", env=self.home)
        self.assertEqual(libraries(), 2)
        self.keel(*long, "--interpret", "--out", "slow.csv", env=self.home)
        with open(self.path("long.csv")) as one, open(self.path("slow.csv")) as other:
            self.assertEqual(one.read(), other.read())

    def test_quiet_is_quiet(self):
        self.assertEqual(self.keel("run", MODEL, "--quiet", env=dict(self.home, CC="/nowhere/cc")).stderr, b"")


if __name__ == "__main__":
    if subprocess.run(["sh", "-c", "command -v cc"], stdout=subprocess.DEVNULL).returncode:
        raise SystemExit(cli.SKIPPED)
    unittest.main(verbosity=2)
