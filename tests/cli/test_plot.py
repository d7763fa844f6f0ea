#!/usr/bin/env python3
"""--plot and --axes: what is drawn, where it goes, and what happens when it cannot be."""
import csv
import os
import re
import resource
import struct
import sys
import unittest
import xml.etree.ElementTree
import zlib

import cli
from cli import example

SVG = "{http://www.w3.org/2000/svg}"


def curves(svg):
    return [g for g in svg.iter(SVG + "g") if g.get("id", "").startswith("gnuplot_plot_")]


def texts(svg):
    return [t.text.strip() for t in svg.iter(SVG + "text") if t.text]


def points(curve):
    """The longest line of a curve's pieces, without the sample in the legend."""
    pieces = "".join(p.get("d") for p in curve.iter(SVG + "path"))
    return [tuple(map(float, pair.split(","))) for pair in re.findall(r"[-\d.]+,[-\d.]+", pieces)]


def png(data):
    """Width, height and the number of colours of an 8-bit RGB image."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    return width, height, len(set(zlib.decompress(packed)))


class Plots(cli.Case):
    def svg(self, model, *options):
        self.keel("run", model, "--quiet", "--plot", "p.svg", *options)
        return xml.etree.ElementTree.parse(self.path("p.svg")).getroot()

    def test_map_of_a_line(self):
        """An array of forty places is a picture, not forty curves."""
        svg = self.svg(example("brusselator_line"))
        self.assertEqual([c for c in curves(svg) if c.find(f".//{SVG}image") is not None], curves(svg))
        self.assertEqual(texts(svg).count("place"), 2)

    def test_events_and_modes_are_marked(self):
        svg = self.svg(example("slack_rod"), "--axes", "t,x")
        self.assertIn("taut", texts(svg))
        dashed = lambda picture: [one for one in picture.iter() if "dasharray" in str(one.attrib)]
        self.assertTrue(dashed(svg))
        self.assertFalse(dashed(self.svg(example("pendulum"), "--axes", "t,x")))

    def test_vectors_stay_together(self):
        """x[1] is a thousand times x[2]: one vector, one panel."""
        with open(self.path("v.keel"), "w") as file:
            file.write("var x[1..2]\nx[1]' = -x[1]\nx[2]' = -x[2]\ninit x = (1000, 1)\nrun 0 .. 1\n")
        self.assertEqual(texts(self.svg(self.path("v.keel"))).count("t"), 1)

    def test_legend_has_room(self):
        """Long names go into several lines, none beyond the picture."""
        with open(self.path("l.keel"), "w") as file:
            names = ["a_quantity_with_a_long_name_%d" % i for i in range(6)]
            file.write("var " + ", ".join(names) + "\n" + "".join("%s' = -%s\n" % (n, n) for n in names))
            file.write("init " + ", ".join("%s = 1" % n for n in names) + "\nrun 0 .. 1\n")
        svg = self.svg(self.path("l.keel"))
        rows = {round(float(re.search(r"translate\(([\d.]+),([\d.]+)\)", up.get("transform")).group(2)))
                for up in svg.iter(f"{SVG}g") if up.get("transform", "").startswith("translate")
                and any("long_name" in (t.text or "") for t in up.iter(f"{SVG}text"))}
        self.assertGreaterEqual(len(rows), 3)

    def test_default_panels(self):
        svg = self.svg(example("pendulum"))
        self.assertEqual(len(curves(svg)), 9)  # the way of (x, y) among them
        said = texts(svg)
        for name in ("x", "y", "x'", "y'", "tension (N)", "rod", "d/dt rod", "energy", "x, y (m)", "|drift| in round-offs", "\u22640.01"):
            self.assertIn(name, said)
        self.assertEqual(said.count("t"), 4)
        self.assertTrue(any("pendulum" in t and "dop853+project" in t for t in said))
        self.assertEqual(svg.find(f".//{SVG}rect").get("fill"), "#ffffff")

    def test_curves_follow_the_run(self):
        """x and x' of a pendulum: the curve of x lies between the ends of its axis and turns as often as the CSV."""
        svg = self.svg(example("pendulum"), "--tend", "8", "--axes", "t,x", "--out", "r.csv")
        heights = [y for _, y in points(curves(svg)[0])]
        with open(self.path("r.csv")) as rows:
            values = [float(r["x"]) for r in csv.DictReader(line for line in rows if line[0] != "#")]

        def crossings(list, middle):
            return sum((a - middle) * (b - middle) < 0 for a, b in zip(list, list[1:]))
        self.assertEqual(crossings(heights, (min(heights) + max(heights)) / 2), crossings(values, 0))

    def test_comparable_sizes_share_a_panel(self):
        with open(self.path("m.keel"), "w") as model:
            model.write("var a, b, c\na' = b\nb' = -a\nc' = 0\nvar d\nd' = 1e-6*b\ninit a = 1, b = 0, c = 1e6, d = 1e-6\nrun 0 .. 5\n")
        svg = self.svg("m")
        self.assertIn("a, b", texts(svg))
        self.assertIn("c", texts(svg))
        self.assertIn("d", texts(svg))
        spans = [max(h) - min(h) for h in ([y for _, y in points(c)[2:]] for c in curves(svg))]
        self.assertAlmostEqual(spans[3] / spans[0], 1, delta=0.3)

    def test_no_drift_is_drawn_at_the_floor(self):
        with open(self.path("m.keel"), "w") as model:
            model.write("var a, c\na' = c\nc' = 0\ninit a = 0, c = 2\ninvariant I = c\nrun 0 .. 5\n")
        svg = self.svg("m", "--max-step", "0.1")
        dots = [use.get("transform") for use in curves(svg)[-1].iter(SVG + "use")]
        heights = [float(re.search(r",([\d.]+)\)", dot).group(1)) for dot in dots]
        self.assertGreater(heights.count(max(heights)), 100)
        self.assertEqual(len(heights) - heights.count(max(heights)), 1)  # the sign in the legend

    def test_logarithmic_time(self):
        """Points are as many in each decade, from near the start on."""
        line = points(curves(self.svg(example("rc"), "--log", "--axes", "t,%s" % self.first_state("rc")))[0])
        steps = [b[0] - a[0] for a, b in zip(line, line[1:])]
        self.assertGreater(len(line), 900)
        self.assertLess(max(steps), 5)

    def first_state(self, name):
        self.keel("run", example(name), "--quiet", "--out", "first.csv")
        with open(self.path("first.csv")) as rows:
            return rows.read().split("\n")[1].split(",")[1]

    def test_jumps_are_gaps(self):
        """The velocity of a ball: its line ends before an action and begins again behind it."""
        svg = self.svg(example("bounce"))
        events = self.keel("run", example("bounce"), "--quiet", "--events", "e.csv")
        with open(self.path("e.csv")) as rows:
            actions = sum(1 for line in rows if line[0] != "#") - 1
        self.assertGreater(actions, 3, events)
        pieces = max("".join(p.get("d") for p in c.iter(SVG + "path")).count("M") for c in curves(svg))
        self.assertGreaterEqual(pieces, actions)

    def test_axes(self):
        svg = self.svg(example("kepler"), "--axes", "q[1],q[2]", "--axes", "t, energy ,drift.momentum,p[1]")
        self.assertEqual(len(curves(svg)), 4)
        for name in ("q[1]", "q[2]", "drift.energy", "drift.momentum", "p[1]"):
            self.assertIn(name, texts(svg))
        orbit = points(curves(svg)[0])
        wide, high = (max(v) - min(v) for v in zip(*orbit))
        self.assertAlmostEqual(wide / high, 2 / 1.6, delta=0.01)

    def test_wrong_axes(self):
        kepler = example("kepler")
        for axes, piece in (("q[1],q[3]", "did you mean q["), ("t,enrgy", "did you mean energy"), ("t", "second name"),
                            ("t,,p[1]", "missing"), ("t,absolutely", "there are t, q[1]")):
            said = self.refused("run", kepler, "--plot", "p.svg", "--axes", axes)
            self.assertIn(piece, said)
        self.assertIn("--plot or --report", self.refused("run", kepler, "--axes", "t,q[1]"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_wrong_names(self):
        kepler = example("kepler")
        self.assertIn(".svg", self.refused("run", kepler, "--plot", "p.gif"))
        self.assertIn("p.svg", self.refused("run", kepler, "--plot", "nowhere/p.svg", status=1))
        self.assertEqual(self.keel("run", kepler, "--plot", "-", "--json", status=2).stdout.count(b"\n"), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_png_and_pdf(self):
        self.keel("run", example("henon"), "--quiet", "--plot", "p.png")
        self.keel("run", example("henon"), "--quiet", "--plot", "p.pdf")
        with open(self.path("p.png"), "rb") as file:
            width, height, colours = png(file.read())
        self.assertGreaterEqual(width, 1200)
        self.assertGreaterEqual(height, 900)
        self.assertGreater(colours, 50)
        with open(self.path("p.pdf"), "rb") as file:
            pdf = file.read()
        self.assertTrue(pdf.startswith(b"%PDF-") and pdf.endswith(b"%%EOF\n% keel\n"), pdf[-40:])
        self.assertGreater(len(pdf), 10000)

    def test_drawing_changes_no_bit(self):
        self.keel("run", example("pendulum"), "--quiet", "--out", "a.csv")
        self.keel("run", example("pendulum"), "--quiet", "--out", "b.csv", "--plot", "p.svg")
        with open(self.path("a.csv"), "rb") as a, open(self.path("b.csv"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_room_is_bounded(self):
        """200000 steps become some thousand points that begin and end with the run."""
        svg = self.svg(example("henon"), "--method", "rk4", "--step", "0.0015", "--tend", "300", "--axes", "t,q[1]",
                       "--interpret")
        line = points(curves(svg)[0])
        self.assertGreater(len(line), 4000)
        self.assertLess(len(line), 10100)
        few = points(curves(self.svg(example("henon"), "--axes", "t,q[1]"))[0])
        for k in (0, -1):
            self.assertAlmostEqual(line[k][0], few[k][0], delta=0.1)
            self.assertAlmostEqual(line[k][1], few[k][1], delta=0.5)


class Terminal(cli.Case):
    def lines(self, *options, **more):
        done = self.keel("run", example("kepler"), "--quiet", "--tend", "6", "--plot", "-", *options, **more)
        return done.stdout.decode().split("\n")

    def test_size(self):
        lines = self.lines(env={"COLUMNS": "", "LINES": ""})
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertGreater(max(map(len, lines)), 70)
        lines = self.lines("--axes", "q[1],q[2]", env={"COLUMNS": "120", "LINES": "50"})
        self.assertGreater(max(map(len, lines)), 108)
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertTrue(45 <= len(lines) <= 50, len(lines))

    def test_what_is_drawn(self):
        text = "\n".join(self.lines())
        self.assertTrue(all(c == "\n" or " " <= c <= "~" for c in text))
        for name in ("q[1]", "p[2]", "momentum", "****", "####"):
            self.assertIn(name, text)
        self.assertIn("\033[", "\n".join(self.lines("--color", "always")))

    def test_a_real_terminal_is_measured(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        seen, status = cli.on_terminal("stdout", "run", example("kepler"), "--quiet", "--plot", "-", "--color", "never",
                                       "--axes", "q[1],q[2]", size=(60, 133), env=environment)
        self.assertEqual(status, 0)
        self.assertTrue(120 <= max(map(len, seen.split("\r\n"))) <= 133)


class Trouble(cli.Case):
    def fake(self, script):
        os.mkdir(self.path("bin"))
        with open(self.path("bin/gnuplot"), "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(self.path("bin/gnuplot"), 0o755)
        return {"PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def test_no_gnuplot(self):
        os.mkdir(self.path("empty"))
        said = self.refused("run", example("kepler"), "--interpret", "--plot", "p.svg", status=1, env={"PATH": self.path("empty")})
        self.assertIn("gnuplot-nox", said)
        self.assertEqual(os.listdir(self.folder), ["empty"])

    def test_gnuplot_fails(self):
        env = self.fake("echo 'line 1: no such terminal' >&2; exit 3\n")
        done = self.keel("run", example("kepler"), "--plot", "p.svg", "--quiet", status=1, env=env)
        self.assertEqual(done.stderr, b"keel: gnuplot has failed: line 1: no such terminal\n")
        self.assertEqual(os.listdir(self.folder), ["bin"])

    def test_half_a_picture_never_appears(self):
        env = self.fake("echo '<svg>'\n")
        done = self.keel("run", example("kepler"), "--plot", "p.svg", "--quiet", status=1, env=env)
        self.assertIn(b"No space left", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["bin"])

    def test_a_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        done = self.keel("run", example("kepler"), "--interpret", "--plot", "p.svg", "--quiet", status=1, preexec_fn=limit)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_names_are_never_commands(self):
        """The name of a model without one is its file's."""
        for name in ("a'; system('touch pwned') #", 'b"; !touch pwned', "c`touch pwned`@x\\", "d{/Symbol a}_b^c%s%d",
                     "e\nsystem 'touch pwned'\n", "<script>&amp;</svg>"):
            with open(self.path(name.replace("/", "|") + ".keel"), "w") as model:
                model.write("var x_1\nx_1' = -x_1\ninit x_1 = 1\nrun 0 .. 1\n")
            svg = self.svg_of(name.replace("/", "|"))
            shown = name.replace("/", "|").replace("\n", "\\n")
            self.assertTrue(any(t.startswith(shown) for t in texts(svg)), (name, texts(svg)))
            self.assertIn("x_1", texts(svg))
            self.keel("run", name.replace("/", "|"), "--quiet", "--plot", "-")
        self.assertFalse(os.path.exists(self.path("pwned")))

    def svg_of(self, model):
        self.keel("run", model, "--quiet", "--plot", "p.svg")
        return xml.etree.ElementTree.parse(self.path("p.svg")).getroot()


if __name__ == "__main__":
    cli.needs("gnuplot")
    unittest.main(argv=sys.argv[:1])
