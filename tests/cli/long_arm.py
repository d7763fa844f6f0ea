#!/usr/bin/env python3
"""keel on arm64, by qemu: every method has the bits of this machine where a model has no elementary functions.

build/arm64/keel is made by `./dev arm`; where it is missing, or older than its sources, the test is skipped."""
import glob
import json
import os
import subprocess
import sys
import unittest

import cli

SOURCE = os.environ["KEEL_SOURCE"]
ARM = os.path.join(SOURCE, "build", "arm64", "keel")
QEMU = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")
# Sums, products, quotients and roots: one rounding each, the same everywhere.
ORBIT = """canonical q[1..2], p[1..2]
hamiltonian dot(p, p)/2 - 1/norm(q)
invariant energy
init q = (0.5, 0), p = (0, sqrt(3))
run 0 .. 7
"""
ROD = """coord x, y
lagrangian (x'^2 + y'^2)/2 - 9.81*y
constraint rod: x^2 + y^2 = 1
invariant energy
init y = 0, y' = 0
guess x = 1
run 0 .. 2
"""
STIFF = """var a, b, c
a' = -0.04*a + 100*b*c
b' = 0.04*a - 100*b*c - 3000*b^2
c' = 3000*b^2
invariant mass = a + b + c
init a = 1, b = 0, c = 0
run 0 .. 1
"""
BOUNCE = """var x, v
x' = v
v' = -9.81 - 0.1*v*abs(v)
init x = 1, v = 0
event hit: x falling -> v := -0.8*v
run 0 .. 2
"""
MODELS = {"orbit": ORBIT, "rod": ROD, "stiff": STIFF, "bounce": BOUNCE}
# Sines and exponentials come from each machine's libm.
OTHERS = ("pendulum", "double_pendulum", "kepler", "four_bar", "rectifier", "transamp", "lotka_volterra", "stick_slip", "toda")


def newest():
    files = [one for pattern in ("src/**/*", "include/**/*.h", "libraries/*") for one in
             glob.glob(os.path.join(SOURCE, pattern), recursive=True)]
    return max(os.path.getmtime(one) for one in files if os.path.isfile(one))


class Arm(cli.Case):
    def run_on(self, arm, model, *options):
        """What a run gives, all but its time: exit status, words, result, rows."""
        rows = self.path("rows.csv")
        if os.path.exists(rows):
            os.remove(rows)
        command = [*(QEMU + (ARM,) if arm else (cli.KEEL,)), "run", model, "--interpret", "--json", "--out", rows, *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, stdin=subprocess.DEVNULL, timeout=600)
        result = json.loads(done.stdout) if done.stdout else {}
        for key in ("wall_s", "output_s", "compile_s"):
            result.pop(key, None)
        if not os.path.exists(rows):
            return done.returncode, done.stderr, result, ""
        with open(rows, encoding="utf-8") as file:
            return done.returncode, done.stderr, result, file.read()

    def test_every_method_has_the_same_bits(self):
        methods = json.loads(self.keel("methods", "--json").stdout)["methods"]
        ran, different = dict.fromkeys(MODELS, 0), []
        for name, text in MODELS.items():
            with open(self.path(name + ".keel"), "w", encoding="utf-8") as file:
                file.write(text)
            for method in methods:
                steps = () if "adaptive" in method["traits"] else ("--step", "0.02" if name != "stiff" else "0.001")
                words = (name + ".keel", "--method", method["name"], *steps, "--accuracy", "no")
                here, there = self.run_on(False, *words), self.run_on(True, *words)
                if here != there:
                    different.append((name, method["name"]))
                ran[name] += here[0] == 0
        self.assertEqual(different, [])
        print("equal bits on arm64:", ", ".join("%s by %d methods" % one for one in ran.items()))
        self.assertGreater(min(ran.values()), 20)

    def test_models_with_elementary_functions(self):
        same = 0
        for name in OTHERS:
            here, there = self.run_on(False, cli.example(name)), self.run_on(True, cli.example(name))
            self.assertEqual(here[:2], there[:2], name)
            same += here[3] == there[3]
            most = max(abs(value) for value in here[2]["state"].values())
            for key, value in here[2]["state"].items():
                self.assertAlmostEqual(there[2]["state"][key], value, delta=1e-4 * most, msg=name)
            for a, b in zip(here[2]["kept"], there[2]["kept"], strict=True):
                self.assertEqual(a["name"], b["name"])
                if a["scaled_drift"] is not None and a["scaled_drift"] < 16:
                    self.assertLess(b["scaled_drift"], 50, (name, a["name"]))
        print("with elementary functions: %d of %d have equal rows, the others agree" % (same, len(OTHERS)))


if __name__ == "__main__":
    cli.needs(QEMU[0])
    if not os.path.exists(ARM) or os.path.getmtime(ARM) < newest():
        print("skipped: keel for arm64 is missing, or older than its sources; ./dev arm makes it")
        sys.exit(cli.SKIPPED)
    unittest.main(argv=sys.argv[:1])
