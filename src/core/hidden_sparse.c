/* hidden_sparse.c - the hidden rows h(t, x) = 0 of a large DAE, by their pattern, and the rows of F without y
 * where there are such; the constraints of a large Hamiltonian and their d/dt, in place of F and h.
 *
 * With B = H W^-1, H the jacobian of the rows and W the weights of the states, the shortest a with B a = c
 * solves the saddle-point system
 *
 *     a + B^T mu = 0,   B a = c,
 *
 * sparse as it stands (linalg/saddle.h): a projection takes as many operations as there are entries, where an
 * orthogonal basis of k rows takes k^2 n.  A row beside them that has no pattern, an invariant's, is freed of
 * what B spans: the solution of a + B^T mu = b, B a = 0. */
#include "core/field.h"

#include <keel/extras.h>

#include <math.h>
#include <string.h>

enum { LEAST_STAGGERED = 100 }; /* rows of a block; fewer are staggered, dense (manifold_staggered.c) */

/* Stabilizers that go their own ways see dense rows, unless they say that they need none. */
int hidden_goes_sparse(const struct field *fd, unsigned traits, const keel_stabilizer *stabilizer) {
    const keel_map *hidden = &fd->hidden.user, *algebraic = &fd->algebraic.user;
    unsigned dense = KEEL_FIRST_ROW | KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS | KEEL_DAMPS;
    unsigned wants = stabilizer->info.traits;
    int own = (wants & dense && !(wants & KEEL_SPARSE_ROWS)) || stabilizer->correct;
    int blocks = 1 + keel_extras_of(&fd->p)->variations.directions; /* of a motion and its sensitivities */
    if (fd->kg)
        return !stabilizer->correct && hamiltonian_goes_sparse(&fd->p, traits, stabilizer->info.traits);
    if ((!fd->large && fd->m) || own) return 0;
    if (hidden->count && !hidden->pattern) return 0;
    if (fd->dae.by_rates)
        return saddle_pays(fd->n, hidden->count + fd->m, fd->n,
                           (double)newton_entries(hidden) + newton_entries(algebraic));
    if (hidden->count == 0) return 0;
    if (blocks > 1 && hidden->count < blocks * LEAST_STAGGERED) return 0;
    return saddle_pays(fd->n / blocks, hidden->count / blocks, fd->n / blocks, hidden->pattern->nnz / blocks);
}

/* What has the first rows, and what the others: F and h, or g and d/dt g. */
static const struct map *leading(const struct field *fd) {
    return fd->kg ? &fd->constraint : &fd->algebraic;
}

static const struct map *following(const struct field *fd) {
    return fd->kg ? &fd->velocity : &fd->hidden;
}

/* Row i of both, and whether y is solved for by it. */
static const keel_pattern *joined_row(const struct field *fd, int i, int *at, int *direct) {
    *direct = !fd->kg && algebra_role(fd, i) == ALGEBRA_DIRECT;
    if (!fd->kg) return algebra_pattern(fd, i, at);
    *at = i < fd->kg ? i : i - fd->kg;
    return i < fd->kg ? fd->constraint.user.pattern : fd->velocity.user.pattern;
}

/* The rows of both, those that contain y without their entries. */
static void hidden_sparse_join(struct field *fd, struct arena *a) {
    struct hidden_rows *r = &fd->hidden_rows;
    size_t most = (size_t)newton_entries(&leading(fd)->user) + (size_t)newton_entries(&following(fd)->user);
    int *row_start = arena_ints(a, (size_t)r->count + 1), *column = arena_ints(a, most + 1), entries = 0;
    for (int i = 0; i < r->count; i++) {
        int at, direct;
        const keel_pattern *p = joined_row(fd, i, &at, &direct);
        for (int e = p->row_start[at]; e < p->row_start[at + 1] && !direct; e++, entries++)
            if (column) column[entries] = p->column[e];
        if (row_start) row_start[i + 1] = entries;
    }
    if (row_start) row_start[0] = 0;
    r->pattern = (keel_pattern){entries, row_start, column};
}

