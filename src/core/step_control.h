/* step_control.h - the size of an error, and the step that follows from it: the arithmetic of
 * core/control.c, which compiled models have as text. */
#ifndef KEEL_CORE_STEP_CONTROL_H
#define KEEL_CORE_STEP_CONTROL_H

#include <keel/explicit.h>

#define CONTROL_HOPELESS 1e3 /* tolerances of error: the rest of the attempt is spared */

#define CONTROL_BLIND 1e-6 /* such an error may be none that is seen: core/correction.c looks at it */

enum { STEP_CONTROL_MANY = 32 };

/* Is an estimate that vanished to be looked at?  Where max_step is what bounds h, now and then. */
static inline int step_control_unseen(double h, double longest, int due) {
    return due || __builtin_fabs(h) < 0.99 * longest;
}

/* Of numbers, which estimates are when they get here. */
static inline double step_control_max(double a, double b) {
    return a > b ? a : b;
}
static inline double step_control_min(double a, double b) {
    return a < b ? a : b;
}

static inline keel_real step_control_larger(keel_real a, keel_real b) {
    return keel_select(a > b, a, b);
}

/* What errors are multiplied by: 1 / (atol + rtol |x|), of the larger of both ends.  No tolerance asks for
 * less than 4 round-offs of the state. */
static inline void step_control_scales(int n, const keel_real *x, const keel_real *x_new,
                                       const keel_real *atol, keel_real rtol, keel_real *scale) {
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) {
        keel_real size = step_control_larger(keel_abs(x[i]), keel_abs(x_new[i]));
        keel_real least = step_control_larger(4 * 2.2204460492503131e-16 * size, keel_lift(1e-300));
        scale[i] = 1.0 / step_control_larger(atol[i] + rtol * size, least);
    }
}

/* An error C (w h)^(p + 1) changes by p + 1 times itself with log w, and so the error of a derivative is so
 * many tolerances where that of the motion is one.  It counts an eighth: else derivatives alone would tell
 * how long steps are.  direction: -1 of the states of the motion; NULL: there are no others. */
static inline void step_control_spare(int n, const int *direction, keel_real *scale) {
    if (!direction) return;
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) scale[i] *= direction[i] < 0 ? 1 : 0.125;
}

/* Mean square of error scale.  Of many states in four sums, since additions wait for each other. */
static inline keel_real step_control_square(int n, const keel_real *error, const keel_real *scale) {
    keel_real sum = keel_lift(0.0);
    int i = 0;
    if (n >= STEP_CONTROL_MANY) {
        keel_real part[4] = {sum, sum, sum, sum};
        for (; i + 4 <= n; i += 4)
            for (int k = 0; k < 4; k++) {
                keel_real ratio = error[i + k] * scale[i + k];
                part[k] += ratio * ratio;
            }
        sum = (part[0] + part[1]) + (part[2] + part[3]);
    }
    KEEL_RK_UNROLL for (; i < n; i++) {
        keel_real ratio = error[i] * scale[i];
        sum += ratio * ratio;
    }
    return n > 0 ? sum / (double)n : keel_lift(0.0);
}

/* Logarithm and power to the base 2, of normal numbers above 0 and below 2^1000, to within 1e-8, which is
 * more than a step needs: as text, so that steps have the same bits in lanes and on other processors, whose
 * libraries round otherwise.  With x = 2^e m, m in [sqrt(1/2), sqrt(2)] and t = (m - 1)/(m + 1),
 *     log m = 2 (t + t^3/3 + t^5/5 + ...),   2^x = 2^n sum (r log 2)^k / k!,   n + r = x, |r| <= 1/2.
 * The next step waits for them: the sums are those of pairs of terms, side by side. */
static inline keel_real step_control_log(keel_real x) {
    const unsigned long long root = 0x3fe6a09e667f3bcdULL, unit = 1ULL << 52; /* sqrt(1/2) */
    keel_bits bits = keel_to_bits(x), above = bits - root + 1024 * unit, exponent = above >> 52;
    keel_real m = keel_from_bits(bits - (exponent << 52) + 1024 * unit);
    keel_real e = keel_from_bits(exponent | 0x4330000000000000ULL) - (0x1p52 + 1024);
    keel_real t = (m - 1.0) / (m + 1.0), s = t * t, s2 = s * s;
    keel_real sum =
        (1.0 + s * (1.0 / 3)) + s2 * ((1.0 / 5 + s * (1.0 / 7)) + s2 * (1.0 / 9 + s * (1.0 / 11)));
    return e + t * (2 * 0x1.71547652b82fep+0) * sum;
}
static inline keel_real step_control_power(keel_real x) {
    keel_real shifted = x + 0x1.8p52, r = (x - (shifted - 0x1.8p52)) * 0x1.62e42fefa39efp-1, r2 = r * r;
    keel_real low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    keel_real high = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    return (low + r2 * r2 * high) * keel_from_bits((keel_to_bits(shifted) + 1023) << 52);
}

/* A PI controller with a noise floor: the next step after one of h with this error, of a method whose error
 * estimate is of order p.  Errors settle at e = SAFETY^(p / 0.65), and a step is rejected that errs 1/e times
 * as much.  That is worth an attempt and the part 1 - e^(1/p) of a step which is missing then, where the
 * tolerance may grow by as much for it: from 1/e - 1 = p (2 - e^(1/p)) on, SAFETY = 0.82, 0.77 and 0.70 for
 * p = 8, 5 and 3.  Measured, it hardly matters from 0.8 downward (docs/decisions.md). */
#define STEP_CONTROL_SAFETY 0.8
static inline keel_real step_control_next(double order, keel_real h, keel_real error, keel_truth rejected,
                                          keel_real *error_before) {
    double beta = 0.2 / order, alpha = 1 / order - 0.75 * beta;
    keel_real floored = step_control_larger(error, keel_lift(1e-10)); /* below this the estimate is noise */
    keel_real log = step_control_log(floored), before = step_control_log(*error_before);
    keel_real exponent = keel_select(error > 1.0, -1 / order * log, beta * before - alpha * log);
    keel_real factor =
        step_control_larger(STEP_CONTROL_SAFETY * step_control_power(exponent), keel_lift(0.2));
    factor = keel_select(factor > 6.0, keel_lift(6.0), factor);
    *error_before = keel_select(error > 1.0, *error_before, step_control_larger(floored, keel_lift(1e-4)));
    return h * keel_select(keel_and(rejected, factor > 1.0), keel_lift(1.0), factor);
}

/* What is tangential counts in full, what is normal to the manifold a tenth. */
static inline keel_real step_control_weighed(keel_real along, keel_real across) {
    return step_control_larger(along, 0.1 * across);
}
#endif
