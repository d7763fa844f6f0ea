/* fit_run.c - the runs of a fit: one for each experiment, sampled at the times of its data. */
#include "analysis/fit.h"

#include <math.h>
#include <stdlib.h>

enum { PAUSE = 4096, MOST = 1000000 }; /* steps between two looks at their number; of a run */

struct watch {
    keel_fit *f;
    int next, count, failed;
    const double *t;
    double then; /* what f->all holds */
    fit_take *take;
    void *user;
};

/* All times up to where the run stands, inside its last step. */
static void look(keel_solver *solver, void *user) {
    keel_sim *s = user;
    struct watch *w = keel_sim_attached(s);
    (void)solver;
    double now = keel_time(keel_sim_solver(s));
    for (; w->next < w->count && w->t[w->next] <= now; w->next++) {
        if (w->t[w->next] != w->then && keel_sim_sample(s, w->t[w->next], w->f->all, NULL) != KEEL_OK)
            w->failed = 1;
        w->then = w->t[w->next];
        w->take(w->user, w->next);
    }
}

static keel_sim *open_sim(keel_fit *f, int e, const double *x) {
    struct fit_experiment *one = &f->experiment[e];
    keel_options o = f->o;
    for (int k = 0; k < f->n; k++) f->values[k] = x[k];
    for (int k = 0; k < f->settings; k++) f->values[f->n + k] = one->setting[k];
    o.observe = look;
    o.pause_steps = PAUSE;
    if (one->sim && keel_vary_again(f->variation, one->sim, f->base, f->values) == KEEL_OK) return one->sim;
    keel_sim_close(one->sim);
    one->sim = keel_vary_sim(f->variation, f->base, &o, f->values);
    keel_sim_overlook_samples(one->sim);
    return one->sim;
}

/* Why there is no value here; the search goes elsewhere. */
static int no_value(keel_fit *f, const char *name, const char *why) {
    text_set(f->why, sizeof f->why, "%.120s%s%.400s", name, name[0] ? ": " : "", why);
    return 1;
}

int fit_experiment_run(keel_fit *f, int e, const double *x, int count, const double *t, fit_take *take,
                       void *user) {
    const char *name = f->experiments > 1 ? f->experiment[e].name : "";
    struct watch w = {.f = f, .count = count, .t = t, .then = NAN, .take = take, .user = user};
    keel_sim *s = open_sim(f, e, x);
    keel_status status = s ? keel_sim_status(s) : KEEL_ENOMEM;
    long most = f->o.max_steps > 0 ? f->o.max_steps : MOST;
    f->runs++;
    if (status == KEEL_ENOMEM) return fit_no_memory(f);
    if (status == KEEL_ESTOP) return fit_fail(f, status, "%s", keel_sim_message(s));
    if (status < 0) return no_value(f, name, keel_sim_message(s));
    keel_sim_attach(s, &w);
    look(NULL, s);
    while (w.next < count && status == KEEL_OK && keel_statistics(keel_sim_solver(s)).steps < most)
        status = keel_sim_advance(s, t[w.next], t[count - 1]);
    keel_sim_attach(s, NULL);
    if (status == KEEL_ENOMEM) return fit_no_memory(f);
    if (status == KEEL_STOPPED) return fit_fail(f, KEEL_ESTOP, "it was interrupted");
    if (status < 0) return no_value(f, name, keel_sim_message(s));
    if (w.failed) return no_value(f, name, "a column has no value at a time of the data");
    if (w.next == count) return 0;
    char why[200];
    double t_end = keel_time(keel_sim_solver(s));
    if (status > 0)
        text_set(why, sizeof why, "the run ends by an event at t = %.6g, before the data do", t_end);
    else text_set(why, sizeof why, "%ld steps lead to t = %.6g only, and the data go on", most, t_end);
    return no_value(f, name, why);
}

/* Residuals --------------------------------------------------------------------------------------------- */

struct residuals {
    keel_fit *f;
    int first, failed;
    double *r, *jacobian;
};

static double sigma_of(const keel_fit *f, const keel_fit_point *p) {
    return isnan(p->sigma) ? f->column[p->column].sigma : p->sigma;
}

static void take_residual(void *user, int i) {
    struct residuals *z = user;
    keel_fit *f = z->f;
    int row = z->first + i;
    keel_fit_point *p = &f->point[row];
    const struct fit_column *c = &f->column[p->column];
    double sigma = sigma_of(f, p), good = f->all[c->place];
    p->fitted = f->all[c->place];
    z->r[row] = (p->fitted - p->value) / sigma;
    for (int k = 0; k < f->n; k++) good += z->jacobian[row * f->n + k] = f->all[c->slope[k]] / sigma;
    z->failed |= !isfinite(good);
}

int fit_value(void *fit, const double *x, double *r, double *jacobian) {
    keel_fit *f = fit;
    struct residuals z = {.f = f, .r = r, .jacobian = jacobian};
    double *t = malloc(((size_t)f->points + 1) * sizeof *t), square = 0;
    if (!t) return fit_no_memory(f);
    int status = 0;
    for (int i = 0; i < f->points; i++) t[i] = f->point[i].t;
    for (int e = 0; e < f->experiments && status == 0; e++) {
        z.first = f->experiment[e].first;
        status = fit_experiment_run(f, e, x, f->experiment[e].count, t + z.first, take_residual, &z);
        if (status == 0 && z.failed) status = no_value(f, "", "a column or its derivative has no value");
    }
    for (int i = 0; i < f->points && status == 0; i++) square += r[i] * r[i];
    free(t);
    if (f->with.progress) f->with.progress(f->runs, status ? NAN : square, f->with.user);
    return status;
}
