/* energy_doubts.c - is the energy of a mechanical problem v M v / 2 + V(q) with F = -V_q, and do quadratic
 * forms and the energy of them say what energy and constraints say?  Tried at places around the start; where
 * a function fails, that place says nothing. */
#include "methods/energy_momentum.h"

#include "base/text.h"
#include "methods/sampled.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct doubts {
    const keel_problem *p;
    double *x, *x1, *gradient, *force, *mass, *pi, *pi1, *slope, *rows, *spare, *value, *other;
};

static void spread(const keel_pattern *pattern, int rows, int columns, const double *values, double *out) {
    memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
            out[(long)i * columns + pattern->column[e]] = values[e];
}

/* A jacobian or matrix, dense; 0: it fails here. */
static int dense_of(const struct doubts *d, keel_fn *fn, const keel_pattern *pattern, int rows, int columns,
                    const double *u, double *out) {
    if (fn(d->p->t0, u, pattern ? d->spare : out, d->p->user)) return 0;
    if (pattern) spread(pattern, rows, columns, d->spare, out);
    return 1;
}

static int same(double a, double b, double size) {
    double off = fabs(a - b);
    return !isfinite(off) || off <= 1e-10 * (size + fabs(a) + fabs(b));
}

/* E_v = M v and E_q = -F? */
static int mechanical(const struct doubts *d) {
    const keel_problem *p = d->p;
    const keel_pattern *mass = p->mass.value ? p->mass.pattern : NULL;
    int nq = p->n / 2;
    if (!dense_of(d, p->energy.jacobian, p->energy.pattern, 1, p->n, d->x, d->gradient)) return 1;
    if (p->f.value(p->t0, d->x, d->force, p->user)) return 1;
    if (p->mass.value && p->mass.value(p->t0, d->x, d->mass, p->user)) return 1;
    double size = 0, speed = 0;
    for (int i = 0; i < nq; i++) size = fmax(size, fabs(d->force[i]));
    for (int i = 0; i < nq; i++) speed = fmax(speed, fabs(d->gradient[nq + i]));
    for (int i = 0; i < nq; i++) {
        double sum = p->mass.value ? 0 : d->x[nq + i];
        int first = mass ? mass->row_start[i] : i * nq, length = mass ? mass->row_start[i + 1] - first : nq;
        for (int e = 0; e < length && p->mass.value; e++)
            sum += d->mass[first + e] * d->x[nq + (mass ? mass->column[first + e] : e)];
        if (!same(d->gradient[nq + i], sum, speed) || !same(d->gradient[i], -d->force[i], size)) return 0;
    }
    return 1;
}

/* pi(x1) - pi(x) = Dpi(middle) . (x1 - x)? */
static int of_degree_two(const struct doubts *d) {
    const keel_problem *p = d->p;
    int n = p->n, forms = keel_extras_of(p)->quadratic_forms.count;
    for (int j = 0; j < n; j++) d->gradient[j] = 0.5 * (d->x[j] + d->x1[j]);
    if (keel_extras_of(p)->quadratic_forms.value(p->t0, d->x, d->pi, p->user) ||
        keel_extras_of(p)->quadratic_forms.value(p->t0, d->x1, d->pi1, p->user))
        return 1;
    if (!dense_of(d, keel_extras_of(p)->quadratic_forms.jacobian, keel_extras_of(p)->quadratic_forms.pattern,
                  forms, n, d->gradient, d->rows))
        return 1;
    for (int i = 0; i < forms; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < n; j++) {
            double term = d->rows[(long)i * n + j] * (d->x1[j] - d->x[j]);
            sum += term;
            size += fabs(term);
        }
        if (!same(d->pi1[i] - d->pi[i], sum, size + fabs(d->pi[i]))) return 0;
    }
    return 1;
}

