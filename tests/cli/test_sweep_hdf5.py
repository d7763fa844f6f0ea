"""keel sweep --out FILE.h5: dimensions, coordinates and variables as xarray sees them, with the numbers of the CSV."""
import csv
import json
import os
import signal
import sys
import time

from tool import check, content, example, folder, keel, refused, start

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: there is no python3-h5py")
    sys.exit(77)
if os.environ.get("KEEL_HDF5") != "1":
    print("skipped: keel was built without HDF5")
    sys.exit(77)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file.read().split("\n")[1:], strict=True))


def numbers(lines, name):
    return numpy.array([float(line[name] or "nan") for line in lines])


def both(place, *words):
    """The same sweep as CSV and as HDF5."""
    keel("sweep", *words, "--out", f"{place}/a.csv")
    keel("sweep", *words, "--out", f"{place}/a.h5")
    return rows(f"{place}/a.csv"), h5py.File(f"{place}/a.h5", "r")


def scales(data, name):
    """The names of the dimensions of a variable, by their scales."""
    return [dimension[0].name[1:] for dimension in data[name].dims]


def same(a, b):
    return numpy.array_equal(a.ravel(), b.ravel(), equal_nan=True)


def test_grids_are_dimensions():
    with folder() as place:
        lines, data = both(place, example("pendulum"), "--over", "g=1:20:7", "--over", "l=0.5,1,2", "--over", "y'=0,0.1",
                           "--tend", "1", "--every", 0.25, "--extrema")
        check(scales(data, "x") == ["g", "l", "start.y'", "t"], scales(data, "x"))
        check(data["x"].shape == (7, 3, 2, 5) and data["status"].shape == (7, 3, 2))
        check(data["g"][0] == 1 and data["g"][6] == 20 and list(data["t"][:]) == [0, 0.25, 0.5, 0.75, 1])
        for name in ("x", "y'", "tension"):
            check(same(data[name][:], numbers(lines, name)), name)
        for name in ("drift", "steps", "largest.x", "mean.y"):
            check(same(data[name][:].astype(float), numbers(lines[::5], name)), name)
        check(data.attrs["model_text"].startswith("# A mass on a rod") and data.attrs["version"])
        check(list(data.attrs["command"][1:3]) == ["--over", "g=1:20:7"], data.attrs["command"])


def test_draws_are_coordinates():
    with folder() as place:
        keel("sweep", example("kepler"), "--draw", "e=uniform(0.5,1.1)", "--over", "q[1]=0.5,1,2", "--count", 900, "--tend",
             1, "--out", f"{place}/a.csv", status=3)
        keel("sweep", example("kepler"), "--draw", "e=uniform(0.5,1.1)", "--over", "q[1]=0.5,1,2", "--count", 900, "--tend",
             1, "--out", f"{place}/a.h5", status=3)
        lines, data = rows(f"{place}/a.csv"), h5py.File(f"{place}/a.h5", "r")
        check(scales(data, "e") == ["start.q[1]", "draw"] and data["q[2]"].attrs["coordinates"] == "e")
        for name in ("e", "q[2]", "drift"):
            check(same(data[name][:], numbers(lines, name)), name)
        said = [text.decode() for text in data["sentence"][:].ravel()]
        check(said == [line["sentence"] for line in lines])
        check(numpy.array_equal(data["status"][:].ravel() < 0, [line["status"] == "failed" for line in lines]))


def test_events_are_one_list():
    with folder() as place:
        lines, data = both(place, example("henon"), "--over", "p[2]=0.1:0.3:5", "--tend", 40, "--events", "section")
        check(same(data["event.t"][:], numbers(lines, "t")) and same(data["event.q[2]"][:], numbers(lines, "q[2]")))
        check(same(data["event.member"][:].astype(float), numbers(lines, "member")))


def test_same_bytes_and_after_a_stop():
    with folder() as place:
        words = ("sweep", example("kepler"), "--draw", "e=uniform(0,0.9)", "--count", 6000, "--out", "a.h5", "--tend", 30)
        keel(*words, cwd=place)
        once = content(f"{place}/a.h5")
        os.remove(f"{place}/a.h5")
        process = start(*words, cwd=place)
        shard = f"{place}/a.h5.keel-blocks"
        while process.poll() is None and (not os.path.exists(shard) or os.path.getsize(shard) < 200000):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        if process.returncode != 0:
            check(process.returncode == 143 and not os.path.exists(f"{place}/a.h5"))
            keel("sweep", "--resume", "a.h5", "--workers", 1, cwd=place)
        check(content(f"{place}/a.h5") == once, "a resumed sweep has other bytes")
        with h5py.File(f"{place}/a.h5") as data:
            check(data["q[1]"].shape == (6000,))


