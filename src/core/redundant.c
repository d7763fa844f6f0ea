/* redundant.c - which constraints carry the motion, where some follow from the others.
 *
 * Any choice of independent rows describes the same manifold, but none serves everywhere: in the flat
 * position of a spatial linkage rows of one choice become dependent although all rows together keep their
 * rank.  There others take over, as many as at the start, by Gram-Schmidt with pivoting: each time the row
 * with the largest part of its length left.  The choice is a function of the place, so that it is the same
 * whenever a run gets there. */
#include "core/field.h"

/* The row of B with the largest part of its length left. */
static int most_of_its_own(const struct mechanics *m, int rows) {
    const double *left = m->left, *whole = m->whole;
    int best = -1;
    for (int i = 0; i < rows; i++)
        if (!m->in_force[i] && (best < 0 || left[i] * whole[best] > left[best] * whole[i])) best = i;
    return best;
}

void redundant_choose(struct field *fd, int independent) {
    struct mechanics *m = &fd->mech;
    int rows = fd->k, width = m->space.width;
    double *b = m->space.q;
    for (int i = 0; i < rows; i++) {
        m->left[i] = m->whole[i] = rowspace_dot(width, b + (long)i * width, b + (long)i * width);
        m->in_force[i] = 0;
    }
    for (int picked = 0; picked < independent; picked++) {
        int best = most_of_its_own(m, rows);
        const double *q = b + (long)best * width;
        m->in_force[best] = 1;
        for (int i = 0; i < rows; i++) {
            double *row = b + (long)i * width;
            if (m->in_force[i] || !(m->left[best] > 0)) continue;
            for (int pass = 0; pass < 2; pass++)
                rowspace_add(width, -rowspace_dot(width, q, row) / m->left[best], q, row);
            m->left[i] = rowspace_dot(width, row, row);
        }
    }
}
