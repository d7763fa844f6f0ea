/* schur.c - see schur.h.  Davis, Algorithm 849: A concise sparse Cholesky factorization package, ACM Trans.
 * Math. Softw. 31 (2005), with all patterns known beforehand. */
#include "linalg/schur_private.h"

#include "base/machine.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The weight of each entry of B beside it. */
static void weigh_entries(struct schur *s) {
    s->unit = 1;
    for (int j = 0; j < s->nq; j++) s->unit &= s->weight[j] == 1;
    for (int e = 0; e < s->start[s->k]; e++) s->entry_weight[e] = s->weight[s->column[e]];
}

static int weigh_diagonal(struct schur *s, const double *mass) {
    for (int i = 0; i < s->nq; i++) {
        double value = s->mass ? 0 : 1;
        for (int e = s->mass ? s->mass->row_start[i] : 0; s->mass && e < s->mass->row_start[i + 1]; e++)
            if (s->mass->column[e] == i) value = mass[e];
        if (!(value > 0)) return i + 1;
        s->weight[i] = 1 / sqrt(value);
    }
    weigh_entries(s);
    return 0;
}

int schur_weigh(struct schur *s, const double *mass) {
    if (s->diagonal) return weigh_diagonal(s, mass);
    for (int i = 0; i < s->nq; i++) {
        const struct schur_block *own = s->block + s->block_of[i];
        double *row = s->root + own->root + (long)s->place[i] * own->width;
        memset(row, 0, (size_t)own->width * sizeof *row);
        for (int e = s->mass->row_start[i]; e < s->mass->row_start[i + 1]; e++)
            row[s->place[s->mass->column[e]]] = mass[e];
    }
    for (int b = 0; b < s->blocks; b++) {
        int row = dense_cholesky(s->block[b].width, s->root + s->block[b].root, NULL);
        if (row) return s->member[s->block[b].first + row - 1] + 1;
    }
    return 0;
}

void schur_weigh_by(struct schur *s, const double *inverse_weight) {
    for (int j = 0; j < s->nq; j++) {
        const struct schur_block *own = s->diagonal ? NULL : s->block + s->block_of[j];
        s->weight[j] = inverse_weight[j];
        if (!own) continue;
        double *row = s->root + own->root + (long)s->place[j] * own->width;
        memset(row, 0, (size_t)own->width * sizeof *row);
        row[s->place[j]] = inverse_weight[j];
    }
    if (s->diagonal) weigh_entries(s);
}

/* Row i of B = K L^-T where blocks are wider than 1. */
static void fill_row(struct schur *s, const double *k, int i) {
    double *b = s->b;
    for (int e = s->start[i]; e < s->start[i + 1]; e++) b[e] = 0;
    for (int e = s->k_start[i]; e < s->k_start[i + 1]; e++) b[s->to[e]] = k[s->from[e]];
    for (int p = s->piece_start[i]; p < s->piece_start[i + 1]; p++) {
        const struct schur_block *own = s->block + s->piece_block[p];
        dense_lower_solve(own->width, s->root + own->root, b + s->piece_at[p]);
    }
}

/* out := row times weights, and the sum of its squares. */
static inline double schur_weighed(const double *restrict row, int count, const double *restrict weight,
                                   double *restrict out) {
    double size = 0;
    if (count == 4) {
        double v0 = row[0] * weight[0], v1 = row[1] * weight[1];
        double v2 = row[2] * weight[2], v3 = row[3] * weight[3];
        out[0] = v0, out[1] = v1, out[2] = v2, out[3] = v3;
        return ((v0 * v0 + v1 * v1) + v2 * v2) + v3 * v3;
    }
    for (int e = 0; e < count; e++) {
        out[e] = row[e] * weight[e];
        size += out[e] * out[e];
    }
    return size;
}

/* B and the sums of its squares; those of rows that are left out are 0. */
static void fill_rows(struct schur *s, const double *k, const int *active) {
    double *restrict b = s->b, *restrict sizes = s->size;
    for (int i = 0; i < s->k; i++) {
        double size = 0;
        fill_row(s, k, i);
        for (int e = s->start[i]; e < s->start[i + 1]; e++) {
            if (!active[s->order[i]]) b[e] = 0;
            size += b[e] * b[e];
        }
        sizes[i] = size;
    }
}

