/* portable.h - elementary functions with the same bits on every machine: the last digits of hypot and pow are
 * those of each libm. */
#ifndef KEEL_BASE_PORTABLE_H
#define KEEL_BASE_PORTABLE_H

#include <math.h>

/* sqrt(a^2 + b^2), without overflow on the way. */
static inline double portable_length(double a, double b) {
    double x = fabs(a), y = fabs(b), more = x > y ? x : y, less = x > y ? y : x, ratio = less / more;
    return more > 0 && isfinite(more) ? more * sqrt(1 + ratio * ratio) : more + less;
}

/* x^y to seven digits, for the choice of steps: what libms differ by is rounded off. */
static inline double portable_power(double x, double y) {
    return (float)pow(x, y);
}
#endif
