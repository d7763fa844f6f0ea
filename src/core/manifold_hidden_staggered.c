/* manifold_hidden_staggered.c - Newton's step of manifold_hidden.c for a motion with sensitivities: this is
 * brought back as without them, and then each direction, the others at rest, as in manifold_staggered.c,
 *
 *     B a_0 = -c_0,    B a_k = -c_k - B_k0 a_0,    each a the shortest one,
 *
 * B = G W^-1 with G and W of the motion alone.  So one sparse factorization, of the order that a plain run
 * has, serves all.  Where directions have other rows than the motion, or an invariant depends on other rows,
 * all go together. */
#include "core/algebra.h"
#include "core/manifold.h"

#include <math.h>
#include <string.h>

#define ALIKE 1e-9 /* of the largest entry of a gradient: the round-off of two ways to it */

static struct hidden_directions *directions_of(const struct manifold *m) {
    return &m->fd->hidden_rows.directions;
}

/* What blocks there are --------------------------------------------------------------------------------- */

static const keel_variations *variations_of(const struct field *fd) {
    return &keel_extras_of(&fd->p)->variations;
}

/* Of a row of p: the direction of the last state that has one. */
static int direction_of(const keel_pattern *p, int i, const int *direction) {
    int found = -1;
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
        if (direction[p->column[e]] > found) found = direction[p->column[e]];
    return found;
}

void manifold_directions_layout(struct field *fd, struct arena *a) {
    struct hidden_directions *d = &fd->hidden_rows.directions;
    const keel_variations *v = variations_of(fd);
    const keel_pattern *p = fd->hidden.user.pattern;
    const keel_map *invariant = &fd->invariant.user;
    int blocks = 1 + v->directions, count = fd->hidden.user.count, entries = 0;
    *d = (struct hidden_directions){0};
    if (blocks == 1 || fd->kg || fd->dae.by_rates || fd->n % blocks || count % blocks) return;
    if (invariant->count && !invariant->pattern) return;
    d->blocks = blocks, d->states = fd->n / blocks, d->rows = count / blocks;
    for (int i = 0; i < count; i++)
        if (direction_of(p, i, v->direction) < 0) entries += p->row_start[i + 1] - p->row_start[i];
    size_t rows = (size_t)d->rows, states = (size_t)d->states, nnz = (size_t)entries;
    d->state = arena_ints(a, (size_t)fd->n);
    d->row = arena_ints(a, (size_t)count);
    d->entry = arena_ints(a, (size_t)blocks * nnz);
    d->beside = arena_ints(a, (size_t)count + 1);
    d->joint = arena_ints(a, (size_t)p->nnz);
    d->joint_column = arena_ints(a, (size_t)p->nnz);
    d->joined = arena_doubles(a, (size_t)p->nnz);
    d->invariant = arena_ints(a, (size_t)invariant->count + (size_t)fd->energy.user.count);
    d->active = arena_ints(a, rows);
    d->weighted = arena_doubles(a, nnz);
    d->c = arena_doubles(a, rows);
    d->part = arena_doubles(a, states);
    d->along = arena_doubles(a, states + 4);
    d->gradient = arena_doubles(a, 2 * states * (size_t)(invariant->count + fd->energy.user.count));
    d->four = arena_doubles(a, 4 * states);
    d->four_c = arena_doubles(a, 4 * rows);
    int *row_start = arena_ints(a, rows + 1), *column = arena_ints(a, nnz);
    d->pattern = (keel_pattern){entries, row_start, column};
    saddle_init(&d->saddle, d->states, NULL, &d->pattern, d->rows, NULL, 0);
    d->saddle.steady = 1;
    saddle_layout(&d->saddle, a);
}

/* States and rows by blocks, each in the order of the motion's: 1. */
static int sort_blocks(const struct field *fd, struct hidden_directions *d) {
    const keel_variations *v = variations_of(fd);
    const keel_pattern *p = fd->hidden.user.pattern;
    int states = 0, rows = 0;
    for (int b = 0; b < d->blocks; b++) {
        for (int j = 0; j < fd->n; j++)
            if (v->direction[j] + 1 == b) d->state[states++] = j;
        for (int i = 0; i < d->rows * d->blocks; i++)
            if (direction_of(p, i, v->direction) + 1 == b) d->row[rows++] = i;
        if (states != (b + 1) * d->states || rows != (b + 1) * d->rows) return 0;
        for (int k = 0; k < d->states && b > 0; k++)
            if (v->of[d->state[b * d->states + k]] != d->state[k]) return 0;
    }
    return 1;
}

