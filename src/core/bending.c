/* bending.c - see bending.h. */
#include "core/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long squares_of(const keel_pattern *p, int rows) {
    long sum = 0;
    for (int i = 0; i < rows; i++) {
        long length = p->row_start[i + 1] - p->row_start[i];
        sum += length * length;
    }
    return sum;
}

long bending_entries(const struct field *fd) {
    return (long)(fd->kg ? fd->constraint.user.pattern->nnz : 0) +
           (fd->kr ? fd->rolling.user.pattern->nnz : 0);
}

long bending_numbers(const struct field *fd) {
    return squares_of(fd->constraint.user.pattern, fd->kg) + squares_of(fd->rolling.user.pattern, fd->kr);
}

/* A state, as many zeros as there are multipliers and coordinates, entries of K twice, squares. */
size_t bending_tried(const struct field *fd) {
    if (fd->kr == 0) return 0;
    return (size_t)(2 * bending_entries(fd) + bending_numbers(fd)) + (size_t)(fd->width + fd->k + fd->nq);
}

/* The patterns of G and of A, one below the other. */
static int join(struct bending *b, const struct field *fd) {
    const keel_pattern *part[] = {fd->constraint.user.pattern, fd->rolling.user.pattern};
    int count[] = {fd->kg, fd->kr}, row = 0, entries = 0;
    b->row_start = calloc((size_t)fd->k + 1, sizeof *b->row_start);
    b->column = calloc((size_t)bending_entries(fd) + 1, sizeof *b->column);
    if (!b->row_start || !b->column) return 0;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < count[p]; i++) {
            for (int e = part[p]->row_start[i]; e < part[p]->row_start[i + 1]; e++)
                b->column[entries++] = part[p]->column[e];
            b->row_start[++row] = entries;
        }
    b->pattern = (keel_pattern){entries, b->row_start, b->column};
    return 1;
}

static int find_colours(struct bending *b, const struct field *fd) {
    struct colours found;
    int known = colours_open(&found, &b->pattern, fd->k, fd->nq) == 0;
    b->colours = known ? found.count : 0;
    for (int c = 0; c < b->colours; c++)
        for (int i = found.first[c]; i < found.first[c + 1]; i++) b->colour[found.list[i]] = c;
    colours_close(&found);
    return known;
}

int bending_attach(struct field *fd) {
    int asked = (fd->mech.sparse && fd->systems) || (fd->large && fd->newtons);
    fd->bending = NULL;
    if (!(fd->mech.sparse || hamiltonian_is_sparse(fd)) || fd->k == 0 || !asked) return 0;
    struct bending *b = fd->bending = calloc(1, sizeof *b);
    if (!b) return 1;
    size_t k = (size_t)fd->k, n = (size_t)fd->n;
    b->colour = calloc((size_t)fd->nq + 1, sizeof *b->colour);
    b->step = calloc(n + 1, sizeof *b->step);
    b->probe = calloc(n + 4, sizeof *b->probe);
    b->moved_rows = calloc((size_t)bending_entries(fd) + 1, sizeof *b->moved_rows);
    b->shift = calloc(k + 1, sizeof *b->shift);
    b->beside = calloc(k + 1, sizeof *b->beside);
    b->tried = calloc(bending_tried(fd) + 1, sizeof *b->tried);
    int known = b->tried && b->colour && b->step && b->probe && b->moved_rows && b->shift && b->beside;
    return !known || !join(b, fd) || !find_colours(b, fd);
}

void bending_detach(struct field *fd) {
    struct bending *b = fd->bending;
    if (!b) return;
    void *const blocks[] = {b->row_start,  b->column, b->colour, b->step, b->probe,
                            b->moved_rows, b->shift,  b->beside, b->tried};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    free(b);
    fd->bending = NULL;
}

keel_status bending_rows(struct field *fd, double t, const double *u, double *rows) {
    keel_status status = fd->kg ? map_entries(fd, &fd->constraint, t, u, rows) : KEEL_OK;
    double *below = rows + (fd->kg ? fd->constraint.user.pattern->nnz : 0);
    return status == KEEL_OK && fd->kr ? map_entries(fd, &fd->rolling, t, u, below) : status;
}

