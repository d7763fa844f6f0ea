/* steady.c - see keel/steady.h: equilibria on the constraints, and the linear equations there.
 *
 * x' = f(x) is tangent to the constraints.  With x + Q z, Q an orthonormal basis of the tangent space,
 * Newton's method solves A z = -Q^T f, A = Q^T (D f) Q: the rates of the tangent vectors Q give D f Q.
 * Where f = 0 these stay tangent, and A has the finite eigenvalues of the differential-algebraic system.
 * Equilibria may lie in families; the shortest steps, with a damping of the size of |f|, find the nearest
 * one. */
#include "analysis/bundle.h"

#include "linalg/eigen.h"
#include "linalg/svd.h"

#include <keel/steady.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, HOLDS = 24, TRIALS = 40, ASIDES = 5 };
#define LEAST 1e-3 /* damping, in |f| */
#define RANK 1e-10 /* singular values below, of the largest, are zero */

struct keel_steady {
    struct bundle bundle;
    keel_status status;
    char message[TEXT_SENTENCE];
    keel_steady_summary about;
    int n, r, holds;
    double t;
    double *size, *x, *q;                 /* [n]; [n]; [r][n]: x / size is what vectors and rates belong to */
    double *f, *rate;                     /* [n] x'; [r][n] of the vectors */
    double *a, *right, *sigma, *v, *step; /* [r + HOLDS][r], [r + HOLDS], [r], [r][r], [r] */
    double *old_x, *old_q;
    double speed;   /* |Q^T f| */
    double fastest; /* the largest |A| on the way: what is small beside it is zero */
    int hold[HOLDS];
    double value[HOLDS]; /* state j, or invariant -1 - i; what it is held at */
    keel_eigenvalue *eigenvalue;
};

