/* defect.c - how well the solution between the steps meets the equations.
 *
 *     delta(t) = h (x'(t) - f(t, x(t))),   t off the grid, x the dense output, on the manifold
 *
 * in tolerances, or relative to the states where steps are fixed.  A step whose stages and whose estimate all
 * miss something has it here, and so has an interpolant that is worse than the steps.  delta is what the
 * state would lack if the defect lasted for the step; a stiff component forgets it within 1/|lambda|, which
 * (I - h J)^-1 delta shows: for implicit methods this is the measure, so that stiffness alone is no alarm.
 *
 * f has the sides of the switching surfaces on which the step was taken: no sample straddles a switch.
 * Looking leaves steps, statistics and bits as they are. */
#include "core/engine.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SIDE = 4, MOST_FILTERED = 400, USUAL = 4096, SOON = 1024, FIRST = 16 };
/* x' by central differences of order 8, exact for polynomials up to degree 8: dop853 has 7, and with these
 * places the error for taylor's is 1e-16 of the ninth term. */
static const double central[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
#define SPREAD 0.02   /* of a step, from place to place; */
#define NARROW 0.001  /* near its ends not less than this */
#define NOISE 4       /* round-offs of the state, over the spread: nothing below is seen */
#define SHORTEST 1e-7 /* of t: the clock does not resolve places in shorter steps */

static int filters(const struct engine *e) {
    return e->stepper->info.traits & KEEL_IMPLICIT && (e->field.large || e->field.n <= MOST_FILTERED);
}

void defect_layout(struct engine *e, size_t vector) {
    struct defect *d = &e->defect;
    d->at = arena_doubles(&e->arena, vector);
    d->value = arena_doubles(&e->arena, vector);
    d->rate = arena_doubles(&e->arena, vector);
    d->newton = filters(e) ? newton_layout(&e->work, 1, 0, 0) : NULL;
}

/* The largest component of value, in what counts as 1. */
static keel_defect largest(const struct engine *e, double t, const double *value, double spread) {
    keel_defect found = {.t = t, .component = -1, .relative = e->o.step > 0, .samples = 1};
    for (int i = 0; i < e->field.n; i++) {
        double size = fmax(fabs(e->x[0][i]), fabs(e->x[1][i]));
        double tolerance = e->atol[i] + e->o.rtol * size, noise = NOISE * DBL_EPSILON * size / spread;
        double one = found.relative ? tolerance / e->o.rtol : fmax(tolerance, 1e-300);
        double share = fmax(fabs(value[i]) - noise, 0) / one;
        if (found.component < 0 || share > found.largest) found.largest = share, found.component = i;
    }
    return found;
}

/* delta in d->value, with the state in d->at and f in d->rate. */
static keel_status find(struct engine *e, double t, double spread) {
    struct defect *d = &e->defect;
    int n = e->field.n;
    double h = e->r->h_taken;
    memset(d->value, 0, (size_t)n * sizeof *d->value);
    for (int k = 1; k <= SIDE; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            keel_status status = dense_raw(e, t + sign * k * spread * h, d->at);
            if (status != KEEL_OK) return status;
            for (int i = 0; i < n; i++) d->value[i] += sign * central[k - 1] * d->at[i];
        }
    keel_status status = dense_at(e, t, d->at);
    if (status != KEEL_OK) return status;
    if (e->work.rhs(t, d->at, d->rate, e->work.context) != 0) return KEEL_RETRY;
    for (int i = 0; i < n; i++) d->value[i] = d->value[i] / spread - h * d->rate[i];
    return engine_finite(n, d->value) ? KEEL_OK : KEEL_RETRY;
}

int defect_filter(struct engine *e, double t, double h, const double *x, const double *f) {
    struct defect *d = &e->defect;
    return d->newton && keel_newton_jacobian(&e->work, d->newton, t, x, f, 0) == KEEL_OK &&
           keel_newton_factor(&e->work, d->newton, 0, h, 0) == KEEL_OK;
}

keel_status defect_at(struct engine *e, double theta, keel_defect *found) {
    struct run_state *r = e->r;
    keel_stats before = r->stats;
    long calls = e->work.calls;
    double t = r->t_before + theta * r->h_taken;
    double spread = fmax(fmin(SPREAD, fmin(theta, 1 - theta) / SIDE), NARROW);
    if (e->field.n == 0 || fabs(r->h_taken) < SHORTEST * fabs(r->t)) return KEEL_RETRY;
    keel_status status = find(e, t, spread);
    if (status == KEEL_OK)
        *found = largest(e, field_time(&e->field, t, e->defect.at), e->defect.value, spread);
    if (status == KEEL_OK && found->largest > (found->relative ? 0 : 0.1) &&
        defect_filter(e, t, r->h_taken, e->defect.at, e->defect.rate)) {
        keel_newton_solve(&e->work, e->defect.newton, 0, e->defect.value, NULL);
        *found = largest(e, field_time(&e->field, t, e->defect.at), e->defect.value, spread);
    }
    r->stats = before;
    e->work.calls = calls;
    e->work.code = 0;
    e->field.fault.status = KEEL_OK;
    return status;
}

/* splitmix64: the same places in every run. */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int defect_is_dear(const struct engine *e) {
    return !e->stepper->dense && e->stepper->info.order > 4;
}

/* One step of each block of steps.  A sample costs what one or two steps do, a compiled step a twentieth of
 * that; where looking between the steps is stepping, a sample costs what eight do. */
static long block_of(const struct engine *e) {
    long asked = e->o.defect_every > 0 ? e->o.defect_every : USUAL;
    return !defect_is_dear(e) || asked >= USUAL ? asked : asked < USUAL / 8 ? 8 * asked : USUAL;
}

/* Whoever asks for many has the first ones. */
static int is_early(const struct engine *e, long step) {
    return step <= FIRST && block_of(e) < USUAL;
}

/* Of the first block it is one of the first steps: most runs are short. */
static long due_in(const struct engine *e, long block) {
    long length = block_of(e), capacity = block == 0 && length > SOON ? SOON : length;
    return block * length + (long)(mix((uint64_t)block) % (uint64_t)capacity);
}

/* The first one that is due, from this step on. */
static long next_due(const struct engine *e, long step) {
    if (e->o.defect_every == INT_MAX) return LONG_MAX;
    long block = step / block_of(e), due = due_in(e, block);
    if (is_early(e, step)) return step;
    return due >= step ? due : due_in(e, block + 1);
}

long defect_wait(const struct engine *e) {
    const struct defect *d = &e->defect;
    long next = e->r->stats.steps + 1, known = next - d->none_from;
    return (known >= 0 && known < d->none ? d->none_from + d->none : next_due(e, next)) - next;
}

static void sample(struct engine *e) {
    struct run_state *r = e->r;
    keel_defect found;
    if (!r->has_step) return;
    double theta = (double)(mix(~(uint64_t)r->stats.steps) >> 11) * 0x1p-53;
    if (defect_at(e, theta, &found) == KEEL_OK) defect_join(&r->defect, &found);
}

void defect_sample(struct engine *e) {
    struct defect *d = &e->defect;
    long step = e->r->stats.steps;
    if (next_due(e, step) == step) sample(e);
    d->none_from = step + 1;
    d->none = next_due(e, step + 1) - d->none_from;
}

/* States of another mode have other numbers. */
void defect_carry(const struct engine *from, struct engine *to) {
    keel_defect earlier = from->r->defect;
    earlier.component = -1;
    if (earlier.samples) defect_join(&to->r->defect, &earlier);
}

void defect_join(keel_defect *sum, const keel_defect *more) {
    long samples = sum->samples + more->samples;
    if (sum->samples == 0 || more->largest > sum->largest) *sum = *more;
    sum->samples = samples;
}
