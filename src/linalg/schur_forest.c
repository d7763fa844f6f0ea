/* schur_forest.c - a Schur complement whose rows are linked as a forest, as those of chains are: every row is
 * eliminated into one other, its parent, and nothing fills in.  One number a row and one place stand for the
 * factor.
 *
 * Where M is diagonal, B has its entries where K has them: it is one product of numbers by weights.  Pairs of
 * neighbours in B go side by side; those of z do not, since one of them was just stored. */
#include "linalg/schur_private.h"

#include "base/machine.h"

#include <math.h>
#include <string.h>

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Row i and the entry of S that links it to its parent, -1: it has none. */
static void lay_row(struct schur *s, int i, int entry, int *at) {
    struct schur_row *row = s->rows + i;
    row->first = s->diagonal ? s->from[s->start[i]] : s->start[i];
    row->entries = s->start[i + 1] - s->start[i];
    row->row = s->order[i];
    row->link = *at;
    for (int p = entry < 0 ? 0 : s->sum_start[entry]; entry >= 0 && p < s->sum_start[entry + 1]; p++) {
        struct schur_link both = {s->left[p], s->right[p]};
        if (s->diagonal) both = (struct schur_link){s->from[both.left], s->from[both.right]};
        s->link[(*at)++] = both;
    }
    row->links = *at - row->link;
}

/* The longest run of rows between two points of the plane each, that share one with a parent of no other row:
 * most of a chain.  Loops over it ask nothing of a row, and what a row leaves to its parent is all that comes
 * there: the parent waits for no sum. */
static void find_plain(struct schur *s, int *children) {
    for (int i = 0; i < s->k; i++) children[s->rows[i].parent]++;
    for (int i = 0, begin = 0; i < s->k; i++) {
        const struct schur_row *row = s->rows + i;
        if (row->entries != 4 || row->links != 2 || children[row->parent] != 1) begin = i + 1;
        if (i + 1 - begin <= s->sweep.plain_end - s->sweep.plain) continue;
        s->sweep.plain = begin;
        s->sweep.plain_end = i + 1;
    }
}

/* Row k is the parent of those that have none: what goes there is 0 and is never read. */
int schur_forest_layout(struct schur *s) {
    int entries = s->s_start[s->k], width = s->start[s->k], at = 0;
    s->forest = s->row_start[s->k] == entries; /* no fill */
    for (int j = 0; j < s->k; j++) s->forest &= s->column_start[j + 1] - s->column_start[j] <= 1;
    if (!s->forest) return 0;
    size_t rows = (size_t)s->k + 1, products = (size_t)s->sum_start[entries] + 1;
    s->rows = pool_take(&s->pool, rows * sizeof *s->rows);
    s->link = pool_take(&s->pool, products * sizeof *s->link);
    s->sweep.joint = pool_take(&s->pool, rows * sizeof(double));
    s->sweep.lack = pool_take(&s->pool, rows * sizeof(double));
    int *column = pool_take(&s->pool, ((size_t)width + 1) * sizeof(int));
    int *children = pool_take(&s->pool, rows * sizeof(int));
    s->four = pool_take(&s->pool, 4 * ((size_t)s->nq + rows) * sizeof(double));
    if (s->pool.refused) return 1;
    for (int j = 0; j < s->k; j++) s->rows[j].parent = s->k, s->rows[j].link = -1;
    for (int i = 0; i < s->k; i++)
        for (int e = s->s_start[i]; e < s->s_start[i + 1]; e++) {
            s->rows[s->s_column[e]].parent = i;
            s->rows[s->s_column[e]].link = e; /* for now: the entry */
        }
    for (int j = 0; j < s->k; j++) lay_row(s, j, s->rows[j].link, &at);
    for (int e = 0; e < width; e++) column[s->diagonal ? s->from[e] : e] = s->column[e];
    s->column = column;
    find_plain(s, children);
    schur_strands_layout(s, children);
    s->sweep.k = s->k;
    s->sweep.rows = s->rows, s->sweep.link = s->link, s->sweep.column = s->column;
    s->sweep.b = s->b, s->sweep.inverse = s->inverse;
    s->sweep.work = s->work, s->sweep.r = s->r;
    return 0;
}

/* Rows that are left out, and are few. */
__attribute__((noinline)) static void clear_row(struct schur *s, int i) {
    const struct schur_row *row = s->rows + i;
    memset(s->b + row->first, 0, (size_t)row->entries * sizeof *s->b);
}

static void fill_straight(struct schur *s, const double *restrict k, const int *restrict active) {
    double *restrict b = s->b;
    const double *restrict weight = s->entry_weight;
    int left_out = 0;
    s->sweep.b = b;
    for (int e = 0; e < s->start[s->k]; e++) b[e] = k[e] * weight[e];
    for (int i = 0; i < s->k; i++) left_out |= !active[i];
    for (int i = 0; i < s->k && left_out; i++)
        if (!active[s->rows[i].row]) clear_row(s, i);
}

MACHINE_WIDE __attribute__((flatten)) static int factor(struct schur *s, const double *k, const int *active) {
    if (s->diagonal) fill_straight(s, k, active);
    if (s->sweep.end) schur_sweep_begin(&s->sweep, s->work);
    else memset(s->work, 0, ((size_t)s->k + 1) * sizeof *s->work);
    if (s->sweep.end)
        return schur_factor_rows(&s->sweep, 0, s->sweep.begin, 0, active) ||
               schur_strands_factor(s, active) || schur_factor_rows(&s->sweep, s->sweep.end, s->k, 0, active);
    return schur_factor_rows(&s->sweep, 0, s->sweep.plain, 0, active) ||
           schur_factor_rows(&s->sweep, s->sweep.plain, s->sweep.plain_end, 1, active) ||
           schur_factor_rows(&s->sweep, s->sweep.plain_end, s->k, 0, active);
}

