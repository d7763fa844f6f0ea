/* structure_assignment.c - maximum matchings, and the one of the highest value.
 *
 * Primal-dual: row prices p and column prices q with p_i + q_j >= sigma_ij and equality on the matching.
 * A phase augments along disjoint paths of tight edges (depth first, each column once), then lowers the
 * prices by a shortest path search from all free rows at once.  Phases are few, each costs about as much
 * as the pattern has entries; one search per row would be quadratic on long chains.  With sigma = 0 this
 * is the matching of Pothen and Fan. */
#include "structure/structure_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct structure_pattern *a;
    int weighted;
    int *match, *back, *p, *q;
    int *next, *stack, *edge; /* rows */
    unsigned char *seen;      /* columns */
    int *row_distance, *distance;
    struct item {
        int distance, column;
    } * heap;
    size_t count;
};

static int slack(const struct search *m, int i, int k) {
    return m->weighted ? m->p[i] + m->q[m->a->column[k]] - m->a->sigma[k] : 0;
}

/* One path from the free row `root`; 1 if the matching grew. */
static int augment(struct search *m, int root) {
    const struct structure_pattern *a = m->a;
    int depth = 0;
    m->stack[depth++] = root;
    while (depth) {
        int i = m->stack[depth - 1], k = m->next[i];
        while (k < a->start[i + 1] && (m->seen[a->column[k]] || slack(m, i, k))) k++;
        m->next[i] = k + 1;
        if (k >= a->start[i + 1]) {
            depth--;
            continue;
        }
        int j = a->column[k];
        m->seen[j] = 1;
        m->edge[i] = j;
        if (m->back[j] >= 0) {
            m->stack[depth++] = m->back[j];
            continue;
        }
        while (depth) {
            i = m->stack[--depth];
            m->match[i] = m->edge[i];
            m->back[m->edge[i]] = i;
        }
        return 1;
    }
    return 0;
}

/* All augmenting paths of tight edges; how many rows are free afterwards. */
static int grow(struct search *m) {
    int free_rows = 0, grown = 1;
    while (grown) {
        grown = free_rows = 0;
        memset(m->seen, 0, (size_t)m->a->columns);
        memcpy(m->next, m->a->start, (size_t)m->a->rows * sizeof *m->next);
        for (int i = 0; i < m->a->rows; i++)
            if (m->match[i] < 0) {
                if (augment(m, i)) grown = 1;
                else free_rows++;
            }
    }
    return free_rows;
}

static void push(struct search *m, int distance, int column) {
    size_t at = m->count++;
    while (at && m->heap[(at - 1) / 2].distance > distance)
        m->heap[at] = m->heap[(at - 1) / 2], at = (at - 1) / 2;
    m->heap[at] = (struct item){distance, column};
}

static struct item pop(struct search *m) {
    struct item top = m->heap[0], last = m->heap[--m->count];
    size_t at = 0;
    for (size_t child = 1; child < m->count; child = 2 * at + 1) {
        if (child + 1 < m->count && m->heap[child + 1].distance < m->heap[child].distance) child++;
        if (m->heap[child].distance >= last.distance) break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return top;
}

static void relax(struct search *m, int i, int distance) {
    m->row_distance[i] = distance;
    for (int k = m->a->start[i]; k < m->a->start[i + 1]; k++) {
        int j = m->a->column[k], to = distance + slack(m, i, k);
        if (to >= m->distance[j]) continue;
        m->distance[j] = to;
        push(m, to, j);
    }
}

/* Prices such that a new path becomes tight; 0: there is none. */
static int lower(struct search *m) {
    int rows = m->a->rows, columns = m->a->columns, reach = -1;
    for (int i = 0; i < rows; i++) m->row_distance[i] = INT_MAX;
    for (int j = 0; j < columns; j++) m->distance[j] = INT_MAX;
    m->count = 0;
    for (int i = 0; i < rows; i++)
        if (m->match[i] < 0) relax(m, i, 0);
    while (m->count && reach < 0) {
        struct item top = pop(m);
        if (top.distance > m->distance[top.column]) continue;
        int i = m->back[top.column];
        if (i < 0) reach = top.distance;
        else if (m->row_distance[i] == INT_MAX) relax(m, i, top.distance);
    }
    if (reach < 0) return 0;
    for (int i = 0; i < rows; i++)
        if (m->row_distance[i] < reach) m->p[i] -= reach - m->row_distance[i];
    for (int j = 0; j < columns; j++)
        if (m->distance[j] < reach) m->q[j] += reach - m->distance[j];
    return 1;
}

static int search_open(struct search *m, struct structure *s, const struct structure_pattern *a,
                       int weighted) {
    size_t rows = (size_t)a->rows, columns = (size_t)a->columns;
    m->a = a;
    m->weighted = weighted;
    m->p = structure_take(s, rows, sizeof(int));
    m->q = structure_take(s, columns, sizeof(int));
    m->next = structure_take(s, rows, sizeof(int));
    m->stack = structure_take(s, rows, sizeof(int));
    m->edge = structure_take(s, rows, sizeof(int));
    m->seen = structure_take(s, columns, 1);
    m->row_distance = structure_take(s, rows, sizeof(int));
    m->distance = structure_take(s, columns, sizeof(int));
    m->heap = structure_take(s, (size_t)a->start[rows] + rows, sizeof *m->heap);
    return m->p && m->q && m->next && m->stack && m->edge && m->seen && m->row_distance && m->distance &&
                   m->heap
               ? 0
               : -1;
}

int structure_match(struct structure *s, const struct structure_pattern *a, int *match, int *back) {
    struct search m = {.match = match, .back = back};
    for (int i = 0; i < a->rows; i++) match[i] = -1;
    for (int j = 0; j < a->columns; j++) back[j] = -1;
    return search_open(&m, s, a, 0) ? -1 : a->rows - grow(&m);
}

int structure_assign(struct structure *s, const struct structure_pattern *a, int *match, int *back) {
    struct search m = {.match = match, .back = back};
    if (search_open(&m, s, a, 1)) return -1;
    for (int i = 0; i < a->rows; i++) {
        match[i] = -1;
        m.p[i] = INT_MIN / 4;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->sigma[k] > m.p[i]) m.p[i] = a->sigma[k];
    }
    for (int j = 0; j < a->columns; j++) back[j] = -1;
    while (grow(&m) && lower(&m)) {}
    return 0;
}