/* What is differenced: by coordinates, or by velocities (rows NULL), which K does not know. */
struct way {
    struct field *fd;
    bending_shift *shift; /* NULL: there is none, nor `by` */
    double t;
    const double *u, *rows;
    double *squares, *by;
};

/* Quotients of the rows whose coordinate of this colour has moved. */
static void take_colour(const struct way *m, const struct bending *b, int colour) {
    const keel_pattern *p = &b->pattern;
    double *square = m->squares;
    for (int i = 0; i < m->fd->k; i++) {
        int first = p->row_start[i], length = p->row_start[i + 1] - first;
        for (int c = 0; c < length; c++) {
            int j = p->column[first + c];
            if (b->colour[j] != colour) continue;
            double length_of = b->step[m->rows ? j : m->fd->nq + j];
            for (int e = 0; e < length && m->rows; e++)
                square[e * length + c] = (b->moved_rows[first + e] - m->rows[first + e]) / length_of;
            if (m->shift) m->by[first + c] = (b->beside[i] - b->shift[i]) / length_of;
        }
        if (m->rows) square += (long)length * length;
    }
}

/* Moves the coordinates of a colour by what `step` says, to either side. */
static keel_status one_colour(const struct way *m, struct bending *b, int colour) {
    struct field *fd = m->fd;
    keel_status status = KEEL_RETRY;
    for (int side = 0; side < 2 && status == KEEL_RETRY; side++) {
        for (int j = 0; j < fd->nq; j++) {
            if (b->colour[j] != colour) continue;
            int at = m->rows ? j : fd->nq + j;
            b->probe[at] = m->u[at] + (side ? -1 : 1) * fabs(b->step[at]);
            b->step[at] = b->probe[at] - m->u[at];
        }
        status = m->rows ? bending_rows(fd, m->t, b->probe, b->moved_rows) : KEEL_OK;
        if (status == KEEL_OK && m->shift) status = m->shift(fd, m->t, b->probe, b->beside);
    }
    if (status == KEEL_OK) take_colour(m, b, colour);
    memcpy(b->probe, m->u, (size_t)fd->n * sizeof *b->probe);
    return status;
}

static keel_status all_colours(keel_work *w, const struct way *m) {
    struct bending *b = m->fd->bending;
    keel_status status = m->shift ? m->shift(m->fd, m->t, m->u, b->shift) : KEEL_OK;
    newton_colour_steps(w, m->u, m->fd->n, b->step);
    memcpy(b->probe, m->u, (size_t)m->fd->n * sizeof *b->probe);
    for (int c = 0; c < b->colours && status == KEEL_OK; c++) status = one_colour(m, b, c);
    return status;
}

/* lambda of the squares, and a . K_q beside s_q, if that is wanted. */
static void weigh_rows(const struct field *fd, const double *lambda, const double *a, double *squares,
                       double *by_q) {
    const keel_pattern *p = &fd->bending->pattern;
    for (int i = 0; i < fd->k; i++) {
        int first = p->row_start[i], length = p->row_start[i + 1] - first, active = fd->active[i];
        for (int e = 0; e < length; e++, squares += length)
            for (int b = 0; b < length; b++) {
                if (by_q) by_q[first + b] += squares[b] * a[p->column[first + e]];
                squares[b] = active ? lambda[i] * squares[b] : 0;
            }
        if (!active && by_q) memset(by_q + first, 0, (size_t)length * sizeof *by_q);
    }
}

keel_status bending_by_q(keel_work *w, bending_shift *shift, double t, const double *u, const double *rows,
                         const double *lambda, const double *a, double *squares, double *by_q) {
    struct field *fd = field_of(w);
    keel_status status = all_colours(w, &(struct way){fd, shift, t, u, rows, squares, by_q});
    if (status == KEEL_OK) weigh_rows(fd, lambda, a, squares, by_q);
    return status;
}

keel_status bending_by_v(keel_work *w, bending_shift *shift, double t, const double *u, double *by_v) {
    return all_colours(w, &(struct way){field_of(w), shift, t, u, NULL, NULL, by_v});
}
