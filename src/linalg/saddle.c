/* saddle.c - see saddle.h.  Benzi, Golub, Liesen, Numerical solution of saddle point problems, Acta Numerica
 * 14 (2005); refinement: Skeel, Math. Comp. 35 (1980). */
#include "linalg/saddle.h"

#include "linalg/schur_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAST = 16 };  /* unknown positions: below it dense matrices are as fast */
#define SHARE 0.1     /* of the entries of dense matrices: above it sparse ones are no gain */
#define TINY 1.5e-14  /* pivots below are zeros */
#define DOUBTFUL 1e-9 /* below, old pivots are not trusted */
#define SHIFT 1e-12   /* of the corner at a start */
#define ARRIVED 1e-15 /* residual over the terms: nothing to refine */
#define POOR 1e-11    /* pivots chosen for these very values will do better */
enum { REFINEMENTS = 4 };

int saddle_pays(int nq, int k, double mass_entries, double k_entries) {
    double dense = (double)nq * nq + (double)k * nq;
    return nq >= LEAST && mass_entries + k_entries <= SHARE * dense &&
           sparse_available(); /* opens a library */
}

static int entries_of(const keel_pattern *pattern) {
    return pattern ? pattern->nnz : 0;
}

void saddle_init(struct saddle *s, int nq, const keel_pattern *mass, const keel_pattern *first,
                 int first_count, const keel_pattern *second, int second_count) {
    int below = 0; /* entries of M's lower triangle, which alone is used */
    memset(s, 0, sizeof *s);
    s->nq = nq;
    s->mass = mass;
    s->part[0] = first_count ? first : NULL;
    s->part[1] = second_count ? second : NULL;
    s->count[0] = first_count;
    s->count[1] = second_count;
    s->k = first_count + second_count;
    s->order = nq + s->k;
    for (int i = 0; i < nq && mass; i++)
        for (int e = mass->row_start[i]; e < mass->row_start[i + 1]; e++) below += mass->column[e] < i;
    s->coupled = below > 0;
    s->entries = nq + 2 * below + 2 * (entries_of(s->part[0]) + entries_of(s->part[1])) + s->k;
}

void saddle_layout(struct saddle *s, struct arena *a) {
    size_t order = (size_t)s->order, entries = (size_t)s->entries;
    size_t mass = (size_t)(s->mass ? s->mass->nnz : s->nq);
    size_t rows = (size_t)(entries_of(s->part[0]) + entries_of(s->part[1]));
    s->start = arena_ints(a, order + 1);
    s->row = arena_ints(a, entries);
    s->mass_to = arena_ints(a, 2 * mass);
    s->k_to = arena_ints(a, 2 * rows + 1);
    s->corner = arena_ints(a, (size_t)s->k + 1);
    s->anchor_known = arena_ints(a, 1);
    if (s->coupled) {
        s->block_start = arena_ints(a, (size_t)s->nq + 1);
        s->block_row = arena_ints(a, entries);
        s->block_from = arena_ints(a, entries);
        s->block = arena_doubles(a, entries);
    }
    s->values = arena_doubles(a, entries);
    s->anchor = arena_doubles(a, entries);
    s->inverse_weight = arena_doubles(a, (size_t)s->nq);
    s->scale = arena_doubles(a, (size_t)s->k + 1);
    s->right = arena_doubles(a, order);
    s->x = arena_doubles(a, order);
    s->rest = arena_doubles(a, order);
    s->spare = arena_doubles(a, 2 * (size_t)s->nq + 4 * (size_t)s->k);
}

/* One walk over all entries, first to count them by column, then to place them. */
struct placing {
    struct saddle *s;
    int *next; /* by column; NULL: counting */
};

static int place(const struct placing *p, int row, int column) {
    if (!p->next) {
        p->s->start[column + 1]++;
        return -1;
    }
    int at = p->next[column]++;
    p->s->row[at] = row;
    return at;
}

