/* sound_equations.c - models that are equations: explicit, implicit, algebraic, of index 0 to 3; see
 * sound.h. */
#include "sound.h"

static int below(struct sound *s, int n) {
    return sound_below(&s->dice, n);
}

void sound_parameters(struct sound *s) {
    static const char *const any[] = {"0.7", "-0.6", "0", "1.3", "2", "-1", "0.05"};
    static const char *const above[] = {"0.8", "1.5", "2", "0.4", "1"};
    int count = 1 + below(s, 3);
    for (int i = 0; i < count; i++) {
        const char *name = sound_name(s, "k");
        if (i > 0 && sound_one_in(s, 3))
            sound_line(s, SOUND_DEFINITION, "param %s = %s", name, sound_constant(s));
        else sound_line(s, SOUND_DEFINITION, "param %s = %s", name, any[below(s, 7)]);
        sound_add(&s->parameter, name);
    }
    count = 1 + below(s, 2);
    for (int i = 0; i < count; i++) {
        const char *name = sound_name(s, "m");
        sound_line(s, SOUND_DEFINITION, "param %s = %s", name, i ? sound_positive(s) : above[below(s, 5)]);
        sound_add(&s->positive, name);
    }
    if (sound_one_in(s, 3)) {
        const char *name = sound_name(s, "c");
        sound_line(s, SOUND_DEFINITION, "param %s = (%s, %s)", name, any[below(s, 7)], sound_number(s));
        sound_add(&s->parameter, sound_say(s, "%s[1]", name));
        sound_add(&s->parameter, sound_say(s, "%s[2]", name));
    }
}

void sound_definitions(struct sound *s) {
    if (sound_one_in(s, 2)) {
        struct sound_list atoms = s->atom;
        const char *name = sound_name(s, "f"), *of = sound_name(s, "u");
        s->atom = (struct sound_list){{of}, 1};
        sound_line(s, SOUND_DEFINITION, "let %s(%s) = %s", name, of, sound_bounded(s, 2));
        s->atom = atoms;
        sound_add(&s->function, name);
    }
    for (int i = below(s, 3); i > 0; i--) {
        const char *name = sound_name(s, "r");
        sound_line(s, SOUND_DEFINITION, "let %s = %s", name, sound_expression(s, 2));
        sound_add(&s->atom, name);
    }
}

/* Of x, whose growth is bounded in both directions of time. */
static const char *rate(struct sound *s, const char *x) {
    if (s->allow_switches && sound_one_in(s, 2))
        return sound_say(s, "%s*%s - %s", sound_positive(s), sound_nonsmooth(s, 2), x);
    switch (below(s, 7)) {
    case 0:
        return sound_say(s, "-%s*%s + %s", sound_positive(s), x, sound_bounded(s, 3));
    case 1:
        return sound_say(s, "%s*(%s*%s)", sound_constant(s), sound_number(s), sound_pick(s, &s->atom));
    case 2:
        return sound_say(s, "%s - %s^3/(1 + %s^2)", sound_bounded(s, 2), x, x);
    case 3:
        return sound_say(s, "%s*%s*%s - %s", sound_number(s), sound_constant(s), sound_pick(s, &s->atom), x);
    case 4:
        return sound_say(s, "%s*%s", sound_constant(s), sound_nonsmooth(s, 2));
    default:
        return sound_say(s, "%s*%s + %s", sound_constant(s), sound_bounded(s, 3), sound_bounded(s, 2));
    }
}

static const char *start_value(struct sound *s) {
    static const char *const value[] = {"0.3", "1", "-0.5", "0.75", "0.2", "-1.1", "0.6"};
    return value[below(s, 7)];
}

static const char *new_state(struct sound *s) {
    const char *x = sound_name(s, "x");
    sound_line(s, SOUND_DECLARATION, "var %s", x);
    sound_line(s, SOUND_VALUE, "init %s = %s", x, start_value(s));
    sound_add(&s->atom, x);
    sound_add(&s->free, x);
    return x;
}

