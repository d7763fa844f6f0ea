/* lyapunov.c - Lyapunov exponents by orthonormal tangent vectors.
 *
 * S, n x r, are tangent vectors along the motion, the sensitivities to r free start values.  From time to
 * time S = Q R; the motion goes on with Q, and the logarithms of R's diagonal add up:
 * lambda_i = lim (sum log R_ii) / t.  (G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Lyapunov
 * characteristic exponents for smooth dynamical systems, Meccanica 15 (1980) 9-30.)  The linearised equations
 * and constraints are linear in S and have no other terms, so that S R^-1 satisfies them as S does.
 *
 * Across the level sets of an invariant I vectors neither grow nor shrink for long.  The vectors that count
 * have grad I . S = 0, which the motion keeps, and these zeros are left out. */
#include "analysis/bundle.h"

#include <keel/lyapunov.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 32, SHARE = 16, STEPS = 8 }; /* of time; of a block, what is looked at again; at least */

struct keel_lyapunov {
    struct bundle bundle;
    keel_status status;
    char message[TEXT_SENTENCE];
    int vectors;         /* r less the invariants: those that count; behind them one across each level set */
    double *x, *q;       /* [n] the states; [n * r] the vectors, one behind the other */
    double *block;       /* [BLOCKS * r] sums of logarithms */
    double *aside;       /* [BLOCKS * r] how far they are from even growth at a time within the block */
    double *growth;      /* [r] of the last stretch */
    struct bundle tight; /* a run with a hundredth of the tolerance, or half the step */
    double *kept;        /* [2][n + n * r] before and after a stretch that is looked at */
    double *bias;        /* [r] what its errors do to the growth; .. */
    double looked;       /* .. over so much time */
    long most;           /* steps in all; 0: any number */
    int acts;            /* events assign values */
    double rtol;         /* a tenth of it is not seen there, for each factor of e */
    double from, length; /* where counting begins; of a block */
    double waited;       /* the time before counting begins */
    int blocks;          /* that are complete */
    struct ranked *exponent; /* [r] the largest first */
};

struct ranked {
    keel_exponent mean;
    int vector;
};

static keel_status lyapunov_fail(keel_lyapunov *l, keel_status status, const char *sentence) {
    text_set(l->message, sizeof l->message, "%s", sentence);
    return l->status = status;
}

/* What went wrong with the motion. */
static keel_status bundle_failed(keel_lyapunov *l) {
    return lyapunov_fail(l, l->bundle.status, l->bundle.message);
}

/* Opening ----------------------------------------------------------------------------------------------- */

static int reserve(keel_lyapunov *l) {
    size_t n = (size_t)l->bundle.n, r = (size_t)l->bundle.r;
    l->x = calloc(3 * (n + n * r) + (2 * BLOCKS + 2) * r + 1, sizeof *l->x);
    l->exponent = calloc(r + 1, sizeof *l->exponent);
    if (!l->x || !l->exponent) return 0;
    l->q = l->x + n, l->block = l->q + n * r, l->aside = l->block + BLOCKS * r;
    l->growth = l->aside + BLOCKS * r;
    l->bias = l->growth + r, l->kept = l->bias + r;
    return 1;
}

/* The first vectors as combinations of all that leave the invariants as they are; those behind them, one for
 * each invariant, complete the space.  An invariant whose slopes follow from others is dropped. */
