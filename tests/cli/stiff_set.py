"""The stiff problems of the literature, by `keel run` without options: errors against published digits, and the work
beside that of a stiff method with knowledge."""
import json
import os
import re
import subprocess

KEEL, SOURCE = os.environ["KEEL"], os.environ["KEEL_SOURCE"]
FOLDER = os.path.join(SOURCE, "tests", "cli", "stiff")
CHEAP = ("hires", "oregonator", "pollution", "robertson", "vanderpol", "transamp")


def path_of(name):
    return os.path.join(SOURCE, "examples", "transamp.keel") if name == "transamp" else os.path.join(FOLDER, name + ".keel")


def digits(name):
    """The last reference line of the model: {"y[1]": value}."""
    with open(path_of(name)) as file:
        line = file.read().split("reference")[-1].split("\nrun")[0].split(":", 1)[1]
    values = {}
    for word, group, alone in re.findall(r"(\w+) = (?:\(([^)]*)\)|([-+.\de]+))", line):
        numbers = group.split(",") if group else [alone]
        for i, number in enumerate(numbers):
            values[f"{word}[{i + 1}]" if group else word] = float(number)
    return values


def run(name, *options):
    done = subprocess.run([KEEL, "run", path_of(name), "--json", "--accuracy", "no", *options], stdout=subprocess.PIPE,
                          check=True, timeout=600)
    return json.loads(done.stdout)


def tolerances(name, found, rtol):
    """The largest error of a state at the end, in rtol |y| + atol; atol is the default one, a thousandth of rtol."""
    return max(abs(found["state"][key] - value) / (rtol * abs(value) + 1e-3 * rtol) for key, value in digits(name).items())
