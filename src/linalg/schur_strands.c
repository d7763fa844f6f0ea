/* schur_strands.c - the longest part of a chain, eliminated from both of its ends: two strands of rows, each
 * row into the next but one, where all places go on by the same steps: nothing about a row is looked up, and
 * what a row leaves to its parent stays in a register.  The two do not wait for each other.
 *
 * A row joins two points of the plane or of space, 2 d entries, and shares one of them with its parent.  Its
 * columns, and the entries of the products with its parent, are those of the first ones and as far from them
 * in all rows, columns two by two side by side. */
#include "linalg/schur_private.h"

#include "base/machine.h"

#include <string.h>

enum { LEAST = 4 }; /* rows that are worth it */

static int has_shape(const struct schur *s, int i, int d) {
    const struct schur_row *row = s->rows + i;
    const int *column = s->column + row->first;
    const struct schur_link *link = s->link + row->link;
    if (row->entries != 2 * d || row->links != d) return 0;
    for (int p = 0; p < d; p++)
        if (column[2 * p + 1] != column[2 * p] + 1 ||
            link[p].left - link[0].left != link[p].right - link[0].right)
            return 0;
    return 1;
}

/* Places of row i, those of the same kind by their distance from the first. */
static struct schur_strand strand_of(const struct schur *s, int i, int d) {
    const struct schur_row *row = s->rows + i;
    const struct schur_link *link = s->link + row->link;
    const int *column = s->column + row->first;
    struct schur_strand a = {.first = row->first, .row = row->row, .column = column[0]};
    a.left = link[0].left - a.first, a.right = link[0].right - a.first;
    for (int p = 0; p < d; p++) a.apart[p] = link[p].left - link[0].left, a.at[p] = column[2 * p] - column[0];
    return a;
}