static void place_mass(const struct placing *p) {
    struct saddle *s = p->s;
    for (int i = 0; i < s->nq; i++) {
        int from = s->mass ? s->mass->row_start[i] : i, to = s->mass ? s->mass->row_start[i + 1] : i + 1;
        for (int e = from; e < to; e++) {
            int j = s->mass ? s->mass->column[e] : i;
            s->mass_to[2 * e] = j <= i ? place(p, i, j) : -1;
            s->mass_to[2 * e + 1] = j < i ? place(p, j, i) : -1;
        }
    }
}

static void place_rows(const struct placing *p) {
    struct saddle *s = p->s;
    int *to = s->k_to, row = s->nq;
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < s->count[part]; i++, row++) {
            const keel_pattern *pattern = s->part[part];
            for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++) {
                *to++ = place(p, row, pattern->column[e]);
                *to++ = place(p, pattern->column[e], row);
            }
            s->corner[row - s->nq] = place(p, row, row);
        }
}

/* The leading block of the whole, with columns of its own. */
static int attach_block(struct saddle *s) {
    int at = 0;
    for (int j = 0; j < s->nq; j++) {
        s->block_start[j] = at;
        for (int e = s->start[j]; e < s->start[j + 1]; e++) {
            if (s->row[e] >= s->nq) continue;
            s->block_row[at] = s->row[e];
            s->block_from[at++] = e;
        }
    }
    s->block_start[s->nq] = at;
    s->block_lu = sparse_open(s->nq, s->block_start, s->block_row, SPARSE_DIAGONAL);
    s->block_factored = 0;
    return !s->block_lu;
}

int saddle_attach(struct saddle *s) {
    struct placing p = {s, NULL};
    memset(s->start, 0, ((size_t)s->order + 1) * sizeof *s->start);
    place_mass(&p);
    place_rows(&p);
    for (int j = 0; j < s->order; j++) s->start[j + 1] += s->start[j];
    p.next = (int *)s->rest; /* order ints fit into order doubles */
    memcpy(p.next, s->start, (size_t)s->order * sizeof *p.next);
    place_mass(&p);
    place_rows(&p);
    s->anchored = s->by_schur = s->weighed = 0;
    s->block_lu = NULL;
    s->schur = NULL;
    s->lu = sparse_open(s->order, s->start, s->row, SPARSE_PARTIAL);
    if (!s->lu) return 1;
    int starved;
    s->schur = schur_open(s->nq, s->mass, s->part, s->count, sparse_operations(s->lu), &starved);
    if (starved) return 1;
    return s->coupled && !s->schur && attach_block(s);
}

void saddle_detach(struct saddle *s) {
    sparse_close(s->lu);
    sparse_close(s->block_lu);
    schur_close(s->schur);
    s->lu = s->block_lu = NULL;
    s->schur = NULL;
    s->anchored = s->by_schur = s->weighed = 0;
}

/* Row i of K: its columns and their number. */
static int row_of(const struct saddle *s, int i, const int **column) {
    int part = i >= s->count[0], at = part ? i - s->count[0] : i;
    const keel_pattern *pattern = s->part[part];
    *column = pattern->column + pattern->row_start[at];
    return pattern->row_start[at + 1] - pattern->row_start[at];
}

void saddle_multiply(const struct saddle *s, const double *k, const double *x, double *out) {
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < s->count[part]; i++) {
            const int *start = s->part[part]->row_start + i, *column = s->part[part]->column + *start;
            int count = start[1] - *start;
            *out++ = schur_product(count, k, column, x);
            k += count;
        }
}

void saddle_multiply_t(const struct saddle *s, const double *k, const double *x, double *out) {
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < s->count[part]; i++, x++) {
            const int *start = s->part[part]->row_start + i, *column = s->part[part]->column + *start;
            int count = start[1] - *start;
            for (int e = 0; e < count; e++) out[column[e]] += k[e] * *x;
            k += count;
        }
}

