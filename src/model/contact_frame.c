/* contact_frame.c - see contact.h: the contacts at a point of the motion.
 *
 * With M = L L^T and alpha = L^T q'' the model's own constraints are rows B = K L^-T, B alpha = -gamma.
 * Their orthogonal basis leaves of a row L^-1 N^T what moves freely; products of such rows are the entries
 * of N M^-1 N^T under these constraints. */
#include "model/contact.h"

#include "linalg/dense.h"
#include "model/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDEPENDENT 1e-8 /* of its length: what is left of a row that says something new */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(int n, double factor, const double *a, double *b) {
    for (int i = 0; i < n; i++) b[i] += factor * a[i];
}

/* Memory ------------------------------------------------------------------------------------------------ */

static int base_rows(const struct contact_run *r) {
    return r->plain.constraint.count + r->plain.rolling.count;
}

static int entries_of(const keel_map *map, int nq) {
    return map->pattern ? map->pattern->nnz : map->count * nq;
}

int contact_take_frame(struct contact_run *r) {
    size_t n = (size_t)r->c->count, nq = (size_t)r->c->nq, base = (size_t)base_rows(r);
    size_t normals = (size_t)r->c->normal.row_start[n], tangents = (size_t)r->c->tangent.row_start[n];
    size_t entries = (size_t)entries_of(&r->plain.constraint, r->c->nq) +
                     (size_t)entries_of(&r->plain.rolling, r->c->nq) + base +
                     (r->plain.mass.pattern ? (size_t)r->plain.mass.pattern->nnz : nq * nq);
    size_t sizes[] = {nq * nq + nq,
                      6 * n + normals + tangents,
                      nq * nq,
                      nq,
                      n * nq,
                      n * nq,
                      n * nq,
                      n * nq,
                      base * nq + base,
                      4 * n,
                      nq,
                      4 * n * n,
                      3 * n,
                      n,
                      nq,
                      entries + 2 * n};
    double **place[] = {&r->basis,        &r->now.gap,       &r->frame.lower,   &r->frame.alpha,
                        &r->frame.row[0], &r->frame.row[1],  &r->frame.free[0], &r->frame.free[1],
                        &r->frame.base,   &r->frame.rate[0], &r->vector,        &r->matrix,
                        &r->push,         &r->drag,          &r->force,         &r->entries};
    size_t total = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) total += sizes[k];
    double *at = r->memory = calloc(total, sizeof *at);
    r->list = calloc(4 * n + 1, sizeof *r->list);
    if (!at || !r->list) return 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; at += sizes[k++]) *place[k] = at;
    r->now.terms = r->now.gap + n, r->now.shift = r->now.terms + n, r->now.slide = r->now.shift + n;
    r->now.bend = r->now.slide + n, r->now.bend_slide = r->now.bend + n;
    r->now.normal = r->now.bend_slide + n, r->now.tangent = r->now.normal + normals;
    r->frame.rate[1] = r->frame.rate[0] + n, r->frame.bend[0] = r->frame.rate[1] + n;
    r->frame.bend[1] = r->frame.bend[0] + n;
    r->frame.of = r->list, r->pivot = r->list + n;
    return 1;
}

void contact_give_frame(struct contact_run *r) {
    free(r->memory);
    free(r->list);
}

/* Numbers ----------------------------------------------------------------------------------------------- */

int contact_numbers_at(struct contact_run *r, double t, const double *u) {
    return r->whole(t, u, r->now.gap, r->plain.user);
}

/* L^-1 times the transpose of a sparse row. */
static void lift_row(struct contact_run *r, const struct derive_sparse *pattern, const double *entry, int i,
                     double *out) {
    int nq = r->c->nq;
    for (int j = 0; j < nq; j++) out[j] = 0;
    for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
        out[pattern->column[e]] = entry[e];
    dense_lower_solve(nq, r->frame.lower, out);
}

