/* multipliers.c - steps with multipliers in them: the stabilizers symmetric and
 * coupled.
 *
 * symmetric (Hairer 2000; Ascher, Reich 1999; Hairer, Lubich, Wanner, Geometric
 * Numerical Integration, V.4.1): x~ = x_n + D(x_n) mu,   y = Phi_h(x~),   x_n+1
 * = y + D(x_n+1) mu,   c(x_n+1) = 0,   D = W^-1 G^T. Exchanging the two ends
 * and the sign of h (and of mu) gives the same equations, so a symmetric Phi
 * stays symmetric, with any D that is a function of the point alone: the
 * weights W are frozen when a run begins.
 *
 * coupled: the method is given x' = f(t,x) + D(x) mu / h with mu constant over
 * the step, and c(x_n+1) = 0. mu is of the size of the local error, so the
 * order stays; a symmetric method stays symmetric; where the end is a stage
 * (Radau IIA) it meets the rows as one.
 *
 * Both are solved for mu alone, around the method's attempt: z, the end found
 * with this mu, is projected to x, and D(x)^+ (x - z) is what mu lacks: half of
 * it for symmetric, since mu acts at both ends.  That would contract like O(h);
 * Broyden's update makes it faster, and the matrix goes on from step to step.
 * The end has arrived when z itself meets the rows in round-off units, so that
 * the projection moves it by no more than that; with tolerances, when it moves
 * it by a thousandth of them. */
#include "core/engine.h"

#include <math.h>
#include <string.h>

/* A noisy field moves the end by more than round-off however mu is chosen: so
 * much is left to the projection, if nothing is gained any more. */
#define NOISE_UNITS 4e6
enum { ROUNDS = 40 };

int multipliers_apply(const struct engine *e) {
    keel_preserve preserve = e->manifold.preserve;
    return (preserve == KEEL_SYMMETRIC || preserve == KEEL_COUPLED) && e->manifold.kept > 0;
}

void multipliers_layout(struct engine *e) {
    struct multipliers *u = &e->multipliers;
    struct arena *a = &e->arena;
    keel_preserve preserve = e->manifold.preserve;
    if (preserve != KEEL_SYMMETRIC && preserve != KEEL_COUPLED) return;
    size_t rows = (size_t)e->rows.count, vector = (size_t)(e->field.n + e->field.m + 7) / 4 * 4;
    manifold_normals_layout(&u->begin, &e->manifold, a);
    manifold_normals_layout(&u->end, &e->manifold, a);
    u->known_h = arena_doubles(a, 1);
    u->known = arena_doubles(a, rows + 1);
    u->known_inverse = arena_doubles(a, rows * rows + 1);
    u->mu = arena_doubles(a, rows + 1);
    u->inverse = arena_doubles(a, rows * rows + 1);
    u->lack = arena_doubles(a, rows + 1);
    u->lack_before = arena_doubles(a, rows + 1);
    u->change = arena_doubles(a, rows + 1);
    u->image = arena_doubles(a, rows + 1);
    u->row = arena_doubles(a, rows + 1);
    u->x = arena_doubles(a, vector);
    u->f = arena_doubles(a, vector);
    u->shift = arena_doubles(a, vector);
    u->move = arena_doubles(a, vector);
    u->at = arena_doubles(a, vector);
    u->h = 0;
    if (preserve == KEEL_SYMMETRIC) return;
    e->work.rate = multipliers_rate;
    e->work.context = e;
}