/* E: rows of E K D have unit length. */
static void scale_rows(struct saddle *s, const double *k, const int *active) {
    for (int i = 0; i < s->k; i++) {
        const int *column;
        int count = row_of(s, i, &column);
        double largest = 0, sum = 0;
        for (int e = 0; e < count; e++) largest = fmax(largest, fabs(k[e] * s->inverse_weight[column[e]]));
        for (int e = 0; e < count && largest > 0; e++) {
            double share = k[e] * s->inverse_weight[column[e]] / largest;
            sum += share * share;
        }
        s->scale[i] = largest > 0 && (!active || active[i]) ? 1 / (largest * sqrt(sum)) : 0;
        k += count;
    }
}

static void put(double *values, const int *to, double value) {
    if (to[0] >= 0) values[to[0]] = value;
    if (to[1] >= 0) values[to[1]] = value;
}

/* D M D; unit without a mass. */
static void assemble_mass(struct saddle *s, const double *mass) {
    for (int i = 0; i < s->nq; i++) {
        int from = s->mass ? s->mass->row_start[i] : i, to = s->mass ? s->mass->row_start[i + 1] : i + 1;
        for (int e = from; e < to; e++) {
            int j = s->mass ? s->mass->column[e] : i;
            double value = mass ? s->inverse_weight[i] * mass[e] * s->inverse_weight[j] : 0;
            put(s->values, s->mass_to + 2L * e, i == j ? 1 : value);
        }
    }
}

/* The same, E K_end D, D K^T E, and in the corner -shift, or 1 for a row left out. */
static void assemble(struct saddle *s, const double *mass, const double *k, const double *k_end) {
    const int *to = s->k_to;
    assemble_mass(s, mass);
    for (int i = 0; i < s->k; i++) {
        const int *column;
        int count = row_of(s, i, &column);
        for (int e = 0; e < count; e++, to += 2) {
            s->values[to[0]] = s->scale[i] * *k_end++ * s->inverse_weight[column[e]];
            s->values[to[1]] = s->scale[i] * *k++ * s->inverse_weight[column[e]];
        }
        s->values[s->corner[i]] = s->scale[i] > 0 ? -s->shift : 1;
    }
}

int saddle_weigh(struct saddle *s, const double *mass) {
    for (int i = 0; i < s->nq; i++) {
        s->inverse_weight[i] = s->mass ? 0 : 1;
        for (int e = s->mass ? s->mass->row_start[i] : 0; s->mass && e < s->mass->row_start[i + 1]; e++)
            if (s->mass->column[e] == i && mass[e] > 0) s->inverse_weight[i] = 1 / sqrt(mass[e]);
        if (!(s->inverse_weight[i] > 0)) return 0;
    }
    return 1;
}

/* D M D from the block that was saved with all else. */
static int factor_block(struct saddle *s) {
    if (s->block_factored) return 0;
    s->block_factored =
        sparse_refactor(s->block_lu, s->block) == 0 || sparse_anchor(s->block_lu, s->block) == 0;
    return !s->block_factored;
}

/* A symmetric matrix is positive definite if and only if pivots taken from its diagonal are positive. */
int saddle_check_mass(struct saddle *s, const double *mass) {
    int ready = saddle_weigh(s, mass);
    s->by_schur = s->weighed = 0;
    for (int i = 0; i < s->nq && !ready; i++)
        if (!(s->inverse_weight[i] > 0)) return i + 1;
    if (s->schur) {
        int row = schur_weigh(s->schur, mass);
        s->weighed = row == 0;
        return row;
    }
    if (!s->coupled) return 0;
    assemble_mass(s, mass);
    for (int e = 0; e < s->block_start[s->nq]; e++) s->block[e] = s->values[s->block_from[e]];
    s->block_factored = 0;
    if (factor_block(s)) return 1;
    for (int k = 0; k < s->nq; k++) {
        int column;
        if (!(sparse_pivot(s->block_lu, k, &column) > s->nq * DBL_EPSILON)) return column + 1;
    }
    return 0;
}

