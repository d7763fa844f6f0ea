/* formulation_pace.c - a clock that is read off the equations (`clock = auto`).
 *
 * Where two bodies pass each other closely, divisors of f come near zero.  Let W_1, W_2, .. be the
 * reciprocals and negative powers in which states stand.  With these frozen, J = df/dx has the rates of the
 * motion at one place, and the diagonal of J^2 has the dimension 1/time^2 whatever the units of the states:
 * -mu/r^3 on Kepler's orbit.  Its parts by each W_k, T = W_k d(J^2)_ii/dW_k, are added as squares, so that
 * attraction and repulsion do not cancel, each twice, for a position and for its velocity:
 *     s = (2 sum of T^2 + 1/(t1 - t0)^4)^(-1/4).
 * That goes like r^(3/2) on Kepler's orbit, like (sum of mu_k^2/r_k^6)^(-1/4) among several bodies.  Where
 * the motion comes by a zero of all T, as v' = -x^3/(1 + x^2) at x = 0, s is the length of the run. */
#include "model/formulation.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>

enum { FROZEN = 1 << 29 }; /* numbers of the symbols that stand for W_k: held values have small ones */

struct pace {
    struct formulation *r;
    struct graph *g;
    struct expr_list all; /* what f is made of, operands first */
    expr *frozen;         /* by node: what stands for it where the W_k are symbols */
    unsigned char *state; /* by node: it varies with the states */
    expr *reciprocal;     /* [reciprocals] W_k */
    expr *symbol;         /* [reciprocals] */
    size_t reciprocals;
    expr *rate; /* [n] f of these symbols */
    struct derive_sparse j;
};

static int varies(const struct pace *p, struct expr_node n) {
    const uint32_t operand[3] = {n.a, n.b, n.c};
    for (int k = 0; k < expr_operands((enum expr_op)n.op); k++)
        if (p->state[operand[k]]) return 1;
    return 0;
}

static expr symbol_of(struct pace *p, expr w) {
    for (size_t k = 0; k < p->reciprocals; k++)
        if (p->reciprocal[k] == w) return p->symbol[k];
    p->reciprocal[p->reciprocals] = w;
    p->symbol[p->reciprocals] = expr_symbol(p->g, EXPR_HELD, FROZEN + (uint32_t)p->reciprocals, 0);
    return p->symbol[p->reciprocals++];
}

static int is_negative_power(const struct graph *g, struct expr_node n) {
    double power;
    return (n.op == EXPR_POWI && (int32_t)n.b < 0) ||
           (n.op == EXPR_POW && expr_is_constant(g, n.b, &power) && power < 0);
}

/* e with symbols for reciprocals: a quotient a/b is a W of b, or W itself where a does not vary. */
static expr freeze(struct pace *p, expr e) {
    struct graph *g = p->g;
    const struct expr_node n = g->node[e];
    if (n.op == EXPR_CONSTANT || n.op == EXPR_SYMBOL || !p->state[e]) return e;
    if (is_negative_power(g, n)) return symbol_of(p, e);
    if (n.op == EXPR_DIV && p->state[n.b])
        return !p->state[n.a]
                   ? symbol_of(p, e)
                   : derive_mul(g, p->frozen[n.a], symbol_of(p, derive_div(g, expr_constant(g, 1), n.b)));
    if (n.op == EXPR_POWI) return expr_powi(g, p->frozen[n.a], (int32_t)n.b);
    int operands = expr_operands((enum expr_op)n.op);
    return expr_make(g, (enum expr_op)n.op, p->frozen[n.a], operands > 1 ? p->frozen[n.b] : n.b,
                     operands > 2 ? p->frozen[n.c] : n.c);
}

/* 1; 0: without memory, or nothing is divided by what varies. */
static int freeze_all(struct pace *p) {
    struct formulation *r = p->r;
    struct graph *g = p->g;
    p->frozen = expr_take(g, g->count, sizeof *p->frozen);
    p->state = expr_take(g, g->count, 1);
    p->rate = expr_take(g, (size_t)r->n, sizeof *p->rate);
    if (g->failed || expr_order(g, (size_t)r->n, r->f.value, &p->all) < 0) return 0;
    p->reciprocal = expr_take(g, p->all.count + 1, sizeof *p->reciprocal);
    p->symbol = expr_take(g, p->all.count + 1, sizeof *p->symbol);
    if (g->failed) return 0;
    for (int i = 0; i < r->n; i++) p->state[r->basic[i]] = 1;
    for (size_t i = 0; i < p->all.count && !g->failed; i++) {
        expr e = p->all.item[i];
        const struct expr_node n = g->node[e];
        if (n.op != EXPR_SYMBOL && n.op != EXPR_CONSTANT) p->state[e] = (unsigned char)varies(p, n);
        p->frozen[e] = freeze(p, e);
    }
    for (int i = 0; i < r->n; i++) p->rate[i] = p->frozen[r->f.value[i]];
    return p->reciprocals > 0 && !g->failed;
}