void hidden_sparse_layout(struct field *fd, struct arena *a) {
    struct hidden_rows *r = &fd->hidden_rows;
    int both = fd->kg || fd->dae.by_rates, first = leading(fd)->user.count,
        others = following(fd)->user.count;
    r->first = both ? 0 : first;
    r->count = both ? first + others : others;
    if (both) hidden_sparse_join(fd, a);
    else r->pattern = *fd->hidden.user.pattern;
    size_t entries = (size_t)r->pattern.nnz, count = (size_t)r->count;
    saddle_init(&r->saddle, fd->n, NULL, &r->pattern, r->count, NULL, 0);
    r->saddle.steady = 1;
    saddle_layout(&r->saddle, a);
    r->entries = arena_doubles(a, entries);
    r->weighted = arena_doubles(a, entries);
    r->c = arena_doubles(a, count);
    r->active = arena_ints(a, count);
}

keel_status hidden_sparse_entries(struct field *fd, int lead, double t, const double *u) {
    struct hidden_rows *r = &fd->hidden_rows;
    int behind_f = leading(fd)->user.count - r->first;
    if (!lead) return map_entries(fd, following(fd), t, u, r->entries + r->pattern.row_start[behind_f]);
    if (fd->kg) return map_entries(fd, &fd->constraint, t, u, r->entries);
    keel_status status = map_entries(fd, &fd->algebraic, t, u, fd->sparse);
    const int *from = fd->p.algebraic.pattern->row_start, *to = r->pattern.row_start;
    for (int i = 0; i < behind_f && status == KEEL_OK; i++)
        for (int e = 0; e < to[i + 1] - to[i]; e++) r->entries[to[i] + e] = fd->sparse[from[i] + e];
    return status;
}

keel_status hidden_sparse_all(struct field *fd, double t, const double *u) {
    keel_status status =
        fd->hidden_rows.first == 0 && leading(fd)->user.count ? hidden_sparse_entries(fd, 1, t, u) : KEEL_OK;
    return status == KEEL_OK && following(fd)->user.count ? hidden_sparse_entries(fd, 0, t, u) : status;
}

int hidden_sparse_factor(struct field *fd, const double *inverse_weight, const int *active, int any) {
    struct hidden_rows *r = &fd->hidden_rows;
    const keel_pattern *p = &r->pattern;
    for (int e = 0; e < p->nnz; e++) r->weighted[e] = r->entries[e] * inverse_weight[p->column[e]];
    fd->stats->factorizations++;
    if (!any && saddle_factor(&r->saddle, NULL, r->weighted, active) == SADDLE_FINE) return 1;
    return saddle_factor_any(&r->saddle, NULL, r->weighted, NULL, active) == SADDLE_FINE;
}

void hidden_sparse_shortest(struct field *fd, double *c, double *a) {
    saddle_shortest(&fd->hidden_rows.saddle, c, a);
}

void hidden_sparse_multiply(const struct field *fd, const double *v, double *out) {
    const struct hidden_rows *r = &fd->hidden_rows;
    const keel_pattern *p = &r->pattern;
    for (int i = 0; i < r->count; i++) {
        out[i] = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) out[i] += r->entries[e] * v[p->column[e]];
    }
}

void hidden_sparse_tangent(struct field *fd, double *a) {
    struct hidden_rows *r = &fd->hidden_rows;
    memset(r->c, 0, (size_t)r->saddle.k * sizeof *r->c);
    saddle_solve(&r->saddle, a, r->c);
}

/* What is left of a row that B nearly spans has lost its digits: once more. */
double hidden_sparse_border(struct field *fd, struct rowspace *s, int i, double floor_of) {
    double *b = s->q + (long)i * s->width, whole = rowspace_dot(s->width, b, b), left = whole;
    for (int pass = 0; pass < 2 && (pass == 0 || left < 0.01 * whole); pass++) {
        hidden_sparse_tangent(fd, b);
        left = rowspace_dot(s->width, b, b);
    }
    return left > 0 ? floor_of * sqrt(whole / left) : 2;
}

double hidden_sparse_size(const struct field *fd, int row, int first, const double *u) {
    const keel_pattern *p = &fd->hidden_rows.pattern;
    int i = row - fd->hidden_rows.first;
    double size = 0;
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
        if (p->column[e] >= first) size += fabs(fd->hidden_rows.entries[e] * u[p->column[e]]);
    return size;
}
