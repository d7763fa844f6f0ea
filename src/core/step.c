/* step.c - one accepted step: attempt, sum, correct, error norm, evaluate, commit.
 *
 * The accepted state is never written to until the new one stands, so every rejection costs nothing but
 * its work. */
#include "base/machine.h"
#include "core/engine.h"
#include "core/step_control.h"
#include "core/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct plan {
    double h, t_new;
    double low, low_new; /* what the clock does not show of the begin, and of the end */
    int lands, off_grid;
    int shortened; /* by t_end, not by the error */
};

static int on_grid(const struct engine *e) {
    return e->o.step > 0 && !e->o.reversible && !engine_off_grid(e);
}

/* The product and the sum in two parts each. */
double step_low(const struct engine *e, long count, double t) {
    if (!on_grid(e)) return 0;
    double base = e->r->base, h = e->r->step * e->r->direction, way = (double)count * h, at = base + way;
    double part = at - base, rest = (base - (at - part)) + (way - part);
    return (at - t) + (rest + fma((double)count, h, -way));
}

static struct plan plan_fixed(const struct engine *e, double t_end) {
    const struct run_state *r = e->r;
    double h = r->step * r->direction, left = e->grid.steps - (double)r->count;
    if (e->grid.on_grid) {
        int last = left <= 1;
        return (struct plan){
            .h = h, .t_new = last ? t_end : r->base + (double)(r->count + 1) * h, .lands = last};
    }
    if (left < 1.5) {
        double low = step_low(e, r->count, r->t);
        return (struct plan){
            .h = (t_end - r->t) - low, .t_new = t_end, .low = low, .lands = 1, .off_grid = 1};
    }
    return (struct plan){.h = h, .t_new = r->base + (double)(r->count + 1) * h};
}

/* Where steps are on no grid the last one has 0.5 to 1.5 of their length. */
static struct plan plan_nominal(const struct engine *e, double t_end) {
    const struct run_state *r = e->r;
    double left = (t_end - r->t) - r->t_low, h = e->o.step * r->direction;
    if (fabs(left) < 1.5 * e->o.step)
        return (struct plan){.h = left, .t_new = t_end, .low = r->t_low, .lands = 1};
    return (struct plan){.h = h, .t_new = r->t + h, .low = r->t_low};
}

static struct plan plan_adaptive(const struct engine *e, double t_end, double h_wanted) {
    const struct run_state *r = e->r;
    double left = (t_end - r->t) - r->t_low, h = h_wanted * r->direction;
    double clock = 4 * DBL_EPSILON * fabs(t_end); /* k T - (k - 1) T may be more than a max_step of T */
    if (fabs(h) >= fabs(left) * (1 - 1e-12) - clock)
        return (struct plan){.h = left, .t_new = t_end, .low = r->t_low, .lands = 1, .shortened = 1};
    struct plan plan = {.low = r->t_low, .shortened = fabs(h) > 0.5 * fabs(left)};
    if (plan.shortened) h = 0.5 * left; /* two equal steps instead of a step and a sliver */
    plan.t_new = r->t + h;
    plan.h = engine_off_grid(e) ? h : plan.t_new - r->t; /* the step the clock really makes */
    return plan;
}

/* x_new = x + (dx + shift); with compensation, what rounding loses is carried on to the next sum. */
void step_add(const struct engine *e, int from, const double *shift, double *x_new, double *low_new) {
    const double *x = e->x[from], *low = e->low[from];
    double *dx = e->dx;
    int width = e->field.width;
    for (int i = 0; i < width && shift; i++) dx[i] += shift[i];
    if (!low_new) {
        for (int i = 0; i < width; i++) x_new[i] = x[i] + dx[i];
        return;
    }
    for (int i = 0; i < e->field.n; i++) {
        double increment = dx[i] + low[i];
        x_new[i] = x[i] + increment;
        low_new[i] =
            fabs(x[i]) >= fabs(increment) ? (x[i] - x_new[i]) + increment : (increment - x_new[i]) + x[i];
    }
}

