/* rigid_body.h - Euler's equations for the angular momentum, I = (2, 1, 2/3), for all who inline them. */
#ifndef KEEL_BENCH_RIGID_BODY_H
#define KEEL_BENCH_RIGID_BODY_H

static inline void rigid_body_rate(const double *u, double *out) {
    out[0] = 0.5 * u[1] * u[2];
    out[1] = -u[2] * u[0];
    out[2] = 0.5 * u[0] * u[1];
}
#endif
