/* pencils.h - random differential-algebraic equations with their answers.
 *
 * E (x - X(t))' + A (x - X(t)) = 0 with E = P diag(I, N) Q, A = P diag(-L, I) Q: Kronecker's form of a
 * regular pencil, hidden behind regular P and Q.  N has nilpotent blocks, the largest of which is the
 * index; L is diagonal and has as many rows as there are degrees of freedom.  The solutions are x = X +
 * Q^-1 (c exp(L t), 0).  X = const is a start at rest.  Nonlinear ones have x = phi(w) for the unknowns w,
 * phi with a closed inverse. */
#ifndef KEEL_TESTS_PENCILS_H
#define KEEL_TESTS_PENCILS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PENCIL_MOST = 7, PENCIL_TEXT = 16000 };

typedef double pencil_matrix[PENCIL_MOST][PENCIL_MOST];

enum pencil_map { PENCIL_LINEAR, PENCIL_SQUARES, PENCIL_SINH, PENCIL_MAPS };

struct pencil {
    uint64_t state;
    int n, freedom, index;
    int rests, decimals, near; /* X = const; entries with digits after the point; near: c is tiny */
    int named;                 /* entries are parameters */
    enum pencil_map map;
    pencil_matrix e, a, right, back; /* right: Q; back: Q^-1 */
    double rate[PENCIL_MOST], c[PENCIL_MOST];
    double level[PENCIL_MOST], high[PENCIL_MOST],
        frequency[PENCIL_MOST]; /* X = level + high sin(frequency t + 1) */
    double to;
    char text[PENCIL_TEXT];
};

static inline double pencil_uniform(struct pencil *p, double low, double high) {
    p->state += 0x9e3779b97f4a7c15u;
    uint64_t x = p->state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return low + (high - low) * (double)(x >> 11) * 0x1p-53;
}

static inline int pencil_below(struct pencil *p, int bound) {
    return (int)pencil_uniform(p, 0, bound);
}

/* Gauss-Jordan; the product of the largest entries of both, a crude condition, or infinite. */
static inline double pencil_invert(int n, pencil_matrix from, pencil_matrix to) {
    pencil_matrix m;
    double largest = 0, back = 0;
    memcpy(m, from, sizeof m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) to[i][j] = i == j, largest = fmax(largest, fabs(m[i][j]));
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        if (fabs(m[best][k]) < 1e-9) return HUGE_VAL;
        for (int j = 0; j < n; j++) {
            double one = m[k][j], other = to[k][j];
            m[k][j] = m[best][j], to[k][j] = to[best][j];
            m[best][j] = one, to[best][j] = other;
        }
        double pivot = m[k][k];
        for (int j = 0; j < n; j++) m[k][j] /= pivot, to[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            double factor = m[i][k];
            for (int j = 0; j < n && i != k; j++) m[i][j] -= factor * m[k][j], to[i][j] -= factor * to[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) back = fmax(back, fabs(to[i][j]));
    return largest * back;
}

/* Regular and well conditioned, with some zeros: integers, or numbers with a digit after the point. */
static inline void pencil_regular(struct pencil *p, pencil_matrix out, pencil_matrix inverse) {
    do
        for (int i = 0; i < p->n; i++)
            for (int j = 0; j < p->n; j++) {
                int number = pencil_below(p, 3) == 0 ? 0 : pencil_below(p, p->decimals ? 61 : 7);
                out[i][j] = number == 0 ? 0 : p->decimals ? (number - 30) / 10.0 : number - 3;
            }
    while (!(pencil_invert(p->n, out, inverse) < 30));
}

static inline void pencil_blocks(struct pencil *p, pencil_matrix e, pencil_matrix a) {
    static const double rates[] = {-0.5, -1, -1.5, -2, 0.25, 0};
    p->freedom = p->n = pencil_below(p, 4);
    for (int i = 0; i < p->freedom; i++) {
        p->rate[i] = rates[pencil_below(p, 6)];
        e[i][i] = 1, a[i][i] = -p->rate[i];
    }
    int blocks = p->freedom ? pencil_below(p, 3) : 1 + pencil_below(p, 2);
    for (int b = 0; b < blocks; b++) {
        int size = 1 + pencil_below(p, 3 + (pencil_below(p, 4) == 0));
        if (p->n + size > PENCIL_MOST) break;
        if (size > p->index) p->index = size;
        for (int i = 0; i < size; i++, p->n++) {
            a[p->n][p->n] = 1;
            if (i > 0) e[p->n - 1][p->n] = 1;
        }
    }
}

/* left * middle * right, all of at most four digits after the point: rounded to them, the products are the
 * numbers that they stand for, as a text has them. */
static inline void pencil_product(int n, pencil_matrix left, pencil_matrix middle, pencil_matrix right,
                                  pencil_matrix out) {
    pencil_matrix half = {{0}};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) half[i][j] += left[i][k] * middle[k][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i][j] = 0;
            for (int k = 0; k < n; k++) out[i][j] += half[i][k] * right[k][j];
            out[i][j] = round(out[i][j] * 1e4) / 1e4;
        }
}

