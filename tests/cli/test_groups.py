"""Groups of modes: the same results as the product machine written by hand; parts with modes; refusals."""
import csv
import itertools
import json
import random

from tool import check, example, folder, keel


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write(place, name, text):
    path = f"{place}/{name}.keel"
    with open(path, "w") as file:
        file.write(text)
    return path


class Machine:
    """Groups of random linear modes that turn each other on and off, as groups and as their product."""

    def __init__(self, seed, groups):
        draw = random.Random(seed)
        self.mode = []  # by group, by mode: the equation and the events (name, condition, actions, next mode)
        for g in range(groups):
            count = draw.choice((2, 2, 3))
            modes = []
            for k in range(count):
                terms = " + ".join(f"({draw.uniform(-0.6, 0.6):.3f})*x{h}" for h in range(groups))
                drive = draw.choice((1, -1)) * draw.uniform(0.5, 1.5)
                other = (k + draw.randrange(1, count)) % count
                watched = f"x{g} - ({draw.uniform(-1, 1):.3f})"
                events = [(f"e{g}{k}", f"{watched} crossing", draw.choice(("", f"n{g} := n{g} + 1, ")), other)]
                if draw.random() < 0.5:
                    events.append((f"s{g}{k}", f"every {draw.uniform(0.4, 0.9):.3f}", "", (k + 1) % count))
                modes.append((f"x{g}' = {drive:.3f}*cos({g + 1}*t) - 0.3*x{g} + {terms}", events))
            self.mode.append(modes)
        unknowns = ", ".join(f"x{g}, n{g}" for g in range(groups))
        starts = ", ".join(f"x{g} = {draw.uniform(-1, 1):.3f}, n{g} = 0" for g in range(groups))
        counts = "\n".join(f"n{g}' = 0" for g in range(groups))
        self.head = f"var {unknowns}\n{counts}\ninit {starts}\nrun 0.05 .. 6\noptions method = dop853, rtol = 1e-9\n"

    def groups(self):
        text = self.head + "start " + ", ".join(f"g{g}.m0" for g in range(len(self.mode))) + "\n"
        for g, modes in enumerate(self.mode):
            for k, (equation, events) in enumerate(modes):
                text += f"mode g{g}.m{k}:\n    {equation}\n"
                for name, condition, action, to in events:
                    text += f"    event {name}: {condition} -> {action}mode g{g}.m{to}\n"
        return text

    def product(self):
        text = self.head + "start m" + "_".join("0" for _ in self.mode) + "\n"
        name = lambda ks: "m" + "_".join(str(k) for k in ks)
        for ks in itertools.product(*(range(len(modes)) for modes in self.mode)):
            text += f"mode {name(ks)}:\n"
            for g, k in enumerate(ks):
                equation, events = self.mode[g][k]
                text += f"    {equation}\n"
                for event, condition, action, to in events:
                    text += f"    event {event}: {condition} -> {action}mode {name(ks[:g] + (to,) + ks[g + 1:])}\n"
        return text


def close(a, b):
    return abs(float(a) - float(b)) <= 1e-9 * (1 + abs(float(a)))


def test_groups_are_their_product():
    changes = 0
    with folder() as place:
        for seed in range(16):
            machine = Machine(seed, 2 + seed % 2)
            told = []
            for name in ("groups", "product"):
                path = write(place, name, getattr(machine, name)())
                words = ("--out", f"{place}/{name}.csv", "--events", f"{place}/{name}_events.csv", "--force")
                story = json.loads(keel("run", path, "--accuracy", "no", "--json", *words)[0])
                check(story["exit"] == 0, f"{seed}, {name}: {story['message']}")
                told.append((rows(f"{place}/{name}.csv"), rows(f"{place}/{name}_events.csv"), story))
            (a, ea, sa), (b, eb, sb) = told
            changes += len(ea)
            check([row["event"] for row in ea] == [row["event"] for row in eb], f"{seed}: other events")
            check(all(close(x["t"], y["t"]) for x, y in zip(ea, eb)), f"{seed}: other times of events")
            for x, y in zip(a, b):
                check(all(close(x[c], y[c]) for c in x if c not in ("mode",)), f"{seed}: {x} {y}")
            entered = {row["mode"] for row in ea}
            check(len(sa["modes"]) <= len(entered) + 1 and len(sa["modes"]) <= len(sb["modes"]), f"{seed}: {sa['modes']}")
    check(changes > 200, changes)


def test_parts_are_groups():
    """Blocks of parts, and the same blocks written out: each combination has its own degrees of freedom."""
    with folder() as place:
        flat = "param pull = 1, couple = 1.2, speed = 0.1\ncoord x1, x2, x3\nvar s1, s2, s3\n"
        flat += "lagrangian x1'^2/2 + x2'^2/2 + x3'^2/2 - pull*((x1 - speed*t)^2 + (x2 - speed*t)^2 + (x3 - speed*t)^2)/2 - "
        flat += "couple*((x2 - x1 - 0.4)^2 + (x3 - x2 - 0.4)^2)/2\n"
        flat += "".join(f"s{i}' = 0\ninit x{i} = 0.35*{i}, s{i} = 0\n" for i in (1, 2, 3)) + "run 0 .. 60\nstart m000\n"
        for ks in itertools.product((0, 1), repeat=3):
            name = lambda i, k: "m" + "".join(str(k if j == i else kj) for j, kj in enumerate(ks))
            flat += f"mode {name(-1, 0)}:\n"
            for i, k in enumerate(ks):
                if k:
                    flat += f"    force x{i + 1}: -0.6*s{i + 1}\n"
                    flat += f"    event halt{i}: s{i + 1}*x{i + 1}' falling -> mode {name(i, 0)}\n"
                else:
                    flat += f"    rolling h{i + 1}: x{i + 1}' = 0\n    event slip{i}: abs(lambda.h{i + 1}) - 1 rising -> "
                    flat += f"s{i + 1} := sign(lambda.h{i + 1}), mode {name(i, 1)}\n"
        words = ("--accuracy", "no", "--rtol", "1e-9", "--tend", "25")
        keel("run", example("groups/sliders"), *words, "--out", f"{place}/a.csv")
        keel("run", write(place, "flat", flat), *words, "--out", f"{place}/b.csv")
        a, b = rows(f"{place}/a.csv"), rows(f"{place}/b.csv")
        for x, y in zip(a, b):
            for i in (1, 2, 3):
                check(abs(float(x[f"block.x[{i}]"]) - float(y[f"x{i}"])) < 1e-7, f"{x['t']} {i}")
        check(len({row["mode"] for row in a}) >= 3, "it hardly moves")


