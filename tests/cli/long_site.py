#!/usr/bin/env python3
"""The site in a browser: no page complains, asks anything of the network, has faint text, or is wider than a phone."""
import glob
import os
import subprocess
import sys
import unittest

import cli
from browser import Browser
from test_playground_browser import CONTRAST

MAKE = os.path.join(os.environ["KEEL_SOURCE"], "tools", "make_site")


class Site(cli.Case):
    def test_every_page(self):
        subprocess.run([sys.executable, "-B", MAKE, cli.KEEL, self.path("site"), "--no-pictures"], check=True, stdout=subprocess.DEVNULL)
        pages = [one for one in sorted(glob.glob(self.path("site/*.html"))) if os.path.basename(one) != "keel.html"]
        self.assertGreater(len(pages), 25)
        with Browser() as browser:
            for theme in ("light", "dark"):
                browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                for page in pages:
                    browser.open("file://" + page)
                    browser.wait("document.readyState === 'complete' && location.pathname.endsWith('%s')" % os.path.basename(page))
                    self.assertEqual(browser.ask(CONTRAST)[:5], [], (theme, page))
            browser.resize(360, 900, mobile=True)
            for page in pages:
                browser.open("file://" + page)
                browser.wait("document.readyState === 'complete' && location.pathname.endsWith('%s')" % os.path.basename(page))
                self.assertLessEqual(browser.ask("document.documentElement.scrollWidth"), 360, page)
            outside = [one for one in browser.requests if not one.startswith(("file://", "data:", "about:"))]
            self.assertEqual((outside, browser.complaints), ([], []))
        print(len(pages), "pages")


if __name__ == "__main__":
    cli.needs("chromium")
    unittest.main(argv=sys.argv[:1])
