/* verify.c - see verify.h.  Sampled, since a C function cannot be differentiated exactly: at the start and
 * at points near it that meet the constraints (strong), then also the other invariants (weak). */
#include "core/verify.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 6 };

/* What differences cannot tell from 0 in dI/dt: round-off of the row, seen over the lengths they are taken
 * over. */
static double noise_of_differences(const struct start *st, int i, const double *dx) {
    const struct field *fd = st->fd;
    double speed = 0;
    for (int j = 0; j < fd->n; j++)
        if (fd->size[j] > 0) speed += fabs(dx[j]) / fd->size[j];
    return 1e-11 * st->rows->size[i] * speed;
}

/* dI/dt = I_t + I_x f of row i, and the size of its terms. */
static keel_status rate_of_row(struct start *st, int i, double t, const double *u, double *rate,
                               double *size) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    keel_row_kind kind = rows_kind(r, i);
    struct map map = kind == KEEL_ROW_ENERGY ? fd->energy : fd->invariant;
    double *dx = st->d;
    map.exact = 1;
    memcpy(st->trial, u, (size_t)(fd->n + fd->m) * sizeof *u);
    keel_status status = field_rate(fd, t, st->trial, dx);
    if (status == KEEL_OK) status = map_jacobian(fd, &map, t, st->trial, fd->matrix);
    if (status == KEEL_OK) status = map_rate(fd, &map, t, st->trial, r->terms);
    if (status != KEEL_OK) return status;
    const double *gradient = fd->matrix + (long)(i - r->at[kind]) * fd->n;
    *rate = r->terms[i - r->at[kind]];
    *size = fabs(*rate);
    for (int j = 0; j < fd->n; j++) {
        *rate += gradient[j] * dx[j];
        *size += fabs(gradient[j] * dx[j]);
    }
    if (!map.user.jacobian && fabs(*rate) <= noise_of_differences(st, i, dx)) *rate = 0;
    return KEEL_OK;
}

struct sample {
    int conserved, points;
    double rate, size;
    double *at; /* the point where it is worst, relative to its terms */
};

static void look(struct start *st, int i, double t, const double *u, double tolerance, struct sample *s) {
    double rate, size;
    if (rate_of_row(st, i, t, u, &rate, &size) != KEEL_OK) return;
    s->points++;
    if (fabs(rate) <= tolerance * size) return;
    if (s->conserved || fabs(rate) * s->size > fabs(s->rate) * size) {
        s->rate = rate;
        s->size = size;
        memcpy(s->at, u, (size_t)(st->fd->n + st->fd->m) * sizeof *u);
    }
    s->conserved = 0;
}

static keel_status refuse(struct start *st, int i, double t, const struct sample *s) {
    struct field *fd = st->fd;
    field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                "`%s` is not conserved: its rate is %.3g (of terms of size %.3g) at t = %.4g",
                rows_name(st->rows, i), s->rate, s->size, t);
    for (int j = 0; j < fd->n && j < 6; j++) {
        char name[64];
        text_add(fd->fault.text, sizeof fd->fault.text, ", %s = %.6g",
                 field_name(fd->p.names, j, "u", name, sizeof name), s->at[j]);
    }
    return KEEL_EINVAL;
}

static keel_status verify_row(struct start *st, int i, double t, const double *u) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    const struct map *map = rows_kind(r, i) == KEEL_ROW_ENERGY ? &fd->energy : &fd->invariant;
    int field_by_differences = fd->p.form == KEEL_HAMILTONIAN && !fd->energy.user.jacobian;
    double tolerance = field_by_differences ? 1e-5 : map->user.jacobian ? 1e-9 : 1e-8;
    unsigned constraints = (1u << KEEL_ROW_ENERGY) - 1, all = (1u << ROWS_KINDS) - 1, seed = 2026;
    struct start_level rest = {constraints, i, 0, fd->n};
    for (int weak = 0; weak < 2; weak++) {
        struct sample s = {.conserved = 1, .at = st->worst};
        rest.kinds = weak ? all : constraints;
        look(st, i, t, u, tolerance, &s);
        for (int k = 0; k < SAMPLES; k++)
            if (start_nearby(st, &rest, t, u, &seed, st->found) == KEEL_OK)
                look(st, i, t, st->found, tolerance, &s);
        if (s.points == 0) return fd->fault.status;
        if (s.conserved) {
            r->verdict[i] = weak ? KEEL_WEAK : KEEL_STRONG;
            return KEEL_OK;
        }
        if (weak) return refuse(st, i, t, &s);
    }
    return KEEL_OK;
}

keel_status verify_invariants(struct start *st, double t, const double *u) {
    struct rows *r = st->rows;
    for (int i = r->at[KEEL_ROW_ENERGY]; i < r->count; i++) {
        if (r->care[i] == KEEL_ROW_VARYING) continue;
        keel_status status = verify_row(st, i, t, u);
        if (status != KEEL_OK) return status;
    }
    return KEEL_OK;
}

/* The given curvature against that of differences. */
static keel_status check_curvature(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    keel_fn *given = fd->p.curvature;
    double *a = st->c, *b = st->z, speed = 0;
    if (!given || fd->k == 0) return KEEL_OK;
    for (int j = 0; j < fd->nq; j++) speed = fmax(speed, fabs(u[fd->nq + j]) / fd->size[j]);
    if (fd->constraint.moving || fd->rolling.moving) speed += 1 / fd->t_length;
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

keel_status verify_jacobians(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    const struct map *maps[] = {&fd->f,          &fd->algebraic, &fd->hidden,    &fd->energy,
                                &fd->constraint, &fd->rolling,   &fd->invariant, &fd->event};
    if (rows_grow_all(fd, st->rows, t, u) < 0) return fd->fault.status;
    for (int bent = 0; bent < 2; bent++) {
        for (int j = 0; j < fd->n + fd->m; j++) st->found[j] = u[j] + bent * 0.03 * (1 + j % 3) * fd->size[j];
        for (int k = 0; k < 8; k++)
            if (map_check(fd, maps[k], t, st->found) < 0)
                return fd->fault.status; /* > 0: outside, proves nothing */
        if (check_curvature(st, t, st->found) < 0) return fd->fault.status;
    }
    return KEEL_OK;
}
