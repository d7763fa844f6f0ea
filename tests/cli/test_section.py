"""keel section: points on a plane, directions, events of the model, many starts, files, refusals."""
import csv
import json
import math
import os

from tool import check, example, folder, keel, refused

HERE = folder()


def scratch(name):
    return os.path.join(HERE.name, name)


def test_points_lie_on_the_plane_and_the_level_set():
    keel("section", example("henon"), "--plane", "q[1]", "--over", "y0=-0.2:0.4:3", "--tend", 200, "--rtol", "1e-10",
         "--out", scratch("h.csv"), "--plot", scratch("h.svg"), "--axes", "q[2],p[2]")
    lines = [line for line in open(scratch("h.csv")) if line[0] != "#"]
    rows = list(csv.DictReader(lines))
    check({row["member"] for row in rows} == {"0", "1", "2"} and len(rows) > 80, len(rows))
    for row in rows:
        q, p = ([float(row[f"{name}[{k}]"]) for k in (1, 2)] for name in "qp")
        energy = (p[0] ** 2 + p[1] ** 2 + q[0] ** 2 + q[1] ** 2) / 2 + q[0] ** 2 * q[1] - q[1] ** 3 / 3
        check(abs(q[0]) < 1e-13 and p[0] > 0 and abs(energy - 1 / 12) < 1e-12, row)
    check("<svg" in open(scratch("h.svg")).read())


def test_directions():
    with open(scratch("circle.keel"), "w") as out:
        out.write("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nrun 0 .. 20\n")
    found = {}
    for direction in ("rising", "falling", "crossing"):
        story = json.loads(keel("section", scratch("circle.keel"), "--plane", "x - 0.5", "--direction", direction, "--rtol", "1e-11",
                                "--json")[0])
        found[direction] = [point[1] for point in story["points"]]
        check(story["columns"] == ["t", "x", "v"] and story["members"] == 1, story)
    check(found["crossing"] == sorted(found["rising"] + found["falling"]), found)
    for k, t in enumerate(found["falling"]):
        check(abs(t - math.pi / 3 - 2 * math.pi * k) < 1e-9, t)


def test_events_of_the_model():
    out, _ = keel("section", example("vanderpol"), "--events", "top")
    check("6 points\n" in out, out)
    tops = [float(line.split()[1]) for line in out.splitlines()[3:] if line.strip()]  # after the start, of the limit cycle
    check(len(tops) == 5 and all(abs(x - 2.021508) < 1e-5 for x in tops), out)
    check("no motion crosses" in keel("section", example("vanderpol"), "--plane", "x - 9")[0])


def test_refusals():
    model = example("vanderpol")
    refused("section", model, status=2, words=("--plane EXPR",))
    refused("section", model, "--plane", "x", "--events", "top", status=2, words=("exclude each other",))
    refused("section", model, "--events", "top", "--direction", "falling", status=2, words=("--direction belongs to --plane",))
    refused("section", model, "--events", "bottom", status=2, words=("bottom",))
    refused("section", model, "--plane", "x", "--over", "zz=1,2", status=2, words=("zz",))
    out, err = keel("section", model, "--plane", "x - zz", status=1)
    check("unknown name `zz`" in err, err)
    for direction in ("rising", "falling", "crossing"):  # what the user wrote, and nothing else
        out, err = keel("section", model, "--plane", "x*", "--direction", direction, status=1)
        check("section:1:3: error: an expression is missing after `*`.\n    x*\n      ^\n" in err, err)
        check("event" not in err and direction not in err, err)
    check(keel("section", model, "--plane", "x", "--quiet")[0] == "")


if __name__ == "__main__":
    import tool
    tool.main(globals())
