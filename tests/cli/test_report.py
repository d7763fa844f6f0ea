#!/usr/bin/env python3
"""--report: one page that says what the run says, needs nothing else and lets nothing of a model become markup."""
import html.parser
import json
import os
import re
import subprocess
import sys
import unittest

import cli
from cli import example
from interrupt import interrupt

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(html.parser.HTMLParser):
    """Cells of tables and texts by id; complains about tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.tables, self.byid, self.ids = [], [], [], {}, {}, []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, k, v or "") for k, v in attributes]
        if tag not in VOID:
            self.open.append((tag, dict(attributes).get("id")))
        if tag == "tr":
            for name in self.inside("table"):
                self.tables.setdefault(name, []).append([])
        if tag in ("td", "th"):
            for name in self.inside("table"):
                self.tables[name][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, k, v or "") for k, v in attributes]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, data):
        for _, name in self.open:
            if name:
                self.byid[name] = self.byid.get(name, "") + data
        if any(tag in ("td", "th") for tag, _ in self.open):
            for name in self.inside("table"):
                self.tables[name][-1][-1] += data

    def inside(self, tag):
        return [name for t, name in self.open if t == tag and name]


class Report(cli.Case):
    def report(self, model, *options, status=0, **more):
        done = self.keel("run", model, "--report", "r.html", "--json", *options, status=status, **more)
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.text = file.read()
        return Page(self.text), json.loads(done.stdout)

    def test_certificate(self):
        page, run = self.report(example("pendulum"))
        rows = page.tables["certificate"][1:]
        self.assertEqual([r[0] for r in rows], [k["name"] for k in run["kept"]])
        for row, kept in zip(rows, run["kept"]):
            self.assertAlmostEqual(float(row[1]), kept["scaled_drift"], delta=0.01 * kept["scaled_drift"])
        self.assertIn("Held to round-off", page.byid["verdict"])
        self.assertIn("%.1e" % run["accuracy"]["value"], page.byid["accuracy"])
        self.assertIn("the exact solution", page.byid["accuracy"])

    def test_analysis_and_values(self):
        page, run = self.report(example("pendulum"), "--set", "l=2")
        self.assertEqual(page.tables["analysis"][1][1:3], [str(run["index"]), "1 degree of freedom (2 start values free)"])
        self.assertIn("d/dt rod", self.text)
        ends = {r[0]: float(r[2]) for r in page.tables["values"][1:]}
        for name, value in {**run["state"], **run["multipliers"], **run["outputs"]}.items():
            self.assertAlmostEqual(ends[name], value, delta=1e-8 * max(1, abs(value)))
        self.assertEqual({r[0]: float(r[1]) for r in page.tables["parameters"]}, run["parameters"])
        with open(example("pendulum")) as model:
            self.assertEqual(page.byid["model"], model.read())
        self.assertIn("--set l=2", page.byid["options"])
        self.assertIn("keel " + run["keel"], self.text)

    def test_rows_hold_and_values_are_wrong(self):
        with open(self.path("m.keel"), "w") as model:
            model.write("var x, v\nx' = v\nv' = -400*x\ninvariant E = v^2/2 + 200*x^2\ninit x = 1, v = 0\nrun 0 .. 100\n")
        page, run = self.report("m", "--method", "rk4+project", "--step", "0.1")
        self.assertIn("Held to round-off", page.byid["verdict"])
        self.assertIn("Warning: " + run["accuracy"]["warning"] + ".", page.byid["verdict"])
        self.assertIn(("p", "class", "verdict bad"), page.attributes)

    def test_watched_and_failed(self):
        page, _ = self.report(example("kepler"), "--method", "rk4+watch", "--step", "0.01")
        self.assertIn("is watched and drifts by", page.byid["verdict"])
        self.assertIn(("p", "class", "verdict fair"), page.attributes)
        with open(self.path("m.keel"), "w") as model:
            model.write("var x\nx' = x^2\ninit x = 1\nrun 0 .. 2\n")
        page, run = self.report("m", status=1)
        self.assertIn("The run has failed", page.byid["verdict"])
        self.assertIn(("p", "class", "verdict bad"), page.attributes)

    def test_long_tables_are_folded(self):
        page, run = self.report(example("chain"))
        self.assertIn("details", page.tags)
        self.assertEqual(len(page.tables["certificate"]) - 1, len(run["kept"]))
        page, _ = self.report(example("pendulum"))
        self.assertNotIn("details", page.tags)

    def test_nothing_to_keep_is_said_kindly(self):
        page, _ = self.report(example("lorenz"))
        self.assertTrue(page.byid["verdict"].startswith("Done: t = "), page.byid["verdict"])

    def test_no_motion_where_nothing_moves(self):
        page, _ = self.report(example("robertson"))
        self.assertNotIn("script", page.tags)

    def test_events(self):
        page, run = self.report(example("plastic"))
        self.assertEqual([r[0] for r in page.tables["events"][1:]], [e["name"] for e in run["events"]])
        self.assertIn("elastic \u2192 plastic", page.tables["events"][1][2])
        self.assertEqual([r[0] for r in page.tables["analysis"][1:]], ["elastic", "plastic"])
        self.assertIn("epl", self.text.split("Balances that the equations show")[1][:40])

    def test_nothing_from_outside(self):
        page, _ = self.report(example("pendulum"), "--axes", "x,y")
        script = self.text[self.text.index("<script>"):self.text.index("</script>")]
        self.assertNotRegex(script, r"https?:|fetch\(|import\(|XMLHttpRequest|innerHTML")
        for tag in ("link", "img", "iframe", "object", "embed"):
            self.assertNotIn(tag, page.tags)
        for tag, name, value in page.attributes:
            self.assertFalse(name.startswith("on"), (tag, name))
            if name in ("src", "href", "xlink:href"):
                self.assertTrue(value.startswith("#"), value)
        style = self.text[self.text.index("<style>"):self.text.index("</style>")]
        self.assertNotRegex(style, r"url\(|@import")
        for piece in ("prefers-color-scheme:dark", "@media print", "max-width"):
            self.assertIn(piece, style)
        self.assertIn(("meta", "name", "viewport"), page.attributes)
        self.assertEqual(page.tags.count("svg"), 2)

    def test_without_gnuplot(self):
        os.mkdir(self.path("empty"))
        page, run = self.report(example("kepler"), "--interpret", env={"PATH": self.path("empty")})
        self.assertEqual(page.tags.count("svg"), 0)
        self.assertIn("gnuplot-nox", self.text)
        self.assertEqual(len(page.tables["certificate"]), 3)
        self.assertEqual(run["exit"], 0)

    def test_a_model_is_text(self):
        cli.needs("gnuplot")
        name = "<script>alert(1)<|title>&amp;\"'"
        with open(self.path(name + ".keel"), "w") as model:
            model.write("var x_1\nx_1' = -x_1\ninit x_1 = 1\nrun 0 .. 1\n# </pre><script>alert(2)</script> &lt;\n")
        page, _ = self.report(name, "--set", "x_1=2")
        self.assertNotIn("script", page.tags)
        self.assertIn("</pre><script>alert(2)</script> &lt;", page.byid["model"])
        self.assertIn("<h1>&lt;script&gt;alert(1)", self.text)

    def test_wrong_names(self):
        self.assertIn(".html", self.refused("run", example("kepler"), "--report", "r.txt"))
        self.assertIn("r.html", self.refused("run", example("kepler"), "--report", "nowhere/r.html", status=1))
        self.refused("run", example("kepler"), "--report", "r.html", "--axes", "t,nothing")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_end_of_many_steps(self):
        """Rows are thinned out, the last one stays."""
        page, run = self.report(example("henon"), "--method", "rk4", "--step", "0.0017", "--interpret")
        for name, _, end in page.tables["values"][1:]:
            self.assertEqual(end, "%.10g" % run["state"][name])

    def test_interrupted(self):
        child = subprocess.Popen([cli.KEEL, "run", example("henon"), "--method", "rk4", "--step", "1e-6", "--interpret",
                                  "--tend", "1e5", "--report", "r.html", "--quiet"], cwd=self.folder, stderr=subprocess.PIPE)
        interrupt(child)
        self.assertEqual((child.wait(60), child.stderr.read()), (130, b""))
        child.stderr.close()
        with open(self.path("r.html")) as file:
            page = Page(file.read())
        self.assertRegex(page.byid["verdict"], r"^The run was interrupted at t = [\d.e-]+")
        self.assertGreater(page.tags.count("svg"), 1)


if __name__ == "__main__":
    cli.needs("gnuplot")
    unittest.main(argv=sys.argv[:1])
