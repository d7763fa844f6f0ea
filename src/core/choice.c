/* choice.c - dependent constraints of mechanics that is written as a DAE (keel_choice).
 *
 * y holds accelerations and all multipliers.  Wherever F is solved for y the rows in force are those of the
 * start, or others that carry the motion better there (redundant.c), with B = K L^-T, M = L L^T.  The choice
 * is a function of the place, and accelerations do not depend on it.
 *
 * Then lambda is traded for the least one.  N spans what K^T does not see, orthonormal: N^T lambda = 0.  In
 * direction k, with d the derivative along it, K^T lambda_k + dK^T lambda does not depend on the choice, and
 * d(N^T lambda) = 0 says N^T lambda_k = N^T dK w for any w with K w = lambda: since K^T N = 0 stays true,
 * N^T d(K) = -dN^T K, and lambda = K w.  (G. H. Golub, V. Pereyra, SIAM J. Numer. Anal. 10 (1973) 413-432.)
 * F is linear in q'', and so dK w is the difference of two of its values. */
#include "core/algebra.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const keel_choice *choice_of(const struct field *fd) {
    return &keel_extras_of(&fd->p)->choice;
}

static struct rowspace space_of(struct arena *a, size_t rows, size_t columns) {
    size_t width = (columns + 3) / 4 * 4;
    return (struct rowspace){.rows = (int)rows,
                             .width = (int)width,
                             .q = arena_doubles(a, rows * width + 4),
                             .r = arena_doubles(a, rows * rows + 1),
                             .inverse = arena_doubles(a, rows + 1),
                             .used = arena_ints(a, rows + 1)};
}

void choice_layout(struct field *fd, struct arena *a) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    size_t k = (size_t)c->rows, n = (size_t)c->coordinates, all = (size_t)(fd->n + fd->m);
    if (k == 0) return;
    o->space = space_of(a, k, n);
    o->unseen = space_of(a, k, k);
    o->of_rows = (struct redundant){arena_ints(a, k + 1), arena_doubles(a, k + 1), arena_doubles(a, k + 1)};
    o->mass = arena_doubles(a, n * n + 1);
    o->k_rows = arena_doubles(a, k * n + 1);
    o->floor_of = arena_doubles(a, k + 1);
    o->z = arena_doubles(a, k + 1);
    o->lambda = arena_doubles(a, (size_t)o->unseen.width + 4);
    o->row = arena_doubles(a, (size_t)o->space.width + 4);
    o->solve = arena_doubles(a, (size_t)fd->m + 1);
    o->here = arena_doubles(a, (size_t)fd->m + 1);
    o->u = arena_doubles(a, all + 1);
}

static void show(struct field *fd, const int *in_force) { /* NULL: all of them */
    const keel_choice *c = choice_of(fd);
    for (int i = 0; i < c->rows; i++) fd->p.side[c->first + i] = in_force ? in_force[i] : 1;
}

/* Row i of F_y of the motion, as it stands: its entries in these columns. */
static void take_row(const struct field *fd, int i, int count, const int *column, double *out) {
    const struct algebra *d = &fd->dae;
    int own = algebra_own(fd);
    if (!d->sparse) {
        for (int j = 0; j < count; j++) out[j] = d->matrix[(long)i * own + column[j]];
        return;
    }
    const keel_pattern *p = fd->p.algebraic.pattern;
    for (int j = 0; j < count; j++) {
        out[j] = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] == fd->n + column[j]) out[j] = d->entries[e];
    }
}

/* M = L L^T and K. */
static keel_status take_matrices(struct field *fd, double t, const double *u) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    int n = c->coordinates;
    keel_status status = algebra_matrix(fd, t, u);
    if (status != KEEL_OK) return status;
    for (int j = 0; j < n; j++) take_row(fd, c->motion[j], n, c->acceleration, o->mass + (long)j * n);
    for (int i = 0; i < c->rows; i++)
        take_row(fd, c->constraint[i], n, c->acceleration, o->k_rows + (long)i * n);
    if (dense_cholesky(n, o->mass, fd->halt) == 0) return KEEL_OK;
    return field_fault(fd, KEEL_RETRY, KEEL_ESINGULAR,
                       "the mass matrix is not positive definite at t = %.10g", t);
}

static void set_rows(struct choice *o, int n) {
    for (int i = 0; i < o->space.rows; i++) mechanism_row(&o->space, i, n, o->k_rows + (long)i * n, o->mass);
}

