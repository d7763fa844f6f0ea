/* schur_strands.c - the longest part of a chain, eliminated from both of its ends: two strands of rows, each row
 * into the next but one, where all places go on by the same steps: nothing about a row is looked up, and what a
 * row leaves to its parent stays in a register.  The two do not wait for each other.
 *
 * A row joins two points of the plane or of space, 2 d entries, and shares one of them with its parent. */
#include "linalg/schur_private.h"

#include "base/machine.h"

#include <string.h>

enum { LEAST = 4 }; /* rows that are worth it */

static int has_shape(const struct schur *s, int i, int d) {
    return s->rows[i].entries == 2 * d && s->rows[i].links == d;
}

/* Places of row i, those within b and z by their distance from the first. */
static struct schur_strand strand_of(const struct schur *s, int i, int d) {
    const struct schur_row *row = s->rows + i;
    const int *column = s->column + row->first;
    struct schur_strand a = {.first = row->first, .row = row->row, .column = column[0]};
    for (int p = 0; p < d; p++) {
        a.left[p] = s->link[row->link + p].left - a.first;
        a.right[p] = s->link[row->link + p].right - a.first;
    }
    for (int e = 0; e < 2 * d; e++) a.at[e] = column[e] - a.column;
    return a;
}

/* The steps from one to the other; 0: they are not alike. */
static int find_steps(struct schur_strand *a, const struct schur_strand *next) {
    a->step = next->first - a->first;
    a->down = next->row - a->row;
    a->across = next->column - a->column;
    return memcmp(a->left, next->left, sizeof a->left) == 0 &&
           memcmp(a->right, next->right, sizeof a->right) == 0 && memcmp(a->at, next->at, sizeof a->at) == 0;
}

/* Is row i + 2 the parent of row i alone, and goes on as a does from its first row on? */
static int goes_on(const struct schur *s, int i, int d, const int *children, const struct schur_strand *a) {
    if (i + 2 >= s->k || s->rows[i].parent != i + 2 || children[i + 2] != 1 || !has_shape(s, i + 2, d))
        return 0;
    struct schur_strand here = strand_of(s, i, d), next = strand_of(s, i + 2, d);
    return find_steps(&here, &next) && here.step == a->step && here.down == a->down &&
           here.across == a->across;
}

/* The end of the strands that begin with row i and the next. */
static int follow(const struct schur *s, int i, int d, const int *children, struct schur_strand a[2]) {
    int end = i + 2;
    for (int k = 0; k < 2; k++) {
        if (i + k + 2 >= s->k || !has_shape(s, i + k, d) || !has_shape(s, i + k + 2, d)) return i;
        a[k] = strand_of(s, i + k, d);
        struct schur_strand next = strand_of(s, i + k + 2, d);
        if (!find_steps(&a[k], &next)) return i;
    }
    while (goes_on(s, end - 2, d, children, &a[0]) && goes_on(s, end - 1, d, children, &a[1])) end += 2;
    return end;
}

void schur_strands_layout(struct schur *s, const int *children) {
    struct schur_strand a[2];
    for (int d = 2; d <= 3; d++)
        for (int i = 0; i < s->k;) {
            int end = follow(s, i, d, children, a);
            if (end - i >= LEAST && end - i > s->end - s->begin) {
                s->begin = i, s->end = end, s->dimension = d;
                memcpy(s->strand, a, sizeof a);
            }
            i = end > i ? end : i + 1;
        }
}

/* Row i at b: what it leaves to its parent, as in schur_forest.c. */
static inline double factor_row(struct schur *restrict s, int i, int d, const struct schur_strand *a,
                                const double *restrict b, double taken, const int *active, int *failed) {
    double square = schur_square(b, 2 * d), pivot = square - taken, value = 0;
    if (d == 2) value = b[a->left[0]] * b[a->right[0]] + b[a->left[1]] * b[a->right[1]];
    for (int p = 0; p < d && d != 2; p++) value += b[a->left[p]] * b[a->right[p]];
    s->size[i] = square;
    if (!(pivot > SCHUR_SHARE * square)) {
        *failed |= active[s->rows[i].row];
        s->inverse[i] = s->joint[i] = 0;
        return 0;
    }
    s->inverse[i] = 1 / pivot;
    s->joint[i] = value * s->inverse[i];
    return value * value / pivot;
}

