"""keel fit: the table, its JSON, files, several experiments, what is free, refusals."""
import json
import math
import os

from tool import check, example, folder, keel, refused


HERE = folder()


def scratch(name):
    return os.path.join(HERE.name, name)


def swing(path, g=9.81, noise=0.02):
    """x and y of a pendulum with some noise that looks like noise, and a few values missing."""
    rows = keel("run", example("pendulum"), "--set", f"g={g}", "--tend", 5, "--points", 101, "--rtol", "1e-10", "--out", path,
                "--force") and [line for line in open(path) if line[0] != "#"]
    names = rows[0].strip().split(",")
    place = [names.index(name) for name in ("t", "x", "y")]
    with open(path, "w") as out:
        out.write("t,x,y\n")
        for i, line in enumerate(rows[1:]):
            t, x, y = (float(line.split(",")[k]) for k in place)
            x += noise * math.sin(1e4 * (i + 1) ** 2)
            out.write(f"{t},{x},{'' if i % 20 == 3 else y + noise * math.sin(1e4 * (i + 7) ** 2 + 1)}\n")
    return path


def test_pendulum():
    data = swing(scratch("swing.csv"))
    begin = ("--data", data, "--fit", "g,l", "--set", "g=9.6", "--set", "l=0.97")
    out, _ = keel("fit", example("pendulum"), *begin, "--out", scratch("fit.csv"), "--plot", scratch("fit.svg"))
    for words in ("197 numbers (5 more are missing)", "deviation, estimated", "correlation of g and l"):
        check(words in out, out)
    check("<svg" in open(scratch("fit.svg")).read() and len(open(scratch("fit.csv")).readlines()) == 199, "files")
    story = json.loads(keel("fit", example("pendulum"), *begin, "--sigma", "x=0.0141,y=0.0141", "--json")[0])
    g, l = story["values"]
    check(story["sigma_given"] and abs(g["value"] - 9.81) < 4 * g["deviation"] < 0.2, g)
    check(g["start"] == 9.6 and l["low"] < l["value"] < l["high"] and not story["free"] and not story["doubts"], story)
    check(abs(story["covariance"][0][0] - g["deviation"] ** 2) < 1e-12, story["covariance"])


def test_two_tables_are_two_experiments():
    one, two = swing(scratch("one.csv"), 9.7), swing(scratch("two.csv"), 9.9)
    words = ("--fit", "g", "--data", one, "--data", two, "--json")
    story = json.loads(keel("fit", example("pendulum"), *words)[0])
    check(story["experiments"] == 2 and abs(story["values"][0]["value"] - 9.8) < 0.02 and story["doubts"], story)


def test_what_is_free():
    with open(scratch("model.keel"), "w") as out:
        out.write("param a = 2, b = 0.6\nvar x\nx' = -a*b*x\ninit x = 1\nrun 0 .. 3\n")
    with open(scratch("data.csv"), "w") as out:
        out.write("t,x\n" + "".join(f"{0.1 * i},{math.exp(-0.13 * i) + 0.01 * math.sin(1e4 * i * i)}\n" for i in range(30)))
    out, _ = keel("fit", scratch("model.keel"), "--data", scratch("data.csv"), "--fit", "a,b")
    check("only a*b is determined" in out and out.count("not determined") == 2, out)
    out, _ = keel("fit", scratch("model.keel"), "--data", scratch("data.csv"), "--fit", "a,b", "--bounds", "b=0.1:0.6,a=0:", "--set", "b=0.6")
    check("upper bound" in out or "only a*b" in out, out)


def test_refusals():
    data = swing(scratch("swing.csv"))
    model = example("pendulum")
    refused("fit", model, "--data", data, status=2, words=("what is to be fitted?",))
    refused("fit", model, "--fit", "g", status=2, words=("which data?",))
    refused("fit", model, "--fit", "g", "--data", os.path.join(data, "x"), status=2, words=("--data",))
    refused("fit", model, "--fit", "g", "--data", model, words=("line",))
    keel("fit", model, "--fit", "z", "--data", data, status=1)
    refused("fit", model, "--fit", "g", "--data", data, "--bounds", "g=11:12", status=2, words=("--bounds", "beyond"))
    refused("fit", model, "--fit", "g", "--data", data, "--sigma", "z=1", status=2, words=("--sigma", "no column `z`"))
    refused("fit", model, "--fit", "g", "--data", data, "--experiment", "run", words=("no column `run`",))
    refused("fit", model, "--fit", "g", "--data", data, "--experiment", "t", words=("`t` is the time",))
    refused("fit", model, "--fit", "g", "--data", data, "--tend", 3, status=2, words=("--tend: a fit takes all data",))
    refused("fit", model, "--fit", "g", "--data", data, "--columns", "x,z", words=("`z` is not measured",))
    refused("fit", model, "--fit", "g", "--data", data, "--max-steps", 3, words=("3 steps lead to t =",))
    check(keel("fit", model, "--fit", "g", "--data", data, "--quiet")[0] == "")


if __name__ == "__main__":
    import tool
    tool.main(globals())
