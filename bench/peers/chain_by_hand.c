/* chain_by_hand.c - see chain_by_hand.h.  With d_i the rods and lambda_i their forces
 *
 *     q_i'' = (0, -g) - d_i lambda_i + d_(i+1) lambda_(i+1),   d_i (q_i - q_(i-1))'' = -|d_i'|^2
 *
 * make S lambda = r with S tridiagonal: |d_i|^2 times 2 (1 for the first rod) and -d_i d_(i+1).  S is
 * factored five times a step: at four stages, of which the first shares it with the velocities before, and at
 * the predicted positions, where Newton's iteration keeps it. */
#include "chain_by_hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hand {
    int n;
    double *a, *b;             /* rods */
    double *inverse, *beside;  /* S = (1 + beside) diag(1 / inverse) (1 + beside^T) */
    double *r, *stage, *f, *k; /* n; 4 n each */
};

static const double gravity = 9.81;

static void rods(struct hand *c, const double *x, const double *y) {
    c->a[0] = x[0];
    c->b[0] = y[0];
    for (int i = 1; i < c->n; i++) {
        c->a[i] = x[i] - x[i - 1];
        c->b[i] = y[i] - y[i - 1];
    }
}

static void factor(struct hand *c) {
    const double *a = c->a, *b = c->b;
    double inverse = c->inverse[0] = 1 / (a[0] * a[0] + b[0] * b[0]);
    for (int i = 1; i < c->n; i++) {
        double across = -(a[i] * a[i - 1] + b[i] * b[i - 1]), share = across * inverse;
        c->beside[i] = share;
        c->inverse[i] = inverse = 1 / (2 * (a[i] * a[i] + b[i] * b[i]) - share * across);
    }
}

/* r := S^-1 r */
static void solve(struct hand *c) {
    double *r = c->r, now = r[0];
    for (int i = 1; i < c->n; i++) r[i] = now = r[i] - c->beside[i] * now;
    r[c->n - 1] = now = r[c->n - 1] * c->inverse[c->n - 1];
    for (int i = c->n - 2; i >= 0; i--) r[i] = now = r[i] * c->inverse[i] - c->beside[i + 1] * now;
}

/* x -= G^T r */
static void pull(const struct hand *c, double *x, double *y) {
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
static void rate(struct hand *c, const double *u, double *out) {
    int n = c->n;
    const double *vx = u + 2 * n, *vy = u + 3 * n;
    memcpy(out, vx, 2 * (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++) {
        double dx = vx[i] - (i ? vx[i - 1] : 0), dy = vy[i] - (i ? vy[i - 1] : 0);
        c->r[i] = dx * dx + dy * dy;
        out[2 * n + i] = 0;
        out[3 * n + i] = -gravity;
    }
    c->r[0] -= gravity * c->b[0];
    solve(c);
    pull(c, out + 2 * n, out + 3 * n);
}

/* Positions by Newton's iteration with one matrix, then velocities with that of the corrected positions. */
static double project(struct hand *c, double *u) {
    int n = c->n;
    double left = 0;
    rods(c, u, u + n);
    factor(c);
    for (int iteration = 0; iteration < 10; iteration++) {
        left = 0;
        for (int i = 0; i < n; i++) {
            c->r[i] = 0.5 * (c->a[i] * c->a[i] + c->b[i] * c->b[i] - 1);
            left = fabs(c->r[i]) > left ? fabs(c->r[i]) : left;
        }
        if (left <= 1e-16 * n && iteration) break;
        solve(c);
        pull(c, u, u + n);
        rods(c, u, u + n);
    }
    factor(c);
    double *vx = u + 2 * n, *vy = u + 3 * n;
    c->r[0] = c->a[0] * vx[0] + c->b[0] * vy[0];
    for (int i = 1; i < n; i++) c->r[i] = c->a[i] * (vx[i] - vx[i - 1]) + c->b[i] * (vy[i] - vy[i - 1]);
    solve(c);
    pull(c, vx, vy);
    return left;
}

static double step(struct hand *c, double *u, double h) {
    static const double ahead[] = {0, 0.5, 0.5, 1}, part[] = {1, 2, 2, 1};
    int all = 4 * c->n;
    for (int s = 0; s < 4; s++) {
        const double *at = u;
        if (s) {
            for (int i = 0; i < all; i++) c->stage[i] = u[i] + h * ahead[s] * c->k[i];
            at = c->stage;
            rods(c, at, at + c->n);
            factor(c);
        }
        rate(c, at, c->k);
        for (int i = 0; i < all; i++) c->f[i] = (s ? c->f[i] : 0) + part[s] * c->k[i];
    }
    for (int i = 0; i < all; i++) u[i] += h / 6 * c->f[i];
    return project(c, u);
}

double chain_by_hand(int n, double *u, double h, int steps) {
    double *room = calloc(17 * (size_t)n, sizeof *room), left = 0;
    if (!room) return -1;
    struct hand c = {.n = n, .a = room, .b = room + n, .inverse = room + 2 * n, .beside = room + 3 * n};
    c.r = room + 4 * n, c.stage = room + 5 * n, c.f = room + 9 * n, c.k = room + 13 * n;
    rods(&c, u, u + n);
    factor(&c);
    for (int i = 0; i < steps; i++) left = fmax(left, step(&c, u, h));
    free(room);
    return left;
}
