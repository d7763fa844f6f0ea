/* steady.c - see keel/steady.h: equilibria on the constraints, and the linear equations there.
 *
 * x' = f(x) is tangent to the constraints.  With x + Q z, Q an orthonormal basis of the tangent space,
 * Newton's method solves A z = -Q^T f, A = Q^T (D f) Q: the rates of the tangent vectors Q give D f Q.
 * Where f = 0 these stay tangent, and A has the finite eigenvalues of the differential-algebraic system.
 * Equilibria may lie in families; the shortest steps, with a damping of the size of |f|, find the nearest
 * one. */
#include "analysis/steady.h"

#include "linalg/eigen.h"
#include "linalg/svd.h"

#include <keel/events.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, HOLDS = STEADY_HOLDS, TRIALS = 40, ASIDES = 5, WATCHED = 1000 };
#define LEAST 1e-3              /* damping, in |f| */
#define RANK (16 * DBL_EPSILON) /* singular values below, of the largest and for each direction, are zero */
#define RESOLVED 1e-15          /* steps that are no longer, in sizes of the states, are none */
#define SETTLED 1e-10           /* short ones that do not get shorter are rounding */
#define NEAR 1e-5               /* an equilibrium is no further than that where no step helps any more */
#define SHORT 1e-3  /* the last step to a family of equilibria; rates that fade far away have longer ones */
#define BESIDE 1e-6 /* how far is beside it */

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
    size_t n = (size_t)s->n, r = (size_t)s->r, rows = r + HOLDS + n;
    s->size = calloc(4 * n + 4 * r * n + rows * r + 2 * rows + r * r + 4 * r + 1, sizeof *s->size);
    s->eigenvalue = calloc(r + 1, sizeof *s->eigenvalue);
    if (!s->size || !s->eigenvalue) return 0;
    s->x = s->size + n, s->f = s->x + n, s->old_x = s->f + n;
    s->q = s->old_x + n, s->rate = s->q + r * n, s->old_q = s->rate + r * n, s->linear = s->old_q + r * n;
    s->a = s->linear + r * n, s->right = s->a + rows * r, s->v = s->right + rows;
    s->sigma = s->v + r * r, s->step = s->sigma + r, s->last = s->step + r, s->left = s->last + r;
    s->uncertain = s->left + rows;
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
        for (int h = 0; h + 1 < s->holds; h++)
            if (s->hold[h] == s->hold[s->holds - 1])
                return steady_fail(s, KEEL_EINVAL, "`%.80s` is held twice", word);
    }
    return KEEL_OK;
}

/* Where it stands ---------------------------------------------------------------------------------------- */

