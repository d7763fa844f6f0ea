/* structure_leading.c - the derivatives of the equations by the highest derivatives alone.
 *
 * Let D_j be the highest order of x_j in the whole system and J_ij = df_i/dx_j^(D_j).  Where J is regular,
 * c = 0 and d = D are the smallest offsets: sigma_ij <= D_j for all i by the choice of D, and a transversal
 * of J has the value sum D_j, which none exceeds.  So nothing else of the signature is needed: explicit
 * equations, M x'' = F and systems of index 1 are not differentiated by all that they contain. */
#include "structure/structure_private.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

/* D by column, -1 where there is none, from all symbols there are. */
static void find_orders(const struct structure_work *w, const struct expr_list *all, int *order) {
    for (int j = 0; j < w->columns; j++) order[j] = -1;
    for (size_t k = 0; k < all->count; k++) {
        const struct expr_node *n = &w->g->node[all->item[k]];
        int j = structure_column(w, n->a, n->b);
        if (j >= 0 && (int)n->c > order[j]) order[j] = (int)n->c;
    }
}

/* The symbols x_j^(D_j) of all of them, in their place. */
static void keep_highest(const struct structure_work *w, struct expr_list *all, const int *order) {
    size_t count = 0;
    for (size_t k = 0; k < all->count; k++) {
        const struct expr_node *n = &w->g->node[all->item[k]];
        int j = structure_column(w, n->a, n->b);
        if (j >= 0 && (int)n->c == order[j]) all->item[count++] = all->item[k];
    }
    all->count = count;
}

/* A name for a derivative beyond D_j asks for more than c = 0. */
static int names_beyond(const struct structure_work *w, const int *order) {
    const struct structure_value *alias = w->s->alias;
    for (int k = 0; k < w->p->unknowns; k++) {
        if (alias[k].unknown == k) continue;
        struct expr_node n = w->g->node[w->p->unknown[alias[k].unknown]];
        if (alias[k].order > order[structure_column(w, n.a, n.b)]) return 1;
    }
    return 0;
}

struct entries {
    expr *item; /* the symbols x_j^(D_j), row after row; later the slopes by them */
    size_t count, capacity;
};

static int add_entry(struct structure_work *w, struct entries *e, expr symbol) {
    if (e->count == e->capacity) {
        size_t capacity = 2 * e->capacity + (size_t)w->rows + 1;
        expr *item = expr_widen(w->g, e->item, capacity, sizeof *item);
        if (!item) return structure_out_of_memory(w->s);
        e->item = item;
        e->capacity = capacity;
    }
    e->item[e->count++] = symbol;
    return 0;
}

static int ascending(const void *x, const void *y) {
    expr a = *(const expr *)x, b = *(const expr *)y;
    return (a > b) - (a < b);
}

/* The highest derivatives in each row, of which only what varies with them is looked at.  1; 0: a row has
 * none; -1. */
static int collect(struct structure_work *w, struct entries *e, int *start) {
    for (int i = 0; i < w->rows; i++) {
        struct expr_list all;
        int failed = 0;
        if (expr_order_among(w->g, 1, &w->f[i], w->any.hit, &all)) return structure_out_of_memory(w->s);
        for (size_t k = 0; k < all.count && !failed; k++)
            if (w->g->node[all.item[k]].op == EXPR_SYMBOL) failed = add_entry(w, e, all.item[k]);
        free(all.item);
        if (failed) return -1;
        start[i + 1] = (int)e->count;
        if (start[i + 1] == start[i]) return 0;
        qsort(e->item + start[i], (size_t)(start[i + 1] - start[i]), sizeof *e->item, ascending);
    }
    return 1;
}

/* From the symbols to the pattern with its slopes.  1; 0: one is no function, or 0 by structure; -1. */
static int differentiate(struct structure_work *w, struct structure_pattern *out) {
    for (int i = 0; i < w->rows; i++) {
        int first = out->start[i], count = out->start[i + 1] - first;
        const expr *symbol = out->slope + first;
        for (int k = first; k < first + count; k++) {
            const struct expr_node *n = &w->g->node[out->slope[k]];
            out->column[k] = structure_column(w, n->a, n->b);
            out->sigma[k] = (int)n->c;
        }
        expr *slope = structure_take(w->s, (size_t)count, sizeof *slope);
        if (!slope) return -1;
        if (derive_gradient(&w->any, w->f[i], count, symbol, slope)) {
            w->any.obstacle = EXPR_NONE; /* told by who needs it */
            return w->g->failed ? structure_out_of_memory(w->s) : 0;
        }
        for (int k = 0; k < count; k++) {
            if (derive_is_zero(w->g, slope[k])) return 0;
            out->slope[first + k] = slope[k];
        }
    }
    return 1;
}

/* No slope is zero at all random points: what depends on a highest derivative in appearance only, or not for
 * these values of the parameters, is for structure_signature.  1, 0 or -1. */
static int none_vanishes(struct structure_work *w, const struct structure_pattern *a) {
    int point[STRUCTURE_POINTS];
    size_t roots = (size_t)a->start[a->rows];
    unsigned char *seen = structure_take(w->s, roots, 1);
    if (!seen || structure_sample_points(w, roots, a->slope, point)) return -1;
    for (int k = 0; k < STRUCTURE_POINTS; k++) {
        struct structure_sample v;
        if (structure_sample_open(&v, w, roots, a->slope, point[k])) return -1;
        for (size_t i = 0; i < roots; i++)
            seen[i] |= structure_sample_finite(&v, a->slope[i]) && !structure_sample_zero(&v, a->slope[i]);
        structure_sample_close(&v);
    }
    for (size_t i = 0; i < roots; i++)
        if (!seen[i]) return 0;
    return 1;
}

/* The pattern of J with its slopes, from the symbols x_j^(D_j).  1, 0 or -1. */
static int find_pattern(struct structure_work *w, const struct expr_list *highest,
                        struct structure_pattern *out) {
    struct structure *s = w->s;
    struct entries e = {0};
    *out = (struct structure_pattern){.rows = w->rows, .columns = w->columns};
    out->start = structure_take(s, (size_t)w->rows + 1, sizeof(int));
    if (!out->start) return -1;
    if (derive_vary(&w->any, w->rows, w->f, (int)highest->count, highest->item))
        return structure_out_of_memory(s);
    int fits = collect(w, &e, out->start);
    if (fits > 0) {
        out->column = structure_take(s, e.count, sizeof(int));
        out->sigma = structure_take(s, e.count, sizeof(int));
        out->slope = structure_take(s, e.count, sizeof(expr));
        if (!out->column || !out->sigma || !out->slope) fits = -1;
        else memcpy(out->slope, e.item, e.count * sizeof(expr));
    }
    free(e.item);
    if (fits > 0) fits = differentiate(w, out);
    derive_rest(&w->any);
    return fits > 0 ? none_vanishes(w, out) : fits;
}

int structure_leading(struct structure_work *w, struct structure_pattern *out) {
    struct expr_list all;
    int *order = structure_take(w->s, (size_t)w->columns, sizeof *order);
    if (!order) return -1;
    if (expr_symbols(w->g, (size_t)w->rows, w->f, &all)) return structure_out_of_memory(w->s);
    find_orders(w, &all, order);
    int fits = w->rows == w->columns && !names_beyond(w, order);
    for (int j = 0; j < w->columns && fits; j++) fits = order[j] >= 0;
    keep_highest(w, &all, order);
    if (fits) fits = find_pattern(w, &all, out);
    free(all.item);
    return fits;
}
