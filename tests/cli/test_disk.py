"""Signals, full disks, folders that cannot be written: what is complete stays, nothing half-written appears."""
import json
import os
import signal
import subprocess
import time

from disk import full_disks, small_files
from interrupt import interrupt
from tool import KEEL, check, content, example, folder, keel, refused, start, table

LONG = ("--step", "1e-5", "--tend", "1e5", "--every", 0.1)


def test_signals():
    with folder() as place:
        for how, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = start("run", example("kepler"), *LONG, "--out", f"{place}/a.csv", "--events",
                            f"{place}/e.csv", "--json")
            interrupt(process, how)
            out, err = process.communicate(timeout=60)
            check(process.returncode == status, f"{process.returncode} {err}")
            result = json.loads(out)
            check(result["status"] == "interrupted" and result["exit"] == status and out.count("\n") == 1)
            for name in ("a", "e"):
                check(content(f"{place}/{name}.csv").decode().endswith("\n# status: interrupted\n"))
            rows = table(f"{place}/a.csv")[1]
            check(rows and float(rows[-1][0]) <= result["t"] < float(rows[-1][0]) + 0.1 + 1e-9)
            check(sorted(os.listdir(place)) == ["a.csv", "e.csv"], os.listdir(place))
        process = start("run", example("kepler"), *LONG)
        interrupt(process)
        out, _ = process.communicate(timeout=60)
        check("interrupted" in out, out)


def test_ctrl_c_while_the_accuracy_is_measured():
    with folder() as place:
        process = start("run", example("lorenz"), "--accuracy", "yes", "--step", "2e-6", "--tend", 2, "--out",
                        f"{place}/a.csv")
        while not os.path.exists(f"{place}/a.csv") and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        check(process.returncode in (0, 130), process.returncode)
        check(len(table(f"{place}/a.csv")[1]) >= 1000)
        check(not content(f"{place}/a.csv").decode().splitlines()[-1].startswith("#"))


def test_full_disk():
    with folder() as place:
        out = f"{place}/a.csv"
        with open(out, "w") as file:
            file.write("# keel 0, what was there before\n")
        for points in (3000, 200000):
            for ending in ("csv", "h5"):
                path = f"{place}/a.{ending}"
                if ending == "h5" and os.environ.get("KEEL_HDF5") != "1":
                    continue
                refused("run", example("lorenz"), "--points", points, "--out", path, "--quiet", words=[path, "large"],
                        preexec_fn=small_files(50000))
        text, err = keel("run", example("lorenz"), "--points", 200000, "--out", out, "--json", status=1,
                         preexec_fn=small_files(50000))
        result = json.loads(text)
        check(result["status"] == "failed" and out in result["message"] and err == "", text)
        check(content(out) == b"# keel 0, what was there before\n", "the file that was there is gone")
        check(os.listdir(place) == ["a.csv"], os.listdir(place))
        refused("run", example("bounce"), "--points", 20000, "--out", out, "--events", f"{place}/e.csv", "--quiet",
                words=[out], preexec_fn=small_files(50000))
        check("# status: failed: " in content(f"{place}/e.csv").decode())
        check(content(out) == b"# keel 0, what was there before\n")


def test_full_disks():
    full_disks(16, 1)


def test_full_disk_of_a_checkpoint():
    """The run ends, and goes on from the last checkpoint that was complete."""
    with folder() as place:
        options = ("--step", "2e-5", "--tend", 20, "--every", 0.005)
        save = ("--checkpoint", f"{place}/state", "--checkpoint-every", 0.01, "--out", f"{place}/a.csv")
        keel("run", example("kepler"), *options, "--out", f"{place}/whole.csv")
        refused("run", example("kepler"), *options, *save, "--quiet", preexec_fn=small_files(100000))
        check(not os.path.exists(f"{place}/a.csv") or b"# status: failed" in content(f"{place}/a.csv"))
        keel("run", example("kepler"), *options, *save, "--resume", f"{place}/state")
        check(content(f"{place}/a.csv") == content(f"{place}/whole.csv"))
        check(sorted(os.listdir(place)) == ["a.csv", "whole.csv"], os.listdir(place))


def test_full_streams():
    with open("/dev/full", "w") as full:
        for arguments in (["run", example("pendulum")], ["run", example("pendulum"), "--json"], ["help", "run"], []):
            process = subprocess.run([KEEL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            check(process.returncode == 1, f"{arguments}: {process.returncode}")
            check(process.stderr.count("\n") == 1 and "standard output" in process.stderr, process.stderr)
    refused("run", example("bounce"), "--events", "/dev/full", "--quiet", words=["/dev/full", "No space left"])
    check(not os.path.isfile("/dev/full"))
    keel("run", example("bounce"), "--events", "/dev/null", "--quiet")
    check(not os.path.isfile("/dev/null"))


def test_places_that_cannot_be():
    with folder() as place:
        os.mkdir(f"{place}/d.csv")
        refused("run", example("pendulum"), "--out", f"{place}/d.csv", words=["d.csv", "directory"])
        refused("run", example("pendulum"), "--out", f"{place}/none/a.csv", words=["none/a.csv", "No such"])
        refused("run", example("pendulum"), "--out", "/proc/a.csv", words=["/proc/a.csv"])
        refused("run", example("pendulum"), "--out", f"{place}/a.csv", "--events", f"{place}/a.csv", status=2)
        refused("run", example("pendulum"), "--out", f"{place}/a.csv", "--events", f"{place}/none/e.csv")
        out, _ = keel("run", example("pendulum"), "--out", f"{place}/none/a.csv", "--json", status=1)
        result = json.loads(out)
        check(result["status"] == "failed" and result["exit"] == 1 and "none/a.csv" in result["message"])
        os.mkdir(f"{place}/locked")
        os.chmod(f"{place}/locked", 0o555)
        if os.geteuid() != 0:  # who is root may write there
            refused("run", example("pendulum"), "--out", f"{place}/locked/a.csv", words=["Permission denied"])
        os.chmod(f"{place}/locked", 0o755)
        check(sorted(os.listdir(place)) == ["d.csv", "locked"], os.listdir(place))


def test_readers_who_leave():
    with folder() as place:
        line = f"'{KEEL}' run '{example('pendulum')}' --out {place}/a.csv | head -1; echo ${{PIPESTATUS[0]}}"
        process = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        check(process.stdout.endswith("\n0\n") and process.stderr == "", f"{process.stdout}{process.stderr}")
        check(len(table(f"{place}/a.csv")[1]) > 900)
        for closed in (">&-", "2>&-", "<&-", ">&- 2>&- <&-"):
            line = f"'{KEEL}' run '{example('bounce')}' --out {place}/b.csv --events {place}/e.csv {closed}"
            process = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
            check(process.returncode == 0, f"{closed}: {process.returncode} {process.stderr}")
            check(len(table(f"{place}/b.csv")[1]) > 900 and table(f"{place}/e.csv")[1])


if __name__ == "__main__":
    import tool
    tool.main(globals())