keel_status choice_make(struct field *fd, double t, const double *u) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    int independent = 0, row;
    if (c->rows == 0) return KEEL_OK;
    show(fd, NULL);
    keel_status status = take_matrices(fd, t, u);
    for (int i = 0; i < c->rows; i++) independent += o->of_rows.in_force[i] = c->in_force[i];
    for (int chosen = 0; status == KEEL_OK; chosen = 1) {
        set_rows(o, c->coordinates);
        for (int i = 0; i < c->rows; i++) o->floor_of[i] = o->of_rows.in_force[i] ? sqrt(DBL_EPSILON) : 2;
        rowspace_factor(&o->space, o->floor_of);
        if (chosen ||
            (o->space.rank >= independent && redundant_least_fraction(&o->space, &row) >= REDUNDANT_NARROW))
            break;
        set_rows(o, c->coordinates);
        redundant_choose(&o->of_rows, &o->space, independent);
    }
    show(fd, o->of_rows.in_force);
    return status;
}

/* The least multipliers ---------------------------------------------------------------------------------- */

/* o->unseen: N^T, an orthogonal basis of (e_r - C_r), B_r = C_r B for the rows that are not in force. */
static void find_unseen(struct field *fd) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    int n = c->coordinates, at = 0;
    for (int r = 0; r < c->rows; r++) {
        double *row = o->unseen.q + (long)at * o->unseen.width;
        if (o->of_rows.in_force[r]) continue;
        memset(o->row, 0, (size_t)o->space.width * sizeof *o->row);
        memcpy(o->row, o->k_rows + (long)r * n, (size_t)n * sizeof *o->row);
        dense_lower_solve(n, o->mass, o->row);
        rowspace_components(&o->space, o->row, o->z);
        rowspace_coefficients(&o->space, o->z);
        memset(row, 0, (size_t)o->unseen.width * sizeof *row);
        for (int i = 0; i < c->rows; i++) row[i] = i == r ? 1 : -o->z[i];
        o->floor_of[at++] = 0;
    }
    o->unseen.rows = at;
    rowspace_factor(&o->unseen, o->floor_of);
}

/* lambda := lambda - N N^T (lambda - by), of the multipliers in y. */
static void trade(struct field *fd, double *y, const double *by) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    memset(o->lambda, 0, (size_t)o->unseen.width * sizeof *o->lambda);
    for (int i = 0; i < c->rows; i++) o->lambda[i] = y[c->multiplier[i]] - (by ? by[i] : 0);
    rowspace_tangent(&o->unseen, o->lambda);
    for (int i = 0; i < c->rows; i++) y[c->multiplier[i]] = o->lambda[i] + (by ? by[i] : 0);
}

/* o->u := u with q'' moved by w, K w = lambda. */
static void move_accelerations(struct field *fd, const double *u, int own) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    memset(o->solve, 0, (size_t)own * sizeof *o->solve);
    for (int i = 0; i < c->rows; i++)
        o->solve[c->constraint[i]] = o->of_rows.in_force[i] ? u[fd->n + c->multiplier[i]] : 0;
    algebra_divide_block(fd, own, o->solve);
    memcpy(o->u, u, (size_t)(fd->n + fd->m) * sizeof *u);
    for (int j = 0; j < c->coordinates; j++) o->u[fd->n + c->acceleration[j]] += o->solve[c->acceleration[j]];
}

/* The multipliers of a direction, whose equations have these values at the least lambda, and with w. */
static void vary(struct field *fd, int own, const double *here, const double *moved, double *y) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    memset(o->solve, 0, (size_t)own * sizeof *o->solve);
    for (int j = 0; j < c->coordinates; j++) o->solve[c->motion[j]] = here[c->motion[j]];
    algebra_divide_block(fd, own, o->solve);
    for (int i = 0; i < c->rows; i++) {
        y[c->multiplier[i]] -= o->solve[c->multiplier[i]];
        o->z[i] = moved[c->constraint[i]] - here[c->constraint[i]];
    }
    trade(fd, y, o->z);
}

keel_status choice_least(struct field *fd, double t, double *u) {
    struct choice *o = &fd->dae.choice;
    int own = algebra_own(fd), directions = keel_extras_of(&fd->p)->variations.directions;
    double *y = u + fd->n;
    if (choice_of(fd)->rows == 0 || (directions && own == fd->m)) return KEEL_OK;
    find_unseen(fd);
    trade(fd, y, NULL);
    if (directions == 0) return KEEL_OK;
    show(fd, NULL);
    move_accelerations(fd, u, own);
    keel_status status = map_value(fd, &fd->algebraic, t, u, o->here);
    if (status == KEEL_OK) status = map_value(fd, &fd->algebraic, t, o->u, fd->dae.values);
    for (int first = own; first < fd->m && status == KEEL_OK; first += own)
        vary(fd, own, o->here + first, fd->dae.values + first, y + first);
    show(fd, o->of_rows.in_force);
    return status;
}
