/* structure_offsets.c - the smallest offsets c >= 0, d with d_j - c_i >= sigma_ij and equality on the
 * transversal.
 *
 * Pryce's fixed point: d_j = max_i(sigma_ij + c_i), then c_i = d_m(i) - sigma_i,m(i), from c = 0 on.  Only
 * rows whose offset rose are looked at again.  It ends because the transversal is of the highest value. */
#include "structure/structure_private.h"

#include <limits.h>

int structure_offsets(struct structure *s, const struct structure_pattern *a, const int *match,
                      const int *back, const int *least, int *c, int *d) {
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
    for (int j = 0; j < n && least; j++) {
        d[j] = least[j];
        if (least[j] > matched[back[j]]) c[back[j]] = least[j] - matched[back[j]];
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

/* How often an equation as written must be differentiated, in its combinations, too.  A name u for x^(k) is
 * an unknown like others.  Where k is below d_x it is a state; otherwise x must be
 * known to its k-th derivative, and u is algebraic if that is the highest. */
int structure_index(const struct structure_work *w, const struct structure_pattern *a, const int *match,
                    const int *back) {
    struct structure *s = w->s;
    int n = a->rows, highest = 0, algebraic = 0;
    int *least = structure_take(s, (size_t)n, sizeof *least), *c = structure_take(s, (size_t)n, sizeof *c);
    int *d = structure_take(s, (size_t)n, sizeof *d);
    int *reduced = structure_take(s, (size_t)w->p->unknowns, sizeof *reduced);
    if (!least || !c || !d || !reduced) return -1;
    for (int j = 0; j < n; j++) reduced[w->column[j]] = j;
    for (int k = 0; k < w->p->unknowns; k++) {
        int j = reduced[s->alias[k].unknown];
        if (s->alias[k].unknown != k && s->alias[k].order > least[j]) least[j] = s->alias[k].order;
    }
    if (structure_offsets(s, a, match, back, least, c, d)) return -1;
    for (int i = 0; i < n; i++) {
        if (c[i] + w->depth[i] > highest) highest = c[i] + w->depth[i];
        algebraic |= d[i] == 0;
    }
    for (int k = 0; k < w->p->unknowns; k++)
        if (s->alias[k].unknown != k) algebraic |= s->alias[k].order == d[reduced[s->alias[k].unknown]];
    s->index = highest + algebraic;
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
