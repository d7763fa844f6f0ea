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
static void size_of_nothing(struct rows *r, int i, double size) {
    if (r->size[i] < sqrt(DBL_EPSILON) * size) r->size[i] = size;
}

static void sizes_of_nothing_sparse(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    const double *k, *shift;
    double *position = r->fresh_size, *velocity = r->column;
    if (mechanics_sparse_rows(fd, t, u, &k, &shift) != KEEL_OK) return;
    mechanics_sparse_sizes(fd, k, fd->size, position, velocity);
    for (int i = 0; i < fd->k; i++) {
        if (i < fd->kg) size_of_nothing(r, i, position[i]);
        size_of_nothing(r, r->at[KEEL_ROW_VELOCITY] + i, velocity[i]);
    }
}

static void sizes_of_nothing(struct start *st, double t, const double *u) {
    const struct field *fd = st->fd;
    struct rows *r = st->rows;
    if (!(fd->traits & KEEL_SECOND_ORDER)) return;
    if (fd->mech.sparse) {
        if (fd->k) sizes_of_nothing_sparse(st, t, u);
        return;
    }
    for (int i = 0; i < r->count; i++) {
        if (!(ROWS_OF_CONSTRAINTS >> rows_kind(r, i) & 1)) continue;
        const double *row = rows_gradient(r, fd, i);
        double size = 0;
        for (int j = 0; j < fd->n; j++) size += fabs(row[j]) * fd->size[j];
        size_of_nothing(r, i, size);
    }
}

void start_sizes_of_rows(struct start *st, double t, const double *u) {
    least_sizes(st, t, u);
    sizes_of_nothing(st, t, u);
}

/* How large state j is by the rows of the level that it is in: their terms in what has a size, over its
 * slope. */
static double size_by_rows(const struct start *st, const struct start_level *level, int j) {
    const struct field *fd = st->fd;
    double most = 0;
    for (int i = 0; i < st->rows->count; i++) {
        if (!(level->kinds >> rows_kind(st->rows, i) & 1)) continue;
        const double *slope = rows_gradient(st->rows, fd, i);
        double terms = 0;
        for (int k = 0; k < fd->n && slope[j] != 0; k++) terms += fabs(slope[k]) * st->others[k];
        if (slope[j] != 0) most = fmax(most, terms / fabs(slope[j]));
    }
    return most;
}

/* The end of the array that begins at state j. */
static int end_of_array(const struct field *fd, int j) {
    const int *array = fd->p.array_of;
    int end = j + 1;
    while (array && end < fd->n && array[end] == array[j]) end++;
    return end;
}

static double largest_of(const struct start_level *level, const struct field *fd) {
    double largest = 0;
    for (int j = level->first; j < level->first + level->columns && j < fd->n; j++)
        if (fd->size[j] > fd->least[j]) largest = fmax(largest, fd->size[j]);
    return largest;
}

void start_sizes_beside(struct start *st, const struct start_level *level) {
    const struct field *fd = st->fd;
    double largest = largest_of(level, fd);
    for (int j = 0, end; j < fd->n; j = end) {
        double own = 0;
        end = end_of_array(fd, j);
        for (int k = j; k < end; k++)
            if (fd->size[k] > fd->least[k]) own = fmax(own, fd->size[k]);
        for (int k = j; k < end; k++) st->others[k] = fmax(fd->size[k], own > 0 ? own : largest);
    }
}

int start_sizes_anyhow(struct start *st, const struct start_level *level, const double *u) {
    const struct field *fd = st->fd;
    double largest = largest_of(level, fd), noise = 64 * DBL_EPSILON * largest;
    int any = 0;
    for (int j = 0, end; j < fd->n; j = end) {
        double own = 0;
        end = end_of_array(fd, j);
        for (int k = j; k < end; k++) own = fmax(own, fabs(u[k]));
        for (int k = j; k < end; k++) st->others[k] = own > noise ? own : 0;
        any |= own > noise && own <= fd->least[j];
    }
    for (int j = 0, end; j < fd->n; j = end) {
        double by_rows = 0;
        end = end_of_array(fd, j);
        for (int k = j; k < end && st->others[j] == 0; k++)
            by_rows = fmax(by_rows, size_by_rows(st, level, k));
        for (int k = j; k < end; k++) st->trial[k] = by_rows > 0 ? by_rows : largest;
        any |= by_rows > 0;
    }
    for (int j = 0; j < fd->n; j++)
        if (st->others[j] == 0) st->others[j] = st->trial[j];
    return any;
}
