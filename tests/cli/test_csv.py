"""CSV results: digits, names, output times, events, directions."""
import json
import math

from tool import bits, check, column, content, example, folder, keel, refused, table


def number(text):
    return float(text) if text else math.nan


def test_numbers_read_back_to_the_same_bits():
    with folder() as place:
        for model in ("lorenz", "slack_rod", "pendulum"):
            out, _ = keel("run", example(model), "--out", f"{place}/a.csv", "--json", "--steps-out")
            names, rows = table(f"{place}/a.csv")
            result = json.loads(out)
            check(len(rows) > 20)
            for row in rows:
                for text in row[:-1]:
                    check(text == "" or text == "%.17g" % float(text), text)
            values = dict(zip(names, rows[-1]))
            for part in ("state", "multipliers", "outputs"):
                for name, value in result[part].items():
                    if value is not None:
                        check(bits(value) == bits(float(values[name])), name)


def test_names():
    with folder() as place:
        for model in ("chain", "rolling_disk", "slack_rod", "kepler"):
            out, _ = keel("run", example(model), "--out", f"{place}/a.csv", "--json", "--points", 2)
            names, result = table(f"{place}/a.csv")[0], json.loads(out)
            wanted = [*result["state"], *result["multipliers"], *result["outputs"]]
            check(names[0] == "t" and names[-1] == "mode" and len(set(names)) == len(names), names)
            check(sorted(names[1:len(wanted) + 1]) == sorted(wanted), names)
            check(all(name.startswith(("drift.", "error.")) for name in names[len(wanted) + 1:-1]), names)
            check(all("drift." + row["name"] in names for row in result["kept"]), names)


def times(place, *options):
    keel("run", example("bounce"), "--out", f"{place}/t.csv", "--quiet", *options)
    return [float(t) for t in column(f"{place}/t.csv", "t")]


def apart_from_events(place, *options):
    """Output times without the two rows of each action."""
    all_times = times(place, *options)
    return [t for t in all_times if all_times.count(t) == 1]


def test_output_times():
    with folder() as place:
        check(apart_from_events(place, "--points", 4) == [0, 1, 2, 3])
        check(len(apart_from_events(place)) == 1000)
        check(apart_from_events(place, "--every", 0.5) == [0, 0.5, 1, 1.5, 2, 2.5, 3])
        check(apart_from_events(place, "--every", "g/9.81") == [0, 1, 2, 3])
        check(apart_from_events(place, "--every", 0.7) == [0, 0.7, 1.4, 3 * 0.7, 2.8, 3])
        check(apart_from_events(place, "--at", "0.25,2,1") == [0.25, 1, 2])
        check(apart_from_events(place, "--at", "1", "--points", 3) == [0, 1, 1.5, 3])
        log = apart_from_events(place, "--log", "--points", 13)
        check(log[0] == 0 and log[-1] == 3 and len(log) == 13)
        for before, after in zip(log[1:], log[2:]):
            check(abs(math.log10(after / before) - 1) < 1e-9, log)
        steps = times(place, "--steps-out")
        out, _ = keel("run", example("bounce"), "--json", "--steps-out")
        result = json.loads(out)
        check(len(steps) >= result["steps"] and steps[0] == 0 and steps[-1] == 3)
        for wrong in (("--at", 5), ("--every", 0), ("--every", -1), ("--every", "1e-12")):
            refused("run", example("bounce"), *wrong, status=2)


def test_actions_give_two_rows():
    with folder() as place:
        keel("run", example("bounce"), "--out", f"{place}/a.csv", "--events", f"{place}/e.csv", "--quiet")
        names, rows = table(f"{place}/a.csv")
        t, speed = names.index("t"), names.index("y'")
        pairs = [(a, b) for a, b in zip(rows, rows[1:]) if a[t] == b[t]]
        event_names, events = table(f"{place}/e.csv")
        check(len(pairs) == len(events) > 1)
        for (before, after), event in zip(pairs, events):
            check(float(after[speed]) > 0 > float(before[speed]))
            check(abs(float(after[speed]) + 0.8 * float(before[speed])) < 1e-12)
            check(event[:-1] == before and event[-1] == "hit")
        check(event_names == names + ["event"])
        keel("run", example("slack_rod"), "--out", f"{place}/a.csv", "--quiet")
        names, rows = table(f"{place}/a.csv")
        changes = [(a, b) for a, b in zip(rows, rows[1:]) if a[-1] != b[-1]]
        check(changes and all(a[0] == b[0] for a, b in changes), "a change of mode without two rows")
        loose = [row for row in rows if row[-1] == "loose"]
        check(all(row[names.index("drift.string")] == "" for row in loose), "a row that the mode has not")


def test_output_never_disturbs_the_steps():
    with folder() as place:
        for model in ("slack_rod", "pendulum", "lorenz", "henon", "bounce"):
            seen = set()
            for options in ((), ("--points", 3), ("--steps-out",), ("--every", "0.01"), ("--points", 20000),
                            ("--log", "--points", 77), ("--at", "0.1,0.3")):
                out, _ = keel("run", example(model), "--json", "--out", f"{place}/a.csv", *options)
                result = json.loads(out)
                seen.add((tuple(bits(v) for v in result["state"].values() if v is not None), result["steps"],
                          result["rejected"], tuple(bits(event["t"]) for event in result["events"])))
            check(len(seen) == 1, f"{model}: {len(seen)} different ends")


def test_backwards():
    with folder() as place:
        keel("run", example("lotka_volterra"), "--t0", 3, "--tend", 0, "--points", 7, "--out",
             f"{place}/a.csv", "--quiet")
        check([float(t) for t in column(f"{place}/a.csv", "t")] == [3, 2.5, 2, 1.5, 1, 0.5, 0])
        keel("run", example("bounce"), "--t0", 1, "--tend", -1, "--every", 0.5, "--out", f"{place}/a.csv",
             "--quiet")
        all_times = [float(t) for t in column(f"{place}/a.csv", "t")]
        check(all_times == sorted(all_times, reverse=True) and all_times[0] == 1 and all_times[-1] == -1)


def test_failed_runs_say_so():
    text = "model explode\nvar x\nx' = x^2\ninit x = 1\nrun 0 .. 2\n"
    with folder() as place:
        with open(f"{place}/m.keel", "w") as file:
            file.write(text)
        _, err = keel("run", f"{place}/m.keel", "--out", f"{place}/a.csv", "--quiet", status=1)
        last = content(f"{place}/a.csv").decode().splitlines()[-1]
        check(last.startswith("# status: failed: "), last)
        check(last[len("# status: failed: "):] in err, err)
        check(len(table(f"{place}/a.csv")[1]) > 100)
        out, _ = keel("run", f"{place}/m.keel", "--json", status=1)
        check(json.loads(out)["status"] == "failed")


if __name__ == "__main__":
    import tool
    tool.main(globals())
