/* dense.c - the solution inside the last step, on the manifold.
 *
 * The polynomial is built from the corrected end, so it meets the steps without a jump; its values are
 * then brought to the manifold like any state.  Nothing here changes what later steps will do. */
#include "core/engine.h"

#include <math.h>
#include <string.h>

keel_segment dense_step(const struct engine *e) {
    const struct run_state *r = e->r;
    int now = r->current, before = 1 - now;
    return (keel_segment){r->t_before, r->h_taken, e->x[before], e->f[before], e->x[now], e->f[now]};
}

/* Its begin may lie beside the number that the clock shows there. */
double dense_way(const struct engine *e, double t) {
    const struct run_state *r = e->r;
    double low = r->count > 0 ? step_low(e, r->count - 1, r->t_before) : 0;
    return (t - r->t_before) - (r->t_low_before + low);
}

/* x + th (D + (1-th) (h f - D + th (2 D - h (f + f_end)))), D = x_end - x. */
static void hermite(const keel_segment *s, int width, double theta, double *x) {
    for (int i = 0; i < width; i++) {
        double whole = s->x_end[i] - s->x[i], begin = s->h * s->f[i] - whole;
        double bend = 2 * whole - s->h * (s->f[i] + s->f_end[i]);
        x[i] = s->x[i] + theta * (whole + (1 - theta) * (begin + theta * bend));
    }
}

/* Methods that make no use of rates leave them to whoever looks between the steps. */
keel_status dense_rates(struct engine *e) {
    struct run_state *r = e->r;
    for (int k = 0; k < 2; k++) {
        if (r->rhs_known[k]) continue;
        keel_status status = engine_rhs(e, k == r->current ? r->t : r->t_before, e->x[k], e->f[k]);
        if (status != KEEL_OK) return status;
        r->rhs_known[k] = 1;
    }
    return KEEL_OK;
}

keel_status dense_raw(struct engine *e, double t, double *x) {
    struct run_state *r = e->r;
    keel_status found = dense_rates(e);
    if (found != KEEL_OK) return found;
    keel_segment step = dense_step(e);
    double theta = dense_way(e, t) / step.h;
    if (!r->dense_ready && e->stepper->prepare) {
        e->field.fault.status = KEEL_OK;
        e->work.code = 0;
        keel_status status = e->stepper->prepare(&e->work, &step);
        step_count(e);
        if (status != KEEL_OK) return step_failed(e, status);
    }
    r->dense_ready = 1;
    /* A cubic would spoil a method of higher order: step again to the place instead. */
    if (!e->stepper->dense && e->stepper->info.order > 4) return step_raw(e, t, x);
    if (e->stepper->dense) e->stepper->dense(&e->work, &step, theta, x);
    else hermite(&step, e->field.width, theta, x);
    return KEEL_OK;
}

/* A native method meets its rows at the ends of steps; between them its polynomial is brought to them as if
 * they were kept.  Rows from which y is solved hold anyway. */
static keel_status settle_native(struct engine *e, double t, double *x) {
    struct manifold *m = &e->manifold;
    struct rows *rows = &e->rows;
    int first = rows->at[KEEL_ROW_ALGEBRAIC];
    for (int i = 0; i < rows->count; i++)
        if (rows->treatment[i] == KEEL_ROW_NATIVE &&
            !(rows_kind(rows, i) == KEEL_ROW_ALGEBRAIC && e->field.dae.direct[i - first]))
            rows->treatment[i] = KEEL_ROW_KEPT;
    m->traits |= KEEL_CORRECTS;
    manifold_choose(m);
    keel_status status = manifold_correct(m, t, x, NULL);
    m->traits = m->stabilizer->info.traits;
    for (int i = 0; i < rows->count; i++)
        if (rows->treatment[i] == KEEL_ROW_KEPT) rows->treatment[i] = KEEL_ROW_NATIVE;
    manifold_choose(m);
    return status;
}

/* The search for y starts from the current state, whatever was looked at before.  Corrections overwrite the
 * rows' sizes and residuals: both are put back. */
keel_status dense_settle(struct engine *e, double t, double *x) {
    struct field *fd = &e->field;
    memcpy(x + fd->n, e->x[e->r->current] + fd->n, (size_t)fd->m * sizeof *x);
    size_t rows = (size_t)e->rows.count;
    memcpy(e->kept_aside, e->rows.size, rows * sizeof *x);
    memcpy(e->kept_aside + rows, e->rows.residual, rows * sizeof *x);
    manifold_time(&e->manifold, e->r->h_taken);
    e->manifold.view.from = e->x[1 - e->r->current];
    int native = e->measured && e->stepper->info.traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN);
    keel_status status = native ? settle_native(e, t, x) : manifold_correct(&e->manifold, t, x, NULL);
    memcpy(e->rows.size, e->kept_aside, rows * sizeof *x);
    memcpy(e->rows.residual, e->kept_aside + rows, rows * sizeof *x);
    if (status == KEEL_OK && e->r->sliding) status = surfaces_hold(e, t, x);
    return status == KEEL_OK && fd->m ? follow_inside(e, t, x) : status;
}

keel_status dense_at(struct engine *e, double t, double *u) {
    struct run_state *r = e->r;
    size_t bytes = (size_t)(e->field.n + e->field.m) * sizeof *u;
    if (t == r->t || t == r->t_before) {
        memcpy(u, e->x[t == r->t ? r->current : 1 - r->current], bytes);
        return KEEL_OK;
    }
    keel_status status = dense_raw(e, t, e->scratch);
    for (int i = 0; i < e->field.n && status == KEEL_OK; i++)
        if (!isfinite(e->scratch[i]))
            status = field_fault(&e->field, KEEL_RETRY, KEEL_EUSER,
                                 "the state inside the step is not finite at t = %.10g", clock_told(e, t));
    if (status == KEEL_OK) status = dense_settle(e, t, e->scratch);
    if (status == KEEL_OK) memcpy(u, e->scratch, bytes);
    return status;
}
