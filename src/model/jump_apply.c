/* jump_apply.c - see jump.h: a jump in numbers.  J is taken block by block; a block on which nothing acts is
 * at rest and never looked at, so that it may well be singular there. */
#include "base/text.h"
#include "linalg/dense.h"
#include "model/jump.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 40 };
#define ZERO 4e-15  /* of what a jump is made of: its round-off */
#define FITS 1e-9   /* of its terms: a row that is off by less was meant to hold; the core polishes it */
#define SAME 1e-8   /* of what moves: directions that differ by less are one */
#define LOOSE 1e-14 /* the price of an impulse, beside that of a change of state */

struct room {
    double *memory;
    double *begin, *now;           /* entries of J at the begin and where the jump has come to */
    double *low, *low_begin;       /* of the slopes by states */
    double *value, *terms, *fresh; /* hidden rows */
    double *right, *step;          /* n each */
    double *matrix, *side, *scale;
    int *pivot, *kept;
};

static int widest(const struct jump *j) {
    int most = 0;
    for (int b = 0; b < j->blocks; b++)
        if (most < j->first[b + 1] - j->first[b]) most = j->first[b + 1] - j->first[b];
    return most;
}

static int room_open(struct room *w, const struct jump *j) {
    size_t n = (size_t)j->n, h = (size_t)j->hiddens, wide = 2 * (size_t)widest(j) + 1;
    size_t entries = (size_t)j->slope.row_start[j->n];
    size_t lower = j->levels > 1 ? (size_t)j->lower.row_start[j->n] : 0;
    *w = (struct room){.memory = calloc(2 * entries + 2 * lower + 3 * h + 2 * n + wide * wide + 2 * wide + 1,
                                        sizeof(double)),
                       .pivot = calloc(2 * wide, sizeof(int))};
    if (!w->memory || !w->pivot) return 0;
    w->begin = w->memory;
    w->now = w->begin + entries;
    w->low = w->now + entries;
    w->low_begin = w->low + lower;
    w->value = w->low_begin + lower;
    w->terms = w->value + h;
    w->fresh = w->terms + h;
    w->right = w->fresh + h;
    w->step = w->right + n;
    w->side = w->step + n;
    w->scale = w->side + wide;
    w->matrix = w->scale + wide;
    w->kept = w->pivot + wide;
    return 1;
}

static void room_close(struct room *w) {
    free(w->memory);
    free(w->pivot);
}

/* One level ---------------------------------------------------------------------------------------------- */

struct level {
    const struct jump *j;
    struct room *w;
    int q;
    const double *balance, *constraint; /* the entries of J for rows with c_i < q, and for the others */
    const unsigned char *assigned;
    const double *u;
};

static const double *entries_of(const struct level *l, int i) {
    return l->j->c[i] < l->q ? l->balance : l->constraint;
}

static int place_of(const struct level *l, int column) {
    return l->j->place[(l->q - 1) * l->j->n + column];
}

static int stays(const struct level *l, int column) {
    int place = place_of(l, column);
    return place >= 0 && l->assigned && l->assigned[place];
}

/* Its derivative has a name of its own, and an impulse, while it stays. */
static int only_acts(const struct level *l, int column) {
    return l->q == 1 && l->j->named[column] && stays(l, column);
}

static int moves(const struct level *l, int column) {
    return place_of(l, column) >= 0 && !stays(l, column);
}

static int any_stays(const struct level *l, int b) {
    for (int k = l->j->first[b]; k < l->j->first[b + 1]; k++)
        if (stays(l, l->j->match[l->j->row[k]])) return 1;
    return 0;
}

static int row_contains_what_stays(const struct level *l, int i) {
    const double *entry = entries_of(l, i);
    for (int e = l->j->slope.row_start[i]; e < l->j->slope.row_start[i + 1]; e++)
        if (entry[e] != 0 && stays(l, l->j->slope.column[e]) && !only_acts(l, l->j->slope.column[e]))
            return 1;
    return 0;
}

