/* floors.h - a ball that bounces on a floor which moves, with the answer: parabolas between hits, which are
 * found by small steps and bisection. */
#ifndef KEEL_TESTS_FLOORS_H
#define KEEL_TESTS_FLOORS_H

#include "switched.h"

struct floors {
    struct switched s;           /* the generator and the text */
    double g, e, c, u, a, w, ph; /* floor: c + u t + a sin(w t + ph) */
    double y, v, to;             /* start; end */
    double exact_y, exact_v;     /* at the end */
    double grows;                /* how much a change of the start is there */
    int hits, lagrangian;
};

static inline double floors_height(const struct floors *f, double t) {
    return f->c + f->u * t + f->a * sin(f->w * t + f->ph);
}

static inline double floors_speed(const struct floors *f, double t) {
    return f->u + f->a * f->w * cos(f->w * t + f->ph);
}

/* Follows the ball to `to`.  0: a hit so soft, or a miss so close, that its time is not well defined; *stop
 * is then a time before it. */
static inline int floors_follow(const struct floors *f, double to, double *y, double *v, int *hits,
                                double *stop) {
    double t = 0, step = 1. / 512;
    *hits = 0;
    while (t < to) {
        double y0 = *y, v0 = *v, from = t, low = HUGE_VAL;
        int hit = 0;
        for (double next = t + step; !hit; next += step) { /* the first place below the floor */
            double h = next - from, gap = y0 + v0 * h - f->g * h * h / 2 - floors_height(f, next);
            double closing = v0 - f->g * h - floors_speed(f, next);
            *stop = from + 0.5 * fmin(h, 0.3);
            if (gap >= 0) {
                if (h > 0.05 && fabs(closing) < 0.1) low = fmin(low, gap);
                if (next >= to) break;
                continue;
            }
            double a = next - step, b = next;
            for (int k = 0; k < 200 && a < b; k++) {
                double at = a + (b - a) / 2, d = at - from;
                if (at <= a || at >= b) break;
                if (y0 + v0 * d - f->g * d * d / 2 - floors_height(f, at) >= 0) a = at;
                else b = at;
            }
            double d = b - from, floor_speed = floors_speed(f, b), speed = v0 - f->g * d;
            if (low < 0.02 || speed - floor_speed > -0.3 || d < 0.05 || b >= to) return b >= to ? 2 : 0;
            *y = floors_height(f, b);
            *v = floor_speed - f->e * (speed - floor_speed);
            t = b;
            hit = 1;
            ++*hits;
        }
        if (hit) continue;
        if (low < 0.02) return 0;
        double h = to - from;
        *y = y0 + v0 * h - f->g * h * h / 2;
        *v = v0 - f->g * h;
        t = to;
    }
    return 1;
}

static inline int floors_try(struct floors *f) {
    struct switched *s = &f->s;
    double y, v, stop = 0;
    int hits;
    f->g = switched_number(s, 1, 10), f->e = switched_number(s, 0.3, 1);
    f->c = switched_number(s, -2, 2), f->u = switched_below(s, 2) ? 0 : switched_number(s, -0.5, 0.5);
    f->a = switched_below(s, 4) ? switched_number(s, 0.05, 0.5) : 0;
    f->w = switched_number(s, 0.5, 6), f->ph = switched_number(s, -3, 3);
    f->y = floors_height(f, 0) + switched_number(s, 0.3, 3), f->v = switched_number(s, -1, 2);
    f->to = switched_number(s, 2, 8);
    f->lagrangian = switched_below(s, 2);
    for (int tries = 0; tries < 8; tries++) {
        y = f->y, v = f->v;
        if (floors_follow(f, f->to, &y, &v, &hits, &stop) == 1) break;
        f->to = nearbyint(stop * 1024) / 1024;
        if (tries == 7 || f->to < 0.2) return 0;
    }
    double gap = y - floors_height(f, f->to);
    if (hits == 0 || gap < 0.02) return 0;
    f->exact_y = y, f->exact_v = v, f->hits = hits;
    double beside = f->y + 1e-6, speed = f->v;
    int others;
    if (floors_follow(f, f->to, &beside, &speed, &others, &stop) != 1 || others != hits) return 0;
    f->grows = 1 + (fabs(beside - y) + fabs(speed - v)) / 1e-6;
    return f->grows < 1e4;
}

static inline void floors_make(struct floors *f, uint64_t seed) {
    memset(f, 0, sizeof *f);
    f->s.state = seed * 0x2545f4914f6cdd1du + 3;
    while (!floors_try(f)) {}
    const char *form = f->lagrangian ? "coord y\nlagrangian y'^2/2 - %.17g*y\n" : "var y\ny'' = -%.17g\n";
    char equations[200];
    snprintf(equations, sizeof equations, form, f->g);
    snprintf(f->s.text, sizeof f->s.text,
             "%slet floor_ = %.17g + %.17g*t + %.17g*sin(%.17g*t + %.17g)\n"
             "event hit: y - floor_ falling -> y' := floor_' - %.17g*(y' - floor_')\n"
             "init y = %.17g, y' = %.17g\nrun 0 .. %.17g\n",
             equations, f->c, f->u, f->a, f->w, f->ph, f->e, f->y, f->v, f->to);
}
#endif
