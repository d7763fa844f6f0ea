#!/usr/bin/env python3
"""Stiff models run without options by a stiff method while they are stiff; a named one is warned about; others are left
alone."""
import json
import re
import unittest

import cli
import stiff_set
from cli import example

FAST = "var x, y\nx' = -x + cos(t)\ny' = -{}*(y - x)\ninit x = 1, y = 1\nrun 0 .. {}\n"
PULSE = "var x\nx' = 3*cos(3*t) - 1e4*(1 + tanh(20*(t - 20)))*(1 - tanh(20*(t - 40)))*(x - sin(3*t))\ninit x = 0\nrun 0 .. 200\n"
ROD = "var u[1..40]\nu[1]' = 1600*(u[2] - 2*u[1]) + u[1]\n" \
      + "".join(f"u[{i}]' = 1600*(u[{i + 1}] - 2*u[{i}] + u[{i - 1}]) + u[{i}] - u[{i}]^3\n" for i in range(2, 40)) \
      + "u[40]' = 1600*(u[39] - 2*u[40]) + u[40]\ninit u = (" + ", ".join(["0.5"] * 40) + ")\nrun 0 .. 1\n"
SPRING = "coord x\nlagrangian x'^2/2 - 1e10*x^2/2\ninit x = 0, x' = 1\nrun 0 .. 1e-3\n"


class Stiff(cli.Case):
    def model(self, text):
        with open(self.path("model.keel"), "w") as file:
            file.write(text)
        return self.path("model.keel")

    def run_of(self, text, *options):
        return json.loads(self.keel("run", self.model(text), "--json", *options).stdout)

    @staticmethod
    def methods(found):
        return [one["method"] for one in found.get("method_changes", [])]

    def test_a_default_becomes_a_stiff_method(self):
        found = self.run_of(FAST.format("1e5", 20))
        self.assertEqual((found["method"], self.methods(found)), ("dop853", ["rodas5p"]))
        self.assertTrue(found["method_changes"][0]["stiff"])
        self.assertLess(found["steps"], 200)  # stability would ask for 3e5
        said = self.keel("run", self.model(FAST.format("1e5", 20))).stdout.decode()
        self.assertEqual(said.count("stiff"), 1, said)
        self.assertIn("dop853", said)
        self.assertIn("rodas5p: from t = ", said)
        self.assertEqual(self.methods(self.run_of(ROD)), ["bdf"])
        self.assertEqual(self.methods(self.run_of(FAST.format("1e5", 20), "--rtol", "1e-10")), ["radau"])

    def test_errors_are_those_of_the_tolerance(self):
        with open(example("robertson")) as file:
            text = re.sub(r"^options.*", "", file.read(), flags=re.M)
        found = self.run_of(text)
        self.assertEqual(self.methods(found), ["rodas5p"])
        self.assertLess(abs(found["state"]["y[1]"] - 2.083340149701294230573e-8), 20 * (1e-6 * 2.08e-8 + 1e-9))
        self.assertLess(found["steps"], 1000)

    def test_problems_of_the_literature(self):
        for name in stiff_set.CHEAP:
            found, known = stiff_set.run(name), stiff_set.run(name, "--method", "radau")
            self.assertLess(stiff_set.tolerances(name, found, 1e-6), 20, name)
            self.assertLess(found["evaluations"], 3 * known["evaluations"] + 1000, name)

    def test_a_named_method_is_only_warned_about(self):
        found = self.run_of(FAST.format("1e5", 0.1), "--method", "dop853")
        self.assertEqual(found["method"], "dop853")
        self.assertIn("stiff", found["method_why"])
        self.assertIn("radau", found["method_why"])
        self.assertNotIn("stiff", self.run_of(FAST.format("1e5", 0.1), "--method", "radau").get("method_why", ""))

    def test_a_named_method_is_warned_about_by_its_own_region(self):
        pair = "var x, y, z\nx' = -x + cos(t)\ny' = -{0}*(y - x) - {1}*z\nz' = {1}*(y - x) - {0}*z\n" \
               "init x = 1, y = 1, z = 0\nrun 0 .. 0.02\n"
        for damping in 1, 0.7, 0.3, 0.15:
            text = pair.format(2e5 * damping, 2e5 * (1 - damping**2)**0.5)
            for method in "bs32", "dopri5", "rkf78", "dop853":
                found = self.run_of(text, "--method", method, "--rtol", "1e-5", "--accuracy", "no")
                self.assertIn("stiff", found.get("method_why", ""), (damping, method))

    def test_stiff_for_a_while(self):
        found = self.run_of(PULSE)
        self.assertEqual(self.methods(found), ["rodas5p", "dop853"])
        there, back = found["method_changes"]
        self.assertTrue(19 < there["t"] < 21 and 39 < back["t"] < 100 and there["stiff"] and not back["stiff"])
        self.keel("run", self.model(PULSE), "--report", self.path("r.html"))
        with open(self.path("r.html")) as file:
            report = file.read()
        self.assertIn("rodas5p from t = ", report)
        self.assertIn("dop853 from t = ", report)

    def test_a_named_method_that_becomes_stiff_is_told(self):
        found = self.run_of(PULSE, "--method", "dop853")
        self.assertEqual(self.methods(found), [])
        self.assertIn("stiff from t = ", found["method_why"])

    def test_others_are_left_alone(self):
        for found in (self.run_of(FAST.format("2", 20)), self.run_of(SPRING), self.run_of(SPRING, "--method", "dopri5")):
            self.assertNotIn("are stiff", found.get("method_why", ""))
            self.assertEqual(self.methods(found), [])
        for name in ("kepler", "lorenz", "lotka_volterra", "vanderpol", "pendulum"):
            found = json.loads(self.keel("run", example(name), "--json").stdout)
            self.assertEqual((found["method"], self.methods(found)), ("dop853", []), name)

    def test_check_tells_time_scales(self):
        scales = lambda text: json.loads(self.keel("check", self.model(text), "--json").stdout)["time_scales"]
        fast, mild = scales(FAST.format("1e5", 20)), scales(FAST.format("2", 20))
        self.assertAlmostEqual(fast["fastest"], 1e-5, 9)
        self.assertAlmostEqual(fast["slowest"], 1, 6)
        self.assertAlmostEqual(fast["damping"], 1, 6)
        self.assertEqual((fast["stiff"], mild["stiff"]), (True, False))
        self.assertFalse(scales(FAST.format("1e5", "1e-5"))["stiff"])  # all of the run is the fast part
        self.assertFalse(scales(SPRING)["stiff"])
        self.assertAlmostEqual(scales(SPRING)["damping"], 0, 6)
        for name in stiff_set.CHEAP[:-1]:
            found = json.loads(self.keel("check", stiff_set.path_of(name), "--json").stdout)
            self.assertTrue(found["time_scales"]["stiff"], name)
        said = self.keel("check", self.model(FAST.format("1e5", 20))).stdout.decode()
        self.assertIn("scales 1e-05 .. 1 at the start   stiff over 0 .. 20", said)

    def test_compare_has_stiff_methods_where_they_matter(self):
        rows = lambda text: self.keel("compare", self.model(text), "--rtol", "1e-6").stdout.decode()
        self.assertIn("bdf", rows(FAST.format("1e4", 1)))
        self.assertNotIn("bdf", rows(FAST.format("2", 1)))


if __name__ == "__main__":
    unittest.main()
