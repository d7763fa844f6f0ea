/* lgdae.c - the Lie-group method on GL(n,R) for x' = f(t,x,z), 0 = g(t,x), z the multipliers:
 *
 *     x1 = x + h s(u) f(t + h/2, xm, z),  xm = (x + x1) / 2,  u = h f . xm / |xm|^2,
 *     s(u) = tanh(u/2) / (u/2),           0 = g(t + h, x1).
 *
 * This is what remains of the exponentials of the paper (its theta = 1/2) when they are eliminated: the
 * midpoint rule with a stretched step, without a quotient 0/0.  z belongs to the middle of the step; rows
 * that contain z hold there.  Symmetric, order 2, keeps quadratic invariants, exact for x' = a x.
 *
 * The stretch refers to an origin.  There xm = 0 has no u, and within a few steps of it the order falls to 1:
 * a run that starts at 0 has its origin at -1, in sizes of x.  Newton runs on (x1 - x, z), with
 *     d/dx1 = 1 - h/2 (s f_x + s' f w^T),  w = (h (f_x^T xm + f) - 2 u xm) / |xm|^2,
 *     d/dz  = -h (s f_z + s' f (h f_z^T xm / |xm|^2)^T);
 * the nested form of the paper iterates x1 for fixed z, and z by Newton with g_x dx1/dz: the same matrix,
 * where the first equations leave nothing.  Liu 2013.
 *
 * With patterns the matrix is A = S - a b^T: S sparse, of the blocks 1, (f_x, f_z), (g_x, g_z), and a = h s'
 * f.  A^-1 r = S^-1 r + S^-1 a (b . S^-1 r) / (1 - b . S^-1 a) (Sherman, Morrison 1950). */
#include <keel/system.h>

#include "base/text.h"
#include "linalg/dense.h"
#include "methods/original.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lgdae {
    int n, m, given;
    double *origin;                   /* n */
    double *u, *z, *last;             /* n + m: the middle with z; m: z, and that of the last step */
    double *f, *jacobian;             /* n; n x (n + m), or the entries */
    double *g, *rows, *row_capacity;  /* m; m x (n + m), or the entries: d g / d (x1, z) */
    double *d, *moved;                /* n: x1 - x; n + m: what the equations leave, then the change */
    double *matrix, *pivot;           /* (n + m)^2, where it is dense */
    keel_system *system;              /* else S */
    double *scaled, *b, *bent;        /* sparse: s f_x / 2 and s f_z; n + m: b, S^-1 a */
    double *spare;                    /* original.h */
    double *from, *way;               /* n: xm from its origin; n + m: w, h f_z^T xm / |xm|^2 */
    double s, slope, square, stretch; /* of the last evaluation */
};

/* Are there rows that are known in differentiated form alone?  -1: there is no memory. */
static int rows_are_lost(const keel_problem *p) {
    size_t all = (size_t)(p->n + p->m), m = (size_t)p->m;
    if (original_is_given(p) || p->hidden.count == 0) return 0;
    double *u = malloc((all + 2 * m + 1) * sizeof *u), *here = u + all, *there = here + m;
    int lost = 1;
    if (!u) return -1;
    memcpy(u, p->u0, all * sizeof *u);
    int code = m ? p->algebraic.value(p->t0, u, here, p->user) : 0;
    for (size_t j = 0; j < m; j++) u[p->n + (int)j] += 0.61 + 0.17 * (double)(j % 5);
    if (code == 0 && m) code = p->algebraic.value(p->t0, u, there, p->user);
    for (size_t i = 0; i < m && code == 0; i++) lost &= here[i] != there[i];
    free(u);
    return lost;
}

static const char *refuse(const keel_problem *p, const keel_options *o) {
    (void)o;
    const char *why = original_refuse(p);
    int lost = why ? 0 : rows_are_lost(p);
    if (lost < 0) return text_no_memory;
    if (lost)
        return "the constraints must be there as they were written, x' = f(t,x,z), 0 = g(t,x) with as many z "
               "as rows: use dop853, or any method that projects";
    return why;
}

