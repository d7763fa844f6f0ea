#!/usr/bin/env python3
"""The stabilizers by the command: sets and gain, folds in every certificate, runs that are resumed."""
import json
import os
import signal
import subprocess
import time
import unittest

import cli
from cli import example

ORBIT = example("kepler")
EXTREMA = (example("liu2006_1"), "--method", "euler+scale", "--tend", "10")


class Stabilizers(cli.Case):
    def json(self, *words):
        return json.loads(self.keel(*words, "--interpret", "--json").stdout)

    def text(self, *words):
        return self.keel(*words, "--interpret").stdout.decode()

    def test_columns_stand_below_their_heads(self):
        """Whatever the names of rows are: the column is as wide as they, or a name has a line of its own."""
        with open(example("pendulum")) as file:
            text = file.read()
        for name in ("rod", "a_rod_with_a_rather_long_name", "a_rod_with_a_name_that_would_fill_nearly_half_a_line"):
            path = os.path.join(self.folder, "long.keel")
            with open(path, "w") as file:
                file.write(text.replace(" rod:", f" {name}:").replace("lambda.rod", f"lambda.{name}"))
            lines = self.text("run", path, "--tend", "1", "--accuracy", "no").splitlines()
            first = next(i for i, line in enumerate(lines) if line.split()[:1] == ["kept"])
            starts = [lines[first].index(head) for head in ("start", "largest drift", "in round-offs", "last")]
            self.assertIn("  " + name, [line[:len(name) + 2] for line in lines])
            rows = [line for line in lines[first + 1:first + 7] if "e-" in line or "e+" in line]
            self.assertGreaterEqual(len(rows), 3)
            for line in rows[:3]:
                for at in starts:
                    self.assertEqual((line[at - 1], line[at] == " "), (" ", False), f"{lines[first]}\n{line}")

    def test_rows_that_hold_at_the_ends_of_steps_alone(self):
        """Methods that conserve by themselves do so at their nodes: what their polynomials do between them is told."""
        for model, method, row, kept in ((ORBIT, "gonzalez", "energy", False), (ORBIT, "average-field4", "energy", False),
                                         (example("pendulum"), "energy-momentum", "energy", False),
                                         (example("pendulum"), "rattle", "rod", True), (ORBIT, "rk4+project", "energy", True),
                                         (example("pendulum"), "shake", "rod", True)):
            with self.subTest(method=method):
                words = ("run", model, "--method", method, "--step", "0.02", "--tend", "2", "--accuracy", "no")
                text = self.text(*words, "--report", "page.html", "--force")
                line = [one for one in text.splitlines() if one.split()[:1] == [row]][0]
                largest = [one["max_drift"] for one in self.json(*words)["kept"] if one["name"] == row][0]
                with open(os.path.join(self.folder, "page.html")) as page:
                    told = "between the steps" in page.read().split("id=\"certificate\"")[1].split("</table>")[0]
                self.assertEqual("%.1e between the steps" % largest in line, not kept, line)
                self.assertEqual(told, not kept)
                self.assertEqual(largest < 1e-13, kept)

    def test_folds_are_told_everywhere(self):
        found = self.json("run", *EXTREMA)
        self.assertGreater(found["unresolved"], 0)
        self.assertEqual(found["stabilizer"], "scale")
        text = self.text("run", *EXTREMA, "--report", "page.html")
        sentence = "at %d steps no factors meet all kept rows: they are off there" % found["unresolved"]
        self.assertIn("  scale      " + sentence, text)
        with open(self.path("page.html"), encoding="utf-8") as page:
            self.assertIn("scale: " + sentence + ".", page.read())
        for words, most in [((example("liu2006_1"), "--method", "gps+scale", "--step", "0.01"), 100),
                            ((ORBIT, "--method", "midpoint+scale", "--step", "pi/100"), 50)]:
            found = self.json("run", *words)  # tangent rays; ends of the minor axis, with the sets q and p
            self.assertEqual(found["status"], "done", words)
            self.assertTrue(0 < found["unresolved"] <= most, words)
            self.assertTrue(all(abs(value) < 10 for value in found["state"].values()), words)
        calm = self.json("run", example("liu2006_1"), "--tend", "10")
        self.assertEqual(calm["unresolved"], 0)
        self.assertNotIn("no factors", self.text("run", example("liu2006_1"), "--tend", "10"))
        self.assertNotIn("unresolved", self.json("run", ORBIT, "--tend", "1"))
        relaxed = self.json("run", ORBIT, "--method", "dopri5+relax", "--step", "pi/100")
        self.assertGreater(relaxed["unresolved"], 0)
        self.assertLess(max(row["scaled_drift"] for row in relaxed["kept"]), 5)
        text = self.text("run", ORBIT, "--method", "dopri5+relax", "--step", "pi/100")
        self.assertIn("at %d steps no length meets all kept rows: they were projected" % relaxed["unresolved"], text)

    def test_corrections_are_told_everywhere(self):
        """The largest one beside the rows; one that no error explains is a finding."""
        for words, unit in [(("--rtol", "1e-8"), "tolerances"), (("--method", "rk4", "--step", "pi/100"), "errors")]:
            words = ("run", ORBIT, "--tend", "20", *words)
            found = self.json(*words)["correction"]
            self.assertEqual(found["in"], unit)
            self.assertTrue(0 < found["largest"] < 10 and found["state"][0] in "qp" and 0 < found["t"] <= 20)
            self.assertNotIn("finding", found)
            text = self.text(*words, "--report", "page.html", "--force")
            self.assertIn("  correction %.2g " % found["largest"], text)
            self.assertNotIn("warning", text)
            with open(self.path("page.html"), encoding="utf-8") as page:
                self.assertIn("Corrections: %.2g " % found["largest"], page.read())
        with open(self.path("brake.keel"), "w", encoding="utf-8") as model:
            model.write("model brake\nvar x, v\nx' = v\nv' = -x - 0.3*v*exp(-((t - 8.4)/0.2)^4)\n"
                        "invariant E = (x^2 + v^2)/2\ninit x = 1, v = 0\nrun 0 .. 30\n")
        words = ("run", self.path("brake.keel"), "--method", "rk4", "--step", "0.05")
        found = self.json(*words)
        self.assertGreater(found["correction"]["finding"]["excess"], 1)
        self.assertLess(abs(found["correction"]["finding"]["t"] - 8.4), 0.5)
        self.assertLess(found["kept"][0]["scaled_drift"], 5)
        text = self.text(*words, "--report", "page.html", "--force")
        self.assertIn("  warning    keeping the rows moved", text)
        with open(self.path("page.html"), encoding="utf-8") as page:
            self.assertIn('class="verdict bad"', page.read())

    def test_corrections_that_are_not_measured_say_so(self):
        """Inside the steps, by their length, while sliding: the row says why."""
        words = ("run", ORBIT, "--tend", "5", "--step", "pi/100", "--method")
        for method, why in [("gauss4+symmetric", "symmetric corrects inside its steps"),
                            ("gauss4+coupled", "coupled corrects inside its steps"),
                            ("dopri5+relax", "relax makes its steps longer or shorter")]:
            self.assertIn("  correction not measured (%s)" % why, self.text(*words, method))
            found = self.json(*words, method)["correction"]
            self.assertEqual(found["not_measured"], why)
            self.assertNotIn("largest", found)
        self.assertNotIn("not measured", self.text(*words, "gauss4+project").split("accuracy")[0])
        with open(self.path("stick.keel"), "w", encoding="utf-8") as model:
            model.write("model stick\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n"
                        "constraint r: x^2 + y^2 = 1\nforce x: -3.5*sign(x' - 0.1)\n"
                        "init x = 0.8, x' = 0\nguess y = -0.6\nrun 0 .. 3\n")
        found = self.json("run", self.path("stick.keel"))["correction"]
        self.assertEqual(found["not_measured"], "while the motion slides")
        self.assertIn("largest", found)

    def test_what_is_not_measured_is_not_told(self):
        """By `none` nobody looks at the rows of steps: no drift of 0, and no word about a projection."""
        words = ("run", ORBIT, "--method", "rk4+none", "--step", "pi/20", "--tend", "10")
        found = self.json(*words)
        watched = self.json(*(w.replace("none", "watch") for w in words))
        for row, seen in zip(found["kept"], watched["kept"], strict=True):
            self.assertIsNone(row["scaled_drift"])
            self.assertIsNone(row["last"])
            self.assertTrue(1e-6 < row["max_drift"] <= seen["max_drift"])
        text = self.text(*words, "--report", "page.html")
        rows = [line.split() for line in text.splitlines() if line.endswith("at output times")]
        self.assertEqual([line[0] for line in rows], [row["name"] for row in found["kept"]])
        for line, row in zip(rows, found["kept"], strict=True):
            self.assertEqual(line[2:5], ["%.1e" % row["max_drift"], "-", "-"])
        with open(self.path("page.html"), encoding="utf-8") as page:
            self.assertIn("Steps are not measured: --preserve watch does that.", page.read())
        for name, told in [("auto", True), ("project", True), ("none", False), ("scale", False), ("watch", False)]:
            reason = self.json("run", ORBIT, "--method", "auto", "--preserve", name, "--tend", "1")["method_why"]
            self.assertEqual("projected" in reason, told, name)

    def test_claims_look_where_nobody_measures(self):
        with open(self.path("my.claims"), "w", encoding="utf-8") as file:
            file.write("paper mine: mine\nitem table1: one\nrun %s --method rk4+none --step pi/20 --tend 10 --interpret\n"
                       "claim >1e-6 largest drift.energy : drift\n" % ORBIT)
        self.assertIn("1 holds", self.keel("reproduce", "my.claims").stdout.decode())

    def test_sets(self):
        words = ("run", ORBIT, "--method", "rk4+scale", "--step", "pi/100", "--tend", "10")
        usual, named = self.json(*words), self.json(*words, "--sets", "q; p")
        self.assertEqual(usual["state"], named["state"])
        self.assertEqual(named["state"], self.json(*words, "--sets", "q[1], q[2]; p[1] p[2]")["state"])
        self.assertNotEqual(usual["state"], self.json(*words, "--sets", "q[1] p[1]; q[2] p[2]")["state"])
        self.assertIn("--sets: `r` is no state", self.refused(*words, "--sets", "q; r"))
        self.assertIn("1 set and 2 kept rows", self.refused(*words, "--sets", "q"))
        idle = "--sets belongs to the stabilizer scale"
        self.assertIn(idle, self.refused("run", ORBIT, "--sets", "q; p"))
        self.assertIn(idle, self.refused("converge", ORBIT, "--method", "rk4+relax", "--sets", "q; p"))
        self.assertIn(idle, self.refused("compare", ORBIT, "--methods", "rk4,rk4+relax", "--sets", "q; p"))
        rows = self.json("compare", ORBIT, "--methods", "rk4,rk4+scale,dopri5+relax", "--sets", "q; p", "--steps", "pi/50",
                         "--tend", "5")["rows"]
        self.assertEqual([row["status"] for row in rows], ["done"] * 3)
        self.assertLess(max(row["scaled_drift"] for row in rows), 5)

    def test_gain(self):
        words = ("run", ORBIT, "--method", "rk4+baumgarte", "--step", "pi/100", "--tend", "10")
        self.assertNotEqual(self.json(*words)["state"], self.json(*words, "--gain", "3")["state"])
        idle = "--gain belongs to the stabilizer baumgarte"
        self.assertIn(idle, self.refused("run", ORBIT, "--gain", "3"))
        self.assertIn(idle, self.refused("compare", ORBIT, "--methods", "rk4,rk4+scale", "--gain", "3"))
        rows = self.json("compare", ORBIT, "--methods", "rk4,rk4+baumgarte", "--gain", "3", "--steps", "pi/50", "--tend",
                         "5")["rows"]
        self.assertEqual([row["status"] for row in rows], ["done"] * 2)

    def test_a_model_with_options_of_another_stabilizer(self):
        """Told where the model chose the stabilizer; where the command line did, the model's choice is left alone."""
        with open(ORBIT, encoding="utf-8") as file:
            text = file.read()
        for own, option, line in [("scale", "sets", 'sets = "q; p"'), ("baumgarte", "gain", "gain = 3")]:
            for stabilizer in ("project", "auto", own):
                with open(self.path("model.keel"), "w", encoding="utf-8") as file:
                    file.write(text + "\noptions method = rk4, preserve = %s, step = pi/100, %s\n" % (stabilizer, line))
                words = ("run", self.path("model.keel"), "--tend", "1")
                if stabilizer == "project":
                    said = self.refused(*words, status=1)
                    self.assertIn("the model's `options`: %s belong" % option, said)
                    self.assertIn("and this is project", said)
                else:
                    self.assertEqual(self.json(*words)["stabilizer"], "project" if stabilizer == "auto" else own)
                    self.assertEqual(self.json(*words, "--preserve", own)["stabilizer"], own)
                for chosen in (("--preserve", "project"), ("--method", "rk4+project")):
                    self.assertEqual(self.json(*words, *chosen)["stabilizer"], "project")

    def test_options_of_a_model(self):
        model = example("liu2006_6")
        found = self.json("run", model)
        self.assertEqual((found["method"], found["stabilizer"]), ("rk4", "scale"))
        self.assertLess(found["accuracy"]["value"], 1e-12)
        self.assertEqual(self.json("run", model, "--preserve", "project")["stabilizer"], "project")
        found = self.json("run", model, "--method", "+adjust")
        self.assertEqual((found["method"], found["stabilizer"]), ("rk4", "adjust"))  # the method by itself
        emitted = self.keel("emit", model).stdout.decode()
        self.assertIn('.method = "rk4+scale",', emitted)
        self.assertIn('.sets = "P[1] P[2]; P[3]",', emitted)
        kept = next(row for row in self.json("run", example("liu2006_5"))["kept"] if row["name"] == "track")
        self.assertLess(kept["scaled_drift"], 5)

    def test_a_resumed_run_ends_with_the_same_bits(self):
        for pair, steps in [(("rk4+relax", "--keep", "energy"), ("--step", "pi/20000")),
                            (("midpoint+scale", "--sets", "q; p"), ("--step", "pi/5000")),
                            (("rk4+baumgarte", "--gain", "2"), ("--step", "pi/20000")),
                            (("gauss4+symmetric",), ("--step", "pi/3000")),
                            (("midpoint+symmetric",), ("--step", "pi/3000", "--reversible")),
                            (("gauss4+coupled",), ("--step", "pi/2000"))]:
            words = ("run", ORBIT, "--method", *pair, "--points", "4", *steps, "--tend", "20")
            whole = self.json(*words)
            saving = ("--checkpoint", self.path("state"), "--checkpoint-every", "0.02")
            process = subprocess.Popen([cli.KEEL, *words, "--interpret", *saving], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while not os.path.exists(self.path("state")) and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(), 143, pair)
            again = self.json(*words, "--resume", self.path("state"))
            for key in ["state", "steps", "kept", "unresolved"]:
                self.assertEqual(whole.get(key), again.get(key), (pair, key))

    def test_orders(self):
        for method, order in [("heun+relax", 2), ("rk4+relax", 4), ("rk4+scale", 4)]:
            found = self.json("converge", ORBIT, "--method", method, "--keep", "energy", "--step", "pi/64", "--levels", "4",
                              "--tend", "2*pi")
            self.assertEqual(len(found["orders"]), 4)
            for name, seen in found["orders"].items():
                self.assertAlmostEqual(seen, order, delta=0.3, msg=(method, name))


if __name__ == "__main__":
    unittest.main()
