/* echelon.c - see echelon.h. */
#include "discover/echelon.h"

#include <stdlib.h>
#include <string.h>

int echelon_open(struct echelon *e, int columns) {
    size_t count = (size_t)columns + 1;
    *e = (struct echelon){.columns = columns,
                          .row_of = malloc(count * sizeof *e->row_of),
                          .row = calloc(count, sizeof *e->row)};
    for (int j = 0; j < columns && e->row_of; j++) e->row_of[j] = -1;
    return e->row_of && e->row;
}

void echelon_close(struct echelon *e) {
    for (int i = 0; i < e->rank; i++) free(e->row[i]);
    free(e->row);
    free(e->row_of);
    *e = (struct echelon){0};
}

/* The row less all that the others make of it; its first column that is left, or -1. */
static int reduce(const struct echelon *e, residue *restrict row) {
    int pivot = -1;
    for (int j = 0; j < e->columns; j++) {
        row[j] = residue_reduce(row[j]);
        if (row[j] == 0) continue;
        if (e->row_of[j] >= 0) {
            const residue *restrict by = e->row[e->row_of[j]];
            residue factor = residue_sub(0, row[j]);
            row[j] = 0;
            for (int k = j + 1; k < e->columns; k++) row[k] = residue_gather(row[k], factor, by[k]);
        } else if (pivot < 0) pivot = j;
    }
    return pivot;
}

int echelon_depends(const struct echelon *e, residue *row) {
    return reduce(e, row) < 0;
}

int echelon_add(struct echelon *e, residue *row) {
    int pivot = reduce(e, row);
    if (pivot < 0) return 0;
    residue *kept = malloc((size_t)e->columns * sizeof *kept), scale = residue_inverse(row[pivot]);
    if (!kept) return -1;
    for (int j = 0; j < e->columns; j++) kept[j] = residue_mul(row[j], scale);
    e->row[e->rank] = kept;
    e->row_of[pivot] = e->rank++;
    return 1;
}

void echelon_null(const struct echelon *e, int column, residue *out) {
    memset(out, 0, (size_t)e->columns * sizeof *out);
    out[column] = 1;
    for (int j = column - 1; j >= 0; j--) {
        const residue *row = e->row_of[j] >= 0 ? e->row[e->row_of[j]] : NULL;
        if (!row) continue;
        residue sum = row[column];
        for (int k = j + 1; k < column; k++)
            if (out[k]) sum = residue_add(sum, residue_mul(row[k], out[k]));
        out[j] = residue_sub(0, sum);
    }
}
