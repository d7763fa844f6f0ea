"""keel run and keel sweep --sensitivity: columns in every kind of file, members as single runs, refusals."""
import csv
import json
import os

from tool import check, example, folder, keel, refused

RUN = ("run", example("pendulum"), "--sensitivity", "l,y'", "--tend", 3, "--accuracy", "no")


def last_row(path):
    with open(path) as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    return dict(zip(rows[0], rows[-1]))


def test_columns_and_rows():
    with folder() as place:
        out, _ = keel(*RUN, "--out", f"{place}/a.csv")
        for row in ("d/dl rod", "d/dt d/dl rod", "d/dy' energy"):
            check(f"\n  {row} " in out, out)
        end = last_row(f"{place}/a.csv")
        for name in ("d/dl x", "d/dl y'", "d/dy' tension", "d/dl lambda.rod", "drift.d/dl rod"):
            check(name in end, end)
        story = json.loads(keel(*RUN, "--json")[0])
        check(abs(story["state"]["d/dl x"] - float(end["d/dl x"])) == 0, story["state"])


def test_the_path_is_that_of_the_run_without_them():
    with folder() as place:
        keel(*RUN, "--rtol", "1e-11", "--out", f"{place}/a.csv")
        keel("run", example("pendulum"), "--tend", 3, "--accuracy", "no", "--rtol", "1e-11", "--out", f"{place}/b.csv")
        a, b = last_row(f"{place}/a.csv"), last_row(f"{place}/b.csv")
        for name in ("x", "y", "x'", "y'", "lambda.rod", "tension"):
            check(abs(float(a[name]) - float(b[name])) < 1e-8 * 30, f"{name}: {a[name]} {b[name]}")


def test_members_of_a_sweep_are_single_runs():
    with folder() as place:
        words = ("--sensitivity", "g,l", "--tend", 2)
        keel("sweep", example("pendulum"), "--over", "g=8,12", *words, "--out", f"{place}/a.csv")
        keel("run", example("pendulum"), "--set", "g=12", *words, "--points", 2, "--out", f"{place}/b.csv")
        a, b = last_row(f"{place}/a.csv"), last_row(f"{place}/b.csv")
        for name in ("d/dg x", "d/dl y'", "d/dl tension"):
            check(a[name] == b[name], f"{name}: {a[name]} {b[name]}")
        if os.environ.get("KEEL_HDF5") != "1":
            return
        keel("sweep", example("pendulum"), "--over", "g=8,12", *words, "--out", f"{place}/a.h5")
        shown = json.loads(keel("show", f"{place}/a.h5", "--json")[0])
        check("d/dg x" in shown["columns"], shown["columns"])
        one = json.loads(keel("run", example("pendulum"), "--like", f"{place}/a.h5:1", "--json")[0])
        check(one["state"]["d/dg x"] == float(a["d/dg x"]), one["state"])


def test_the_unit_of_p_does_not_matter():
    """Steps, states and the accuracy line are the same to the last digit, derivatives as many times smaller."""
    text = "param e = {}, p = 3*e\nvar x, y\nx' = y - x\ny' = -p*y/e + y^2/10\ninit x = 2, y = 1\nrun 0 .. 5\n"
    with folder() as place:
        told = []
        for unit in (2.0**-20, 1.0, 2.0**20):
            with open(f"{place}/m.keel", "w") as file:
                file.write(text.format(unit))
            words = ("run", f"{place}/m.keel", "--sensitivity", "p", "--rtol", "1e-6", "--accuracy", "yes", "--json")
            story = json.loads(keel(*words)[0])
            told.append((story["state"]["d/dp x"]*unit, story["accuracy"]["tolerances"]))
        check(told[0] == told[1] == told[2], told)


def test_refusals():
    for by, words in (("k", "the sensitivity to `k`"), ("x", "is not given by `init`")):
        _, err = keel("run", example("pendulum"), "--sensitivity", by, status=1)
        check(words in err, err)
    refused("converge", example("pendulum"), "--sensitivity", "g", status=2, words=("no option --sensitivity here",))


if __name__ == "__main__":
    import tool
    tool.main(globals())
