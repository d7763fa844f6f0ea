/* sampled.c - see sampled.h. */
#include "methods/sampled.h"

#include "base/portable.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int sampled_forces(const keel_problem *p) {
    size_t n = (size_t)p->n, half = n / 2;
    double *u = malloc(2 * n * sizeof *u), *at_rest = u + n, *moving = at_rest + half;
    if (!u) return -1;
    memcpy(u, p->u0, n * sizeof *u);
    for (size_t j = half; j < n; j++) u[j] = 0;
    int code = p->f.value(p->t0, u, at_rest, p->user);
    for (size_t j = half; j < n; j++) u[j] = p->u0[j] + 1 + 0.37 * (double)(j % 7);
    if (code == 0) code = p->f.value(p->t0, u, moving, p->user);
    int depends = code == 0 && memcmp(at_rest, moving, half * sizeof *moving) != 0;
    free(u);
    return !depends;
}

/* Numbers between -1 and 1 that follow no pattern a formula might have. */
static double noise(int i) {
    double x = (i + 1) * 0.61803398874989485;
    return 2 * (x - floor(x)) - 1;
}

struct sampled sampled_around(const keel_problem *p) {
    struct sampled s = {p, keel_problem_traits(p) & KEEL_CANONICAL ? p->n / 2 : p->n, {0, 0}};
    for (int i = 0; i < p->n; i++) {
        double *largest = &s.largest[i >= s.half];
        *largest = fmax(*largest, fabs(p->u0[i]));
    }
    return s;
}

/* Coordinate j at place k, up to 2 sizes from the start; coordinates that start at 0 are as large as a tenth
 * of the largest of their kind, or 1. */
double sampled_place(const struct sampled *s, int j, int k) {
    static const double spread[] = {0.01, 0.1, 0.5, 2};
    const keel_problem *p = s->p;
    double largest = s->largest[j >= s->half];
    double size = fmax(fabs(p->u0[j]), largest > 0 ? 0.1 * largest : 1);
    if (p->scale) size = fmax(size, p->scale[j]);
    return p->u0[j] + spread[k % 4] * size * noise(17 * k + j);
}

/* Only H itself is known, neither its gradient nor x'. */
static int only_values(const keel_problem *p) {
    return !p->f.value && !p->energy.jacobian;
}

/* (H_p, H_q) up to signs; or H alone.  0: it fails here. */
static int gradient_at(const keel_problem *p, double t, const double *u, double *out, double *spare) {
    const keel_pattern *pattern = p->energy.pattern;
    int n = p->n, count = only_values(p) ? 1 : n, code = 0;
    if (p->f.value) {
        code = p->f.value(t, u, out, p->user);
    } else if (only_values(p)) {
        code = p->energy.value(t, u, out, p->user);
    } else {
        code = p->energy.jacobian(t, u, spare, p->user);
        if (pattern) memset(out, 0, (size_t)n * sizeof *out);
        int entries = pattern ? pattern->nnz : n;
        for (int e = 0; e < entries; e++) out[((pattern ? pattern->column[e] : e) + n / 2) % n] = spare[e];
    }
    double sum = 0;
    for (int i = 0; i < count; i++) sum += out[i] * 0;
    return code == 0 && sum == 0;
}

static int gradient_at_start(const keel_problem *p, const double *u, double *out, double *spare) {
    return gradient_at(p, p->t0, u, out, spare);
}

/* Is sum of weight_i values_i zero, as far as round-off can tell? */
static int cancels(int terms, const double *weight, int count, const double *value, int stride) {
    double worst = 0, size = 0;
    for (int c = 0; c < count; c++) {
        double sum = 0;
        for (int i = 0; i < terms; i++) {
            sum += weight[i] * value[i * stride + c];
            size = fmax(size, fabs(weight[i] * value[i * stride + c]));
        }
        worst = fmax(worst, fabs(sum));
    }
    return worst <= 64 * DBL_EPSILON * size;
}

