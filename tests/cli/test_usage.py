#!/usr/bin/env python3
"""Wrong usage of every option of every command, as the help lists them: one sentence, status 2, nothing else."""
import json
import re
import unittest

import cli
from cli import example

MODEL = example("pendulum")
# Values that are wrong in themselves; options that are not here take any text or are judged elsewhere.
NUMBERS = ["", " ", "nothing*2", "1/0", "2 +", "1;2", "(", "x", "1e999", "`", "--"]
WRONG = {
    "step": NUMBERS + ["0", "-1"], "atol": NUMBERS + ["-1"], "max-step": NUMBERS + ["0", "-1"],
    "theta": NUMBERS + ["0", "-1", "1.1"], "order": ["", "0", "1", "61", "-3", "1.5", "many", "99999999999999"],
    "rtol": NUMBERS + ["0", "-1", "1", "2"], "t0": NUMBERS, "tend": NUMBERS + ["0"], "every": NUMBERS + ["0", "-1"],
    "at": ["nothing", "-5", "1e9", "1/0", "1,nothing"],
    "points": ["", "0", "-1", "1.5", "many", "1e3", "99999999999"], "levels": ["", "0", "-1", "1.5", "many"],
    "set": ["", "m", "m=", "=3", "nothing=3", "m=nothing", "m[2]=1", "x'=", "x'=nothing", "x''''=1", "m=1/0"],
    "keep": ["nothing"], "method": ["", "nothing", "rk4+nothing", "rk4+", "+", "+nothing", "rk4+project+adjust"],
    "gain": NUMBERS + ["0", "-1"], "sets": ["", "x; y"], "out": ["", "x.nothing"], "events": [""],
}
PAIRS = {
    "run": [["--step", "0.1", "--rtol", "1e-3"], ["--step", "0.1", "--atol", "1e-3"],
            ["--method", "rk4+project", "--preserve", "adjust"], ["--method", "rk4+project", "--gain", "3"],
            ["--gain", "3"]],
}


