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
 * what B spans: the solution of a + B^T mu = b, B a = 0.
 *
 * Constraints of a Hamiltonian are met in order.  Taken together, by sizes, a long chain would meet d/dt g by
 * moving far along g, which costs it little, and g would be off.  So positions are changed as g asks for, and
 * then momenta,
 *
 *     G a_q = c,    phi_p a_p = c' - phi_q a_q,    each a the shortest one,
 *
 * a step of Newton's method as before, by two systems of half the order.  What takes such a displacement with
 * as much B a off is an oblique projector T then.  An invariant's row, freed of G and of phi_p in its two
 * halves, gives the direction T q, and the small matrix of all (row . direction) is not symmetric. */
#include "core/mechanism.h"
#include "core/rows.h"
#include "linalg/dense.h"

#include <keel/extras.h>

#include <math.h>
#include <string.h>

enum { LEAST_STAGGERED = 16 }; /* rows of a block; fewer are dense (manifold_staggered.c) */

/* Stabilizers that go their own ways see dense rows, unless they say that they need none. */
int hidden_goes_sparse(const struct field *fd, unsigned traits, const keel_stabilizer *stabilizer) {
    const keel_map *hidden = &fd->hidden.user, *algebraic = &fd->algebraic.user;
    unsigned dense = KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS | KEEL_DAMPS;
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

/* The columns of p in the rows of d/dt g. */
static keel_pattern pattern_by_momenta(const struct field *fd, struct arena *a) {
    const keel_pattern *p = fd->velocity.user.pattern;
    int *row_start = arena_ints(a, (size_t)fd->kg + 1), *column = arena_ints(a, (size_t)p->nnz), entries = 0;
    for (int i = 0; i < fd->kg; i++) {
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            if (p->column[e] < fd->nq) continue;
            if (column) column[entries] = p->column[e] - fd->nq;
            entries++;
        }
        if (row_start) row_start[i + 1] = entries;
    }
    if (row_start) row_start[0] = 0;
    return (keel_pattern){entries, row_start, column};
}

static void lay_out_block(struct hidden_block *b, struct arena *a, double *weighted) {
    saddle_init(&b->saddle, b->columns, NULL, &b->pattern, b->rows, NULL, 0);
    b->saddle.steady = 1;
    saddle_layout(&b->saddle, a);
    b->weighted = weighted;
}

void hidden_sparse_layout(struct field *fd, struct arena *a) {
    struct hidden_rows *r = &fd->hidden_rows;
    int both = fd->kg || fd->dae.by_rates, first = leading(fd)->user.count,
        others = following(fd)->user.count, nq = fd->nq, k = fd->kg;
    r->first = both ? 0 : first;
    r->count = both ? first + others : others;
    if (both) hidden_sparse_join(fd, a);
    else r->pattern = *fd->hidden.user.pattern;
    size_t entries = (size_t)r->pattern.nnz, count = (size_t)r->count;
    r->entries = arena_doubles(a, entries);
    r->weighted = arena_doubles(a, entries);
    r->before = arena_doubles(a, entries);
    r->weight = arena_doubles(a, (size_t)fd->n);
    r->c = arena_doubles(a, count);
    r->active = arena_ints(a, count);
    r->blocks = k ? 2 : 1;
    size_t full = k ? (size_t)fd->energy.user.count + (size_t)fd->invariant.user.count : 0;
    r->direction = arena_doubles(a, full * (size_t)fd->n);
    r->matrix = arena_doubles(a, full * full);
    r->pivot = arena_ints(a, full);
    r->part = arena_doubles(a, full);
    r->block[0] = k ? (struct hidden_block){0, k, 0, nq, .pattern = *fd->constraint.user.pattern}
                    : (struct hidden_block){0, r->count, 0, fd->n, .pattern = r->pattern};
    lay_out_block(&r->block[0], a, r->weighted); /* its entries are the first */
    manifold_directions_layout(fd, a);
    if (!k) return;
    r->block[1] = (struct hidden_block){k, k, nq, nq, .pattern = pattern_by_momenta(fd, a)};
    lay_out_block(&r->block[1], a, arena_doubles(a, (size_t)r->block[1].pattern.nnz));
}

int hidden_sparse_attach(struct field *fd) {
    struct hidden_rows *r = &fd->hidden_rows;
    int starved = 0;
    r->block[0].saddle.lu = r->block[1].saddle.lu = NULL;
    for (int b = 0; b < r->blocks && r->sparse; b++) starved |= saddle_attach(&r->block[b].saddle);
    return manifold_directions_attach(fd) || starved;
}

