/* newton_terms.c - see newton.h: a sparse matrix as a sum of terms, several of which may stand at one
 * place; the pattern they make, and where each one goes. */
#include "core/newton.h"

#include "linalg/band.h"

#include <stdlib.h>
#include <string.h>

int newton_terms_open(struct newton_terms *s, size_t most) {
    *s = (struct newton_terms){0, calloc(most + 1, sizeof *s->row), calloc(most + 1, sizeof *s->column)};
    return s->row && s->column;
}

void newton_terms_close(struct newton_terms *s) {
    free(s->row);
    free(s->column);
}

/* order: the numbers 0 .. count - 1 by key, in the order they have within one. */
static void sort_by(const int *key, int keys, int count, const int *before, int *start, int *order) {
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (int e = 0; e < count; e++) start[key[e] + 1]++;
    for (int k = 0; k < keys; k++) start[k + 1] += start[k];
    for (int e = 0; e < count; e++) {
        int number = before ? before[e] : e;
        order[start[key[number]]++] = number;
    }
}

/* Rows with each place once; entry[e]: which of them term e belongs to. */
static int join(const struct newton_terms *s, int order, int *workspace, int *entry, int *row_start,
                int *column) {
    int *by_column = workspace, *by_row = workspace + s->count, *start = by_row + s->count, entries = 0;
    sort_by(s->column, order, s->count, NULL, start, by_column);
    sort_by(s->row, order, s->count, by_column, start, by_row);
    memset(row_start, 0, ((size_t)order + 1) * sizeof *row_start);
    for (int e = 0; e < s->count; e++) {
        int now = by_row[e], last = e ? by_row[e - 1] : -1;
        int same = e && s->row[now] == s->row[last] && s->column[now] == s->column[last];
        if (!same) column[entries++] = s->column[now];
        entry[now] = entries - 1;
        row_start[s->row[now] + 1] = entries;
    }
    for (int i = 0; i < order; i++)
        if (row_start[i + 1] < row_start[i]) row_start[i + 1] = row_start[i];
    return entries;
}

/* a->at[e]: where term e stands in the values that are factored. */
static int place(struct newton_pattern *a, const int *entry, int count, int *where) {
    a->banded = band_order(a->order, a->columns.start, a->columns.row, a->position, &a->lower, &a->upper);
    if (a->banded < 0) return 0;
    for (int j = 0; j < a->order; j++)
        for (int spot = a->columns.start[j]; spot < a->columns.start[j + 1]; spot++)
            where[a->columns.from[spot]] = a->banded ? newton_band_place(a, j, spot) : spot;
    for (int e = 0; e < count; e++) a->at[e] = where[entry[e]];
    a->places =
        a->banded ? (size_t)a->order * ((size_t)a->lower + 1 + (size_t)a->upper) : (size_t)a->columns.entries;
    a->values = calloc(a->places + 1, sizeof *a->values);
    a->pairs = calloc(2 * a->places + 1, sizeof *a->pairs);
    return a->values && a->pairs;
}

int newton_sum(struct newton_pattern *a, const struct newton_terms *s) {
    size_t all = (size_t)s->count, order = (size_t)a->order;
    int *workspace = calloc(4 * all + 2 * order + 4, sizeof *workspace);
    a->at = calloc(all + 1, sizeof *a->at);
    a->position = calloc(order + 1, sizeof *a->position);
    int found = workspace && a->at && a->position;
    if (found) {
        int *entry = workspace, *column = entry + all, *rest = column + all;
        int *row_start = calloc(order + 2, sizeof *row_start);
        keel_pattern rows = {0, row_start, column};
        if (row_start) rows.nnz = join(s, a->order, rest, entry, row_start, column);
        found = row_start && columns_make(&a->columns, &rows, a->order, 0, a->order) == 0 &&
                place(a, entry, s->count, rest);
        free(row_start);
    }
    free(workspace);
    return found;
}
