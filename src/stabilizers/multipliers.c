/* multipliers.c - steps with multipliers in them: the stabilizers symmetric and coupled.
 *
 * symmetric (Hairer 2000; Ascher, Reich 1999; Hairer, Lubich, Wanner, Geometric Numerical Integration,
 * V.4.1): x~ = x_n + D(x_n) mu,   y = Phi_h(x~),   x_n+1 = y + D(x_n+1) mu,   c(x_n+1) = 0,   D = W^-1 G^T.
 * Exchanging the two ends and the sign of h (and of mu) gives the same equations, so a symmetric Phi stays
 * symmetric, with any D that is a function of the point alone: the weights W are frozen when a run begins.
 *
 * coupled: the method is given x' = f(t,x) + D(x) mu / h with mu constant over the step, and c(x_n+1) = 0.
 * mu is of the size of the local error, so the order stays; a symmetric method stays symmetric; where the
 * end is a stage (Radau IIA) it meets the rows as one.
 *
 * Both are solved for mu alone, around the method's attempt: with z(mu), the end found with this mu, what mu
 * lacks is -(G D)^-1 c(z), D at z: half of it for symmetric, since mu acts at both ends.  That would contract
 * like O(h); Broyden's update makes it faster, and the matrix goes on from step to step
 * (multipliers_search.c).  The end has arrived when z meets the rows in round-off units, so that the
 * projection that follows moves it by no more than that; with tolerances, when it moves it by a thousandth of
 * them. */
#include "stabilizers/multipliers.h"
#include "core/step_control.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TURNS = 30 }; /* for the end alone: no evaluation of f */

static int refuse_symmetric(const keel_problem *p, const keel_options *o, const keel_stepper *stepper,
                            char *why, size_t capacity) {
    unsigned traits = stepper->info.traits;
    int symmetric = traits & KEEL_SYMMETRIC_STEP && !(traits & KEEL_MULTISTEP);
    (void)p;
    if (!symmetric)
        text_set(why, capacity,
                 "symmetric needs a symmetric one-step method, and %s is none: its steps would not be "
                 "reversible with it either; project goes with any method",
                 stepper->info.name);
    else if (o->step == 0)
        text_set(why, capacity,
                 "symmetric needs a fixed step: steps that follow an error estimate are not reversible");
    return !symmetric || o->step == 0;
}

static int refuse_coupled(const keel_problem *p, const keel_options *o, const keel_stepper *stepper,
                          char *why, size_t capacity) {
    unsigned traits = stepper->info.traits;
    int stages = traits & KEEL_IMPLICIT && !(traits & KEEL_MULTISTEP);
    (void)p, (void)o;
    if (!stages)
        text_set(why, capacity,
                 "coupled puts multipliers into the stages of an implicit one-step method, and %s has no "
                 "stages to solve for; project goes with any method",
                 stepper->info.name);
    else if (stepper->no_rhs)
        text_set(why, capacity,
                 "coupled adds multipliers to f, and %s solves equations of its own instead of stages with f",
                 stepper->info.name);
    return !stages || stepper->no_rhs;
}

static void layout(keel_manifold *view) {
    struct engine *e = engine_of(view);
    struct multipliers *u = view->own;
    struct arena *a = view->arena;
    u->kind = e->manifold.stabilizer->table;
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
    u->size = arena_doubles(a, rows + 1);
    u->best = arena_doubles(a, rows + 1);
    u->matrix = arena_doubles(a, rows * rows + 1);
    u->pivot = arena_ints(a, rows + 1);
    u->x = arena_doubles(a, vector);
    u->f = arena_doubles(a, vector);
    u->shift = arena_doubles(a, vector);
    u->move = arena_doubles(a, vector);
    u->at = arena_doubles(a, vector);
    u->h = 0;
}

