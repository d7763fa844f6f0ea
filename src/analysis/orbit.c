/* orbit.c - see keel/orbit.h: periodic orbits by multiple shooting.
 *
 * Nodes x_0 .. x_N-1 lie on the constraints, T/N apart.  phi(x_i) = x_i+1, x_N = x_0, are to be solved for
 * the nodes and T.  With x_i + Q_i z_i, Q_i an orthonormal basis of the tangent space, one step of
 * Newton's method is
 *
 *     Q_i+1^T (A_i z_i + x'(end of i) dT/N) - z_i+1 = -Q_i+1^T (phi(x_i) - x_i+1),   A_i = D phi(x_i) Q_i,
 *
 * with a row for each thing that is held.  Along the orbit, and along families, the matrix has null
 * vectors; the shortest solution leaves them alone, which is the phase condition, too.  (J. Stoer, R.
 * Bulirsch, Introduction to Numerical Analysis, 7.3; P. Deuflhard, Newton Methods for Nonlinear Problems,
 * 7.3.) */
#include "analysis/orbit.h"

#include "linalg/svd.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 10, LARGEST = 400, STEPS = 200 }; /* LARGEST: unknowns that are still few */
enum { MATRIX = 1000000 };                       /* unknowns whose square no memory holds */
#define RANK 1e-8                                /* singular values below, of the largest, are zero */

keel_status orbit_fail(keel_orbit *o, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(o->message, sizeof o->message, format, args);
    va_end(args);
    return o->status = status;
}

keel_status orbit_bundle_failed(keel_orbit *o) {
    return orbit_fail(o, o->bundle.status, "%s", o->bundle.message);
}

/* Opening ------------------------------------------------------------------------------------------------ */

static int unknowns_of(const keel_orbit *o) {
    return o->nodes * o->r + o->about.autonomous;
}

static int reserve(keel_orbit *o) {
    size_t n = (size_t)o->n, r = (size_t)o->r, nodes = (size_t)o->nodes, columns = nodes * r + 1;
    size_t rows = nodes * r + ORBIT_HOLDS;
    o->size =
        calloc(n + nodes * (3 * n + 2 * r * n + 1) + columns * (rows + columns) + 2 * columns + rows + 1,
               sizeof *o->size);
    o->multiplier = calloc(r + 1, sizeof *o->multiplier);
    if (!o->size || !o->multiplier) return 0;
    o->x = o->size + n, o->gap = o->x + nodes * n, o->f = o->gap + nodes * n;
    o->q = o->f + nodes * n, o->a = o->q + nodes * r * n;
    o->matrix = o->a + nodes * r * n, o->v = o->matrix + rows * columns;
    o->sigma = o->v + columns * columns, o->step = o->sigma + columns;
    o->right = o->step + columns, o->part = o->right + rows;
    return 1;
}

static keel_status take_hold(keel_orbit *o, const char *word) {
    struct orbit_hold *h = &o->hold[o->holds];
    struct bundle *b = &o->bundle;
    keel_row row;
    *h = (struct orbit_hold){HOLD_PERIOD, 0, 0};
    if (o->holds == ORBIT_HOLDS)
        return orbit_fail(o, KEEL_EINVAL, "at most %d things can be held", ORBIT_HOLDS);
    o->holds++;
    if (strcmp(word, "period") == 0 || strcmp(word, "T") == 0) return KEEL_OK;
    for (int i = 0; i < b->names; i++)
        if (strcmp(b->name[i], word) == 0 && keel_row_at(keel_sim_solver(b->sim), b->self[i], &row)) {
            *h = (struct orbit_hold){HOLD_INVARIANT, i, row.start};
            return KEEL_OK;
        }
    for (int j = 0; j < o->n; j++)
        if (strcmp(bundle_name(b, j), word) == 0) {
            *h = (struct orbit_hold){HOLD_STATE, j, o->x[j]};
            return KEEL_OK;
        }
    return orbit_fail(o, KEEL_EINVAL, "`%.80s` cannot be held: name the period, a state or an invariant",
                      word);
}

