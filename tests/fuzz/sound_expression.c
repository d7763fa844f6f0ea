/* sound_expression.c - expressions that have a value everywhere; see sound.h.
 *
 * Roots, logarithms and quotients get arguments that are bounded away from where they fail, as in
 * sqrt(1 + a^2); what grows fast gets a bounded argument, as in exp(tanh(a)). */
#include "sound.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static int below(struct sound *s, int n) {
    return sound_below(&s->dice, n);
}

const char *sound_number(struct sound *s) {
    static const char *const number[] = {"2",   "0.5", "3",   "0.3", "1.7", "0.25",
                                         "0.1", "1",   "4/3", ".8",  "1e-1"};
    return number[below(s, COUNT(number))];
}

const char *sound_positive(struct sound *s) {
    const char *a = sound_number(s), *k = s->positive.count ? sound_pick(s, &s->positive) : "1";
    switch (below(s, 8)) {
    case 0:
    case 1:
        return k;
    case 2:
        return a;
    case 3:
        return sound_say(s, "%s*%s", a, k);
    case 4:
        return sound_say(s, "%s*%s", k, a);
    case 5:
        return sound_say(s, "(%s + %s^2)", a, s->parameter.count ? sound_pick(s, &s->parameter) : k);
    case 6:
        return sound_say(s, "(%s*%s/2)", k, s->positive.count ? sound_pick(s, &s->positive) : a);
    default:
        return sound_say(s, "%s/%s", k, a);
    }
}

const char *sound_constant(struct sound *s) {
    const char *a = sound_number(s), *k = s->parameter.count ? sound_pick(s, &s->parameter) : "0.7";
    switch (below(s, 9)) {
    case 0:
        return a;
    case 1:
    case 2:
        return k;
    case 3:
        return sound_say(s, "%s*%s", a, k);
    case 4:
        return sound_say(s, "%s*%s", k, a);
    case 5:
        return sound_say(s, "(%s - %s)", k, a);
    case 6:
        return sound_say(s, "(-%s)", k);
    case 7:
        return sound_say(s, "%s/%s", k, a);
    default:
        return sound_say(s, "(%s*%s)", k, s->parameter.count ? sound_pick(s, &s->parameter) : a);
    }
}

static const char *leaf(struct sound *s) {
    if (s->atom.count && below(s, 5) < 4) return sound_pick(s, &s->atom);
    return sound_constant(s);
}

/* Of any size, and smooth. */
static const char *function_of(struct sound *s, const char *a) {
    static const char *const form[] = {"sqrt(1 + (%s)^2)",
                                       "log(2 + (%s)^2)",
                                       "log1p((%s)^2)",
                                       "asinh(%s)",
                                       "exp(tanh(%s))",
                                       "cbrt(2 + sin(%s))",
                                       "hypot(1, %s)",
                                       "(2 + cos(%s))^1.5",
                                       "(1 + (%s)^2)^(-0.5)",
                                       "log10(3 + sin(%s))",
                                       "sinh(tanh(%s))",
                                       "cosh(sin(%s))",
                                       "acos(0.5*sin(%s))",
                                       "asin(0.4*cos(%s))",
                                       "atanh(0.3*sin(%s))",
                                       "acosh(3 + cos(%s))",
                                       "tan(0.5*tanh(%s))",
                                       "expm1(cos(%s))",
                                       "1/sqrt(1 + (%s)^2)^3",
                                       "dn(%s, 0.4)",
                                       "(2 + sin(%s))^(-2)",
                                       "((1.5 + cos(%s))^(-1))^(-2)",
                                       "jacobieps(sin(%s), 0.3)",
                                       "(%s)^2/(1 + 1)"};
    return sound_say(s, form[below(s, COUNT(form))], a);
}

const char *sound_bounded(struct sound *s, int depth) {
    static const char *const form[] = {"sin(%s)",      "cos(%s)",        "tanh(%s)",        "atan(%s)",
                                       "exp(-(%s)^2)", "1/(1 + (%s)^2)", "sn(%s, 0.3)",     "cn(%s, 0.6)",
                                       "atan2(%s, 2)", "expm1(-(%s)^2)", "1/cosh(tanh(%s))"};
    const char *a = sound_expression(s, depth - 1);
    if (s->function.count && sound_one_in(s, 4))
        return sound_say(s, "%s(%s)", sound_pick(s, &s->function), a);
    return sound_say(s, form[below(s, COUNT(form))], a);
}

