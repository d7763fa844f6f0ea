#!/usr/bin/env python3
"""A report in a browser: it opens without complaints, fits a phone, and screenshots are left in the build folder."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser
import cli
from cli import example
from test_playground_browser import CONTRAST

PHONE, DESKTOP = (360, 3000), (1200, 2200)


class Browser(cli.Case):
    def chromium(self, page, *options, size=DESKTOP):
        profile = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, profile, ignore_errors=True)
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--user-data-dir=" + profile, "--enable-logging=stderr", "--window-size=%d,%d" % size, *options, "file://" + page],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=90, env=dict(os.environ, HOME=profile))
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout.decode(), [line for line in done.stderr.decode(errors="replace").split("\n") if "CONSOLE" in line]

    def report(self, name, *options):
        page = self.path(os.path.basename(name) + ".html")
        self.keel("run", example(name), "--quiet", "--report", page, *options)
        return page

    def test_content(self):
        dom, complaints = self.chromium(self.report("pendulum"), "--dump-dom")
        self.assertEqual(complaints, [])
        table = dom[dom.index('id="certificate"'):]
        table = table[:table.index("</table>")]
        self.assertEqual(re.findall(r"<tr><td><code>(.*?)</code>", table), ["rod", "d/dt rod", "energy"])
        self.assertIn("Held to round-off", dom)
        self.assertIn("lagrangian m*(x'^2 + y'^2)/2 - m*g*y", dom)
        self.assertEqual(dom.count("<figure><svg"), 5)
        self.assertEqual(dom.count('<g id="gnuplot_plot_'), 9)

    def motion(self, name):
        """What the page has found to draw: {points, bodies, rods, joints, pivots}, and complaints."""
        with browser.Browser() as chromium:
            chromium.open("file://" + self.report(name))
            chromium.wait("document.querySelector('footer') !== null")
            found = chromium.ask("""(() => { const scene = document.getElementById("scene").scene, f = scene && scene.found;
                return f && {points: f.points.length, bodies: f.bodies.length, rods: f.rods.length, joints: f.joints.length,
                    pivots: f.joints.filter((one) => !one.b.at).map((one) => one.q),
                    reach: Math.max(0, ...f.joints.map((one) => Math.hypot(...one.p)))}; })()""")
            if found:
                before = chromium.ask("document.getElementById('scene').scene.time")
                chromium.wait("document.getElementById('scene').scene.time !== %r" % before, 10)
                chromium.ask("document.querySelector('.scene-bar button').click()")
                self.assertFalse(chromium.ask("document.getElementById('scene').scene.playing"))
            self.assertEqual(chromium.complaints, [])
            return found

    def test_mechanisms_move(self):
        """Rods and joints are found from the motion: where they are is told by the models."""
        self.assertEqual(self.motion("pendulum")["rods"], 1)
        self.assertEqual((self.motion("four_bar")["points"], self.motion("four_bar")["rods"]), (2, 3))
        crank = self.motion("slider_crank")
        self.assertEqual((crank["bodies"], crank["joints"]), (3, 3))
        self.assertEqual(len(crank["pivots"]), 1)
        self.assertLess(max(map(abs, crank["pivots"][0])), 1e-6)  # the shaft is at (0, 0)
        self.assertAlmostEqual(crank["reach"], 0.4, delta=1e-5)   # from the rod's centre to its pins
        linkage = self.motion("mechanisms/four_bar_3d")
        self.assertEqual((linkage["bodies"], linkage["joints"], len(linkage["pivots"])), (3, 4, 2))

    def test_free_motion_has_no_rods(self):
        self.assertEqual(self.motion("kepler")["rods"], 0)

    def test_complaints_would_be_seen(self):
        page = self.report("kepler")
        with open(page, "a") as file:
            file.write("<script>console.error('something'); missing()</script>")
        self.assertGreaterEqual(len(self.chromium(page, "--dump-dom")[1]), 1)

    def test_no_words_are_clipped(self):
        """Legends and labels of figures lie inside of their figure; the tables beside each other are whole."""
        clipped = """[...document.querySelectorAll("figure svg text")].filter((one) => { const a = one.getBoundingClientRect(),
            b = one.ownerSVGElement.getBoundingClientRect();
            return a.width > 0 && (a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1); })
            .map((one) => one.textContent)"""
        with browser.Browser() as chromium:
            for name in ("four_bar", "mechanisms/watt", "mechanisms/crane", "contacts/rocking"):
                chromium.open("file://" + self.report(name))
                chromium.wait("document.querySelector('footer') !== null && document.title.includes('%s')" % os.path.basename(name))
                self.assertEqual(chromium.ask(clipped), [], name)
                self.assertEqual(chromium.ask("[...document.querySelectorAll('.pair .wide')].filter((one) => one.innerText && one.scrollWidth > "
                                              "one.clientWidth).map((one) => one.innerText)"), [], name)

    def test_contrast(self):
        page = self.report("slack_rod")
        with browser.Browser() as chromium:
            for theme in ("light", "dark"):
                chromium.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                chromium.open("file://" + page)
                chromium.wait("document.querySelector('footer') !== null")
                self.assertEqual(chromium.ask(CONTRAST), [], theme)
            self.assertEqual((chromium.complaints, [one for one in chromium.requests if not one.startswith(("file:", "data:"))]), ([], []))

    def test_fits_a_phone(self):
        """Only tables and the model's text may be wider than the page, inside of boxes that scroll."""
        for name in ("plastic", "four"):
            page = self.report(name)
            with open(page, "a") as file:
                file.write("<script>document.title = document.documentElement.scrollWidth + ' of ' + innerWidth</script>")
            dom, _ = self.chromium(page, "--dump-dom", size=PHONE)
            wide, room = re.search(r"<title>(\d+) of (\d+)</title>", dom).groups()
            self.assertLessEqual(int(wide), int(room), name)
            self.assertLess(int(room), 520)

    def test_screenshots(self):
        page = self.report("pendulum")
        for name, size in (("phone", PHONE), ("desktop", DESKTOP)):
            to = os.path.join(cli.BUILD, "report-%s.png" % name)
            if os.path.exists(to):
                os.remove(to)
            self.chromium(page, "--screenshot=" + to, size=size)
            self.assertGreater(os.path.getsize(to), 50000)


if __name__ == "__main__":
    cli.needs("gnuplot", "chromium")
    unittest.main(argv=sys.argv[:1])
