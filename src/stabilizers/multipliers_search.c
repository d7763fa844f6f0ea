/* multipliers_search.c - mu from step to step of the search: Broyden's method, with Newton behind it.
 *
 * lack(mu) = 0 is to be solved; change = H lack, with H kept up by Broyden's update.  Where that twice in a
 * row does not halve the residual, or makes it larger, or the method cannot make the step with this mu, H is
 * found by differences at the best mu so far, one attempt for each row.  If the step is still too long it
 * is shortened, fourfold each time: a Newton step is a direction of descent. */
#include "stabilizers/multipliers.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A noisy field moves the end by more than round-off however mu is chosen: so much is left to the
 * projection, if nothing is gained any more. */
#define NOISE_UNITS 4e6
#define UNMOVED 1e-2 /* of what mu does without a step */
enum { ATTEMPTS = 80 };

static double share_of(const struct engine *e) {
    return multipliers_of(e)->kind->share;
}

void multipliers_forget(struct engine *e) {
    int k = e->manifold.kept;
    for (int i = 0; i < k * k; i++) multipliers_of(e)->inverse[i] = i % (k + 1) == 0 ? share_of(e) : 0;
}

/* row := D^T D change, in sizes of the states: lengths as displacements have them. */
static void to_lengths(struct engine *e, double *row) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept, n = e->field.n;
    memset(u->shift, 0, (size_t)n * sizeof *u->shift);
    manifold_normals_add(&e->manifold, &u->begin, 1, u->change, u->shift);
    for (int j = 0; j < n; j++) u->shift[j] /= e->field.size[j] * e->field.size[j];
    for (int i = 0; i < k; i++) {
        row[i] = 0;
        for (int j = 0; j < n; j++) row[i] += u->begin.column[(long)i * n + j] * u->shift[j];
    }
}

/* Broyden's update of H for mu = best + change; image and pull are work. */
static void update_inverse(struct engine *e) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept;
    double along = 0, whole = 0, *row = u->row;
    to_lengths(e, row);
    for (int i = 0; i < k; i++) {
        u->image[i] = 0;
        for (int j = 0; j < k; j++)
            u->image[i] += u->inverse[(long)i * k + j] * (u->lack[j] - u->lack_before[j]);
        along += row[i] * u->image[i];
        whole += row[i] * u->change[i];
    }
    if (!(-along > 0.1 * whole && -along < 10 * whole)) return; /* not what mu does: far away, or noise */
    double *pull = u->matrix;
    for (int j = 0; j < k; j++) {
        pull[j] = 0;
        for (int i = 0; i < k; i++) pull[j] += row[i] * u->inverse[(long)i * k + j];
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            u->inverse[(long)i * k + j] -= (u->change[i] + u->image[i]) / along * pull[j];
}

/* How far mu_j is moved for a difference: the root of what an attempt leaves open, in sizes of the states. */
static double difference(const struct engine *e, int j) {
    const double *column = multipliers_of(e)->begin.column + (long)j * e->field.n;
    double noise = e->o.step > 0 ? DBL_EPSILON : fmax(DBL_EPSILON, 0.1 * e->o.rtol), length = 0;
    for (int i = 0; i < e->field.n; i++) length = fmax(length, fabs(column[i]) / e->field.size[i]);
    return length > 0 ? sqrt(noise) / length : 0;
}

/* matrix := -d lack / d mu at the best mu, in units of the differences: 1 / share, but for O(h).  0: an
 * attempt failed; below 0: for good. */
static int differentiate(struct engine *e, const struct multipliers_aim *to, struct multipliers_search *s) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept;
    for (int j = 0; j < k; j++) {
        double delta = difference(e, j);
        memcpy(u->mu, u->best, (size_t)k * sizeof *u->mu);
        u->mu[j] += delta;
        keel_status status = delta > 0 ? multipliers_try(e, to, 1) : KEEL_OK;
        s->attempts++;
        if (status != KEEL_OK) return status < 0 ? status : 0;
        for (int i = 0; i < k; i++) {
            double unit = difference(e, i);
            u->matrix[(long)i * k + j] = delta > 0 && unit > 0 ? -(u->lack[i] - u->lack_before[i]) / unit : 0;
        }
    }
    return 1;
}

/* Rows that mu does not move, since they are left out or the method keeps them, stay as they are.  0: the
 * others do not determine mu. */