/* What coupled adds to f while the method is at work. */
static keel_status add_multipliers(keel_manifold *view, double t, const double *x, double *dx) {
    struct engine *e = engine_of(view);
    struct field *fd = &e->field;
    struct multipliers *u = view->own;
    if (u->h == 0) return KEEL_OK;
    memcpy(u->at, x, (size_t)fd->n * sizeof *x);
    memcpy(u->at + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    keel_status status = manifold_normals(&e->manifold, &u->end, t, u->at);
    if (status != KEEL_OK) return status;
    manifold_normals_add(&e->manifold, &u->end, 1 / u->h, u->mu, dx);
    return KEEL_OK;
}

/* mu is O(h^(order + 1)): the last step's tells this one's; after a long stretch it says nothing. */
static void predict(struct engine *e, const keel_attempt *a) {
    struct multipliers *u = multipliers_of(e);
    int k = e->manifold.kept;
    double ratio = u->known_h[0] != 0 && !a->first ? fabs(a->h / u->known_h[0]) : 0;
    double factor = ratio > 1.5 ? 0 : pow(ratio, e->stepper->info.order + 1);
    for (int i = 0; i < k; i++) u->mu[i] = factor == 0 ? 0 : factor * u->known[i];
    if (ratio == 0) multipliers_forget(e);
    else memcpy(u->inverse, u->known_inverse, (size_t)k * (size_t)k * sizeof *u->inverse);
}

/* x_new, y of the method, goes on to z = y + D(z) mu: a contraction by |mu|, begun with D as it was last. */
static keel_status add_at_the_end(struct engine *e, double t_new, int known, double *x_new, double *low_new) {
    struct multipliers *u = multipliers_of(e);
    struct field *fd = &e->field;
    int n = fd->n;
    double before = HUGE_VAL;
    memcpy(u->at, x_new, (size_t)(n + fd->m) * sizeof *x_new);
    memset(u->move, 0, (size_t)fd->width * sizeof *u->move);
    for (int turn = 0;; turn++) {
        keel_status status = turn || !known ? manifold_normals(&e->manifold, &u->end, t_new, u->at) : KEEL_OK;
        if (status != KEEL_OK) return status;
        memset(u->shift, 0, (size_t)fd->width * sizeof *u->shift);
        manifold_normals_add(&e->manifold, &u->end, 1, u->mu, u->shift);
        double change = 0;
        for (int j = 0; j < n; j++) {
            change = fmax(change, fabs(u->shift[j] - u->move[j]) / e->field.size[j]);
            u->move[j] = u->shift[j];
            u->at[j] = x_new[j] + u->move[j];
        }
        if (change <= DBL_EPSILON || (change >= 0.5 * before && change < 1e-12)) break;
        if (turn == TURNS || !isfinite(change))
            return field_fault(fd, KEEL_RETRY, KEEL_EPROJECT,
                               "the multipliers of the step to t = %.10g are too large", t_new);
        before = change;
    }
    manifold_move(x_new, low_new, n, u->move);
    return KEEL_OK;
}

/* The method's attempt with mu, into x_new.  known: D of an end nearby stands. */
static keel_status attempt(struct engine *e, const struct multipliers_aim *to, int known) {
    struct multipliers *u = multipliers_of(e);
    struct field *fd = &e->field;
    keel_attempt *a = to->attempt;
    const double *x = e->x[to->from];
    double *x_new = to->x_new;
    int n = fd->n;
    memset(u->shift, 0, (size_t)fd->width * sizeof *u->shift);
    manifold_normals_add(&e->manifold, &u->begin, 1, u->mu, u->shift);
    if (u->kind->inside) {
        for (int j = 0; j < fd->width; j++) u->f[j] = e->f[to->from][j] + u->shift[j] / a->h;
        a->f = u->f;
        u->h = a->h;
        keel_status status = step_propose(e, a, to->from, NULL, x_new, to->low_new);
        u->h = 0;
        return status;
    }
    memcpy(u->x, x, (size_t)(n + fd->m) * sizeof *x);
    for (int j = 0; j < n; j++) u->x[j] += u->shift[j];
    keel_status status = e->stepper->no_rhs ? KEEL_OK : field_rhs(fd, a->t, u->x, u->f);
    if (status != KEEL_OK) return status;
    a->x = u->x;
    a->f = u->f;
    status = step_propose(e, a, to->from, u->shift, x_new, to->low_new);
    if (fd->m) memcpy(x_new + n, fd->y, (size_t)fd->m * sizeof *x_new);
    return status == KEEL_OK ? add_at_the_end(e, to->t_new, known, x_new, to->low_new) : status;
}

/* The smallest displacement by which the end would meet the rows, D at hand. */
static void across(struct engine *e, const double *residual) {
    struct multipliers *u = multipliers_of(e);
    struct manifold *m = &e->manifold;
    manifold_normals_factor(m, &u->end, residual);
    for (int i = 0; i < m->kept; i++) u->row[i] = -m->residual[m->row[i]];
    manifold_normals_shortest(m, &u->end, u->row, u->move);
}

/* Units as large as this end makes them, D at hand; an end far away that is not taken leaves no trace. */
static keel_status grow(struct engine *e, const struct multipliers_aim *to) {
    struct manifold *m = &e->manifold;
    keel_status status = KEEL_OK;
    memcpy(e->rows.size, multipliers_of(e)->size, (size_t)e->rows.count * sizeof(double));
    for (int k = 0; k < m->kept_kinds && status == KEEL_OK; k++)
        status = rows_grow(&e->field, &e->rows, (keel_row_kind)m->kind[k], to->t_new, to->x_new);
    return status;
}

keel_status multipliers_try(struct engine *e, const struct multipliers_aim *to, int known) {
    struct multipliers *u = multipliers_of(e);
    struct manifold *m = &e->manifold;
    struct field *fd = &e->field;
    keel_status status = attempt(e, to, known);
    if (status != KEEL_OK) return status;
    memcpy(to->x_new + fd->n, fd->y, (size_t)fd->m * sizeof *to->x_new);
    status = rows_residual(fd, &e->rows, to->t_new, to->x_new, m->residual);
    if (status == KEEL_OK) status = manifold_normals(m, &u->end, to->t_new, to->x_new);
    if (status == KEEL_OK) status = grow(e, to);
    if (status != KEEL_OK) return status;
    across(e, NULL);
    manifold_normals_coefficients(m, &u->end, u->move, u->lack);
    return KEEL_OK;
}

/* The last correction would be a thousandth of the tolerances. */
static int within_tolerance(const struct engine *e, const struct multipliers_aim *to) {
    return e->o.step == 0 && control_norm(e, multipliers_of(e)->move, e->x[to->from], to->x_new) <= 1e-3;
}

/* Its error is so large that the rest is spared. */
static int hopeless(struct engine *e, const struct multipliers_aim *to) {
    return to->attempt->error[0] && control_raw(e, to->x_new) > CONTROL_HOPELESS;
}

/* Attempts until the end arrives, or is as good as can be had. */
static keel_status search(struct engine *e, const struct multipliers_aim *to) {
    struct manifold *m = &e->manifold;
    struct multipliers_search s = {.best = HUGE_VAL, .length = 1};
    for (int round = 0; !s.arrived; round++) {
        int row = 0;
        keel_status status = multipliers_try(e, to, s.best < HUGE_VAL);
        if (status < 0) return status;
        double worst = status == KEEL_OK ? manifold_worst(m, &row) : HUGE_VAL;
        if (round == 0 && status == KEEL_OK && hopeless(e, to)) {
            memcpy(e->rows.size, multipliers_of(e)->size, (size_t)e->rows.count * sizeof(double));
            return KEEL_OK;
        }
        if (worst <= fmin(1, m->units) || (status == KEEL_OK && within_tolerance(e, to)) || s.last) break;
        status = multipliers_next(e, to, &s, status, worst, row);
        if (status != KEEL_OK) return status;
    }
    across(e, m->residual); /* along D, as mu would: what is left has one sign from step to step */
    manifold_move(to->x_new, to->low_new, e->field.n, multipliers_of(e)->move);
    return manifold_correct(m, to->t_new, to->x_new, to->low_new);
}

static keel_status step(keel_manifold *view, keel_attempt *a, double t_new, double *x_new, double *low_new) {
    struct engine *e = engine_of(view);
    struct multipliers *u = view->own;
    struct multipliers_aim to = {a, e->from, t_new, x_new, low_new};
    size_t sizes = (size_t)e->rows.count * sizeof(double);
    manifold_time(&e->manifold, a->h);
    keel_status status = manifold_normals(&e->manifold, &u->begin, a->t, e->x[e->from]);
    if (status != KEEL_OK) return status;
    memcpy(u->size, e->rows.size, sizes);
    predict(e, a);
    status = search(e, &to);
    if (status != KEEL_OK) memcpy(e->rows.size, u->size, sizes);
    return status;
}

static void accept(keel_manifold *view, double h) {
    struct multipliers *u = view->own;
    size_t k = (size_t)view->kept;
    u->known_h[0] = h;
    memcpy(u->known, u->mu, k * sizeof *u->mu);
    memcpy(u->known_inverse, u->inverse, k * k * sizeof *u->inverse);
}

static const struct multipliers_kind at_both_ends = {0, 0.5}, in_the_stages = {1, 1};

const keel_stabilizer multipliers_stabilizers[] = {
    {.info = {.name = "symmetric",
              .about = "the same change before and after a symmetric step: reversible",
              .reference = "Hairer, BIT 40 (2000) 726; Ascher, Reich (1999)",
              .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF | KEEL_FROZEN_WEIGHTS |
                        KEEL_KEEPS_REVERSIBLE | KEEL_IN_STEP},
     .table = &at_both_ends,
     .size = sizeof(struct multipliers),
     .refuse = refuse_symmetric,
     .layout = layout,
     .attempt = step,
     .accept = accept},
    {.info = {.name = "coupled",
              .about = "multipliers inside the stages of an implicit one-step method",
              .reference = "Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), IV.4",
              .traits =
                  KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF | KEEL_FROZEN_WEIGHTS | KEEL_IN_STEP},
     .table = &in_the_stages,
     .size = sizeof(struct multipliers),
     .refuse = refuse_coupled,
     .layout = layout,
     .attempt = step,
     .accept = accept,
     .rhs = add_multipliers},
    {.info = {0}}};