/* The same without shift and compensation; is the sum finite?  0: perhaps not. */
static inline int add_finite(int width, const double *restrict x, const double *restrict dx,
                             double *restrict x_new) {
    double off[4] = {0, 0, 0, 0}; /* additions wait for each other */
    int i = 0;
    for (; i + 4 <= width; i += 4)
        for (int k = 0; k < 4; k++) {
            double sum = x[i + k] + dx[i + k];
            x_new[i + k] = sum;
            off[k] += sum * 0;
        }
    for (; i < width; i++) {
        x_new[i] = x[i] + dx[i];
        off[0] += x_new[i] * 0;
    }
    return (off[0] + off[1]) + (off[2] + off[3]) == 0;
}

MACHINE_WIDE static int add_many_finite(int width, const double *x, const double *dx, double *x_new) {
    return add_finite(width, x, dx, x_new);
}

/* suspect: the new state, or an estimate of its error, that is not finite. */
static keel_status not_finite(struct engine *e, double t, const double *x, const double *suspect) {
    struct field *fd = &e->field;
    char buffer[64];
    int i = 0;
    keel_status status =
        field_rhs(fd, t, x, e->split); /* names the culprit if it is f at the accepted state */
    if (status != KEEL_OK) return status;
    while (i < fd->n - 1 && isfinite(suspect[i])) i++;
    return field_fault(fd, KEEL_RETRY, KEEL_EUSER, "%s became not finite in the step from t = %.10g",
                       field_name(fd->p.names, i, "u", buffer, sizeof buffer), field_time(fd, t, x));
}

/* The method could not make the step: because of f, of a solve that left its fault, or for a reason of its
 * own. */
keel_status step_failed(struct engine *e, keel_status status) {
    struct field *fd = &e->field;
    keel_status severity = status > 0 ? KEEL_RETRY : status;
    double t = clock_of_step(e);
    int code = e->work.code;
    if (fd->fault.status != KEEL_OK) return status > 0 ? KEEL_RETRY : fd->fault.status;
    if (code > 0)
        return field_fault(fd, severity, KEEL_EUSER,
                           "f asks for a shorter step near t = %.10g (it returned %d)", t, code);
    if (code == KEEL_ENOMEM)
        return field_fault(fd, KEEL_ENOMEM, KEEL_ENOMEM, "f finds no memory near t = %.10g", t);
    if (code < 0)
        return field_fault(fd, severity, KEEL_EUSER, "f gave up near t = %.10g (it returned %d)", t, code);
    return field_fault(fd, severity, status > 0 ? KEEL_ENEWTON : status,
                       "%s could not make a step from t = %.10g", e->stepper->info.name, t);
}

keel_status step_propose(struct engine *e, keel_attempt *a, int from, const double *shift, double *x_new,
                         double *low_new) {
    struct field *fd = &e->field;
    if (fd->m) algebra_stand(fd, a->t, e->x[from]); /* whatever a rejected attempt or a sample inside left */
    fd->fault.status = KEEL_OK;
    e->work.code = 0;
    keel_status status = e->stepper->attempt(&e->work, a);
    if (status != KEEL_OK) return step_failed(e, status);
    int many = fd->width >= STEP_CONTROL_MANY, finite = 0;
    if (!shift && !low_new)
        finite = many ? add_many_finite(fd->width, e->x[from], e->dx, x_new)
                      : add_finite(fd->width, e->x[from], e->dx, x_new);
    if (!finite) {
        step_add(e, from, shift, x_new, low_new);
        if (!engine_finite(fd->n, x_new)) return not_finite(e, a->t, e->x[from], x_new);
    }
    for (int k = 0; k < 2; k++)
        if (a->error[k] && !engine_finite(fd->n, a->error[k]))
            return not_finite(e, a->t, e->x[from], a->error[k]);
    return KEEL_OK;
}

/* The step becomes as long as the stabilizer wants it. */
static keel_status lengthen(struct engine *e, struct plan *plan, double *x_new, double *low_new) {
    keel_length end = {plan->h, plan->t_new, 0};
    keel_status status = e->manifold.stabilizer->lengthen(&e->manifold.view, plan->h, &end, x_new, low_new);
    plan->h = end.h;
    plan->t_new = end.t;
    plan->low_new = end.t_low;
    return status;
}

