/* expr_value.c - operations on numbers, and the same functions as C text for the emitted models.
 *
 * Compiled with -fno-builtin as the emitted C is: a compiler that merged sin and cos into sincos here and not
 * there could change a bit. */
#include "symbolic/expr.h"

#include <math.h>

#define SOURCE(...) __VA_ARGS__
#include "symbolic/expr_source.def"
#undef SOURCE

#define SOURCE(...) #__VA_ARGS__,
const char *const expr_source[] = {
#include "symbolic/expr_source.def"
    NULL};
#undef SOURCE

/* a^n by the binary chain, from the leading bit down; emit.c writes out the very same products. */
double expr_integer_power(double a, int32_t exponent) {
    uint32_t n = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent, bit = 1;
    if (n == 0) return 1;
    while (bit <= n / 2) bit *= 2;
    double power = a;
    while (bit >>= 1) {
        power = power * power;
        if (n & bit) power = power * a;
    }
    return exponent < 0 ? 1 / power : power;
}

static double arithmetic(enum expr_op op, double a, double b) {
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

double expr_value(enum expr_op op, double a, double b) {
    switch (op) {
    case EXPR_POW:
        return keel_pow(a, b);
    case EXPR_SQRT:
        return __builtin_sqrt(a);
    case EXPR_CBRT:
        return cbrt(a);
    case EXPR_EXP:
        return exp(a);
    case EXPR_EXPM1:
        return expm1(a);
    case EXPR_LOG:
        return log(a);
    case EXPR_LOG1P:
        return log1p(a);
    case EXPR_LOG10:
        return log10(a);
    case EXPR_SIN:
        return keel_sin(a);
    case EXPR_COS:
        return keel_cos(a);
    case EXPR_TAN:
        return tan(a);
    case EXPR_ASIN:
        return asin(a);
    case EXPR_ACOS:
        return acos(a);
    case EXPR_ATAN:
        return atan(a);
    case EXPR_ATAN2:
        return atan2(a, b);
    case EXPR_SINH:
        return sinh(a);
    case EXPR_COSH:
        return cosh(a);
    case EXPR_TANH:
        return tanh(a);
    case EXPR_ASINH:
        return asinh(a);
    case EXPR_ACOSH:
        return acosh(a);
    case EXPR_ATANH:
        return atanh(a);
    case EXPR_ABS:
        return __builtin_fabs(a);
    case EXPR_SIGN:
        return keel_sign(a);
    case EXPR_MIN:
        return keel_min(a, b);
    case EXPR_MAX:
        return keel_max(a, b);
    case EXPR_FLOOR:
        return floor(a);
    case EXPR_MOD:
        return keel_mod(a, b);
    case EXPR_HYPOT:
        return hypot(a, b);
    case EXPR_SN:
        return keel_sn(a, b);
    case EXPR_CN:
        return keel_cn(a, b);
    case EXPR_DN:
        return keel_dn(a, b);
    case EXPR_ELLIPK:
        return keel_ellipk(a);
    case EXPR_ELLIPE:
        return keel_ellipe(a);
    case EXPR_JACOBIEPS:
        return keel_jacobieps(a, b);
    case EXPR_JACOBISD2:
        return keel_jacobisd2(a, b);
    default:
        return arithmetic(op, a, b);
    }
}