/* The same where M is diagonal: the entries of a row stand together in K, too. */
static void fill_rows_alone(struct schur *s, const double *restrict k, const int *restrict active) {
    double *restrict b = s->b, *restrict sizes = s->size;
    const double *restrict weight = s->entry_weight;
    const int *restrict start = s->start, *restrict from = s->from, *restrict order = s->order;
    for (int i = 0, e = 0, count; i < s->k; i++, e += count) {
        count = start[i + 1] - e;
        if (active[order[i]]) {
            sizes[i] = schur_weighed(k + from[e], count, weight + e, b + e);
            continue;
        }
        sizes[i] = 0;
        memset(b + e, 0, (size_t)count * sizeof *b);
    }
}

/* S left of its diagonal. */
static void sum_products(struct schur *s) {
    const double *b = s->b;
    for (int e = 0; e < s->s_start[s->k]; e++) {
        double sum = 0;
        for (int p = s->sum_start[e]; p < s->sum_start[e + 1]; p++) sum += b[s->left[p]] * b[s->right[p]];
        s->square[e] = sum;
    }
}

int schur_factor(struct schur *s, const double *k, const int *active) {
    double *work = s->work, *l = s->l;
    if (!s->diagonal) fill_rows(s, k, active);
    else if (!s->forest) fill_rows_alone(s, k, active);
    if (s->forest) return schur_forest_factor(s, k, active);
    sum_products(s);
    for (int i = 0; i < s->k; i++) {
        double size = s->size[i], pivot = active[s->order[i]] ? size : 1;
        for (int e = s->s_start[i]; e < s->s_start[i + 1]; e++) work[s->s_column[e]] = s->square[e];
        for (int p = s->row_start[i]; p < s->row_start[i + 1]; p++) {
            int j = s->row_column[p], end = s->row_at[p];
            double value = work[j], share = value * s->inverse[j];
            work[j] = 0;
            for (int e = s->column_start[j]; e < end; e++) work[s->column_row[e]] -= l[e] * value;
            l[end] = share;
            pivot -= share * value;
        }
        if (!(pivot > SCHUR_SHARE * size) || !(size < HUGE_VAL)) return 1;
        s->inverse[i] = 1 / pivot;
    }
    return 0;
}

static double row_times(const struct schur *s, int i, const double *z) {
    int first = s->forest ? s->rows[i].first : s->start[i];
    const double *b = s->forest ? s->sweep.b : s->b;
    return schur_row_times(b + first, s->column + first, s->start[i + 1] - s->start[i], z);
}

/* r := B z - c, row by row, and the first half of S^-1 r with it.  rests: z is 0. */
static void miss(const struct schur *s, const double *z, const double *c, int rests) {
    const double *l = s->l;
    double *r = s->r;
    for (int i = 0; i < s->k; i++) {
        double sum = rests ? 0 : row_times(s, i, z);
        sum = s->size[i] > 0 ? sum - c[s->order[i]] : 0; /* 0: left out */
        for (int p = s->row_start[i]; p < s->row_start[i + 1]; p++)
            sum -= l[s->row_at[p]] * r[s->row_column[p]];
        r[i] = sum;
    }
}

/* The other half: r is what mu lacks; first: all of it.  z := z - B^T r */
static void pull(const struct schur *s, double *z, double *mu, int first) {
    const double *b = s->b, *l = s->l;
    const int *column = s->column;
    double *r = s->r;
    for (int i = s->k - 1; i >= 0; i--) {
        double sum = r[i] * s->inverse[i];
        for (int e = s->column_start[i]; e < s->column_start[i + 1]; e++) sum -= l[e] * r[s->column_row[e]];
        r[i] = sum;
        mu[s->order[i]] = first ? sum : mu[s->order[i]] + sum;
        for (int e = s->start[i]; e < s->start[i + 1]; e++) z[column[e]] -= b[e] * sum;
    }
}

