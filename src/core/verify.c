/* verify.c - see verify.h.  Sampled, since a C function cannot be differentiated exactly: at the start and
 * at points around it, near and far, that meet the constraints (strong), then also the other invariants
 * (weak). */
#include "core/verify.h"

#include "core/manifold.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* dI/dt counts as 0 up to EXACT round-offs of its terms, or WAVERS times what round-offs of x do to it; by
 * differences up to the share BY_DIFFERENCES of its terms. */
#define EXACT 1000
#define WAVERS 16
#define BY_DIFFERENCES 1e-8
enum { WAVERINGS = 4 };
/* On the way, where no other points are looked at, this share of the terms is plainly no round-off. */
#define ON_THE_WAY 1e-6

/* Where dI/dt is looked at: so many points, within such a part of the sizes. */
static const struct ring {
    double radius;
    int points;
} rings[] = {{START_NEAR, 6}, {0.5, 6}, {2, 12}};
/* Where the verdict was strong with other numbers: a rate that is not 0 everywhere is not 0 at a point taken
 * at random.  The start alone will not do: a body may rest there. */
static const struct ring glance = {0.5, 1};

/* What differences cannot tell from 0 in dI/dt: round-off of the row, seen over the lengths they are taken
 * over. */
static double noise_of_differences(const struct start *st, int i, const double *u, const double *gradient,
                                   const double *dx) {
    const struct field *fd = st->fd;
    double speed = 0, size = fabs(st->rows->reference[i]);
    for (int j = 0; j < fd->n; j++) {
        size += fabs(gradient[j] * u[j]);
        if (fd->size[j] > 0) speed += fabs(dx[j]) / fd->size[j];
    }
    return 1e-11 * fmax(size, st->rows->size[i]) * speed;
}

/* dI/dt = I_t + I_x f of row i, and the size of its terms.  f: x' at (t, u) where it is known, or NULL. */
static keel_status rate_of_row(struct start *st, int i, double t, const double *u, const double *f,
                               double *rate, double *size) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    keel_row_kind kind = rows_kind(r, i);
    struct map map = kind == KEEL_ROW_ENERGY ? fd->energy : fd->invariant;
    double *dx = st->d;
    map.exact = 1;
    memcpy(st->trial, u, (size_t)(fd->n + fd->m) * sizeof *u);
    if (f) memcpy(dx, f, (size_t)fd->n * sizeof *dx);
    keel_status status = f ? KEEL_OK : field_rhs(fd, t, st->trial, dx);
    if (status == KEEL_OK) status = map_jacobian(fd, &map, t, st->trial, fd->matrix);
    if (status == KEEL_OK) status = map_time_derivative(fd, &map, t, st->trial, r->terms);
    if (status != KEEL_OK) return status;
    const double *gradient = fd->matrix + (long)(i - r->at[kind]) * fd->n;
    *rate = r->terms[i - r->at[kind]];
    *size = fabs(*rate);
    for (int j = 0; j < fd->n; j++) {
        *rate += gradient[j] * dx[j];
        *size += fabs(gradient[j] * dx[j]);
    }
    if (!map.user.jacobian && fabs(*rate) <= noise_of_differences(st, i, u, gradient, dx)) *rate = 0;
    return isfinite(*rate) && isfinite(*size) ? KEEL_OK : KEEL_RETRY;
}

/* Is nothing in x' found by differences, so that it is good to round-off? */
static int field_is_exact(const struct field *fd) {
    const struct map *rows[] = {&fd->constraint, &fd->rolling, &fd->algebraic, &fd->hidden};
    int derived = fd->k || fd->dae.any_derived;
    int curved =
        fd->traits & KEEL_SECOND_ORDER ? fd->p.curvature != NULL : fd->velocity.user.jacobian != NULL;
    if (field_lacks_gradient(fd) || (fd->k && !curved)) return 0;
    for (int i = 0; i < 4 && derived; i++) {
        const keel_map *user = &rows[i]->user;
        if (user->count && (!user->jacobian || (rows[i]->time_dependent && !user->time_derivative))) return 0;
    }
    return 1;
}

