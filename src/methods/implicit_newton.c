/* implicit_newton.c - the stages by simplified Newton: (E - h A x J) dZ = A K(Z) - E Z, E = 1 for x' = f.
 *
 * With A = T D T^-1 the system falls into one real system of order n for each real eigenvalue of A and one
 * of order 2n for each complex pair (Butcher 1976; Hairer, Wanner, Solving ODEs II, IV.8).  J and the
 * factors are kept from step to step.  With tolerances the iteration stops as in that book; without, at
 * round-off. */
#include "methods/implicit_rk.h"

#include "base/portable.h"
#include "linalg/dense.h"
#include "linalg/shifted.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define INEXACT 0.02 /* of what may be left: what a solve by iteration may leave */

/* Real matrices come first, as in the tables. */
static void count_blocks(const struct implicit_table *table, int *real, int *complex) {
    int reals = 0;
    for (int b = 0; b < table->blocks; b++) reals += table->imaginary[b] == 0;
    *real = reals > *real ? reals : *real;
    *complex = table->blocks - reals > *complex ? table->blocks - reals : *complex;
}

void implicit_newton_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    const struct implicit_method *method = w->stepper->table;
    struct implicit_rk *m = w->method;
    size_t n = (size_t)m->n;
    int complex = 0, most = 0;
    m->real = 0;
    for (int i = 0; i < method->count; i++) {
        count_blocks(&m->table[i], &m->real, &complex);
        most = m->table[i].s > most ? m->table[i].s : most;
    }
    m->turned = keel_work_doubles(w, (size_t)most * n);
    if (!m->system) {
        m->newton = keel_newton_layout(p, o, w, m->real, complex);
        m->beside = keel_newton_beside(w, m->newton);
        m->units = keel_work_doubles(w, n);
        return;
    }
    size_t numbers = m->system->sparse(w, m->real, complex);
    m->sparse = numbers > 0;
    m->jacobian = keel_work_doubles(w, m->sparse ? numbers : n * n);
    m->jacobian_beside = keel_work_doubles(w, m->sparse ? numbers : n * n);
    if (m->sparse) return;
    m->lu = keel_work_doubles(w, ((size_t)m->real + 4 * (size_t)complex) * n * n);
    m->pivot = keel_work_doubles(w, ((size_t)m->real + 2 * (size_t)complex) * n);
}

int implicit_rate(double t, const double *x, double *out, void *context) {
    keel_work *w = context;
    const struct implicit_rk *m = w->method;
    return m->system ? m->system->rhs(w, t, x, out) : keel_rhs(w, t, x, out);
}

keel_status implicit_rates(keel_work *w, const keel_attempt *a, const struct implicit_table *table) {
    const struct implicit_rk *m = w->method;
    keel_implicit shape = implicit_shape(table);
    keel_implicit_room room = implicit_room(w);
    return (keel_status)keel_implicit_rates(&shape, &room, implicit_rate, w, a->t, a->h, m->from, a->f);
}

double implicit_size(const keel_work *w, int stages, const double *v) {
    const struct implicit_rk *m = w->method;
    const double *scale = m->scale;
    double sum = 0, largest = 0;
    int n = w->n;
    for (int i = 0; i < stages; i++, v += m->width)
        for (int c = 0; c < n; c++) {
            double ratio = fabs(v[c]) / scale[c];
            sum += ratio * ratio;
            largest = ratio > largest || isnan(ratio) ? ratio : largest;
        }
    return w->rtol > 0 ? sqrt(sum / (stages * (double)w->n)) : largest;
}

/* The number of block b among the matrices. */
static int number_of(const keel_work *w, const struct implicit_table *table, int b) {
    const struct implicit_rk *m = w->method;
    int complex = 0;
    for (int k = 0; k < b; k++) complex += table->imaginary[k] != 0;
    return table->imaginary[b] != 0 ? m->real + complex : b;
}

static double *lu_of(const struct implicit_rk *m, int number, int **pivot) {
    int complex = number > m->real ? number - m->real : 0;
    *pivot = (int *)m->pivot + (long)(number + complex) * m->n;
    return m->lu + (long)(number + 3 * complex) * m->n * m->n;
}

