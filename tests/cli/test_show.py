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
