/* formulation_bend.c - on which coordinates the entries of a constraint's jacobian depend, where it has
 * many: the pattern of g_qq, which is mostly sparse, as in a length or an area, or empty, as in a centre of
 * mass. */
#include <keel/extras.h>

#include "model/formulation.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* coordinates of an entry; with more the matrix has the whole square */

static int ascending(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

/* The coordinates of an expression, ascending: how many; -1: no memory, or more than MOST. */
static int coordinates_of(struct formulation *r, expr e, int *place) {
    struct graph *g = &r->y->m->graph;
    struct expr_list all;
    int count = 0;
    if (expr_symbols(g, 1, &e, &all)) return -1;
    for (size_t k = 0; k < all.count && count <= MOST; k++) {
        int at = g->node[all.item[k]].a == EXPR_UNKNOWN ? formulation_place(r, all.item[k]) : -1;
        if (at < 0 || at >= r->n / 2) continue;
        if (count < MOST) place[count] = at;
        count++;
    }
    free(all.item);
    if (count > MOST) return -1;
    qsort(place, (size_t)count, sizeof *place, ascending);
    return count;
}

static int is_long(const struct derive_sparse *rows, int i) {
    return rows->row_start[i + 1] - rows->row_start[i] > KEEL_BEND_SHORT;
}

/* Row by row; `column` NULL: counted alone.  -1: there is no such pattern. */
static int list_entries(struct formulation *r, int *start, int *column) {
    const struct derive_sparse *rows = &r->constraint.jacobian;
    int place[MOST], entries = 0;
    for (int i = 0; i < rows->rows; i++)
        for (int e = rows->row_start[i]; e < rows->row_start[i + 1]; e++) {
            int count = is_long(rows, i) ? coordinates_of(r, rows->value[e], place) : 0;
            if (count < 0) return -1;
            if (column) memcpy(column + entries, place, (size_t)count * sizeof *place);
            entries += count;
            if (column) start[e + 1] = entries;
        }
    return entries;
}

int formulation_bend(struct formulation *r) {
    const struct derive_sparse *rows = &r->constraint.jacobian;
    int any = 0;
    if (r->constraint.count == 0 || !rows->row_start || !formulation_goes_sparse(r)) return 1;
    for (int i = 0; i < rows->rows; i++) any |= is_long(rows, i);
    int entries = any ? list_entries(r, NULL, NULL) : -1;
    if (entries < 0) return !r->y->m->graph.failed;
    int *start = pool_take(r->pool, ((size_t)rows->row_start[rows->rows] + 1) * sizeof *start),
        *column = pool_take(r->pool, ((size_t)entries + 1) * sizeof *column);
    if (r->pool->refused) return 0;
    start[0] = 0;
    list_entries(r, start, column);
    r->bend = (keel_pattern){entries, start, column};
    return 1;
}
