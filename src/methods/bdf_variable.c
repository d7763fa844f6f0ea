/* bdf_variable.c - backward differentiation of variable order and step, with a fixed leading coefficient.
 *
 * The predictor x0(t) is the polynomial of degree k through x_n, .., x_{n-k}.  The corrector is the one that
 * has x_{n+1} at t_{n+1}, meets x0 at t_{n+1} - h, .., t_{n+1} - k h, and has the slope f at t_{n+1}:
 *
 *     x - x0 = c (f(t_{n+1}, x) - x0'),   c = h / (1 + 1/2 + .. + 1/k).
 *
 * So c, and Newton's matrix I - c J, depend on h and k alone, while the history has the steps that were
 * really taken.  With phi*_i = beta_i phi_i, the old differences for the new h,
 *
 *     phi_{k+2}(n+1) = x - x0,   phi_i(n+1) = phi*_i + phi_{i+1}(n+1).
 *
 * A stabilizer may move the end by p = O(h^{k+1}).  Then x_{n+1} = x + p, and the history is moved by the
 * same p: its differences stay as they are.  The motion through x + p has been at x_{n-i} + p + O(i h p)
 * before: an error O(h^{k+2}) in a step.  To leave the old states where they are would be one, too, if p were
 * smooth in t; where it turns from step to step (energy kept near a turning point), it would put differences
 * of p itself into the table, and with them into errors and predictions.
 *
 * The dense output is the polynomial through the last k + 1 states, moved back by p towards its begin.  Equal
 * steps have one order, the highest.  Krogh, LNM 362 (1974) 22; Brenan, Campbell, Petzold, Numerical Solution
 * of Initial-Value Problems in DAEs, 5.2; Byrne, Hindmarsh, ACM TOMS 1 (1975) 71. */
#include "methods/bdf_variable.h"

#include <math.h>
#include <string.h>

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    struct bdf_variable *b = w->method;
    const int *most = w->stepper->table;
    size_t width = (size_t)w->width;
    b->most = *most;
    b->memory = (struct bdf_memory *)keel_work_doubles(w, sizeof *b->memory / sizeof(double));
    b->phi = keel_work_doubles(w, BDF_DIFFERENCES * width);
    b->ahead = keel_work_doubles(w, width);
    b->slope = keel_work_doubles(w, width);
    b->d = keel_work_doubles(w, width);
    b->at = keel_work_doubles(w, width);
    b->rate = keel_work_doubles(w, width);
    b->moved = keel_work_doubles(w, width);
    b->scale = keel_work_doubles(w, width);
    b->columns = keel_work_doubles(w, (o->step > 0 ? (size_t)b->most : BDF_START) * width);
    b->newton = keel_newton_layout(p, o, w, 1, 0);
}

/* The corrector's error is the larger one of its own and that of x0 between the points where it is met
 * (Brenan, Campbell, Petzold 5.2.2): with equal steps both are (x - x0) / (k + 1). */
static void make_formula(const keel_work *w, double h, struct bdf_formula *f) {
    const struct bdf_variable *b = w->method;
    const struct bdf_memory *m = b->memory;
    int known = bdf_count(m->known, 1, BDF_DIFFERENCES);
    double harmonic = 0, mean = 0;
    f->k = bdf_count(m->order, 1, b->most);
    f->count = f->k + 1 < known ? f->k + 1 : known;
    f->h = h;
    f->beta[1] = f->equal[1] = 1;
    f->slope[1] = f->psi[0] = 0;
    for (int i = 1; i <= BDF_DIFFERENCES; i++) {
        f->psi[i] = m->psi[i - 1] + h;
        f->beta[i + 1] = f->beta[i] * f->psi[i] / m->psi[i];
        f->slope[i + 1] = f->slope[i] + 1 / f->psi[i];
        f->equal[i + 1] = f->equal[i] * i * h / f->psi[i];
    }
    for (int i = 1; i <= f->k; i++) {
        harmonic += 1. / i;
        mean += h / f->psi[i];
    }
    double beyond = h / f->psi[f->k + 1];
    f->c = h / harmonic;
    f->error = fmax(beyond, fabs(beyond + mean - harmonic));
}

/* Long vectors are gone through in parts that stay near the processor. */
enum { PART = 512 };

static int part_end(int begin, int n) {
    return n - begin < PART ? n : begin + PART;
}

