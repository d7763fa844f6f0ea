#!/usr/bin/env python3
"""Quantities that cease to have a value: sqrt and log of negative numbers, divisions by zero, overflow.

Where nothing depends on one the run goes on, its cells stay blank, and certificate, JSON, report, CSV and HDF5 and the exit
status 3 say so.  Where the motion needs it the run ends there, with a sentence that has name and time."""
import csv
import json
import math
import sys
import unittest

import cli

DECAY = "var y\ny' = -y\ninit y = 1\nrun 0 .. 3\n"
TIMES = ("--at", "0,0.5,1,1.5,2,3")
AXLE = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninit y = 0, y' = 0\nguess x = 1\nrun 0 .. 3\n"

# What is missing, since when, in how many of the six rows.
OUTPUTS = {
    "sqrt": ("output z = sqrt(y - 0.2)\n", "z", math.log(5), 2),
    "log": ("output z = log(y - 0.3)\n", "z", -math.log(0.3), 3),
    "asin": ("output z = asin(2 - 3*y)\n", "z", math.log(3), 0),
    "power": ("output z = (y - 0.2)^1.5\n", "z", math.log(5), 2),
    "acosh": ("output z = acosh(y + 0.8)\n", "z", math.log(5), 2),
    "zero by zero": ("output z = (t - 1)/(t - 1)\n", "z", 1, 1),
    "one by zero": ("output z = 1/(t - 1)\n", "z", 1, 1),
    "overflow": ("output z = exp(1000*t)\n", "z", math.log(sys.float_info.max) / 1000, 4),
    "difference of infinities": ("output z = exp(1000*t) - exp(1000*t)\n", "z", math.log(sys.float_info.max) / 1000, 4),
    "through a let": ("let w = log(y - 0.3)\noutput z = 2*w\n", "z", -math.log(0.3), 3),
    "from the start": ("output z = sqrt(0.5 - y)\n", "z", None, 2),
    "a derivative": ("output z = sqrt(y - 0.2), d = y''/(t - 1)\n", "d", 1, 1),
    "an exact solution": ("exact y = exp(-t) + 0*sqrt(1.2 - t)\n", "y", 1.2, 3),
}

# The motion, an event or a kept row needs it: the run ends; what is named, when at the latest, and by which methods.
FIXED, STIFF, SERIES = ("--method", "rk4", "--step", "0.01"), ("--method", "radau"), ("--method", "taylor")
ENDS = {
    "rate": ("var x\nx' = -sqrt(x - 0.2) - 0.1\ninit x = 1\nrun 0 .. 5\n", "`x`", 1.4, ((), FIXED, STIFF)),
    "overflow": ("var x\nx' = x^2\ninit x = 1\nrun 0 .. 5\n", "`x`", 1.05, (FIXED,)),
    "algebraic": ("var x, z\nx' = -x + z\nz + 0.1*sin(z) = sqrt(x - 0.2) - 1\ninit x = 1\nguess z = 0\nrun 0 .. 3\n",
                  "`line 3`", 0.83, ((), FIXED, STIFF)),
    "beside algebraic": ("var x, z\nx' = z - 1 - sqrt(x - 0.2)\nz + sin(z)/9 = 0.1*x\ninit x = 1\nguess z = 0.1\nrun 0 .. 5\n",
                         "`x'`", 0.53, ((), FIXED, STIFF)),
    "hamiltonian": ("canonical q, p\nhamiltonian p^2/2 + q^1.5\ninit q = 1, p = 0\nrun 0 .. 5\n", "t = 1.2", 1.22,
                    ((), FIXED, STIFF, SERIES)),
    "lagrangian": ("coord x\nlagrangian x'^2/2 - sqrt(x)\ninit x = 1, x' = 0\nrun 0 .. 5\n", "`motion of x`", 1.89,
                   ((), FIXED, STIFF)),
    "event": (DECAY + "event e: sqrt(y - 0.2) - 2 rising -> record\n", "`e`", 1.65, ((), FIXED, STIFF, SERIES)),
    "event of a mode": ("var y\ny' = -y\ninit y = 1\nstart a\nmode a:\n    event g: y - 0.5 falling -> mode b\nmode b:\n"
                        "    event e: sqrt(y - 0.6) - 2 rising -> record\nrun 0 .. 3\n", "`e`", 0.73, ((), FIXED, STIFF, SERIES)),
}


