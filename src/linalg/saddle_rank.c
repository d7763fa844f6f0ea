/* saddle_rank.c - which rows of K are combinations of others: the pivots of S + shift, S = B B^T with
 * B = E K D of unit rows.
 *
 * S is positive semidefinite, so its diagonal serves as pivots in any order, and each is the square of the
 * share of new direction its row has.  Behind a pivot of round-off size a shift of more than that keeps the
 * other rows clean: what is eliminated with it is round-off squared over the shift. */
#include "linalg/saddle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHIFT 1e-13
#define DEPENDENT 1e-12 /* the share's square */
enum { FILLED = 100 };  /* S with so many entries a row is not looked at: rows count as independent */

struct square {
    int k;
    int *row_start, *column; /* B by rows */
    double *b;
    int *column_start, *row, *entry; /* the same by columns: rows, and where in b */
    int *start, *index;              /* S by columns */
    double *values, *work;
    int *seen;
};

static int *ints(size_t count) {
    return calloc(count + 1, sizeof(int));
}
static double *doubles(size_t count) {
    return calloc(count + 1, sizeof(double));
}

static void close_square(struct square *q) {
    free(q->row_start), free(q->column), free(q->b), free(q->column_start), free(q->row), free(q->entry);
    free(q->start), free(q->index), free(q->values), free(q->work), free(q->seen);
}

static void unit_rows(struct square *q, const struct saddle *s, const double *k) {
    int at = 0;
    for (int part = 0, i = 0; part < 2; part++)
        for (int r = 0; r < s->count[part]; r++, i++) {
            const keel_pattern *p = s->part[part];
            double largest = 0, sum = 0;
            int first = at;
            for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++, at++) {
                q->column[at] = p->column[e];
                q->b[at] = k[at] * s->inverse_weight[p->column[e]];
                largest = fmax(largest, fabs(q->b[at]));
            }
            for (int e = first; e < at && largest > 0; e++) sum += q->b[e] / largest * (q->b[e] / largest);
            for (int e = first; e < at && largest > 0; e++) q->b[e] = q->b[e] / largest / sqrt(sum);
            q->row_start[i + 1] = at;
        }
}

static void by_columns(struct square *q, int nq) {
    for (int e = 0; e < q->row_start[q->k]; e++) q->column_start[q->column[e] + 1]++;
    for (int j = 0; j < nq; j++) q->column_start[j + 1] += q->column_start[j];
    for (int i = q->k - 1; i >= 0; i--) /* from the last place of each column downwards */
        for (int e = q->row_start[i]; e < q->row_start[i + 1]; e++) {
            int at = --q->column_start[q->column[e] + 1];
            q->row[at] = i;
            q->entry[at] = e;
        }
    for (int j = 0; j < nq; j++) q->column_start[j] = q->column_start[j + 1];
    q->column_start[nq] = q->row_start[q->k];
}

/* Column i of S: the places into index (if it is there), the values into work; returns how many. */
static int column_of(struct square *q, int i, int *index) {
    int count = 0;
    for (int e = q->row_start[i]; e < q->row_start[i + 1]; e++)
        for (int c = q->column_start[q->column[e]]; c < q->column_start[q->column[e] + 1]; c++) {
            int other = q->row[c];
            if (q->seen[other] != i + 1) {
                q->seen[other] = i + 1;
                q->work[other] = 0;
                if (index) index[count] = other;
                count++;
            }
            q->work[other] += q->b[e] * q->b[q->entry[c]];
        }
    return count;
}

/* 1; 0: it fills in too much; -1: no memory. */
static int multiply(struct square *q) {
    long entries = 0;
    q->start = ints((size_t)q->k + 1);
    q->seen = ints((size_t)q->k);
    q->work = doubles((size_t)q->k);
    if (!q->start || !q->seen || !q->work) return -1;
    for (int i = 0; i < q->k; i++) {
        entries += column_of(q, i, NULL) + 1; /* one more for the diagonal of an empty row */
        if (entries > (long)FILLED * q->k + 1000) return 0;
    }
    q->index = ints((size_t)entries);
    q->values = doubles((size_t)entries);
    if (!q->index || !q->values) return -1;
    memset(q->seen, 0, (size_t)q->k * sizeof *q->seen);
    for (int i = 0; i < q->k; i++) {
        int *index = q->index + q->start[i], count = column_of(q, i, index);
        if (count == 0) {
            index[count++] = i;
            q->work[i] = 0;
        }
        for (int e = 0; e < count; e++)
            q->values[q->start[i] + e] = q->work[index[e]] + (index[e] == i ? SHIFT : 0);
        q->start[i + 1] = q->start[i] + count;
    }
    return 1;
}

int saddle_rank(struct saddle *s, const double *mass, const double *k, int *independent) {
    size_t rows = (size_t)s->k, columns = (size_t)s->nq, entries = 0;
    for (int part = 0; part < 2; part++) entries += s->part[part] ? (size_t)s->part[part]->nnz : 0;
    struct square q = {.k = s->k};
    q.row_start = ints(rows + 1), q.column = ints(entries), q.b = doubles(entries);
    q.column_start = ints(columns + 1), q.row = ints(entries), q.entry = ints(entries);
    int there = q.row_start && q.column && q.b && q.column_start && q.row && q.entry, few = 0;
    int status = !there ? -1 : saddle_weigh(s, mass) ? 0 : 1;
    if (status == 0) {
        unit_rows(&q, s, k);
        by_columns(&q, s->nq);
        few = multiply(&q);
        if (few < 0) status = -1;
    }
    struct sparse *lu = few > 0 ? sparse_open(s->k, q.start, q.index, SPARSE_DIAGONAL) : NULL;
    if (few > 0) status = !lu ? -1 : !sparse_anchor(lu, q.values) ? 0 : sparse_starved(lu) ? -1 : 1;
    for (int i = 0; i < s->k && status == 0; i++) {
        int row = i;
        if (!lu || sparse_pivot(lu, i, &row) > DEPENDENT) independent[row] = 1;
    }
    sparse_close(lu);
    close_square(&q);
    return status;
}
