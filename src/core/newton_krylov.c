/* newton_krylov.c - see newton.h: I - c J where its factors would fill too much, by GMRES.
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

/* One with complex matrices, or with J of two places, keeps its factors. */
static int suits(const keel_newton *n) {
    return n->of == n && n->complex == 0 && !n->has_beside;
}

int newton_krylov_attach(struct field *fd) {
    struct newton_pattern *p = fd->pattern;
    if (fd->m || fd->p.mass.value || fd->traits & KEEL_SECOND_ORDER || p->banded) return 0;
    if (sparse_operations(p->analysis) < MUCH * (double)p->columns.entries) return 0;
    const struct ilu *first = NULL;
    for (int i = 0; i < fd->newtons; i++)
        for (int k = 0; k < fd->newton[i].real && suits(&fd->newton[i]); k++) {
            struct ilu *a = first ? ilu_share(first) : ilu_open(p->order, p->columns.start, p->columns.row);
            if (!a) return 1;
            fd->newton[i].incomplete[k] = a;
            if (!first) first = a;
        }
    if (first) p->gmres = gmres_open(p->order);
    return first && !p->gmres;
}

/* The first one, which has the pattern, last. */
void newton_krylov_detach(struct field *fd) {
    for (int i = fd->newtons - 1; i >= 0; i--)
        for (int k = NEWTON_MATRICES - 1; k >= 0; k--) ilu_close(fd->newton[i].incomplete[k]);
    gmres_close(fd->pattern->gmres);
}

void newton_krylov_choose(const struct field *fd, const keel_newton *n) {
    struct newton_effort *e = n->effort;
    if (!n->incomplete[0] || e->direct != 0) return;
    e->average = WEIGHT * e->average + (1 - WEIGHT) * e->spent;
    e->spent = 0;
    double factors = sparse_operations(fd->pattern->analysis);
    if (n->anchor && e->average > factors && factors < HOPELESS) e->direct = 1;
}

int newton_krylov_factor(keel_newton *n, int k, const double *values) {
    if (!n->incomplete[k] || n->effort->direct != 0) return 0;
    n->stands[k] = ilu_factor(n->incomplete[k], values) == 0;
    if (!n->stands[k]) n->effort->direct = 1;
    return n->stands[k];
}

int newton_krylov_solve(const keel_work *w, keel_newton *n, int k, double *b, const double *scale,
                        double enough) {
    struct field *fd = field_of(w);
    struct gmres *g = fd->pattern->gmres;
    if (!n->incomplete[k] || n->effort->direct != 0 || !newton_sparse_stands(w, n, k)) return 0;
    if (n->effort->direct != 0) return 0;
    double *by_size = fd->pattern->moved;
    for (int i = 0; i < fd->n && !scale; i++) by_size[i] = fd->size[i] > 0 ? 1 / fd->size[i] : 1;
    int found = gmres_solve(g, n->incomplete[k], b, scale ? scale : by_size, enough, scale ? 0 : USUAL);
    n->effort->spent += gmres_operations(g, n->incomplete[k]);
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
