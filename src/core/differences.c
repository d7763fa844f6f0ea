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

/* Neville's scheme in s^2 for one value: the entry with the smallest estimated error, and that error.
 * Values that agree by accident (a sine, over whole periods) are found out by the last, shortest entry. */
static double extrapolate(int levels, const double *first, int stride, double *left) {
    double table[DIFFERENCES_LEVELS] = {0};
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
    *left = fmax(best_error, 1e-3 * fabs(table[levels - 1] - best));
    return best;
}

/* All levels from one longest step.  left: estimated truncation of each value; largest grows to each |F|
 * met. */
static keel_status once(differences_path *path, void *context, int count, double longest, int levels,
                        int derivative, double *work, double *out, double *left, double *largest) {
    double *middle = work, *forward = work + count, *backward = work + 2L * count, *first = work + 3L * count;
    keel_status begun = derivative == 2 ? path(context, 0, middle) : KEEL_OK;
    if (begun != KEEL_OK) return begun;
    for (int i = 0; i < levels; i++) {
        volatile double taken = ldexp(longest, -i); /* the step that was really taken */
        keel_status status = quotient(path, context, count, taken, derivative, middle, forward, backward,
                                      first + (long)i * count);
        if (status != KEEL_OK) return status;
        for (int k = 0; k < count; k++)
            largest[k] = fmax(largest[k], fmax(fabs(forward[k]), fabs(backward[k])));
    }
    for (int i = 0; i < count; i++) {
        left[i] = 0;
        out[i] = levels == 1 ? first[i] : extrapolate(levels, first + i, count, &left[i]);
    }
    return KEEL_OK;
}

static double round_off(double largest, double longest, int levels, int derivative) {
    double shortest = ldexp(longest, 1 - levels);
    return DBL_EPSILON * largest / (derivative == 1 ? shortest : shortest * shortest);
}

/* Shorter, a few times, if a step leaves the domain or truncation is more than round-off.  A shorter path
 * has more round-off, and its quotients, of few digits, may agree by chance: what the largest value met so
 * far can lose there is part of its error.  Each value is judged for itself. */
keel_status differences_along(differences_path *path, void *context, int count, double length, int levels,
                              int derivative, double *work, double *out, double *worst) {
    double *other = work + (DIFFERENCES_LEVELS + 3L) * count, *error = other + count;
    double *left = error + count, *largest = left + count;
    double share = levels > 1 ? 0.125 : derivative == 1 ? cbrt(DBL_EPSILON) : pow(DBL_EPSILON, 0.25);
    keel_status status = KEEL_OK;
    int found = 0;
    for (int i = 0; i < count; i++) {
        error[i] = HUGE_VAL;
        largest[i] = 0;
    }
    for (int attempt = 0; attempt < 4; attempt++, share /= 8) {
        status = once(path, context, count, length * share, levels, derivative, work, other, left, largest);
        if (status < 0) return status;
        if (status != KEEL_OK) continue;
        int poor = 0;
        found = 1;
        for (int i = 0; i < count; i++) {
            double noise = round_off(largest[i], length * share, levels, derivative);
            if (left[i] + noise < 0.1 * error[i]) {
                out[i] = other[i];
                error[i] = left[i] + noise;
            }
            poor |= left[i] > 100 * noise && left[i] > 1e-12 * fabs(other[i]);
        }
        if (!poor) break;
    }
    if (worst) *worst = 0;
    for (int i = 0; i < count && worst; i++) *worst = fmax(*worst, error[i]);
    return found ? KEEL_OK : status;
}

/* The error at one length, of the value that fares worst, relative to what that value is over a typical
 * path.  The derivative over a path of another, incommensurable length must confirm. */
static double cost(differences_path *path, void *context, int count, double length, const double *typical,
                   double *work) {
    double *one = work + (DIFFERENCES_LEVELS + 3L) * count, *two = one + count, *left = two + count;
    double *largest = left + count, worst = 0;
    for (int i = 0; i < count; i++) largest[i] = typical[i];
    if (once(path, context, count, 0.73 * length / 8, DIFFERENCES_LEVELS, 1, work, two, left, largest) ||
        once(path, context, count, length / 8, DIFFERENCES_LEVELS, 1, work, one, left, largest))
        return HUGE_VAL;
    for (int i = 0; i < count; i++) {
        double noise = round_off(largest[i], length / 8, DIFFERENCES_LEVELS, 1);
        if (typical[i] > 0) worst = fmax(worst, (left[i] + fabs(one[i] - two[i]) + noise) / typical[i]);
    }
    return worst;
}

double differences_length(differences_path *path, void *context, int count, double length, double *work) {
    enum { LENGTHS = 30, SHARES = 4 };
    double *typical = work + (DIFFERENCES_LEVELS + 7L) * count;
    double best = HUGE_VAL, found = length, trial = 64 * length;
    for (int i = 0; i < count; i++) typical[i] = 0;
    double share = 0.125;
    for (int k = 0; k < SHARES; k++, share /= 8)
        if (once(path, context, count, length * share, 1, 1, work, work + 4L * count, work + 5L * count,
                 typical) == KEEL_OK)
            break;
    for (int k = 0; k < LENGTHS; k++, trial /= 4) {
        double now = cost(path, context, count, trial, typical, work);
        if (now < best) found = trial;
        best = fmin(best, now);
        if (DBL_EPSILON / trial > 10 * best) break; /* shorter ones are all round-off */
    }
    return found;
}