/* Products in all orders and bracketings. */
static const char *product(struct sound *s, int depth) {
    const char *c = sound_constant(s), *d = sound_number(s), *a = sound_expression(s, depth - 1);
    const char *b = sound_bounded(s, depth - 1);
    switch (below(s, 8)) {
    case 0:
        return sound_say(s, "%s*(%s)", c, a);
    case 1:
        return sound_say(s, "(%s)*%s", a, c);
    case 2:
        return sound_say(s, "%s*(%s*(%s))", c, d, a);
    case 3:
        return sound_say(s, "%s*%s*(%s)", d, c, a);
    case 4:
        return sound_say(s, "(%s)*%s", a, b);
    case 5:
        return sound_say(s, "%s*((%s)*%s)*%s", d, a, b, b);
    case 6:
        return sound_say(s, "(%s)/%s", a, d);
    default:
        return sound_say(s, "(%s)/(2 + (%s)^2)", a, b);
    }
}

const char *sound_expression(struct sound *s, int depth) {
    if (depth <= 0 || s->full) return leaf(s);
    switch (below(s, 12)) {
    case 0:
    case 1:
        return leaf(s);
    case 2:
        return sound_say(s, "%s + %s", sound_expression(s, depth - 1), sound_expression(s, depth - 1));
    case 3:
        return sound_say(s, "%s - (%s)", sound_expression(s, depth - 1), sound_expression(s, depth - 1));
    case 4:
    case 5:
    case 6:
        return product(s, depth);
    case 7:
        return sound_say(s, "-(%s)", sound_expression(s, depth - 1));
    case 8:
        return sound_say(s, "%s^%d", sound_bounded(s, depth - 1), 2 + below(s, 4));
    case 9:
        return function_of(s, sound_expression(s, depth - 1));
    case 10:
        return sound_say(s, "if(%s > -1000, %s, 0)", sound_constant(s), sound_expression(s, depth - 1));
    default:
        return sound_bounded(s, depth);
    }
}

/* The first ones have switches that no motion meets; the others may be crossed. */
/* Rows around the values of expressions and times, first and last alike. */
void sound_table(struct sound *s) {
    static const char *const by[] = {"hold", "linear", "pchip", "spline", "mean"}, *const outside[] = {
                                                                                       "hold", "repeat"};
    int rows = 2 + below(s, 6);
    double at = -1.5, first = 0.1 * below(s, 9);
    const char *block = sound_say(s, "table \"r.csv\":\n    \"%g,%g\"", at, first);
    s->table = sound_name(s, "f");
    sound_line(s, SOUND_DEFINITION, "table %s = \"r.csv\", by = %s, outside = %s", s->table, by[below(s, 5)],
               outside[below(s, 2)]);
    for (int i = 0; i < rows; i++)
        block = sound_say(s, "%s\n    \"%g,%g\"", block, at += 0.13 + 0.1 * below(s, 12),
                          i + 1 < rows ? 0.1 * below(s, 11) - 0.4 : first);
    sound_line(s, SOUND_DEFINITION, "%s", block);
}

const char *sound_nonsmooth(struct sound *s, int depth) {
    static const char *const far[] = {"abs(2 + sin(%s))",         "max(sin(%s), -2)",
                                      "min(cos(%s), 3)",          "sign(3 + sin(%s))",
                                      "floor(0.5 + 0.2*cos(%s))", "mod(1 + 0.5*sin(%s), 4)",
                                      "if(cos(%s) < 2, 1, 0)",    "if(not (sin(%s) > 3), 0.5, 2)"};
    static const char *const near[] = {
        "abs(sin(%s))",         "max(sin(%s), 0.1)",
        "min(cos(%s), 0.4)",    "sign(%s)",
        "floor(3*sin(%s))",     "mod(%s, 0.7)",
        "if(%s < 0.2, 1, 0.5)", "if(sin(%s) > 0 and t > 0.1 or t < -3, 0.5, 2)",
        "if(t < 0.2, %s, 1)"};
    const char *a = sound_expression(s, depth - 1);
    if (!s->allow_switches || sound_one_in(s, 3)) return sound_say(s, far[below(s, COUNT(far))], a);
    s->has_switches = 1;
    if (s->table && sound_one_in(s, 2)) return sound_say(s, "%s(%s)", s->table, sound_one_in(s, 3) ? "t" : a);
    return sound_say(s, near[below(s, COUNT(near))], a);
}