static keel_status take_holds(keel_orbit *o, const char *list) {
    char word[BUNDLE_NAME];
    for (const char *rest = list; rest && (rest = text_next(rest, word, sizeof word));) {
        if (take_hold(o, word) != KEEL_OK) return o->status;
        const struct orbit_hold *last = &o->hold[o->holds - 1];
        for (const struct orbit_hold *h = o->hold; h < last; h++)
            if (h->kind == last->kind && h->which == last->which)
                return orbit_fail(o, KEEL_EINVAL, "`%.80s` is held twice", word);
    }
    return KEEL_OK;
}

/* Nodes -------------------------------------------------------------------------------------------------- */

static double node_time(const keel_orbit *o, int i) {
    return o->t0 + o->about.period * o->part[i];
}

static double *vectors(double *list, const keel_orbit *o, int i) {
    return list + (size_t)i * (size_t)o->r * (size_t)o->n;
}

static void divide(const keel_orbit *o, double *s) {
    for (int k = 0; k < o->r * o->n; k++) s[k] /= o->size[k % o->n];
}

keel_status orbit_go_to_node(keel_orbit *o, int i) {
    double *x = o->x + (size_t)i * (size_t)o->n;
    if (bundle_place(&o->bundle, node_time(o, i), o->size, x, vectors(o->q, o, i)) == KEEL_OK) return KEEL_OK;
    return orbit_bundle_failed(o);
}

/* Segment i: gap, A_i and x' at its end. */
static keel_status run_segment(keel_orbit *o, int i) {
    struct bundle *b = &o->bundle;
    double *gap = o->gap + (size_t)i * (size_t)o->n, *f = o->f + (size_t)i * (size_t)o->n;
    if (orbit_go_to_node(o, i) != KEEL_OK) return o->status;
    if (bundle_go(b, node_time(o, i + 1)) != KEEL_OK) return orbit_bundle_failed(o);
    bundle_get(b, gap, vectors(o->a, o, i));
    divide(o, vectors(o->a, o, i));
    if (bundle_rates(b, f, NULL) != KEEL_OK) return orbit_bundle_failed(o);
    for (int j = 0; j < o->n; j++) f[j] /= o->size[j];
    return KEEL_OK;
}

/* The nodes lie along the run from the start. */
static keel_status place_nodes(keel_orbit *o) {
    size_t n = (size_t)o->n, block = (size_t)o->r * n;
    for (int i = 0; i + 1 < o->nodes; i++) {
        if (run_segment(o, i) != KEEL_OK) return o->status;
        memcpy(o->x + (size_t)(i + 1) * n, o->gap + (size_t)i * n, n * sizeof *o->x);
        memcpy(vectors(o->q, o, i + 1), vectors(o->a, o, i), block * sizeof *o->q);
    }
    return KEEL_OK;
}

/* How far what is held has gone from its value, and the row that brings it back. */
static keel_status hold_row(keel_orbit *o, const struct orbit_hold *h, double *row, double *right) {
    struct bundle *b = &o->bundle;
    keel_row held;
    int columns = unknowns_of(o);
    memset(row, 0, (size_t)columns * sizeof *row);
    *right = 0;
    switch (h->kind) {
    case HOLD_PERIOD:
        if (!o->about.autonomous) return KEEL_OK;
        row[columns - 1] = 1;
        *right = (o->about.guess - o->about.period) / o->about.period;
        return KEEL_OK;
    case HOLD_STATE:
        for (int k = 0; k < o->r; k++) row[k] = o->q[k * o->n + h->which];
        *right = (h->value - o->x[h->which]) / o->size[h->which];
        return KEEL_OK;
    case HOLD_INVARIANT:
        break;
    }
    if (orbit_go_to_node(o, 0) != KEEL_OK) return o->status;
    if (bundle_slopes(b) != KEEL_OK) return orbit_bundle_failed(o);
    double length = 0;
    for (int k = 0; k < o->r; k++) length = hypot(length, row[k] = b->slope[h->which * o->r + k]);
    if (!(length > 0)) return KEEL_OK;
    for (int k = 0; k < o->r; k++) row[k] /= length;
    if (keel_row_at(keel_sim_solver(b->sim), b->self[h->which], &held))
        *right = (h->value - held.start) / length;
    return KEEL_OK;
}

