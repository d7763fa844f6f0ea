#!/usr/bin/env python3
"""keel new: every kind runs as it is, teaches with comments, and nothing is ever overwritten."""
import json
import os
import unittest

import cli

KINDS = ["pendulum", "ode", "hamiltonian", "dae", "modes", "mechanics", "parts", "circuit", "table"]


class New(cli.Case):
    def test_every_kind(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                said = self.keel("new", kind + "_one", "--kind", kind)
                self.assertEqual(said.stderr, b"")
                for line in said.stdout.decode().splitlines()[1:]:
                    words = line.split()
                    self.assertEqual(words[0], "keel")
                    self.keel(*[w for w in words[1:] if w not in ("--plot", "-")])
                with open(self.path(kind + "_one.keel")) as text:
                    lines = text.read().splitlines()
                self.assertTrue(lines[0].startswith("# "))
                self.assertIn("model %s_one" % kind, lines)
                self.assertTrue(10 <= len([line for line in lines if line]) <= 15, len(lines))
                self.assertGreater(sum("#" in line for line in lines), 4)
                self.assertLessEqual(max(map(len, lines)), 110)
                run = json.loads(self.keel("run", kind + "_one", "--json").stdout)
                self.assertEqual(run["status"], "done")
                self.assertLess(run["accuracy"]["value"], 1e-4)
                check = self.keel("check", kind + "_one")
                self.assertEqual(check.stderr, b"")

    def test_default_is_the_pendulum(self):
        self.keel("new", "a")
        self.keel("new", "b", "--kind", "pendulum")
        with open(self.path("a.keel")) as a, open(self.path("b.keel")) as b:
            self.assertEqual(a.read().replace("model a\n", "model b\n"), b.read())

    def test_names(self):
        os.mkdir(self.path("folder"))
        for name, file in [("folder/x", "folder/x.keel"), ("y.keel", "y.keel"), ("./folder/z.keel", "folder/z.keel"),
                           (self.path("w"), "w.keel")]:
            found = json.loads(self.keel("new", name, "--json").stdout)
            self.assertTrue(os.path.exists(self.path(file)))
            self.assertEqual(found["name"], os.path.basename(file)[:-5])
        for name in ["3x", "", "a b", "a-b", "x.txt", "run", "sin", "folder/", "é", "x" * 80, "model", "..", "t"]:
            with self.subTest(name=name):
                self.refused("new", name)
        self.refused("new", "missing/x")
        self.refused("new")
        self.refused("new", "one", "two")

    def test_nothing_is_overwritten(self):
        with open(self.path("mine.keel"), "w") as text:
            text.write("mine")
        os.symlink("nowhere", self.path("link.keel"))
        for name in ["mine", "mine.keel", "link"]:
            self.assertIn("exists already", self.refused("new", name))
        with open(self.path("mine.keel")) as text:
            self.assertEqual(text.read(), "mine")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.keel", "mine.keel"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_folder_that_is_not_ours(self):
        os.mkdir(self.path("closed"), 0o500)
        self.refused("new", "closed/x")


if __name__ == "__main__":
    unittest.main()