static inline int factor_strands(struct schur *s, int d, const int *active) {
    const struct schur_strand one = s->strand[0], two = s->strand[1];
    const double *restrict b = s->b;
    long at_one = one.first, at_two = two.first;
    double left_one = s->work[s->begin], left_two = s->work[s->begin + 1];
    int failed = 0;
    for (int i = s->begin; i < s->end; i += 2, at_one += one.step, at_two += two.step) {
        left_one = factor_row(s, i, d, &one, b + at_one, left_one, active, &failed);
        left_two = factor_row(s, i + 1, d, &two, b + at_two, left_two, active, &failed);
    }
    s->work[s->rows[s->end - 2].parent] += left_one;
    s->work[s->rows[s->end - 1].parent] += left_two;
    return failed;
}

MACHINE_WIDE __attribute__((flatten)) static int factor(struct schur *s, const int *active) {
    return s->dimension == 2 ? factor_strands(s, 2, active) : factor_strands(s, 3, active);
}

int schur_strands_factor(struct schur *s, const int *active) {
    return factor(s, active);
}

/* r := what row i lacks, with z from its first column on; what it leaves to its parent. */
static inline double miss_row(const struct schur *s, int i, int d, const struct schur_strand *a,
                              const double *b, const double *z, double c, double taken, int rests) {
    double sum = rests ? 0 : schur_row_times(b, a->at, 2 * d, z), all = (sum - c) - taken;
    s->r[i] = all;
    return s->joint[i] * all;
}

static inline void miss_strands(const struct schur *s, int d, const double *restrict z,
                                const double *restrict c, int rests) {
    const struct schur_strand one = s->strand[0], two = s->strand[1];
    const double *restrict b = s->b;
    double left_one = s->work[s->begin], left_two = s->work[s->begin + 1];
    long step = 0; /* rows of a strand */
    for (int i = s->begin; i < s->end; i += 2, step++) {
        left_one =
            miss_row(s, i, d, &one, b + one.first + step * one.step, z + one.column + step * one.across,
                     c[one.row + step * one.down], left_one, rests);
        left_two =
            miss_row(s, i + 1, d, &two, b + two.first + step * two.step, z + two.column + step * two.across,
                     c[two.row + step * two.down], left_two, rests);
    }
    s->work[s->rows[s->end - 2].parent] += left_one;
    s->work[s->rows[s->end - 1].parent] += left_two;
}

MACHINE_WIDE __attribute__((flatten)) static void miss(const struct schur *s, const double *z,
                                                       const double *c, int rests) {
    if (s->dimension == 2 && rests) miss_strands(s, 2, z, c, 1);
    else if (s->dimension == 2) miss_strands(s, 2, z, c, 0);
    else miss_strands(s, 3, z, c, rests);
}

void schur_strands_miss(const struct schur *s, const double *z, const double *c, int rests) {
    miss(s, z, c, rests);
}

/* Row i, whose parent has r = above: what it has. */
static inline double back_row(const struct schur *s, int i, int d, const struct schur_strand *a,
                              const double *restrict b, double *restrict z, double *restrict mu, double above,
                              int first) {
    double sum = s->r[i] * s->inverse[i] - s->joint[i] * above;
    *mu = first ? sum : *mu + sum;
    for (int e = 0; e < 2 * d; e++) z[a->at[e]] -= b[e] * sum;
    return sum;
}

static inline void back_strands(const struct schur *s, int d, double *restrict z, double *restrict mu,
                                int first) {
    const struct schur_strand one = s->strand[0], two = s->strand[1];
    const double *restrict b = s->b;
    double of_one = s->r[s->rows[s->end - 2].parent], of_two = s->r[s->rows[s->end - 1].parent];
    long step = (s->end - s->begin) / 2 - 1;
    for (int i = s->end - 2; i >= s->begin; i -= 2, step--) {
        of_two = back_row(s, i + 1, d, &two, b + two.first + step * two.step,
                          z + two.column + step * two.across, mu + two.row + step * two.down, of_two, first);
        of_one = back_row(s, i, d, &one, b + one.first + step * one.step, z + one.column + step * one.across,
                          mu + one.row + step * one.down, of_one, first);
    }
    s->r[s->begin] = of_one;
    s->r[s->begin + 1] = of_two;
}

MACHINE_WIDE __attribute__((flatten)) static void back(const struct schur *s, double *z, double *mu,
                                                       int first) {
    if (s->dimension == 2 && first) back_strands(s, 2, z, mu, 1);
    else if (s->dimension == 2) back_strands(s, 2, z, mu, 0);
    else back_strands(s, 3, z, mu, first);
}

void schur_strands_back(const struct schur *s, double *z, double *mu, int first) {
    back(s, z, mu, first);
}
