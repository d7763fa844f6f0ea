"""What takes long before a run begins, or after it, is told on a terminal, and only there."""
import os
import unittest

import cli
from cli import example


class Waiting(cli.Case):
    def setUp(self):
        super().setUp()
        path = self.path("cc")
        with open(path, "w") as file:
            file.write('#!/bin/sh\nsleep 2.5\nexec cc "$@"\n')
        os.chmod(path, 0o700)
        self.environment = dict(os.environ, CC=path, XDG_CACHE_HOME=self.path("cache"))

    def seen(self, *words):
        """Standard error of a run, on a terminal."""
        text, status = cli.on_terminal("stderr", "run", example("pendulum"), *words, env=self.environment)
        self.assertEqual(status, 0)
        return text

    def test_a_slow_compiler(self):
        text = self.seen()
        self.assertRegex(text, r"\r  compiling the model +1 s \r  compiling the model +2 s ")
        self.assertTrue(text.endswith(" \r"), repr(text))  # and wiped out
        self.assertEqual(self.seen(), "")  # the second time it is there

    def test_nobody_looks(self):
        self.assertEqual(self.seen("--quiet"), "")
        done = self.keel("run", example("kepler"), env=self.environment)
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    unittest.main()
