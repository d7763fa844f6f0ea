/* switched.h - random problems that switch, with their answers.
 *
 * A signal F(t) is piecewise constant and known by its list of jumps; as text it is written in one of many
 * ways (and, or, nested if, sign, abs, floor, mod, min and max, in a let or a function).  The equations have
 * closed forms between switches, and here they are followed from switch to switch by these alone. */
#ifndef KEEL_TESTS_SWITCHED_H
#define KEEL_TESTS_SWITCHED_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SWITCHED_JUMPS = 64, SWITCHED_TEXT = 8000 };

struct switched {
    uint64_t state; /* of the generator */
    char text[SWITCHED_TEXT];
    double from, to;
    double at[SWITCHED_JUMPS], level[SWITCHED_JUMPS + 1]; /* F is level[i] before at[i] */
    int jumps;
    double start, exact; /* of x, in units */
    double unit, zero;   /* x is unit*(zero + x of the closed form) */
    double size;         /* of what happens on the way */
    const char *kind;
    int slides, grows; /* sticks somewhere; errors may grow by this factor */
};

static inline double switched_uniform(struct switched *s, double low, double high) {
    s->state += 0x9e3779b97f4a7c15u;
    uint64_t x = s->state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return low + (high - low) * (double)(x >> 11) * 0x1p-53;
}

static inline int switched_below(struct switched *s, int bound) {
    return (int)switched_uniform(s, 0, bound);
}

/* A number with few digits: what is written is what is meant. */
static inline double switched_number(struct switched *s, double low, double high) {
    return nearbyint(switched_uniform(s, low, high) * 64) / 64;
}

static inline void switched_jump(struct switched *s, double at, double by) {
    int i = s->jumps++;
    while (i > 0 && s->at[i - 1] > at) i--;
    memmove(s->at + i + 1, s->at + i, (size_t)(s->jumps - 1 - i) * sizeof *s->at);
    memmove(s->level + i + 1, s->level + i, (size_t)(s->jumps - i) * sizeof *s->level);
    s->at[i] = at;
    for (int k = i + 1; k <= s->jumps; k++) s->level[k] += by;
}

/* One piece of F: how it is written, and its jumps. */
static inline void switched_piece(struct switched *s, char *out, size_t capacity) {
    double a = switched_number(s, s->from, s->to), b = a + switched_number(s, 0.05, 0.4) * (s->to - s->from);
    double c = switched_number(s, -2, 2), d = switched_number(s, -2, 2), width = switched_number(s, 0.3, 2);
    switch (switched_below(s, 9)) {
    case 0:
        snprintf(out, capacity, "if(t > %.17g and t < %.17g, %.17g, 0)", a, b, c);
        switched_jump(s, a, c), switched_jump(s, b, -c);
        break;
    case 1:
        snprintf(out, capacity, "if(t < %.17g or not (t < %.17g), 0, %.17g)", a, b, c);
        switched_jump(s, a, c), switched_jump(s, b, -c);
        break;
    case 2:
        snprintf(out, capacity, "%.17g*(sign(t - %.17g) - sign(t - %.17g))/2", c, a, b);
        switched_jump(s, a, c), switched_jump(s, b, -c);
        break;
    case 3: /* nested */
        snprintf(out, capacity, "if(t > %.17g, if(t > %.17g, %.17g, %.17g), 0)", a, b, d, c);
        switched_jump(s, a, c), switched_jump(s, b, d - c);
        break;
    case 4:
        snprintf(out, capacity, "%.17g*if(abs(t - %.17g) < %.17g, 1, 0)", c, a, width);
        switched_jump(s, a - width, c), switched_jump(s, a + width, -c);
        break;
    case 5: /* min and max of steps */
        snprintf(out, capacity, "%.17g*max(min(if(t > %.17g, 1, 0), if(t > %.17g, -1, 1)), 0)", c, a, b);
        switched_jump(s, a, c), switched_jump(s, b, -c);
        break;
    case 6: { /* a staircase that is cut off */
        double step = width + 0.5, first = s->from + step;
        int count = 0;
        for (; count < 6 && first + count * step < s->to; count++) switched_jump(s, first + count * step, c);
        snprintf(out, capacity, "%.17g*min(floor((t - %.17g)/%.17g), %d)", c, s->from, step, count);
        break;
    }
    case 7: { /* a square wave that begins high, for some periods */
        double period = width + 1, high = 0.25 * period;
        int count = 0;
        for (int k = 0; k <= s->jumps; k++) s->level[k] += c;
        for (; count < 5 && s->from + count * period < s->to; count++) {
            if (count > 0) switched_jump(s, s->from + count * period, c);
            switched_jump(s, s->from + count * period + high, -c);
        }
        snprintf(out, capacity, "%.17g*if(t < %.17g and mod(t - %.17g, %.17g) < %.17g, 1, 0)", c,
                 s->from + count * period - period / 2, s->from, period, high);
        break;
    }
    default: /* a step inside a product */
        snprintf(out, capacity, "(1 + sign(t - %.17g))*%.17g", a, c / 2);
        switched_jump(s, a, c);
    }
}

