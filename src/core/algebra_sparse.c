/* algebra_sparse.c - the matrix of many algebraic variables, by its pattern.
 *
 * Where all rows of F contain y, by the pattern, the index is 1 and the matrix is F_y.  KLU permutes it to
 * block triangular form first, so that blocks are factored one by one.  With sensitivities it is the block of
 * y itself, which is that of every direction (algebra.h).
 *
 * Where rates of rows r without y determine y, their d/dy is r_x M^-1 f_y.  This product is not formed: with
 * a = M^-1 f_y dy
 *
 *     ( M    -f_y ) (a )   (0)
 *     ( 0     F_y ) (dy) = (v)     rows of F that contain y
 *     ( r_x    0  )        (w)     rates of rows that do not
 *
 * has the entries of the patterns alone, and its determinant is that of M times that of the product.
 *
 * Pivots are those of an anchor, the first matrix of all, which lies in the solver's block; factors follow
 * from it and from the values at hand. */
#include "core/algebra.h"
#include "linalg/columns.h"

#include <stdlib.h>
#include <string.h>

/* The roles of the rows ---------------------------------------------------------------------------------- */

/* Does row i of p name a y?  Columns ascend. */
static int names_y(const struct field *fd, const keel_pattern *p, int i) {
    return p->row_start[i] < p->row_start[i + 1] && p->column[p->row_start[i + 1] - 1] >= fd->n;
}

int algebra_contains_y(const struct field *fd) {
    for (int i = 0; i < fd->m; i++)
        if (!names_y(fd, fd->p.algebraic.pattern, i)) return 0;
    return 1;
}

/* M is diagonal: x'_j has what f_j has.  Where F does with its own rows, rates have no say. */
static enum algebra_role role_of(const struct field *fd, int i, int by_rates) {
    int at;
    const keel_pattern *p = algebra_pattern(fd, i, &at);
    if (i < fd->m && names_y(fd, p, at)) return ALGEBRA_DIRECT;
    for (int e = p ? p->row_start[at] : 0; by_rates && e < p->row_start[at + 1]; e++)
        if (names_y(fd, fd->p.f.pattern, p->column[e])) return ALGEBRA_DERIVED;
    return ALGEBRA_NONE;
}

enum algebra_role algebra_role(const struct field *fd, int i) {
    return role_of(fd, i, fd->dae.by_rates);
}

static int is_diagonal(const keel_pattern *p, int n) {
    for (int i = 0; i < n; i++)
        if (p->row_start[i + 1] != i + 1 || p->column[i] != i) return 0;
    return 1;
}

int algebra_goes_by_rates(const struct field *fd) {
    const keel_problem *p = &fd->p;
    int equations = 0, rows = fd->m + p->hidden.count;
    if (fd->m == 0 || fd->n == 0 || !p->f.pattern || !p->algebraic.pattern || algebra_contains_y(fd))
        return 0;
    if ((p->hidden.count && !p->hidden.pattern) || keel_extras_of(p)->variations.directions) return 0;
    if (p->mass.value && !(p->mass.pattern && is_diagonal(p->mass.pattern, fd->n))) return 0;
    for (int i = 0; i < rows; i++) equations += role_of(fd, i, 1) != ALGEBRA_NONE;
    return equations == fd->m;
}

/* The matrix --------------------------------------------------------------------------------------------- */

struct algebra_matrix {
    int order;
    struct columns columns; /* from: the entry of F, h, f that stands there; below 0: of M */
    double *values;
    double *right;  /* order; NULL: it is F_y */
    int *workspace; /* of its order */
    struct sparse *lu;
    int anchored;
};

static const keel_pattern *pattern_of(const struct field *fd) {
    return fd->p.algebraic.pattern;
}

/* Entries of F and, where rates count, of h, behind which those of f stand. */
static int entries_of_rows(const struct field *fd) {
    return pattern_of(fd)->nnz + (fd->dae.by_rates ? newton_entries(&fd->p.hidden) : 0);
}

/* F_y, or the larger matrix by rows: how many entries, and where they come from; NULL: they are counted. */
static int place_rows(const struct field *fd, int *row_start, int *column, int *from) {
    const keel_pattern *f = fd->p.f.pattern;
    int count = 0, order = 0;
    for (int i = 0; i < fd->n; i++) {
        if (column) column[count] = i, from[count] = -1 - i;
        count++;
        for (int e = f->row_start[i]; e < f->row_start[i + 1]; e++) {
            if (f->column[e] < fd->n) continue;
            if (column) column[count] = f->column[e], from[count] = entries_of_rows(fd) + e;
            count++;
        }
        if (row_start) row_start[++order] = count;
    }
    for (int i = 0; i < fd->dae.rows; i++) {
        int at, first = i < fd->m ? 0 : pattern_of(fd)->nnz;
        enum algebra_role role = algebra_role(fd, i);
        const keel_pattern *p = algebra_pattern(fd, i, &at);
        if (role == ALGEBRA_NONE) continue;
        for (int e = p->row_start[at]; e < p->row_start[at + 1]; e++) {
            if (role == ALGEBRA_DIRECT && p->column[e] < fd->n) continue;
            if (column) column[count] = p->column[e], from[count] = first + e;
            count++;
        }
        if (row_start) row_start[++order] = count;
    }
    return count;
}