static void predict(const keel_work *w, const struct bdf_formula *f) {
    const struct bdf_variable *b = w->method;
    double *restrict ahead = b->ahead, *restrict slope = b->slope;
    for (int begin = 0; begin < w->width; begin += PART) {
        int end = part_end(begin, w->width);
        for (int c = begin; c < end; c++) ahead[c] = slope[c] = 0;
        for (int i = f->count; i > 1; i--) {
            const double *phi = bdf_difference(w, i);
            for (int c = begin; c < end; c++) {
                double term = f->beta[i] * phi[c];
                ahead[c] += term;
                slope[c] += f->slope[i] * term;
            }
        }
    }
}

/* No step before is of use.  After a rejection J is still that of the start. */
static void begin(keel_work *w, const keel_attempt *a) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory, before = *m;
    *m = (struct bdf_memory){.known = 1, .contraction = 1};
    if (before.rejections > 0) {
        m->rejections = before.rejections;
        m->jacobian = before.jacobian;
        m->failures = before.failures;
        m->distrust = before.distrust;
    }
    for (int i = 0; i <= BDF_DIFFERENCES; i++) m->psi[i] = i * a->h;
    memcpy(bdf_difference(w, 1), a->x, (size_t)w->width * sizeof(double));
}

/* States that the start has to find. */
static int states_to_start(const keel_work *w) {
    const struct bdf_variable *b = w->method;
    return w->rtol == 0 ? b->most : b->most < BDF_START ? b->most + 1 : BDF_START;
}

/* The polynomial of the last step at t_n + s, s <= 0; less x_n. */
static void interpolate(const keel_work *w, double s, double *x) {
    const struct bdf_variable *b = w->method;
    const struct bdf_memory *m = b->memory;
    int k = bdf_count(m->last, 1, b->most), known = bdf_count(m->known, 1, BDF_DIFFERENCES);
    for (int begin = 0; begin < w->width; begin += PART) {
        int end = part_end(begin, w->width);
        double weight = 1;
        for (int c = begin; c < end; c++) x[c] = 0;
        for (int i = 2; i <= k + 1 && i <= known; i++) {
            const double *restrict phi = bdf_difference(w, i);
            weight *= (s + m->psi[i - 2]) / m->psi[i - 1];
            for (int c = begin; c < end; c++) x[c] += weight * phi[c];
        }
    }
}

/* A part of the last step: what its polynomial says. */
static void replay_part(keel_work *w, keel_attempt *a) {
    const struct bdf_variable *b = w->method;
    interpolate(w, a->h - b->memory->psi[1], a->dx);
    const double *x = bdf_difference(w, 1);
    for (int c = 0; c < w->width; c++) a->dx[c] += x[c] - a->x[c];
}

/* Of numbers; fmax, which knows more, is a call. */
static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Newton's sizes: tolerances, or with fixed steps what is there or added. */
static void find_scale(const keel_work *w, const keel_attempt *a) {
    const struct bdf_variable *b = w->method;
    const double *restrict x = a->x, *restrict ahead = b->ahead, *restrict atol = w->atol;
    double *restrict scale = b->scale, rtol = w->rtol, largest = 0;
    for (int c = 0; c < w->n && rtol > 0; c++) {
        double size = larger(fabs(x[c]), fabs(x[c] + ahead[c]));
        scale[c] = 1 / larger(larger(atol[c] + rtol * size, 1e-15 * size), 1e-300);
    }
    if (rtol > 0) return;
    for (int c = 0; c < w->n; c++) {
        scale[c] = larger(fabs(x[c]), fabs(x[c] + ahead[c]));
        largest = larger(largest, scale[c]);
    }
    double least = largest > 0 ? 1e-6 * largest : 1;
    for (int c = 0; c < w->n; c++) scale[c] = 1 / larger(scale[c], least);
}

static keel_status attempt(keel_work *w, keel_attempt *a) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    for (int c = w->n; c < w->width; c++) a->dx[c] = 0;
    if (w->n == 0) return KEEL_OK;
    if (a->replay) {
        replay_part(w, a);
        return KEEL_OK;
    }
    if (a->first) begin(w, a);
    int starts = m->known < states_to_start(w);
    if (starts) m->order = m->next = m->known;
    else if (w->rtol == 0) m->order = m->next = b->most;
    struct bdf_formula f;
    make_formula(w, a->h, &f);
    predict(w, &f);
    find_scale(w, a);
    m->last = starts ? 0 : f.k;
    if (starts) return bdf_start(w, a);
    keel_status status = bdf_correct(w, a, &f);
    if (status != KEEL_OK) return status;
    for (int c = 0; c < w->n; c++) a->dx[c] = b->ahead[c] + b->d[c];
    if (a->error[0]) bdf_estimate(w, &f, a);
    return KEEL_OK;
}

