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
#include "base/text.h"

#include <keel/lyapunov.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 32, NAMES = 16, NAME = 120 };

struct keel_lyapunov {
    keel_status status;
    char message[TEXT_SENTENCE];
    int n, r;      /* states of the model; directions */
    int vectors;   /* r less the invariants: those that count; behind them one across each level set */
    int *place;    /* [n * r] of dx_j/dp_k among the unknowns, by state */
    double *q, *u; /* [n * r] the vectors, one behind the other; the unknowns */
    double *block; /* [BLOCKS * r] sums of logarithms */
    double length; /* of a block */
    int blocks;    /* that are complete */
    char name[NAMES][NAME];   /* of the invariants */
    int names, *row;          /* [names * r] their derivatives among the rows of the certificate */
    double *slope, *residual; /* [names * r] their values; of all rows */
    keel_exponent *exponent;  /* [r] */
};

static keel_status lyapunov_fail(keel_lyapunov *l, keel_status status, const char *sentence) {
    text_set(l->message, sizeof l->message, "%s", sentence);
    return l->status = status;
}

/* Vectors ----------------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* v less its parts along count orthonormal vectors, twice, since once is not enough; its length, then 1. */
static double orthonormal(int n, int count, const double *basis, double *v) {
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < count; k++) {
            const double *b = basis + (size_t)k * (size_t)n;
            double part = dot(n, b, v);
            for (int i = 0; i < n; i++) v[i] -= part * b[i];
        }
    double length = sqrt(dot(n, v, v));
    for (int i = 0; i < n && length > 0; i++) v[i] /= length;
    return length;
}

static void read_vectors(const keel_lyapunov *l, const double *u) {
    for (int k = 0; k < l->r; k++)
        for (int j = 0; j < l->n; j++) l->q[k * l->n + j] = u[l->place[k * l->n + j]];
}

static keel_status write_vectors(keel_lyapunov *l, keel_sim *s) {
    keel_solver *solver = keel_sim_solver(s);
    for (int k = 0; k < l->r; k++)
        for (int j = 0; j < l->n; j++) l->u[l->place[k * l->n + j]] = l->q[k * l->n + j];
    keel_status status = keel_restart(solver, keel_time(solver), l->u);
    return status < 0 ? lyapunov_fail(l, status, keel_message(solver)) : KEEL_OK;
}

static void take_state(keel_lyapunov *l, keel_sim *s, const keel_problem *p) {
    memcpy(l->u, keel_state(keel_sim_solver(s)), (size_t)(p->n + p->m) * sizeof *l->u);
    read_vectors(l, l->u);
}

/* Opening ----------------------------------------------------------------------------------------------- */

static int find_places(keel_lyapunov *l, const keel_model *m, const keel_problem *p, int rows) {
    int *state = calloc((size_t)p->n + 1, sizeof *state); /* by unknown, its number among the model's own */
    keel_sensitivity one;
    for (int i = 0; i < p->n && state; i++)
        if (keel_model_sensitivity(m, i, &one)) l->r = one.direction >= l->r ? one.direction + 1 : l->r;
        else state[i] = l->n++;
    size_t all = (size_t)l->n * (size_t)l->r + 1;
    l->place = malloc(all * sizeof *l->place);
    l->q = calloc(all, sizeof *l->q);
    l->u = calloc((size_t)(p->n + p->m) + 1, sizeof *l->u);
    l->block = calloc((size_t)BLOCKS * (size_t)l->r + 1, sizeof *l->block);
    l->exponent = calloc((size_t)l->r + 1, sizeof *l->exponent);
    l->row = calloc((size_t)NAMES * (size_t)l->r + 1, sizeof *l->row);
    l->slope = calloc((size_t)NAMES * (size_t)l->r + 1, sizeof *l->slope);
    l->residual = calloc((size_t)rows + 1, sizeof *l->residual);
    int good =
        state && l->place && l->q && l->u && l->block && l->exponent && l->row && l->slope && l->residual;
    for (int i = 0; i < p->n && good; i++)
        if (keel_model_sensitivity(m, i, &one)) l->place[one.direction * l->n + state[one.of]] = i;
    free(state);
    return good;
}

/* The number of a row of the certificate; -1: there is none of this name. */
static int row_named(const keel_solver *s, const char *name) {
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (strcmp(row.name, name) == 0) return i;
    return -1;
}

