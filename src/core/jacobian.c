/* jacobian.c - d rate / dx, for methods that solve equations with the rate in them.
 *
 *     M x' = f(t,x,y), 0 = F(t,x,y):  M^-1 (f_x - f_y F_y^-1 F_x)
 *
 * where M is constant and all of F contains y; everything else by differences of the rate.  It only steers
 * Newton: an inexact one costs iterations. */
#include <keel/method.h>

#include "core/field.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int known_by_maps(const struct field *fd) {
    const keel_problem *p = &fd->p;
    if (!p->f.jacobian || fd->traits & KEEL_SECOND_ORDER || fd->damped || fd->sliding) return 0;
    if (fd->traits & KEEL_FROM_ENERGY) return fd->rhs == p->f.value;
    if (p->mass.value && !p->mass.constant) return 0;
    return fd->m == 0 || (p->algebraic.jacobian && !fd->dae.any_derived && !fd->dae.sparse);
}

/* rate_x := f_x - f_y F_y^-1 F_x in the n columns of d->f_jacobian, rows n + m long. */
static keel_status eliminate_y(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, all = n + m;
    keel_status status = map_jacobian(fd, &fd->algebraic, t, u, d->row_jacobian);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) d->matrix[(long)i * m + j] = d->row_jacobian[(long)i * all + n + j];
    fd->stats->factorizations++;
    d->factored = 0; /* nor do the partial derivatives by t belong to these */
    if (dense_lu(m, d->matrix, d->pivot, fd->halt))
        return field_fault(fd, KEEL_RETRY, KEEL_ESINGULAR,
                           "the algebraic variables are not determined at t = %.10g (singular d F / d y)", t);
    for (int c = 0; c < n; c++) {
        if (keel_halted(fd->halt)) return map_stopped(fd);
        for (int i = 0; i < m; i++) d->step[i] = d->row_jacobian[(long)i * all + c];
        dense_lu_solve(m, d->matrix, d->pivot, d->step);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                d->f_jacobian[(long)i * all + c] -= d->f_jacobian[(long)i * all + n + j] * d->step[j];
    }
    return KEEL_OK;
}

static keel_status by_maps(struct field *fd, double t, const double *x, double *out) {
    int n = fd->n, m = fd->m, all = n + m;
    double *rows = m ? fd->dae.f_jacobian : out, *column = fd->line;
    memcpy(fd->u, x, (size_t)n * sizeof *x);
    memcpy(fd->u + n, fd->y, (size_t)m * sizeof *x);
    keel_status status = m ? algebra_find(fd, t, fd->u) : KEEL_OK;
    if (status == KEEL_OK) status = map_jacobian(fd, &fd->f, t, fd->u, rows);
    if (status == KEEL_OK && m) status = eliminate_y(fd, t, fd->u);
    for (int i = 0; i < n && m && status == KEEL_OK; i++)
        memcpy(out + (long)i * n, rows + (long)i * all, (size_t)n * sizeof *out);
    for (int c = 0; c < n && fd->p.mass.value && status == KEEL_OK; c++) {
        for (int i = 0; i < n; i++) column[i] = out[(long)i * n + c];
        status = field_divide_by_mass(fd, t, fd->u, column);
        for (int i = 0; i < n; i++) out[(long)i * n + c] = column[i];
    }
    return status;
}

/* One column by a forward quotient; on the other side if the first one leaves the domain. */
static keel_status column_by_differences(keel_work *w, double t, double *x, const double *f, int c,
                                         double least, double *moved, double *out) {
    double here = x[c], step = sqrt(DBL_EPSILON) * fmax(fabs(here), least);
    keel_status status = KEEL_RETRY;
    for (int side = 0; side < 2 && status == KEEL_RETRY; side++) {
        x[c] = here + (side ? -step : step);
        double length = x[c] - here;
        status = keel_rhs(w, t, x, moved);
        int finite = 1;
        for (int i = 0; i < w->n && status == KEEL_OK; i++) {
            out[(long)i * w->n + c] = (moved[i] - f[i]) / length;
            finite &= isfinite(moved[i]) != 0;
        }
        if (!finite) status = KEEL_RETRY;
    }
    x[c] = here;
    return status;
}

keel_status keel_work_jacobian(keel_work *w, double t, const double *x, const double *f, int differences,
                               double *jacobian) {
    struct field *fd = field_of(w);
    if (!differences && known_by_maps(fd)) return by_maps(fd, t, x, jacobian);
    fd->stats->jacobians++;
    double *moved = fd->moved, *probe = fd->beside;
    memcpy(probe, x, (size_t)w->width * sizeof *x);
    keel_status status = KEEL_OK;
    double largest = 0;
    for (int c = 0; c < w->n; c++) largest = fmax(largest, fabs(x[c]));
    double small = largest > 0 ? 1e-3 * largest : 1e-3;
    for (int c = 0; c < w->n && status == KEEL_OK; c++) {
        /* a state that is zero counts as large as what the tolerances neglect */
        double least = w->rtol > 0 && w->atol[c] > 0 ? w->atol[c] / w->rtol : small;
        status = column_by_differences(w, t, probe, f, c, least, moved, jacobian);
    }
    return status;
}
