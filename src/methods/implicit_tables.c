/* implicit_tables.c - coefficients of Gauss, Radau IIA and Lobatto IIIA, IIIB, IIIC methods.
 *
 * The nodes are the zeros of P_s (Gauss), P_s - P_{s-1} (Radau, right) and P_s - P_{s-2} (Lobatto) on
 * [-1, 1], moved to [0, 1].  With l_j the Lagrange polynomials of the nodes
 *
 *     collocation:  a_ij = int_0^{c_i} l_j,  b_j = int_0^1 l_j
 *     IIIB:         a_ij = b_j - b_j A_ji / b_i,  A of IIIA: the pair is symplectic
 *     IIIC:         a_i1 = b_1, and C(s-1) by the polynomials of the nodes without the first one
 *
 * and all of it twofold.  Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5; Hairer,
 * Lubich, Wanner, Geometric Numerical Integration, II.1. */
#include "methods/implicit_tables.h"

#include "base/twofold.h"
#include "linalg/dense.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { S = IMPLICIT_STAGES, QUADRATURE = 5 };
typedef struct twofold real;

/* Zeros and weights of the 5-point Gauss formula on [-1, 1]: exact to degree 9. */
static const real point[QUADRATURE] = {{-0.906179845938664, -2.909730553174891e-17},
                                       {-0.5384693101056831, 1.6678154894696646e-17},
                                       {0, 0},
                                       {0.5384693101056831, -1.6678154894696646e-17},
                                       {0.906179845938664, 2.909730553174891e-17}};
static const real weight[QUADRATURE] = {{0.23692688505618908, 2.6149055638876413e-18},
                                        {0.47862867049936647, -2.8616217915821202e-18},
                                        {0.5688888888888889, 4.934324553889585e-19},
                                        {0.47862867049936647, -2.8616217915821202e-18},
                                        {0.23692688505618908, 2.6149055638876413e-18}};

static real of(double a) {
    return twofold_of(a);
}

static real plus(real a, real b) {
    return twofold_add(a, b);
}

static real minus(real a, real b) {
    return twofold_subtract(a, b);
}

static real times(real a, real b) {
    return twofold_multiply(a, b);
}

static real over(real a, real b) {
    return twofold_divide(a, b);
}

/* Exact: powers of two. */
static real half_of(real a) {
    return (real){a.high / 2, a.low / 2};
}

/* prod (x - node_k), k != j. */
static real distances(int nodes, const real *node, int j, real x) {
    real product = of(1);
    for (int k = 0; k < nodes; k++)
        if (k != j) product = times(product, minus(x, node[k]));
    return product;
}

static real lagrange(int nodes, const real *node, int j, real x) {
    return over(distances(nodes, node, j, x), distances(nodes, node, j, node[j]));
}

static real lagrange_integral(int nodes, const real *node, int j, real from, real to) {
    real half = half_of(minus(to, from)), middle = half_of(plus(to, from)), sum = of(0);
    for (int q = 0; q < QUADRATURE; q++)
        sum = plus(sum, times(weight[q], distances(nodes, node, j, plus(middle, times(half, point[q])))));
    return over(times(half, sum), distances(nodes, node, j, node[j]));
}

/* Start values and values between the steps take doubles.  The factors x - node_k below and above k = j are
 * multiplied up from both ends. */
void implicit_integrals(int nodes, const double *node, double from, double to, double *out) {
    double half = (to - from) / 2, middle = (to + from) / 2, below[S + 2];
    for (int j = 0; j < nodes; j++) out[j] = 0;
    for (int q = 0; q < QUADRATURE; q++) {
        double x = middle + half * point[q].high, above = 1;
        below[0] = weight[q].high;
        for (int k = 0; k < nodes; k++) below[k + 1] = below[k] * (x - node[k]);
        for (int j = nodes - 1; j >= 0; j--) {
            out[j] += below[j] * above;
            above *= x - node[j];
        }
    }
    for (int j = 0; j < nodes; j++) {
        double apart = 1;
        for (int k = 0; k < nodes; k++) apart *= k == j ? 1 : node[j] - node[k];
        out[j] *= half / apart;
    }
}

/* P_s + first P_{s-1} + second P_{s-2} at x. */
static real combination(int s, double first, double second, real x) {
    real before = of(1), now = x, oldest = of(0);
    for (int k = 2; k <= s; k++) {
        real up = times(of(2 * k - 1), times(x, now)), down = times(of(k - 1), before);
        oldest = before;
        before = now;
        now = over(minus(up, down), of(k));
    }
    return plus(now, plus(times(of(first), before), times(of(second), oldest)));
}

/* A zero between low and high by halving, then by Newton's steps with a difference for the slope: 1e-6, 1e-12
 * and all digits. */