/* A square block. */
static int solve_square(const struct level *l, int b) {
    const struct jump *j = l->j;
    struct room *w = l->w;
    int first = j->first[b], count = j->first[b + 1] - first;
    memset(w->matrix, 0, (size_t)count * (size_t)count * sizeof *w->matrix);
    for (int k = 0; k < count; k++) {
        int i = j->row[first + k];
        const double *entry = entries_of(l, i);
        for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++) {
            int column = j->slope.column[e], at = j->number[column];
            if (at < count && j->match[j->row[first + at]] == column)
                w->matrix[(size_t)k * (size_t)count + (size_t)at] = entry[e];
        }
        w->side[k] = w->right[i];
    }
    if (dense_lu(count, w->matrix, w->pivot, NULL)) return 0;
    dense_lu_solve(count, w->matrix, w->pivot, w->side);
    for (int k = 0; k < count; k++) w->step[j->match[j->row[first + k]]] = w->side[k];
    return 1;
}

/* How far a state is moved by rows that are off, each by this state alone: a change by the same share of it
 * is of the same size for all, whatever their units and values. */
static void take_scales(const struct level *l, int b) {
    const struct jump *j = l->j;
    struct room *w = l->w;
    int first = j->first[b], count = j->first[b + 1] - first;
    for (int k = 0; k < count; k++) {
        int column = j->match[j->row[first + k]];
        double reach = 0, steepest = 0;
        for (int r = 0; r < count; r++) {
            int i = j->row[first + r];
            const double *entry = entries_of(l, i);
            for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++) {
                if (j->slope.column[e] != column || entry[e] == 0) continue;
                steepest = fmax(steepest, fabs(entry[e]));
                if (w->right[i] != 0) reach = fmax(reach, fabs(w->right[i] / entry[e]));
            }
        }
        w->scale[k] = reach > 0 && isfinite(reach) ? reach : steepest > 0 ? 1 / steepest : 1;
    }
}

/* A block with assigned values: the smallest change that meets the rows that are left,
 *
 *     (1 A^T) (step/scale)   ( 0 )
 *     (A  0 ) (    mu    ) = (rhs)       A by columns in their scales. */
static int solve_smallest(const struct level *l, int b) {
    const struct jump *j = l->j;
    struct room *w = l->w;
    int first = j->first[b], count = j->first[b + 1] - first, rows = 0, columns = 0;
    int *at = w->kept; /* by column of the block: its number among those that move, or -1 */
    take_scales(l, b);
    for (int k = 0; k < count; k++) {
        int column = j->match[j->row[first + k]];
        at[k] = stays(l, column) && !only_acts(l, column) ? -1 : columns++;
    }
    for (int k = 0; k < count; k++) {
        int i = j->row[first + k];
        rows += j->c[i] >= l->q || !row_contains_what_stays(l, i);
    }
    int all = columns + rows;
    if (rows > columns) return 0;
    memset(w->matrix, 0, (size_t)all * (size_t)all * sizeof *w->matrix);
    memset(w->side, 0, (size_t)all * sizeof *w->side);
    for (int k = 0; k < count; k++)
        if (at[k] >= 0)
            w->matrix[(size_t)at[k] * (size_t)(all + 1)] = moves(l, j->match[j->row[first + k]]) ? 1 : LOOSE;
    for (int k = 0, row = columns; k < count; k++) {
        int i = j->row[first + k];
        const double *entry = entries_of(l, i);
        double size = 0;
        if (j->c[i] < l->q && row_contains_what_stays(l, i)) continue;
        for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++) {
            int column = j->slope.column[e], own = j->number[column];
            if (own >= count || j->match[j->row[first + own]] != column || at[own] < 0) continue;
            if (j->c[i] >= l->q && stays(l, column)) continue;
            double value = entry[e] * w->scale[own];
            size = fmax(size, fabs(value));
            w->matrix[(size_t)row * (size_t)all + (size_t)at[own]] = value;
        }
        if (size == 0) return 0;
        for (int c = 0; c < columns; c++) {
            double *value = &w->matrix[(size_t)row * (size_t)all + (size_t)c];
            *value /= size;
            w->matrix[(size_t)c * (size_t)all + (size_t)row] = *value;
        }
        w->side[row++] = w->right[i] / size;
    }
    if (dense_lu(all, w->matrix, w->pivot, NULL)) return 0;
    dense_lu_solve(all, w->matrix, w->pivot, w->side);
    for (int k = 0; k < count; k++)
        w->step[j->match[j->row[first + k]]] = at[k] >= 0 ? w->side[at[k]] * w->scale[k] : 0;
    return 1;
}

