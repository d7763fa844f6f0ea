#!/usr/bin/env python3
"""Units in what comes out: the first line of a CSV, attributes of HDF5, axes of plots; warnings on standard error."""
import glob
import os
import re
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


# What a unit of the examples multiplies a number by, as keel does it; those that are not here are SI units.
FACTORS = {"kOhm": "*1000", "kN/m": "*1000", "kHz": "*1000", "mH": "/1000", "mF": "/1000", "mV": "/1000", "mOhm": "/1000",
           "uF": "/1e6", "uH": "/1e6", "uA": "/1e6", "us": "/1e6", "nF": "/1e9", "pF": "/1e12"}


def stripped(text):
    """The same model without units."""
    return re.sub(r" \{([^{}]*)\}", lambda found: FACTORS.get(found[1], ""), text)


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

    def test_examples(self):
        """No false alarm in those with units, and the bits of the same model without them."""
        count = 0
        for path in sorted(glob.glob(os.path.join(cli.EXAMPLES, "**", "*.keel"), recursive=True)):
            with open(path) as file:
                text = file.read()
            if "{" not in text or "{km/h}" in text:  # the one with outputs of other units is tested with its table
                continue
            count += 1
            rows = {}
            for name in ("with", "without"):
                with open(self.path(name + ".keel"), "w") as file:
                    file.write(text if name == "with" else stripped(text))
                end = re.search(r"^run \S+ \.\. ([^#\n]*)", text, re.M)[1]
                done = self.keel("run", name + ".keel", "--interpret", "--accuracy", "no", "--points", "3", "--out", name + ".csv",
                                 "--tend", "1e-3" if "/" in end or "*" in end else repr(float(end) / 50))
                self.assertNotIn(b"units do not fit", done.stderr, path)
                with open(self.path(name + ".csv")) as file:
                    rows[name] = file.read().split("\n")
            self.assertIn(" units=", rows["with"][0], path)
            self.assertEqual(rows["with"][1:], rows["without"][1:], path)
        self.assertGreater(count, 40)

    def test_without_units_nothing_changes(self):
        with open(self.path("own.keel"), "w") as file:
            file.write("var x\nx' = t\ninit x = 0\nrun 0 .. 1\n")
        self.keel("run", "own.keel", "--out", "own.csv", "--quiet")
        with open(self.path("own.csv")) as file:
            self.assertNotIn("units", file.readline())

    def test_times_of_a_run(self):
        """Both ends are in the unit behind them, which is one of time."""
        self.write("g")
        with open(self.path("own.keel")) as file:
            text = file.read()
        for unit, status, sentence in (("min", 0, "t 60 .. 120"), ("h", 0, "t 3600 .. 7200"), ("m", 1, "a unit of time")):
            with open(self.path("own.keel"), "w") as file:
                file.write(text.replace("run 0 .. 2", "run 1 .. 2 {%s}" % unit))
            done = self.keel("run", "own.keel", "--accuracy", "no", status=status)
            self.assertIn(sentence, (done.stdout + done.stderr).decode())

    def test_warnings(self):
        """They are told, and the model runs."""
        self.write("g*x")
        said = self.keel("run", "own.keel", "--accuracy", "no").stderr.decode()
        self.assertIn("own.keel:5:1: warning: units do not fit: `v'` is in m/s^2, and `g*x` in m^2/s^2.", said)


if __name__ == "__main__":
    unittest.main()
