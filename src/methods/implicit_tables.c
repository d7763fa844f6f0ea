/* implicit_tables.c - coefficients of Gauss, Radau IIA and Lobatto IIIA, IIIB, IIIC methods.
 * * The nodes are the zeros of P_s (Gauss), P_s - P_{s-1} (Radau, right) and P_s - P_{s-2} (Lobatto) on
 * [-1, 1], moved to [0, 1].  With l_j the Lagrange polynomials of the nodes
 *
 *     collocation:  a_ij = int_0^{c_i} l_j,  b_j = int_0^1 l_j
 *     IIIB:         a_ij = b_j - b_j A_ji / b_i,  A of IIIA: the pair is symplectic
 *     IIIC:         a_i1 = b_1, and C(s-1) by the polynomials of the nodes without the first one
 *
 * and all of it in long double.  Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5; Hairer,
 * Lubich, Wanner, Geometric Numerical Integration, II.1. */
#include "methods/implicit_tables.h"

#include "linalg/dense.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { S = IMPLICIT_STAGES, QUADRATURE = 5 };
typedef long double real;

/* Zeros and weights of the 5-point Gauss formula on [-1, 1]: exact to degree 9. */
static const real point[QUADRATURE] = {
    -0.906179845938663992797626878299392965L, -0.538469310105683091036314420700208805L, 0,
    0.538469310105683091036314420700208805L, 0.906179845938663992797626878299392965L};
static const real weight[QUADRATURE] = {
    0.236926885056189087514264040719917363L, 0.478628670499366468041291514835638193L,
    0.568888888888888888888888888888888889L, 0.478628670499366468041291514835638193L,
    0.236926885056189087514264040719917363L};

static real lagrange(int nodes, const real *node, int j, real x) {
    real product = 1;
    for (int k = 0; k < nodes; k++)
        if (k != j) product *= (x - node[k]) / (node[j] - node[k]);
    return product;
}

static real lagrange_integral(int nodes, const real *node, int j, real from, real to) {
    real half = (to - from) / 2, middle = (to + from) / 2, sum = 0;
    for (int q = 0; q < QUADRATURE; q++)
        sum += weight[q] * lagrange(nodes, node, j, middle + half * point[q]);
    return half * sum;
}

void implicit_integrals(int nodes, const double *node, double from, double to, double *out) {
    real exact[S + 1];
    for (int j = 0; j < nodes; j++) exact[j] = node[j];
    for (int j = 0; j < nodes; j++) out[j] = (double)lagrange_integral(nodes, exact, j, from, to);
}

/* P_s + first P_{s-1} + second P_{s-2} at x. */
static real combination(int s, real first, real second, real x) {
    real before = 1, now = x, oldest = 0;
    for (int k = 2; k <= s; k++) {
        real next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        oldest = before;
        before = now;
        now = next;
    }
    return now + first * before + second * oldest;
}

/* The zeros of the combination inside (-1, 1), mapped to (0, 1), increasing; how many. */
static int zeros(int s, real first, real second, real *out) {
    enum { PIECES = 256, HALVINGS = 70 };
    int found = 0;
    const real edge = 1e-6L;
    real other = combination(s, first, second, -1 + edge), high = -1 + edge;
    for (int k = 0; k < PIECES; k++) {
        real low = high, value = other;
        high = -1 + edge + (2 - 2 * edge) * (k + 1) / PIECES;
        other = combination(s, first, second, high);
        if (value != 0 && value * other > 0) continue;
        if (other == 0) continue; /* the next piece begins with it */
        for (int i = 0; i < HALVINGS && value != 0; i++) {
            real middle = (low + high) / 2, between = combination(s, first, second, middle);
            if ((between < 0) == (value < 0)) low = middle;
            else high = middle;
        }
        out[found++] = value == 0 ? (low + 1) / 2 : ((low + high) / 2 + 1) / 2;
    }
    return found;
}

static void find_nodes(enum implicit_kind kind, int s, real *c) {
    if (kind == IMPLICIT_GAUSS) {
        zeros(s, 0, 0, c);
        for (int i = 0; i < s / 2; i++) c[s - 1 - i] = 1 - c[i];
        if (s % 2) c[s / 2] = 0.5L;
    } else if (kind == IMPLICIT_RADAU_2A) {
        zeros(s, -1, 0, c);
        c[s - 1] = 1;
    } else {
        c[0] = 0;
        zeros(s, 0, -1, c + 1);
        for (int i = 0; i < s / 2; i++) c[s - 1 - i] = 1 - c[i];
        if (s % 2) c[s / 2] = 0.5L;
    }
}

