/* lang_random.h - random expressions for the tests of the language. */
#ifndef KEEL_TESTS_LANG_RANDOM_H
#define KEEL_TESTS_LANG_RANDOM_H

#include "symbolic/expr.h"

enum { RANDOM_STATES = 4, RANDOM_PARAMETERS = 2, RANDOM_SYMBOLS = 1 + RANDOM_STATES + RANDOM_PARAMETERS };

struct random {
    uint64_t seed;
    struct graph *g;
    expr symbol[RANDOM_SYMBOLS]; /* t, the states, the parameters */
    int smooth;                  /* only functions with derivatives */
};

static inline uint32_t random_bits(struct random *r) {
    r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(r->seed >> 33);
}

static inline int random_below(struct random *r, int n) {
    return (int)(random_bits(r) % (uint32_t)n);
}

static inline double random_number(struct random *r, double low, double high) {
    return low + (high - low) * random_bits(r) / 2147483648.0;
}

static inline void random_open(struct random *r, struct graph *g, uint64_t seed, int smooth) {
    *r = (struct random){.seed = seed * 77777 + 13, .g = g, .smooth = smooth};
    r->symbol[0] = expr_symbol(g, EXPR_TIME, 0, 0);
    for (uint32_t i = 0; i < RANDOM_STATES; i++) r->symbol[1 + i] = expr_symbol(g, EXPR_UNKNOWN, i, 0);
    for (uint32_t i = 0; i < RANDOM_PARAMETERS; i++)
        r->symbol[1 + RANDOM_STATES + i] = expr_symbol(g, EXPR_PARAMETER, i, 0);
}

static inline expr random_leaf(struct random *r) {
    static const double number[] = {0.5, 1, 2, 3, -1, 0.1, 0, -0.0, 10, 1e-3};
    if (random_below(r, 4)) return r->symbol[random_below(r, RANDOM_SYMBOLS)];
    return expr_constant(r->g, number[random_below(r, 10)]);
}

static inline expr random_expr(struct random *r, int depth) {
    static const enum expr_op smooth[] = {EXPR_SQRT,  EXPR_CBRT,  EXPR_EXP,   EXPR_EXPM1, EXPR_LOG,
                                          EXPR_LOG1P, EXPR_LOG10, EXPR_SIN,   EXPR_COS,   EXPR_TAN,
                                          EXPR_ASIN,  EXPR_ACOS,  EXPR_ATAN,  EXPR_SINH,  EXPR_COSH,
                                          EXPR_TANH,  EXPR_ASINH, EXPR_ACOSH, EXPR_ATANH};
    static const enum expr_op two[] = {EXPR_ADD, EXPR_ADD, EXPR_SUB, EXPR_SUB,   EXPR_MUL,
                                       EXPR_MUL, EXPR_DIV, EXPR_POW, EXPR_ATAN2, EXPR_HYPOT};
    if (depth <= 0 || random_below(r, 12) == 0) return random_leaf(r);
    int kind = random_below(r, r->smooth ? 20 : 26);
    expr a = random_expr(r, depth - 1);
    if (kind < 11) return expr_make(r->g, two[random_below(r, 10)], a, random_expr(r, depth - 1), 0);
    if (kind < 16) return expr_make(r->g, smooth[random_below(r, 19)], a, 0, 0);
    if (kind < 17) return expr_make(r->g, EXPR_NEG, a, 0, 0);
    if (kind < 19) return expr_powi(r->g, a, random_below(r, 13) - 4);
    expr b = random_expr(r, depth - 1);
    if (kind == 19) {
        expr m = expr_constant(r->g, random_below(r, 11) / 10.0 - 0.1 * random_below(r, 2));
        return expr_make(r->g, (enum expr_op)(EXPR_SN + random_below(r, 3)), a, m, 0);
    }
    static const enum expr_op elliptic[] = {EXPR_SN, EXPR_CN, EXPR_DN, EXPR_JACOBIEPS, EXPR_JACOBISD2};
    if (kind == 20) return expr_make(r->g, elliptic[random_below(r, 5)], a, b, 0);
    if (kind == 21) return expr_make(r->g, random_below(r, 2) ? EXPR_ELLIPK : EXPR_ELLIPE, a, 0, 0);
    if (kind == 22) return expr_make(r->g, (enum expr_op)(EXPR_ABS + random_below(r, 6)), a, b, 0);
    expr truth = expr_make(r->g, (enum expr_op)(EXPR_LT + random_below(r, 4)), a, b, 0);
    if (random_below(r, 3) == 0)
        truth = expr_make(r->g, (enum expr_op)(EXPR_AND + random_below(r, 3)), truth, random_expr(r, 1), 0);
    return expr_make(r->g, EXPR_IF, truth, random_expr(r, depth - 1), random_expr(r, depth - 1));
}
#endif