/* The factors that the anchor's pivots give; the first matrix of all is its own anchor. */
static int factor_anchored(struct saddle *s) {
    if (!s->anchored) {
        if (!*s->anchor_known) memcpy(s->anchor, s->values, (size_t)s->entries * sizeof *s->anchor);
        *s->anchor_known = 1;
        s->anchored = sparse_anchor(s->lu, s->anchor) == 0;
    }
    return s->anchored ? sparse_refactor(s->lu, s->values) : 1;
}

/* By the Schur complement: 1; 0: it cannot be had. */
static int factor_schur(struct saddle *s, const double *mass, const double *k, const int *active) {
    s->by_schur = s->schur && (s->weighed || schur_weigh(s->schur, mass) == 0) &&
                  schur_factor(s->schur, k, active) == 0;
    return s->by_schur;
}

int saddle_factor(struct saddle *s, const double *mass, const double *k, const int *active) {
    s->by_schur = 0;
    if (!s->weighed && !saddle_weigh(s, mass)) return SADDLE_MASS;
    int fine = factor_schur(s, mass, k, active);
    s->weighed = fine && s->steady;
    if (fine) return SADDLE_FINE;
    scale_rows(s, k, active);
    s->shift = 0;
    assemble(s, mass, k, k);
    for (int i = 0; i < s->k; i++)
        if (active[i] && s->scale[i] == 0) return SADDLE_SINGULAR;
    if (factor_anchored(s) == 0 && sparse_pivot_ratio(s->lu) > DOUBTFUL) return SADDLE_FINE;
    if (sparse_fresh(s->lu, s->values) == 0 && sparse_pivot_ratio(s->lu) > TINY) return SADDLE_FINE;
    return SADDLE_SINGULAR;
}

int saddle_factor_oblique(struct saddle *s, const double *mass, const double *k, const double *k_end,
                          const int *active) {
    s->by_schur = 0;
    s->shift = 0;
    scale_rows(s, k, active);
    assemble(s, mass, k, k_end);
    int fine = sparse_fresh(s->lu, s->values) == 0 && sparse_pivot_ratio(s->lu) > TINY;
    return fine ? SADDLE_FINE : SADDLE_SINGULAR;
}

void saddle_divide(struct saddle *s, const double *mass, double *v) {
    if (!s->weighed) saddle_weigh(s, mass);
    if (s->schur) {
        if (!s->weighed) schur_weigh(s->schur, mass);
        schur_divide(s->schur, v);
        return;
    }
    for (int j = 0; j < s->nq; j++) v[j] *= s->inverse_weight[j];
    if (s->coupled && factor_block(s) == 0) sparse_solve(s->block_lu, v);
    for (int j = 0; j < s->nq; j++) v[j] *= s->inverse_weight[j];
}

int saddle_factor_any(struct saddle *s, const double *mass, const double *k, const double *inverse_weight,
                      const int *active) {
    if (inverse_weight) memcpy(s->inverse_weight, inverse_weight, (size_t)s->nq * sizeof *inverse_weight);
    else if (!saddle_weigh(s, mass)) return SADDLE_MASS;
    if (s->schur && inverse_weight) schur_weigh_by(s->schur, inverse_weight);
    s->weighed = inverse_weight != NULL;
    int fine = factor_schur(s, mass, k, active);
    s->weighed = 0;
    if (fine) return SADDLE_FINE;
    scale_rows(s, k, active);
    s->shift = SHIFT;
    assemble(s, inverse_weight ? NULL : mass, k, k);
    return sparse_fresh(s->lu, s->values) ? SADDLE_SINGULAR : SADDLE_FINE;
}

