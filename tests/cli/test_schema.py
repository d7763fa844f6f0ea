#!/usr/bin/env python3
"""--json of every command against its own schema: done, wrong usage, a broken model, a missing file."""
import json
import re
import sys
import unittest

import cli
from cli import example

try:
    import jsonschema
except ImportError:
    print("skipped: there is no python3-jsonschema")
    sys.exit(cli.SKIPPED)

HEAD = ["schema", "keel", "command", "status", "exit", "message", "diagnostics", "model"]


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


class Schema(cli.Case):
    def said(self, command, *arguments, status=0, **more):
        done = self.keel(command, *arguments, "--json", status=status, **more)
        self.assertEqual(done.stderr, b"", (command, arguments))
        self.assertTrue(done.stdout.endswith(b"}\n") and done.stdout.count(b"\n") == 1)
        found = json.loads(done.stdout, object_pairs_hook=no_twice, parse_constant=self.fail)
        schema = json.loads(self.keel("schema", command).stdout)
        schema.pop("$id")  # Debian's validator takes it for the address of a file
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(found)
        self.assertEqual(found["exit"], status)
        self.assertEqual(found["command"], command)
        return found

    def model_commands(self):
        names = re.findall(r"^  keel (\w+) MODEL", self.keel().stdout.decode(), re.M)
        known = re.findall(r"one of (.*)", self.refused("schema", "zzzzzz"))[0].split("|")
        return [name for name in names if name in known]

    def test_done(self):
        for model in ["pendulum", "slack_rod", "twin_rods", "transamp", "n_body", "plastic", "robertson"]:
            self.said("check", example(model))
            self.said("emit", example(model))
            self.said("run", example(model), "--tend", "1e-3")
        self.assertTrue(self.said("reproduce", "lecture13", "linear")["rows"])
        self.assertTrue(self.said("reproduce", "--list")["papers"])
        self.assertEqual(self.said("reproduce", "nothing", status=2)["status"], "failed")
        self.said("sweep", example("kepler"), "--over", "e=0.1,0.2", "--tend", "1")
        self.said("sweep", example("kepler"), "--draw", "e=uniform(0.9,1.2)", "--count", "20", "--tend", "1", "--summary", "mean,q05",
                  status=3)
        self.said("lyapunov", example("pendulum"), "--tend", "3")
        with open(self.path("data.csv"), "w") as data:
            data.write("t,x\n0.1,0.99\n0.2,0.98\n0.3,0.91\n")
        self.said("fit", example("pendulum"), "--data", "data.csv", "--fit", "g")
        self.said("orbit", example("vanderpol"))
        self.said("discover", example("kepler"), "--degree", "3")
        self.said("steady", example("vanderpol"))
        self.said("section", example("vanderpol"), "--plane", "x - 1")
        self.said("new", "a")
        self.said("new", "b", "--kind", "dae")
        self.said("emit", example("pendulum"), "--out", "p.c")

    def test_failures(self):
        with open(self.path("broken.keel"), "w") as text:
            text.write('var x\nx\' = yy + "\n')
        with open(self.path("start.keel"), "w") as text:
            text.write("var x, y\nx' = y\ny' = -x\ninit x = 1\nrun 0 .. 1\n")
        commands = self.model_commands()
        self.assertGreaterEqual(set(commands), {"run", "check", "emit"})
        for command in commands:
            for arguments, status in [(["broken"], 1), (["start.keel"], 1), (["missing"], 2), ([], 2), (["a", "b"], 2),
                                      (["--nonsense", "broken"], 2), (["broken", "--tend"], 2), (["-x"], 2),
                                      ([example("lorenz"), "--set", "nothing=3"], 2),
                                      ([example("lorenz"), "--tend", "2*nothing"], 2), (["."], 2)]:
                with self.subTest(command=command, arguments=arguments):
                    found = self.said(command, *arguments, status=status)
                    self.assertEqual(found["status"], "failed")
                    self.assertTrue(found["message"])
                    if status == 1:
                        self.assertTrue(found["diagnostics"])
        for arguments in [["3x"], [], ["a", "b"], ["missing/x"], ["x", "--kind", "other"]]:
            self.assertEqual(self.said("new", *arguments, status=2)["status"], "failed")

    def test_json_is_seen_wherever_it_stands(self):
        for arguments in [["--json", "--nonsense"], ["--nonsense", "--json"], ["x", "--rtol", "--json"]]:
            done = self.keel("run", *arguments, status=2)
            self.assertEqual(json.loads(done.stdout)["exit"], 2)
            self.assertEqual(done.stderr, b"")

    def test_same_head(self):
        for name in re.findall(r"one of (.*)", self.refused("schema", "zzzzzz"))[0].split("|"):
            schema = json.loads(self.keel("schema", name).stdout)
            self.assertEqual(schema["properties"]["schema"], {"const": "keel.%s/1" % name})
            self.assertEqual(schema["properties"]["command"], {"const": name})
            self.assertGreaterEqual(set(schema["required"]), set(HEAD))


if __name__ == "__main__":
    unittest.main()
