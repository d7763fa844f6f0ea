/* original.c - see original.h. */
#include "methods/original.h"

#include "linalg/dense.h"

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
            status = keel_native_jacobian(w, KEEL_MAP_ORIGINAL_F, a->t, r->u, 0, r->jacobian);
        if (status != KEEL_OK || solve(w, a, n, m, r)) return status;
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
