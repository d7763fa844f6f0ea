/* expr_simplify.c - operations on nodes, simplified where no bit of the value can change.
 *
 * Every rule here gives the same double for every double, infinities and signed zeros included (a NaN
 * stays a NaN, whatever its payload).  So x + 0 stays (it turns -0 into +0), as do x - x, 0*x, x/x, (x +
 * a) + b and everything else that holds for real numbers only.  Zeros that differentiation finds by
 * structure are dropped in derive.c. Numbers are folded by the functions that the interpreter calls, and
 * only to finite results: 1/0 is left for the run, where it can be seen. */
#include "symbolic/table.h"

#include <math.h>

enum { CHAIN_LIMIT = 64 }; /* above it a chain of products is less accurate than pow */

static int is(const struct graph *g, expr e, enum expr_op op) {
    return g->node[e].op == (uint32_t)op;
}

static expr negative(struct graph *g, expr a) {
    return expr_make(g, EXPR_NEG, a, 0, 0);
}

static int is_number(const struct graph *g, expr e, double wanted) {
    double value;
    return expr_is_constant(g, e, &value) && value == wanted && !signbit(value) == !signbit(wanted);
}

/* Never below zero, and never -0. */
static int not_negative(const struct graph *g, expr e) {
    const struct expr_node *n = &g->node[e];
    switch (n->op) {
    case EXPR_ABS:
    case EXPR_EXP:
    case EXPR_COSH:
    case EXPR_HYPOT:
        return 1;
    case EXPR_POWI:
        return n->b % 2 == 0;
    case EXPR_MUL:
        return n->a == n->b;
    default:
        return 0;
    }
}

/* x + -0 = x; a + (-b) = a - b and (-a) + b = b - a by the definition of subtraction and
 * commutativity.  Of two negative terms the later becomes the subtrahend, so that turning them round gives
 * the same node. */
static expr sum(struct graph *g, expr a, expr b) {
    if (is(g, a, EXPR_NEG) && is(g, b, EXPR_NEG) && a > b) return sum(g, b, a);
    if (is_number(g, b, -0.0)) return a;
    if (is_number(g, a, -0.0)) return b;
    if (is(g, b, EXPR_NEG)) return expr_make(g, EXPR_SUB, a, g->node[b].a, 0);
    if (is(g, a, EXPR_NEG)) return expr_make(g, EXPR_SUB, b, g->node[a].a, 0);
    return expr_intern(g, (struct expr_node){EXPR_ADD, a, b, 0});
}

/* x - (+0) = x, also for x = -0; a - (-b) = a + b. */
static expr difference(struct graph *g, expr a, expr b) {
    if (is_number(g, b, 0.0)) return a;
    if (is(g, b, EXPR_NEG)) return expr_make(g, EXPR_ADD, a, g->node[b].a, 0);
    return expr_intern(g, (struct expr_node){EXPR_SUB, a, b, 0});
}

/* Rounding is symmetric, so signs move out of products and quotients; a factor of 1 or -1 is exact. */
static expr product(struct graph *g, expr a, expr b) {
    if (is_number(g, a, 1)) return b;
    if (is_number(g, b, 1)) return a;
    if (is_number(g, a, -1)) return negative(g, b);
    if (is_number(g, b, -1)) return negative(g, a);
    if (is(g, a, EXPR_NEG)) return negative(g, expr_make(g, EXPR_MUL, g->node[a].a, b, 0));
    if (is(g, b, EXPR_NEG)) return negative(g, expr_make(g, EXPR_MUL, a, g->node[b].a, 0));
    return expr_intern(g, (struct expr_node){EXPR_MUL, a, b, 0});
}

static expr quotient(struct graph *g, expr a, expr b) {
    if (is_number(g, b, 1)) return a;
    if (is_number(g, b, -1)) return negative(g, a);
    if (is(g, a, EXPR_NEG)) return negative(g, expr_make(g, EXPR_DIV, g->node[a].a, b, 0));
    if (is(g, b, EXPR_NEG)) return negative(g, expr_make(g, EXPR_DIV, a, g->node[b].a, 0));
    return expr_intern(g, (struct expr_node){EXPR_DIV, a, b, 0});
}