/* The share of the terms of dI/dt that may be left of a 0. */
static double tolerance_of(const struct field *fd, const struct map *map) {
    if (field_lacks_gradient(fd)) return 1e-5;
    int exact = map->user.jacobian && (map->user.time_derivative || !map->time_dependent);
    return exact && field_is_exact(fd) ? EXACT * DBL_EPSILON : BY_DIFFERENCES;
}

struct sample {
    int conserved, points, changing; /* points looked at; those where it is not at rest */
    int plainly;                     /* the worst is where it moves fastest, not most relative to its terms */
    unsigned seed;
    double tolerance;
    double rate, size;
    double *at; /* the worst point */
};

/* Brings y from u to the point, in short pieces of the way, so that it stays on its branch. */
static keel_status follow(struct start *st, double t, const double *u, const double *point) {
    enum { PIECES = 8 };
    struct field *fd = st->fd;
    size_t bytes = (size_t)fd->m * sizeof *u;
    memcpy(st->trial + fd->n, u + fd->n, bytes);
    for (int k = 1; k <= PIECES && fd->m; k++) {
        for (int j = 0; j < fd->n; j++) st->trial[j] = u[j] + (point[j] - u[j]) * k / PIECES;
        keel_status status = algebra_solve(fd, t, st->trial);
        if (status != KEEL_OK) return status;
    }
    memcpy(fd->y, st->trial + fd->n, bytes);
    return KEEL_OK;
}

/* Is dI/dt a 0?  Then it changes by as much with what must not matter: x moved by 8, 64, 512, 4096 of its
 * round-offs, since solves on the way to x' may amplify these far beyond the terms of dI/dt, and shorter
 * differences, if there are any, since their length is that of the start. */
static int is_noise(struct start *st, int i, double t, const double *u, double rate) {
    struct field *fd = st->fd;
    double most = 0, size, other, step = DBL_EPSILON, share = 1;
    unsigned seed = 7;
    for (int k = 0; k < WAVERINGS && !(fabs(rate) <= WAVERS * most); k++) {
        step *= 8;
        share /= 2;
        memcpy(st->beside, u, (size_t)(fd->n + fd->m) * sizeof *u);
        for (int j = 0; j < fd->n; j++)
            st->beside[j] += step * start_random(&seed) * fmax(fabs(u[j]), fd->size[j]);
        field_scale_lengths(fd, share);
        if (rate_of_row(st, i, t, st->beside, NULL, &other, &size) == KEEL_OK)
            most = fmax(most, fabs(other - rate));
        field_scale_lengths(fd, 1 / share);
    }
    return fabs(rate) <= WAVERS * most;
}

static void sample_rate(struct start *st, int i, double t, const double *u, const double *f,
                        struct sample *s) {
    double rate, size;
    if (rate_of_row(st, i, t, u, f, &rate, &size) != KEEL_OK) return;
    s->points++;
    if (fabs(rate) <= s->tolerance * size || is_noise(st, i, t, u, rate)) return;
    s->changing++;
    if (s->conserved ||
        (s->plainly ? fabs(rate) > fabs(s->rate) : fabs(rate) * s->size > fabs(s->rate) * size)) {
        s->rate = rate;
        s->size = size;
        memcpy(s->at, u, (size_t)(st->fd->n + st->fd->m) * sizeof *u);
    }
    s->conserved = 0;
}

/* The row's rate at points of the ring that meet the rest to round-off.  Far away the rows have other
 * sizes, of which those in the run must know nothing. */
