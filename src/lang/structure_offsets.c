/* structure_offsets.c - the smallest offsets c >= 0, d with d_j - c_i >= sigma_ij and equality on the
 * transversal.
 *
 * Pryce's fixed point: d_j = max_i(sigma_ij + c_i), then c_i = d_m(i) - sigma_i,m(i), from c = 0 on.  Only
 * rows whose offset rose are looked at again.  It ends because the transversal is of the highest value. */
#include "lang/structure_inside.h"

#include <limits.h>

int structure_offsets(struct structure *s, const struct structure_pattern *a, const int *match,
                      const int *back, int *c, int *d) {
    int n = a->rows, head = 0, count = n;
    int *queue = structure_take(s, (size_t)n + 1, sizeof *queue);
    int *matched = structure_take(s, (size_t)n, sizeof *matched);
    unsigned char *waits = structure_take(s, (size_t)n, 1);
    if (!queue || !matched || !waits) return -1;
    for (int i = 0; i < n; i++) {
        c[i] = 0, d[i] = INT_MIN;
        queue[i] = i, waits[i] = 1;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] == match[i]) matched[i] = a->sigma[k];
    }
    while (count) {
        int i = queue[head];
        head = (head + 1) % (n + 1);
        count--;
        waits[i] = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            int j = a->column[k], owner = back[j], order = a->sigma[k] + c[i];
            if (order <= d[j]) continue;
            d[j] = order;
            if (order - matched[owner] <= c[owner]) continue;
            c[owner] = order - matched[owner];
            if (!waits[owner]) queue[(head + count++) % (n + 1)] = owner, waits[owner] = 1;
        }
    }
    return 0;
}

int structure_system(struct structure *s, const struct structure_pattern *a, const int *c, const int *d,
                     struct structure_pattern *out) {
    size_t entries = (size_t)a->start[a->rows];
    *out = (struct structure_pattern){a->rows,
                                      a->columns,
                                      structure_take(s, (size_t)a->rows + 1, sizeof(int)),
                                      structure_take(s, entries, sizeof(int)),
                                      structure_take(s, entries, sizeof(int)),
                                      structure_take(s, entries, sizeof(expr))};
    if (!out->start || !out->column || !out->sigma || !out->slope) return -1;
    int count = 0;
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            if (a->sigma[k] != d[a->column[k]] - c[i]) continue;
            out->column[count] = a->column[k];
            out->sigma[count] = a->sigma[k];
            out->slope[count++] = a->slope[k];
        }
        out->start[i + 1] = count;
    }
    return 0;
}
