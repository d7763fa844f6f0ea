/* correction.c - how far projections move the states, and whether the errors of the steps explain it.
 *
 * A step begins on the manifold, and the true motion stays on it: the way back is no longer than the step's
 * own error, in the norm of the projection.  A state that is moved by more than
 *
 *     max(its tolerance, 10 error estimates, 4 round-offs)
 *
 * (estimates in tolerances, of the state that errs most) shows that a kept row does not hold for the motion,
 * or that the weights do not suit: a finding.
 *
 * Fixed steps have no estimate.  Where the rows are off by more than twice as much as ever before, the step
 * is compared with two Runge-Kutta steps of half its length, extrapolated: some dozen times in a run.  The
 * largest relative error of a state then stands for the tolerance of all.  Compiled steps leave such
 * steps to core/step.c, and those that are moved by more than a tolerance. */
#include "base/machine.h"
#include "core/engine.h"
#include "core/step_control.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHECK_AGAIN = 2, ERRORS_ALLOWED = 10, UNITS_ALLOWED = 4 };

/* k := f(t, u); whoever adds them up looks whether they are finite.  0: there is none. */
static int rate(struct engine *e, double t, const double *u, double *k) {
    struct field *fd = &e->field;
    if (fd->rhs != fd->p.f.value || engine_pulls(e) || e->r->sliding)
        return engine_rhs(e, t, u, k) == KEEL_OK;
    if (keel_halted(fd->halt)) return 0;
    fd->stats->calls++;
    return fd->rhs(t, u, k, fd->context) == 0;
}

/* x := x + h/6 (k1 + 2 k2 + 2 k3 + k4), with k1 at hand or not.  0: f has no value on the way. */
static int runge_kutta(struct engine *e, double t, double h, const double *first, double *x, double *stage,
                       double *k, double *sum) {
    static const double node[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    int n = e->field.n;
    if (!first && !rate(e, t, x, k)) return 0;
    if (first) memcpy(k, first, (size_t)n * sizeof *k);
    for (int i = 0; i < n; i++) sum[i] = k[i];
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < n; i++) stage[i] = x[i] + node[s] * h * k[i];
        if (!rate(e, t + node[s] * h, stage, k)) return 0;
        for (int i = 0; i < n; i++) sum[i] += weight[s] * k[i];
    }
    for (int i = 0; i < n; i++) x[i] += h / 6 * sum[i];
    return 1;
}

/* e->workspace := |x_raw - x(t + h)| of the step from the current state, and, 2 widths further, the error of
 * the half steps, which is more than that of what is extrapolated from them; 0: it cannot be told. */
static int find_error(struct engine *e, double h) {
    struct field *fd = &e->field;
    struct run_state *r = e->r;
    struct fault before;
    fault_copy(&fd->fault, &before);
    size_t bytes = (size_t)fd->width * sizeof(double);
    double *once = e->workspace, *twice = once + fd->width, *stage = twice + fd->width,
           *k = stage + fd->width;
    double *sum = k + fd->width, *y = sum + fd->width, t = r->t;
    memcpy(y, fd->y, (size_t)fd->m * sizeof *y);
    const double *x = e->x[r->current], *f = r->rhs_known[r->current] ? e->f[r->current] : NULL;
    memcpy(once, x, bytes);
    memcpy(twice, x, bytes);
    int known = runge_kutta(e, t, h, f, once, stage, k, sum) &&
                runge_kutta(e, t, h / 2, f, twice, stage, k, sum) &&
                runge_kutta(e, t + h / 2, h / 2, NULL, twice, stage, k, sum);
    for (int i = 0; i < fd->n && known; i++) {
        double correction = (twice[i] - once[i]) / 15;
        e->workspace[i] = fabs((x[i] + e->dx[i]) - (twice[i] + correction));
        stage[i] = fabs(correction);
    }
    fault_copy(&before, &fd->fault);
    memcpy(fd->y, y, (size_t)fd->m * sizeof *y);
    return known && engine_finite(fd->n, e->workspace);
}

static double moved_by(const struct engine *e, int i) {
    int from = e->r->current;
    return fabs(e->x[1 - from][i] - (e->x[from][i] + e->dx[i]));
}

