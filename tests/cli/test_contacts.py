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


def test_refusals():
    refused("emit", example("contacts/ball"), words=("contacts",))
    _, err = keel("run", example("contacts/ball"), "--sensitivity", "e", status=1)
    check("sensitivities do not pass through contacts" in err, err)
    refused("run", example("contacts/ball"), "--tend", "-1", words=("runs forwards",))
    _, err = keel("run", example("contacts/incline"), "--method", "rattle", "--step", "0.01", status=1)
    check("with the contacts at t = 0: rattle: " in err and "keel_" not in err, err)


if __name__ == "__main__":
    import tool
    tool.main(globals())
