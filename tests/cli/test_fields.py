#!/usr/bin/env python3
"""The library's table of options, as `keel methods --json` lists it, is what the command and models go by: a new row is
tested by being there; only a text needs a value here."""
import json
import os
import re
import unittest

import cli

TEXT = """model oscillator
var x, v
x' = v
v' = -x
invariant E = x^2 + v^2
init x = 1, v = 0
%srun 0 .. 1
"""
TEXTS = {"method": "rkf78", "keep": "E", "sets": "x v"}
# Members of keel_options without a value of their own: a person's own code, and who looks or stops.
WITHOUT_ROW = {"own_method", "own_stabilizer", "observe", "stop"}


class Fields(cli.Case):
    @classmethod
    def setUpClass(cls):
        case = cls("keel")
        case.folder = "."
        cls.table = json.loads(case.keel("methods", "--json").stdout)
        cls.fields = cls.table["options"]
        cls.typed = [f for f in cls.fields if f["line"]]
        assert len(cls.fields) > 15 and len(cls.typed) > 10

    def model(self, options=""):
        path = self.path("m.keel")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TEXT % ("options %s\n" % options if options else ""))
        return path

    def owners(self, field, kind):
        return [m for m in self.table[kind] if field["name"] in [o["name"] for o in m["options"]]]

    def beside(self, field):
        """Options that the field may be added to, as pairs."""
        methods, stabilizers = self.owners(field, "methods"), self.owners(field, "stabilizers")
        if methods:
            return [("method", methods[0]["name"])] + ([] if "adaptive" in methods[0]["traits"] else [("step", "0.1")])
        if stabilizers:
            return [("method", "rk4+" + stabilizers[0]["name"]), ("step", "0.1")]
        if field["name"] == "reversible":
            return [("method", "gauss8+watch"), ("step", "0.1")]
        return []

    def inside(self, field):
        if field["kind"] in ("text", "flag"):
            return TEXTS[field["name"]] if field["kind"] == "text" else "1"
        if field["kind"] == "choice":
            return field["choices"][0]
        if field["kind"] == "integer":
            return str(int(field["low"]) + (1000000 if field["high"] is None else 1))
        return str(field["low"] + 1 if field["high"] is None else 0.3 * field["low"] + 0.7 * field["high"])

    def outside(self, field):
        wrong = ["-1", "1/0", "nothing"]
        if field["high"] is not None:
            wrong.append(str(field["high"] + 1))
        if field["kind"] == "integer":
            wrong += ["2.5", "0"]
        return {"choice": ["zzz"], "text": [""], "flag": []}.get(field["kind"], wrong)

    def line(self, pairs):
        words = []
        for name, value in pairs:
            flag = any(f["typed"] == name and f["kind"] == "flag" for f in self.fields)
            words += ["--" + name.replace("_", "-")] + ([] if flag else [value])
        return words

    def written(self, pairs):
        return ", ".join('%s = %s' % (n, '"%s"' % v if n in TEXTS and n != "method" else v) for n, v in pairs)

    def test_every_member_has_a_row(self):
        with open(os.path.join(os.environ["KEEL_SOURCE"], "include/keel.h"), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        body = re.search(r"typedef struct keel_options \{(.*?)\} keel_options;", text, re.S).group(1)
        members = set()
        for one in body.split(";"):
            if "(*" in one:
                members.add(re.search(r"\(\*(\w+)\)", one).group(1))
            elif one.strip():
                members |= {re.search(r"(\w+)\s*$", part).group(1) for part in one.split(",")}
        self.assertEqual(members - WITHOUT_ROW, {f["name"] for f in self.fields})

    def test_help_completion_and_manual_have_them(self):
        commands = ("run", "compare", "converge")
        pages = {c: self.keel("help", c).stdout.decode() for c in commands}
        words = self.keel("completion", "bash").stdout.decode()
        manual = "".join(self.keel("help", c, "--man").stdout.decode() for c in commands).replace("\\-", "-")
        for field in self.fields:
            name = "--" + field["typed"].replace("_", "-")
            lines = [m for p in pages.values() for m in re.findall(r"^  %s .*$" % name, p, re.M)]
            with self.subTest(name):
                if name not in ["--" + f["typed"].replace("_", "-") for f in self.typed]:
                    self.assertNotIn(name + " ", words)
                if not field["line"]:
                    continue
                self.assertGreaterEqual(len(lines), 2)
                owners = self.owners(field, "methods") + self.owners(field, "stabilizers")
                for line in lines:
                    self.assertIn(field["about"], line)
                    self.assertIn(", ".join(o["name"] for o in owners), line)
                self.assertIn(name + " ", words)
                self.assertIn(name + "\\fR", manual)

    def test_command_line_and_model_give_the_same(self):
        for field in self.typed:
            pairs = [p for p in self.beside(field) if p[0] != field["typed"]] + [(field["typed"], self.inside(field))]
            with self.subTest(field["name"]):
                found = []
                for giver in [g for g in ("line", "model") if field[g]]:
                    model = self.model(self.written(pairs) if giver == "model" else "")
                    words = self.line(pairs) if giver == "line" else []
                    run = json.loads(self.keel("run", model, "--interpret", "--json", *words).stdout)
                    self.assertIn(field["typed"], run["options"])
                    found.append({k: run[k] for k in ("options", "state", "steps", "method", "stabilizer")})
                self.assertEqual(found[0], found[-1])
                if field["model"]:
                    emitted = self.keel("emit", self.model(self.written(pairs))).stdout.decode()
                    self.assertIn("\n        .%s = " % field["name"], emitted)

    def test_the_range(self):
        for field in self.typed:
            name = field["typed"].replace("_", "-")
            beside = [p for p in self.beside(field) if p[0] != field["typed"]]
            for value in self.outside(field):
                with self.subTest(field["name"], value=value):
                    words = self.line(beside + [(field["typed"], value)])
                    said = self.refused("run", self.model(), "--interpret", *words)
                    self.assertTrue(said.startswith("keel: --%s " % name), said)
                    if field["kind"] == "text" or value in ("1/0", "nothing"):
                        continue
                    pairs = beside + [(field["typed"], value)]
                    said = self.refused("run", self.model(self.written(pairs)), "--interpret", status=1)
                    self.assertTrue(said.startswith("keel: the model's `options`: %s " % name), said)

    def test_the_others_are_for_programs(self):
        for field in self.fields:
            if field["line"]:
                continue
            with self.subTest(field["name"]):
                name = field["name"].replace("_", "-")
                if name in [f["typed"] for f in self.fields if f["line"]]:
                    continue  # weights are a choice there
                self.assertIn("no option --" + name, self.refused("run", self.model(), "--" + name, "1"))
                said = self.refused("run", self.model(field["name"] + " = 1"), status=1)
                self.assertIn("no option " + field["name"], said)

    def test_a_comparison_gives_each_row_its_own(self):
        for field in self.typed:
            owners = self.owners(field, "methods") + self.owners(field, "stabilizers")
            if not owners:
                continue
            with self.subTest(field["name"]):
                pair = dict(self.beside(field))["method"]
                words = self.line([(field["typed"], self.inside(field))])
                rows = []
                for extra in ([], words):
                    run = self.keel("compare", self.model(), "--interpret", "--json", "--methods", pair + ",rk4", "--steps",
                                    "0.1", *extra)
                    rows.append(json.loads(run.stdout)["rows"])
                self.assertEqual([r["status"] for r in rows[1]], ["done", "done"])
                self.assertEqual(rows[0][1]["error"], rows[1][1]["error"])
                if field["kind"] != "text":
                    self.assertNotEqual(rows[0][0]["error"], rows[1][0]["error"])
                said = self.refused("compare", self.model(), "--interpret", "--methods", "rk4,rk4+project", *words)
                self.assertIn("--%s belongs to the" % field["typed"], said)

    def test_a_model_s_option_of_another_method_waits(self):
        """Where the command line or nobody chose the method; where the model did, it is a slip."""
        for field in self.typed:
            if not self.owners(field, "methods"):
                continue
            one = self.written([(field["typed"], self.inside(field))])
            with self.subTest(field["name"]):
                self.keel("run", self.model(one), "--interpret")
                self.keel("run", self.model("method = %s, %s" % (self.owners(field, "methods")[0]["name"], one)),
                          "--interpret", "--method", "rk4", "--step", "0.1")
                said = self.refused("run", self.model("method = rk4, step = 0.1, " + one), "--interpret")
                self.assertIn(field["typed"], said)


if __name__ == "__main__":
    unittest.main()
