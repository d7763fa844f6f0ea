/* emit_series_line.c - one recurrence as a line of C, its operands being any text. */
#include "codegen/emit_series.h"

/* Sums are in s. */
static void put_sum(struct emit *e, const struct emit_code *c) {
    switch (c->rule) {
    case SERIES_OPEN:
        emit_put(e, "{ double s = -0.0;\n");
        break;
    case SERIES_MORE:
        emit_put(e, "s += keel_product(*G(%s), J(%s), J(%s), k);\n", c->c, c->a, c->b);
        break;
    case SERIES_LESS:
        emit_put(e, "s -= keel_product(*G(%s), J(%s), J(%s), k);\n", c->c, c->a, c->b);
        break;
    case SERIES_MORE_SQUARE:
        emit_put(e, "s += keel_square(*G(%s), J(%s), k);\n", c->c, c->a);
        break;
    case SERIES_TERM:
        emit_put(e, "s += R(%s);\n", c->a);
        break;
    case SERIES_TERM_LESS:
        emit_put(e, "s -= R(%s);\n", c->a);
        break;
    case SERIES_TERM_BY:
        emit_put(e, "s += R(%s) * f[%s];\n", c->a, c->b);
        break;
    case SERIES_TERM_LESS_BY:
        emit_put(e, "s -= R(%s) * f[%s];\n", c->a, c->b);
        break;
    default:
        emit_put(e, "R(%s) = s; }\n", c->to);
    }
}

static void put_nonsmooth(struct emit *e, const struct emit_code *c) {
    const char *r = c->to, *a = c->a, *b = c->b;
    switch (c->rule) {
    case SERIES_ABS:
        emit_put(e, "R(%s) = J(%s)[0] < 0 ? -R(%s) : R(%s);\n", r, a, a, a);
        break;
    case SERIES_MIN:
        emit_put(e, "R(%s) = J(%s)[0] < J(%s)[0] ? R(%s) : R(%s);\n", r, a, b, a, b);
        break;
    case SERIES_MAX:
        emit_put(e, "R(%s) = J(%s)[0] > J(%s)[0] ? R(%s) : R(%s);\n", r, a, b, a, b);
        break;
    case SERIES_MOD:
        emit_put(e, "R(%s) = keel_remainder(J(%s), J(%s), J(%s), k);\n", r, a, b, r);
        break;
    default:
        emit_put(e, "R(%s) = J(%s)[0] != 0 ? R(%s) : R(%s);\n", r, a, b, c->c);
    }
}

/* w: jets; f: numbers that do not move; g: sums; q: 1 / k and 1 / (k + 1); N: the stride; k: the order. */
void emit_series_line(struct emit *e, const struct emit_code *c) {
    const char *r = c->to, *a = c->a, *b = c->b;
    switch (c->rule) {
    case SERIES_ZERO:
        emit_put(e, "R(%s) = 0;\n", r);
        break;
    case SERIES_COPY:
        emit_put(e, "R(%s) = R(%s);\n", r, a);
        break;
    case SERIES_NEGATE:
        emit_put(e, "R(%s) = -R(%s);\n", r, a);
        break;
    case SERIES_ADD:
        emit_put(e, "R(%s) = R(%s) + R(%s);\n", r, a, b);
        break;
    case SERIES_SUB:
        emit_put(e, "R(%s) = R(%s) - R(%s);\n", r, a, b);
        break;
    case SERIES_SCALE:
        emit_put(e, "R(%s) = R(%s) * f[%s];\n", r, a, b);
        break;
    case SERIES_SHRINK:
        emit_put(e, "R(%s) = R(%s) / f[%s];\n", r, a, b);
        break;
    case SERIES_MUL:
        emit_put(e, "R(%s) = keel_product(*G(%s), J(%s), J(%s), k);\n", r, c->c, a, b);
        break;
    case SERIES_SQUARE:
        emit_put(e, "R(%s) = keel_square(*G(%s), J(%s), k);\n", r, c->c, a);
        break;
    case SERIES_DIV:
        emit_put(e, "R(%s) = keel_over(*G(%s), R(%s), J(%s), J(%s), f[%s], k);\n", r, c->c, a, r, b, c->d);
        break;
    case SERIES_INVERT:
        emit_put(e, "R(%s) = keel_over(*G(%s), 0, J(%s), J(%s), f[%s], k);\n", r, c->c, r, b, c->d);
        break;
    case SERIES_SQRT:
        emit_put(e, "R(%s) = keel_root(*G(%s), J(%s), J(%s), f[%s], k);\n", r, c->c, a, r, c->d);
        break;
    case SERIES_POWER:
        emit_put(e, "R(%s) = keel_power(G(%s), J(%s), J(%s), J(%s), f[%s], f + %s - 1, q, k);\n", r, c->c, a,
                 c->e, r, b, c->d);
        break;
    case SERIES_CHAIN:
        emit_put(e, "R(%s) = keel_slope(*G(%s), J(%s), J(%s), J(%s), q, k);\n", r, c->c, a, c->e, b);
        break;
    case SERIES_CHAIN_LESS:
        emit_put(e, "R(%s) = -keel_slope(*G(%s), J(%s), J(%s), J(%s), q, k);\n", r, c->c, a, c->e, b);
        break;
    case SERIES_CHAIN_ON:
        emit_put(e, "R(%s) += keel_slope(*G(%s), J(%s), J(%s), J(%s), q, k);\n", r, c->c, a, c->e, b);
        break;
    case SERIES_CHAIN_BY:
        emit_put(e, "R(%s) += R(%s) * f[%s];\n", r, a, b);
        break;
    case SERIES_TIMES:
        emit_put(e, "R(%s) = k * R(%s);\n", r, a);
        break;
    case SERIES_STEP:
        if (!c->rests) emit_put(e, "J(%s)[k + 1] = keel_share(R(%s), q + 2);\n", r, a);
        else emit_put(e, "J(%s)[k + 1] = 0;\n", r);
        break;
    case SERIES_STEP_AHEAD:
        emit_put(e, "J(%s)[k + 2] = keel_share(J(%s)[k + 1], q + 4);\n", r, a);
        break;
    default:
        if (c->rule >= SERIES_OPEN) put_sum(e, c);
        else put_nonsmooth(e, c);
    }
}