class Usage(cli.Case):
    def commands(self):
        return re.findall(r"^  keel (\w+) (\[?[A-Z]+)", self.keel().stdout.decode(), re.M)

    def options(self, command):
        """Name, what stands for its value or '', its choices or []."""
        page = self.keel("help", command).stdout.decode().split("\nOptions:\n")[1]
        for name, argument, about in re.findall(r"^  --([\w-]+)(?: (\S.*?))?  +(\S.*)$", page, re.M):
            choices = re.search(r": (\w+(?:\|\w+)+)$", about)
            yield name, argument, choices.group(1).split("|") if choices else []

    def operand(self, kind):
        return {"MODEL": [MODEL], "NAME": ["x"], "COMMAND": ["run"], "SHELL": ["bash"]}.get(kind.strip("["), [])

    def wrong(self, *arguments):
        said = self.refused(*arguments)
        self.assertTrue(said.startswith("keel: "), said)
        self.assertLess(len(said), 400)
        self.assertNotIn("%", said)
        return said

    def both_ways(self, command, json_too, *arguments):
        said = self.wrong(command, *arguments)
        if json_too:
            done = self.keel(command, *arguments, "--json", status=2)
            self.assertEqual(done.stderr, b"")
            found = json.loads(done.stdout)
            self.assertEqual((found["exit"], found["status"]), (2, "failed"))
            self.assertEqual("keel: " + found["message"] + "\n", said)
        return said

    def test_names_of_options(self):
        """What the library calls options.max_step is --max-step here."""
        for words, says in [(["--method", "rattle8"], "give it a fixed step (--step)"),
                            (["--method", "rk4", "--step", "0.1", "--order", "5"], "leave --order out"),
                            (["--method", "rk4", "--step", "0.1", "--theta", "0.3"], "leave --theta out"),
                            (["--method", "gauss4", "--reversible"], "need --step,"),
                            (["--method", "gauss4", "--reversible", "--step", "0.1", "--max-step", "0.01"], "--max-step = 0.01"),
                            (["--keep", "nothing"], "--keep: there is no row")]:
            said = self.wrong("run", MODEL, *words)
            self.assertIn(says, said)
            self.assertNotIn("options.", said)
        kepler = [example("kepler"), "--step", "0.1", "--method"]
        self.assertIn("keep fewer rows (--keep)", self.wrong("run", *kepler, "rk4+relax"))
        said = self.wrong("run", *kepler, "rk4+scale", "--keep", "energy", "--sets", "q; p")
        self.assertIn("name the sets (--sets), or the rows to keep (--keep)", said)
        done = self.keel("compare", example("kepler"), "--methods", "rk4+relax", "--steps", "0.1", "--json", status=1)
        self.assertIn("keep fewer rows (--keep)", done.stdout.decode())

    def test_every_option(self):
        count = 0
        for command, kind in self.commands():
            if command in ("compare", "converge", "methods"):
                continue
            operand = self.operand(kind)
            options = list(self.options(command))
            has_json = any(name == "json" for name, _, _ in options)
            self.assertGreater(len(options), 2)
            for name, argument, choices in options:
                with self.subTest(command=command, option=name):
                    count += 1
                    if not argument:
                        self.assertIn("takes no value", self.wrong(command, *operand, "--%s=1" % name))
                    else:
                        self.assertIn("needs a value", self.both_ways(command, has_json, *operand, "--" + name))
                        self.assertIn("needs a value", self.wrong(command, *operand, "--" + name, "--quiet"))
                        self.assertIn("needs a value", self.both_ways(command, has_json, *operand, "--%s=" % name))
                    self.assertIn("did you mean --%s?" % name, self.wrong(command, *operand, "-" + name)
                                  if len(name) > 1 else "")
                    if len(name) > 3:
                        slip = name[1] + name[0] + name[2:]
                        self.assertIn("did you mean --", self.both_ways(command, has_json, *operand, "--" + slip))
                    if choices:
                        said = self.both_ways(command, has_json, *operand, "--" + name, "zzzzzz")
                        self.assertIn("|".join(choices), said)
                        said = self.wrong(command, *operand, "--" + name, choices[-1] + "x")
                        self.assertIn("did you mean %s?" % choices[-1], said)
            self.assertIn("there is no option --nonsense",
                          self.both_ways(command, has_json, *operand, "--nonsense"))
            self.assertIn("there is no option -x", self.wrong(command, *operand, "-x"))
        self.assertGreater(count, 50)

    def test_wrong_values(self):
        for command in ["run", "check", "emit"]:
            for name, argument, _ in self.options(command):
                for value in WRONG.get(name, []):
                    with self.subTest(command=command, option=name, value=value):
                        self.both_ways(command, value != "--", MODEL, "--%s=%s" % (name, value))

    def test_nearest_names(self):
        for words, nearest in [(["run", MODEL, "--method", "dop835"], "dop853"), (["run", MODEL, "--method", "ratle"], "rattle"),
                               (["run", MODEL, "--method", "rk4+proj"], "project"), (["rnu", MODEL], "run"),
                               (["run", MODEL, "--keep", "energi"], "energy"), (["help", "chek"], "check"),
                               (["schema", "chck"], "check"), (["run", MODEL[:-6]], "pendulum.keel"),
                               (["run", MODEL, "--preserve", "ajust"], "adjust"), (["new", "x", "--kind", "hamilton"], "hamiltonian")]:
            self.assertRegex(self.wrong(*words), "did you mean `?%s`?\\?" % re.escape(nearest))

    def test_contradictions(self):
        for command, pairs in PAIRS.items():
            for pair in pairs:
                self.both_ways(command, True, MODEL, *pair)

    def test_option_of_another_command(self):
        self.assertIn("it belongs to `keel run`", self.wrong("check", MODEL, "--points", "5"))
        self.assertIn("`keel new`", self.wrong("run", MODEL, "--kind", "ode"))

    def test_no_command(self):
        self.assertIn("keel run a.keel", self.wrong("a.keel"))
        self.assertIn("`keel` alone lists them", self.wrong("frobnicate"))
        self.wrong("--frobnicate")
        self.wrong("")
        self.wrong("run\n")

    def test_files_that_cannot_be(self):
        for command in ["run", "check", "emit"]:
            for name in ["missing", "missing.keel", ".", "/", "missing/x.keel", "", MODEL + "/x", "a" * 5000]:
                self.both_ways(command, True, name)

    def test_options_of_the_model(self):
        """A wrong `options` line is the model's mistake: status 1, and check sees it without a run."""
        for line in ["nonsense = 3", "method = rk44", "preserve = nothing", "points = 0"]:
            with open(self.path("m.keel"), "w") as text:
                text.write("var x\nx' = -x\ninit x = 1\noptions %s\nrun 0 .. 1\n" % line)
            for command in ["run", "check"]:
                with self.subTest(line=line, command=command):
                    self.keel(command, "m.keel", "--quiet", status=1)


if __name__ == "__main__":
    unittest.main()