/* S_ii, which a forest does not keep */
static double square_of(const struct schur *s, int i) {
    return s->forest ? schur_square(s->sweep.b + s->rows[i].first, s->rows[i].entries) : s->size[i];
}

/* Does K d = c hold to the round-off of d's own terms, those that mu pulls with left out? */
static int holds(const struct schur *s, const double *z, const double *c, double largest) {
    for (int i = 0; i < s->k; i++) {
        double off = row_times(s, i, z) - c[s->order[i]];
        if (!schur_has_arrived(off, largest, square_of(s, i))) return 0;
    }
    return 1;
}

MACHINE_WIDE static void multiply(int count, const double *restrict a, double *restrict z) {
    for (int j = 0; j < count; j++) z[j] *= a[j];
}

/* z := L^-1 f: in the place of f where M is diagonal; and f := L^-T z */
static double *to_lengths(const struct schur *s, double *f) {
    if (s->diagonal) {
        if (!s->unit) multiply(s->nq, s->weight, f);
        return f;
    }
    for (int j = 0; j < s->nq; j++) s->z[j] = f[s->member[j]];
    for (int b = 0; b < s->blocks; b++)
        dense_lower_solve(s->block[b].width, s->root + s->block[b].root, s->z + s->block[b].first);
    return s->z;
}

static void from_lengths(const struct schur *s, double *f) {
    if (s->diagonal) {
        if (!s->unit) multiply(s->nq, s->weight, f);
        return;
    }
    for (int b = 0; b < s->blocks; b++)
        dense_lower_t_solve(s->block[b].width, s->root + s->block[b].root, s->z + s->block[b].first);
    for (int j = 0; j < s->nq; j++) f[s->member[j]] = s->z[j];
}

/* What z lacks of B z = c, once; mu may be c the first time. */
static void correct(struct schur *s, double *z, const double *c, double *mu, int first, int rests) {
    if (s->forest) {
        schur_forest_miss(s, z, c, rests);
        schur_forest_back(s, z, mu, first);
    } else {
        miss(s, z, c, rests);
        pull(s, z, mu, first);
    }
}

void schur_solve(struct schur *s, double *f, double *c, int exactly) {
    double *z = to_lengths(s, f), before = exactly ? schur_largest_square(s->nq, z, 0) : 0;
    int there = exactly && holds(s, z, c, before); /* as a velocity that was projected */
    if (!there) correct(s, z, c, exactly ? s->mu : c, 1, 0);
    else memset(s->mu, 0, (size_t)s->k * sizeof *s->mu);
    for (int pass = 0; pass < SCHUR_REFINEMENTS && exactly && !there; pass++) {
        if (holds(s, z, c, schur_largest_square(s->nq, z, before))) break;
        correct(s, z, c, s->mu, 0, 0);
    }
    from_lengths(s, f);
    if (exactly) memcpy(c, s->mu, (size_t)s->k * sizeof *c);
}

int schur_factor_solve(struct schur *s, double *k, const int *active, double *f, double *c) {
    if (s->sweep.end && s->diagonal) {
        to_lengths(s, f);
        if (schur_forest_solve(s, k, active, f, c)) return 1;
        from_lengths(s, f);
        return 0;
    }
    if (schur_factor(s, k, active)) return 1;
    schur_solve(s, f, c, 0);
    return 0;
}

void schur_shortest(struct schur *s, const double *c, double *d) {
    double *z = s->diagonal ? d : s->z;
    memset(z, 0, (size_t)s->nq * sizeof *z);
    correct(s, z, c, s->mu, 1, 1);
    from_lengths(s, d);
}

void schur_divide(struct schur *s, double *v) {
    to_lengths(s, v);
    from_lengths(s, v);
}

const struct schur_sweep *schur_chain(const struct schur *s) {
    return s->diagonal && s->sweep.end ? &s->sweep : NULL;
}

const double *schur_chain_weights(const struct schur *s, const double **of_entries) {
    *of_entries = s->entry_weight;
    return s->unit ? NULL : s->weight;
}

double schur_operations(const struct schur *s) {
    return s->operations;
}

void schur_close(struct schur *s) {
    struct pool all;
    if (!s) return;
    all = s->pool; /* s itself lies in there */
    pool_release(&all);
}
