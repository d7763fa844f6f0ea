/* choice.c - accelerations and multipliers of mechanics that is written as a DAE (keel_choice).
 *
 * y holds nothing else, and F is linear in y.  So y is solved for as plain mechanics does it: with M = L L^T
 * and the rows of B = K L^-T as a row space, by the values of F at y = 0 (mechanism.h).  The same factors
 * serve every direction, by its values where y stands and its own y is 0 (keel_choice.offsets).
 *
 * Where constraints depend on others the rows in force are those of the start, or others that carry the
 * motion better there (redundant.c).  The choice is a function of the place, and accelerations do not depend
 * on it.  Then lambda is traded for the least one.  N spans what K^T does not see, orthonormal: N^T lambda =
 * 0.  In direction k, with d the derivative along it, K^T lambda_k + dK^T lambda does not depend on the
 * choice, and d(N^T lambda) = 0 says N^T lambda_k = N^T dK w for any w with K w = lambda: since K^T N = 0
 * stays true, N^T d(K) = -dN^T K, and lambda = K w.  (G. H. Golub, V. Pereyra, SIAM J. Numer. Anal. 10
 * (1973) 413-432.)  F is linear in q'', and so dK w is the difference of two of its values.
 *
 * Large M and K, no constraint of which depends on others, have sparse factors (choice_sparse.c). */
#include "core/algebra.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const keel_choice *choice_of(const struct field *fd) {
    return &keel_extras_of(&fd->p)->choice;
}

/* Where no constraint depends on others equations of few coordinates are solved as any others. */
int choice_serves(const struct field *fd) {
    const keel_choice *c = choice_of(fd);
    int left_out = 0;
    if (c->rows == 0 || !algebra_goes_staggered(fd) || algebra_own(fd) != c->coordinates + c->rows) return 0;
    for (int i = 0; i < c->rows; i++) left_out |= !c->in_force[i];
    return left_out || choice_goes_sparse(fd);
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

/* Where entries of F_y stand in M, or behind it in K: those of the motion's rows, M q'' + K^T lambda. */
static void place_entries(const struct field *fd, struct choice *o) {
    const keel_choice *c = choice_of(fd);
    const keel_pattern *p = fd->p.algebraic.pattern;
    int own = algebra_own(fd), n = c->coordinates, at = 0;
    int *row = o->place, *column = o->place + own; /* a workspace until entries follow */
    for (int i = 0; i < own; i++) row[i] = -1;
    for (int j = 0; j < n; j++) row[c->motion[j]] = j, column[c->acceleration[j]] = j;
    for (int i = 0; i < c->rows; i++) column[c->multiplier[i]] = n + i;
    for (int i = 0; i < own; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            int j = p->column[e] - fd->n;
            if (j < 0 || j >= own) continue;
            int of = column[j];
            o->to[at++] = row[i] < 0 ? -1 : of < n ? row[i] * n + of : of * n + row[i];
        }
}

void choice_layout(struct field *fd, struct arena *a) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    size_t k = (size_t)c->rows, n = (size_t)c->coordinates, all = (size_t)(fd->n + fd->m);
    o->serves = choice_serves(fd);
    if (!o->serves) return;
    o->z = arena_doubles(a, k + 1);
    o->gamma = arena_doubles(a, k + 1);
    o->lambda = arena_doubles(a, k + 1);
    o->force = arena_doubles(a, (n + 3) / 4 * 4 + 4);
    o->here = arena_doubles(a, (size_t)fd->m + 1);
    o->sparse = choice_goes_sparse(fd);
    if (o->sparse) {
        choice_sparse_layout(fd, a);
        return;
    }
    o->space = space_of(a, k, n);
    redundant_layout(&o->of_rows, a, c->rows, c->coordinates);
    o->mass = arena_doubles(a, n * n + k * n + 1);
    o->k_rows = o->mass ? o->mass + n * n : NULL;
    o->to = arena_ints(a, (size_t)fd->dae.of_entries + 1);
    o->place = arena_ints(a, 2 * (n + k));
    o->floor_of = arena_doubles(a, k + 1);
    o->weighted = arena_doubles(a, (size_t)o->space.width + 4);
    o->u = arena_doubles(a, all + 1);
    if (o->to && o->place) place_entries(fd, o);
}