static int split(keel_lyapunov *l) {
    struct bundle *m = &l->bundle;
    size_t r = (size_t)m->r, n = (size_t)m->n;
    double *basis = calloc(r * r + 1, sizeof *basis), *turned = calloc(n * r + 1, sizeof *turned);
    int normals = 0, count, good = basis && turned;
    for (int i = 0; i < m->names && good; i++) {
        double *v = basis + (size_t)normals * r, size = 0;
        for (size_t k = 0; k < r; k++) size += fabs(v[k] = m->slope[(size_t)i * r + k]);
        if (!(bundle_orthonormal(m->r, normals, basis, v) > 1e-10 * size)) continue;
        memmove(m->name[normals], m->name[i], BUNDLE_NAME);
        memmove(m->row + (size_t)normals * r, m->row + (size_t)i * r, r * sizeof *m->row);
        normals++;
    }
    m->names = count = normals;
    for (int k = 0; k < m->r && good && count < m->r; k++) {
        double *v = basis + (size_t)count * r;
        memset(v, 0, r * sizeof *v);
        v[k] = 1;
        if (bundle_orthonormal(m->r, count, basis, v) > 1e-6) count++;
    }
    l->vectors = m->r - normals;
    for (int c = 0; c < m->r && good; c++) { /* the normals last */
        const double *from = basis + (size_t)((c + normals) % m->r) * r;
        double *to = turned + (size_t)c * n;
        for (size_t k = 0; k < r; k++)
            for (size_t j = 0; j < n; j++) to[j] += l->q[k * n + j] * from[k];
        bundle_orthonormal(m->n, c, turned, to);
    }
    if (good) memcpy(l->q, turned, n * r * sizeof *turned);
    free(basis);
    free(turned);
    return good;
}

/* Vectors that shrink would turn across the level sets by the round-off of those that do not: the part of
 * each that changes an invariant is taken out, by the vectors behind them.  Gauss' elimination with pivots;
 * the right-hand sides are the slopes of all vectors. */
static void stay_in_level_sets(keel_lyapunov *l, const struct bundle *m) {
    int count = m->names, r = m->r, n = m->n;
    double *a = m->slope;
    for (int c = 0; c < count; c++) {
        int column = l->vectors + c, pivot = c;
        for (int i = c + 1; i < count; i++)
            if (fabs(a[i * r + column]) > fabs(a[pivot * r + column])) pivot = i;
        if (!(fabs(a[pivot * r + column]) > 0)) return;
        for (int k = 0; k < r; k++) {
            double swap = a[c * r + k];
            a[c * r + k] = a[pivot * r + k], a[pivot * r + k] = swap;
        }
        for (int i = 0; i < count; i++) {
            double part = i == c ? 0 : a[i * r + column] / a[c * r + column];
            for (int k = 0; k < r && part != 0; k++) a[i * r + k] -= part * a[c * r + k];
        }
    }
    for (int k = 0; k < l->vectors; k++)
        for (int c = 0; c < count; c++) {
            double part = a[c * r + k] / a[c * r + l->vectors + c];
            for (int j = 0; j < n; j++) l->q[k * n + j] -= part * l->q[(l->vectors + c) * n + j];
        }
}

/* Running ----------------------------------------------------------------------------------------------- */

/* m goes to t; x and Q there, and the logarithms by which the vectors grew. */
static keel_status grow(keel_lyapunov *l, struct bundle *m, double t) {
    if (bundle_go(m, t) != KEEL_OK || bundle_slopes(m) != KEEL_OK)
        return lyapunov_fail(l, m->status, m->message);
    bundle_get(m, l->x, l->q);
    stay_in_level_sets(l, m);
    for (int k = 0; k < m->r; k++) {
        double length = bundle_orthonormal(m->n, k, l->q, l->q + (size_t)k * (size_t)m->n);
        if (!(length > 0) || !isfinite(length))
            return lyapunov_fail(l, KEEL_EUSER,
                                 length > 0
                                     ? "the tangent vectors grew beyond all numbers"
                                     : "a direction ends, as where an event assigns a state: its exponent is "
                                       "minus infinity");
        l->growth[k] = log(length);
    }
    return KEEL_OK;
}

/* One stretch of the motion; sum: of the logarithms, or NULL.  The largest of them. */
static double stretch(keel_lyapunov *l, double t, double *sum) {
    struct bundle *m = &l->bundle;
    double most = 0;
    if (l->most > 0 && keel_statistics(keel_sim_solver(m->sim)).steps > l->most) {
        text_set(l->message, sizeof l->message, "%ld steps, options.max_steps, lead to t = %.10g only",
                 l->most, bundle_time(m));
        l->status = KEEL_ELIMIT;
        return 0;
    }
    if (grow(l, m, t) != KEEL_OK) return 0;
    for (int k = 0; k < l->vectors; k++) {
        if (sum) sum[k] += l->growth[k];
        most = fmax(most, fabs(l->growth[k]));
    }
    if (bundle_set(m, bundle_time(m), l->x, l->q) != KEEL_OK) bundle_failed(l);
    return most;
}