/* Where a stabilizer with directions of its own has moved far, because these run nearly along the manifold (a
 * fold of scale), the smallest change still tells how far the step was off: e->workspace + 2 widths := x
 * after it.  NULL: the way that was taken is the smallest one, or there is no other. */
static const double *shortest_end(struct engine *e, double t_new) {
    struct manifold *m = &e->manifold;
    struct field *fd = &e->field;
    int from = e->r->current;
    double *end = e->workspace + 2 * fd->width;
    const double *x_new = e->x[1 - from];
    if (!(m->traits & KEEL_OWN_DIRECTIONS)) return NULL;
    struct fault before;
    fault_copy(&fd->fault, &before);
    memcpy(end, x_new, (size_t)(fd->n + fd->m) * sizeof *end);
    for (int i = 0; i < fd->n; i++) end[i] = e->x[from][i] + e->dx[i];
    int known = rows_residual(fd, m->rows, t_new, end, m->residual) == KEEL_OK &&
                manifold_shortest(m, t_new, end, NULL) == KEEL_OK;
    if (rows_residual(fd, m->rows, t_new, x_new, m->residual) != KEEL_OK) known = 0;
    fault_copy(&before, &fd->fault);
    return known ? end : NULL;
}

/* How far the step was off: as far as it was moved, or less where a shorter way leads back. */
static double off_by(const struct engine *e, const double *end, int i) {
    int from = e->r->current;
    double moved = moved_by(e, i);
    return end ? fmin(moved, fabs(end[i] - (e->x[from][i] + e->dx[i]))) : moved;
}

static double tolerance(const struct engine *e, int i) {
    return project_tolerance(e->atol[i], e->o.rtol, e->field.size[i]);
}

static void name_state(const struct engine *e, int i, char *name, size_t capacity) {
    const char *const *names = e->field.p.names;
    if (names && names[i]) text_copy(name, capacity, names[i]);
    else text_set(name, capacity, "u[%d]", i);
}

/* The time of the new state, of which people speak. */
static double told(const struct engine *e, double t_new) {
    return field_time(&e->field, t_new, e->x[1 - e->r->current]);
}

void correction_enter(struct engine *e, int i, double ratio, double t) {
    keel_correction *c = &e->r->correction;
    c->largest = ratio;
    c->t = t;
    name_state(e, i, c->state, sizeof c->state);
}

/* State i moved by so many times what is allowed. */
static void find(struct engine *e, int i, double excess, double t) {
    keel_correction *c = &e->r->correction;
    if (!(excess > 1 && excess > c->finding)) return;
    c->finding = excess;
    c->finding_t = t;
    name_state(e, i, c->finding_state, sizeof c->finding_state);
}

/* Of every step: has a state moved by more tolerances than any before? */
MACHINE_WIDE static int is_larger(const struct engine *e) {
    int n = e->field.n, from = e->r->current, i = 0;
    const double *x = e->x[from], *x_new = e->x[1 - from], *dx = e->dx, *atol = e->atol,
                 *size = e->field.size;
    double rtol = e->o.rtol, largest = e->r->correction.largest, beyond[4] = {0, 0, 0, 0};
    for (; i + 4 <= n; i += 4) /* without a way out, so that several go at once */
        for (int k = 0; k < 4; k++) {
            double tolerance = project_tolerance(atol[i + k], rtol, size[i + k]);
            double off = fabs(x_new[i + k] - (x[i + k] + dx[i + k])) - largest * tolerance;
            beyond[k] = off > beyond[k] ? off : beyond[k];
        }
    for (; i < n; i++)
        if (moved_by(e, i) > largest * tolerance(e, i)) return 1;
    return beyond[0] > 0 || beyond[1] > 0 || beyond[2] > 0 || beyond[3] > 0;
}