/* Block b of a system, E - h D x J, whose matrices are its own. */
static keel_status factor_system(keel_work *w, const double *jacobian, int number, double real,
                                 double imaginary) {
    const struct implicit_rk *m = w->method;
    int *pivot;
    keel_work_count(w, 1, 0);
    if (m->sparse) return m->system->factor(w, jacobian, number, real, imaginary);
    const struct shifted s = {m->n, w->n, m->row_factor, NULL};
    double *lu = lu_of(m, number, &pivot);
    return shifted_lu(&s, real, imaginary, jacobian, lu, pivot, w->halt) ? KEEL_RETRY : KEEL_OK;
}

/* The blocks of E - h D x J, by J or the one beside it.  D acts on pairs as real - i imaginary. */
static keel_status factor(keel_work *w, const struct implicit_table *table, double h, int beside) {
    struct implicit_rk *m = w->method;
    keel_status status = KEEL_OK;
    for (int b = 0; b < table->blocks && status == KEEL_OK; b++) {
        double real = h * table->real[b], imaginary = -h * table->imaginary[b];
        int number = number_of(w, table, b);
        if (!m->system)
            status = keel_newton_factor(w, beside ? m->beside : m->newton, number, real, imaginary);
        else status = factor_system(w, beside ? m->jacobian_beside : m->jacobian, number, real, imaginary);
    }
    return status;
}

/* (1 - c J)^-1 v.  Where it goes by iteration, with tolerances, what it leaves is no more than a part of what
 * Newton's method leaves in s stages; s = 0: of the tolerance itself. */
static void solve_near(const keel_work *w, int number, double *v, double *imaginary, int s) {
    const struct implicit_rk *m = w->method;
    if (!(w->rtol > 0) || !keel_newton_iterates(w, m->newton, number)) {
        keel_newton_solve(w, m->newton, number, v, imaginary);
        return;
    }
    double enough = s ? implicit_newton_enough(w, s) : 1 / m->wide;
    for (int c = 0; c < w->n; c++) m->units[c] = 1 / m->scale[c];
    keel_newton_solve_near(w, m->newton, number, v, imaginary, m->units, INEXACT * enough);
}

/* v, of order n or 2n, by the factors of block b. */
static void solve_block(const keel_work *w, const struct implicit_table *table, int b, double *v) {
    const struct implicit_rk *m = w->method;
    int paired = table->imaginary[b] != 0, number = number_of(w, table, b), *pivot;
    if (!m->system) {
        solve_near(w, number, v, paired ? v + m->n : NULL, table->s);
        return;
    }
    if (m->sparse) {
        m->system->solve(w, number, v, paired ? v + m->n : NULL);
        return;
    }
    double *lu = lu_of(m, number, &pivot);
    dense_lu_solve(paired ? 2 * m->n : m->n, lu, pivot, v);
}

/* Has a copied solver lost the factors?  Dense ones lie in its block. */
static int has_factors(const keel_work *w, const struct implicit_table *table) {
    const struct implicit_rk *m = w->method;
    for (int b = 0; b < table->blocks && m->sparse; b++)
        if (!m->system->stands(w, number_of(w, table, b))) return 0;
    return 1;
}

void implicit_newton_filter(const keel_work *w, double *v) {
    const struct implicit_rk *m = w->method;
    if (m->sparse) m->system->solve(w, 0, v, NULL);
    else if (m->system) dense_lu_solve(m->n, m->lu, (const int *)m->pivot, v);
    else solve_near(w, 0, v, NULL, 0);
}

/* Matrices over the stages ------------------------------------------------------------------------------ */

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* out_ic := sum_j w_ij in_jc, i, j < s, c < count; rows lie `from` and `to` numbers apart.  Components go two
 * at a time. */
