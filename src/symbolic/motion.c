/* motion.c - see motion.h. */
#include "symbolic/motion.h"

#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static expr *reserve(int n) {
    return calloc((size_t)n + 1, sizeof(expr));
}

int motion_open(struct motion *m, int n, const expr *q, const expr *v, const expr *force) {
    *m = (struct motion){.n = n};
    m->q = reserve(n), m->v = reserve(n), m->p = reserve(n), m->force = reserve(n), m->rate = reserve(n);
    if (!m->q || !m->v || !m->p || !m->force || !m->rate) return -1;
    size_t bytes = (size_t)n * sizeof(expr);
    if (bytes) memcpy(m->q, q, bytes);
    if (bytes && v) memcpy(m->v, v, bytes);
    if (bytes && force) memcpy(m->force, force, bytes);
    return 0;
}

void motion_close(struct motion *m) {
    free(m->q), free(m->v), free(m->p), free(m->force), free(m->rate), free(m->structure);
    free(m->column_first), free(m->column_next), free(m->entry_row);
    derive_free(&m->mass);
    derive_free(&m->gradient);
    *m = (struct motion){0};
}

static enum motion_status why(const struct derive *d) {
    return d->obstacle != EXPR_NONE ? MOTION_NONSMOOTH : MOTION_MEMORY;
}

static expr next_order(struct graph *g, expr symbol) {
    const struct expr_node n = g->node[symbol];
    return expr_symbol(g, (enum expr_kind)n.a, n.b, n.c + 1);
}

/* Per node there is now: a velocity? */
static unsigned char *velocities(const struct motion *m, struct graph *g) {
    unsigned char *is = expr_take(g, g->count, 1);
    for (int i = 0; i < m->n && is; i++) is[m->v[i]] = 1;
    return is;
}

/* Is there a derivative beyond `order` among the symbols of e?  -1 without memory. */
static int beyond(struct graph *g, expr e, uint32_t order) {
    struct expr_list list;
    int found = 0;
    if (expr_symbols(g, 1, &e, &list)) return -1;
    for (size_t i = 0; i < list.count; i++) {
        const struct expr_node n = g->node[list.item[i]];
        if (n.a == EXPR_MULTIPLIER || (n.a == EXPR_UNKNOWN && n.c > order)) found = 1;
    }
    free(list.item);
    return found;
}

/* By the positions; downwards: of -f.  A potential may be nonsmooth, where its force jumps; a jump of it
 * would be an impulse. */
static int gradient_of_potential(struct derive *d, expr f, int downwards, int n, const expr *q, expr *out) {
    int before = d->nonsmooth;
    d->nonsmooth = DERIVE_CONTINUOUS;
    int status = (downwards ? derive_descent : derive_gradient)(d, f, n, q, out);
    d->nonsmooth = before;
    return status;
}

/* d p / dt without the part that is linear in the accelerations, which is M q''.  velocity: of the first
 * `nodes` nodes. */
static int drift(struct derive *d, expr p, const unsigned char *velocity, uint32_t nodes, expr *out) {
    struct graph *g = d->g;
    struct expr_list list;
    *out = derive_zero(g);
    if (expr_symbols(g, 1, &p, &list)) return -1;
    expr *slope = reserve((int)list.count);
    int status = slope ? derive_gradient(d, p, (int)list.count, list.item, slope) : -1;
    for (size_t i = 0; i < list.count && status == 0; i++) {
        const struct expr_node n = g->node[list.item[i]];
        if (n.a == EXPR_TIME) *out = derive_add(g, *out, slope[i]);
        else if (n.a == EXPR_UNKNOWN && !(list.item[i] < nodes && velocity[list.item[i]]))
            *out = derive_add(g, *out, derive_mul(g, slope[i], next_order(g, list.item[i])));
    }
    free(slope);
    free(list.item);
    return status;
}

static expr add_force(struct graph *g, expr given, expr found) {
    return given == EXPR_NONE ? found : derive_add(g, found, given);
}

enum motion_status motion_lagrange(struct motion *m, struct derive *d, expr lagrangian) {
    struct graph *g = d->g;
    int high = beyond(g, lagrangian, 1);
    if (high) return high < 0 ? MOTION_MEMORY : MOTION_HIGH_ORDER;
    expr *slope = m->rate;
    if (derive_gradient(d, lagrangian, m->n, m->v, m->p)) return why(d);
    if (gradient_of_potential(d, lagrangian, 0, m->n, m->q, slope)) return why(d);
    if (derive_jacobian(d, m->n, m->p, m->n, m->v, &m->mass)) return why(d);
    uint32_t nodes = g->count;
    unsigned char *velocity = velocities(m, g);
    int failed = !velocity;
    for (int i = 0; i < m->n && !failed; i++) {
        expr rest;
        failed = drift(d, m->p[i], velocity, nodes, &rest);
        if (failed) break;
        m->force[i] = add_force(g, m->force[i], derive_sub(g, slope[i], rest));
        m->rate[i] = m->v[i];
    }
    free(velocity);
    return failed ? why(d) : g->failed ? MOTION_MEMORY : MOTION_OK;
}