/* L of the masses. */
static int factor_masses(struct contact_run *r, double t, const double *u) {
    const keel_matrix *mass = &r->plain.mass;
    int nq = r->c->nq;
    double *l = r->frame.lower, *entry = r->entries;
    memset(l, 0, (size_t)nq * (size_t)nq * sizeof *l);
    if (!mass->value) {
        for (int i = 0; i < nq; i++) l[(long)i * (nq + 1)] = 1;
        return 0;
    }
    int status = mass->value(t, u, mass->pattern ? entry : l, r->plain.user);
    if (status) return status;
    for (int i = 0; i < nq && mass->pattern; i++)
        for (int e = mass->pattern->row_start[i]; e < mass->pattern->row_start[i + 1]; e++)
            l[(long)i * nq + mass->pattern->column[e]] = entry[e];
    return dense_cholesky(nq, l, NULL) ? 1 : 0;
}

/* The jacobian of a map of the model as rows L^-1 K^T. */
static int lift_map(struct contact_run *r, const keel_map *map, double t, const double *u, double *out) {
    int nq = r->c->nq;
    if (map->count == 0) return 0;
    int status = map->jacobian ? map->jacobian(t, u, map->pattern ? r->entries : out, r->plain.user) : -1;
    if (status) return status;
    for (int i = 0; i < map->count; i++) {
        double *row = out + (long)i * nq;
        if (map->pattern) memset(row, 0, (size_t)nq * sizeof *row);
        for (int e = map->pattern ? map->pattern->row_start[i] : 0;
             map->pattern && e < map->pattern->row_start[i + 1]; e++)
            row[map->pattern->column[e]] = r->entries[e];
        dense_lower_solve(nq, r->frame.lower, row);
    }
    return 0;
}

/* The model's own rows, one after the other made orthogonal, with their right-hand sides. */
static int take_base(struct contact_run *r, double t, const double *u, int accelerate) {
    int nq = r->c->nq, rows = base_rows(r), holonomic = r->plain.constraint.count;
    double *q = r->frame.base, *side = q + (long)rows * nq;
    if (rows == 0) return 0;
    int status = lift_map(r, &r->plain.constraint, t, u, q);
    if (!status) status = lift_map(r, &r->plain.rolling, t, u, q + (long)holonomic * nq);
    if (!status && accelerate)
        status = r->plain.curvature ? r->plain.curvature(t, u, side, r->plain.user) : -1;
    for (int i = 0; i < rows && !status; i++) {
        double *row = q + (long)i * nq, whole = sqrt(dot(nq, row, row));
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < i; j++) {
                double share = dot(nq, q + (long)j * nq, row);
                add(nq, -share, q + (long)j * nq, row);
                side[i] -= share * side[j];
            }
        double left = sqrt(dot(nq, row, row)), scale = left > INDEPENDENT * whole ? 1 / left : 0;
        for (int k = 0; k < nq; k++) row[k] *= scale;
        side[i] *= scale;
    }
    return status;
}

/* alpha without contacts. */
static int accelerate_freely(struct contact_run *r, double t, const double *u) {
    int nq = r->c->nq, rows = base_rows(r);
    const double *q = r->frame.base, *side = q + (long)rows * nq;
    double *alpha = r->frame.alpha;
    int status = r->plain.f.value(t, u, alpha, r->plain.user);
    if (status) return status;
    dense_lower_solve(nq, r->frame.lower, alpha);
    for (int i = 0; i < rows; i++)
        add(nq, -side[i] - dot(nq, q + (long)i * nq, alpha), q + (long)i * nq, alpha);
    return 0;
}