static void lay_out_system(keel_work *w, const keel_pattern *f, const keel_pattern *g) {
    struct lgdae *l = w->method;
    int all = l->n + l->m;
    const keel_system_block block[] = {{KEEL_BLOCK_DIAGONAL, 0, 0, l->n, NULL},
                                       {KEEL_BLOCK_PLAIN, 0, 0, l->n, f},
                                       {KEEL_BLOCK_PLAIN, l->n, 0, l->m, g}};
    l->system = keel_system_layout(w, all, block, 3, 1, 0);
    l->scaled = keel_work_doubles(w, (size_t)f->nnz);
    l->b = keel_work_doubles(w, (size_t)all);
    l->bent = keel_work_doubles(w, (size_t)all);
    l->spare = keel_work_doubles(w, (size_t)l->n + 2 * (size_t)l->m + 1);
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    struct lgdae *l = w->method;
    size_t n = (size_t)p->n, m = (size_t)original_unknowns(p), all = n + m;
    double largest = 0;
    l->n = (int)n;
    l->m = (int)m;
    l->given = original_is_given(p);
    int sparse = original_goes_sparse(p);
    const keel_pattern *f = w->native->map[original_rates(l->given)]->pattern,
                       *g = w->native->map[original_rows(l->given)]->pattern;
    size_t numbers = !sparse ? m * all : m ? (size_t)g->nnz : 0;
    l->system = NULL;
    l->spare = NULL;
    if (sparse) lay_out_system(w, f, g);
    l->origin = keel_work_doubles(w, n);
    l->u = keel_work_doubles(w, (size_t)w->width + m);
    l->z = keel_work_doubles(w, m);
    l->last = keel_work_doubles(w, m);
    l->f = keel_work_doubles(w, n);
    l->jacobian = keel_work_doubles(w, sparse ? (size_t)f->nnz : n * all);
    l->g = keel_work_doubles(w, m);
    l->rows = keel_work_doubles(w, numbers);
    l->row_capacity = keel_work_doubles(w, numbers);
    l->d = keel_work_doubles(w, n);
    l->moved = keel_work_doubles(w, all);
    l->matrix = keel_work_doubles(w, sparse ? 0 : all * all);
    l->pivot = keel_work_doubles(w, sparse ? 0 : all);
    l->from = keel_work_doubles(w, n);
    l->way = keel_work_doubles(w, all);
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(p->u0[j]));
    for (size_t j = 0; j < n && l->origin; j++)
        l->origin[j] = largest > 0 ? 0 : p->scale && p->scale[j] > 0 ? -p->scale[j] : -1;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* f, u, s and s' in the middle of the step, for l->d and l->z. */
static keel_status look_at_middle(keel_work *w, const keel_attempt *a) {
    struct lgdae *l = w->method;
    int n = l->n;
    for (int j = 0; j < n; j++) {
        l->u[j] = a->x[j] + 0.5 * l->d[j];
        l->from[j] = l->u[j] - l->origin[j];
    }
    memcpy(l->u + n, l->z, (size_t)l->m * sizeof *l->z);
    w->calls++;
    keel_status status = keel_native_value(w, original_rates(l->given), a->t + 0.5 * a->h, l->u, l->f);
    if (status != KEEL_OK) return status;
    l->square = dot(n, l->from, l->from);
    double u = l->square > 0 ? a->h * dot(n, l->f, l->from) / l->square : HUGE_VAL, v = u / 2;
    int near = !(fabs(u) < 1); /* the origin is within a step: no stretch */
    l->stretch = near ? 0 : u;
    l->s = near || v == 0 ? 1 : tanh(v) / v;
    l->slope = near             ? 0
               : fabs(u) < 0.02 ? -u / 6 + u * u * u / 30
                                : (v / (cosh(v) * cosh(v)) - tanh(v)) / (2 * v * v);
    return KEEL_OK;
}

/* A map's jacobian by x and z: full rows, or the entries of its pattern. */
static keel_status look_at_slopes(keel_work *w, keel_native_map map, double t, double *out) {
    const struct lgdae *l = w->method;
    return l->system ? keel_native_entries(w, map, t, l->u, out)
                     : keel_native_jacobian(w, map, t, l->u, 0, out);
}

