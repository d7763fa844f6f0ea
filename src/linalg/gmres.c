/* gmres.c - see gmres.h. */
#include "linalg/gmres.h"

#include "base/portable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASIS = 30, CYCLES = 6 };
#define STALLED 0.5 /* of the error left by a whole cycle: another one is not tried */

struct gmres {
    int n, steps;               /* n: numbers of the vectors at hand */
    double orthogonal;          /* vectors that new ones were made orthogonal to, in all */
    double *basis, *x, *right;  /* (BASIS + 1) x n; n: S x; S M^-1 b */
    double *work, *scale;       /* n */
    double h[BASIS][BASIS + 1]; /* column j: the coefficients of the j-th new vector, made triangular */
    double cosine[BASIS], sine[BASIS], left[BASIS + 1]; /* rotations; what they make of the right-hand side */
};

struct gmres *gmres_open(int n) {
    struct gmres *g = calloc(1, sizeof *g);
    size_t order = (size_t)n + 1;
    if (!g) return NULL;
    g->n = n;
    g->basis = calloc((BASIS + 1) * order, sizeof *g->basis);
    g->x = calloc(order, sizeof *g->x);
    g->right = calloc(order, sizeof *g->right);
    g->work = calloc(order, sizeof *g->work);
    g->scale = calloc(order, sizeof *g->scale);
    if (g->basis && g->x && g->right && g->work && g->scale) return g;
    gmres_close(g);
    return NULL;
}

void gmres_close(struct gmres *g) {
    if (!g) return;
    free(g->basis);
    free(g->x);
    free(g->right);
    free(g->work);
    free(g->scale);
    free(g);
}

/* In four sums, which a processor adds side by side. */
static double product(int n, const double *a, const double *b) {
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 3 < n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double length(int n, const double *a) {
    return sqrt(product(n, a, a));
}

static double *vector(const struct gmres *g, int j) {
    return g->basis + (size_t)j * (size_t)g->n;
}

/* out := S M^-1 A S^-1 v */
static void apply(struct gmres *g, const struct ilu *a, const double *v, double *out) {
    const double *scale = g->scale;
    for (int i = 0; i < g->n; i++) g->work[i] = v[i] / scale[i];
    ilu_multiply(a, g->work, out);
    ilu_solve(a, out);
    for (int i = 0; i < g->n; i++) out[i] *= scale[i];
    g->steps++;
}

/* The next vector, orthogonal to those before it (modified Gram-Schmidt). */
static void extend(struct gmres *g, const struct ilu *a, int j) {
    double *next = vector(g, j + 1);
    apply(g, a, vector(g, j), next);
    for (int k = 0; k <= j; k++) {
        const double *v = vector(g, k);
        double share = g->h[j][k] = product(g->n, next, v);
        for (int i = 0; i < g->n; i++) next[i] -= share * v[i];
    }
    double rest = g->h[j][j + 1] = length(g->n, next), inverse = rest > 0 ? 1 / rest : 0;
    for (int i = 0; i < g->n; i++) next[i] *= inverse;
    g->orthogonal += j + 1;
}

/* Column j turned by the rotations so far and by one that clears its last number. */
static void rotate(struct gmres *g, int j) {
    double *h = g->h[j];
    for (int k = 0; k < j; k++) {
        double upper = h[k];
        h[k] = g->cosine[k] * upper + g->sine[k] * h[k + 1];
        h[k + 1] = g->cosine[k] * h[k + 1] - g->sine[k] * upper;
    }
    double size = portable_length(h[j], h[j + 1]);
    g->cosine[j] = size > 0 ? h[j] / size : 1;
    g->sine[j] = size > 0 ? h[j + 1] / size : 0;
    h[j] = size;
    g->left[j + 1] = -g->sine[j] * g->left[j];
    g->left[j] *= g->cosine[j];
}

/* x := x + the combination of the basis that leaves the least; 0: there is none. */
static int combine(struct gmres *g, int count) {
    double share[BASIS];
    for (int j = count - 1; j >= 0; j--) {
        share[j] = g->left[j];
        for (int k = j + 1; k < count; k++) share[j] -= g->h[k][j] * share[k];
        if (!(g->h[j][j] > 0)) return 0;
        share[j] /= g->h[j][j];
    }
    for (int j = 0; j < count; j++) {
        const double *v = vector(g, j);
        for (int i = 0; i < g->n; i++) g->x[i] += share[j] * v[i];
    }
    return 1;
}

/* One basis, from the error at hand in its first vector, of this length; what is left. */
static double cycle(struct gmres *g, const struct ilu *a, double error, double aim) {
    double *first = vector(g, 0);
    int count = 0;
    for (int i = 0; i < g->n; i++) first[i] /= error;
    g->left[0] = error;
    while (count < BASIS && fabs(g->left[count]) > aim) {
        extend(g, a, count);
        rotate(g, count++);
        if (!isfinite(g->left[count])) return INFINITY;
    }
    return combine(g, count) ? fabs(g->left[count]) : INFINITY;
}

int gmres_solve(struct gmres *g, const struct ilu *a, double *b, const double *scale, double enough,
                double relative) {
    int parts = ilu_parts(a);
    g->n = parts * ilu_order(a);
    double *first = vector(g, 0);
    size_t bytes = (size_t)g->n * sizeof *b;
    for (int i = 0; i < g->n; i++) g->scale[i] = scale[i / parts];
    g->steps = 0;
    g->orthogonal = 0;
    memcpy(g->right, b, bytes);
    ilu_solve(a, g->right);
    for (int i = 0; i < g->n; i++) g->right[i] *= g->scale[i];
    memset(g->x, 0, bytes);
    memcpy(first, g->right, bytes);
    double error = length(g->n, first), aim = fmax(enough * sqrt(g->n), relative * error);
    for (int k = 0; k < CYCLES && error > aim; k++) {
        if (k > 0) {
            apply(g, a, g->x, first);
            for (int i = 0; i < g->n; i++) first[i] = g->right[i] - first[i];
        }
        double left = cycle(g, a, k > 0 ? length(g->n, first) : error, aim);
        if (!isfinite(left) || (left > aim && left > STALLED * error)) return 0;
        error = left;
    }
    if (!(error <= aim)) return 0;
    for (int i = 0; i < g->n; i++) b[i] = g->x[i] / g->scale[i];
    return 1;
}

int gmres_steps(const struct gmres *g) {
    return g->steps;
}

double gmres_operations(const struct gmres *g, const struct ilu *a) {
    return 4. * ilu_products(a) * (g->steps + 0.5) + 4. * g->n * (g->orthogonal + g->steps);
}
