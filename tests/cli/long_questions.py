"""Questions beyond one trajectory on random models whose answers are known: equilibria, orbits, exponents, sections, fits
and sensitivities of generated text.  KEEL_QUESTIONS: how many of each kind (40)."""
import cmath
import itertools
import json
import math
import os
import random

from tool import check, folder, start

CASES = int(os.environ.get("KEEL_QUESTIONS", "40"))


def dice_of(kind):
    return [random.Random(f"{kind} {k}") for k in range(CASES)]


def asked(command, text, *options, status=0):
    """What the command says of a model; status: 0, 1, or None for either."""
    with folder() as place:
        path = os.path.join(place, "random.keel")
        with open(path, "w") as file:
            file.write(text)
        process = start(command, path, "--json", *options)
        out, err = process.communicate(timeout=200)
    check(process.returncode in ((0, 1) if status is None else (status,)), f"{command}: {process.returncode} {err}{out}\n{text}")
    return json.loads(out)


def off_by(want, have):
    """The largest distance of complex numbers paired each with the nearest one that is left."""
    left, worst = list(want), 0.0
    check(len(left) == len(have), f"{have}, not {want}")
    for one in have:
        near = min(range(len(left)), key=lambda i: abs(left[i] - one))
        worst = max(worst, abs(left.pop(near) - one))
    return worst


def blocks(dice, n):
    """A real matrix in blocks, with Jordan blocks among them, and its eigenvalues."""
    rows, found, k = [[0.0] * n for _ in range(n)], [], 0
    while k < n:
        kind = dice.random() if k + 1 < n else 1
        a = dice.choice([0, -0.5, -1, 0.75, -2])
        rows[k][k] = a
        if kind < 0.6:
            rows[k + 1][k + 1] = a
            b = dice.choice([1, 2, 0.25]) if kind < 0.4 else 0
            rows[k][k + 1], rows[k + 1][k] = (b, -b) if b else (1, 0)
            found += [complex(a, b), complex(a, -b)]
        else:
            found.append(complex(a))
        k += 2 if kind < 0.6 else 1
    return rows, found


def turned(dice, rows):
    """T A T^-1 by steps that have no rounding: row i + s row j, column j - s column i."""
    n = len(rows)
    for _ in range(2 * n):
        i, j, s = dice.randrange(n), dice.randrange(n), dice.choice((-1, 1))
        if i != j:
            rows[i] = [x + s * y for x, y in zip(rows[i], rows[j])]
            for row in rows:
                row[j] -= s * row[i]
    return rows


def linear(rows, place):
    return [" + ".join(f"({a!r})*(x{j} - ({place[j]}))" for j, a in enumerate(row)) for row in rows]


def test_equilibria_of_linear_equations():
    for seed, dice in enumerate(dice_of("linear")):
        n = dice.randint(1, 5)
        rows, values = blocks(dice, n)
        place = [dice.choice([0, 1, -2, 0.5, 3]) for _ in range(n)]
        rates = linear(turned(dice, rows), place)
        text = "var " + ", ".join(f"x{i}" for i in range(n)) + "\n"
        text += "".join(f"x{i}' = {rate}\n" for i, rate in enumerate(rates))
        text += "init " + ", ".join(f"x{i} = {place[i] + dice.uniform(-0.3, 0.3):.4f}" for i in range(n)) + "\nrun 0 .. 9\n"
        story = asked("steady", text)
        have = [complex(e["real"], e["imaginary"]) for e in story["eigenvalues"]]
        most = max(value.real for value in values)
        stability = "unstable" if most > 0 else "stable" if most < 0 else "undecided"
        check(off_by(values, have) < 1e-6 and story["stability"] == stability, f"{seed}: {story}\n{text}")


