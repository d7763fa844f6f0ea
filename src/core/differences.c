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

keel_status differences_once(differences_path *path, void *context, int count, double longest, int levels,
                             int derivative, double *work, double *out, double *worst, double *largest) {
    double *middle = work, *forward = work + count, *backward = work + 2L * count, *first = work + 3L * count;
    keel_status begun = derivative == 2 ? path(context, 0, middle) : KEEL_OK;
    if (begun != KEEL_OK) return begun;
    for (int i = 0; i < levels; i++) {
        volatile double taken = ldexp(longest, -i); /* the step that was really taken */
        keel_status status = quotient(path, context, count, taken, derivative, middle, forward, backward,
                                      first + (long)i * count);
        if (status != KEEL_OK) return status;
        for (int k = 0; k < count; k++) *largest = fmax(*largest, fmax(fabs(forward[k]), fabs(backward[k])));
    }
    *worst = 0;
    for (int i = 0; i < count; i++)
        out[i] = levels == 1 ? first[i] : extrapolate(levels, first + i, count, worst);
    return KEEL_OK;
}

/* Shorter, a few times, if a step leaves the domain or truncation is more than round-off.  A shorter path
 * has more round-off, and its quotients, of few digits, may agree by chance: what the largest value met so
 * far can lose there is part of its error. */
keel_status differences_along(differences_path *path, void *context, int count, double length, int levels,
                              int derivative, double *work, double *out, double *worst) {
    double *other = work + (DIFFERENCES_ROOM - 1L) * count, error = HUGE_VAL, largest = 0;
    double share = levels > 1 ? 0.125 : derivative == 1 ? cbrt(DBL_EPSILON) : pow(DBL_EPSILON, 0.25);
    keel_status status = KEEL_OK;
    for (int attempt = 0; attempt < 4; attempt++, share /= 8) {
        double left, size = 0, shortest = ldexp(length * share, 1 - levels);
        status = differences_once(path, context, count, length * share, levels, derivative, work, other,
                                  &left, &largest);
        if (status < 0) return status;
        if (status != KEEL_OK) continue;
        double noise = DBL_EPSILON * largest / (derivative == 1 ? shortest : shortest * shortest);
        if (left + noise < 0.1 * error) {
            memcpy(out, other, (size_t)count * sizeof *out);
            error = left + noise;
        }
        for (int i = 0; i < count; i++) size = fmax(size, fabs(other[i]));
        if (left <= 100 * noise || left <= 1e-12 * size) break;
    }
    if (worst) *worst = error;
    return error < HUGE_VAL ? KEEL_OK : status;
}