__attribute__((noinline)) static void note_by_tolerance(struct engine *e, double t_new) {
    int worst = 0;
    double largest = e->r->correction.largest;
    for (int i = 0; i < e->field.n; i++)
        if (moved_by(e, i) > largest * tolerance(e, i)) worst = i, largest = moved_by(e, i) / tolerance(e, i);
    correction_enter(e, worst, largest, told(e, t_new));
    if (largest <= 1) return;
    double *most = e->scratch, error = 0; /* in tolerances, where arrays share a size */
    sizes_spread(&e->field, e->field.size, most);
    for (int i = 0; i < e->field.n; i++) {
        most[i] =
            fmax(project_tolerance(e->atol[i], e->o.rtol, most[i]), UNITS_ALLOWED * DBL_EPSILON * most[i]);
        error = fmax(error, fabs(e->error[0][i] + (e->was_split ? e->split[i] : 0)) / most[i]);
    }
    const double *end = shortest_end(e, t_new);
    for (int i = 0; i < e->field.n; i++)
        find(e, i, off_by(e, end, i) / (most[i] * fmax(1, ERRORS_ALLOWED * error)), told(e, t_new));
}

/* Has a state moved by a larger share of its size than was looked at? */
__attribute__((noinline)) static int is_large_way(struct engine *e) {
    int n = e->field.n, from = e->r->current;
    const double *x = e->x[from], *x_new = e->x[1 - from], *dx = e->dx, *size = e->field.size;
    double *beyond = e->rows.beyond, way = 0;
    int large = 0;
    for (int i = 0; i < n; i++) large |= fabs(x_new[i] - (x[i] + dx[i])) > beyond[0] * size[i];
    if (!large) return 0;
    for (int i = 0; i < n; i++)
        if (size[i] > 0) way = fmax(way, moved_by(e, i) / size[i]);
    if (!(way > beyond[0])) return 0;
    beyond[0] = CHECK_AGAIN * way;
    return 1;
}

/* Have projections never been so large?  By the residuals that a compiled step has, too; mechanics and
 * corrections of another kind by the way itself. */
static int is_large(struct engine *e) {
    struct manifold *m = &e->manifold;
    const double *part = m->part;
    double *beyond = e->rows.beyond;
    int large = 0;
    if (m->by_mass || m->stabilizer->correct) return is_large_way(e);
    for (int k = 0, kept = m->kept; k < kept; k++) {
        int row = m->row[k];
        if (!(fabs(part[row]) > beyond[row])) continue;
        beyond[row] = CHECK_AGAIN * fabs(part[row]);
        large = 1;
    }
    return large;
}

/* Were the rows off by no more than their own round-off, that of both ends?  Near a state of zero that is
 * more than round-offs of the state, and shows nothing.  Corrections by mass, and of another kind, leave no
 * residuals behind. */
static int is_round_off(const struct engine *e) {
    const struct manifold *m = &e->manifold;
    if (m->by_mass || m->stabilizer->correct) return 0;
    for (int k = 0; k < m->kept; k++)
        if (rows_in_units(m->rows, m->row[k], m->part[m->row[k]]) > 2 * UNITS_ALLOWED) return 0;
    return 1;
}

/* The tolerance of a fixed step is the largest relative error of a state so far: each may err by as much.  In
 * mechanics, which weighs velocities by h, errors of positions may cost as much over h in them. */
__attribute__((noinline)) static void note_by_errors(struct engine *e, double t_new, double h) {
    keel_correction *c = &e->r->correction;
    const struct field *fd = &e->field;
    double *size = e->workspace + fd->width, relative = *e->largest_error;
    int round_off = is_round_off(e);
    if (!find_error(e, h)) return;
    sizes_spread(fd, fd->size, size);
    for (int i = 0; i < fd->n; i++) relative = fmax(relative, e->workspace[i] / size[i]);
    *e->largest_error = relative = fmax(relative, UNITS_ALLOWED * DBL_EPSILON);
    for (int i = fd->nq; i < fd->n && e->manifold.by_mass; i++)
        size[i] = fmax(size[i], size[i - fd->nq] / fabs(h));
    const double *end = shortest_end(e, t_new);
    double largest = c->largest;
    int worst = -1;
    for (int i = 0; i < fd->n; i++) {
        double allowed = relative * size[i], ratio = moved_by(e, i) / allowed;
        double off = off_by(e, end, i) / allowed;
        if (round_off) ratio = fmin(ratio, 1), off = fmin(off, 1);
        if (ratio > largest) largest = ratio, worst = i;
        find(e, i, off / ERRORS_ALLOWED, told(e, t_new));
    }
    if (worst >= 0) correction_enter(e, worst, largest, told(e, t_new));
}

