"""Checkpoints after Ctrl-C, in other places, and what is not a checkpoint of the run."""
import json
import os
import random
import re
import signal
import time

from damage import damage
from tool import check, content, example, folder, keel, refused, start


def interrupted(place, *options, model="kepler", how=signal.SIGTERM):
    return interrupted_run(place, *options, model=model, how=how)[0]


def interrupted_run(place, *options, model="kepler", how=signal.SIGTERM):
    """A run that is ended when it has given some rows more than there were; its status and what it printed."""
    before = os.path.getsize(f"{place}/state.rows") if os.path.exists(f"{place}/state.rows") else 0
    process = start("run", example(model), "--step", "2e-5", "--tend", 1000, "--every", 0.01, "--checkpoint",
                    f"{place}/state", "--out", f"{place}/a.csv", *options)
    deadline, rows = time.time() + 60, f"{place}/state.rows"
    while not (os.path.exists(rows) and os.path.getsize(rows) > before + 20000) and time.time() < deadline:
        time.sleep(0.01)
    process.send_signal(how)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out


def test_going_on_after_ctrl_c():
    with folder() as place:
        check(interrupted(place, how=signal.SIGINT) == 130)
        check(content(f"{place}/a.csv").decode().splitlines()[-1] == "# status: interrupted")
        rows = content(f"{place}/a.csv").decode().splitlines()[:-1]
        check(interrupted(place, "--resume", f"{place}/state") == 143)
        more = content(f"{place}/a.csv").decode().splitlines()[:-1]
        check(len(more) > len(rows) and more[:len(rows)] == rows)


def test_the_time_of_output_is_told_apart():
    few, many = (json.loads(keel("run", example("kepler"), "--points", points, "--accuracy", "no", "--json")[0])
                 for points in (2, 20000))
    for one in (few, many):
        check(0 <= one["output_s"] <= one["wall_s"], f"{one['output_s']} of {one['wall_s']}")
    check(many["output_s"] > 0.5 * many["wall_s"] and many["output_s"] > 3 * few["output_s"], many["output_s"])
    shown = keel("run", example("kepler"), "--points", 20000, "--accuracy", "no")[0]
    check(re.search(r"evaluations   [\d.]+ ms, and [\d.]+ m?s for 20002 output times$", shown, re.M), shown)
    with folder() as place:
        options = ("--accuracy", "no", "--json")
        first = json.loads(interrupted_run(place, *options)[1])
        second = json.loads(interrupted_run(place, *options, "--resume", f"{place}/state")[1])
        check(second["output_s"] > first["output_s"] > 0, f"{first['output_s']} {second['output_s']}")
        check(second["wall_s"] > first["wall_s"], f"{first['wall_s']} {second['wall_s']}")


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
        for damaged in (good[:7], good[:40], good[:-1], good + b"x", b"", b"x" * 400):
            with open(state, "wb") as file:
                file.write(damaged)
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


def test_damage():
    with folder() as place:
        damage(random.Random(5), place, 30)


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


def test_a_closed_form_that_ends():
    """The columns are those of the start, wherever the run goes on."""
    with folder() as place:
        with open(f"{place}/m.keel", "w") as model:
            model.write("var x\nx' = -x\ninit x = 1\nexact x = exp(-t) + 0*sqrt(1 - t)\nrun 0 .. 10\n")
        options = ("--step", "5e-5", "--every", 0.01, "--accuracy", "no")  # a rerun depends on how long the run took
        endings = (".csv", ".h5") if os.environ.get("KEEL_HDF5") == "1" else (".csv",)
        for ending in endings:
            keel("run", f"{place}/m.keel", *options, "--out", f"{place}/whole{ending}", status=3)
            process = start("run", f"{place}/m.keel", *options, "--out", f"{place}/a{ending}", "--checkpoint", f"{place}/state",
                            "--checkpoint-every", 0.001)
            deadline = time.time() + 60
            while time.time() < deadline and process.poll() is None:
                if os.path.exists(f"{place}/state.rows") and os.path.getsize(f"{place}/state.rows") > 200 * 48:
                    break
                time.sleep(0.001)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            check(process.returncode == 143, process.returncode)
            keel("run", f"{place}/m.keel", *options, "--out", f"{place}/a{ending}", "--resume", f"{place}/state", status=3)
            check(content(f"{place}/a{ending}") == content(f"{place}/whole{ending}"), ending)


if __name__ == "__main__":
    import tool
    tool.main(globals())
