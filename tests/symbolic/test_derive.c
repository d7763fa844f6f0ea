/* test_derive.c - derivatives of random expressions against differences in long double.
 *
 * The differences are of order 6 and taken with two steps: where the two disagree (a singularity is near)
 * the point proves nothing and is passed over; how many count is asserted too. */
#include "testing.h"

#include "symbolic/derive.h"
#include "lang_random.h"

#include <float.h>

typedef long double wide;

enum { ORDERS = 3, INPUTS = RANDOM_SYMBOLS };

/* Values of all symbols: t, x^(k), p. */
struct point {
    wide t, x[RANDOM_STATES][ORDERS + 1], p[RANDOM_PARAMETERS];
};

/* am(u | m) from the arithmetic-geometric mean: another algorithm than keel's, for 0 <= m < 1.
 * phi_(k-1) = (phi_k + asin(c_k/a_k sin phi_k))/2 with c_k = (a_(k-1) - b_(k-1))/2. */
static wide amplitude(wide u, wide m) {
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

static wide jacobi(enum expr_op op, wide u, wide m) {
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
static wide integral(enum expr_op op, wide u, wide m) {
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

static wide complete(enum expr_op op, wide m) {
    wide a = 1, b = sqrtl(1 - m);
    for (int i = 0; i < 40 && fabsl(a - b) > 1e-19L * a; i++) {
        wide mean = (a + b) / 2;
        b = sqrtl(a * b);
        a = mean;
    }
    wide quarter = acosl(0) / a;
    return op == EXPR_ELLIPK ? quarter : m == 1 ? 1 : integral(EXPR_JACOBIEPS, quarter, m);
}

static wide jump(enum expr_op op, wide a, wide b) {
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

static wide function(enum expr_op op, wide a, wide b) {
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

static wide value_at(struct graph *g, expr f, const struct point *at) {
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

/* The point moved by s: along symbol k, or, for k < 0, along the motion that its derivatives describe. */
static struct point moved(const struct point *at, int k, wide s) {
    struct point to = *at;
    if (k == 0) to.t += s;
    else if (k > RANDOM_STATES) to.p[k - 1 - RANDOM_STATES] += s;
    else if (k > 0) to.x[k - 1][0] += s;
    else {
        to.t += s;
        for (int j = 0; j < RANDOM_STATES; j++)
            for (int order = 0; order <= ORDERS; order++) {
                wide power = 1;
                to.x[j][order] = 0;
                for (int i = order; i <= ORDERS; i++) {
                    to.x[j][order] += at->x[j][i] * power;
                    power *= s / (i - order + 1);
                }
            }
    }
    return to;
}

static wide difference(struct graph *g, expr f, const struct point *at, int k, wide h) {
    static const wide weight[3] = {45, -9, 1};
    wide sum = 0;
    for (int i = 1; i <= 3; i++) {
        struct point up = moved(at, k, i * h), down = moved(at, k, -i * h);
        sum += weight[i - 1] * (value_at(g, f, &up) - value_at(g, f, &down));
    }
    return sum / (60 * h);
}

/* How often a slope was NaN where differences were not: 0^x, hypot(0, 0), or an infinity inside, as in
 * atan2(y, 1/0). */
static int singular;

/* 1 if the slope agrees with the differences, 0 if these say nothing; otherwise the test fails. */
static int agrees(struct graph *g, expr f, expr slope, const struct point *at, int k) {
    const wide h = 2e-3L;
    wide rough = difference(g, f, at, k, h), fine = difference(g, f, at, k, h / 2),
         mine = value_at(g, slope, at);
    wide size = fabsl(fine) + fabsl(value_at(g, f, at));
    if (!(size < 1e6L) || !(fabsl(rough - fine) <= 1e-9L * (size + 1e-3L))) return 0;
    if (isnan(mine)) return singular++, 0;
    wide error = fabsl(mine - fine) / (size + 1e-3L);
    if (!(error < 1e-9L)) fail_msg("slope %.18Lg, differences %.18Lg", mine, fine);
    return 1;
}

static struct point random_point(struct random *r) {
    struct point at = {.t = random_number(r, 0.1, 1)};
    for (int j = 0; j < RANDOM_STATES; j++)
        for (int k = 0; k <= ORDERS; k++) at.x[j][k] = random_number(r, k ? -1 : 0.05, 1);
    for (int j = 0; j < RANDOM_PARAMETERS; j++) at.p[j] = random_number(r, 0.1, 1);
    return at;
}

/* Partial derivatives forward, gradients in reverse, d/dt and d2/dt2. */
static void derivatives_match_differences(void **state) {
    (void)state;
    enum { EXPRESSIONS = 2500, A_GRAPH = 100 };
    struct graph g;
    struct random r;
    struct derive d;
    int counted = 0, rates = 0, seconds = 0, disguised = 0;
    for (int i = 0; i < EXPRESSIONS; i++) {
        if (i % A_GRAPH == 0) {
            assert_int_equal(expr_open(&g), 0);
            random_open(&r, &g, 3 + (uint64_t)i, 1);
            derive_open(&d, &g, 0);
        }
        expr f = random_expr(&r, 2 + i % 5), slope[INPUTS];
        struct point at = random_point(&r);
        assert_int_equal(d.obstacle, EXPR_NONE);
        if (derive_gradient(&d, f, INPUTS, r.symbol, slope)) { /* sqrt(u^2), acos(cos(u)): kinks after all */
            enum expr_op kink = (enum expr_op)g.node[d.obstacle].op;
            assert_true(kink == EXPR_ABS || kink == EXPR_FLOOR);
            d.obstacle = EXPR_NONE;
            disguised++;
            f = r.symbol[0];
            assert_int_equal(derive_gradient(&d, f, INPUTS, r.symbol, slope), 0);
        }
        int k = random_below(&r, INPUTS);
        counted += agrees(&g, f, slope[k], &at, k);
        counted += agrees(&g, f, derive_partial(&d, f, r.symbol[k]), &at, k);
        expr rate = derive_total(&d, f);
        rates += agrees(&g, f, rate, &at, -1);
        seconds += agrees(&g, rate, derive_total(&d, rate), &at, -1);
        if (i % A_GRAPH < A_GRAPH - 1) continue;
        derive_close(&d);
        expr_close(&g);
    }
    print_message("%d expressions: %d slopes, %d rates, %d second rates compared\n", EXPRESSIONS, counted,
                  rates, seconds);
    print_message("%d places where a slope is 0/0, %d kinks in disguise\n", singular, disguised);
    assert_true(singular < EXPRESSIONS / 25 && disguised < EXPRESSIONS / 50);
    assert_true(counted > EXPRESSIONS && rates > EXPRESSIONS / 2 && seconds > EXPRESSIONS / 3);
}

/* Each function by itself, at points spread over where it is defined. */
static void every_function_has_its_derivative(void **state) {
    (void)state;
    struct graph g;
    struct random r;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    random_open(&r, &g, 4, 1);
    derive_open(&d, &g, 1);
    for (int op = EXPR_NEG; op <= EXPR_JACOBISD2; op++) {
        int compared = 0;
        for (int i = 0; i < 40; i++) {
            expr a = r.symbol[1], b = r.symbol[2], m = expr_constant(&g, 0.025 * (i % 41) - (i % 5 == 0) * 2);
            if (i % 2) m = i % 4 == 1 ? b : expr_make(&g, EXPR_NEG, b, 0, 0);
            if (op == EXPR_ACOSH) a = expr_make(&g, EXPR_ADD, expr_constant(&g, 1.5), a, 0);
            expr f = op == EXPR_POWI ? expr_powi(&g, a, i - 20)
                                     : expr_make(&g, (enum expr_op)op, a, op >= EXPR_SN ? m : b, 0);
            struct point at = random_point(&r);
            for (int k = 1; k <= 2; k++) {
                compared += agrees(&g, f, derive_partial(&d, f, r.symbol[k]), &at, k);
                expr slope[2];
                assert_int_equal(derive_gradient(&d, f, 2, r.symbol + 1, slope), 0);
                agrees(&g, f, slope[k - 1], &at, k);
            }
        }
        if (compared < 20) fail_msg("%s: only %d comparisons", expr_name((enum expr_op)op), compared);
    }
    assert_int_equal(d.obstacle, EXPR_NONE);
    derive_close(&d);
    expr_close(&g);
}

/* keel's sn, cn, dn and K in double against the other algorithm in long double. */
static void elliptic_functions_are_accurate(void **state) {
    (void)state;
    struct random r = {.seed = 9};
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        double m = i % 4 ? random_number(&r, 0, 1) : -random_number(&r, 0, 5), u = random_number(&r, -6, 6);
        if (i % 7 == 0) m = 1 - ldexp(1, -(i % 50));
        for (int op = EXPR_SN; op <= EXPR_DN; op++) {
            wide exact = jacobi((enum expr_op)op, u, m);
            worst = fmax(worst, (double)fabsl(expr_value((enum expr_op)op, u, m) - exact));
        }
        double sn = expr_value(EXPR_SN, u, m), cn = expr_value(EXPR_CN, u, m), dn = expr_value(EXPR_DN, u, m);
        assert_below(fabs(sn * sn + cn * cn - 1), 3e-15);
        assert_below(fabs(dn * dn + m * sn * sn - 1), 1e-14);
        double k = expr_value(EXPR_ELLIPK, m, 0);
        assert_below(fabs(expr_value(EXPR_CN, k, m)), 3e-15 * (1 + k));
    }
    print_message("sn, cn, dn: largest error %.2g\n", worst);
    assert_below(worst, 1e-14);
    assert_below(fabs(expr_value(EXPR_ELLIPK, 0.5, 0) - 1.8540746773013719), 5e-16);
    assert_true(isinf(expr_value(EXPR_ELLIPK, 1, 0)) && isnan(expr_value(EXPR_ELLIPK, 2, 0)));
    assert_true(isnan(expr_value(EXPR_SN, 1, NAN)));
    /* m > 1: sn(u | m) = sn(u k | 1/m)/k */
    assert_below(fabs(expr_value(EXPR_SN, 0.3, 4) - (double)jacobi(EXPR_SN, 0.6L, 0.25L) / 2), 2e-16);
    assert_below(fabs(expr_value(EXPR_CN, 0.3, 4) - (double)jacobi(EXPR_DN, 0.6L, 0.25L)), 4e-16);
}

/* The integrals, of all m up to 1 and both ends, also beyond the first quarter period. */
static void elliptic_integrals_are_accurate(void **state) {
    (void)state;
    struct random r = {.seed = 19};
    double worst[3] = {0};
    for (int i = 0; i < 1500; i++) {
        double m = i % 4 ? random_number(&r, 0, 1) : -random_number(&r, 0, 5), u = random_number(&r, -6, 6);
        if (i % 7 == 0) m = 1 - ldexp(1, -(i % 50));
        if (i % 11 == 0) m = ldexp(i % 2 ? 1 : -1, -(i % 50));
        if (i % 13 == 0) m = i % 2;
        if (i % 5 == 0) u = ldexp(u, -(i % 30));
        wide eps = integral(EXPR_JACOBIEPS, u, m), sd = integral(EXPR_JACOBISD2, u, m);
        worst[0] = fmax(worst[0], (double)fabsl(expr_value(EXPR_JACOBIEPS, u, m) / eps - 1));
        worst[1] = fmax(worst[1], (double)fabsl(expr_value(EXPR_JACOBISD2, u, m) / sd - 1));
        worst[2] =
            fmax(worst[2], (double)fabsl(expr_value(EXPR_ELLIPE, m, 0) / complete(EXPR_ELLIPE, m) - 1));
    }
    print_message("relative errors: eps %.2g, sd2 %.2g, E %.2g\n", worst[0], worst[1], worst[2]);
    for (int k = 0; k < 3; k++) assert_below(worst[k], 1e-13);
    assert_true(isnan(expr_value(EXPR_JACOBISD2, 1, 1.5)) && isnan(expr_value(EXPR_ELLIPE, 1.5, 0)));
    assert_true(isnan(expr_value(EXPR_JACOBIEPS, 1, NAN)) && isnan(expr_value(EXPR_JACOBISD2, NAN, 0.5)));
    assert_true(expr_value(EXPR_ELLIPE, 1, 0) == 1 && expr_value(EXPR_JACOBIEPS, 800, 1) == 1);
}

/* An expression of x and y in the arithmetic that runs use. */
static double double_at(struct graph *g, expr f, double x, double y) {
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

/* d/dm of sn, cn, dn in double, at the ends of 0 .. 1 too: d am/dm = -dn/2 times the integral of (sn/dn)^2.
 */
static void slopes_by_the_modulus_hold_everywhere(void **state) {
    (void)state;
    static const double at[] = {0,   1e-16,    1e-9,     -1e-9,     1e-4, 0.1,  0.5,
                                0.9, 1 - 1e-4, 1 - 1e-9, 1 - 1e-15, 1,    -0.7, -5};
    struct graph g;
    struct random r = {.seed = 29};
    struct derive d;
    double worst = 0;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0), slope[3];
    for (int k = 0; k < 3; k++)
        slope[k] = derive_partial(&d, expr_make(&g, (enum expr_op)(EXPR_SN + k), x, y, 0), y);
    for (int i = 0; i < 1400; i++) {
        double m = at[i % 14], u = random_number(&r, -4, 4);
        wide sn = jacobi(EXPR_SN, u, m), cn = jacobi(EXPR_CN, u, m), dn = jacobi(EXPR_DN, u, m);
        wide turn = -dn * integral(EXPR_JACOBISD2, u, m) / 2;
        const wide exact[3] = {cn * turn, -sn * turn, -(sn * sn / 2 + m * sn * cn * turn) / dn};
        for (int k = 0; k < 3; k++) {
            wide error = fabsl(double_at(&g, slope[k], u, m) - exact[k]);
            worst = fmax(worst, (double)(error / (fabsl(exact[k]) + 1e-2L * fabsl(turn))));
        }
    }
    print_message("largest relative error of a slope by m: %.2g\n", worst);
    assert_below(worst, 1e-12);
    assert_int_equal(d.obstacle, EXPR_NONE);
    /* K' and E' at 0: pi/8 and -pi/8 */
    expr quarter = derive_partial(&d, expr_make(&g, EXPR_ELLIPK, y, 0, 0), y);
    expr length = derive_partial(&d, expr_make(&g, EXPR_ELLIPE, y, 0, 0), y);
    assert_below(fabs(double_at(&g, quarter, 0, 0) - M_PI / 8), 1e-15);
    assert_below(fabs(double_at(&g, length, 0, 0) + M_PI / 8), 1e-15);
    derive_close(&d);
    expr_close(&g);
}

/* Functions of x that level off: what they are made of overflows where they do not. */
static int level_functions(struct graph *g, expr x, expr out[]) {
    int n = 0;
    expr one = expr_constant(g, 1), back = expr_make(g, EXPR_NEG, x, 0, 0);
    expr tanh_x = expr_make(g, EXPR_TANH, x, 0, 0), cosh_x = expr_make(g, EXPR_COSH, x, 0, 0);
    expr exp_x = expr_make(g, EXPR_EXP, x, 0, 0), exp_back = expr_make(g, EXPR_EXP, back, 0, 0);
    expr fermi = expr_make(g, EXPR_ADD, exp_x, one, 0), logistic = expr_make(g, EXPR_ADD, one, exp_back, 0);
    out[n++] = tanh_x;
    out[n++] = expr_make(g, EXPR_DIV, one, tanh_x, 0);
    out[n++] = expr_make(g, EXPR_DIV, x, cosh_x, 0);
    out[n++] = expr_powi(g, cosh_x, -2);
    out[n++] = expr_make(g, EXPR_DIV, x, expr_powi(g, cosh_x, 3), 0);
    out[n++] = expr_make(g, EXPR_DIV, one, expr_make(g, EXPR_SINH, x, 0, 0), 0);
    out[n++] = expr_make(g, EXPR_DIV, one, exp_x, 0);
    out[n++] = expr_make(g, EXPR_DIV, x, fermi, 0);
    out[n++] = expr_make(g, EXPR_DIV, one, logistic, 0);
    out[n++] = expr_powi(g, logistic, -3);
    out[n++] = expr_make(g, EXPR_ATAN, x, 0, 0);
    out[n++] = expr_make(g, EXPR_ASINH, x, 0, 0);
    out[n++] = expr_make(g, EXPR_EXPM1, x, 0, 0);
    out[n++] = expr_make(g, EXPR_TANH, expr_make(g, EXPR_MUL, x, x, 0), 0, 0);
    return n;
}

/* First and second derivatives, forward and in reverse, are numbers where the function is, and right ones. */
static void derivatives_are_numbers_where_the_function_is(void **state) {
    (void)state;
    static const double at[] = {0.3, -0.7, 3, -5, 20, -20, 100, -100, 700, -700, 720, -720, 1000, -1000};
    struct graph g;
    struct derive d;
    expr f[20];
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0);
    for (int i = level_functions(&g, x, f) - 1; i >= 0; i--) {
        expr slope[4], second = derive_partial(&d, f[i], x);
        slope[0] = second;
        slope[1] = derive_partial(&d, second, x);
        assert_int_equal(derive_gradient(&d, f[i], 1, &x, &slope[2]), 0);
        assert_int_equal(derive_gradient(&d, slope[2], 1, &x, &slope[3]), 0);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            struct point there = {.x = {{at[k]}}};
            if (!isfinite(double_at(&g, f[i], at[k], 0))) continue;
            for (int j = 0; j < 4; j++) {
                wide exact = difference(&g, j % 2 ? slope[j - 1] : f[i], &there, 1, 1e-3L);
                double mine = double_at(&g, slope[j], at[k], 0);
                if (!(fabsl(mine - exact) <= 1e-9L * (fabsl(exact) + 1)))
                    fail_msg("function %d at %g, slope %d: %.17g, not %.17Lg", i, at[k], j, mine, exact);
            }
        }
    }
    derive_close(&d);
    expr_close(&g);
}

/* A gradient costs a constant times the value, however many symbols there are. */
static void a_gradient_is_cheap(void **state) {
    (void)state;
    enum { N = 2000 };
    struct graph g;
    struct derive d;
    static expr x[N], slope[N];
    assert_int_equal(expr_open(&g), 0);
    expr product = expr_constant(&g, 1);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = expr_symbol(&g, EXPR_UNKNOWN, i, 0);
        product = expr_make(&g, EXPR_MUL, product, expr_make(&g, EXPR_SIN, x[i], 0, 0), 0);
    }
    uint32_t before = g.count;
    derive_open(&d, &g, 0);
    assert_int_equal(derive_gradient(&d, product, N, x, slope), 0);
    assert_true(g.count - before < 2 * before);
    derive_close(&d);
    expr_close(&g);
}

static void kinks_are_named_or_passed(void **state) {
    (void)state;
    struct graph g;
    struct derive strict, loose;
    expr slope;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&strict, &g, 0);
    derive_open(&loose, &g, 1);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), p = expr_symbol(&g, EXPR_PARAMETER, 0, 0);
    expr t = expr_symbol(&g, EXPR_TIME, 0, 0), zero = expr_constant(&g, 0);
    expr positive = expr_greater(&g, x, zero), given = expr_greater(&g, p, zero),
         early = expr_make(&g, EXPR_LT, t, p, 0);
    expr kink[] = {expr_make(&g, EXPR_ABS, x, 0, 0),      expr_make(&g, EXPR_SIGN, x, 0, 0),
                   expr_make(&g, EXPR_MIN, x, p, 0),      expr_make(&g, EXPR_MAX, p, x, 0),
                   expr_make(&g, EXPR_FLOOR, x, 0, 0),    expr_make(&g, EXPR_MOD, x, p, 0),
                   expr_make(&g, EXPR_IF, positive, x, p)};
    for (size_t i = 0; i < sizeof kink / sizeof *kink; i++) {
        expr f = expr_make(&g, EXPR_MUL, t, expr_make(&g, EXPR_SIN, kink[i], 0, 0), 0);
        for (int way = 0; way < 3; way++) {
            strict.obstacle = EXPR_NONE;
            if (way == 0) assert_int_equal(derive_partial(&strict, f, x), EXPR_NONE);
            if (way == 1) assert_int_equal(derive_total(&strict, f), EXPR_NONE);
            if (way == 2) assert_int_equal(derive_gradient(&strict, f, 1, &x, &slope), -1);
            assert_int_equal(strict.obstacle, kink[i]);
        }
        strict.obstacle = EXPR_NONE;
        assert_int_not_equal(derive_partial(&strict, f, t), EXPR_NONE); /* t does not reach the kink */
        assert_int_not_equal(derive_total(&loose, f), EXPR_NONE);
        assert_int_equal(derive_gradient(&loose, f, 1, &x, &slope), 0);
    }
    /* A condition on parameters alone is no kink; one on t is, for d/dt alone. */
    assert_int_not_equal(derive_total(&strict, expr_make(&g, EXPR_IF, given, x, t)), EXPR_NONE);
    expr switched = expr_make(&g, EXPR_IF, early, x, p);
    assert_int_equal(derive_partial(&strict, switched, x),
                     expr_make(&g, EXPR_IF, early, expr_constant(&g, 1), zero));
    assert_int_equal(strict.obstacle, EXPR_NONE);
    assert_int_equal(derive_total(&strict, switched), EXPR_NONE);
    assert_int_equal(strict.obstacle, switched);
    derive_close(&strict);
    derive_close(&loose);
    expr_close(&g);
}

