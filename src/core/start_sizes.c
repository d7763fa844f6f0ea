/* start_sizes.c - how large rows and values count at a start, where their own terms and values say too
 * little. */
#include "core/start.h"

#include <float.h>
#include <math.h>

/* sum |dF_i/dx_j| size_j, from the entries in fd->sparse. */
static double size_of_entries(const struct field *fd, int i, const double *size) {
    const keel_pattern *p = fd->algebraic.user.pattern;
    double sum = 0;
    for (int e = p->row_start[i]; e < p->row_start[i + 1] && p->column[e] < fd->n; e++)
        sum += fabs(fd->sparse[e]) * size[p->column[e]];
    return sum;
}

/* Rows of a DAE whose terms vanish at the start, d/dt rows at rest above all, have no round-off of their own
 * there.  A state counts as large as atol/rtol, and so do its terms. */
static void least_sizes(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    if (!(fd->traits & KEEL_ALGEBRAIC)) return;
    if (fd->dae.sparse && map_entries(fd, &fd->algebraic, t, u, fd->sparse) != KEEL_OK) return;
    for (int j = 0; j < fd->n; j++) st->d[j] = fd->least[j] > 0 ? fd->least[j] : fd->size[j];
    for (int i = 0; i < r->count; i++) {
        double size = 0;
        if (i >= r->stored)
            for (int j = 0; j < fd->n; j++) size += fabs(rows_gradient(r, fd, i)[j]) * st->d[j];
        else if (i >= fd->m || !fd->dae.direct[i]) size = hidden_sparse_size(fd, i, 0, st->d);
        else size = size_of_entries(fd, i, st->d);
        r->size[i] = fmax(r->size[i], size);
    }
}

/* Rows of mechanics whose terms are all 0 at the start, of a coordinate that stays 0 say: what others leave
 * there is a round-off of the sizes that its coordinates have as members of their arrays. */
static void sizes_of_nothing(struct start *st) {
    const struct field *fd = st->fd;
    struct rows *r = st->rows;
    int mechanics = fd->traits & KEEL_SECOND_ORDER && !fd->mech.sparse;
    for (int i = 0; i < r->count && mechanics; i++) {
        if (!(ROWS_OF_CONSTRAINTS >> rows_kind(r, i) & 1)) continue;
        const double *row = rows_gradient(r, fd, i);
        double size = 0;
        for (int j = 0; j < fd->n; j++) size += fabs(row[j]) * fd->size[j];
        if (r->size[i] < sqrt(DBL_EPSILON) * size) r->size[i] = size;
    }
}

void start_sizes_of_rows(struct start *st, double t, const double *u) {
    least_sizes(st, t, u);
    sizes_of_nothing(st);
}

int start_sizes_beside(struct start *st, const struct start_level *level, int small) {
    const struct field *fd = st->fd;
    const int *array = fd->p.array_of;
    double largest = 0;
    int any = 0;
    for (int j = level->first; j < level->first + level->columns && j < fd->n; j++)
        if (fd->size[j] > fd->least[j]) largest = fmax(largest, fd->size[j]);
    double noise = 64 * DBL_EPSILON * largest;
    for (int j = 0, end; j < fd->n; j = end) {
        double own = 0, least = small ? noise : fd->least[j];
        for (end = j; end < fd->n && (end == j || (array && array[end] == array[j])); end++)
            if (fd->size[end] > least) own = fmax(own, fd->size[end]);
        for (int k = j; k < end; k++) st->others[k] = own > 0 ? own : largest;
        any |= own > 0 && own <= fd->least[j];
    }
    return any;
}
