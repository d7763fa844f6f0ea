#!/usr/bin/env python3
"""keel completion: what the tab key offers, asked of bash itself."""
import os
import re
import shutil
import subprocess
import unittest

import cli


class Completion(cli.Case):
    def offered(self, *words):
        """What bash offers for the last word."""
        script = ('eval "$("$KEEL" completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keel; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder, check=True)
        self.assertEqual(done.stderr, b"")
        return sorted(filter(None, done.stdout.decode().split("\n")))

    def commands(self):
        return re.findall(r"^  keel (\w+) [A-Z\[]", self.keel().stdout.decode(), re.M)

    def test_commands(self):
        self.assertEqual(self.offered("keel", ""), sorted(self.commands()))
        self.assertEqual(self.offered("keel", "che"), ["check"])
        self.assertEqual(self.offered("keel", "help", "che"), ["check"])
        self.assertEqual(self.offered("keel", "--v"), ["--version"])

    def test_options_are_those_of_the_help(self):
        for command in self.commands():
            listed = re.findall(r"^  (--[\w-]+)", self.keel("help", command).stdout.decode(), re.M)
            self.assertEqual(self.offered("keel", command, "--"), sorted(listed))
            self.assertEqual(self.offered("keel", command, "x.keel", "--he"), ["--help"])

    def test_choices(self):
        self.assertEqual(self.offered("keel", "run", "--color", ""), ["always", "auto", "never"])
        self.assertEqual(self.offered("keel", "run", "--color", "=", "al"), ["always"])
        self.assertEqual(self.offered("keel", "new", "x", "--kind", "h"), ["hamiltonian"])
        self.assertEqual(self.offered("keel", "completion", ""), ["bash", "zsh"])
        self.assertIn("dop853", self.offered("keel", "run", "--method", "d"))
        self.assertIn("run", self.offered("keel", "schema", ""))
        self.assertEqual(self.offered("keel", "run", "--rtol", ""), [])

    def test_papers(self):
        self.assertEqual(self.offered("keel", "reproduce", "liu"), ["liu2006", "liu2013"])
        self.assertEqual(self.offered("keel", "reproduce", "liu2006", "tab"), ["table1", "table2"])
        self.assertEqual(self.offered("keel", "reproduce", "liu2006", "figure1"), ["figure10", "figure11", "figure12", "figure13"])
        self.assertEqual(self.offered("keel", "reproduce", "liu2006", "example8"), ["example8"])
        self.assertEqual(self.offered("keel", "reproduce", "adjust2007", "--f"), ["--force", "--full"])

    def test_files(self):
        for name in ["a.keel", "b c.keel", "b.csv"]:
            open(self.path(name), "w").close()
        os.mkdir(self.path("sub"))
        open(self.path("sub/d.keel"), "w").close()
        self.assertEqual(self.offered("keel", "run", ""), ["a.keel", "b c.keel", "sub"])
        self.assertEqual(self.offered("keel", "check", "b"), ["b c.keel"])
        self.assertEqual(self.offered("keel", "run", "sub/"), ["sub/d.keel"])
        self.assertEqual(self.offered("keel", "run", "a.keel", "--out", "b"), ["b c.keel", "b.csv"])

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        """The functions that zsh offers are replaced by ones that print what they get."""
        script = ('compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print -- files $*; }; '
                  'eval "$("$KEEL" completion zsh)"; words=("$@"); CURRENT=$#; _keel')
        for words, offered in [(["keel", "run", "--color", ""], ["auto", "always", "never"]),
                               (["keel", "run", "x"], ["files -g *.keel"]), (["keel", "run", "--out", "x"], ["files"]),
                               (["keel", "completion", ""], ["bash", "zsh"]), (["keel", ""], self.commands())]:
            done = subprocess.run(["zsh", "-f", "-c", script, "zsh", *words], stdout=subprocess.PIPE, check=False)
            self.assertEqual(done.stdout.decode().splitlines(), offered)
        done = subprocess.run(["zsh", "-f", "-c", script, "zsh", "keel", "new", "--"], stdout=subprocess.PIPE, check=False)
        self.assertIn("--kind", done.stdout.decode().splitlines())


if __name__ == "__main__":
    unittest.main()
