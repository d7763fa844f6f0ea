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

enum { BLOCKS = 32 };

struct keel_lyapunov {
    struct bundle bundle;
    keel_status status;
    char message[TEXT_SENTENCE];
    int vectors;         /* r less the invariants: those that count; behind them one across each level set */
    double *x, *q;       /* [n] the states; [n * r] the vectors, one behind the other */
    double *block;       /* [BLOCKS * r] sums of logarithms */
    double from, length; /* where counting begins; of a block */
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
    l->x = calloc(n + n * r + BLOCKS * r + 1, sizeof *l->x);
    l->exponent = calloc(r + 1, sizeof *l->exponent);
    if (!l->x || !l->exponent) return 0;
    l->q = l->x + n, l->block = l->q + n * r;
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
static void stay_in_level_sets(keel_lyapunov *l) {
    int count = l->bundle.names, r = l->bundle.r, n = l->bundle.n;
    double *a = l->bundle.slope;
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

/* One stretch of the motion; sum: of the logarithms, or NULL.  The largest of them. */
static double stretch(keel_lyapunov *l, double t, double *sum) {
    struct bundle *m = &l->bundle;
    double most = 0;
    if (bundle_go(m, t) != KEEL_OK || bundle_slopes(m) != KEEL_OK) return bundle_failed(l), 0;
    bundle_get(m, l->x, l->q);
    stay_in_level_sets(l);
    for (int k = 0; k < m->r; k++) {
        double length = bundle_orthonormal(m->n, k, l->q, l->q + (size_t)k * (size_t)m->n);
        if (!(length > 0) || !isfinite(length)) {
            lyapunov_fail(l, KEEL_EUSER,
                          length > 0 ? "the tangent vectors grew beyond all numbers"
                                     : "a direction ends, as where an event assigns a state: its exponent is "
                                       "minus infinity");
            return 0;
        }
        if (k >= l->vectors) continue;
        if (sum) sum[k] += log(length);
        most = fmax(most, fabs(log(length)));
    }
    if (bundle_set(m, bundle_time(m), l->x, l->q) != KEEL_OK) bundle_failed(l);
    return most;
}

/* The vectors are made orthonormal anew once the longest has grown by a few powers of e: never later than the
 * fastest growth so far needs for eight of them.  The first stretches are short, since nothing is known. */
static void run_blocks(keel_lyapunov *l, double t0, double from, double to,
                       const keel_lyapunov_options *with) {
    double t = t0, h = 1e-6 * (to - t0) / 4096, fastest = 0;
    l->from = from;
    l->length = (to - from) / BLOCKS;
    for (int b = -1; b < BLOCKS && l->status == KEEL_OK; b++) { /* -1: the transient */
        double end = b < 0 ? from : from + (b + 1) * l->length;
        while ((end - t) * h > 0 && l->status == KEEL_OK) {
            double next = fabs(end - t) <= 1.5 * fabs(h) ? end : t + h;
            double most = stretch(l, next, b < 0 ? NULL : l->block + (size_t)b * (size_t)l->bundle.r);
            fastest = fmax(fastest, most / fabs(next - t));
            t = next;
            if (most > 6) h /= 2;
            else if (most < 1 && fabs(h) < 0.5 * fabs(l->length) && 2 * fabs(h) * fastest < 8) h *= 2;
            if (with->progress) with->progress((t - t0) / (to - t0), with->user);
        }
        if (b >= 0 && l->status == KEEL_OK) l->blocks++;
    }
}

/* Mean and standard error of the blocks, of a sum over vectors from .. to. */
static keel_exponent of_blocks(const keel_lyapunov *l, int from, int to) {
    double mean = 0, square = 0;
    for (int b = 0; b < l->blocks; b++) {
        double sum = 0;
        for (int k = from; k < to; k++)
            sum += l->block[(size_t)b * (size_t)l->bundle.r + (size_t)k] / l->length;
        mean += sum / l->blocks;
    }
    for (int b = 0; b < l->blocks; b++) {
        double sum = 0;
        for (int k = from; k < to; k++)
            sum += l->block[(size_t)b * (size_t)l->bundle.r + (size_t)k] / l->length;
        square += (sum - mean) * (sum - mean);
    }
    return (keel_exponent){mean, sqrt(square / l->blocks / (l->blocks - 1))};
}

static int descending(const void *a, const void *b) {
    double x = ((const struct ranked *)a)->mean.value, y = ((const struct ranked *)b)->mean.value;
    return (x < y) - (x > y);
}

static keel_status run(keel_lyapunov *l, const keel_model *model, const keel_options *o,
                       const keel_lyapunov_options *with) {
    struct bundle *m = &l->bundle;
    double t0, to;
    if (bundle_open(m, model, o) != KEEL_OK) return bundle_failed(l);
    if (!reserve(l)) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    keel_model_span(model, &t0, &to);
    if (with->t_end != 0) to = with->t_end;
    double transient = with->transient > 0 ? with->transient : 0.1 * fabs(to - t0);
    if (!(transient < fabs(to - t0)))
        return lyapunov_fail(l, KEEL_EINVAL, "the transient is as long as the run: nothing is left to count");
    bundle_get(m, l->x, l->q);
    if (bundle_slopes(m) != KEEL_OK) return bundle_failed(l);
    if (!split(l)) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    if (bundle_set(m, bundle_time(m), l->x, l->q) != KEEL_OK) return bundle_failed(l);
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
    free(l->x);
    free(l->exponent);
    free(l);
}