/* The largest way of all that is held. */
static keel_status find_held(keel_orbit *o) {
    o->held = 0;
    for (int h = 0; h < o->holds; h++) {
        double right;
        if (hold_row(o, &o->hold[h], o->step, &right) != KEEL_OK) return o->status;
        o->held = fmax(o->held, fabs(right));
    }
    return KEEL_OK;
}

/* All segments; the gaps between them: the largest, and the root of the sum of their squares, with what is
 * held. */
static keel_status run_segments(keel_orbit *o) {
    o->about.defect = o->gaps = 0;
    for (int i = 0; i < o->nodes; i++)
        if (run_segment(o, i) != KEEL_OK) return o->status;
    for (int i = 0; i < o->nodes; i++) {
        double *gap = o->gap + (size_t)i * (size_t)o->n;
        const double *next = o->x + (size_t)((i + 1) % o->nodes) * (size_t)o->n;
        for (int j = 0; j < o->n; j++) {
            gap[j] = (gap[j] - next[j]) / o->size[j];
            o->about.defect = fmax(o->about.defect, fabs(gap[j]));
            o->gaps = hypot(o->gaps, gap[j]);
        }
    }
    if (!isfinite(o->about.defect)) return orbit_fail(o, KEEL_EUSER, "the motion has no finite values");
    if (find_held(o) != KEEL_OK) return o->status;
    o->gaps = hypot(o->gaps, o->held);
    return KEEL_OK;
}

/* A step ------------------------------------------------------------------------------------------------- */

static keel_status fill_matrix(keel_orbit *o) {
    int r = o->r, n = o->n, columns = unknowns_of(o);
    memset(o->matrix, 0, (size_t)(o->nodes * r + ORBIT_HOLDS) * (size_t)columns * sizeof *o->matrix);
    for (int i = 0; i < o->nodes; i++) {
        int next = (i + 1) % o->nodes;
        const double *a = vectors(o->a, o, i), *f = o->f + i * n, *gap = o->gap + i * n;
        for (int k = 0; k < r; k++) {
            const double *q = vectors(o->q, o, next) + k * n;
            double *row = o->matrix + (size_t)(i * r + k) * (size_t)columns;
            for (int c = 0; c < r; c++) row[i * r + c] += bundle_dot(n, q, a + c * n);
            row[next * r + k] -= 1;
            if (o->about.autonomous)
                row[columns - 1] = bundle_dot(n, q, f) * o->about.period * (o->part[i + 1] - o->part[i]);
            o->right[i * r + k] = -bundle_dot(n, q, gap);
        }
    }
    for (int h = 0; h < o->holds; h++) {
        int i = o->nodes * r + h;
        if (hold_row(o, &o->hold[h], o->matrix + (size_t)i * (size_t)columns, &o->right[i]) != KEEL_OK)
            return o->status;
    }
    return KEEL_OK;
}

/* The matrix as U S V^T; null vectors: singular values that are zero. */
static keel_status factor(keel_orbit *o) {
    int columns = unknowns_of(o);
    if (fill_matrix(o) != KEEL_OK) return o->status;
    if (!svd_jacobi(o->nodes * o->r + o->holds, columns, o->matrix, o->sigma, o->v))
        return orbit_fail(o, KEEL_ENEWTON, "the step of Newton's method has no finite numbers");
    o->about.family = 0;
    for (int c = 0; c < columns; c++) o->about.family += !(o->sigma[c] > RANK * o->sigma[0]);
    return KEEL_OK;
}