/* step with J step = right, block by block; the block that has no solution, or -1. */
static int solve_level(const struct level *l) {
    const struct jump *j = l->j;
    struct room *w = l->w;
    memset(w->step, 0, (size_t)j->n * sizeof *w->step);
    for (int b = 0; b < j->blocks; b++) {
        int acts = 0;
        for (int k = j->first[b]; k < j->first[b + 1]; k++) {
            int i = j->row[k];
            const double *entry = entries_of(l, i);
            for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++)
                if (w->step[j->slope.column[e]] != 0) w->right[i] -= entry[e] * w->step[j->slope.column[e]];
            acts |= w->right[i] != 0;
        }
        if (acts && !(any_stays(l, b) ? solve_smallest(l, b) : solve_square(l, b))) return b;
    }
    return -1;
}

/* What the jumps further down add to row i of level q. */
static double from_below(const struct jump *j, const double *low, const double *a, int q, int i) {
    double sum = 0;
    if (q >= j->levels) return 0;
    for (int e = j->lower.row_start[i]; e < j->lower.row_start[i + 1]; e++) {
        int state = j->lower.column[e], level = j->column[state] < 0 ? 0 : q + j->below[state];
        if (level > 0 && level <= j->levels) sum += low[e] * a[(level - 1) * j->n + j->column[state]];
    }
    return sum;
}

/* The jump ----------------------------------------------------------------------------------------------- */

/* Hidden rows of the level in round-offs of their terms: the worst. */
static double units_of(const struct jump *j, const struct room *w, int q) {
    double worst = 0;
    for (int i = 0; i < j->n; i++) {
        int h = j->hidden[(q - 1) * j->n + i];
        if (h < 0 || w->value[h] == 0) continue;
        double units = fabs(w->value[h]) / (DBL_EPSILON * w->terms[h]);
        if (!(units <= worst)) worst = units;
    }
    return worst;
}

/* Hidden rows at u, and the largest terms they have had so far: what a jump leaves of large ones is zero. */
static keel_status rows_at(const struct jump *j, struct room *w, double t, const double *parameter,
                           const double *u) {
    if (tape_call(&j->value, t, u, parameter, w->value) || tape_call(&j->terms, t, u, parameter, w->fresh))
        return KEEL_ENOMEM;
    for (int h = 0; h < j->hiddens; h++) w->terms[h] = fmax(w->terms[h], w->fresh[h]);
    return KEEL_OK;
}

static void label_of(const struct jump *j, int i, char *out, size_t room) {
    system_label(j->road->y, j->road->y->s.row[i], 0, out, room);
}

/* Nothing can be done about block b: said where it matters. */
static keel_status refuse(const struct level *l, int b, double worst, struct jump_path *path) {
    const struct jump *j = l->j;
    char label[220] = "", name[200] = "";
    if (worst * DBL_EPSILON <= FITS) return KEEL_OK;
    for (int k = j->first[b]; k < j->first[b + 1]; k++) {
        int i = j->row[k], column = j->match[i];
        if (j->hidden[(l->q - 1) * j->n + i] >= 0 && !label[0]) label_of(j, i, label, sizeof label);
        if (stays(l, column) && !name[0])
            text_set(name, sizeof name, "%s", j->road->names[place_of(l, column)]);
    }
    if (name[0])
        text_set(path->why, sizeof path->why,
                 "the value assigned to %s does not fit %s, which holds now; assign another one, or leave it "
                 "to the equations",
                 name, label[0] ? label : "the equations");
    else
        text_set(path->why, sizeof path->why,
                 "the equations do not tell how the state jumps to where %s holds; assign the values after "
                 "the jump in the event",
                 label[0] ? label : "all of them");
    return KEEL_ESTART;
}

/* The size of what makes up the jump of each column: its own values, and what the row that determines it
 * passes on from its other columns, block by block. */