/* The slope of the branch not taken may be infinite and must not show: d/dx if(x > 0, x*sqrt(x), x) at -1. */
static void the_other_branch_leaves_no_trace(void **state) {
    (void)state;
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 1);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0);
    expr root = expr_make(&g, EXPR_MUL, y, expr_make(&g, EXPR_SQRT, x, 0, 0), 0);
    expr f[3] = {
        expr_make(&g, EXPR_IF, expr_greater(&g, x, expr_constant(&g, 0)), root, x),
        expr_make(&g, EXPR_MAX, expr_make(&g, EXPR_SQRT, x, 0, 0), y, 0),
        expr_make(&g, EXPR_MUL, y, expr_make(&g, EXPR_MIN, x, expr_make(&g, EXPR_CBRT, x, 0, 0), 0), 0)};
    const wide at[3] = {-1, 0, 0}, wanted[3] = {1, 0, INFINITY};
    for (int i = 0; i < 2; i++) {
        struct point point = {.x = {{at[i]}, {2}}};
        expr slope[2], both[2] = {x, y};
        assert_int_equal(derive_gradient(&d, f[i], 2, both, slope), 0);
        assert_true(value_at(&g, slope[0], &point) == wanted[i]);
        assert_true(value_at(&g, derive_partial(&d, f[i], x), &point) == wanted[i]);
    }
    derive_close(&d);
    expr_close(&g);
}

