/* rosenbrock_steps.c - Rosenbrock methods: linearly implicit, with J and f_t of the begin of every step.
 *
 * One matrix and `stages` solves a step, no iteration: for stiff problems at moderate tolerances.  J must be
 * exact: one by differences, 1e-8 off, leaves h^2 1e-8 in every step.  f_t is the slope of the parabola
 * through three rates; where f does not depend on t it is 0, with one rate.  The table is explained in
 * rosenbrock_tables.h.  K, whose coefficients are smaller than those of the table, is found by
 *
 *     (I - h g J) (K_i + s) = h f_i + h^2 d_i f_t + s,   s = sum_j<i (G_ij / g) K_j.
 *
 * Between the nodes a stiff method may be far off where its nodes are right: on x' = -1e6 (x - cos t) - sin t
 * rodas5p at rtol 1e-4 had nodes to 1e-7 and 0.07 between them.  So the dense output is judged, too, by its
 * defect at th = 3/4, where the errors of both tables are large:
 *
 *     d = g (I - h g J)^-1 h (x' - f(x)),
 *
 * which is the error of x where h J is large, and less than the error of the step where it is small.  A tenth
 * of it counts.
 *
 * A further method is its table and a line at the end. */
#include "methods/rosenbrock_tables.h"

#include <keel/newton.h>

#include <math.h>
#include <string.h>

struct rosenbrock {
    struct rosenbrock_form form;
    double *known;        /* 1: J is that of (t, x): known[1] and at */
    double *k, *at;       /* stages x width; width */
    double *stage, *rate; /* width */
    double *f, *slope;    /* width: f and f_t at (t, x) */
    double *beside;       /* width: a rate beside */
    double *sum;          /* width */
    double *dense;        /* ROSENBROCK_DENSE x width, of the last step */
    keel_newton *newton;
};

/* What keel_newton_jacobian has exactly. */
static const char *refuse(const keel_problem *p, const keel_options *o) {
    unsigned traits = keel_problem_traits(p);
    (void)o;
    int has = p->f.jacobian && !(traits & KEEL_SECOND_ORDER) && (p->m == 0 || p->algebraic.jacobian) &&
              (!p->mass.value || p->mass.constant) && p->constraint.count == 0;
    return has ? NULL
               : "it needs exact derivatives of x' = f: of an ODE, or a DAE of index 1, whose functions have "
                 "jacobians, with a constant mass; radau and bdf take any problem";
}

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    const struct rosenbrock_table *table = w->stepper->table;
    struct rosenbrock *m = w->method;
    size_t width = (size_t)w->width;
    rosenbrock_make_form(table, &m->form);
    m->known = keel_work_doubles(w, 2);
    m->k = keel_work_doubles(w, (size_t)table->stages * width);
    m->at = keel_work_doubles(w, width);
    m->stage = keel_work_doubles(w, width);
    m->rate = keel_work_doubles(w, width);
    m->f = keel_work_doubles(w, width);
    m->slope = keel_work_doubles(w, width);
    m->beside = keel_work_doubles(w, width);
    m->sum = keel_work_doubles(w, width);
    m->dense = keel_work_doubles(w, ROSENBROCK_DENSE * width);
    m->newton = keel_newton_layout(p, o, w, 1, 0);
}

/* f_t = (-3 f(t) + 4 f(t + s) - f(t + 2 s)) / (2 s): to the side where the run goes on. */
static keel_status find_slope(keel_work *w, const keel_attempt *a) {
    struct rosenbrock *m = w->method;
    double step = copysign(fmax(1e-5 * fabs(a->h), 1e-11 * fabs(a->t)), a->h), t = a->t + step;
    step = t - a->t;
    keel_status status = keel_rhs(w, t, a->x, m->slope);
    if (status != KEEL_OK || memcmp(m->slope, m->f, (size_t)w->n * sizeof *m->slope) == 0) {
        memset(m->slope, 0, (size_t)w->width * sizeof *m->slope);
        return status;
    }
    status = keel_rhs(w, a->t + 2 * step, a->x, m->beside);
    for (int c = 0; c < w->n; c++)
        m->slope[c] = (4 * (m->slope[c] - m->f[c]) - (m->beside[c] - m->f[c])) / (2 * step);
    return status;
}

/* f, J and f_t of (t, x); a step that is tried again has them.  That f_t was found with another h does not
 * matter. */
static keel_status find_derivatives(keel_work *w, const keel_attempt *a) {
    struct rosenbrock *m = w->method;
    size_t bytes = (size_t)w->n * sizeof *a->x;
    if (m->known[0] == 1 && m->known[1] == a->t && memcmp(m->at, a->x, bytes) == 0 && !a->first && !a->replay)
        return KEEL_OK;
    m->known[0] = 0;
    keel_status status = keel_rhs(w, a->t, a->x, m->f);
    if (status == KEEL_OK) status = find_slope(w, a);
    if (status == KEEL_OK) status = keel_newton_jacobian(w, m->newton, a->t, a->x, m->f, 0);
    if (status != KEEL_OK || a->replay) return status;
    m->known[0] = 1;
    m->known[1] = a->t;
    memcpy(m->at, a->x, bytes);
    return KEEL_OK;
}