static void sample_around(struct start *st, int i, const struct start_level *rest, const struct ring *ring,
                          double t, const double *u, struct sample *s) {
    struct rows *r = st->rows;
    int far = ring->radius > START_NEAR;
    size_t bytes = (size_t)r->count * sizeof *r->size;
    /* a point of large mechanics is hundreds of small ones */
    int points = start_is_large(st->fd) ? (ring->points + 2) / 3 : ring->points;
    memcpy(st->sizes, r->size, bytes);
    for (int k = 0; k < points; k++) {
        keel_status status = start_nearby(st, rest, ring->radius, t, u, &s->seed, st->found);
        if (far) { /* once more, to the round-off of the place itself */
            memset(r->size, 0, bytes);
            if (status == KEEL_OK) status = start_solve(st, rest, t, st->found);
        }
        if (status == KEEL_OK && start_units(st, rest, t, st->found) <= MANIFOLD_STAGNANT &&
            follow(st, t, u, st->found) == KEEL_OK)
            sample_rate(st, i, t, st->found, NULL, s);
        if (far) memcpy(r->size, st->sizes, bytes);
    }
}

/* What moves, how fast and where. */
static void name_rate(const struct start *st, int i, double t, const struct sample *s, char *out,
                      size_t capacity) {
    const struct field *fd = st->fd;
    text_add(out, capacity, "`%s` is not conserved: its rate is %.3g (of terms of size %.3g) at t = %.4g",
             rows_name(st->rows, i), s->rate, s->size, field_time(fd, t, s->at));
    for (int j = 0; j < fd->n && j < 6; j++) {
        char name[64];
        text_add(out, capacity, ", %s = %.6g", field_name(fd->p.names, j, "u", name, sizeof name), s->at[j]);
    }
    if (fd->n > 6) text_add(out, capacity, ", ...");
}

/* The sentence, behind those about earlier rows; the third row and later ones are only named. */
static void refuse(const struct start *st, int i, double t, const struct sample *s, struct fault *told) {
    size_t capacity = sizeof told->text, used = strlen(told->text);
    told->status = KEEL_EINVAL;
    if (used) text_add(told->text, capacity, "; ");
    if (used > capacity / 2) {
        text_add(told->text, capacity, "`%s` is not conserved", rows_name(st->rows, i));
        return;
    }
    name_rate(st, i, t, s, told->text, capacity);
    text_add(told->text, capacity, " (and not zero at %d of %d points)", s->changing, s->points);
}

/* Where a false row is plain to see: further away, and whatever the other invariants say. */
static void sample_further(struct start *st, int i, double t, const double *u, struct sample *s) {
    struct start_level rest = {ROWS_OF_EQUATIONS, i, 0, st->fd->n};
    s->plainly = 1;
    s->points = s->changing = 0;
    memcpy(st->fd->y, u + st->fd->n, (size_t)st->fd->m * sizeof *u);
    sample_rate(st, i, t, u, NULL, s);
    sample_around(st, i, &rest, &rings[1], t, u, s);
}

/* KEEL_OK, also for a false row, which is told; else there is no point where one can tell. */
static keel_status verify_row(struct start *st, int i, double t, const double *u, struct fault *told) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    const struct map *map = rows_kind(r, i) == KEEL_ROW_ENERGY ? &fd->energy : &fd->invariant;
    unsigned constraints = ROWS_OF_EQUATIONS, all = (1u << ROWS_KINDS) - 1;
    struct start_level rest = {constraints, i, 0, fd->n};
    for (int weak = 0; weak < 2; weak++) {
        struct sample s = {.conserved = 1, .seed = 2026, .tolerance = tolerance_of(fd, map), .at = st->worst};
        rest.kinds = weak ? all : constraints;
        memcpy(fd->y, u + fd->n, (size_t)fd->m * sizeof *u);
        sample_rate(st, i, t, u, NULL, &s);
        for (int k = 0; k < 3; k++) sample_around(st, i, &rest, &rings[k], t, u, &s);
        if (s.points == 0) return fd->fault.status;
        if (s.conserved) {
            r->verdict[i] = weak ? KEEL_WEAK : KEEL_STRONG;
            return KEEL_OK;
        }
        if (!weak) continue;
        sample_further(st, i, t, u, &s);
        refuse(st, i, t, &s, told);
    }
    return KEEL_OK;
}

