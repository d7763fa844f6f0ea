/* bdf_corrector.c - d = x - x0 of d = c (f(t, x0 + d) - x0') by simplified Newton,
 *
 *     (I - c' J) change = s (c (f - x0') - d),   s = 2 / (1 + c / c').
 *
 * J and the factors are kept over many steps: c' is the c they were made for, and s makes up for the
 * difference where d is stiff and where it is not, as well as one number can (Hindmarsh's CVODE). */
#include "methods/bdf_variable.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FAR 0.25    /* c / c' - 1 at which factors are made anew */
#define ENOUGH 0.05 /* of the error that a step may have */
#define LINEAR 0.01 /* of that, in each solve */
#define NEAR 1e-9   /* fixed steps: a change that may be round-off, relative, */
#define SLOW 0.01   /* and a rate of convergence that asks for another J */
enum { FACTORS_LAST = 30, JACOBIAN_LASTS = 60, ROUNDS = 4, FIXED_ROUNDS = 40 };

/* Four sums at once, since additions wait. */
static double mean_size(int n, const double *restrict v, const double *restrict other, double beta,
                        const double *restrict scale) {
    double sum[4] = {0};
    int c = 0;
    for (; c + 4 <= n; c += 4)
        for (int k = 0; k < 4; k++) {
            double ratio = (v[c + k] + beta * other[c + k]) * scale[c + k];
            sum[k] += ratio * ratio;
        }
    for (; c < n; c++) {
        double ratio = (v[c] + beta * other[c]) * scale[c];
        sum[0] += ratio * ratio;
    }
    return sqrt(((sum[0] + sum[1]) + (sum[2] + sum[3])) / n);
}

double bdf_size_beside(const keel_work *w, const double *v, const double *other, double beta) {
    const struct bdf_variable *b = w->method;
    return mean_size(w->n, v, other, beta, b->scale);
}

double bdf_size(const keel_work *w, const double *v) {
    const struct bdf_variable *b = w->method;
    double largest = 0;
    if (w->rtol > 0) return mean_size(w->n, v, v, 0, b->scale);
    for (int c = 0; c < w->n; c++) {
        double ratio = fabs(v[c]) * b->scale[c];
        largest = ratio > largest || isnan(ratio) ? ratio : largest;
    }
    return largest;
}

/* The rate at x0 + d. */
static keel_status look_at(keel_work *w, const keel_attempt *a) {
    const struct bdf_variable *b = w->method;
    const double *restrict x = a->x, *restrict ahead = b->ahead, *restrict d = b->d;
    double *restrict at = b->at;
    for (int c = 0; c < w->width; c++) at[c] = x[c] + (ahead[c] + d[c]);
    return keel_rhs(w, a->t + a->h, b->at, b->rate);
}

/* One change of d, which may err by `inexact` in tolerances (0: by round-off), and its size. */
static double change(keel_work *w, const struct bdf_formula *f, double inexact) {
    struct bdf_variable *b = w->method;
    double factor = 2 / (1 + f->c / b->memory->factored), rest = f->c;
    const double *restrict rate = b->rate, *restrict slope = b->slope;
    double *restrict moved = b->moved, *restrict d = b->d;
    for (int c = 0; c < w->n; c++) moved[c] = factor * (rest * (rate[c] - slope[c]) - d[c]);
    if (inexact > 0) keel_newton_solve_near(w, b->newton, 0, moved, NULL, b->scale, inexact);
    else keel_newton_solve(w, b->newton, 0, moved, NULL);
    keel_work_count(w, 0, 1);
    for (int c = 0; c < w->n; c++) d[c] += moved[c];
    return bdf_size(w, moved);
}

/* Until what is left, at the rate of convergence seen, is a small part of a tolerance.  The first
 * change goes by the rate of the steps before. */
