"""keel sweep: plans, members as `keel run` gives them, failures, files that survive kills."""
import csv
import hashlib
import json
import math
import os
import random
import resource
import signal
import time

from tool import bits, check, content, example, folder, keel, main, refused, start

KEPLER = "canonical q[1..2], p[1..2]\nparam e = 0.3\nhamiltonian dot(p, p)/2 - 1/norm(q)\ninvariant energy\n" \
         "init q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\nrun 0 .. 20\n"


def rows(path):
    """The lines of a sweep's CSV, as dictionaries."""
    with open(path, newline="") as file:
        lines = file.read().split("\n")
    check(lines[0].startswith("# keel ") and lines[0].endswith("schema=sweep-csv/1"), lines[0])
    return list(csv.DictReader(lines[1:], strict=True))


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def test_members_are_the_runs_of_their_values():
    with folder() as place:
        keel("sweep", example("pendulum"), "--over", "l=0.5:2:4", "--over", "y'=0,0.25", "--tend", "2", "--out",
             f"{place}/a.csv")
        found = rows(f"{place}/a.csv")
        check(len(found) == 8)
        for row in found[::3]:
            out, _ = keel("run", example("pendulum"), "--tend", "2", "--json", "--accuracy", "no", "--set",
                          f"l={row['l']}", "--set", "y'=" + row["start.y'"])
            alone = json.loads(out)
            for name in ("x", "y", "x'"):
                check(bits(float(row[name])) == bits(alone["state"][name]), name)
            check(float(row["drift"]) == max(kept["scaled_drift"] for kept in alone["kept"]), row["drift"])
            check(int(row["steps"]) == alone["steps"])


def test_results_do_not_depend_on_workers():
    with folder() as place:
        sums = set()
        for workers in (1, 2, 5):
            keel("sweep", example("kepler"), "--draw", "e=uniform(0,0.9)", "--count", "1500", "--seed", 3, "--tend", 1,
                 "--every", 0.25, "--columns", "q[1],p[2]", "--workers", workers, "--out", f"{place}/a.csv")
            sums.add(hashlib.sha256(content(f"{place}/a.csv")).hexdigest())
        check(len(sums) == 1)
        check(len(rows(f"{place}/a.csv")) == 1500 * 5)


def test_tables_and_side_by_side():
    with folder() as place:
        path = write(f"{place}/t.csv", "e, q[1]\n0.1,0.9\n0.2,0.8\n0.3,1.0\n")
        keel("sweep", example("kepler"), "--table", path, "--tend", 0.1, "--out", f"{place}/a.csv")
        check([row["q[1]"] != "" for row in rows(f"{place}/a.csv")] == [True] * 3)
        keel("sweep", example("pendulum"), "--over", "l=1,2,3", "--over", "g=4,5,6", "--zip", "--tend", 0.1, "--out",
             f"{place}/b.csv")
        check([(row["l"], row["g"]) for row in rows(f"{place}/b.csv")] == [("1", "4"), ("2", "5"), ("3", "6")])
        refused("sweep", example("kepler"), "--table", write(f"{place}/w.csv", "e\n0.1\nx\n"), status=2,
                words=("--table", "w.csv", "line 3, column 1", "`x`"))
        refused("sweep", example("kepler"), "--table", f"{place}/none.csv", status=2, words=("none.csv",))


def test_events_and_extrema():
    with folder() as place:
        keel("sweep", example("henon"), "--over", "p[2]=0.1:0.3:3", "--tend", 40, "--events", "section", "--out",
             f"{place}/a.csv", "--columns", "q[1],q[2],p[2]")
        section = rows(f"{place}/a.csv")
        check(len(section) > 9 and {row["member"] for row in section} == {"0", "1", "2"})
        check(all(abs(float(row["q[1]"])) < 1e-6 for row in section))
        keel("sweep", example("henon"), "--over", "p[2]=0.1:0.3:3", "--tend", 40, "--extrema", "--out", f"{place}/b.csv")
        for row in rows(f"{place}/b.csv"):
            check(float(row["smallest.q[1]"]) <= float(row["q[1]"]) <= float(row["largest.q[1]"]))
            check(float(row["smallest.q[1]"]) < float(row["mean.q[1]"]) < float(row["largest.q[1]"]))


