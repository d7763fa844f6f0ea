"""keel show: what a file of keel sweep holds, its certificate, and figures of it."""
import json
import os
import re
import shutil
import sys

from tool import check, content, example, folder, keel, refused

if os.environ.get("KEEL_HDF5") != "1":
    print("skipped: keel was built without HDF5")
    sys.exit(77)


def lines(text):
    """Without the times of the clock, the heading and the command."""
    return [re.sub(r" in .*", "", line) for line in text.split("\n")[1:] if not line.startswith(("  command", "  members",
            "  drawn", "  varies", "  columns", "  summary", "              "))]


def test_the_certificate_is_that_of_the_sweep():
    with folder() as place:
        path = f"{place}/a.h5"
        made, _ = keel("sweep", example("kepler"), "--draw", "e=uniform(0,1.05)", "--over", "q[1]=0.5,1,2", "--count", 700,
                       "--tend", 1, "--out", path, status=3)
        shown, _ = keel("show", path)
        check(lines(made) == lines(shown), shown)
        check("2100: 3 start.q[1] x 700 draw" in shown and "e drawn (seed 1)" in shown, shown)
        story = json.loads(keel("show", path, "--json")[0])
        again = json.loads(keel("sweep", example("kepler"), "--draw", "e=uniform(0,1.05)", "--over", "q[1]=0.5,1,2",
                                "--count", 700, "--tend", 1, "--json", status=3)[0])
        for key in ("members", "finished", "failed", "stopped", "columns", "steps", "drift", "defect", "failures"):
            check(story[key] == again[key], f"{key}: {story[key]} {again[key]}")


def test_a_member_of_a_table_alone():
    with folder() as place:
        with open(f"{place}/t.csv", "w") as file:
            file.write("e,q[1]\n0.1,0.9\n0.2,0.8123456789012345\n0.3,1.0\n")
        keel("sweep", example("kepler"), "--table", f"{place}/t.csv", "--over", "p[1]=0,0.01", "--tend", 2, "--out",
             f"{place}/a.h5", "--json")
        os.remove(f"{place}/t.csv")
        for member, values in ((3, ("e=0.1", "q[1]=0.9", "p[1]=0.01")), (1, ("e=0.2", "q[1]=0.8123456789012345", "p[1]=0"))):
            alone = ("--tend", 2, "--json", "--accuracy", "no")
            one = json.loads(keel("run", example("kepler"), "--like", f"{place}/a.h5:{member}", *alone)[0])
            sets = [word for value in values for word in ("--set", value)]
            check(one["state"] == json.loads(keel("run", example("kepler"), *sets, *alone)[0])["state"])
        shown, _ = keel("show", f"{place}/a.h5")
        check("3 table" in shown and "2 start.p[1]" in shown, shown)


def test_failed_members_once_more():
    """A bound on the steps stops some; without it they have the results of a sweep that never had it."""
    with folder() as place:
        words = ("sweep", example("kepler"), "--draw", "e=uniform(0,0.9)", "--count", 3000, "--tend", 6, "--every", 3,
                 "--extrema", "--columns", "q[1],p[2]", "--summary", "mean,q50")
        keel(*words, "--max-steps", 20, "--out", f"{place}/a.h5", status=3)
        before = json.loads(keel("show", f"{place}/a.h5", "--json")[0])
        check(0 < before["failed"] < 3000, before["failed"])
        keel("sweep", "--retry-failed", f"{place}/a.h5", "--max-steps", 24, status=3)
        keel("sweep", "--retry-failed", f"{place}/a.h5", "--max-steps", 100000)
        shown, _ = keel("show", f"{place}/a.h5")
        check("retry 1    --max-steps 24" in shown and "retry 2    --max-steps 100000" in shown, shown)
        keel(*words, "--out", f"{place}/b.h5")
        a, b = (json.loads(keel("show", f"{place}/{name}.h5", "--json")[0]) for name in "ab")
        for key in ("failed", "steps", "drift", "defect", "correction"):
            check(a[key] == b[key], f"{key}: {a[key]} {b[key]}")
        worst = b["defect"]["member"]
        one, other = (keel("run", example("kepler"), "--like", f"{place}/{name}.h5:{worst}", "--json", "--accuracy", "no")[0]
                      for name in "ab")
        check(json.loads(one)["state"] == json.loads(other)["state"])
        try:
            import h5py
            with h5py.File(f"{place}/a.h5") as left, h5py.File(f"{place}/b.h5") as right:
                for name in ("q[1]", "p[2]", "status", "steps", "smallest.q[1]", "t_end", "summary.q50.q[1]"):
                    check((left[name][()] == right[name][()]).all(), name)
                check(sorted(set(left["retry"][()])) == [0, 1, 2])
        except ImportError:
            print("       test_failed_members_once_more: there is no python3-h5py")
        refused("sweep", "--retry-failed", f"{place}/b.h5", status=2, words=("no member",))
        refused("sweep", "--retry-failed", f"{place}/a.h5", "--over", "e=1,2", status=2, words=("--over",))


def test_failed_members_with_events():
    with folder() as place:
        words = ("sweep", example("henon"), "--over", "p[2]=0.1:0.3:5", "--tend", 40, "--events", "section")
        keel(*words, "--max-steps", 70, "--out", f"{place}/a.h5", status=3)
        keel("sweep", "--retry-failed", f"{place}/a.h5", "--max-steps", 100000, "--out", f"{place}/c.h5")
        keel(*words, "--out", f"{place}/b.h5")
        c, b = (json.loads(keel("show", f"{place}/{name}.h5", "--json")[0]) for name in "cb")
        check(c["events"] == b["events"] and c["steps"] == b["steps"], f"{c} {b}")


def test_figures():
    if not shutil.which("gnuplot"):
        print("       test_figures: there is no gnuplot")
        return
    with folder() as place:
        path = f"{place}/a.h5"
        keel("sweep", example("pendulum"), "--over", "g=1:20:6", "--over", "l=0.5,1,2", "--tend", 1, "--every", 0.25, "--out",
             path)
        for chart, columns in (("curves", "x"), ("fan", "x,y"), ("map", "steps"), ("map", "y"), ("values", "drift")):
            keel("show", path, "--as", chart, "--columns", columns, "--plot", f"{place}/a.svg", "--quiet")
            text = content(f"{place}/a.svg").decode()
            check(text.startswith("<?xml") and "pendulum" in text and len(text) > 3000, chart)
        refused("show", path, "--as", "section", "--plot", f"{place}/b.svg", status=2, words=("--events",))
        refused("show", path, "--columns", "z", "--plot", f"{place}/b.svg", words=("`z`",))
        refused("show", path, "--as", "fan", status=2, words=("--plot",))
        check(not os.path.exists(f"{place}/b.svg"))
        keel("sweep", example("henon"), "--over", "p[2]=0.1:0.3:5", "--tend", 40, "--events", "section", "--out", path)
        keel("show", path, "--plot", f"{place}/c.svg", "--axes", "q[2],p[2]", "--quiet")
        check(b"p[2]" in content(f"{place}/c.svg"))


def test_other_files():
    with folder() as place:
        refused("show", f"{place}/none.h5", words=("none.h5", "cannot be read"))
        refused("show", example("pendulum"), words=("no HDF5 file of keel sweep",))
        with open(f"{place}/b.h5", "wb") as file:
            file.write(b"\x89HDF\r\n\x1a\n" + bytes(1000))
        refused("show", f"{place}/b.h5", words=("no HDF5 file of keel sweep",))


if __name__ == "__main__":
    import tool
    tool.main(globals())
