"""The accuracy line and the defect row: what they claim, what they find, and what they must not say."""
import json
import subprocess
import unittest

import accuracy
import cli
from cli import KEEL, example

PULSE = """model pulse
var x, y
x' = 1
y' = exp(-((%s - %g)/%g)^2)
init x = 0, y = 0
run 0 .. %g
"""
STIFF = "model stiff\nvar x\nx' = -1e6*(x - cos(t)) - sin(t)\ninit x = 1\nexact x = cos(t)\nrun 0 .. 10\n"
WILD = ("--method", "gauss4", "--step", "0.5")  # what is stiff does not fade: not for such steps
SMALL = "model small\nvar x\nx' = %g*cos(t) - x\ninit x = 0\nexact x = %g*(cos(t) + sin(t) - exp(-t))/2\nrun 0 .. 5\n"
SPRING = """model spring
var x, v
x' = v
v' = -%g*x
invariant E = v^2/2 + %g*x^2/2
init x = 1, v = 0
run 0 .. %g
"""


def run(text, *words):
    given = text if text.endswith(".keel") else "-"
    done = subprocess.run([KEEL, "run", given, *words, "--interpret", "--json"], input=None if given != "-" else text,
                          capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)


class Accuracy(cli.Case):
    def test_claims(self):
        """Of 72 problems none errs by more than three times what is claimed; see long_accuracy.py."""
        wrong, large, silent = accuracy.check(72)
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertLessEqual(len(large + silent), 7, "\n".join(large + silent))

    def test_pulses_between_the_steps(self):
        cases = (("x", 50, 0.05, 100, "dop853"), ("t", 50, 0.05, 100, "taylor"), ("x", 7.7, 0.02, 40, "radau"),
                 ("t", 0.9, 0.0005, 1, "dopri5"), ("x", 333, 0.5, 1000, "rkf78"), ("x", 3.3, 0.01, 20, "bs32"))
        for through, at, width, span, method in cases:
            with self.subTest(method=method, at=at):
                text = PULSE % (through, at, width, span)
                found = run(text, "--method", method, "--rtol", "1e-8")
                effect = abs(found["state"]["y"] - 1.7724538509055159 * width)
                self.assertLessEqual(effect, 3 * found["accuracy"]["value"])
                if effect > 1e-3 * width:
                    self.assertIn("--max-step", found["accuracy"]["warning"])
                    longest = found["accuracy"]["warning"].split()[-1]
                    mended = run(text, "--method", method, "--rtol", "1e-8", "--max-step", longest)
                    self.assertLess(abs(mended["state"]["y"] - 1.7724538509055159 * width), 1e-5 * width)
                    self.assertNotIn("warning", mended["accuracy"])

    def test_a_pulse_that_nothing_else_moves_with(self):
        """The run stays at 0 and knows no sizes, but no atol shows what its steps passed over: --max-step does."""
        text = "model pulse\nvar x\nx' = exp(-((t - %g)/%g)^2)\ninit x = 0\nrun 0 .. %g\n"
        for at, width, span, method in ((50, 0.05, 100, "dop853"), (7.7, 0.02, 40, "radau"), (71, 0.1, 200, "bs32")):
            with self.subTest(method=method):
                found = run(text % (at, width, span), "--method", method)
                self.assertIn("--max-step", found["accuracy"]["warning"])
                longest = found["accuracy"]["warning"].split()[-1]
                mended = run(text % (at, width, span), "--method", method, "--max-step", longest)
                self.assertLess(abs(mended["state"]["x"] - 1.7724538509055159 * width), 1e-4 * width)

    def test_fixed_steps_on_a_period(self):
        """Steps that are whole periods see a constant; half of them do, too."""
        text = "model beat\nvar x\nx' = 1 + cos(2*pi*%d*t)\ninit x = 0\nexact x = t + sin(2*pi*%d*t)/(2*pi*%d)\nrun 0 .. 10\n"
        for k in (1, 2, 4, 6):
            found = run(text % (k, k, k), "--method", "rk4", "--step", "1", "--at", "9.5,10")["accuracy"]
            self.assertLessEqual(found["value"], 3 * found["estimate"]["value"])
            self.assertGreater(found["estimate"]["value"], 0.1)

    def test_what_is_zero_by_theory(self):
        text = ("model plane\nvar q[1..3], v[1..3]\nlet r3 = (q[1]^2 + q[2]^2 + q[3]^2)^1.5\nq' = v\nv' = -q/r3\n"
                "output turned = q[1]*%g - q[1]*%g + (v[3]*q[1] - v[1]*q[3])*1e6\n"
                "init q = (1, 0, 1e-17), v = (0, 1, 0)\nrun 0 .. 20\n")
        for words in ((), ("--method", "radau"), ("--method", "rk4", "--step", "0.02"), ("--rtol", "1e-3")):
            found = run(text % (3, 3), *words)["accuracy"]
            self.assertNotIn("warning", found, words)
            self.assertLess(found["rel"], 0.2, found)

    def test_round_off(self):
        for right, words in (("1", ()), ("0", ()), ("t^2", ("--method", "taylor")), ("1", ("--method", "rk4", "--step", "0.1")),
                             ("if(t > 1.3, 2, 0)", ("--method", "radau"))):
            found = run("var x\nx' = %s\ninit x = 1\nrun 0 .. 3\n" % right, *words)["accuracy"]
            self.assertTrue(found["round_off"], (right, found))
            self.assertLess(found["value"], 1e-13)
            self.assertLess(found["rel"], 1e-14)

    def test_both_numbers_are_of_one_column(self):
        found = run("var x, y\nx' = -x\ny' = 1000*cos(t)\ninit x = 1e-3, y = 0\nrun 0 .. 10\n", "--rtol", "1e-4")
        accuracy_of = found["accuracy"]
        self.assertEqual(accuracy_of["worst"], "y")
        self.assertAlmostEqual(accuracy_of["value"], accuracy_of["each"]["y"])
        self.assertLess(accuracy_of["rel"], 1.1 * accuracy_of["value"] / 999)

    def test_chaos_is_told_as_chaos(self):
        rossler = "var x, y, z\nx' = -y - z\ny' = x + 0.2*y\nz' = 0.2 + z*(x - 5.7)\ninit x = 1, y = 1, z = 0\nrun 0 .. 600\n"
        driven = "var x, v\nx' = v\nv' = x - x^3 - 0.25*v + 0.3*cos(t)\ninit x = 1, v = 0\nrun 0 .. 500\n"
        for text, words in ((rossler, ()), (driven, ("--method", "radau")), (example("lorenz"), ("--tend", "500")),
                            (example("lorenz"), ("--method", "rk4", "--step", "0.005")), (rossler, ("--method", "taylor"))):
            found = run(text, *words)["accuracy"]
            self.assertRegex(found["warning"], r"^two runs part after t = \S+; statistics may be right, this path is not$")

    def test_inaccurate_runs_get_advice_that_helps(self):
        found = run(SPRING % (1, 1, 1000), "--method", "dopri5", "--rtol", "1e-3")["accuracy"]
        self.assertIn("try a smaller --rtol", found["warning"])
        self.assertIn("try a smaller --step, or --method radau", run(STIFF, *WILD)["accuracy"]["warning"])
        self.assertNotIn("radau", run(STIFF, "--method", "radau3", "--step", "2")["accuracy"]["warning"])

    def test_exact_solutions_do_not_switch_warnings_off(self):
        text = "var x, y\nx' = -300*(x - cos(20*t))\ny' = 1\ninit x = 0, y = 0\nexact y = t\nrun 0 .. 1\n"
        found = run(text, "--method", "rk4", "--step", "0.01")
        self.assertEqual(found["accuracy"]["kind"], "exact")
        self.assertIn("warning", found["accuracy"])
        self.assertIn("warning", run(example("lorenz"), "--tend", "100")["accuracy"])

    def test_elsewhere(self):
        """Digits at two times do not hide what is between them; a closed form of all columns hides nothing."""
        lines = [self.keel("run", model, "--interpret").stdout.decode() for model in (example("circuits/amplifier"), example("rc"))]
        self.assertRegex(lines[0], r"accuracy .*reference digits.*\n +elsewhere \S+, relative \S+ \(tighter rerun; largest in y\.v")
        self.assertNotIn("elsewhere", lines[1])

    def test_other_events(self):
        """The looser run misses a contact."""
        text = ("var y, v\ny' = v\nv' = -y\nevent touch: y - 0.99995 rising -> v := 3*v\ninit y = 1.00004, v = 0\n"
                "run 0 .. 40\n")
        found = run(text, "--method", "rk4", "--step", "0.2")["accuracy"]
        self.assertIn("warning", found)

    def test_small_states_from_zero(self):
        """Where all states start at 0 the default atol knows no sizes: what is claimed is true, the warning says so, and
        what it advises helps."""
        for method, size in (("dop853", 1e-12), ("bdf", 1e-15), ("radau", 1e-9), ("rodas5p", 1e-12), ("dopri5", 1e-13)):
            with self.subTest(method=method, size=size):
                text = SMALL % (size, size)
                found = run(text, "--method", method)
                known, guess = found["accuracy"]["value"], found["accuracy"]["estimate"]["value"]
                self.assertLessEqual(known, 3 * guess)
                self.assertEqual(found["accuracy"]["finding"], "sizes")
                atol = found["accuracy"]["warning"].split()[-1]
                mended = run(text, "--method", method, "--atol", atol)
                self.assertLess(mended["accuracy"]["value"], 1e-5 * size)
                self.assertNotIn("warning", mended["accuracy"])

    def test_small_switches_from_zero(self):
        """The same with fixed steps: a motion that rested on a surface passes it unseen; sizes help."""
        text = ("model zone\nparam U = 1e-11\nvar x%s\nlet drive = if(t > 1, 1, 0) - if(t > 2, 2, 0)\n"
                "x' = U*drive/2 - if(abs(x) < U/4, 0, x - U*sign(x)/4)\ninit x = 0\nrun 0 .. 8\n")
        for method in ("rk4", "ab4", "gauss8"):
            found = run(text % "", "--method", method, "--step", "1/64")
            self.assertEqual(found["accuracy"]["finding"], "sizes")
            self.assertIn("{scale = ", found["accuracy"]["warning"])
            mended = run(text % " {scale = U}", "--method", method, "--step", "1/64")
            self.assertNotIn("warning", mended["accuracy"])
            large = run(text % "", "--method", method, "--step", "1/64", "--set", "U=1")
            self.assertAlmostEqual(mended["state"]["x"] / 1e-11, large["state"]["x"], delta=1e-6)

    def test_no_claim_below_round_off(self):
        """Beside a state of size 1 nothing is known to 1e-18; early rows know nothing of a late clock."""
        text = "model two\nvar x, y\nx' = 0\ny' = -y\ninit x = 3, y = 1e-6\nrun 0 .. 1\n"
        self.assertGreater(run(text, "--rtol", "1e-9")["accuracy"]["value"], 2e-16)
        found = run(example("robertson"), "--rtol", "1e-8")["accuracy"]
        self.assertLess(found["estimate"]["value"], 1e-7)
        self.assertFalse(found["round_off"])

    def test_between_the_nodes_of_stiff_methods(self):
        """Prothero and Robinson: nodes are right at any step, so that what lies between them must be judged."""
        for rate in (1e3, 1e6, 1e9):
            for method, rtol in (("rodas5p", 1e-4), ("rodas5p", 1e-8), ("rodas4", 1e-6), ("radau", 1e-4), ("bdf", 1e-6)):
                with self.subTest(method=method, rate=rate):
                    text = STIFF.replace("1e6", "%g" % rate)
                    found = run(text, "--method", method, "--rtol", "%g" % rtol)
                    self.assertLess(found["accuracy"]["value"], 50 * rtol)

    def test_defect(self):
        good = run(SPRING % (1, 1, 100))
        self.assertLess(good["defect"]["tolerances"], 1000)
        self.assertIn(good["defect"]["state"], ("x", "v"))
        bad = run(STIFF, *WILD)  # right at the nodes alone
        self.assertGreater(bad["defect"]["relative"], 100)
        self.assertGreater(bad["accuracy"]["value"], 0.1)
        for rtol in (1e-3, 1e-4, 1e-6):
            fine = run(STIFF, "--method", "radau", "--rtol", str(rtol))  # between them, too
            self.assertLess(fine["defect"]["tolerances"], 100)
            self.assertLess(fine["accuracy"]["value"], 10*rtol)
        still = run("var x\nx' = -1e7*(x - 1)\ninit x = 3\nrun 0 .. 10\n", "--method", "radau")
        self.assertLess(still["defect"]["tolerances"], 1000)  # stiffness alone
        for words in ((), ("--method", "radau"), ("--method", "taylor"), ("--method", "rk4", "--step", "0.1")):
            switched = run("var x\nx' = if(t > 3 and t < 4, 100, 0) - x\ninit x = 0\nrun 0 .. 10\n", *words)["defect"]
            self.assertLess(switched.get("tolerances", 0), 1000, words)  # no sample straddles a switch
            self.assertLess(switched.get("relative", 0), 0.1, words)
        text = self.keel("run", example("pendulum"), "--interpret").stdout.decode()
        self.assertRegex(text, r"\n  defect     \S+ tolerances \(\S+ at t = \S+; \d+ samples between steps\)\n")

    def test_choice(self):
        """The rerun is a choice, and a model may make it; a long run has none unasked."""
        short = SPRING % (1, 1, 10)
        self.assertEqual(run(short)["accuracy"]["kind"], "rerun")
        self.assertEqual(run(short, "--accuracy", "auto")["accuracy"]["kind"], "rerun")
        for found in (run(short, "--accuracy", "no"), run(short + "options accuracy = no\n")):
            self.assertEqual(found["accuracy"]["kind"], "none")
            self.assertNotIn("estimate", found["accuracy"])
        self.assertEqual(run(short + "options accuracy = no\n", "--accuracy", "yes")["accuracy"]["kind"], "rerun")
        slow = run(SPRING % (1, 1, 50), "--method", "rk4", "--step", "1.25e-6", "--interpret")
        self.assertEqual(slow["accuracy"]["kind"], "none")
        short = self.keel("run", example("bounce"), "--interpret", "--accuracy", "no").stdout.decode()
        self.assertIn("accuracy   not measured (as --accuracy no says)", short)
        wrong = self.keel("run", example("damped"), "--verify", status=2).stderr.decode()
        self.assertIn("since 0.2 it is --accuracy yes", wrong)

    def test_headline(self):
        def headline(text, *words):
            with open(self.path("m.keel"), "w") as model:
                model.write(text)
            self.keel("run", "m", "--interpret", "--report", "r.html", *words)
            with open(self.path("r.html")) as page:
                found = page.read().split('<p class="verdict ')[1]
            return found[:4], found[:found.index("</p>")]
        kind, words = headline(SPRING % (1, 1, 10), "--rtol", "1e-8")
        self.assertEqual(kind, "good")
        self.assertIn("The values are accurate", words)
        kind, words = headline(SPRING % (400, 400, 20), "--method", "rk4+project", "--step", "0.01")
        self.assertEqual(kind, "fair")  # held, and not accurate: both numbers
        self.assertIn("Held to round-off", words)
        self.assertRegex(words, r"less accurate than asked: \w errs by \S+ of its size")
        self.assertEqual(headline("var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n")[0], "plai")


if __name__ == "__main__":
    unittest.main()
