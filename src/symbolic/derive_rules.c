/* derive_rules.c - see derive_rules.h. */
#include "symbolic/derive_rules.h"

#include "symbolic/table.h"

#include <math.h>

expr derive_zero(struct graph *g) {
    return expr_constant(g, 0);
}

int derive_is_zero(const struct graph *g, expr e) {
    double value;
    return expr_is_constant(g, e, &value) && value == 0;
}

expr derive_add(struct graph *g, expr a, expr b) {
    if (derive_is_zero(g, a)) return b;
    return derive_is_zero(g, b) ? a : expr_make(g, EXPR_ADD, a, b, 0);
}

expr derive_sub(struct graph *g, expr a, expr b) {
    if (derive_is_zero(g, b)) return a;
    return derive_is_zero(g, a) ? expr_make(g, EXPR_NEG, b, 0, 0) : expr_make(g, EXPR_SUB, a, b, 0);
}

static int power_of_two(double x) {
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

/* A product of two numbers, one of them e, which has lost as many digits as they have. */
static expr number_of(struct graph *g, double value, int lost, expr e) {
    int other = expr_lost(g, e);
    return expr_remainder(g, value, lost > other ? lost : other);
}

/* scale*e with the factor taken up by a number that is in e already; EXPR_NONE if there is none near.  A
 * power of two passes through products, quotients and signs without rounding (as long as all stays
 * normal), so this keeps the bits; it makes p of (2*p)*0.5, the slope of p^2/2.  Two numbers whose product is
 * one meet, too: 3*q^2 times 1/3, the slope of q^3/3, was meant to be q^2, which has two roundings less. */
static expr absorb(struct graph *g, double scale, int lost, expr e, int depth) {
    struct expr_node n = g->node[e];
    expr inner = EXPR_NONE;
    double number = 0;
    if (expr_is_constant(g, e, &number))
        return isnormal(scale * number) ? number_of(g, scale * number, lost, e) : EXPR_NONE;
    int first = n.op == EXPR_MUL && expr_is_constant(g, n.a, &number);
    int found = first || (n.op == EXPR_MUL && expr_is_constant(g, n.b, &number));
    int exact = power_of_two(scale) || power_of_two(number) || power_of_two(scale * number);
    if (found && exact && isnormal(scale * number))
        return expr_make(g, EXPR_MUL, number_of(g, scale * number, lost, first ? n.a : n.b),
                         first ? n.b : n.a, 0);
    if (depth == 0 || !power_of_two(scale)) return EXPR_NONE;
    if (n.op == EXPR_MUL || n.op == EXPR_DIV || n.op == EXPR_NEG)
        inner = absorb(g, scale, lost, n.a, depth - 1);
    if (inner != EXPR_NONE) return expr_make(g, (enum expr_op)n.op, inner, n.b, 0);
    if (n.op == EXPR_MUL) inner = absorb(g, scale, lost, n.b, depth - 1);
    return inner == EXPR_NONE ? EXPR_NONE : expr_make(g, EXPR_MUL, n.a, inner, 0);
}

static expr scaled(struct graph *g, expr factor, double number, expr e) {
    enum { NEAR = 3 };
    expr absorbed = absorb(g, number, expr_lost(g, factor), e, NEAR);
    return absorbed == EXPR_NONE ? expr_make(g, EXPR_MUL, factor, e, 0) : absorbed;
}

expr derive_mul(struct graph *g, expr a, expr b) {
    double number;
    if (derive_is_zero(g, a) || derive_is_zero(g, b)) return derive_zero(g);
    if (expr_is_constant(g, b, &number)) return scaled(g, b, number, a);
    if (expr_is_constant(g, a, &number)) return scaled(g, a, number, b);
    return expr_make(g, EXPR_MUL, a, b, 0);
}

/* A number, a parameter, or a product of few of them: G*m[1]*m[2], m^2. */
static int is_coefficient(const struct graph *g, expr e, int depth) {
    struct expr_node n = g->node[e];
    if (n.op == EXPR_CONSTANT || (n.op == EXPR_SYMBOL && n.a == EXPR_PARAMETER)) return 1;
    if (depth == 0) return 0;
    if (n.op == EXPR_POWI || n.op == EXPR_NEG) return is_coefficient(g, n.a, depth - 1);
    return n.op == EXPR_MUL && is_coefficient(g, n.a, depth - 1) && is_coefficient(g, n.b, depth - 1);
}

/* c/x^(n+1) for a = c/x^n and b = x, c a coefficient; EXPR_NONE for any other a and b. */
static expr next_power(struct graph *g, expr a, expr b) {
    enum { FACTORS = 3 };
    struct expr_node n = g->node[a];
    if (n.op != EXPR_DIV) return EXPR_NONE;
    struct expr_node bottom = g->node[n.b];
    if (!is_coefficient(g, n.a, FACTORS)) return EXPR_NONE;
    int32_t power = n.b == b ? 1 : bottom.op == EXPR_POWI && bottom.a == b ? (int32_t)bottom.b : 0;
    if (power < 1 || power > 7) return EXPR_NONE;
    return expr_make(g, EXPR_DIV, n.a, expr_powi(g, b, power + 1), 0);
}

/* (3*q^2)/3 = q^2, the slope of q^3/3; EXPR_NONE: the numbers do not meet. */
static expr divide_number(struct graph *g, expr a, expr b) {
    struct expr_node n = g->node[a];
    double above, below;
    if (n.op != EXPR_MUL || !expr_is_constant(g, b, &below)) return EXPR_NONE;
    int first = expr_is_constant(g, n.a, &above);
    if (!first && !expr_is_constant(g, n.b, &above)) return EXPR_NONE;
    if (!power_of_two(above / below) || !isnormal(above / below)) return EXPR_NONE;
    return derive_mul(g, number_of(g, above / below, expr_lost(g, b), first ? n.a : n.b), first ? n.b : n.a);
}

/* a/2^k = a*2^-k, without a rounding.  (c/x)/x = c/x^2: three quotients one after the other would be most of
 * what the force of a potential 1/r costs. */
expr derive_div(struct graph *g, expr a, expr b) {
    double number;
    if (derive_is_zero(g, a)) return a;
    if (expr_is_constant(g, b, &number) && power_of_two(number) && isnormal(1 / number))
        return derive_mul(g, expr_constant(g, 1 / number), a);
    if (g->node[a].op == EXPR_NEG) return expr_make(g, EXPR_NEG, derive_div(g, g->node[a].a, b), 0, 0);
    expr known = divide_number(g, a, b);
    if (known == EXPR_NONE) known = next_power(g, a, b);
    return known == EXPR_NONE ? expr_make(g, EXPR_DIV, a, b, 0) : known;
}

static expr of(struct graph *g, enum expr_op op, expr a) {
    return expr_make(g, op, a, 0, 0);
}

static expr plus(struct graph *g, double number, expr a) {
    return expr_make(g, EXPR_ADD, expr_constant(g, number), a, 0);
}

/* (1 - a)*(1 + a): 1 - a^2 without its cancellation near |a| = 1. */
static expr one_minus_square(struct graph *g, expr a) {
    expr one = expr_constant(g, 1);
    return expr_make(g, EXPR_MUL, expr_make(g, EXPR_SUB, one, a, 0), plus(g, 1, a), 0);
}

static expr square(struct graph *g, expr a) {
    return expr_powi(g, a, 2);
}

/* Powers, roots, exponentials and logarithms. */
static expr chain_power(struct graph *g, expr e, int k, expr f) {
    struct expr_node n = g->node[e];
    expr a = n.a, b = n.b;
    int32_t m = (int32_t)n.b;
    switch (n.op) {
    case EXPR_POWI:
        return derive_mul(g, derive_mul(g, expr_constant(g, m), expr_powi(g, a, m - 1)), f);
    case EXPR_POW:
        if (k == 1) return derive_mul(g, derive_mul(g, e, of(g, EXPR_LOG, a)), f);
        return derive_mul(g, derive_mul(g, b, expr_power(g, a, plus(g, -1, b))), f);
    case EXPR_SQRT:
        return derive_mul(g, expr_constant(g, 0.5), derive_div(g, f, e)); /* c/x^2 over x is one quotient */
    case EXPR_CBRT:
        return derive_div(g, f, derive_mul(g, expr_constant(g, 3), square(g, e)));
    case EXPR_EXP:
        return derive_mul(g, e, f);
    case EXPR_EXPM1:
        return derive_mul(g, of(g, EXPR_EXP, a), f);
    case EXPR_LOG:
        return derive_div(g, f, a);
    case EXPR_LOG1P:
        return derive_div(g, f, plus(g, 1, a));
    case EXPR_LOG10:
        return derive_div(g, f, derive_mul(g, a, expr_constant(g, 0x1.26bb1bbb55516p+1)));
    default:
        return EXPR_NONE;
    }
}

/* Circular and hyperbolic functions and their inverses. */
static expr chain_circular(struct graph *g, expr e, int k, expr f) {
    struct expr_node n = g->node[e];
    expr a = n.a, one = expr_constant(g, 1);
    switch (n.op) {
    case EXPR_SIN:
        return derive_mul(g, of(g, EXPR_COS, a), f);
    case EXPR_COS:
        return of(g, EXPR_NEG, derive_mul(g, of(g, EXPR_SIN, a), f));
    case EXPR_TAN:
        return derive_mul(g, plus(g, 1, square(g, e)), f);
    case EXPR_ASIN:
        return derive_div(g, f, of(g, EXPR_SQRT, one_minus_square(g, a)));
    case EXPR_ACOS:
        return of(g, EXPR_NEG, derive_div(g, f, of(g, EXPR_SQRT, one_minus_square(g, a))));
    case EXPR_ATAN:
        return derive_div(g, f, plus(g, 1, square(g, a)));
    case EXPR_ATAN2: {
        expr size = expr_make(g, EXPR_ADD, square(g, n.a), square(g, n.b), 0);
        expr slope = derive_div(g, derive_mul(g, k ? n.a : n.b, f), size);
        return k ? of(g, EXPR_NEG, slope) : slope;
    }
    case EXPR_SINH:
        return derive_mul(g, of(g, EXPR_COSH, a), f);
    case EXPR_COSH:
        return derive_mul(g, of(g, EXPR_SINH, a), f);
    case EXPR_TANH: /* by itself: cosh would overflow where tanh is 1 */
        return derive_mul(g, one_minus_square(g, e), f);
    case EXPR_ASINH:
        return derive_div(g, f, expr_make(g, EXPR_HYPOT, one, a, 0));
    case EXPR_ACOSH: {
        expr low = of(g, EXPR_SQRT, plus(g, -1, a)), high = of(g, EXPR_SQRT, plus(g, 1, a));
        return derive_div(g, f, derive_mul(g, low, high));
    }
    case EXPR_ATANH:
        return derive_div(g, f, one_minus_square(g, a));
    default:
        return EXPR_NONE;
    }
}

static expr product(struct graph *g, expr a, expr b, expr c) {
    return derive_mul(g, derive_mul(g, a, b), c);
}

/* The integral of sd^2 by m is (3 Q - sd^2 I)/2, where I is it itself and Q the integral of sd^4,
 *     3 m (1 - m) Q = u + 2 (2 m - 1) I - sn cn/dn^3,
 * from (sd sd')' = 1 + 2 (2 m - 1) sd^2 - 3 m (1 - m) sd^4.  At m = 0 and 1 this is 0/0, and near them it
 * loses the digits of 1/(m (1 - m)): only second derivatives by m are touched. */
static expr sd2_slope(struct graph *g, struct expr_node n, expr e, expr sd, expr sn, expr cn, expr dn) {
    expr m = n.b, one = expr_constant(g, 1), both = derive_mul(g, m, expr_make(g, EXPR_SUB, one, m, 0));
    expr weight = plus(g, -2, derive_mul(g, expr_constant(g, 4), m));
    expr sum = derive_add(g, n.a, derive_mul(g, weight, e));
    expr rest = derive_div(g, derive_mul(g, sn, cn), expr_powi(g, dn, 3));
    expr quartic = derive_div(g, derive_sub(g, sum, rest), both);
    return derive_sub(g, quartic, derive_mul(g, square(g, sd), e));
}

/* Elliptic functions of (u, m).  With I(u) the integral of sd^2, sd = sn/dn:  d am/dm = -dn I/2, and the rest
 * follows; no term has a pole at m = 0 or 1. */
static expr chain_elliptic(struct graph *g, expr e, int k, expr f) {
    struct expr_node n = g->node[e];
    expr u = n.a, m = n.b, half = expr_constant(g, 0.5), slope = EXPR_NONE;
    expr sn = expr_make(g, EXPR_SN, u, m, 0), cn = expr_make(g, EXPR_CN, u, m, 0);
    expr dn = expr_make(g, EXPR_DN, u, m, 0), sd = derive_div(g, sn, dn);
    expr whole = k ? expr_make(g, EXPR_JACOBISD2, u, m, 0) : EXPR_NONE;
    switch (n.op) {
    case EXPR_SN:
        if (k == 0) return product(g, cn, dn, f);
        return of(g, EXPR_NEG, derive_mul(g, half, product(g, derive_mul(g, cn, dn), whole, f)));
    case EXPR_CN:
        if (k == 0) return of(g, EXPR_NEG, product(g, sn, dn, f));
        return derive_mul(g, half, product(g, derive_mul(g, sn, dn), whole, f));
    case EXPR_DN:
        if (k == 0) return of(g, EXPR_NEG, derive_mul(g, derive_mul(g, m, derive_mul(g, sn, cn)), f));
        slope = derive_sub(g, product(g, m, derive_mul(g, sn, cn), whole), derive_mul(g, sd, sn));
        return derive_mul(g, half, derive_mul(g, slope, f));
    case EXPR_JACOBIEPS:
        if (k == 0) return derive_mul(g, square(g, dn), f);
        slope = derive_add(g, derive_sub(g, u, derive_mul(g, sd, cn)), product(g, m, square(g, cn), whole));
        return of(g, EXPR_NEG, derive_mul(g, half, derive_mul(g, slope, f)));
    default: /* JACOBISD2 */
        if (k == 0) return derive_mul(g, square(g, sd), f);
        return derive_mul(g, half, derive_mul(g, sd2_slope(g, n, e, sd, sn, cn, dn), f));
    }
}

/* K' = I(K)/2 and E' = ((1 - m) I(K) - K)/2: am(K) = pi/2, whatever m. */
static expr chain_complete(struct graph *g, expr e, expr f) {
    struct expr_node n = g->node[e];
    expr m = n.a, one = expr_constant(g, 1), quarter = expr_make(g, EXPR_ELLIPK, m, 0, 0);
    expr slope = expr_make(g, EXPR_JACOBISD2, quarter, m, 0);
    if (n.op == EXPR_ELLIPE)
        slope = derive_sub(g, derive_mul(g, expr_make(g, EXPR_SUB, one, m, 0), slope), quarter);
    return derive_mul(g, expr_constant(g, 0.5), derive_mul(g, slope, f));
}

/* hypot, elliptic functions, and the nonsmooth functions. */
static expr chain_special(struct graph *g, expr e, int k, expr f) {
    struct expr_node n = g->node[e];
    switch (n.op) {
    case EXPR_SN:
    case EXPR_CN:
    case EXPR_DN:
    case EXPR_JACOBIEPS:
    case EXPR_JACOBISD2:
        return chain_elliptic(g, e, k, f);
    case EXPR_ELLIPK:
    case EXPR_ELLIPE:
        return chain_complete(g, e, f);
    case EXPR_HYPOT:
        return derive_mul(g, derive_div(g, k ? n.b : n.a, e), f);
    case EXPR_ABS:
        return derive_mul(g, of(g, EXPR_SIGN, n.a), f);
    case EXPR_MOD:
        if (k == 0) return f;
        return of(g, EXPR_NEG, derive_mul(g, of(g, EXPR_FLOOR, expr_make(g, EXPR_DIV, n.a, n.b, 0)), f));
    case EXPR_LOOK:
        if (k) return derive_zero(g);
        return derive_mul(g, table_look(g, n.a, table_of(g, &n), table_order(g, &n) + 1), f);
    case EXPR_POSITION:
        if (k) return derive_zero(g);
        return derive_mul(g, table_entry(g, of(g, EXPR_FLOOR, e), table_of(g, &n), TABLE_RATE), f);
    default:
        return derive_zero(g); /* sign, floor, entry */
    }
}

static int is_one(const struct graph *g, expr e) {
    double value;
    return expr_is_constant(g, e, &value) && value == 1;
}

/* b'/b by u, for a b that grows as exp(u) does, and u; EXPR_NONE for any other b. */
static expr growth(struct graph *g, expr b, expr *u) {
    struct expr_node n = g->node[b];
    int32_t m = (int32_t)n.b;
    expr slope = EXPR_NONE;
    *u = n.a;
    switch (n.op) {
    case EXPR_EXP:
        return expr_constant(g, 1);
    case EXPR_COSH:
        return of(g, EXPR_TANH, n.a);
    case EXPR_SINH:
        return derive_div(g, expr_constant(g, 1), of(g, EXPR_TANH, n.a));
    case EXPR_POWI:
        if (m > 0) slope = growth(g, n.a, u);
        return slope == EXPR_NONE ? slope : derive_mul(g, expr_constant(g, m), slope);
    case EXPR_ADD: /* 1 + exp(u): exp(u)/(1 + exp(u)) = 1/(1 + exp(-u)) */
        *u = is_one(g, n.a) ? n.b : n.a;
        if (g->node[*u].op != EXPR_EXP || !is_one(g, *u == n.a ? n.b : n.a)) return EXPR_NONE;
        *u = g->node[*u].a;
        return derive_div(g, expr_constant(g, 1), plus(g, 1, of(g, EXPR_EXP, of(g, EXPR_NEG, *u))));
    default:
        return EXPR_NONE;
    }
}

/* Is b = sqrt(s)^m, and which s and m are they? */
static int is_power_of_root(const struct graph *g, expr b, expr *s, int32_t *m) {
    struct expr_node n = g->node[b];
    if (n.op != EXPR_POWI || g->node[n.a].op != EXPR_SQRT) return 0;
    *s = g->node[n.a].a, *m = (int32_t)n.b;
    return 1;
}

/* (sqrt(s)^m)' = m/2 sqrt(s)^(m-2) s', (a/sqrt(s)^m)' by s = -m/2 a/sqrt(s)^m / s: what the force of a
 * distance asks for in each direction then has no quotients but one, which is that of all directions. */
static expr root_slope(struct graph *g, expr e, int k, expr *inner) {
    struct expr_node n = g->node[e];
    expr s = EXPR_NONE;
    int32_t m = 0;
    int divisor = n.op == EXPR_DIV && k == 1;
    if (!is_power_of_root(g, divisor ? n.b : e, &s, &m) || m < 2) return EXPR_NONE;
    *inner = s;
    return divisor ? derive_mul(g, expr_constant(g, -0.5 * m), derive_div(g, e, s))
                   : derive_mul(g, expr_constant(g, 0.5 * m), expr_powi(g, n.a, m - 2));
}

expr derive_decay(struct graph *g, expr e, int k, expr *inner) {
    struct expr_node n = g->node[e];
    int32_t m = n.op == EXPR_POWI ? (int32_t)n.b : -1;
    expr u = EXPR_NONE, slope = root_slope(g, e, k, inner);
    if (slope != EXPR_NONE) return slope;
    if ((n.op == EXPR_DIV && k == 1) || (n.op == EXPR_POWI && m < 0)) slope = growth(g, k ? n.b : n.a, &u);
    if (slope == EXPR_NONE) return EXPR_NONE;
    *inner = u;
    return derive_mul(g, expr_constant(g, m), derive_mul(g, e, slope));
}

expr derive_chain(struct graph *g, expr e, int k, expr f) {
    struct expr_node n = g->node[e];
    switch (n.op) {
    case EXPR_NEG:
        return of(g, EXPR_NEG, f);
    case EXPR_ADD:
        return f;
    case EXPR_SUB:
        return k ? of(g, EXPR_NEG, f) : f;
    case EXPR_MUL:
        if (n.a == n.b) /* f a + a f = 2 f a, to the bit */
            return k ? derive_zero(g) : derive_mul(g, derive_mul(g, f, expr_constant(g, 2)), n.a);
        return k ? derive_mul(g, n.a, f) : derive_mul(g, f, n.b);
    case EXPR_DIV:
        return k ? of(g, EXPR_NEG, derive_div(g, derive_mul(g, e, f), n.b)) : derive_div(g, f, n.b);
    default:
        break;
    }
    if (n.op <= EXPR_LOG10) return chain_power(g, e, k, f);
    if (n.op <= EXPR_ATANH) return chain_circular(g, e, k, f);
    return chain_special(g, e, k, f);
}

int derive_passable(struct derive *d, expr e, const int varies[3]) {
    const struct expr_node n = d->g->node[e];
    uint32_t op = n.op;
    int nonsmooth = 0, continuous = op == EXPR_ABS || op == EXPR_MIN || op == EXPR_MAX;
    switch (op) {
    case EXPR_ABS:
    case EXPR_SIGN:
    case EXPR_FLOOR:
    case EXPR_IF:
        nonsmooth = varies[0];
        break;
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_MOD:
        nonsmooth = varies[0] || varies[1];
        break;
    case EXPR_LOOK: { /* how many derivatives are left before one jumps */
        int left = (int)d->g->rows[table_of(d->g, &n)][TABLE_SMOOTH] - table_order(d->g, &n);
        nonsmooth = varies[0] && left <= 0;
        continuous = left == 0;
        break;
    }
    default:
        break;
    }
    if (!nonsmooth || d->nonsmooth == DERIVE_ANY || (d->nonsmooth == DERIVE_CONTINUOUS && continuous))
        return 1;
    if (!d->obstacle) d->obstacle = e;
    return 0;
}
