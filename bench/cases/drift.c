/* drift.c - how far a run is off what its motion keeps, measured in the same way for every peer.
 *
 * One unit of a row is eps times the largest value of sum |dc/dx_j| |x_j| + |start| + (if they are given) the
 * sum of |terms|, as in keel's certificate, but over the whole run: at rest a velocity has no size. */
#include "cases/case.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct case_drift {
    const keel_problem *p;
    int begun, rows;
    double *start, *size, *off;            /* of each row */
    double *value, *terms, *sum, *entries; /* of one map: of its rows; of its Jacobian */
};

static size_t entries_of(const keel_map *map, int columns) {
    return map->pattern ? (size_t)map->pattern->nnz : (size_t)map->count * (size_t)columns;
}

static size_t most(size_t a, size_t b) {
    return a > b ? a : b;
}

struct case_drift *case_drift_open(const struct bench_case *c) {
    struct case_drift *d = calloc(1, sizeof *d);
    const keel_problem *p = c->keel;
    if (!d) return NULL;
    d->p = p;
    d->rows = p->invariant.count + p->energy.count + 2 * p->constraint.count;
    size_t rows = (size_t)d->rows,
           entries = most(entries_of(&p->invariant, p->n), entries_of(&p->energy, p->n));
    d->start = calloc(6 * rows + most(entries, entries_of(&p->constraint, p->n / 2)), sizeof *d->start);
    if (!d->start) {
        free(d);
        return NULL;
    }
    d->size = d->start + rows, d->off = d->size + rows, d->value = d->off + rows;
    d->terms = d->value + rows, d->sum = d->terms + rows, d->entries = d->sum + rows;
    return d;
}

void case_drift_close(struct case_drift *d) {
    if (d) free(d->start);
    free(d);
}

/* sum[i] = sum_j J_ij x_j, terms[i] += sum_j |J_ij x_j|, with the Jacobian's entries as the map gave them. */
static void add_up(struct case_drift *d, const keel_map *map, int columns, const double *x) {
    const double *entry = d->entries;
    const keel_pattern *pattern = map->pattern;
    for (int i = 0; i < map->count; i++) {
        int from = pattern ? pattern->row_start[i] : 0, to = pattern ? pattern->row_start[i + 1] : columns;
        d->sum[i] = 0;
        for (int k = from; k < to; k++) {
            double part = *entry++ * x[pattern ? pattern->column[k] : k];
            d->sum[i] += part;
            d->terms[i] += fabs(part);
        }
    }
}

static void note(struct case_drift *d, int row, double size, double off) {
    d->size[row] = fmax(d->size[row], size);
    d->off[row] = fmax(d->off[row], fabs(off));
}

/* The rows of one map, from row `at` on; returns where the next ones begin. */
static int rows_of(struct case_drift *d, const keel_map *map, int columns, double t, const double *u,
                   int at) {
    if (map->count == 0) return at;
    for (int i = 0; i < map->count; i++) d->terms[i] = 0;
    map->value(t, u, d->value, d->p->user);
    map->jacobian(t, u, d->entries, d->p->user);
    if (map->terms) map->terms(t, u, d->terms, d->p->user);
    add_up(d, map, columns, u);
    for (int i = 0; i < map->count; i++, at++) {
        if (!d->begun) d->start[at] = map == &d->p->constraint ? 0 : d->value[i];
        note(d, at, fabs(d->start[at]) + d->terms[i], d->value[i] - d->start[at]);
    }
    return at;
}

/* 0 = G v, with the Jacobian that the constraints have left. */
static void velocities(struct case_drift *d, const double *u, int at) {
    const keel_map *map = &d->p->constraint;
    for (int i = 0; i < map->count; i++) d->terms[i] = 0;
    add_up(d, map, d->p->n / 2, u + d->p->n / 2);
    for (int i = 0; i < map->count; i++) note(d, at + i, d->terms[i], d->sum[i]);
}

void case_drift_observe(void *drift, double t, const double *u) {
    struct case_drift *d = drift;
    const keel_problem *p = d->p;
    int at = rows_of(d, &p->invariant, p->n, t, u, 0);
    at = rows_of(d, &p->energy, p->n, t, u, at);
    at = rows_of(d, &p->constraint, p->n / 2, t, u, at);
    velocities(d, u, at);
    d->begun = 1;
}

double case_drift_units(const struct case_drift *d) {
    double worst = 0;
    for (int i = 0; i < d->rows; i++)
        if (d->size[i] > 0) worst = fmax(worst, d->off[i] / (DBL_EPSILON * d->size[i]));
    return worst;
}