keel_status verify_invariants(struct start *st, double t, const double *u) {
    struct rows *r = st->rows;
    struct fault told = {0};
    for (int i = r->at[KEEL_ROW_ENERGY]; i < r->count; i++) {
        if (r->treatment[i] == KEEL_ROW_VARYING) continue;
        keel_status status = verify_row(st, i, t, u, &told);
        if (status != KEEL_OK) return status;
    }
    if (told.status != KEEL_OK) st->fd->fault = told;
    return told.status;
}

/* The sum and the terms of a rate by the entries of a pattern: those that are zero by it add nothing. */
static int row_rests(const keel_pattern *p, int i, double rate, const double *entry, const double *f,
                     double share) {
    double sum = rate, size = fabs(rate);
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
        double term = entry[e] * f[p->column[e]];
        sum += term;
        size += fabs(term);
    }
    return fabs(sum) <= share * size;
}

/* Are all rows of a map with given derivatives at rest, each by this share of its terms, with x' = f? */
static int rests(struct start *st, const struct map *map, double t, const double *u, const double *f,
                 double share) {
    struct field *fd = st->fd;
    double *rate = st->rows->terms;
    int n = fd->n, count = map->user.count;
    const keel_pattern *p = map->columns == n ? map->user.pattern : NULL;
    if (count == 0) return 1;
    if (!map->user.jacobian) return 0;
    if ((p ? map_entries : map_jacobian)(fd, map, t, u, fd->matrix) != KEEL_OK) return 0;
    memset(rate, 0, (size_t)count * sizeof *rate);
    if (map->time_dependent && map_time_derivative(fd, map, t, u, rate) != KEEL_OK) return 0;
    for (int i = 0; i < count; i++)
        if (!(p ? row_rests(p, i, rate[i], fd->matrix, f, share)
                : project_rests(n, rate[i], fd->matrix + (long)i * n, f, share)))
            return 0;
    return 1;
}

/* The same of all rows, energies and invariants by their own shares, with x' computed here. */
static int all_rest_at(struct start *st, double t, const double *u, const double shares[2]) {
    const struct field *fd = st->fd;
    double *f = st->d;
    return fd->rhs(t, u, f, fd->context) == 0 && keel_native_finite(fd->n, f) &&
           rests(st, &fd->energy, t, u, f, shares[0]) && rests(st, &fd->invariant, t, u, f, shares[1]);
}

int verify_at_a_glance(struct start *st, double t, const double *u) {
    const struct rows *r = st->rows;
    struct start_level anywhere = {0, -1, 0, st->fd->n};
    unsigned seed = 2026;
    if (r->at[KEEL_ROW_ENERGY] > 0 || st->fd->rhs != st->fd->p.f.value) return 0;
    for (int i = 0; i < r->count; i++)
        if (r->verdict[i] != KEEL_STRONG || r->treatment[i] == KEEL_ROW_VARYING) return 0;
    const double shares[] = {tolerance_of(st->fd, &st->fd->energy), tolerance_of(st->fd, &st->fd->invariant)};
    if (!all_rest_at(st, t, u, shares)) return 0;
    start_beside(st, &anywhere, glance.radius, u, &seed, st->found);
    return all_rest_at(st, t, st->found, shares);
}

