/* variety_block.c - rows that are linear in their highest derivatives, solved together; see variety.h.
 *
 * c(x)' = c_x x' = 0 is linear in x', whatever the loop that the constraints close. */
#include "discover/variety.h"

#include <stdlib.h>
#include <string.h>

struct block {
    int rows, columns;
    const struct variety_row *row;
    expr *column;   /* symbols */
    residue *value; /* [columns] of them, at random */
    residue *at;    /* [rows] scratch */
};

static int order_of(const struct graph *g, expr e) {
    const struct expr_node n = g->node[e];
    return n.op == EXPR_SYMBOL && n.a == EXPR_UNKNOWN ? (int)n.c : -1;
}

/* The highest derivative in a row. */
static int highest_in(const struct variety *w, const struct variety_row *row) {
    int highest = -1;
    for (size_t i = 0; i < row->list.order.count; i++) {
        int order = order_of(w->g, row->list.order.item[i]);
        if (order > highest) highest = order;
    }
    return highest;
}

/* The symbols of that order in these rows.  1; 0 without memory. */
static int block_open(struct block *b, const struct variety *w, const struct variety_row *row, int rows,
                      int order) {
    size_t most = 1;
    for (int k = 0; k < rows; k++) most += row[k].list.order.count;
    *b = (struct block){.rows = rows, .row = row};
    b->column = calloc(most, sizeof *b->column);
    for (int k = 0; k < rows && b->column; k++)
        for (size_t i = 0; i < row[k].list.order.count; i++) {
            expr e = row[k].list.order.item[i];
            int at = 0;
            while (at < b->columns && b->column[at] != e) at++;
            if (order_of(w->g, e) == order && at == b->columns) b->column[b->columns++] = e;
        }
    b->value = calloc((size_t)b->columns + 1, sizeof *b->value);
    b->at = calloc((size_t)rows + 1, sizeof *b->at);
    return b->column && b->value && b->at;
}

static void block_close(struct block *b) {
    free(b->column);
    free(b->value);
    free(b->at);
}

/* The rows with the columns as they are in value[]: into at[].  1; 0: no value. */
static int block_values(struct block *b, struct variety *w) {
    for (int c = 0; c < b->columns; c++)
        generic_fix(&w->v, (struct generic_coordinate){GENERIC_PLAIN, b->column[c]}, b->value[c]);
    for (int k = 0; k < b->rows; k++) {
        if (!generic_values(&w->v, &b->row[k].list)) return 0;
        b->at[k] = w->v.value[b->row[k].f];
    }
    return 1;
}

/* f(x + a + b) - f(x + a) - f(x + b) + f(x) = 0: linear in all columns together, at random points. */
static int is_linear(struct block *b, struct variety *w, uint64_t seed) {
    enum { TRIALS = 64 };
    residue *sum = calloc((size_t)b->rows + 1, sizeof *sum);
    int linear = 0;
    for (int trial = 0; trial < TRIALS && sum && !linear; trial++) {
        int good = 1;
        memset(sum, 0, (size_t)b->rows * sizeof *sum);
        generic_begin(&w->v, residue_random(seed, (uint64_t)trial));
        for (int part = 0; part < 4 && good; part++) {
            for (int c = 0; c < b->columns; c++) {
                b->value[c] = residue_random(w->v.seed, (uint64_t)c);
                if (part & 1)
                    b->value[c] = residue_add(b->value[c], residue_random(w->v.seed, 1000u + (uint64_t)c));
                if (part & 2)
                    b->value[c] = residue_add(b->value[c], residue_random(w->v.seed, 2000000u + (uint64_t)c));
            }
            good = block_values(b, w);
            for (int k = 0; k < b->rows && good; k++)
                sum[k] =
                    part == 0 || part == 3 ? residue_add(sum[k], b->at[k]) : residue_sub(sum[k], b->at[k]);
        }
        if (!good) continue;
        linear = 1;
        for (int k = 0; k < b->rows; k++) linear &= sum[k] == 0;
        if (!linear) break;
    }
    free(sum);
    return linear;
}

int variety_block_find(struct variety *w, int left, uint64_t seed) {
    struct block b;
    int highest = -1, count = 0, linear = -1;
    for (int k = 0; k < left; k++)
        if (highest_in(w, &w->row[k]) > highest) highest = highest_in(w, &w->row[k]);
    if (highest < 1) return 0;
    for (int k = left - 1; k >= 0; k--) { /* to the end, in the order they have */
        if (highest_in(w, &w->row[k]) != highest) continue;
        struct variety_row row = w->row[k];
        int to = left - 1 - count++;
        memmove(&w->row[k], &w->row[k + 1], (size_t)(to - k) * sizeof *w->row);
        w->row[to] = row;
    }
    struct variety_row *first = &w->row[left - count];
    if (block_open(&b, w, first, count, highest)) linear = is_linear(&b, w, seed);
    block_close(&b);
    if (linear <= 0) return linear;
    for (int k = 0; k < count; k++) first[k].by = (struct generic_coordinate){GENERIC_PLAIN, EXPR_NONE};
    first->block = count;
    first->order = highest;
    return count;
}

/* J d = -f by elimination; what is free stays as it is.  m: J and f, [rows * (columns + 1)]. */
static int block_eliminate(struct block *b, residue *m) {
    int width = b->columns + 1;
    for (int k = 0; k < b->rows; k++) {
        residue *row = m + (size_t)k * (size_t)width;
        int pivot = 0;
        while (pivot < b->columns && row[pivot] == 0) pivot++;
        if (pivot == b->columns) {
            if (row[b->columns]) return 0;
            continue;
        }
        residue scale = residue_inverse(row[pivot]);
        for (int c = 0; c < width; c++) row[c] = residue_mul(row[c], scale);
        for (int i = 0; i < b->rows; i++) {
            residue *other = m + (size_t)i * (size_t)width, factor = other[pivot];
            for (int c = 0; c < width && factor && i != k; c++)
                other[c] = residue_sub(other[c], residue_mul(factor, row[c]));
        }
    }
    for (int k = 0; k < b->rows; k++) { /* each row has a column to itself */
        const residue *row = m + (size_t)k * (size_t)width;
        int pivot = 0;
        while (pivot < b->columns && row[pivot] == 0) pivot++;
        if (pivot < b->columns) b->value[pivot] = residue_sub(b->value[pivot], row[b->columns]);
    }
    return 1;
}

int variety_block_solve(struct variety *w, const struct variety_row *first) {
    struct block b;
    residue *m = NULL;
    int good = block_open(&b, w, first, first->block, first->order);
    size_t width = (size_t)b.columns + 1;
    if (good) m = calloc((size_t)b.rows * width + 1, sizeof *m);
    if (!m) w->v.failed = 1, good = 0;
    for (int c = 0; c < b.columns && good; c++) b.value[c] = residue_random(w->v.seed, b.column[c]);
    good = good && block_values(&b, w);
    for (int k = 0; k < b.rows && good; k++) m[(size_t)k * width + width - 1] = b.at[k];
    for (int c = 0; c < b.columns && good; c++) {
        b.value[c] = residue_add(b.value[c], 1);
        good = block_values(&b, w);
        b.value[c] = residue_sub(b.value[c], 1);
        for (int k = 0; k < b.rows && good; k++)
            m[(size_t)k * width + (size_t)c] = residue_sub(b.at[k], m[(size_t)k * width + width - 1]);
    }
    good = good && block_eliminate(&b, m) && block_values(&b, w);
    for (int k = 0; k < b.rows && good; k++) good = b.at[k] == 0;
    free(m);
    block_close(&b);
    return good;
}
