/* henon_heiles.h - the right-hand side of Henon and Heiles, for all who have it inlined. */
#ifndef KEEL_BENCH_HENON_HEILES_H
#define KEEL_BENCH_HENON_HEILES_H

static inline void henon_heiles_rate(const double *u, double *out) {
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[0] - 2.0 * u[0] * u[1];
    out[3] = -u[1] - u[0] * u[0] + u[1] * u[1];
}
#endif
