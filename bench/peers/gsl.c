/* gsl.c - GSL: explicit Runge-Kutta 8(9) of Prince and Dormand, Adams with variable order, rk4 with fixed
 * steps. */
#include "peers/peer.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include <stdlib.h>
#include <string.h>

struct opened {
    const struct bench_case *c;
    gsl_odeiv2_system system;
    const gsl_odeiv2_step_type *type;
    long steps; /* 0: by tolerance */
    double tolerance;
    long evaluations;
};

static int rate(double t, const double *y, double *f, void *opened) {
    struct opened *o = opened;
    o->evaluations++;
    return o->c->rate(t, y, f, o->c->user) == 0 ? GSL_SUCCESS : GSL_FAILURE;
}

static void *open_gsl(const struct bench_case *c, const struct peer_row *row, double setting) {
    struct opened *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    gsl_set_error_handler_off();
    o->c = c;
    o->system = (gsl_odeiv2_system){rate, NULL, (size_t)c->keel->n, o};
    o->type = strcmp(row->method, "rk4") == 0     ? gsl_odeiv2_step_rk4
              : strcmp(row->method, "rk8pd") == 0 ? gsl_odeiv2_step_rk8pd
                                                  : gsl_odeiv2_step_msadams;
    if (row->order) o->steps = (long)setting;
    else o->tolerance = setting;
    return o;
}

static int fixed_steps(struct opened *o, struct peer_run *r) {
    gsl_odeiv2_step *step = gsl_odeiv2_step_alloc(o->type, o->system.dimension);
    size_t n = o->system.dimension;
    double *error = calloc(3 * n, sizeof *error), *in = error + n, *out = in + n, t0 = o->c->keel->t0;
    double h = (o->c->t_end - t0) / (double)o->steps;
    int status = step && error ? rate(t0, r->u, in, o) : GSL_ENOMEM;
    for (long k = 0; k < o->steps && status == GSL_SUCCESS; k++) {
        status = gsl_odeiv2_step_apply(step, t0 + (double)k * h, h, r->u, error, in, out, &o->system);
        memcpy(in, out, n * sizeof *in);
        if (r->observe) r->observe(r->to, t0 + (double)(k + 1) * h, r->u);
    }
    r->steps = o->steps;
    if (step) gsl_odeiv2_step_free(step);
    free(error);
    return status;
}

static int drive(struct opened *o, struct peer_run *r) {
    gsl_odeiv2_driver *d =
        gsl_odeiv2_driver_alloc_y_new(&o->system, o->type, 1e-3 * o->c->t_end, o->tolerance, o->tolerance);
    double t = o->c->keel->t0, h = 1e-4 * (o->c->t_end - t);
    int status = d ? GSL_SUCCESS : GSL_ENOMEM;
    r->steps = 0;
    for (; status == GSL_SUCCESS && t < o->c->t_end; r->steps++) {
        if (r->steps == o->c->most) status = GSL_EMAXITER;
        else status = gsl_odeiv2_evolve_apply(d->e, d->c, d->s, &o->system, &t, o->c->t_end, &h, r->u);
        if (r->observe) r->observe(r->to, t, r->u);
    }
    if (d) gsl_odeiv2_driver_free(d);
    return status;
}

static int run_gsl(void *opened, struct peer_run *r) {
    struct opened *o = opened;
    memcpy(r->u, o->c->keel->u0, o->system.dimension * sizeof *r->u);
    o->evaluations = 0;
    if (r->observe) r->observe(r->to, o->c->keel->t0, r->u);
    int status = o->steps ? fixed_steps(o, r) : drive(o, r);
    r->evaluations = o->evaluations;
    return status == GSL_SUCCESS ? 0 : -1;
}

const struct peer peer_gsl = {"GSL", open_gsl, run_gsl, free};
