/* sound_mechanics.c - models that are energies: lagrangians, hamiltonians, constraints; see sound.h.
 *
 * A kinetic energy is a positive diagonal and squares of sums; a potential is bounded below.  Without t and
 * forces the energy is conserved, and an invariant says so. */
#include "sound.h"

static int below(struct sound *s, int n) {
    return sound_below(&s->dice, n);
}

static const char *start_value(struct sound *s) {
    static const char *const value[] = {"0.3", "0.7", "-0.5", "0", "0.2", "-0.4"};
    return value[below(s, 6)];
}

/* Of the atoms, which are positions: bounded, or a well. */
static const char *potential(struct sound *s) {
    const char *q = sound_pick(s, &s->atom);
    switch (below(s, 6)) {
    case 0:
        return sound_say(s, "%s*%s*%s^2", sound_number(s), sound_positive(s), q);
    case 1:
        return sound_say(s, "%s*(%s*%s^2)/2 + %s*%s", sound_positive(s), sound_number(s), q,
                         sound_constant(s), q);
    case 2:
        return sound_say(s, "%s*%s^4/4 - %s*cos(%s)", sound_positive(s), q, sound_constant(s), q);
    case 3:
        return sound_say(s, "%s*%s", sound_constant(s), sound_bounded(s, 2));
    case 4:
        return sound_say(s, "%s/sqrt(1 + %s^2)", sound_constant(s), q);
    default:
        return sound_say(s, "%s*(%s - %s)^2/2", sound_positive(s), q, sound_bounded(s, 1));
    }
}

/* Of velocities v[i], i < count, at positions q[i]. */
static const char *kinetic(struct sound *s, int count, const char *const *q, const char *const *v) {
    const char *sum = "";
    for (int i = 0; i < count; i++) {
        const char *term = sound_one_in(s, 4)
                               ? sound_say(s, "%s*(1 + 0.3*cos(%s)^2)*%s^2/2", sound_positive(s), q[i], v[i])
                               : sound_say(s, "%s*%s^2/2", sound_positive(s), v[i]);
        sum = i ? sound_say(s, "%s + %s", sum, term) : term;
    }
    if (count > 1 && sound_one_in(s, 2))
        sum = sound_say(s, "%s + %s*(%s + %s*%s)^2/2", sum, sound_positive(s), v[0],
                        sound_one_in(s, 3) ? sound_say(s, "cos(%s - %s)", q[0], q[1]) : sound_constant(s),
                        v[1]);
    return sum;
}

/* Adds up potentials of the atoms. */
static const char *potentials(struct sound *s) {
    const char *sum = potential(s);
    for (int i = below(s, 3); i > 0; i--) sum = sound_say(s, "%s + %s", sum, potential(s));
    return sum;
}

/* Among two positions: x and its velocity follow from y and w = y'.  Gives 1 if it moves. */
static int constraint(struct sound *s, const char *x, const char *y, const char *w) {
    const char *name = sound_name(s, "g"), *c = sound_number(s);
    int kind = below(s, 4);
    sound_line(s, SOUND_VALUE, "init %s = 0.3, %s = %s", y, w, start_value(s));
    if (kind < 2) {
        sound_line(s, SOUND_EQUATION, "constraint %s: %s*(%s^2 + %s^2) = %s", name, c, x, y, c);
        sound_line(s, SOUND_VALUE, "guess %s = 1", x);
    } else
        sound_line(s, SOUND_EQUATION, "constraint %s: %s + %s*%s = 0.5%s", name, x, sound_positive(s), y,
                   kind == 2 ? "" : " + 0.2*sin(t)");
    if (sound_one_in(s, 2))
        sound_line(s, SOUND_VALUE, "output %s = 2*lambda.%s*%s", sound_name(s, "o"), name, c);
    return kind == 3;
}

