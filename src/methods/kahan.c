/* kahan.c - Kahan's method for quadratic fields, x' = Q(x,x) + B x + b:
 *
 *     (x1 - x) / h = Q(x,x1) + B (x + x1) / 2 + b,   that is   (I - h/2 f'(x)) (x1 - x) = h f(x).
 *
 * One linear solve a step; symmetric, of order 2.  With coefficients that depend on t, f is taken at the
 * middle of the step.  Without a given Jacobian differences serve: central ones are exact for a quadratic f.
 * With the pattern of a given Jacobian I - h/2 f'(x) is sparse.
 * Kahan 1993; Celledoni, McLachlan, Owren, Quispel, Geometric properties of Kahan's method, 2013. */
#include <keel/native.h>
#include <keel/system.h>

#include "base/text.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "methods/composition.h"
#include "methods/sampled.h"

#include <math.h>
#include <string.h>

struct kahan {
    const keel_problem *problem;
    double *matrix, *entries; /* n x n, and as many as the pattern has */
    keel_system *system;      /* in place of matrix; NULL: it is dense */
    double *pivot;            /* n ints */
    double *x, *f, *ahead;    /* width */
};

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    if (keel_problem_traits(p) & (KEEL_ALGEBRAIC | KEEL_SECOND_ORDER) || p->mass.value || p->constraint.count)
        return "it is for x' = f(x) without constraints and mass matrix";
    if (p->n == 0) return "there are no states";
    if (keel_problem_traits(p) & KEEL_FROM_ENERGY && !p->f.value &&
        (p->structure.value || !p->energy.jacobian))
        return "give f = B grad H, or the gradient of a canonical H";
    int quadratic = sampled_quadratic(p, NULL);
    if (quadratic < 0) return text_no_memory;
    return quadratic ? NULL : "f must be a polynomial of degree 2 in x";
}

static int has_jacobian(const keel_problem *p) {
    return p->f.value && p->f.jacobian;
}

static int goes_sparse(const keel_problem *p) {
    return has_jacobian(p) && p->f.pattern && sparse_pays(p->n, p->n + (double)p->f.pattern->nnz) &&
           sparse_available();
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct kahan *m = w->method;
    size_t n = (size_t)w->n, width = (size_t)w->width;
    int sparse = goes_sparse(p);
    const keel_system_block block[] = {{KEEL_BLOCK_DIAGONAL, 0, 0, w->n, NULL},
                                       {KEEL_BLOCK_PLAIN, 0, 0, w->n, p->f.pattern}};
    m->problem = p;
    m->system = sparse ? keel_system_layout(w, w->n, block, 2, 1, 0) : NULL;
    m->matrix = keel_work_doubles(w, sparse ? 0 : n * n);
    m->entries = keel_work_doubles(w, has_jacobian(p) && p->f.pattern ? (size_t)p->f.pattern->nnz : 0);
    m->pivot = keel_work_doubles(w, n);
    m->x = keel_work_doubles(w, width);
    m->f = keel_work_doubles(w, width);
    m->ahead = keel_work_doubles(w, width);
}

/* f'(x) as given. */
static keel_status given_matrix(keel_work *w, double t, const double *x) {
    const struct kahan *m = w->method;
    const keel_problem *p = m->problem;
    const keel_pattern *pattern = p->f.pattern;
    w->code = p->f.jacobian(t, x, pattern ? m->entries : m->matrix, p->user);
    if (w->code != 0) return w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
    if (!pattern) return KEEL_OK;
    memset(m->matrix, 0, (size_t)w->n * (size_t)w->n * sizeof *m->matrix);
    for (int i = 0; i < w->n; i++)
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
            m->matrix[(long)i * w->n + pattern->column[e]] = m->entries[e];
    return KEEL_OK;
}

/* f'(x) by central differences, as long as x is large. */
static keel_status found_matrix(keel_work *w, double t, const double *x) {
    struct kahan *m = w->method;
    int n = w->n;
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(x[j]));
    for (int j = 0; j < n; j++) {
        double length = x[j] != 0 ? 0.5 * fabs(x[j]) : largest > 0 ? largest : 1;
        memcpy(m->x, x, (size_t)w->width * sizeof *x);
        m->x[j] = x[j] + length;
        keel_status status = keel_rhs(w, t, m->x, m->ahead);
        m->x[j] = x[j] - length;
        if (status == KEEL_OK) status = keel_rhs(w, t, m->x, m->f);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < n; i++) m->matrix[(long)i * n + j] = (m->ahead[i] - m->f[i]) / (2 * length);
    }
    return KEEL_OK;
}

static keel_status attempt_sparse(keel_work *w, keel_attempt *a) {
    struct kahan *m = w->method;
    double t = a->t + 0.5 * a->h;
    const keel_system_value value[] = {{1, 0, NULL}, {-0.5 * a->h, 0, m->entries}};
    keel_status status = keel_native_entries(w, KEEL_MAP_F, t, a->x, m->entries);
    if (status == KEEL_OK) status = keel_rhs(w, t, a->x, m->f);
    if (status == KEEL_OK) status = keel_system_factor(w, m->system, 0, value); /* else: a pole of the map */
    if (status != KEEL_OK) return status;
    for (int i = 0; i < w->width; i++) a->dx[i] = i < w->n ? a->h * m->f[i] : 0;
    keel_system_solve(w, m->system, 0, a->dx, NULL);
    return KEEL_OK;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct kahan *m = w->method;
    int n = w->n;
    double t = a->t + 0.5 * a->h;
    if (m->system) return attempt_sparse(w, a);
    keel_status status = has_jacobian(m->problem) ? given_matrix(w, t, a->x) : found_matrix(w, t, a->x);
    if (status == KEEL_OK) status = keel_rhs(w, t, a->x, m->f);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m->matrix[(long)i * n + j] = (i == j) - 0.5 * a->h * m->matrix[(long)i * n + j];
    if (dense_lu(n, m->matrix, (int *)m->pivot, w->halt)) return KEEL_RETRY; /* a pole of the map */
    for (int i = 0; i < w->width; i++) a->dx[i] = i < n ? a->h * m->f[i] : 0;
    dense_lu_solve(n, m->matrix, (int *)m->pivot, a->dx);
    return KEEL_OK;
}

#define TRAITS (KEEL_IMPLICIT | KEEL_SYMMETRIC_STEP)

const keel_stepper kahan_methods[] = {
    {
        .info = {.name = "kahan",
                 .about = "Kahan's method for quadratic fields, one linear solve a step",
                 .reference = "Kahan 1993",
                 .order = 2,
                 .traits = TRAITS},
        .no_rhs = 1,
        .size = sizeof(struct kahan),
        .refuse = refuse,
        .layout = layout,
        .attempt = attempt,
    },
    COMPOSITIONS("kahan", "kahan", TRAITS, kahan_methods[0], struct kahan, refuse, "Kahan 1993"),
    {.info = {.name = NULL}},
};
