/* redundant.c - which constraints carry the motion, where some follow from the others.
 *
 * Any choice of independent rows describes the same manifold, but none serves everywhere: in the flat
 * position of a spatial linkage rows of one choice become dependent although all rows together keep their
 * rank.  There others take over, as many as at the start, by Gram-Schmidt with pivoting: each time the row
 * with the largest part of its length left.  The choice is a function of the place, so that it is the same
 * whenever a run gets there.
 *
 * A row r that is left out is a combination of the others, B_r = C_r B, and any lambda_r may be traded for
 * -C_r^T lambda_r of theirs.  The least multipliers have no part along e_r - C_r, of which an orthogonal
 * basis is made: one of these trades after the other does not settle where they are nearly parallel. */
#include "core/field.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static int padded(int columns) {
    return (columns + 3) / 4 * 4;
}

void redundant_layout(struct redundant *r, struct arena *a, int rows, int columns) {
    size_t k = (size_t)rows + 1, width = (size_t)padded(rows);
    r->in_force = arena_ints(a, k);
    r->whole = arena_doubles(a, k);
    r->left = arena_doubles(a, k);
    r->unseen = (struct rowspace){.width = (int)width,
                                  .q = arena_doubles(a, k * width + 4),
                                  .r = arena_doubles(a, k * k),
                                  .inverse = arena_doubles(a, k),
                                  .used = arena_ints(a, k)};
    r->share = arena_doubles(a, k);
    r->row = arena_doubles(a, (size_t)padded(columns) + 4);
    r->lambda = arena_doubles(a, width + 4);
    r->none = arena_doubles(a, k);
}

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

const double *redundant_shares(const struct redundant *r, const struct rowspace *space, int columns,
                               const double *row, const double *mass) {
    memcpy(r->row, row, (size_t)columns * sizeof *row);
    memset(r->row + columns, 0, (size_t)(space->width - columns) * sizeof *row);
    if (mass) dense_lower_solve(columns, mass, r->row);
    rowspace_components(space, r->row, r->share);
    rowspace_coefficients(space, r->share);
    return r->share;
}

void redundant_find_unseen(struct redundant *r, const struct rowspace *space, int columns,
                           const double *k_rows, const double *mass) {
    struct rowspace *unseen = &r->unseen;
    int k = space->rows, at = 0;
    for (int i = 0; i < k; i++) {
        if (space->used[i]) continue;
        const double *share = redundant_shares(r, space, columns, k_rows + (long)i * columns, mass);
        double *q = unseen->q + (long)at++ * unseen->width;
        for (int j = 0; j < unseen->width; j++) q[j] = j == i ? 1 : j < k ? -share[j] : 0;
    }
    unseen->rows = at;
    rowspace_factor(unseen, r->none);
}

void redundant_trade(const struct redundant *r, int rows, const double *lambda, const double *by) {
    for (int i = 0; i < r->unseen.width; i++) r->lambda[i] = i < rows ? lambda[i] - (by ? by[i] : 0) : 0;
    rowspace_tangent(&r->unseen, r->lambda);
    for (int i = 0; i < rows && by; i++) r->lambda[i] += by[i];
}
