/* evaluate.h - expressions evaluated in long double, and in the arithmetic that runs use.
 *
 * The evaluator in long double shares no code with src/symbolic/expr_value.c, which it resembles, on purpose:
 * what is tested must not be its own judge.  Where it can it takes another algorithm. */
#ifndef KEEL_TESTS_EVALUATE_H
#define KEEL_TESTS_EVALUATE_H

#include "testing.h"
#include "lang_random.h"

typedef long double wide;

enum { ORDERS = 3, INPUTS = RANDOM_SYMBOLS };

/* Values of all symbols: t, x^(k), p. */
struct point {
    wide t, x[RANDOM_STATES][ORDERS + 1], p[RANDOM_PARAMETERS];
};

/* am(u | m) from the arithmetic-geometric mean: another algorithm than keel's, for 0 <= m < 1.
 * phi_(k-1) = (phi_k + asin(c_k/a_k sin phi_k))/2 with c_k = (a_(k-1) - b_(k-1))/2. */
static inline wide amplitude(wide u, wide m) {
    wide a = 1, b = sqrtl(1 - m), ratio[40], phi;
    int n = 0;
    while (n < 40 && fabsl(a - b) > 1e-18L) {
        wide mean = (a + b) / 2;
        ratio[n++] = (a - b) / 2 / mean;
        b = sqrtl(a * b);
        a = mean;
    }
    phi = ldexpl(a * u, n);
    while (n-- > 0) phi = (phi + asinl(ratio[n] * sinl(phi))) / 2;
    return phi;
}

static inline wide jacobi(enum expr_op op, wide u, wide m) {
    if (m == 1) return op == EXPR_SN ? tanhl(u) : 1 / coshl(u);
    if (m < 0) {
        wide k = sqrtl(1 - m), v = u * k, n = -m / (1 - m);
        wide d = jacobi(EXPR_DN, v, n);
        return op == EXPR_SN   ? jacobi(EXPR_SN, v, n) / d / k
               : op == EXPR_CN ? jacobi(EXPR_CN, v, n) / d
                               : 1 / d;
    }
    wide phi = amplitude(u, m);
    if (op == EXPR_SN) return sinl(phi);
    if (op == EXPR_CN) return cosl(phi);
    return sqrtl(1 - m + m * cosl(phi) * cosl(phi));
}

/* The integral of dn^2, or of (sn/dn)^2, from 0 to u by Gauss's rule of 16 points on pieces of 1/4 or less:
 * nodes and weights from Newton's method on Legendre's polynomial. */
