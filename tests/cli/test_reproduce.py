#!/usr/bin/env python3
"""keel reproduce: papers, verdicts, what is recorded, claims files with mistakes, figures, JSON."""
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

    def verdict(self, printed, measure="end x", remark="", status=0, kind="claim"):
        text = HEAD + "run decay --method rk4 --step 0.125 --interpret\n%s %s %s : it\n%s\n" % (kind, printed, measure, remark)
        return self.rows(text, status)[0]

    def test_papers_are_as_recorded(self):
        for item in [["liu2006", "figure13"], ["lecture13", "quadratic"]]: # all of them: the test `reproduce`
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
                    item, number = line.split()[1].rstrip(":").split("/")[0], 0
                if line.split(" ")[0] in ("claim", "says", "keel"):
                    number += 1
                    wanted.add((name[:-7], item, str(number)))
        with open(os.path.join(folder, "recorded.verdicts")) as recorded:
            found = [tuple(line.split()[:3]) for line in recorded]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(set(found), wanted)

    def test_worse_than_recorded(self):
        """The first line of this item is recorded as `holds`: the same order of magnitude is not enough for it."""
        text = "paper %s: A paper\nitem quadratic: an item\nrun decay --method rk4 --step 0.125 --interpret\nclaim ~1 end x : it\n"
        found = self.claims(text % "lecture13", 1)
        self.assertIn("same order    it; recorded: holds", found.stdout.decode())
        self.assertIn("1 lines are worse than recorded", found.stderr.decode())
        self.assertIn("none is worse than recorded", self.claims(text % "other").stdout.decode())

    def test_nothing_is_left_unexplained(self):
        with open(os.path.join(cli.EXAMPLES, "papers", "recorded.verdicts")) as recorded:
            for line in recorded:
                self.assertFalse(line.rstrip().endswith(("differs", "refused")), line)

    def verdicts(self, claims, status=0):
        """Of several claims about one run."""
        rows = self.rows(HEAD + "run decay --method rk4 --step 0.125 --interpret\n" +
                         "".join("claim %s %s : it\n" % claim for claim in claims), status)
        return [(row["verdict"], row["expected"]) for row in rows]

    def test_digits(self):
        pairs = [(".368", "digits agree"), ("0.37", "digits agree"), ("3.7E-1", "digits agree"), (".36", "same order"),
                 ("~1", "same order"), ("O(1)", "same order"), ("<.4", "holds"), (">.3", "holds"), (".3...4", "holds"),
                 ("<.3", "same order")]
        self.assertEqual(self.verdicts([(printed, "end x") for printed, _ in pairs]), [(verdict, True) for _, verdict in pairs])
        self.assertEqual(self.verdicts([(printed, "end x") for printed in (".0368", "0", "~1e-3", ">10")], 1), 4 * [("differs", False)])

    def test_words(self):
        self.assertEqual(self.verdict("~.3", kind="says")["verdict"], "holds")
        found = self.verdict(".368", kind="keel")
        self.assertEqual((found["source"], found["printed"]), ("keel", None))

    def test_measures(self):
        claims = [(".7358", "end y"), (".60653", "at 0.5 x"), ("1", "largest x"), (".3679", "low x"), ("2", "high y"),
                  (".60653", "median x"), ("8", "steps"), ("0", "unresolved"), ("<60", "seconds"), ("32..33", "evaluations"), ("1", "reached"), ("<1e-5", "largest error.x"),
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
        self.assertEqual(self.verdict("3.68", remark="explained .37: why")["verdict"], "explained")
        self.assertEqual(self.verdict("3.68", remark="better <1: less")["verdict"], "better")
        self.assertEqual(self.verdict("<3.68e-2", remark="better <1: it is no less", status=1)["verdict"], "differs")
        self.assertEqual(self.verdict("3.68", remark="better <.1: it is not so good", status=1)["verdict"], "differs")

    def test_words_have_numbers(self):
        rows = self.rows(HEAD + "run decay --method rk4 --step 0.125 --interpret\nlet a = end x\n"
                         "claim 3.68 end x : it is {a}, {a:4} and {b}\nexplained .37: {a:1}\nnote {a:3}\n")
        self.assertEqual((rows[0]["entry"], rows[0]["note"]), ("it is 0.37, 0.3679 and (not measured)", "0.4; 0.368"))
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
                          ("paper p: q\nlet a = steps\n", "an `item` comes first"), ("paper p: q\ndraw a: b\n", "an `item` comes first"),
                          (HEAD + "item one: again\n", "there are two items `one`"), (HEAD + "item two\n", "an item is written"),
                          (HEAD + "item two long: x\n", "an item is written"),
                          (HEAD + "claim 1 end x : y\n", "there is no `run` before it"), (HEAD + "run \n", "which model?"),
                          (run + "claim 1 end x\n", "Words stand behind"), (run + "claim 1x end x : y\n", "this is no printed value: `1x`"),
                          (run + "claim 1 middle x : y\n", "there is no measure `middle`"), (run + "claim 1 end : y\n", "of which quantity?"),
                          (run + "claim 1 steps x : y\n", "nothing stands behind `steps`"), (run + "claim 1 order x : y\n", "`order` belongs"),
                          (run + "misprint 1: x\n", "there is no claim before it"), (run + "claim 1 end x : y\ncannot 1\n", "why?"),
                          (run + "claim 1 end x : y\nmisprint z: x\n", "this is no printed value: `z`"), (run + "let a\n", "a let is written"),
                          (run + "draw a\n", "a figure is written"), (run + "curve decay : a\n", "there is no `draw` before it"),
                          (run + "panel t,x : a\n", "there is no `draw` before it"), (run + "draw a: b\npanel t : a\n", "it is written `panel"),
                          (run + "draw a: b\ncurve decay\n", "it is written `curve"), (run + "draw a: b\npoint 1 : c\n", "it is written `curve"),
                          (run + "draw a: b\npanel of 0 t,x : a\n", "these are no numbers of curves: `0`"), (run + "text a\n", "a text is written"),
                          (run + "nonsense\n", "no line begins with `nonsense`")]:
            with self.subTest(text=text):
                said = self.claims(text, 1).stderr.decode()
                self.assertIn(why, said)
                self.assertEqual(said.count("\n"), 1)

    def test_usage(self):
        self.assertIn("did you mean liu2006?", self.refused("reproduce", "liu2007"))
        self.assertIn("it is one of adjust2007|", self.refused("reproduce", "zzzzzzzz"))
        self.assertIn("did you mean table2?", self.refused("reproduce", "liu2006", "tabel2"))
        self.assertIn("it is one of example1|figure2|", self.refused("reproduce", "liu2006", "zzzzzzzz"))
        self.assertIn("one too many", self.refused("reproduce", "liu2006", "table2", "table3"))
        self.assertIn("missing.claims", self.refused("reproduce", "missing.claims"))
        self.assertIn("did you mean paper:lecture_body?", self.refused("run", "paper:lecture_bdy"))
        self.assertIn("behind paper: stands one of", self.refused("run", "paper:zzzzzzzzzzz"))
        with open(self.path("file"), "w"):
            pass
        self.assertIn("the folder cannot be made", self.refused("reproduce", "lecture13", "--plot", "file"))

    def figure(self, name):
        with open(self.path("figures/" + name), encoding="utf-8") as figure:
            return figure.read()

    def test_pictures(self):
        cli.needs("gnuplot")
        run = "run decay --method euler --step %s --interpret\nlet %s = end error.x\n"
        self.claims(HEAD + run % (0.125, "a") + run % (0.0625, "b") +
                    "draw curves: Two runs\ncurve decay --method rk4 --step 0.125 --interpret : rk4\n"
                    "curve decay --method euler --step 0.125 --interpret : Euler\npanel t,x : a state\n"
                    "panel log of 2 t,error.x : its error\npanel x,y : y\n"
                    "draw points: Errors\npoint 1/8, a : Euler\npoint 1/16, b : Euler\npanel loglog h,error : error\n",
                    0, "--plot", "figures")
        self.assertEqual(sorted(os.listdir(self.path("figures"))), ["p-curves.svg", "p-points.svg"])
        for word in [">rk4<", ">Euler<", ">a state<", ">its error<", ">t<", "p, curves: Two runs"]:
            self.assertIn(word, self.figure("p-curves.svg"))
        self.assertIn(">0.0625<", self.figure("p-points.svg"))

    TWO = ("paper p: A paper\nitem one/first/both: an item\nrun decay --method rk4 --step 0.125 --interpret\nclaim .368 end x : it\n"
           "draw figure1: A state\ncurve decay --method rk4 --step 0.125 --interpret : rk4\npanel t,x : x\n"
           "draw figure2: Work\ncurve decay --method gauss4 --step 0.125 --interpret : gauss4\npanel t,newton : iterations\n"
           "panel t,evaluations : evaluations\n"
           "item two/both full: another\nrun decay --method rk4 --step 0.125 --interpret\nclaim .368 end x : it\n")

    def test_other_names(self):
        """Items are found by their other names, and by the figures that they draw."""
        for name, items in [("one", ["one"]), ("first", ["one"]), ("both", ["one", "two"]), ("figure2", ["one"]), ("two", ["two"])]:
            found = json.loads(self.claims(self.TWO, 0, name, "--json").stdout)
            self.assertEqual([row["item"] for row in found["rows"]], items)
        self.assertIn("--plot DIR draws figure2", self.claims(self.TWO, 0, "figure2").stdout.decode())
        self.assertNotIn("--plot", self.claims(self.TWO, 0, "first").stdout.decode())
        self.assertIn("it is one of one|first|both|figure1|figure2|two", self.claims(self.TWO, 2, "zzzzzzzz").stderr.decode())

    def test_a_curve_behind_many_points(self):
        """Curve 34 is none of those that a panel can name: it is not in a panel of curve 2."""
        cli.needs("gnuplot")
        many = "".join("point %d, 1 : first\n" % (k + 1) for k in range(33)) + "point 1, 2 : last\n"
        text = HEAD + "run decay --method rk4 --step 0.125 --interpret\nlet a = end x\ndraw f: Points\n" + many
        self.claims(text + "panel x,y : all\n", 0, "--plot", "all")
        self.claims(text + "panel of 1,2 x,y : some\n", 0, "--plot", "some")
        for folder, there in [("all", True), ("some", False)]:
            with open(self.path(os.path.join(folder, "p-f.svg")), encoding="utf-8") as figure:
                self.assertEqual(">last<" in figure.read(), there, folder)

    def test_one_picture(self):
        cli.needs("gnuplot")
        self.claims(self.TWO, 0, "figure2", "--plot", "figures")
        self.assertEqual(os.listdir(self.path("figures")), ["p-figure2.svg"])
        self.assertIn(">iterations<", self.figure("p-figure2.svg"))
        self.claims(self.TWO, 0, "one", "--plot", "figures")
        self.assertEqual(sorted(os.listdir(self.path("figures"))), ["p-figure1.svg", "p-figure2.svg"])

    def test_list(self):
        """Nothing is run."""
        said = self.claims(self.TWO.replace("--method rk4", "--method nothing"), 0, "--list").stdout.decode()
        for words in ["one          an item", "also first, both; draws figure1, figure2", "another (with --full)"]:
            self.assertIn(words, said)
        found = json.loads(self.claims(self.TWO, 0, "--list", "--json").stdout)
        self.assertEqual([item["figures"] for item in found["papers"][0]["items"]], [["figure1", "figure2"], []])
        self.assertEqual(found["rows"], [])

    def test_every_figure_has_a_name(self):
        wanted = {"liu2006": range(2, 14), "liu2013": range(1, 5), "gonzalez1999": range(2, 5), "adjust2007": range(1, 6)}
        papers = {paper["name"]: paper for paper in json.loads(self.keel("reproduce", "--list", "--json").stdout)["papers"]}
        for name, numbers in wanted.items():
            drawn = [figure for item in papers[name]["items"] for figure in item["figures"]]
            self.assertEqual(sorted(drawn), sorted("figure%d" % number for number in numbers))
        said = self.keel("reproduce", "liu2006", "--list").stdout.decode()
        for example in ["example%d" % number for number in range(1, 9)]:
            self.assertIn(example, said)

    def test_pictures_that_cannot_be_drawn(self):
        cli.needs("gnuplot")
        for text, why in [("curve decay --method nothing : a\npanel t,x : x\n", "there is no method"), ("", "it has no panels"),
                          ("curve decay --interpret : a\npanel t,z : z\n", "no curve has z"),
                          ("point 1, q : a\npanel x,y : y\n", "unknown name")]:
            said = self.claims(HEAD + "draw one: Title\n" + text, 1, "--plot", "figures").stderr.decode()
            self.assertIn("p one: ", said)
            self.assertIn(why, said)
            self.assertIn("1 figures could not be drawn", said)
        self.assertEqual(os.listdir(self.path("figures")), [])

    def test_figures_of_papers(self):
        """The closed torus of figure 13 and the straight line of figure 4, whose slope is 2."""
        cli.needs("gnuplot")
        self.keel("reproduce", "liu2006", "figure13", "--plot", "figures", "--quiet")
        torus = self.figure("liu2006-figure13.svg")
        for word in [">RK4<", ">symplectic RK4<", ">MRK4<", ">q[1]<", ">q[2]<"]:
            self.assertIn(word, torus)
        self.keel("reproduce", "gonzalez1999", "figure4", "--plot", "figures", "--quiet")
        self.assertIn(">relative error of q4<", self.figure("gonzalez1999-figure4.svg"))

    def test_paper_models_are_models(self):
        self.assertIn("liu2006_8", self.keel("check", "paper:liu2006_8").stdout.decode())


if __name__ == "__main__":
    unittest.main()