/* (J^2)_ii */
static expr diagonal(struct pace *p, int i) {
    const struct derive_sparse *j = &p->j;
    expr sum = derive_zero(p->g);
    for (int k = j->row_start[i]; k < j->row_start[i + 1]; k++) {
        int other = j->column[k];
        for (int l = j->row_start[other]; l < j->row_start[other + 1]; l++)
            if (j->column[l] == i) sum = derive_add(p->g, sum, derive_mul(p->g, j->value[k], j->value[l]));
    }
    return sum;
}

static int by_number(const void *a, const void *b) {
    expr x = *(const expr *)a, y = *(const expr *)b;
    return (x > y) - (x < y);
}

/* The parts T of all (J^2)_ii, some several times; how many, or -1: f has no derivative, or no memory. */
static long parts_of(struct pace *p, struct derive *d, expr **part) {
    struct graph *g = p->g;
    long parts = 0, capacity = 0;
    for (int i = 0; i < p->r->n; i++) {
        expr e = diagonal(p, i);
        struct expr_list symbols = {0};
        if (expr_symbols(g, 1, &e, &symbols) < 0) return -1;
        for (size_t k = 0; k < symbols.count; k++) {
            const struct expr_node n = g->node[symbols.item[k]];
            if (n.a != EXPR_HELD || n.b < FROZEN) continue;
            if (parts == capacity)
                *part = expr_widen(g, *part, (size_t)(capacity = 2 * capacity + 16), sizeof **part);
            expr slope = *part ? derive_partial(d, e, symbols.item[k]) : EXPR_NONE;
            if (slope == EXPR_NONE) parts = -1;
            if (parts < 0) break;
            (*part)[parts++] = derive_mul(g, symbols.item[k], slope);
        }
        free(symbols.item);
        if (parts < 0) break;
    }
    return parts;
}

/* 1/(t1 - t0)^4; EXPR_NONE: the model does not say how long its run is. */
static expr least(const struct formulation *r) {
    const struct model *m = r->y->m;
    struct graph *g = &r->y->m->graph;
    if (m->begin == EXPR_NONE || m->end == EXPR_NONE) return EXPR_NONE;
    expr way = derive_sub(g, system_expression(r->y, m->end), system_expression(r->y, m->begin));
    return expr_powi(g, way, -4);
}

/* Twice the sum of T^2, and the least; EXPR_NONE: there is no T.  It is positive, so that roots do not
 * switch. */
static expr sum_of_squares(struct pace *p, long parts, expr *part) {
    struct graph *g = p->g;
    expr sum = EXPR_NONE;
    if (expr_substitute(g, (size_t)parts, part, p->reciprocals, p->symbol, p->reciprocal, part) < 0)
        return EXPR_NONE;
    qsort(part, (size_t)parts, sizeof *part, by_number);
    for (long k = 0; k < parts; k++) {
        if ((k > 0 && part[k] == part[k - 1]) || derive_is_zero(g, part[k])) continue;
        expr squared = derive_mul(g, part[k], part[k]);
        sum = sum == EXPR_NONE ? squared : derive_add(g, sum, squared);
    }
    if (sum == EXPR_NONE) return EXPR_NONE;
    expr more = least(p->r);
    sum = expr_make(g, EXPR_ADD, sum, sum, EXPR_NONE);
    return more == EXPR_NONE ? sum : derive_add(g, sum, more);
}

expr formulation_pace(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    struct pace p = {.r = r, .g = g};
    struct derive d;
    expr *part = NULL, sum = EXPR_NONE;
    derive_open(&d, g, DERIVE_ANY);
    if (freeze_all(&p) && derive_jacobian(&d, r->n, p.rate, r->n, r->basic, &p.j) == 0) {
        long parts = parts_of(&p, &d, &part);
        if (parts > 0) sum = sum_of_squares(&p, parts, part);
    }
    derive_free(&p.j);
    derive_close(&d);
    free(part);
    free(p.all.item);
    free(p.frozen);
    free(p.state);
    free(p.reciprocal);
    free(p.symbol);
    free(p.rate);
    if (sum == EXPR_NONE) return EXPR_NONE;
    expr root = expr_make(g, EXPR_SQRT, sum, EXPR_NONE, EXPR_NONE);
    return derive_div(g, expr_constant(g, 1), expr_make(g, EXPR_SQRT, root, EXPR_NONE, EXPR_NONE));
}