/* Entries of direction b by its own states, in the order of the motion's: 1. */
static int place_entries(const struct field *fd, struct hidden_directions *d, int b) {
    const keel_variations *v = variations_of(fd);
    const keel_pattern *p = fd->hidden.user.pattern;
    int at = 0, *entry = d->entry + (long)b * d->pattern.nnz;
    for (int i = 0; i < d->rows; i++) {
        int row = d->row[b * d->rows + i], *start = (int *)d->pattern.row_start;
        if (b == 0) start[i] = at;
        for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
            int j = p->column[e];
            if (v->direction[j] + 1 != b) continue;
            if (b > 0 && (at >= start[i + 1] || v->of[j] != d->state[d->pattern.column[at]])) return 0;
            entry[at++] = e;
        }
        if (b == 0) start[i + 1] = at;
        if (at != start[i + 1]) return 0;
    }
    return 1;
}

/* Entries of the directions by the motion's states. */
static void place_joint(const struct field *fd, struct hidden_directions *d) {
    const int *direction = variations_of(fd)->direction;
    const keel_pattern *p = fd->hidden.user.pattern;
    int at = 0;
    for (int i = 0; i < d->blocks * d->rows; i++) {
        d->beside[i] = at;
        for (int e = p->row_start[d->row[i]]; e < p->row_start[d->row[i] + 1] && i >= d->rows; e++)
            if (direction[p->column[e]] < 0) d->joint_column[at] = p->column[e], d->joint[at++] = e;
    }
    d->beside[d->blocks * d->rows] = at;
}

/* Columns of the motion's rows among its states. */
static void number_columns(const struct field *fd, struct hidden_directions *d) {
    const keel_pattern *p = fd->hidden.user.pattern;
    int *column = (int *)d->pattern.column;
    for (int i = 0; i < d->rows; i++) {
        int k = 0, row = d->row[i];
        for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
            while (d->state[k] < p->column[e]) k++;
            *column++ = k;
        }
    }
}

int manifold_directions_attach(struct field *fd) {
    struct hidden_directions *d = &fd->hidden_rows.directions;
    d->saddle.lu = NULL;
    d->fits = d->stands = 0;
    if (!fd->hidden_rows.sparse || d->blocks == 0) return 0;
    d->fits = sort_blocks(fd, d);
    if (d->fits) number_columns(fd, d);
    if (d->fits) place_joint(fd, d);
    for (int b = 0; b < d->blocks && d->fits; b++) d->fits = place_entries(fd, d, b);
    return d->fits && saddle_attach(&d->saddle);
}

void manifold_directions_detach(struct field *fd) {
    if (fd->hidden_rows.directions.fits) saddle_detach(&fd->hidden_rows.directions.saddle);
    fd->hidden_rows.directions.fits = 0;
}

/* Invariants kept, by blocks; rows that are kept must be so in all of them. */
void manifold_directions_choose(struct manifold *m) {
    struct hidden_directions *d = directions_of(m);
    const keel_variations *v = variations_of(m->fd);
    const int *kept = m->fd->hidden_rows.active;
    int at = 0, first = m->rows->at[KEEL_ROW_INVARIANT];
    d->stands = 0;
    if (!d->fits) return;
    d->blocks = 1 + v->directions; /* unless rows differ */
    for (int i = 0; i < d->rows; i++) {
        d->active[i] = kept[d->row[i]];
        for (int b = 1; b < d->blocks; b++)
            if (kept[d->row[b * d->rows + i]] != d->active[i]) d->blocks = 0;
    }
    for (int b = 0; b < d->blocks; b++) {
        for (int i = m->by_pattern; i < m->kept; i++) { /* an energy is the motion's */
            int number = m->row[i] - first;
            const keel_pattern *p = m->fd->invariant.user.pattern;
            if ((number < 0 ? -1 : direction_of(p, number, v->direction)) + 1 == b)
                d->invariant[at++] = m->row[i];
        }
        if (b == 0) d->invariants = at;
        if (at != (b + 1) * d->invariants) d->blocks = 0;
    }
}

/* One point ---------------------------------------------------------------------------------------------- */

static int is_alike(const struct hidden_rows *r, const struct hidden_directions *d) {
    const int *start = d->pattern.row_start, *own = d->entry;
    for (int b = 1; b < d->blocks; b++) {
        const int *other = own + (long)b * d->pattern.nnz;
        for (int i = 0; i < d->rows; i++) {
            double largest = 0, off = 0;
            for (int e = start[i]; e < start[i + 1]; e++) {
                double of_motion = r->entries[own[e]], apart = fabs(r->entries[other[e]] - of_motion);
                largest = fabs(of_motion) > largest ? fabs(of_motion) : largest;
                off = apart > off ? apart : off;
            }
            if (!(off <= ALIKE * largest)) return 0;
        }
    }
    return 1;
}

