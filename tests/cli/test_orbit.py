"""keel orbit: the table, its JSON, points, the picture, refusals."""
import json
import os

from tool import check, example, folder, keel, refused

HERE = folder()


def scratch(name):
    return os.path.join(HERE.name, name)


def test_arenstorf():
    words = ("orbit", example("arenstorf"), "--period", "17.07", "--hold", "x,y")
    out, _ = keel(*words, "--plot", scratch("orbit.svg"), "--axes", "x,y", "--out", scratch("orbit.csv"))
    for piece in ("period 17.06521656015", "along the orbit", "level sets of `jacobi`", "grows", "product of all"):
        check(piece in out, out)
    check("one of a family" not in out, out)
    lines = open(scratch("orbit.csv")).read().split("\n")
    check(lines[1] == "t,x,y,x',y'" and len(lines) == 1004 and "<svg" in open(scratch("orbit.svg")).read(), lines[1])
    first, last = ([float(word) for word in line.split(",")] for line in (lines[2], lines[-2]))
    check(abs(first[0] - last[0] + 17.0652165601579) < 1e-11, last)
    check(all(abs(a - b) < 1e-7 for a, b in zip(first[1:], last[1:])), last)
    story = json.loads(keel(*words, "--json")[0])
    check(abs(story["start"]["y'"] + 2.00158510637908) < 1e-12 and story["family"] == 0, story)
    check(story["trivial"] == ["along the orbit", "jacobi"] and len(story["multipliers"]) == 2, story)


def test_families_are_told():
    out, _ = keel("orbit", example("pendulum"))
    check("others beside it in 1 direction;" in out, out)
    out, _ = keel("orbit", example("pendulum"), "--hold", "energy")
    check("family" not in out and "period 2.36784194757" in out, out)


def test_refusals():
    refused("orbit", example("pendulum"), "--hold", "zz", status=2, words=("`zz` cannot be held",))
    refused("orbit", example("pendulum"), "--period", "-1", status=2, words=("--period must be positive",))
    refused("orbit", example("stick_slip"), words=("with modes",))
    refused("orbit", example("lorenz"), "--tend", "0.1", words=("does not come back",))
    refused("orbit", example("vanderpol"), "--plot", scratch("o.svg"), "--axes", "x,w", status=2, words=("no column `w`",))
    check(keel("orbit", example("vanderpol"), "--quiet")[0] == "")


if __name__ == "__main__":
    import tool
    tool.main(globals())
