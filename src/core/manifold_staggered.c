/* manifold_staggered.c - Newton's step of manifold_flat.c for a motion with sensitivities.
 *
 * The rows of the motion contain its states x alone; those of direction k are linear in its states S_k, with
 * the gradients of the motion's rows, and contain x besides.  So the motion is brought back as without
 * sensitivities, and then each direction, the others at rest: with B = G W^-1,
 *
 *     B a_0 = -c_0,    B a_k = -c_k - B_k0 a_0,    each a the shortest one
 *
 * (staggered as by W. F. Feehery, J. E. Tolsma, P. I. Barton, Appl. Numer. Math. 25 (1997) 41-54).  A change
 * of S_k is measured by the weights of x, whose changes with p it stands for: one row space serves all
 * directions, and each of them adds a solve.  Where an invariant depends on other rows, they are not enough
 * (factor_motion), and all rows go together at that point. */
#include "core/algebra.h"
#include "core/manifold.h"
#include "core/step_control.h"

#include <keel/extras.h>

#include <math.h>
#include <string.h>

#define ALIKE 1e-9 /* of the largest entry of a gradient: the round-off of two ways to it */

int manifold_goes_staggered(const struct field *fd, const keel_stabilizer *stabilizer) {
    unsigned other = KEEL_FIRST_ROW | KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS | KEEL_DAMPS;
    const keel_map *hidden = &fd->hidden.user, *invariant = &fd->invariant.user;
    if (stabilizer->info.traits & other || stabilizer->correct || fd->hidden_rows.sparse) return 0;
    if (keel_extras_of(&fd->p)->variations.directions == 0 || hidden->count + invariant->count == 0) return 0;
    return (hidden->count == 0 || hidden->pattern) && (invariant->count == 0 || invariant->pattern);
}

void manifold_staggered_layout(struct manifold *m, struct arena *a) {
    struct staggered *g = &m->staggered;
    size_t blocks = (size_t)keel_extras_of(&m->fd->p)->variations.directions + 1;
    if (!m->stagger) return;
    g->state = arena_ints(a, (size_t)m->fd->n + 1);
    g->first_state = arena_ints(a, blocks + 1);
    g->first_row = arena_ints(a, blocks + 1);
    g->part = arena_doubles(a, (size_t)m->fd->width);
    g->constraint = arena_ints(a, (size_t)m->rows->count + 1);
    g->level = arena_ints(a, (size_t)m->rows->count + 1);
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

/* Has every direction the states of the motion, in its order, and as many rows? */
static int has_equal_blocks(const struct manifold *m, const keel_variations *v) {
    const struct staggered *g = &m->staggered;
    int states = g->first_state[1], rows = g->first_row[1];
    for (int b = 1; b < g->blocks; b++) {
        if (g->first_state[b + 1] != (b + 1) * states || g->first_row[b + 1] != (b + 1) * rows) return 0;
        for (int k = 0; k < states; k++)
            if (v->of[g->state[b * states + k]] != g->state[k]) return 0;
    }
    return 1;
}

/* Of the motion's rows.  The last row of a constraint is its d/dt: what rolls has no other. */
static void find_constraints(struct manifold *m) {
    const struct staggered *g = &m->staggered;
    const keel_choice *c = &keel_extras_of(&m->fd->p)->choice;
    for (int i = 0; i < g->first_row[1]; i++) {
        int hidden = m->row[i] - m->rows->at[KEEL_ROW_HIDDEN];
        int is = choice_trades(m->fd) && hidden >= 0 && hidden < m->rows->of[KEEL_ROW_HIDDEN];
        g->constraint[i] = is ? c->hidden[hidden] : -1;
        g->level[i] = 1;
        for (int j = 0; j < i; j++)
            if (g->constraint[j] == g->constraint[i]) g->level[j] = 0;
    }
}

/* States and kept rows, block by block; where directions differ from the motion, all go together. */
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
    m->stagger = has_equal_blocks(m, v);
    find_constraints(m);
}

