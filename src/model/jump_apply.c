/* jump_apply.c - see jump.h: a jump in numbers.  J is taken block by block; a block on which nothing acts is
 * at rest and never looked at, so that it may well be singular there. */
#include "base/text.h"
#include "linalg/dense.h"
#include "model/jump_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 40 };
#define ZERO 4e-15  /* of what a jump is made of: its round-off */
#define FITS 1e-9   /* of its terms: a row that is off by less was meant to hold; the core polishes it */
#define LOOSE 1e-14 /* the price of an impulse, beside that of a change of state */

static int widest(const struct jump *j) {
    int most = 0;
    for (int b = 0; b < j->blocks; b++)
        if (most < j->first[b + 1] - j->first[b]) most = j->first[b + 1] - j->first[b];
    return most;
}

int jump_workspace_open(struct jump_workspace *w, const struct jump *j) {
    size_t n = (size_t)j->n, h = (size_t)j->hiddens, wide = 2 * (size_t)widest(j) + 1;
    size_t entries = (size_t)j->slope.row_start[j->n];
    size_t lower = j->levels > 1 ? (size_t)j->lower.row_start[j->n] : 0;
    *w = (struct jump_workspace){
        .memory =
            calloc(2 * entries + 2 * lower + 3 * h + 2 * n + wide * wide + 2 * wide + 1, sizeof(double)),
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

void jump_workspace_close(struct jump_workspace *w) {
    free(w->memory);
    free(w->pivot);
}

/* One level ---------------------------------------------------------------------------------------------- */

static const double *entries_of(const struct jump_level *l, int i) {
    return l->j->c[i] < l->q ? l->balance : l->constraint;
}

int jump_place(const struct jump_level *l, int column) {
    return l->j->place[(l->q - 1) * l->j->n + column];
}

static int stays(const struct jump_level *l, int column) {
    int place = jump_place(l, column);
    return place >= 0 && l->assigned && l->assigned[place];
}

/* Its derivative has a name of its own, and an impulse, while it stays. */
static int only_acts(const struct jump_level *l, int column) {
    return l->q == 1 && l->j->named[column] && stays(l, column);
}

static int moves(const struct jump_level *l, int column) {
    return jump_place(l, column) >= 0 && !stays(l, column);
}

int jump_any_stays(const struct jump_level *l, int b) {
    for (int k = l->j->first[b]; k < l->j->first[b + 1]; k++)
        if (stays(l, l->j->match[l->j->row[k]])) return 1;
    return 0;
}

static int row_contains_what_stays(const struct jump_level *l, int i) {
    const double *entry = entries_of(l, i);
    for (int e = l->j->slope.row_start[i]; e < l->j->slope.row_start[i + 1]; e++)
        if (entry[e] != 0 && stays(l, l->j->slope.column[e]) && !only_acts(l, l->j->slope.column[e]))
            return 1;
    return 0;
}

/* A square block. */
static int solve_square(const struct jump_level *l, int b) {
    const struct jump *j = l->j;
    struct jump_workspace *w = l->w;
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
static void take_scales(const struct jump_level *l, int b) {
    const struct jump *j = l->j;
    struct jump_workspace *w = l->w;
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
static int solve_smallest(const struct jump_level *l, int b) {
    const struct jump *j = l->j;
    struct jump_workspace *w = l->w;
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
int jump_solve_level(const struct jump_level *l) {
    const struct jump *j = l->j;
    struct jump_workspace *w = l->w;
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
        if (acts && !(jump_any_stays(l, b) ? solve_smallest(l, b) : solve_square(l, b))) return b;
    }
    return -1;
}

/* What the jumps further down add to row i of level q. */
double jump_from_below(const struct jump *j, const double *low, const double *a, int q, int i) {
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
static double units_of(const struct jump *j, const struct jump_workspace *w, int q) {
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
static keel_status rows_at(const struct jump *j, struct jump_workspace *w, double t, const double *parameter,
                           const double *u) {
    if (tape_call(&j->value, t, u, parameter, w->value) || tape_call(&j->terms, t, u, parameter, w->fresh))
        return KEEL_ENOMEM;
    for (int h = 0; h < j->hiddens; h++) w->terms[h] = fmax(w->terms[h], w->fresh[h]);
    return KEEL_OK;
}

void jump_label(const struct jump *j, int i, char *out, size_t capacity) {
    system_label(j->formulation->y, j->formulation->y->s.row[i], 0, out, capacity);
}

/* Nothing can be done about block b: said where it matters. */
static keel_status refuse(const struct jump_level *l, int b, double worst, struct jump_path *path) {
    const struct jump *j = l->j;
    char label[220] = "", name[200] = "";
    if (worst * DBL_EPSILON <= FITS) return KEEL_OK;
    for (int k = j->first[b]; k < j->first[b + 1]; k++) {
        int i = j->row[k], column = j->match[i];
        if (j->hidden[(l->q - 1) * j->n + i] >= 0 && !label[0]) jump_label(j, i, label, sizeof label);
        if (stays(l, column) && !name[0])
            text_set(name, sizeof name, "%s", j->formulation->names[jump_place(l, column)]);
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
void jump_sizes(const struct jump_level *l, const struct jump_path *path, const double *after) {
    const struct jump *j = l->j;
    const double *a = path->a + (size_t)(l->q - 1) * (size_t)j->n, *entry = l->w->now;
    double *size = l->w->right;
    for (int k = 0; k < j->n; k++) size[k] = fabs(a[k]);
    for (int k = 0; k < j->n; k++) {
        int i = j->row[k], column = j->match[i], place = jump_place(l, column);
        double sum = j->c[i] < l->q ? fabs(jump_from_below(j, l->w->low, path->a, l->q, i)) : 0, own = 0;
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
static keel_status clear_round_off(const struct jump_level *l, double t, const double *parameter,
                                   const struct jump_path *path, double *u) {
    const struct jump *j = l->j;
    struct jump_workspace *w = l->w;
    double units = units_of(j, w, l->q);
    int cleared = 0;
    jump_sizes(l, path, u);
    for (int k = 0; k < j->n; k++) {
        double *state = moves(l, k) ? &u[jump_place(l, k)] : NULL;
        double before = state ? path->before[jump_place(l, k)] : 0;
        int moved = state && fabs(*state - before) > FITS * fabs(before); /* else it is not what is left */
        w->step[k] = moved && fabs(*state) <= ZERO * w->right[k] ? *state : 0;
        if (w->step[k] == 0) continue;
        *state = 0;
        cleared = 1;
    }
    if (!cleared) return KEEL_OK;
    keel_status status = rows_at(j, w, t, parameter, u);
    if (status != KEEL_OK || units_of(j, w, l->q) <= fmax(units, 2)) return status;
    for (int k = 0; k < j->n; k++)
        if (w->step[k] != 0) u[jump_place(l, k)] = w->step[k];
    return rows_at(j, w, t, parameter, u);
}

/* Newton: constraints where the jump has come to, balances with J from where it began. */
static keel_status take_level(struct jump_level *l, double t, const double *parameter, double *u,
                              struct jump_path *path) {
    const struct jump *j = l->j;
    struct jump_workspace *w = l->w;
    double *a = path->a + (size_t)(l->q - 1) * (size_t)j->n, before = HUGE_VAL;
    for (int round = 0; round < ITERATIONS; round++) {
        double units = units_of(j, w, l->q);
        int acts = units > 4 || round == 1; /* once more for the round-off of balances */
        for (int i = 0; i < j->n; i++) {
            int h = j->hidden[(l->q - 1) * j->n + i];
            w->right[i] = h >= 0 ? -w->value[h] : -jump_from_below(j, w->low, path->a, l->q, i);
            acts |= h < 0 && round == 0 && w->right[i] != 0;
            for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1] && h < 0 && round; e++)
                w->right[i] -= w->begin[e] * a[j->slope.column[e]];
        }
        if (!acts || (round > 1 && units * DBL_EPSILON < 0.1 * FITS && units >= 0.5 * before)) return KEEL_OK;
        if (!isfinite(units)) break;
        if (tape_call(&j->slopes, t, u, parameter, w->now)) return KEEL_ENOMEM;
        int lost = jump_solve_level(l);
        if (lost >= 0) return refuse(l, lost, units, path);
        for (int k = 0; k < j->n; k++) {
            int place = jump_place(l, k);
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
    struct jump_workspace w;
    path->a = path->before = NULL;
    path->moved = path->why[0] = 0;
    if (!j->there) return KEEL_OK;
    size_t all = (size_t)(j->formulation->n + j->formulation->m);
    path->a = calloc((size_t)j->levels * (size_t)j->n + all + 1, sizeof *path->a);
    keel_status status =
        jump_workspace_open(&w, j) && path->a ? rows_at(j, &w, t, parameter, u) : KEEL_ENOMEM;
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
            struct jump_level l = {j, &w, q, w.begin, w.now, assigned, u};
            status = take_level(&l, t, parameter, u, path);
            if (status == KEEL_OK) status = clear_round_off(&l, t, parameter, path, u);
        }
        if (status == KEEL_ESTART && (!path->moved || !j->written)) { /* the core may still polish it */
            memcpy(u, path->before, all * sizeof *u);
            path->moved = 0;
            status = KEEL_OK;
        }
    }
    jump_workspace_close(&w);
    return status;
}

void jump_forget(struct jump_path *path) {
    free(path->a);
    path->a = path->before = NULL;
}