void correction_note(struct engine *e, double t_new, double h) {
    if (e->estimates ? !is_larger(e) : !is_large(e)) return;
    if (e->estimates) note_by_tolerance(e, t_new);
    else note_by_errors(e, t_new, h);
}

/* Is the step, up to a tolerance, that of the trapezoidal rule, or of Simpson's?  Its stages then have seen
 * nothing that these do not.  f of the end, which an accepted step wants anyway, may be *known then. */
static int rules_agree(struct engine *e, double h, double t_new, const double *x_new, int *known) {
    struct field *fd = &e->field;
    int from = e->r->current, n = fd->n;
    const double *x = e->x[from], *f = e->f[from], *f_new = e->f[1 - from];
    double *off = e->workspace, *middle = off + fd->width, *k = middle + fd->width, *y = k + fd->width;
    if (!e->r->rhs_known[from] || e->stepper->no_rhs) return 0;
    if (!*known) {
        e->work.calls++;
        if (e->work.rhs(t_new, x_new, e->f[1 - from], e->work.context) != 0) return 0;
        *known = engine_finite(n, f_new);
    }
    for (int i = 0; i < n; i++) {
        off[i] = e->dx[i] - h / 2 * (f[i] + f_new[i]);
        middle[i] = x[i] + e->dx[i] / 2 + h / 8 * (f[i] - f_new[i]);
    }
    if (!*known || control_norm(e, off, x, x_new) <= 1) return *known;
    struct fault before;
    fault_copy(&fd->fault, &before);
    memcpy(y, fd->y, (size_t)fd->m * sizeof *y);
    int there = engine_rhs(e, e->r->t + h / 2, middle, k) == KEEL_OK;
    memcpy(fd->y, y, (size_t)fd->m * sizeof *y);
    fault_copy(&before, &fd->fault);
    if (fd->m || fd->k) *known = 0; /* what else belongs to f is that of the middle */
    for (int i = 0; i < n && there; i++) off[i] = e->dx[i] - h / 6 * (f[i] + 4 * k[i] + f_new[i]);
    return there && control_norm(e, off, x, x_new) <= 1;
}

/* An estimate that is no more than the round-off of the increment may vanish identically: that of rkf78 does
 * where f depends on t alone.  The step is then compared with shorter ones, and the next is held back as
 * these say.  The first steps of a run are so short that any estimate is round-off: where plain rules, or the
 * shorter steps to a tenth of a tolerance, agree, nothing holds back the next, which tells more.
 *
 * Shorter steps err, too, and by more than one of high order: where their own error explains the difference,
 * the next step would stay as short as theirs must be, its estimate round-off, and so for ever.  So it may
 * become two or three times as long (an error of LEAP), which makes an estimate visible that is not blind.
 * Where that fails, LOOKS looks pass before it is tried again. */
#define LEAP 1e-3
double correction_unblind(struct engine *e, double h, double t_new, const double *x_new, double error,
                          int *known) {
    enum { ROUND_OFFS = 8, FIRST = 6, CHECKS = 16 };
    struct run_state *r = e->r;
    const double *x = e->x[r->current];
    int first = r->count < FIRST && r->error_before <= 1e-4;
    /* methods for stiff problems know what shorter explicit steps do not, and a series has its own estimate
     * */
    if (error > CONTROL_BLIND || e->stepper->info.traits & KEEL_IMPLICIT || e->stepper->aim) return error;
    if (!step_control_unseen(h, e->o.max_step > 0 ? e->o.max_step : HUGE_VAL, project_due(r->stats.steps)))
        return error;
    if (error > ROUND_OFFS * DBL_EPSILON * control_norm(e, e->dx, x, x_new)) return error;
    if (first && rules_agree(e, h, t_new, x_new, known)) return error;
    *known = 0; /* whatever belongs to the end is found there again */
    if (!find_error(e, h)) return error;
    double found = control_norm(e, e->workspace, x, x_new);
    if (first && found <= 0.1) return error;
    if (found > 1) r->checks = CHECKS;
    if (found > 1 || found > 2 * control_norm(e, e->workspace + 2 * e->field.width, x, x_new))
        return fmax(error, found);
    if (r->checks == 0) return fmax(error, LEAP);
    r->checks--;
    return fmax(error, found);
}