static inline __attribute__((always_inline)) void combine_all(const double (*w)[IMPLICIT_STAGES], int s,
                                                              int count, const double *in, int from,
                                                              double *out, int to) {
    int c = 0;
    for (; c + 2 <= count; c += 2) {
        pair stage[IMPLICIT_STAGES];
        for (int j = 0; j < s; j++) stage[j] = *(const pair *)(in + (long)j * from + c);
        for (int i = 0; i < s; i++) {
            pair sum = w[i][0] * stage[0];
            for (int j = 1; j < s; j++) sum += w[i][j] * stage[j];
            *(pair *)(out + (long)i * to + c) = sum;
        }
    }
    for (int i = 0; i < s && c < count; i++) {
        double sum = w[i][0] * in[c];
        for (int j = 1; j < s; j++) sum += w[i][j] * in[(long)j * from + c];
        out[(long)i * to + c] = sum;
    }
}

/* Numbers of stages as constants leave no loops. */
static void combine(const double (*w)[IMPLICIT_STAGES], int s, int count, const double *in, int from,
                    double *out, int to) {
    switch (s) {
    case 3:
        combine_all(w, 3, count, in, from, out, to);
        break;
    case 5:
        combine_all(w, 5, count, in, from, out, to);
        break;
    case 7:
        combine_all(w, 7, count, in, from, out, to);
        break;
    default:
        combine_all(w, s, count, in, from, out, to);
    }
}

/* dZ of the residual, into m->moved: T (E - h D x J)^-1 T^-1. */
static void solve(const keel_work *w, const struct implicit_table *table) {
    const struct implicit_rk *m = w->method;
    int n = m->n, s = table->s, at = 0;
    combine(table->t_inverse, s, n, m->residual, m->width, m->turned, n);
    for (int b = 0; b < table->blocks; b++) {
        solve_block(w, table, b, m->turned + (long)at * n);
        at += table->imaginary[b] != 0 ? 2 : 1;
    }
    combine(table->t, s, n, m->turned, n, m->moved, m->width);
    for (int i = 0; i < s; i++)
        for (int c = n; c < m->width; c++) m->moved[(long)i * m->width + c] = 0;
}

/* residual = A K - E Z */
static void find_residual(const keel_work *w, const struct implicit_table *table) {
    const struct implicit_rk *m = w->method;
    int s = table->s, width = m->width;
    combine(table->a, s, width, m->k, width, m->residual, width);
    for (int i = 0; i < s; i++) {
        double *residual = m->residual + (long)i * width;
        const double *z = m->z + (long)i * width;
        for (int c = 0; c < w->n; c++) residual[c] -= z[c];
        for (int c = w->n; c < m->n; c++) residual[c] *= m->row_factor[c - w->n];
        for (int c = m->n; c < width; c++) residual[c] = 0;
    }
}

/* Newton's iteration ------------------------------------------------------------------------------------ */

/* How one iteration went: the stages are there, go on, or give up. */
enum verdict { ARRIVED, GO_ON, GIVE_UP };

static double tolerance_of_estimate(const keel_work *w, int s) {
    return 0.1 * portable_power(w->rtol, (s + 1.0) / (2.0 * s));
}

/* The round-off of x in terms of the tolerance of the estimate. */
static double round_off(const keel_work *w, int s) {
    return DBL_EPSILON / tolerance_of_estimate(w, s);
}

/* What may be left, at the rate of convergence seen. */
double implicit_newton_enough(const keel_work *w, int s) {
    const struct implicit_rk *m = w->method;
    double expm = (s + 1.0) / (2.0 * s);
    double enough =
        fmax(10 * round_off(w, s), fmin(0.03, portable_power(tolerance_of_estimate(w, s), 1 / expm - 1)));
    return m->system ? 0.1 * enough : enough;
}

/* To a fraction of the tolerance, or until the rest is lost in it at this rate of convergence.  Changes that
 * shrink no more have met round-off if they are as small as that; with multipliers see `weigh`. */
static enum verdict control_tolerance(struct implicit_memory *memory, int s, int round, int known,
                                      double size, double rate, double least_rate, double enough,
                                      double least) {
    int most = 7 + (s - 3) * 5 / 2, left = most - 1 - round;
    enum verdict stalled = size <= fmax(10 * least, known > 2 ? enough : 0) ? ARRIVED : GIVE_UP;
    memory->shrink = 0.5;
    if (known > 2 && !isfinite(size)) return GIVE_UP;
    if (round >= known) {
        memory->rate = rate;
        if (!(rate < 0.99)) return stalled;
        rate = fmax(rate, least_rate);
        memory->contraction = rate / (1 - rate);
        double at_end = memory->contraction * size * portable_power(rate, left) / enough;
        if (at_end >= 1) {
            memory->shrink = 0.8 * portable_power(fmax(1e-4, fmin(20, at_end)), -1.0 / (4 + left));
            return stalled;
        }
    }
    if ((round >= known || (round == known - 1 && size <= 1)) && memory->contraction * size <= enough)
        return ARRIVED;
    return round >= most ? stalled : GO_ON;
}

