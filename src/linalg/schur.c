/* schur.c - see schur.h.  Davis, Algorithm 849: A concise sparse Cholesky factorization package, ACM Trans.
 * Math. Softw. 31 (2005), with all patterns known beforehand. */
#include "linalg/schur_private.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SHARE 1e-6                 /* the square of the least share of new direction */
#define ARRIVED (64 * DBL_EPSILON) /* residual over the terms: nothing to refine */
enum { REFINEMENTS = 3 };

static int weigh_diagonal(struct schur *s, const double *mass) {
    for (int i = 0; i < s->nq; i++) {
        double value = s->mass ? 0 : 1;
        for (int e = s->mass ? s->mass->row_start[i] : 0; s->mass && e < s->mass->row_start[i + 1]; e++)
            if (s->mass->column[e] == i) value = mass[e];
        if (!(value > 0)) return i + 1;
        s->weight[i] = 1 / sqrt(value);
    }
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
        row[s->place[j]] =
            inverse_weight[j] > 0 ? 1 / inverse_weight[j] : HUGE_VAL; /* by which things are divided */
    }
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

static void fill_rows(struct schur *s, const double *k, const int *active) {
    double *b = s->b;
    for (int e = 0; e < s->entries && s->diagonal; e++) b[e] = k[s->from[e]] * s->weight[s->column[e]];
    for (int i = 0; i < s->k; i++) {
        double size = 0;
        if (!s->diagonal) fill_row(s, k, i);
        for (int e = s->start[i]; e < s->start[i + 1]; e++) {
            if (!active[s->order[i]]) b[e] = 0;
            size += b[e] * b[e];
        }
        s->size[i] = size;
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
    fill_rows(s, k, active);
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
        if (!(pivot > SHARE * size) || !(size < HUGE_VAL)) return 1;
        s->inverse[i] = 1 / pivot;
    }
    return 0;
}

/* Row i of B z. */
static inline double row_times(const struct schur *s, int i) {
    const double *b = s->b, *z = s->z;
    const int *column = s->column;
    int e = s->start[i], end = s->start[i + 1];
    double even = 0, odd = 0;
    for (; e + 1 < end; e += 2) {
        even += b[e] * z[column[e]];
        odd += b[e + 1] * z[column[e + 1]];
    }
    return e < end ? even + odd + b[e] * z[column[e]] : even + odd;
}

/* r := B z - c, row by row, and the first half of S^-1 r with it. */
static void miss(const struct schur *s, const double *c) {
    const double *l = s->l;
    double *r = s->r;
    for (int i = 0; i < s->k; i++) {
        double sum = s->size[i] > 0 ? row_times(s, i) - c[s->order[i]] : 0; /* 0: left out */
        for (int p = s->row_start[i]; p < s->row_start[i + 1]; p++)
            sum -= l[s->row_at[p]] * r[s->row_column[p]];
        r[i] = sum;
    }
}

/* The other half: r is what mu lacks.  z := z - B^T r */
static void pull(const struct schur *s) {
    const double *b = s->b, *l = s->l;
    const int *column = s->column;
    double *z = s->z, *r = s->r;
    for (int i = s->k - 1; i >= 0; i--) {
        double sum = r[i] * s->inverse[i];
        for (int e = s->column_start[i]; e < s->column_start[i + 1]; e++) sum -= l[e] * r[s->column_row[e]];
        r[i] = sum;
        s->mu[i] += sum;
        for (int e = s->start[i]; e < s->start[i + 1]; e++) z[column[e]] -= b[e] * sum;
    }
}

static double largest_square(const struct schur *s, double largest) {
    for (int j = 0; j < s->nq; j++) largest = s->z[j] * s->z[j] > largest ? s->z[j] * s->z[j] : largest;
    return largest;
}

/* Does K d = c hold to the round-off of d's own terms, those that mu pulls with left out? */
static int holds(const struct schur *s, const double *c, double largest) {
    double bound = ARRIVED * ARRIVED * largest;
    for (int i = 0; i < s->k; i++) {
        double off = row_times(s, i) - c[s->order[i]];
        if (off * off > bound * s->size[i] && s->size[i] > 0) return 0;
    }
    return 1;
}

/* z := L^-1 f, or f := L^-T z */
static void to_lengths(const struct schur *s, const double *f) {
    for (int j = 0; j < s->nq && s->diagonal; j++) s->z[j] = s->weight[j] * f[j];
    for (int j = 0; j < s->nq && !s->diagonal; j++) s->z[j] = f[s->member[j]];
    for (int b = 0; b < s->blocks; b++)
        dense_lower_solve(s->block[b].width, s->root + s->block[b].root, s->z + s->block[b].first);
}

static void from_lengths(const struct schur *s, double *f) {
    for (int b = 0; b < s->blocks; b++)
        dense_lower_t_solve(s->block[b].width, s->root + s->block[b].root, s->z + s->block[b].first);
    for (int j = 0; j < s->nq && s->diagonal; j++) f[j] = s->weight[j] * s->z[j];
    for (int j = 0; j < s->nq && !s->diagonal; j++) f[s->member[j]] = s->z[j];
}

void schur_solve(struct schur *s, double *f, double *c, int exactly) {
    to_lengths(s, f);
    double before = exactly ? largest_square(s, 0) : 0;
    memset(s->mu, 0, (size_t)s->k * sizeof *s->mu);
    for (int pass = 0; pass <= REFINEMENTS; pass++) {
        miss(s, c);
        pull(s);
        if (!exactly || holds(s, c, largest_square(s, before))) break;
    }
    from_lengths(s, f);
    for (int i = 0; i < s->k; i++) c[s->order[i]] = s->mu[i];
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
