/* newton_rates.c - see newton.h: I - c J of M x' = f(t,x,y) where d/dt of rows r(t,x) = 0 determines y, of
 * index 2 and 3.
 *
 * With J = dx'/dx and dx = (I - c J)^-1 b, x' changes by J dx = (dx - b) / c.  So the rate r_x x' + r_t,
 * which stays zero, says
 *
 *     r_x (dx - b) / c + (d/dx (r_x x' + r_t), x' held) dx = 0
 *
 * and what is held there is d/dt of r_x along the motion.  With z = c dy all of it is
 *
 *     (  M - c f_x         -f_y ) (dx)   (M b  )
 *     (    c F_x            F_y ) (z ) = (  0  )      rows of F that contain y
 *     ( r_x + c d/dt r_x     0  )        (r_x b)      rates of rows that do not:
 *
 * the entries of the patterns, no second derivatives but along one direction, and no products of matrices.
 * As c falls to 0 it goes to the matrix of y itself (algebra_sparse.c).  Numbers: the entries of f, those
 * that stand below at c = 0, and their d/dc. */
#include "core/field.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int entries_of_f_rows(const struct field *fd) { /* of F */
    return fd->p.algebraic.pattern->nnz;
}

static int entries_below(const struct field *fd) {
    return entries_of_f_rows(fd) + newton_entries(&fd->p.hidden);
}

size_t newton_rates_numbers(const struct field *fd) {
    return 2 * (size_t)entries_below(fd);
}

/* The rows of F and h whose rates count, at (t, u). */
static keel_status rows_at(struct field *fd, double t, const double *u, double *below) {
    keel_status status = map_entries(fd, &fd->algebraic, t, u, below);
    if (status != KEEL_OK || fd->hidden.user.count == 0) return status;
    return map_entries(fd, &fd->hidden, t, u, below + entries_of_f_rows(fd));
}

/* How fast the fastest state of these rows moves, or t where it counts, in its sizes. */
static double fastest_of(const struct field *fd, const double *u, const double *rate) {
    double fastest = 0;
    for (int i = 0; i < fd->dae.rows; i++) {
        int at;
        const keel_pattern *p = algebra_pattern(fd, i, &at);
        if (!fd->dae.derived[i]) continue;
        for (int e = p->row_start[at]; e < p->row_start[at + 1]; e++) {
            int j = p->column[e];
            fastest = fmax(fastest, fabs(rate[j]) / fmax(fd->size[j], fabs(u[j])));
        }
    }
    if (fd->algebraic.time_dependent || fd->hidden.time_dependent) fastest = fmax(fastest, 1 / fd->t_length);
    return fastest;
}

/* A central quotient, over the time in which the fastest moves by the cube root of round-off; where there are
 * no values on one side, from the other. */
keel_status newton_rows_move(struct field *fd, const struct newton_rows *rows, double t, const double *u,
                             const double *rate, double fastest, double *moving) {
    double *probe = fd->pattern->probe, share = cbrt(DBL_EPSILON), whole = 0,
           length = fmax(fastest > 0 ? share / fastest : share, 64 * DBL_EPSILON * fabs(t));
    memcpy(probe, u, (size_t)(fd->n + fd->m) * sizeof *u);
    for (int side = -1; side <= 1; side += 2) {
        double *out = side < 0 ? rows->before : moving;
        for (int j = 0; j < fd->n; j++) probe[j] = u[j] + side * length * rate[j];
        keel_status status = rows->at(fd, t + side * length, probe, out);
        if (status < 0) return status;
        if (status == KEEL_OK) whole += length;
        else memcpy(out, rows->here, (size_t)rows->entries * sizeof *out);
    }
    fd->fault.status = KEEL_OK;
    for (long e = 0; e < rows->entries; e++)
        moving[e] = whole > 0 ? (moving[e] - rows->before[e]) / whole : 0;
    return KEEL_OK;
}

/* Rows that contain y: x stands by c, y as it is. */
static void part_direct(const struct field *fd, double *below, double *moving) {
    const keel_pattern *p = fd->p.algebraic.pattern;
    for (int i = 0; i < fd->m; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1] && fd->dae.direct[i]; e++) {
            int by_x = p->column[e] < fd->n;
            moving[e] = by_x ? below[e] : 0;
            if (by_x) below[e] = 0;
        }
}

keel_status newton_rates_jacobian(keel_work *w, double *numbers, double t, const double *u, int differences) {
    struct field *fd = field_of(w);
    double *below = numbers + fd->pattern->of_f, *moving = below + entries_below(fd),
           *rate = fd->pattern->base;
    keel_status status = differences || !fd->p.f.jacobian ? newton_colour_entries(w, t, u, numbers)
                                                          : map_entries(fd, &fd->f, t, u, numbers);
    if (status == KEEL_OK) status = rows_at(fd, t, u, below);
    if (status == KEEL_OK) status = map_value(fd, &fd->f, t, u, rate);
    if (status == KEEL_OK) status = field_divide_by_mass(fd, t, u, rate);
    const struct newton_rows rows = {rows_at, entries_below(fd), below, fd->pattern->below};
    if (status == KEEL_OK) status = newton_rows_move(fd, &rows, t, u, rate, fastest_of(fd, u, rate), moving);
    if (status == KEEL_OK) part_direct(fd, below, moving);
    return status;
}

void newton_rates_assemble(const struct field *fd, const double *numbers, double real, double imaginary,
                           int complex) {
    const struct newton_pattern *p = fd->pattern;
    double *v = complex ? p->pairs : p->values;
    const double *moving = numbers + entries_below(fd);
    for (int j = 0; j < p->order; j++)
        for (int place = p->columns.start[j]; place < p->columns.start[j + 1]; place++) {
            int e = p->columns.from[place], of_f = e < p->of_f;
            double entry = e < 0 ? 0 : numbers[e];
            double stays = !of_f ? entry : j < fd->n ? 0 : -entry;
            double by_c = !of_f ? moving[e] : j < fd->n ? -entry : 0;
            size_t at = (size_t)p->at[place];
            v[complex ? 2 * at : at] = stays + real * by_c;
            if (complex) v[2 * at + 1] = imaginary * by_c;
        }
}

void newton_rates_right(const struct field *fd, const double *numbers, const double *b, const double *other,
                        double *r) {
    const struct newton_pattern *a = fd->pattern;
    int row = fd->n, stride = other ? 2 : 1;
    for (int i = 0; i < fd->dae.rows; i++) {
        int at, derived = algebra_role(fd, i) == ALGEBRA_DERIVED;
        const keel_pattern *p = algebra_pattern(fd, i, &at);
        const double *entries = numbers + a->of_f + (i < fd->m ? 0 : entries_of_f_rows(fd));
        if (algebra_role(fd, i) == ALGEBRA_NONE) continue;
        double sum = 0, second = 0;
        for (int e = p->row_start[at]; e < p->row_start[at + 1] && derived; e++) {
            sum += entries[e] * b[p->column[e]];
            if (other) second += entries[e] * other[p->column[e]];
        }
        r[(size_t)stride * (size_t)a->position[row]] = sum;
        if (other) r[2 * (size_t)a->position[row] + 1] = second;
        row++;
    }
}