/* A condition holds when it is not 0, a NaN included: so the interpreter and C read it too. */
static expr choice(struct graph *g, expr condition, expr a, expr b) {
    double value;
    if (expr_is_constant(g, condition, &value)) return value != 0 ? a : b;
    if (a == b) return a;
    if (is(g, condition, EXPR_NOT)) return choice(g, g->node[condition].a, b, a);
    return expr_intern(g, (struct expr_node){EXPR_IF, condition, a, b});
}

/* A settled side settles `and` and `or`, or leaves the other side if that is 1 or 0 already. */
static expr junction(struct graph *g, enum expr_op op, expr a, expr b) {
    for (int side = 0; side < 2; side++) {
        double value;
        expr other = side ? a : b;
        if (!expr_is_constant(g, side ? b : a, &value)) continue;
        if ((value != 0) == (op == EXPR_OR)) return expr_constant(g, op == EXPR_OR);
        if (expr_is_truth(g, other)) return other;
    }
    if (a == b && expr_is_truth(g, a)) return a;
    return expr_intern(g, (struct expr_node){op, a, b, 0});
}

/* Nonsmooth functions in disguise: what switches is written as what it is, so that it is located, or refused,
 * as that.
 *
 *     sqrt(u^2k) = |u^k|,   (u^2k)^(m/2k) = |u|^m,   atan(tan u) = u - pi floor(u/pi + 1/2),
 *     acos(cos u) = |v|, atan2(sin u, cos u) = v with v = u - 2 pi floor((u + pi)/2 pi).
 *
 * EXPR_NONE: a is no square. */
static expr root_of(struct graph *g, expr a);

/* From the left, behind `count` others. */
static int factors_of(const struct graph *g, expr a, int count, expr *factor) {
    if (is(g, a, EXPR_MUL) && count <= EXPR_FACTORS)
        return factors_of(g, g->node[a].b, factors_of(g, g->node[a].a, count, factor), factor);
    if (count < EXPR_FACTORS) factor[count] = a;
    return count < EXPR_FACTORS ? count + 1 : EXPR_FACTORS + 1;
}

int expr_factors(const struct graph *g, expr e, expr factor[EXPR_FACTORS]) {
    return factors_of(g, e, 0, factor);
}

/* Of u v u v: |u| |v|.  Factors that stand alone must be squares themselves. */
static expr root_of_product(struct graph *g, expr a) {
    expr factor[EXPR_FACTORS], root = expr_constant(g, 1);
    int count = expr_factors(g, a, factor);
    if (count > EXPR_FACTORS) return EXPR_NONE;
    for (int i = 0; i < count && root != EXPR_NONE; i++) {
        int equivalent = i + 1;
        if (factor[i] == EXPR_NONE) continue;
        while (equivalent < count && factor[equivalent] != factor[i]) equivalent++;
        expr part = equivalent < count ? expr_make(g, EXPR_ABS, factor[i], 0, 0) : root_of(g, factor[i]);
        if (equivalent < count) factor[equivalent] = EXPR_NONE;
        root = expr_make(g, EXPR_MUL, root, part, 0);
    }
    return root;
}

static expr root_of(struct graph *g, expr a) {
    const struct expr_node n = g->node[a];
    double value;
    if (expr_is_constant(g, a, &value)) return value >= 0 ? expr_constant(g, sqrt(value)) : EXPR_NONE;
    if (n.op == EXPR_MUL) return root_of_product(g, a);
    if (n.op == EXPR_DIV) return expr_make(g, EXPR_DIV, root_of(g, n.a), root_of(g, n.b), 0);
    if (n.op != EXPR_POWI || (int32_t)n.b <= 0 || n.b % 2) return EXPR_NONE;
    return expr_make(g, EXPR_ABS, expr_powi(g, n.a, (int32_t)n.b / 2), 0, 0);
}

static const double pi = 3.14159265358979323846;

