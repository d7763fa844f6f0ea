/* implicit_sparse.c - the matrices of implicit_mechanics.c by patterns.  E - c J with the rows of q and v
 * multiplied by M, and those of the constraints by their factor r, acts on (dq, dv, dlambda, dmu) as
 *
 *     ( M                     -c M          .       c G^T )
 *     ( c (lambda.K)_q - c R    M - c F_v   c K^T     .   )
 *     ( -c r (G v + g_t)_q    -c r G        .         .   )
 *     ( -c r (A v + b)_q      -c r A        .         .   )
 *     ( -c r G                  .           .         .   )
 *
 * with K = (G; A), R = F_q - d(M a)/dq for the acceleration a (GGL; index 3 has the last row in the place of
 * the third, and no mu), so that M^-1 is never formed.  A redundant constraint has c dlambda = 0 and
 * c dmu = 0. */
#include "methods/implicit_mechanics.h"

#include <keel/native.h>

#include <string.h>

/* The numbers of J: R and F_v, (lambda.K)_q, the rates of the rows by q, K, 1 for redundant rows, M if it
 * changes.  Of G: so many of K. */
struct numbers {
    size_t force, bend, rows, mass, of_g;
};

static struct numbers count(const keel_work *w) {
    const struct implicit_mechanics *m = w->method;
    const keel_problem *p = w->native->problem;
    const keel_pattern *g = p->constraint.pattern;
    return (struct numbers){.force = (size_t)p->f.pattern->nnz,
                            .bend = keel_native_bend_doubles(w),
                            .rows = keel_native_rows_doubles(w),
                            .mass = m->mass_varies ? (size_t)p->mass.pattern->nnz : 0,
                            .of_g = m->kg ? (size_t)g->nnz : 0};
}

enum { BLOCKS = 15, OF_INDEX_3 = 11 };

size_t implicit_sparse_layout(keel_work *w, int real, int complex) {
    struct implicit_mechanics *m = w->method;
    if (!keel_native_sparse(w)) return 0;
    const keel_problem *p = w->native->problem;
    const keel_pattern *mass = p->mass.value ? p->mass.pattern : NULL, *g = p->constraint.pattern,
                       *a = p->rolling.pattern;
    const keel_system_block_kind of_mass = mass ? KEEL_BLOCK_PLAIN : KEEL_BLOCK_DIAGONAL;
    int nq = m->nq, n = w->n, k = m->k, kg = m->kg, kr = k - kg, last = m->stabilised ? n + k : n;
    const keel_system_block block[BLOCKS] = {
        {of_mass, 0, 0, nq, mass},
        {of_mass, 0, nq, nq, mass},
        {of_mass, nq, nq, nq, mass},
        {KEEL_BLOCK_PLAIN, nq, 0, nq, p->f.pattern},
        {KEEL_BLOCK_BEND, nq, 0, 0, NULL},
        {KEEL_BLOCK_TRANSPOSED, nq, n, kg, g},
        {KEEL_BLOCK_TRANSPOSED, nq, n + kg, kr, a},
        {KEEL_BLOCK_PLAIN, last, 0, kg, g},
        {KEEL_BLOCK_PLAIN, n + kg, 0, kr, a},
        {KEEL_BLOCK_PLAIN, n + kg, nq, kr, a},
        {KEEL_BLOCK_DIAGONAL, n, n, k, NULL},
        {KEEL_BLOCK_TRANSPOSED, 0, last, kg, g}, /* from here on: GGL */
        {KEEL_BLOCK_PLAIN, n, 0, kg, g},
        {KEEL_BLOCK_PLAIN, n, nq, kg, g},
        {KEEL_BLOCK_DIAGONAL, last, last, kg, NULL},
    };
    m->matrix = keel_system_layout(w, m->rk.n, block, m->stabilised ? BLOCKS : OF_INDEX_3, real, complex);
    struct numbers c = count(w);
    return c.force + c.bend + 2 * c.rows + (size_t)k + c.mass + 1;
}