class NoValue(cli.Case):
    def model(self, text):
        with open(self.path("m.keel"), "w") as file:
            file.write(text)
        return self.path("m.keel")

    def run_json(self, *arguments, status):
        done = self.keel("run", self.path("m.keel"), *arguments, "--json", status=status)
        return json.loads(done.stdout)

    def rows(self, name):
        with open(self.path(name), newline="") as file:
            lines = file.read().splitlines()
        told = [line for line in lines if line.startswith("# no value: ")]
        return list(csv.DictReader(line for line in lines if not line.startswith("#"))), told

    def located(self, name, since):
        """Rows that lie close: the step in which the value ceases to exist is known, and the place in it, unless a
        step happens to end between that place and the next row."""
        found = 0
        for rtol in ("1e-7", "1e-8", "1e-9", "1e-10", "1e-11"):
            said = self.run_json("--every", "0.0625", "--rtol", rtol, status=3)
            one, = [one for one in said["no_value"] if one["name"] == name]
            self.assertTrue(one["last_with"] <= since <= one["first_without"])
            if one["t"] is None:
                continue
            found += 1
            self.assertAlmostEqual(one["t"], since, delta=1e-6)
            self.assertTrue(one["last_with"] <= one["t"] <= one["first_without"])
        self.assertGreater(found, 2)

    def test_outputs_are_told(self):
        for case, (line, name, since, rows) in OUTPUTS.items():
            with self.subTest(case):
                self.model(DECAY + line)
                said = self.run_json(*TIMES, status=3)
                one, = [one for one in said["no_value"] if one["name"] == name]
                self.assertEqual((said["status"], said["exit"], said["t"]), ("done", 3, 3))
                if rows:
                    self.assertEqual((one["rows"], one["of"]), (rows, 6))
                if since is None:
                    self.assertIsNone(one["last_with"])
                else:
                    self.assertTrue(one["last_with"] <= since <= one["first_without"])
                    self.located(name, since)
                self.assertIn(f"`{name}`", said["message"])

    def test_certificate_and_sentence(self):
        self.model(DECAY + OUTPUTS["sqrt"][0])
        # a step that ends between that place and the next row would hide it: none of this tolerance does
        done = self.keel("run", self.path("m.keel"), *TIMES, "--rtol", "1e-4", status=3)
        self.assertIn("no value   z: in 2 of 6 rows, first at t = 1.60943", done.stdout.decode())
        self.assertIn("keel: `z` has no value in 2 of 6 rows, first at t = 1.60943", done.stderr.decode())
        done = self.keel("run", self.path("m.keel"), *TIMES, "--quiet", status=3)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"`z` has no value", done.stderr)

    def test_every_row_is_there_and_blank_only_where_it_must_be(self):
        self.model(DECAY + OUTPUTS["sqrt"][0])
        self.keel("run", self.path("m.keel"), *TIMES, "--out", "a.csv", status=3)
        rows, told = self.rows("a.csv")
        self.assertEqual([row["z"] == "" for row in rows], [False] * 4 + [True] * 2)
        self.assertTrue(all(row["y"] for row in rows))
        self.assertEqual(told, ["# no value: z, first seen at t = 2"])

    def test_an_unknown_of_the_model(self):
        self.model("var y, z\ny' = -y\nz = sqrt(y - 0.2)\ninit y = 1\nrun 0 .. 3\n")
        said = self.run_json(*TIMES, status=3)
        self.assertEqual([one["name"] for one in said["no_value"]], ["z"])
        self.assertIsNone(said["state"]["z"])

    def test_an_equation_beside_the_motion_without_solution_loses_no_row(self):
        self.model("coord x\nlagrangian x'^2/2 - x\ninit x = 1, x' = 0\nrun 0 .. 3\noutput a = sqrt(x)*x''\n")
        self.keel("run", self.path("m.keel"), *TIMES, "--out", "a.csv", status=3)
        rows, _ = self.rows("a.csv")
        self.assertEqual(len(rows), 6)
        self.assertTrue(all(row["x"] for row in rows))
        self.assertEqual(rows[-1]["a"], "")

    def test_multipliers_and_drifts(self):
        self.model(AXLE + "output s = sqrt(29 - 3*lambda.rod)\n")
        said = self.run_json(status=3)
        self.assertEqual([one["name"] for one in said["no_value"]], ["s"])
        self.model("var x, y\nx' = x*(2/3 - 4/3*y)\ny' = y*(x - 1)\ninvariant v = x - log(x) + 4/3*y - 2/3*log(y)\n"
                   "init x = 1, y = 2\nrun 0 .. 9\n")
        rough = ("--method", "euler", "--step", "0.9")
        said = self.run_json(*rough, "--preserve", "none", status=3)
        self.assertEqual([(one["name"], one["kind"]) for one in said["no_value"]], [("v", "drift")])
        said = self.run_json(*rough, "--preserve", "watch", status=1)
        self.assertIn("`v` is not finite (nan) at t = 0.9", said["message"])

    def test_a_row_that_a_mode_lacks_is_not_missing(self):
        self.model("coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ninit x = 0, y = 0, x' = 1, y' = 0\nrun 0 .. 2\n"
                   "start free\nmode free:\n    event catch: x^2 + y^2 - 1 rising -> mode held\nmode held:\n"
                   "    constraint string: x^2 + y^2 = 1\n")
        self.assertEqual(self.run_json(status=0)["no_value"], [])

    def test_the_motion_needs_it(self):
        for case, (text, name, latest, methods) in ENDS.items():
            for method in methods:
                with self.subTest(case, method=method):
                    self.model(text)
                    said = self.run_json("--out", "a.csv", *method, status=1)
                    self.assertLessEqual(said["t"], latest)
                    self.assertIn(name, said["message"])
                    self.assertIn("t = ", said["message"])
                    self.assertNotIn("-nan", said["message"])
                    rows, _ = self.rows("a.csv")
                    self.assertTrue(rows)
                    self.assertTrue(all(math.isfinite(float(value)) for row in rows for name, value in row.items()
                                        if name != "mode" and value != ""))

    def test_report_and_hdf5(self):
        self.model(DECAY + OUTPUTS["sqrt"][0])
        self.keel("run", self.path("m.keel"), *TIMES, "--report", "a.html", status=3)
        with open(self.path("a.html")) as file:
            self.assertIn("Without a value: `z` has no value in 2 of 6 rows", file.read())
        try:
            import h5py
        except ImportError:
            return
        if cli.os.environ.get("KEEL_HDF5", "1") in ("0", "FALSE"):
            return
        self.keel("run", self.path("m.keel"), *TIMES, "--out", "a.h5", status=3)
        with h5py.File(self.path("a.h5")) as file:
            said = json.loads(file.attrs["result_json"])
        self.assertEqual((said["exit"], [one["name"] for one in said["no_value"]]), (3, ["z"]))

    def test_compare_and_converge(self):
        model = self.model(DECAY + OUTPUTS["sqrt"][0])
        for command in (("compare", model, "--methods", "rk4,dopri5"), ("converge", model, "--method", "rk4", "--step", "0.1")):
            said = json.loads(self.keel(*command, "--json", status=3).stdout)
            self.assertEqual((said["status"], [one["name"] for one in said["no_value"]]), ("done", ["z"]))
            self.assertIn(b"no value   z", self.keel(*command, status=3).stdout)

    def test_check_says_it_of_the_start(self):
        for equation, said in (("z = a/a", "has no value"), ("z = 1/y", "is infinite"), ("z = sqrt(t - 1)", "has no value"),
                               ("z = if(y > 2, 1, a/a)", "has no value"), ("z = y.start/a", "has no value")):
            with self.subTest(equation):
                model = self.model(f"param a = 0\nvar y, z\ny' = 1\n{equation}\ninit y = 0\nrun 0 .. 3\n")
                done = self.keel("check", model, status=3)
                self.assertEqual(done.stderr.decode(), f"keel: `z` {said} at the start\n")
                self.assertIn(f"z {said} (equations)", done.stdout.decode())
                self.assertIsNone(json.loads(self.keel("check", model, "--json", status=3).stdout)["start"]["z"])
                self.assertNotIn(b"nan", done.stdout + self.keel("run", model, status=3).stdout)

    def test_an_infinite_value_is_no_size(self):
        self.model("var x, y\nx' = -1\ny = 1/x\ninit x = 0\nrun 0 .. 3\n")
        said = self.run_json(status=3)
        self.assertLess(said["accuracy"]["value"], 1e-6)

    def test_what_is_given_is_a_number(self):
        for line in ("init y = a/a", "init y = 1/a", "guess y = log(a)", "init y = 1\nreference t = 1: y = 1/a",
                     "init y = 1\nreference t = 1: y = a/a", "init y = 1\nparam b = 1/a", "init y = 1\nrun 0 .. 1/a",
                     "init y = 1\nvar q {atol = 1/a}\nq' = 0\ninit q = 0", "init y = 1\noptions rtol = 1/a",
                     "init y = 1\noptions step = log(-1 - a)"):
            for command in ("check", "run"):
                with self.subTest(line, command=command):
                    run = "" if "run" in line else "run 0 .. 1\n"
                    model = self.model(f"param a = 0\nvar y\ny' = -y\n{run}{line}\n")
                    said = self.keel(command, model, status=1).stderr.decode()
                    self.assertRegex(said, "not a number|infinite|not finite|positive number|no number")

    def test_a_run_that_an_event_stops(self):
        self.model(DECAY + "event late: t - 2.5 rising -> stop\n" + OUTPUTS["sqrt"][0])
        said = self.run_json(*TIMES, status=3)
        self.assertEqual((said["status"], said["no_value"][0]["rows"]), ("stopped", 2))


if __name__ == "__main__":
    unittest.main()
