#!/usr/bin/env python3
"""keel reproduce: papers, verdicts, what is recorded, claims files with mistakes, pictures, JSON."""
import json
import os
import unittest

import cli

HEAD = "paper p: A paper\nitem one: an item\n"


class Reproduce(cli.Case):
    def claims(self, text, status=0, *more):
        with open(self.path("a.claims"), "w") as out:
            out.write(text)
        with open(self.path("decay.keel"), "w") as out:
            out.write("var x\nx' = -x\nexact x = exp(-t)\noutput y = 2*x\ninit x = 1\nrun 0 .. 1\n")
        return self.keel("reproduce", "a.claims", *more, status=status)

    def rows(self, text, status=0):
        return json.loads(self.claims(text, status, "--json").stdout)["rows"]

    def verdict(self, figure, measure="end x", remark="", status=0, kind="claim"):
        text = HEAD + "run decay --method rk4 --step 0.125 --interpret\n%s %s %s : it\n%s\n" % (kind, figure, measure, remark)
        return self.rows(text, status)[0]

    def test_papers_are_as_recorded(self):
        for item in [["liu2006", "table2"], ["adjust2007", "table3"], ["lecture13", "quadratic"]]:
            said = self.keel("reproduce", *item).stdout.decode()
            self.assertIn("none is worse than recorded", said)
            self.assertIn("keel run paper:", said)

    def test_every_line_is_recorded(self):
        """Numbers of claims and recorded verdicts belong together."""
        folder = os.path.join(cli.EXAMPLES, "papers")
        wanted = set()
        for name in os.listdir(folder):
            if not name.endswith(".claims"):
                continue
            item = None
            with open(os.path.join(folder, name)) as claims:
                lines = claims.readlines()
            for line in lines:
                if line.startswith("item "):
                    item, number = line.split()[1].rstrip(":"), 0
                if line.split(" ")[0] in ("claim", "says", "keel"):
                    number += 1
                    wanted.add((name[:-7], item, str(number)))
        with open(os.path.join(folder, "recorded.verdicts")) as recorded:
            found = [tuple(line.split()[:3]) for line in recorded]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(set(found), wanted)

    def verdicts(self, claims, status=0):
        """Of several claims about one run."""
        rows = self.rows(HEAD + "run decay --method rk4 --step 0.125 --interpret\n" +
                         "".join("claim %s %s : it\n" % claim for claim in claims), status)
        return [(row["verdict"], row["expected"]) for row in rows]

    def test_digits(self):
        pairs = [(".368", "digits agree"), ("0.37", "digits agree"), ("3.7E-1", "digits agree"), (".36", "same order"),
                 ("~1", "same order"), ("O(1)", "same order"), ("<.4", "holds"), (">.3", "holds"), (".3...4", "holds"),
                 ("<.3", "same order")]
        self.assertEqual(self.verdicts([(figure, "end x") for figure, _ in pairs]), [(verdict, True) for _, verdict in pairs])
        self.assertEqual(self.verdicts([(figure, "end x") for figure in (".0368", "0", "~1e-3", ">10")], 1), 4 * [("differs", False)])

    def test_words(self):
        self.assertEqual(self.verdict("~.3", kind="says")["verdict"], "holds")
        found = self.verdict(".368", kind="keel")
        self.assertEqual((found["source"], found["printed"]), ("keel", None))

    def test_measures(self):
        claims = [(".7358", "end y"), (".60653", "at 0.5 x"), ("1", "largest x"), (".3679", "low x"), ("2", "high y"),
                  (".60653", "median x"), ("8", "steps"), ("32..33", "evaluations"), ("1", "reached"), ("<1e-5", "largest error.x"),
                  ("<1e-5", "end error.x")]
        for claim, (verdict, _) in zip(claims, self.verdicts(claims)):
            self.assertIn(verdict, ("digits agree", "holds"), claim)

    def test_orders_and_values(self):
        rows = self.rows(HEAD + "converge decay --method rk4 --step 0.25 --levels 4 --interpret\nsays 4.0 order x : order\n"
                         "run decay --method euler --step 0.125 --interpret\nlet a = end error.x\n"
                         "run decay --method euler --step 0.0625 --interpret\nlet b = end error.x\n"
                         "says 1 value log(a/b)/log(2) : order of Euler\n")
        self.assertEqual([row["verdict"] for row in rows], ["holds", "holds"])

    def test_misprints(self):
        found = self.verdict(".638", remark="misprint .368: two digits are swapped")
        self.assertEqual(found["verdict"], "misprint")
        self.assertIn("swapped", found["note"])
        self.assertEqual(self.verdict("3.68", remark="cannot .3...4: it began at 1")["verdict"], "cannot be")
        self.assertEqual(self.verdict(".638", remark="misprint .0863: wrong")["verdict"], "same order")
        self.assertEqual(self.verdict(".368", remark="misprint .0863: not needed")["verdict"], "digits agree")

    def test_refused(self):
        for run, why in [("run decay --method nothing --step 0.1", "there is no method"), ("run missing", "there is no file"),
                         ("run decay --tend 2*q", "--tend")]:
            row = self.rows(HEAD + run + "\nclaim 1 end x : it\n", 1)[0]
            self.assertEqual((row["verdict"], row["measured"]), ("refused", None))
            self.assertIn(why, row["note"])
        for measure, why in [("end z", "the run has no z"), ("at q x", "unknown name"), ("value u", "unknown name")]:
            self.assertIn(why, self.verdict("1", measure, status=1)["note"])
        row = self.rows(HEAD + "converge decay --method rk4 --step 0.25\nclaim 1 order z : it\n", 1)[0]
        self.assertIn("there is no order of z", row["note"])

    def test_mistakes_in_claims(self):
        run = HEAD + "run decay\n"
        for text, why in [("item a: b\n", "a.claims:1: `paper NAME: TITLE` comes first, not `item`"), ("", "`paper NAME: TITLE` is missing"),
                          ("paper p\n", "a paper is written"), ("paper p: q\nrun x\n", "an `item` comes first"),
                          ("paper p: q\nlet a = steps\n", "an `item` comes first"), ("paper p: q\ndraw a run b\n", "an `item` comes first"),
                          (HEAD + "item one: again\n", "there are two items `one`"), (HEAD + "item two\n", "an item is written"),
                          (HEAD + "item two long: x\n", "an item is written"),
                          (HEAD + "claim 1 end x : y\n", "there is no `run` before it"), (HEAD + "run \n", "which model?"),
                          (run + "claim 1 end x\n", "Words stand behind"), (run + "claim 1x end x : y\n", "this is no figure: `1x`"),
                          (run + "claim 1 middle x : y\n", "there is no measure `middle`"), (run + "claim 1 end : y\n", "of which quantity?"),
                          (run + "claim 1 steps x : y\n", "nothing stands behind `steps`"), (run + "claim 1 order x : y\n", "`order` belongs"),
                          (run + "misprint 1: x\n", "there is no claim before it"), (run + "claim 1 end x : y\ncannot 1\n", "why?"),
                          (run + "claim 1 end x : y\nmisprint z: x\n", "this is no figure: `z`"), (run + "let a\n", "a let is written"),
                          (run + "draw a new b\n", "a picture is written"), (run + "text a\n", "a text is written"),
                          (run + "nonsense\n", "no line begins with `nonsense`")]:
            with self.subTest(text=text):
                said = self.claims(text, 1).stderr.decode()
                self.assertIn(why, said)
                self.assertEqual(said.count("\n"), 1)

    def test_usage(self):
        self.assertIn("did you mean liu2006?", self.refused("reproduce", "liu2007"))
        self.assertIn("it is one of adjust2007|", self.refused("reproduce", "zzzzzzzz"))
        self.assertIn("did you mean table2?", self.refused("reproduce", "liu2006", "tabel2"))
        self.assertIn("it is one of example1|", self.refused("reproduce", "liu2006", "zzzzzzzz"))
        self.assertIn("one too many", self.refused("reproduce", "liu2006", "table2", "table3"))
        self.assertIn("missing.claims", self.refused("reproduce", "missing.claims"))
        self.assertIn("did you mean paper:lecture_body?", self.refused("run", "paper:lecture_bdy"))
        self.assertIn("behind paper: stands one of", self.refused("run", "paper:zzzzzzzzzzz"))
        with open(self.path("file"), "w"):
            pass
        self.assertIn("the folder cannot be made", self.refused("reproduce", "lecture13", "--plot", "file"))

    def test_pictures(self):
        cli.needs("gnuplot")
        self.claims(HEAD + "run decay --method rk4 --step 0.125\nclaim .368 end x : it\ndraw curve run decay --method rk4 --step 0.125\n"
                    "draw cost compare decay --methods rk4,euler --steps 0.1,0.05\n", 0, "--plot", "pictures")
        self.assertEqual(sorted(os.listdir(self.path("pictures"))), ["p-cost.svg", "p-curve.svg"])
        said = self.claims(HEAD + "draw curve run decay --method nothing\n", 1, "--plot", "pictures").stderr.decode()
        self.assertIn("1 figures could not be drawn", said)

    def test_paper_models_are_models(self):
        self.assertIn("liu2006_8", self.keel("check", "paper:liu2006_8").stdout.decode())


if __name__ == "__main__":
    unittest.main()