keel_status steady_look(keel_steady *s) {
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

static int is_zero(const keel_steady *s, int c) {
    return !(s->sigma[c] > RANK * s->r * s->sigma[0]);
}

/* s->left: what no step reaches of the right-hand side, across all columns of U. */
static void find_beyond(keel_steady *s) {
    int rows = s->r + s->holds;
    double *left = s->left;
    memcpy(left, s->right, (size_t)rows * sizeof *left);
    for (int c = 0; c < s->r; c++) {
        double part = 0;
        for (int i = 0; i < rows && !is_zero(s, c); i++) part += s->a[i * s->r + c] * left[i];
        for (int i = 0; i < rows && !is_zero(s, c); i++)
            left[i] -= part / (s->sigma[c] * s->sigma[c]) * s->a[i * s->r + c];
    }
}

/* Is that rounding?  That of each rate is in parts of its own slopes: beside fast motions a slow one that
 * goes on for ever is none.  What is held is in units of the largest entry. */
static int nothing_beyond(const keel_steady *s) {
    double largest = s->sigma[0];
    for (int h = 0; h < s->holds; h++)
        if (!(fabs(s->left[s->r + h]) <= 1e-12 * largest)) return 0;
    for (int j = 0; j < s->n; j++) {
        double left = 0, slopes = 0;
        for (int k = 0; k < s->r; k++) {
            left += s->q[k * s->n + j] * s->left[k];
            slopes += fabs(s->rate[k * s->n + j]);
        }
        if (!(fabs(left) <= 1e-12 * slopes + 4 * DBL_EPSILON * largest)) return 0;
    }
    return 1;
}

/* The sentence for a search that ended: at rest, where something that is held is not what it was, or not. */
static keel_status not_found(keel_steady *s) {
    int held = s->holds > 0 && s->about.rate < 1e-9;
    return steady_fail(
        s, KEEL_ELIMIT,
        held ? "no equilibrium was found: after %d steps of Newton's method what is held is not "
               "what it was at the start where x' is %.2g of the states' sizes; hold less"
             : "no equilibrium was found: after %d steps of Newton's method x' is still %.2g of "
               "the states' sizes; begin elsewhere, or hold less",
        s->about.steps, s->about.rate);
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
    return find_beyond(s), KEEL_OK;
}

static void find_step(keel_steady *s, double damping) {
    memset(s->step, 0, (size_t)s->r * sizeof *s->step);
    for (int c = 0; c < s->r; c++) {
        double part = 0, sigma = s->sigma[c];
        if (is_zero(s, c)) continue;
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
        find_step(s, fmin(*damping, 1e6) * fmin(before, s->sigma[0]));
        move(s);
        double length = step_length(s);
        if (length > 3 && trial + 1 < TRIALS && length < last) { /* beyond the sizes of the states: too far */
            last = length;
            continue;
        }
        s->status = s->bundle.status = KEEL_OK;
        keel_status status = steady_look(s);
        if (status == KEEL_ESTOP || status == KEEL_ENOMEM) return -1;
        if (status == KEEL_OK && s->speed < before) {
            *damping = fmax(*damping / 16, LEAST);
            return 1;
        }
    }
    memcpy(s->x, s->old_x, (size_t)s->n * sizeof *s->x);
    memcpy(s->q, s->old_q, (size_t)(s->r * s->n) * sizeof *s->q);
    s->status = s->bundle.status = KEEL_OK;
    return steady_look(s) == KEEL_OK ? 0 : -1;
}

/* Where |f| has a least value that is not zero, as at the level of a pendulum's axis, no step helps: some
 * twentieths of the sizes aside one may. */
static keel_status step_aside(keel_steady *s, int time) {
    for (int k = 0; k < s->r; k++)
        for (int j = 0; j < s->n; j++)
            s->x[j] += 0.05 * cos(1.7 * k + time) * s->q[k * s->n + j] * s->size[j];
    return steady_look(s);
}

/* States that have outgrown their sizes have larger ones from here on. */
static keel_status grow_sizes(keel_steady *s) {
    int grown = 0;
    for (int j = 0; j < s->n; j++) {
        double size = fabs(s->x[j]);
        if (!(size > s->size[j])) continue;
        for (int k = 0; k < s->r; k++) s->q[k * s->n + j] *= s->size[j] / size;
        s->size[j] = size;
        grown = 1;
    }
    return grown ? steady_look(s) : KEEL_OK;
}

/* The length of the step that is left, without damping; what the last one changed. */
static double measure(keel_steady *s, double taken) {
    double change = 0;
    for (int c = 0; c < s->r; c++) change = fmax(change, fabs(s->sigma[c] - s->last[c]));
    if (taken > 0) s->bend = change / taken;
    memcpy(s->last, s->sigma, (size_t)s->r * sizeof *s->last);
    find_step(s, 0);
    return step_length(s);
}

/* How small f is says little: beside fast motions slow ones are far from where they rest, and e^-x is small
 * far from any equilibrium.  What counts is that the step that is left is none, or that no step makes f any
 * smaller and the one that is left is short.  Where an equilibrium is degenerate steps come to an end
 * slowly. */
static keel_status newton(keel_steady *s, int most) {
    double damping = LEAST, step = 0, way = 0, left = INFINITY;
    int asides = 0, taken = 0;
    if (steady_look(s) != KEEL_OK) return s->status;
    for (s->about.steps = 0;;) {
        if (factor(s) != KEEL_OK) return s->status;
        double before = left;
        left = measure(s, taken ? step : 0);
        int regular = !is_zero(s, s->r - 1);
        int reached = nothing_beyond(s) && (regular || way <= SHORT);
        int settled = left <= RESOLVED || (left <= SETTLED && left > 0.9 * before);
        if (s->speed == 0 || (reached && settled)) return KEEL_OK;
        if (s->about.steps >= most && reached && left <= NEAR) return KEEL_OK;
        if (s->about.steps >= most) break;
        taken = take_step(s, &damping);
        if (taken < 0) return s->status;
        s->about.steps += taken;
        step = step_length(s);
        if (taken && regular) way = step;
        if (taken && grow_sizes(s) != KEEL_OK) return s->status;
        if (taken) continue;
        if (reached && left <= NEAR) return factor(s);
        if (asides++ == ASIDES) break;
        if (step_aside(s, asides) != KEEL_OK) return s->status;
        damping = LEAST;
    }
    return not_found(s);
}

/* Stability ---------------------------------------------------------------------------------------------- */

static int larger_first(const void *a, const void *b) {
    const keel_eigenvalue *x = a, *y = b;
    if (fabs(x->real - y->real) > 1e-9 * (hypot(x->real, x->imaginary) + hypot(y->real, y->imaginary)))
        return x->real < y->real ? 1 : -1;
    return (x->imaginary < y->imaginary) - (x->imaginary > y->imaginary);
}

/* The eigenvalues of A, its entries wrong by so many round-offs, and computed from states and vectors that
 * are: a difference of large terms is wrong by theirs.  1; 0, -1 as eigen_values. */
static int eigenvalues_beside(keel_steady *s, double round_offs, double *a, double *real, double *imaginary) {
    if (bundle_rates_beside(&s->bundle, round_offs, s->rate) != KEEL_OK) return 0;
    for (int k = 0; k < s->r * s->n; k++) s->rate[k] /= s->size[k % s->n];
    for (int i = 0; i < s->r; i++)
        for (int k = 0; k < s->r; k++) {
            double entry = bundle_dot(s->n, s->q + i * s->n, s->rate + k * s->n);
            a[i * s->r + k] = entry * (1 + round_offs * DBL_EPSILON * cos(1.7 * i + 2.9 * k + round_offs));
        }
    return eigen_values(s->r, a, real, imaginary);
}

/* How far the nearest one of a list is. */
static double nearest(int count, const double *real, const double *imaginary, double x, double y) {
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, hypot(real[i] - x, imaginary[i] - y));
    return least;
}

