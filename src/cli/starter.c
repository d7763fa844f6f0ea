/* starter.c - see starter.h. */
#include "cli/starter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pendulum[] =
    "# A mass on a rod, in Cartesian coordinates: keel derives the equations from the lagrangian.\n"
    "model %s\n"
    "param m = 1, g = 9.81, l = 1          # change one for a run:  --set l=2\n"
    "\n"
    "coord x, y                            # the unknowns; x' is the velocity\n"
    "lagrangian m*(x'^2 + y'^2)/2 - m*g*y  # kinetic minus potential energy\n"
    "constraint rod: x^2 + y^2 = l^2       # must hold; its force is lambda.rod\n"
    "invariant energy                      # checked before the run, then kept to round-off\n"
    "\n"
    "init y = 0, y' = 0                    # start values that are meant\n"
    "guess x = l                           # where to look for what the rod determines: to the right\n"
    "\n"
    "output tension = 2*lambda.rod*l       # one more column\n"
    "run 0 .. 10                           # from when to when\n";

static const char ode[] =
    "# Predators and prey: equations as one writes them, and a quantity that they keep.\n"
    "model %s\n"
    "param a = 1, b = 0.1, c = 1.5, d = 0.075   # change one for a run:  --set a=2\n"
    "\n"
    "var prey, hunters\n"
    "prey' = a*prey - b*prey*hunters            # ' is the derivative by time\n"
    "hunters' = d*prey*hunters - c*hunters\n"
    "\n"
    "invariant V = d*prey - c*log(prey) + b*hunters - a*log(hunters)   # keel checks it, then keeps it\n"
    "init prey = 10, hunters = 5\n"
    "\n"
    "event peak: prey' falling -> record        # noted with its time:  --events peaks.csv\n"
    "output total = prey + hunters              # one more column\n"
    "run 0 .. 30\n";

static const char hamiltonian[] =
    "# A planet on its ellipse: a position, its momentum, and the energy as a function of both.\n"
    "model %s\n"
    "param e = 0.6                             # eccentricity; --set e=0.3 makes it rounder\n"
    "\n"
    "canonical q[1..2], p[1..2]                # q' = dH/dp, p' = -dH/dq\n"
    "hamiltonian H = dot(p, p)/2 - 1/norm(q)\n"
    "\n"
    "invariant energy                          # kept to round-off, as is\n"
    "invariant momentum = q[1]*p[2] - q[2]*p[1]\n"
    "\n"
    "init q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\n"
    "reference t = 2*pi: q = (1 - e, 0)        # after one turn: the run measures its error here\n"
    "run 0 .. 2*pi\n";

static const char dae[] =
    "# Two resistors and a capacitor: differential and algebraic equations side by side, in any order.\n"
    "model %s\n"
    "param R1 = 1000, R2 = 2000, C = 1e-6, U = 10, w = 2*pi*50\n"
    "\n"
    "var u, i, i1, i2                 # as many equations as unknowns; keel finds out what each determines\n"
    "U*sin(w*t) = R1*i + u            # the source drives i through R1\n"
    "i = i1 + i2                      # the node: no derivative in it, so it holds at any time\n"
    "u = R2*i2\n"
    "C*u' = i1\n"
    "\n"
    "init u = 0                       # the one value that is free: `keel check` says so\n"
    "output power = u*i2              # what R2 turns into heat\n"
    "run 0 .. 0.1\n";

static const char modes[] =
    "# A ball on a string that goes slack and catches it again: two modes with equations of their own.\n"
    "model %s\n"
    "param g = 9.81, l = 1\n"
    "\n"
    "coord x, y\n"
    "lagrangian (x'^2 + y'^2)/2 - g*y               # this holds in every mode\n"
    "\n"
    "mode taut:                                     # keel finds out that fewer values are free here\n"
    "    constraint string: x^2 + y^2 = l^2\n"
    "    event slack: lambda.string falling -> mode loose, record\n"
    "mode loose:\n"
    "    event catch: x^2 + y^2 - l^2 rising -> mode taut, record   # loses the speed along the string\n"
    "\n"
    "start taut\n"
    "init x = 0, x' = 6\n"
    "guess y = -l, y' = 0                           # hanging down\n"
    "run 0 .. 5\n";

