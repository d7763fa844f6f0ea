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

/* A map, or M a (map NULL), at (t, u), with its entries and values there; count numbers each. */
struct looked_at {
    struct field *fd;
    const struct map *map;
    const keel_pattern *pattern;
    int count, columns;
    double t;
    const double *u, *entries;
    double *base, *moved, *found;
};

static keel_status value_at(const struct looked_at *l, const double *u, double *out) {
    if (l->map) return map_value(l->fd, l->map, l->t, u, out);
    return mass_change_product(l->fd, l->t, u, l->fd->mass_change->held, out);
}

/* Moves the columns from..to that row i has no entry in; does its value change? */
static int changes(const struct looked_at *l, int i, int from, int to) {
    struct field *fd = l->fd;
    const keel_pattern *p = l->pattern;
    memcpy(fd->probe, l->u, (size_t)(fd->n + fd->m) * sizeof *l->u);
    for (int j = from, e = p->row_start[i]; j < to; j++) {
        while (e < p->row_start[i + 1] && p->column[e] < j) e++;
        int inside = e < p->row_start[i + 1] && p->column[e] == j;
        if (!inside) fd->probe[j] += MOVE * (1 + j % 3) * fmax(fd->size[j], fabs(l->u[j]));
    }
    return value_at(l, fd->probe, l->moved) == KEEL_OK &&
           memcmp(&l->moved[i], &l->base[i], sizeof *l->base) != 0;
}

static keel_status tell(const struct looked_at *l, int i, int j) {
    struct field *fd = l->fd;
    char row[64], column[64];
    int of_f = l->map == &fd->f;
    if (!l->map)
        return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                           "the pattern of f lacks an entry: row %d of the mass matrix depends on %s (column "
                           "%d), and what M depends on belongs to the pattern of f",
                           i, field_name(fd->p.names, j, "u", column, sizeof column), j);
    field_name(of_f ? fd->p.names : l->map->user.names, i, of_f ? "u" : l->map->what, row, sizeof row);
    return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                       "the pattern of %s lacks an entry: %s%s depends on %s (row %d, column %d)",
                       l->map->what, of_f ? "d/dt of " : "", row,
                       field_name(fd->p.names, j, "u", column, sizeof column), i, j);
}

static keel_status look_outside(const struct looked_at *l, int i) {
    int from = 0, to = l->columns;
    if (!changes(l, i, from, to)) return KEEL_OK;
    while (to - from > 1) {
        int middle = from + (to - from) / 2;
        if (changes(l, i, from, middle)) to = middle;
        else from = middle;
    }
    return changes(l, i, from, to) ? tell(l, i, from) : KEEL_OK; /* else they act together alone */
}

/* direction := a random one; found := the quotient along it.  Nothing is told where there are no values. */
static keel_status quotient(const struct looked_at *l, unsigned *seed, double *direction) {
    struct field *fd = l->fd;
    memcpy(fd->probe, l->u, (size_t)(fd->n + fd->m) * sizeof *l->u);
    for (int j = 0; j < l->columns; j++)
        direction[j] = PATH * start_random(seed) * fmax(fd->size[j], fabs(l->u[j]));
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < l->columns; j++) fd->probe[j] = l->u[j] + side * direction[j];
        keel_status status = value_at(l, fd->probe, l->moved);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < l->count; i++)
            l->found[i] = side < 0 ? l->moved[i] : (l->moved[i] - l->found[i]) / 2;
    }
    return KEEL_OK;
}

static keel_status look_at(const struct looked_at *l) {
    enum { DIRECTIONS = 3, SUSPECTS = 64 };
    const keel_pattern *p = l->pattern;
    double *direction = l->fd->line;
    unsigned seed = 4711;
    int suspects = 0;
    if (value_at(l, l->u, l->base) != KEEL_OK) return KEEL_OK;
    for (int k = 0; k < DIRECTIONS; k++) {
        if (quotient(l, &seed, direction) != KEEL_OK) continue;
        for (int i = 0; i < l->count && suspects < SUSPECTS; i++) {
            double sum = 0, terms = fabs(l->found[i]);
            for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
                if (p->column[e] >= l->columns) continue;
                sum += l->entries[e] * direction[p->column[e]];
                terms += fabs(l->entries[e] * direction[p->column[e]]);
            }
            if (fabs(sum - l->found[i]) <= ALLOWED * terms + 64 * DBL_EPSILON * fabs(l->base[i])) continue;
            suspects++;
            keel_status status = look_outside(l, i);
            if (status != KEEL_OK) return status;
        }
    }
    return KEEL_OK;
}

