/* explicit.h - the inner loop of the explicit Runge-Kutta methods.
 *
 *     k_i = f(t + c_i h, x + h sum_j a_ij k_j),   dx = h sum_i b_i k_i
 *
 * Tables are data; the right-hand side is a parameter.  The library instantiates the loop with a function
 * pointer, a compiled model with its own inlined right-hand side: one source, two speeds. */
#ifndef KEEL_EXPLICIT_H
#define KEEL_EXPLICIT_H

#include <keel.h>

/* Rows of coefficients run over k_1 .. k_s; those of the dense output over k_1 .. k_s, f_end, extra
 * stages. */
typedef struct keel_rk {
    int stages;
    const double *c;                 /* stages */
    const double *a;                 /* row i = 1 .. stages-1 has i entries, packed */
    const double *b;                 /* stages */
    const double *error[2];          /* local error = h sum e_i k_i; NULL: none */
    int last_is_end;                 /* the last stage is f at the new point: its row of a is b */
    int extra;                       /* further stages of the dense output */
    const double *extra_c, *extra_a; /* extra, and extra x (stages + 1 + extra) */
    int shape;                       /* terms of the dense output beyond cubic Hermite */
    const double *dense;             /* shape x (stages + 1 + extra) */
} keel_rk;

/* out = x + h sum_j a_j k_j (x NULL: without it) over `width` components, a multiple of 4; k_j is k + j
 * width. Blocks of four stay in registers while j runs. */
static inline void keel_rk_sum(int width, int count, const double *a, const double *k, double h,
                               const double *x, double *out) {
    for (int i = 0; i < width; i += 4) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int j = 0; j < count; j++) {
            const double *kj = k + (size_t)j * (size_t)width + i;
            if (a[j] == 0) continue;
            s0 += a[j] * kj[0];
            s1 += a[j] * kj[1];
            s2 += a[j] * kj[2];
            s3 += a[j] * kj[3];
        }
        out[i] = x ? x[i] + h * s0 : h * s0;
        out[i + 1] = x ? x[i + 1] + h * s1 : h * s1;
        out[i + 2] = x ? x[i + 2] + h * s2 : h * s2;
        out[i + 3] = x ? x[i + 3] + h * s3 : h * s3;
    }
}

/* All stages and the increment.  k: stages x width; k_1 is f, the rate at x.  Returns what rate returned. */
static inline int keel_rk_step(const keel_rk *table, int width, keel_fn *rate, void *context, double t,
                               double h, const double *x, const double *f, double *k, double *stage,
                               double *dx) {
    const double *row = table->a;
    for (int i = 0; i < width; i++) k[i] = f[i];
    for (int i = 1; i < table->stages; row += i, i++) {
        keel_rk_sum(width, i, row, k, h, x, stage);
        int code = rate(t + table->c[i] * h, stage, k + (size_t)i * (size_t)width, context);
        if (code != 0) return code;
    }
    keel_rk_sum(width, table->stages, table->b, k, h, NULL, dx);
    return 0;
}
#endif