/* Row i of the rows: x in the middle is moved by half of what x1 is. */
static void take_row(const keel_work *w, int i, double share) {
    struct lgdae *l = w->method;
    int n = l->n, all = n + l->m;
    if (l->system) {
        const keel_pattern *p = w->native->map[original_rows(l->given)]->pattern;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            l->rows[e] = p->column[e] < n ? share * l->row_capacity[e] : l->row_capacity[e];
        return;
    }
    const double *row = l->row_capacity + (long)i * (l->given ? n : all);
    for (int j = 0; j < all; j++)
        l->rows[(long)i * all + j] = j >= n ? (l->given ? 0 : row[j]) : share * row[j];
}

/* g, and its derivative by x1 and z. */
static keel_status look_at_rows(keel_work *w, const keel_attempt *a, int slopes) {
    struct lgdae *l = w->method;
    int n = l->n, m = l->m, written = l->given;
    if (m == 0) return KEEL_OK;
    keel_native_map map = original_rows(written);
    const int *direct = w->native->direct;
    keel_status status = KEEL_OK;
    for (int middle = 0; middle < (written ? 1 : 2) && status == KEEL_OK; middle++) {
        double share = middle ? 0.5 : 1, t = a->t + share * a->h, *value = l->moved;
        for (int j = 0; j < n; j++) l->u[j] = a->x[j] + share * l->d[j];
        status = keel_native_value(w, map, t, l->u, value);
        if (status == KEEL_OK && slopes) status = look_at_slopes(w, map, t, l->row_capacity);
        for (int i = 0; i < m && status == KEEL_OK; i++) {
            if (!written && direct[i] != middle) continue;
            l->g[i] = value[i];
            if (slopes) take_row(w, i, share);
        }
    }
    return status;
}

/* out := (f_x, f_z)^T v */
static void multiply_t(const keel_work *w, const double *v, double *out) {
    const struct lgdae *l = w->method;
    int n = l->n, all = n + l->m;
    const keel_pattern *p = l->system ? w->native->map[original_rates(l->given)]->pattern : NULL;
    memset(out, 0, (size_t)all * sizeof *out);
    for (int i = 0; i < n; i++) {
        for (int e = p ? p->row_start[i] : 0; p && e < p->row_start[i + 1]; e++)
            out[p->column[e]] += l->jacobian[e] * v[i];
        for (int j = 0; j < all && !p; j++) out[j] += l->jacobian[(long)i * all + j] * v[i];
    }
}

/* f_x and f_z in l->jacobian, and w. */
static keel_status find_slopes(keel_work *w, const keel_attempt *a) {
    struct lgdae *l = w->method;
    double t = a->t + 0.5 * a->h;
    keel_status status = l->m == 0 && !l->system
                             ? keel_work_jacobian(w, t, l->u, l->f, 0, l->jacobian)
                             : look_at_slopes(w, original_rates(l->given), t, l->jacobian);
    if (status != KEEL_OK) return status;
    multiply_t(w, l->from, l->way);
    for (int j = 0; j < l->n + l->m; j++) {
        l->way[j] *= l->slope == 0 ? 0 : a->h / l->square;
        if (j < l->n && l->slope != 0)
            l->way[j] += (a->h * l->f[j] - 2 * l->stretch * l->from[j]) / l->square;
    }
    return KEEL_OK;
}

/* The matrix and its factors; KEEL_RETRY: it is singular. */
static keel_status factor_dense(keel_work *w, const keel_attempt *a) {
    struct lgdae *l = w->method;
    int n = l->n, m = l->m, all = n + m;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < all; j++) {
            double slope = l->s * l->jacobian[(long)i * all + j] + l->slope * l->f[i] * l->way[j];
            l->matrix[(long)i * all + j] = j < n ? (i == j) - 0.5 * a->h * slope : -(a->h * slope);
        }
    if (m) memcpy(l->matrix + (long)n * all, l->rows, (size_t)m * (size_t)all * sizeof *l->rows);
    return dense_lu(all, l->matrix, (int *)l->pivot, w->halt) ? KEEL_RETRY : KEEL_OK;
}