/* Branch upon branch on the same values: each is differentiated once, not once for every way to it. */
static void nested_branches_do_not_multiply(void **state) {
    (void)state;
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 1);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 1, 0), f = x, slope[2];
    expr both[2] = {x, y};
    for (int i = 0; i < 24; i++) {
        expr up = expr_make(&g, EXPR_MUL, f, y, 0), down = expr_make(&g, EXPR_SIN, f, 0, 0);
        expr condition = expr_greater(&g, y, expr_constant(&g, 0.1 * i));
        f = i % 3 ? expr_make(&g, EXPR_IF, condition, up, down) : expr_make(&g, EXPR_MAX, up, down, 0);
    }
    uint32_t before = g.count;
    assert_int_equal(derive_gradient(&d, f, 2, both, slope), 0);
    assert_true(g.count < 20 * before);
    struct point at = {.x = {{0.7L}, {1.05L}}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(agrees(&g, f, slope[k], &at, 1 + k), 1);
        assert_int_equal(agrees(&g, f, derive_partial(&d, f, both[k]), &at, 1 + k), 1);
    }
    derive_close(&d);
    expr_close(&g);
}

/* d(p^2/2) = p, d(3 x^2/4)/dt = (1.5 x) x': powers of two meet, other numbers keep their roundings. */
static void halves_and_doubles_meet(void **state) {
    (void)state;
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr p = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), rate = expr_symbol(&g, EXPR_UNKNOWN, 0, 1), slope;
    expr half = expr_make(&g, EXPR_DIV, expr_powi(&g, p, 2), expr_constant(&g, 2), 0);
    assert_int_equal(derive_gradient(&d, half, 1, &p, &slope), 0);
    assert_int_equal(slope, p);
    assert_int_equal(derive_partial(&d, half, p), p);
    assert_int_equal(derive_total(&d, half), expr_make(&g, EXPR_MUL, p, rate, 0));
    expr third = expr_make(&g, EXPR_MUL, expr_constant(&g, 0.3), half, 0);
    expr scaled = expr_make(&g, EXPR_MUL, expr_constant(&g, 0.3), p, 0);
    assert_int_equal(derive_partial(&d, third, p), scaled);
    expr twice = expr_make(&g, EXPR_MUL, expr_constant(&g, 0.7), scaled, 0); /* 0.7*0.3 would round */
    assert_int_equal(derive_partial(&d, expr_make(&g, EXPR_MUL, twice, rate, 0), rate), twice);
    derive_close(&d);
    expr_close(&g);
}

