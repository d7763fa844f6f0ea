"""Runs that are killed go on from their checkpoint, and nothing in the results shows it."""
import os
import random
import re
import signal
import time

from tool import check, content, example, folder, keel, start

HDF5 = os.environ.get("KEEL_HDF5") == "1"


def plain(certificate):
    """The certificate without its wall times, which end the line about the steps."""
    return re.sub(r"( evaluations ).*$", r"\1", certificate, flags=re.MULTILINE)


def same(name, a, b, otherwise):
    check(content(a) == content(b), f"{name}: {otherwise}")


def killed_again_and_again(model, options, kills, outputs, seed):
    """Killed at random moments until it was killed so often, each time resumed; compared with a run in one piece.

    The moments are shares of the time that the run takes in one piece: on a machine of any speed half of the kills
    find the run under way, even if every life were as long as it may be.
    """
    dice = random.Random(seed)
    with folder() as place:
        whole = [f"{place}/whole{name}" for name in outputs]
        parts = [f"{place}/parts{name}" for name in outputs]
        flags = {".csv": "--out", ".h5": "--out", ".events.csv": "--events"}
        def to(paths):
            return [text for name, path in zip(outputs, paths) for text in (flags[name], path)]
        wanted, _ = keel("run", example(model), *options, *to(whole))
        line = re.search(r"evaluations +(.*)$", wanted, re.M).group(1)  # steps and output, without the tighter reruns
        took = sum(float(time) * (1e-3 if unit == "ms" else 1) for time, unit in re.findall(r"([\d.]+) (ms|s)\b", line))
        longest = 2 * took / kills
        saved = f"{place}/state"
        save = ("--checkpoint", saved, "--checkpoint-every", longest / 20)
        done = killed = 0
        said = None
        while not done:
            go_on = ("--resume", saved) if os.path.exists(saved) else ()
            process = start("run", example(model), *options, *to(parts), *save, *go_on)
            if killed < kills:
                time.sleep(dice.uniform(0, longest))
            else:
                process.wait(timeout=100)
            before = process.poll()
            if before is None:
                process.send_signal(signal.SIGKILL)
                killed += 1
            said, err = process.communicate(timeout=100)
            check(before in (None, 0), f"{before} {err}")
            done = before == 0
            for name, one, other in zip(outputs, whole, parts):  # killed after the last row, a file may be there: whole
                if not done and os.path.exists(other):
                    same(name, one, other, "a half-written file has its final name")
        for name, a, b in zip(outputs, whole, parts):
            same(name, a, b, f"{name} differs after {killed} kills")
        check(plain(said) == plain(wanted), f"{said}\n{wanted}")
        left = sorted(os.path.basename(path) for path in whole + parts)
        check(sorted(os.listdir(place)) == left, os.listdir(place))
        return killed


def test_twenty_kills():
    killed = killed_again_and_again("kepler", ("--step", "5e-5", "--tend", 100, "--every", 0.02), 20, [".csv"], 1)
    check(killed >= 10, f"killed only {killed} times")


def test_kills_with_events_and_modes():
    outputs = [".h5" if HDF5 else ".csv", ".events.csv"]
    options = ("--step", "2e-4", "--every", 0.003, "--accuracy", "yes")
    killed_again_and_again("slack_rod", options, 6, outputs, 2)
    killed_again_and_again("bounce", ("--step", "1e-5", "--every", 0.01, "--accuracy", "yes"), 6, outputs, 3)


def test_kills_of_other_runs():
    """Every step a row; steps under error control, backwards."""
    killed_again_and_again("kepler", ("--step", "1e-3", "--tend", 60, "--steps-out"), 4, [".csv"], 4)
    options = ("--rtol", "1e-10", "--max-step", "5e-4", "--t0", 300, "--tend", 0)
    killed_again_and_again("lotka_volterra", options, 4, [".csv"], 5)


if __name__ == "__main__":
    import tool
    tool.main(globals())
