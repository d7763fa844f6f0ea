/* structure_invariant.c - linear invariants that the graph shows: mass balances, momenta.
 *
 * Every equation is written as a sum of numbers times monomials.  Monomials x_j^(k), k >= 1, are
 * derivatives; a combination of equations in which all others cancel, a left null vector of their
 * coefficients, is the derivative of sum weight_i a_ijk x_j^(k-1), which therefore rests. */
#include "structure/structure_private.h"

#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 24, DEPTH = 40, FACTORS = 24 };
enum { VISITS = 200, HIGHEST = 1 << 20 }; /* nodes of a product looked at; a power */
/* Operations that an elimination may take where every equation shares terms with every other: the number of
 * equations times the square of their length.  Systems with longer equations are not searched. */
#define MOST_OPERATIONS 3e8

struct term {
    double number;
    expr key; /* a product of powers of nodes, ascending; the constant 1 for a number */
};

struct sum {
    struct term *item;
    size_t count, capacity;
};

struct expansion {
    struct structure_work *w;
    struct graph *g;
    struct structure_sample v; /* at any point: the values of what depends on parameters alone */
    const unsigned char *number;
    size_t *left; /* nodes that may still be looked at: parts that are shared are expanded each time */
};

struct factor {
    expr node;
    int power;
};

struct factors {
    struct factor list[FACTORS];
    int count, visits;
};

/* The factors of a key, merged into those that are there; -1: too many. */
static int factors(const struct graph *g, expr key, long power, struct factors *f) {
    double one;
    if (expr_is_constant(g, key, &one)) return 0;
    struct expr_node n = g->node[key];
    if (++f->visits > VISITS || labs(power) > HIGHEST) return -1;
    if (n.op == EXPR_MUL) return factors(g, n.a, power, f) || factors(g, n.b, power, f) ? -1 : 0;
    if (n.op == EXPR_POWI) return factors(g, n.a, power * (int32_t)n.b, f);
    int at = 0;
    while (at < f->count && f->list[at].node < key) at++;
    if (at < f->count && f->list[at].node == key) {
        f->list[at].power += (int)power;
        return 0;
    }
    if (f->count == FACTORS) return -1;
    memmove(&f->list[at + 1], &f->list[at], (size_t)(f->count - at) * sizeof *f->list);
    f->list[at] = (struct factor){key, (int)power};
    f->count++;
    return 0;
}

static expr product(struct graph *g, expr a, expr b, int power_of_b) {
    struct factors f = {.count = 0};
    expr key = expr_constant(g, 1);
    if (factors(g, a, 1, &f) || factors(g, b, power_of_b, &f))
        return expr_make(g, EXPR_MUL, a, expr_powi(g, b, power_of_b), 0);
    for (int i = 0; i < f.count; i++)
        if (f.list[i].power)
            key = expr_make(g, EXPR_MUL, key, expr_powi(g, f.list[i].node, f.list[i].power), 0);
    return key;
}

static int expand(const struct expansion *x, expr e, int depth, struct term *out);

static int atom(expr e, struct term *out) {
    out[0] = (struct term){1, e};
    return 1;
}

static int expand_product(const struct expansion *x, expr e, int depth, struct term *out) {
    struct expr_node n = x->g->node[e];
    struct term a[TERMS], b[TERMS];
    int na = expand(x, n.a, depth + 1, a), nb = expand(x, n.op == EXPR_POWI ? n.a : n.b, depth + 1, b),
        count = 0;
    int divide = n.op == EXPR_DIV, power = n.op == EXPR_POWI ? (int32_t)n.b : 1;
    if (n.op == EXPR_POWI) {
        if (na != 1) {
            if (power != 2 || na * na > TERMS) return atom(e, out);
        } else {
            out[0] = (struct term){expr_integer_power(a[0].number, power),
                                   product(x->g, expr_constant(x->g, 1), a[0].key, power)};
            return 1;
        }
    }
    if (divide && nb != 1) nb = atom(n.b, b);
    if (na * nb > TERMS) return atom(e, out);
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            out[count++] = (struct term){divide ? a[i].number / b[k].number : a[i].number * b[k].number,
                                         product(x->g, a[i].key, b[k].key, divide ? -1 : 1)};
    return count;
}