/* What coupled gives to the method. */
int multipliers_rate(double t, const double *x, double *dx, void *engine) {
    struct engine *e = engine;
    struct field *fd = &e->field;
    struct multipliers *u = &e->multipliers;
    int code = fd->rate(t, x, dx, fd->context);
    if (code != 0 || u->h == 0) return code;
    memcpy(u->at, x, (size_t)fd->n * sizeof *x);
    memcpy(u->at + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    keel_status status = manifold_normals(&e->manifold, &u->end, t, u->at);
    if (status != KEEL_OK) return status > 0 ? 1 : -1;
    manifold_normals_add(&e->manifold, &u->end, 1 / u->h, u->mu, dx);
    return 0;
}

static double share_of(const struct engine *e) {
    return e->manifold.preserve == KEEL_SYMMETRIC ? 0.5 : 1;
}

static void forget_inverse(const struct engine *e) {
    int k = e->manifold.kept;
    for (int i = 0; i < k * k; i++) e->multipliers.inverse[i] = i % (k + 1) == 0 ? share_of(e) : 0;
}

/* mu is O(h^(order + 1)): the last step's tells this one's; after a long
 * stretch it says nothing. */
static void predict(struct engine *e, const keel_attempt *a) {
    struct multipliers *u = &e->multipliers;
    int k = e->manifold.kept;
    double ratio = u->known_h[0] != 0 && !a->first ? fabs(a->h / u->known_h[0]) : 0;
    double factor = ratio > 1.5 ? 0 : pow(ratio, e->stepper->info.order + 1);
    for (int i = 0; i < k; i++) u->mu[i] = factor == 0 ? 0 : factor * u->known[i];
    if (ratio == 0) forget_inverse(e);
    else memcpy(u->inverse, u->known_inverse, (size_t)k * (size_t)k * sizeof *u->inverse);
}

/* row := D^T D change, in sizes of the states: lengths as displacements have
 * them, whatever the directions. */
static void to_lengths(struct engine *e, double *row) {
    struct multipliers *u = &e->multipliers;
    int k = e->manifold.kept, n = e->field.n;
    memset(u->shift, 0, (size_t)n * sizeof *u->shift);
    manifold_normals_add(&e->manifold, &u->begin, 1, u->change, u->shift);
    for (int j = 0; j < n; j++) u->shift[j] /= e->field.size[j] * e->field.size[j];
    for (int i = 0; i < k; i++) {
        row[i] = 0;
        for (int j = 0; j < n; j++) row[i] += u->begin.column[(long)i * n + j] * u->shift[j];
    }
}

/* Broyden's update of H after change = H lack_before; lack_before and image are
 * overwritten. */
static void update_inverse(struct engine *e) {
    struct multipliers *u = &e->multipliers;
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
    for (int i = 0; i < k; i++) u->lack_before[i] = (u->change[i] + u->image[i]) / along;
    for (int j = 0; j < k; j++) {
        u->image[j] = 0;
        for (int i = 0; i < k; i++) u->image[j] += row[i] * u->inverse[(long)i * k + j];
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) u->inverse[(long)i * k + j] -= u->lack_before[i] * u->image[j];
}

/* The method's attempt with mu, into x_new.  D at the end is that of the last
 * round, or first that of y. */
static keel_status attempt(struct engine *e, keel_attempt *a, int from, double t_new, int round,
                           double *x_new, double *low_new) {
    struct multipliers *u = &e->multipliers;
    struct field *fd = &e->field;
    const double *x = e->x[from];
    int n = fd->n;
    memset(u->shift, 0, (size_t)fd->width * sizeof *u->shift);
    manifold_normals_add(&e->manifold, &u->begin, 1, u->mu, u->shift);
    if (e->manifold.preserve == KEEL_COUPLED) {
        for (int j = 0; j < fd->width; j++) u->f[j] = e->f[from][j] + u->shift[j] / a->h;
        a->f = u->f;
        u->h = a->h;
        keel_status status = step_propose(e, a, from, NULL, x_new, low_new);
        u->h = 0;
        return status;
    }
    memcpy(u->x, x, (size_t)(n + fd->m) * sizeof *x);
    for (int j = 0; j < n; j++) u->x[j] += u->shift[j];
    keel_status status = e->stepper->no_rate ? KEEL_OK : field_rate(fd, a->t, u->x, u->f);
    if (status != KEEL_OK) return status;
    a->x = u->x;
    a->f = u->f;
    status = step_propose(e, a, from, u->shift, x_new, low_new);
    if (fd->m) memcpy(x_new + n, fd->y, (size_t)fd->m * sizeof *x_new);
    if (status == KEEL_OK && round == 0) status = manifold_normals(&e->manifold, &u->end, t_new, x_new);
    if (status != KEEL_OK) return status;
    memset(u->move, 0, (size_t)fd->width * sizeof *u->move);
    manifold_normals_add(&e->manifold, &u->end, 1, u->mu, u->move);
    manifold_move(x_new, low_new, n, u->move);
    return KEEL_OK;
}

/* mu goes on by H times what it lacks. */
static keel_status improve(struct engine *e, double t, const double *x_new, int learn) {
    struct multipliers *u = &e->multipliers;
    int k = e->manifold.kept;
    keel_status status = manifold_normals(&e->manifold, &u->end, t, x_new);
    if (status != KEEL_OK) return status;
    manifold_normals_coefficients(&e->manifold, &u->end, u->move, u->lack);
    if (learn) update_inverse(e);
    for (int i = 0; i < k; i++) {
        u->change[i] = 0;
        for (int j = 0; j < k; j++) u->change[i] += u->inverse[(long)i * k + j] * u->lack[j];
        u->mu[i] += u->change[i];
    }
    memcpy(u->lack_before, u->lack, (size_t)k * sizeof *u->lack);
    return KEEL_OK;
}

static int all_zero(int count, const double *v) {
    for (int i = 0; i < count; i++)
        if (v[i] != 0) return 0;
    return 1;
}

static keel_status refuse(struct engine *e, double t, int row, double units) {
    return field_fault(&e->field, KEEL_RETRY, KEEL_EPROJECT,
                       "the multipliers of the step to t = %.10g do not settle: "
                       "`%s` still moves by %.3g "
                       "round-off units",
                       t, rows_name(&e->rows, row), units);
}

/* The last correction is a thousandth of the tolerances. */
static int within_tolerance(const struct engine *e, const double *x, const double *x_new) {
    return e->o.step == 0 && control_norm(e, e->multipliers.move, x, x_new) <= 1e-3;
}

keel_status multipliers_step(struct engine *e, keel_attempt *a, int from, double t_new, double *x_new,
                             double *low_new) {
    struct multipliers *u = &e->multipliers;
    struct manifold *m = &e->manifold;
    struct field *fd = &e->field;
    int n = fd->n, row = 0, idle = 0;
    double before = HUGE_VAL, near = fmin(1, m->units);
    m->tau = fabs(a->h);
    keel_status status = manifold_normals(m, &u->begin, a->t, e->x[from]);
    predict(e, a);
    for (int round = 0; status == KEEL_OK; round++) {
        status = attempt(e, a, from, t_new, round, x_new, low_new);
        if (status != KEEL_OK) break;
        if (round == 0 && a->error[0] && control_raw(e, x_new) > STEP_HOPELESS) break;
        memcpy(x_new + n, fd->y, (size_t)fd->m * sizeof *x_new);
        status = rows_residual(fd, &e->rows, t_new, x_new, m->residual);
        double worst = manifold_worst(m, &row);
        if (status != KEEL_OK) break;
        int settled = manifold_settled(m), at_the_end = round > 0 || all_zero(m->kept, u->mu);
        memcpy(u->at, x_new, (size_t)n * sizeof *x_new);
        status = manifold_correct(m, t_new, x_new, low_new);
        if (status != KEEL_OK) break;
        for (int j = 0; j < n; j++) u->move[j] = x_new[j] - u->at[j];
        if (at_the_end && (worst <= near || within_tolerance(e, e->x[from], x_new))) break;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        int enough = worst <= m->units || (idle >= 2 && settled) || (idle >= 4 && worst < NOISE_UNITS);
        if ((idle && at_the_end && enough) || (round == ROUNDS && settled)) break;
        if (round == ROUNDS || isnan(worst)) return refuse(e, t_new, row, worst);
        if (worst > 100 * before) forget_inverse(e);
        status = improve(e, t_new, x_new, round > 0 && worst < 100 * before && before > 1e3);
        before = worst;
    }
    return status;
}

void multipliers_accept(struct engine *e) {
    struct multipliers *u = &e->multipliers;
    size_t k = (size_t)e->manifold.kept;
    u->known_h[0] = e->r->h_taken;
    memcpy(u->known, u->mu, k * sizeof *u->mu);
    memcpy(u->known_inverse, u->inverse, k * k * sizeof *u->inverse);
}
