/* kepler.h - the right-hand side q' = p, p' = -q / |q|^3, for all who have it inlined. */
#ifndef KEEL_BENCH_KEPLER_H
#define KEEL_BENCH_KEPLER_H

#include <math.h>

static inline void kepler_rate(const double *u, double *out) {
    double square = u[0] * u[0] + u[1] * u[1], cube = square * sqrt(square);
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[0] / cube;
    out[3] = -u[1] / cube;
}
#endif