static const char mechanics[] =
    "# A crane: a load that swings below its trolley, and a motor that drives the trolley.\n"
    "model %s\n"
    "param M = 100, m = 50, l = 4, g = 9.81     # change one for a run:  --set m=80\n"
    "\n"
    "coord x, a                                # the trolley, the angle of the rope: what moves\n"
    "let load = (x + l*sin(a), -l*cos(a))      # where the load is; load' is its velocity\n"
    "lagrangian M*x'^2/2 + m*dot(load', load')/2 - m*g*load[2]\n"
    "\n"
    "let drive = 200*sin(t)                    # what no potential gives is a force\n"
    "force x: drive - 20*x'\n"
    "force a: -5*a'                            # friction where the rope is fixed\n"
    "init x = 0, a = 0.2, x' = 0, a' = 0\n"
    "output height = load[2]                   # one more column\n"
    "run 0 .. 20\n";

static const char parts[] =
    "# Two rods, one below the other: a part is written once and used twice.\n"
    "model %s\n"
    "part Rod(m, l, a, phi0):                  # a: the point it hangs on, which may move\n"
    "    coord phi\n"
    "    let tip = a + l*(sin(phi), -cos(phi)), c = a + l/2*(sin(phi), -cos(phi))\n"
    "    lagrangian m*dot(c', c')/2 + m*l^2*phi'^2/24 - 9.81*m*c[2]   # those of all parts add up\n"
    "    init phi = phi0, phi' = 0\n"
    "\n"
    "use Rod upper(m = 1, l = 1, a = (0, 0), phi0 = 0.5)\n"
    "use Rod lower(m = 2, l = 0.5, a = upper.tip, phi0 = 0.8)         # members by their part: upper.tip\n"
    "\n"
    "invariant energy                          # of the whole: checked before the run, then kept\n"
    "output height = lower.tip[2]              # `library body2d` has ready-made bodies and joints\n"
    "run 0 .. 5\n";

static const char circuit[] =
    "# A resistor, a coil and a capacitor at an alternating voltage: they swing in, and carry most at "
    "resonance.\n"
    "model %s\n"
    "library circuit                           # Resistor, Diode, Opamp, Transistor, ... and the node earth\n"
    "param R = 20, L = 0.1, C = 1e-5, f = 160  # change one for a run:  --set f=100\n"
    "\n"
    "node a, b, c                              # each has a potential: a.v\n"
    "use Source mains(a, earth, v = 10*sin(2*pi*f*t))\n"
    "use Resistor r(a, b, R)                   # u is its voltage, i what flows through: r.i\n"
    "use Inductor coil(b, c, L)\n"
    "use Capacitor cap(c, earth, C)\n"
    "\n"
    "init cap.u = 0, coil.i = 0                # the values that are free: `keel check` says so\n"
    "output heat = r.u*r.i                     # one more column\n"
    "run 0 .. 0.1\n";

static const char table[] =
    "# A room that is heated by the hour: what was measured stands in rows, and is a function of time.\n"
    "model %s\n"
    "table outside = \"day.csv\", column = \"outside\", by = pchip   # outside(t); also hold, linear, "
    "spline\n"
    "table heating = \"day.csv\", column = \"kW\", by = mean         # the mean until the next row\n"
    "param C = 1.5, G = 0.12                   # kWh and kW a degree; change one:  --set G=0.1\n"
    "var T\n"
    "C*T' = heating(t) - G*(T - outside(t))    # steps end at the rows\n"
    "init T = 19\n"
    "output cold = outside(t)                  # one more column\n"
    "run 0 .. 24\n"
    "table \"day.csv\":                         # a file beside the model, or its rows here\n"
    "    \"hour, outside, kW\"\n"
    "    \"0, -2, 1.5\"\n"
    "    \"7, -4, 4\"\n"
    "    \"24, 1, 0\"\n";

char *starter_text(const char *kind, const char *name) {
    static const struct {
        const char *kind, *text;
    } all[] = {{"pendulum", pendulum}, {"ode", ode},         {"hamiltonian", hamiltonian},
               {"dae", dae},           {"modes", modes},     {"mechanics", mechanics},
               {"parts", parts},       {"circuit", circuit}, {"table", table}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text = all[i].text, *place = strstr(text, "%s");
        if (strcmp(all[i].kind, kind) != 0) continue;
        size_t length = strlen(text) + strlen(name) + 1;
        char *out = malloc(length);
        if (out) snprintf(out, length, "%.*s%s%s", (int)(place - text), text, name, place + 2);
        return out;
    }
    return NULL;
}
