/* test_derive.c - derivatives of random expressions against differences in long double.
 *
 * The differences are of order 6 and taken with two steps: where the two disagree (a singularity is near) the
 * point proves nothing and is passed over; how many count is asserted too. */
#include "testing.h"
#include "evaluate.h"
#include "lang_random.h"

#include "symbolic/derive.h"

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
        if (derive_gradient(&d, f, INPUTS, r.symbol,
                            slope)) { /* sqrt(u^2), acos(cos(u)): not smooth after all */
            enum expr_op nonsmooth = (enum expr_op)g.node[d.obstacle].op;
            assert_true(nonsmooth == EXPR_ABS || nonsmooth == EXPR_FLOOR);
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
    print_message("%d places where a slope is 0/0, %d nonsmooth in disguise\n", singular, disguised);
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

static void nonsmooth_functions_are_named_or_passed(void **state) {
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
    expr nonsmooth[] = {expr_make(&g, EXPR_ABS, x, 0, 0),      expr_make(&g, EXPR_SIGN, x, 0, 0),
                        expr_make(&g, EXPR_MIN, x, p, 0),      expr_make(&g, EXPR_MAX, p, x, 0),
                        expr_make(&g, EXPR_FLOOR, x, 0, 0),    expr_make(&g, EXPR_MOD, x, p, 0),
                        expr_make(&g, EXPR_IF, positive, x, p)};
    for (size_t i = 0; i < sizeof nonsmooth / sizeof *nonsmooth; i++) {
        expr f = expr_make(&g, EXPR_MUL, t, expr_make(&g, EXPR_SIN, nonsmooth[i], 0, 0), 0);
        for (int way = 0; way < 3; way++) {
            strict.obstacle = EXPR_NONE;
            if (way == 0) assert_int_equal(derive_partial(&strict, f, x), EXPR_NONE);
            if (way == 1) assert_int_equal(derive_total(&strict, f), EXPR_NONE);
            if (way == 2) assert_int_equal(derive_gradient(&strict, f, 1, &x, &slope), -1);
            assert_int_equal(strict.obstacle, nonsmooth[i]);
        }
        strict.obstacle = EXPR_NONE;
        assert_int_not_equal(derive_partial(&strict, f, t), EXPR_NONE); /* t does not reach it */
        assert_int_not_equal(derive_total(&loose, f), EXPR_NONE);
        assert_int_equal(derive_gradient(&loose, f, 1, &x, &slope), 0);
    }
    /* A condition on parameters alone is smooth; one on t is not, for d/dt alone. */
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

/* d(q^n/n) = q^(n-1), forward and backward, for all n, and of other numbers neither more nor less than their
 * quotient. */
static void numbers_of_powers_cancel(void **state) {
    (void)state;
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr q = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), slope;
    struct point at = {.x = {{1.25}}};
    for (int n = 3; n < 20; n++)
        for (int divisor = 1; divisor < 12; divisor++) {
            expr power = expr_make(&g, EXPR_DIV, expr_powi(&g, q, n), expr_constant(&g, divisor), 0);
            wide exact = (wide)n / divisor * powl(1.25L, n - 1);
            assert_int_equal(derive_gradient(&d, power, 1, &q, &slope), 0);
            if (n == divisor) assert_int_equal(slope, expr_powi(&g, q, n - 1));
            if (n == divisor) assert_int_equal(derive_partial(&d, power, q), slope);
            assert_true(fabsl(value_at(&g, slope, &at) - exact) < 1e-15L * exact);
            assert_true(fabsl(value_at(&g, derive_partial(&d, power, q), &at) - exact) < 1e-15L * exact);
        }
    derive_close(&d);
    expr_close(&g);
}

static int quotients_of(struct graph *g, size_t count, const expr *e) {
    struct expr_list list;
    int quotients = 0;
    assert_int_equal(expr_order(g, count, e, &list), 0);
    for (size_t i = 0; i < list.count; i++) quotients += g->node[list.item[i]].op == EXPR_DIV;
    free(list.item);
    return quotients;
}

/* The force of k/r, r = sqrt(x^2 + y^2), is k/r^3 times the place, whether k is a number or a parameter. */
static void forces_of_a_potential_have_one_quotient(void **state) {
    (void)state;
    struct graph g;
    struct derive d;
    assert_int_equal(expr_open(&g), 0);
    derive_open(&d, &g, 0);
    expr place[2] = {expr_symbol(&g, EXPR_UNKNOWN, 0, 0), expr_symbol(&g, EXPR_UNKNOWN, 1, 0)}, slope[2];
    expr sum = expr_make(&g, EXPR_ADD, expr_powi(&g, place[0], 2), expr_powi(&g, place[1], 2), 0);
    expr r = expr_make(&g, EXPR_SQRT, sum, 0, 0), k = expr_symbol(&g, EXPR_PARAMETER, 0, 0);
    const expr factor[3] = {expr_constant(&g, 0.7), k, expr_powi(&g, k, 2)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(derive_gradient(&d, expr_make(&g, EXPR_DIV, factor[i], r, 0), 2, place, slope), 0);
        assert_int_equal(quotients_of(&g, 2, slope), 1);
        assert_int_equal(derive_descent(&d, expr_make(&g, EXPR_DIV, factor[i], r, 0), 2, place, slope), 0);
        assert_int_equal(quotients_of(&g, 2, slope), 1);
    }
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

/* Gradients of many functions at once, by those of some symbols that each holds, are the nodes of gradients
 * one by one. */
static void what_varies_is_marked_once(void **state) {
    (void)state;
    enum { ROWS = 300 };
    struct graph g;
    struct random r;
    struct derive alone, together;
    expr f[ROWS], of[2], slope[2], again[2];
    int rows = 0;
    assert_int_equal(expr_open(&g), 0);
    random_open(&r, &g, 11, 0);
    derive_open(&alone, &g, DERIVE_ANY);
    derive_open(&together, &g, DERIVE_ANY);
    for (int i = 0; i < ROWS; i++) {
        expr e = random_expr(&r, 1 + i % 6);
        if (expr_depends(&g, e, 2, &r.symbol[1])) f[rows++] = e;
    }
    assert_true(rows > ROWS / 2);
    assert_int_equal(derive_vary(&together, rows, f, 2, &r.symbol[1]), 0);
    for (int i = 0; i < rows; i++) {
        int count = 0;
        for (int k = 1; k <= 2; k++)
            if (expr_depends(&g, f[i], 1, &r.symbol[k])) of[count++] = r.symbol[k];
        assert_int_equal(derive_gradient(&alone, f[i], count, of, slope), 0);
        assert_int_equal(derive_gradient(&together, f[i], count, of, again), 0);
        assert_memory_equal(slope, again, (size_t)count * sizeof *slope);
    }
    derive_rest(&together);
    for (uint32_t e = 0; e < together.capacity; e++) assert_true(!together.hit[e] && !together.memo[e]);
    derive_close(&alone);
    derive_close(&together);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(every_function_has_its_derivative),
        cmocka_unit_test(derivatives_are_numbers_where_the_function_is),
        cmocka_unit_test(a_gradient_is_cheap),
        cmocka_unit_test(nonsmooth_functions_are_named_or_passed),
        cmocka_unit_test(the_other_branch_leaves_no_trace),
        cmocka_unit_test(nested_branches_do_not_multiply),
        cmocka_unit_test(halves_and_doubles_meet),
        cmocka_unit_test(numbers_of_powers_cancel),
        cmocka_unit_test(forces_of_a_potential_have_one_quotient),
        cmocka_unit_test(forms_are_recognised),
        cmocka_unit_test(what_varies_is_marked_once),
    };
    return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