/* Up to TERMS terms; what would give more stays one. */
static int expand(const struct expansion *x, expr e, int depth, struct term *out) {
    struct graph *g = x->g;
    struct expr_node n = g->node[e];
    struct term b[TERMS];
    if (x->number[e]) {
        out[0] = (struct term){x->v.value[e], expr_constant(g, 1)};
        return 1;
    }
    if (depth > DEPTH || *x->left == 0) return atom(e, out);
    --*x->left;
    int na, nb = 0;
    switch (n.op) {
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
        na = expand(x, n.a, depth + 1, out);
        if (n.op != EXPR_NEG) nb = expand(x, n.b, depth + 1, b);
        if (na + nb > TERMS) return atom(e, out);
        for (int k = 0; k < na && n.op == EXPR_NEG; k++) out[k].number = -out[k].number;
        for (int k = 0; k < nb; k++)
            out[na + k] = (struct term){n.op == EXPR_SUB ? -b[k].number : b[k].number, b[k].key};
        return na + nb;
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_POWI:
        return expand_product(x, e, depth, out);
    default:
        return atom(e, out);
    }
}

static int add(struct sum *s, double number, const struct term *from, int count) {
    if (s->count + (size_t)count > s->capacity) {
        size_t capacity = 2 * s->capacity + (size_t)count;
        struct term *item = realloc(s->item, capacity * sizeof *item);
        if (!item) return -1;
        s->item = item;
        s->capacity = capacity;
    }
    for (int k = 0; k < count; k++) s->item[s->count++] = (struct term){number * from[k].number, from[k].key};
    return 0;
}

/* A whole equation: long sums are taken apart without recursion. */
static int expand_equation(const struct expansion *x, expr f, struct sum *out) {
    struct sum stack = {0};
    struct term part[TERMS];
    struct term root = {1, f};
    int failed = add(&stack, 1, &root, 1);
    while (stack.count && !failed) {
        struct term top = stack.item[--stack.count];
        struct expr_node n = x->g->node[top.key];
        int apart = !x->number[top.key] && *x->left;
        if (apart) --*x->left;
        if (apart && (n.op == EXPR_ADD || n.op == EXPR_SUB || n.op == EXPR_NEG)) {
            struct term side[2] = {{n.op == EXPR_NEG ? -1 : 1, n.a}, {n.op == EXPR_SUB ? -1 : 1, n.b}};
            failed = add(&stack, top.number, side, n.op == EXPR_NEG ? 1 : 2);
        } else failed = add(out, top.number, part, expand(x, top.key, 0, part));
    }
    free(stack.item);
    return failed ? -1 : 0;
}

/* number[e]: depends on constants and parameters of known value alone.  0; 1: the equations are too long;
 * -1. */
static int expansion_open(struct expansion *x, struct structure_work *w, unsigned char **mark, size_t *left) {
    struct expr_list list;
    struct graph *g = w->g;
    *x = (struct expansion){.w = w, .g = g, .left = left};
    if (expr_reach(g, (size_t)w->rows, w->f, &list)) return -1;
    if ((double)list.count * (double)list.count > MOST_OPERATIONS * w->rows) return free(list.item), 1;
    *mark = structure_take(w->s, g->count, 1);
    if (!*mark || structure_sample_open(&x->v, w, (size_t)w->rows, w->f, 0)) return free(list.item), -1;
    for (size_t i = 0; i < list.count; i++) {
        struct expr_node n = g->node[list.item[i]];
        const expr operand[3] = {n.a, n.b, n.c};
        int operands = expr_operands((enum expr_op)n.op), is = 1;
        for (int k = 0; k < operands; k++) is &= (*mark)[operand[k]];
        if (n.op == EXPR_SYMBOL) is = n.a == EXPR_PARAMETER && (int)n.b < w->p->parameters;
        (*mark)[list.item[i]] = (unsigned char)is;
    }
    *left = 16 * list.count + 8192;
    free(list.item);
    x->number = *mark;
    return 0;
}

/* Column of a derivative x_j^(k), k >= 1, or -1. */
static int derivative_of(const struct structure_work *w, expr key, int *order) {
    const struct expr_node *n = &w->g->node[key];
    *order = (int)n->c;
    return n->op == EXPR_SYMBOL && n->c > 0 ? structure_column(w, n->a, n->b) : -1;
}

static int by_key(const void *p, const void *q) {
    const struct term *a = p, *b = q;
    return (a->key > b->key) - (a->key < b->key);
}

/* Terms of the same key become one, with mass the sum of their sizes; zeros go. */
static int merge(struct sum *s, double *mass) {
    int count = 0;
    if (s->count > 1) qsort(s->item, s->count, sizeof *s->item, by_key);
    for (size_t k = 0; k < s->count;) {
        struct term t = {0, s->item[k].key};
        double size = 0;
        for (; k < s->count && s->item[k].key == t.key; k++)
            t.number += s->item[k].number, size += fabs(s->item[k].number);
        if (fabs(t.number) <= STRUCTURE_ZERO * size) continue;
        mass[count] = size;
        s->item[count++] = t;
    }
    s->count = (size_t)count;
    return count;
}

