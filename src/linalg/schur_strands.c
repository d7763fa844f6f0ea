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
            if (end - i >= LEAST && end - i > s->sweep.end - s->sweep.begin) {
                s->sweep.begin = i, s->sweep.end = end, s->sweep.dimension = d;
                memcpy(s->sweep.strand, a, sizeof a);
            }
            i = end > i ? end : i + 1;
        }
}

MACHINE_WIDE __attribute__((flatten)) static int factor(struct schur *s, const int *active) {
    return s->sweep.dimension == 2 ? schur_go_in(&s->sweep, SCHUR_FACTOR, 2, s->z, NULL, 0, active)
                                   : schur_go_in(&s->sweep, SCHUR_FACTOR, 3, s->z, NULL, 0, active);
}

int schur_strands_factor(struct schur *s, const int *active) {
    return factor(s, active);
}

MACHINE_WIDE __attribute__((flatten)) static void miss(struct schur *s, double *z, const double *c,
                                                       int rests) {
    if (s->sweep.dimension == 2 && rests) schur_go_in(&s->sweep, SCHUR_MISS, 2, z, c, 1, NULL);
    else if (s->sweep.dimension == 2) schur_go_in(&s->sweep, SCHUR_MISS, 2, z, c, 0, NULL);
    else schur_go_in(&s->sweep, SCHUR_MISS, 3, z, c, rests, NULL);
}

void schur_strands_miss(struct schur *s, double *z, const double *c, int rests) {
    miss(s, z, c, rests);
}

MACHINE_WIDE __attribute__((flatten)) static int both(struct schur *s, double *z, const double *c,
                                                      const int *active) {
    return s->sweep.dimension == 2 ? schur_go_in(&s->sweep, SCHUR_BOTH, 2, z, c, 0, active)
                                   : schur_go_in(&s->sweep, SCHUR_BOTH, 3, z, c, 0, active);
}

int schur_strands_both(struct schur *s, double *z, const double *c, const int *active) {
    return both(s, z, c, active);
}

MACHINE_WIDE __attribute__((flatten)) static void back(const struct schur *s, double *z, double *mu,
                                                       int first) {
    if (s->sweep.dimension == 2 && first) schur_go_back(&s->sweep, 2, z, mu, 1);
    else if (s->sweep.dimension == 2) schur_go_back(&s->sweep, 2, z, mu, 0);
    else schur_go_back(&s->sweep, 3, z, mu, first);
}

void schur_strands_back(const struct schur *s, double *z, double *mu, int first) {
    back(s, z, mu, first);
}