enum motion_status motion_hamilton(struct motion *m, struct derive *d, expr hamiltonian) {
    struct graph *g = d->g;
    int high = beyond(g, hamiltonian, 0);
    if (high) return high < 0 ? MOTION_MEMORY : MOTION_RATES;
    if (derive_gradient(d, hamiltonian, m->n, m->v, m->rate)) return why(d);
    if (gradient_of_potential(d, hamiltonian, 1, m->n, m->q, m->p)) return why(d);
    for (int i = 0; i < m->n; i++) {
        m->force[i] = add_force(g, m->force[i], m->p[i]);
        m->p[i] = m->v[i];
    }
    return g->failed ? MOTION_MEMORY : MOTION_OK;
}

enum motion_status motion_poisson(struct motion *m, struct derive *d, expr hamiltonian,
                                  const expr *structure) {
    struct graph *g = d->g;
    int n = m->n, high = beyond(g, hamiltonian, 0);
    if (high) return high < 0 ? MOTION_MEMORY : MOTION_RATES;
    m->structure = reserve(n * n);
    if (!m->structure) return MOTION_MEMORY;
    memcpy(m->structure, structure, (size_t)(n * n) * sizeof *structure);
    if (gradient_of_potential(d, hamiltonian, 0, n, m->q, m->p)) return why(d);
    for (int i = 0; i < n; i++) {
        m->rate[i] = derive_zero(g);
        for (int j = 0; j < n; j++)
            m->rate[i] = derive_add(g, m->rate[i], derive_mul(g, structure[i * n + j], m->p[j]));
    }
    return g->failed ? MOTION_MEMORY : MOTION_OK;
}

/* Constraints ---------------------------------------------------------------------------------------- */

/* The entries of each column of G, row after row. */
static void link_columns(struct motion *m) {
    const struct derive_sparse *g = &m->gradient;
    for (int i = 0; i < m->n; i++) m->column_first[i] = -1;
    for (int k = m->rows; k-- > 0;)
        for (int j = g->row_start[k + 1]; j-- > g->row_start[k];) {
            m->entry_row[j] = k;
            m->column_next[j] = m->column_first[g->column[j]];
            m->column_first[g->column[j]] = j;
        }
}

/* Both kinds in one Jacobian: by the velocities a rolling constraint, by the positions d/dt's: they are the
 * same once a holonomic one is differentiated, so its velocities stand for its positions. */
enum motion_status motion_gradient(struct motion *m, struct derive *d, int holonomic, int rolling,
                                   const expr *constraint) {
    struct derive_sparse part[2] = {{0}, {0}};
    struct derive_sparse *out = &m->gradient;
    m->rows = holonomic + rolling;
    if (derive_jacobian(d, holonomic, constraint, m->n, m->q, &part[0])) return why(d);
    if (derive_jacobian(d, rolling, constraint + holonomic, m->n, m->v, &part[1])) {
        derive_free(&part[0]);
        return why(d);
    }
    int first = part[0].row_start[holonomic], second = part[1].row_start[rolling], all = first + second;
    out->rows = m->rows, out->columns = m->n;
    out->row_start = calloc((size_t)m->rows + 1, sizeof *out->row_start);
    out->column = calloc((size_t)all + 1, sizeof *out->column);
    out->value = reserve(all);
    m->column_first = calloc((size_t)m->n + 1, sizeof *m->column_first);
    m->column_next = calloc((size_t)all + 1, sizeof *m->column_next);
    m->entry_row = calloc((size_t)all + 1, sizeof *m->entry_row);
    int linked = m->column_first && m->column_next && m->entry_row;
    if (out->row_start && out->column && out->value && linked) {
        for (int i = 0; i <= holonomic; i++) out->row_start[i] = part[0].row_start[i];
        for (int i = 0; i <= rolling; i++) out->row_start[holonomic + i] = first + part[1].row_start[i];
        for (int i = 0; i < all; i++) {
            const struct derive_sparse *from = i < first ? &part[0] : &part[1];
            out->column[i] = from->column[i < first ? i : i - first];
            out->value[i] = from->value[i < first ? i : i - first];
        }
        link_columns(m);
    } else d->g->failed = 1;
    derive_free(&part[0]);
    derive_free(&part[1]);
    return d->g->failed ? MOTION_MEMORY : MOTION_OK;
}

/* sum + (G^T lambda)_i */
static expr add_multipliers(const struct motion *m, struct graph *g, int i, const expr *multiplier,
                            expr sum) {
    for (int k = m->rows ? m->column_first[i] : -1; k >= 0; k = m->column_next[k])
        sum = derive_add(g, sum, derive_mul(g, m->gradient.value[k], multiplier[m->entry_row[k]]));
    return sum;
}