def test_failed_members_have_a_sentence():
    with folder() as place:
        out, _ = keel("sweep", example("kepler"), "--over", "e=0.5,1,0.7,1.5", "--tend", 1, "--out", f"{place}/a.csv",
                      "--json", status=3)
        found, story = rows(f"{place}/a.csv"), json.loads(out)
        check([row["status"] for row in found] == ["done", "failed", "done", "failed"])
        check(all((row["sentence"] == "") == (row["status"] == "done") for row in found))
        check(all((row["q[1]"] == "") == (row["status"] == "failed") for row in found))
        check(story["failed"] == 2 and sum(one["members"] for one in story["failures"]) == 2)
        out, _ = keel("sweep", example("kepler"), "--over", "e=0.5,0.6", "--max-steps", 20, status=3)
        check("20 steps led to" in out and "failed     2 of 2" in out, out)


def test_a_constraint_that_vanishes_is_left_to_the_analysis():
    with folder() as place:
        keel("sweep", example("pendulum"), "--over", "l=-1,0,1", "--tend", 1, "--out", f"{place}/a.csv", status=3)
        found = rows(f"{place}/a.csv")
        check([row["status"] for row in found] == ["done", "failed", "done"])
        check("loses its own direction" in found[1]["sentence"], found[1]["sentence"])


def test_summaries():
    with folder() as place:
        words = ("sweep", example("kepler"), "--draw", "e=uniform(0,0.9)", "--count", 1500, "--tend", 1, "--at", "0.5,1",
                 "--columns", "q[1]", "--summary", "count,mean,std,min,max,q05,q50,q975", "--json", "--quiet")
        out, _ = keel(*words, "--out", f"{place}/a.csv")
        found, lines = json.loads(out)["summary"], rows(f"{place}/a.csv")
        for k, one in enumerate(found):
            values = sorted(float(row["q[1]"]) for row in lines[k::2])
            mean = math.fsum(values) / len(values)
            check(one["column"] == "q[1]" and one["t"] == (0.5, 1)[k] and one["count"] == 1500)
            check(abs(one["mean"] - mean) < 1e-14 and one["min"] == values[0] and one["max"] == values[-1])
            check(abs(one["std"] - math.sqrt(math.fsum((v - mean) ** 2 for v in values) / 1499)) < 1e-13)
            check(one["q05"] == values[74] and one["q50"] == values[749] and one["q975"] == values[1462], one)
        check(json.loads(keel(*words, "--workers", 3)[0])["summary"] == found)
        refused("sweep", example("kepler"), "--over", "e=0.1,0.2", "--summary", "mean,median", status=2, words=("`median`",))


def test_wrong_usage():
    model = example("pendulum")
    for options, words in [
            ((), ("nothing varies",)), (("--over", "g=1:2"), ("--over", "from:to:count")),
            (("--over", "gg=1,2"), ("`gg`", "`g`")), (("--draw", "g=uniform(0,1)"), ("how many",)),
            (("--over", "g=1,2", "--count", "3"), ("count",)), (("--draw", "g=uniform(0,1)", "--count", "x"), ("1e6", "`x`")), (("--over", "g=1,2", "--seed", "x"), ("--seed", "`x`")),
            (("--over", "g=1,2", "--step", "0.01*g"), ("--step", "varies")),
            (("--over", "g=1,2", "--tend", "g", "--every", "0.1"), ("--tend",)),
            (("--over", "g=1,2", "--columns", "z"), ("`z`",)), (("--over", "g=1,2", "--events", "hit"), ("`hit`",)),
            (("--over", "g=1,2", "--out", "a.txt"), ("--out", ".csv")),
            (("--over", "x=1,2", "--over", "x=1,2"), ("`x`", "twice"))]:
        refused("sweep", model, *options, status=2, words=words)
    with folder() as place:
        refused("sweep", "--resume", f"{place}/a.csv", words=("nothing to go on from",))
        refused("sweep", "--resume", f"{place}/a.csv", "--over", "g=1,2", status=2, words=("--over", "--resume"))


