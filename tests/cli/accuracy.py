"""Random problems with closed forms, and what the accuracy line claims of their errors.

A model with `exact` lines has both numbers in one run: the true error, and the estimate by reruns that a model without
them would show.  Families are drawn in turn, their numbers, methods and tolerances at random, from one seed.
"""
import json
import os
import random
import subprocess

KEEL = os.environ["KEEL"]
EXAMPLES = os.path.join(os.environ["KEEL_SOURCE"], "examples")

EXPLICIT = ("dop853", "dopri5", "bs32", "taylor", "rkf78")
STIFF = ("radau", "radau5")
FIXED = ("rk4", "heun", "midpoint", "gauss4", "euler", "ab4", "gauss6", "abm4", "bdf2")


def model(equations, span, init, exact, more=""):
    names = ", ".join(init)
    start = ", ".join("%s = %.17g" % one for one in init.items())
    forms = "".join("exact %s = %s\n" % one for one in exact.items())
    return "model case\nvar %s\n%s%s\ninit %s\n%srun 0 .. %.17g\n" % (names, more, equations, start, forms, span)


def adaptive(draw, methods=EXPLICIT):
    return ["--method", draw.choice(methods), "--rtol", "%.0e" % 10 ** -draw.uniform(3, 10)]


def fixed(draw, span, fastest=1.0):
    """Steps that resolve what is fastest, from hardly to well."""
    steps = int(span * fastest * 10 ** draw.uniform(0.7, 2)) + 20
    return ["--method", draw.choice(FIXED), "--step", "%.17g" % (span / steps)]


def either(draw, span, fastest=1.0):
    return adaptive(draw) if draw.random() < 0.6 else fixed(draw, span, fastest)


def decay(draw):
    k, x0, span = draw.uniform(0.2, 3), draw.uniform(-3, 3), draw.uniform(1, 10)
    text = model("x' = -%.17g*x" % k, span, {"x": x0}, {"x": "%.17g*exp(-%.17g*t)" % (x0, k)})
    return text, either(draw, span, k)


def oscillator(draw):
    w, c, span = draw.uniform(0.5, 5), draw.choice((0, draw.uniform(0, 0.3))), draw.uniform(5, 60)
    own = (w * w - c * c) ** 0.5
    exact = "exp(-%.17g*t)*(cos(%.17g*t) + %.17g*sin(%.17g*t))" % (c, own, c / own, own)
    text = model("x' = v\nv' = -%.17g*x - %.17g*v" % (w * w, 2 * c), span, {"x": 1, "v": 0}, {"x": exact})
    return text, either(draw, span, w)


def driven(draw):
    """No transient: x = sin(w t), with a damping that a derivative of the closed form pays for."""
    w, k, span = draw.uniform(0.5, 6), draw.uniform(0.3, 2), draw.uniform(3, 40)
    text = model("x' = -%.17g*(x - sin(%.17g*t)) + %.17g*cos(%.17g*t)" % (k, w, w, w), span, {"x": 0},
                 {"x": "sin(%.17g*t)" % w})
    return text, either(draw, span, max(w, k))


def logistic(draw):
    r, x0, span = draw.uniform(0.3, 3), draw.uniform(0.001, 0.5), draw.uniform(2, 15)
    text = model("x' = %.17g*x*(1 - x)" % r, span, {"x": x0}, {"x": "1/(1 + %.17g*exp(-%.17g*t))" % (1 / x0 - 1, r)})
    return text, either(draw, span, r)


def blow_up(draw):
    """Near a pole errors grow as the square of x."""
    span = draw.uniform(0.5, 0.99)
    return model("x' = x^2", span, {"x": 1}, {"x": "1/(1 - t)"}), adaptive(draw)


def growth(draw):
    k, span = draw.uniform(0.3, 1.5), draw.uniform(3, 12)
    return model("x' = %.17g*x" % k, span, {"x": 1}, {"x": "exp(%.17g*t)" % k}), either(draw, span, k)


def polynomial(draw):
    """Quadratures, which many methods solve to round-off."""
    p, span = draw.randint(0, 6), draw.uniform(1, 4)
    return model("x' = t^%d" % p, span, {"x": 0}, {"x": "t^%d/%d" % (p + 1, p + 1)}), either(draw, span)


def constant(draw):
    span = draw.uniform(1, 1000)
    return model("x' = 0\ny' = 1", span, {"x": draw.uniform(1, 2), "y": 0}, {"y": "t"}), either(draw, span, 10 / span)


def bump(draw):
    """A smooth pulse in t or in another state, from a 2000th of the run on."""
    span, through = draw.uniform(1, 200), draw.random() < 0.5
    w, a = span * 10 ** draw.uniform(-3.3, -1), draw.uniform(0.1, 0.9) * span
    c, s = draw.choice((1, 1, 1e-3)) * draw.uniform(0.5, 2), "x" if through else "t"
    text = model("x' = 1\ny' = %.17g/cosh((%s - %.17g)/%.17g)^2" % (c / w, s, a, w), span, {"x": 0, "y": 0},
                 {"y": "%.17g*(tanh((t - %.17g)/%.17g) + tanh(%.17g))" % (c, a, w, a / w)})
    series = ("taylor",) if span / w < 300 else ()  # beyond, the series of cosh has no value
    return text, adaptive(draw, ("dop853", "dopri5", "radau", "rkf78") + series)