int contact_frame_at(struct contact_run *r, double t, const double *u, int accelerate) {
    const struct contact_model *c = r->c;
    struct contact_frame *f = &r->frame;
    int nq = c->nq, rows = base_rows(r);
    int status = contact_numbers_at(r, t, u);
    if (!status) status = factor_masses(r, t, u);
    if (!status) status = take_base(r, t, u, accelerate);
    if (!status && accelerate) status = accelerate_freely(r, t, u);
    for (int k = 0; k < f->count && !status; k++) {
        int i = f->of[k];
        lift_row(r, &c->normal, r->now.normal, i, f->row[0] + (long)k * nq);
        lift_row(r, &c->tangent, r->now.tangent, i, f->row[1] + (long)k * nq);
        f->rate[0][k] = r->now.shift[i];
        f->rate[1][k] = r->now.slide[i];
        for (int e = c->normal.row_start[i]; e < c->normal.row_start[i + 1]; e++)
            f->rate[0][k] += r->now.normal[e] * u[nq + c->normal.column[e]];
        f->bend[0][k] = r->now.bend[i];
        f->bend[1][k] = r->now.bend_slide[i];
        for (int way = 0; way < 2; way++) {
            double *free = f->free[way] + (long)k * nq;
            memcpy(free, f->row[way] + (long)k * nq, (size_t)nq * sizeof *free);
            for (int j = 0; j < rows; j++)
                add(nq, -dot(nq, f->base + (long)j * nq, free), f->base + (long)j * nq, free);
        }
    }
    return status;
}

void contact_kick(struct contact_run *r, const double *push, const double *drag, double *v) {
    int nq = r->c->nq;
    double *d = r->vector;
    for (int j = 0; j < nq; j++) d[j] = 0;
    for (int k = 0; k < r->frame.count; k++) {
        add(nq, push[k], r->frame.free[0] + (long)k * nq, d);
        add(nq, drag[k], r->frame.free[1] + (long)k * nq, d);
    }
    dense_lower_t_solve(nq, r->frame.lower, d);
    add(nq, 1, d, v);
}

/* Forces ------------------------------------------------------------------------------------------------ */

/* Row k of the closed contacts, or of those that stick behind them. */
static const double *row_of(const struct contact_run *r, int k, int *way, int *own) {
    const struct contact_set *set = r->set;
    *way = k >= set->closed;
    *own = k; /* the frame's contacts are those that are closed */
    if (*way)
        for (*own = 0; set->row[*own] != set->stick[k - set->closed];) ++*own;
    return r->frame.row[*way] + (long)*own * r->c->nq;
}

/* gap'' = 0 of what is closed, sliding' = 0 of what sticks: a linear system for pushes and drags. */
int contact_forces_at(struct contact_run *r, double t, const double *u) {
    const struct contact_set *set = r->set;
    struct contact_frame *f = &r->frame;
    int nq = r->c->nq, all = set->closed + set->sticks, way, own;
    for (int i = 0; i < r->c->count; i++) r->push[i] = r->drag[i] = 0;
    if (all == 0) return 0;
    f->count = set->closed;
    memcpy(f->of, set->row, (size_t)set->closed * sizeof *f->of);
    int status = contact_frame_at(r, t, u, 1);
    if (status) return status;
    double *side = r->push + r->c->count;
    for (int i = 0; i < all; i++) {
        const double *row = row_of(r, i, &way, &own);
        side[i] = -dot(nq, row, f->alpha) - f->bend[way][own];
        for (int j = 0; j < all; j++) {
            double *entry = &r->matrix[(long)i * all + j];
            int other, of;
            row_of(r, j, &other, &of);
            *entry = dot(nq, row, f->free[other] + (long)of * nq);
            if (!other) *entry += r->one[set->row[of]].share * dot(nq, row, f->free[1] + (long)of * nq);
        }
        int contact = set->row[own];
        if (i == own && !(r->matrix[(long)i * all + i] > INDEPENDENT * dot(nq, row, row))) {
            r->jammed = contact + 1;
            return 1;
        }
    }
    if (dense_lu(all, r->matrix, r->pivot, NULL)) return 1;
    dense_lu_solve(all, r->matrix, r->pivot, side);
    for (int k = 0; k < set->closed; k++) {
        r->push[set->row[k]] = side[k];
        r->drag[set->row[k]] = r->one[set->row[k]].share * side[k];
    }
    for (int k = 0; k < set->sticks; k++) r->drag[set->stick[k]] += side[set->closed + k];
    return 0;
}