static inline wide integral(enum expr_op op, wide u, wide m) {
    enum { POINTS = 16 };
    static wide node[POINTS], weight[POINTS];
    for (int i = 0; i < POINTS && weight[POINTS - 1] == 0; i++) {
        wide x = cosl(acosl(-1) * (i + 0.75L) / (POINTS + 0.5L)), slope = 1;
        for (int k = 0; k < 60; k++) {
            wide before = 1, value = x;
            for (int n = 2; n <= POINTS; n++) {
                wide next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
                before = value, value = next;
            }
            slope = POINTS * (x * value - before) / (x * x - 1);
            x -= value / slope;
        }
        node[i] = x, weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
    int pieces = 1 + (int)(4 * fabsl(u));
    wide sum = 0, half = u / pieces / 2;
    if (!(fabsl(u) < 100)) return NAN;
    for (int k = 0; k < pieces; k++)
        for (int i = 0; i < POINTS; i++) {
            wide v = half * (2 * k + 1 + node[i]), dn = jacobi(EXPR_DN, v, m);
            wide root = op == EXPR_JACOBIEPS ? dn : jacobi(EXPR_SN, v, m) / dn;
            sum += weight[i] * half * root * root;
        }
    return sum;
}

static inline wide complete(enum expr_op op, wide m) {
    wide a = 1, b = sqrtl(1 - m);
    for (int i = 0; i < 40 && fabsl(a - b) > 1e-19L * a; i++) {
        wide mean = (a + b) / 2;
        b = sqrtl(a * b);
        a = mean;
    }
    wide quarter = acosl(0) / a;
    return op == EXPR_ELLIPK ? quarter : m == 1 ? 1 : integral(EXPR_JACOBIEPS, quarter, m);
}

static inline wide jump(enum expr_op op, wide a, wide b) {
    switch (op) {
    case EXPR_ABS:
        return fabsl(a);
    case EXPR_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a;
    case EXPR_MIN:
        return a < b ? a : b;
    case EXPR_MAX:
        return a > b ? a : b;
    case EXPR_FLOOR:
        return floorl(a);
    case EXPR_MOD:
        return a - b * floorl(a / b);
    case EXPR_LT:
        return a < b;
    case EXPR_LE:
        return a <= b;
    case EXPR_EQ:
        return a == b;
    case EXPR_NE:
        return a != b;
    case EXPR_AND:
        return a != 0 && b != 0;
    case EXPR_OR:
        return a != 0 || b != 0;
    case EXPR_NOT:
        return a == 0;
    default:
        return NAN;
    }
}

static inline wide function(enum expr_op op, wide a, wide b) {
    static wide (*const one[])(wide) = {
        [EXPR_SQRT] = sqrtl,   [EXPR_CBRT] = cbrtl,   [EXPR_EXP] = expl,     [EXPR_EXPM1] = expm1l,
        [EXPR_LOG] = logl,     [EXPR_LOG1P] = log1pl, [EXPR_LOG10] = log10l, [EXPR_SIN] = sinl,
        [EXPR_COS] = cosl,     [EXPR_TAN] = tanl,     [EXPR_ASIN] = asinl,   [EXPR_ACOS] = acosl,
        [EXPR_ATAN] = atanl,   [EXPR_SINH] = sinhl,   [EXPR_COSH] = coshl,   [EXPR_TANH] = tanhl,
        [EXPR_ASINH] = asinhl, [EXPR_ACOSH] = acoshl, [EXPR_ATANH] = atanhl,
    };
    if (op <= EXPR_ATANH && one[op]) return one[op](a);
    switch (op) {
    case EXPR_NEG:
        return -a;
    case EXPR_ADD:
        return a + b;
    case EXPR_SUB:
        return a - b;
    case EXPR_MUL:
        return a * b;
    case EXPR_DIV:
        return a / b;
    case EXPR_POW:
        return powl(a, b);
    case EXPR_ATAN2:
        return atan2l(a, b);
    case EXPR_HYPOT:
        return hypotl(a, b);
    case EXPR_SN:
    case EXPR_CN:
    case EXPR_DN:
        return jacobi(op, a, b);
    case EXPR_ELLIPK:
    case EXPR_ELLIPE:
        return complete(op, a);
    case EXPR_JACOBIEPS:
    case EXPR_JACOBISD2:
        return integral(op, a, b);
    default:
        return jump(op, a, b);
    }
}

static inline wide value_at(struct graph *g, expr f, const struct point *at) {
    struct expr_list list;
    assert_int_equal(expr_order(g, 1, &f, &list), 0);
    wide *v = calloc(g->count, sizeof *v), result;
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i];
        struct expr_node n = g->node[e];
        double number;
        if (expr_is_constant(g, e, &number)) v[e] = number;
        else if (n.op == EXPR_SYMBOL)
            v[e] = n.a == EXPR_TIME ? at->t : n.a == EXPR_UNKNOWN ? at->x[n.b][n.c] : at->p[n.b];
        else if (n.op == EXPR_IF) v[e] = v[n.a] != 0 ? v[n.b] : v[n.c];
        else if (n.op == EXPR_POWI) v[e] = powl(v[n.a], (wide)(int32_t)n.b);
        else v[e] = function((enum expr_op)n.op, v[n.a], v[n.b]);
    }
    result = v[f];
    free(v);
    free(list.item);
    return result;
}

/* An expression of x and y in the arithmetic that runs use. */
static inline double double_at(struct graph *g, expr f, double x, double y) {
    struct expr_list list;
    assert_int_equal(expr_order(g, 1, &f, &list), 0);
    double *v = calloc(g->count, sizeof *v), result;
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i];
        struct expr_node n = g->node[e];
        if (expr_is_constant(g, e, &v[e])) continue;
        if (n.op == EXPR_SYMBOL) v[e] = n.b ? y : x;
        else if (n.op == EXPR_POWI) v[e] = expr_integer_power(v[n.a], (int32_t)n.b);
        else v[e] = expr_value((enum expr_op)n.op, v[n.a], v[n.b]);
    }
    result = v[f];
    free(v);
    free(list.item);
    return result;
}
#endif