/* rest := right - A x without the shift; returns its size over that of the terms. */
static double residual(const struct saddle *s) {
    double size = 0, largest = 0, off = 0;
    memcpy(s->rest, s->right, (size_t)s->order * sizeof *s->rest);
    for (int j = 0; j < s->order; j++) {
        size = fmax(size, fabs(s->right[j]));
        largest = fmax(largest, fabs(s->x[j]));
        for (int e = s->start[j]; e < s->start[j + 1]; e++) s->rest[s->row[e]] -= s->values[e] * s->x[j];
    }
    for (int i = 0; i < s->k; i++)
        if (s->scale[i] > 0) s->rest[s->nq + i] -= s->shift * s->x[s->nq + i];
    for (int j = 0; j < s->order; j++) off = fmax(off, fabs(s->rest[j]));
    return off == 0 ? 0 : off / (size + largest); /* entries of A are of size 1 */
}

/* x := A^-1 right, refined while that helps. */
static double solve(struct saddle *s) {
    memcpy(s->x, s->right, (size_t)s->order * sizeof *s->x);
    sparse_solve(s->lu, s->x);
    double off = residual(s);
    for (int pass = 0; pass < REFINEMENTS && off > ARRIVED; pass++) {
        sparse_solve(s->lu, s->rest);
        for (int j = 0; j < s->order; j++) s->x[j] += s->rest[j];
        double now = residual(s), gain = now / off;
        off = now;
        if (!(gain < 0.25)) break;
    }
    return off;
}

void saddle_solve(struct saddle *s, double *f, double *c) {
    if (s->by_schur) {
        schur_solve(s->schur, f, c, 1);
        return;
    }
    for (int j = 0; j < s->nq; j++) s->right[j] = s->inverse_weight[j] * f[j];
    for (int i = 0; i < s->k; i++) s->right[s->nq + i] = s->scale[i] * c[i];
    if (!(solve(s) <= POOR) && s->shift == 0 && sparse_fresh(s->lu, s->values) == 0) solve(s);
    for (int j = 0; j < s->nq; j++) f[j] = s->inverse_weight[j] * s->x[j];
    for (int i = 0; i < s->k; i++) c[i] = s->scale[i] * s->x[s->nq + i];
}

void saddle_solve_roughly(struct saddle *s, double *f, double *c) {
    if (s->by_schur) schur_solve(s->schur, f, c, 0);
    else saddle_solve(s, f, c);
}

int saddle_factor_solve(struct saddle *s, const double *mass, double *k, const int *active, double *f,
                        double *c) {
    s->by_schur = 0;
    if (!s->schur || (!s->weighed && (!saddle_weigh(s, mass) || schur_weigh(s->schur, mass)))) return 1;
    s->by_schur = schur_factor_solve(s->schur, k, active, f, c) == 0;
    s->weighed = s->by_schur && s->steady;
    return !s->by_schur;
}

void saddle_shortest(struct saddle *s, double *c, double *d) {
    if (s->by_schur) {
        schur_shortest(s->schur, c, d);
        return;
    }
    memset(d, 0, (size_t)s->nq * sizeof *d);
    saddle_solve(s, d, c);
}

int saddle_tangents(struct saddle *s, const double *k, double *const x[4]) {
    return !s->by_schur || schur_tangents(s->schur, k, x);
}

int saddle_solve_four(struct saddle *s, double *x, const double *c) {
    return !s->by_schur || schur_solve_four(s->schur, x, c);
}

/* With the shift the solution is dominated by the direction that is nearly lost. */
int saddle_weakest(struct saddle *s) {
    int weakest = 0;
    for (int i = 0; i < s->k; i++)
        if (s->scale[i] == 0 && s->values[s->corner[i]] == 1) weakest = i;
    for (int i = 0; i < s->k; i++)
        if (s->scale[i] > 0) s->values[s->corner[i]] = -SHIFT;
    if (sparse_fresh(s->lu, s->values)) return weakest;
    for (int j = 0; j < s->order; j++) s->x[j] = j < s->nq ? 0 : 1 + 0.3 * (j % 7);
    sparse_solve(s->lu, s->x);
    for (int i = 0; i < s->k; i++)
        if (fabs(s->x[s->nq + i]) > fabs(s->x[s->nq + weakest])) weakest = i;
    return weakest;
}
