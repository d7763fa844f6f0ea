"""Runs that are killed go on from their checkpoint, and nothing in the results shows it."""
import json
import os
import random
import re
import signal
import time

from tool import check, content, example, folder, keel, refused, start

HDF5 = os.environ.get("KEEL_HDF5") == "1"


def plain(certificate):
    """The certificate without its wall time, which ends the line about the steps."""
    return re.sub(r"[0-9.]+ m?s$", "", certificate, flags=re.MULTILINE)


def same_hdf5(a, b):
    import h5py
    import numpy
    with h5py.File(a, "r") as one, h5py.File(b, "r") as other:
        check(sorted(one) == sorted(other))
        for name in one:
            left, right = one[name][()], other[name][()]
            if name == "events":
                check(left.tolist() == right.tolist(), name)
            else:
                check(numpy.array_equal(left.view("u8") if left.dtype == "f8" else left,
                                        right.view("u8") if right.dtype == "f8" else right), name)
            check(all(numpy.array_equal(one[name].attrs[key], other[name].attrs[key]) for key in one[name].attrs))
        check(one.attrs["model_text"] == other.attrs["model_text"])
        left, right = (json.loads(file.attrs["result_json"]) for file in (one, other))
        for result in (left, right):
            for key in ("wall_s", "compile_s", "options"):
                del result[key]
        check(left == right)


def killed_again_and_again(model, options, kills, outputs, seed, slowest):
    """Killed at random moments until it was killed so often, each time resumed; compared with a run in one piece."""
    dice = random.Random(seed)
    with folder() as place:
        whole = [f"{place}/whole{name}" for name in outputs]
        parts = [f"{place}/parts{name}" for name in outputs]
        flags = {".csv": "--out", ".h5": "--out", ".events.csv": "--events"}
        def to(paths):
            return [text for name, path in zip(outputs, paths) for text in (flags[name], path)]
        wanted, _ = keel("run", example(model), *options, *to(whole))
        saved = f"{place}/state"
        save = ("--checkpoint", saved, "--checkpoint-every", 0.02)
        done = killed = 0
        said = None
        while not done:
            go_on = ("--resume", saved) if os.path.exists(saved) else ()
            process = start("run", example(model), *options, *to(parts), *save, *go_on)
            if killed < kills:
                time.sleep(dice.uniform(0.02, slowest))
            else:
                process.wait(timeout=100)
            before = process.poll()
            if before is None:
                process.send_signal(signal.SIGKILL)
                killed += 1
            said, err = process.communicate(timeout=100)
            check(before in (None, 0), f"{before} {err}")
            done = before == 0
            check(done or not any(os.path.exists(path) for path in parts), "a half-written file has its final name")
        for name, a, b in zip(outputs, whole, parts):
            if name == ".h5":
                same_hdf5(a, b)
            else:
                check(content(a) == content(b), f"{name} differs after {killed} kills")
        check(plain(said) == plain(wanted), f"{said}\n{wanted}")
        left = sorted(os.path.basename(path) for path in whole + parts)
        check(sorted(os.listdir(place)) == left, os.listdir(place))
        return killed


def test_twenty_kills():
    killed = killed_again_and_again("kepler", ("--step", "5e-5", "--tend", 100, "--every", 0.02), 20, [".csv"], 1,
                                    0.15)
    check(killed >= 10, f"killed only {killed} times")


def test_kills_with_events_and_modes():
    outputs = [".h5" if HDF5 else ".csv", ".events.csv"]
    options = ("--step", "2e-4", "--every", 0.003, "--verify")
    killed_again_and_again("slack_rod", options, 6, outputs, 2, 0.2)
    killed_again_and_again("bounce", ("--step", "1e-5", "--every", 0.01, "--verify"), 6, outputs, 3, 0.2)


def interrupted(place, *options, model="kepler", how=signal.SIGTERM):
    process = start("run", example(model), "--step", "2e-5", "--tend", 1000, "--every", 0.01, "--checkpoint",
                    f"{place}/state", "--out", f"{place}/a.csv", *options)
    deadline = time.time() + 20
    while not os.path.exists(f"{place}/state") and time.time() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(how)
    process.communicate(timeout=60)
    return process.returncode