/* M = L L^T and K. */
static keel_status take_matrices(struct field *fd, double t, const double *u) {
    struct choice *o = &fd->dae.choice;
    int n = choice_of(fd)->coordinates, rows = choice_of(fd)->rows;
    keel_status status = algebra_own_entries(fd, t, u);
    if (status != KEEL_OK) return status;
    memset(o->mass, 0, (size_t)(n + rows) * (size_t)n * sizeof *o->mass);
    for (int e = 0; e < fd->dae.of_entries; e++)
        if (o->to[e] >= 0) o->mass[o->to[e]] = fd->dae.of_y[e];
    return dense_cholesky(n, o->mass, fd->halt) == 0 ? KEEL_OK : choice_bad_mass(fd, t);
}

keel_status choice_bad_mass(struct field *fd, double t) {
    return field_fault(fd, KEEL_RETRY, KEEL_ESINGULAR,
                       "the mass matrix is not positive definite at t = %.10g", t);
}

static void set_rows(struct choice *o, int n) {
    for (int i = 0; i < o->space.rows; i++)
        mechanism_row(&o->space, i, n, o->k_rows + (long)i * n, NULL, o->mass);
}

keel_status choice_make(struct field *fd, double t, const double *u) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    int independent = 0, row;
    if (!o->serves) return KEEL_OK;
    if (o->sparse) return choice_sparse_make(fd, t, u);
    keel_status status = take_matrices(fd, t, u);
    for (int i = 0; i < c->rows; i++) independent += o->of_rows.in_force[i] = c->in_force[i];
    for (int chosen = 0; status == KEEL_OK; chosen = 1) {
        set_rows(o, c->coordinates);
        for (int i = 0; i < c->rows; i++) o->floor_of[i] = o->of_rows.in_force[i] ? sqrt(DBL_EPSILON) : 2;
        rowspace_factor(&o->space, o->floor_of);
        fd->stats->factorizations++;
        if (chosen || independent == c->rows ||
            (o->space.rank >= independent && redundant_least_fraction(&o->space, &row) >= REDUNDANT_NARROW))
            break;
        set_rows(o, c->coordinates);
        redundant_choose(&o->of_rows, &o->space, independent);
    }
    for (int i = 0; i < c->rows && status == KEEL_OK; i++) fd->p.side[c->first + i] = o->of_rows.in_force[i];
    return status;
}

/* Accelerations and multipliers -------------------------------------------------------------------------- */

/* y of the motion, or of a direction, where its rows have these values at y = 0. */
static void solve_block(struct field *fd, const double *value, double *y) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    int n = c->coordinates;
    if (o->sparse) {
        choice_sparse_solve(fd, value, y);
        return;
    }
    for (int j = 0; j < n; j++) o->force[j] = -value[c->motion[j]];
    for (int j = n; j < o->space.width; j++) o->force[j] = 0;
    for (int i = 0; i < c->rows; i++) o->gamma[i] = value[c->constraint[i]];
    mechanism_accelerate(n, NULL, o->mass, &o->space, o->gamma, o->force, o->lambda, o->z, o->weighted);
    for (int j = 0; j < n; j++) y[c->acceleration[j]] = o->force[j];
    for (int i = 0; i < c->rows; i++) y[c->multiplier[i]] = o->lambda[i];
}

const double *choice_shares(struct field *fd, int r) {
    struct choice *o = &fd->dae.choice;
    int n = choice_of(fd)->coordinates;
    return redundant_shares(&o->of_rows, &o->space, n, o->k_rows + (long)r * n, o->mass);
}

/* The multipliers in y become the nearest with N^T lambda = N^T by; NULL: 0. */
static void trade(struct field *fd, double *y, const double *by) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    for (int i = 0; i < c->rows; i++) o->lambda[i] = y[c->multiplier[i]];
    redundant_trade(&o->of_rows, c->rows, o->lambda, by);
    for (int i = 0; i < c->rows; i++) y[c->multiplier[i]] = o->of_rows.lambda[i];
}