/* Everything but derivatives, by rows; the keys numbered in the order of their appearance. */
static int coefficients(struct structure_work *w, struct sum *row, struct structure_matrix *m) {
    size_t capacity = 0;
    for (int i = 0; i < w->rows; i++) capacity += row[i].count;
    int *place = structure_take(w->s, w->g->count, sizeof *place), order;
    *m = (struct structure_matrix){.g = w->g,
                                   .rows = w->rows,
                                   .start = structure_take(w->s, (size_t)w->rows + 1, sizeof(int)),
                                   .column = structure_take(w->s, capacity, sizeof(int)),
                                   .value = structure_take(w->s, capacity, sizeof(double)),
                                   .mass = structure_take(w->s, capacity, sizeof(double))};
    if (!place || !m->start || !m->column || !m->value || !m->mass) return -1;
    int at = 0;
    for (int i = 0; i < w->rows; i++) {
        double *mass = structure_take(w->s, row[i].count, sizeof *mass);
        if (!mass) return -1;
        int count = merge(&row[i], mass);
        for (int k = 0; k < count; k++) {
            expr key = row[i].item[k].key;
            if (derivative_of(w, key, &order) >= 0) continue;
            if (!place[key]) place[key] = ++m->columns;
            m->column[at] = place[key] - 1;
            m->value[at] = row[i].item[k].number;
            m->mass[at++] = mass[k];
        }
        m->start[i + 1] = at;
    }
    return 0;
}

/* sum u_i a_ijk x_j^(k-1); EXPR_NONE: it is zero, or no memory. */
static expr integral(struct structure_work *w, const struct sum *row, const struct structure_vector *u) {
    struct sum all = {0};
    struct graph *g = w->g;
    expr value = EXPR_NONE;
    int failed = 0;
    for (int i = 0; i < u->count && !failed; i++)
        failed = add(&all, u->value[i], row[u->row[i]].item, (int)row[u->row[i]].count);
    double *mass = structure_take(w->s, all.count, sizeof *mass);
    int count = mass && !failed ? merge(&all, mass) : 0;
    for (int k = 0; k < count; k++) {
        int order, j = derivative_of(w, all.item[k].key, &order);
        if (j < 0) continue; /* round-off of what cancels */
        double number = all.item[k].number;
        structure_fraction(number, &number);
        expr term = derive_mul(g, expr_constant(g, number), structure_symbol(w, j, order - 1));
        value = value == EXPR_NONE ? term : expr_make(g, EXPR_ADD, value, term, 0);
    }
    free(all.item);
    if (failed) structure_out_of_memory(w->s);
    return value;
}

static int note(struct structure_work *w, const struct structure_vector *u, expr value) {
    struct structure *s = w->s;
    struct structure_invariant *own = &s->invariant[s->invariants];
    *own = (struct structure_invariant){value, u->count, structure_keep(s, (size_t)u->count, sizeof(int)),
                                        structure_keep(s, (size_t)u->count, sizeof(double))};
    if (!own->equation || !own->weight) return -1;
    for (int i = 0; i < u->count; i++) {
        own->equation[i] = w->row[u->row[i]];
        own->weight[i] = u->value[i];
        structure_fraction(u->value[i], &own->weight[i]);
    }
    s->invariants++;
    return 0;
}

static int find(struct structure_work *w, struct sum *row) {
    struct structure_matrix m;
    struct structure_factor f;
    struct structure *s = w->s;
    if (coefficients(w, row, &m)) return -1;
    if (structure_eliminate(&m, NULL, &f)) return structure_out_of_memory(s);
    int count = f.rows - f.rank, failed = 0;
    s->invariant = structure_keep(s, (size_t)count, sizeof *s->invariant);
    failed = !s->invariant;
    for (int t = 0; t < count && !failed; t++) {
        failed = !expr_spend(w->g, structure_left_null(&f, t));
        if (failed) break;
        expr value = integral(w, row, &f.left);
        if (value != EXPR_NONE) failed = note(w, &f.left, value);
    }
    structure_factor_close(&f);
    return failed ? -1 : 0;
}

int structure_invariants(struct structure_work *w) {
    struct expansion x;
    unsigned char *mark;
    size_t left;
    struct sum *row = structure_take(w->s, (size_t)w->rows, sizeof *row);
    if (!row) return -1;
    int failed = expansion_open(&x, w, &mark, &left);
    if (failed > 0) return 0;
    for (int i = 0; i < w->rows && !failed; i++)
        if (expand_equation(&x, w->f[i], &row[i])) failed = structure_out_of_memory(w->s);
    if (!failed) failed = find(w, row);
    for (int i = 0; i < w->rows; i++) free(row[i].item);
    structure_sample_close(&x.v);
    return failed ? -1 : 0;
}
