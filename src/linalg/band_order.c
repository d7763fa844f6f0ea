/* band_order.c - an order of the unknowns that makes a matrix a narrow band: the one it has, or that of
 * Cuthill and McKee (Proc. 24th ACM Conf. (1969) 157).
 *
 * Unknowns are numbered as a search by breadth finds them in the graph of A + A^T, neighbours by their
 * degree.  It begins at an end of the graph: the last one of a search, as long as that makes it deeper
 * (George, Liu, ACM TOMS 5 (1979) 284). */
#include "linalg/band.h"
#include "linalg/columns.h"

#include <stdlib.h>

/* The neighbours of j are the rows of column j and the columns of row j. */
struct graph {
    int n;
    const int *start, *row;
    struct columns across; /* the same by rows */
    int *found;            /* n: number of the search that found it; 0: none */
    int searches;
};

static int degree(const struct graph *g, int j) {
    return g->start[j + 1] - g->start[j] + g->across.start[j + 1] - g->across.start[j];
}

/* Puts neighbours that were not found yet behind `end`, those of least degree first. */
static int append(struct graph *g, const int *list, int count, int *queue, int begin, int end) {
    for (int k = 0; k < count; k++) {
        int j = list[k], at = end;
        if (g->found[j] == g->searches) continue;
        g->found[j] = g->searches;
        for (; at > begin && degree(g, queue[at - 1]) > degree(g, j); at--) queue[at] = queue[at - 1];
        queue[at] = j;
        end++;
    }
    return end;
}

/* All that root leads to, into queue; their number.  last: where the last level begins. */
static int search(struct graph *g, int root, int *queue, int *last, int *depth) {
    int end = 1, level_end = 1;
    g->found[root] = ++g->searches;
    queue[0] = root;
    *last = *depth = 0;
    for (int at = 0; at < end; at++) {
        if (at == level_end) {
            *last = at;
            level_end = end;
            ++*depth;
        }
        int j = queue[at], begin = end;
        end = append(g, g->row + g->start[j], g->start[j + 1] - g->start[j], queue, begin, end);
        end = append(g, g->across.row + g->across.start[j], g->across.start[j + 1] - g->across.start[j],
                     queue, begin, end);
    }
    return end;
}

/* One part of the graph, from an end of it. */
static int order_part(struct graph *g, int root, int *queue) {
    enum { TRIES = 8 };
    int last, depth, before = -1, count = search(g, root, queue, &last, &depth);
    for (int k = 0; k < TRIES && depth > before; k++) {
        int end = queue[last];
        before = depth;
        count = search(g, end, queue, &last, &depth);
    }
    return count;
}

static void widths(const struct graph *g, const int *position, int *lower, int *upper) {
    *lower = *upper = 0;
    for (int j = 0; j < g->n; j++)
        for (int e = g->start[j]; e < g->start[j + 1]; e++) {
            int off = position[g->row[e]] - position[j];
            if (off > *lower) *lower = off;
            if (-off > *upper) *upper = -off;
        }
}

static int pays(const struct graph *g, const int *position, int *lower, int *upper) {
    widths(g, position, lower, upper);
    int most = *lower > *upper ? *lower : *upper;
    if (most <= BAND_NARROW) *lower = *upper = most;
    return band_pays(g->n, *lower, *upper, g->start[g->n]);
}

/* An unknown with so many neighbours is in no band that pays. */
static int is_filled(const struct graph *g) {
    for (int j = 0; j < g->n; j++)
        if (!band_pays(g->n, degree(g, j) / 4, degree(g, j) / 4, g->start[g->n])) return 1;
    return 0;
}

int band_order(int n, const int *start, const int *row, int *position, int *lower, int *upper) {
    const keel_pattern by_columns = {start[n], start, row};
    struct graph g = {n, start, row, {0}, calloc((size_t)n + 1, sizeof(int)), 0};
    int *queue = calloc((size_t)n + 1, sizeof *queue), found = -1;
    for (int i = 0; i < n; i++) position[i] = i;
    if (queue && g.found && columns_make(&g.across, &by_columns, n, 0, n) == 0) {
        found = pays(&g, position, lower, upper);
        if (!found && !is_filled(&g)) {
            int count = 0;
            for (int j = 0; j < n; j++)
                if (g.found[j] == 0) count += order_part(&g, j, queue + count);
            for (int k = 0; k < count; k++) position[queue[k]] = k;
            found = pays(&g, position, lower, upper);
        }
    }
    for (int i = 0; i < n && found <= 0; i++) position[i] = i;
    columns_free(&g.across);
    free(g.found);
    free(queue);
    return found;
}
