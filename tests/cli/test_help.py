#!/usr/bin/env python3
"""Help and manual pages: everywhere, with an example that works, of one table."""
import glob
import os
import re
import shutil
import subprocess
import unittest

import cli
from cli import example


class Help(cli.Case):
    def commands(self):
        return re.findall(r"^  keel (\w+) [A-Z\[]", self.keel().stdout.decode(), re.M)

    def test_overview(self):
        self.assertGreaterEqual(set(self.commands()), {"run", "check", "new", "emit", "schema", "completion", "help"})
        for words in [["help"], ["--help"], ["-h"]]:
            self.assertEqual(self.keel(*words).stdout, self.keel().stdout)
        self.assertRegex(self.keel("--version").stdout, rb"^keel \d+\.\d+\.\d+\n  compiled +(gcc|clang) .*interface \d+\n  with .*\n  hardened .*\n$")

    def test_every_command(self):
        for command in self.commands():
            page = self.keel("help", command)
            self.assertEqual(page.stderr, b"")
            for words in [["--help"], ["-h"], ["nofile", "--help"]]:
                self.assertEqual(self.keel(command, *words).stdout, page.stdout, (command, words))
            text = page.stdout.decode()
            self.assertIn("\nExample: ", text)
            self.assertIn("--help", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_examples_work(self):
        shutil.copy(example("pendulum"), self.path("pendulum.keel"))
        for command in ["check", "new", "emit", "schema", "help"]:
            text = self.keel("help", command).stdout.decode()
            words = re.search(r"^Example: keel (.*)$", text, re.M).group(1).split()
            self.keel(*words)

    def test_first_steps(self):
        for line in re.findall(r"^  (keel (?:new|check|run) pend\S*)", self.keel().stdout.decode(), re.M):
            self.keel(*line.split()[1:])

    def test_language(self):
        """The page of the repository, word for word; its models are run elsewhere."""
        with open(os.path.join(os.environ["KEEL_SOURCE"], "docs", "language.md"), "rb") as page:
            self.assertEqual(self.keel("help", "language").stdout, page.read())

    def test_manual(self):
        pages = [["help", "--man"]] + [["help", "--man", command] for command in self.commands()]
        for words in pages:
            text = self.keel(*words).stdout
            self.assertTrue(text.startswith(b'.TH "KEEL'))
            for line in text.split(b"\n"):
                self.assertFalse(line.startswith(b"'"), line)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=text, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, check=True)
                self.assertEqual(done.stderr, b"", words)
                plain = re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout.decode())
                for option in re.findall(rb"^\.TP\n\\fB\\-\\-([\w\\-]+)\\fR", text, re.M):
                    self.assertIn("--" + option.decode().replace("\\-", "-"), plain)

    @unittest.skipUnless(shutil.which("mandoc"), "there is no mandoc")
    def test_mandoc(self):
        for words in [[]] + [[command] for command in self.commands()]:
            text = self.keel("help", "--man", *words).stdout
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, stdout=subprocess.PIPE)
            said = [line for line in done.stdout.decode().splitlines() if "missing date" not in line]
            self.assertEqual(said, [], words)

    def test_manual_is_built(self):
        built = {os.path.basename(page) for page in glob.glob(os.path.join(cli.BUILD, "man", "*.1"))}
        if built:  # not with a build of the command alone
            self.assertEqual(built, {"keel.1"} | {"keel-%s.1" % command for command in self.commands()})


if __name__ == "__main__":
    unittest.main()