/* o->u := u with q'' moved by w, K w = lambda. */
static void move_accelerations(struct field *fd, const double *u) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    for (int i = 0; i < c->rows; i++) o->gamma[i] = u[fd->n + c->multiplier[i]];
    rowspace_shortest(&o->space, o->gamma, o->z, o->weighted);
    dense_lower_t_solve(c->coordinates, o->mass, o->weighted);
    memcpy(o->u, u, (size_t)(fd->n + fd->m) * sizeof *u);
    for (int j = 0; j < c->coordinates; j++) o->u[fd->n + c->acceleration[j]] += o->weighted[j];
}

/* The rows of F for y alone, and of all directions, without what they are solved for. */
static keel_status offset(struct field *fd, double t, const double *u, double *out) {
    int code = choice_of(fd)->offset(t, u, out, fd->p.user);
    return map_checked(fd, "offset", NULL, code, t, algebra_own(fd), out);
}

static keel_status offsets(struct field *fd, double t, const double *u, double *out) {
    int code = choice_of(fd)->offsets(t, u, out, fd->p.user);
    return map_checked(fd, "offsets", NULL, code, t, fd->m - algebra_own(fd), out);
}

/* The least multipliers of all directions; `here`: their offsets. */
static keel_status spread(struct field *fd, double t, double *u) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    int own = algebra_own(fd);
    keel_status status = offsets(fd, t, o->u, fd->dae.values);
    for (int first = own; first < fd->m && status == KEEL_OK; first += own) {
        int at = first - own;
        for (int i = 0; i < c->rows; i++)
            o->z[i] = fd->dae.values[at + c->constraint[i]] - o->here[at + c->constraint[i]];
        trade(fd, u + fd->n + first, o->z);
    }
    return status;
}

/* The constraint of a row that carries the motion and has no direction of its own; -1. */
static int lost_row(const struct field *fd) {
    const struct choice *o = &fd->dae.choice;
    for (int i = 0; i < o->space.rows; i++)
        if (o->of_rows.in_force[i] && !o->space.used[i]) return i;
    return -1;
}

keel_status choice_lost_rank(struct field *fd, double t, int row) {
    char name[64];
    return field_fault(
        fd, KEEL_RETRY, KEEL_ESINGULAR,
        "the constraint %s loses its own direction at t = %.10g (a dead centre): the motion is "
        "not determined beyond this position",
        field_name(fd->p.algebraic.names, choice_of(fd)->constraint[row], "constraint", name, sizeof name),
        t);
}

/* y of all directions, where that of the motion stands. */
static keel_status solve_directions(struct field *fd, double t, double *u) {
    int own = algebra_own(fd);
    double *here = fd->dae.choice.here;
    keel_status status = offsets(fd, t, u, here);
    for (int first = own; first < fd->m && status == KEEL_OK; first += own)
        solve_block(fd, here + first - own, u + fd->n + first);
    return status;
}

/* The same with the least multipliers: those that are traded are traded in all directions. */
static keel_status solve_traded(struct field *fd, double t, double *u) {
    struct choice *o = &fd->dae.choice;
    redundant_find_unseen(&o->of_rows, &o->space, choice_of(fd)->coordinates, o->k_rows, o->mass);
    trade(fd, u + fd->n, NULL);
    if (o->of_rows.unseen.rows == 0) return solve_directions(fd, t, u);
    move_accelerations(fd, u);
    keel_status status = solve_directions(fd, t, u);
    return status == KEEL_OK ? spread(fd, t, u) : status;
}

keel_status choice_solve(struct field *fd, double t, double *u) {
    struct choice *o = &fd->dae.choice;
    int lost;
    keel_status status = choice_make(fd, t, u);
    if (status != KEEL_OK) return status;
    if ((lost = lost_row(fd)) >= 0) return choice_lost_rank(fd, t, lost);
    fd->stats->newton++;
    status = offset(fd, t, u, o->here);
    if (status != KEEL_OK) return status;
    solve_block(fd, o->here, u + fd->n);
    return o->sparse ? solve_directions(fd, t, u) : solve_traded(fd, t, u);
}
