/* structure_dm.c - the coarse decomposition of A. L. Dulmage and N. S. Mendelsohn, Canad. J. Math. 10 (1958)
 * 517.
 *
 * Over-determined: what alternating paths reach from equations without a partner; under-determined: from
 * unknowns without one; the rest is square and well determined. */
#include "structure/structure_private.h"

/* Compressed columns of the pattern. */
static int turn(struct structure *s, const struct structure_pattern *a, struct structure_pattern *out) {
    size_t entries = (size_t)a->start[a->rows];
    *out = (struct structure_pattern){.rows = a->columns, .columns = a->rows};
    out->start = structure_take(s, (size_t)a->columns + 2, sizeof(int));
    out->column = structure_take(s, entries, sizeof(int));
    if (!out->start || !out->column) return -1;
    for (size_t k = 0; k < entries; k++) out->start[a->column[k] + 2]++;
    for (int j = 0; j < a->columns; j++) out->start[j + 2] += out->start[j + 1];
    for (int i = 0; i < a->rows; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) out->column[out->start[a->column[k] + 1]++] = i;
    return 0;
}

/* Marks the rows and columns that alternating paths from unmatched rows reach. */
static int reach(struct structure *s, const struct structure_pattern *a, const int *match, const int *back,
                 unsigned char *row, unsigned char *column) {
    int count = 0, *stack = structure_take(s, (size_t)a->rows, sizeof *stack);
    if (!stack) return -1;
    for (int i = 0; i < a->rows; i++)
        if (match[i] < 0) stack[count++] = i, row[i] = 1;
    while (count) {
        int i = stack[--count];
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            int j = a->column[k];
            if (column[j]) continue;
            column[j] = 1;
            if (back[j] >= 0 && !row[back[j]]) stack[count++] = back[j], row[back[j]] = 1;
        }
    }
    return 0;
}

static int by_number(const int *list, int count, int value) { /* where `value` goes in an ascending list */
    while (count && list[count - 1] > value) count--;
    return count;
}

static void add(int *list, int *count, int value) {
    int at = by_number(list, *count, value);
    for (int k = *count; k > at; k--) list[k] = list[k - 1];
    list[at] = value;
    ++*count;
}

static int collect(struct structure_work *w, struct structure_part *part, const unsigned char *row,
                   const unsigned char *column, unsigned char mark) {
    *part = (struct structure_part){.equation = structure_keep(w->s, (size_t)w->rows, sizeof(int)),
                                    .unknown = structure_keep(w->s, (size_t)w->columns, sizeof(int))};
    if (!part->equation || !part->unknown) return -1;
    for (int i = 0; i < w->rows; i++)
        if (row[i] == mark) add(part->equation, &part->equations, w->row[i]);
    for (int j = 0; j < w->columns; j++)
        if (column[j] == mark) add(part->unknown, &part->unknowns, w->column[j]);
    return 0;
}

int structure_parts(struct structure_work *w, const struct structure_pattern *a, const int *match,
                    const int *back) {
    enum { OVER = 1, UNDER = 2 };
    struct structure *s = w->s;
    struct structure_pattern b;
    size_t rows = (size_t)a->rows, columns = (size_t)a->columns;
    unsigned char *row = structure_take(s, rows, 1), *column = structure_take(s, columns, 1);
    unsigned char *row2 = structure_take(s, rows, 1), *column2 = structure_take(s, columns, 1);
    if (!row || !column || !row2 || !column2 || turn(s, a, &b)) return -1;
    if (reach(s, a, match, back, row, column) || reach(s, &b, back, match, column2, row2)) return -1;
    for (size_t i = 0; i < rows; i++)
        if (row2[i]) row[i] = UNDER;
    for (size_t j = 0; j < columns; j++)
        if (column2[j]) column[j] = UNDER;
    return collect(w, &s->over, row, column, OVER) || collect(w, &s->under, row, column, UNDER) ||
                   collect(w, &s->well, row, column, 0)
               ? -1
               : 0;
}
