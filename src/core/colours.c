/* colours.c - see colours.h. */
#include "core/colours.h"

#include <stdlib.h>

/* The least colour that no earlier column of any row of column j has. */
static int free_colour(const struct colours *a, const keel_pattern *p, int j, const int *colour, int *taken) {
    int least = 0;
    for (int place = a->columns.start[j]; place < a->columns.start[j + 1]; place++) {
        int i = a->columns.row[place];
        for (int e = p->row_start[i]; e < p->row_start[i + 1] && p->column[e] < j; e++)
            taken[colour[p->column[e]]] = j + 1;
    }
    while (taken[least] == j + 1) least++;
    return least;
}

static int find_colours(struct colours *a, const keel_pattern *p, int columns) {
    int *colour = calloc((size_t)columns + 1, sizeof *colour);
    int *taken = calloc((size_t)columns + 1, sizeof *taken), found = colour && taken;
    for (int j = 0; j < columns && found; j++) {
        colour[j] = free_colour(a, p, j, colour, taken);
        a->first[colour[j] + 1]++;
        if (colour[j] >= a->count) a->count = colour[j] + 1;
    }
    for (int c = 0; c < a->count; c++) a->first[c + 1] += a->first[c];
    for (int j = 0; j < columns && found; j++) a->list[a->first[colour[j]]++] = j;
    for (int c = a->count; c > 0; c--) a->first[c] = a->first[c - 1];
    a->first[0] = 0;
    free(colour);
    free(taken);
    return found;
}

int colours_open(struct colours *a, const keel_pattern *p, int rows, int columns) {
    *a = (struct colours){.count = 0};
    a->first = calloc((size_t)columns + 2, sizeof *a->first);
    a->list = calloc((size_t)columns + 1, sizeof *a->list);
    if (columns_make(&a->columns, p, rows, 0, columns)) return 1;
    return !a->first || !a->list || !find_colours(a, p, columns);
}

void colours_close(struct colours *a) {
    columns_free(&a->columns);
    free(a->first);
    free(a->list);
}
