/* jump_check.c - see jump.h: are the equations linear on the way of a jump? */
#include "base/text.h"
#include "model/jump_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-8 /* of what moves: directions that differ by less are one */

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
    jump_label(j, row, label, sizeof label);
    text_set(path->why, sizeof path->why,
             "%s must jump (from %.6g), and %s is not linear on the way, so that the equations do not tell "
             "where to; assign its value after the jump in the event:  %s := ...",
             place >= 0 ? j->formulation->names[place] : "the state", place >= 0 ? path->before[place] : 0.,
             label, place >= 0 ? j->formulation->names[place] : "x");
    return KEEL_ESTART;
}

/* The row of a balance of the block whose sum has changed most. */
static int row_of_change(const struct jump *j, const struct jump_workspace *w, const double *a, int column) {
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
static int level_differs(const struct jump *j, const struct jump_workspace *w, const double *a, int q) {
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
static keel_status directions_at(const struct jump *j, struct jump_workspace *w, double t,
                                 const double *parameter, const unsigned char *assigned, const double *u,
                                 const double *after, struct jump_path *path, double *v) {
    if (tape_call(&j->slopes, t, u, parameter, w->now) ||
        (j->levels > 1 && tape_call(&j->lowers, t, u, parameter, w->low)))
        return KEEL_ENOMEM;
    for (int q = j->levels; q >= 1; q--) {
        struct jump_level l = {j, w, q, w->now, w->now, assigned, u};
        const double *a = path->a + (size_t)(q - 1) * (size_t)j->n;
        double *own = v + (size_t)(q - 1) * (size_t)j->n;
        if (!level_differs(j, w, path->a, q)) {
            memcpy(own, a, (size_t)j->n * sizeof *own);
            continue;
        }
        for (int i = 0; i < j->n; i++) {
            w->right[i] = j->c[i] >= q ? 0 : -jump_from_below(j, w->low, v, q, i);
            for (int e = j->slope.row_start[i]; e < j->slope.row_start[i + 1] && j->c[i] >= q; e++)
                w->right[i] += w->now[e] * a[j->slope.column[e]];
        }
        int lost = jump_solve_level(&l);
        memcpy(own, w->step, (size_t)j->n * sizeof *own);
        jump_sizes(&l, path, after);
        for (int b = 0; b < j->blocks; b++) {
            if (jump_any_stays(&l, b) || (lost >= 0 && lost != b) || (q > 1 && !j->written)) continue;
            for (int k = j->first[b]; k < j->first[b + 1]; k++) {
                int column = j->match[j->row[k]], place = jump_place(&l, column);
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
    struct jump_workspace w;
    int row, all = j->there ? j->formulation->n + j->formulation->m : 0;
    if (!j->there || !path->moved) return KEEL_OK;
    double *v = calloc((size_t)j->levels * (size_t)j->n + (size_t)all + 1, sizeof *v);
    keel_status status = jump_workspace_open(&w, j) && v ? KEEL_OK : KEEL_ENOMEM;
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
            on_the_way[k] =
                k < j->formulation->n ? path->before[k] + 0.5 * part * (u[k] - path->before[k]) : u[k];
        status = directions_at(j, &w, t, parameter, assigned, on_the_way, u, path, v);
    }
    free(v);
    jump_workspace_close(&w);
    return status;
}