static void take_sizes(const struct level *l, const struct jump_path *path, const double *after) {
    const struct jump *j = l->j;
    const double *a = path->a + (size_t)(l->q - 1) * (size_t)j->n, *entry = l->w->now;
    double *size = l->w->right;
    for (int k = 0; k < j->n; k++) size[k] = fabs(a[k]);
    for (int k = 0; k < j->n; k++) {
        int i = j->row[k], column = j->match[i], place = place_of(l, column);
        double sum = j->c[i] < l->q ? fabs(from_below(j, l->w->low, path->a, l->q, i)) : 0, own = 0;
        for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++) {
            if (j->slope.column[e] == column) own = fabs(entry[e]);
            else sum += fabs(entry[e]) * size[j->slope.column[e]];
        }
        if (own > 0) size[column] += sum / own;
        if (place >= 0) size[column] += fabs(path->before[place]) + fabs(after[place]);
    }
}

/* A state that a jump leaves at the round-off of its sizes is at zero, where its rows allow it: they can then
 * be met exactly. */
static keel_status clear_round_off(const struct level *l, double t, const double *parameter,
                                   const struct jump_path *path, double *u) {
    const struct jump *j = l->j;
    struct room *w = l->w;
    double units = units_of(j, w, l->q);
    int cleared = 0;
    take_sizes(l, path, u);
    for (int k = 0; k < j->n; k++) {
        double *state = moves(l, k) ? &u[place_of(l, k)] : NULL;
        w->step[k] = state && fabs(*state) <= ZERO * w->right[k] ? *state : 0;
        if (w->step[k] == 0) continue;
        *state = 0;
        cleared = 1;
    }
    if (!cleared) return KEEL_OK;
    keel_status status = rows_at(j, w, t, parameter, u);
    if (status != KEEL_OK || units_of(j, w, l->q) <= fmax(units, 2)) return status;
    for (int k = 0; k < j->n; k++)
        if (w->step[k] != 0) u[place_of(l, k)] = w->step[k];
    return rows_at(j, w, t, parameter, u);
}

/* Newton: constraints where the jump has come to, balances with J from where it began. */
static keel_status take_level(struct level *l, double t, const double *parameter, double *u,
                              struct jump_path *path) {
    const struct jump *j = l->j;
    struct room *w = l->w;
    double *a = path->a + (size_t)(l->q - 1) * (size_t)j->n, before = HUGE_VAL;
    for (int round = 0; round < ITERATIONS; round++) {
        double units = units_of(j, w, l->q);
        int acts = units > 4 || round == 1; /* once more for the round-off of balances */
        for (int i = 0; i < j->n; i++) {
            int h = j->hidden[(l->q - 1) * j->n + i];
            w->right[i] = h >= 0 ? -w->value[h] : -from_below(j, w->low, path->a, l->q, i);
            acts |= h < 0 && round == 0 && w->right[i] != 0;
            for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1] && h < 0 && round; e++)
                w->right[i] -= w->begin[e] * a[j->slope.column[e]];
        }
        if (!acts || (round > 1 && units * DBL_EPSILON < 0.1 * FITS && units >= 0.5 * before)) return KEEL_OK;
        if (!isfinite(units)) break;
        if (tape_call(&j->slopes, t, u, parameter, w->now)) return KEEL_ENOMEM;
        int lost = solve_level(l);
        if (lost >= 0) return refuse(l, lost, units, path);
        for (int k = 0; k < j->n; k++) {
            int place = place_of(l, k);
            a[k] += w->step[k];
            if (moves(l, k)) u[place] += w->step[k];
        }
        if (rows_at(j, w, t, parameter, u) != KEEL_OK) return KEEL_ENOMEM;
        before = units;
    }
    text_set(path->why, sizeof path->why, "%s",
             "no state was found that meets the equations of the new mode; assign the values after the jump "
             "in the event");
    return KEEL_ESTART;
}