int schur_forest_factor(struct schur *s, const double *k, const int *active) {
    return factor(s, k, active);
}

MACHINE_WIDE __attribute__((flatten)) static void miss(struct schur *s, double *z, const double *c,
                                                       int rests) {
    if (s->sweep.end) schur_sweep_begin(&s->sweep, s->sweep.lack);
    else memset(s->sweep.lack, 0, ((size_t)s->k + 1) * sizeof *s->sweep.lack);
    schur_miss_rows(&s->sweep, 0, s->sweep.end ? s->sweep.begin : s->sweep.plain, 0, z, c, rests);
    if (s->sweep.end) schur_strands_miss(s, z, c, rests);
    else if (rests) schur_miss_rows(&s->sweep, s->sweep.plain, s->sweep.plain_end, 1, z, c, 1);
    else schur_miss_rows(&s->sweep, s->sweep.plain, s->sweep.plain_end, 1, z, c, 0);
    schur_miss_rows(&s->sweep, s->sweep.end ? s->sweep.end : s->sweep.plain_end, s->k, 0, z, c, rests);
}

void schur_forest_miss(struct schur *s, double *z, const double *c, int rests) {
    miss(s, z, c, rests);
}

MACHINE_WIDE __attribute__((flatten)) static void back(const struct schur *s, double *z, double *mu,
                                                       int once) {
    s->r[s->k] = 0;
    schur_back_rows(&s->sweep, s->sweep.end ? s->sweep.end : s->sweep.plain_end, s->k, 0, z, mu, once);
    if (s->sweep.end) schur_strands_back(s, z, mu, once);
    else schur_back_rows(&s->sweep, s->sweep.plain, s->sweep.plain_end, 1, z, mu, once);
    schur_back_rows(&s->sweep, 0, s->sweep.end ? s->sweep.begin : s->sweep.plain, 0, z, mu, once);
}

void schur_forest_back(const struct schur *s, double *z, double *mu, int first) {
    back(s, z, mu, first);
}

/* Where M is 1 and no row is left out K is B, and stands for it. */
MACHINE_WIDE __attribute__((flatten)) static int solve(struct schur *s, double *k, const int *active,
                                                       double *z, double *c) {
    int left_out = !s->unit;
    for (int i = 0; i < s->k; i++) left_out |= !active[i];
    if (left_out) fill_straight(s, k, active);
    else s->sweep.b = k;
    return schur_sweep_solve(&s->sweep, active, z, c);
}

int schur_forest_solve(struct schur *s, double *k, const int *active, double *z, double *c) {
    return solve(s, k, active, z, c);
}

/* Four columns at once: r := L^-1 K x, then r := L^-T D^-1 r and x := x - M^-1 K^T r. */
static inline void tangents_row(int count, const double *restrict k, const int *restrict column,
                                const four *restrict x, four *restrict sum) {
    four all = *sum;
    for (int e = 0; e < count; e++) all += k[e] * x[column[e]];
    *sum = all;
}

static void tangents_miss(const struct schur *s, const double *restrict k, const four *restrict x,
                          four *restrict r) {
    const struct schur_row *restrict row = s->rows;
    const int *restrict columns = s->column;
    const double *restrict joint = s->sweep.joint;
    int count = s->k;
    memset(r, 0, ((size_t)count + 1) * sizeof *r);
    for (int i = 0; i < count; i++, row++) {
        const int *column = columns + row->first;
        if (row->entries == 4) tangents_row(4, k + row->first, column, x, r + i);
        else tangents_row(row->entries, k + row->first, column, x, r + i);
        r[row->parent] -= joint[i] * r[i];
    }
}

static inline void tangents_pull(int count, const double *restrict weight, const double *restrict b,
                                 const int *restrict column, const four *restrict sum, four *restrict x) {
    for (int e = 0; e < count; e++) x[column[e]] -= (weight[e] * b[e]) * *sum;
}

static void tangents_back(const struct schur *s, four *restrict x, four *restrict r) {
    const int *restrict columns = s->column;
    const double *restrict weights = s->entry_weight, *restrict b = s->sweep.b,
                           *restrict inverse = s->inverse;
    const double *restrict joint = s->sweep.joint;
    const struct schur_row *restrict row = s->rows + s->k - 1;
    r[s->k] = (four){0, 0, 0, 0};
    for (int i = s->k - 1; i >= 0; i--, row--) {
        int first = row->first;
        r[i] = r[i] * inverse[i] - joint[i] * r[row->parent];
        if (row->entries == 4) tangents_pull(4, weights + first, b + first, columns + first, r + i, x);
        else tangents_pull(row->entries, weights + first, b + first, columns + first, r + i, x);
    }
}

MACHINE_WIDE __attribute__((flatten)) static void tangents(const struct schur *s, const double *k,
                                                           double *const e[4]) {
    four *restrict x = (four *)s->four, *r = x + s->nq;
    double *first = e[0], *second = e[1], *third = e[2], *fourth = e[3]; /* two of them may be the same */
    for (int j = 0; j < s->nq; j++) x[j] = (four){first[j], second[j], third[j], fourth[j]};
    tangents_miss(s, k, x, r);
    tangents_back(s, x, r);
    for (int j = 0; j < s->nq; j++)
        first[j] = x[j][0], second[j] = x[j][1], third[j] = x[j][2], fourth[j] = x[j][3];
}

int schur_tangents(const struct schur *s, const double *k, double *const e[4]) {
    if (!s->forest || !s->diagonal) return 1;
    tangents(s, k, e);
    return 0;
}