def test_no_equilibrium():
    """A rate without a zero, beside motions that are faster and come to rest."""
    for dice in dice_of("none"):
        rate = dice.choice(["1 + x^2", "2 + sin(x)", "exp(-x)", "sqrt(1 + x^2)", "1 + abs(x)", "1/x", "cosh(x)"])
        size, fast = 10.0 ** dice.randint(-6, 6), 10.0 ** dice.randint(0, 6)
        text = f"var x, y\nx' = {size}*({rate})\ny' = {-fast}*(y - 1)\ninit x = 0.5, y = 2\nrun 0 .. 1\n"
        if size / fast > 1e-11:
            check(asked("steady", text, status=1)["message"].startswith("no equilibrium was found"), text)


def orbit(text, period, multipliers, *options):
    story = asked("orbit", text, *options)
    have = [complex(m["real"], m["imaginary"]) for m in story["multipliers"] if not m["small"]]
    check(abs(story["period"] / period - 1) < 1e-9 and story["closing"] < 1e-9, f"{story}\n{text}")
    check(off_by([m for m in multipliers if abs(m) > 1e-11], have) < 1e-6 * max(1, *map(abs, multipliers), 1), f"{story}\n{text}")


def test_orbits():
    for dice in dice_of("orbits"):
        mu, b, c = (round(dice.uniform(low, high), 3) for low, high in ((0.1, 0.7), (0.5, 3), (-1.2, 0.8)))
        period, root = 2 * math.pi / b, math.sqrt(mu)
        orbit(f"var x, y, z\nx' = {mu}*x - {b}*y - x*(x^2 + y^2)\ny' = {b}*x + {mu}*y - y*(x^2 + y^2)\n"
              f"z' = {c}*z + (x^2 + y^2 - {mu})*z\ninit x = {1.1 * root}, y = 0.05, z = 0\nrun 0 .. 30\n",
              period, [math.exp(-2 * mu * period), math.exp(c * period)], "--period", 1.02 * period)
        l, a = round(dice.uniform(0.5, 2), 3), round(dice.uniform(0.3, 1.2), 3)  # a conical pendulum
        speed = math.sqrt(9.81 / (l * math.cos(a)))
        swing = cmath.exp(2j * math.pi * math.sqrt(1 + 3 * math.cos(a) ** 2))
        orbit(f"param l = {l}\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - 9.81*z\nconstraint r: x^2 + y^2 + z^2 = l^2\n"
              f"invariant energy\ninvariant m = x*y' - y*x'\ninit x = {l * math.sin(a)!r}, y = 0, x' = 0, "
              f"y' = {speed * l * math.sin(a)!r}\nguess z = -l\nrun 0 .. 20\n",
              2 * math.pi / speed, [swing, swing.conjugate()], "--hold", "energy,m")


def test_forced_motions():
    """x' = a x + cos(w t) has the period of its force, and no other one."""
    for dice in dice_of("forced"):
        a, w = round(dice.uniform(-1, 0.5), 3), round(dice.uniform(0.5, 3), 3)
        text = f"var x\nx' = ({a})*x + cos({w}*t)\ninit x = 0.1\nrun 0 .. 9\n"
        if abs(a) > 0.05:
            orbit(text, 2 * math.pi / w, [math.exp(2 * math.pi / w * a)], "--period", f"2*pi/{w}")
            story = asked("orbit", text, "--period", 2 * math.pi / w * dice.choice((0.5, 0.9, 1.1, 1.5)), status=1)
            check("the equations, which depend on t, do not" in story["message"], f"{story}\n{text}")