static keel_status steady_fail(keel_steady *s, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static keel_status steady_fail(keel_steady *s, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(s->message, sizeof s->message, format, args);
    va_end(args);
    return s->status = status;
}

static keel_status bundle_failed(keel_steady *s) {
    return steady_fail(s, s->bundle.status, "%s", s->bundle.message);
}

static int reserve(keel_steady *s) {
    size_t n = (size_t)s->n, r = (size_t)s->r, rows = r + HOLDS;
    s->size = calloc(4 * n + 3 * r * n + rows * r + rows + r * r + 2 * r + 1, sizeof *s->size);
    s->eigenvalue = calloc(r + 1, sizeof *s->eigenvalue);
    if (!s->size || !s->eigenvalue) return 0;
    s->x = s->size + n, s->f = s->x + n, s->old_x = s->f + n;
    s->q = s->old_x + n, s->rate = s->q + r * n, s->old_q = s->rate + r * n;
    s->a = s->old_q + r * n, s->right = s->a + rows * r, s->v = s->right + rows;
    s->sigma = s->v + r * r, s->step = s->sigma + r;
    return 1;
}

static keel_status take_holds(keel_steady *s, const char *list) {
    struct bundle *b = &s->bundle;
    char word[BUNDLE_NAME];
    keel_row row;
    for (const char *rest = list; rest && (rest = text_next(rest, word, sizeof word));) {
        int found = 0;
        if (s->holds == HOLDS) return steady_fail(s, KEEL_EINVAL, "at most %d things can be held", HOLDS);
        for (int i = 0; i < b->names && !found; i++) {
            found = strcmp(b->name[i], word) == 0 && keel_row_at(keel_sim_solver(b->sim), b->self[i], &row);
            if (found) s->hold[s->holds] = -1 - i, s->value[s->holds++] = row.start;
        }
        for (int j = 0; j < s->n && !found; j++) {
            found = strcmp(bundle_name(b, j), word) == 0;
            if (found) s->hold[s->holds] = j, s->value[s->holds++] = s->x[j];
        }
        if (!found)
            return steady_fail(s, KEEL_EINVAL, "`%.80s` cannot be held: name a state or an invariant", word);
    }
    return KEEL_OK;
}

/* Where it stands ---------------------------------------------------------------------------------------- */

/* f, D f Q, and the length of f. */
static keel_status look(keel_steady *s) {
    struct bundle *b = &s->bundle;
    if (bundle_place(b, s->t, s->size, s->x, s->q) != KEEL_OK) return bundle_failed(s);
    if (bundle_rates(b, s->f, s->rate) != KEEL_OK) return bundle_failed(s);
    s->speed = s->about.rate = 0;
    for (int j = 0; j < s->n; j++) s->about.rate = fmax(s->about.rate, fabs(s->f[j] /= s->size[j]));
    for (int k = 0; k < s->r * s->n; k++) s->rate[k] /= s->size[k % s->n];
    for (int k = 0; k < s->r; k++) s->speed = hypot(s->speed, bundle_dot(s->n, s->q + k * s->n, s->f));
    return isfinite(s->speed) ? KEEL_OK : steady_fail(s, KEEL_EUSER, "the rates are not finite");
}

static keel_status hold_row(keel_steady *s, int h, double unit) {
    struct bundle *b = &s->bundle;
    double *row = s->a + (size_t)(s->r + h) * (size_t)s->r, *right = &s->right[s->r + h], length = 0;
    int j = s->hold[h], i = -1 - j;
    keel_row held;
    if (j >= 0) {
        for (int k = 0; k < s->r; k++) row[k] = unit * s->q[k * s->n + j];
        *right = unit * (s->value[h] - s->x[j]) / s->size[j];
        return KEEL_OK;
    }
    if (bundle_slopes(b) != KEEL_OK) return bundle_failed(s);
    for (int k = 0; k < s->r; k++) length = hypot(length, row[k] = b->slope[i * s->r + k]);
    if (!(length > 0) || !keel_row_at(keel_sim_solver(b->sim), b->self[i], &held)) return *right = 0, KEEL_OK;
    for (int k = 0; k < s->r; k++) row[k] *= unit / length;
    *right = unit * (s->value[h] - held.start) / length;
    return KEEL_OK;
}

/* A as U S V^T, with the rows of what is held in units of its largest entry. */
static keel_status factor(keel_steady *s) {
    double unit = 0;
    for (int i = 0; i < s->r; i++) {
        for (int k = 0; k < s->r; k++) {
            s->a[i * s->r + k] = bundle_dot(s->n, s->q + i * s->n, s->rate + k * s->n);
            unit = fmax(unit, fabs(s->a[i * s->r + k]));
        }
        s->right[i] = -bundle_dot(s->n, s->q + i * s->n, s->f);
    }
    for (int h = 0; h < s->holds; h++)
        if (hold_row(s, h, unit > 0 ? unit : 1) != KEEL_OK) return s->status;
    if (!svd_jacobi(s->r + s->holds, s->r, s->a, s->sigma, s->v))
        return steady_fail(s, KEEL_ENEWTON, "the linear equations have no finite numbers");
    s->fastest = fmax(s->fastest, s->sigma[0]);
    s->about.family = 0;
    for (int c = 0; c < s->r; c++) s->about.family += !(s->sigma[c] > RANK * s->fastest);
    return KEEL_OK;
}

static void find_step(keel_steady *s, double damping) {
    memset(s->step, 0, (size_t)s->r * sizeof *s->step);
    for (int c = 0; c < s->r; c++) {
        double part = 0, sigma = s->sigma[c];
        if (!(sigma > RANK * s->fastest)) continue;
        for (int i = 0; i < s->r + s->holds; i++) part += s->a[i * s->r + c] * s->right[i];
        for (int k = 0; k < s->r; k++)
            s->step[k] += s->v[k * s->r + c] * part / (sigma * sigma + damping * damping);
    }
}

static void move(keel_steady *s) {
    memcpy(s->x, s->old_x, (size_t)s->n * sizeof *s->x);
    memcpy(s->q, s->old_q, (size_t)(s->r * s->n) * sizeof *s->q);
    for (int k = 0; k < s->r; k++)
        for (int j = 0; j < s->n; j++) s->x[j] += s->step[k] * s->q[k * s->n + j] * s->size[j];
}

static double step_length(const keel_steady *s) {
    return sqrt(bundle_dot(s->r, s->step, s->step));
}

/* A step with as much damping as it takes to make f smaller.  1; 0: there is none; < 0. */
static int take_step(keel_steady *s, double *damping) {
    double before = s->speed, last = INFINITY;
    memcpy(s->old_x, s->x, (size_t)s->n * sizeof *s->x);
    memcpy(s->old_q, s->q, (size_t)(s->r * s->n) * sizeof *s->q);
    for (int trial = 0; trial < TRIALS; trial++, *damping *= 4) {
        find_step(s, fmin(*damping, 1e6) * before);
        move(s);
        double length = step_length(s);
        if (length > 3 && trial + 1 < TRIALS && length < last) { /* beyond the sizes of the states: too far */
            last = length;
            continue;
        }
        s->status = s->bundle.status = KEEL_OK;
        keel_status status = look(s);
        if (status == KEEL_ESTOP || status == KEEL_ENOMEM) return -1;
        if (status == KEEL_OK && s->speed < before) {
            *damping = fmax(*damping / 16, LEAST);
            return 1;
        }
    }
    memcpy(s->x, s->old_x, (size_t)s->n * sizeof *s->x);
    memcpy(s->q, s->old_q, (size_t)(s->r * s->n) * sizeof *s->q);
    s->status = s->bundle.status = KEEL_OK;
    return look(s) == KEEL_OK ? 0 : -1;
}

/* Where |f| has a least value that is not zero, as at the level of a pendulum's axis, no step helps: some
 * twentieths of the sizes aside one may. */
static keel_status step_aside(keel_steady *s, int time) {
    for (int k = 0; k < s->r; k++)
        for (int j = 0; j < s->n; j++)
            s->x[j] += 0.05 * cos(1.7 * k + time) * s->q[k * s->n + j] * s->size[j];
    return look(s);
}

/* Until f is nothing but rounding beside A: no step makes it smaller, and what a step would change is
 * nothing. */
static keel_status newton(keel_steady *s, int most) {
    double damping = LEAST;
    int asides = 0;
    if (look(s) != KEEL_OK) return s->status;
    for (s->about.steps = 0; s->about.steps < most;) {
        if (factor(s) != KEEL_OK) return s->status;
        double before = s->speed;
        if (before == 0) return KEEL_OK;
        int taken = take_step(s, &damping);
        if (taken < 0) return s->status;
        s->about.steps += taken;
        int small = s->speed <= 1e-10 * s->fastest;
        if (small && (!taken || s->speed > 0.3 * before || s->speed <= 16 * DBL_EPSILON * s->fastest))
            return factor(s);
        if (!taken && asides++ == ASIDES) break;
        if (!taken && step_aside(s, asides) != KEEL_OK) return s->status;
        if (!taken) damping = LEAST;
    }
    return steady_fail(s, KEEL_ELIMIT,
                       "no equilibrium was found: after %d steps of Newton's method x' is still %.2g of the "
                       "states' sizes; begin elsewhere, or hold less",
                       s->about.steps, s->about.rate);
}

/* Stability ---------------------------------------------------------------------------------------------- */

static int larger_first(const void *a, const void *b) {
    const keel_eigenvalue *x = a, *y = b;
    if (fabs(x->real - y->real) > 1e-9 * (hypot(x->real, x->imaginary) + hypot(y->real, y->imaginary)))
        return x->real < y->real ? 1 : -1;
    return (x->imaginary < y->imaginary) - (x->imaginary > y->imaginary);
}

/* What is left to the equilibrium, s->step, changes the eigenvalues by about as much: where it is degenerate
 * that is more than round-off. */
static keel_status find_eigenvalues(keel_steady *s) {
    find_step(s, 0);
    size_t r = (size_t)s->r;
    double *a = malloc((r * r + 2 * r + 1) * sizeof *a);
    if (!a) return steady_fail(s, KEEL_ENOMEM, "%s", text_no_memory);
    double *real = a + r * r, *imaginary = real + r;
    for (int i = 0; i < s->r; i++)
        for (int k = 0; k < s->r; k++)
            a[i * s->r + k] = bundle_dot(s->n, s->q + i * s->n, s->rate + k * s->n);
    int status = eigen_values(s->r, a, real, imaginary);
    double zero = fmax(1e-9, 10 * step_length(s)) * s->fastest;
    for (int i = 0; i < s->r && status > 0; i++) {
        double root = 1e-7 * hypot(real[i], imaginary[i]);
        if (fabs(real[i]) <= fmax(zero, root)) real[i] = 0;
        if (fabs(imaginary[i]) <= 1e-2 * zero) imaginary[i] = 0;
        s->eigenvalue[i] = (keel_eigenvalue){real[i], imaginary[i]};
    }
    free(a);
    if (status < 0) return steady_fail(s, KEEL_ENOMEM, "%s", text_no_memory);
    if (status == 0) return steady_fail(s, KEEL_ENEWTON, "the eigenvalues could not be found");
    qsort(s->eigenvalue, r, sizeof *s->eigenvalue, larger_first);
    double largest = s->eigenvalue[0].real;
    s->about.stability = largest > 0 ? KEEL_UNSTABLE : largest < 0 ? KEEL_STABLE : KEEL_UNDECIDED;
    return KEEL_OK;
}

/* Typical sizes: as the model says, or as the start has them. */
static void take_sizes(keel_steady *s) {
    const keel_problem *p = s->bundle.problem;
    for (int j = 0; j < s->n; j++) {
        double scale = p->scale ? p->scale[s->bundle.state[j]] : 0;
        s->size[j] = scale > 0 ? scale : fabs(s->x[j]) > 0 ? fabs(s->x[j]) : 1;
    }
}

static keel_status find(keel_steady *s, const keel_model *m, const keel_options *o,
                        const keel_steady_options *with) {
    struct bundle *b = &s->bundle;
    if (bundle_open(b, m, o) != KEEL_OK) return bundle_failed(s);
    s->n = b->n, s->r = b->r, s->t = bundle_time(b);
    if (!bundle_autonomous(b))
        return steady_fail(s, KEEL_EINVAL, "the equations depend on t: nothing stays where it is");
    if (!reserve(s)) return steady_fail(s, KEEL_ENOMEM, "%s", text_no_memory);
    bundle_get(b, s->x, s->q);
    take_sizes(s);
    for (int k = 0; k < s->r * s->n; k++) s->q[k] /= s->size[k % s->n];
    if (take_holds(s, with->hold) != KEEL_OK) return s->status;
    if (newton(s, with->steps > 0 ? with->steps : STEPS) == KEEL_OK) find_eigenvalues(s);
    return s->status;
}

keel_steady *keel_steady_find(const keel_model *m, const keel_options *o, const keel_steady_options *with) {
    static const keel_steady_options usual = {0};
    keel_steady *s = calloc(1, sizeof *s);
    if (s) find(s, m, o, with ? with : &usual);
    return s;
}

void keel_steady_close(keel_steady *s) {
    if (!s) return;
    bundle_close(&s->bundle);
    free(s->size);
    free(s->eigenvalue);
    free(s);
}

keel_status keel_steady_status(const keel_steady *s) {
    return s ? s->status : KEEL_ENOMEM;
}

const char *keel_steady_message(const keel_steady *s) {
    return s ? s->message : text_no_memory;
}

int keel_steady_summarise(const keel_steady *s, keel_steady_summary *out) {
    if (!s || s->status != KEEL_OK) return 0;
    *out = s->about;
    return 1;
}

int keel_steady_state(const keel_steady *s, int i, const char **name, double *value) {
    if (!s || s->status != KEEL_OK || i < 0 || i >= s->n) return 0;
    *name = bundle_name(&s->bundle, i);
    *value = s->x[i];
    return 1;
}

int keel_steady_eigenvalue(const keel_steady *s, int i, keel_eigenvalue *out) {
    if (!s || s->status != KEEL_OK || i < 0 || i >= s->r) return 0;
    *out = s->eigenvalue[i];
    return 1;
}
