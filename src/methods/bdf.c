/* bdf.c - the backward differentiation formula of order 2 with equal steps, for x' = f(t,x,z), 0 = g(t,x,z):
 *
 *     x1 - x = (x - x_before)/3 + (2h/3) f(t + h, x1, z1),   0 = g(t + h, x1, z1).
 *
 * Everything holds at the end of the step, z too.  The first step is one of the trapezoidal rule, with the
 * rate that is known where it begins.  Stable at infinity; damps every oscillation.  Newton runs on
 * (x1 - x, z1), with
 *     d/dx1 = 1 - (2h/3) f_x,  d/dz = -(2h/3) f_z,  and g_x, g_z.
 * With patterns that is I, -(2h/3) (f_x, f_z), (g_x, g_z) as blocks of a sparse matrix (keel/system.h).
 * Gear 1971; for index 2: Maerz, Tischendorf 1994. */
#include <keel/system.h>

#include "linalg/dense.h"
#include "methods/original.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct bdf {
    int n, m, given;
    double *known, *before, *last; /* 1: is there a step before this one; n: x - x_before; m: its z */
    double *u;                     /* n + m: x1 with z1 */
    double *f, *jacobian;          /* n; n x (n + m), or the entries */
    double *g, *rows;              /* m; m x (n + m), or the entries */
    double *d, *z, *moved;         /* n: x1 - x; m; n + m: what the equations leave, then the change */
    double *matrix, *pivot;        /* (n + m)^2, where it is dense */
    keel_system *system;           /* else this */
    double *spare;                 /* original.h */
    double share, *past;           /* of h f; n: what the steps before give */
};

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    const char *why = original_refuse(p);
    if (!why && p->hidden.count && !original_is_given(p))
        return "the rows must be there as they were written, and not what follows from them by d/dt: use "
               "dop853, or any method that projects";
    return why;
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct bdf *b = w->method;
    size_t n = (size_t)p->n, m = (size_t)original_unknowns(p), all = n + m;
    b->n = (int)n;
    b->m = (int)m;
    b->given = original_is_given(p);
    const keel_pattern *f = w->native->map[original_rates(b->given)]->pattern,
                       *g = w->native->map[original_rows(b->given)]->pattern;
    const keel_system_block block[] = {{KEEL_BLOCK_DIAGONAL, 0, 0, (int)n, NULL},
                                       {KEEL_BLOCK_PLAIN, 0, 0, (int)n, f},
                                       {KEEL_BLOCK_PLAIN, (int)n, 0, (int)m, g}};
    int sparse = original_goes_sparse(p);
    b->system = sparse ? keel_system_layout(w, (int)all, block, 3, 1, 0) : NULL;
    b->known = keel_work_doubles(w, 1);
    b->before = keel_work_doubles(w, n);
    b->last = keel_work_doubles(w, m);
    b->u = keel_work_doubles(w, (size_t)w->width + m);
    b->f = keel_work_doubles(w, n);
    b->jacobian = keel_work_doubles(w, sparse ? (size_t)f->nnz : n * all);
    b->g = keel_work_doubles(w, m);
    b->rows = keel_work_doubles(w, !sparse ? m * all : m ? (size_t)g->nnz : 0);
    b->past = keel_work_doubles(w, n);
    b->d = keel_work_doubles(w, n);
    b->z = keel_work_doubles(w, m);
    b->moved = keel_work_doubles(w, all);
    b->matrix = keel_work_doubles(w, sparse ? 0 : all * all);
    b->pivot = keel_work_doubles(w, sparse ? 0 : all);
    b->spare = sparse ? keel_work_doubles(w, n + 2 * m + 1) : NULL;
}

/* f and g at the end of the step, for d and z. */
static keel_status look_at_end(keel_work *w, const keel_attempt *a) {
    struct bdf *b = w->method;
    double t = a->t + a->h;
    for (int j = 0; j < b->n; j++) b->u[j] = a->x[j] + b->d[j];
    memcpy(b->u + b->n, b->z, (size_t)b->m * sizeof *b->z);
    w->calls++;
    keel_status status = keel_native_value(w, original_rates(b->given), t, b->u, b->f);
    if (status == KEEL_OK && b->m) status = keel_native_value(w, original_rows(b->given), t, b->u, b->g);
    return status;
}

static keel_status factor_system(keel_work *w, const keel_attempt *a) {
    struct bdf *b = w->method;
    double t = a->t + a->h;
    const keel_system_value value[] = {{1, 0, NULL}, {-b->share * a->h, 0, b->jacobian}, {1, 0, b->rows}};
    keel_status status = keel_native_entries(w, original_rates(b->given), t, b->u, b->jacobian);
    if (status == KEEL_OK && b->m) status = keel_native_entries(w, original_rows(b->given), t, b->u, b->rows);
    keel_work_count(w, 1, 0);
    return status == KEEL_OK ? keel_system_factor(w, b->system, 0, value) : status;
}