/* The same stretch by tighter steps: what the errors of the steps do to the exponents, all of one sign where
 * the motion is regular, is seen by no scatter of blocks.  Without an answer where those cannot be taken. */
static double checked_stretch(keel_lyapunov *l, double from, double t, double *sum) {
    size_t n = (size_t)l->bundle.n, vectors = n * (size_t)l->bundle.r;
    memcpy(l->kept, l->x, (n + vectors) * sizeof *l->x);
    double most = stretch(l, t, sum);
    if (l->status != KEEL_OK || !l->tight.sim || l->tight.status != KEEL_OK) return most;
    double *after = l->kept + n + vectors;
    memcpy(after, l->x, (n + vectors) * sizeof *l->x);
    for (int k = 0; k < l->vectors; k++) l->bias[k] -= l->growth[k];
    int good =
        bundle_set(&l->tight, from, l->kept, l->kept + n) == KEEL_OK && grow(l, &l->tight, t) == KEEL_OK;
    for (int k = 0; k < l->vectors; k++) l->bias[k] += l->growth[k]; /* without it: nothing */
    if (good) l->looked += fabs(t - from);
    memcpy(l->x, after, (n + vectors) * sizeof *l->x);
    if (l->status != KEEL_ENOMEM && l->status != KEEL_ESTOP) l->status = KEEL_OK;
    return most;
}

/* How long a stretch that is looked at may be: a share of a block, or some steps, where that is more: steps
 * that its end makes shorter err less. */
static double checked_length(const keel_lyapunov *l, double behind) {
    keel_stats stats = keel_statistics(keel_sim_solver(l->bundle.sim));
    return fmax(fabs(l->length) / SHARE, stats.steps > 0 ? STEPS * behind / (double)stats.steps : 0);
}

/* The golden section: multiples of it keep step with no period. */
#define GOLDEN 0.6180339887498949

/* Which part of block b is over at its look within. */
static double part_within(int b) {
    return fmod((b + 1) * GOLDEN, 1);
}

/* The vectors are made orthonormal anew once the longest has grown by a few powers of e: never later than the
 * fastest growth of late needs for eight of them; what an event does at once is no growth that lasts.  The
 * first stretches are short, since nothing is known.  Events that act are lost where a stretch begins at
 * their very time, as it does with round numbers: then all times are shifted a little. */
static void run_blocks(keel_lyapunov *l, double t0, double from, double to,
                       const keel_lyapunov_options *with) {
    double t = t0, h = 1e-6 * (to - t0) / 4096 * (l->acts ? GOLDEN : 1), fastest = 0;
    if (l->acts) from += 1e-7 * GOLDEN * (to - from);
    l->from = from;
    l->waited = fabs(from - t0);
    l->length = (to - from) / BLOCKS;
    for (int b = -1; b < BLOCKS && l->status == KEEL_OK; b++) { /* -1: the transient */
        double end = b < 0 ? from : from + (b + 1) * l->length, begin = t;
        double *sum = b < 0 ? NULL : l->block + (size_t)b * (size_t)l->bundle.r;
        double *aside = b < 0 ? NULL : l->aside + (size_t)b * (size_t)l->bundle.r;
        double within = b < 0 ? end : begin + part_within(b) * l->length;
        while ((end - t) * h > 0 && l->status == KEEL_OK) {
            double goal = (within - t) * h > 0 ? within : end;
            int check = sum && t == begin;
            double most_way = check ? checked_length(l, fabs(t - t0)) : INFINITY;
            double way = fabs(h) > most_way ? copysign(most_way, h) : h;
            double next = fabs(goal - t) <= 1.5 * fabs(way) ? goal : t + way;
            double most = check ? checked_stretch(l, t, next, sum) : stretch(l, next, sum);
            fastest = fmax(0.9 * fastest, most / fabs(next - t));
            t = next;
            for (int k = 0; k < l->vectors && sum && t == within; k++) aside[k] = sum[k];
            if (most > 6) h /= 2;
            else if (most < 1 && fabs(h) < 0.5 * fabs(l->length) && 2 * fabs(h) * fastest < 8) h *= 2;
            if (with->progress) with->progress((t - t0) / (to - t0), with->user);
        }
        for (int k = 0; k < l->vectors && sum; k++) aside[k] -= part_within(b) * sum[k];
        if (b >= 0 && l->status == KEEL_OK) l->blocks++;
    }
}