keel_status jump_apply(const struct jump *j, double t, const double *parameter, const unsigned char *assigned,
                       double *u, struct jump_path *path) {
    struct room w;
    *path = (struct jump_path){0};
    if (!j->there) return KEEL_OK;
    size_t all = (size_t)(j->road->n + j->road->m);
    path->a = calloc((size_t)j->levels * (size_t)j->n + all + 1, sizeof *path->a);
    keel_status status = room_open(&w, j) && path->a ? rows_at(j, &w, t, parameter, u) : KEEL_ENOMEM;
    double off = 0;
    for (int q = 1; q <= j->levels && status == KEEL_OK; q++) off = fmax(off, units_of(j, &w, q));
    if (status == KEEL_OK && off > 4) {
        path->before = path->a + (size_t)j->levels * (size_t)j->n;
        path->moved = off * DBL_EPSILON > FITS;
        memcpy(path->before, u, all * sizeof *u);
        if (tape_call(&j->slopes, t, u, parameter, w.begin) ||
            (j->levels > 1 && tape_call(&j->lowers, t, u, parameter, w.low)))
            status = KEEL_ENOMEM;
        for (int q = j->levels; q >= 1 && status == KEEL_OK; q--) {
            struct level l = {j, &w, q, w.begin, w.now, assigned, u};
            status = take_level(&l, t, parameter, u, path);
            if (status == KEEL_OK) status = clear_round_off(&l, t, parameter, path, u);
        }
        if (status == KEEL_ESTART && (!path->moved || !j->written)) { /* the core may still polish it */
            memcpy(u, path->before, all * sizeof *u);
            path->moved = 0;
            status = KEEL_OK;
        }
    }
    room_close(&w);
    return status;
}

/* The check ---------------------------------------------------------------------------------------------- */

/* A product of impulses: a balance whose slope by an unknown that jumps depends on an impulsive one. */
static int is_bent(const struct jump *j, const double *a, int *row) {
    double largest = 0;
    for (int k = 0; k < j->n; k++) largest = fmax(largest, fabs(a[k]));
    for (int i = 0; i < j->n; i++)
        for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1] && j->c[i] == 0; e++)
            for (int k = j->bend.row_start[e]; k < j->bend.row_start[e + 1]; k++) {
                if (!(fabs(a[j->slope.column[e]]) > SAME * SAME * largest) ||
                    !(fabs(a[j->bend.column[k]]) > SAME * SAME * largest))
                    continue;
                *row = i;
                return 1;
            }
    return 0;
}

static keel_status turned(const struct jump *j, int place, int row, struct jump_path *path) {
    char label[220];
    label_of(j, row, label, sizeof label);
    text_set(path->why, sizeof path->why,
             "%s must jump (from %.6g), and %s is not linear on the way, so that the equations do not tell "
             "where to; assign its value after the jump in the event:  %s := ...",
             place >= 0 ? j->road->names[place] : "the state", place >= 0 ? path->before[place] : 0., label,
             place >= 0 ? j->road->names[place] : "x");
    return KEEL_ESTART;
}

/* The row of a balance of the block whose sum has changed most. */
static int row_of_change(const struct jump *j, const struct room *w, const double *a, int column) {
    int found = -1;
    double most = 0;
    for (int i = 0; i < j->n; i++) {
        double change = 0, has = 0;
        for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++) {
            change += (w->now[e] - w->begin[e]) * a[j->slope.column[e]];
            has += j->slope.column[e] == column && w->now[e] != 0;
        }
        if (found < 0 && has > 0) found = i;
        if (j->c[i] > 0 || !(fabs(change) > most)) continue;
        most = fabs(change);
        found = i;
    }
    return found < 0 ? 0 : found;
}

/* Are the equations of the level, for this jump, other ones than where it began? */
static int level_differs(const struct jump *j, const struct room *w, const double *a, int q) {
    for (int i = 0; i < j->n; i++) {
        double change = 0, sum = 0;
        if (j->c[i] >= q) continue;
        for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1]; e++) {
            double jump = a[(q - 1) * j->n + j->slope.column[e]];
            change += fabs((w->now[e] - w->begin[e]) * jump);
            sum += fabs(w->begin[e] * jump);
        }
        for (int e = q < j->levels ? j->lower.row_start[i] : 0;
             q < j->levels && e < j->lower.row_start[i + 1]; e++) {
            int state = j->lower.column[e], level = j->column[state] < 0 ? 0 : q + j->below[state];
            if (level <= 0 || level > j->levels) continue;
            double jump = a[(level - 1) * j->n + j->column[state]];
            change += fabs((w->low[e] - w->low_begin[e]) * jump);
            sum += fabs(w->low_begin[e] * jump);
        }
        if (change > 0.01 * SAME * sum) return 1;
    }
    return 0;
}