static keel_status factor_sparse(keel_work *w, const keel_attempt *a) {
    struct lgdae *l = w->method;
    int n = l->n, all = n + l->m;
    const keel_pattern *p = w->native->map[original_rates(l->given)]->pattern;
    const keel_system_value value[] = {{1, 0, NULL}, {-a->h * l->s, 0, l->scaled}, {1, 0, l->rows}};
    for (int e = 0; e < p->nnz; e++) l->scaled[e] = (p->column[e] < n ? 0.5 : 1) * l->jacobian[e];
    for (int j = 0; j < all; j++) {
        l->b[j] = j < n ? 0.5 * l->way[j] : l->way[j];
        l->bent[j] = j < n ? a->h * l->slope * l->f[j] : 0;
    }
    keel_status status = keel_system_factor(w, l->system, 0, value);
    if (status != KEEL_OK) return status;
    keel_system_solve(w, l->system, 0, l->bent, NULL);
    double left = 1 - dot(all, l->b, l->bent);
    for (int j = 0; j < all; j++) l->bent[j] /= left;
    return keel_native_finite(all, l->bent) ? KEEL_OK : KEEL_RETRY;
}

static keel_status no_end(keel_work *w, double t) {
    return keel_native_fail(
        w, KEEL_ENEWTON,
        "%s: no end of the step with its multipliers was found from t = %.10g; try a smaller step",
        w->stepper->info.name, t);
}

static keel_status find_matrix(keel_work *w, const keel_attempt *a) {
    const struct lgdae *l = w->method;
    keel_work_count(w, 1, 0);
    keel_status status = l->system ? factor_sparse(w, a) : factor_dense(w, a);
    return status == KEEL_RETRY ? no_end(w, a->t) : status;
}

/* moved := A^-1 moved */
static void solve(keel_work *w) {
    struct lgdae *l = w->method;
    int all = l->n + l->m;
    keel_work_count(w, 0, 1);
    if (!l->system) {
        dense_lu_solve(all, l->matrix, (int *)l->pivot, l->moved);
        return;
    }
    keel_system_solve(w, l->system, 0, l->moved, NULL);
    double along = dot(all, l->b, l->moved);
    for (int j = 0; j < all; j++) l->moved[j] += l->bent[j] * along;
}

/* How far d and z moved, in sizes of x and of z; z carries the round-off of g over h. */
static double size_of_move(const struct lgdae *l, const keel_attempt *a, const double *move) {
    double size = DBL_MIN, most = 0;
    for (int j = 0; j < l->n; j++) {
        size = fmax(size, fmax(fabs(a->x[j]), fabs(l->d[j])));
        most = fmax(most, fabs(move[j]));
    }
    return most / size;
}

enum { SEARCHING, ARRIVED, LOST };

/* Until the moves stop shrinking: what a tolerance leaves has one sign.  With index 3 velocities carry the
 * round-off of g over h, which is where they rest. */
static int progress(double now, double *least, int *idle) {
    if (!(now < 1e8)) return LOST;
    *idle = now > 0.5 * *least ? *idle + 1 : 0;
    *least = fmin(*least, now);
    int arrived = now == 0 || (*idle && now < 16 * DBL_EPSILON) || (*idle > 2 && now < 1e-9);
    return arrived ? ARRIVED : SEARCHING;
}

static keel_status by_newton(keel_work *w, const keel_attempt *a, int *found) {
    struct lgdae *l = w->method;
    int n = l->n, m = l->m, idle = 0, verdict = SEARCHING;
    double least = HUGE_VAL;
    for (int round = 0; round < 50 && verdict == SEARCHING; round++) {
        int fresh = round < 2 || idle;
        keel_status status = look_at_middle(w, a);
        if (status == KEEL_OK && fresh) status = find_slopes(w, a);
        if (status == KEEL_OK) status = look_at_rows(w, a, fresh);
        if (status != KEEL_OK) return status;
        if (fresh) status = find_matrix(w, a);
        if (status != KEEL_OK) return status;
        for (int j = 0; j < n; j++) l->moved[j] = l->d[j] - a->h * l->s * l->f[j];
        memcpy(l->moved + n, l->g, (size_t)m * sizeof *l->g);
        solve(w);
        for (int j = 0; j < n; j++) l->d[j] -= l->moved[j];
        for (int j = 0; j < m; j++) l->z[j] -= l->moved[n + j];
        verdict = progress(size_of_move(l, a, l->moved), &least, &idle);
    }
    *found = verdict == ARRIVED;
    return KEEL_OK;
}