/* The motion's row space. */
static struct rowspace space_of(const struct manifold *m) {
    struct rowspace space = m->space;
    int states = m->staggered.first_state[1];
    space.rows = m->staggered.first_row[1];
    space.width = states > 0 ? (states + 3) / 4 * 4 : 4;
    return space;
}

/* Of kept row i of block b, and state k of the block. */
static const double *gradient_of(const struct manifold *m, int b, int i) {
    return rows_gradient(m->rows, m->fd, m->row[b * m->staggered.first_row[1] + i]);
}

static int state_of(const struct manifold *m, int b, int k) {
    return m->staggered.state[b * m->staggered.first_state[1] + k];
}

static double inverse_weight(const struct manifold *m, int k) {
    return m->inverse_weight[m->staggered.state[k]];
}

/* Are the rows of the directions those of the motion, in its order? */
static int is_alike(const struct manifold *m) {
    const struct staggered *g = &m->staggered;
    int rows = g->first_row[1], states = g->first_state[1];
    for (int i = 0; i < rows; i++) {
        const double *gradient = gradient_of(m, 0, i);
        double largest = 0;
        for (int k = 0; k < states; k++) largest = step_control_max(fabs(gradient[g->state[k]]), largest);
        for (int b = 1; b < g->blocks; b++) {
            const double *other = gradient_of(m, b, i);
            const int *state = g->state + b * states;
            for (int k = 0; k < states; k++)
                if (!(fabs(other[state[k]] - gradient[g->state[k]]) <= ALIKE * largest)) return 0;
        }
    }
    return 1;
}

/* Is row i out of its units, in the motion or in a direction? */
static int is_off(const struct manifold *m, int i) {
    const struct staggered *g = &m->staggered;
    int off = 0;
    for (int b = 0; b < g->blocks; b++) {
        int row = m->row[b * g->first_row[1] + i];
        off |= rows_in_units(m->rows, row, m->residual[row]) > m->units;
    }
    return off;
}

static int is_invariant(const struct manifold *m, int i) {
    return m->row[i] >= m->rows->at[KEEL_ROW_ENERGY];
}

/* Is it of a constraint that others carry here (choice.c)? */
static int is_carried(const struct manifold *m, int i) {
    int of = m->staggered.constraint[i];
    return of >= 0 && !m->fd->dae.choice.of_rows.in_force[of];
}

/* What others carry has their round-off beside its own, K_r = sum C_rj K_j: so have its derivatives. */
void manifold_grow_carried(struct manifold *m) {
    const struct staggered *g = &m->staggered;
    int rows = m->stagger ? g->first_row[1] : 0;
    double *size = m->rows->size;
    for (int i = 0; i < rows; i++) {
        if (!is_carried(m, i)) continue;
        const double *share = choice_shares(m->fd, g->constraint[i]);
        for (int b = 0; b < g->blocks; b++) {
            const int *row = m->row + b * rows;
            double sum = 0;
            for (int j = 0; j < rows; j++)
                if (g->constraint[j] >= 0 && g->level[j] == g->level[i])
                    sum += fabs(share[g->constraint[j]]) * size[row[j]];
            size[row[i]] = fmax(size[row[i]], sum);
        }
    }
}

/* 0: an invariant depends on other rows here, as energy on momentum where bodies turn as one.  Constraints
 * that do so do it all along the manifold, and their derivatives with them; those of invariants need not, and
 * where they are off it takes changes of x to bring them back. */
static int factor_motion(struct manifold *m) {
    const struct staggered *g = &m->staggered;
    struct rowspace space = space_of(m);
    int states = g->first_state[1], fine = 1;
    for (int i = 0; i < space.rows; i++) {
        const double *gradient = gradient_of(m, 0, i);
        double *q = space.q + (long)i * space.width;
        for (int k = 0; k < states; k++) q[k] = gradient[g->state[k]] * inverse_weight(m, k);
        for (int k = states; k < space.width; k++) q[k] = 0;
        int off = is_off(m, i) && !is_invariant(m, i);
        m->floor_of[i] = is_carried(m, i) ? 2 : off ? MANIFOLD_DEPENDENT : MANIFOLD_NEARLY;
    }
    rowspace_factor(&space, m->floor_of);
    for (int i = 0; i < space.rows; i++) fine &= space.used[i] || !is_invariant(m, i) || !is_off(m, i);
    for (int b = 1; b < g->blocks; b++)
        memcpy(space.used + b * space.rows, space.used, (size_t)space.rows * sizeof *space.used);
    return fine;
}