static void forms_are_recognised(void **state) {
    (void)state;
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    expr q = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), p = expr_symbol(&g, EXPR_UNKNOWN, 1, 0);
    expr m = expr_symbol(&g, EXPR_PARAMETER, 0, 0), two = expr_constant(&g, 2), both[2] = {q, p};
    expr kinetic = expr_make(&g, EXPR_DIV, expr_powi(&g, p, 2), expr_make(&g, EXPR_MUL, two, m, 0), 0);
    expr potential = expr_make(&g, EXPR_MUL, m, expr_make(&g, EXPR_COS, q, 0, 0), 0);
    expr energy = expr_make(&g, EXPR_SUB, kinetic, potential, 0), mixed = expr_make(&g, EXPR_MUL, q, p, 0);
    expr scaled = expr_make(&g, EXPR_MUL, m, energy, 0), shifted = expr_make(&g, EXPR_ADD, energy, mixed, 0);
    assert_int_equal(derive_separable(&g, energy, 1, &q, 1, &p), 1);
    assert_int_equal(derive_separable(&g, scaled, 1, &q, 1, &p), 1);
    assert_int_equal(derive_separable(&g, shifted, 1, &q, 1, &p), 0);
    assert_int_equal(derive_separable(&g, expr_powi(&g, energy, 2), 1, &q, 1, &p), 0);
    assert_int_equal(derive_degree(&g, m, 2, both), 0);
    assert_int_equal(derive_degree(&g, expr_make(&g, EXPR_MUL, m, q, 0), 2, both), 1);
    assert_int_equal(derive_degree(&g, mixed, 2, both), 2);
    assert_int_equal(derive_degree(&g, kinetic, 2, both), 2);
    assert_int_equal(derive_degree(&g, expr_make(&g, EXPR_MUL, mixed, q, 0), 2, both), 3);
    assert_int_equal(derive_degree(&g, potential, 2, both), 3);
    assert_int_equal(derive_degree(&g, potential, 1, &p), 0);
    assert_int_equal(derive_degree(&g, expr_make(&g, EXPR_DIV, p, q, 0), 1, &p), 1);
    assert_int_equal(derive_degree(&g, expr_powi(&g, q, -1), 2, both), 3);
    /* |p^2/(2 m) - m cos q| = p^2/|2 m| + |m| |cos q|; p^2 needs no |.| */
    struct point at = {.x = {{2}, {-3}}, .p = {-0.5L}};
    assert_true(fabsl(value_at(&g, derive_terms(&g, energy), &at) - (9 - 0.5L * cosl(2))) < 1e-15L);
    assert_true(value_at(&g, derive_terms(&g, expr_powi(&g, expr_make(&g, EXPR_SUB, q, p, 0), 2)), &at) ==
                25);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(every_function_has_its_derivative),
        cmocka_unit_test(elliptic_functions_are_accurate),
        cmocka_unit_test(elliptic_integrals_are_accurate),
        cmocka_unit_test(slopes_by_the_modulus_hold_everywhere),
        cmocka_unit_test(derivatives_are_numbers_where_the_function_is),
        cmocka_unit_test(a_gradient_is_cheap),
        cmocka_unit_test(kinks_are_named_or_passed),
        cmocka_unit_test(the_other_branch_leaves_no_trace),
        cmocka_unit_test(nested_branches_do_not_multiply),
        cmocka_unit_test(halves_and_doubles_meet),
        cmocka_unit_test(forms_are_recognised),
    };
    return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
