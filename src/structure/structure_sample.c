/* structure_sample.c - expressions at random points, with a bound of what round-off may have left.
 *
 * The value of a symbol is a hash of what it is and of the point's number, so that all expressions see the
 * same point.  Mass: m(a + b) = max(m(a), m(b)); m(a*b) = max(m(a)|b|, |a|m(b)); m(f(a)) = max(|f|, |f'|
 * m(a)). */
#include "structure/structure_private.h"

#include <math.h>
#include <stdlib.h>

enum { TRIES = 12 };

static double unit(uint64_t x) { /* splitmix64, to [0, 1) */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53;
}

/* Positive, for roots and logarithms, but every third point of both signs; later points are closer
 * together. */
static double random_value(const struct structure_work *w, int point, const struct expr_node *symbol) {
    enum expr_kind kind = (enum expr_kind)symbol->a;
    uint32_t index = symbol->b, order = symbol->c;
    const struct structure_problem *p = w->p;
    int far = point - STRUCTURE_FAR;
    if (kind == EXPR_PARAMETER && (int)index < p->parameters && (point < STRUCTURE_GENERIC || far >= 0))
        return p->parameter[index];
    uint64_t key = ((uint64_t)point << 56) ^ ((uint64_t)kind << 48) ^ ((uint64_t)order << 32) ^ index;
    double r = unit(key * 0xd1342543de82ef95u + 1),
           spread = point % STRUCTURE_GENERIC < TRIES / 2 ? 0.7 : 0.05;
    int column = structure_column(w, kind, index);
    double nominal = p->nominal && column >= 0 && !order ? p->nominal[w->column[column]] : 0;
    if (far >= STRUCTURE_FAR_OWN) return (2 * r - 1) * ldexp(1, 5 * (far - STRUCTURE_FAR_OWN) + 1);
    if (far >= 0) return (1 + r) * (nominal == 0 ? 1 : nominal) * ldexp(1, 4 * far);
    double value = point % 3 == 2 ? 1.3 * (2 * r - 1) : 1 + spread * (2 * r - 1);
    if (!p->nominal || column < 0 || order) return value;
    return nominal == 0 ? 0.1 * value : nominal * (1 + 0.2 * (value - 1));
}

static int is_exponential(uint32_t op) {
    return op == EXPR_EXP || op == EXPR_EXPM1 || op == EXPR_SINH || op == EXPR_COSH || op == EXPR_TANH;
}

static int is_logarithm(uint32_t op) {
    return op == EXPR_LOG || op == EXPR_LOG1P || op == EXPR_LOG10 || op == EXPR_ASINH || op == EXPR_ACOSH ||
           op == EXPR_ATANH;
}

/* Exponentials and logarithms to the base e^theta: they obey the same laws, and no difference of two
 * expressions is zero for one base alone. */
static double value_of(enum expr_op op, double a, double b, double theta) {
    if (is_exponential(op)) return expr_value(op, theta * a, b);
    return is_logarithm(op) ? expr_value(op, a, b) / theta : expr_value(op, a, b);
}

static double condition(enum expr_op op, double a, double b, double f, double theta, int side) {
    double x = side ? b : a, h = 1e-6 * (x == 0 ? 1 : fabs(x));
    double slope = (value_of(op, side ? a : a + h, side ? b + h : b, theta) - f) / h;
    return isfinite(slope) ? fabs(slope) : 0;
}

