/* manifold_staggered.c - Newton's step of manifold_flat.c for a motion with sensitivities.
 *
 * The rows of the motion contain its states x alone; those of direction k are linear in its states S_k and
 * contain x besides.  So the motion is brought back as without sensitivities, and then each direction, the
 * others at rest: with B = G W^-1,
 *
 *     B_0 a_0 = -c_0,    B_k a_k = -c_k - B_k0 a_0,    each a the shortest one
 *
 * (staggered as by W. F. Feehery, J. E. Tolsma, P. I. Barton, Appl. Numer. Math. 25 (1997) 41-54).  The work
 * grows with the number of directions, where one row space for all would take its third power. */
#include "core/manifold.h"

#include <keel/extras.h>

#include <math.h>
#include <string.h>

int manifold_goes_staggered(const struct field *fd, const keel_stabilizer *stabilizer) {
    unsigned other = KEEL_FIRST_ROW | KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS | KEEL_DAMPS;
    const keel_map *hidden = &fd->hidden.user, *invariant = &fd->invariant.user;
    if (stabilizer->info.traits & other || stabilizer->correct || fd->hidden_rows.sparse) return 0;
    if (keel_extras_of(&fd->p)->variations.directions == 0 || hidden->count == 0) return 0;
    return hidden->pattern && (invariant->count == 0 || invariant->pattern);
}

void manifold_staggered_layout(struct manifold *m, struct arena *a) {
    struct staggered *g = &m->staggered;
    size_t blocks = (size_t)keel_extras_of(&m->fd->p)->variations.directions + 1;
    if (!m->stagger) return;
    g->state = arena_ints(a, (size_t)m->fd->n + 1);
    g->first_state = arena_ints(a, blocks + 1);
    g->first_row = arena_ints(a, blocks + 1);
    g->part = arena_doubles(a, (size_t)m->fd->width);
}

/* The direction of the row's last state: no row has two. */
static int direction_of(const keel_map *map, int i, const int *direction) {
    int found = -1;
    for (int e = map->pattern->row_start[i]; e < map->pattern->row_start[i + 1]; e++)
        if (direction[map->pattern->column[e]] > found) found = direction[map->pattern->column[e]];
    return found;
}

static int block_of_row(const struct manifold *m, int row, const int *direction) {
    const struct rows *r = m->rows;
    int hidden = row - r->at[KEEL_ROW_HIDDEN], invariant = row - r->at[KEEL_ROW_INVARIANT];
    if (invariant >= 0) return 1 + direction_of(&m->fd->p.invariant, invariant, direction);
    return hidden >= 0 && hidden < r->of[KEEL_ROW_HIDDEN]
               ? 1 + direction_of(&m->fd->p.hidden, hidden, direction)
               : 0;
}

/* States and kept rows, block by block. */
void manifold_staggered_choose(struct manifold *m) {
    const keel_variations *v = &keel_extras_of(&m->fd->p)->variations;
    struct staggered *g = &m->staggered;
    int states = 0, rows = 0;
    g->blocks = 1 + v->directions;
    for (int b = 0; b < g->blocks; b++) {
        for (int i = 0; i < m->fd->n; i++)
            if (v->direction[i] + 1 == b) g->state[states++] = i;
        for (int i = 0; i < m->rows->count; i++)
            if (m->rows->treatment[i] == KEEL_ROW_KEPT && block_of_row(m, i, v->direction) == b)
                m->row[rows++] = i;
        g->first_state[b + 1] = states;
        g->first_row[b + 1] = rows;
    }
}

/* The row space of a block, in its part of the memory for all. */
static struct rowspace space_of(const struct manifold *m, int b) {
    const struct staggered *g = &m->staggered;
    int first = g->first_row[b], states = g->first_state[b + 1] - g->first_state[b];
    return (struct rowspace){.rows = g->first_row[b + 1] - first,
                             .width = states > 0 ? (states + 3) / 4 * 4 : 4,
                             .q = m->space.q + (long)first * m->space.width,
                             .r = m->space.r + (long)first * m->kept,
                             .inverse = m->space.inverse + first,
                             .used = m->space.used + first};
}

static void factor_block(struct manifold *m, int b) {
    const struct staggered *g = &m->staggered;
    struct rowspace space = space_of(m, b);
    const int *state = g->state + g->first_state[b], *row = m->row + g->first_row[b];
    int states = g->first_state[b + 1] - g->first_state[b];
    double *floor_of = m->floor_of + g->first_row[b];
    for (int i = 0; i < space.rows; i++) {
        const double *gradient = rows_gradient(m->rows, m->fd, row[i]);
        double *q = space.q + (long)i * space.width;
        for (int j = 0; j < states; j++) q[j] = gradient[state[j]] * m->inverse_weight[state[j]];
        for (int j = states; j < space.width; j++) q[j] = 0;
        int off = rows_in_units(m->rows, row[i], m->residual[row[i]]) > m->units;
        floor_of[i] = off ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY;
    }
    rowspace_factor(&space, floor_of);
}

/* By how much the states of block b change kept row i, displaced by a in weights. */
static double share_of(const struct manifold *m, int b, int i, const double *a) {
    const struct staggered *g = &m->staggered;
    const double *gradient = rows_gradient(m->rows, m->fd, m->row[i]);
    double sum = 0;
    for (int k = g->first_state[b]; k < g->first_state[b + 1]; k++) {
        int j = g->state[k];
        sum += gradient[j] * m->inverse_weight[j] * a[j];
    }
    return sum;
}

/* m->d := the displacement, in weights, by which the kept rows change by m->c. */
static void shortest(struct manifold *m) {
    const struct staggered *g = &m->staggered;
    for (int b = 0; b < g->blocks; b++) {
        struct rowspace space = space_of(m, b);
        int first = g->first_row[b];
        for (int i = first; i < g->first_row[b + 1] && b > 0; i++) m->c[i] -= share_of(m, 0, i, m->d);
        rowspace_shortest(&space, m->c + first, m->z + first, g->part);
        for (int k = g->first_state[b]; k < g->first_state[b + 1]; k++)
            m->d[g->state[k]] = g->part[k - g->first_state[b]];
    }
}

void manifold_staggered_correct(struct manifold *m, double *x, double *low, int fresh) {
    const struct staggered *g = &m->staggered;
    for (int b = 0; b < g->blocks && fresh; b++) factor_block(m, b);
    for (int i = 0; i < m->kept; i++) m->c[i] = -m->residual[m->row[i]];
    shortest(m);
    for (int j = 0; j < m->fd->n; j++) m->d[j] *= m->inverse_weight[j];
    manifold_move(x, low, m->fd->n, m->d);
}

/* e less the displacement by which the rows change as much. */
void manifold_staggered_tangent(struct manifold *m, double *e) {
    const struct staggered *g = &m->staggered;
    const double *weight = m->inverse_weight;
    for (int j = 0; j < m->fd->n; j++) e[j] = weight[j] > 0 ? e[j] / weight[j] : 0;
    for (int b = 0; b < g->blocks; b++)
        for (int i = g->first_row[b]; i < g->first_row[b + 1]; i++)
            m->c[i] = share_of(m, b, i, e) + (b > 0 ? share_of(m, 0, i, e) : 0);
    shortest(m);
    for (int j = 0; j < m->fd->n; j++) e[j] = (e[j] - m->d[j]) * weight[j];
}
