/* gauss.h - Gauss methods of s stages by fixed-point iteration, written by hand for one right-hand side: from
 * the last step's polynomial, until nothing is gained, as keel iterates, with all sums in double. */
#ifndef KEEL_BENCH_GAUSS_H
#define KEEL_BENCH_GAUSS_H

#include "cases/hand.h"

#include <math.h>

enum { GAUSS_STAGES = 6 };

struct gauss {
    double c[GAUSS_STAGES], b[GAUSS_STAGES];
    double a[GAUSS_STAGES][GAUSS_STAGES];     /* integrals of Lagrange's polynomials over 0 .. c_i */
    double start[GAUSS_STAGES][GAUSS_STAGES]; /* over 1 .. 1 + c_i */
};

/* Legendre's polynomial of degree s, and its slope. */
static inline double gauss_legendre(double x, double *slope) {
    double before = 1, now = x;
    for (int k = 2; k <= GAUSS_STAGES; k++) {
        double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
    }
    *slope = GAUSS_STAGES * (x * now - before) / (x * x - 1);
    return now;
}

static inline double gauss_lagrange(const struct gauss *g, int j, double x) {
    double value = 1;
    for (int k = 0; k < GAUSS_STAGES; k++)
        if (k != j) value *= (x - g->c[k]) / (g->c[j] - g->c[k]);
    return value;
}

static inline void gauss_fill(struct gauss *g) {
    for (int i = 0; i < GAUSS_STAGES; i++) {
        double slope, x = -cos(acos(-1) * (i + 0.75) / (GAUSS_STAGES + 0.5));
        for (int k = 0; k < 20; k++) x -= gauss_legendre(x, &slope) / slope;
        gauss_legendre(x, &slope);
        g->c[i] = (1 + x) / 2;
        g->b[i] = 1 / ((1 - x * x) * slope * slope);
    }
    for (int i = 0; i < GAUSS_STAGES; i++)
        for (int j = 0; j < GAUSS_STAGES; j++) {
            g->a[i][j] = g->start[i][j] = 0;
            for (int k = 0; k < GAUSS_STAGES; k++) { /* the rule is exact for them */
                g->a[i][j] += g->c[i] * g->b[k] * gauss_lagrange(g, j, g->c[i] * g->c[k]);
                g->start[i][j] += g->c[i] * g->b[k] * gauss_lagrange(g, j, 1 + g->c[i] * g->c[k]);
            }
        }
}

static inline __attribute__((always_inline)) void gauss_rates(int n, hand_rate *rate, const double *x,
                                                              double h, double z[][8], double k[][8]) {
    double y[8];
    for (int i = 0; i < GAUSS_STAGES; i++) {
        for (int c = 0; c < n; c++) y[c] = x[c] + z[i][c];
        rate(y, k[i]);
        for (int c = 0; c < n; c++) k[i][c] *= h;
    }
}

static inline __attribute__((always_inline)) void hand_gauss12(int n, hand_rate *rate, double *x, double h,
                                                               long steps) {
    struct gauss g;
    double k[GAUSS_STAGES][8], z[GAUSS_STAGES][8];
    gauss_fill(&g);
    for (long step = 0; step < steps; step++) {
        for (int i = 0; i < GAUSS_STAGES; i++)
            for (int c = 0; c < n; c++) {
                double sum = 0;
                for (int j = 0; j < GAUSS_STAGES && step > 0; j++) sum += g.start[i][j] * k[j][c];
                z[i][c] = sum;
            }
        for (double before = INFINITY, size;; before = size) {
            gauss_rates(n, rate, x, h, z, k);
            size = 0;
            for (int i = 0; i < GAUSS_STAGES; i++)
                for (int c = 0; c < n; c++) {
                    double sum = 0;
                    for (int j = 0; j < GAUSS_STAGES; j++) sum += g.a[i][j] * k[j][c];
                    size = fmax(size, fabs(sum - z[i][c]));
                    z[i][c] = sum;
                }
            if (size == 0 || (size >= before && size < 1e-14)) break;
        }
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int j = 0; j < GAUSS_STAGES; j++) sum += g.b[j] * k[j][c];
            x[c] += sum;
        }
    }
}
#endif