static void evaluate(struct structure_sample *v, const struct graph *g, expr e, double theta) {
    const struct expr_node *n = &g->node[e];
    double a = v->value[n->a], b = n->op == EXPR_POWI ? 0 : v->value[n->b], *f = &v->value[e];
    double ma = v->mass[n->a], mb = n->op == EXPR_POWI ? 0 : v->mass[n->b], m = 0;
    switch (n->op) {
    case EXPR_POWI:
        *f = expr_integer_power(a, (int32_t)n->b);
        m = a == 0 ? 0 : fabs((int32_t)n->b * (*f / a)) * ma;
        break;
    case EXPR_IF:
        *f = a != 0 ? b : v->value[n->c];
        m = a != 0 ? mb : v->mass[n->c];
        break;
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
        *f = expr_value((enum expr_op)n->op, a, b);
        m = fmax(ma, n->op == EXPR_NEG ? 0 : mb);
        break;
    case EXPR_MUL:
        *f = a * b;
        m = fmax(ma * fabs(b), fabs(a) * mb);
        break;
    case EXPR_DIV:
        *f = isinf(b) ? NAN : a / b; /* 0 by overflow is no zero */
        m = fmax(ma / fabs(b), fabs(*f / b) * mb);
        break;
    default:
        *f = value_of((enum expr_op)n->op, a, b, theta);
        if (n->op == EXPR_EXP && *f == 0) *f = 0x1p-200; /* nor is one by underflow: a narrow pulse */
        m = condition((enum expr_op)n->op, a, b, *f, theta, 0) * ma;
        if (expr_operands((enum expr_op)n->op) == 2)
            m = fmax(m, condition((enum expr_op)n->op, a, b, *f, theta, 1) * mb);
    }
    v->mass[e] = fmax(fabs(*f), m);
}

/* All nodes of the list; the largest argument of an exponential. */
static double fill(struct structure_sample *v, const struct structure_work *w, const struct expr_list *list,
                   int point, double theta) {
    const struct graph *g = w->g;
    double largest = 0;
    for (size_t i = 0; i < list->count; i++) {
        expr e = list->item[i];
        struct expr_node n = g->node[e];
        if (expr_operands((enum expr_op)n.op)) evaluate(v, g, e, theta);
        else {
            if (!expr_is_constant(g, e, &v->value[e])) v->value[e] = random_value(w, point, &n);
            v->mass[e] = ldexp(fabs(v->value[e]), expr_lost(g, e));
        }
        if (is_exponential(n.op) && isfinite(v->value[n.a])) largest = fmax(largest, fabs(v->value[n.a]));
    }
    return largest;
}

/* At every second point exponentials have a base that keeps them moderate: exp(40*u) of two random u would
 * hide one entry of a matrix behind the round-off of another. */
static int open_at(struct structure_sample *v, const struct structure_work *w, size_t roots, const expr *root,
                   int point) {
    enum { MODERATE = 3, ROUNDS = 3 };
    struct expr_list list;
    struct graph *g = w->g;
    double theta = 1, largest;
    *v = (struct structure_sample){0};
    if (expr_order(g, roots, root, &list)) return -1;
    size_t room = g->count;
    if (!expr_spend(g, 2.0 * (double)room)) return free(list.item), -1;
    *v = (struct structure_sample){calloc(room, sizeof *v->value), calloc(room, sizeof *v->mass)};
    int failed = !v->value || !v->mass;
    for (int round = 0; round < ROUNDS && !failed; round++) {
        largest = fill(v, w, &list, point, theta);
        if (point % 2 || largest * theta <= MODERATE) break;
        theta = MODERATE / largest;
    }
    free(list.item);
    if (failed) structure_sample_close(v);
    return failed ? -1 : 0;
}

int structure_sample_open(struct structure_sample *v, const struct structure_work *w, size_t roots,
                          const expr *root, int point) {
    return open_at(v, w, roots, root, point) ? structure_out_of_memory(w->s) : 0;
}

void structure_sample_close(struct structure_sample *v) {
    free(v->value);
    free(v->mass);
    *v = (struct structure_sample){0};
}

int structure_sample_finite(const struct structure_sample *v, expr e) {
    return isfinite(v->value[e]) && isfinite(v->mass[e]);
}

int structure_sample_zero(const struct structure_sample *v, expr e) {
    return fabs(v->value[e]) <= STRUCTURE_ZERO * v->mass[e];
}

int structure_sample_points(const struct structure_work *w, size_t roots, const expr *root,
                            int point[STRUCTURE_POINTS]) {
    int found = 0;
    for (int k = 0; k < TRIES && found < STRUCTURE_POINTS; k++) {
        struct structure_sample v;
        if (structure_sample_open(&v, w, roots, root, k)) return -1;
        int finite = 1;
        for (size_t i = 0; i < roots && finite; i++) finite = structure_sample_finite(&v, root[i]);
        if (finite) point[found++] = k;
        structure_sample_close(&v);
    }
    for (int k = 0; found < STRUCTURE_POINTS; k++) point[found++] = k;
    return 0;
}