def switched(draw):
    """Pulses, integrated."""
    span, terms, exact = draw.uniform(5, 50), [], []
    for _ in range(draw.randint(1, 4)):
        a, c = draw.uniform(0, span), draw.uniform(-2, 2)
        b = a + draw.uniform(0.01, 0.4) * span
        terms.append("if(t > %.17g and t < %.17g, %.17g, 0)" % (a, b, c))
        exact.append("%.17g*(min(max(t, %.17g), %.17g) - %.17g)" % (c, a, b, a))
    return model("x' = " + " + ".join(terms), span, {"x": 0}, {"x": " + ".join(exact)}), adaptive(draw)


def relaxed(draw):
    """A low pass behind pulses."""
    span, k, terms, exact = draw.uniform(5, 30), draw.uniform(0.3, 3), [], []
    for _ in range(draw.randint(1, 3)):
        a, c = draw.uniform(0, span), draw.uniform(-2, 2)
        b = a + draw.uniform(0.02, 0.4) * span
        terms.append("%.17g*(sign(t - %.17g) - sign(t - %.17g))/2" % (c, a, b))
        exact.append("%.17g*(if(t > %.17g, 1 - exp(-%.17g*(t - %.17g)), 0) - if(t > %.17g, 1 - exp(-%.17g*(t - %.17g)), 0))"
                     % (c, a, k, a, b, k, b))
    text = model("x' = %.17g*(%s - x)" % (k, " + ".join(terms)), span, {"x": 0}, {"x": " + ".join(exact)})
    return text, adaptive(draw, EXPLICIT + STIFF)


def friction(draw):
    """A block that slides to rest."""
    mu, v = draw.uniform(0.2, 2), draw.uniform(1, 5)
    stop = v / mu
    text = model("x' = v\nv' = -%.17g*sign(v)" % mu, 2 * stop, {"x": 0, "v": v},
                 {"x": "%.17g*min(t, %.17g) - %.17g*min(t, %.17g)^2" % (v, stop, mu / 2, stop)})
    return text, adaptive(draw, ("dop853", "dopri5", "bs32", "radau"))


def sawtooth(draw):
    """abs and mod of t."""
    p, span = draw.uniform(0.3, 3), draw.uniform(3, 20)
    text = model("x' = if(mod(t, %.17g) < %.17g, 1, -1)" % (p, p / 2), span, {"x": 0},
                 {"x": "if(mod(t, %.17g) < %.17g, mod(t, %.17g), %.17g - mod(t, %.17g))" % (p, p / 2, p, p, p)})
    return text, adaptive(draw)


def stiff(draw):
    """Prothero and Robinson."""
    k, w, span = 10 ** draw.uniform(2, 7), draw.uniform(0.5, 3), draw.uniform(2, 20)
    text = model("x' = -%.17g*(x - cos(%.17g*t)) - %.17g*sin(%.17g*t)" % (k, w, w, w), span, {"x": 1},
                 {"x": "cos(%.17g*t)" % w})
    return text, adaptive(draw, STIFF)


def layer(draw):
    """A transient, then a slow motion."""
    k, span = 10 ** draw.uniform(1, 5), draw.uniform(1, 10)
    text = model("x' = -%.17g*(x - y)\ny' = -y" % k, span, {"x": 2, "y": 1},
                 {"x": "%.17g*exp(-t) + (2 - %.17g)*exp(-%.17g*t)" % (k / (k - 1), k / (k - 1), k), "y": "exp(-t)"})
    return text, adaptive(draw, STIFF)


def index1(draw):
    w, span = draw.uniform(0.5, 4), draw.uniform(3, 20)
    text = ("model case\nvar x, y, z\nx' = %.17g*y\ny^3 + y = z^3 + z\nz' = -%.17g*x\ninit x = 0, z = 1\nguess y = 0.9\n"
            "exact x = sin(%.17g*t), z = cos(%.17g*t)\nrun 0 .. %.17g\n" % (w, w, w, w, span))
    return text, adaptive(draw, ("dop853", "dopri5", "radau"))


def circle(draw):
    """A bead that runs round a ring: a constraint with its multiplier, an output that is zero by theory."""
    w, r, span = draw.uniform(0.5, 3), draw.uniform(0.3, 3), draw.uniform(3, 30)
    text = ("model case\ncoord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint ring: x^2 + y^2 = %.17g\n"
            "output zero = x*x' + y*y'\ninit x = %.17g, y = 0, x' = 0, y' = %.17g\n"
            "exact x = %.17g*cos(%.17g*t), y = %.17g*sin(%.17g*t)\nrun 0 .. %.17g\n"
            % (r * r, r, r * w, r, w, r, w, span))
    if draw.random() < 0.5:
        return text, adaptive(draw, ("dop853", "dopri5", "radau", "radau-ggl"))
    steps = int(span * w * 10 ** draw.uniform(0.7, 1.7)) + 20
    return text, ["--method", draw.choice(("rattle", "rk4", "gauss4")), "--step", "%.17g" % (span / steps)]