/* The solution with the least |F|^2 + (damping |z|)^2; its length, nodes in sizes of the states, the
 * period in its own.  Where orbits lie in families singular values are zero at the orbit and of the size
 * of the gaps nearby; with a damping of that size convergence is quadratic all the same (N. Yamashita, M.
 * Fukushima, On the rate of convergence of the Levenberg-Marquardt method, Computing Suppl. 15 (2001)
 * 239-249). */
static void find_step(keel_orbit *o, double damping) {
    int rows = o->nodes * o->r + o->holds, columns = unknowns_of(o);
    memset(o->step, 0, (size_t)columns * sizeof *o->step);
    for (int c = 0; c < columns; c++) {
        double part = 0, s = o->sigma[c];
        if (!(s > RANK * o->sigma[0])) continue;
        for (int i = 0; i < rows; i++) part += o->matrix[i * columns + c] * o->right[i];
        for (int j = 0; j < columns; j++)
            o->step[j] += o->v[j * columns + c] * part / (s * s + damping * damping);
    }
    o->about.error = sqrt(bundle_dot(columns, o->step, o->step));
}

static void move_nodes(keel_orbit *o, const double *from) {
    int columns = unknowns_of(o);
    memcpy(o->x, from, (size_t)(o->nodes * o->n) * sizeof *o->x);
    for (int i = 0; i < o->nodes; i++)
        for (int k = 0; k < o->r; k++)
            for (int j = 0; j < o->n; j++)
                o->x[i * o->n + j] += o->step[i * o->r + k] * vectors(o->q, o, i)[k * o->n + j] * o->size[j];
    if (o->about.autonomous) o->about.period *= 1 + o->step[columns - 1];
}

/* A step that makes the gaps smaller, with as much damping as that takes.  1; 0: there is none; < 0. */
static int take_step(keel_orbit *o, double *x, double *q) {
    size_t nodes = (size_t)(o->nodes * o->n), all = nodes * (size_t)o->r;
    double before = o->gaps, period = o->about.period;
    memcpy(x, o->x, nodes * sizeof *x);
    memcpy(q, o->q, all * sizeof *q);
    o->damping = fmin(o->damping, 1) * before;
    for (int trial = 0; trial < 12; trial++, o->damping *= 4) {
        memcpy(o->q, q, all * sizeof *q);
        o->about.period = period;
        find_step(o, o->damping);
        move_nodes(o, x);
        o->status = o->bundle.status = KEEL_OK;
        keel_status status = o->about.period > 0 ? run_segments(o) : KEEL_RETRY;
        if (status == KEEL_ESTOP || status == KEEL_ENOMEM) return -1;
        if (status != KEEL_OK || !(o->gaps < before)) continue;
        o->damping = trial ? o->damping / before : o->damping / before / 4; /* the next one begins nearer */
        return 1;
    }
    memcpy(o->x, x, nodes * sizeof *x);
    memcpy(o->q, q, all * sizeof *q);
    o->about.period = period;
    o->status = o->bundle.status = KEEL_OK;
    return run_segments(o) == KEEL_OK ? 0 : -1;
}

/* What the next step would change tells the error that is left. */
static keel_status remaining_step(keel_orbit *o) {
    if (factor(o) == KEEL_OK) find_step(o, o->gaps);
    return o->status;
}