/* Of invariant i of block b, by the states of that block or by those of the motion, in weights. */
static double *gradient_of(const struct hidden_directions *d, int b, int i, int by_motion) {
    return d->gradient + (2L * (b * d->invariants + i) + by_motion) * d->states;
}

static void weigh_gradients(const struct manifold *m) {
    const struct hidden_directions *d = directions_of(m);
    const double *weight = m->fd->hidden_rows.weight;
    for (int b = 0; b < d->blocks; b++)
        for (int i = 0; i < d->invariants; i++) {
            const double *gradient = rows_gradient(m->rows, m->fd, d->invariant[b * d->invariants + i]);
            double *own = gradient_of(d, b, i, 0), *joint = gradient_of(d, b, i, 1);
            const int *state = d->state + b * d->states, *motion = d->state;
            for (int k = 0; k < d->states; k++) own[k] = gradient[state[k]] * weight[state[k]];
            for (int k = 0; k < d->states; k++) joint[k] = gradient[motion[k]] * weight[motion[k]];
        }
}

/* Such a gradient times a, in weights. */
static double change_of(const struct hidden_directions *d, const double *gradient, int b, const double *a) {
    const int *state = d->state + b * d->states;
    double sum = 0;
    for (int k = 0; k < d->states; k++) sum += gradient[k] * a[state[k]];
    return sum;
}

static int is_off(const struct manifold *m, int i) {
    const struct hidden_directions *d = directions_of(m);
    int off = 0;
    for (int b = 0; b < d->blocks; b++) {
        int row = d->invariant[b * d->invariants + i];
        off |= rows_in_units(m->rows, row, m->residual[row]) > m->units;
    }
    return off;
}

/* What B leaves of the motion's invariants.  0: one that is off depends on other rows. */
static int factor_invariants(struct manifold *m) {
    struct hidden_directions *d = directions_of(m);
    struct rowspace *s = &m->space;
    int fine = 1;
    weigh_gradients(m);
    s->rows = d->invariants;
    s->width = (d->states + 3) / 4 * 4;
    for (int i = 0; i < s->rows; i++) {
        const double *gradient = gradient_of(d, 0, i, 0);
        double *q = s->q + (long)i * s->width;
        for (int k = 0; k < s->width; k++) q[k] = k < d->states ? gradient[k] : 0;
        double whole = rowspace_dot(s->width, q, q), left = whole;
        for (int pass = 0; pass < 2 && (pass == 0 || left < 0.01 * whole); pass++) {
            memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
            saddle_solve_roughly(&d->saddle, q, d->c);
            left = rowspace_dot(s->width, q, q);
        }
        m->floor_of[i] = left > 0 ? MANIFOLD_NEARLY * sqrt(whole / left) : 2;
    }
    rowspace_factor(s, m->floor_of);
    for (int i = 0; i < s->rows; i++) fine &= s->used[i] || !is_off(m, i);
    for (int b = 1; b < d->blocks; b++)
        memcpy(s->used + b * s->rows, s->used, (size_t)s->rows * sizeof *s->used);
    return fine;
}

int manifold_directions_factor(struct manifold *m) {
    struct hidden_rows *r = &m->fd->hidden_rows;
    struct hidden_directions *d = &r->directions;
    d->stands = d->fits && d->blocks > 0 && is_alike(r, d);
    if (!d->stands) return 0;
    for (int b = 1; b < d->blocks; b++)
        for (int k = 0; k < d->states; k++) r->weight[d->state[b * d->states + k]] = r->weight[d->state[k]];
    for (int e = 0; e < d->pattern.nnz; e++)
        d->weighted[e] = r->entries[d->entry[e]] * r->weight[d->state[d->pattern.column[e]]];
    for (int e = 0; e < d->beside[d->blocks * d->rows]; e++)
        d->joined[e] = r->entries[d->joint[e]] * r->weight[d->joint_column[e]];
    m->fd->stats->factorizations++;
    d->stands = saddle_factor(&d->saddle, NULL, d->weighted, d->active) == SADDLE_FINE ||
                saddle_factor_any(&d->saddle, NULL, d->weighted, NULL, d->active) == SADDLE_FINE;
    if (d->stands) d->stands = factor_invariants(m);
    if (!d->stands) memcpy(r->weight, m->inverse_weight, (size_t)m->fd->n * sizeof *r->weight);
    return d->stands;
}

