#!/usr/bin/env python3
"""The documents as a site: every command beside a picture runs, every model is right, no link leads nowhere."""
import base64
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import cli

SOURCE = os.environ["KEEL_SOURCE"]
TUTORIALS = ("tutorial.md", "gallery.md", "choose.md", "coming-from.md", "not.md", "playground.md")


def read(name):
    with open(os.path.join(SOURCE, "docs", name), encoding="utf-8") as file:
        return file.read()


class Site(cli.Case):
    def make(self, *options, tool=os.path.join(SOURCE, "tools", "make_site")):
        return subprocess.run([sys.executable, "-B", tool, cli.KEEL, self.path("site"), *options], capture_output=True, text=True)

    def test_all_of_it(self):
        drawn = shutil.which("gnuplot") and os.environ.get("KEEL_HDF5") == "1"
        done = self.make(*([] if drawn else ["--no-pictures"]))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        print(done.stdout.strip())
        pages = {os.path.basename(one) for one in glob.glob(self.path("site/*.html"))}
        for name in ("index", "tutorial", "gallery", "choose", "coming-from", "not", "reference", "manual", "language"):
            self.assertIn(name + ".html", pages)
        for name in glob.glob(os.path.join(SOURCE, "docs", "*.md")):
            self.assertIn(os.path.basename(name)[:-3] + ".html", pages)
        with open(self.path("site/reference.html")) as file:
            reference = file.read()
        for name in ("keel_run", "keel_open_abi", "keel_sim_open"):
            self.assertIn('<b id="%s">' % name, reference)
        if drawn:
            self.assertGreaterEqual(len(glob.glob(self.path("site/gallery-*.svg"))), 16)
        if drawn and "keel.html" in pages:
            self.models_of_links()

    def models_of_links(self):
        """What opens in the playground is a model that is right by itself: every picture of the gallery has one."""
        count = 0
        for page in glob.glob(self.path("site/*.html")):
            with open(page, encoding="utf-8") as file:
                for packed in re.findall(r'href="keel\.html#m=([^"]*)"', file.read()):
                    model = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
                    with open(self.path("link.keel"), "w", encoding="utf-8") as text:
                        text.write(model["text"])
                    self.keel("check", self.path("link.keel"), "--quiet")
                    count += 1
        self.assertGreaterEqual(count, len(glob.glob(self.path("site/gallery-*.svg"))))

    def test_dead_links_and_failing_commands_are_found(self):
        """Of a copy of the project with two mistakes in its documents."""
        copy = self.path("copy")
        for part in ("docs", "tools", "include", "examples", "src/cli"):
            shutil.copytree(os.path.join(SOURCE, part), os.path.join(copy, part))
        for name in glob.glob(os.path.join(SOURCE, "*.md")) + [os.path.join(SOURCE, "LICENSE")]:
            shutil.copy(name, copy)
        with open(os.path.join(copy, "docs", "not.md"), "a") as file:
            file.write("\n[nowhere](language.md#no-such-heading)\n\n```sh picture=p\nkeel run nothing.keel\n```\n")
        done = self.make(tool=os.path.join(copy, "tools", "make_site"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-heading", done.stderr)
        self.assertIn("`keel run nothing.keel` fails", done.stderr)

    def test_models_of_the_pages(self):
        count = 0
        for page in TUTORIALS:
            for text in re.findall(r"^```keel.*?\n(.*?)^```", read(page), re.M | re.S):
                with open(self.path("m.keel"), "w") as file:
                    file.write(text)
                self.keel("check", self.path("m.keel"), "--quiet")
                count += 1
        self.assertGreaterEqual(count, 2)

    def test_methods_of_the_tree_exist(self):
        known = {one["name"] for one in json.loads(self.keel("methods", "--json").stdout)["methods"]}
        tree = re.search(r"^```\n(.*?)^```", read("choose.md"), re.M | re.S).group(1)
        named = [word for line in tree.split("\n") if " .." in line for word in re.findall(r"[a-z][\w-]*\d?\b", line.split("..")[-1])]
        self.assertGreaterEqual(len([word for word in named if word in known]), 10)
        for word in ("kahan-li8", "verlet", "gauss4", "rattle", "rattle4", "rodas5p", "radau", "bdf", "dop853", "taylor", "dopri5"):
            self.assertIn(word, known)
            self.assertIn(word, tree)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
