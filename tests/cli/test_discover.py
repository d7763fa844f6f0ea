"""keel discover: the lines it prints are a model again, which a run confirms; JSON, options, refusals."""
import json
import os
import re

from tool import check, example, folder, keel, refused

# How many the examples have, and how many of them are independent.
KNOWN = {"rigid_body": (2, 2), "kepler": (4, 3), "toda": (3, 3), "lotka_volterra": (1, 1), "predator_prey": (1, 1),
         "kowalevski": (4, 4), "dow": (3, 3), "lorenz": (0, 0), "damped": (1, 1), "pendulum": (1, 1), "spherical": (2, 2),
         "double_pendulum": (1, 1), "henon": (1, 1), "vanderpol": (0, 0), "four_bar": (1, 1), "robertson": (0, 0),
         "chemakzo": (0, 0)}


def test_the_examples():
    for name, (count, independent) in KNOWN.items():
        story = json.loads(keel("discover", example(name), "--json")[0])
        found = story["invariants"]
        check(len(found) == count and sum(f["independent"] for f in found) == independent, f"{name}: {found}")
        check(all(f["doubt"] is None and f["parameters"] != "unknown" for f in found), f"{name}: {found}")
        check(story["unwritten"] == 0, story)


def test_the_lines_are_a_model():
    with folder() as place:
        for name in ("kepler", "toda", "kowalevski", "spherical"):
            out, _ = keel("discover", example(name))
            check(all(line.startswith(("#", "invariant ")) for line in out.splitlines()), out)
            path = os.path.join(place, name + ".keel")
            with open(example(name)) as text, open(path, "w") as both:
                both.write(text.read() + out)
            story = json.loads(keel("run", path, "--tend", 5, "--json")[0])
            rows = {row["name"]: row for row in story["kept"]}
            for found in re.findall(r"^invariant (\w+) =", out, re.M):
                check(rows[found]["scaled_drift"] < 16, rows[found])
            keel("check", path)


def test_remarks():
    out, _ = keel("discover", example("kepler"))
    for words in ("# kepler: 181 monomials up to degree 4 of q[1], p[1]", "the model states it as `momentum`",
                  "a function of those before: found1^2*found2 - found4^2 - found3^2 + 1 = 0",
                  "# 4 invariants, 3 independent"):
        check(words in out, out)
    out, _ = keel("discover", example("kowalevski"))
    check("it needs these values of A, B, C" in out and "k^2*n[3]^2" in out, out)
    out, _ = keel("discover", example("lorenz"))
    check(out == "# lorenz: 34 monomials up to degree 4 of x, y, z\n# no invariant\n", out)
    out, _ = keel("discover", example("sampled"), "--degree", 1)
    check("invariant found1 = u\n" in out and "# they hold between the events" in out, out)
    check("between the events" not in keel("discover", example("henon"))[0])
    check(keel("discover", example("kepler"), "--quiet")[0] == "")


def test_options():
    out, _ = keel("discover", example("kepler"), "--degree", 2)
    check("# 2 invariants, all 2 independent" in out, out)
    check(out == keel("discover", example("kepler"), "--degree", 2, "--seed", 77)[0])
    out, _ = keel("discover", example("lorenz"), "--functions", "exp(x), 1/y", "--degree", 2)
    check("of x, y, z, exp(x), 1/y" in out, out)


def test_picture():
    with folder() as place:
        for name in ("kepler", "spherical", "kowalevski"):
            keel("discover", example(name), "--quiet", "--plot", f"{place}/{name}.svg")
            with open(f"{place}/{name}.svg") as file:
                check("terms of I" in file.read(), name)
        refused("discover", example("lorenz"), "--plot", f"{place}/none.svg", words=("no invariant to draw",))
        check(not os.path.exists(f"{place}/none.svg"), "a picture of nothing")


def test_refusals():
    refused("discover", example("stick_slip"), words=("with modes",))
    refused("discover", example("kepler"), "--degree", 9, words=("5005 monomials up to degree 9", "the limit is 2000"))
    refused("discover", example("kepler"), "--functions", "zz", words=("unknown name",))
    refused("discover", example("lorenz"), "--functions", "x^2, abs(y)", words=("`abs(y)` has no derivative everywhere",))
    refused("discover", example("kepler"), "--degree", 0, status=2, words=("--degree needs",))
    refused("discover", example("kepler"), "--degree", "x", status=2, words=("--degree needs",))
    refused("discover", example("kepler"), "--degree", 90000000, words=("more than 1000000000000 monomials",))
    refused("discover", example("kepler"), "--seed", "x", status=2, words=("--seed needs",))
    refused("discover", example("kepler"), "--points", 5, status=2, words=("no option --points here",))


if __name__ == "__main__":
    import tool
    tool.main(globals())
