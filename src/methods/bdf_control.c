/* bdf_control.c - error, order and step of the variable backward differentiation method.
 *
 * With equal steps of h order q errs by h^{q+1} x^(q+1) / (q+1) in a step, the difference of order q + 1 over
 * q + 1.  The table of differences has those for q = k - 1, k, k + 1 at the end of a step; as the steps were
 * not equal, each is brought to equal steps of h. */
#include "methods/bdf_variable.h"

#include "base/portable.h"

#include <math.h>
#include <string.h>

/* Errors of steps add up, and there are the more of them the smaller the tolerance: as tol^(-1/(k+1)).  An
 * error of the whole run that follows the tolerance needs steps that err by tol^((k+1)/k). */
double bdf_strictness(const keel_work *w) {
    const struct bdf_variable *b = w->method;
    return fmax(1, 0.4 * portable_power(w->rtol, -1. / b->most));
}

/* d + beta phi_i in tolerances. */
static double size_beside(const keel_work *w, int i, double beta) {
    const struct bdf_variable *b = w->method;
    return bdf_size_beside(w, b->d, bdf_difference(w, i), beta);
}

void bdf_estimate(keel_work *w, const struct bdf_formula *f, keel_attempt *a) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    int k = f->k;
    double strict = bdf_strictness(w), share = strict * f->error, *restrict error = a->error[0];
    const double *restrict d = b->d;
    for (int c = 0; c < w->n; c++) error[c] = share * d[c];
    for (int c = w->n; c < w->width; c++) error[c] = 0;
    double size = bdf_size(w, d);
    m->size = share * size;
    m->same = strict * f->equal[k + 2] * size / (k + 1);
    m->lower = m->higher = HUGE_VAL;
    int asked = m->age >= k || m->size > 0.5; /* bdf_next judges the order, or may reject the step */
    if (k > 1 && asked) m->lower = strict * f->equal[k + 1] * size_beside(w, k + 1, f->beta[k + 1]) / k;
    if (k < b->most && m->known >= k + 2 && m->age >= k)
        m->higher = strict * f->equal[k + 3] * size_beside(w, k + 2, -f->beta[k + 2]) / (k + 2);
}

/* By how much the step may become longer: a sixth of the tolerance, a tenth for an order more, is aimed at
 * (Byrne, Hindmarsh 1975). */
static double longer(double error, double bias, int power) {
    return isfinite(error) ? 1 / (portable_power(bias * fmax(error, 1e-12), 1. / power) + 1e-6) : 0;
}

/* A rejected step is shorter, with a lower order if that is longer: where f or its slope jumps the high
 * differences are of no use. */
static double after_rejection(struct bdf_memory *m, double h, double error, int k) {
    enum { PATIENCE = 5 };
    double share = m->size > 0 ? error / m->size : 1;
    double same = longer(error, 6, k + 1), lower = k > 1 ? longer(fmax(1, share) * m->lower, 6, k) : 0;
    m->rejections++;
    m->age = 0;
    if (m->rejections > PATIENCE) m->order = 1;
    else if (lower > same) m->order = k - 1;
    m->next = m->order;
    return h * fmax(m->rejections > 1 ? 0.1 : 0.2, fmin(0.9, fmax(same, lower)));
}

/* Both steps of the start have an error O(h^3); a second one that is much longer would spoil order 2. */
static double next_of_start(struct bdf_memory *m, double h, double error) {
    double factor = longer(error, 2, BDF_START);
    m->rejections = error > 1 ? m->rejections + 1 : 0;
    return h * (error > 1 ? fmax(0.1, fmin(0.9, factor)) : fmin(factor, 2));
}

/* Steps are kept as long as they are, and the factors with them, until a step half as long again is due; an
 * order has as many steps as it has differences before it is judged. */
double bdf_next(keel_work *w, double h, double error, int rejected) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    int k = bdf_count(m->order, 1, b->most), order = k;
    if (isinf(error)) {
        m->rejections++;
        m->age = 0;
        return 0.25 * h;
    }
    if (!(m->last > 0)) return next_of_start(m, h, error);
    if (error > 1) return after_rejection(m, h, error, k);
    m->age++;
    m->next = k;
    if (rejected || m->age <= k) return h;
    double share = m->size > 0 ? error / m->size : 1; /* of it the projection leaves, or makes, so much; */
    double others = fmax(1, share);                   /* of those of other orders it may be more */
    double best = longer(share * m->same, 6, k + 1), lower = k > 1 ? longer(others * m->lower, 6, k) : 0;
    double higher = longer(others * m->higher, 10, k + 2);
    if (lower > best) {
        best = lower;
        order = k - 1;
    }
    if (higher > best) {
        best = higher;
        order = k + 1;
    }
    if (best < 1.5 && best > 0.9) return h;
    m->next = order;
    m->age = 0;
    return h * fmin(best, 10);
}