static real zero_between(int s, double first, double second, double low, double high) {
    enum { HALVINGS = 16, STEPS = 4 };
    const double apart = 1e-7;
    int below = combination(s, first, second, of(low)).high < 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if ((combination(s, first, second, of(middle)).high < 0) == below) low = middle;
        else high = middle;
    }
    real x = of((low + high) / 2);
    for (int i = 0; i < STEPS; i++) {
        real value = combination(s, first, second, x);
        real beside = combination(s, first, second, plus(x, of(apart)));
        x = minus(x, times(value, over(of(apart), minus(beside, value))));
    }
    return x;
}

/* The zeros of the combination inside (-1, 1), mapped to (0, 1), increasing; how many. */
static int zeros(int s, double first, double second, real *out) {
    enum { PIECES = 64 };
    int found = 0;
    const double edge = 1e-6;
    double low = -1 + edge, value = combination(s, first, second, of(low)).high;
    for (int k = 0; k < PIECES; k++) {
        double high = -1 + edge + (2 - 2 * edge) * (k + 1) / PIECES;
        double other = combination(s, first, second, of(high)).high;
        if (value == 0) out[found++] = half_of(plus(of(low), of(1)));
        else if (value * other < 0)
            out[found++] = half_of(plus(zero_between(s, first, second, low, high), of(1)));
        low = high, value = other;
    }
    return found;
}

static void find_nodes(enum implicit_kind kind, int s, real *c) {
    if (kind == IMPLICIT_GAUSS) {
        zeros(s, 0, 0, c);
        for (int i = 0; i < s / 2; i++) c[s - 1 - i] = minus(of(1), c[i]);
        if (s % 2) c[s / 2] = of(0.5);
    } else if (kind == IMPLICIT_RADAU_2A) {
        zeros(s, -1, 0, c);
        c[s - 1] = of(1);
    } else {
        c[0] = of(0);
        zeros(s, 0, -1, c + 1);
        for (int i = 0; i < s / 2; i++) c[s - 1 - i] = minus(of(1), c[i]);
        if (s % 2) c[s / 2] = of(0.5);
    }
}

static void find_coefficients(enum implicit_kind kind, int s, const real *c, real a[S][S], real *b) {
    for (int j = 0; j < s; j++) {
        b[j] = lagrange_integral(s, c, j, of(0), of(1));
        for (int i = 0; i < s; i++) a[i][j] = lagrange_integral(s, c, j, of(0), c[i]);
    }
    real collocation[S][S];
    memcpy(collocation, a, sizeof collocation);
    for (int i = 0; i < s && kind == IMPLICIT_LOBATTO_3B; i++)
        for (int j = 0; j < s; j++) a[i][j] = minus(b[j], over(times(b[j], collocation[j][i]), b[i]));
    for (int i = 0; i < s && kind == IMPLICIT_LOBATTO_3C; i++) {
        a[i][0] = b[0];
        for (int j = 1; j < s; j++)
            a[i][j] = minus(lagrange_integral(s - 1, c + 1, j - 1, of(0), c[i]),
                            times(b[0], lagrange(s - 1, c + 1, j - 1, of(0))));
    }
}

/* a / b, and a size of a: those of C and of its library have other last digits on each machine. */
static double complex quotient(double complex a, double complex b) {
    double x = creal(b), y = cimag(b), square = x * x + y * y;
    double complex product = a * conj(b);
    return creal(product) / square + cimag(product) / square * I;
}

static double size_of(double complex a) {
    return fabs(creal(a)) + fabs(cimag(a));
}

/* The eigenvalues of A: the zeros of its characteristic polynomial (Faddeev, LeVerrier), all at once
 * (Aberth). */
static void eigenvalues(int s, real a[S][S], double complex *lambda) {
    real m[S][S] = {{{0, 0}}}, product[S][S], p[S + 1] = {{0, 0}};
    p[s] = of(1);
    for (int k = 1; k <= s; k++) {
        real trace = of(0);
        for (int i = 0; i < s; i++) m[i][i] = plus(m[i][i], p[s - k + 1]);
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                product[i][j] = of(0);
                for (int l = 0; l < s; l++) product[i][j] = plus(product[i][j], times(a[i][l], m[l][j]));
            }
        for (int i = 0; i < s; i++) trace = plus(trace, product[i][i]);
        p[s - k] = over(trace, of(-k));
        memcpy(m, product, sizeof m);
    }
    lambda[0] = 0.12 + 0.16 * I; /* then on, around a circle */
    for (int i = 1; i < s; i++) lambda[i] = lambda[i - 1] * (0.6 + 0.8 * I);
    for (int sweep = 0; sweep < 100; sweep++)
        for (int i = 0; i < s; i++) {
            double complex value = 1, slope = 0, repulsion = 0;
            for (int k = s - 1; k >= 0; k--) {
                slope = slope * lambda[i] + value;
                value = value * lambda[i] + p[k].high;
            }
            if (value == 0) continue;
            double complex newton = quotient(value, slope);
            for (int j = 0; j < s; j++)
                if (j != i) repulsion += quotient(1, lambda[i] - lambda[j]);
            lambda[i] -= quotient(newton, 1 - newton * repulsion);
        }
}