def test_exponents():
    for dice in dice_of("exponents"):
        a, b, c = (round(dice.uniform(low, high), 3) for low, high in ((-1, 0.8), (0.2, 3), (0.3, 0.95)))
        period = dice.choice((0.5, 0.7, 1))
        for text, want in (
                (f"var x\nx' = ({a} + {b}*cos({c}*t))*x\ninit x = 0\nrun 0 .. 400\n", [a]),
                (f"var x\nx' = ({a})*x\nevent e: every {period} -> x := {c}*x\ninit x = 0\nrun 0 .. 300\n",
                 [a + math.log(c) / period]),
                (f"var x, y\nx' = {b}\ny' = ({a})*y\nevent e: x - 1 rising -> x := 0, y := {c}*y\ninit x = 0.1, y = 0\n"
                 "run 0 .. 300\n", [0, a + b * math.log(c)]),
                (f"var x, y\nx' = {c}*x - {b}*y - x*(x^2 + y^2)\ny' = {b}*x + {c}*y - y*(x^2 + y^2)\ninit x = 1, y = 0.2\n"
                 "run 0 .. 200\n", [0, -2 * c])):
            story = asked("lyapunov", text)
            for e, value in zip(story["exponents"], sorted(want, reverse=True)):
                check(abs(e["value"] - value) <= 3 * e["error"] + 1e-9, f"{want}: {story}\n{text}")
            check(abs(story["sum"] - sum(want)) <= 3 * story["sum_error"] + 1e-9, f"{want}: {story}\n{text}")


def test_sections():
    """x = A cos(w t + p) meets x = c at times that are known."""
    forms = ("var x, v\nx' = v\nv' = -{w}^2*x\ninit x = {x}, v = {v}\n",
             "coord x, y\nlagrangian (x'^2 + y'^2)/2 - {w}^2*(x^2 + y^2)/2\nconstraint r: y = 2*x\ninit x = {x}, x' = {v}\n",
             "canonical x, p\nhamiltonian p^2/2 + {w}^2*x^2/2\ninvariant energy\ninit x = {x}, p = {v}\n")
    for dice in dice_of("sections"):
        w, size, phase, to = (round(dice.uniform(low, high), 3) for low, high in ((0.5, 4), (0.5, 2), (0, 6), (5, 40)))
        c, direction = round(dice.uniform(-1.2, 1.2) * size, 3), dice.choice(("rising", "falling", "crossing"))
        if abs(abs(c / size) - 1) < 0.01:
            continue  # it only touches
        text = dice.choice(forms).format(w=w, x=f"{size}*cos({phase})", v=f"-{size}*{w}*sin({phase})") + f"run 0 .. {to}\n"
        times = []
        for k, sign in itertools.product(range(-2, int(to * w / 6) + 3), (1, -1)):
            t = (sign * math.acos(c / size) - phase + 2 * math.pi * k) / w if abs(c) < size else -1
            if 0 < t <= to and (direction == "crossing" or (direction == "rising") == (math.sin(w * t + phase) < 0)):
                times.append(t)
        story = asked("section", text, "--plane", f"x - ({c})", "--direction", direction, "--rtol", 1e-10)
        have = [point[1] for point in story["points"]]
        check(len(have) == len(times) and all(abs(s - t) < 1e-6 for s, t in zip(have, sorted(times))), f"{story}\n{text}")


def test_what_a_fit_cannot_tell():
    """x' = -K x, K of two parameters: the combination is named, and nothing else."""
    kinds = {"a*b": "only a*b is", "a/b": "only a/b is", "a + b": "only a + b is", "a^2*b": "only a^2*b is", "a": "depend on `b`"}
    for dice in dice_of("fits"):
        k, a, b = dice.choice(sorted(kinds)), dice.uniform(0.4, 2), dice.uniform(0.4, 2)
        rate = {"a*b": a * b, "a/b": a / b, "a + b": a + b, "a^2*b": a * a * b, "a": a}[k]
        rows = [(t / 5, 1.5 * math.exp(-rate * t / 5) + dice.gauss(0, 0.01)) for t in range(1, 16)]
        with folder() as place:
            with open(os.path.join(place, "data.csv"), "w") as file:
                file.write("t,x\n" + "".join(f"{t},{x}\n" for t, x in rows))
            story = asked("fit", f"param a = {a}, b = {b}\nvar x\nx' = -({k})*x\ninit x = 1.5\nrun 0 .. 3\n",
                          "--data", os.path.join(place, "data.csv"), "--fit", "a,b", "--set", f"a={a * dice.uniform(0.8, 1.2)}")
        check(len(story["free"]) == 1 and kinds[k] in story["free"][0], f"{k}: {story['free']}")