def orbit(draw):
    """A circular orbit in a plane of space: z is zero by theory."""
    r, turns = draw.uniform(0.5, 5), draw.uniform(1, 12)
    w = r ** -1.5
    text = ("model case\nvar q[1..3], v[1..3]\nlet r3 = (q[1]^2 + q[2]^2 + q[3]^2)^1.5\nq' = v\nv' = -q/r3\n"
            "invariant E = (v[1]^2 + v[2]^2 + v[3]^2)/2 - 1/sqrt(q[1]^2 + q[2]^2 + q[3]^2)\n"
            "init q = (%.17g, 0, 0), v = (0, %.17g, 0)\n"
            "exact q[1] = %.17g*cos(%.17g*t), q[2] = %.17g*sin(%.17g*t)\nrun 0 .. %.17g\n"
            % (r, r * w, r, w, r, w, turns * 6.283185307179586 / w))
    return text, either(draw, turns * 6.283185307179586 / w, w)


def bounce(draw):
    """Elastic: |sin| like arcs of parabolas."""
    g, v, hits = draw.uniform(1, 10), draw.uniform(1, 5), draw.uniform(1.3, 8)
    p = 2 * v / g
    text = ("model case\nvar y, v\ny' = v\nv' = -%.17g\nevent ground: y falling -> v := -v\ninit y = 0, v = %.17g\n"
            "exact y = %.17g*mod(t, %.17g) - %.17g*mod(t, %.17g)^2\nrun 0 .. %.17g\n"
            % (g, v, v, p, g / 2, p, hits * p))
    return text, adaptive(draw, ("dop853", "dopri5", "bs32", "taylor", "radau"))


def scales(draw):
    """Chemistry: sizes of 1e-9 beside sizes of 1."""
    k, tiny, span = draw.uniform(0.3, 3), 10 ** draw.uniform(-12, -6), draw.uniform(2, 8)
    text = model("x' = -%.17g*x\ny' = %.17g*x - y" % (k, tiny), span, {"x": 1, "y": 0},
                 {"x": "exp(-%.17g*t)" % k, "y": "%.17g*(exp(-%.17g*t) - exp(-t))" % (tiny / (1 - k), k)})
    return text, adaptive(draw) + ["--atol", "%.1e" % (tiny * 1e-9)]


def example(draw):
    name = draw.choice(("pendulum", "kepler", "rigid_body", "rc", "damped", "twin_rods", "knife_edge"))
    span = {"pendulum": 20, "kepler": 30, "rigid_body": 50, "rc": 0.1, "damped": 10, "twin_rods": 5, "knife_edge": 3}
    path = os.path.join(EXAMPLES, name + ".keel")
    return path, ["--tend", "%.3g" % (span[name] * draw.uniform(0.3, 1)), "--rtol", "%.0e" % 10 ** -draw.uniform(4, 10)]


FAMILIES = (decay, oscillator, driven, logistic, blow_up, growth, polynomial, constant, bump, switched, relaxed, friction,
            sawtooth, stiff, layer, index1, circle, orbit, bounce, scales, example, bump, switched, stiff)


def judge(text, words):
    """(what is said, true error, what is claimed) of a run, in the columns with a closed form."""
    given = text if text.endswith(".keel") else "-"
    done = subprocess.run([KEEL, "run", given, *words, "--interpret", "--json"], input=None if given != "-" else text,
                          capture_output=True, text=True, timeout=120)
    out = json.loads(done.stdout)
    if out["status"] not in ("done", "stopped"):
        return "failed: " + out["message"], 0, 0
    accuracy = out["accuracy"]
    if "estimate" not in accuracy:
        return "cannot tell", accuracy["value"], float("nan")
    known = accuracy["each"]
    claimed = max(accuracy["estimate"]["each"].get(name, 0) for name in known)
    if accuracy["round_off"]:
        return "round-off", max(known.values()), accuracy["estimate"]["value"]
    return accuracy["finding"], max(known.values()), claimed


def check(count, seed=15, show=False):
    """Runs the cases; the sentences about those that are wrong, and the shares (far too large, cannot tell)."""
    draw, wrong, large, silent, told = random.Random(seed), [], [], [], 0
    for k in range(count):
        family = FAMILIES[k % len(FAMILIES)]
        text, words = family(draw)
        said, true, claimed = judge(text, words)
        line = "%3d %-10s %-52s %-12s true %.1e claimed %.1e" % (k, family.__name__, " ".join(words), said, true, claimed)
        if show:
            mark = "" if said.startswith("failed") or said == "cannot tell" else (
                " BAD" if true > 3 * claimed else " large" if said != "round-off" and claimed > 10 * true else "")
            print(line + mark, flush=True)
        if said.startswith("failed"):
            wrong.append(line + "\n" + text)
        elif said == "cannot tell":
            silent.append(line)
        else:
            told += 1
            if not true <= 3 * claimed:
                wrong.append(line + "\n" + text)
            if said != "round-off" and not claimed <= 10 * true:
                large.append(line)
    return wrong, large, silent