keel_status verify_again(struct start *st, double t, const double *u) {
    const struct field *fd = st->fd;
    struct rows *r = st->rows;
    int doubts = 0;
    for (int i = r->at[KEEL_ROW_ENERGY]; i < r->count && !doubts; i++) {
        const struct map *map = rows_kind(r, i) == KEEL_ROW_ENERGY ? &fd->energy : &fd->invariant;
        struct start_level rest = {ROWS_OF_EQUATIONS, i, 0, fd->n};
        struct sample s = {.conserved = 1, .seed = 2026, .tolerance = tolerance_of(fd, map), .at = st->worst};
        if (r->treatment[i] == KEEL_ROW_VARYING) continue;
        memcpy(fd->y, u + fd->n, (size_t)fd->m * sizeof *u);
        sample_rate(st, i, t, u, NULL, &s);
        if (s.points == 1 && s.conserved) sample_around(st, i, &rest, &glance, t, u, &s);
        doubts = r->verdict[i] != KEEL_STRONG || s.points < 2 || !s.conserved;
    }
    return doubts ? verify_invariants(st, t, u) : KEEL_OK;
}

double verify_share(const struct field *fd, const struct map *map) {
    return fmax(ON_THE_WAY, 100 * tolerance_of(fd, map));
}

/* The common case: nothing but energies and invariants, seen at a glance. */
static int all_rest(struct start *st, double t, const double *u, const double *f) {
    const struct field *fd = st->fd;
    const struct rows *r = st->rows;
    if (fd->rhs != fd->p.f.value || (!f && fd->rhs(t, u, st->trial, fd->context) != 0)) return 0;
    if (!f) f = st->trial;
    for (int i = 0; i < r->count; i++)
        if (r->treatment[i] != KEEL_ROW_KEPT) return 0;
    int rest = r->of[KEEL_ROW_ENERGY] + r->of[KEEL_ROW_INVARIANT] == r->count &&
               rests(st, &fd->energy, t, u, f, verify_share(fd, &fd->energy)) &&
               rests(st, &fd->invariant, t, u, f, verify_share(fd, &fd->invariant));
    if (rest) verify_clear(st);
    return rest;
}

void verify_clear(struct start *st) {
    const struct rows *r = st->rows;
    memset(st->fd->matrix, 0, (size_t)r->count * (size_t)st->fd->n * sizeof *st->fd->matrix);
    memset(r->terms, 0, (size_t)r->count * sizeof *r->terms);
    memset(st->trial, 0, (size_t)st->fd->n * sizeof *st->trial);
}

/* x' at a point, once for all rows of a DAE; NULL: it has none. */
static const double *rates_there(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    memcpy(fd->y, u + fd->n, (size_t)fd->m * sizeof *u);
    memcpy(st->trial, u, (size_t)(fd->n + fd->m) * sizeof *u);
    return field_rhs(fd, t, st->trial, st->found) == KEEL_OK ? st->found : NULL;
}

keel_status verify_on_the_way(struct start *st, double t, const double *u, const double *f) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    keel_status status = KEEL_OK;
    if (all_rest(st, t, u, f)) return KEEL_OK;
    for (int i = 0; i < r->count; i++)
        if (r->treatment[i] == KEEL_ROW_WATCHED) return KEEL_OK; /* nobody holds what the others rest on */
    if (fd->k == 0 && !f) f = rates_there(st, t, u);
    int rest = fd->k == 0 && f && rests(st, &fd->energy, t, u, f, verify_share(fd, &fd->energy)) &&
               rests(st, &fd->invariant, t, u, f, verify_share(fd, &fd->invariant));
    for (int i = r->at[KEEL_ROW_ENERGY]; i < r->count && status == KEEL_OK && !rest; i++) {
        const struct map *map = rows_kind(r, i) == KEEL_ROW_ENERGY ? &fd->energy : &fd->invariant;
        struct sample s = {.conserved = 1, .plainly = 1, .tolerance = verify_share(fd, map), .at = st->worst};
        if (r->treatment[i] != KEEL_ROW_KEPT) continue;
        memcpy(fd->y, u + fd->n, (size_t)fd->m * sizeof *u);
        sample_rate(st, i, t, u, f, &s);
        if (s.conserved) continue;
        char text[TEXT_SENTENCE] = "";
        name_rate(st, i, t, &s, text, sizeof text);
        status = field_fault(fd, KEEL_EINVAL, KEEL_EINVAL, "%s; it seemed to be at the start", text);
    }
    memcpy(fd->y, u + fd->n, (size_t)fd->m * sizeof *u);
    if (status == KEEL_OK) fd->fault.status = KEEL_OK;
    return status;
}