/* The order-th derivative of x_j at t. */
static inline double pencil_exact(const struct pencil *p, int j, int order, double t) {
    double x = order == 0 ? p->level[j] : 0;
    if (p->high[j] != 0)
        x += p->high[j] * pow(p->frequency[j], order) * sin(p->frequency[j] * t + 1 + order * acos(0));
    for (int i = 0; i < p->freedom; i++)
        x += p->back[j][i] * p->c[i] * (order ? pow(p->rate[i], order) : 1) * exp(p->rate[i] * t);
    return x;
}

/* The motion that begins at x: c, and how far x is off the manifold, where the nilpotent part of Q (x - X)
 * vanishes. */
static inline double pencil_begin_at(struct pencil *p, const double *x) {
    double off = 0;
    for (int j = 0; j < PENCIL_MOST; j++) p->c[j] = 0;
    for (int i = 0; i < p->n; i++) {
        double z = 0;
        for (int j = 0; j < p->n; j++) z += p->right[i][j] * (x[j] - p->level[j] - p->high[j] * sin(1));
        if (i < p->freedom) p->c[i] = z;
        else off = fmax(off, fabs(z));
    }
    return off;
}

/* w at t. */
static inline void pencil_unknowns(const struct pencil *p, double t, double *w) {
    for (int j = 0; j < p->n; j++) {
        double x = pencil_exact(p, j, 0, t);
        w[j] = p->map == PENCIL_SINH ? asinh(x) : x;
        if (p->map == PENCIL_SQUARES && j > 0) w[j] -= w[j - 1] * w[j - 1] / 4;
    }
}

#define PENCIL_ADD(p, ...) \
    snprintf((p)->text + strlen((p)->text), sizeof(p)->text - strlen((p)->text), __VA_ARGS__)

/* x_j as it stands in the equations: an unknown, or a function of some. */
static inline void pencil_lets(struct pencil *p) {
    int linear = p->map == PENCIL_LINEAR;
    PENCIL_ADD(p, "var %s[1..%d]\n", linear ? "x" : "w", p->n);
    for (int j = 1; j <= p->n; j++) {
        if (p->map == PENCIL_SINH) PENCIL_ADD(p, "let x[%d] = sinh(w[%d])\n", j, j);
        if (p->map == PENCIL_SQUARES && j == 1) PENCIL_ADD(p, "let x[1] = w[1]\n");
        if (p->map == PENCIL_SQUARES && j > 1) PENCIL_ADD(p, "let x[%d] = w[%d] + w[%d]^2/4\n", j, j, j - 1);
        PENCIL_ADD(p, "let X%d = %.17g", j, p->level[j - 1]);
        if (p->high[j - 1] != 0)
            PENCIL_ADD(p, " + %.17g*sin(%.17g*t + 1)", p->high[j - 1], p->frequency[j - 1]);
        PENCIL_ADD(p, "\n");
    }
    for (int j = 1; j <= p->n && !linear; j++) PENCIL_ADD(p, "output y%d = x[%d]\n", j, j);
}