/* A bound of |u| wherever it has a value; infinite: none is seen within `depth` operations. */
static double bound_of(const struct graph *g, expr u, int depth) {
    const struct expr_node n = g->node[u];
    double value;
    if (expr_is_constant(g, u, &value)) return fabs(value);
    if (depth == 0) return HUGE_VAL;
    switch (n.op) {
    case EXPR_SIN:
    case EXPR_COS:
    case EXPR_TANH:
        return 1;
    case EXPR_ATAN:
        return pi / 2;
    case EXPR_NEG:
    case EXPR_ABS:
        return bound_of(g, n.a, depth - 1);
    case EXPR_ADD:
    case EXPR_SUB:
        return bound_of(g, n.a, depth - 1) + bound_of(g, n.b, depth - 1);
    case EXPR_MUL:
        return bound_of(g, n.a, depth - 1) * bound_of(g, n.b, depth - 1);
    case EXPR_DIV:
        return expr_is_constant(g, n.b, &value) ? bound_of(g, n.a, depth - 1) / fabs(value) : HUGE_VAL;
    default:
        return HUGE_VAL;
    }
}

/* u less so many periods that it lies between -period/2 and period/2; u itself where it never leaves them. */
static expr wrapped(struct graph *g, expr u, double period) {
    enum { DEPTH = 8 };
    if (bound_of(g, u, DEPTH) < 0.499999 * period) return u;
    expr turns = expr_make(g, EXPR_ADD, u, expr_constant(g, period / 2), 0);
    turns = expr_make(g, EXPR_FLOOR, expr_make(g, EXPR_DIV, turns, expr_constant(g, period), 0), 0, 0);
    return expr_make(g, EXPR_SUB, u, expr_make(g, EXPR_MUL, expr_constant(g, period), turns, 0), 0);
}

/* acos and asin of cos u and sin u: |v|, with sin u = cos(u - pi/2), and asin = pi/2 - acos. */
static expr undone(struct graph *g, enum expr_op op, expr a) {
    expr u = g->node[a].a, quarter = expr_constant(g, pi / 2);
    if (op == EXPR_ATAN) return wrapped(g, u, pi);
    if (is(g, a, EXPR_SIN)) u = expr_make(g, EXPR_SUB, u, quarter, 0);
    expr angle = expr_make(g, EXPR_ABS, wrapped(g, u, 2 * pi), 0, 0);
    return op == EXPR_ACOS ? angle : expr_make(g, EXPR_SUB, quarter, angle, 0);
}

static expr unary(struct graph *g, enum expr_op op, expr a) {
    expr inner = g->node[a].a;
    if (op == EXPR_SQRT) {
        expr root = root_of(g, a);
        if (root != EXPR_NONE) return root;
    }
    int circular = is(g, a, EXPR_SIN) || is(g, a, EXPR_COS);
    if (((op == EXPR_ACOS || op == EXPR_ASIN) && circular) || (op == EXPR_ATAN && is(g, a, EXPR_TAN)))
        return undone(g, op, a);
    if (op == EXPR_NEG && is(g, a, EXPR_NEG)) return inner;
    if (op == EXPR_ABS && not_negative(g, a)) return a;
    if (op == EXPR_ABS && is(g, a, EXPR_NEG)) return expr_make(g, EXPR_ABS, inner, 0, 0);
    if (op == EXPR_NOT && is(g, a, EXPR_NOT) && expr_is_truth(g, inner)) return inner;
    return expr_intern(g, (struct expr_node){op, a, 0, 0});
}

/* The binary digits that x op y has lost: those of its operands, and what a sum cancels. */
static int lost_in(const struct graph *g, enum expr_op op, expr a, expr b, double x, double y, double value) {
    int of_a = expr_lost(g, a), of_b = expr_operands(op) == 2 ? expr_lost(g, b) : 0, ours, theirs, left;
    if (op == EXPR_NEG || op == EXPR_MUL || op == EXPR_DIV) return of_a > of_b ? of_a : of_b;
    if ((op != EXPR_ADD && op != EXPR_SUB) || value == 0) return 0;
    frexp(x, &ours), frexp(y, &theirs), frexp(value, &left);
    ours += of_a, theirs += of_b;
    return (x != 0 && (y == 0 || ours > theirs) ? ours : theirs) - left;
}