/* The invariants with their derivatives in all directions: rows of the certificate. */
static void find_invariants(keel_lyapunov *l, const keel_model *m, const keel_solver *s) {
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row) && l->names < NAMES && l->names < l->r; i++) {
        int *at = l->row + (size_t)l->names * (size_t)l->r, all = 1;
        if ((row.kind != KEEL_ROW_ENERGY && row.kind != KEEL_ROW_INVARIANT) ||
            row.treatment == KEEL_ROW_VARYING)
            continue;
        for (int k = 0; k < l->r && all; k++) {
            char name[2 * NAME];
            text_set(name, sizeof name, "d/d%.100s %.100s", keel_model_direction(m, k), row.name);
            at[k] = row_named(s, name);
            all = at[k] >= 0; /* a derivative itself has none */
        }
        if (all) text_set(l->name[l->names++], NAME, "%.110s", row.name);
    }
}

/* slope[i * r + k]: what vector k changes invariant i by, as the solver holds it at u. */
static int take_slopes(keel_lyapunov *l, keel_sim *s) {
    keel_solver *solver = keel_sim_solver(s);
    keel_row row;
    if (l->names == 0) return 1;
    if (keel_residuals(solver, keel_time(solver), l->u, l->residual) != KEEL_OK) return 0;
    for (int i = 0; i < l->names * l->r; i++)
        if (keel_row_at(solver, l->row[i], &row)) l->slope[i] = row.start + l->residual[l->row[i]];
    return 1;
}

/* The first vectors as combinations of all that leave the invariants as they are; those behind them, one for
 * each invariant, complete the space.  An invariant whose slopes follow from others is dropped. */
static int split(keel_lyapunov *l) {
    size_t r = (size_t)l->r, n = (size_t)l->n;
    double *basis = calloc(r * r + 1, sizeof *basis), *turned = calloc(n * r + 1, sizeof *turned);
    int normals = 0, count, good = basis && turned;
    for (int i = 0; i < l->names && good; i++) {
        double *v = basis + (size_t)normals * r, size = 0;
        for (size_t k = 0; k < r; k++) size += fabs(v[k] = l->slope[(size_t)i * r + k]);
        if (!(orthonormal(l->r, normals, basis, v) > 1e-10 * size)) continue;
        memmove(l->name[normals], l->name[i], NAME);
        memmove(l->row + (size_t)normals * r, l->row + (size_t)i * r, r * sizeof *l->row);
        normals++;
    }
    l->names = count = normals;
    for (int k = 0; k < l->r && good && count < l->r; k++) {
        double *v = basis + (size_t)count * r;
        memset(v, 0, r * sizeof *v);
        v[k] = 1;
        if (orthonormal(l->r, count, basis, v) > 1e-6) count++;
    }
    l->vectors = l->r - normals;
    for (int c = 0; c < l->r && good; c++) { /* the normals last */
        const double *from = basis + (size_t)((c + normals) % l->r) * r;
        double *to = turned + (size_t)c * n;
        for (size_t k = 0; k < r; k++)
            for (size_t j = 0; j < n; j++) to[j] += l->q[k * n + j] * from[k];
        orthonormal(l->n, c, turned, to);
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
    int count = l->names, r = l->r;
    double *a = l->slope;
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
            for (int j = 0; j < l->n; j++) l->q[k * l->n + j] -= part * l->q[(l->vectors + c) * l->n + j];
        }
}

/* Running ----------------------------------------------------------------------------------------------- */

static keel_status go_to(keel_lyapunov *l, keel_sim *s, double t) {
    keel_status status;
    while ((status = keel_sim_run(s, t)) == KEEL_EVENT) {}
    if (status == KEEL_OK) return KEEL_OK;
    return lyapunov_fail(l, status > 0 ? KEEL_ESTOP : status, keel_sim_message(s));
}