def expression(dice, names, depth, jumps=True):
    if depth == 0 or dice.random() < 0.25:
        return dice.choice(names + ["0.5", "(-1.3)"])
    x, y = (expression(dice, names, depth - 1, jumps) for _ in range(2))
    return dice.choice([f"({x} + {y})", f"({x} - {y})", f"{x}*{y}", f"sin({x})", f"tanh({x})", f"abs({x})", f"max({x}, {y})",
                        f"exp(-({x})^2)", f"sqrt(1 + ({x})^2)"] + [f"if({x} > 0.2, {y}, {x})", f"0.4*floor(1.3*{x})"] * jumps)


def random_equations(dice):
    """x, y and perhaps z with branches, samples and located events, by parameters that act everywhere."""
    names = ["x", "y", "a", "b", "t"]
    algebraic = dice.random() < 0.4
    lines = [f"param a = {dice.uniform(0.3, 2):.3f}, b = {dice.uniform(0.2, 1.5):.3f}", "var x, y, h" + ", z" * algebraic]
    lines += [f"{x}' = -{x} + 0.5*h + " + expression(dice, names + ["z"] * algebraic, 3) for x in "xy"] + ["h' = 0"]
    if algebraic:
        lines += ["z + z^3/5 = " + expression(dice, names, 2, jumps=False), "guess z = 0"]
    if dice.random() < 0.5:
        lines.append(f"event s: every {dice.choice(('0.23', 'a/5'))} -> h := {expression(dice, names, 2)}")
    else:
        lines.append(f"event e: x - {dice.choice(('0.2*a', '0.3', '0.1*t'))} crossing -> x := {expression(dice, names, 2)}, y := b*y")
    lines += ["output o = " + expression(dice, names, 2), f"init x = {dice.choice(('a*b', 'b - 0.3'))}, y = 0.3, h = 0.1*a", "run 0 .. 3"]
    return "\n".join(lines) + "\n"


def run_of(text, to, *options):
    return asked("run", text, "--interpret", "--points", 2, "--accuracy", "no", "--tend", to, *options, status=None)


def end_of(text, a, to):
    story = run_of(text, to, "--set", f"a={a!r}", "--rtol", 1e-12)
    return {**story["state"], **story["outputs"]} if story["status"] == "done" else None


def test_sensitivities_of_random_equations():
    """Against differences: a derivative that is wrong agrees with those of no length."""
    compared = 0
    for seed, dice in enumerate(dice_of("sensitivities")):
        text, to = random_equations(dice), round(dice.uniform(0.8, 2), 4)
        a = float(text.split("a = ")[1].split(",")[0])
        story = run_of(text, to, "--sensitivity", "a", "--rtol", 1e-10)
        if story["status"] != "done":
            check(story["message"], text)  # a singularity, or events at one time
            continue
        found, least, last = {**story["state"], **story["outputs"]}, math.inf, ""
        for h in (3e-3 * a, 3e-4 * a, 3e-5 * a):
            ends = [end_of(text, a + s, to) for s in (h, -h, h / 2, -h / 2)]
            if None in ends or least < 1e-6:
                continue
            slope = {x: (4 * (ends[2][x] - ends[3][x]) / h - (ends[0][x] - ends[1][x]) / (2 * h)) / 3 for x in ends[0]}
            size = max(1e-9, *map(abs, slope.values()), *(abs(found[x] / a) for x in slope))
            misses = {x: abs(found["d/da " + x] - slope[x]) / size for x in slope}
            worst = max(misses, key=misses.get)
            least, last = min(least, misses[worst]), f"{worst}: {found['d/da ' + worst]}, by differences {slope[worst]}"
        check(least < 1e-5 or least == math.inf, f"{seed}, to {to}: {last}\n{text}")
        compared += least < math.inf
    check(compared > CASES / 2, f"{compared} of {CASES} could be compared")


if __name__ == "__main__":
    import tool
    tool.main(globals())