/* H_p must not change with q, nor H_q with p; or H(q,p) - H(q',p) - H(q,p') + H(q',p') = 0. */
static int separable_at(const keel_problem *p, int k, double *work) {
    static const double same[4] = {1, -1, 0, 0}, square[4] = {1, -1, -1, 1}, across[4] = {1, 0, -1, 0};
    int n = p->n, half = n / 2;
    double *u = work, *spare = work + n, *value = work + 2 * n;
    const struct sampled around = sampled_around(p);
    for (int i = 0; i < 4; i++) { /* (q,p), (q',p), (q,p'), (q',p') */
        for (int j = 0; j < n; j++)
            u[j] = sampled_place(&around, j, (j < half ? i % 2 : i / 2) ? k + SAMPLED_PLACES : k);
        if (!gradient_at_start(p, u, value + (long)i * n, spare)) return 1;
    }
    if (only_values(p)) return cancels(4, square, 1, value, n);
    return cancels(4, same, half, value, n) && cancels(4, across, half, value + half, n);
}

/* Values at four places in a row, from one place towards another; 0: some fail.  From `first` on, the
 * coordinates before stay. */
static int along_line(const keel_problem *p, int k, int first, double *work) {
    int n = p->n;
    double *u = work, *spare = work + n, *value = work + 2 * n;
    const struct sampled around = sampled_around(p);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < n; j++) {
            double from = sampled_place(&around, j, k), to = sampled_place(&around, j, k + SAMPLED_PLACES);
            u[j] = j < first ? from : from + i * (to - from);
        }
        if (!gradient_at_start(p, u, value + (long)i * n, spare)) return 0;
    }
    return 1;
}

static const double second[4] = {1, -2, 1, 0}, third[4] = {1, -3, 3, -1};

/* Along a line in p the second difference of H_p is zero, or the third one of H. */
static int kinetic_at(const keel_problem *p, int k, double *work) {
    if (!along_line(p, k, p->n / 2, work)) return 1;
    const double *value = work + 2 * p->n;
    return only_values(p) ? cancels(4, third, 1, value, p->n) : cancels(4, second, p->n / 2, value, p->n);
}

/* H_p at one place and two times; of H itself, whose difference may be that of V, at two p:
 * H(t,p) - H(t',p) - H(t,p') + H(t',p') = 0. */
static int drifts_at(const keel_problem *p, int k, double *work) {
    static const double same[4] = {1, -1, 0, 0}, square[4] = {1, -1, -1, 1};
    int n = p->n, half = n / 2;
    double *u = work, *spare = work + n, *value = work + 2 * n;
    const struct sampled around = sampled_around(p);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < n; j++)
            u[j] = sampled_place(&around, j, j >= half && i / 2 ? k + SAMPLED_PLACES : k);
        if (!gradient_at(p, p->t0 + (i % 2 ? 0.29 * (k + 1) : 0), u, value + (long)i * n, spare)) return 1;
    }
    return only_values(p) ? cancels(4, square, 1, value, n) : cancels(4, same, half, value, n);
}

static int quadratic_at(const keel_problem *p, int k, double *work) {
    return !along_line(p, k, 0, work) || cancels(4, third, p->n, work + 2 * p->n, p->n);
}

static int everywhere(int (*at)(const keel_problem *, int, double *), const keel_problem *p, double *work) {
    double *own = work ? NULL : malloc((size_t)p->n * SAMPLED_DOUBLES * sizeof *own),
           *workspace = work ? work : own;
    int agree = workspace ? 1 : -1;
    for (int k = 0; k < SAMPLED_PLACES && agree > 0; k++) agree = at(p, k, workspace);
    free(own);
    return agree;
}

int sampled_separable(const keel_problem *p, double *work) {
    return everywhere(separable_at, p, work);
}

int sampled_kinetic(const keel_problem *p, double *work) {
    return everywhere(kinetic_at, p, work);
}

int sampled_drifts(const keel_problem *p, double *work) {
    return everywhere(drifts_at, p, work);
}

int sampled_quadratic(const keel_problem *p, double *work) {
    return everywhere(quadratic_at, p, work);
}

static void spread(const keel_pattern *pattern, int rows, int columns, const double *values, double *out) {
    memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
            out[(long)i * columns + pattern->column[e]] = values[e];
}