/* A coefficient: a number, or the parameter that has it. */
static inline void pencil_entry(struct pencil *p, char name, double value, int i, int j) {
    if (p->named) PENCIL_ADD(p, "%c%d%d", name, i + 1, j + 1);
    else PENCIL_ADD(p, "%.17g", value);
}

static inline void pencil_parameters(struct pencil *p) {
    for (int i = 0; i < p->n && p->named; i++)
        for (int j = 0; j < p->n; j++) {
            if (p->e[i][j] != 0) PENCIL_ADD(p, "param e%d%d = %.17g\n", i + 1, j + 1, p->e[i][j]);
            if (p->a[i][j] != 0) PENCIL_ADD(p, "param a%d%d = %.17g\n", i + 1, j + 1, p->a[i][j]);
        }
}

static inline void pencil_row(struct pencil *p, int i) {
    int any = 0;
    for (int j = 0; j < p->n; j++) {
        if (p->e[i][j] != 0) {
            PENCIL_ADD(p, "%s", any++ ? " + " : "");
            pencil_entry(p, 'e', p->e[i][j], i, j);
            PENCIL_ADD(p, "*(x[%d]'", j + 1);
            if (p->high[j] != 0) PENCIL_ADD(p, " - der(X%d)", j + 1);
            PENCIL_ADD(p, ")");
        }
        if (p->a[i][j] != 0) {
            PENCIL_ADD(p, "%s", any++ ? " + " : "");
            pencil_entry(p, 'a', p->a[i][j], i, j);
            PENCIL_ADD(p, "*(x[%d] - X%d)", j + 1, j + 1);
        }
    }
}

static inline void pencil_equations(struct pencil *p) {
    for (int i = 0; i < p->n; i++) {
        pencil_row(p, i);
        PENCIL_ADD(p, " = 0\n");
    }
}

/* All but the start values. */
static inline void pencil_make(struct pencil *p, uint64_t seed) {
    pencil_matrix e = {{0}}, a = {{0}}, left, unused;
    *p = (struct pencil){.state = seed * 0xd1342543de82ef95u};
    p->decimals = pencil_below(p, 3) == 0;
    p->rests = pencil_below(p, 3) == 0;
    p->near = pencil_below(p, 3) == 0;
    p->map = pencil_below(p, 2) ? PENCIL_LINEAR : (enum pencil_map)(1 + pencil_below(p, PENCIL_MAPS - 1));
    do pencil_blocks(p, e, a);
    while (p->n == 0);
    pencil_regular(p, left, unused);
    pencil_regular(p, p->right, p->back);
    pencil_product(p->n, left, e, p->right, p->e);
    pencil_product(p->n, left, a, p->right, p->a);
    p->to = 0.5 + pencil_below(p, 4) / 2.0;
    double moves = p->rests && p->near ? pow(10, -3 - pencil_below(p, 12)) : p->rests ? 0 : 0.5;
    for (int j = 0; j < p->n; j++) {
        p->level[j] = pencil_below(p, 4) ? (pencil_below(p, 129) - 64) / 64.0 : 0;
        if (!p->rests && pencil_below(p, 3))
            p->high[j] = 0.5, p->frequency[j] = 0.5 + pencil_below(p, 4) / 2.0;
        p->c[j] = j < p->freedom ? moves * pencil_uniform(p, -1, 1) : 0;
    }
    p->named = (seed * 0x9e3779b97f4a7c15u >> 33) % 4 == 0; /* of its own: the other draws stay as they are */
    pencil_parameters(p);
    pencil_lets(p);
    pencil_equations(p);
    PENCIL_ADD(p, "run 0 .. %.17g\n", p->to);
}
#endif
