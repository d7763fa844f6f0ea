/* formulation_general.c - any equations, through the offsets c, d of the structure analysis.
 *
 * The n equations f_i^(c_i) = 0 give the highest derivatives z_j = x_j^(d_j).  Their Jacobian, in block
 * triangular form, says in which order; a block of one equation is solved for its z_j on paper where that
 * can be done, those of mechanics with sensitivities are (eliminate.h), and everything else becomes an
 * algebraic variable of an index-1 system.  The states move by
 * x_j^(l)' = x_j^(l+1), and the equations f_i^(l) = 0, l < c_i, are the manifold. */
#include "model/formulation.h"

#include "symbolic/derive_rules.h"
#include "model/blocks.h"
#include "model/diagnostics.h"
#include "model/eliminate.h"
#include "model/isolate.h"

#include <stdlib.h>
#include <string.h>

/* What is found out before the basic symbols are named. */
struct plan {
    int *row, *first, blocks; /* rows of the reduced system, block by block */
    expr *top;                /* [n] by column: z_j as found on paper; EXPR_NONE: torn */
};

static expr derivative(const struct formulation *r, int column, int order) {
    struct graph *g = &r->y->m->graph;
    const struct expr_node n = g->node[r->y->unknown[r->y->s.column[column]]];
    return expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)order);
}

static int make_plan(struct formulation *r, struct plan *p) {
    const struct structure *s = &r->y->s;
    size_t n = (size_t)s->n + 1;
    p->row = pool_take(r->pool, n * sizeof *p->row);
    p->first = pool_take(r->pool, n * sizeof *p->first);
    p->top = pool_take(r->pool, n * sizeof *p->top);
    r->torn = pool_take(r->pool, n);
    if (r->pool->refused) return 0;
    p->blocks = blocks_find(s->n, s->jacobian.row_start, s->jacobian.column, s->match, p->row, p->first);
    if (p->blocks < 0) return 0;
    for (int b = 0; b < p->blocks; b++) {
        int rows = p->first[b + 1] - p->first[b], single = rows == 1;
        if (!single && r->y->m->directions) eliminate_block(r, rows, p->row + p->first[b], p->top);
        for (int k = p->first[b]; k < p->first[b + 1]; k++) {
            int i = p->row[k], j = s->match[i];
            if (single) p->top[j] = isolate_solve(&r->derive, s->top[i], derivative(r, j, s->d[j]));
            r->torn[j] = p->top[j] == EXPR_NONE;
        }
    }
    return !r->y->m->graph.failed;
}

/* States by order of differentiation, then in the order of the unknowns; then what is torn. */
static int name_basics(struct formulation *r) {
    const struct structure *s = &r->y->s;
    int torn = 0, highest = 0, at = 0;
    for (int j = 0; j < s->n; j++) {
        torn += r->torn[j];
        if (s->d[j] > highest) highest = s->d[j];
    }
    r->n = s->states;
    r->m = torn * (1 + r->extra);
    expr *symbol = pool_take(r->pool, ((size_t)r->n + (size_t)r->m + 1) * sizeof *symbol);
    if (!symbol) return 0;
    for (int l = 0; l < highest; l++)
        for (int j = 0; j < s->n; j++)
            if (l < s->d[j]) symbol[at++] = derivative(r, j, l);
    for (int l = 0; l <= r->extra; l++)
        for (int j = 0; j < s->n; j++)
            if (r->torn[j]) symbol[at++] = derivative(r, j, s->d[j] + l);
    return formulation_basic(r, r->n + r->m, symbol);
}

/* In the order of the blocks, so that each needs only what is defined. */
static int define_tops(struct formulation *r, const struct plan *p) {
    const struct structure *s = &r->y->s;
    for (int k = 0; k < s->n; k++) {
        int j = s->match[p->row[k]];
        if (r->torn[j]) continue;
        expr e = formulation_resolve(r, p->top[j]);
        if (e == EXPR_NONE) return 0;
        formulation_define(r, derivative(r, j, s->d[j]), e);
    }
    return 1;
}

static int fill_rates(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    if (!formulation_map_open(r, &r->f, r->n)) return 0;
    for (int i = 0; i < r->n; i++) {
        const struct expr_node x = g->node[r->basic[i]];
        r->f.value[i] = formulation_resolve(r, expr_symbol(g, (enum expr_kind)x.a, x.b, x.c + 1));
        if (r->f.value[i] == EXPR_NONE) return 0;
    }
    return formulation_derivatives(r, &r->f, r->n + r->m, r->basic, 0);
}

static int fill_algebraic(struct formulation *r, const struct plan *p) {
    const struct structure *s = &r->y->s;
    char label[220];
    int at = 0;
    if (!formulation_map_open(r, &r->algebraic, r->m)) return 0;
    for (int l = 0; l <= r->extra; l++)
        for (int k = 0; k < s->n; k++) {
            int i = p->row[k];
            if (!r->torn[s->match[i]]) continue;
            expr top = s->top[i];
            for (int d = 0; d < l && top != EXPR_NONE; d++) top = derive_total(&r->derive, top);
            r->algebraic.value[at] = formulation_resolve(r, top);
            if (r->algebraic.value[at] == EXPR_NONE) return 0;
            system_label(r->y, s->row[i], s->c[i] + l, label, sizeof label);
            r->algebraic.names[at++] = formulation_text(r, label);
        }
    return formulation_derivatives(r, &r->algebraic, r->n + r->m, r->basic, 1);
}

static int fill_hidden(struct formulation *r) {
    const struct structure *s = &r->y->s;
    char label[220];
    if (!formulation_map_open(r, &r->hidden, s->hiddens)) return 0;
    for (int k = 0; k < s->hiddens; k++) {
        r->hidden.value[k] = s->hidden[k].f;
        system_label(r->y, s->hidden[k].equation, s->hidden[k].order, label, sizeof label);
        r->hidden.names[k] = formulation_text(r, label);
    }
    return formulation_derivatives(r, &r->hidden, r->n, r->basic, 1);
}

/* A constraint that follows from others needs no force of its own. */
static void define_left_out(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    for (int k = 0; k < r->y->m->multipliers; k++)
        if (r->y->left_out[k])
            formulation_define(r, expr_symbol(g, EXPR_MULTIPLIER, (uint32_t)k, 0), derive_zero(g));
}

int formulation_general(struct formulation *r) {
    struct plan plan = {0};
    define_left_out(r);
    if (!make_plan(r, &plan) || !name_basics(r) || !define_tops(r, &plan) || !fill_rates(r) ||
        !fill_algebraic(r, &plan) || !fill_hidden(r))
        return diagnostics_memory(r->messages) - 1;
    r->form = r->m || r->hidden.count ? KEEL_DAE : KEEL_ODE;
    return 1;
}
