/* mass_sparse.c - the mass matrix of a large system of first order, by its pattern. */
#include "core/field.h"
#include "linalg/columns.h"

#include <stdlib.h>

/* M by columns; its values lie in fd->mass, in the order of its pattern. */
struct mass_matrix {
    struct columns columns;
    double *values;
    struct sparse *lu;
    int factored;
};

int mass_sparse_attach(struct field *fd) {
    const keel_pattern *p = fd->p.mass.pattern;
    fd->mass_lu = NULL;
    if (!fd->large || !fd->p.mass.value || fd->traits & KEEL_SECOND_ORDER) return 0;
    struct mass_matrix *a = fd->mass_lu = calloc(1, sizeof *a);
    if (!a) return 1;
    a->values = calloc((size_t)p->nnz + 1, sizeof *a->values);
    if (columns_make(&a->columns, p, fd->n, 0, fd->n) || !a->values) return 1;
    a->lu = sparse_open(fd->n, a->columns.start, a->columns.row, SPARSE_SCALED);
    return !a->lu;
}

void mass_sparse_detach(struct field *fd) {
    struct mass_matrix *a = fd->mass_lu;
    if (!a) return;
    sparse_close(a->lu);
    columns_free(&a->columns);
    free(a->values);
    free(a);
    fd->mass_lu = NULL;
}

keel_status mass_sparse_factor(struct field *fd, double t, const double *u) {
    struct mass_matrix *a = fd->mass_lu;
    const keel_pattern *p = fd->p.mass.pattern;
    if (fd->p.mass.constant && fd->mass_ready && a->factored) return KEEL_OK;
    int code = fd->p.mass.value(t, u, fd->mass, fd->p.user);
    keel_status status = map_checked(fd, "mass", NULL, code, t, p->nnz, fd->mass);
    if (status != KEEL_OK) return status;
    fd->stats->factorizations++;
    for (int place = 0; place < p->nnz; place++) a->values[place] = fd->mass[a->columns.from[place]];
    fd->mass_ready = a->factored = sparse_fresh(a->lu, a->values) == 0;
    if (fd->mass_ready) return KEEL_OK;
    if (sparse_starved(a->lu)) return field_not_factored(fd, a->lu, KEEL_RETRY);
    return field_fault(fd, KEEL_RETRY, KEEL_ESINGULAR,
                       "the mass matrix is singular at t = %.10g: write the equations without a rate as "
                       "`algebraic` rows of a DAE",
                       t);
}

void mass_sparse_divide(const struct field *fd, double *v) {
    sparse_solve(fd->mass_lu->lu, v);
}

void mass_sparse_multiply(const struct field *fd, const double *mass, const double *v, int stride,
                          const int *position, double *out) {
    const keel_pattern *p = fd->p.mass.pattern;
    for (int i = 0; i < fd->n; i++) {
        double sum = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) sum += mass[e] * v[p->column[e]];
        out[(long)position[i] * stride] = sum;
    }
}