/* x1 = x + h s f until it rests, for fixed z. */
static keel_status inner(keel_work *w, const keel_attempt *a, int *found) {
    struct lgdae *l = w->method;
    int idle = 0, verdict = SEARCHING;
    double least = HUGE_VAL;
    for (int round = 0; round < 100 && verdict == SEARCHING; round++) {
        keel_status status = look_at_middle(w, a);
        if (status != KEEL_OK) return status;
        for (int j = 0; j < l->n; j++) {
            double next = a->h * l->s * l->f[j];
            l->moved[j] = next - l->d[j];
            l->d[j] = next;
        }
        verdict = progress(size_of_move(l, a, l->moved), &least, &idle);
    }
    *found = verdict == ARRIVED;
    return KEEL_OK;
}

static keel_status by_nesting(keel_work *w, const keel_attempt *a, int *found) {
    struct lgdae *l = w->method;
    int n = l->n, m = l->m, idle = 0, verdict = SEARCHING, rests = 0;
    double least = HUGE_VAL;
    for (int round = 0; round < 60 && verdict == SEARCHING; round++) {
        keel_status status = inner(w, a, &rests);
        if (status != KEEL_OK || !rests || m == 0) {
            *found = rests;
            return status;
        }
        status = find_slopes(w, a); /* the middle moves with z, which the paper leaves out */
        if (status == KEEL_OK) status = look_at_rows(w, a, 1);
        if (status == KEEL_OK) status = find_matrix(w, a);
        if (status != KEEL_OK) return status;
        memset(l->moved, 0, (size_t)n * sizeof *l->moved);
        memcpy(l->moved + n, l->g, (size_t)m * sizeof *l->g);
        solve(w);
        for (int j = 0; j < m; j++) l->z[j] -= l->moved[n + j];
        verdict = progress(size_of_move(l, a, l->moved), &least, &idle);
    }
    *found = verdict == ARRIVED;
    return verdict == ARRIVED ? inner(w, a, found) : KEEL_OK;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct lgdae *l = w->method;
    const int *nested = w->stepper->table;
    int found = 0;
    for (int j = 0; j < l->n; j++) l->d[j] = a->h * a->f[j];
    for (int j = 0; j < l->m; j++) l->z[j] = l->given ? (a->first ? 0 : l->last[j]) : w->native->algebraic[j];
    struct original_workspace capacity = {l->u,     l->f,     l->jacobian, l->matrix,
                                          l->pivot, l->moved, l->given,    l->spare};
    keel_status status = a->first ? original_guess(w, a, l->n, l->m, &capacity, l->z) : KEEL_OK;
    if (status != KEEL_OK) return status;
    status = *nested ? by_nesting(w, a, &found) : by_newton(w, a, &found);
    if (status != KEEL_OK) return status;
    memcpy(a->dx, l->d, (size_t)l->n * sizeof *a->dx);
    return found ? KEEL_OK : no_end(w, a->t);
}

static void accept(keel_work *w, const keel_segment *s) {
    struct lgdae *l = w->method;
    (void)s;
    if (l->m) memcpy(l->last, l->z, (size_t)l->m * sizeof *l->z);
}

static const int is_newton = 0, is_nested = 1;

#define METHOD(method, kind, what)                                                                \
    {                                                                                             \
        .info = {.name = method,                                                                  \
                 .about = what,                                                                   \
                 .reference = "Liu 2013",                                                         \
                 .order = 2,                                                                      \
                 .traits = KEEL_IMPLICIT | KEEL_SYMMETRIC_STEP | KEEL_QUADRATIC | KEEL_AS_GIVEN}, \
        .table = &(kind), .size = sizeof(struct lgdae), .refuse = refuse, .layout = layout,       \
        .attempt = attempt, .accept = accept                                                      \
    }

const keel_stepper lgdae_methods[] = {
    METHOD("lgdae", is_newton, "midpoint rule on GL(n,R) with one multiplier a constraint, by Newton"),
    METHOD("lgdae-nested", is_nested, "the same, multipliers outside and states inside, as published"),
    {.info = {.name = NULL}},
};
