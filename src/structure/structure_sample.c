/* structure_sample.c - expressions at random points, with a bound of what round-off may have left.
 *
 * The value of a symbol is a hash of what it is and of the point's number, so that all expressions see the
 * same point.  Mass: m(a + b) = max(m(a), m(b)); m(a*b) = max(m(a)|b|, |a|m(b)); m(f(a)) = max(|f|, |f'|
 * m(a)): an argument that is known to eps m(a) alone is all that a sine of 1e12 may be blamed for. */
#include "structure/structure_private.h"
#include "symbolic/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 12 };

static double unit(uint64_t x) { /* splitmix64 */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53;
}

double structure_random(uint64_t key) {
    return unit(key * 0xd1342543de82ef95u + 1);
}

/* A number of the text that is far from 1 may hide others by its size: abstract points take one near 1 in
 * its place.  What vanishes for any number vanishes for this one. */
static double abstract_number(int point, double number) {
    int exponent;
    frexp(number, &exponent);
    if (point < STRUCTURE_ABSTRACT || number == 0 || abs(exponent) <= 6) return number;
    uint64_t bits;
    double size = fabs(number);
    memcpy(&bits, &size, sizeof bits);
    return copysign(1 + 0.7 * (2 * structure_random(bits ^ (uint64_t)point << 56) - 1), number);
}

/* Far from the start.  First 1, 16, 256 times the start value.  Then one size for all, from 2^-40 to 2^40:
 * a start at 0 does not tell how large a state will be.  These are of both signs at every second point. */
static double far_value(int far, double nominal, double r) {
    int size = far - STRUCTURE_FAR_OWN;
    if (size < 0) return (1 + r) * (nominal == 0 ? 1 : nominal) * ldexp(1, 4 * far);
    return (size % 2 ? 2 * r - 1 : 0.5 + r) * ldexp(1, 5 * size - 40);
}

/* Positive, for roots and logarithms, but every third point of both signs; later points are closer
 * together. */
static double random_value(const struct structure_work *w, int point, const struct expr_node *symbol) {
    enum expr_kind kind = (enum expr_kind)symbol->a;
    uint32_t index = symbol->b, order = symbol->c;
    const struct structure_problem *p = w->p;
    int far = point - STRUCTURE_FAR, given = point < STRUCTURE_GENERIC || far >= 0;
    int abstract = point >= STRUCTURE_ABSTRACT;
    if (kind == EXPR_PARAMETER && (int)index < p->parameters && given && !abstract)
        return p->parameter[index];
    uint64_t key = ((uint64_t)point << 56) ^ ((uint64_t)kind << 48) ^ ((uint64_t)order << 32) ^ index;
    double r = structure_random(key);
    double spread = point % STRUCTURE_GENERIC < TRIES / 2 ? 0.7 : 0.05;
    int column = structure_column(w, kind, index);
    double nominal = p->nominal && column >= 0 && !order ? p->nominal[w->column[column]] : 0;
    if (far >= 0 && !abstract) return far_value(far, nominal, r);
    double value = point % 3 == 2 ? 1.3 * (2 * r - 1) : 1 + spread * (2 * r - 1);
    if (abstract || !p->nominal || column < 0 || order) return value;
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
double structure_sample_value(const struct structure_sample *v, enum expr_op op, double a, double b) {
    if (is_exponential(op)) return expr_value(op, v->theta * a, b);
    return is_logarithm(op) ? expr_value(op, a, b) / v->theta : expr_value(op, a, b);
}

/* |df/da|, or more, of functions that turn many times between a and a (1 + 1e-6); 0: any other.
 * sn' = cn dn, cn' = -sn dn, dn' = -m sn cn, and dn <= 1 + |m|. */
static double steepest(enum expr_op op, double b, double f) {
    switch (op) {
    case EXPR_SIN:
    case EXPR_COS:
        return 1;
    case EXPR_TAN:
        return 1 + f * f;
    case EXPR_SN:
    case EXPR_CN:
    case EXPR_DN:
        return 1 + fabs(b);
    default:
        return 0;
    }
}

/* |df/da|, or |df/db| for side 1.  An exponential changes by its argument's differences, not by its ratio. */
static double condition(const struct structure_sample *v, enum expr_op op, double a, double b, double f,
                        int side) {
    double bound = steepest(op, b, f), x = side ? b : a, size = x == 0 ? 1 : fabs(x);
    if (bound > 0 && !side) return bound;
    double h = 1e-6 * (is_exponential(op) ? fmin(size, 1) : size);
    double slope = (structure_sample_value(v, op, side ? a : a + h, side ? b + h : b) - f) / h;
    if (bound > 0) return fmax(bound * fabs(a), isfinite(slope) ? fabs(slope) : 0);
    return isfinite(slope) ? fabs(slope) : 0;
}

/* A function in the place of a table, another one for each, and its derivatives. */
static double any_function(int table, int order, double x) {
    double quarter = 1.57079632679489662 * order;
    return (order == 0 ? 2 : 0) + cos(x + 1.3 * (table + 1) + quarter);
}

static void evaluate(struct structure_sample *v, const struct graph *g, expr e) {
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
    case EXPR_LOOK: /* any function: its rows say nothing about structure, and random points lie outside */
        *f = any_function(table_of(g, n), table_order(g, n), a);
        m = (1 + fabs(*f)) * ma;
        break;
    default:
        *f = structure_sample_value(v, (enum expr_op)n->op, a, b);
        if (n->op == EXPR_EXP && *f == 0) *f = 0x1p-200; /* nor is one by underflow: a narrow pulse */
        m = condition(v, (enum expr_op)n->op, a, b, *f, 0) * ma;
        if (expr_operands((enum expr_op)n->op) == 2)
            m = fmax(m, condition(v, (enum expr_op)n->op, a, b, *f, 1) * mb);
    }
    v->mass[e] = fmax(fabs(*f), m);
}