static int factor_matrix(struct engine *e) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept;
    for (int i = 0; i < k; i++) {
        double *row = u->matrix + (long)i * k, sum = 0;
        for (int j = 0; j < k; j++) sum += fabs(row[j]);
        if (!isfinite(sum)) return 0;
        if (sum >= UNMOVED / share_of(e)) continue;
        memset(row, 0, (size_t)k * sizeof *row);
        row[i] = 1 / share_of(e);
    }
    if (dense_lu(k, u->matrix, u->pivot, e->field.halt)) return 0;
    for (int i = 0; i < k; i++)
        if (fabs(u->matrix[(long)i * k + i]) < UNMOVED / share_of(e)) return 0;
    return 1;
}

/* H := -(d lack / d mu)^-1; where that cannot be had, as without a step.  The status is that of a failure for
 * good. */
static keel_status renew_inverse(struct engine *e, const struct multipliers_aim *to,
                                 struct multipliers_search *s) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept, made = differentiate(e, to, s);
    if (made < 0) return (keel_status)made;
    multipliers_forget(e);
    if (!made || !factor_matrix(e)) return KEEL_OK;
    for (int j = 0; j < k; j++) {
        double *column = u->image, delta = difference(e, j);
        memset(column, 0, (size_t)k * sizeof *column);
        column[j] = 1;
        dense_lu_solve(k, u->matrix, u->pivot, column);
        for (int i = 0; i < k && delta > 0; i++)
            u->inverse[(long)i * k + j] = column[i] * difference(e, i) / delta;
    }
    return KEEL_OK;
}

static keel_status refuse(struct engine *e, double t, int row, double units) {
    return field_fault(&e->field, KEEL_RETRY, KEEL_EPROJECT,
                       "the multipliers of the step to t = %.10g do not settle: `%s` still moves by %.3g "
                       "round-off units",
                       t, rows_name(&e->rows, row), units);
}

/* What is learnt from this attempt: change and H; the best mu, with what it lacks. */
static void learn(struct engine *e, struct multipliers_search *s, double worst) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept;
    for (int i = 0; i < k; i++) u->change[i] = u->mu[i] - u->best[i];
    if (s->best < HUGE_VAL && s->best > 1e3 && worst < 100 * s->best) update_inverse(e);
    s->idle = worst > 0.5 * s->best ? s->idle + 1 : 0;
    if (!s->idle) s->fresh = 0;
    if (!(worst < s->best)) return;
    s->best = worst;
    s->length = 1;
    memcpy(u->best, u->mu, (size_t)k * sizeof *u->mu);
    memcpy(u->lack_before, u->lack, (size_t)k * sizeof *u->lack);
}

/* The best mu, moved by H times what it lacks. */
static void move_on(struct engine *e, double length) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept;
    for (int i = 0; i < k; i++) {
        double sum = 0;
        for (int j = 0; j < k; j++) sum += u->inverse[(long)i * k + j] * u->lack_before[j];
        u->mu[i] = u->best[i] + length * sum;
    }
}

static int all_zero(int count, const double *v) {
    for (int i = 0; i < count; i++)
        if (v[i] != 0) return 0;
    return 1;
}

/* With the predicted mu the method cannot make the step: without any?  If not, it is the method's failure. */
static keel_status begin_without(struct engine *e, keel_status status) {
    struct multipliers *u = multipliers_of(e);
    if (all_zero(e->manifold.kept, u->mu)) return status;
    memset(u->mu, 0, (size_t)e->manifold.kept * sizeof *u->mu);
    multipliers_forget(e);
    return KEEL_OK;
}

keel_status multipliers_next(struct engine *e, const struct multipliers_aim *to, struct multipliers_search *s,
                             keel_status status, double worst, int row) {
    struct multipliers *u = multipliers_of(e);
    struct manifold *m = &e->manifold;
    int made = status == KEEL_OK && isfinite(worst), better = made && worst < s->best;
    s->attempts++;
    if (!made && s->best == HUGE_VAL)
        return begin_without(e, status == KEEL_OK ? refuse(e, to->t_new, row, worst) : status);
    int settled = made && manifold_settled(m);
    if (made) learn(e, s, worst);
    else s->idle++;
    int enough = s->best <= m->units || (s->idle >= 2 && settled) || (s->idle >= 4 && s->best < NOISE_UNITS);
    if (s->idle && enough) {
        s->arrived = made && worst <= 2 * s->best;
        s->last = 1;
        memcpy(u->mu, s->arrived ? u->mu : u->best, (size_t)m->kept * sizeof *u->mu);
        return KEEL_OK;
    }
    if (s->attempts >= ATTEMPTS) return refuse(e, to->t_new, row, s->best);
    if (!s->fresh && (!better || s->idle >= 2)) {
        status = renew_inverse(e, to, s);
        if (status != KEEL_OK) return status;
        s->fresh = 1;
        s->length = 1;
    } else if (!better) s->length *= 0.25;
    move_on(e, s->length);
    return KEEL_OK;
}