def test_one_member_alone():
    with folder() as place:
        keel("sweep", example("kepler"), "--draw", "e=uniform(0,0.9)", "--over", "q[1]=0.5,1", "--count", 7, "--seed", 5,
             "--rtol", 1e-8, "--tend", 2, "--set", "p[1]=0.01", "--out", f"{place}/a.h5", "--summary", "mean,q05")
        with h5py.File(f"{place}/a.h5") as data:
            check(data["summary.mean.q[1]"].shape == ())
            for member in (0, 9, 13):
                out, _ = keel("run", example("kepler"), "--like", f"{place}/a.h5:{member}", "--json", "--accuracy", "no")
                alone = json.loads(out)
                for name in ("q[1]", "p[2]"):
                    check(alone["state"][name] == data[name][:].ravel()[member], name)
                check(alone["steps"] == data["steps"][:].ravel()[member])
        refused("run", example("kepler"), "--like", f"{place}/a.h5:14", status=2, words=("0 .. 13",))
        refused("run", example("kepler"), "--like", f"{place}/a.h5", status=2, words=("swings.h5:12",))
        refused("run", example("kepler"), "--like", f"{example('kepler')}:1", words=("no HDF5 file of keel sweep",))
        with open(f"{place}/b.keel", "w") as file:
            file.write(content(example("kepler")).decode() + "# changed\n")
        refused("run", f"{place}/b.keel", "--like", f"{place}/a.h5:1", words=("has changed",))


def test_tables():
    with folder() as place:
        with h5py.File(f"{place}/t.h5", "w") as file:
            file["e"], file["start.q[1]"] = numpy.linspace(0.1, 0.4, 5), numpy.linspace(0.9, 0.6, 5)
        with open(f"{place}/t.csv", "w") as file:
            file.write("e,q[1]\n" + "".join(f"{e!r},{q!r}\n" for e, q in zip(numpy.linspace(0.1, 0.4, 5).tolist(),
                                                                          numpy.linspace(0.9, 0.6, 5).tolist())))
        for ending in ("h5", "csv"):
            keel("sweep", example("kepler"), "--table", f"{place}/t.{ending}", "--tend", 1, "--out", f"{place}/{ending}.csv")
        check(content(f"{place}/h5.csv") == content(f"{place}/csv.csv"))
        keel("sweep", example("kepler"), "--table", f"{place}/t.h5", "--tend", 1, "--out", f"{place}/a.h5")
        with h5py.File(f"{place}/w.h5", "w") as file:
            file["e"], file["q[1]"] = numpy.zeros(5), numpy.zeros(4)
        refused("sweep", example("kepler"), "--table", f"{place}/w.h5", status=2, words=("w.h5", "as long as"))
        with h5py.File(f"{place}/w.h5", "w") as file:
            file["e"] = ["a", "b"]
        refused("sweep", example("kepler"), "--table", f"{place}/w.h5", status=2, words=("`e`", "numbers"))


def test_xarray_opens_it():
    try:
        import h5netcdf
        import xarray
    except ImportError:
        print("       test_xarray_opens_it: there is no python3-xarray, or no python3-h5netcdf")
        return
    check(h5netcdf and xarray)
    with folder() as place:
        keel("sweep", example("pendulum"), "--over", "g=1:20:4", "--draw", "l=uniform(1,2)", "--count", 3, "--tend", 1,
             "--every", 0.5, "--out", f"{place}/a.nc")
        with xarray.open_dataset(f"{place}/a.nc", engine="h5netcdf") as data:
            check(dict(data.sizes) == {"g": 4, "draw": 3, "t": 3}, data.sizes)
            check(set(data.coords) == {"g", "draw", "t", "l"}, data.coords)
            check(data["x"].dims == ("g", "draw", "t") and data["l"].dims == ("g", "draw"))
            check(float(data["x"].sel(g=20, t=1).mean()) == float(data["x"].values[3, :, 2].mean()))
            check(data.attrs["model"] == "pendulum" and "long_name" in data["drift"].attrs)


if __name__ == "__main__":
    import tool
    tool.main(globals())