/* All nodes of the list; the largest argument of an exponential. */
static double fill(struct structure_sample *v, const struct structure_work *w, const struct expr_list *list,
                   int point) {
    const struct graph *g = w->g;
    double largest = 0;
    for (size_t i = 0; i < list->count; i++) {
        expr e = list->item[i];
        struct expr_node n = g->node[e];
        if (expr_operands((enum expr_op)n.op)) evaluate(v, g, e);
        else {
            int number = expr_is_constant(g, e, &v->value[e]);
            if (!number) v->value[e] = random_value(w, point, &n);
            else if (!expr_lost(g, e)) v->value[e] = abstract_number(point, v->value[e]);
            v->mass[e] = ldexp(fabs(v->value[e]), expr_lost(g, e));
        }
        if (is_exponential(n.op) && isfinite(v->value[n.a])) largest = fmax(largest, fabs(v->value[n.a]));
    }
    return largest;
}

/* At every second point exponentials have a base that keeps them moderate: exp(40*u) of two random u would
 * hide one entry of a matrix behind the round-off of another. */
void structure_sample_move(struct structure_sample *v, const struct structure_work *w,
                           const struct expr_list *list, int point) {
    enum { MODERATE = 3, ROUNDS = 3 };
    v->theta = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double largest = fill(v, w, list, point);
        if (point % 2 || largest * v->theta <= MODERATE) break;
        v->theta = MODERATE / largest;
    }
}

/* Nodes that the roots do not reach have no values, and cost nothing: an equation, one of many, reaches
 * little of the graph. */
int structure_sample_room(struct structure_sample *v, struct expr_list *list, const struct structure_work *w,
                          size_t roots, const expr *root) {
    size_t capacity = w->g->count;
    *v = (struct structure_sample){0};
    if (expr_reach(w->g, roots, root, list)) return structure_out_of_memory(w->s);
    if (expr_spend(w->g, 2.0 * (double)list->count))
        *v = (struct structure_sample){.value = malloc(capacity * sizeof *v->value),
                                       .mass = malloc(capacity * sizeof *v->mass)};
    if (v->value && v->mass) {
        v->value[EXPR_NONE] = v->mass[EXPR_NONE] = 0; /* the operand that a function of one does not have */
        return 0;
    }
    free(list->item);
    structure_sample_close(v);
    return structure_out_of_memory(w->s);
}

int structure_sample_open(struct structure_sample *v, const struct structure_work *w, size_t roots,
                          const expr *root, int point) {
    struct expr_list list;
    if (structure_sample_room(v, &list, w, roots, root)) return -1;
    structure_sample_move(v, w, &list, point);
    free(list.item);
    return 0;
}

void structure_sample_close(struct structure_sample *v) {
    free(v->value);
    free(v->mass);
    free(v->sight);
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
    struct structure_sample v;
    struct expr_list list;
    int found = 0;
    if (structure_sample_room(&v, &list, w, roots, root)) return -1;
    for (int k = 0; k < TRIES && found < STRUCTURE_POINTS; k++) {
        int finite = 1;
        structure_sample_move(&v, w, &list, k);
        for (size_t i = 0; i < roots && finite; i++) finite = structure_sample_finite(&v, root[i]);
        if (finite) point[found++] = k;
    }
    for (int k = 0; found < STRUCTURE_POINTS; k++) point[found++] = k;
    structure_sample_close(&v);
    free(list.item);
    return 0;
}
