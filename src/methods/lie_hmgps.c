/* lie_hmgps.c - the Hamiltonian group-preserving scheme: x' = f keeps H, strictly convex or concave.
 *
 * The gradient g = grad H moves by g' = H'' f, which with n = g / |g| is n' = a - (a.n) n, a = H'' f / |g|: a
 * boost of SO_o(n,1) with a frozen gives n at the end of the step.  There x1 is the place with
 *
 *     grad H(x1) = X n1,   H(x1) = H at the start of the run,
 *
 * one place for each n1, found by Newton's method for (x1, X) with H'' by differences.  Order 1.  H is the
 * energy of the problem, or its first invariant.
 * Liu, CMES 12 (2006) 83, section 5. */
#include "methods/lie_group.h"

#include "base/text.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hmgps {
    const keel_problem *problem;
    double *level;                  /* 2: H to be kept, and is it known? */
    double *hessian, *pivot;        /* n x n, factored; n ints */
    double *gradient, *ahead;       /* width */
    double *direction, *towards;    /* width: n1, and H''^-1 n1 */
    double *stage, *step, *entries; /* width; all that the map of H gives */
};

/* H is the energy, or the first invariant. */
static const keel_map *map_of(const keel_problem *p) {
    return p->energy.count ? &p->energy : &p->invariant;
}

static int gradient_of(const keel_problem *p, double t, const double *x, double *entries, double *out) {
    const keel_map *map = map_of(p);
    int code = map->jacobian(t, x, entries, p->user);
    if (!map->pattern) memcpy(out, entries, (size_t)p->n * sizeof *out);
    else memset(out, 0, (size_t)p->n * sizeof *out);
    for (int e = 0; map->pattern && e < map->pattern->row_start[1]; e++)
        out[map->pattern->column[e]] = entries[e];
    return code;
}

static size_t entries_of(const keel_problem *p) {
    const keel_map *map = map_of(p);
    size_t all = (size_t)map->count * (size_t)p->n;
    return map->pattern && (size_t)map->pattern->nnz > all ? (size_t)map->pattern->nnz : all;
}

/* H'' at u0 by central differences: has it one sign?  0: no; where the gradient fails, it may have; -1:
 * there is no memory. */
static int is_definite(const keel_problem *p) {
    size_t n = (size_t)p->n;
    double *workspace = calloc(n * n + 3 * n + entries_of(p), sizeof *workspace), largest = 0;
    double *matrix = workspace, *x = workspace + n * n, *ahead = x + n, *behind = ahead + n,
           *entries = behind + n;
    if (!workspace) return -1;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(p->u0[j]));
    int code = 0;
    for (size_t j = 0; j < n && code == 0; j++) {
        double length = 1e-5 * (largest > 0 ? fmax(fabs(p->u0[j]), 0.1 * largest) : 1);
        memcpy(x, p->u0, n * sizeof *x);
        x[j] = p->u0[j] + length;
        code = gradient_of(p, p->t0, x, entries, ahead);
        x[j] = p->u0[j] - length;
        if (code == 0) code = gradient_of(p, p->t0, x, entries, behind);
        for (size_t i = 0; i < n; i++) matrix[i * n + j] = (ahead[i] - behind[i]) / (2 * length);
    }
    double sign = matrix[0] < 0 ? -1 : 1, size = 0;
    for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(matrix[i] *= sign));
    for (size_t i = 0; i < n; i++) matrix[i * n + i] -= 1e-8 * size; /* a zero is none of a sign */
    int definite = code != 0 || (size > 0 && dense_cholesky(p->n, matrix, NULL) == 0);
    free(workspace);
    return definite;
}

