/* chain.h - the hanging chain of problems/chain.c, its multipliers eliminated by hand, for all who have it
 * inlined.  With d_i the rods and lambda_i their forces
 *
 *     q_i'' = (0, -g) - d_i lambda_i + d_(i+1) lambda_(i+1),   d_i (q_i - q_(i-1))'' = -|d_i'|^2
 *
 * make S lambda = r with S tridiagonal: |d_i|^2 times 2 (1 for the first rod) and -d_i d_(i+1). */
#ifndef KEEL_BENCH_CHAIN_H
#define KEEL_BENCH_CHAIN_H

#include <string.h>

#define CHAIN_GRAVITY 9.81

struct chain_hand {
    int n;
    double *a, *b;             /* rods */
    double *inverse, *beside;  /* S = (1 + beside) diag(1 / inverse) (1 + beside^T) */
    double *r, *stage, *f, *k; /* n; 4 n each */
};

static inline void chain_rods(struct chain_hand *c, const double *x, const double *y) {
    c->a[0] = x[0];
    c->b[0] = y[0];
    for (int i = 1; i < c->n; i++) {
        c->a[i] = x[i] - x[i - 1];
        c->b[i] = y[i] - y[i - 1];
    }
}

static inline void chain_factor(struct chain_hand *c) {
    const double *a = c->a, *b = c->b;
    double inverse = c->inverse[0] = 1 / (a[0] * a[0] + b[0] * b[0]);
    for (int i = 1; i < c->n; i++) {
        double across = -(a[i] * a[i - 1] + b[i] * b[i - 1]), share = across * inverse;
        c->beside[i] = share;
        c->inverse[i] = inverse = 1 / (2 * (a[i] * a[i] + b[i] * b[i]) - share * across);
    }
}

/* r := S^-1 r */
static inline void chain_solve(struct chain_hand *c) {
    double *r = c->r, now = r[0];
    for (int i = 1; i < c->n; i++) r[i] = now = r[i] - c->beside[i] * now;
    r[c->n - 1] = now = r[c->n - 1] * c->inverse[c->n - 1];
    for (int i = c->n - 2; i >= 0; i--) r[i] = now = r[i] * c->inverse[i] - c->beside[i + 1] * now;
}

/* x -= G^T r */
static inline void chain_pull(const struct chain_hand *c, double *x, double *y) {
    for (int i = 0; i < c->n; i++) {
        x[i] -= c->a[i] * c->r[i];
        y[i] -= c->b[i] * c->r[i];
    }
    for (int i = 1; i < c->n; i++) {
        x[i - 1] += c->a[i] * c->r[i];
        y[i - 1] += c->b[i] * c->r[i];
    }
}

/* out := u' at rods that are known and factored */
static inline void chain_rate_there(struct chain_hand *c, const double *u, double *out) {
    int n = c->n;
    const double *vx = u + 2 * n, *vy = u + 3 * n;
    memcpy(out, vx, 2 * (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++) {
        double dx = vx[i] - (i ? vx[i - 1] : 0), dy = vy[i] - (i ? vy[i - 1] : 0);
        c->r[i] = dx * dx + dy * dy;
        out[2 * n + i] = 0;
        out[3 * n + i] = -CHAIN_GRAVITY;
    }
    c->r[0] -= CHAIN_GRAVITY * c->b[0];
    chain_solve(c);
    chain_pull(c, out + 2 * n, out + 3 * n);
}

static inline void chain_rate(struct chain_hand *c, const double *u, double *out) {
    chain_rods(c, u, u + c->n);
    chain_factor(c);
    chain_rate_there(c, u, out);
}
#endif
