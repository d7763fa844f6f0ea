"""keel compare, converge and methods, and the accuracy that keel run tells.

KEEL is the program, KEEL_SOURCE the folder with examples and schemas.  Properties only: no times, no goldens."""
import csv
import json
import shutil
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

from interrupt import interrupt

KEEL = os.environ["KEEL"]
SOURCE = pathlib.Path(os.environ["KEEL_SOURCE"])
WIDTH = 100

DECAY = "model decay\nvar x\nx' = -x\ninit x = 1\nrun 0 .. 2\n"


def example(name):
    folder = SOURCE / "examples"
    path = folder / f"{name}.keel"
    return str(path if path.exists() else folder / "papers" / path.name)


def keel(*words, text=None, status=0):
    done = subprocess.run([KEEL, *words], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def keel_json(command, *words, text=None, status=0):
    """The one JSON object of a command, valid by its schema."""
    out = keel(command, *words, "--json", text=text, status=status).stdout
    assert out.endswith("\n") and out.count("\n") == 1, out
    answer = json.loads(out)
    schema = json.loads((SOURCE / "src" / "cli" / "schema" / f"{command}.json").read_text())
    assert schema.pop("$id") == answer["schema"]  # no address: older validators would look for it there
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    validator.validate(answer)
    assert answer["exit"] == status
    return answer


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def assert_fits(self, text):
        for line in text.splitlines():
            self.assertLessEqual(len(line), WIDTH, line)
            self.assertNotIn("\033", line)
            self.assertEqual(line, line.rstrip())

    def assert_wrong(self, *words, says, text=None):
        """Wrong usage: one sentence, status 2, also as JSON."""
        done = keel(*words, text=text, status=2)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertIn(says, keel_json(*words, text=text, status=2)["message"])


class Compare(Tables):
    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot_has_a_curve_for_each_method(self):
        with tempfile.TemporaryDirectory() as place:
            keel("compare", example("kepler"), "--methods", "dop853,rkf78+watch", "--rtol", "1e-5,1e-7", "--tend", "10",
                 "--plot", f"{place}/a.svg", "--interpret")
            with open(f"{place}/a.svg") as file:
                text = file.read()
            for word in ("dop853+project", "rkf78+watch", "largest error", "drift in round-offs", "seconds"):
                self.assertIn(word, text)
            self.assertEqual(os.listdir(place), ["a.svg"])
            drawn = keel("compare", example("kepler"), "--methods", "dop853", "--tend", "10", "--plot", "-", "--interpret").stdout
            self.assertIn("seconds", drawn)
            keel("compare", example("kepler"), "--plot", f"{place}/a.txt", status=2)

    def test_defaults_suit_the_problem(self):
        for model, words in (("pendulum", ("--tend", "3")), ("vanderpol", ("--tend", "5")), ("bounce", ())):
            answer = keel_json("compare", example(model), "--interpret", *words)
            rows = answer["rows"]
            self.assertTrue(4 <= len(rows) <= 8, rows)
            self.assertTrue(all(row["status"] in ("done", "stopped") for row in rows), rows)
            self.assertEqual(sum(row["best"] for row in rows), 1)
            if model == "pendulum":
                self.assertIn("rattle", [row["method"] for row in rows])
            first = rows[0]["evaluations"]
            for row in rows:
                self.assertEqual(("step" in row) + ("rtol" in row), 1)
                if "step" in row:  # comparable cost
                    self.assertTrue(first / 3 < row["evaluations"] < 3 * first, row)

    def test_best_is_as_the_table_says(self):
        answer = keel_json("compare", example("kepler"), "--interpret", "--tend", "20", "--rtol", "1e-5,1e-9")
        self.assertEqual(answer["yardstick"], "exact")
        rows = answer["rows"]
        least = min(row["error"] for row in rows)
        near = [row for row in rows if row["error"] <= 2 * least]
        best = [row for row in rows if row["best"]]
        self.assertEqual(len(best), 1)
        self.assertEqual(best[0]["wall_s"], min(row["wall_s"] for row in near))

    def test_rows_of_all_steps_and_refusals(self):
        words = ("compare", example("pendulum"), "--interpret", "--tend", "2", "--methods",
                 "rk4+project, rk4+none,rattle+project,dop853", "--steps", "0.02,1/100")
        rows = keel_json(*words)["rows"]
        self.assertEqual([row["step"] for row in rows], [0.02, 0.01] * 4)
        self.assertEqual([row["method"] for row in rows[::2]], ["rk4", "rk4", "rattle", "dop853"])
        refused = [row for row in rows if row["status"] == "refused"]
        self.assertEqual([row["method"] for row in refused], ["rattle", "rattle"])
        self.assertTrue(all(row["message"] and row["error"] is None for row in refused))
        held, free = rows[0], rows[2]
        self.assertLess(held["scaled_drift"], 5)
        self.assertGreater(free["max_drift"], 1e4 * held["max_drift"])
        self.assertIsNone(free["scaled_drift"])
        self.assertEqual(held["steps"], 100)
        self.assertTrue(8 < rows[0]["error"] / rows[1]["error"] < 32)
        text = keel(*words).stdout
        self.assert_fits(text)
        lines = text.splitlines()
        self.assertIn("the exact solution", lines[1])
        self.assertEqual(sum("refused: " in line for line in lines), 2)
        heading = next(line for line in lines if line.split()[0] == "method")
        end = heading.index("error") + len("error")  # numbers end below the end of their heading
        for line in lines[lines.index(heading) + 1:]:
            if line[2:].startswith(("rk4", "dop853")):
                self.assertRegex(line[:end], r" \d\.\de[+-]\d\d$")
        marked = [line for line in lines if line.startswith("* ")]
        self.assertEqual(len(marked), 2)
        self.assertTrue(marked[0].startswith("* dop853+project") and marked[1].startswith("* best: "), marked)

    def test_a_method_without_error_control_and_a_tolerance(self):
        rows = keel_json("compare", "-", "--methods", "rk4,dop853", "--rtol", "1e-6", text=DECAY)["rows"]
        self.assertEqual([row["status"] for row in rows], ["refused", "done"])

    def test_yardsticks(self):
        self.assertEqual(keel_json("compare", example("caraxis"), "--interpret", "--methods", "dop853")
                         ["yardstick"], "reference")
        answer = keel_json("compare", "-", "--methods", "rk4,dop853", "--steps", "0.1", text=DECAY)
        self.assertEqual(answer["yardstick"], "rerun")
        self.assertLess(answer["yardstick_error"], 1e-12)
        x, h, largest = 1.0, 0.1, 0.0  # rk4 by hand at its grid
        for k in range(1, 21):
            x *= 1 - h + h**2 / 2 - h**3 / 6 + h**4 / 24
            largest = max(largest, abs(x - math.exp(-k * h)))
        error = answer["rows"][0]["error"]
        self.assertTrue(0.99 * largest <= error <= 2 * largest, (error, largest))

    def test_what_varies_is_no_drift(self):
        """The energy of a driven oscillator is shown by run, but it is not conserved."""
        model = ("model driven\ncanonical q, p\nhamiltonian (p^2 + q^2)/2 + q*cos(t)\n"
                 "init q = 1, p = 0\nrun 0 .. 3\n")
        rows = keel_json("compare", "-", "--methods", "rk4+watch,dop853", text=model)["rows"]
        self.assertTrue(all(row["status"] == "done" and row["max_drift"] is None for row in rows), rows)

    def test_chaos_names_no_best(self):
        words = ("compare", example("lorenz"), "--interpret", "--set", "x=1.001", "--methods", "dop853,rk4")
        self.assertFalse(any(row["best"] for row in keel_json(*words)["rows"]))
        self.assertIn("which is not good after t = ", keel(*words).stdout)

    def test_csv(self):
        path = os.path.join(self.folder.name, "table.csv")
        answer = keel_json("compare", "-", "--methods", "rk4,rattle", "--steps", "0.1,0.3/7", "--out", path,
                           text=DECAY)
        lines = pathlib.Path(path).read_text().splitlines()
        self.assertRegex(lines[0], r"^# keel \S+ model=decay yardstick=rerun schema=csv/1$")
        rows = list(csv.DictReader(lines[1:]))
        self.assertEqual(len(rows), 4)
        for row, other in zip(rows, answer["rows"]):
            self.assertEqual(float(row["step"]), other["step"])
            self.assertEqual(row["message"], other["message"])
            self.assertEqual(row["error"] and float(row["error"]), other["error"] or "")
        self.assertEqual(os.listdir(self.folder.name), ["table.csv"])

    def test_wrong_usage(self):
        model = example("pendulum")
        self.assert_wrong("compare", model, "--methods", "rk44", says="did you mean rk4?")
        self.assert_wrong("compare", model, "--methods", "rk4+projekt", says="did you mean project?")
        self.assert_wrong("compare", model, "--methods", "rk4,,dop853", says="empty entry")
        self.assert_wrong("compare", model, "--steps", "0.1,-1", says="positive")
        self.assert_wrong("compare", model, "--steps", "0.1,abc", says="abc")
        self.assert_wrong("compare", model, "--rtol", "1e-6,2", says="between 0 and 1")
        self.assert_wrong("compare", model, "--steps", "0.1", "--rtol", "1e-6", says="exclude each other")
        self.assert_wrong("compare", model, "--out", "table.txt", says="must end in .csv")
        self.assert_wrong("compare", model, "--method", "rk4", says="did you mean --methods?")
        self.assert_wrong("compare", says="which model?")

    def test_failures(self):
        answer = keel_json("compare", "-", text="model x\nvar x\nx' = -y\n", status=1)
        self.assertTrue(answer["diagnostics"])
        answer = keel_json("compare", "-", "--methods", "rattle", "--steps", "0.1", text=DECAY, status=1)
        self.assertEqual(answer["rows"][0]["status"], "refused")
        missing = os.path.join(self.folder.name, "no", "table.csv")
        self.assertIn("cannot be written", keel_json("compare", "-", "--out", missing, text=DECAY, status=1)["message"])

    def test_interrupted(self):
        """Ctrl-C ends the table, not the JSON; the file has what was computed and says so."""
        path = os.path.join(self.folder.name, "table.csv")
        run = subprocess.Popen([KEEL, "compare", example("robertson"), "--interpret", "--methods", "bs32", "--json",
                                "--out", path], stdout=subprocess.PIPE, text=True)
        interrupt(run)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(json.loads(out)["status"], "interrupted")
        self.assertEqual(pathlib.Path(path).read_text().splitlines()[-1], "# status: interrupted")


class Converge(Tables):
    def test_orders(self):
        for model, method, tend, order in (("pendulum", "rk4", "2", 4), ("pendulum", "rattle", "2", 2),
                                           ("kepler", "rk4", "2*pi", 4), ("kepler", "heun", "2*pi", 2)):
            answer = keel_json("converge", example(model), "--interpret", "--tend", tend, "--method", method)
            self.assertEqual(answer["yardstick"], "exact")
            self.assertEqual(len(answer["rows"]), 6)
            steps = [row["step"] for row in answer["rows"]]
            self.assertTrue(all(a == 2 * b for a, b in zip(steps, steps[1:])))
            for name, seen in answer["orders"].items():
                self.assertAlmostEqual(seen, order, delta=0.1, msg=(model, method, name))
            if model == "pendulum":
                self.assertIn("lambda.rod", answer["orders"])
                self.assertEqual(steps[0], 0.02)  # a hundredth of the span

    def test_a_run_as_yardstick(self):
        """Its own error is taken into account: Euler shows order 1, not 1.2."""
        for method, order in (("euler", 1), ("heun", 2), ("rk4", 4)):
            words = ("converge", "-", "--method", method, "--step", "0.1", "--levels", "4")
            answer = keel_json(*words, text=DECAY)
            self.assertEqual(answer["yardstick"], "rerun")
            self.assertAlmostEqual(answer["orders"]["x"], order, delta=0.05)
            self.assertIn("the finest level, step 0.003125", keel(*words, text=DECAY).stdout)

    def test_floor(self):
        answer = keel_json("converge", example("kepler"), "--interpret", "--tend", "2*pi", "--method", "dop853",
                           "--step", "pi/20", "--levels", "7")
        self.assertTrue(all(answer["floor"].values()))
        for name, seen in answer["orders"].items():
            self.assertAlmostEqual(seen, 8, delta=1.5, msg=name)
        answer = keel_json("converge", example("kepler"), "--interpret", "--tend", "2*pi", "--method", "rk4")
        self.assertFalse(any(answer["floor"].values()))

    def test_a_change_of_sign_is_no_floor(self):
        """y' of abm4 crosses zero error between two levels."""
        answer = keel_json("converge", example("spring_pendulum"), "--interpret", "--tend", "10", "--step", "0.02",
                           "--method", "abm4")
        self.assertEqual(answer["yardstick"], "reference")
        self.assertFalse(any(answer["floor"].values()), answer)

    def test_text(self):
        text = keel("converge", example("pendulum"), "--interpret", "--tend", "2", "--levels", "3").stdout
        self.assert_fits(text)
        lines = [line.split() for line in text.splitlines()]
        self.assertEqual(lines[0][:2], ["pendulum", "rattle+watch"])
        steps = [words for words in lines if words and words[0] == "step"]
        names = [name for words in steps for name in words[1:]]
        self.assertEqual(names, ["x", "y", "x'", "y'", "lambda.rod", "tension"])
        for k, words in enumerate(lines):
            if words and words[0] == "step":
                rows = lines[k + 1:k + 5]
                self.assertEqual([row[0] for row in rows], ["0.02", "0.01", "0.005", "order"])
                self.assertEqual({len(row) for row in rows[:3]}, {2 * len(words) - 1})
                self.assertEqual(len(rows[3]), len(words))

    def test_events_and_modes(self):
        """Only where both runs have seen the same events: jumps of the velocity are no errors."""
        answer = keel_json("converge", example("bounce"), "--interpret", "--method", "rk4", "--levels", "3")
        self.assertTrue(all(error < 1e-9 for row in answer["rows"] for error in row["errors"].values()), answer)

    def test_wrong_usage(self):
        model = example("pendulum")
        self.assert_wrong("converge", model, "--levels", "1", says="between 2 and 20")
        self.assert_wrong("converge", model, "--levels", "21", says="between 2 and 20")
        self.assert_wrong("converge", model, "--levels", "x", says="whole number")
        self.assert_wrong("converge", model, "--step", "0", says="positive")
        self.assert_wrong("converge", model, "--step", "1000", says="longer than the run")
        self.assert_wrong("converge", model, "--rtol", "1e-6", says="it belongs to")
        self.assert_wrong("converge", model, "--method", "rattel", says="did you mean rattle?")

    def test_failures(self):
        answer = keel_json("converge", example("lorenz"), "--interpret", "--method", "rattle", status=1)
        self.assertIn("rattle", answer["message"])
        done = keel("converge", example("lorenz"), "--interpret", "--method", "rattle", status=1)
        self.assertEqual(done.stdout, "")
        words = ("converge", example("pendulum"), "--interpret", "--method", "rattle", "--step", "1", "--levels")
        answer = keel_json(*words, "2", status=1)
        self.assertEqual([row["status"] for row in answer["rows"]], ["failed", "failed"])
        self.assertIn("no step led to the end", answer["message"])
        text = keel(*words, "8").stdout  # the coarse ones fail, and say why once
        self.assert_fits(text)
        self.assertEqual(sum(line.startswith("  1 ") and "failed: " in line for line in text.splitlines()), 1)


class Methods(Tables):
    def test_all(self):
        found = keel_json("methods")
        methods = {m["name"]: m for m in found["methods"]}
        self.assertEqual(methods["rk4"]["order"], 4)
        self.assertEqual(methods["rk4"]["traits"], ["explicit"])
        self.assertEqual(methods["rk4"]["forms"], ["ode", "hamiltonian", "mechanics", "dae"])
        self.assertIn("project", methods["rk4"]["stabilizers"])
        stabilizers = [one["name"] for one in found["stabilizers"]]
        self.assertEqual(len(stabilizers), len(set(stabilizers)))
        self.assertLessEqual(set(methods["rk4"]["stabilizers"]), set(stabilizers))
        self.assertIn("try          keel run MODEL --preserve project", keel("methods", "project").stdout)
        self.assertEqual(methods["rattle"]["forms"], ["hamiltonian", "mechanics"])
        self.assertEqual(methods["shake"]["forms"], ["mechanics"])
        self.assertEqual(methods["rattle"]["stabilizers"], ["none", "watch"])
        self.assertIn("symplectic", methods["rattle"]["traits"])
        self.assertIn("adaptive", methods["dop853"]["traits"])
        text = keel("methods").stdout
        self.assert_fits(text)
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:] if line[2:3].strip() and ":" not in line[:20]],
                         [*methods, "stabilizer", *stabilizers])

    def test_one(self):
        text = keel("methods", "dop853").stdout
        self.assert_fits(text)
        self.assertIn("order        8\n", text)
        self.assertEqual([m["name"] for m in keel_json("methods", "dop853")["methods"]], ["dop853"])
        self.assertIn("--theta", keel("methods", "glnr").stdout)
        self.assert_fits(keel("methods", "glnr").stdout)
        self.assertEqual([o["name"] for o in keel_json("methods", "glnr")["methods"][0]["options"]], ["theta"])

    def test_theta(self):
        words = ("--interpret", "--methods", "rk4,theta", "--steps", "0.1")
        error = {}  # of x' = -x at 2; rk4 has no theta, and is compared all the same
        for theta in ("0.5", "1"):
            for row in keel_json("compare", "-", *words, "--theta", theta, text=DECAY)["rows"]:
                error[row["method"], theta] = row["error"]
        self.assertEqual(error["rk4", "0.5"], error["rk4", "1"])
        self.assertLess(20 * error["theta", "0.5"], error["theta", "1"])
        orders = [keel_json("converge", "-", "--interpret", "--method", "glnr", "--theta", theta, "--step", "0.1",
                            text=DECAY.replace("-x", "cos(t)"))["orders"]["x"] for theta in ("0.5", "0.9")]
        self.assertAlmostEqual(orders[0], 2, delta=0.1)
        self.assertAlmostEqual(orders[1], 1, delta=0.1)
        self.assert_wrong("run", "-", "--interpret", "--method", "rk4", "--theta", "0.3", "--step", "0.1",
                          text=DECAY, says="rk4 has no theta")
        emitted = keel("emit", "-", text=DECAY.replace("run", "options method = theta, theta = 0.75, step = 0.1\nrun"))
        self.assertIn(".theta = 0.75,", emitted.stdout)

    def test_order(self):
        self.assertEqual([o["name"] for o in keel_json("methods", "taylor")["methods"][0]["options"]], ["order"])
        self.assertIn("--order", keel("methods", "taylor").stdout)
        words = ("--interpret", "--method", "taylor", "--step", "0.5", "--levels", "5")
        for order in (3, 5):
            seen = keel_json("converge", "-", *words, "--order", str(order), text=DECAY)["orders"]["x"]
            self.assertAlmostEqual(seen, order, delta=0.2)
        rows = keel_json("compare", "-", "--interpret", "--methods", "rk4,taylor", "--steps", "0.1", "--order", "6",
                         text=DECAY)["rows"]  # rk4 has one order, and is compared all the same
        self.assertLess(1e3 * rows[1]["error"], rows[0]["error"])
        self.assert_wrong("run", "-", "--interpret", "--method", "rk4", "--order", "6", "--step", "0.1", text=DECAY,
                          says="rk4 has one order")
        emitted = keel("emit", "-", text=DECAY.replace("run", "options method = taylor, order = 12\nrun"))
        self.assertIn(".order = 12,", emitted.stdout)
        self.assertIn(".series = {series_0_f,", emitted.stdout)

    def test_wrong_usage(self):
        self.assert_wrong("methods", "dop854", says="did you mean dop853?")
        self.assert_wrong("methods", "nonsense", says="`keel methods` lists")
        for slip, meant in (("projectt", "project"), ("porject", "project"), ("wacth", "watch"), ("scal", "scale"),
                            ("relaxx", "relax"), ("rk44", "rk4"), ("rattel", "rattle"), ("rk4+wacth", "watch"),
                            ("+projectt", "project")):  # what this command lists: methods, stabilizers, pairs
            self.assert_wrong("methods", slip, says="did you mean %s?" % meant)
        self.assert_wrong("methods", "auto", says="auto is no method")
        self.assert_wrong("methods", "rk4", "heun", says="one too many")
        self.assert_wrong("methods", "--step", "1", says="no option --step")


