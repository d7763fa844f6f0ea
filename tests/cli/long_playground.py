#!/usr/bin/env python3
"""All examples in the playground: each runs as the command runs it, or says why not.

Numbers agree with the command's to the tolerance (another libm), where the motion does not part by itself."""
import json
import os
import re
import sys
import unittest

import cli
from browser import Browser
from test_playground_browser import PAGE, newest

PATIENCE = 60  # seconds for one example; those that take longer are stopped, which must work, too
PART = ("lorenz", "double_pendulum", "henon_chaotic", "n_body", "figure_eight")  # chaotic: last digits grow


class Examples(cli.Case):
    def outcome(self, browser, name):
        """What the page says of an example: its last result, or None where it was stopped."""
        browser.ask("openModel(keelExamples.find((one) => one.name === %s)), 0" % json.dumps(name))
        try:
            browser.wait("!page.runner.busy && page.last !== null", PATIENCE)
        except TimeoutError:
            browser.ask("byId('stop').click()")
            self.assertFalse(browser.ask("page.runner.busy"), name)
            return None
        return browser.ask("page.last")

    def test_examples(self):
        with Browser() as browser:
            browser.open("file://" + PAGE)
            browser.wait("typeof page === 'object' && page.runs > 0")
            names = browser.ask("keelExamples.map((one) => one.name)")
            self.assertGreater(len(names), 40)
            for name in names:
                got = self.outcome(browser, name)
                if got is None:
                    print(name, "takes long: stopped")
                    continue
                if got["status"] == "failed":
                    self.assertTrue(got["message"], name)
                    print(name, "says:", got["message"])
                    reads = re.search(r'"[^"]+\.(csv|h5|keel)"', browser.ask("editor.text"))
                    self.assertTrue(reads or "KLU" in got["message"], name)  # what the page lacks: other files, and KLU
                    continue
                self.agree(name, got, browser.ask("editor.text"))
            self.assertEqual(browser.complaints, [])

    def agree(self, name, got, text):
        with open(self.path("model.keel"), "w", encoding="utf-8") as file:
            file.write(text)
        native = json.loads(self.keel("run", self.path("model.keel"), "--json", "--interpret").stdout)
        for row, other in zip(got["kept"], native["kept"], strict=True):
            self.assertEqual(row["name"], other["name"])
            if other["kind"] not in ("watched", "damped") and other["scaled_drift"] is not None and other["scaled_drift"] < 16:
                self.assertLess(row["scaled_drift"], 50, (name, row["name"]))
        if name in PART or native["accuracy"].get("finding") == "chaos":
            return
        most = max([abs(value) for value in native["state"].values() if value is not None] or [1])
        for key, value in native["state"].items():
            if value is not None:
                self.assertAlmostEqual(got["state"][key], value, delta=1e-4 * max(most, 1e-12), msg="%s: %s" % (name, key))


if __name__ == "__main__":
    cli.needs("chromium")
    if not os.path.exists(PAGE) or os.path.getmtime(PAGE) < newest():
        print("skipped: the page is missing, or older than its sources; ./dev playground makes it")
        sys.exit(cli.SKIPPED)
    unittest.main(argv=sys.argv[:1])
