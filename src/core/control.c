/* control.c - how long the next step may be: a PI controller with a noise floor.
 *
 * Hairer, Norsett, Wanner, Solving ODEs I, II.4 and IV.2 (PI).  The error is measured along the manifold;
 * the part normal to it is removed by the projection and counts a tenth; parts that are more than the whole
 * count as that (step.c).  Without states there is no error, and steps are as long as they may be. */
#include "base/machine.h"
#include "core/engine.h"
#include "core/step_control.h"

#include <keel/extras.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* Of many states, where the machine has wide registers. */
MACHINE_WIDE static void scales_of_many(int n, const double *restrict x, const double *restrict x_new,
                                        const double *restrict atol, double rtol, double *restrict scale) {
    step_control_scales(n, x, x_new, atol, rtol, scale);
}
MACHINE_WIDE static double square_of_many(int n, const double *error, const double *scale) {
    return step_control_square(n, error, scale);
}

/* Of each state, as a sensitivity; NULL: there are none. */
static const int *direction_of(const struct engine *e) {
    const keel_variations *v = &keel_extras_of(&e->field.p)->variations;
    return v->directions ? v->direction : NULL;
}

static void measure_by(struct engine *e, const double *x, const double *x_new) {
    int n = e->field.n;
    if (n < STEP_CONTROL_MANY) step_control_scales(n, x, x_new, e->atol, e->o.rtol, e->scale);
    else scales_of_many(n, x, x_new, e->atol, e->o.rtol, e->scale);
    step_control_spare(n, direction_of(e), e->scale);
    if (e->r->sliding) surfaces_bound(e, e->scale);
}

static double square(const struct engine *e, const double *error) {
    int n = e->field.n;
    return n < STEP_CONTROL_MANY ? step_control_square(n, error, e->scale)
                                 : square_of_many(n, error, e->scale);
}

double control_norm(const struct engine *e, const double *error, const double *x, const double *x_new) {
    double sum = 0, scale;
    for (int i = 0; i < e->field.n; i++) {
        step_control_scales(1, x + i, x_new + i, e->atol + i, e->o.rtol, &scale);
        sum += step_control_square(1, error + i, &scale);
    }
    return e->field.n > 0 ? sqrt(sum / e->field.n) : 0;
}

static double combined(const struct engine *e, const double squares[2]) {
    return e->stepper->norm ? keel_error_size(e->stepper->norm, squares[0], squares[1]) : sqrt(squares[0]);
}

double control_raw(struct engine *e, const double *x_new) {
    double squares[2] = {0, 0};
    e->was_split = 0;
    measure_by(e, e->x[e->r->current], x_new);
    for (int k = 0; k < e->estimates; k++) squares[k] = square(e, e->error[k]);
    return combined(e, squares);
}

double control_error(struct engine *e, double *x_new) {
    double tangential[2] = {0, 0}, normal[2] = {0, 0};
    double *whole[] = {e->split, e->workspace}; /* the parts of the first one stay in split and error[0] */
    int split = e->manifold.normal_known || (e->manifold.by_mass && manifold_corrects(&e->manifold));
    size_t bytes = (size_t)e->field.width * sizeof *x_new;
    if (!manifold_corrects(&e->manifold)) measure_by(e, e->x[e->r->current], x_new);
    e->was_split = split;
    for (int k = 0; k < e->estimates && split; k++) memcpy(whole[k], e->error[k], bytes);
    if (e->estimates && split) manifold_tangents(&e->manifold, e->estimates, e->error);
    for (int k = 0; k < e->estimates; k++) {
        for (int i = 0; i < e->field.n && split; i++) whole[k][i] -= e->error[k][i];
        if (split) normal[k] = square(e, whole[k]);
        tangential[k] = square(e, e->error[k]);
    }
    return split ? step_control_weighed(combined(e, tangential), combined(e, normal))
                 : combined(e, tangential);
}

/* y(x + error) - y(x): y follows from the states at once, and so does its error.  An estimate that the norm
 * makes smaller counts as much smaller here. */
double control_algebraic(struct engine *e, double t_new, const double *x_new, double error) {
    struct field *fd = &e->field;
    double first = sqrt(square(e, e->error[0])), *beside = e->scratch, largest = 0;
    double share = first > error && first > 0 ? error / first : 1;
    memcpy(beside, x_new, (size_t)(fd->n + fd->m) * sizeof *beside);
    for (int i = 0; i < fd->n; i++) beside[i] += share * e->error[0][i];
    int known = field_rhs(fd, t_new, beside, e->split) == KEEL_OK;
    for (int i = 0; i < fd->m && known; i++) {
        double y = x_new[fd->n + i], atol = fd->p.atol[fd->n + i];
        if (atol > 0) largest = fmax(largest, fabs(fd->y[i] - y) / (atol + e->o.rtol * fabs(y)));
    }
    fd->fault.status = KEEL_OK;
    algebra_stand(fd, t_new, x_new);
    memcpy(fd->y, x_new + fd->n, (size_t)fd->m * sizeof *x_new);
    return known ? largest : HUGE_VAL;
}

/* Without states steps only serve to look for events and to be observed: a hundredth of the way from where
 * the run began, so that many short runs in a row take no more steps than they are. */
double control_longest(struct engine *e, double t_end) {
    const struct run_state *r = e->r;
    if (e->o.max_step > 0) return e->o.max_step / clock_rate(e);
    if (e->field.n > 0) return HUGE_VAL;
    double clock = 64 * DBL_EPSILON * fmax(fabs(r->t), fabs(t_end));
    return fmax(fmax(0.01 * fabs(t_end - r->base), clock), 1e-300);
}