static void find_coefficients(enum implicit_kind kind, int s, const real *c, real a[S][S], real *b) {
    for (int j = 0; j < s; j++) {
        b[j] = lagrange_integral(s, c, j, 0, 1);
        for (int i = 0; i < s; i++) a[i][j] = lagrange_integral(s, c, j, 0, c[i]);
    }
    real collocation[S][S];
    memcpy(collocation, a, sizeof collocation);
    for (int i = 0; i < s && kind == IMPLICIT_LOBATTO_3B; i++)
        for (int j = 0; j < s; j++) a[i][j] = b[j] - b[j] * collocation[j][i] / b[i];
    for (int i = 0; i < s && kind == IMPLICIT_LOBATTO_3C; i++) {
        a[i][0] = b[0];
        for (int j = 1; j < s; j++)
            a[i][j] =
                lagrange_integral(s - 1, c + 1, j - 1, 0, c[i]) - b[0] * lagrange(s - 1, c + 1, j - 1, 0);
    }
}

/* The eigenvalues of A: the zeros of its characteristic polynomial (Faddeev, LeVerrier), all at once
 * (Aberth). */
static void eigenvalues(int s, real a[S][S], double complex *lambda) {
    real m[S][S] = {{0}}, product[S][S], p[S + 1] = {0};
    p[s] = 1;
    for (int k = 1; k <= s; k++) {
        real trace = 0;
        for (int i = 0; i < s; i++) m[i][i] += p[s - k + 1];
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                product[i][j] = 0;
                for (int l = 0; l < s; l++) product[i][j] += a[i][l] * m[l][j];
            }
        for (int i = 0; i < s; i++) trace += product[i][i];
        p[s - k] = -trace / k;
        memcpy(m, product, sizeof m);
    }
    for (int i = 0; i < s; i++) lambda[i] = 0.2 * cexp((0.4 + 6.283185307179586 * i / s) * I);
    for (int sweep = 0; sweep < 100; sweep++)
        for (int i = 0; i < s; i++) {
            double complex value = 1, slope = 0, repulsion = 0;
            for (int k = s - 1; k >= 0; k--) {
                slope = slope * lambda[i] + value;
                value = value * lambda[i] + (double)p[k];
            }
            if (value == 0) continue;
            double complex newton = value / slope;
            for (int j = 0; j < s; j++)
                if (j != i) repulsion += 1 / (lambda[i] - lambda[j]);
            lambda[i] -= newton / (1 - newton * repulsion);
        }
}

/* v := an eigenvector of A near lambda, by inverse iteration, largest component 1. */
static void eigenvector(int s, real a[S][S], double complex lambda, double complex *v) {
    double complex m[S][S + 1];
    for (int i = 0; i < s; i++) v[i] = 1 + 0.3 * i;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < s; i++) {
            for (int j = 0; j < s; j++) m[i][j] = (double)a[i][j];
            m[i][i] -= lambda + 1e-9 * (1 + I);
            m[i][s] = v[i];
        }
        for (int k = 0; k < s; k++) {
            int best = k;
            for (int i = k + 1; i < s; i++)
                if (cabs(m[i][k]) > cabs(m[best][k])) best = i;
            for (int j = k; j <= s; j++) {
                double complex swap = m[k][j];
                m[k][j] = m[best][j];
                m[best][j] = swap;
            }
            for (int i = k + 1; i < s; i++) {
                double complex factor = m[i][k] / m[k][k];
                for (int j = k; j <= s; j++) m[i][j] -= factor * m[k][j];
            }
        }
        double complex largest = 0;
        for (int i = s - 1; i >= 0; i--) {
            v[i] = m[i][s];
            for (int j = i + 1; j < s; j++) v[i] -= m[i][j] * v[j];
            v[i] /= m[i][i];
            if (cabs(v[i]) > cabs(largest)) largest = v[i];
        }
        for (int i = 0; i < s; i++) v[i] /= largest;
    }
}