/* M a for a random a, by the entries that its change has in the pattern of f. */
static keel_status look_at_mass(keel_work *w, double t, const double *u) {
    struct field *fd = field_of(w);
    struct mass_change *c = fd->mass_change;
    unsigned seed = 815;
    double *entries = c->of_f, *values = fd->work;
    memset(entries, 0, (size_t)fd->p.f.pattern->nnz * sizeof *entries);
    for (int i = 0; i < c->rows; i++) c->held[i] = 1 + start_random(&seed);
    keel_status status = mass_change_subtract(w, t, u, c->held, entries);
    for (int e = 0; e < fd->p.f.pattern->nnz; e++) entries[e] = -entries[e];
    const struct looked_at l = {fd,
                                NULL,
                                fd->p.f.pattern,
                                c->rows,
                                c->rows,
                                t,
                                u,
                                entries,
                                values,
                                values + c->rows,
                                values + 2 * c->rows};
    return status == KEEL_OK ? look_at(&l) : status == KEEL_RETRY ? KEEL_OK : status;
}

static keel_status that_roll(struct field *fd, double t, const double *u, double *out) {
    memset(out, 0, (size_t)fd->kg * sizeof *out);
    return map_value(fd, &fd->rolling, t, u, out + fd->kg);
}

static const struct bending_shift rates_that_roll = {that_roll, 0};

/* A v + b for a random v, by the entries that its change with q has in the pattern of A. */
static keel_status look_at_rolling(keel_work *w, double t, const double *u) {
    struct field *fd = field_of(w);
    long entries = bending_entries(fd), of_g = entries - fd->rolling.user.pattern->nnz;
    double *x = fd->bending->tried, *zeros = x + fd->width, *rows = zeros + fd->k + fd->nq,
           *by_q = rows + entries, *squares = by_q + entries, *values = fd->work;
    unsigned seed = 2718;
    memcpy(x, u, (size_t)fd->nq * sizeof *u);
    for (int j = fd->nq; j < fd->n; j++) x[j] = u[j] + fmax(fd->size[j], fabs(u[j])) * start_random(&seed);
    keel_status status = bending_rows(fd, t, x, rows);
    if (status == KEEL_OK)
        status = bending_by_q(w, &rates_that_roll, t, x, rows, zeros, zeros + fd->k, squares, by_q);
    const struct looked_at l = {
        fd,     &fd->rolling,    fd->rolling.user.pattern, fd->kr, fd->nq, t, x, by_q + of_g,
        values, values + fd->kr, values + 2 * fd->kr};
    return status == KEEL_OK ? look_at(&l) : status == KEEL_RETRY ? KEEL_OK : status;
}

/* Its entries by differences, where they go by a pattern; 1: they have been found. */
static int entries_of(keel_work *w, const struct map *map, double t, const double *u, double *out) {
    struct field *fd = field_of(w);
    if (map->user.count == 0 || map->user.jacobian) return 0;
    if (map->colours) return map_entries(fd, map, t, u, out) == KEEL_OK;
    return map == &fd->f && fd->pattern && newton_colour_entries(w, t, u, out) == KEEL_OK;
}

keel_status newton_check(keel_work *w, double t, const double *u) {
    struct field *fd = field_of(w);
    const struct map *maps[] = {&fd->f, &fd->algebraic, &fd->hidden};
    int bends = fd->large || w->stepper->info.traits & KEEL_SPARSE_FORCES; /* rolling-midpoint does not ask */
    keel_status status = KEEL_OK;
    for (int i = 0; i < 3 && status == KEEL_OK; i++) {
        double *entries = i == 0 && fd->pattern ? fd->newton[0].jacobian : fd->sparse;
        double *values = fd->work;
        long count = maps[i]->user.count;
        const struct looked_at l = {
            fd,      maps[i], maps[i]->user.pattern, (int)count,        maps[i]->columns, t, u,
            entries, values,  values + count,        values + 2 * count};
        if (entries_of(w, maps[i], t, u, entries)) status = look_at(&l);
    }
    if (status == KEEL_OK && bends && fd->mass_change) status = look_at_mass(w, t, u);
    if (status == KEEL_OK && bends && fd->bending && fd->kr) status = look_at_rolling(w, t, u);
    if (status == KEEL_OK) fd->fault.status = KEEL_OK;
    return status;
}