/* Until the gaps are as small as the runs resolve: no step makes them much smaller, and they are small. */
static keel_status newton(keel_orbit *o, int most, double enough, double *x, double *q) {
    if (run_segments(o) != KEEL_OK) return o->status;
    o->damping = 1;
    for (o->about.steps = 0; o->about.steps < most;) {
        double before = o->gaps;
        if (factor(o) != KEEL_OK) return o->status;
        int taken = take_step(o, x, q);
        if (taken < 0) return o->status;
        o->about.steps += taken;
        int resolved = fmax(o->about.defect, o->held) < 1e-9 &&
                       (!taken || fmax(o->about.defect, o->held) <= enough || o->gaps > 0.3 * before);
        if (resolved) return remaining_step(o);
        if (!taken) break;
    }
    if (o->held > o->about.defect)
        return orbit_fail(
            o, KEEL_ELIMIT,
            "Newton's method did not converge: after %d steps what is held is still %.2g of its "
            "size from what it was; begin nearer to the orbit, or hold less",
            o->about.steps, o->held);
    return orbit_fail(o, KEEL_ELIMIT,
                      "Newton's method did not converge: after %d steps the segments are still %.2g of the "
                      "states' sizes apart; begin nearer to the orbit, or hold less",
                      o->about.steps, o->about.defect);
}

/* What was found ----------------------------------------------------------------------------------------- */

static double distance(const keel_orbit *o, const double *x, const double *y) {
    double largest = 0;
    for (int j = 0; j < o->n; j++) largest = fmax(largest, fabs(x[j] - y[j]) / o->size[j]);
    return largest;
}

/* One run over the period: how it closes, and whether it does before. */
static keel_status close_orbit(keel_orbit *o, double *x) {
    static const int part[] = {7, 5, 3, 2, 1};
    struct bundle *b = &o->bundle;
    double *rate = x + o->n, speed = 0;
    o->about.turns = 1;
    if (orbit_go_to_node(o, 0) != KEEL_OK) return o->status;
    if (bundle_rates(b, rate, NULL) != KEEL_OK) return orbit_bundle_failed(o);
    for (int j = 0; j < o->n; j++) speed = fmax(speed, fabs(rate[j]) / o->size[j] * o->about.period);
    if (speed < 1e-6 && o->about.period < 1e-3 * o->about.guess)
        return orbit_fail(o, KEEL_ENEWTON, "the search ended at a period of zero: there is no orbit nearby");
    if (speed < 1e-6 && o->about.autonomous)
        return orbit_fail(o, KEEL_EINVAL, "the search ended at an equilibrium, which is no orbit");
    for (int k = 0; k < 5; k++) {
        if (bundle_go(b, o->t0 + o->about.period / part[k]) != KEEL_OK) return orbit_bundle_failed(o);
        bundle_get(b, x, NULL);
        o->about.closing = distance(o, x, o->x);
        if (part[k] > 1 && o->about.autonomous && o->about.closing < 1e-6) o->about.turns *= part[k];
    }
    return KEEL_OK;
}

/* Null vectors less the one along the orbit, unless something that is held has ended that. */
static void count_family(keel_orbit *o) {
    double along = 0, length = 0;
    int columns = unknowns_of(o);
    const double *f = o->f + (size_t)(o->nodes - 1) * (size_t)o->n; /* at the end of the last: node 0 */
    for (int c = 0; c < o->r; c++) { /* x' as a combination of the vectors, in the null space? */
        double part = bundle_dot(o->n, f, o->q + c * o->n);
        length = hypot(length, part);
    }
    for (int k = 0; k < o->about.family; k++) {
        int column = columns - 1 - k;
        double sum = 0, norm = 0;
        for (int c = 0; c < o->r; c++) {
            sum += bundle_dot(o->n, f, o->q + c * o->n) * o->v[c * columns + column];
            norm = hypot(norm, o->v[c * columns + column]);
        }
        if (norm > 0) along = hypot(along, sum / norm);
    }
    if (o->about.autonomous && o->about.family > 0 && along > 0.1 * length) o->about.family--;
}

