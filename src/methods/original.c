/* original.c - see original.h. */
#include "methods/original.h"

#include "linalg/dense.h"
#include "linalg/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 12 };

const char *original_refuse(const keel_problem *p) {
    if (!(keel_problem_traits(p) & KEEL_FIRST_ORDER))
        return "it is for equations x' = f(t,x,z), 0 = g, not for a lagrangian or a hamiltonian";
    if (p->n == 0) return "there are no states to step";
    return p->mass.value ? "it needs x' = f without a mass matrix" : NULL;
}

static int has_entries(const keel_map *map) {
    return map->count == 0 || (map->jacobian && map->pattern);
}

int original_goes_sparse(const keel_problem *p) {
    const keel_extras *x = keel_extras_of(p);
    int given = original_is_given(p);
    const keel_map *f = given ? &x->original_f : &p->f, *g = given ? &x->original_g : &p->algebraic;
    if (!has_entries(f) || !has_entries(g)) return 0;
    double entries = f->pattern->nnz + (g->count ? g->pattern->nnz : 0);
    return sparse_pays((double)p->n + g->count, p->n + entries) && sparse_available();
}

/* out := F v, or F^T v added to it: of the entries of f those by z. */
static void multiply(const keel_pattern *p, int n, const double *entries, const double *v, double *out) {
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] >= n) out[i] += entries[e] * v[p->column[e] - n];
    }
}
static void multiply_t(const keel_pattern *p, int n, const double *entries, const double *v, double *out) {
    for (int i = 0; i < n; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] >= n) out[p->column[e] - n] += entries[e] * v[i];
}

static double square(int n, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

/* The same by conjugate gradients on F dz = x' - f (Hestenes, Stiefel 1952), which fills nothing: a search
 * begins there, and six digits do. */
static int solve_sparse(const keel_work *w, const keel_attempt *a, int n, int m,
                        const struct original_workspace *r) {
    const keel_pattern *p = w->native->map[KEEL_MAP_ORIGINAL_F]->pattern;
    double *left = r->f, *gradient = r->spare, *way = gradient + m, *image = way + m;
    for (int i = 0; i < n; i++) left[i] = a->f[i] - r->f[i];
    memset(r->change, 0, (size_t)m * sizeof *r->change);
    memset(gradient, 0, (size_t)m * sizeof *gradient);
    multiply_t(p, n, r->jacobian, left, gradient);
    memcpy(way, gradient, (size_t)m * sizeof *way);
    double now = square(m, gradient), least = 1e-24 * now;
    for (int round = 0; round < 4 * m && now > least; round++) {
        multiply(p, n, r->jacobian, way, image);
        double length = square(n, image), share = now / length, before = now;
        if (!(length > 0)) return 1;
        for (int k = 0; k < m; k++) r->change[k] += share * way[k];
        for (int i = 0; i < n; i++) left[i] -= share * image[i];
        memset(gradient, 0, (size_t)m * sizeof *gradient);
        multiply_t(p, n, r->jacobian, left, gradient);
        now = square(m, gradient);
        for (int k = 0; k < m; k++) way[k] = gradient[k] + now / before * way[k];
    }
    return 0;
}

/* F^T F dz = F^T (x' - f), F = df/dz; nonzero where F has not full rank: z stays as it is. */
static int solve(const keel_work *w, const keel_attempt *a, int n, int m,
                 const struct original_workspace *r) {
    int all = n + m;
    for (int k = 0; k < m; k++) {
        r->change[k] = 0;
        for (int l = 0; l < m; l++) r->matrix[(long)k * m + l] = 0;
        for (int i = 0; i < n; i++) {
            const double *row = r->jacobian + (long)i * all + n;
            r->change[k] += row[k] * (a->f[i] - r->f[i]);
            for (int l = 0; l < m; l++) r->matrix[(long)k * m + l] += row[k] * row[l];
        }
    }
    if (dense_lu(m, r->matrix, (int *)r->pivot, w->halt)) return 1;
    dense_lu_solve(m, r->matrix, (int *)r->pivot, r->change);
    return 0;
}

keel_status original_guess(keel_work *w, const keel_attempt *a, int n, int m,
                           const struct original_workspace *r, double *z) {
    if (!r->given) {
        memcpy(z, w->native->algebraic, (size_t)m * sizeof *z);
        return KEEL_OK;
    }
    double least = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        double moved = 0, size = DBL_MIN;
        memcpy(r->u, a->x, (size_t)n * sizeof *r->u);
        memcpy(r->u + n, z, (size_t)m * sizeof *z);
        w->calls++;
        keel_status status = keel_native_value(w, KEEL_MAP_ORIGINAL_F, a->t, r->u, r->f);
        if (status == KEEL_OK)
            status = r->spare ? keel_native_entries(w, KEEL_MAP_ORIGINAL_F, a->t, r->u, r->jacobian)
                              : keel_native_jacobian(w, KEEL_MAP_ORIGINAL_F, a->t, r->u, 0, r->jacobian);
        if (status != KEEL_OK || (r->spare ? solve_sparse : solve)(w, a, n, m, r)) return status;
        for (int j = 0; j < m; j++) {
            moved = fmax(moved, fabs(r->change[j]));
            size = fmax(size, fabs(z[j]));
        }
        if (!(moved < least)) break; /* as near as it gets */
        least = moved;
        for (int j = 0; j < m; j++) z[j] += r->change[j];
        if (moved < 1e-6 * size) break;
    }
    return KEEL_OK;
}
