/* drift.c - how far a run is off what its motion keeps, measured in the same way for every peer.
 *
 * One unit of a row is eps times the largest value of sum |dc/dx_j| |x_j| + |start| + (if they are given) the
 * sum of |terms|, as in keel's certificate, but over the whole run: at rest a velocity has no size. */
#include "courses/course.h"

#include <float.h>
#include <math.h>

enum { VALUES = COURSE_ROWS, COLUMNS = PROBLEM_UNKNOWNS };

/* The rows of one map, from row `at` on; returns where the next ones begin. */
static int rows_of(struct course_drift *d, const keel_map *map, int columns, double t, const double *u,
                   int at) {
    double value[VALUES], jacobian[VALUES * COLUMNS], terms[VALUES] = {0};
    void *user = d->c->p.keel.user;
    if (map->count == 0) return at;
    map->value(t, u, value, user);
    map->jacobian(t, u, jacobian, user);
    if (map->terms) map->terms(t, u, terms, user);
    for (int i = 0; i < map->count; i++, at++) {
        if (!d->begun) d->start[at] = map == &d->c->p.keel.constraint ? 0 : value[i];
        double size = fabs(d->start[at]) + terms[i];
        for (int j = 0; j < columns; j++) size += fabs(jacobian[i * columns + j] * u[j]);
        d->size[at] = fmax(d->size[at], size);
        d->off[at] = fmax(d->off[at], fabs(value[i] - d->start[at]));
    }
    return at;
}

/* 0 = G v */
static void velocities(struct course_drift *d, double t, const double *u, int at) {
    const keel_problem *p = &d->c->p.keel;
    int half = p->n / 2;
    double jacobian[VALUES * COLUMNS];
    if (p->constraint.count == 0) return;
    p->constraint.jacobian(t, u, jacobian, p->user);
    for (int i = 0; i < p->constraint.count; i++, at++) {
        double sum = 0, size = 0;
        for (int j = 0; j < half; j++) {
            sum += jacobian[i * half + j] * u[half + j];
            size += fabs(jacobian[i * half + j] * u[half + j]);
        }
        d->size[at] = fmax(d->size[at], size);
        d->off[at] = fmax(d->off[at], fabs(sum));
    }
}

void course_drift_look(void *drift, double t, const double *u) {
    struct course_drift *d = drift;
    const keel_problem *p = &d->c->p.keel;
    int at = rows_of(d, &p->invariant, p->n, t, u, 0);
    at = rows_of(d, &p->energy, p->n, t, u, at);
    at = rows_of(d, &p->constraint, p->n / 2, t, u, at);
    velocities(d, t, u, at);
    d->begun = 1;
}

double course_drift_units(const struct course_drift *d) {
    double worst = 0;
    for (int i = 0; i < COURSE_ROWS; i++)
        if (d->size[i] > 0) worst = fmax(worst, d->off[i] / (DBL_EPSILON * d->size[i]));
    return worst;
}
