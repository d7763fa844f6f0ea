/* algebra_sparse.c - F_y of many algebraic variables, by its pattern.
 *
 * All rows of F contain y, by the pattern: the index is 1.  KLU permutes F_y to block triangular form
 * first, so that blocks are factored one by one.  Pivots are those of an anchor, the first F_y of all,
 * which lies in the solver's block; factors follow from it and from the values at hand.  With sensitivities
 * it is the block of y itself, which is that of every direction (algebra.h). */
#include "core/algebra.h"
#include "linalg/columns.h"

#include <stdlib.h>
#include <string.h>

struct algebra_matrix {
    struct columns columns; /* from: the entry of F's pattern that stands there */
    double *values;
    int *workspace; /* of its order */
    struct sparse *lu;
    int anchored;
};

static const keel_pattern *pattern_of(const struct field *fd) {
    return fd->p.algebraic.pattern;
}

static int count_entries(const struct field *fd) {
    const keel_pattern *p = pattern_of(fd);
    int own = algebra_own(fd), count = 0;
    for (int e = 0; e < p->row_start[own]; e++) count += p->column[e] >= fd->n && p->column[e] < fd->n + own;
    return count;
}

void algebra_sparse_layout(struct field *fd, struct arena *a) {
    struct algebra *d = &fd->dae;
    d->entries = arena_doubles(a, (size_t)pattern_of(fd)->nnz);
    d->anchor = arena_doubles(a, (size_t)count_entries(fd));
    d->anchor_known = arena_ints(a, 1);
}

int algebra_sparse_attach(struct field *fd) {
    struct algebra *d = &fd->dae;
    int own = algebra_own(fd);
    d->lu = NULL;
    if (!d->sparse) return 0;
    struct algebra_matrix *a = d->lu = calloc(1, sizeof *a);
    if (!a) return 1;
    d->factored = 0;
    a->workspace = calloc((size_t)own, sizeof *a->workspace);
    if (columns_make(&a->columns, pattern_of(fd), own, fd->n, own) || !a->workspace) return 1;
    a->values = calloc((size_t)a->columns.entries + 1, sizeof *a->values);
    if (!a->values) return 1;
    a->lu = sparse_open(own, a->columns.start, a->columns.row, SPARSE_SCALED);
    return !a->lu;
}

void algebra_sparse_detach(struct field *fd) {
    struct algebra_matrix *a = fd->dae.lu;
    if (!a) return;
    sparse_close(a->lu);
    columns_free(&a->columns);
    free(a->values);
    free(a->workspace);
    free(a);
    fd->dae.lu = NULL;
}

keel_status algebra_sparse_factor(struct field *fd) {
    struct algebra *d = &fd->dae;
    struct algebra_matrix *a = d->lu;
    for (int place = 0; place < a->columns.entries; place++)
        a->values[place] = d->entries[a->columns.from[place]];
    if (!*d->anchor_known) memcpy(d->anchor, a->values, (size_t)a->columns.entries * sizeof *d->anchor);
    *d->anchor_known = 1;
    if (!a->anchored) a->anchored = sparse_anchor(a->lu, d->anchor) == 0;
    if (a->anchored && sparse_refactor(a->lu, a->values) == 0 && sparse_is_sound(a->lu, a->values))
        return KEEL_OK;
    return sparse_fresh(a->lu, a->values) == 0 ? KEEL_OK : field_not_factored(fd, a->lu, KEEL_RETRY);
}

void algebra_sparse_divide(const struct field *fd, double *v) {
    sparse_solve(fd->dae.lu->lu, v);
}

double algebra_sparse_log_det(const struct field *fd, int *sign) {
    return sparse_log_det(fd->dae.lu->lu, sign, fd->dae.lu->workspace);
}
