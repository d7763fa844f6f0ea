/* newton_krylov.c - see newton.h: I - c J, or the matrix with M and F in it, where its factors would fill too
 * much, by GMRES.
 *
 * On grids of two and three dimensions the factors of N unknowns take O(N^1.5) and O(N^2) operations, the
 * incomplete ones O(N).  What a run does with them is counted in operations, which are the same in every run,
 * not in seconds: when the solves with a matrix have taken more than its factors would, on the average, or do
 * not arrive, the factors take over for good. */
#include "core/field.h"

#include <math.h>

#define MUCH 300    /* operations of the factors for each entry of the matrix: from here on GMRES is tried */
#define WEIGHT 0.8  /* of the matrices before in the average */
#define USUAL 1e-12 /* relative, where nobody says how near a solve must come */
#define HOPELESS 1e13 /* operations of the factors: hours */

/* Incomplete factors have their pivots on the diagonal: of a DAE, row i of F must contain y_i. */
static int has_diagonal(const struct newton_pattern *p) {
    for (int j = 0; j < p->order; j++) {
        int place = p->columns.start[j], end = p->columns.start[j + 1];
        while (place < end && p->columns.row[place] != j) place++;
        if (place == end) return 0;
    }
    return 1;
}

int newton_krylov_attach(struct field *fd) {
    struct newton_pattern *p = fd->pattern;
    if (fd->traits & KEEL_SECOND_ORDER || p->banded || !has_diagonal(p)) return 0;
    if (sparse_operations(p->analysis) < MUCH * (double)p->columns.entries) return 0;
    const struct ilu *first = NULL;
    int parts = 1;
    for (int i = 0; i < fd->newtons; i++) {
        keel_newton *n = &fd->newton[i];
        for (int k = 0; k < n->real + n->complex && n->of == n; k++) {
            int complex = k >= n->real;
            struct ilu *a = first ? ilu_share(first, complex)
                                  : ilu_open(p->order, p->columns.start, p->columns.row, complex);
            if (!a) return 1;
            n->incomplete[k] = a;
            if (!first) first = a;
            if (complex) parts = 2;
        }
    }
    if (first) p->gmres = gmres_open(parts * p->order);
    return first && !p->gmres;
}

/* The first one, which has the pattern, last. */
void newton_krylov_detach(struct field *fd) {
    for (int i = fd->newtons - 1; i >= 0; i--)
        for (int k = NEWTON_MATRICES - 1; k >= 0; k--) ilu_close(fd->newton[i].incomplete[k]);
    gmres_close(fd->pattern->gmres);
}

/* Operations for the factors of a matrix, of which complex ones take four times as many. */
static double average_factors(const struct field *fd, const keel_newton *n) {
    return sparse_operations(fd->pattern->analysis) * (n->real + 4. * n->complex) / (n->real + n->complex);
}

int newton_krylov_iterates(const keel_newton *n, int k) {
    return n->incomplete[k] && n->effort->direct == 0;
}

void newton_krylov_choose(const struct field *fd, const keel_newton *n) {
    struct newton_effort *e = n->effort;
    if (!n->incomplete[0] || e->direct != 0) return;
    e->average = WEIGHT * e->average + (1 - WEIGHT) * e->spent;
    e->spent = 0;
    double factors = average_factors(fd, n);
    if (n->anchor && e->average > factors && factors < HOPELESS) e->direct = 1;
}

int newton_krylov_factor(keel_newton *n, int k, const double *values) {
    if (!newton_krylov_iterates(n, k)) return 0;
    n->stands[k] = ilu_factor(n->incomplete[k], values) == 0;
    if (!n->stands[k]) n->effort->direct = 1;
    return n->stands[k];
}

/* S of all unknowns: y counts by its size as x does by its own, on the average. */
static const double *scale_all(const struct field *fd, const double *scale) {
    double *all = fd->pattern->moved, sum = 0;
    for (int i = 0; i < fd->n + fd->m && !scale; i++) all[i] = fd->size[i] > 0 ? 1 / fd->size[i] : 1;
    if (!scale || fd->m == 0) return scale ? scale : all;
    for (int i = 0; i < fd->n; i++) {
        all[i] = scale[i];
        sum += scale[i] * fd->size[i] * scale[i] * fd->size[i];
    }
    double average = sum > 0 ? sqrt(sum / fd->n) : 1;
    for (int i = fd->n; i < fd->n + fd->m; i++) all[i] = average * (fd->size[i] > 0 ? 1 / fd->size[i] : 1);
    return all;
}

int newton_krylov_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary,
                        const double *scale, double enough) {
    struct field *fd = field_of(w);
    struct gmres *g = fd->pattern->gmres;
    if (!newton_krylov_iterates(n, k) || !newton_sparse_stands(w, n, k)) return 0;
    if (n->effort->direct != 0) return 0;
    double *right = fd->pattern->right, share = sqrt((double)fd->n / fd->pattern->order);
    newton_sparse_right(fd, newton_sparse_mass(fd, n->used[k]), b, imaginary, right);
    int found =
        gmres_solve(g, n->incomplete[k], right, scale_all(fd, scale), share * enough, scale ? 0 : USUAL);
    n->effort->spent += gmres_operations(g, n->incomplete[k]);
    if (found) newton_sparse_left(fd, right, b, imaginary);
    if (found) return 1;
    if (sparse_operations(fd->pattern->analysis) < HOPELESS) {
        n->effort->direct = 1;
        n->stands[k] = 0;
        return 0;
    }
    field_fault(
        fd, KEEL_RETRY, KEEL_ENEWTON,
        "GMRES with incomplete factors does not solve the linear systems of %d unknowns, and complete "
        "factors would take %.0g operations",
        fd->n, sparse_operations(fd->pattern->analysis));
    b[0] = NAN;
    return 1;
}