/* A real part is zero where no more can be told.  An eigenvalue is uncertain by what rounding does to it, as
 * the change of all entries by some round-offs shows (those of a Jordan block move by a root), and by what is
 * left to the equilibrium: where that is degenerate more than by rounding. */
static keel_status find_eigenvalues(keel_steady *s) {
    size_t r = (size_t)s->r;
    double *a = malloc((r * r + 4 * r + 1) * sizeof *a), norm = 0;
    if (!a) return steady_fail(s, KEEL_ENOMEM, "%s", text_no_memory);
    double *real = a + r * r, *imaginary = real + r, *other = imaginary + r, *beside = other + r;
    find_step(s, 0);
    double left = 10 * s->bend * step_length(s);
    int status = eigenvalues_beside(s, 0, a, real, imaginary);
    for (int i = 0; i < s->r; i++) {
        norm = fmax(norm, s->sigma[i]);
        s->eigenvalue[i] = (keel_eigenvalue){real[i], imaginary[i]};
    }
    double round_off = fmax(2 * RANK * s->r * norm, left);
    for (int i = 0; i < s->r && status > 0; i++) s->uncertain[i] = round_off;
    for (int round = 1; round <= 3 && status > 0; round++) {
        status = eigenvalues_beside(s, 4 * round, a, other, beside);
        for (int i = 0; i < s->r && status > 0; i++)
            s->uncertain[i] = fmax(s->uncertain[i], 10 * nearest(s->r, other, beside, real[i], imaginary[i]));
    }
    for (int i = 0; i < s->r && status > 0; i++) {
        if (fabs(real[i]) <= s->uncertain[i]) s->eigenvalue[i].real = 0;
        if (fabs(imaginary[i]) <= s->uncertain[i]) s->eigenvalue[i].imaginary = 0;
    }
    free(a);
    if (s->bundle.status < 0 || bundle_rates_beside(&s->bundle, 0, s->rate) != KEEL_OK)
        return bundle_failed(s);
    for (int k = 0; k < s->r * s->n; k++) s->rate[k] /= s->size[k % s->n];
    if (status < 0) return steady_fail(s, KEEL_ENOMEM, "%s", text_no_memory);
    if (status == 0) return steady_fail(s, KEEL_ENEWTON, "the eigenvalues could not be found");
    qsort(s->eigenvalue, r, sizeof *s->eigenvalue, larger_first);
    double largest = -INFINITY;
    for (int i = 0; i < s->r; i++) largest = fmax(largest, s->eigenvalue[i].real);
    s->about.stability = largest > 0 ? KEEL_UNSTABLE : largest < 0 ? KEEL_STABLE : KEEL_UNDECIDED;
    s->about.family = 0;
    for (int c = 0; c < s->r; c++) s->about.family += is_zero(s, c) || s->sigma[c] <= left;
    for (int i = 0; i < s->r && s->about.family + s->holds == 0; i++) /* one that is zero makes A singular */
        s->about.family = s->eigenvalue[i].real == 0 && s->eigenvalue[i].imaginary == 0;
    return KEEL_OK;
}