/* Until what is left, at this rate of convergence, is below round-off, or nothing is gained any more. */
static enum verdict control_round_off(struct implicit_memory *memory, int round, double size, int idle,
                                      double rate) {
    memory->rate = round > 1 ? rate : 0;
    if (!isfinite(size)) return GIVE_UP;
    if (size <= DBL_EPSILON) return ARRIVED;
    if (round > 1 && rate < 0.5 && size * rate / (1 - rate) <= 0.1 * DBL_EPSILON) return ARRIVED;
    if (keel_implicit_arrived(size, idle)) {
        memory->rate = 0;
        return ARRIVED;
    }
    return round > 40 || idle > 3 || (round > 6 && rate > 0.9 && size > KEEL_IMPLICIT_NEAR) ? GIVE_UP : GO_ON;
}

/* The size of m->moved; with tolerances z counts as h f_z dz. */
static keel_status measure(keel_work *w, const keel_attempt *a, int s, double *size) {
    struct implicit_rk *m = w->method;
    keel_status status = KEEL_OK;
    for (int i = 0; i < s && m->system && w->rtol > 0 && status == KEEL_OK; i++) {
        double *moved = implicit_row(m->moved, w, i), *push = implicit_row(m->residual, w, i);
        if (m->sparse) m->system->push(w, a->h, m->jacobian, moved, push);
        for (int c = 0; c < w->n && !m->sparse; c++) {
            push[c] = 0;
            for (int j = w->n; j < m->n; j++) push[c] += a->h * m->jacobian[(long)c * m->n + j] * moved[j];
        }
        status = m->system->filter(w, a, 0, moved);
        if (status == KEEL_OK) status = m->system->filter(w, a, 1, push);
    }
    *size = implicit_size(w, s, m->moved);
    if (m->system && w->rtol > 0) *size = fmax(*size, implicit_size(w, s, m->residual));
    return status;
}

/* Newton with the factors as they stand.  KEEL_OK and *converged 0: it did not. */
static keel_status iterate(keel_work *w, const keel_attempt *a, const struct implicit_table *table,
                           int *converged) {
    struct implicit_rk *m = w->method;
    struct implicit_memory *memory = m->memory;
    int s = table->s, idle = 0;
    double before = HUGE_VAL, smallest = HUGE_VAL, rate_before = 0, first = 0,
           least = w->rtol > 0 ? round_off(w, s) : 0;
    double enough = w->rtol > 0 ? implicit_newton_enough(w, s) : 0, rate_of_last = memory->rate;
    /* The round with a rate.  With multipliers the first change is mostly one of z, and a change of z is felt
     * by x one round later: sizes fall by 1e-4 and 0.2 in turns, so that two rounds make a rate.  With one,
     * positions of a pendulum of index 3 erred by 190 tolerances of 1e-12; with two, by less than 5. */
    int known = m->system ? 3 : 2, single = m->system ? 2 : known;
    *converged = 0;
    memory->contraction = portable_power(fmax(memory->contraction, DBL_EPSILON), 0.8);
    if (!m->system && w->rtol > 0 &&
        memory->last_h > 0) { /* it goes like h times the change of J, which goes like h */
        double longer = fmax(1, a->h / memory->last_h);
        memory->contraction *= longer * longer;
    }
    for (int round = 1;; round++) {
        keel_status status = implicit_rates(w, a, table);
        if (status != KEEL_OK) return status;
        if (w->rtol == 0 && (round == 1 || idle)) keel_implicit_raise(w->n, m->width, s, m->k, m->scale);
        find_residual(w, table);
        solve(w, table);
        keel_work_count(w, 0, 1);
        for (long c = 0; c < (long)s * m->width; c++) m->z[c] += m->moved[c];
        double size;
        status = measure(w, a, s, &size);
        if (status != KEEL_OK) return status;
        /* A change below round-off is known to be that and no more: were the rate believed to be 0, the next
         * step would be content with one round. */
        double rate = round > 1 ? fmax(size, least) / before : 0;
        double mean = round > single ? sqrt(rate * rate_before) : rate;
        /* The first rate may flatter: most of a large first change is linear. */
        double least_rate = !m->system && round == known ? fmin(rate_of_last, 0.1) : 0;
        memory->iterations = round;
        idle = keel_implicit_idle(idle, size, before, &smallest);
        enum verdict verdict =
            w->rtol > 0 ? control_tolerance(memory, s, round, known, size, mean, least_rate, enough, least)
                        : control_round_off(memory, round, size, idle, rate);
        *converged = verdict == ARRIVED;
        if (round == known) first = memory->contraction;
        if (verdict != GO_ON) break;
        before = fmax(size, fmax(DBL_EPSILON, least));
        rate_before = rate;
    }
    /* The next solve may stop after its first change if this is small at the rate known: that of a first
     * change, not of a last one, which is better by far where Newton's matrix is right (x' = -1e5 (x - s(t)),
     * y' = x^2 - y erred by 400 tolerances with it). */
    if (!m->system) memory->contraction = fmax(memory->contraction, first);
    return KEEL_OK;
}

