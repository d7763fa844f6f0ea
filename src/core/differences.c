/* differences.c - see differences.h. */
#include "core/differences.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* plain: quotient at one step length s. */
static keel_status quotient(differences_path *path, void *context, int count, double s, int derivative,
                            const double *middle, double *forward, double *backward, double *out) {
    keel_status status = path(context, s, forward);
    if (status == KEEL_OK) status = path(context, -s, backward);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < count; i++)
        out[i] = derivative == 1 ? (forward[i] - backward[i]) / (2 * s)
                                 : ((forward[i] - middle[i]) - (middle[i] - backward[i])) / (s * s);
    return KEEL_OK;
}

/* Neville's scheme in s^2 for one value; returns the entry with the smallest estimated error. */
static double extrapolate(int levels, const double *first, int stride, double *worst) {
    double table[DIFFERENCES_LEVELS];
    double best = first[0], best_error = HUGE_VAL;
    for (int i = 0; i < levels; i++) {
        double entry = first[(long)i * stride], above = table[0], power = 1;
        table[0] = entry;
        for (int j = 1; j <= i; j++) {
            power *= 4;
            double next = entry + (entry - above) / (power - 1);
            double error = fmax(fabs(next - entry), fabs(next - above));
            if (error <= best_error) {
                best_error = error;
                best = next;
            }
            above = table[j];
            table[j] = entry = next;
        }
    }
    *worst = fmax(*worst, best_error);
    return best;
}

keel_status differences_along(differences_path *path, void *context, int count, double length, int levels,
                              int derivative, double *work, double *out, double *worst) {
    double *middle = work, *forward = work + count, *backward = work + 2L * count, *first = work + 3L * count;
    double share = levels > 1 ? 0.125 : derivative == 1 ? cbrt(DBL_EPSILON) : pow(DBL_EPSILON, 0.25);
    double error = 0;
    if (derivative == 2) {
        keel_status status = path(context, 0, middle);
        if (status != KEEL_OK) return status;
    }
    for (int attempt = 0;; attempt++, share /= 16) {
        keel_status status = KEEL_OK;
        for (int i = 0; i < levels && status == KEEL_OK; i++) {
            volatile double s = ldexp(length * share, -i); /* the step that was really taken */
            status = quotient(path, context, count, s, derivative, middle, forward, backward, first + (long)i * count);
        }
        if (status == KEEL_OK) break;
        if (status < 0 || attempt == 3) return status; /* outside the domain: shorter, a few times */
    }
    if (levels == 1)
        memcpy(out, first, (size_t)count * sizeof *out);
    else
        for (int i = 0; i < count; i++) out[i] = extrapolate(levels, first + i, count, &error);
    if (worst) *worst = error;
    return KEEL_OK;
}