/* A skate on a slope: its velocity lies along its edge. */
static void skate(struct sound *s) {
    const char *x = sound_name(s, "q"), *y = sound_name(s, "q"), *a = sound_name(s, "q");
    const char *m = sound_positive(s), *name = sound_name(s, "g");
    sound_line(s, SOUND_DECLARATION, "coord %s, %s, %s", x, y, a);
    sound_add(&s->atom, x);
    sound_add(&s->atom, a);
    sound_line(s, SOUND_EQUATION, "lagrangian %s*(%s'^2 + %s'^2)/2 + %s*%s'^2/2 - (%s)", m, x, y,
               sound_positive(s), a, potential(s));
    sound_line(s, SOUND_EQUATION, "rolling %s: %s'*sin(%s) = %s'*cos(%s)", name, x, a, y, a);
    sound_line(s, SOUND_VALUE, "init %s = 0, %s = 0.1, %s = 0.2, %s' = %s, %s' = 0.8", x, y, a, x,
               start_value(s), a);
    if (sound_one_in(s, 2)) sound_line(s, SOUND_VALUE, "invariant energy");
}

/* A loss, and an account of it where nothing else does work. */
static void damp(struct sound *s, const char *q, int alone) {
    const char *d = sound_positive(s), *loss = sound_name(s, "z");
    sound_line(s, SOUND_EQUATION, "force %s: -%s*%s'", q, d, q);
    if (!alone || sound_one_in(s, 2)) return;
    sound_line(s, SOUND_DECLARATION, "var %s", loss);
    sound_line(s, SOUND_EQUATION, "%s' = %s*%s'^2", loss, d, q);
    sound_line(s, SOUND_VALUE, "init %s = 0", loss);
    sound_line(s, SOUND_VALUE, "invariant %s = energy + %s", sound_name(s, "i"), loss);
}

void sound_lagrangian(struct sound *s) {
    const char *q[3] = {0}, *v[3] = {0};
    int count = 1 + below(s, 3), held = count > 1 && sound_one_in(s, 3), moving = 0;
    if (sound_one_in(s, 8)) {
        skate(s);
        return;
    }
    for (int i = 0; i < count; i++) {
        q[i] = sound_name(s, "q");
        v[i] = sound_say(s, "%s'", q[i]);
        sound_line(s, SOUND_DECLARATION, "coord %s", q[i]);
        sound_add(&s->atom, q[i]);
    }
    sound_definitions(s);
    sound_line(s, SOUND_EQUATION, "lagrangian %s - (%s)", kinetic(s, count, q, v), potentials(s));
    if (held) moving = constraint(s, q[0], q[1], v[1]);
    for (int i = held ? 2 : 0; i < count; i++) {
        sound_line(s, SOUND_VALUE, "init %s = %s, %s = %s", q[i], start_value(s), v[i], start_value(s));
        sound_add(&s->free, q[i]);
        sound_add(&s->free, v[i]);
    }
    int driven = !moving && sound_one_in(s, 4), damped = sound_one_in(s, 3);
    if (driven) {
        s->has_time = 1;
        sound_line(s, SOUND_EQUATION, "force %s: %s*%s", q[0], sound_constant(s),
                   sound_one_in(s, 2) ? "sin(3*t)" : sound_nonsmooth(s, 2));
    }
    if (damped) damp(s, q[below(s, count)], !driven && !moving);
    if (!driven && !damped && !moving && sound_one_in(s, 2)) sound_line(s, SOUND_VALUE, "invariant energy");
}

