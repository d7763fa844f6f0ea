/* newton_check.c - does a pattern have all entries that there are?
 *
 * A jacobian that is filled by differences is as right as its pattern: what lacks a place goes to another
 * one. So its product with a direction is compared with a quotient along that direction.  A row that
 * differs may only be rough.  It lacks an entry if it changes, bit for bit, where columns outside its
 * pattern alone move; halving them leads to one. */
#include "core/field.h"
#include "core/start.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PATH 1e-5    /* of the sizes, to both sides */
#define ALLOWED 1e-6 /* of the terms of a row: ten times what forward quotients err by */
#define MOVE 0.03    /* of the sizes */

/* Moves the columns from..to that row i has no entry in; does its value change? */
static int changes(struct field *fd, double t, const double *u, int i, int from, int to, double before) {
    const struct newton_pattern *a = fd->pattern;
    const keel_pattern *p = fd->p.f.pattern;
    memcpy(a->probe, u, (size_t)a->order * sizeof *u);
    for (int j = from, e = p->row_start[i]; j < to; j++) {
        while (e < p->row_start[i + 1] && p->column[e] < j) e++;
        int inside = e < p->row_start[i + 1] && p->column[e] == j;
        if (!inside) a->probe[j] += MOVE * (1 + j % 3) * fmax(fd->size[j], fabs(u[j]));
    }
    return map_value(fd, &fd->f, t, a->probe, a->moved) == KEEL_OK &&
           memcmp(&a->moved[i], &before, sizeof before) != 0;
}

static keel_status look_outside(struct field *fd, double t, const double *u, int i) {
    int from = 0, to = fd->pattern->order;
    double before = fd->pattern->base[i];
    char row[64], column[64];
    if (!changes(fd, t, u, i, from, to, before)) return KEEL_OK;
    while (to - from > 1) {
        int middle = from + (to - from) / 2;
        if (changes(fd, t, u, i, from, middle, before)) to = middle;
        else from = middle;
    }
    if (!changes(fd, t, u, i, from, to, before)) return KEEL_OK; /* they act together alone */
    return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                       "the pattern of f lacks an entry: d/dt of %s depends on %s (row %d, column %d)",
                       field_name(fd->p.names, i, "u", row, sizeof row),
                       field_name(fd->p.names, from, "u", column, sizeof column), i, from);
}

/* direction := a random one; found := the quotient along it.  Nothing is told where f has no values. */
static keel_status quotient(struct field *fd, double t, const double *u, unsigned *seed, double *direction,
                            double *found) {
    const struct newton_pattern *a = fd->pattern;
    for (int j = 0; j < a->order; j++)
        direction[j] = PATH * start_random(seed) * fmax(fd->size[j], fabs(u[j]));
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < a->order; j++) a->probe[j] = u[j] + side * direction[j];
        keel_status status = map_value(fd, &fd->f, t, a->probe, a->moved);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < fd->n; i++) found[i] = side < 0 ? a->moved[i] : (a->moved[i] - found[i]) / 2;
    }
    return KEEL_OK;
}

keel_status newton_check(keel_work *w, double t, const double *u) {
    enum { DIRECTIONS = 3, SUSPECTS = 64 };
    struct field *fd = field_of(w);
    const struct newton_pattern *a = fd->pattern;
    const keel_pattern *p = fd->p.f.pattern;
    unsigned seed = 4711;
    int suspects = 0;
    if (!a || fd->p.f.jacobian || fd->n == 0) return KEEL_OK;
    double *entries = fd->newton[0].jacobian, *direction = fd->line, *found = a->right;
    if (newton_colour_entries(w, t, u, entries) != KEEL_OK) return KEEL_OK;
    for (int k = 0; k < DIRECTIONS; k++) {
        if (quotient(fd, t, u, &seed, direction, found) != KEEL_OK) continue;
        for (int i = 0; i < fd->n && suspects < SUSPECTS; i++) {
            double sum = 0, terms = fabs(found[i]);
            for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
                sum += entries[e] * direction[p->column[e]];
                terms += fabs(entries[e] * direction[p->column[e]]);
            }
            if (fabs(sum - found[i]) <= ALLOWED * terms + 64 * DBL_EPSILON * fabs(a->base[i])) continue;
            suspects++;
            keel_status status = look_outside(fd, t, u, i);
            if (status != KEEL_OK) return status;
        }
    }
    fd->fault.status = KEEL_OK;
    return KEEL_OK;
}