static int depends_on_time(const keel_problem *p) {
    const keel_map *map = map_of(p);
    double *now = malloc(2 * (size_t)map->count * sizeof *now), *later = now + map->count;
    int depends = 0;
    if (!now) return -1;
    for (int k = 1; k < 4 && map->value(p->t0, p->u0, now, p->user) == 0; k++)
        depends |= map->value(p->t0 + 0.37 * k, p->u0, later, p->user) == 0 && *now != *later;
    free(now);
    return depends;
}

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    if (keel_problem_traits(p) & (KEEL_ALGEBRAIC | KEEL_SECOND_ORDER) || p->mass.value || p->constraint.count)
        return "it is for x' = f(x) without constraints and mass matrix";
    if (p->n == 0) return "there are no states";
    if (map_of(p)->count == 0) return "there is no energy and no invariant to be kept";
    if (!map_of(p)->jacobian)
        return p->energy.count ? "it needs the gradient of H: give energy.jacobian"
                               : "it needs the gradient of H: give invariant.jacobian";
    int moves = depends_on_time(p), definite = moves ? 1 : is_definite(p);
    if (moves < 0 || definite < 0) return text_no_memory;
    if (moves) return "H must not depend on t";
    return definite ? NULL : "H must be strictly convex or concave";
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct hmgps *m = w->method;
    size_t n = (size_t)w->n, width = (size_t)w->width;
    m->problem = p;
    m->level = keel_work_doubles(w, 2);
    m->hessian = keel_work_doubles(w, n * n);
    m->pivot = keel_work_doubles(w, n);
    m->gradient = keel_work_doubles(w, width);
    m->ahead = keel_work_doubles(w, width);
    m->direction = keel_work_doubles(w, width);
    m->towards = keel_work_doubles(w, width);
    m->stage = keel_work_doubles(w, width);
    m->step = keel_work_doubles(w, width);
    m->entries = keel_work_doubles(w, entries_of(p));
}

static keel_status outcome(keel_work *w, int code) {
    w->calls++;
    w->code = code;
    return code == 0 ? KEEL_OK : code > 0 ? KEEL_RETRY : KEEL_EUSER;
}

static keel_status gradient_at(keel_work *w, double t, const double *x, double *out) {
    const struct hmgps *m = w->method;
    return outcome(w, gradient_of(m->problem, t, x, m->entries, out));
}

static keel_status level_at(keel_work *w, double t, const double *x, double *out) {
    const struct hmgps *m = w->method;
    keel_status status = outcome(w, map_of(m->problem)->value(t, x, m->entries, m->problem->user));
    *out = m->entries[0];
    return status;
}

/* H'' at x + d, factored, as differences over sqrt(eps) of the size of x. */
static keel_status find_hessian(keel_work *w, const keel_attempt *a) {
    struct hmgps *m = w->method;
    int n = w->n;
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fmax(fabs(a->x[i]), fabs(a->h * a->f[i])));
    for (int i = 0; i < n; i++) m->stage[i] = a->x[i] + a->dx[i];
    keel_status status = gradient_at(w, a->t, m->stage, m->ahead);
    for (int j = 0; j < n && status == KEEL_OK; j++) {
        double here = m->stage[j], length = sqrt(DBL_EPSILON) * size;
        m->stage[j] = here + length;
        status = gradient_at(w, a->t, m->stage, m->step);
        m->stage[j] = here;
        for (int i = 0; i < n; i++) m->hessian[(long)i * n + j] = (m->step[i] - m->ahead[i]) / length;
    }
    if (status == KEEL_OK && dense_lu(n, m->hessian, (int *)m->pivot, w->halt)) status = KEEL_RETRY;
    memcpy(m->towards, m->direction, (size_t)w->width * sizeof *m->towards);
    if (status == KEEL_OK) dense_lu_solve(n, m->hessian, (int *)m->pivot, m->towards);
    return status;
}