/* x' of an ODE or a Hamiltonian problem, the latter with a gradient; 2 n (n + 1) doubles of room. */
static int field_at(const keel_problem *p, double t, const double *x, double *out, double *workspace) {
    int n = p->n, half = n / 2;
    double *gradient = workspace, *structure = workspace + n, *entries = structure + (long)n * n;
    if (p->f.value) return p->f.value(t, x, out, p->user);
    int code = p->energy.jacobian(t, x, p->energy.pattern ? entries : gradient, p->user);
    if (code == 0 && p->energy.pattern) spread(p->energy.pattern, 1, n, entries, gradient);
    for (int i = 0; i < n && !p->structure.value; i++)
        out[i] = i < half ? gradient[i + half] : -gradient[i - half];
    if (code || !p->structure.value) return code;
    code = p->structure.value(t, x, p->structure.pattern ? entries : structure, p->user);
    if (code == 0 && p->structure.pattern) spread(p->structure.pattern, n, n, entries, structure);
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++) out[i] += structure[(long)i * n + j] * gradient[j];
    }
    return code;
}

/* x: place k, moved to the sphere. */
static void place_on_sphere(const keel_problem *p, double length, int k, double *x) {
    const struct sampled around = sampled_around(p);
    double size = 0;
    for (int j = 0; j < p->n; j++) size = portable_length(size, x[j] = sampled_place(&around, j, k));
    for (int j = 0; j < p->n; j++) x[j] *= size > 0 ? length / size : 1;
}

/* f along x / |x| and across it. */
static void resolve(int n, const double *f, const double *x, double length, double *along, double *across) {
    *along = *across = 0;
    for (int j = 0; j < n; j++) *along += f[j] * (x[j] / length);
    for (int j = 0; j < n; j++) *across = portable_length(*across, f[j] - *along * (x[j] / length));
}

/* Is f along x, beyond round-off and what cancels in f? */
static int leaves_sphere(const keel_problem *p, double length, int k, double *workspace) {
    double *x = workspace, *f = workspace + p->n, along, across;
    place_on_sphere(p, length, k, x);
    if (field_at(p, p->t0 + 0.29 * k, x, f, f + p->n)) return 0;
    resolve(p->n, f, x, length, &along, &across);
    return isfinite(along) && fabs(along) > 1e-12 * portable_length(along, across);
}

/* DAE: is what y adds to f across x, or does the constraint not hold on the sphere, or beside it, too? */
static int is_driven_away(const keel_problem *p, double length, int k, double *workspace) {
    int n = p->n;
    double *x = workspace, *with = workspace + n + 1, *without = with + n, along, across, on = 0, beside = 0;
    double t = p->t0 + 0.29 * k;
    place_on_sphere(p, length, k, x);
    x[n] = 0;
    if (p->f.value(t, x, without, p->user) || p->algebraic.value(t, x, &on, p->user)) return 0;
    x[n] = 1;
    if (p->f.value(t, x, with, p->user)) return 0;
    for (int j = 0; j < n; j++) with[j] -= without[j];
    resolve(n, with, x, length, &along, &across);
    for (int j = 0; j < n; j++) x[j] *= 1.1;
    if (p->algebraic.value(t, x, &beside, p->user)) return 0;
    return isfinite(along) &&
           (across > 1e-9 * portable_length(along, across) || !(fabs(on) < 1e-9 * fabs(beside)));
}

const char *sampled_sphere(const keel_problem *p, int driven) {
    size_t n = (size_t)p->n;
    unsigned traits = keel_problem_traits(p);
    double length = 0;
    if (n == 0) return NULL;
    driven = driven && traits & KEEL_ALGEBRAIC && p->m == 1;
    if ((traits & KEEL_ALGEBRAIC && !driven) || traits & KEEL_SECOND_ORDER || p->mass.value ||
        p->constraint.count)
        return "it is for x' = f(x) without constraints and mass matrix";
    if (traits & KEEL_FROM_ENERGY && !p->f.value && !p->energy.jacobian)
        return "give f = B grad H, or the gradient of H";
    for (int j = 0; j < p->n; j++) length = portable_length(length, p->u0[j]);
    if (length == 0) return "the start is x = 0: there is no sphere to move on";
    double *workspace = malloc((2 * n * (n + 1) + 2 * n + 1) * sizeof *workspace);
    int leaves = 0;
    if (!workspace) return text_no_memory;
    for (int k = 0; k < SAMPLED_PLACES && !leaves; k++)
        leaves = driven ? is_driven_away(p, length, k, workspace) : leaves_sphere(p, length, k, workspace);
    free(workspace);
    if (leaves && driven) return "of DAEs it takes x' = v(t,x) - y x with |x| constant";
    return leaves ? "|x| must be constant, and f is not orthogonal to x" : NULL;
}