/* sum = sum_j<count factor weight_j K_j */
static void combine(const keel_work *w, int count, const double *weight, double factor, double *sum) {
    const struct rosenbrock *m = w->method;
    memset(sum, 0, (size_t)w->width * sizeof *sum);
    for (int j = 0; j < count; j++)
        for (int c = 0; c < w->n; c++) sum[c] += factor * weight[j] * m->k[(long)j * w->width + c];
}

/* K_i; what the matrix was divided into, K_i + s, stays in m->rate. */
static keel_status find_stage(keel_work *w, const keel_attempt *a, int i) {
    const struct rosenbrock_table *table = w->stepper->table;
    struct rosenbrock *m = w->method;
    double *k = m->k + (long)i * w->width, h = a->h;
    if (i > 0) {
        combine(w, i, m->form.alpha[i], 1, m->stage);
        for (int c = 0; c < w->width; c++) m->stage[c] += a->x[c];
        keel_status status = keel_rhs(w, a->t + table->c[i] * h, m->stage, m->rate);
        if (status != KEEL_OK) return status;
    } else memcpy(m->rate, m->f, (size_t)w->width * sizeof *m->rate);
    combine(w, i, m->form.g[i], 1 / table->g, m->sum);
    for (int c = 0; c < w->n; c++) m->rate[c] = h * (m->rate[c] + h * table->d[i] * m->slope[c]) + m->sum[c];
    keel_newton_solve(w, m->newton, 0, m->rate, NULL);
    keel_work_count(w, 0, 1);
    for (int c = 0; c < w->n; c++) k[c] = m->rate[c] - m->sum[c];
    return KEEL_OK;
}

/* The error of the step, U_s = g (K_s + s), or a tenth of d, whichever is larger. */
static keel_status find_error(keel_work *w, const keel_attempt *a) {
    const struct rosenbrock_table *table = w->stepper->table;
    struct rosenbrock *m = w->method;
    double *error = a->error[0], h = a->h;
    for (int c = 0; c < w->width; c++) error[c] = c < w->n ? table->g * m->rate[c] : 0;
    combine(w, table->stages, m->form.sample, 1, m->stage);
    for (int c = 0; c < w->width; c++) m->stage[c] += a->x[c];
    keel_status status = keel_rhs(w, a->t + ROSENBROCK_SAMPLE * h, m->stage, m->rate);
    if (status != KEEL_OK) return status;
    combine(w, table->stages, m->form.slope, 1, m->sum);
    for (int c = 0; c < w->n; c++) m->rate[c] = m->sum[c] - h * m->rate[c];
    keel_newton_solve(w, m->newton, 0, m->rate, NULL);
    keel_work_count(w, 0, 1);
    for (int c = 0; c < w->n; c++) {
        double between = 0.1 * table->g * m->rate[c];
        if (!(fabs(between) <= fabs(error[c]))) error[c] = between;
    }
    return KEEL_OK;
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    const struct rosenbrock_table *table = w->stepper->table;
    struct rosenbrock *m = w->method;
    memset(a->dx, 0, (size_t)w->width * sizeof *a->dx);
    if (w->n == 0) return KEEL_OK;
    keel_status status = find_derivatives(w, a);
    if (status == KEEL_OK) status = keel_newton_factor(w, m->newton, 0, a->h * table->g, 0);
    for (int i = 0; i < table->stages && status == KEEL_OK; i++) status = find_stage(w, a, i);
    if (status != KEEL_OK) return status;
    combine(w, table->stages, m->form.b, 1, a->dx);
    return a->error[0] ? find_error(w, a) : KEEL_OK;
}

static void accept(keel_work *w, const keel_segment *s) {
    const struct rosenbrock_table *table = w->stepper->table;
    struct rosenbrock *m = w->method;
    (void)s;
    for (int k = 0; k < table->terms; k++)
        combine(w, table->stages, m->form.dense[k], 1, m->dense + (long)k * w->width);
}

static void dense(const keel_work *w, const keel_segment *s, double theta, double *x) {
    const struct rosenbrock_table *table = w->stepper->table;
    const struct rosenbrock *m = w->method;
    for (int c = 0; c < w->width; c++) {
        double sum = 0;
        for (int k = table->terms - 1; k >= 0; k--) sum = theta * sum + m->dense[(long)k * w->width + c];
        x[c] = s->x[c] + theta * ((s->x_end[c] - s->x[c]) + (1 - theta) * sum);
    }
}

#define METHOD(method, the_order, the_table, what, source)                                         \
    {                                                                                              \
        .info = {.name = method,                                                                   \
                 .about = what,                                                                    \
                 .reference = source,                                                              \
                 .order = the_order,                                                               \
                 .traits = KEEL_IMPLICIT | KEEL_ADAPTIVE},                                         \
        .error_order = the_order, .no_rhs = 1, .refuse = refuse, .table = &(the_table),            \
        .size = sizeof(struct rosenbrock), .layout = layout, .attempt = attempt, .accept = accept, \
        .dense = dense                                                                             \
    }

const keel_stepper rosenbrock_methods[] = {
    METHOD("rodas4", 4, rosenbrock_rodas4, "Rosenbrock, 6 stages, with dense output of order 3",
           "Hairer, Wanner 1996"),
    METHOD("rodas5p", 5, rosenbrock_rodas5p, "Rosenbrock, 8 stages, with dense output of order 4",
           "Steinebach 2023"),
    {.info = {.name = NULL}},
};