static int count_entries(const struct field *fd) {
    const keel_pattern *p = pattern_of(fd);
    int own = algebra_own(fd), count = 0;
    if (fd->dae.by_rates) return place_rows(fd, NULL, NULL, NULL);
    for (int e = 0; e < p->row_start[own]; e++) count += p->column[e] >= fd->n && p->column[e] < fd->n + own;
    return count;
}

void algebra_sparse_layout(struct field *fd, struct arena *a) {
    struct algebra *d = &fd->dae;
    size_t others = d->by_rates ? (size_t)newton_entries(&fd->p.hidden) + (size_t)fd->p.f.pattern->nnz : 0;
    d->any_derived = d->by_rates;
    d->entries = arena_doubles(a, (size_t)pattern_of(fd)->nnz + others);
    d->anchor = arena_doubles(a, (size_t)count_entries(fd));
    d->anchor_known = arena_ints(a, 1);
}

static int make_columns(struct algebra_matrix *a, const struct field *fd) {
    int own = algebra_own(fd);
    if (!fd->dae.by_rates) return columns_make(&a->columns, pattern_of(fd), own, fd->n, own);
    size_t count = (size_t)count_entries(fd);
    int *row_start = calloc((size_t)a->order + 1, sizeof *row_start);
    int *column = calloc(2 * count + 1, sizeof *column), starved = 1;
    if (row_start && column) {
        keel_pattern rows = {place_rows(fd, row_start, column, column + count), row_start, column};
        starved = columns_make(&a->columns, &rows, a->order, 0, a->order);
        for (int place = 0; place < rows.nnz && !starved; place++)
            a->columns.from[place] = column[count + (size_t)a->columns.from[place]];
    }
    free(row_start);
    free(column);
    return starved;
}

int algebra_sparse_attach(struct field *fd) {
    struct algebra *d = &fd->dae;
    d->lu = NULL;
    if (!d->sparse) return 0;
    struct algebra_matrix *a = d->lu = calloc(1, sizeof *a);
    if (!a) return 1;
    d->factored = 0;
    a->order = d->by_rates ? fd->n + fd->m : algebra_own(fd);
    a->workspace = calloc((size_t)a->order, sizeof *a->workspace);
    a->right = d->by_rates ? calloc((size_t)a->order, sizeof *a->right) : NULL;
    if (make_columns(a, fd) || !a->workspace || (d->by_rates && !a->right)) return 1;
    a->values = calloc((size_t)a->columns.entries + 1, sizeof *a->values);
    if (!a->values) return 1;
    a->lu = sparse_open(a->order, a->columns.start, a->columns.row, SPARSE_SCALED);
    return !a->lu;
}

void algebra_sparse_detach(struct field *fd) {
    struct algebra_matrix *a = fd->dae.lu;
    if (!a) return;
    sparse_close(a->lu);
    columns_free(&a->columns);
    free(a->values);
    free(a->workspace);
    free(a->right);
    free(a);
    fd->dae.lu = NULL;
}

keel_status algebra_sparse_rate(struct field *fd, double t, const double *u) {
    return map_entries(fd, &fd->f, t, u, fd->dae.entries + entries_of_rows(fd));
}

keel_status algebra_sparse_factor(struct field *fd) {
    struct algebra *d = &fd->dae;
    struct algebra_matrix *a = d->lu;
    int of_rows = entries_of_rows(fd);
    for (int place = 0; place < a->columns.entries; place++) {
        int e = a->columns.from[place];
        double of_mass = e < 0 && fd->p.mass.value ? fd->mass[-1 - e] : 1;
        a->values[place] = e < 0 ? of_mass : e < of_rows ? d->entries[e] : -d->entries[e];
    }
    if (!*d->anchor_known) memcpy(d->anchor, a->values, (size_t)a->columns.entries * sizeof *d->anchor);
    *d->anchor_known = 1;
    if (!a->anchored) a->anchored = sparse_anchor(a->lu, d->anchor) == 0;
    if (a->anchored && sparse_refactor(a->lu, a->values) == 0 && sparse_is_sound(a->lu, a->values))
        return KEEL_OK;
    return sparse_fresh(a->lu, a->values) == 0 ? KEEL_OK : field_not_factored(fd, a->lu, KEEL_RETRY);
}

void algebra_sparse_divide(const struct field *fd, double *v) {
    const struct algebra_matrix *a = fd->dae.lu;
    if (!a->right) {
        sparse_solve(a->lu, v);
        return;
    }
    memset(a->right, 0, (size_t)fd->n * sizeof *v);
    memcpy(a->right + fd->n, v, (size_t)fd->m * sizeof *v);
    sparse_solve(a->lu, a->right);
    memcpy(v, a->right + fd->n, (size_t)fd->m * sizeof *v);
}

double algebra_sparse_log_det(const struct field *fd, int *sign) {
    return sparse_log_det(fd->dae.lu->lu, sign, fd->dae.lu->workspace);
}