/* The same of all blocks as one. */
static void factor_together(const struct manifold *m, const struct project *all) {
    int rows = m->staggered.first_row[1];
    project_take(all);
    for (int i = 0; i < m->kept; i++)
        if (is_carried(m, i % rows)) all->floor_of[i] = 2;
    rowspace_factor(all->space, all->floor_of);
}

/* By how much the states of block `by` change row i of block b, displaced by a in weights. */
static double share_of(const struct manifold *m, int b, int i, int by, const double *a) {
    const double *gradient = gradient_of(m, b, i), *inverse = m->inverse_weight;
    int states = m->staggered.first_state[1];
    const int *of_motion = m->staggered.state, *state = of_motion + by * states;
    double sum = 0;
    for (int k = 0; k < states; k++) sum += gradient[state[k]] * inverse[of_motion[k]] * a[state[k]];
    return sum;
}

/* m->d := the displacement, in weights, by which the kept rows change by m->c. */
static void shortest(struct manifold *m) {
    const struct staggered *g = &m->staggered;
    const struct rowspace space = space_of(m);
    for (int b = 0; b < g->blocks; b++) {
        double *c = m->c + b * space.rows;
        for (int i = 0; i < space.rows && b > 0; i++) c[i] -= share_of(m, b, i, 0, m->d);
        rowspace_shortest(&space, c, m->z, g->part);
        for (int k = 0; k < g->first_state[1]; k++) m->d[state_of(m, b, k)] = g->part[k];
    }
}

keel_status manifold_staggered_correct(struct manifold *m, double t, double *x, double *low, int fresh) {
    struct staggered *g = &m->staggered;
    keel_status status = fresh ? choice_make(m->fd, t, x) : KEEL_OK;
    if (status != KEEL_OK) return status;
    if (fresh) manifold_grow_carried(m);
    if (fresh && !is_alike(m)) m->stagger = 0; /* all of them together, from here on */
    else if (fresh) g->together = !factor_motion(m);
    if (!m->stagger || g->together) {
        const struct project all = manifold_project(m);
        if (fresh && m->stagger) factor_together(m, &all);
        project_correct(&all, x, low, fresh && !m->stagger);
        return KEEL_OK;
    }
    for (int i = 0; i < m->kept; i++) m->c[i] = -m->residual[m->row[i]];
    shortest(m);
    for (int b = 0; b < g->blocks; b++)
        for (int k = 0; k < g->first_state[1]; k++) m->d[state_of(m, b, k)] *= inverse_weight(m, k);
    manifold_move(x, low, m->fd->n, m->d);
    return KEEL_OK;
}

/* e less the displacement by which the rows change as much. */
void manifold_staggered_tangent(struct manifold *m, double *e) {
    const struct staggered *g = &m->staggered;
    int rows = g->first_row[1], states = g->first_state[1];
    if (g->together) {
        const struct project all = manifold_project(m);
        project_tangent(&all, e);
        return;
    }
    for (int b = 0; b < g->blocks; b++)
        for (int k = 0; k < states; k++)
            e[state_of(m, b, k)] = inverse_weight(m, k) > 0 ? e[state_of(m, b, k)] / inverse_weight(m, k) : 0;
    for (int b = 0; b < g->blocks; b++)
        for (int i = 0; i < rows; i++)
            m->c[b * rows + i] = share_of(m, b, i, b, e) + (b > 0 ? share_of(m, b, i, 0, e) : 0);
    shortest(m);
    for (int b = 0; b < g->blocks; b++)
        for (int k = 0; k < states; k++) {
            int j = state_of(m, b, k);
            e[j] = (e[j] - m->d[j]) * inverse_weight(m, k);
        }
}
