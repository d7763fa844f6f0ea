/* distance_same.c - are two factors the same?  As rational functions, at random points.
 *
 * Symbols, and all operations but + - * / and integer powers, are independent random numbers.  Some points
 * are spread over many powers of ten, so that v^2/c^2 beside 1 is seen.  A difference within a few round-offs
 * of its terms is none: 1/3 and a third in digits are the same. */
#include "structure/distance_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_OFFS = 8 };

/* Of the node's number alone, so that the same model always gives the same answer. */
static double random_value(expr e, int sample) {
    uint64_t bits = (uint64_t)e * 0x9e3779b97f4a7c15u + (uint64_t)sample * 0xd1b54a32d192ed03u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    double unit = (double)(bits >> 12) / 4503599627370496.0;
    return sample == 0 ? 0.5 + unit : (0.5 + unit) * ldexp(1, (int)(bits & 63) - 32);
}

static void evaluate(const struct distance_walk *w, expr e, int k, double *value, double *size) {
    const struct expr_node *n = &w->g->node[e];
    const struct distance_sample *none = &w->sample[0];
    int operands = n->op == EXPR_POWI ? 1 : expr_operands((enum expr_op)n->op);
    const struct distance_sample *a = operands > 0 ? &w->sample[n->a] : none;
    const struct distance_sample *b = operands > 1 ? &w->sample[n->b] : none;
    double x = a->value[k], y = b->value[k], of_x = a->size[k], of_y = b->size[k];
    switch (n->op) {
    case EXPR_CONSTANT:
        expr_is_constant(w->g, e, value);
        *size = fabs(*value);
        return;
    case EXPR_NEG:
        *value = -x, *size = of_x;
        return;
    case EXPR_ADD:
    case EXPR_SUB:
        *value = n->op == EXPR_ADD ? x + y : x - y, *size = of_x + of_y;
        return;
    case EXPR_MUL:
        *value = x * y, *size = of_x * fabs(y) + fabs(x) * of_y;
        return;
    case EXPR_DIV:
        *value = x / y, *size = of_x / fabs(y) + fabs(x) * of_y / (y * y);
        return;
    case EXPR_POWI:
        *value = expr_integer_power(x, (int32_t)n->b);
        *size = fabs(*value) * (1 + fabs((double)(int32_t)n->b) * of_x / fabs(x));
        return;
    default:
        *value = random_value(e, k), *size = fabs(*value);
    }
}

/* All nodes up to now; operands come before their users. */
static int sample_all(struct distance_walk *w) {
    if (w->g->count > w->sample_capacity) {
        struct distance_sample *wider = realloc(w->sample, w->g->capacity * sizeof *wider);
        if (!wider) return w->failed = 1, 0;
        w->sample = wider;
        w->sample_capacity = w->g->capacity;
    }
    if (w->sampled == 0) memset(&w->sample[w->sampled++], 0, sizeof *w->sample);
    for (; w->sampled < w->g->count; w->sampled++)
        for (int k = 0; k < DISTANCE_SAMPLES; k++)
            evaluate(w, w->sampled, k, &w->sample[w->sampled].value[k], &w->sample[w->sampled].size[k]);
    return 1;
}

int distance_same(struct distance_walk *w, expr a, expr b) {
    if (a == b) return 1;
    if (a == EXPR_NONE || b == EXPR_NONE) return distance_zero(w, a == EXPR_NONE ? b : a);
    if (!sample_all(w)) return 0;
    for (int k = 0; k < DISTANCE_SAMPLES; k++) {
        const struct distance_sample *x = &w->sample[a], *y = &w->sample[b];
        if (!(fabs(x->value[k] - y->value[k]) <= ROUND_OFFS * DBL_EPSILON * (x->size[k] + y->size[k])))
            return 0;
    }
    return 1;
}

int distance_zero(struct distance_walk *w, expr a) {
    double number;
    if (a == EXPR_NONE) return 1;
    if (expr_is_constant(w->g, a, &number)) return number == 0;
    if (!sample_all(w)) return 0;
    for (int k = 0; k < DISTANCE_SAMPLES; k++)
        if (!(fabs(w->sample[a].value[k]) <= ROUND_OFFS * DBL_EPSILON * w->sample[a].size[k])) return 0;
    return 1;
}
