/* implicit_radau.c - adaptive Radau IIA with an odd number of stages: error, step and order.
 *
 *     err = (I - h g J)^-1 g (h f(x) - h u'(t)),  g the real eigenvalue of A, u the collocation polynomial,
 *
 * is O(h^{s+1}) while the step errs by O(h^{2s}); tolerances are therefore taken to the power (s+1)/(2s),
 * and a little less where s is large and steps so long that the two come near each other.  Steps are
 * predicted from two errors (Gustafsson 1994).  The order follows the contraction of Newton.  Hairer,
 * Wanner, Solving ODEs II, IV.8; J. Comput. Appl. Math. 111 (1999) 93. */
#include "methods/implicit_rk.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double widening(const keel_work *w, int s) { /* the tolerance of the estimate over the one asked for */
    return pow(0.1, 1 + 0.15 * (s - 3)) * pow(w->rtol, (s + 1.0) / (2.0 * s) - 1);
}

void implicit_radau_scale(keel_work *w, const keel_attempt *a) {
    struct implicit_rk *m = w->method;
    double wide = widening(w, m->table[implicit_choice(w)].s);
    for (int c = 0; c < w->n; c++)
        m->scale[c] = wide * fmax(w->atol[c] + w->rtol * fabs(a->x[c]), 4 * DBL_EPSILON * fabs(a->x[c]));
    for (int c = 0; c < w->n; c++)
        if (!(m->scale[c] > 0)) m->scale[c] = DBL_MIN;
}

keel_status implicit_radau_error(keel_work *w, const keel_attempt *a) {
    struct implicit_rk *m = w->method;
    const struct implicit_table *table = &m->table[implicit_choice(w)];
    double g = table->real[0], wide = widening(w, table->s), *error = m->residual;
    memset(error + w->n, 0, (size_t)(m->width - w->n) * sizeof *error); /* what has no derivative holds */
    for (int round = 0; round < 2; round++) {
        const double *f = round ? m->moved : a->f;
        for (int c = 0; c < w->n; c++) {
            double slope = 0; /* h u' at the begin */
            for (int j = 0; j < table->s; j++) slope += table->at_begin[j] * m->k[(long)j * m->width + c];
            error[c] = g * (a->h * f[c] - slope);
        }
        keel_status status = m->system ? m->system->smooth(w, a, g * a->h, error) : KEEL_OK;
        if (status != KEEL_OK) return status;
        implicit_newton_filter(w, error);
        if (round || implicit_size(w, 1, error) < 1 || !(a->first || m->memory->rejections > 0)) break;
        for (int c = 0; c < w->width; c++) m->stage[c] = a->x[c] + (c < w->n ? error[c] : 0);
        if (keel_rate(w, a->t, m->stage, m->moved) != KEEL_OK) break; /* the plain estimate will do */
        memset(error + w->n, 0, (size_t)(m->width - w->n) * sizeof *error);
    }
    w->code = 0;
    for (int c = 0; c < w->width; c++) a->error[0][c] = c < w->n ? error[c] / wide : 0;
    return m->system ? m->system->judge(w, a, 0, a->error[0]) : KEEL_OK;
}

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
    double power = 1.0 / (s + 1), before = memory->rejections;
    if (isinf(error)) { /* Newton, or f */
        memory->rejections++;
        if (memory->rejections > 3 && memory->choice > 0) memory->choice--;
        return h * (memory->shrink > 0 ? fmin(memory->shrink, 0.9) : 0.25);
    }
    double safety = fmin(0.9, 0.9 * (1 + 2 * most) / (memory->iterations + 2 * most));
    double factor = fmax(0.125, fmin(5, pow(fmax(error, 1e-10), power) / safety)); /* h / h_next */
    if (error > 1) {
        memory->rejections++;
        return h / fmax(factor, 1.1);
    }
    if (memory->accepted_h > 0) {
        double predicted = memory->accepted_h / h * pow(error * error / memory->accepted_error, power) / 0.9;
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
