/* implicit_radau.c - adaptive Radau IIA with an odd number of stages: step and order.
 *
 * Steps are predicted from two errors (Gustafsson 1994).  The order follows the contraction of Newton.
 * Hairer, Wanner, Solving ODEs II, IV.8; J. Comput. Appl. Math. 111 (1999) 93. */
#include "methods/implicit_rk.h"

#include "base/portable.h"

#include <math.h>

/* Upward where Newton contracts at once and the step is steady, downward where it hardly does. */
static void choose_order(const keel_work *w, struct implicit_memory *memory, double ratio) {
    const struct implicit_method *method = w->stepper->table;
    int now = implicit_choice(w), choice = now;
    memory->age++;
    if (method->count == 1) return;
    if (memory->rate >= 0.8) choice--;
    else if (memory->age > 10 && memory->iterations > 1 && memory->rate <= 0.002 && ratio > 0.8 &&
             ratio < 1.2)
        choice++;
    if (choice < 0 || choice >= method->count || choice == now) return;
    memory->choice = choice;
    memory->age = 0;
    memory->accepted_h = 0;
    memory->contraction = 1;
}

double implicit_radau_next(keel_work *w, double h, double error, int rejected) {
    struct implicit_rk *m = w->method;
    struct implicit_memory *memory = m->memory;
    int s = m->table[implicit_choice(w)].s, most = 7 + (s - 3) * 5 / 2;
    double power = 1 / fmax(s + 1, memory->exponent), before = memory->rejections;
    if (isinf(error)) { /* Newton, or f */
        memory->rejections++;
        if (memory->rejections > 3 && memory->choice > 0) memory->choice--;
        return h * (memory->shrink > 0 ? fmin(memory->shrink, 0.9) : 0.25);
    }
    double safety = fmin(0.9, 0.9 * (1 + 2 * most) / (memory->iterations + 2 * most));
    double factor = fmax(0.125, fmin(5, portable_power(fmax(error, 1e-10), power) / safety)); /* h / h_next */
    if (error > 1) {
        memory->rejections++;
        return h / fmax(factor, 1.1);
    }
    if (memory->accepted_h > 0) {
        double predicted =
            memory->accepted_h / h * portable_power(error * error / memory->accepted_error, power) / 0.9;
        factor = fmax(factor, fmax(0.125, fmin(5, predicted)));
    }
    memory->accepted_h = h;
    memory->accepted_error = fmax(1e-2, error);
    memory->rejections = 0;
    if (before > 0 || rejected) factor = fmax(factor, 1);
    double next = h / factor;
    choose_order(w, memory, next / h);
    return memory->slow == 0 && next >= h && next <= 1.2 * h ? h : next;
}
