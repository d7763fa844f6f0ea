#!/usr/bin/env python3
"""Units in what comes out: the first line of a CSV, attributes of HDF5, axes of plots; warnings on standard error."""
import unittest

import cli

MODEL = """model own
param g = 9.81 {m/s^2}
var x {m}, v
x' = v
v' = %s
init x = 0, v = 0 {km/h}
output far = x {km}
run 0 .. 2
"""


class Units(cli.Case):
    def write(self, acceleration):
        with open(self.path("own.keel"), "w") as file:
            file.write(MODEL % acceleration)

    def test_columns(self):
        self.write("g")
        self.assertEqual(self.keel("check", "own.keel").stderr, b"")
        self.keel("run", "own.keel", "--out", "own.csv", "--quiet")
        with open(self.path("own.csv")) as file:
            lines = file.read().split("\n")
        self.assertTrue(lines[0].endswith(" units=t:s;x:m;v:m/s;far:km schema=csv/1"), lines[0])
        self.assertEqual(lines[1].split(",")[:4], ["t", "x", "v", "far"])
        self.keel("run", "own.keel", "--out", "own.h5", "--quiet")
        with open(self.path("own.h5"), "rb") as file:
            kept = file.read()
        self.assertIn(b"units", kept)
        self.keel("run", "own.keel", "--report", "own.html", "--quiet")
        with open(self.path("own.html")) as file:
            page = file.read()
        self.assertIn("v (m/s)", page)
        self.assertIn("far (km)", page)

    def test_without_units_nothing_changes(self):
        with open(self.path("own.keel"), "w") as file:
            file.write("var x\nx' = t\ninit x = 0\nrun 0 .. 1\n")
        self.keel("run", "own.keel", "--out", "own.csv", "--quiet")
        with open(self.path("own.csv")) as file:
            self.assertNotIn("units", file.readline())

    def test_warnings(self):
        """They are told, and the model runs."""
        self.write("g*x")
        said = self.keel("run", "own.keel", "--accuracy", "no").stderr.decode()
        self.assertIn("own.keel:5:1: warning: units do not fit: `v'` is in m/s^2, and `g*x` in m^2/s^2.", said)


if __name__ == "__main__":
    unittest.main()