/* One stretch of the motion; sum: of the logarithms, or NULL.  The largest of them. */
static double stretch(keel_lyapunov *l, keel_sim *s, const keel_problem *p, double t, double *sum) {
    double most = 0;
    if (go_to(l, s, t) != KEEL_OK) return 0;
    take_state(l, s, p);
    if (!take_slopes(l, s)) return lyapunov_fail(l, KEEL_EUSER, "an invariant has no value"), 0;
    stay_in_level_sets(l);
    for (int k = 0; k < l->r; k++) {
        double length = orthonormal(l->n, k, l->q, l->q + (size_t)k * (size_t)l->n);
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
    write_vectors(l, s);
    return most;
}

/* The vectors are made orthonormal anew once the longest has grown by a few powers of e: never later than the
 * fastest growth so far needs for eight of them.  The first stretches are short, since nothing is known. */
static void run_blocks(keel_lyapunov *l, keel_sim *s, const keel_problem *p, double t0, double from,
                       double to, const keel_lyapunov_options *with) {
    double t = t0, h = 1e-6 * (to - t0) / 4096, fastest = 0;
    l->length = (to - from) / BLOCKS;
    for (int b = -1; b < BLOCKS && l->status == KEEL_OK; b++) { /* -1: the transient */
        double end = b < 0 ? from : from + (b + 1) * l->length;
        while ((end - t) * h > 0 && l->status == KEEL_OK) {
            double next = fabs(end - t) <= 1.5 * fabs(h) ? end : t + h;
            double most = stretch(l, s, p, next, b < 0 ? NULL : l->block + (size_t)b * (size_t)l->r);
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
        for (int k = from; k < to; k++) sum += l->block[(size_t)b * (size_t)l->r + (size_t)k] / l->length;
        mean += sum / l->blocks;
    }
    for (int b = 0; b < l->blocks; b++) {
        double sum = 0;
        for (int k = from; k < to; k++) sum += l->block[(size_t)b * (size_t)l->r + (size_t)k] / l->length;
        square += (sum - mean) * (sum - mean);
    }
    return (keel_exponent){mean, sqrt(square / l->blocks / (l->blocks - 1))};
}

static int descending(const void *a, const void *b) {
    double x = ((const keel_exponent *)a)->value, y = ((const keel_exponent *)b)->value;
    return (x < y) - (x > y);
}

static keel_status run(keel_lyapunov *l, const keel_model *m, keel_sim *s,
                       const keel_lyapunov_options *with) {
    keel_solver *solver = keel_sim_solver(s);
    keel_mode mode;
    keel_row row;
    double t0, to;
    int rows = 0;
    if (keel_model_modes(m) != 1 || !keel_model_mode(m, 0, &mode))
        return lyapunov_fail(l, KEEL_EINVAL, "a model with modes has other tangent spaces in each of them");
    while (keel_row_at(solver, rows, &row)) rows++;
    if (!find_places(l, m, mode.problem, rows)) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    if (l->r == 0) return lyapunov_fail(l, KEEL_EINVAL, "no start value is free: there is nothing to part");
    keel_model_span(m, &t0, &to);
    if (with->t_end != 0) to = with->t_end;
    double transient = with->transient > 0 ? with->transient : 0.1 * fabs(to - t0);
    if (!(transient < fabs(to - t0)))
        return lyapunov_fail(l, KEEL_EINVAL, "the transient is as long as the run: nothing is left to count");
    take_state(l, s, mode.problem);
    find_invariants(l, m, solver);
    if (!take_slopes(l, s)) return lyapunov_fail(l, KEEL_EUSER, "an invariant has no value at the start");
    if (!split(l)) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory);
    if (write_vectors(l, s) != KEEL_OK) return l->status;
    run_blocks(l, s, mode.problem, t0, to > t0 ? t0 + transient : t0 - transient, to, with);
    for (int k = 0; k < l->vectors && l->status == KEEL_OK; k++) l->exponent[k] = of_blocks(l, k, k + 1);
    qsort(l->exponent, (size_t)l->vectors, sizeof *l->exponent, descending);
    return l->status;
}

keel_lyapunov *keel_lyapunov_run(const keel_model *m, const keel_options *o,
                                 const keel_lyapunov_options *with) {
    static const keel_lyapunov_options usual = {0};
    keel_lyapunov *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    keel_sim *s = keel_sim_open(m, o);
    if (!s) return lyapunov_fail(l, KEEL_ENOMEM, text_no_memory), l;
    if (keel_sim_status(s) < 0) lyapunov_fail(l, keel_sim_status(s), keel_sim_message(s));
    else run(l, m, s, with ? with : &usual);
    keel_sim_close(s);
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
    *out = l->exponent[i];
    return 1;
}

int keel_lyapunov_sum(const keel_lyapunov *l, keel_exponent *out) {
    if (!l || l->status != KEEL_OK || l->vectors == 0) return 0;
    *out = of_blocks(l, 0, l->vectors);
    return 1;
}

const char *keel_lyapunov_left_out(const keel_lyapunov *l, int i) {
    return l && i >= 0 && i < l->names ? l->name[i] : NULL;
}

void keel_lyapunov_close(keel_lyapunov *l) {
    if (!l) return;
    free(l->place);
    free(l->q);
    free(l->u);
    free(l->block);
    free(l->row);
    free(l->slope);
    free(l->residual);
    free(l->exponent);
    free(l);
}