/* The steps from one to the other; 0: they are not alike. */
static int find_steps(struct schur_strand *a, const struct schur_strand *next) {
    a->step = next->first - a->first;
    a->down = next->row - a->row;
    a->across = next->column - a->column;
    return a->left == next->left && a->right == next->right &&
           memcmp(a->apart, next->apart, sizeof a->apart) == 0 && memcmp(a->at, next->at, sizeof a->at) == 0;
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

/* Where a row of a strand is: its entries, its first column in z, the products with its parent. */
struct place {
    const double *restrict b, *restrict left, *restrict right;
    double *restrict z;
    long row;
};

static inline struct place place_of(const struct schur *s, const struct schur_strand *a, long step,
                                    double *z) {
    const double *b = s->b + a->first + step * a->step;
    return (struct place){b, b + a->left, b + a->right, z + a->column + step * a->across,
                          a->row + step * a->down};
}

/* What a row leaves to its parent, of its pivot and of what it lacks. */
struct left {
    double pivot, lack;
};

/* Row i: its part of the factor, as in schur_forest.c. */
static inline double factor_row(struct schur *restrict s, int i, int d, const struct schur_strand *a,
                                struct place at, double taken, const int *active, int *failed) {
    double square = schur_square(at.b, 2 * d), pivot = square - taken, value = 0;
    if (d == 2) value = at.left[0] * at.right[0] + at.left[a->apart[1]] * at.right[a->apart[1]];
    for (int p = 0; p < d && d != 2; p++) value += at.left[a->apart[p]] * at.right[a->apart[p]];
    s->size[i] = square;
    if (__builtin_expect(!(pivot > SCHUR_SHARE * square), 0)) {
        *failed |= active[at.row];
        s->inverse[i] = s->joint[i] = 0;
        return 0;
    }
    s->inverse[i] = 1 / pivot;
    s->joint[i] = value * s->inverse[i];
    return value * value / pivot;
}

/* A row of B times z, with the bits of schur_row_times. */
static inline double times(int d, const struct schur_strand *a, struct place at) {
    if (d == 2) {
        const schur_pair *b = (const schur_pair *)at.b;
        schur_pair sum = b[0] * *(const schur_pair *)at.z + b[1] * *(const schur_pair *)(at.z + a->at[1]);
        return sum[0] + sum[1];
    }
    double even = 0, odd = 0;
    for (int p = 0; p < d; p++) {
        even += at.b[2 * p] * at.z[a->at[p]];
        odd += at.b[2 * p + 1] * at.z[a->at[p] + 1];
    }
    return even + odd;
}

/* Row i: what it lacks, r; what it leaves of that. */
static inline double miss_row(const struct schur *s, int i, int d, const struct schur_strand *a,
                              struct place at, const double *restrict c, double taken, int rests) {
    double sum = rests ? 0 : times(d, a, at), all = (sum - c[at.row]) - taken;
    s->r[i] = all;
    return s->joint[i] * all;
}

enum task { FACTOR, MISS, BOTH };

/* The rows of both strands, from their ends on. */
static inline int go_in(struct schur *s, enum task task, int d, double *z, const double *restrict c,
                        int rests, const int *active) {
    const struct schur_strand one = s->strand[0], two = s->strand[1];
    struct left of_one = {s->work[s->begin], s->lack[s->begin]};
    struct left of_two = {s->work[s->begin + 1], s->lack[s->begin + 1]};
    int failed = 0;
    long step = 0;
    for (int i = s->begin; i < s->end; i += 2, step++) {
        struct place first = place_of(s, &one, step, z), second = place_of(s, &two, step, z);
        if (task != MISS) of_one.pivot = factor_row(s, i, d, &one, first, of_one.pivot, active, &failed);
        if (task != MISS) of_two.pivot = factor_row(s, i + 1, d, &two, second, of_two.pivot, active, &failed);
        if (task != FACTOR) of_one.lack = miss_row(s, i, d, &one, first, c, of_one.lack, rests);
        if (task != FACTOR) of_two.lack = miss_row(s, i + 1, d, &two, second, c, of_two.lack, rests);
    }
    int parent_of_one = s->rows[s->end - 2].parent, parent_of_two = s->rows[s->end - 1].parent;
    if (task != MISS) s->work[parent_of_one] += of_one.pivot, s->work[parent_of_two] += of_two.pivot;
    if (task != FACTOR) s->lack[parent_of_one] += of_one.lack, s->lack[parent_of_two] += of_two.lack;
    return failed;
}

MACHINE_WIDE __attribute__((flatten)) static int factor(struct schur *s, const int *active) {
    return s->dimension == 2 ? go_in(s, FACTOR, 2, s->z, NULL, 0, active)
                             : go_in(s, FACTOR, 3, s->z, NULL, 0, active);
}

int schur_strands_factor(struct schur *s, const int *active) {
    return factor(s, active);
}

MACHINE_WIDE __attribute__((flatten)) static void miss(struct schur *s, double *z, const double *c,
                                                       int rests) {
    if (s->dimension == 2 && rests) go_in(s, MISS, 2, z, c, 1, NULL);
    else if (s->dimension == 2) go_in(s, MISS, 2, z, c, 0, NULL);
    else go_in(s, MISS, 3, z, c, rests, NULL);
}

void schur_strands_miss(struct schur *s, double *z, const double *c, int rests) {
    miss(s, z, c, rests);
}

MACHINE_WIDE __attribute__((flatten)) static int both(struct schur *s, double *z, const double *c,
                                                      const int *active) {
    return s->dimension == 2 ? go_in(s, BOTH, 2, z, c, 0, active) : go_in(s, BOTH, 3, z, c, 0, active);
}

int schur_strands_both(struct schur *s, double *z, const double *c, const int *active) {
    return both(s, z, c, active);
}

/* Row i, whose parent has r = above: what it has. */
static inline double back_row(const struct schur *s, int i, int d, const struct schur_strand *a,
                              struct place at, double *restrict mu, double above, int first) {
    double sum = s->r[i] * s->inverse[i] - s->joint[i] * above;
    mu[at.row] = first ? sum : mu[at.row] + sum;
    for (int p = 0; p < d; p++) { /* one of the two was just stored: not as a pair */
        at.z[a->at[p]] -= at.b[2 * p] * sum;
        at.z[a->at[p] + 1] -= at.b[2 * p + 1] * sum;
    }
    return sum;
}

static inline void go_back(const struct schur *s, int d, double *z, double *restrict mu, int first) {
    const struct schur_strand one = s->strand[0], two = s->strand[1];
    double of_one = s->r[s->rows[s->end - 2].parent], of_two = s->r[s->rows[s->end - 1].parent];
    long step = (s->end - s->begin) / 2 - 1;
    for (int i = s->end - 2; i >= s->begin; i -= 2, step--) {
        of_two = back_row(s, i + 1, d, &two, place_of(s, &two, step, z), mu, of_two, first);
        of_one = back_row(s, i, d, &one, place_of(s, &one, step, z), mu, of_one, first);
    }
    s->r[s->begin] = of_one;
    s->r[s->begin + 1] = of_two;
}

MACHINE_WIDE __attribute__((flatten)) static void back(const struct schur *s, double *z, double *mu,
                                                       int first) {
    if (s->dimension == 2 && first) go_back(s, 2, z, mu, 1);
    else if (s->dimension == 2) go_back(s, 2, z, mu, 0);
    else go_back(s, 3, z, mu, first);
}

void schur_strands_back(const struct schur *s, double *z, double *mu, int first) {
    back(s, z, mu, first);
}