/* The same jump of the constraints by the directions that hold at u: is it the same jump of the states? */
static keel_status directions_at(const struct jump *j, struct room *w, double t, const double *parameter,
                                 const unsigned char *assigned, const double *u, const double *after,
                                 struct jump_path *path, double *v) {
    if (tape_call(&j->slopes, t, u, parameter, w->now) ||
        (j->levels > 1 && tape_call(&j->lowers, t, u, parameter, w->low)))
        return KEEL_ENOMEM;
    for (int q = j->levels; q >= 1; q--) {
        struct level l = {j, w, q, w->now, w->now, assigned, u};
        const double *a = path->a + (size_t)(q - 1) * (size_t)j->n;
        double *own = v + (size_t)(q - 1) * (size_t)j->n;
        if (!level_differs(j, w, path->a, q)) {
            memcpy(own, a, (size_t)j->n * sizeof *own);
            continue;
        }
        for (int i = 0; i < j->n; i++) {
            w->right[i] = j->c[i] >= q ? 0 : -from_below(j, w->low, v, q, i);
            for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1] && j->c[i] >= q; e++)
                w->right[i] += w->now[e] * a[j->slope.column[e]];
        }
        int lost = solve_level(&l);
        memcpy(own, w->step, (size_t)j->n * sizeof *own);
        take_sizes(&l, path, after);
        for (int b = 0; b < j->blocks; b++) {
            if (any_stays(&l, b) || (lost >= 0 && lost != b) || (q > 1 && !j->written)) continue;
            for (int k = j->first[b]; k < j->first[b + 1]; k++) {
                int column = j->match[j->row[k]], place = place_of(&l, column);
                if (place < 0) continue;
                if (lost < 0 && fabs(own[column] - a[column]) <= SAME * w->right[column]) continue;
                return turned(j, place, row_of_change(j, w, a, column), path);
            }
        }
    }
    return KEEL_OK;
}

keel_status jump_check(const struct jump *j, double t, const double *parameter, const unsigned char *assigned,
                       const double *u, struct jump_path *path) {
    struct room w;
    int row, all = j->there ? j->road->n + j->road->m : 0;
    if (!j->there || !path->moved) return KEEL_OK;
    double *v = calloc((size_t)j->levels * (size_t)j->n + (size_t)all + 1, sizeof *v);
    keel_status status = room_open(&w, j) && v ? KEEL_OK : KEEL_ENOMEM;
    if (status == KEEL_OK &&
        (tape_call(&j->slopes, t, path->before, parameter, w.begin) ||
         (j->levels > 1 && tape_call(&j->lowers, t, path->before, parameter, w.low_begin))))
        status = KEEL_ENOMEM;
    if (status == KEEL_OK && is_bent(j, path->a, &row)) {
        int place = -1;
        for (int e = j->slope.row_start[row]; e < j->slope.row_start[row + 1] && place < 0; e++)
            place = j->place[j->slope.column[e]];
        for (int k = 0; k < j->n && place < 0; k++)
            if (path->a[k] != 0) place = j->place[k];
        status = turned(j, place, row, path);
    }
    for (int part = 1; part <= 2 && status == KEEL_OK; part++) {
        double *on_the_way = v + (size_t)j->levels * (size_t)j->n;
        for (int k = 0; k < all; k++)
            on_the_way[k] = k < j->road->n ? path->before[k] + 0.5 * part * (u[k] - path->before[k]) : u[k];
        status = directions_at(j, &w, t, parameter, assigned, on_the_way, u, path, v);
    }
    free(v);
    room_close(&w);
    return status;
}

void jump_forget(struct jump_path *path) {
    free(path->a);
    *path = (struct jump_path){0};
}
