"""--clock: the same times and the same motion in fewer steps; a run that goes on; what has none is told."""
import json
import os
import signal
import time

from tool import check, column, content, example, folder, keel, main, refused, start

ORBIT = """param e = 0.99
canonical q[1..2], p[1..2]
hamiltonian H = dot(p, p)/2 - 1/norm(q)
invariant energy
init q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))
options clock = norm(q)^1.5, rtol = 1e-10
event far: dot(q, p) falling -> record
run 0 .. 20
"""


def model(place, text=ORBIT):
    with open(f"{place}/orbit.keel", "w") as file:
        file.write(text)
    return f"{place}/orbit.keel"


def test_times_are_the_same_and_values_agree():
    with folder() as place:
        path, found = model(place), []
        for clock in ((), ("--clock", "none"), ("--clock", "norm(q)")):
            out, _ = keel("run", path, *clock, "--json", "--out", f"{place}/a.csv", "--force", "--accuracy", "no")
            found.append((json.loads(out), column(f"{place}/a.csv", "t"),
                          [float(x) for x in column(f"{place}/a.csv", "q[1]")]))
        own, plain, other = found
        rows = [dict(zip(f[1], f[2])) for f in found]
        check(len(plain[1]) >= 1000, len(plain[1]))
        for mine in (own, other):
            times = [t for t in mine[1] if t in rows[1]]
            check(len(times) >= 1000, f"{len(times)} of {len(plain[1])} times")  # events are where they are found
            values = dict(zip(mine[1], mine[2]))
            worst = max(abs(values[t] - rows[1][t]) for t in times)
            check(worst < 1e-6, f"they differ by {worst}")
        check(own[0]["evaluations"] < 0.6 * plain[0]["evaluations"], "no fewer evaluations")  # for less error
        check("clock norm(q)^1.5" in keel("run", path, "--accuracy", "no")[0])


def test_it_goes_on_with_the_same_bits():
    with folder() as place:
        path = model(place)
        options = ("--method", "rk4", "--step", "1e-4", "--tend", 60, "--every", 0.02, "--accuracy", "no")
        process = start("run", path, *options, "--checkpoint", f"{place}/state", "--out", f"{place}/a.csv")
        deadline, rows = time.time() + 60, f"{place}/state.rows"
        while not (os.path.exists(rows) and os.path.getsize(rows) > 10000) and time.time() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        check(process.returncode == 143)
        refused("run", path, *options, "--clock", "norm(q)", "--resume", f"{place}/state", "--out", f"{place}/a.csv",
                words=("--clock",))
        keel("run", path, *options, "--resume", f"{place}/state", "--out", f"{place}/a.csv")
        keel("run", path, *options, "--out", f"{place}/b.csv")
        check(content(f"{place}/a.csv") == content(f"{place}/b.csv"), "other bits")


def test_the_accuracy_of_fixed_steps_is_measured():
    with folder() as place:
        out, _ = keel("run", model(place), "--method", "rk4", "--step", 0.01, "--json")
        accuracy = json.loads(out)["accuracy"]
        check(1e-9 < accuracy["value"] < 1e-2, accuracy)


def test_what_has_no_clock_is_told():
    with folder() as place:
        path = model(place)
        refused("run", path, "--method", "kahan-li8", "--step", 0.1, status=2, words=("symplectic in t",))
        refused("run", path, "--clock", "q[1]", words=("positive along the whole run",))
        for clock, words in (("zz", "unknown name `zz`"), ("norm(q", "the clock")):
            check(words in keel("run", path, "--clock", clock, status=1)[1])
        check("ordinary differential" in keel("run", example("pendulum"), "--clock", "1 + x^2", status=1)[1])
        check("sensitivities" in keel("lyapunov", path, status=1)[1])
        keel("lyapunov", path, "--clock", "none", "--tend", 3)
        check("clock auto" in keel("run", path, "--clock", "auto", "--accuracy", "no")[0])
        said = keel("run", example("pendulum"), "--clock", "auto", "--accuracy", "no")
        check("steps go by t" in said[1] and "clock auto" not in said[0], "the headline has it")
        check("times    scales 0.0" in keel("check", path)[0], "check goes by t")
        check("the clock `zz`" in keel("check", model(place, ORBIT.replace("norm(q)^1.5", "zz")), status=1)[1])


if __name__ == "__main__":
    main(globals())
