"""The examples with contacts, in the command: certificate, events, sweeps, refusals."""
import csv
import json

from tool import check, example, folder, keel, refused

NAMES = ("ball", "disk", "incline", "rocking", "carts")


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def test_examples_keep_what_they_hold():
    for name in NAMES:
        story = json.loads(keel("run", example(f"contacts/{name}"), "--accuracy", "no", "--json")[0])
        check(story["exit"] == 0, f"{name}: {story['message']}")
        for row in story["kept"]:
            check(row["scaled_drift"] <= 16, f"{name}: {row}")


def test_events_tell_what_contacts_do():
    with folder() as place:
        keel("run", example("contacts/incline"), "--accuracy", "no", "--events", f"{place}/e.csv", "--out", f"{place}/a.csv")
        told = [row["event"] for row in rows(f"{place}/e.csv")]
        check(told == ["back.touch sticks", "front.touch sticks", "back.touch slips", "front.touch slips"], told)
        for row in rows(f"{place}/a.csv"):
            push = float(row["lambda.back.touch"]) + float(row["lambda.front.touch"])
            check(push > 18 and abs(float(row["drag"])) <= 0.5 * push * (1 + 1e-9), row)


def test_members_of_a_sweep_are_single_runs():
    with folder() as place:
        words = ("--tend", 3)
        keel("sweep", example("contacts/disk"), "--over", "e=0.3,0.6", *words, "--out", f"{place}/a.csv")
        keel("run", example("contacts/disk"), "--set", "e=0.6", *words, "--points", 2, "--out", f"{place}/b.csv")
        a, b = rows(f"{place}/a.csv")[-1], rows(f"{place}/b.csv")[-1]
        for name in ("disk.r[1]", "disk.phi'", "lambda.soil.touch", "sliding"):
            check(a[name] == b[name], f"{name}: {a[name]} {b[name]}")


def test_check_tells_of_contacts():
    told = keel("check", example("contacts/incline"))[0]
    check("contacts back.touch:  restitution 0, friction 0.5, closed at the start" in told, told)
    kept = json.loads(keel("check", example("contacts/ball"), "--json")[0])["contacts"]
    check(kept == [{"name": "soil.touch", "restitution": 0.8, "friction": 0.3, "closed": False}], kept)


def test_a_large_ball_is_no_chaos():
    """How many of its last impacts are completed is a matter of round-off, and no other path."""
    text = ("coord y\nlagrangian y'^2/2 - 9.81*y\ncontact soil: y, restitution = 0.5\ninit y = 1e9, y' = 0\ninvariant energy\n"
            "run 0 .. 2e5\n")
    with folder() as place:
        with open(f"{place}/large.keel", "w") as file:
            file.write(text)
        story = json.loads(keel("run", f"{place}/large.keel", "--json")[0])
        check(story["accuracy"]["rel"] <= 1e-12 and "warning" not in story["accuracy"], story["accuracy"])


def test_refusals():
    _, err = keel("run", example("contacts/ball"), "--sensitivity", "e", status=1)
    check("sensitivities do not pass through contacts" in err, err)
    for command in ("steady", "orbit", "lyapunov"):
        _, err = keel(command, example("contacts/ball"), status=1)
        check("are not looked for in models with contacts" in err, err)
    refused("run", example("contacts/ball"), "--tend", "-1", words=("runs forwards",))
    _, err = keel("run", example("contacts/incline"), "--method", "rattle", "--step", "0.01", status=1)
    check("with the contacts at t = 0: rattle: " in err and "keel_" not in err, err)


if __name__ == "__main__":
    import tool
    tool.main(globals())