/* d->c less what the motion's displacement a, in weights, changes in the rows of block b. */
static void subtract_motion(const struct manifold *m, int b, const double *a) {
    const struct hidden_directions *d = directions_of(m);
    const int *start = d->beside + b * d->rows, *column = d->joint_column;
    for (int i = 0; i < d->rows && b > 0; i++) {
        double sum = d->c[i];
        for (int e = start[i]; e < start[i + 1]; e++) sum -= d->joined[e] * a[column[e]];
        if (d->active[i]) d->c[i] = sum;
    }
}

static void add_to(const struct hidden_directions *d, int b, const double *part, double *a) {
    for (int k = 0; k < d->states; k++) a[d->state[b * d->states + k]] += part[k];
}

/* a of block b, in weights, moves along the tangents until its invariants change by what m->c asks for. */
static void add_invariants(struct manifold *m, int b, double *a) {
    struct hidden_directions *d = directions_of(m);
    if (d->invariants == 0) return;
    for (int i = 0; i < d->invariants; i++)
        m->c[i] -= change_of(d, gradient_of(d, b, i, 0), b, a) +
                   (b > 0 ? change_of(d, gradient_of(d, b, i, 1), 0, a) : 0);
    rowspace_shortest(&m->space, m->c, m->z, d->along);
    add_to(d, b, d->along, a);
}

void manifold_directions_shortest(struct manifold *m, const double *wanted, double *a) {
    struct hidden_rows *r = &m->fd->hidden_rows;
    struct hidden_directions *d = &r->directions;
    memset(a, 0, (size_t)m->fd->n * sizeof *a);
    for (int b = 0; b < d->blocks; b++) {
        for (int i = 0; i < d->rows; i++)
            d->c[i] = d->active[i] ? wanted[r->first + d->row[b * d->rows + i]] : 0;
        subtract_motion(m, b, a);
        saddle_shortest(&d->saddle, d->c, d->part);
        add_to(d, b, d->part, a);
        for (int i = 0; i < d->invariants; i++) m->c[i] = wanted[d->invariant[b * d->invariants + i]];
        add_invariants(m, b, a);
    }
    for (int j = 0; j < m->fd->n; j++) a[j] *= r->weight[j];
}

/* e of block b, in weights, less the displacement by which its invariants change as much. */
static void leave_invariants(struct manifold *m, int b, double *e) {
    memset(m->c, 0, (size_t)directions_of(m)->invariants * sizeof *m->c);
    add_invariants(m, b, e);
}

/* e, in weights, less the displacement by which the rows change as much. */
void manifold_directions_tangent(struct manifold *m, double *e) {
    struct hidden_directions *d = directions_of(m);
    for (int b = 0; b < d->blocks; b++) {
        const int *state = d->state + b * d->states;
        memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
        subtract_motion(m, b, e);
        for (int k = 0; k < d->states; k++) d->part[k] = e[state[k]];
        saddle_solve_roughly(&d->saddle, d->part, d->c); /* an error has no digits to lose */
        for (int k = 0; k < d->states; k++) e[state[k]] = d->part[k];
        leave_invariants(m, b, e);
    }
}

/* The part of block b that is one of the four systems. */
static void pack(struct manifold *m, int b, int place, const double *e) {
    struct hidden_directions *d = directions_of(m);
    const int *state = d->state + b * d->states;
    memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
    subtract_motion(m, b, e);
    for (int i = 0; i < d->rows; i++) d->four_c[4 * i + place] = d->c[i];
    for (int k = 0; k < d->states; k++) d->four[4 * k + place] = e[state[k]];
}

/* The same of two errors at once: those of the motion, then of two directions after the other. */
int manifold_directions_tangents(struct manifold *m, double *const e[2]) {
    struct hidden_directions *d = directions_of(m);
    memset(d->four, 0, 4 * (size_t)d->states * sizeof *d->four);
    memset(d->four_c, 0, 4 * (size_t)d->rows * sizeof *d->four_c);
    for (int b = 0, count; b < d->blocks; b += count) {
        count = b > 0 && b + 1 < d->blocks ? 2 : 1;
        for (int place = 0; place < 2 * count; place++) pack(m, b + place / 2, place, e[place % 2]);
        if (saddle_solve_four(&d->saddle, d->four, d->four_c)) return 1; /* at first, or never */
        for (int place = 0; place < 2 * count; place++) {
            const int *state = d->state + (b + place / 2) * d->states;
            for (int k = 0; k < d->states; k++) e[place % 2][state[k]] = d->four[4 * k + place];
            leave_invariants(m, b + place / 2, e[place % 2]);
        }
    }
    return 0;
}
