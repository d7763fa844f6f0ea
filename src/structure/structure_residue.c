/* structure_residue.c - ranks without rounding: expressions at random points modulo a prime.
 *
 * Sums, products, quotients and powers of symbols and plain fractions (rational.h) have values in the field
 * of the prime, in which a zero is a zero.  A determinant that does not vanish identically vanishes at a
 * random point with a chance of its degree in 2^31; the largest rank of some points is taken.  Functions and
 * other numbers have no such values: then nothing is said, and floating-point numbers with their bounds of
 * round-off must do. */
#include "structure/structure_private.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define PRIME 2147483647u      /* 2^31 - 1 */
enum { MOST_ENTRIES = 90000 }; /* of the matrix: beyond, its elimination takes too long */

static uint32_t times(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b % PRIME);
}

static uint32_t power(uint32_t a, uint32_t exponent) {
    uint32_t result = 1;
    for (; exponent; exponent >>= 1, a = times(a, a))
        if (exponent & 1) result = times(result, a);
    return result;
}

static uint32_t inverse(uint32_t a) { /* Fermat */
    return power(a, PRIME - 2);
}

static uint32_t difference(uint32_t a, uint32_t b) {
    return a >= b ? a - b : a + (PRIME - b);
}

static int residue_of_number(double x, double error, uint32_t *out) {
    struct rational r;
    if (!rational_plain(x, error, &r)) return 0;
    uint32_t bottom = rational_residue(&r.bottom, PRIME), top = rational_residue(&r.top, PRIME);
    if (r.lost || bottom == 0) return 0;
    *out = times(top, inverse(bottom));
    if (r.sign < 0) *out = difference(0, *out);
    return 1;
}

/* The value of a symbol or number; 0: it has none. */
static int residue_of_leaf(const struct structure_work *w, expr e, int point, uint32_t *out) {
    const struct expr_node n = w->g->node[e];
    double value;
    if (expr_is_constant(w->g, e, &value))
        return !expr_lost(w->g, e) && residue_of_number(value, STRUCTURE_PLAIN, out);
    if (n.a == EXPR_PARAMETER && (int)n.b < w->p->parameters)
        return residue_of_number(w->p->parameter[n.b], STRUCTURE_PLAIN, out);
    *out = (uint32_t)(structure_random(((uint64_t)point << 56) ^ ((uint64_t)n.a << 48) ^
                                       ((uint64_t)n.c << 32) ^ n.b) *
                      (PRIME - 1)) +
           1;
    return 1;
}

/* The value of an operation; 0: it has none, or none at this point. */
static int residue_of(const struct expr_node *n, uint32_t a, uint32_t b, uint32_t *out) {
    int32_t exponent = (int32_t)n->b;
    switch (n->op) {
    case EXPR_NEG:
        *out = difference(0, a);
        return 1;
    case EXPR_ADD:
        *out = difference(a, difference(0, b));
        return 1;
    case EXPR_SUB:
        *out = difference(a, b);
        return 1;
    case EXPR_MUL:
        *out = times(a, b);
        return 1;
    case EXPR_DIV:
        *out = b ? times(a, inverse(b)) : 0;
        return b != 0;
    case EXPR_POWI:
        *out = power(exponent < 0 ? inverse(a) : a, (uint32_t)abs(exponent));
        return exponent >= 0 || a != 0;
    default:
        return 0;
    }
}

/* Of all nodes that the roots reach.  1, 0: not all have one; -1. */
static int residues(struct structure_work *w, size_t roots, const expr *root, int point, uint32_t *value) {
    struct expr_list list;
    int all = 1;
    if (expr_order(w->g, roots, root, &list)) return structure_out_of_memory(w->s);
    for (size_t i = 0; i < list.count && all; i++) {
        expr e = list.item[i];
        const struct expr_node n = w->g->node[e];
        int operands = expr_operands((enum expr_op)n.op);
        all = operands ? residue_of(&n, value[n.a], operands > 1 ? value[n.b] : 0, &value[e])
                       : residue_of_leaf(w, e, point, &value[e]);
    }
    free(list.item);
    return all;
}

/* Pivots in the columns of `order` from number `from` on, all before them being used first. */
static int count_pivots(int rows, int columns, uint32_t *a, const int *order, int from) {
    int rank = 0, found = 0;
    for (int k = 0; k < columns && rank < rows; k++) {
        int j = order[k], pivot = rank;
        while (pivot < rows && a[pivot * columns + j] == 0) pivot++;
        if (pivot == rows) continue;
        for (int c = 0; c < columns && pivot != rank; c++) {
            uint32_t other = a[pivot * columns + c];
            a[pivot * columns + c] = a[rank * columns + c], a[rank * columns + c] = other;
        }
        uint32_t over = inverse(a[rank * columns + j]);
        for (int i = rank + 1; i < rows; i++) {
            uint32_t factor = times(a[i * columns + j], over);
            for (int c = 0; c < columns && factor; c++)
                a[i * columns + c] = difference(a[i * columns + c], times(factor, a[rank * columns + c]));
        }
        rank++;
        found += k >= from;
    }
    return found;
}

int structure_residue_rank(struct structure_work *w, const struct structure_pattern *p,
                           const unsigned char *late, int *rank) {
    size_t entries = (size_t)p->rows * (size_t)p->columns, roots = (size_t)p->start[p->rows];
    if (entries > MOST_ENTRIES || !expr_spend(w->g, (double)w->g->count + (double)entries * p->rows))
        return w->g->failed ? structure_out_of_memory(w->s) : 0;
    uint32_t *a = structure_take(w->s, entries, sizeof *a);
    uint32_t *value = structure_take(w->s, w->g->count, sizeof *value);
    int *order = structure_take(w->s, (size_t)p->columns, sizeof *order), from = 0, last = p->columns;
    if (!a || !value || !order) return -1;
    for (int j = 0; j < p->columns; j++) order[late && late[j] ? --last : from++] = j;
    *rank = 0;
    for (int point = 0; point < STRUCTURE_POINTS; point++) {
        int is = residues(w, roots, p->slope, point, value);
        if (is <= 0) return is;
        memset(a, 0, entries * sizeof *a);
        for (int i = 0; i < p->rows; i++)
            for (int k = p->start[i]; k < p->start[i + 1]; k++)
                a[(size_t)i * (size_t)p->columns + (size_t)p->column[k]] = value[p->slope[k]];
        int found = count_pivots(p->rows, p->columns, a, order, late ? from : 0);
        if (found > *rank) *rank = found;
    }
    return 1;
}