IDEAL = """
part Diode(a, b):
    var i
    let u = a.v - b.v
    flow a: i
    flow b: -i
    mode off:
        i = 0
        event conducts: u rising -> mode on
    mode on:
        u = 0
        event blocks: i falling -> mode off
    start off
"""


def test_ideal_diodes():
    """Two rectifiers at one source, with ideal diodes: each follows |peaks| of its own, then discharges by itself."""
    model = "library circuit\n" + IDEAL + """node a, p[1..2]
use Source s(a, earth, v = 10*sin(t))
for k in 1..2:
    use Diode d[k](a, p[k])
    use Capacitor c[k](p[k], earth, 1)
    use Resistor r[k](p[k], earth, 2*k)
    init c[k].u = 1
run 0 .. 20
"""
    with folder() as place:
        path = write(place, "peaks", model)
        words = ("--accuracy", "no", "--rtol", "1e-9", "--out", f"{place}/a.csv", "--json")
        story = json.loads(keel("run", path, *words)[0])
        for row in rows(f"{place}/a.csv"):
            t, mode = float(row["t"]), row["mode"]
            for k in (1, 2):
                p, a, i = (float(row[c]) for c in (f"p.v[{k}]", "a.v", f"d.i[{k}]"))
                check(p >= a - 1e-6 and i >= -1e-6 and abs(i*(p - a)) < 1e-6, f"t = {t} {mode}: {p} {a} {i}")
        check(len(story["modes"]) >= 3, story["modes"])


def test_sweeps():
    with folder() as place:
        keel("sweep", example("groups/sliders"), "--over", "speed=0.1,0.2,0.3", "--tend", "30", "--out", f"{place}/a.csv")
        keel("run", example("groups/sliders"), "--set", "speed=0.2", "--tend", "30", "--points", "2", "--out", f"{place}/b.csv")
        a, b = rows(f"{place}/a.csv")[1], rows(f"{place}/b.csv")[-1]
        for name in ("block.x[1]", "block.x[2]'"):
            check(a[name] == b[name], f"{name}: {a[name]} {b[name]}")


LANDING = """part Mass(far):
    coord x, y
    lagrangian (x'^2 + y'^2)/2 - 9.81*y
    mode free: event land: y falling -> y' := 0, mode down
    mode down: constraint plane: y = 0
    start free
    init x = far, y = 1, x' = 2, y' = 0
use Mass a(1e3), b(2e3)
run 0 .. 2
"""


def test_rows_that_come_later():
    """The certificate has the rows of combinations that were entered on the way, and no numbers of others for them."""
    with folder() as place:
        path = write(place, "landing", LANDING)
        said = keel("run", path)[0]
        check("b.plane" in said and "between the steps" not in said, said)
        kept = json.loads(keel("run", path, "--json")[0])["kept"]
        check([one["name"] for one in kept] == ["a.plane", "d/dt a.plane", "b.plane", "d/dt b.plane"], kept)
        check(all(one["max_drift"] < 1e-12 for one in kept), kept)


TWO = """var x, y
mode a.on:
    x' = 1
    event eoff: x - 1 rising -> mode a.off
mode a.off: x' = -1
mode b.on:
    y' = 1
    event foff: y - 0.5 rising -> mode b.off
mode b.off: y' = x
start a.on, b.on
init x = 0, y = 0
run 0 .. 3
"""


def told(place, text, *words, status=1):
    out, err = keel("run", write(place, "wrong", text), *words, status=status)
    return out + err


def test_what_is_said():
    wrong = {
        "no line says in which mode of the group `b` the run starts": TWO.replace(", b.on", ""),
        "there is no mode `b.of`": TWO.replace("mode b.off\n", "mode b.of\n"),
        "a second `start`: the first is in line 10": TWO + "start a.off\n",
        "unknown name `z`": TWO.replace("mode a.off: x' = -1", "mode a.off: x' = -z"),
        "an event goes to one mode only of a group": TWO.replace("-> mode a.off", "-> mode a.off, mode a.on"),
        "`.enter` outside of them says not which one": TWO + "output w = x.enter\n",
        "the mode `a.on` is written twice": TWO + "mode a.on:\n    x' = 2\n",
        "sensitivities do not pass through several groups": TWO,
    }
    with folder() as place:
        for sentence, text in wrong.items():
            said = told(place, text, *(("--sensitivity", "x") if sentence.startswith("sens") else ()))
            check(sentence in said, f"{sentence}: {said}")
        said = told(place, TWO.replace("mode b.off: y' = x", "mode b.off:\n    x = 2"))
        check("`b.off` cannot be entered at t = 0.5: in mode `a.on, b.off`: line 3 cannot hold beside line 10" in said, said)


if __name__ == "__main__":
    import tool
    tool.main(globals())
