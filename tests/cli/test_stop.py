"""Signals end what is under way: between steps, inside a long step, while a model is read or compiled."""
import glob
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import cli
from interrupt import interrupt

# One step by gauss8 takes far longer than any test may: the Newton matrices are dense.
WIDE = """model wide
param N = 1000
var x[1..N]
x[1]' = 1 - x[1]
for i in 2..N:
    x[i]' = -1000*x[i] + 999*x[i-1] + sin(t)
init x = 1
run 0 .. 1000
"""
# Written out it has a hundred thousand sines of four unknowns.
LONG = """model long
param N = 400
var x[1..N]
for i in 1..N:
    x[i]' = sum(j in 1..N, sin(x[i] - x[j])*cos(x[j])/(1 + i*j*x[i]^2))
init x = 1
run 0 .. 10
"""


class Case(cli.Case):
    def start(self, *arguments, env=None):
        return subprocess.Popen([cli.KEEL, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})))

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def ends(self, process, number, work=0.6):
        """Once it has worked for so long, one signal ends it."""
        interrupt(process, number, work)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + number, (out[-500:], err[-500:]))
        return out.decode(), err.decode()


class InsideAStep(Case):
    def test_run(self):
        self.write("wide.keel", WIDE)
        for number in signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU:
            process = self.start("run", "wide", "--method", "gauss8", "--step", "0.01", "--interpret", "--json", "--out",
                                 "a.csv")
            out, _ = self.ends(process, number)
            self.assertEqual(json.loads(out)["status"], "interrupted")
            with open(self.path("a.csv")) as file:
                self.assertEqual(file.readlines()[-1], "# status: interrupted\n")

    def test_a_checkpoint_is_left(self):
        self.write("wide.keel", WIDE)
        words = ["run", "wide", "--method", "gauss8", "--step", "0.01", "--interpret", "--quiet"]
        self.ends(self.start(*words, "--checkpoint", "state"), signal.SIGTERM)
        self.ends(self.start(*words, "--resume", "state", "--checkpoint", "state"), signal.SIGTERM)
        self.assertTrue(os.path.exists(self.path("state")))

    def test_other_commands(self):
        self.write("wide.keel", WIDE)
        for words in (["compare", "--methods", "gauss8", "--steps", "0.01"], ["converge", "--method", "gauss8", "--step", "0.01"]):
            self.ends(self.start(words[0], "wide", *words[1:], "--interpret"), signal.SIGTERM)


class Elsewhere(Case):
    def test_while_a_model_is_read(self):
        self.write("long.keel", LONG)
        _, err = self.ends(self.start("run", "long", "--out", "a.csv"), signal.SIGTERM)
        self.assertIn("interrupted while the model was read", err)
        self.assertFalse(os.path.exists(self.path("a.csv")))

    def test_check_ends_by_the_signal(self):
        self.write("long.keel", LONG)
        process = self.start("check", "long")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM))

    def test_reproduce(self):
        self.ends(self.start("reproduce", "--full"), signal.SIGTERM)

    def test_while_it_is_compiled(self):
        compiler = self.write("cc", "#!/bin/sh\necho $$ > %s\nsleep 1000\n" % self.path("pid"))
        os.chmod(compiler, 0o700)
        cache = self.path("cache")
        process = self.start("run", cli.example("pendulum"), env=dict(CC=compiler, XDG_CACHE_HOME=cache))
        while not os.path.exists(self.path("pid")) or os.path.getsize(self.path("pid")) < 2:
            time.sleep(0.01)
        self.ends(process, signal.SIGINT, work=0)
        self.assertFalse(cli.runs(self.path("pid")))
        self.assertEqual(glob.glob(cache + "/keel/build.*"), [])

    def test_a_run_under_nohup_goes_on(self):
        if not shutil.which("nohup"):
            self.skipTest("no nohup")
        process = subprocess.Popen(["nohup", cli.KEEL, "run", cli.example("kepler"), "--step", "0.0005", "--method", "rk4",
                                    "--tend", "300", "--interpret", "--quiet"], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0)

    def test_a_reader_who_goes_away_loses_no_file(self):
        process = self.start("run", cli.example("pendulum"), "--out", "a.csv")
        process.stdout.close()
        process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=100), 0)
        self.keel("run", cli.example("pendulum"), "--out", "b.csv")
        with open(self.path("a.csv"), "rb") as one, open(self.path("b.csv"), "rb") as other:
            self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)