/* v := an eigenvector of A near lambda, by inverse iteration, largest component 1. */
static void eigenvector(int s, real a[S][S], double complex lambda, double complex *v) {
    double complex m[S][S + 1];
    for (int i = 0; i < s; i++) v[i] = 1 + 0.3 * i;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < s; i++) {
            for (int j = 0; j < s; j++) m[i][j] = a[i][j].high;
            m[i][i] -= lambda + 1e-9 * (1 + I);
            m[i][s] = v[i];
        }
        for (int k = 0; k < s; k++) {
            int best = k;
            for (int i = k + 1; i < s; i++)
                if (size_of(m[i][k]) > size_of(m[best][k])) best = i;
            for (int j = k; j <= s; j++) {
                double complex swap = m[k][j];
                m[k][j] = m[best][j];
                m[best][j] = swap;
            }
            for (int i = k + 1; i < s; i++) {
                double complex factor = quotient(m[i][k], m[k][k]);
                for (int j = k; j <= s; j++) m[i][j] -= factor * m[k][j];
            }
        }
        double complex largest = 0;
        for (int i = s - 1; i >= 0; i--) {
            v[i] = m[i][s];
            for (int j = i + 1; j < s; j++) v[i] -= m[i][j] * v[j];
            v[i] = quotient(v[i], m[i][i]);
            if (size_of(v[i]) > size_of(largest)) largest = v[i];
        }
        for (int i = 0; i < s; i++) v[i] = quotient(v[i], largest);
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
            if (size_of(value) < 1e-7) value = 0;
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
    real late = half_of(plus(c[s - 2], c[s - 1])), ratio = of(1);
    for (int i = 0; i < s; i++) {
        for (int k = 0; k < 2; k++) {
            int degree = s - 2 + k;
            real value = times(b[i], combination(degree, 0, 0, minus(plus(c[i], c[i]), of(1))));
            table->tail[k][i] = sqrt(2 * degree + 1) * value.high;
        }
        table->at_late[i] = lagrange(s, c, i, late).high;
        table->to_late[i] = lagrange_integral(s, c, i, of(0), late).high;
        ratio = times(ratio, over(c[i], minus(c[i], late)));
    }
    table->late = late.high;
    table->begin_by_late = ratio.high;
}

void implicit_table_theta(struct implicit_table *table, double theta) {
    memset(table, 0, sizeof *table);
    table->s = table->blocks = 1;
    table->regular = theta >= 0.5; /* below, nothing stiff is stable, and Z / theta enlarges round-off */
    table->c[0] = table->a[0][0] = table->real[0] = theta;
    table->b[0] = table->t[0][0] = table->t_inverse[0][0] = table->at_begin[0] = 1;
    table->inverse[0][0] = 1 / theta;
    stage_weights_set(&table->of_stage[0], 0, of(theta));
    stage_weights_set(&table->of_end, 0, of(1));
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
        table->c[i] = c[i].high;
        table->b[i] = b[i].high;
        stage_weights_set(&table->of_end, i, b[i]);
        table->at_begin[i] = lagrange(s, c, i, of(0)).high;
        for (int j = 0; j < s; j++) {
            table->a[i][j] = a[i][j].high;
            stage_weights_set(&table->of_stage[i], j, a[i][j]);
        }
    }
    table->regular =
        kind != IMPLICIT_LOBATTO_3A && kind != IMPLICIT_LOBATTO_3B && invert(s, table->a, table->inverse);
    decompose(table, a);
    if (kind == IMPLICIT_RADAU_2A && s > 2) find_looks(table, c, b);
}

void implicit_start_weights(const struct implicit_table *last, const struct implicit_table *table,
                            int skipped, int nodes, double from, double ratio, double out[S][S + 1]) {
    double node[S + 1];
    memcpy(node, last->c, sizeof last->c);
    node[last->s] = 1;
    for (int i = 0; i < table->s; i++)
        implicit_integrals(nodes, node + skipped, from, from + table->c[i] * ratio, out[i] + skipped);
}

keel_implicit implicit_shape(const struct implicit_table *table) {
    return (keel_implicit){.stages = table->s,
                           .first_explicit = table->first_explicit,
                           .last_is_end = table->last_is_end,
                           .with_rate = table->c[table->s - 1] < 1,
                           .c = table->c,
                           .a = table->a,
                           .of_stage = table->of_stage,
                           .of_end = &table->of_end};
}

void implicit_loop_fill(struct implicit_loop *loop, enum implicit_kind kind, int stages) {
    const struct implicit_loop *filled = loop;
    const struct implicit_table *table = &filled->table;
    implicit_table_fill(&loop->table, kind, stages);
    loop->shape = implicit_shape(table);
    implicit_start_weights(table, table, 0, stages + loop->shape.with_rate, 1, 1, loop->start);
    loop->shape.start = filled->start;
}