/* The given curvature against that of differences. */
static keel_status check_curvature(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    keel_fn *given = fd->p.curvature;
    double *a = st->c, *b = st->z, speed = 0;
    if (!given || fd->k == 0) return KEEL_OK;
    for (int j = 0; j < fd->nq; j++) speed = fmax(speed, fabs(u[fd->nq + j]) / fd->size[j]);
    if (fd->constraint.time_dependent || fd->rolling.time_dependent) speed += 1 / fd->t_length;
    keel_status status = mechanics_curvature(fd, t, u, a);
    fd->p.curvature = NULL;
    if (status == KEEL_OK) status = mechanics_curvature(fd, t, u, b);
    fd->p.curvature = given;
    for (int i = 0; i < fd->k && status == KEEL_OK; i++) {
        int row = i < fd->kg ? i : st->rows->at[KEEL_ROW_ROLLING] + i - fd->kg;
        double noise = 1e-6 * st->rows->size[row] * (i < fd->kg ? speed * speed : speed);
        if (fabs(a[i] - b[i]) <= 1e-5 * (fabs(a[i]) + fabs(b[i])) + noise) continue;
        return field_fault(
            fd, KEEL_EINVAL, KEEL_EINVAL,
            "the curvature of `%s` is wrong: it is given as %.10g, differences say %.10g at t = %.10g",
            rows_name(st->rows, row), a[i], b[i], t);
    }
    return status;
}

/* The f of a Hamiltonian problem against B grad H. */
static keel_status check_gradient_field(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    double *given = st->trial, *derived = st->d;
    if (!(fd->traits & KEEL_FROM_ENERGY) || !fd->p.f.value) return KEEL_OK;
    keel_status status = map_value(fd, &fd->f, t, u, given);
    if (status == KEEL_OK && hamiltonian_rhs(t, u, derived, fd)) status = KEEL_RETRY;
    for (int j = 0; j < fd->n && status == KEEL_OK; j++) {
        char name[64];
        if (fabs(given[j] - derived[j]) <= 1e-5 * (fabs(given[j]) + fabs(derived[j])) + 1e-9 * fd->size[j])
            continue;
        return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                           "f is not B grad H: d/dt of %s is given as %.10g, H says %.10g at t = %.10g",
                           field_name(fd->p.names, j, "u", name, sizeof name), given[j], derived[j], t);
    }
    return status;
}

keel_status verify_jacobians(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    const struct map *maps[] = {&fd->f,       &fd->algebraic, &fd->hidden, &fd->energy,  &fd->constraint,
                                &fd->rolling, &fd->invariant, &fd->event,  &fd->velocity};
    if (rows_grow_all(fd, st->rows, t, u) < 0) return fd->fault.status;
    for (int bent = 0; bent < 2; bent++) {
        for (int j = 0; j < fd->n + fd->m; j++) st->found[j] = u[j] + bent * 0.03 * (1 + j % 3) * fd->size[j];
        for (int k = 0; k < 9; k++)
            if (map_check(fd, maps[k], t, st->found) < 0)
                return fd->fault.status; /* > 0: outside, proves nothing */
        if (check_curvature(st, t, st->found) < 0) return fd->fault.status;
        if (mass_change_check(fd, t, st->found) < 0) return fd->fault.status;
        if (bending_check(fd, t, st->found) < 0) return fd->fault.status;
        if (check_gradient_field(st, t, st->found) < 0) return fd->fault.status;
    }
    return KEEL_OK;
}