static keel_status find(keel_orbit *o, const keel_model *m, const keel_options *given,
                        const keel_orbit_options *with) {
    struct bundle *b = &o->bundle;
    keel_options run = given ? *given : (keel_options){0};
    if (run.rtol == 0 && run.step == 0) run.rtol = 1e-13;
    if (bundle_open(b, m, &run) != KEEL_OK) return orbit_bundle_failed(o);
    if (keel_model_acts(m, 0))
        return orbit_fail(o, KEEL_EINVAL,
                          "an event assigns values in this model: orbits are sought where none does, since a "
                          "segment cannot begin between events");
    o->n = b->n, o->r = b->r, o->t0 = bundle_time(b);
    o->noise = fmax(1e-10, 100 * run.rtol);
    o->nodes = with->segments > 0 ? with->segments : NODES;
    if (with->segments <= 0 && o->nodes * o->r > LARGEST) o->nodes = o->r < LARGEST ? LARGEST / o->r : 1;
    o->about.segments = o->nodes;
    o->about.autonomous = bundle_autonomous(b);
    int fits = o->nodes <= MATRIX / (o->r > 0 ? o->r : 1);
    if (!fits || !reserve(o)) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    bundle_get(b, o->x, o->q);
    if (!(with->period >= 0) || !isfinite(with->period))
        return orbit_fail(o, KEEL_EINVAL, "a period must be positive and finite, it is %g", with->period);
    if (!o->about.autonomous && !(with->period > 0))
        return orbit_fail(o, KEEL_EINVAL, "the equations depend on t: say which period they have");
    if (take_holds(o, with->hold) != KEEL_OK || orbit_find_period(o, with) != KEEL_OK) return o->status;
    if (orbit_find_sizes(o) != KEEL_OK) return o->status;
    size_t nodes = (size_t)(o->nodes * o->n);
    double *x = malloc((nodes + nodes * (size_t)o->r + 2 * (size_t)o->n) * sizeof *x);
    if (!x) return orbit_fail(o, KEEL_ENOMEM, "%s", text_no_memory);
    double enough = fmax(run.rtol, 1e-14);
    if (place_nodes(o) == KEEL_OK &&
        newton(o, with->steps > 0 ? with->steps : STEPS, enough, x, x + nodes) == KEEL_OK) {
        count_family(o);
        if (close_orbit(o, x) == KEEL_OK && (o->about.autonomous || orbit_check_period(o) == KEEL_OK))
            orbit_floquet(o);
    }
    free(x);
    return o->status;
}

keel_orbit *keel_orbit_find(const keel_model *m, const keel_options *o, const keel_orbit_options *with) {
    static const keel_orbit_options usual = {0};
    keel_orbit *made = calloc(1, sizeof *made);
    if (made) find(made, m, o, with ? with : &usual);
    return made;
}

void keel_orbit_close(keel_orbit *o) {
    if (!o) return;
    bundle_close(&o->bundle);
    free(o->size);
    free(o->multiplier);
    free(o);
}

keel_status keel_orbit_status(const keel_orbit *o) {
    return o ? o->status : KEEL_ENOMEM;
}

const char *keel_orbit_message(const keel_orbit *o) {
    return o ? o->message : text_no_memory;
}

int keel_orbit_summarise(const keel_orbit *o, keel_orbit_summary *out) {
    if (!o || o->status != KEEL_OK) return 0;
    *out = o->about;
    return 1;
}

int keel_orbit_start(const keel_orbit *o, int i, const char **name, double *value) {
    if (!o || o->status != KEEL_OK || i < 0 || i >= o->n) return 0;
    *name = bundle_name(&o->bundle, i);
    *value = o->x[i];
    return 1;
}

keel_status keel_orbit_points(keel_orbit *o, int count, double *value) {
    if (!o || o->status != KEEL_OK || count < 2 || !value) return KEEL_EINVAL;
    if (orbit_go_to_node(o, 0) != KEEL_OK) return o->status;
    for (int i = 0; i < count; i++) {
        double t = o->t0 + o->about.period * i / (count - 1);
        if (i && bundle_go(&o->bundle, t) != KEEL_OK) return orbit_bundle_failed(o);
        bundle_get(&o->bundle, value + (size_t)i * (size_t)o->n, NULL);
    }
    return KEEL_OK;
}