class Accuracy(Tables):
    def accuracy(self, *words, text=None):
        return json.loads(keel("run", *words, "--json", text=text).stdout)["accuracy"]

    def test_largest_over_all_times(self):
        """An oscillation that dies out is exact at the end, not in between."""
        model = "model pulse\nvar x, v\nx' = v\nv' = -x - 2*v\ninit x = 1, v = 0\nrun 0 .. 30\n"
        accuracy = self.accuracy("-", "--method", "rk4", "--step", "0.1", text=model)
        self.assertEqual(accuracy["kind"], "rerun")
        self.assertLess(accuracy["t"], 5)
        self.assertTrue(1e-8 < accuracy["value"] < 1e-5, accuracy)
        self.assertLessEqual(accuracy["rel"], accuracy["each"]["x"] + 3 * accuracy["each"]["v"])
        few = self.accuracy("-", "--method", "rk4", "--step", "0.1", "--at", "30", text=model)
        self.assertLess(few["value"], 1e-3 * accuracy["value"])

    def test_all_references_count(self):
        """Lorenz: the error grows from reference to reference."""
        self.assertEqual(self.accuracy(example("lorenz"), "--interpret")["t"], 20)

    def test_events(self):
        self.assertLess(self.accuracy(example("bounce"), "--interpret")["value"], 1e-9)
        model = ("model fall\ncoord y\nlagrangian y'^2/2 - 9.81*y\nevent ground: y falling -> stop\n"
                 "init y = 1, y' = 0\nrun 0 .. 10\n")
        accuracy = self.accuracy("-", "--at", "9", text=model)  # it ends before: the ends are compared
        self.assertEqual(accuracy["kind"], "rerun")
        self.assertLess(accuracy["value"], 1e-9)

    def test_jumps_are_no_errors(self):
        """The two runs see a bounce at different times; rows between the two are not compared."""
        model = ("model drop\nvar y, v\ny' = v\nv' = -9.81 - 0.3*v*abs(v)\nevent hit: y falling -> v := -0.8*v\n"
                 "init y = 1, v = 0\nrun 0 .. 1\n")
        words = ("-", "--method", "euler", "--step", "0.01", "--every", "1e-4")
        accuracy = self.accuracy(*words, text=model)
        self.assertTrue(1e-3 < accuracy["value"] < 0.3, accuracy)

    def test_chaos(self):
        text = keel("run", example("lorenz"), "--interpret", "--set", "x=1.001").stdout
        self.assertRegex(text, r"the rerun differs by \S+ \(\w at t = \S+\); within 1 % before t = ")
        self.assert_fits(keel("run", example("pendulum"), "--interpret", "--step", "0.01").stdout)

    def test_rows_hold_and_values_are_wrong(self):
        """liu2006, example 7, as the paper takes it: all w as states, its equations as invariants, h = 0.001 hours."""
        model = """model dow10
param k1 = 21.893, km1 = 2.14e9, k2 = 32.318, k3 = 21.893, km3 = 1.07e9
param K1 = 7.65e-18, K2 = 4.03e-11, K3 = 5.32e-18, a = 0.0131
var u[1..6], w[1..4]
let r1 = k1*u[2]*u[6] - km1*w[4], r2 = k2*u[2]*w[2], r3 = k3*u[4]*u[6] - km3*w[3]
let b2 = K2/(K2 + w[1]), b3 = K3/(K3 + w[1]), b1 = K1/(K1 + w[1])
let s = (-r1 - r3 - b2*r2 + b3*(r2 + r3) + b1*r1)/(1 + (b2*u[1])/(K2 + w[1]) + b3*u[3]/(K3 + w[1]) + b1*u[5]/(K1 + w[1]))
u' = (-r2, -r1 - r2, r2 + r3, -r3, r1, -r1 - r3)
w' = (s, -b2*(r2 + u[1]*s/(K2 + w[1])), b3*(r2 + r3 - u[3]*s/(K3 + w[1])), b1*(r1 - u[5]*s/(K1 + w[1])))
invariant charge = u[6] - w[1] + w[2] + w[3] + w[4]
invariant second = w[2] - K2*u[1]/(K2 + w[1])
invariant third = w[3] - K3*u[3]/(K3 + w[1])
invariant fourth = w[4] - K1*u[5]/(K1 + w[1])
init u = (1.5776, 8.32, 0.01, 0, 0.01, a), w = (0.79735161e-5, 0.79735161e-5, 6.672e-15, 9.594e-15)
run 0 .. 1
"""
        right = json.loads(keel("run", "-", "--method", "radau", "--rtol", "1e-9", "--json", text=model).stdout)
        self.assertAlmostEqual(right["state"]["u[1]"], 0.3165251, places=6)
        self.assertNotIn("warning", keel("run", "-", "--method", "radau", "--rtol", "1e-9", text=model).stdout)
        fixed = ("run", "-", "--method", "rk4+project", "--step", "0.001", "--accuracy", "yes")  # however slow the machine
        wrong = json.loads(keel(*fixed, "--json", text=model).stdout)
        self.assertGreater(abs(wrong["state"]["u[1]"] - 0.3165251), 1)
        self.assertTrue(all(row["scaled_drift"] < 4 for row in wrong["kept"]))
        sentence = "the values are wrong from the beginning on, whatever the rows say: the rerun changes"
        self.assertIn(sentence, wrong["accuracy"]["warning"])
        self.assertNotIn("warning", right["accuracy"])
        text = keel(*fixed, text=model).stdout
        self.assertIn(sentence, " ".join(text.split()))
        self.assert_fits(text)
        scaled = keel("run", "-", "--method", "rk4+scale", "--sets", "u[6] w; u[1]; u[3]; u[5]", "--step", "0.001",
                      "--accuracy", "yes", text=model)
        self.assertIn("no factors meet all kept rows", scaled.stdout)
        self.assertIn(sentence, " ".join(scaled.stdout.split()))
        self.assertLess(self.accuracy(example("dow"), "--method", "radau", "--rtol", "1e-9")["value"], 1e-7)

    def test_right_formulations_of_index_1_and_2(self):
        """liu2006, example 4, in the paper's formulation and in others; the transistor amplifier."""
        model = example("liu2006_4_index2")
        paper = self.accuracy(model, "--method", "rk4+scale", "--sets", "u1 w", "--step", "1e-5")
        self.assertLess(paper["value"], 1e-11)
        self.assertLess(self.accuracy(model, "--method", "rk4+project", "--step", "1e-4")["value"], 1e-9)
        for words in ((), ("--method", "radau")):
            self.assertLess(self.accuracy(example("transamp"), *words, "--rtol", "1e-10")["value"], 1e-9)

    def test_no_tighter_rerun(self):
        """Where no tolerance is tighter, steps are shorter."""
        accuracy = self.accuracy("-", "--rtol", "1e-14", text=DECAY)
        self.assertLess(accuracy["value"], 1e-13)

    def test_the_projection_asked_for_decides(self):
        model = example("pendulum")
        words = ("run", model, "--interpret", "--tend", "1", "--step", "0.01", "--json")
        self.assertEqual(json.loads(keel(*words).stdout)["method"], "rattle")
        self.assertEqual(json.loads(keel(*words, "--preserve", "project").stdout)["method"], "rk4")


if __name__ == "__main__":
    unittest.main()
