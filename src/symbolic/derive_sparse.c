/* derive_sparse.c - Jacobians by rows; see derive.h. */
#include "symbolic/derive.h"

#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct graph *g;
    struct derive_sparse *s;
    size_t count, capacity;
};

static int add_entry(struct builder *b, int column, expr value) {
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        int *columns = expr_widen(b->g, b->s->column, capacity, sizeof *columns);
        if (columns) b->s->column = columns;
        expr *values = expr_widen(b->g, b->s->value, capacity, sizeof *values);
        if (values) b->s->value = values;
        if (capacity > INT32_MAX / 2) b->g->failed = 1;
        if (!columns || !values || b->g->failed) return -1;
        b->capacity = capacity;
    }
    b->s->column[b->count] = column;
    b->s->value[b->count++] = value;
    return 0;
}

/* Where each symbol stands in the list of columns: sorted by node, so that a row looks up only what it
 * holds. */
struct place {
    expr symbol;
    int column;
};

static int by_symbol(const void *x, const void *y) {
    const struct place *a = x, *b = y;
    return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static int by_column(const void *x, const void *y) {
    const struct place *a = x, *b = y;
    return (a->column > b->column) - (a->column < b->column);
}

/* The columns on which f depends, ascending, as pairs in `held`; -1 without memory.  A row costs what its own
 * expression does, not the number of all unknowns. */
static int columns_of(struct graph *g, expr f, int n, const struct place *place, struct place *held) {
    struct expr_list symbols;
    if (expr_symbols(g, 1, &f, &symbols)) return -1;
    int count = 0;
    for (size_t i = 0; i < symbols.count; i++) {
        struct place key = {symbols.item[i], 0};
        const struct place *at = bsearch(&key, place, (size_t)n, sizeof key, by_symbol);
        if (at) held[count++] = *at;
    }
    free(symbols.item);
    if (count > 1) qsort(held, (size_t)count, sizeof *held, by_column);
    return count;
}

struct work {
    struct place *place, *held;
    expr *symbol, *slope;
};

static int work_open(struct work *w, struct graph *g, int n, const expr *symbol) {
    size_t capacity = n > 0 ? (size_t)n : 1;
    *w = (struct work){expr_take(g, capacity, sizeof *w->place), expr_take(g, capacity, sizeof *w->held),
                       expr_take(g, capacity, sizeof *w->symbol), expr_take(g, capacity, sizeof *w->slope)};
    if (!w->place || !w->held || !w->symbol || !w->slope) return -1;
    for (int j = 0; j < n; j++) w->place[j] = (struct place){symbol[j], j};
    qsort(w->place, (size_t)n, sizeof *w->place, by_symbol);
    return 0;
}

static void work_close(struct work *w) {
    free(w->place);
    free(w->held);
    free(w->symbol);
    free(w->slope);
}

/* The symbols are marked in the graph's scratch: a row costs its own expression. */
double derive_entries(struct graph *g, int rows, const expr *f, int n, const expr *symbol) {
    double entries = 0;
    for (int j = 0; j < n; j++) g->image[symbol[j]] = 1;
    for (int i = 0; i < rows && !g->failed; i++) {
        struct expr_list list;
        if (expr_order(g, 1, &f[i], &list)) break;
        for (size_t k = 0; k < list.count; k++) entries += g->image[list.item[k]];
        free(list.item);
    }
    for (int j = 0; j < n; j++) g->image[symbol[j]] = EXPR_NONE;
    return entries;
}

static int add_row(struct derive *d, struct work *w, struct builder *b, expr f, int n) {
    int held = f == EXPR_NONE ? -1 : columns_of(d->g, f, n, w->place, w->held);
    if (held < 0) return -1;
    for (int k = 0; k < held; k++) w->symbol[k] = w->held[k].symbol;
    if (held && derive_gradient(d, f, held, w->symbol, w->slope)) return -1;
    for (int k = 0; k < held; k++)
        if (!derive_is_zero(d->g, w->slope[k]) && add_entry(b, w->held[k].column, w->slope[k])) return -1;
    return 0;
}

int derive_jacobian(struct derive *d, int rows, const expr *f, int n, const expr *symbol,
                    struct derive_sparse *out) {
    struct builder b = {.g = d->g, .s = out};
    struct work w;
    *out = (struct derive_sparse){
        .rows = rows, .columns = n, .row_start = expr_take(d->g, (size_t)rows + 1, sizeof(int))};
    int failed = work_open(&w, d->g, n, symbol) || !out->row_start;
    for (int i = 0; i < rows && !failed; i++) {
        failed = add_row(d, &w, &b, f[i], n);
        out->row_start[i + 1] = (int)b.count;
    }
    work_close(&w);
    if (failed) derive_free(out);
    return failed ? -1 : 0;
}