/* inverse of m; 0: it has none. */
static int invert(int s, double m[S][S], double inverse[S][S]) {
    double lu[S * S], column[S];
    int pivot[S];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) lu[i * s + j] = m[i][j];
    if (dense_lu(s, lu, pivot, NULL)) return 0;
    for (int j = 0; j < s; j++) {
        memset(column, 0, sizeof column);
        column[j] = 1;
        dense_lu_solve(s, lu, pivot, column);
        for (int i = 0; i < s; i++) inverse[i][j] = column[i];
    }
    return 1;
}

static void decompose(struct implicit_table *table, real a[S][S]) {
    double complex lambda[S], v[S];
    int s = table->s, at = 0;
    eigenvalues(s, a, lambda);
    for (int pass = 0; pass < 2; pass++) /* real ones first */
        for (int k = 0; k < s; k++) {
            int is_real = fabs(cimag(lambda[k])) < 1e-7;
            if (is_real != (pass == 0) || (!is_real && cimag(lambda[k]) < 0)) continue;
            double complex value = is_real ? creal(lambda[k]) : lambda[k];
            if (cabs(value) < 1e-7) value = 0;
            eigenvector(s, a, value, v);
            table->real[table->blocks] = creal(value);
            table->imaginary[table->blocks++] = cimag(value);
            for (int i = 0; i < s; i++) {
                table->t[i][at] = creal(v[i]);
                if (!is_real) table->t[i][at + 1] = cimag(v[i]);
            }
            at += is_real ? 1 : 2;
        }
    invert(s, table->t, table->t_inverse);
}

/* Legendre coefficients by the weights of the method, which are exact to degree 2 s - 2. */
static void find_looks(struct implicit_table *table, const real *c, const real *b) {
    int s = table->s;
    real late = (c[s - 2] + c[s - 1]) / 2, ratio = 1;
    for (int i = 0; i < s; i++) {
        for (int k = 0; k < 2; k++) {
            int degree = s - 2 + k;
            real norm = sqrtl(2 * degree + 1);
            table->tail[k][i] = (double)(b[i] * norm * combination(degree, 0, 0, 2 * c[i] - 1));
        }
        table->at_late[i] = (double)lagrange(s, c, i, late);
        table->to_late[i] = (double)lagrange_integral(s, c, i, 0, late);
        ratio *= c[i] / (c[i] - late);
    }
    table->late = (double)late;
    table->begin_by_late = (double)ratio;
}

void implicit_table_theta(struct implicit_table *table, double theta) {
    memset(table, 0, sizeof *table);
    table->s = table->blocks = 1;
    table->regular = theta >= 0.5; /* below, nothing stiff is stable, and Z / theta enlarges round-off */
    table->c[0] = table->a[0][0] = table->real[0] = theta;
    table->b[0] = table->t[0][0] = table->t_inverse[0][0] = table->at_begin[0] = 1;
    table->inverse[0][0] = 1 / theta;
    table->last_is_end = theta == 1;
}

void implicit_table_fill(struct implicit_table *table, enum implicit_kind kind, int stages) {
    real c[S], a[S][S], b[S];
    int s = stages;
    memset(table, 0, sizeof *table);
    memset(a, 0, sizeof a);
    table->s = s;
    find_nodes(kind, s, c);
    find_coefficients(kind, s, c, a, b);
    table->first_explicit = kind == IMPLICIT_LOBATTO_3A;
    table->last_is_end =
        kind == IMPLICIT_RADAU_2A || kind == IMPLICIT_LOBATTO_3A || kind == IMPLICIT_LOBATTO_3C;
    for (int i = 0; i < s; i++) {
        table->c[i] = (double)c[i];
        table->b[i] = (double)b[i];
        table->b_low[i] = (double)(b[i] - table->b[i]);
        table->at_begin[i] = (double)lagrange(s, c, i, 0);
        for (int j = 0; j < s; j++) {
            table->a[i][j] = (double)a[i][j];
            table->a_low[i][j] = (double)(a[i][j] - table->a[i][j]);
        }
    }
    table->regular =
        kind != IMPLICIT_LOBATTO_3A && kind != IMPLICIT_LOBATTO_3B && invert(s, table->a, table->inverse);
    decompose(table, a);
    if (kind == IMPLICIT_RADAU_2A && s > 2) find_looks(table, c, b);
}