/* F as an expression of t, perhaps by a let. */
static inline void switched_signal(struct switched *s, char *let, size_t let_capacity, char *use,
                                   size_t capacity) {
    char sum[2400] = "", piece[400];
    int pieces = 1 + switched_below(s, 3);
    memset(s->level, 0, sizeof s->level);
    s->jumps = 0;
    for (int k = 0; k < pieces; k++) {
        switched_piece(s, piece, sizeof piece);
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), "%s%s", k ? " + " : "", piece);
    }
    int by_let = switched_below(s, 2);
    snprintf(let, let_capacity, by_let ? "let drive = %s\n" : "%.0s", sum);
    snprintf(use, capacity, "%s", by_let ? "drive" : sum);
}

/* What x does for a time h with F constant; the kinds differ in this alone. */
typedef double switched_flow(const struct switched *s, double f, double x, double h);

static inline double switched_integral(const struct switched *s, double f, double x, double h) {
    (void)s;
    return x + f * h;
}

static inline double switched_decay(const struct switched *s, double f, double x, double h) {
    (void)s;
    return f + (x - f) * exp(-h);
}

/* x' = min(max(f - x, -1), 1) */
static inline double switched_saturation(const struct switched *s, double f, double x, double h) {
    double away = x - f, sign = away > 0 ? 1 : -1, wait = fabs(away) - 1;
    (void)s;
    if (wait <= 0) return f + away * exp(-h);
    if (h <= wait) return x - sign * h;
    return f + sign * exp(wait - h);
}

/* x' = f/2 - dz(x), dz(x) = 0 for |x| < 1/2, else x - sign(x)/2 */
static inline double switched_dead_zone(const struct switched *s, double f, double x, double h) {
    (void)s;
    f /= 2;
    for (int part = 0; part < 3 && h > 0; part++) {
        if (fabs(x) >= 0.5 && !(fabs(x) == 0.5 && f * x <= 0)) {
            double edge = x > 0 ? 0.5 : -0.5, to = edge + f; /* x' = -(x - to) */
            if ((x > 0 ? to >= edge : to <= edge)) return to + (x - to) * exp(-h);
            double wait = log((x - to) / (edge - to));
            if (h <= wait) return to + (x - to) * exp(-h);
            h -= wait;
            x = edge;
        }
        if (f == 0) return x;
        double edge = f > 0 ? 0.5 : -0.5, wait = (edge - x) / f;
        if (h <= wait) return x + f * h;
        h -= wait;
        x = edge + 0 * f;
        double to = edge + f;
        return to + (x - to) * exp(-h);
    }
    return x;
}

/* x' = f - sign(x): dry friction, sticking while |f| <= 1 */
static inline double switched_friction(const struct switched *s, double f, double x, double h) {
    (void)s;
    if (x != 0) {
        double sign = x > 0 ? 1 : -1, rate = f - sign, wait = rate * x < 0 ? -x / rate : HUGE_VAL;
        if (h <= wait) return x + rate * h;
        h -= wait;
    }
    return fabs(f) <= 1 ? 0 : (f - (f > 0 ? 1 : -1)) * h;
}

static inline void switched_make(struct switched *s, uint64_t seed) {
    static const struct {
        const char *kind, *rate;
        switched_flow *flow;
        int slides, backward;
    } kinds[] = {{"pulses", "U*(%s)", switched_integral, 0, 1},
                 {"square waves", "U*(%s) - d", switched_decay, 0, 0},
                 {"saturation", "min(max(U*(%s) - d, -U), U)", switched_saturation, 0, 0},
                 {"dead zone", "U*(%s)/2 - if(abs(d) < U/2, 0, d - U*sign(d)/2)", switched_dead_zone, 0, 0},
                 {"dry friction", "U*(%s) - U*sign(d)", switched_friction, 1, 0}};
    char let[2600], use[2500], rate[2600];
    memset(s, 0, sizeof *s);
    s->state = seed * 0x2545f4914f6cdd1du + 1;
    int k = switched_below(s, 5);
    s->kind = kinds[k].kind;
    s->slides = kinds[k].slides;
    s->from = switched_below(s, 3) ? 0 : switched_number(s, -20, 20);
    s->to = s->from + switched_number(s, 3, 12);
    switched_signal(s, let, sizeof let, use, sizeof use);
    snprintf(rate, sizeof rate, kinds[k].rate, use);
    s->start = switched_number(s, -2, 2);
    int back = kinds[k].backward && switched_below(s, 3) == 0;
    double x = s->start, t = s->from, t_end = s->to;
    s->size = fabs(x);
    for (int i = 0; t < t_end; i++) {
        double next = i < s->jumps ? fmin(fmax(s->at[i], t), t_end) : t_end;
        x = kinds[k].flow(s, s->level[i], x, next - t);
        s->size = fmax(s->size, fabs(x));
        t = next;
    }
    double first = back ? x : s->start;
    s->exact = back ? s->start : x;
    s->unit = switched_below(s, 3) ? 1 : pow(10, switched_below(s, 25) - 12);
    s->zero = switched_below(s, 2) ? 0 : switched_number(s, -2, 2);
    snprintf(
        s->text, sizeof s->text,
        "param U = %.17g\nvar x {scale = U}\nlet d = x - %.17g*U\n%sx' = %s\ninit x = U*(%.17g + %.17g)\n"
        "run %.17g..%.17g\n",
        s->unit, s->zero, let, rate, s->zero, first, back ? s->to : s->from, back ? s->from : s->to);
    if (back) {
        double from = s->from;
        s->from = s->to;
        s->to = from;
    }
}
#endif
