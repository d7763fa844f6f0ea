/* start_hidden.c - consistent starts of large DAEs and large constrained Hamiltonians: the rows of a level by
 * their pattern (hidden_sparse.c), invariants beside them freed of what these span. */
#include "core/manifold.h"
#include "core/start.h"

#include <string.h>

/* Rows are chosen in their order: how many of them are hidden ones. */
static int by_pattern(const struct start *st, int count) {
    int first = 0;
    while (first < count && st->chosen[first] < st->rows->stored) first++;
    return first;
}

/* The row space of the others, over the columns of the states. */
static struct rowspace others(const struct start *st, int first, int count) {
    struct rowspace s = st->space;
    s.used += first;
    s.inverse += first;
    s.rows = count - first;
    return s;
}

keel_status start_hidden_factor(struct start *st, const struct start_level *level, int count, double t) {
    struct field *fd = st->fd;
    int first = by_pattern(st, count);
    struct rowspace s = others(st, first, count);
    memset(st->part, 0, (size_t)fd->hidden_rows.count * sizeof *st->part);
    for (int i = 0; i < first; i++) {
        st->part[st->chosen[i] - fd->hidden_rows.first] = 1;
        st->space.used[i] = 1;
    }
    memset(st->d, 0, (size_t)fd->n * sizeof *st->d);
    for (int j = level->first; j < level->first + level->columns; j++) st->d[j] = start_reach(st, j);
    if (!hidden_sparse_factor(fd, st->d, st->part, 1))
        return field_fault(fd, KEEL_ESINGULAR, KEEL_ESINGULAR, "the %s have no solution at t = %.10g",
                           fd->kg ? "constraints" : "hidden rows", t);
    for (int i = 0; i < s.rows; i++) {
        rowspace_set(&s, i, fd->n, rows_gradient(st->rows, fd, st->chosen[first + i]), st->d);
        st->floor_of[i] = hidden_sparse_border(fd, &s, i, st->dependent);
    }
    rowspace_factor(&s, st->floor_of);
    hidden_sparse_face(fd, &s, st->rows, st->chosen + first, st->d, 0);
    return KEEL_OK;
}

void start_hidden_direction(struct start *st, const struct start_level *level, int count) {
    struct field *fd = st->fd;
    double *c = fd->hidden_rows.c;
    int first = by_pattern(st, count), base = level->first;
    const struct rowspace s = others(st, first, count);
    memset(c, 0, (size_t)fd->hidden_rows.count * sizeof *c);
    for (int i = 0; i < first; i++) c[st->chosen[i] - fd->hidden_rows.first] = -st->residual[st->chosen[i]];
    hidden_sparse_shortest(fd, c, st->d);
    for (int i = 0; i < s.rows; i++) {
        const double *gradient = rows_gradient(st->rows, fd, st->chosen[first + i]);
        st->c[i] = -st->residual[st->chosen[first + i]];
        for (int j = base; j < base + level->columns; j++)
            st->c[i] -= gradient[j] * start_reach(st, j) * st->d[j];
    }
    if (s.rows) hidden_sparse_along(fd, &s, st->c, st->z, fd->line);
    for (int j = 0; j < level->columns; j++) {
        double way = s.rows ? st->d[base + j] + fd->line[base + j] : st->d[base + j];
        st->d[j] = way * start_reach(st, base + j);
    }
}

keel_status start_hidden_diagnose(struct start *st, double t, int row) {
    struct field *fd = st->fd;
    int dependent = 0, count = fd->hidden_rows.count;
    const int *start = fd->hidden_rows.pattern.row_start; /* a row that contains y is no such row */
    for (int i = 0; i < count; i++) st->part[i] = start[i] == start[i + 1];
    int code = hidden_sparse_rank(fd, st->part);
    if (code < 0)
        return field_fault(fd, KEEL_ENOMEM, KEEL_ENOMEM, "no memory to look for contradictory equations");
    for (int i = 0; i < count; i++) dependent |= !st->part[i];
    if (code > 0 || !dependent) return KEEL_ESTART;
    return field_fault(
        fd, KEEL_ESINGULAR, KEEL_ESINGULAR,
        "`%s` contradicts other equations: wherever these hold it is off (by %.3g at t = %.10g)",
        rows_name(st->rows, row), st->residual[row], t);
}