/* x_new, on the manifold as far as the stabilizer brings it there. */
static keel_status propose_and_correct(struct engine *e, keel_attempt *a, struct plan *plan, double *x_new,
                                       double *low_new, double *error) {
    struct field *fd = &e->field;
    int from = e->r->current, attempts = engine_attempts(e);
    keel_status status = attempts ? engine_attempt(e, a, from, plan->t_new, x_new, low_new)
                                  : step_propose(e, a, from, NULL, x_new, low_new);
    if (status != KEEL_OK || !manifold_corrects(&e->manifold)) return status;
    a->f_end_known = 0;
    if (e->estimates && (*error = control_raw(e, x_new)) > CONTROL_HOPELESS) return KEEL_OK;
    if (attempts) return KEEL_OK;
    if (fd->m) memcpy(x_new + fd->n, fd->y, (size_t)fd->m * sizeof *x_new);
    if (engine_off_grid(e) && !plan->lands) return lengthen(e, plan, x_new, low_new);
    manifold_time(&e->manifold, a->h);
    e->manifold.view.from = e->x[from];
    return manifold_correct(&e->manifold, plan->t_new, x_new, low_new);
}

/* One attempt at (h, t_new) into the other buffer; KEEL_RETRY with a fault if it cannot be had.  Where long
 * work in it was given up, as options.stop asked, whatever came of it is forgotten. */
static keel_status attempt_once(struct engine *e, struct plan *plan, double *error) {
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    int from = r->current, to = 1 - from;
    double *x_new = e->x[to], *low_new = e->low[to];
    keel_attempt a = {.t = r->t,
                      .h = plan->h,
                      .x = e->x[from],
                      .f = e->f[from],
                      .dx = e->dx,
                      .first = r->fresh,
                      .f_end = e->f[to]};
    *error = 0;
    for (int k = 0; k < e->estimates || k < engine_further_estimates(e); k++) a.error[k] = e->error[k];
    keel_status status = propose_and_correct(e, &a, plan, x_new, low_new, error);
    if (status == KEEL_OK && r->sliding && *error <= CONTROL_HOPELESS) {
        a.f_end_known = 0;
        status = surfaces_hold_step(e, plan->t_new, x_new);
    }
    if (status != KEEL_OK || *error > CONTROL_HOPELESS) return status;
    /* where the place tells the next step, an error that is small enough need not be split */
    int settled = e->stepper->aim && *error > 0 && *error < 0.5;
    if (e->estimates && !settled) {
        double whole = *error, parts = control_error(e, x_new);
        *error = manifold_corrects(&e->manifold) ? step_control_min(whole, parts) : parts;
        if (*error > 1) return KEEL_OK;
    }
    int known = a.f_end_known && !low_new;
    /* a step that its end has shortened is looked at now and then, as where max_step bounds it */
    if (e->estimates && *error <= CONTROL_BLIND && fd->n > 0 &&
        (!plan->shortened || project_due(r->stats.steps)) &&
        (*error = correction_unblind(e, plan->h, plan->t_new, x_new, *error, &known)) > 1)
        return KEEL_OK;
    r->rhs_known[to] = !e->stepper->no_rhs || fd->m; /* y belongs to the end, and the rate finds it */
    if (r->rhs_known[to] && !known) {
        e->work.calls++;
        int code = e->work.rhs(plan->t_new, x_new, e->f[to], e->work.context);
        /* with a fixed step nothing could be done about it: the next step will say so */
        int useless = e->estimates && !engine_finite(fd->n, e->f[to]);
        if (code != 0 || useless) { /* once more, for the sentence */
            status = engine_rhs(e, plan->t_new, x_new, e->f[to]);
            if (status != KEEL_OK) return status;
        }
    }
    if ((fd->k || fd->hidden.user.count) && field_starts_to_move(fd, r->t, plan->t_new, x_new))
        return attempt_once(e, plan, error); /* now it is known */
    if (fd->m) {
        memcpy(x_new + fd->n, fd->y, (size_t)fd->m * sizeof *x_new);
        if (e->algebraic_atol && e->estimates)
            *error = fmax(*error, control_algebraic(e, plan->t_new, x_new, *error));
        if (*error > 1) return KEEL_OK;
        status = follow_check(e, plan->t_new, plan->h);
        if (status != KEEL_OK) return status;
    }
    int measured_there = manifold_to_round_off(&e->manifold) && !fd->m;
    if (!e->measured || measured_there) return KEEL_OK;
    return rows_residual(fd, &e->rows, plan->t_new, x_new, e->rows.residual);
}

