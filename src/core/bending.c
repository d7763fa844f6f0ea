/* bending.c - see bending.h. */
#include <keel/extras.h>

#include "core/field.h"

#include "core/start.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Row i of K, from where on, and how many entries. */
static const keel_pattern *row_of(const keel_problem *p, int i, int *first, int *length) {
    int of_g = i < p->constraint.count, at = of_g ? i : i - p->constraint.count;
    const keel_pattern *rows = of_g ? p->constraint.pattern : p->rolling.pattern;
    *first = rows->row_start[at];
    *length = rows->row_start[at + 1] - *first;
    return rows;
}

/* Does it have its entries apart? */
static int is_apart(const keel_problem *p, int i) {
    int first, length;
    if (i >= p->constraint.count || !keel_extras_of(p)->constraint_bend) return 0;
    row_of(p, i, &first, &length);
    return length > KEEL_BEND_SHORT;
}

int bending_with(const keel_problem *p, int i, int e, const int **column) {
    int first, length;
    const keel_pattern *rows = row_of(p, i, &first, &length);
    if (is_apart(p, i)) {
        const keel_pattern *bend = keel_extras_of(p)->constraint_bend;
        *column = bend->column + bend->row_start[first + e];
        return bend->row_start[first + e + 1] - bend->row_start[first + e];
    }
    *column = rows->column + first;
    return length;
}

double bending_numbers(const keel_problem *p) {
    double sum = 0;
    for (int i = 0; i < p->constraint.count + p->rolling.count; i++) {
        int first, length;
        const int *column;
        row_of(p, i, &first, &length);
        if (!is_apart(p, i)) sum += (double)length * length;
        else
            for (int e = 0; e < length; e++) sum += bending_with(p, i, e, &column);
    }
    return sum;
}

long bending_entries(const struct field *fd) {
    return (long)(fd->kg ? fd->constraint.user.pattern->nnz : 0) +
           (fd->kr ? fd->rolling.user.pattern->nnz : 0);
}

