/* dependent.c - see dependent.h. */
#include "api/dependent.h"

#include "core/mechanism.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int dependent_open(struct dependent *d, int nq, int k) {
    size_t rows = (size_t)k, width = ((size_t)nq + 3) / 4 * 4;
    *d = (struct dependent){.nq = nq, .k = k, .independent = k};
    double *q = calloc(rows * width + 4, sizeof *q), *r = calloc(rows * rows + 1, sizeof *r);
    d->space = (struct rowspace){.rows = k, .width = (int)width, .q = q, .r = r};
    d->space.inverse = calloc(rows + 1, sizeof *d->space.inverse);
    d->space.used = calloc(5 * rows + 1, sizeof *d->space.used);
    d->floor_of = calloc(4 * rows + 1, sizeof *d->floor_of);
    d->matrix = calloc(2 * rows * rows + 1, sizeof *d->matrix);
    if (!q || !r || !d->space.inverse || !d->space.used || !d->floor_of || !d->matrix) return 0;
    d->rows = (struct redundant){
        .in_force = d->space.used + k, .whole = d->floor_of + k, .left = d->floor_of + 2 * k};
    d->at_start = d->space.used + 2 * k, d->pivot = d->at_start + k, d->number = d->pivot + k;
    d->part = d->floor_of + 3 * k, d->unseen = d->matrix + rows * rows;
    for (int i = 0; i < k; i++) d->at_start[i] = d->rows.in_force[i] = 1, d->number[i] = i;
    return 1;
}

void dependent_close(struct dependent *d) {
    free(d->mass);
    free(d->space.q), free(d->space.r), free(d->space.inverse), free(d->space.used);
    free(d->floor_of), free(d->matrix);
    *d = (struct dependent){0};
}

/* Those among `in_force`, as a row space. */
static void take_rows(struct dependent *d, const double *jacobian, const int *in_force) {
    for (int i = 0; i < d->k; i++) {
        mechanism_row(&d->space, i, d->nq, jacobian + (long)i * d->nq, NULL, d->mass);
        d->floor_of[i] = in_force[i] ? sqrt(DBL_EPSILON) : 2;
    }
}

/* A run of the problem looks for them at several places of the manifold. */
void dependent_find(struct dependent *d, const keel_problem *of, const double *jacobian) {
    keel_row row;
    take_rows(d, jacobian, d->at_start);
    rowspace_factor(&d->space, d->floor_of);
    if (d->space.rank == d->k) return;
    keel_solver *s = keel_open(of, NULL);
    for (int i = 0, at = 0; keel_row_at(s, i, &row) && at < d->k; i++) {
        if (row.kind != KEEL_ROW_CONSTRAINT) continue;
        d->at_start[at++] = row.treatment != KEEL_ROW_REDUNDANT;
        d->independent -= row.treatment == KEEL_ROW_REDUNDANT;
    }
    keel_close(s);
}

/* Rows of the start serve while none of them is nearly among the others. */
static void choose(struct dependent *d, const double *jacobian) {
    int row;
    memcpy(d->rows.in_force, d->at_start, (size_t)d->k * sizeof *d->at_start);
    take_rows(d, jacobian, d->at_start);
    rowspace_factor(&d->space, d->floor_of);
    if (d->space.rank >= d->independent && redundant_least_fraction(&d->space, &row) >= REDUNDANT_NARROW)
        return;
    take_rows(d, jacobian, d->at_start);
    redundant_choose(&d->rows, &d->space, d->independent);
}

/* Row r is a combination C of those in force, A_J C = A_Jr; n = e_r - C, then orthonormal. */
static void find_unseen(struct dependent *d, const double *matrix) {
    int at = 0;
    for (int r = 0; r < d->k; r++) {
        double *n = d->unseen + (long)at * d->k, length = 0;
        if (d->rows.in_force[r]) continue;
        for (int i = 0; i < d->k; i++) n[i] = -matrix[i * d->k + r];
        dependent_solve(d, n);
        n[r] = 1;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < at; k++) {
                const double *other = d->unseen + (long)k * d->k;
                double share = 0;
                for (int i = 0; i < d->k; i++) share += other[i] * n[i];
                for (int i = 0; i < d->k; i++) n[i] -= share * other[i];
            }
        for (int i = 0; i < d->k; i++) length += n[i] * n[i];
        for (int i = 0; i < d->k; i++) n[i] /= sqrt(length);
        at++;
    }
}

int dependent_factor(struct dependent *d, const double *jacobian, const double *matrix) {
    int at = 0, count = d->independent;
    if (count < d->k) choose(d, jacobian);
    for (int i = 0; i < d->k; i++)
        if (d->rows.in_force[i]) d->number[at++] = i;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) d->matrix[i * count + j] = matrix[d->number[i] * d->k + d->number[j]];
    if (dense_lu(count, d->matrix, d->pivot, NULL) != 0) return 1;
    if (count < d->k) find_unseen(d, matrix);
    return 0;
}

void dependent_solve(struct dependent *d, double *b) {
    for (int i = 0; i < d->independent; i++) d->part[i] = b[d->number[i]];
    dense_lu_solve(d->independent, d->matrix, d->pivot, d->part);
    memset(b, 0, (size_t)d->k * sizeof *b);
    for (int i = 0; i < d->independent; i++) b[d->number[i]] = d->part[i];
}

void dependent_trade(struct dependent *d, double *lambda, const double *by) {
    for (int c = 0; c < d->k - d->independent; c++) {
        const double *n = d->unseen + (long)c * d->k;
        double share = 0;
        for (int i = 0; i < d->k; i++) share += n[i] * (lambda[i] - (by ? by[i] : 0));
        for (int i = 0; i < d->k; i++) lambda[i] -= share * n[i];
    }
}

double dependent_contradiction(const struct dependent *d, const double *c) {
    double largest = 0, size = 0;
    for (int i = 0; i < d->k; i++) size = fmax(size, fabs(c[i]));
    for (int r = 0; r < d->k - d->independent; r++) {
        const double *n = d->unseen + (long)r * d->k;
        double sum = 0;
        for (int i = 0; i < d->k; i++) sum += n[i] * c[i];
        largest = fmax(largest, fabs(sum));
    }
    return size > 0 ? largest / size : 0;
}