/* Two bodies around a centre, with their momentum. */
static void central(struct sound *s) {
    const char *q = sound_name(s, "q"), *p = sound_name(s, "p"), *k = sound_positive(s),
               *m = sound_positive(s);
    const char *form[] = {"%s*norm(%s)^2/2", "-%s/sqrt(1 + dot(%s, %s))", "%s*dot(%s, %s)^2/4"};
    sound_line(s, SOUND_DECLARATION, "canonical %s[1..2], %s[1..2]", q, p);
    sound_line(s, SOUND_EQUATION, "hamiltonian dot(%s, %s)/(2*%s) + %s", p, p, m,
               sound_say(s, form[below(s, 3)], k, q, q));
    sound_line(s, SOUND_VALUE, "init %s = (0.8, %s), %s = (%s, 0.9)", q, start_value(s), p, start_value(s));
    sound_line(s, SOUND_VALUE, "invariant energy");
    sound_line(s, SOUND_VALUE, "invariant %s = %s[1]*%s[2] - %s[2]*%s[1]", sound_name(s, "i"), q, p, q, p);
    sound_add(&s->atom, sound_say(s, "%s[1]", q));
    sound_add(&s->free, sound_say(s, "%s[2]", p));
}

void sound_hamiltonian(struct sound *s) {
    const char *q[3] = {0}, *p[3] = {0};
    int count = 1 + below(s, 3), held = count > 1 && sound_one_in(s, 4), forced = 0;
    if (sound_one_in(s, 5)) {
        central(s);
        return;
    }
    for (int i = 0; i < count; i++) {
        q[i] = sound_name(s, "q");
        p[i] = sound_name(s, "p");
        sound_line(s, SOUND_DECLARATION, "canonical %s, %s", q[i], p[i]);
        sound_add(&s->atom, q[i]);
    }
    sound_definitions(s);
    sound_line(s, SOUND_EQUATION, "hamiltonian %s%s + %s", sound_one_in(s, 2) ? "H = " : "",
               kinetic(s, count, q, p), potentials(s));
    if (held) forced = constraint(s, q[0], q[1], sound_say(s, "%s'", q[1]));
    for (int i = held ? 2 : 0; i < count; i++) {
        sound_line(s, SOUND_VALUE, "init %s = %s, %s = %s", q[i], start_value(s), p[i], start_value(s));
        sound_add(&s->free, q[i]);
        sound_add(&s->free, p[i]);
    }
    if (sound_one_in(s, 4)) {
        forced = 1;
        sound_line(s, SOUND_EQUATION, "force %s: -%s*%s", q[0], sound_positive(s), p[0]);
    }
    if (!forced && !sound_one_in(s, 3)) sound_line(s, SOUND_VALUE, "invariant energy");
}

/* x' = B grad H with a B that is not canonical: a plane with an area that depends on the place, or a body. */
void sound_structure(struct sound *s) {
    const char *x[3];
    int body = below(s, 2);
    for (int i = 0; i < 2 + body; i++) {
        x[i] = sound_name(s, "x");
        sound_line(s, SOUND_DECLARATION, "var %s", x[i]);
        sound_line(s, SOUND_VALUE, "init %s = %s", x[i], i ? start_value(s) : "0.9");
        sound_add(&s->atom, x[i]);
        sound_add(&s->free, x[i]);
    }
    if (body) {
        sound_line(s, SOUND_EQUATION, "hamiltonian %s*%s^2/2 + %s*%s^2/2 + %s*%s^2/2", sound_positive(s),
                   x[0], sound_positive(s), x[1], sound_positive(s), x[2]);
        sound_line(s, SOUND_EQUATION, "structure %s, %s, %s: ((0, -%s, %s), (%s, 0, -%s), (-%s, %s, 0))",
                   x[0], x[1], x[2], x[2], x[1], x[2], x[0], x[1], x[0]);
        sound_line(s, SOUND_VALUE, "invariant %s = %s^2 + %s^2 + %s^2", sound_name(s, "i"), x[0], x[1], x[2]);
    } else {
        const char *b = sound_say(s, "(%s + sin(%s)^2)", sound_positive(s), sound_pick(s, &s->atom));
        sound_line(s, SOUND_EQUATION, "hamiltonian %s*%s^2/2 + %s", sound_positive(s), x[0], potentials(s));
        sound_line(s, SOUND_EQUATION, "structure %s, %s: ((0, %s), (-%s, 0))", x[0], x[1], b, b);
    }
    if (sound_one_in(s, 2)) sound_line(s, SOUND_VALUE, "invariant energy");
}
