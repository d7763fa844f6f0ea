/* pendulum.h - the pendulum in Cartesian coordinates, g = 9.81, its tension eliminated by hand:
 *   q' = v,  v' = -T q - (0, g),  T = (|v|^2 - g y) / |q|^2. */
#ifndef KEEL_BENCH_PENDULUM_H
#define KEEL_BENCH_PENDULUM_H

static inline void pendulum_rate(const double *u, double *out) {
    const double g = 9.81;
    double tension = (u[2] * u[2] + u[3] * u[3] - g * u[1]) / (u[0] * u[0] + u[1] * u[1]);
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -tension * u[0];
    out[3] = -tension * u[1] - g;
}
#endif