/* A state, as many zeros as there are multipliers and coordinates, entries of K twice, squares. */
size_t bending_tried(const struct field *fd) {
    if (fd->kr == 0) return 0;
    return (size_t)(2 * bending_entries(fd)) + (size_t)bending_numbers(&fd->p) +
           (size_t)(fd->width + fd->k + fd->nq);
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

/* Which coordinates may not be moved at once: those of a row, or of an entry of a row that has them apart. */
static int keep_apart(const struct bending *b, const struct field *fd, keel_pattern *out) {
    const keel_pattern *bend = keel_extras_of(&fd->p)->constraint_bend;
    size_t entries = (size_t)bending_entries(fd), most = entries + (size_t)(b->any_apart ? bend->nnz : 0);
    int rows = 0, *start = calloc((size_t)fd->k + entries + 1, sizeof *start),
        *column = calloc(most + 1, sizeof *column);
    *out = (keel_pattern){0, start, column};
    for (int i = 0; i < fd->k && start && column; i++) {
        int length = b->row_start[i + 1] - b->row_start[i], apart = b->apart[i];
        for (int e = 0; e < (apart ? length : 1) && length; e++) {
            const int *with;
            int count = bending_with(&fd->p, i, e, &with);
            for (int c = 0; c < count; c++) column[out->nnz++] = with[c];
            start[++rows] = out->nnz;
        }
    }
    return start && column ? rows : -1;
}

static int find_colours(struct bending *b, const struct field *fd) {
    struct colours found;
    keel_pattern rows;
    int count = keep_apart(b, fd, &rows);
    int known = count >= 0 && colours_open(&found, &rows, count, fd->nq) == 0;
    free((int *)rows.row_start);
    free((int *)rows.column);
    if (count < 0) return 0;
    b->colours = known ? found.count : 0;
    for (int c = 0; c < b->colours; c++)
        for (int i = found.first[c]; i < found.first[c + 1]; i++) b->colour[found.list[i]] = c;
    colours_close(&found);
    return known;
}

int bending_attach(struct field *fd) {
    int asked = fd->systems || (fd->large && fd->newtons);
    fd->bending = NULL;
    if (!(fd->mech.sparse || hamiltonian_is_sparse(fd)) || fd->k == 0 || !asked) return 0;
    struct bending *b = fd->bending = calloc(1, sizeof *b);
    if (!b) return 1;
    size_t k = (size_t)fd->k, n = (size_t)fd->n;
    b->apart = calloc(k + 1, sizeof *b->apart);
    b->colour = calloc((size_t)fd->nq + 1, sizeof *b->colour);
    b->step = calloc(n + 1, sizeof *b->step);
    b->probe = calloc(n + 4, sizeof *b->probe);
    b->moved_rows = calloc((size_t)bending_entries(fd) + 1, sizeof *b->moved_rows);
    b->shift = calloc(k + 1, sizeof *b->shift);
    b->beside = calloc(k + 1, sizeof *b->beside);
    b->tried = calloc(bending_tried(fd) + 1, sizeof *b->tried);
    for (int i = 0; i < fd->k && b->apart; i++) b->any_apart |= b->apart[i] = is_apart(&fd->p, i);
    if (b->any_apart) b->opposite = calloc(3 * (size_t)bending_entries(fd) + 1, sizeof *b->opposite);
    int known = b->tried && b->colour && b->step && b->probe && b->moved_rows && b->shift && b->beside &&
                b->apart && (b->opposite || !b->any_apart);
    return !known || !join(b, fd) || !find_colours(b, fd);
}

void bending_detach(struct field *fd) {
    struct bending *b = fd->bending;
    if (!b) return;
    void *const blocks[] = {b->row_start, b->column, b->colour, b->step,  b->probe, b->moved_rows,
                            b->opposite,  b->shift,  b->beside, b->tried, b->apart};
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
    const struct bending_shift *shift; /* NULL: there is none, nor `by` */
    double t;
    const double *u, *rows;
    double *squares, *by;
};

/* The same of a row with its entries apart; where the next row's stand. */
static double *take_apart(const struct way *m, const struct bending *b, int colour, int i, double *square) {
    int first = b->pattern.row_start[i], length = b->pattern.row_start[i + 1] - first;
    for (int e = 0; e < length; e++) {
        const int *column;
        int count = bending_with(&m->fd->p, i, e, &column);
        for (int c = 0; c < count; c++, square++)
            if (b->colour[column[c]] == colour)
                *square = (b->moved_rows[first + e] - m->rows[first + e]) / b->step[column[c]];
    }
    return square;
}

/* Quotients of the rows whose coordinate of this colour has moved. */
static void take_colour(const struct way *m, const struct bending *b, int colour) {
    const keel_pattern *p = &b->pattern;
    double *square = m->squares;
    for (int i = 0; i < m->fd->k; i++) {
        int first = p->row_start[i], length = p->row_start[i + 1] - first;
        if (b->apart[i]) {
            square = m->rows ? take_apart(m, b, colour, i, square) : NULL;
            continue;
        }
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
        if (status == KEEL_OK && m->shift) status = m->shift->at(fd, m->t, b->probe, b->beside);
    }
    if (status == KEEL_OK) take_colour(m, b, colour);
    memcpy(b->probe, m->u, (size_t)fd->n * sizeof *b->probe);
    return status;
}

/* G at t + s, and in motion at q + s v. */
static keel_status rows_along(const struct way *m, struct bending *b, double s, double *rows) {
    struct field *fd = m->fd;
    for (int j = 0; j < fd->nq && m->shift->in_motion; j++) b->probe[j] = m->u[j] + s * m->u[fd->nq + j];
    keel_status status = bending_rows(fd, fd->constraint.time_dependent ? m->t + s : m->t, b->probe, rows);
    memcpy(b->probe, m->u, (size_t)fd->n * sizeof *b->probe);
    return status;
}

/* What constraints with their entries apart add: gamma_q, gamma_v or g_tq.  It is 0 where the way leaves the
 * domain. */
static keel_status along_the_motion(const struct way *m, struct bending *b) {
    const struct field *fd = m->fd;
    const int *start = b->pattern.row_start;
    double s = pow(DBL_EPSILON, 0.25) * mechanics_path_length(fd, m->u);
    keel_status status = rows_along(m, b, s, b->moved_rows);
    if (status == KEEL_OK) status = rows_along(m, b, -s, b->opposite);
    for (int i = 0; i < fd->kg; i++)
        for (int e = start[i]; e < start[i + 1] && b->apart[i]; e++) {
            double ahead = b->moved_rows[e], behind = b->opposite[e];
            m->by[e] = status != KEEL_OK      ? 0
                       : !m->shift->in_motion ? (ahead - behind) / (2 * s)
                       : !m->rows             ? (ahead - behind) / s
                                              : (ahead - 2 * m->rows[e] + behind) / (s * s);
        }
    return status == KEEL_RETRY ? KEEL_OK : status;
}

static keel_status all_colours(keel_work *w, const struct way *m) {
    struct bending *b = m->fd->bending;
    keel_status status = m->shift ? m->shift->at(m->fd, m->t, m->u, b->shift) : KEEL_OK;
    newton_colour_steps(w, m->u, m->fd->n, b->step);
    memcpy(b->probe, m->u, (size_t)m->fd->n * sizeof *b->probe);
    for (int c = 0; c < b->colours && status == KEEL_OK; c++) status = one_colour(m, b, c);
    return status == KEEL_OK && m->shift && b->any_apart ? along_the_motion(m, b) : status;
}

/* The same of a row with its entries apart, g_qq of which is symmetric; where the next row's stand. */
static double *weigh_apart(const struct field *fd, int i, double lambda, const double *a, double *square,
                           double *by_q) {
    const int *start = fd->bending->pattern.row_start, *column;
    for (int e = start[i]; e < start[i + 1]; e++) {
        int count = bending_with(&fd->p, i, e - start[i], &column);
        for (int c = 0; c < count; c++, square++) {
            if (by_q) by_q[e] += *square * a[column[c]];
            *square = fd->active[i] ? lambda * *square : 0;
        }
        if (by_q && !fd->active[i]) by_q[e] = 0;
    }
    return square;
}

/* lambda of the squares, and a . K_q beside s_q, if that is wanted. */
static void weigh_rows(const struct field *fd, const double *lambda, const double *a, double *squares,
                       double *by_q) {
    const keel_pattern *p = &fd->bending->pattern;
    for (int i = 0; i < fd->k; i++) {
        int first = p->row_start[i], length = p->row_start[i + 1] - first, active = fd->active[i];
        if (fd->bending->apart[i]) {
            squares = weigh_apart(fd, i, lambda[i], a, squares, by_q);
            continue;
        }
        for (int e = 0; e < length; e++, squares += length)
            for (int b = 0; b < length; b++) {
                if (by_q) by_q[first + b] += squares[b] * a[p->column[first + e]];
                squares[b] = active ? lambda[i] * squares[b] : 0;
            }
        if (!active && by_q) memset(by_q + first, 0, (size_t)length * sizeof *by_q);
    }
}

keel_status bending_by_q(keel_work *w, const struct bending_shift *shift, double t, const double *u,
                         const double *rows, const double *lambda, const double *a, double *squares,
                         double *by_q) {
    struct field *fd = field_of(w);
    keel_status status = all_colours(w, &(struct way){fd, shift, t, u, rows, squares, by_q});
    if (status == KEEL_OK) weigh_rows(fd, lambda, a, squares, by_q);
    return status;
}

keel_status bending_by_v(keel_work *w, const struct bending_shift *shift, double t, const double *u,
                         double *by_v) {
    return all_colours(w, &(struct way){field_of(w), shift, t, u, NULL, NULL, by_v});
}

/* sum[e] := the change of entry e by the coordinates it depends on, each moved by `step`, colour by
 * colour. */
static keel_status sum_colours(struct field *fd, double t, const double *u, const double *rows, double *sum) {
    struct bending *b = fd->bending;
    keel_status status = KEEL_OK;
    memset(sum, 0, (size_t)b->pattern.nnz * sizeof *sum);
    for (int c = 0; c < b->colours && status == KEEL_OK; c++) {
        for (int j = 0; j < fd->nq; j++) b->probe[j] = u[j] + (b->colour[j] == c ? b->step[j] : 0);
        status = bending_rows(fd, t, b->probe, b->moved_rows);
        for (int i = 0; i < fd->kg && status == KEEL_OK; i++)
            for (int e = b->row_start[i]; e < b->row_start[i + 1] && b->apart[i]; e++) {
                const int *with;
                int count = bending_with(&fd->p, i, e - b->row_start[i], &with), moves = 0;
                for (int k = 0; k < count; k++) moves |= b->colour[with[k]] == c;
                if (moves) sum[e] += b->moved_rows[e] - rows[e];
            }
    }
    return status;
}

/* The entry of row i that changes, where all coordinates move, otherwise than by those it has; -1: none. */
static int lacks_one(const struct bending *b, int i, const double *rows, const double *sum) {
    double size = 0, largest = 0;
    for (int e = b->row_start[i]; e < b->row_start[i + 1] && b->apart[i]; e++) {
        size = fmax(size, fabs(rows[e]));
        largest = fmax(largest, fabs(b->moved_rows[e] - rows[e]));
    }
    for (int e = b->row_start[i]; e < b->row_start[i + 1] && b->apart[i]; e++) {
        double found = b->moved_rows[e] - rows[e], noise = 1e3 * DBL_EPSILON * size + 1e-6 * largest;
        if (fabs(found - sum[e]) > 1e-3 * (fabs(found) + fabs(sum[e])) + noise) return e;
    }
    return -1;
}

keel_status bending_check(struct field *fd, double t, const double *u) {
    struct bending *b = fd->bending;
    char row[64], column[64];
    unsigned seed = 1618;
    if (!b || !b->any_apart) return KEEL_OK;
    double *rows = b->opposite + b->pattern.nnz, *sum = rows + b->pattern.nnz;
    memcpy(b->probe, u, (size_t)fd->n * sizeof *u);
    for (int j = 0; j < fd->nq; j++) b->step[j] = 1e-6 * start_random(&seed) * fmax(fd->size[j], fabs(u[j]));
    keel_status status = bending_rows(fd, t, u, rows);
    if (status == KEEL_OK) status = sum_colours(fd, t, u, rows, sum);
    for (int j = 0; j < fd->nq; j++) b->probe[j] = u[j] + b->step[j];
    if (status == KEEL_OK) status = bending_rows(fd, t, b->probe, b->moved_rows);
    for (int i = 0; i < fd->kg && status == KEEL_OK; i++) {
        int e = lacks_one(b, i, rows, sum);
        if (e >= 0)
            return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                               "extras.constraint_bend lacks an entry: the derivative of %s by %s depends on "
                               "more coordinates than row %d of the pattern names",
                               field_name(fd->constraint.user.names, i, "constraint", row, sizeof row),
                               field_name(fd->p.names, b->column[e], "u", column, sizeof column), e);
    }
    return status == KEEL_RETRY ? KEEL_OK : status;
}