def sweep_words(place, name, count=5000):
    model = write(f"{place}/kepler.keel", KEPLER)
    return ("sweep", model, "--draw", "e=uniform(0,0.9)", "--draw", "q[1]=normal(1,0.01)", "--count", count, "--every", 5,
            "--rtol", 1e-4, "--workers", 2, "--out", f"{place}/{name}.csv")


def test_killed_again_and_again():
    """Killed 20 times at random moments, each time resumed: the same file as in one piece."""
    dice = random.Random(19)
    with folder() as place:
        begin = time.time()
        keel(*sweep_words(place, "whole"))
        longest = (time.time() - begin) / 10
        killed, words = 0, sweep_words(place, "parts")
        while killed < 20:
            process = start(*words)
            time.sleep(dice.uniform(0, longest))
            if dice.random() < 0.5:
                process.send_signal(signal.SIGTERM)
            else:
                process.kill()
            process.communicate()
            if process.returncode == 0:
                break
            killed += 1
            if os.path.exists(f"{place}/parts.csv.keel-blocks"):
                words = ("sweep", "--resume", f"{place}/parts.csv", "--workers", dice.choice((1, 2, 3)))
        if not os.path.exists(f"{place}/parts.csv"):
            keel(*words)
        check(content(f"{place}/whole.csv") == content(f"{place}/parts.csv"), "a resumed sweep has other results")
        check(not [name for name in os.listdir(place) if "keel-" in name or ".part-" in name], os.listdir(place))


def interrupted(place, shard, members):
    """The words of a sweep that was stopped on its way, with some blocks in its shard, and how many members it has:
    more, if it was faster than this script."""
    while True:
        words = sweep_words(place, "a", members)
        process = start(*words)
        while process.poll() is None and (not os.path.exists(shard) or os.path.getsize(shard) < 200000):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        if not os.path.exists(f"{place}/a.csv"):
            check(process.returncode == 130 and "--resume" in err, f"{process.returncode}: {err}")
            return words, members
        os.remove(f"{place}/a.csv")
        members *= 2


def test_damage_and_other_models():
    with folder() as place:
        shard = f"{place}/a.csv.keel-blocks"
        words, members = interrupted(place, shard, 20000)
        refused(*words, words=("--resume", "--force"))
        whole = content(shard)
        with open(shard, "wb") as file:
            file.write(whole[:-1000])  # the last block is not whole
        model = content(f"{place}/kepler.keel")
        write(f"{place}/kepler.keel", KEPLER.replace("0.3", "0.31"))
        refused("sweep", "--resume", f"{place}/a.csv", words=("has changed",))
        with open(f"{place}/kepler.keel", "wb") as file:
            file.write(model)
        with open(shard, "r+b") as file:
            file.seek(20)
            file.write(b"\xff")
        refused("sweep", "--resume", f"{place}/a.csv", words=("damaged",))
        with open(shard, "wb") as file:
            file.write(whole[:len(whole) // 2] + b"\x55" + whole[len(whole) // 2 + 1:])
        keel("sweep", "--resume", f"{place}/a.csv")
        keel(*sweep_words(place, "b", members))
        check(content(f"{place}/a.csv") == content(f"{place}/b.csv"))


def limit(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk():
    """Files may have this size at most, as on a full disk: a sentence, and what is finished stays."""
    with folder() as place:
        keel(*sweep_words(place, "whole"))
        for size in (100, 100000, 400000, 900000):
            begun = os.path.exists(f"{place}/parts.csv.keel-blocks")
            words = ("sweep", "--resume", f"{place}/parts.csv") if begun else sweep_words(place, "parts")
            told = refused(*words, words=("parts.csv", "cannot be written"), preexec_fn=limit(size))
            check(size != 100000 or "go on with: keel sweep --resume" in told, told)
        keel("sweep", "--resume", f"{place}/parts.csv")
        check(content(f"{place}/whole.csv") == content(f"{place}/parts.csv"))


if __name__ == "__main__":
    main(globals())