static keel_status iterate_to_tolerance(keel_work *w, const keel_attempt *a, const struct bdf_formula *f,
                                        int *found) {
    struct bdf_memory *m = ((struct bdf_variable *)w->method)->memory;
    double before = 0, round_off = 4 * DBL_EPSILON / w->rtol, enough = ENOUGH / bdf_strictness(w);
    for (int round = 1; round <= ROUNDS; round++) {
        double size = change(w, f, LINEAR * enough);
        if (!isfinite(size)) return KEEL_OK;
        if (round > 1) {
            double ratio = size / fmax(before, DBL_MIN);
            m->contraction = fmax(0.2 * m->contraction, ratio);
            if (ratio > 0.9 && size > round_off) return KEEL_OK;
        }
        double left = fmin(1, m->contraction) * 1.5;
        *found = size * left <= fmax(enough, round_off);
        if (*found) return KEEL_OK;
        before = size;
        if (round == ROUNDS) break;
        keel_status status = look_at(w, a);
        if (status != KEEL_OK) return status;
    }
    return KEEL_OK;
}

/* Fixed steps: until the changes do not shrink any more; then they are round-off, or the search is lost.
 * Slow changes ask for another J. */
static keel_status iterate_to_round_off(keel_work *w, const keel_attempt *a, const struct bdf_formula *f,
                                        int *found) {
    struct bdf_memory *m = ((struct bdf_variable *)w->method)->memory;
    double before = HUGE_VAL, least = HUGE_VAL;
    int idle = 0;
    m->contraction = 0;
    for (int round = 1; round <= FIXED_ROUNDS; round++) {
        double size = change(w, f, 0), ratio = size / before;
        if (!isfinite(size)) return KEEL_OK;
        if (size > NEAR && round > 1) m->contraction = fmax(m->contraction, ratio);
        idle = size < 0.5 * least ? 0 : idle + 1;
        least = fmin(least, size);
        *found = size <= DBL_EPSILON || (idle && size < 16 * DBL_EPSILON) || (idle > 2 && size < NEAR);
        if (*found || (idle > 2 && size >= NEAR)) return KEEL_OK;
        before = size;
        keel_status status = look_at(w, a);
        if (status != KEEL_OK) return status;
    }
    return KEEL_OK;
}

/* J at x0 + d, where the rate is known.  One that did not help three times in a row is made by differences,
 * and these are believed from then on if they help. */
static keel_status renew(keel_work *w, const keel_attempt *a) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    int differences = m->distrust != 0 || m->failures >= 3;
    keel_status status = keel_newton_jacobian(w, b->newton, a->t + a->h, b->at, b->rate, differences);
    m->jacobian = status == KEEL_OK;
    m->jacobian_age = m->factored = 0;
    return status;
}

static int factors_fit(const struct bdf_memory *m, double c) {
    return m->factored != 0 && fabs(c / m->factored - 1) <= FAR && m->factored_age < FACTORS_LAST;
}

/* As many J as it takes: by error control one, at x0; with fixed steps there is no shorter one, and J is that
 * of where the iteration has got to. */
keel_status bdf_correct(keel_work *w, const keel_attempt *a, const struct bdf_formula *f) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    int fresh = m->jacobian == 0 || m->jacobian_age >= JACOBIAN_LASTS, found = 0, most = w->rtol > 0 ? 1 : 6;
    memset(b->d, 0, (size_t)w->width * sizeof *b->d);
    for (;; fresh++) {
        keel_status status = look_at(w, a);
        if (status == KEEL_OK && fresh) status = renew(w, a);
        if (status == KEEL_OK && !factors_fit(m, f->c)) {
            m->factored = 0;
            status = keel_newton_factor(w, b->newton, 0, f->c, 0);
            m->factored = status == KEEL_OK ? f->c : 0;
            m->factored_age = 0;
            m->contraction = 1;
        }
        if (status == KEEL_OK)
            status =
                w->rtol > 0 ? iterate_to_tolerance(w, a, f, &found) : iterate_to_round_off(w, a, f, &found);
        if (status < 0) return status;
        if (found || fresh >= most) break;
        if (fresh < 2 || !isfinite(bdf_size(w, b->d))) memset(b->d, 0, (size_t)w->width * sizeof *b->d);
        w->code = 0;
    }
    if (found && fresh && m->failures >= 3) m->distrust = 1;
    m->failures = found ? 0 : m->failures + 1;
    if (w->rtol == 0 && m->contraction > SLOW) m->jacobian_age = JACOBIAN_LASTS;
    return found ? KEEL_OK : KEEL_RETRY;
}
