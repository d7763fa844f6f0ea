#!/usr/bin/env python3
"""The playground in a browser: type a model, see the mistake, mend it, run it, and the numbers are those of the command.

The page is made by `./dev playground`; where it is missing, or older than what it is made of, the test is skipped."""
import csv
import functools
import glob
import gzip
import http.server
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cli
from browser import Browser
from long_arm import MODELS

SOURCE = os.environ["KEEL_SOURCE"]
PAGE = os.path.join(SOURCE, "build", "playground", "keel.html")
MADE_OF = ("src/**/*", "playground/*", "include/**/*.h", "libraries/*")
WRONG = "var x, v\nx' = v\nv' = -x - 0.1*y\ninit x = 1, v = 0\nrun 0 .. 10\n"
RIGHT = WRONG.replace("y\n", "v\n", 1)
ENDLESS = "var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 1e12\noptions every = 1e6\n"
# Contrast of text against what lies behind it, by WCAG: 4.5 for text, 3 for large text.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const bad = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(one), ink = rgb(style.color);
    if (!own || one.disabled || ink[3] === 0 || !one.offsetParent || one.closest("script, style, .skip")) continue;
    let behind = one;
    while (behind && rgb(getComputedStyle(behind).backgroundColor)[3] < 255) behind = behind.parentElement;
    const a = light(ink), b = light(rgb(behind ? getComputedStyle(behind).backgroundColor : "#fff"));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
    if (ratio < (size >= 24 ? 3 : 4.5)) bad.push(`${one.tagName}.${one.className} ${ratio.toFixed(2)} ${one.textContent.slice(0, 30)}`);
  }
  return bad;
})()"""


def newest():
    files = [one for pattern in MADE_OF for one in glob.glob(os.path.join(SOURCE, pattern), recursive=True)]
    return max(os.path.getmtime(one) for one in files if os.path.isfile(one))


def methods_with_other_bits(case, browser, wanted):
    """Runs of models without elementary functions, in the page and by the command: (model, method) where a row, a word or a number
    of the result differs; and how many runs of each model came to their end."""
    methods = [one for one in json.loads(case.keel("methods", "--json").stdout)["methods"] if wanted(one["name"])]
    ran, different = dict.fromkeys(MODELS, 0), []
    for name, text in MODELS.items():
        with open(case.path(name + ".keel"), "w", encoding="utf-8") as file:
            file.write(text)
        for method in methods:
            steps = [] if "adaptive" in method["traits"] else ["--step", "0.02" if name != "stiff" else "0.001"]
            words = ["--method", method["name"], *steps, "--interpret", "--json", "--accuracy", "no", name + ".keel"]
            there = browser.ask("""page.runner.run({command: "run", words: %s, name: %s, text: %s, files: {}, keep: true})
                .then(async (done) => [done.out, await new Blob(done.csv).text()])"""
                                % (json.dumps(["--out", "/dev/rows.csv", *words]), json.dumps(name + ".keel"), json.dumps(text)))
            done = subprocess.run([cli.KEEL, "run", "--out", "rows.csv", *words], capture_output=True, text=True, cwd=case.folder)
            here = [done.stdout, ""]
            if os.path.exists(case.path("rows.csv")):
                with open(case.path("rows.csv"), encoding="utf-8") as file:
                    here[1] = file.read()
                os.remove(case.path("rows.csv"))
            results = [json.loads(one[0]) if one[0] else {} for one in (here, there)]
            for one in results:
                for key in ("wall_s", "output_s", "compile_s", "options"):
                    one.pop(key, None)
            if results[0] != results[1] or here[1] != there[1]:
                different.append((name, method["name"]))
            ran[name] += done.returncode == 0
    return different, ran


class Playground(cli.Case):
    def setUp(self):
        super().setUp()
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def load(self, link=""):
        self.browser.open("file://" + PAGE + link)
        self.browser.wait("typeof page === 'object' && page.runs > 0 && !page.runner.busy && !page.checker.busy")

    def write(self, text):
        """As a person does: all is selected, then typed over."""
        self.browser.ask("byId('editor').focus(); byId('editor').select()")
        self.browser.type(text)

    def runs(self):
        return self.browser.ask("page.runs")

    def verdict(self):
        return self.browser.ask("byId('verdict').innerText")

    def native(self, text, *options):
        """Rows and certificate of the command."""
        with tempfile.TemporaryDirectory() as folder:
            model, rows = os.path.join(folder, "model.keel"), os.path.join(folder, "rows.csv")
            with open(model, "w") as file:
                file.write(text)
            done = self.keel("run", model, "--json", "--interpret", "--out", rows, *options)
            with open(rows, newline="") as file:
                return list(csv.reader(line for line in file if not line.startswith("#"))), json.loads(done.stdout)

    def test_first_visit(self):
        """A pendulum swings soon after the page is opened; nothing is asked of the network; sliders are quick."""
        begin = time.time()
        self.load()
        print("a pendulum swings after %.2f s" % (time.time() - begin))
        self.assertLess(time.time() - begin, 20)  # of a machine that does much else
        self.assertIn("Held to round-off", self.verdict())
        self.assertEqual(self.browser.ask("page.scene.found.rods.length"), 1)
        before = self.browser.ask("page.scene.time")
        self.browser.wait("page.scene.time !== %r" % before, 5)
        quick = self.browser.ask("""(async () => { const times = []; for (let i = 0; i < 40; i++) {
            sliders.values = {l: 1 + i / 40}; await run({quick: true}); times.push(page.seconds); } return Math.min(...times); })()""")
        print("a run for a slider takes %.1f ms" % (1e3 * quick))
        self.assertLess(quick, 1 / 30)
        outside = [one for one in self.browser.requests if not one.startswith(("file://", "blob:", "data:"))]
        self.assertEqual((outside, self.browser.complaints), ([], []))

    def test_from_a_plain_file_server(self):
        """The page alone is asked for."""
        quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=os.path.dirname(PAGE))) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            place = "http://127.0.0.1:%d/" % server.server_port
            self.browser.open(place + "keel.html#example=kepler")
            self.browser.wait("typeof page === 'object' && page.runs > 0 && !page.runner.busy")
            server.shutdown()
        self.assertIn("Held to round-off", self.verdict())
        asked = {one.split("#")[0] for one in self.browser.requests if not one.startswith(("blob:", "data:", "about:"))}
        self.assertEqual((asked, self.browser.complaints), ({place + "keel.html"}, []))

    def test_mistake_mended_and_run(self):
        self.load()
        runs = self.runs()
        self.write(WRONG)
        self.browser.wait("document.querySelector('#messages .error') !== null", 20)
        words = self.browser.ask("byId('messages').innerText")
        self.assertIn("line 3", words)
        self.assertIn("`y`", words)
        lines = words.split("\n")
        self.assertEqual(next(line for line in lines if line.strip() == "^").index("^"), WRONG.split("\n")[2].index("y"))
        self.assertEqual(self.browser.ask("document.querySelector('#copy .mark-error').textContent"), "y")
        self.assertEqual(self.runs(), runs)
        self.assertIn("Not run", self.verdict())  # the green words were those of another text
        self.assertTrue(self.browser.ask("document.querySelector('main').classList.contains('outdated')"))
        self.assertLessEqual(self.browser.ask("byId('messages').getBoundingClientRect().bottom - innerHeight"), 0)
        self.write(RIGHT)
        self.browser.wait("page.runs > %d && !page.runner.busy" % runs, 20)
        self.assertEqual(self.browser.ask("byId('messages').innerText"), "")
        self.assertFalse(self.browser.ask("document.querySelector('main').classList.contains('outdated')"))
        self.assertNotIn("Not run", self.verdict())
        self.same_numbers(RIGHT)
        self.assertEqual(self.browser.complaints, [])

    def same_numbers(self, text, *options):
        """Same bits: this model has but sums and products."""
        rows, native = self.native(text, *options)
        names = rows[0][:-1]
        self.assertEqual(self.browser.ask("page.results.names"), names)
        for i, name in enumerate(names):
            there = self.browser.ask("Array.from(page.results.columns[%s], String)" % json.dumps(name))
            self.assertEqual([float(one) for one in there], [float(row[i]) for row in rows[1:]], name)
        page = self.browser.ask("page.last")
        for key in ("steps", "evaluations", "kept", "method", "stabilizer", "state", "accuracy"):
            self.assertEqual(page[key], native[key], key)
        text = self.browser.ask("new Blob(page.csv).text()")
        self.assertEqual([row for row in csv.reader(line for line in text.splitlines() if line[0] != "#")], rows)

    def test_mechanism_has_the_certificate_of_the_command(self):
        self.load("#example=four_bar")
        with open(cli.example("four_bar")) as file:
            rows, native = self.native(file.read())
        page = self.browser.ask("page.last")
        self.assertEqual([row["name"] for row in page["kept"]], [row["name"] for row in native["kept"]])
        for name, value in native["state"].items():
            self.assertAlmostEqual(page["state"][name], value, delta=1e-6 * max(1, abs(value)))
        for row in page["kept"]:
            self.assertLess(row["scaled_drift"], 50)

    def test_methods_have_the_bits_of_the_command(self):
        """A method of each family; long_playground has all of them."""
        self.load()
        few = ("dop853", "radau", "gauss6", "rodas5p", "bdf", "taylor", "rattle4", "kahan-li8", "spark4", "average-field4")
        different, ran = methods_with_other_bits(self, self.browser, lambda name: name in few)
        self.assertEqual(different, [])
        self.assertGreater(min(ran.values()), 3)

    def test_stop(self):
        self.load()
        self.write(ENDLESS)
        self.browser.wait("page.runner.busy && !byId('stop').disabled", 20)
        time.sleep(0.5)
        self.browser.ask("byId('stop').click()")
        self.assertIn("Stopped", self.verdict())
        self.assertFalse(self.browser.ask("page.runner.busy"))
        runs = self.runs()
        self.write(RIGHT)
        self.browser.wait("page.runs > %d" % runs, 20)

    def test_memory(self):
        """A hundred runs: the memory is that after the first few."""
        self.load()
        sizes = self.browser.ask("""(async () => { const sizes = []; for (let i = 0; i < 100; i++) {
            sliders.values = {l: 1 + i / 100}; await run({quick: i % 10 !== 0}); sizes.push(page.memory); } return sizes; })()""", 200)
        self.assertEqual(sizes[-1], sizes[9])

    def test_link(self):
        """A link holds model and parameters, signs of all kinds included."""
        self.load()
        text = "# länge ≤ 3 & <b>\n" + RIGHT
        link = self.browser.ask("toLink({name: 'mine', text: %s, values: {}})" % json.dumps(text))
        self.browser.open("about:blank")
        self.load(link)
        self.assertEqual(self.browser.ask("editor.text"), text)
        self.browser.open("about:blank")
        self.load("#m=nonsense")
        self.assertIn("lagrangian", self.browser.ask("editor.text"))
        self.assertEqual(self.browser.complaints, [])

    def test_files_beside_the_model(self):
        """A table that is missing is named; once it is there, the model runs, and a link holds both."""
        self.load()
        self.write('table load = "load.csv"\nvar x\nx\' = load(t) - x\ninit x = 0\nrun 0 .. 1\n')
        self.browser.wait("document.querySelector('#messages .error') !== null", 20)
        self.assertIn("load.csv", self.browser.ask("byId('messages').innerText"))
        runs = self.runs()
        self.browser.ask("addFiles([new File(['t,kN\\n0,0\\n1,1\\n'], 'load.csv')])")
        self.browser.wait("page.runs > %d && !page.runner.busy" % runs, 20)
        self.assertAlmostEqual(self.browser.ask("page.last.state.x"), math.exp(-1), delta=1e-6)
        self.assertIn("load.csv", self.browser.ask("byId('files').innerText"))
        link = self.browser.ask("toLink({name: 'mine', text: editor.text, values: {}, files: page.files})")
        self.browser.open("about:blank")
        self.load(link)
        self.assertEqual(self.browser.ask("page.last.status"), "done")
        self.assertEqual(self.browser.complaints, [])

    def test_looks(self):
        """Enough contrast in light and dark, no wider than a phone, all reachable by keys; pictures stay in the build folder."""
        self.load()
        for theme in ("light", "dark"):
            self.browser.ask("setTheme('%s')" % theme)
            time.sleep(0.3)  # colours change slowly
            self.assertEqual(self.browser.ask(CONTRAST), [], theme)
            self.browser.picture(os.path.join(cli.BUILD, "playground-%s.png" % theme))
        self.browser.resize(360, 800, mobile=True)
        self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), 360)
        self.browser.picture(os.path.join(cli.BUILD, "playground-phone.png"))
        self.browser.resize(1400, 1000)
        unnamed = self.browser.ask("""[...document.querySelectorAll("button, input, select, textarea")].filter((one) =>
            !one.textContent.trim() && !one.getAttribute("aria-label") && !(one.labels && one.labels.length)).map((one) => one.outerHTML)""")
        self.assertEqual(unnamed, [])

    def test_keys_reach_everything(self):
        """By Tab alone, but for Escape out of the editor, where Tab writes spaces."""
        self.load()
        wanted = self.browser.ask("""(() => { const all = [...document.querySelectorAll("button, input, select, textarea, canvas[tabindex]")]
            .filter((one) => one.offsetParent && !one.disabled); all.forEach((one, i) => { one.dataset.order = i; }); return all.length; })()""")
        reached = set()
        for _ in range(wanted + 5):
            self.browser.press("Tab", 9)
            reached.add(self.browser.ask("document.activeElement.dataset.order"))
            self.browser.press("Escape", 27)
        missed = self.browser.ask("""((reached) => [...document.querySelectorAll("[data-order]")]
            .filter((one) => !reached.includes(one.dataset.order)).map((one) => one.outerHTML.slice(0, 99)))(%s)""" % json.dumps(sorted(map(str, reached))))
        self.assertEqual(missed, [])
        self.assertGreater(wanted, 20)

    def test_sliders(self):
        """Every plain number of a param line has one, with a unit or without; what follows from others has none."""
        names = "[...document.querySelectorAll('#slider-list input[type=range]')].map((one) => one.getAttribute('aria-label'))"
        for example, wanted in (("pendulum", ["m", "g", "l"]), ("brusselator_line", ["N"]), ("lorenz", ["sigma", "rho"])):
            self.browser.open("about:blank")
            self.load("#example=" + example)
            self.assertEqual(self.browser.ask(names), wanted, example)

    def test_pictures_suit_the_model(self):
        """An array along a line is a map; rows in log t have an axis of powers of ten; a rope joins load and trolley."""
        self.load("#example=brusselator_line")
        colors = """new Set(Array.from(byId("field-plot").getContext("2d").getImageData(80, 20, 100, 200).data)).size"""
        self.assertFalse(self.browser.ask("byId('field-card').hidden"))
        self.assertGreater(self.browser.ask(colors), 60)
        self.assertEqual(self.browser.ask("[...byId('field-of').options].map((one) => one.value)"), ["u", "v"])
        self.browser.open("about:blank")
        self.load("#example=wishbone")  # lower.r[1] is zero but for round-off, and the first column
        self.assertGreater(self.browser.ask("Math.min(...[...page.shown].map((name) => columnExtent(page.results.columns[name])))"), 1e-3)
        self.assertGreater(self.browser.ask("columnExtent(page.results.columns[byId('phase-x').value])"), 1e-3)
        for example, decades in (("robertson", True), ("crane", False)):
            self.browser.open("about:blank")
            self.load("#example=" + example)
            self.assertEqual(self.browser.ask("timePlot.data.decades"), decades)
            self.assertTrue(self.browser.ask("byId('field-card').hidden"))
        self.assertEqual(self.browser.ask("page.scene.found.rods.map((one) => [one.a.name, one.b.name])"), [["load.r", "trolley.r"]])
        self.assertEqual(self.browser.complaints, [])

    def test_motion_between_rows(self):
        """A point on a circle of 15 rows a turn stays on it to a thousandth; an event ends a smooth piece."""
        self.load()
        most = self.browser.ask("""(() => { const t = Array.from({length: 40}, (_, k) => 0.42 * k), x = t.map(Math.cos), y = t.map(Math.sin);
            let most = 0; for (let k = 1; k < 38; k++) for (const s of [0, 0.3, 0.5, 1])
                most = Math.max(most, Math.abs(Math.hypot(sceneBetween(t, x, k, s), sceneBetween(t, y, k, s)) - 1)); return most; })()""")
        self.assertLess(most, 1e-3)
        self.assertEqual(self.browser.ask("sceneBetween([0, 1, 1, 2], [1, 0, 0, 1], 2, 0.5)"), 0.5)
        self.assertEqual(self.browser.ask("sceneBetween([0, 1, 1, 2, 3], [9, 0, 0, 1, 4], 2, 0.5)"), 0.25)  # x = (t - 1)^2

    def test_size(self):
        with open(PAGE, "rb") as file:
            self.assertLess(len(gzip.compress(file.read(), 9)), 1.5e6)


if __name__ == "__main__":
    cli.needs("chromium")
    if not os.path.exists(PAGE) or os.path.getmtime(PAGE) < newest():
        print("skipped: the page is missing, or older than its sources; ./dev playground makes it")
        sys.exit(cli.SKIPPED)
    unittest.main(argv=sys.argv[:1])
