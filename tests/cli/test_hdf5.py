"""HDF5 results are those of the CSV, bit for bit."""
import json
import os
import re
import subprocess

from interrupt import interrupt
from tool import KEEL, bits, check, content, example, folder, keel, refused, start, table

HERE = os.environ.get("KEEL_HDF5") == "1"


def lasting(result):
    """What is kept with results: no times of the clock, no options that say where files go."""
    kept = {key: value for key, value in result.items() if key not in ("wall_s", "output_s", "compile_s")}
    kept["options"] = {key: value for key, value in result["options"].items() if key not in ("out", "events", "json")}
    return kept


def same(model, place, *options):
    import h5py
    import numpy
    keel("run", example(model), "--out", f"{place}/a.csv", "--quiet", *options)
    out, _ = keel("run", example(model), "--out", f"{place}/a.h5", "--json", "--events", f"{place}/e.csv",
                  *options)
    names, rows = table(f"{place}/a.csv")
    result = json.loads(out)
    with h5py.File(f"{place}/a.h5", "r") as file:
        check(sorted(file) == ["drift", "error", "events", "mode", "multipliers", "outputs", "state", "t"])
        column = {"t": file["t"][:]}
        for part, prefix in (("state", ""), ("multipliers", ""), ("outputs", ""), ("drift", "drift."),
                             ("error", "error.")):
            check(file[part].shape == (len(rows), len(file[part].attrs["names"])), part)
            for k, name in enumerate(file[part].attrs["names"]):
                column[prefix + name] = file[part][:, k]
        check(set(column) == set(names[:-1]), names)
        for k, name in enumerate(names[:-1]):
            got = column[name]
            for row, value in zip(rows, got):
                check(numpy.isnan(value) if row[k] == "" else bits(float(row[k])) == bits(value), name)
        modes = file["mode"].attrs["names"]
        check([modes[i] for i in file["mode"]] == [row[-1] for row in rows])
        event_names, events = table(f"{place}/e.csv")
        check(len(file["events"]) == len(events) == len(result["events"]))
        for one, event, told in zip(file["events"], events, result["events"]):
            check(bits(one["t"]) == bits(float(event[0])) == bits(told["t"]))
            check(one["name"].decode() == event[-1] == told["name"])
            check(modes[one["from"]] == event[-2] and (told["mode"] or "") == modes[one["to"]])
        check(file.attrs["model_text"] == content(example(model)).decode())
        check(json.loads(file.attrs["result_json"]) == lasting(result))
        check(json.loads(file.attrs["options_json"]) == lasting(result)["options"])
        check(file.attrs["version"] == result["keel"] and file.attrs["status"] == result["status"])


def test_same_as_csv():
    if not HERE:
        return
    with folder() as place:
        same("slack_rod", place)
        same("bounce", place, "--steps-out")
        same("kepler", place, "--points", 3001)
        same("chain", place, "--every", 0.5)
        same("pendulum", place, "--at", "0.5")


def test_failed_and_wrong():
    with folder() as place:
        if not HERE:
            refused("run", example("pendulum"), "--out", f"{place}/a.h5", words=["no HDF5", ".csv"])
            return
        refused("run", example("pendulum"), "--out", f"{place}/none/a.h5", words=["none/a.h5"])
        os.mkdir(f"{place}/b.h5")
        refused("run", example("pendulum"), "--out", f"{place}/b.h5", words=["directory"])
        refused("run", example("pendulum"), "--out", f"{place}/a.txt", status=2, words=[".csv or .h5"])
        check(os.listdir(place) == ["b.h5"])


def test_the_library_comes_when_it_is_needed():
    """Nothing but libc and libm is loaded at the start; without the library there is a sentence."""
    loaded = subprocess.run(["ldd", KEEL], stdout=subprocess.PIPE, text=True).stdout
    check("libc.so" in loaded and "hdf5" not in loaded, loaded)
    if not HERE:
        return
    name = re.search(rb"libhdf5[a-z_]*\.so\.[0-9]+", content(KEEL)).group().decode()
    with folder() as place:
        with open(f"{place}/{name}", "w") as file:
            file.write("no library")
        without = dict(os.environ, LD_LIBRARY_PATH=place)
        refused("run", example("pendulum"), "--out", f"{place}/a.h5", words=["HDF5", name, ".csv"], env=without)
        keel("run", example("pendulum"), "--out", f"{place}/a.csv", env=without)
        check(sorted(os.listdir(place)) == ["a.csv", name], os.listdir(place))


def test_interrupted():
    if not HERE:
        return
    import h5py
    import signal
    with folder() as place:
        process = start("run", example("kepler"), "--step", "1e-5", "--tend", "1e5", "--out", f"{place}/a.h5",
                        "--every", 0.1, "--json")
        interrupt(process, signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        check(process.returncode == 143, process.returncode)
        check(os.listdir(place) == ["a.h5"], os.listdir(place))
        with h5py.File(f"{place}/a.h5", "r") as file:
            check(file.attrs["status"] == "interrupted" == json.loads(out)["status"])
            check(json.loads(file.attrs["result_json"]) == lasting(json.loads(out)))
            check(len(file["t"]) == len(file["state"]) > 0)


if __name__ == "__main__":
    import tool
    tool.main(globals())