static keel_status find_matrix(keel_work *w, const keel_attempt *a) {
    struct bdf *b = w->method;
    if (b->system) return factor_system(w, a);
    int n = b->n, m = b->m, all = n + m, width = b->given ? n : all; /* written rows have no z */
    double t = a->t + a->h, factor = b->share * a->h;
    keel_status status = m == 0 ? keel_work_jacobian(w, t, b->u, b->f, 0, b->jacobian)
                                : keel_native_jacobian(w, original_rates(b->given), t, b->u, 0, b->jacobian);
    if (status == KEEL_OK && m)
        status = keel_native_jacobian(w, original_rows(b->given), t, b->u, 0, b->rows);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < all; j++)
            b->matrix[(long)i * all + j] = (i == j) - factor * b->jacobian[(long)i * all + j];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < all; j++)
            b->matrix[(long)(n + i) * all + j] = j < width ? b->rows[(long)i * width + j] : 0;
    keel_work_count(w, 1, 0);
    return dense_lu(all, b->matrix, (int *)b->pivot, w->halt) ? KEEL_RETRY : KEEL_OK;
}

/* How far x1 moved, in sizes of x. */
static double size_of_move(const struct bdf *b, const keel_attempt *a) {
    double size = DBL_MIN, most = 0;
    for (int j = 0; j < b->n; j++) {
        size = fmax(size, fmax(fabs(a->x[j]), fabs(b->d[j])));
        most = fmax(most, fabs(b->moved[j]));
    }
    return most / size;
}

/* Until the moves do not shrink any more: then they are round-off, or the search is lost. */
static keel_status search(keel_work *w, const keel_attempt *a, int *found) {
    struct bdf *b = w->method;
    int n = b->n, m = b->m, idle = 0;
    double least = HUGE_VAL;
    for (int round = 0; round < 50 && !*found; round++) {
        keel_status status = look_at_end(w, a);
        if (status == KEEL_OK && (round < 2 || idle)) status = find_matrix(w, a);
        if (status != KEEL_OK) return status;
        for (int j = 0; j < n; j++) b->moved[j] = b->d[j] - b->past[j] - b->share * a->h * b->f[j];
        memcpy(b->moved + n, b->g, (size_t)m * sizeof *b->g);
        if (b->system) keel_system_solve(w, b->system, 0, b->moved, NULL);
        else dense_lu_solve(n + m, b->matrix, (int *)b->pivot, b->moved);
        keel_work_count(w, 0, 1);
        for (int j = 0; j < n; j++) b->d[j] -= b->moved[j];
        for (int j = 0; j < m; j++) b->z[j] -= b->moved[n + j];
        double now = size_of_move(b, a);
        if (!(now < 1e8)) return KEEL_OK;
        idle = now > 0.5 * least ? idle + 1 : 0;
        least = fmin(least, now);
        *found = now == 0 || (idle && now < 16 * DBL_EPSILON) || (idle > 2 && now < 1e-9);
    }
    return KEEL_OK;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct bdf *b = w->method;
    int found = 0;
    if (a->first) *b->known = 0;
    int alone = *b->known == 0;
    b->share = alone ? 1. / 2 : 2. / 3;
    for (int j = 0; j < b->n; j++) { /* begun at x: at x + h f of what is stiff f may have no values */
        b->d[j] = 0;
        b->past[j] = alone ? a->h * a->f[j] / 2 : b->before[j] / 3;
    }
    memcpy(b->z, b->last, (size_t)b->m * sizeof *b->z);
    struct original_workspace capacity = {b->u,     b->f,     b->jacobian, b->matrix,
                                          b->pivot, b->moved, b->given,    b->spare};
    keel_status status = alone ? original_guess(w, a, b->n, b->m, &capacity, b->z) : KEEL_OK;
    if (status == KEEL_OK) status = search(w, a, &found);
    if (status != KEEL_OK) return status;
    memcpy(a->dx, b->d, (size_t)b->n * sizeof *a->dx);
    if (found) return KEEL_OK;
    return keel_native_fail(w, KEEL_ENEWTON,
                            "%s: no end of the step was found from t = %.10g; try a smaller step",
                            w->stepper->info.name, a->t);
}

static void accept(keel_work *w, const keel_segment *s) {
    struct bdf *b = w->method;
    for (int j = 0; j < b->n; j++) b->before[j] = s->x_end[j] - s->x[j];
    memcpy(b->last, b->z, (size_t)b->m * sizeof *b->z);
    *b->known = 1;
}

const keel_stepper bdf_methods[] = {
    {.info = {.name = "bdf2",
              .about = "backward differentiation of order 2 for states and multipliers",
              .reference = "Gear 1971; Maerz, Tischendorf 1994",
              .order = 2,
              .traits = KEEL_IMPLICIT | KEEL_MULTISTEP | KEEL_AS_GIVEN},
     .size = sizeof(struct bdf),
     .refuse = refuse,
     .layout = layout,
     .attempt = attempt,
     .accept = accept},
    {.info = {.name = NULL}},
};