/* Elements that act on each other, in a loop. */
static void array(struct sound *s) {
    const char *n = sound_name(s, "n"), *x = sound_name(s, "a");
    const char *element = sound_say(s, "%s[i]", x), *c = sound_constant(s);
    const char *other[] = {"sum(j in 1..%s if j != i, sin(%s[j] - %s[i]))",
                           "sum(j in 1..%s, j*%s[j] - %s[i])/4",
                           "sum(j in 1..%s if j == i or j < 2, tanh(%s[j])*%s[i])"};
    int count = 2 + below(s, 3);
    sound_line(s, SOUND_DEFINITION, "param %s = %d", n, count);
    sound_line(s, SOUND_DECLARATION, "var %s[1..%s]", x, n);
    sound_line(s, SOUND_EQUATION, "for i in 1..%s:\n    %s' = -%s*%s + %s*%s + %s", n, element,
               sound_positive(s), element, c, sound_say(s, other[below(s, 3)], n, x, x), sound_bounded(s, 2));
    if (sound_one_in(s, 2)) sound_line(s, SOUND_VALUE, "init %s = 0.4", x);
    else sound_line(s, SOUND_VALUE, "for i in 1..%s: init %s = 0.3*i - 0.2", n, element);
    sound_add(&s->atom, sound_say(s, "%s[%d]", x, 1 + below(s, count)));
    if (sound_one_in(s, 2)) sound_add(&s->atom, sound_say(s, "sum(l in 1..%s, %s[l])", n, x));
    if (sound_one_in(s, 2)) sound_add(&s->atom, sound_say(s, "dot(%s, %s)", x, x));
}

/* A part of its own with a closed form. */
static void exact(struct sound *s) {
    const char *x = sound_name(s, "e"), *k = sound_pick(s, &s->positive), *y;
    const char *from = sound_say(s, "%g", s->from);
    sound_line(s, SOUND_DECLARATION, "var %s", x);
    sound_line(s, SOUND_VALUE, "init %s = 0.9", x);
    switch (below(s, 3)) {
    case 0:
        sound_line(s, SOUND_EQUATION, "%s' = -%s*%s", x, k, x);
        sound_line(s, SOUND_VALUE, "exact %s = 0.9*exp(-%s*(t - (%s)))", x, k, from);
        break;
    case 1:
        sound_line(s, SOUND_EQUATION, "%s' = %s^2*cos(%s*t)", x, k, k);
        sound_line(s, SOUND_VALUE, "exact %s = 0.9 + %s*(sin(%s*t) - sin(%s*(%s)))", x, k, k, k, from);
        break;
    default:
        y = sound_name(s, "e");
        sound_line(s, SOUND_DECLARATION, "var %s", y);
        sound_line(s, SOUND_VALUE, "init %s = 0", y);
        sound_line(s, SOUND_EQUATION, "%s' = %s*%s", x, k, y);
        sound_line(s, SOUND_EQUATION, "%s' = -%s*%s", y, k, x);
        sound_line(s, SOUND_VALUE, "exact %s = 0.9*cos(%s*(t - (%s)))", x, k, from);
    }
}

void sound_ode(struct sound *s) {
    const char *x[3];
    int count = 1 + below(s, 3);
    for (int i = 0; i < count; i++) x[i] = new_state(s);
    if (sound_one_in(s, 4)) array(s);
    if (sound_one_in(s, 2)) sound_add(&s->atom, "t"), s->has_time = 1;
    sound_definitions(s);
    for (int i = 0; i < count; i++) {
        if (sound_one_in(s, 4)) { /* of second order */
            sound_line(s, SOUND_EQUATION, "%s'' = -%s*%s' - %s*%s + %s", x[i], sound_positive(s), x[i],
                       sound_positive(s), x[i], sound_bounded(s, 2));
            sound_line(s, SOUND_VALUE, "init %s' = %s", x[i], start_value(s));
        } else sound_line(s, SOUND_EQUATION, "%s' = %s", x[i], rate(s, x[i]));
    }
    if (sound_one_in(s, 4)) exact(s);
}

