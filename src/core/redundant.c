/* redundant.c - which constraints carry the motion, where some follow from the others.
 *
 * Any choice of independent rows describes the same manifold, but none serves everywhere: in the flat
 * position of a spatial linkage rows of one choice become dependent although all rows together keep their
 * rank.  There others take over, as many as at the start, by Gram-Schmidt with pivoting: each time the row
 * with the largest part of its length left.  The choice is a function of the place, so that it is the same
 * whenever a run gets there. */
#include "core/field.h"

#include <math.h>

/* The row of B with the largest part of its length left. */
static int most_of_its_own(const struct redundant *r, int rows) {
    const double *left = r->left, *whole = r->whole;
    int best = -1;
    for (int i = 0; i < rows; i++)
        if (!r->in_force[i] && (best < 0 || left[i] * whole[best] > left[best] * whole[i])) best = i;
    return best;
}

void redundant_choose(const struct redundant *r, const struct rowspace *space, int independent) {
    int rows = space->rows, width = space->width;
    double *b = space->q;
    for (int i = 0; i < rows; i++) {
        r->left[i] = r->whole[i] = rowspace_dot(width, b + (long)i * width, b + (long)i * width);
        r->in_force[i] = 0;
    }
    for (int picked = 0; picked < independent; picked++) {
        int best = most_of_its_own(r, rows);
        const double *q = b + (long)best * width;
        r->in_force[best] = 1;
        for (int i = 0; i < rows; i++) {
            double *row = b + (long)i * width;
            if (r->in_force[i] || !(r->left[best] > 0)) continue;
            for (int pass = 0; pass < 2; pass++)
                rowspace_add(width, -rowspace_dot(width, q, row) / r->left[best], q, row);
            r->left[i] = rowspace_dot(width, row, row);
        }
    }
}

double redundant_least_fraction(const struct rowspace *s, int *row) {
    double least = 1;
    for (int i = 0; i < s->rows; i++) {
        if (!s->used[i]) continue;
        double own = 1 / s->inverse[i], whole = own;
        for (int j = 0; j < i; j++)
            if (s->used[j])
                whole += s->r[(long)i * s->rows + j] * s->r[(long)i * s->rows + j] / s->inverse[j];
        if (own >= least * least * whole) continue;
        least = sqrt(own / whole);
        *row = i;
    }
    return least;
}
