/* step_control.h - the size of an error, and the step that follows from it: the arithmetic of
 * core/control.c, which compiled models have as text. */
#ifndef KEEL_CORE_STEP_CONTROL_H
#define KEEL_CORE_STEP_CONTROL_H

#include <keel/explicit.h>

#include <math.h>

#define CONTROL_HOPELESS 1e3 /* tolerances of error: the rest of the attempt is spared */

#define CONTROL_BLIND 1e-6 /* such an error may be none that is seen: core/correction.c looks at it */

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

/* Mean square of error scale. */
static inline keel_real step_control_square(int n, const keel_real *error, const keel_real *scale) {
    keel_real sum = keel_lift(0.0);
    KEEL_RK_UNROLL for (int i = 0; i < n; i++) {
        keel_real ratio = error[i] * scale[i];
        sum += ratio * ratio;
    }
    return n > 0 ? sum / (double)n : keel_lift(0.0);
}

/* A PI controller with a noise floor: the next step after one of h with this error, of a method whose error
 * estimate is of this order. */
static inline double step_control_next(double order, double h, double error, int rejected,
                                       double *error_before) {
    double beta = 0.2 / order, alpha = 1 / order - 0.75 * beta;
    double floored = step_control_max(error, 1e-10); /* below this the estimate is noise */
    if (error > 1) return h * step_control_max(0.2, 0.9 * pow(floored, -1 / order));
    double factor = 0.9 * pow(floored, -alpha) * pow(*error_before, beta);
    *error_before = step_control_max(floored, 1e-4);
    factor = step_control_min(6, step_control_max(0.2, factor));
    return h * (rejected ? step_control_min(factor, 1) : factor);
}

/* What is tangential counts in full, what is normal to the manifold a tenth. */
static inline keel_real step_control_weighed(keel_real along, keel_real across) {
    return step_control_larger(along, 0.1 * across);
}
#endif