static keel_status attempt(struct engine *e, struct plan *plan, double *error) {
    if (e->field.m == 0) return attempt_once(e, plan, error);
    keel_status status = follow_begin(e);
    if (status == KEEL_OK) status = attempt_once(e, plan, error);
    if (status == KEEL_RETRY && e->field.dae.leapt) {
        e->field.dae.careful = 1;
        status = attempt_once(e, plan, error);
        e->field.dae.careful = 0;
    }
    return follow_end(e, status);
}

keel_status step_verify(struct engine *e) {
    if (!manifold_to_round_off(&e->manifold) || e->manifold.view.unresolved) return KEEL_OK;
    int now = e->r->current;
    return verify_on_the_way(&e->start, e->r->t, e->x[now], e->r->rhs_known[now] ? e->f[now] : NULL);
}

/* Does a row that the method keeps seem not to hold, in units that may lag?  Equations that are solved by the
 * factors of mechanics hold to the round-off of these (choice.c). */
static int seems_off(const struct field *fd, const struct rows *r) {
    int first = fd->dae.choice.serves ? r->at[KEEL_ROW_ALGEBRAIC] + fd->m : 0;
    for (int i = first; i < r->count; i++)
        if (r->treatment[i] == KEEL_ROW_NATIVE && rows_in_units(r, i, r->residual[i]) > 4) return 1;
    return 0;
}

/* Certificate and sizes at the accepted state.  Rows that are not corrected by the smallest change, which
 * lets sizes grow by itself, let them grow when due. */
static keel_status measure(struct engine *e) {
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    const double *x = e->x[r->current];
    int corrected = manifold_corrects(&e->manifold);
    if (!e->measured && fd->rhs == fd->p.f.value) return KEEL_OK; /* nothing asks for sizes */
    if (project_outgrown(fd->n + fd->m, x, fd->size) && corrected) r->outgrown = 1;
    if (!e->measured) return KEEL_OK;
    int by_itself = !engine_attempts(e) && !e->manifold.stabilizer->correct;
    int all_grown = corrected && e->manifold.kept == e->rows.count && by_itself;
    if (!all_grown && (project_due(r->stats.steps) || seems_off(fd, &e->rows))) {
        keel_status status = rows_grow_all(fd, &e->rows, r->t, x);
        if (status != KEEL_OK) return status;
        if (project_due(r->stats.steps)) rows_fade(&e->rows);
    }
    rows_certify(&e->rows);
    return KEEL_OK;
}

static keel_status commit(struct engine *e, const struct plan *plan) {
    struct run_state *r = e->r;
    if (e->o.stop) engine_heed(e, 0); /* from here on the step stands */
    if (e->manifold.far && correction_counts(e)) correction_note(e, plan->t_new, plan->h);
    r->t_before = r->t;
    r->t_low_before = plan->low;
    r->t_low = plan->low_new;
    r->h_taken = plan->h;
    r->t = r->t_now = plan->t_new;
    r->current = 1 - r->current;
    r->count++;
    if (plan->off_grid) {
        r->base = plan->t_new;
        r->count = 0;
    }
    r->fresh = r->dense_ready = r->inside = r->observed = 0;
    r->has_step = 1;
    r->event = -1;
    r->piece = r->blurs = r->degree = r->sampled = 0;
    r->stats.steps++;
    r->stats.unresolved += e->manifold.view.unresolved;
    if (engine_attempts(e)) e->manifold.stabilizer->accept(&e->manifold.view, r->h_taken);
    if (e->stepper->accept) {
        int now = r->current;
        keel_segment step = {r->t_before, r->h_taken, e->x[1 - now], e->f[1 - now], e->x[now], e->f[now]};
        e->stepper->accept(&e->work, &step);
    }
    keel_status status = measure(e);
    if (status == KEEL_OK && project_verifies(r->stats.steps)) status = step_verify(e);
    return status == KEEL_OK ? KEEL_OK : engine_fail_by_fault(e);
}