/* An algebraic unknown of the states, found by itself or as a root. */
static void algebraic(struct sound *s) {
    const char *y = sound_name(s, "y");
    sound_line(s, SOUND_DECLARATION, "var %s", y);
    switch (below(s, 4)) {
    case 0:
        sound_line(s, SOUND_EQUATION, "%s = %s", y, sound_expression(s, 2));
        break;
    case 1:
        sound_line(s, SOUND_EQUATION, "%s*%s = %s", sound_positive(s), y, sound_bounded(s, 2));
        break;
    case 2:
        sound_line(s, SOUND_EQUATION, "%s + 0.2*%s*%s^3 = %s", y, sound_positive(s), y, sound_bounded(s, 2));
        sound_line(s, SOUND_VALUE, "guess %s = 0", y);
        break;
    default:
        sound_line(s, SOUND_EQUATION, "%s = 2*%s + 0.5*tanh(%s)", sound_bounded(s, 2), y, y);
    }
    sound_add(&s->atom, y);
}

/* Two states that one unknown holds together: index 2. */
static void joined(struct sound *s) {
    const char *a = sound_name(s, "x"), *b = sound_name(s, "x"), *force = sound_name(s, "y");
    sound_line(s, SOUND_DECLARATION, "var %s, %s, %s", a, b, force);
    sound_line(s, SOUND_EQUATION, "%s' = %s + %s", a, sound_bounded(s, 2), force);
    sound_line(s, SOUND_EQUATION, "%s' = %s - %s*%s", b, sound_bounded(s, 2), sound_positive(s), force);
    sound_line(s, SOUND_EQUATION, "%s = %s*%s + %s", a, sound_positive(s), b,
               s->has_time && sound_one_in(s, 2) ? "0.3*sin(t)" : "0.2");
    sound_line(s, SOUND_VALUE, "init %s = %s", b, start_value(s));
    sound_add(&s->atom, a);
    sound_add(&s->atom, b);
}

/* A mass on a rod with the force as an unknown: index 3. */
static void rod(struct sound *s) {
    const char *x = sound_name(s, "x"), *y = sound_name(s, "x"), *force = sound_name(s, "y");
    sound_line(s, SOUND_DECLARATION, "var %s, %s, %s", x, y, force);
    sound_line(s, SOUND_EQUATION, "%s'' = -%s*%s + %s", x, force, x, sound_bounded(s, 2));
    sound_line(s, SOUND_EQUATION, "%s'' = -%s*%s - %s", y, force, y, sound_positive(s));
    sound_line(s, SOUND_EQUATION, "%s^2 + %s^2 = 1", x, y);
    sound_line(s, SOUND_VALUE, "init %s = 0.2, %s' = %s", y, y, start_value(s));
    sound_line(s, SOUND_VALUE, "guess %s = 1", x);
    sound_add(&s->atom, x);
}

/* Two equations, each with both derivatives; the matrix ((2 + a, b), (-c, 3 + d)) is never singular. */
static void mixed(struct sound *s) {
    const char *x = new_state(s), *y = new_state(s);
    sound_line(s, SOUND_EQUATION, "(2 + %s)*%s' + %s*%s' = %s", sound_positive(s), x, sound_positive(s), y,
               sound_bounded(s, 2));
    sound_line(s, SOUND_EQUATION, "(3 + sin(%s))*%s' - %s*%s' = %s", x, y, sound_positive(s), x,
               sound_bounded(s, 2));
}

void sound_dae(struct sound *s) {
    const char *x = new_state(s);
    int kind = below(s, 4);
    if (sound_one_in(s, 2)) sound_add(&s->atom, "t"), s->has_time = 1;
    if (kind != 1) algebraic(s);
    if (sound_one_in(s, 3)) algebraic(s);
    if (kind == 1) mixed(s);
    if (kind == 2) joined(s);
    if (kind == 3) rod(s);
    sound_definitions(s);
    sound_line(s, SOUND_EQUATION, "%s' = %s", x, rate(s, x));
    if (sound_one_in(s, 6)) exact(s);
}
