"""keel lyapunov: the table, its JSON, what is left out, refusals."""
import json
import os

from tool import check, example, folder, keel, refused

HERE = folder()


def test_lorenz():
    out, _ = keel("lyapunov", example("lorenz"), "--tend", 300, "--rtol", "1e-8")
    for words in ("counted from 30 on", "zero, to the bar", "sum -13.66666", "part by a factor of e in"):
        check(words in out, out)
    story = json.loads(keel("lyapunov", example("lorenz"), "--tend", 300, "--rtol", "1e-8", "--transient", 50, "--json")[0])
    check(story["status"] == "done" and story["transient"] == 50 and story["left_out"] == [], story)
    first, second, third = story["exponents"]
    check(abs(first["value"] - 0.9056) < 6 * first["error"] and first["error"] < 0.1, first)
    check(abs(second["value"]) < 0.05 and third["value"] < -14, story["exponents"])
    check(abs(sum(e["value"] for e in story["exponents"]) - story["sum"]) < 1e-9 and abs(story["sum"] + 41 / 3) < 1e-6, story)


def test_the_picture():
    plot = os.path.join(HERE.name, "settle.svg")
    keel("lyapunov", example("lorenz"), "--tend", 100, "--plot", plot, "--quiet")
    check("exponents up to t" in open(plot).read())


def test_a_pendulum_on_its_rod():
    out, _ = keel("lyapunov", example("pendulum"), "--tend", 50)
    check("left out: a zero across the level sets of `energy`" in out and "part by a factor" not in out, out)


def test_refusals():
    refused("lyapunov", example("stick_slip"), words=("with modes",))
    refused("lyapunov", example("lorenz"), "--transient", 50, status=2, words=("--transient", "shorter than the run"))
    refused("lyapunov", example("lorenz"), "--max-steps", 9, words=("9 steps, --max-steps, lead to t =",))
    refused("lyapunov", example("lorenz"), "--tend", "x", status=2, words=("--tend `x` is no number of parameters alone\n",))
    refused("lyapunov", example("lorenz"), "--points", 5, status=2, words=("no option --points here",))
    check(keel("lyapunov", example("lorenz"), "--quiet")[0] == "")


if __name__ == "__main__":
    import tool
    tool.main(globals())