/* What linear equations do not see ----------------------------------------------------------------------- */

static int has_switches(const keel_problem *p) {
    int has = 0;
    for (int i = 0; i < p->event.count && p->event_kind; i++)
        has |= p->event_kind[i] == KEEL_SURFACE || p->event_kind[i] == KEEL_STAIRCASE;
    return has;
}

/* x' on both sides of the equilibrium along vector k: the linear part is that of both, or there is none. */
static keel_status look_beside(keel_steady *s, int k) {
    double off = 0, *f = s->left, sigma = s->sigma[0];
    memset(f, 0, (size_t)s->n * sizeof *f);
    for (int side = 1; side >= -1; side -= 2) {
        for (int j = 0; j < s->n; j++)
            s->x[j] = s->old_x[j] + side * BESIDE * s->old_q[k * s->n + j] * s->size[j];
        memcpy(s->q, s->old_q, (size_t)(s->r * s->n) * sizeof *s->q);
        if (steady_look(s) != KEEL_OK) return s->status;
        for (int j = 0; j < s->n; j++) f[j] += side * s->f[j];
    }
    for (int j = 0; j < s->n; j++) off = hypot(off, f[j] - 2 * BESIDE * s->linear[k * s->n + j]);
    if (off <= 1e-3 * BESIDE * sigma) return KEEL_OK;
    return steady_fail(s, KEEL_EINVAL,
                       "the search ended where the equations switch: they have no linear part there, and "
                       "eigenvalues would tell nothing");
}

static keel_status check_switches(keel_steady *s) {
    size_t vectors = (size_t)(s->r * s->n);
    if (!has_switches(s->bundle.problem)) return KEEL_OK;
    memcpy(s->old_x, s->x, (size_t)s->n * sizeof *s->x);
    memcpy(s->old_q, s->q, vectors * sizeof *s->q);
    memcpy(s->linear, s->rate, vectors * sizeof *s->rate);
    for (int k = 0; k < s->r; k++)
        if (look_beside(s, k) != KEEL_OK) return s->status;
    memcpy(s->x, s->old_x, (size_t)s->n * sizeof *s->x);
    memcpy(s->q, s->old_q, vectors * sizeof *s->q);
    return steady_look(s);
}

static double distance(const keel_steady *s, const double *x) {
    double most = 0;
    for (int j = 0; j < s->n; j++) most = fmax(most, fabs(x[j] - s->x[j]) / s->size[j]);
    return most;
}

/* An event that acts where the motion rests: x' alone says neither whether it does nor what deviations do. */
static keel_status check_events(keel_steady *s) {
    struct bundle *b = &s->bundle;
    double from, to, *x = s->old_x;
    keel_event_record record;
    if (!keel_model_acts(b->model, 0)) return KEEL_OK;
    keel_model_span(b->model, &from, &to);
    for (int k = 0; k < WATCHED && bundle_time(b) < to; k++) {
        double t = bundle_time(b);
        if (keel_sim_step(b->sim, to) < 0) break;
        bundle_get(b, x, NULL);
        if (keel_sim_event(b->sim, -1, &record) && record.changed && record.t >= t)
            return steady_fail(s, KEEL_EINVAL,
                               "x' is zero where the search ended, but the event `%.80s` acts there at t = "
                               "%.6g: what is at rest is not seen from x' alone",
                               record.event, record.t);
        if (distance(s, x) > BESIDE) break; /* it leaves, unstable */
    }
    return KEEL_OK;
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
    if (steady_sizes_find(s) != KEEL_OK) return s->status;
    if (take_holds(s, with->hold) != KEEL_OK) return s->status;
    if (newton(s, with->steps > 0 ? with->steps : STEPS) != KEEL_OK) return s->status;
    if (find_eigenvalues(s) != KEEL_OK || check_switches(s) != KEEL_OK) return s->status;
    return check_events(s);
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
