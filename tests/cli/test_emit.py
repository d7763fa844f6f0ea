#!/usr/bin/env python3
"""keel emit: the file of every example compiles without a warning and gives the bits of keel run."""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import unittest

import cli
from cli import example

INCLUDE = os.path.join(os.environ["KEEL_SOURCE"], "include")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-ffp-contract=off", "-fno-builtin", "-DKEEL_MODEL_MAIN"]


class Emit(cli.Case):
    def compile(self, source, *flags):
        program = source[:-2]
        library = os.path.join(cli.BUILD, "libkeel.a")
        with open(library, "rb") as archive:
            sanitized = b"__asan_init" in archive.read()
        if sanitized:  # the compiler alone: the program would only be slow
            subprocess.run(["cc", *FLAGS, *flags, "-fsyntax-only", "-I", INCLUDE, source], check=True, cwd=self.folder)
            raise unittest.SkipTest("sanitized")
        subprocess.run(["cc", *FLAGS, *flags, "-I", INCLUDE, source, library, "-o", program, "-lm", "-ldl"], check=True,
                       cwd=self.folder)
        return program

    def one(self, model):
        """A short run by both; the values of the program by name."""
        name = os.path.basename(model)[:-5]
        try:
            return self.compare(model, name)
        except unittest.SkipTest:
            return 10

    def test_taylor(self):
        """The recurrences of a model with multipliers are in the file where its method asks for them."""
        with open(example("pendulum")) as text, open(self.path("own.keel"), "w") as own:
            own.write(re.sub(r"^options .*$", "", text.read(), flags=re.M).replace("\nrun ", "\noptions method = taylor\nrun "))
        self.assertGreater(self.compare(self.path("own.keel"), "own"), 3)
        with open(self.path("own.c")) as text:
            self.assertIn(".series = {series_0_f,", text.read())

    def test_event_pair(self):
        """Events of taylor are roots of polynomials in the file, too: no pair is missed, and nonsmooth ones are sampled."""
        motion = "var x, y, z\nx' = y\ny' = -x\nz + z^3/3 = x\ninit x = 0\ninit y = 1\n"
        line = "event hit: %s crossing -> stop\nrun 0 .. 9\noptions method = taylor, step = 0.4\n"
        events = ["(x - 0.9)^2 - 1e-14", "(z - 0.5)^2 - 1e-12", "abs(x - 0.3) - 0.1"]
        for event in events:
            with open(self.path("own.keel"), "w") as own:
                own.write("model own\n" + motion + line % event)
            self.keel("emit", "own.keel", "--out", "own.c", "--quiet")
            out = subprocess.run([self.compile(self.path("own.c"))], check=True, stdout=subprocess.PIPE).stdout.decode()
            for way in [["--interpret"], []]:
                run = json.loads(self.keel("run", "own.keel", "--json", *way).stdout)
                self.assertLess(run["t"], 9, event)
                self.assertIn("stopped by event hit\nt = %.17g\n" % run["t"], out)
                for name in "xyz":
                    self.assertIn("%s = %.17g\n" % (name, run["state"][name]), out)

    def test_sensitivities(self):
        """Derivatives are those of keel run, bit for bit: of constraints, redundant ones, too, and through an event."""
        with open(self.path("jump.keel"), "w") as own:
            own.write("param a = 1.4\nvar x, z\nx' = -a*z\nz + z^3 = x\nevent back: x - 0.7 falling -> x := 1\n"
                      "init x = 1\nrun 0 .. 1\n")
        for model, by in ((example("pendulum"), "l"), (example("twin_rods"), "l"), (self.path("jump.keel"), "a")):
            words = (model, "--sensitivity", by, "--tend", "1", "--quiet")
            self.keel("emit", *words, "--out", "by.c", "--force")
            out = subprocess.run([self.compile(self.path("by.c"))], check=True, stdout=subprocess.PIPE).stdout.decode()
            state = json.loads(self.keel("run", *words[:-1], "--json").stdout)["state"]
            values = dict(re.findall(r"^(d/d\w+ \S+) = (\S+)$", out, re.M))
            same = [key for key in values if key in state]  # accelerations may be unknowns, too
            self.assertGreater(len(same), 1, out)
            for key in same:
                self.assertEqual(float(values[key]), state[key], (model, key))

    def compare(self, model, name):
        with open(model) as text:
            begin, end = re.search(r"^run\s+(.*?)\s*\.\.\s*([^#\n]*)", text.read(), re.M).groups()
        span = "(%s) + min(((%s) - (%s))/2000, 0.01)" % (begin, end, begin)
        self.keel("emit", model, "--tend", span, "--out", name + ".c", "--quiet")
        out = subprocess.run([self.compile(self.path(name + ".c"))], check=True, stdout=subprocess.PIPE).stdout.decode()
        done = subprocess.run([cli.KEEL, "run", model, "--tend", span, "--json", "--interpret"], stdout=subprocess.PIPE)
        run = json.loads(done.stdout)
        if run["exit"] and "there is no" in run["message"]:
            return 0  # its method is not there yet
        values = dict(re.findall(r"^(\S+) = (\S+)$", out, re.M))
        self.assertGreater(len(values), 1, (name, out))
        self.assertEqual(float(values.pop("t")), run["t"], name)
        compared = 0
        for key, value in values.items():
            if key in run["state"]:
                self.assertEqual(float(value), run["state"][key], (name, key))
                compared += 1
        self.assertGreater(compared, 0, name)
        return compared

    def test_every_example(self):
        models = sorted(glob.glob(os.path.join(cli.EXAMPLES, "*.keel")))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertGreater(sum(pool.map(self.one, models)), 100)

    def test_whole_run(self):
        self.assertGreater(self.one(example("kepler")), 3)
        self.keel("emit", example("pendulum"), "--out", "p.c")
        out = subprocess.run([self.compile(self.path("p.c"))], check=True, stdout=subprocess.PIPE).stdout.decode()
        run = json.loads(self.keel("run", example("pendulum"), "--json").stdout)
        self.assertIn("x = %.17g" % run["state"]["x"], out)
        self.assertRegex(out, r"rod +start 0 ")

    def test_actions(self):
        """Assignments, samples, modes, groups of modes and contacts: the program has the bits of keel run."""
        for model, *options in [["bounce", "--set", "e=0.7"], ["slack_rod"], ["sampled"], ["stick_slip"], ["friction2"],
                                ["groups/sliders"], ["contacts/disk"], ["circuits/oscillator", "--tend", "0.004"]]:
            self.keel("emit", example(model), "--out", "a.c", "--force", *options)
            out = subprocess.run([self.compile(self.path("a.c"))], check=True, stdout=subprocess.PIPE).stdout.decode()
            run = json.loads(self.keel("run", example(model), "--json", *options).stdout)
            self.assertGreater(len(run["events"]), 0, model)
            self.assertIn("\n%d events\n" % len(run["events"]), out, model)
            self.assertIn("t = %.17g\n" % run["t"], out, model)
            for name, value in run["state"].items():
                if value is not None:
                    self.assertIn("\n%s = %.17g\n" % (name, value), out, model)

    def test_long_table_beside_actions(self):
        """The program reads its text, which has no room for a long file: that is told when it is written."""
        with open(self.path("long.csv"), "w") as table:
            table.writelines("%d, %d.00000000000000000000\n" % (k, k % 7) for k in range(50000))
        with open(self.path("long.keel"), "w") as model:
            model.write("table load = \"long.csv\"\nvar x\nx' = load(t)\nevent a: at t = 3 -> x := 0\ninit x = 0\nrun 0 .. 9\n")
        self.assertIn("too large for one C file", self.refused("emit", "long.keel", status=1))

    def test_names_stay_names(self):
        """What a file is called reaches C as an escaped string alone."""
        with open(example("lorenz")) as model:
            text = model.read()
        text = re.sub(r"^model.*\n", "", text, flags=re.M)
        for name in ['a"b', "a\\", "%s%n", "*/ int x; /*", "??/", "keel", "3d", "int", "é", "a\tb"]:
            with open(self.path(name + ".keel" if "/" not in name else "slash.keel"), "w") as copy:
                copy.write(text)
            source = self.keel("emit", name + ".keel" if "/" not in name else "slash.keel").stdout
            with open(self.path("odd.c"), "wb") as copy:
                copy.write(source)
            try:
                self.compile(self.path("odd.c"))
            except unittest.SkipTest:
                pass

    def test_pairs_of_a_hamiltonian(self):
        """Forces of pairs are summed where they are found: f needs no place for each pair."""
        law = ("param N = 3\ncanonical q[1..N][1..2], p[1..N][1..2]\n"
               "hamiltonian sum(i in 1..N, dot(p[i], p[i])/2)\n"
               "    - sum(i in 1..N, j in i+1..N, 1/sqrt(dot(q[j] - q[i], q[j] - q[i]) + 0.01))\n"
               "for i in 1..N: init q[i] = (cos(i), sin(1.3*i)), p[i] = (0.1*i, 0)\nrun 0 .. 1\n")
        with open(self.path("pairs.keel"), "w") as text:
            text.write(law)
        for bodies in (20, 40):
            self.keel("emit", self.path("pairs.keel"), "--set", f"N={bodies}", "--out", self.path("pairs.c"), "--force")
            with open(self.path("pairs.c")) as text:
                places = re.search(r"int model_0_f\(.*?double w\[(\d+)\]", text.read(), flags=re.S)
            self.assertLess(int(places.group(1)), 4*bodies + 20)

    def test_only_keel(self):
        for model in ["pendulum", "andrews", "slack_rod"]:
            source = self.keel("emit", example(model)).stdout.decode()
            acts = ["#include <keel/model.h>"] if model == "slack_rod" else []
            self.assertEqual(re.findall(r"^\s*#\s*include.*", source, re.M), ["#include <keel/extras.h>", *acts])
        self.assertIn("slack_rod_taut_problem(void)", source)
        self.assertIn("slack_rod_loose_problem(void)", source)

    def test_files(self):
        self.refused("emit", example("pendulum"), "--out", "x.h")
        self.refused("emit", example("pendulum"), "--out", "missing/x.c", status=1)
        os.mkdir(self.path("d.c"))
        self.refused("emit", example("pendulum"), "--out", "d.c", status=1)
        self.assertEqual(os.listdir(self.folder), ["d.c"])


if __name__ == "__main__":
    unittest.main()