/* The mean growth in blocks first .. last - 1 of vectors from .. to. */
static double mean_of(const keel_lyapunov *l, int first, int last, int from, int to) {
    double sum = 0;
    for (int b = first; b < last; b++)
        for (int k = from; k < to; k++) sum += l->block[(size_t)b * (size_t)l->bundle.r + (size_t)k];
    return sum / l->length / (last - first);
}

/* Motions that part as t^c look like an exponent c/t.  By how much they may be taken for one: c is the slope
 * of the blocks' growth over 1/t, as far as their scatter tells it, and 1, that of motions at different
 * speeds, where that tells nothing. */
static double power_of_time(const keel_lyapunov *l, int from, int to, double mean) {
    double product = 0, square = 0, rest = 0, inverse = 0, width[BLOCKS];
    for (int b = 0; b < l->blocks; b++) inverse += width[b] = 1 / (l->waited + (b + 0.5) * fabs(l->length));
    inverse /= l->blocks;
    for (int b = 0; b < l->blocks; b++) {
        width[b] -= inverse;
        product += width[b] * (mean_of(l, b, b + 1, from, to) - mean);
        square += width[b] * width[b];
    }
    double slope = product / square;
    for (int b = 0; b < l->blocks; b++)
        rest += pow(mean_of(l, b, b + 1, from, to) - mean - slope * width[b], 2);
    double deviation = 2 * sqrt(rest / (l->blocks - 2) / square), size = fabs(slope);
    return inverse * fmin(size + deviation, fmax(1, size - deviation));
}

/* Growth that swings to and fro with a period, of which the run has no whole number, leaves the difference of
 * two swings.  The scatter of blocks does not see it where they have the same part of the period; looks
 * within them do. */
static double swing_of(const keel_lyapunov *l, int from, int to) {
    double square = 0;
    for (int b = 0; b < l->blocks; b++) {
        double swing = 0;
        for (int k = from; k < to; k++) swing += l->aside[(size_t)b * (size_t)l->bundle.r + (size_t)k];
        square += swing * swing;
    }
    return sqrt(2 * square / l->blocks) / (l->blocks * fabs(l->length));
}

/* Mean and error, of a sum over vectors from .. to: the standard error of the mean over blocks, what swings
 * within them, what the errors of the steps do, and what does not grow with an exponent. */
static keel_exponent of_blocks(const keel_lyapunov *l, int from, int to) {
    double mean = mean_of(l, 0, l->blocks, from, to), square = 0, bias = 0, blind = 0;
    for (int b = 0; b < l->blocks; b++) square += pow(mean_of(l, b, b + 1, from, to) - mean, 2);
    for (int k = from; k < to && l->looked > 0; k++) bias += l->bias[k] / l->looked;
    for (int k = from; k < to; k++) blind += 0.1 * l->rtol * fabs(mean_of(l, 0, l->blocks, k, k + 1));
    double error = hypot(sqrt(square / l->blocks / (l->blocks - 1)), hypot(bias, blind));
    error = hypot(error, swing_of(l, from, to));
    return (keel_exponent){mean, hypot(error, power_of_time(l, from, to, mean))};
}

static int descending(const void *a, const void *b) {
    double x = ((const struct ranked *)a)->mean.value, y = ((const struct ranked *)b)->mean.value;
    return (x < y) - (x > y);
}

/* With the same invariants. */
static void open_tight(keel_lyapunov *l, const keel_model *model, const keel_options *o) {
    if (keel_model_acts(model, 0)) return; /* what acts at a time has acted for one run alone */
    const struct bundle *m = &l->bundle;
    keel_options tight = o ? *o : (keel_options){0};
    if (tight.step > 0) tight.step /= 2;
    else tight.rtol = fmax(0.01 * l->rtol, 1e-14), tight.atol /= 100;
    if (bundle_open(&l->tight, model, &tight) != KEEL_OK) return;
    l->tight.names = m->names;
    memcpy(l->tight.row, m->row, (size_t)m->names * (size_t)m->r * sizeof *m->row);
}

