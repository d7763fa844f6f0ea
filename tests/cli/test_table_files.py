#!/usr/bin/env python3
"""Tables from files: what is wrong in a file is told with its line, results stand alone, long files by their fingerprint,
emitted programs and sweeps give the bits of a run."""
import json
import math
import os
import shutil
import subprocess
import unittest

import cli

INCLUDE = os.path.join(os.environ["KEEL_SOURCE"], "include")
MODEL = """model own
table load = "load.csv", column = "kN", by = linear
param a = 1
var x
x' = a*load(t)
init x = 0
run 0 .. 4
"""
ROWS = "s,kN,other\n0,1,2\n1,3,2\n2.5,-1,0\n4,0,1\n"


class TableFiles(cli.Case):
    def write(self, text, name):
        with open(self.path(name), "w") as file:
            file.write(text)

    def setUp(self):
        super().setUp()
        self.write(MODEL, "own.keel")
        self.write(ROWS, "load.csv")

    def end(self, *arguments, **more):
        return json.loads(self.keel("run", "own.keel", "--json", "--accuracy", "no", *arguments, **more).stdout)["state"]["x"]

    def kept_text(self, last):
        """The text of the model in kept.h5, up to these words."""
        with open(self.path("kept.h5"), "rb") as file:
            kept = file.read().decode("latin-1")
        begin = kept.index("model own")
        return kept[begin:kept.index(last, begin) + len(last)]

    def test_mistakes(self):
        """Each has its sentence, with the line of the file."""
        cases = [("t,kN\n0,1\n1,\n2,3\n", "line 3: the value in column `kN` is missing"),
                 ("t,kN\n0,1\n1\n2,3\n", "line 3: the value in column `kN` is missing"),
                 ("t,kN\n0,1\n1,nan\n2,3\n", "line 3: `nan` in column `kN` is not a finite number"),
                 ("t,kN\n0,1\n1,1e999\n2,3\n", "line 3: `1e999` in column `kN` is not a finite number"),
                 ("# first\nt,kN\n0,1\n2,4\n1,3\n", "line 5: column `t` is 1 after 2 in line 4; sort the rows"),
                 ("t,kN\n0,1\n\n2,4\n2,3\n", "line 5: column `t` is 2 again, as in line 4"),
                 ("t,kN\n0,1\n1,3,5\n2,4\n", "line 3: there are more than the 2 cells of the first line"),
                 ("t,kN\n0,1\n", "has fewer than two rows"),
                 ("", "has no rows"),
                 ("t,v\n0,1\n1,2\n", "has no column `kN`: there are `t`, `v`"),
                 ("t,kN,kN\n0,1,2\n1,2,3\n", "has two columns `kN`: say which, as in  column = 3"),
                 ("0,1\n1,2\n", "has no names in its first line")]
        for rows, sentence in cases:
            self.write(rows, "load.csv")
            said = self.keel("check", "own.keel", status=1).stderr.decode()
            self.assertIn("own.keel:2:14: error: `load.csv`", said)
            self.assertIn(sentence, said)

    def test_forms(self):
        """Separators, quotes, decimal commas, marks and comments."""
        whole = self.end()
        self.assertAlmostEqual(whole, 2.75, delta=1e-12)
        for rows in ["\ufeffs;kN\r\n0;1\r\n1;3,0\r\n2,5;-1\r\n4;0\r\n", '"s"\t"kN"\n0\t1\n1\t3\n2.5\t-1\n4\t0\n',
                     "# a\n s , kN \n 0, +1\n1,3e0\n\n# b\n2.5,-1.\n4,.0\n", 's,kN\n0,1,\n1,3, ,\n"2.5", "-1"\n4,0\n',
                     '"s",kN,"x, y"\n0,1,"a,b"\n1,3,\n2.5,-1,"c"\n4,0,"d,,e"\n']:
            self.write(rows, "load.csv")
            self.assertEqual(self.end(), whole)

    def test_tables_of_imported_parts(self):
        """The file of a table in an imported part lies beside the model, and is missed where it does not."""
        self.write('part Pulled(m = 1 {kg}):\n    table pull = "load.csv", column = "kN"\n    var x\n'
                   "    m*x' = pull(t)\n    init x = 0\n", "mine.keel")
        self.write('import "mine.keel"\nuse Pulled p(), q(500 {g})\nrun 0 .. 4\n', "imports.keel")
        self.keel("run", "imports.keel", "--accuracy", "no", "--at", "4", "--out", "imports.csv", "--force")
        with open(self.path("imports.csv")) as file:
            p, q = file.read().split("\n")[-2].split(",")[1:3]
        self.assertAlmostEqual(float(p), 2.75, delta=1e-12)
        self.assertAlmostEqual(float(q), 5.5, delta=1e-12)
        os.remove(self.path("load.csv"))
        said = self.keel("check", "imports.keel", status=1).stderr.decode()
        self.assertIn("`load.csv`", said)

    def test_stands_alone(self):
        """What is kept of a run has the rows: the file may go."""
        whole = self.end("--out", "kept.h5")
        os.remove(self.path("load.csv"))
        self.keel("run", "own.keel", status=1)
        self.write(self.kept_text('"4,0,1"\n'), "own.keel")
        self.assertEqual(self.end(), whole)

    def test_long_file(self):
        """A long file goes along as its fingerprint, and another one of its name is refused."""
        rows = "t,kN\n" + "".join(f"{i / 20000!r},{math.cos(i)!r}\n" for i in range(80001))
        self.write(rows, "load.csv")
        self.end("--method", "dopri5", "--rtol", "1e-3", "--out", "kept.h5")
        text = self.kept_text('bytes"\n')
        self.assertIn('table "load.csv":\n    "fingerprint ', text)
        self.assertLess(len(text), 1000)
        self.write(text, "own.keel")
        self.end("--method", "dopri5", "--rtol", "1e-3", "--tend", "0.01")
        self.write(rows.replace("t,kN", "s,kN"), "load.csv")
        self.assertIn("is not the file that this text was made with", self.keel("check", "own.keel", status=1).stderr.decode())

    def test_outside_of_the_folder(self):
        os.mkdir(self.path("sub"))
        shutil.copy(self.path("load.csv"), self.path("sub/load.csv"))
        self.write(MODEL.replace("load.csv", "sub/load.csv"), "own.keel")
        self.end()
        for name in ["../load.csv", "/etc/passwd", "none.csv"]:
            self.write(MODEL.replace("load.csv", name), "own.keel")
            self.assertIn("is not read", self.keel("check", "own.keel", status=1).stderr.decode())

    def test_emitted(self):
        """The program has the rows, goes from knot to knot, and gives the same bits."""
        library = os.path.join(cli.BUILD, "libkeel.a")
        for by, argument in [("hold", "t"), ("spline", "t"), ("linear", "2*t - x/9")]:
            self.write(MODEL.replace("linear", by + ", outside = hold").replace("load(t)", f"load({argument})"), "own.keel")
            self.keel("emit", "own.keel", "--out", "own.c", "--quiet")
            subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-ffp-contract=off", "-fno-builtin",
                            "-DKEEL_MODEL_MAIN", "-fsyntax-only", "-I", INCLUDE, "own.c"], check=True, cwd=self.folder)
            with open(library, "rb") as archive:
                if b"__asan_init" in archive.read():
                    continue
            subprocess.run(["cc", "-O0", "-ffp-contract=off", "-fno-builtin", "-DKEEL_MODEL_MAIN", "-I", INCLUDE, "own.c",
                            library, "-o", "own", "-lm", "-ldl"], check=True, cwd=self.folder)
            out = subprocess.run([self.path("own")], check=True, stdout=subprocess.PIPE).stdout.decode()
            self.assertIn("x = %.17g\n" % self.end(), out)

    def test_sweep(self):
        """Members of a sweep have the bits of single runs."""
        self.keel("sweep", "own.keel", "--over", "a=1,2,3", "--out", "all.csv", "--quiet")
        with open(self.path("all.csv")) as file:
            rows = [line.split(",") for line in file.read().split("\n") if line and line[0] != "#"]
        column = rows[0].index("x")
        for a, row in zip((1, 2, 3), rows[1:]):
            self.assertEqual(float(row[column]), self.end("--set", f"a={a}"))


if __name__ == "__main__":
    unittest.main()