/* K = A^-1 Z: the rates themselves are stiff.  Where A has no inverse, the rates at the stages found. */
static keel_status settle(keel_work *w, const keel_attempt *a, const struct implicit_table *table) {
    struct implicit_rk *m = w->method;
    if (!table->regular) return implicit_rates(w, a, table);
    combine(table->inverse, table->s, m->width, m->z, m->width, m->k, m->width);
    return KEEL_OK;
}

static keel_status find_jacobian(keel_work *w, const keel_attempt *a, const struct implicit_table *table,
                                 int differences, int beside) {
    const struct implicit_rk *m = w->method;
    if (m->system) { /* constraints turn within a step: in the middle, as far as that can be foreseen */
        const double *z = m->residual + ((long)table->s + table->s / 2) * m->width;
        double t = a->t + table->c[table->s / 2] * a->h;
        for (int c = 0; c < m->n; c++) m->stage[c] = m->from[c] + z[c];
        return m->system->jacobian(w, t, m->stage, differences, beside ? m->jacobian_beside : m->jacobian);
    }
    return keel_newton_jacobian(w, beside ? m->beside : m->newton, a->t, a->x, a->f, differences);
}

/* Do both jacobians agree in what concerns x, in terms of the sizes? */
static int jacobians_agree(const keel_work *w) {
    const struct implicit_rk *m = w->method;
    double difference = 0, size = 0, share = 1e-3;
    if (!m->system) return keel_newton_alike(w, m->beside, m->newton, m->scale, share);
    if (m->sparse) return 1; /* the entries are the problem's in either case */
    for (long c = 0; c < (long)w->n * w->n; c++) {
        long i = c / w->n, j = c % w->n, e = i * m->n + j;
        double change = m->scale[j] / m->scale[i];
        difference = fmax(difference, fabs(m->jacobian_beside[e] - m->jacobian[e]) * change);
        size = fmax(size, fabs(m->jacobian_beside[e]) * change);
    }
    return !(difference > share * size);
}

/* A fresh jacobian.  One that does not help three times in a row is compared with
 * differences, and not believed any more if it differs: a wrong one costs time only. */
static keel_status renew(keel_work *w, const keel_attempt *a, const struct implicit_table *table) {
    struct implicit_rk *m = w->method;
    struct implicit_memory *memory = m->memory;
    if (memory->failures >= 3 && memory->distrust == 0 && !a->replay) {
        keel_status status = find_jacobian(w, a, table, 1, 1);
        if (status == KEEL_OK) status = find_jacobian(w, a, table, 0, 0);
        if (status != KEEL_OK) return status;
        memory->distrust = !jacobians_agree(w);
        memory->failures = 0;
    }
    return find_jacobian(w, a, table, memory->distrust != 0, 0);
}