/* phi_{k+3} := d - beta phi_{k+2}, if that is known, phi_{k+2} := d, phi_i := beta_i phi_i + phi_{i+1}. */
static void update_differences(const keel_work *w, const struct bdf_formula *f, int further, int begin,
                               int end) {
    const struct bdf_variable *b = w->method;
    int above = f->count + 1;
    const double *restrict d = b->d;
    double *top = bdf_difference(w, above), beta = f->beta[above];
    for (int c = begin; c < end && further; c++) top[w->width + c] = d[c] - beta * top[c];
    for (int c = begin; c < end; c++) top[c] = d[c];
    for (int i = f->count; i > 1; i--) {
        double *restrict phi = bdf_difference(w, i), *restrict next = phi + w->width;
        for (int c = begin; c < end; c++) phi[c] = f->beta[i] * phi[c] + next[c];
    }
}

/* The differences of t_{n+1}, moved to the end as it was corrected. */
static void accept(keel_work *w, const keel_segment *s) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    struct bdf_formula f;
    if (w->n == 0) return;
    make_formula(w, s->h, &f);
    int known = bdf_count(m->known, 1, BDF_DIFFERENCES), above = f.count + 1;
    int further = above < BDF_DIFFERENCES && known >= above;
    if (!(m->last > 0)) { /* of the start only its end is known */
        predict(w, &f);
        for (int c = 0; c < w->n; c++) b->d[c] = (s->x_end[c] - s->x[c]) - b->ahead[c];
    }
    for (int begin = 0; begin < w->n; begin += PART)
        update_differences(w, &f, further, begin, part_end(begin, w->n));
    memcpy(bdf_difference(w, 1), s->x_end, (size_t)w->width * sizeof(double));
    memcpy(m->psi, f.psi, sizeof f.psi);
    m->known = above + further;
    m->last = m->last > 0 ? f.k : 0;
    m->order = m->next;
    m->rejections = 0;
    m->jacobian_age++;
    m->factored_age++;
}

/* x + th (D + (1-th) (h f - D + th (2 D - h (f + f_end)))), D = x_end - x: of the start. */
static void hermite(const keel_work *w, const keel_segment *s, double theta, double *x) {
    for (int c = 0; c < w->n; c++) {
        double whole = s->x_end[c] - s->x[c], begins = s->h * s->f[c] - whole;
        double bend = 2 * whole - s->h * (s->f[c] + s->f_end[c]);
        x[c] = s->x[c] + theta * (whole + (1 - theta) * (begins + theta * bend));
    }
}

static void dense(const keel_work *w, const keel_segment *s, double theta, double *x) {
    const struct bdf_variable *b = w->method;
    memcpy(x, s->x_end, (size_t)w->width * sizeof *x);
    if (w->n == 0) return;
    if (!(b->memory->last > 0)) {
        hermite(w, s, theta, x);
        return;
    }
    interpolate(w, (theta - 1) * s->h, x);
    const double *whole = bdf_difference(w, 2);
    double fade = (1 - theta) * (1 - theta) * (1 + 2 * theta);
    for (int c = 0; c < w->n; c++) {
        double shift = (s->x_end[c] - s->x[c]) - whole[c];
        x[c] += s->x_end[c] - fade * shift;
    }
}

const keel_stepper bdf_variable_methods[] = {
    {.info = {.name = "bdf",
              .about = "backward differentiation of order 1 to 5 and variable step; for large stiff problems",
              .reference = "Byrne, Hindmarsh 1975; Brenan, Campbell, Petzold 1996",
              .order = BDF_MOST,
              .traits = KEEL_IMPLICIT | KEEL_ADAPTIVE | KEEL_MULTISTEP},
     .error_order = BDF_START,
     .no_rhs = 2,
     .table = &(const int){BDF_MOST},
     .size = sizeof(struct bdf_variable),
     .layout = layout,
     .attempt = attempt,
     .accept = accept,
     .dense = dense,
     .next = bdf_next},
    {.info = {.name = NULL}},
};