expr motion_equation(const struct motion *m, struct derive *d, int i, const expr *multiplier) {
    struct graph *g = d->g;
    if (!m->mass.row_start) return derive_sub(g, next_order(g, m->q[i]), m->rate[i]);
    expr sum = derive_zero(g);
    for (int j = m->mass.row_start[i]; j < m->mass.row_start[i + 1]; j++)
        sum = derive_add(g, sum, derive_mul(g, m->mass.value[j], next_order(g, m->v[m->mass.column[j]])));
    return add_multipliers(m, g, i, multiplier, derive_sub(g, sum, m->force[i]));
}

expr motion_equation_momentum(const struct motion *m, struct derive *d, int i, const expr *multiplier) {
    expr sum = derive_sub(d->g, next_order(d->g, m->v[i]), m->force[i]);
    return add_multipliers(m, d->g, i, multiplier, sum);
}

/* Energy --------------------------------------------------------------------------------------------- */

/* The parts of a node of degree 0, 1 and 2 in v. */
struct parts {
    expr of[3];
};

static int only_constant(const struct graph *g, const struct parts *a) {
    return derive_is_zero(g, a->of[1]) && derive_is_zero(g, a->of[2]);
}

/* 0 if the product has a higher degree. */
static int multiply(struct graph *g, const struct parts *a, const struct parts *b, struct parts *out) {
    for (int i = 0; i < 3; i++) {
        out->of[i] = derive_zero(g);
        for (int j = 0; j <= i; j++)
            out->of[i] = derive_add(g, out->of[i], derive_mul(g, a->of[j], b->of[i - j]));
    }
    for (int i = 1; i < 3; i++)
        for (int j = 3 - i; j < 3; j++)
            if (!derive_is_zero(g, a->of[i]) && !derive_is_zero(g, b->of[j])) return 0;
    return 1;
}

static int power(struct graph *g, const struct parts *a, int exponent, struct parts *out) {
    expr zero = derive_zero(g);
    if (exponent != 2) return 0;
    if (derive_is_zero(g, a->of[0]) && derive_is_zero(g, a->of[2])) {
        *out = (struct parts){{zero, zero, expr_powi(g, a->of[1], 2)}};
        return 1;
    }
    return multiply(g, a, a, out);
}

/* The parts of node e from those of its operands; 0 where it is no polynomial of degree 2 in v. */
static int split(struct graph *g, expr e, const struct parts *of, struct parts *out) {
    const struct expr_node n = g->node[e];
    const struct parts *a = &of[n.a], *b = &of[n.b];
    expr zero = derive_zero(g);
    int operands = expr_operands((enum expr_op)n.op), free_of_v = 1;
    const expr operand[3] = {n.a, n.b, n.c};
    for (int i = 0; i < operands; i++)
        if (!only_constant(g, &of[operand[i]])) free_of_v = 0;
    if (free_of_v) {
        *out = (struct parts){{e, zero, zero}};
        return 1;
    }
    switch (n.op) {
    case EXPR_NEG:
        for (int i = 0; i < 3; i++) out->of[i] = derive_sub(g, zero, a->of[i]);
        return 1;
    case EXPR_ADD:
        for (int i = 0; i < 3; i++) out->of[i] = derive_add(g, a->of[i], b->of[i]);
        return 1;
    case EXPR_SUB:
        for (int i = 0; i < 3; i++) out->of[i] = derive_sub(g, a->of[i], b->of[i]);
        return 1;
    case EXPR_MUL:
        return multiply(g, a, b, out);
    case EXPR_DIV:
        for (int i = 0; i < 3; i++) out->of[i] = derive_div(g, a->of[i], n.b);
        return only_constant(g, b);
    case EXPR_POWI:
        return power(g, a, (int32_t)n.b, out);
    default:
        return 0;
    }
}

/* L = T2 + T1 + L0 by degree in v; 1, 0 where that is not so, -1 without memory. */
static int by_degree(const struct motion *m, struct graph *g, expr lagrangian, struct parts *out) {
    struct expr_list list;
    expr zero = derive_zero(g);
    if (expr_order(g, 1, &lagrangian, &list)) return -1;
    struct parts *of = expr_take(g, (size_t)lagrangian, sizeof *of); /* operands have lower numbers */
    unsigned char *velocity = velocities(m, g);
    int good = of && velocity ? 1 : -1;
    for (size_t i = 0; i < list.count && good == 1; i++) {
        expr e = list.item[i];
        if (g->node[e].op == EXPR_SYMBOL && velocity[e]) of[e] = (struct parts){{zero, e, zero}};
        else good = split(g, e, of, &of[e]);
    }
    if (good == 1) *out = of[lagrangian];
    free(of);
    free(velocity);
    free(list.item);
    return good;
}

expr motion_energy(const struct motion *m, struct derive *d, expr lagrangian) {
    struct graph *g = d->g;
    struct parts parts = {{EXPR_NONE, EXPR_NONE, EXPR_NONE}};
    int good = by_degree(m, g, lagrangian, &parts);
    if (good < 0) return EXPR_NONE;
    if (good) return derive_sub(g, parts.of[2], parts.of[0]);
    expr sum = derive_zero(g);
    for (int i = 0; i < m->n; i++) sum = derive_add(g, sum, derive_mul(g, m->p[i], m->v[i]));
    return derive_sub(g, sum, lagrangian);
}