/* Where no solution of the step's equations was found, the fault has the time, and this adds what to look
 * at. */
static void add_diagnostics(struct engine *e) {
    struct field *fd = &e->field;
    struct fault fault = fd->fault;
    char suspect[160];
    if (fault.status != KEEL_ENEWTON) return;
    diagnostics_of_short_steps(e, suspect, sizeof suspect);
    fd->fault = fault;
    text_add(fd->fault.text, sizeof fd->fault.text, "%s", suspect);
}

static keel_status underflow(struct engine *e, double h) {
    char suspect[160];
    if (e->field.fault.status != KEEL_OK) {
        add_diagnostics(e);
        return engine_fail_by_fault(e);
    }
    diagnostics_of_short_steps(e, suspect, sizeof suspect);
    e->field.fault.status = KEEL_OK;
    return engine_fail(
        e, KEEL_ESTEP,
        "the step size fell to %.2g at t = %.10g, below what the clock resolves: a singularity, or a "
        "tolerance that cannot be met (rtol %.1g, atol %.1g)%s",
        h, clock_of_step(e), e->o.rtol, e->atol[0], suspect);
}

/* Nor does the method know what it has left of its memory. */
static keel_status forget_step(struct engine *e) {
    e->halt.given_up = 0;
    e->field.fault.status = KEEL_OK;
    e->r->fresh = 1;
    field_forget(&e->field);
    return KEEL_STOPPED;
}

/* A step that cannot be shortened, for the reason given. */
static keel_status take_as_planned(struct engine *e, struct plan *plan, const char *why) {
    double error;
    if (e->o.stop) engine_heed(e, 1);
    keel_status status = attempt(e, plan, &error);
    if (e->halt.given_up) return forget_step(e);
    if (status == KEEL_OK) return commit(e, plan);
    if (status > 0 && e->field.k) add_diagnostics(e);
    if (status > 0)
        text_add(e->field.fault.text, sizeof e->field.fault.text, "; %s, so it cannot be shortened", why);
    return engine_fail_by_fault(e);
}

static keel_status step_reversible(struct engine *e, double t_end) {
    struct plan plan = {0};
    e->r->has_step = 0;
    keel_status status = reversible_aim(e, t_end, &plan.t_new);
    if (status != KEEL_OK) return status;
    plan.h = plan.t_new - e->r->t;
    return take_as_planned(e, &plan, "the step is reversible");
}

static keel_status step_fixed(struct engine *e, double t_end) {
    struct plan plan = engine_off_grid(e) ? plan_nominal(e, t_end) : plan_fixed(e, t_end);
    e->r->has_step = 0;
    if (plan.t_new == e->r->t)
        return engine_fail(e, KEEL_ESTEP, "step = %.6g is below what the clock resolves at t = %.10g",
                           e->o.step, clock_of_step(e));
    return take_as_planned(e, &plan, "the step is fixed");
}

/* Steps of a few round-offs of t may be right, each by itself; a thousand in a row lead nowhere. */
enum { CRAWL = 64, MOST_CRAWLS = 1000 };

/* The first step after keel_go_on.  One that is no longer than the last, as between samples, its estimate can
 * judge. */
static void look_before_longer(struct engine *e, double h, double t_end) {
    struct run_state *r = e->r;
    if (fmin(h, fabs(t_end - r->t)) > r->familiar * (1 + 1e-9)) control_restart(e, r->t + r->direction * h);
    r->familiar = 0;
}

