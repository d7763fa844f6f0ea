#!/usr/bin/env python3
"""keel check: what it says is true of every example, and of models that cannot be run."""
import glob
import json
import math
import os
import re
import subprocess
import unittest

import cli
from cli import example

MODELS = sorted(glob.glob(os.path.join(cli.EXAMPLES, "*.keel")))
BROKEN = b"var x\nx' = -x\ninvariant wrong = x\ninit x = 1\nrun 0 .. 1\n"


def value_of(text, names):
    """An expression of the language, by Python, and the largest of the values in it."""
    sizes = [1.0]

    def number(match):
        name = match.group(0)
        if name not in names:
            sizes.extend([math.nan] if "'" in name else [])
            return "0" if "'" in name else name
        sizes.append(abs(names[name]))
        return repr(names[name])

    python = re.sub(r"[A-Za-z_][\w.]*(\[\d+\])*'*", number, text).replace("^", "**").replace("-(-", "-1*(-")
    scope = {k: getattr(math, k) for k in dir(math) if not k.startswith("_")}
    return eval(python, {"__builtins__": {}}, scope), sum(sizes)


class Check(cli.Case):
    def check(self, *arguments, status=0):
        return json.loads(self.keel("check", *arguments, "--json", status=status).stdout)

    def test_pendulum(self):
        said = self.keel("check", example("pendulum")).stdout.decode()
        for part in ["pendulum   2 coordinates, 1 constraint   index 3   1 degree of freedom (2 start values free)",
                     "hidden   d/dt rod:  2*x*x' + 2*y*y' = 0",
                     "y = 0   y' = 0 (init)   x = 1 (equations, near the guess)   x' = 0   lambda.rod = 0 (equations)",
                     "rod, d/dt rod: exact rows   energy: strong, proved",
                     "pendulum.keel --method rattle --step 0.01"]:
            self.assertIn(part, said)
        found = self.check(example("pendulum"))
        mode = found["modes"][0]
        self.assertEqual(mode["offsets"], {"c": {"motion of x": 0, "motion of y": 0, "rod": 2},
                                           "d": {"x": 2, "y": 2, "lambda.rod": 0}})
        self.assertEqual(mode["free"], ["y", "y'"])
        self.assertEqual((mode["dof"], mode["degrees_of_freedom"]), (2, 1))
        self.assertIn("index 0   2 free start values", self.keel("check", example("lotka_volterra")).stdout.decode())
        self.assertNotIn("degrees_of_freedom", self.check(example("lotka_volterra"))["modes"][0])
        self.assertEqual(found["start_from"], {"x": "guess", "y": "init", "x'": "equations", "y'": "init",
                                               "lambda.rod": "equations"})
        self.assertEqual(found["invariants"][0], {"name": "energy", "verdict": "strong", "how": "proved", "rate": 0})

    def test_every_example(self):
        for model in MODELS:
            with self.subTest(model=model):
                found = json.loads(subprocess.run([cli.KEEL, "check", model, "--json"], stdout=subprocess.PIPE).stdout)
                if found["exit"]:
                    self.assertRegex(found["message"], "there is no (method|stabilizer)")  # of its `options`
                run = json.loads(self.keel("run", model, "--json", "--interpret", "--method", "dop853+project", "--rtol",
                                           "1e-3", "--tend", self.begin(model) + "+1e-6").stdout)
                for mode in found["modes"]:
                    c, d = mode["offsets"]["c"], mode["offsets"]["d"]
                    # Pryce: sum d - sum c is the number of free start values; the hidden rows are counted by c.
                    self.assertEqual(sum(d.values()) - sum(c.values()), mode["dof"])
                    self.assertEqual(len(mode["free"]), mode["dof"])
                    self.assertLessEqual(2 * mode.get("degrees_of_freedom", 0), mode["dof"])
                    for row in mode["hidden"]:
                        self.assertLessEqual(row["order"], c[row["of"]])
                self.assertEqual(set(found["start"]), set(found["start_from"]))
                names = dict(run["parameters"], **found["start"])
                names["t"] = run["t0"]
                first = [m for m in found["modes"] if m["name"] == run["mode"]] or found["modes"]
                for row in first[0]["hidden"]:
                    if row["text"].endswith("..."):
                        continue
                    value, size = value_of(row["text"], names)
                    if math.isnan(size):
                        continue  # velocities beside momenta: no states
                    self.assertLess(abs(value), 1e-9 * size ** 2, (row, found["start"]))

    def begin(self, model):
        with open(model) as text:
            return re.search(r"^run\s+(.*?)\s*\.\.", text.read(), re.M).group(1)

    def test_structure(self):
        self.assertTrue(self.check(example("n_body"))["modes"][0]["pairwise"])
        self.assertTrue(self.check(example("toda"))["modes"][0]["separable"])
        self.assertFalse(self.check(example("kepler"))["modes"][0]["pairwise"])
        self.assertTrue(self.check(example("lorenz"))["modes"][0]["quadratic"])
        self.assertEqual(self.check(example("twin_rods"))["modes"][0]["redundant"], [{"name": "rod[2]", "equivalent": "rod[1]"}])
        self.assertEqual([m["name"] for m in self.check(example("slack_rod"))["modes"]], ["taut", "loose"])
        self.assertEqual(self.check(example("transamp"))["modes"][0]["lc_steps"], 3)
        self.assertIn("u[2] - u[1] + u[5]", self.check(example("dow"))["modes"][0]["balances"])

    def test_proof_is_one(self):
        """Work by a force, a moving constraint or t itself takes the proof away, and the claim with it."""
        head = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y%s\nconstraint rod: x^2 + y^2 = 1%s\n%s"
        tail = "init y = 0, y' = 0\nguess x = 1\nrun 0 .. 1\n"
        for potential, rod, more in [("", "", "force x: -x'\n"), ("", " + sin(t)", ""), ("*(1 + t)", "", "")]:
            with open(self.path("m.keel"), "w") as text:
                text.write(head % (potential, rod, more) + "invariant energy\n" + tail)
            found = self.check("m.keel", status=1)
            self.assertEqual([i["verdict"] for i in found["invariants"]], ["false"])
            self.assertEqual(found["modes"][0]["index"], 3)

    def test_wrong_invariant(self):
        with open(self.path("m.keel"), "wb") as text:
            text.write(BROKEN)
        found = self.check("m.keel", status=1)
        wrong = found["invariants"][0]
        self.assertEqual((wrong["name"], wrong["verdict"]), ("wrong", "false"))
        self.assertNotEqual(wrong["rate"], 0)
        self.assertIn("x = ", wrong["point"])
        said = self.keel("check", "m.keel", status=1)
        self.assertIn(b"wrong: not conserved", said.stdout)

    def test_start_that_does_not_fit(self):
        said = self.keel("check", example("pendulum"), "--set", "x=5", status=1)
        self.assertIn(b"`init` does not fit constraint rod", said.stderr)
        self.assertIn(b"hidden   d/dt rod", said.stdout)

    def test_what_keeps_its_guess(self):
        with open(self.path("m.keel"), "w") as text:
            text.write("var x, y\nx' = y\ny' = -x\ninit x = 1\nguess y = 0.25\nrun 0 .. 1\n")
        found = self.check("m.keel")
        self.assertEqual(found["start_free"], ["y"])
        self.assertIn(b"y = 0.25 (keeps its guess)", self.keel("check", "m.keel").stdout)

    def test_suggestion_runs(self):
        for model in ["pendulum", "lorenz", "kepler", "chemakzo"]:
            command = self.check(example(model))["suggest"]["command"].split()
            self.assertEqual(command[:2], ["keel", "run"])
            self.keel(*command[1:], "--tend", "0.1")

    def test_names_for_the_shell(self):
        odd = self.path("it's a model.keel")
        with open(example("lorenz"), "rb") as model, open(odd, "wb") as copy:
            copy.write(model.read())
        self.assertIn("'%s'" % odd.replace("'", "'\\''"), self.check(odd)["suggest"]["command"])


if __name__ == "__main__":
    unittest.main()
