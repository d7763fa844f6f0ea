/* schur_strands.c - the longest part of a chain, eliminated from both of its ends: two strands of rows, each
 * row into the next but one, where all places go on by the same steps: nothing about a row is looked up, and
 * what a row leaves to the next stays in registers.  The two do not wait for each other.
 *
 * A row joins two points of the plane or of space, 2 d entries, and shares one of them with its parent.  Its
 * columns are two by two side by side, and as far from its first one as those of all rows. */
#include "linalg/schur_private.h"

#include "base/machine.h"

#include <string.h>

enum { LEAST = 4 }; /* rows that are worth it */

static int has_shape(const struct schur *s, int i, int d) {
    const struct schur_row *row = s->rows + i;
    const int *column = s->column + row->first;
    if (row->entries != 2 * d || row->links != d) return 0;
    for (int p = 0; p < d; p++)
        if (column[2 * p + 1] != column[2 * p] + 1) return 0;
    return 1;
}

/* Is what a row shares with its parent as the strand has it?  next: where its parent's entries are. */
static int shares(const struct schur_strand *a, int d, int next, const struct schur_link *link) {
    for (int p = 0; p < d; p++) {
        int own = a->first + schur_near(a, d, p), other = next + schur_far(a, d, p);
        int met = 0;
        met |= link[p].left == own && link[p].right == other;
        met |= link[p].right == own && link[p].left == other;
        if (!met) return 0;
    }
    return 1;
}

/* Places of row i, whose parent has its entries at `next`.  0: no such strand has them. */
static int find_strand(const struct schur *s, int i, int d, int next, struct schur_strand *a) {
    const struct schur_row *row = s->rows + i;
    const int *column = s->column + row->first;
    *a = (struct schur_strand){.first = row->first, .row = row->row, .column = column[0]};
    a->step = next - a->first;
    for (int p = 0; p < d; p++) a->at[p] = column[2 * p] - column[0];
    for (int kind = 0; kind < 4; kind++) {
        a->by_points = kind / 2;
        a->backwards = kind % 2;
        if (shares(a, d, next, s->link + row->link)) return 1;
    }
    return 0;
}

/* Row i and row i + 2, its parent, which has no other child: the places of both, and the steps between them.
 * 0: they are no part of a strand. */
static int find_pair(const struct schur *s, int i, int d, const int *children, struct schur_strand *a) {
    struct schur_strand next;
    if (i + 2 >= s->k || s->rows[i].parent != i + 2 || children[i + 2] != 1) return 0;
    if (!has_shape(s, i, d) || !has_shape(s, i + 2, d)) return 0;
    int first = s->rows[i + 2].first;
    if (!find_strand(s, i, d, first, a) || !find_strand(s, i + 2, d, first + a->step, &next)) return 0;
    a->down = next.row - a->row;
    a->across = next.column - a->column;
    return a->by_points == next.by_points && a->backwards == next.backwards &&
           memcmp(a->at, next.at, sizeof a->at) == 0;
}

static int goes_on(const struct schur *s, int i, int d, const int *children, const struct schur_strand *a) {
    struct schur_strand b;
    return find_pair(s, i, d, children, &b) && b.step == a->step && b.down == a->down &&
           b.across == a->across && b.by_points == a->by_points && b.backwards == a->backwards &&
           memcmp(a->at, b.at, sizeof a->at) == 0;
}

/* The end of the strands that begin with row i and the next: one forwards, one backwards. */
static int follow(const struct schur *s, int i, int d, const int *children, struct schur_strand a[2]) {
    int end = i + 2;
    if (!find_pair(s, i, d, children, &a[0]) || !find_pair(s, i + 1, d, children, &a[1])) return i;
    if (a[0].by_points != a[1].by_points || a[0].backwards == a[1].backwards) return i;
    while (goes_on(s, end - 2, d, children, &a[0]) && goes_on(s, end - 1, d, children, &a[1])) end += 2;
    a[1].behind = 1;
    if (a[1].backwards) return end;
    struct schur_strand forwards = a[1];
    a[1] = a[0];
    a[0] = forwards;
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
    return schur_sweep_in(&s->sweep, SCHUR_FACTOR, s->z, NULL, 0, active);
}

int schur_strands_factor(struct schur *s, const int *active) {
    return factor(s, active);
}

MACHINE_WIDE __attribute__((flatten)) static void miss(struct schur *s, double *z, const double *c,
                                                       int rests) {
    if (rests) schur_sweep_in(&s->sweep, SCHUR_MISS, z, c, 1, NULL);
    else schur_sweep_in(&s->sweep, SCHUR_MISS, z, c, 0, NULL);
}

void schur_strands_miss(struct schur *s, double *z, const double *c, int rests) {
    miss(s, z, c, rests);
}

MACHINE_WIDE __attribute__((flatten)) static void back(const struct schur *s, double *z, double *mu,
                                                       int first) {
    if (first) schur_sweep_back(&s->sweep, z, mu, 1);
    else schur_sweep_back(&s->sweep, z, mu, 0);
}

void schur_strands_back(const struct schur *s, double *z, double *mu, int first) {
    back(s, z, mu, first);
}