static keel_status step_adaptive(struct engine *e, double t_end) {
    struct run_state *r = e->r;
    double longest = control_longest(e, t_end);
    if (r->familiar > 0) look_before_longer(e, fmin(r->h_next, longest), t_end);
    double h = fmin(control_aim(e), longest);
    e->r->has_step = 0;
    if (e->o.stop) engine_heed(e, 1);
    for (int rejected = 0;; rejected++) {
        struct plan plan = plan_adaptive(e, t_end, h);
        int tiny = fabs(plan.h) <= 4 * DBL_EPSILON * fabs(r->t) || fabs(plan.h) < 1e-300;
        if (tiny && (rejected || !plan.lands))
            return surfaces_reached(e) ? KEEL_OK : underflow(e, fabs(plan.h));
        double error = 0;
        keel_status status = attempt(e, &plan, &error);
        if (e->halt.given_up) return forget_step(e);
        if (status < 0) return engine_fail_by_fault(e);
        if (status == KEEL_OK && error <= 1) {
            r->crawls = fabs(plan.h) <= CRAWL * DBL_EPSILON * fabs(r->t) ? r->crawls + 1 : 0;
            if (r->crawls > MOST_CRAWLS) return underflow(e, fabs(plan.h));
            double next = control_next(e, fabs(plan.h), error, rejected > 0);
            r->h_next = plan.shortened && !rejected && error < 0.1 ? fmax(next, h) : next;
            r->h_next = fmin(r->h_next, longest);
            return commit(e, &plan);
        }
        r->stats.rejected++;
        h = control_next(e, fabs(plan.h), status == KEEL_RETRY ? HUGE_VAL : error, 1);
        if (status == KEEL_OK) e->field.fault.status = KEEL_OK;
        if (rejected >= 10 && status == KEEL_RETRY && surfaces_reached(e)) return KEEL_OK;
        if (rejected == 60) return underflow(e, h);
    }
}

void step_count(struct engine *e) {
    e->r->stats.calls += e->work.calls;
    e->work.calls = 0;
}

/* New weights wait for the next step, so that looking into the last one, or going to an event, projects as
 * it did; those of a reversible projection are the same on the way back. */
void step_weigh(struct engine *e) {
    if (e->r->outgrown && !manifold_frozen(&e->manifold)) manifold_weigh(&e->manifold, NULL);
    e->r->outgrown = 0;
}

keel_status step_take(struct engine *e, double t_end) {
    step_weigh(e);
    keel_status status = e->o.reversible ? step_reversible(e, t_end)
                         : e->o.step > 0 ? step_fixed(e, t_end)
                                         : step_adaptive(e, t_end);
    if (e->o.stop) engine_heed(e, 0);
    if (status != KEEL_OK && e->measured) /* the residuals are those of the last trial */
        rows_residual(&e->field, &e->rows, e->r->t, e->x[e->r->current], e->rows.residual);
    step_count(e);
    return status;
}

keel_status step_raw(struct engine *e, double t, double *x) {
    struct run_state *r = e->r;
    int from = 1 - r->current;
    keel_attempt a = {.t = r->t_before,
                      .h = dense_way(e, t),
                      .x = e->x[from],
                      .f = e->f[from],
                      .dx = e->dx,
                      .replay = 1,
                      .f_end = e->split};
    keel_status status;
    e->field.dae.follow = e->field.m && !r->sliding && r->slope_known[from];
    if (engine_attempts(e)) { /* the rows' sizes and residuals are those of the steps */
        size_t rows = (size_t)e->rows.count;
        memcpy(e->kept_aside, e->rows.size, rows * sizeof *x);
        memcpy(e->kept_aside + rows, e->rows.residual, rows * sizeof *x);
        status = engine_attempt(e, &a, from, t, x, NULL);
        memcpy(e->rows.size, e->kept_aside, rows * sizeof *x);
        memcpy(e->rows.residual, e->kept_aside + rows, rows * sizeof *x);
    } else status = step_propose(e, &a, from, NULL, x, NULL);
    e->field.dae.follow = 0;
    step_count(e);
    return status;
}

keel_status step_again(struct engine *e, double t, double *x) {
    keel_status status = step_raw(e, t, x);
    return status == KEEL_OK ? dense_settle(e, t, x) : status;
}