/* One Newton step of grad H(x + dx) = X n1, H(x + dx) = level; *size: its largest component. */
static keel_status improve(keel_work *w, keel_attempt *a, double *factor, double *size) {
    struct hmgps *m = w->method;
    int n = w->n;
    double level;
    for (int i = 0; i < n; i++) m->stage[i] = a->x[i] + a->dx[i];
    keel_status status = gradient_at(w, a->t, m->stage, m->ahead);
    if (status == KEEL_OK) status = level_at(w, a->t, m->stage, &level);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < n; i++) m->step[i] = *factor * m->direction[i] - m->ahead[i];
    dense_lu_solve(n, m->hessian, (int *)m->pivot, m->step);
    double more = (m->level[0] - level - lie_dot(n, m->ahead, m->step)) / lie_dot(n, m->ahead, m->towards);
    *factor += more;
    *size = 0;
    for (int i = 0; i < n; i++) {
        double change = m->step[i] + more * m->towards[i];
        a->dx[i] += change;
        if (!(fabs(change) <= *size)) *size = fabs(change);
    }
    return isfinite(*factor) ? KEEL_OK : KEEL_RETRY;
}

/* From dx = h f until the changes do not shrink any more. */
static keel_status solve(keel_work *w, keel_attempt *a, double factor) {
    double size = 0, before = HUGE_VAL, scale = 0;
    int renewed = 0;
    for (int i = 0; i < w->n; i++) scale = fmax(scale, fmax(fabs(a->x[i]), fabs(a->h * a->f[i])));
    for (int i = 0; i < w->width; i++) a->dx[i] = a->h * a->f[i];
    keel_status status = find_hessian(w, a);
    for (int round = 0; round < 60 && status == KEEL_OK; round++) {
        status = improve(w, a, &factor, &size);
        if (status != KEEL_OK || size == 0) return status;
        if (!(size < 0.9 * before)) {
            if (size <= 64 * DBL_EPSILON * scale) return KEEL_OK;
            if (renewed++ == 3) return size <= 1e-12 * scale ? KEEL_OK : KEEL_RETRY;
            status = find_hessian(w, a);
        }
        before = size;
    }
    return status == KEEL_OK ? KEEL_RETRY : status;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct hmgps *m = w->method;
    int n = w->n;
    double length = 0, at = 0.01 * a->h; /* the difference that gives H'' f */
    keel_status status = gradient_at(w, a->t, a->x, m->gradient);
    memset(a->dx, 0, (size_t)w->width * sizeof *a->dx);
    if (status == KEEL_OK && (m->level[1] == 0 || (a->first && !a->replay))) {
        status = level_at(w, a->t, a->x, &m->level[0]);
        m->level[1] = status == KEEL_OK;
    }
    for (int i = 0; i < n; i++) m->stage[i] = a->x[i] + at * a->f[i];
    if (status == KEEL_OK) status = gradient_at(w, a->t, m->stage, m->ahead);
    for (int i = 0; i < n; i++) m->stage[i] = a->x[i] - at * a->f[i];
    if (status == KEEL_OK) status = gradient_at(w, a->t, m->stage, m->step);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < n; i++) m->step[i] = (m->ahead[i] - m->step[i]) / (2 * at);
    length = lie_length(n, m->gradient);
    double speed = lie_unit(n, m->step, m->step);
    if (length == 0 || lie_length(n, a->f) == 0) return KEEL_OK; /* an equilibrium */
    double stretch = lie_boost(n, m->gradient, length, m->step, a->h * speed / length, m->direction);
    for (int i = 0; i < n; i++) m->direction[i] += m->gradient[i];
    return solve(w, a, stretch * lie_unit(n, m->direction, m->direction));
}

const keel_stepper lie_hmgps_methods[] = {
    {.info = {.name = "hmgps",
              .about = "Hamiltonian group-preserving scheme, keeps a convex or concave H",
              .reference = "Liu 2006",
              .order = 1,
              .traits = KEEL_IMPLICIT | KEEL_KEEPS_ENERGY},
     .size = sizeof(struct hmgps),
     .refuse = refuse,
     .layout = layout,
     .attempt = attempt},
    {.info = {.name = NULL}},
};