/* Values and gradients of energy and constraints, by forms and without? */
static int agree(const struct doubts *d) {
    const keel_problem *p = d->p;
    int n = p->n, nq = n / 2, forms = keel_extras_of(p)->quadratic_forms.count, k = p->constraint.count;
    if (keel_extras_of(p)->quadratic_forms.value(p->t0, d->x, d->pi, p->user) ||
        keel_extras_of(p)->energy_of_forms.value(p->t0, d->pi, d->value, p->user))
        return 1;
    if (p->energy.value(p->t0, d->x, d->other, p->user)) return 1;
    if (k && p->constraint.value(p->t0, d->x, d->other + 1, p->user)) return 1;
    for (int i = 0; i <= k; i++)
        if (!same(d->value[i], d->other[i], 1)) return 0;
    if (!dense_of(d, keel_extras_of(p)->quadratic_forms.jacobian, keel_extras_of(p)->quadratic_forms.pattern,
                  forms, n, d->x, d->rows))
        return 1;
    if (!dense_of(d, keel_extras_of(p)->energy_of_forms.jacobian, keel_extras_of(p)->energy_of_forms.pattern,
                  1 + k, forms, d->pi, d->slope))
        return 1;
    for (int i = 0; i <= k; i++) {
        const keel_map *map = i ? &p->constraint : &p->energy;
        int columns = i ? nq : n, row = i ? i - 1 : 0;
        if (!map->jacobian) continue;
        if (i < 2 && !dense_of(d, map->jacobian, map->pattern, map->count, columns, d->x, d->mass)) return 1;
        for (int j = 0; j < columns; j++) {
            double sum = 0, size = 0;
            for (int f = 0; f < forms; f++) {
                double term = d->slope[(long)i * forms + f] * d->rows[(long)f * n + j];
                sum += term;
                size += fabs(term);
            }
            if (!same(sum, d->mass[(long)row * columns + j], size)) return 0;
        }
    }
    return 1;
}

static size_t most(size_t a, size_t b) {
    return a > b ? a : b;
}

const char *energy_doubts(const keel_problem *p) {
    size_t n = (size_t)p->n, k = (size_t)p->constraint.count,
           forms = (size_t)keel_extras_of(p)->quadratic_forms.count;
    size_t mass = !p->mass.value ? 0 : p->mass.pattern ? (size_t)p->mass.pattern->nnz : n * n / 4;
    size_t matrix = forms ? most(n * n, most(k, 1) * n) : most(n, mass),
           all = (1 + k) * forms + forms * n + matrix;
    size_t numbers = 4 * n + 2 * matrix + 2 * forms + 2 * all + 2 * (1 + k);
    double *work = malloc(numbers * sizeof *work), *at = work;
    const char *doubt = NULL;
    if (!work) return text_no_memory;
    struct doubts d = {.p = p};
    d.x = at, d.x1 = at += n, d.gradient = at += n, d.force = at += n, d.mass = at += n;
    d.pi = at += matrix, d.pi1 = at += forms, d.slope = at += forms, d.rows = at += (1 + k) * forms;
    d.value = at += forms * n, d.other = at += 1 + k, d.spare = at + 1 + k;
    const struct sampled around = sampled_around(p);
    for (int place = 0; place < SAMPLED_PLACES && !doubt; place++) {
        for (int j = 0; j < p->n; j++) {
            d.x[j] = sampled_place(&around, j, place);
            d.x1[j] = sampled_place(&around, j, place + SAMPLED_PLACES);
        }
        if (keel_problem_traits(p) & KEEL_SECOND_ORDER && !mechanical(&d))
            doubt = "`energy` must be v M v / 2 + V(q) with the forces -dV/dq, and it is not";
        else if (forms && !of_degree_two(&d))
            doubt = "`forms` must be polynomials of degree 2 at most, with their jacobian";
        else if (forms && !agree(&d))
            doubt = "`energy_of_forms` of `quadratic_forms` is not what `energy` and `constraint` are, or "
                    "its jacobian is wrong";
    }
    free(work);
    return doubt;
}
