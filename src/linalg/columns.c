/* columns.c - see columns.h. */
#include "linalg/columns.h"

#include <stdlib.h>

int columns_make(struct columns *c, const keel_pattern *p, int rows, int first, int count) {
    *c = (struct columns){.start = calloc((size_t)count + 2, sizeof *c->start)};
    if (!c->start) return 1;
    int *next = c->start + 1; /* next[j] moves from the begin of column j to its end, the begin of j + 1 */
    for (int e = 0; e < p->row_start[rows]; e++) {
        int j = p->column[e] - first;
        if (j < 0 || j >= count) continue;
        c->entries++;
        if (j + 1 < count) next[j + 1]++;
    }
    for (int j = 1; j < count; j++) next[j] += next[j - 1];
    c->row = calloc((size_t)c->entries + 1, sizeof *c->row);
    c->from = calloc((size_t)c->entries + 1, sizeof *c->from);
    if (!c->row || !c->from) return 1;
    for (int i = 0; i < rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            int j = p->column[e] - first;
            if (j < 0 || j >= count) continue;
            c->row[next[j]] = i;
            c->from[next[j]++] = e;
        }
    return 0;
}

void columns_free(struct columns *c) {
    free(c->start);
    free(c->row);
    free(c->from);
    *c = (struct columns){0};
}