static keel_status run(keel_lyapunov *l, const keel_model *model, const keel_options *o,
                       const keel_lyapunov_options *with) {
    struct bundle *m = &l->bundle;
    double t0, to;
    if (bundle_open(m, model, o) != KEEL_OK) return bundle_failed(l);
    if (!reserve(l)) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    keel_model_span(model, &t0, &to);
    if (with->t_end != 0) to = with->t_end;
    if (!isfinite(to) || !(with->transient >= 0))
        return lyapunov_fail(l, KEEL_EINVAL,
                             isfinite(to) ? "the time before counting begins must not be negative"
                                          : "the run must end at a finite time");
    double transient = with->transient > 0 ? with->transient : 0.1 * fabs(to - t0);
    if (!(transient < fabs(to - t0)))
        return lyapunov_fail(l, KEEL_EINVAL, "the transient is as long as the run: nothing is left to count");
    bundle_get(m, l->x, l->q);
    if (bundle_slopes(m) != KEEL_OK) return bundle_failed(l);
    if (!split(l)) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    if (bundle_set(m, bundle_time(m), l->x, l->q) != KEEL_OK) return bundle_failed(l);
    l->rtol = o && o->rtol > 0 ? o->rtol : 1e-6;
    l->most = o ? o->max_steps : 0;
    l->acts = keel_model_acts(model, 0);
    open_tight(l, model, o);
    if (l->tight.status == KEEL_ENOMEM) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    run_blocks(l, t0, to > t0 ? t0 + transient : t0 - transient, to, with);
    for (int k = 0; k < l->vectors && l->status == KEEL_OK; k++)
        l->exponent[k] = (struct ranked){of_blocks(l, k, k + 1), k};
    qsort(l->exponent, (size_t)l->vectors, sizeof *l->exponent, descending);
    return l->status;
}

keel_lyapunov *keel_lyapunov_run(const keel_model *m, const keel_options *o,
                                 const keel_lyapunov_options *with) {
    static const keel_lyapunov_options usual = {0};
    keel_lyapunov *l = calloc(1, sizeof *l);
    if (l) run(l, m, o, with ? with : &usual);
    return l;
}

keel_status keel_lyapunov_status(const keel_lyapunov *l) {
    return l ? l->status : KEEL_ENOMEM;
}

const char *keel_lyapunov_message(const keel_lyapunov *l) {
    return l ? l->message : text_no_memory;
}

int keel_lyapunov_at(const keel_lyapunov *l, int i, keel_exponent *out) {
    if (!l || l->status != KEEL_OK || i < 0 || i >= l->vectors) return 0;
    *out = l->exponent[i].mean;
    return 1;
}

int keel_lyapunov_course(const keel_lyapunov *l, int i, int block, double *t, double *value) {
    if (!l || l->status != KEEL_OK || i < 0 || i >= l->vectors || block < 0 || block >= l->blocks) return 0;
    double sum = 0;
    for (int b = 0; b <= block; b++)
        sum += l->block[(size_t)b * (size_t)l->bundle.r + (size_t)l->exponent[i].vector];
    *t = l->from + (block + 1) * l->length;
    *value = sum / ((block + 1) * l->length);
    return 1;
}

int keel_lyapunov_sum(const keel_lyapunov *l, keel_exponent *out) {
    if (!l || l->status != KEEL_OK || l->vectors == 0) return 0;
    *out = of_blocks(l, 0, l->vectors);
    return 1;
}

const char *keel_lyapunov_left_out(const keel_lyapunov *l, int i) {
    return l && i >= 0 && i < l->bundle.names ? l->bundle.name[i] : NULL;
}

void keel_lyapunov_close(keel_lyapunov *l) {
    if (!l) return;
    bundle_close(&l->bundle);
    bundle_close(&l->tight);
    free(l->x);
    free(l->exponent);
    free(l);
}
