"""What is built: no library comes from the folder one stands in, and faults in memory end the program."""
import glob
import os
import shutil
import subprocess
import unittest

import cli

LIBRARY = os.path.join(cli.BUILD, "libkeel.so")


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


def binaries():
    """Programs and libraries that were linked here."""
    for path in sorted(glob.glob(os.path.join(cli.BUILD, "*"))):
        if not os.path.isfile(path) or os.path.islink(path):
            continue
        with open(path, "rb") as file:
            if file.read(4) == b"\x7fELF":
                yield path


def cached(name):
    with open(os.path.join(cli.BUILD, "CMakeCache.txt")) as file:
        return next((line.rstrip("\n").partition("=")[2] for line in file if line.startswith(name + ":")), "")


class Paths(cli.Case):
    def test_run_paths_are_absolute(self):
        seen = 0
        for path in binaries():
            for line in readelf("-d", path).splitlines():
                if "(RUNPATH)" in line or "(RPATH)" in line:
                    for element in line.rpartition("[")[2].rstrip("]").split(":"):
                        self.assertTrue(element.startswith("/") or element.startswith("$ORIGIN"), (path, line))
            seen += 1
        self.assertGreater(seen, 2)

    def test_what_is_installed_has_none(self):
        for path in cli.KEEL, LIBRARY:
            self.assertNotRegex(readelf("-d", path), r"\(R(UN)?PATH\)")

    def test_planted_libraries_are_not_loaded(self):
        """By the loader at the start, nor by dlopen: HDF5, KLU (a large sparse model), the compiled model."""
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        mark = self.path("loaded")
        with open(self.path("planted.c"), "w") as file:
            file.write('#include <fcntl.h>\n__attribute__((constructor)) static void mark(void)'
                       '{ open("%s", O_CREAT | O_WRONLY, 0600); }\n' % mark)
        names = ["libm.so.6", "libc.so.6", "libhdf5.so", "libhdf5_serial.so.103", "libhdf5_serial.so.310", "model.so",
                 "libklu.so", "libklu.so.1", "libklu.so.2"]
        subprocess.run([compiler, "-shared", "-fPIC", "-o", "planted.so", "planted.c"], cwd=self.folder, check=True)
        for name in names:
            shutil.copy(self.path("planted.so"), self.path(name))
        self.keel("--version")
        more = ["--out", "rows.h5"] if os.environ.get("KEEL_HDF5") == "1" else []
        cache = dict(XDG_CACHE_HOME=self.path("cache"))
        self.keel("run", cli.example("chain"), "--tend", "0.01", "--quiet", *more, env=cache)
        self.keel("run", cli.example("pendulum"), "--tend", "0.1", "--quiet", env=dict(XDG_CACHE_HOME="."))
        self.assertFalse(os.path.exists(mark))


class Hardening(cli.Case):
    def test_position_independent_and_read_only(self):
        for path in cli.KEEL, LIBRARY:
            self.assertIn("DYN", readelf("-h", path).partition("Type:")[2].partition("\n")[0], path)
            segments, dynamic = readelf("-l", path), readelf("-d", path)
            self.assertIn("GNU_RELRO", segments, path)
            stack = next(line for line in segments.splitlines() if "GNU_STACK" in line)
            self.assertNotIn("E", stack.split()[-2], path)
            self.assertTrue("BIND_NOW" in dynamic or "NOW" in dynamic.partition("FLAGS_1")[2].partition("\n")[0], path)

    def test_stack_and_buffers_are_watched(self):
        for path in cli.KEEL, LIBRARY:
            symbols = readelf("--dyn-syms", path)
            self.assertIn("__stack_chk_fail", symbols, path)
            if cached("CMAKE_BUILD_TYPE") != "Debug":
                self.assertRegex(symbols, r"__(snprintf|vsnprintf|memcpy|fprintf)_chk", path)


if __name__ == "__main__":
    cli.needs("readelf")
    unittest.main(verbosity=2)