/* A replay of a part of the last step: with its own jacobian if need be, and nothing is kept. */
static keel_status replay_part(keel_work *w, const keel_attempt *a, const struct implicit_table *table,
                               const double *start) {
    struct implicit_rk *m = w->method;
    struct implicit_memory kept = *m->memory;
    size_t bytes = (size_t)table->s * (size_t)m->width * sizeof(double);
    int converged = 0;
    keel_status status = KEEL_OK;
    for (int fresh = kept.jacobian_known == 0; fresh < 2 && !converged && status == KEEL_OK; fresh++) {
        if (fresh) status = find_jacobian(w, a, table, kept.distrust != 0, 1);
        memcpy(m->z, start, bytes);
        if (status != KEEL_OK) break;
        status = factor(w, table, a->h, fresh);
        if (status == KEEL_OK) status = iterate(w, a, table, &converged);
        else if (status == KEEL_RETRY) status = KEEL_OK; /* another jacobian may do */
    }
    *m->memory = kept;
    m->memory->disturbed = 1;
    if (status == KEEL_OK && !converged) status = KEEL_RETRY;
    return status == KEEL_OK ? settle(w, a, table) : status;
}

keel_status implicit_newton(keel_work *w, const keel_attempt *a, const struct implicit_table *table) {
    struct implicit_rk *m = w->method;
    struct implicit_memory *memory = m->memory;
    size_t count = (size_t)table->s * (size_t)m->width;
    double *start = m->residual + count; /* behind the residuals */
    memcpy(start, m->z, count * sizeof(double));
    if (a->replay) return replay_part(w, a, table, start);
    int fresh = memory->jacobian_known == 0 || memory->slow != 0, converged = 0;
    int continued = !a->first && !m->system;
    int nearer = m->system && w->rtol == 0 ? 3 : 0; /* jacobians where the last iteration got to */
    for (;;) {
        if (fresh) memory->jacobian_known = 0; /* what is left of one that has no value is none */
        keel_status status = fresh ? renew(w, a, table) : KEEL_OK;
        if (status != KEEL_OK) return status;
        memory->jacobian_known = 1;
        double h = a->h;
        int as_it_is = !fresh && memory->factored_h == h && memory->factored_choice == memory->choice;
        int lost = as_it_is && memory->disturbed == 0 && !has_factors(w, table);
        if (!as_it_is || memory->disturbed != 0 || lost) {
            memory->factored_h = 0;
            status = factor(w, table, h, 0);
            if (status != KEEL_OK) return status;
            if (lost) keel_work_count(w, -table->blocks, 0); /* a copy counts as what it was copied from */
            memory->factored_h = h;
            memory->factored_choice = memory->choice;
            memory->disturbed = 0;
        }
        memcpy(m->z, start, count * sizeof(double));
        status = iterate(w, a, table, &converged);
        if (status != KEEL_OK) return status;
        if (converged) break;
        if (fresh && w->rtol > 0 && continued) { /* the last step's motion may lead too far: from x itself */
            continued = 0;
            memset(start, 0, count * sizeof(double));
            continue;
        }
        if (fresh && nearer-- <= 0) break;
        if (fresh && isfinite(implicit_size(w, table->s, m->z))) memcpy(start, m->z, count * sizeof(double));
        fresh = 1;
    }
    /* Adaptive steps may settle where every second one fails. */
    memory->failures =
        converged ? fmax(0, memory->failures - (w->rtol > 0 && !m->system ? 0.25 : 3)) : memory->failures + 1;
    memory->slow = !converged || memory->rate > (w->rtol > 0 ? 1e-3 : 0.1);
    if (!converged && w->rtol == 0 && memory->failures < 4 && memory->distrust == 0) {
        memory->failures = 3; /* with a fixed step there is no other chance */
        memcpy(m->z, start, count * sizeof(double));
        keel_status status = renew(w, a, table);
        if (status != KEEL_OK || memory->distrust == 0) return status == KEEL_OK ? KEEL_RETRY : status;
        memory->factored_h = 0;
        return implicit_newton(w, a, table);
    }
    return converged ? settle(w, a, table) : KEEL_RETRY;
}