void hidden_sparse_detach(struct field *fd) {
    struct hidden_rows *r = &fd->hidden_rows;
    for (int b = 0; b < r->blocks && r->sparse; b++) saddle_detach(&r->block[b].saddle);
    manifold_directions_detach(fd);
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

/* Of the entries of all rows those of the second block. */
static void pick(const struct hidden_rows *r, const struct hidden_block *b) {
    const keel_pattern *p = &r->pattern;
    double *out = b->weighted;
    for (int e = p->row_start[b->row]; e < p->row_start[b->row + b->rows]; e++)
        if (p->column[e] >= b->column) *out++ = r->weighted[e];
}

static int factor_block(struct hidden_block *b, const int *active, int any) {
    b->idle = 1;
    for (int i = 0; i < b->rows && b->idle; i++) b->idle = !active[b->row + i];
    if (b->idle) return 1;
    if (!any && saddle_factor(&b->saddle, NULL, b->weighted, active + b->row) == SADDLE_FINE) return 1;
    return saddle_factor_any(&b->saddle, NULL, b->weighted, NULL, active + b->row) == SADDLE_FINE;
}

int hidden_sparse_factor(struct field *fd, const double *inverse_weight, const int *active, int any) {
    struct hidden_rows *r = &fd->hidden_rows;
    const keel_pattern *p = &r->pattern;
    int fine = 1;
    for (int e = 0; e < p->nnz; e++) r->weighted[e] = r->entries[e] * inverse_weight[p->column[e]];
    fd->stats->factorizations++;
    if (r->blocks > 1) pick(r, &r->block[1]);
    for (int b = 0; b < r->blocks && fine; b++) fine = factor_block(&r->block[b], active, any);
    return fine;
}

/* c (those of the block) less what the columns before it add to its rows, a being the displacement. */
static void subtract_share(const struct hidden_rows *r, const struct hidden_block *b, const double *a,
                           double *c) {
    const keel_pattern *p = &r->pattern;
    for (int i = 0; i < b->rows && b->column > 0; i++)
        for (int e = p->row_start[b->row + i]; e < p->row_start[b->row + i + 1]; e++)
            if (p->column[e] < b->column) c[i] -= r->weighted[e] * a[p->column[e]];
}

void hidden_sparse_shortest(struct field *fd, double *c, double *a) {
    struct hidden_rows *r = &fd->hidden_rows;
    for (int k = 0; k < r->blocks; k++) {
        struct hidden_block *b = &r->block[k];
        subtract_share(r, b, a, c + b->row);
        if (b->idle) memset(a + b->column, 0, (size_t)b->columns * sizeof *a);
        else saddle_shortest(&b->saddle, c + b->row, a + b->column);
    }
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
    for (int k = 0; k < r->blocks; k++) {
        struct hidden_block *b = &r->block[k];
        memset(r->c, 0, (size_t)b->rows * sizeof *r->c);
        subtract_share(r, b, a, r->c);
        if (!b->idle) saddle_solve(&b->saddle, a + b->column, r->c);
    }
}

/* Takes off what each block spans of its own columns. */
static void flatten(struct field *fd, double *a) {
    struct hidden_rows *r = &fd->hidden_rows;
    for (int k = 0; k < r->blocks; k++) {
        struct hidden_block *b = &r->block[k];
        memset(r->c, 0, (size_t)b->rows * sizeof *r->c);
        if (!b->idle) saddle_solve(&b->saddle, a + b->column, r->c);
    }
}

int hidden_sparse_rank(struct field *fd, int *independent) {
    struct hidden_rows *r = &fd->hidden_rows;
    int code = 0;
    for (int k = 0; k < r->blocks && code == 0; k++) {
        struct hidden_block *b = &r->block[k];
        code = saddle_rank(&b->saddle, NULL, b->weighted, independent + b->row);
    }
    return code;
}

/* What is left of a row that B nearly spans has lost its digits: once more. */
double hidden_sparse_border(struct field *fd, struct rowspace *s, int i, double floor_of) {
    double *b = s->q + (long)i * s->width, whole = rowspace_dot(s->width, b, b), left = whole;
    for (int pass = 0; pass < 2 && (pass == 0 || left < 0.01 * whole); pass++) {
        flatten(fd, b);
        left = rowspace_dot(s->width, b, b);
    }
    return left > 0 ? floor_of * sqrt(whole / left) : 2;
}

void hidden_sparse_face(struct field *fd, const struct rowspace *s, const struct rows *rows, const int *row,
                        const double *inverse_weight, double nearly) {
    struct hidden_rows *r = &fd->hidden_rows;
    int n = fd->n, count = s->rows;
    for (int j = 0; j < count && r->blocks > 1; j++) {
        double *direction = r->direction + (long)j * n;
        memcpy(direction, s->q + (long)j * s->width, (size_t)n * sizeof *direction);
        if (s->used[j]) hidden_sparse_tangent(fd, direction);
        for (int i = 0; i < count; i++) {
            const double *gradient = rows_gradient(rows, fd, row[i]);
            double sum = 0;
            for (int k = 0; k < n; k++) sum += gradient[k] * inverse_weight[k] * direction[k];
            r->matrix[i * count + j] = s->used[i] && s->used[j] ? sum : i == j;
        }
        for (int k = 0; k < n; k++) fd->line[k] = inverse_weight[k] * direction[k];
        r->part[j] =
            mechanism_part(n, fd->line, fd->size, fabs(r->matrix[j * count + j]), rows->size[row[j]], nearly);
    }
    r->faced = r->blocks == 1 || dense_lu(count, r->matrix, r->pivot, fd->halt) == 0;
}

/* Of no step that is sound there is none. */
void hidden_sparse_along(const struct field *fd, const struct rowspace *s, double *c, double *z,
                         double *along) {
    const struct hidden_rows *r = &fd->hidden_rows;
    if (r->blocks == 1) {
        rowspace_shortest(s, c, z, along);
        return;
    }
    for (int j = 0; j < s->rows; j++) c[j] = s->used[j] && r->faced ? c[j] : 0;
    if (r->faced) dense_lu_solve(s->rows, r->matrix, r->pivot, c);
    memset(along, 0, (size_t)fd->n * sizeof *along);
    for (int j = 0; j < s->rows; j++)
        for (int k = 0; k < fd->n && c[j] != 0; k++) along[k] += c[j] * r->direction[(long)j * fd->n + k];
}

double hidden_sparse_size(const struct field *fd, int row, int first, const double *u) {
    const keel_pattern *p = &fd->hidden_rows.pattern;
    int i = row - fd->hidden_rows.first;
    double size = 0;
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
        if (p->column[e] >= first) size += fabs(fd->hidden_rows.entries[e] * u[p->column[e]]);
    return size;
}
