"""keel discover on random models whose invariants are known: how many there are, and that there are no others."""
import itertools
import json
import os
import random
from fractions import Fraction

from tool import check, folder, keel


def polynomial(dice, variables, degrees, chance=1.0, size=5):
    """{powers: coefficient} with all monomials of these degrees, each with this chance."""
    found = {}
    for powers in itertools.product(range(max(degrees) + 1), repeat=variables):
        if sum(powers) in degrees and dice.random() < chance:
            found[powers] = dice.choice([k for k in range(-size, size + 1) if k])
    return found


def slope(p, k):
    return {tuple(e - (i == k) for i, e in enumerate(powers)): c * powers[k] for powers, c in p.items() if powers[k]}


def times(p, q, factor=1):
    out = {}
    for (a, x), (b, y) in itertools.product(p.items(), q.items()):
        powers = tuple(i + j for i, j in zip(a, b))
        out[powers] = out.get(powers, 0) + factor * x * y
    return out


def plus(*all_of_them):
    out = {}
    for p in all_of_them:
        for powers, c in p.items():
            out[powers] = out.get(powers, 0) + c
    return {powers: c for powers, c in out.items() if c}


def text(p, names):
    def term(powers, c):
        return "*".join([f"({c})"] + [f"{name}^{e}" if e > 1 else name for name, e in zip(names, powers) if e])
    return " + ".join(term(*one) for one in p.items()) or "0"


def equations(rates, names, start):
    lines = [f"var {', '.join(names)}"] + [f"{name}' = {text(p, names)}" for name, p in zip(names, rates)]
    return "\n".join(lines + [f"init {', '.join(f'{n} = {s}' for n, s in zip(names, start))}", "run 0 .. 0.01", ""])


def rank(rows):
    rows, found = [[Fraction(x) for x in row] for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((r for r in range(found, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for r in range(len(rows)):
            if r != found and rows[r][column]:
                part = rows[r][column] / rows[found][column]
                rows[r] = [x - part * y for x, y in zip(rows[r], rows[found])]
        found += 1
    return found


def discover(model, *options):
    with folder() as place:
        path = os.path.join(place, "random.keel")
        with open(path, "w") as file:
            file.write(model)
        story = json.loads(keel("discover", path, "--json", *options)[0])
    for found in story["invariants"]:
        check(found["doubt"] is None, f"{found}\n{model}")
    check(story["unwritten"] == 0, model)
    return story["invariants"]


def expect(model, count, independent, *options):
    found = discover(model, *options)
    have = len(found), sum(one["independent"] for one in found)
    check(have == (count, independent), f"{have}, not {(count, independent)}: {[f['text'] for f in found]}\n{model}")


def test_two_surfaces_that_meet():
    """x' = grad I x grad J keeps both, and nothing else is independent of them in space."""
    for seed in range(25):
        dice = random.Random(seed)
        i, j = polynomial(dice, 3, (1, 2)), polynomial(dice, 3, (2, 3) if seed % 2 else (2,), 0.6)
        g, h = [slope(i, k) for k in range(3)], [slope(j, k) for k in range(3)]
        rates = [plus(times(g[(k + 1) % 3], h[(k + 2) % 3]), times(g[(k + 2) % 3], h[(k + 1) % 3], -1)) for k in range(3)]
        expect(equations(rates, "xyz", (0.3, 0.2, -0.1)), 2, 2)


def test_hamiltonians():
    """A general polynomial of q and p has no second invariant of low degree."""
    for seed in range(15):
        dice = random.Random(100 + seed)
        energy = polynomial(dice, 4, (2, 3), 0.7)
        rates = [slope(energy, 2), slope(energy, 3), *({k: -c for k, c in slope(energy, n).items()} for n in (0, 1))]
        expect(equations(rates, ["q", "r", "p", "s"], (0.3, 0.2, -0.1, 0.1)), 1, 1)


def test_general_equations_have_none():
    for seed in range(30):
        dice = random.Random(200 + seed)
        n = 2 + seed % 3
        rates = [polynomial(dice, n, (0, 1, 2), 0.8) for _ in range(n)]
        expect(equations(rates, ["x", "y", "z", "w"][:n], (0.1, 0.2, -0.1, 0.1)[:n]), 0, 0)


def test_reactions():
    """Mass action: as many balances as species less the rank of the stoichiometric matrix."""
    for seed in range(20):
        dice = random.Random(300 + seed)
        species, reactions = dice.randint(3, 6), dice.randint(2, 5)
        names = [f"c{k}" for k in range(species)]
        used = sorted(itertools.combinations_with_replacement(range(species), 2), key=lambda _: dice.random())
        lines, rates, change = [], [[] for _ in names], []
        for k in range(reactions):
            left, right = used[k], [dice.randrange(species) for _ in range(dice.randint(1, 3))]
            row = [right.count(s) - left.count(s) for s in range(species)]
            change.append(row)
            for s in range(species):
                if row[s]:
                    rates[s].append(f"({row[s]})*k{k}*c{left[0]}*c{left[1]}")
            lines.append(f"param k{k} = {dice.randint(1, 40)}/{dice.choice((1, 2, 10, 1000))}")
        lines.append(f"var {', '.join(names)}")
        lines += [f"{name}' = {' + '.join(terms) or '0'}" for name, terms in zip(names, rates)]
        lines += [f"init {', '.join(f'{name} = {1 + s}' for s, name in enumerate(names))}", "run 0 .. 0.001", ""]
        found = discover("\n".join(lines), "--degree", 1)
        balances = [one for one in found if "log" not in one["text"]]
        check(len(balances) == species - rank(change), f"{[one['text'] for one in found]}\n" + "\n".join(lines))
        check(all(one["independent"] for one in found), found)


def test_exponentials():
    """Forces between neighbours: energy and momentum; on the ring of three with equal terms Toda's third."""
    for seed in range(8):
        dice = random.Random(400 + seed)
        a, b, c = (dice.randint(1, 4) for _ in range(3))
        toda = a == b == c
        model = (f"canonical q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 + {a}*exp(q[1] - q[2]) + {b}*exp(q[2] - q[3]) + "
                 f"{c}*exp({dice.choice((1, 2)) if not toda else 1}*(q[3] - q[1]))\n"
                 "init q = (0.1, 0.2, -0.3), p = (0.1, 0, 0.2)\nrun 0 .. 0.1\n")
        found = discover(model, "--degree", 2)
        check(len(found) == 2, model)


def test_on_surfaces():
    """A mass on a surface of degree two, under a force in a general direction: its energy alone."""
    for seed in range(10):
        dice = random.Random(500 + seed)
        a, b, c, d = (dice.randint(1, 9) for _ in range(4))
        g = [dice.randint(-5, 5) or 1 for _ in range(3)]
        model = (f"param a = {a}, b = {b}, c = {c}\ncoord x, y, z\n"
                 f"lagrangian (x'^2 + y'^2 + z'^2)/2 - ({g[0]})*x - ({g[1]})*y - ({g[2]})*z\n"
                 f"constraint surface: a*x^2 + b*y^2 + c*z^2 + x*y = {d}\ninit x = 0.1, y = 0.2, x' = 0.1, y' = -0.2\n"
                 "guess z = 1\nrun 0 .. 0.1\n")
        expect(model, 1, 1, "--degree", 3)


if __name__ == "__main__":
    import tool
    tool.main(globals())