/* The rate at x + h slope, which is e->split; 0: there is none. */
static int try_rate(struct engine *e, double h, const double *slope, double *rate) {
    const double *x = e->x[e->r->current];
    for (int i = 0; i < e->field.n; i++) e->split[i] = x[i] + h * slope[i];
    return field_rhs(&e->field, e->r->t + h, e->split, rate) == KEEL_OK;
}

/* By how much a trial step of h may grow.  With the rates f1 at x + h f and f2 at x + h f1 the terms of the
 * solution are, in tolerances, a = |h f|, b = |h (f1 - f)| and c = |h (f2 - f1)|, and from one order to the
 * next they shrink by q = max(b/a, sqrt(c/a)): where a motion begins at rest, a and c are of velocities, b of
 * positions, which have not moved.  The error of order p is about a q^p then, and is to be a hundredth.
 * 0: nothing is known, as of a motion whose bend is round-off. */
#define BENT 1e-7
static double trial_growth(struct engine *e, double h) {
    int n = e->field.n;
    double order = e->stepper->error_order, *f1 = e->dx, *f2 = e->scratch;
    const double *f = e->f[e->r->current];
    if (!try_rate(e, h, f, f1)) return 0;
    measure_by(e, e->x[e->r->current], e->split);
    if (!try_rate(e, h, f1, f2)) return 0;
    for (int i = 0; i < n; i++) f2[i] -= f1[i];
    for (int i = 0; i < n; i++) f1[i] -= f[i];
    double a = sqrt(square(e, f)), q = fmax(sqrt(square(e, f1)) / a, sqrt(sqrt(square(e, f2)) / a));
    if (!(a > 0 && isfinite(a) && isfinite(q) && q > BENT)) return 0;
    return fmin(pow(0.01 / (fabs(h) * a) * pow(q, -order), 1 / (order + 1)), 0.3 / q);
}

/* Such that an Euler step is a hundredth of the state, refined by the second derivative (HNW II.4).  A state
 * that an event has left at a round-off of 0 says nothing: not below what the clock resolves.  States that
 * are 0 make this short without a reason, and a step is worth more than the rates of a trial.  It grows at
 * most a thousandfold, and not where the motion is simple: that may end where nobody looked, at a floor. */
double control_first_step(struct engine *e, double t_end) {
    enum { TRIALS = 3, MOST = 1000 };
    struct field *fd = &e->field;
    double span = t_end - e->r->t, longest = fmin(control_longest(e, t_end), fabs(span));
    const double *x = e->x[e->r->current], *f = e->f[e->r->current];
    if (fd->n == 0) return longest;
    double order = e->stepper->error_order, direction = span < 0 ? -1 : 1;
    double d0 = control_norm(e, x, x, x), d1 = control_norm(e, f, x, x), d2 = 0;
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = fmin(fmax(h, 64 * DBL_EPSILON * fabs(e->r->t)), longest);
    if (try_rate(e, direction * h, f, e->dx)) {
        for (int i = 0; i < fd->n; i++) e->dx[i] -= f[i];
        d2 = control_norm(e, e->dx, x, x) / h;
    }
    double larger = fmax(d1, d2);
    double second = larger <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / larger, 1 / order);
    h = fmin(fmin(100 * h, second), longest);
    longest = fmin(MOST * h, longest);
    unsigned other = e->stepper->info.traits & KEEL_MULTISTEP; /* begins at order 1, whose terms are known */
    int tries = e->stepper->aim || other ? 0 : TRIALS;
    for (double growth = 2; tries > 0 && growth >= 2 && h < longest; tries--) {
        growth = trial_growth(e, direction * h);
        h = growth > 1 ? fmin(growth * h, longest) : h;
    }
    if (fd->m > 0) { /* y is looked for from here again */
        algebra_stand(fd, e->r->t, x);
        memcpy(fd->y, x + fd->n, (size_t)fd->m * sizeof *x);
    }
    return h;
}

/* Steps that grew long where the last motion was simple (x' = 1 has no error at all) are beyond what the
 * estimates of this one can judge: not longer than 0.3 |x'| / |x''|.  Not the whole of it: where x' = -x the
 * estimate of bs32, -(z^2 + z^3)/48, is zero at z = -1. */
void control_restart(struct engine *e, double t_end) {
    struct run_state *r = e->r;
    double h = 1e-3 * fmin(r->h_next, fabs(t_end - r->t));
    const double *x = e->x[r->current], *f = e->f[r->current];
    if (e->field.n == 0 || !(h > 0)) return;
    for (int i = 0; i < e->field.n; i++) e->scratch[i] = x[i] + r->direction * h * f[i];
    if (engine_rhs(e, r->t + r->direction * h, e->scratch, e->dx) != KEEL_OK) return;
    for (int i = 0; i < e->field.n; i++) e->dx[i] -= f[i];
    double speed = control_norm(e, f, x, x), change = control_norm(e, e->dx, x, x) / h;
    if (speed > 0 && change > 0) r->h_next = fmin(r->h_next, fmax(0.3 * speed / change, h));
}

double control_aim(struct engine *e) {
    struct run_state *r = e->r;
    if (!e->stepper->aim || (r->fresh && e->o.first_step > 0)) return r->h_next;
    double h = e->stepper->aim(&e->work, r->t, e->x[r->current], r->fresh);
    return h > 0 ? h : r->h_next;
}

double control_next(struct engine *e, double h, double error, int rejected) {
    if (e->stepper->next) return e->stepper->next(&e->work, h, error, rejected);
    if (isinf(error)) return 0.25 * h;
    return step_control_next(e->stepper->error_order, h, error, rejected, &e->r->error_before);
}