/* Where M changes, a is in m->force, and M has been found here. */
keel_status implicit_sparse_jacobian(keel_work *w, double t, const double *y, double *out) {
    struct implicit_mechanics *m = w->method;
    struct numbers c = count(w);
    double *bend = out + c.force, *by_q = bend + c.bend, *rows = by_q + c.rows, *aside = rows + c.rows,
           *mass = aside + m->k;
    keel_status status = m->mass_varies ? KEEL_OK : keel_native_mass_factor(w, t, y, NULL);
    if (c.mass) memcpy(mass, keel_native_mass_entries(w), c.mass * sizeof *mass);
    if (status == KEEL_OK) status = keel_native_entries(w, KEEL_MAP_F, t, y, out);
    if (status == KEEL_OK && c.mass) status = keel_native_mass_bend(w, t, y, m->force, out);
    if (status == KEEL_OK) status = keel_native_rows(w, t, y, rows);
    if (status == KEEL_OK) status = keel_native_bend(w, t, y, rows, y + w->n, y + m->nq, bend, by_q);
    keel_native_rows_silence(w, rows);
    for (int i = 0; i < m->k; i++) aside[i] = !w->native->active[i];
    return status;
}

keel_status implicit_sparse_factor(keel_work *w, const double *jacobian, int number, double real,
                                   double imaginary) {
    const struct implicit_mechanics *m = w->method;
    const struct numbers c = count(w);
    const double *bend = jacobian + c.force, *by_q = bend + c.bend, *rows = by_q + c.rows,
                 *aside = rows + c.rows, r = m->row_factor, s = m->rolling_factor;
    const double *of_a = rows + c.of_g, *mass = c.mass ? m->masses : keel_native_mass_entries(w);
    if (c.mass) memcpy(m->masses, aside + m->k, c.mass * sizeof *mass);
    const keel_system_value value[BLOCKS] = {
        {1, 0, mass},
        {-real, -imaginary, mass},
        {1, 0, mass},
        {-real, -imaginary, jacobian},
        {real, imaginary, bend},
        {real, imaginary, rows},
        {real, imaginary, of_a},
        {-r * real, -r * imaginary, rows},
        {-s * real, -s * imaginary, by_q + c.of_g},
        {-s * real, -s * imaginary, of_a},
        {real, imaginary, aside},
        {real, imaginary, rows},
        {-r * real, -r * imaginary, by_q},
        {-r * real, -r * imaginary, rows},
        {real, imaginary, aside},
    };
    return keel_system_factor(w, m->matrix, number, value);
}

int implicit_sparse_stands(const keel_work *w, int number) {
    const struct implicit_mechanics *m = w->method;
    return keel_system_stands(m->matrix, number);
}

/* v := M v */
static void multiply(const keel_work *w, double *v) {
    const struct implicit_mechanics *m = w->method;
    const keel_pattern *p = w->native->problem->mass.pattern;
    const double *mass = m->mass_varies ? m->masses : keel_native_mass_entries(w);
    if (!mass) return;
    memcpy(m->beside, v, (size_t)m->nq * sizeof *v);
    for (int i = 0; i < m->nq; i++) {
        v[i] = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) v[i] += mass[e] * m->beside[p->column[e]];
    }
}

void implicit_sparse_solve(const keel_work *w, int number, double *v, double *imaginary) {
    const struct implicit_mechanics *m = w->method;
    for (int part = 0; part < 2; part++) {
        multiply(w, v + (long)part * m->nq);
        if (imaginary) multiply(w, imaginary + (long)part * m->nq);
    }
    keel_system_solve(w, m->matrix, number, v, imaginary);
}

void implicit_sparse_push(const keel_work *w, double h, const double *jacobian, const double *moved,
                          double *out) {
    const struct implicit_mechanics *m = w->method;
    const struct numbers c = count(w);
    const double *rows = jacobian + c.force + c.bend + c.rows, *lambda = moved + w->n;
    memset(out, 0, (size_t)w->n * sizeof *out);
    keel_native_rows_subtract(w, rows, m->k, lambda, out + m->nq);
    if (m->stabilised) keel_native_rows_subtract(w, rows, m->k, lambda + m->k, out);
    keel_native_mass_solve(w, NULL, out);
    keel_native_mass_solve(w, NULL, out + m->nq);
    for (int j = 0; j < w->n; j++) out[j] *= h;
}