def test_going_on_after_ctrl_c():
    with folder() as place:
        check(interrupted(place, how=signal.SIGINT) == 130)
        check(content(f"{place}/a.csv").decode().splitlines()[-1] == "# status: interrupted")
        rows = content(f"{place}/a.csv").decode().splitlines()[:-1]
        check(interrupted(place, "--resume", f"{place}/state") == 143)
        more = content(f"{place}/a.csv").decode().splitlines()[:-1]
        check(len(more) > len(rows) and more[:len(rows)] == rows)


def test_what_is_not_its_own_is_refused():
    base = ("--step", "2e-5", "--tend", 1000, "--every", 0.01)
    with folder() as place:
        state, rows = f"{place}/state", f"{place}/state.rows"
        interrupted(place)
        good, good_rows, results = content(state), content(rows), content(f"{place}/a.csv")

        def no(*words, options=base, model="kepler", status=1):
            refused("run", example(model), *options, "--resume", state, "--out", f"{place}/a.csv", status=status,
                    words=words)
            check(sorted(os.listdir(place)) == ["a.csv", "state", "state.rows"], os.listdir(place))
            check(content(f"{place}/a.csv") == results, "the results were touched")

        no("another model", model="henon")
        no("with `--step 2e-5`", options=("--step", "1e-5", *base[2:]))
        no("without `--set e=0.5`", options=(*base, "--set", "e=0.5"))
        no("without `--method rk4`", options=(*base, "--method", "rk4"))
        no("with `--every 0.01`", options=(*base[:4], "--every", 0.02))
        no("with `--tend 1000`", options=(*base[:3], 999, *base[4:]))
        dice = random.Random(5)
        for damaged in (good[:7], good[:40], good[:-1], good + b"x", b"", b"x" * 400):
            with open(state, "wb") as file:
                file.write(damaged)
            no()
        for _ in range(20):
            wrong = bytearray(good)
            wrong[dice.randrange(len(wrong))] ^= 1 << dice.randrange(8)
            with open(state, "wb") as file:
                file.write(wrong)
            no()
        with open(state, "wb") as file:
            file.write(good)
        for damaged in (good_rows[:-1], good_rows[:100] + b"x" + good_rows[101:]):
            with open(rows, "wb") as file:
                file.write(damaged)
            no("rows of the interrupted run", "damaged")
        with open(rows, "wb") as file:
            file.write(good_rows)
        os.rename(state, f"{place}/elsewhere")
        refused("run", example("kepler"), *base, "--resume", state, words=["cannot be read"])
        refused("run", example("kepler"), *base, "--checkpoint-every", 3, status=2, words=["--checkpoint FILE"])
        refused("run", example("kepler"), *base, "--checkpoint", state, "--checkpoint-every", 0, status=2)
        refused("run", example("kepler"), *base, "--checkpoint", f"{place}/none/state", words=["none/state"])


def test_other_places():
    """Results and checkpoints may go elsewhere when the run goes on."""
    with folder() as place:
        options = ("--step", "2e-5", "--tend", 20, "--every", 0.01)
        keel("run", example("kepler"), *options, "--out", f"{place}/whole.csv")
        process = start("run", example("kepler"), *options, "--out", f"{place}/a.csv", "--checkpoint",
                        f"{place}/one", "--checkpoint-every", 0.01)
        deadline = time.time() + 20
        while not os.path.exists(f"{place}/one") and time.time() < deadline:
            time.sleep(0.005)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        check(process.returncode == 130, process.returncode)
        keel("run", example("kepler"), *options, "--resume", f"{place}/one", "--checkpoint", f"{place}/two",
             "--out", f"{place}/b.csv")
        check(content(f"{place}/b.csv") == content(f"{place}/whole.csv"))
        check(sorted(os.listdir(place)) == ["a.csv", "b.csv", "whole.csv"], os.listdir(place))


if __name__ == "__main__":
    import tool
    tool.main(globals())
