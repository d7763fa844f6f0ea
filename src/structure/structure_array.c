/* structure_array.c - the differentiation index.
 *
 * It is the least k for which f = 0, f' = 0, ..., f^(k) = 0 determine the derivatives x_j^(s_j), s_j the
 * highest that is written, at least 1, from those below (Brenan, Campbell, Petzold, Numerical Solution of
 * Initial-Value Problems in DAEs, 2.2): in the Jacobian of this array by x_j^(s_j) and all higher ones, the
 * former are pivots after the latter are gone.  Offsets bound it alone: they see where unknowns occur and
 * not how equations, by themselves or combined, make up for each other.  The points are random ones, as
 * everywhere in the analysis. */
#include "structure/structure_private.h"

#include <stdlib.h>

enum { MOST_ROWS = 1500 }; /* of the array; beyond, the bound by the offsets is told */

struct array {
    int rows;      /* equations, all orders */
    expr *f;       /* (1 + index) times the equations */
    int *place[2]; /* index of an UNKNOWN, a MULTIPLIER: number in the problem, or -1 */
    uint32_t places[2];
    int *written; /* s_j */
};

static int number_of(const struct array *x, const struct expr_node *n) {
    int table = n->op != EXPR_SYMBOL ? -1 : n->a == EXPR_UNKNOWN ? 0 : n->a == EXPR_MULTIPLIER ? 1 : -1;
    return table < 0 || n->b >= x->places[table] ? -1 : x->place[table][n->b];
}

/* Symbols of unknowns in the rows so far; NULL: no memory. */
static expr *symbols(struct structure_work *w, const struct array *x, size_t *count) {
    struct expr_list all;
    *count = 0;
    if (expr_symbols(w->g, (size_t)x->rows, x->f, &all)) return NULL;
    for (size_t k = 0; k < all.count; k++)
        if (number_of(x, &w->g->node[all.item[k]]) >= 0) all.item[(*count)++] = all.item[k];
    return all.item;
}

static int array_open(struct structure_work *w, struct array *x) {
    const struct structure_problem *p = w->p;
    size_t count;
    *x = (struct array){.rows = p->equations};
    x->f = structure_take(w->s, (size_t)p->equations * ((size_t)w->s->index + 1), sizeof *x->f);
    x->written = structure_take(w->s, (size_t)p->unknowns, sizeof *x->written);
    for (int kind = 0; kind < 2; kind++) {
        x->places[kind] = w->places[kind];
        x->place[kind] = structure_take(w->s, w->places[kind], sizeof(int));
        for (uint32_t k = 0; x->place[kind] && k < w->places[kind]; k++) x->place[kind][k] = -1;
    }
    if (!x->f || !x->written || !x->place[0] || !x->place[1]) return -1;
    for (int i = 0; i < p->equations; i++) x->f[i] = p->equation[i];
    for (int j = 0; j < p->unknowns; j++) {
        struct expr_node n = w->g->node[p->unknown[j]];
        x->place[n.a == EXPR_MULTIPLIER][n.b] = j;
        x->written[j] = 1;
    }
    expr *symbol = symbols(w, x, &count);
    if (!symbol) return structure_out_of_memory(w->s);
    for (size_t k = 0; k < count; k++) {
        const struct expr_node *n = &w->g->node[symbol[k]];
        int j = number_of(x, n);
        if ((int)n->c > x->written[j]) x->written[j] = (int)n->c;
    }
    free(symbol);
    return 0;
}

/* How many of the columns marked late are pivots at one of the points; -1. */
static int pivots(struct structure_work *w, const struct structure_pattern *a, const unsigned char *late) {
    int point[STRUCTURE_POINTS], most = 0;
    size_t roots = (size_t)a->start[a->rows];
    int exact = structure_residue_rank(w, a, late, &most);
    if (exact) return exact < 0 ? -1 : most;
    if (structure_sample_points(w, roots, a->slope, point)) return -1;
    for (int k = 0; k < STRUCTURE_POINTS; k++) {
        struct structure_sample v;
        struct structure_matrix numbers;
        struct structure_factor factor;
        int found = 0;
        if (structure_sample_open(&v, w, roots, a->slope, point[k])) return -1;
        int failed = structure_numbers(w->s, a, &v, &numbers);
        structure_sample_close(&v);
        if (failed) return -1;
        if (structure_eliminate(&numbers, late, &factor)) return structure_out_of_memory(w->s);
        for (int i = 0; i < factor.rank; i++) found += late[factor.pivot_column[i]];
        structure_factor_close(&factor);
        if (found > most) most = found;
    }
    return most;
}

/* Are the x_j^(s_j) determined by the rows so far?  1, 0 or -1. */
static int determined(struct structure_work *w, const struct array *x) {
    struct derive_sparse slope = {0};
    size_t all, columns = 0;
    expr *symbol = symbols(w, x, &all);
    unsigned char *late = structure_take(w->s, all + 1, 1);
    if (!symbol || !late) return free(symbol), structure_out_of_memory(w->s);
    for (size_t k = 0; k < all; k++) {
        const struct expr_node *n = &w->g->node[symbol[k]];
        int above = (int)n->c - x->written[number_of(x, n)];
        if (above < 0) continue;
        late[columns] = above == 0;
        symbol[columns++] = symbol[k];
    }
    int failed = derive_jacobian(&w->any, x->rows, x->f, (int)columns, symbol, &slope);
    free(symbol);
    w->any.obstacle = EXPR_NONE;
    if (failed) return w->g->failed ? structure_out_of_memory(w->s) : 0;
    struct structure_pattern a = {slope.rows,   slope.columns, slope.row_start,
                                  slope.column, NULL,          slope.value};
    int found = pivots(w, &a, late);
    derive_free(&slope);
    return found < 0 ? -1 : found == w->p->unknowns;
}

int structure_array(struct structure_work *w) {
    struct structure *s = w->s;
    struct array x;
    int equations = w->p->equations;
    if (s->index < 1 || s->redundants || equations * (s->index + 1) > MOST_ROWS) return 0;
    if (array_open(w, &x)) return -1;
    for (int k = 0; k < s->index; k++) {
        int is = determined(w, &x);
        if (is < 0) return -1;
        if (is) {
            s->index = k;
            return 0;
        }
        for (int i = 0; i < equations; i++) {
            expr f = derive_total(&w->smooth, x.f[x.rows - equations + i]);
            w->smooth.obstacle = EXPR_NONE;
            if (f == EXPR_NONE) return w->g->failed ? structure_out_of_memory(s) : 0;
            x.f[x.rows + i] = f;
        }
        x.rows += equations;
    }
    return 0;
}