static int fold(struct graph *g, enum expr_op op, expr a, expr b, expr *out) {
    double x, y = 0;
    if (table_is(op) || !expr_is_constant(g, a, &x)) return 0;
    if (expr_operands(op) == 2 && !expr_is_constant(g, b, &y)) return 0;
    double value = expr_value(op, x, y);
    if (!isfinite(value)) return 0;
    *out = expr_remainder(g, value, lost_in(g, op, a, b, x, y, value));
    return 1;
}

expr expr_make(struct graph *g, enum expr_op op, expr a, expr b, expr c) {
    int operands = expr_operands(op);
    expr folded;
    if (a == EXPR_NONE || (operands > 1 && b == EXPR_NONE) || (operands > 2 && c == EXPR_NONE))
        return EXPR_NONE;
    if (op == EXPR_POW) return expr_power(g, a, b);
    if (operands < 3 && fold(g, op, a, b, &folded)) return folded;
    if (op == EXPR_HYPOT && (is_number(g, a, 0) || is_number(g, b, 0)))
        return expr_make(g, EXPR_ABS, is_number(g, a, 0) ? b : a, 0, 0);
    if (op == EXPR_ATAN2 && is(g, a, EXPR_SIN) && is(g, b, EXPR_COS) && g->node[a].a == g->node[b].a)
        return wrapped(g, g->node[a].a, 2 * pi);
    switch (op) {
    case EXPR_ADD:
        return sum(g, a, b);
    case EXPR_SUB:
        return difference(g, a, b);
    case EXPR_MUL:
        return product(g, a, b);
    case EXPR_DIV:
        return quotient(g, a, b);
    case EXPR_AND:
    case EXPR_OR:
        return junction(g, op, a, b);
    case EXPR_IF:
        return choice(g, a, b, c);
    default:
        return operands == 1 ? unary(g, op, a) : expr_intern(g, (struct expr_node){op, a, b, 0});
    }
}

/* x^0 = 1 for every x, as pow has it; (-x)^n = +-(x^n), because signs pass through products unrounded. */
expr expr_powi(struct graph *g, expr base, int32_t exponent) {
    double value;
    if (base == EXPR_NONE) return EXPR_NONE;
    if (exponent == 0) return expr_constant(g, 1);
    if (exponent == 1) return base;
    if (expr_is_constant(g, base, &value) && isfinite(value = expr_integer_power(value, exponent)))
        return expr_constant(g, value);
    if (is(g, base, EXPR_NEG)) {
        expr power = expr_powi(g, g->node[base].a, exponent);
        return exponent % 2 ? negative(g, power) : power;
    }
    return expr_intern(g, (struct expr_node){EXPR_POWI, base, (uint32_t)exponent, 0});
}

expr expr_power(struct graph *g, expr base, expr exponent) {
    double n = 0;
    if (base == EXPR_NONE || exponent == EXPR_NONE) return EXPR_NONE;
    if (expr_is_constant(g, exponent, &n) && n == floor(n) && fabs(n) <= CHAIN_LIMIT)
        return expr_powi(g, base, (int32_t)n);
    expr folded;
    if (fold(g, EXPR_POW, base, exponent, &folded)) return folded;
    if (expr_is_constant(g, exponent, &n) && 2 * n == floor(2 * n) && fabs(n) < CHAIN_LIMIT / 2) {
        expr root = root_of(g, base);
        if (root != EXPR_NONE) return expr_powi(g, root, (int32_t)(2 * n));
    }
    const struct expr_node b = g->node[base];
    double whole = (double)(int32_t)b.b * n; /* of (u^2k)^n */
    if (b.op == EXPR_POWI && b.b % 2 == 0 && expr_is_constant(g, exponent, &n) && whole == floor(whole) &&
        fabs(whole) <= CHAIN_LIMIT)
        return expr_powi(g, expr_make(g, EXPR_ABS, b.a, 0, 0), (int32_t)whole);
    return expr_intern(g, (struct expr_node){EXPR_POW, base, exponent, 0});
}

expr expr_greater(struct graph *g, expr a, expr b) {
    return expr_make(g, EXPR_LT, b, a, 0);
}

expr expr_greater_or_equal(struct graph *g, expr a, expr b) {
    return expr_make(g, EXPR_LE, b, a, 0);
}
