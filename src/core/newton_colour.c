/* newton_colour.c - the entries of a sparse jacobian by differences.
 *
 * Columns without a common row are moved at once: each row sees one of them.  Greedy colouring in the order
 * of the columns (Curtis, Powell, Reid, J. Inst. Math. Appl. 13 (1974) 117; Coleman, More, SIAM J. Numer.
 * Anal. 20 (1983) 187) gives as many colours as the longest row has entries where the matrix is banded. */
#include "core/field.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const keel_pattern *row_of(const struct field *fd, int i, int *at) {
    *at = i < fd->n ? i : i - fd->n;
    return i < fd->n ? fd->p.f.pattern : fd->p.algebraic.pattern;
}

/* Rows whose entries are found so: where rates of rows determine y those of f alone. */
static int rows_of(const struct field *fd, const struct newton_pattern *a) {
    return fd->dae.by_rates ? fd->n : a->order;
}

/* The least colour that no earlier column of any row of column j has. */
static int free_colour(const struct field *fd, const struct newton_pattern *a, int j, int *taken) {
    for (int place = a->columns.start[j]; place < a->columns.start[j + 1]; place++) {
        int at;
        if (a->columns.row[place] >= rows_of(fd, a)) continue;
        const keel_pattern *p = row_of(fd, a->columns.row[place], &at);
        for (int e = p->row_start[at]; e < p->row_start[at + 1] && p->column[e] < j; e++)
            taken[a->colour[p->column[e]]] = j + 1;
    }
    int colour = 0;
    while (taken[colour] == j + 1) colour++;
    return colour;
}

static void find_colours(const struct field *fd, struct newton_pattern *a) {
    int *taken = a->list;
    memset(taken, 0, (size_t)a->order * sizeof *taken);
    memset(a->first, 0, ((size_t)a->order + 1) * sizeof *a->first);
    for (int j = 0; j < a->order; j++) {
        a->colour[j] = free_colour(fd, a, j, taken);
        a->first[a->colour[j] + 1]++;
        if (a->colour[j] >= a->colours) a->colours = a->colour[j] + 1;
    }
    for (int c = 0; c < a->colours; c++) a->first[c + 1] += a->first[c];
    for (int j = 0; j < a->order; j++) a->list[a->first[a->colour[j]]++] = j;
    for (int c = a->colours; c > 0; c--) a->first[c] = a->first[c - 1];
    a->first[0] = 0;
}

/* f, then F; where the rate is f, that of the run, which may slide along a switching surface: what this
 * adds to J mostly stands in rows and columns that the pattern has. */
static keel_status values_at(keel_work *w, double t, const double *u, double *out) {
    struct field *fd = field_of(w);
    if (fd->rhs == fd->p.f.value) {
        keel_status status = keel_rhs(w, t, u, out);
        return status == KEEL_OK && !keel_native_finite(fd->n, out) ? KEEL_RETRY : status;
    }
    w->calls++;
    keel_status status = map_value(fd, &fd->f, t, u, out);
    return status == KEEL_OK && fd->m && !fd->dae.by_rates ? map_value(fd, &fd->algebraic, t, u, out + fd->n)
                                                           : status;
}

/* Forward quotients; on the other side if the first one leaves the domain. */
static keel_status one_colour(keel_work *w, const struct newton_pattern *a, int colour, double t,
                              const double *u, double *entries) {
    keel_status status = KEEL_RETRY;
    int rows = rows_of(field_of(w), a);
    for (int side = 1; side >= -1 && status == KEEL_RETRY; side -= 2) {
        for (int k = a->first[colour]; k < a->first[colour + 1]; k++) {
            int j = a->list[k];
            a->probe[j] = u[j] + side * a->step[j];
        }
        status = values_at(w, t, a->probe, a->moved);
        for (int k = a->first[colour]; k < a->first[colour + 1]; k++) {
            int j = a->list[k];
            double length = a->probe[j] - u[j];
            a->probe[j] = u[j];
            for (int place = a->columns.start[j]; place < a->columns.start[j + 1] && status == KEEL_OK;
                 place++)
                if (a->columns.from[place] >= 0 && a->columns.row[place] < rows)
                    entries[a->columns.from[place]] =
                        (a->moved[a->columns.row[place]] - a->base[a->columns.row[place]]) / length;
        }
    }
    return status;
}

void newton_colour_steps(const keel_work *w, const double *u, int count, double *step) {
    const struct field *fd = field_of(w);
    double largest = 0;
    for (int j = 0; j < fd->n; j++) largest = fmax(largest, fabs(u[j]));
    for (int j = 0; j < count; j++) { /* a state that is zero counts as what the tolerances neglect */
        double least = j >= fd->n                      ? fd->size[j]
                       : w->rtol > 0 && w->atol[j] > 0 ? w->atol[j] / w->rtol
                       : largest > 0                   ? 1e-3 * largest
                                                       : 1e-3;
        step[j] = sqrt(DBL_EPSILON) * fmax(fabs(u[j]), least);
    }
}

keel_status newton_colour_entries(keel_work *w, double t, const double *u, double *entries) {
    struct field *fd = field_of(w);
    struct newton_pattern *a = fd->pattern;
    if (a->colours == 0) find_colours(fd, a);
    fd->stats->jacobians++;
    newton_colour_steps(w, u, a->order, a->step);
    memcpy(a->probe, u, (size_t)a->order * sizeof *u);
    keel_status status = values_at(w, t, u, a->base);
    for (int c = 0; c < a->colours && status == KEEL_OK; c++) status = one_colour(w, a, c, t, u, entries);
    return status;
}
