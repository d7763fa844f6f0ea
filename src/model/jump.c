/* jump.c - see jump.h: what a jump needs, derived when the model is read. */
#include "model/jump.h"

#include "model/blocks.h"
#include "model/functions.h"

#include <stdlib.h>

/* Every entry in basic symbols. */
static int resolve(struct formulation *own, struct derive_sparse *s) {
    for (int e = 0; e < s->row_start[s->rows]; e++)
        if ((s->value[e] = formulation_resolve(own, s->value[e])) == EXPR_NONE) return 0;
    return 1;
}

static int copy(struct graph *g, const struct derive_sparse *from, struct derive_sparse *to) {
    size_t rows = (size_t)from->rows, entries = (size_t)from->row_start[from->rows];
    *to = (struct derive_sparse){from->rows, from->columns, expr_take(g, rows + 1, sizeof(int)),
                                 expr_take(g, entries + 1, sizeof(int)),
                                 expr_take(g, entries + 1, sizeof(expr))};
    if (!to->row_start || !to->column || !to->value) return 0;
    for (size_t i = 0; i <= rows; i++) to->row_start[i] = from->row_start[i];
    for (size_t e = 0; e < entries; e++) to->column[e] = from->column[e], to->value[e] = from->value[e];
    return 1;
}

static expr derivative(const struct formulation *own, int column, int order) {
    struct graph *g = &own->y->m->graph;
    const struct expr_node n = g->node[own->y->unknown[own->y->s.column[column]]];
    return expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)order);
}

/* J, the slopes of top rows by the states, and how J depends on z. */
static int derive_slopes(struct jump *j, struct formulation *own) {
    const struct structure *s = &own->y->s;
    struct graph *g = &own->y->m->graph;
    expr *z = expr_take(g, (size_t)j->n + 1, sizeof *z);
    int good = z && copy(g, &s->jacobian, &j->slope);
    for (int k = 0; k < j->n && good; k++) z[k] = derivative(own, k, s->d[k]);
    good = good &&
           derive_jacobian(&own->derive, j->slope.row_start[j->n], j->slope.value, j->n, z, &j->bend) == 0;
    if (good && j->levels > 1)
        good = derive_jacobian(&own->derive, j->n, s->top, own->n, own->basic, &j->lower) == 0 &&
               resolve(own, &j->lower);
    free(z);
    return good && resolve(own, &j->slope);
}

static int build_tapes(struct jump *j, struct formulation *own) {
    const struct structure *s = &own->y->s;
    struct graph *g = &own->y->m->graph;
    size_t rows = (size_t)j->hiddens;
    expr missing, *value = expr_take(g, 2 * rows + 1, sizeof *value);
    int good = value != NULL;
    for (int k = 0; k < j->hiddens && good; k++) {
        value[k] = formulation_resolve(own, s->hidden[k].f);
        good = value[k] != EXPR_NONE;
        if (good) value[j->hiddens + k] = derive_terms(g, value[k]);
    }
    good = good && functions_tape(own, rows, value, &j->value, &missing) == 0 &&
           functions_tape(own, rows, value + rows, &j->terms, &missing) == 0 &&
           functions_tape(own, (size_t)j->slope.row_start[j->n], j->slope.value, &j->slopes, &missing) == 0;
    if (good && j->levels > 1)
        good =
            functions_tape(own, (size_t)j->lower.row_start[j->n], j->lower.value, &j->lowers, &missing) == 0;
    free(value);
    return good;
}

/* Where each level finds its states and its hidden rows. */
static int number_levels(struct jump *j, struct formulation *own) {
    const struct structure *s = &own->y->s;
    size_t n = (size_t)j->n;
    int *row = pool_take(own->pool, ((size_t)own->y->equations + 1) * sizeof *row);
    j->place = pool_take(own->pool, (size_t)j->levels * n * sizeof *j->place);
    j->hidden = pool_take(own->pool, (size_t)j->levels * n * sizeof *j->hidden);
    j->column = pool_take(own->pool, ((size_t)own->n + 1) * sizeof *j->column);
    j->below = pool_take(own->pool, ((size_t)own->n + 1) * sizeof *j->below);
    j->row = pool_take(own->pool, (n + 1) * sizeof *j->row);
    j->first = pool_take(own->pool, (n + 1) * sizeof *j->first);
    j->number = pool_take(own->pool, (n + 1) * sizeof *j->number);
    j->named = pool_take(own->pool, n + 1);
    if (own->pool->refused) return 0;
    for (int k = 0; k < own->y->unknowns; k++) {
        struct structure_value alias = s->alias[k];
        for (int c = 0; c < j->n && alias.unknown != k; c++)
            j->named[c] |= s->column[c] == alias.unknown && s->d[c] == alias.order;
    }
    for (int i = 0; i < j->n; i++) row[s->row[i]] = i;
    for (int k = 0; k < j->levels * j->n; k++) j->place[k] = j->hidden[k] = -1;
    for (int k = 0; k < own->n; k++) j->column[k] = -1;
    for (int k = 0; k < j->n; k++)
        for (int l = 0; l < s->d[k]; l++) {
            int place = formulation_place(own, derivative(own, k, l)), q = s->d[k] - l;
            if (place < 0 || place >= own->n) return 0;
            j->column[place] = k;
            j->below[place] = q;
            if (q <= j->levels) j->place[(q - 1) * j->n + k] = place;
        }
    for (int k = 0; k < s->hiddens; k++) {
        int i = row[s->hidden[k].equation], q = s->c[i] - s->hidden[k].order;
        j->hidden[(q - 1) * j->n + i] = k;
    }
    j->blocks = blocks_find(j->n, s->jacobian.row_start, s->jacobian.column, s->match, j->row, j->first);
    if (j->blocks < 0) own->y->m->graph.failed = 1; /* no memory */
    for (int b = 0; b < j->blocks; b++)
        for (int k = j->first[b]; k < j->first[b + 1]; k++) j->number[s->match[j->row[k]]] = k - j->first[b];
    return j->blocks >= 0;
}

int jump_open(struct jump *j, struct formulation *own) {
    const struct structure *s = &own->y->s;
    *j = (struct jump){.formulation = own, .n = s->n, .c = s->c, .match = s->match, .hiddens = s->hiddens};
    if (!(formulation_traits(own) & KEEL_FIRST_ORDER) || s->hiddens == 0) return 1;
    j->written = own->y->m->form == MODEL_EQUATIONS;
    for (int i = 0; i < s->n; i++)
        if (s->c[i] > j->levels) j->levels = s->c[i];
    j->there = number_levels(j, own) && derive_slopes(j, own) && build_tapes(j, own);
    return !own->y->m->graph.failed && !own->pool->refused;
}

void jump_close(struct jump *j) {
    derive_free(&j->slope);
    derive_free(&j->lower);
    derive_free(&j->bend);
    tape_free(&j->slopes);
    tape_free(&j->lowers);
    tape_free(&j->value);
    tape_free(&j->terms);
    *j = (struct jump){0};
}
