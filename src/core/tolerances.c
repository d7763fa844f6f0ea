/* tolerances.c - absolute tolerances and typical sizes where none are given.
 *
 * The default atol is a thousandth of rtol times the scale.  Where none is given, that of a state of size 1
 * or more is a thousandth of rtol, and less for a smaller one; not less than 4 round-offs of the largest
 * state, since rates may be differences of such.  An array that starts at 0 counts as large as the largest
 * state; momenta of light bodies as much less as these are lighter.
 *
 * Algebraic variables follow from the states.  Those with a tolerance of their own are in the error test
 * (control.c), the others, multipliers among them, are as accurate as the states make them.
 *
 * A state that starts below a thousandth of the largest one, or below atol / rtol, counts as that large: how
 * small it is may be an accident; but not as larger than 1 and the largest one, for a tolerance is no size.
 * Masses tell how large momenta are; one of round-off is a zero.  So it is where a run goes on after an
 * event: a ball that has stopped at 0 does not ask for smaller tolerances.
 *
 * A sensitivity dx/dp counts as x does that p changes by its own size, so that tolerance and size are those
 * of x divided by |p| (as in CVODES: A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363-396); and
 * what the motion is given does not depend on who asks for its derivatives.
 *
 * The time of a clock has no tolerance: an error of it counts by what the others move meanwhile, and these
 * err by as much through the same factor s.  Nor is it a size of anything. */
#include "core/engine.h"

#include "core/options.h"

#include <keel/extras.h>

#include <float.h>
#include <math.h>

#define UNTOLD 1e100 /* the tolerance of what has none */
#define NOISE 1e-12  /* of the largest value: what equations of some condition make of a zero */

/* The same states by the same equations. */
static int goes_on(const struct engine *e, const struct engine *before) {
    const keel_problem *p = &e->field.p, *old = &before->field.p;
    return p->n == old->n && p->m == old->m && e->field.traits == before->field.traits &&
           p->names == old->names && p->f.value == old->f.value && p->energy.value == old->energy.value;
}

static void keep_tolerances(struct engine *e, const struct engine *before) {
    struct field *fd = &e->field;
    if (!goes_on(e, before)) return;
    for (int i = 0; i < fd->n; i++) {
        e->atol[i] = fmax(e->atol[i], before->atol[i]);
        fd->least[i] = fmax(fd->least[i], before->field.least[i]);
        fd->size[i] = fmax(fd->size[i], fd->least[i]);
    }
}

/* Of the p that the states are differentiated by: those of the start, whatever the run has come to since. */
static void find_magnitudes(struct engine *e, const struct engine *before) {
    const keel_problem *p = &e->field.p;
    const keel_variations *v = &keel_extras_of(p)->variations;
    if (before && keel_extras_of(&before->field.p)->variations.directions == v->directions) {
        for (int k = 0; k < v->directions; k++) e->magnitude[k] = before->magnitude[k];
        return;
    }
    int known = v->magnitudes && v->magnitudes(p->t0, p->u0, e->magnitude, p->user) == 0;
    for (int k = 0; k < v->directions; k++) {
        double size = known ? fabs(e->magnitude[k]) : 1;
        e->magnitude[k] = size > 0 && isfinite(size) ? size : 1;
    }
}

/* The state whose derivative by a p state i is; -1: it is of the motion. */
static int derivative_of(const struct engine *e, int i) {
    const keel_variations *v = &keel_extras_of(&e->field.p)->variations;
    return v->directions && v->direction[i] >= 0 && v->of[i] < e->field.n ? v->of[i] : -1;
}

/* Those of dx/dp, from those of x. */
static void set_sensitivities(struct engine *e) {
    struct field *fd = &e->field;
    const keel_variations *v = &keel_extras_of(&fd->p)->variations;
    for (int i = 0; i < fd->n && v->directions; i++) {
        int of = derivative_of(e, i);
        if (of < 0) continue;
        double magnitude = e->magnitude[v->direction[i]], own = fd->p.atol ? fd->p.atol[i] : 0;
        if (!(own > 0) && !e->o.atol_each) e->atol[i] = e->atol[of] / magnitude;
        double least = fd->p.scale && fd->p.scale[of] > 0 ? fd->p.scale[of] : fd->least[of];
        fd->least[i] = fd->least[of] / magnitude;
        fd->size[i] = fmax(fabs(fd->p.u0[i]), least / magnitude);
    }
}

void tolerances_set(struct engine *e, const struct engine *before) {
    struct field *fd = &e->field;
    const double *scale = fd->p.scale, *u0 = fd->p.u0;
    int n = fd->n, all = fd->n + fd->m, given = e->o.atol > 0 || e->o.atol_each;
    double largest = 0;
    for (int i = 0; i < n - fd->p.clock; i++)
        if (derivative_of(e, i) < 0) largest = fmax(largest, fabs(u0[i]));
    double whole = largest > 0 ? fmin(largest, 1) : 1;
    e->o.rtol = OPTIONS_VALUE(&e->o, rtol);
    sizes_find_masses(fd, fd->p.t0, u0);
    sizes_spread(fd, u0, fd->size);
    int masses = fd->inertia[0] > 0;
    double heaviest = masses ? sizes_heaviest(fd) : 0;
    double noise = masses ? 0 : fmin(4 * DBL_EPSILON * largest, 1e-3 * e->o.rtol * whole);
    for (int i = 0; i < n; i++) {
        double zero = (masses ? 64 : 4) * DBL_EPSILON * largest;
        double size = fd->size[i] > zero ? fd->size[i] : whole * sizes_at_rest(fd, i, heaviest);
        double told = scale ? scale[i] : 0, own = fd->p.atol ? fd->p.atol[i] : 0;
        double atol = e->o.atol > 0 ? e->o.atol
                      : told > 0    ? 1e-3 * e->o.rtol * told
                                    : fmax(1e-3 * e->o.rtol * fmin(size, 1), noise);
        e->atol[i] = own > 0 ? own : e->o.atol_each ? e->o.atol_each[i] : atol;
        double guess = given || own > 0 ? e->atol[i] / e->o.rtol : 1e-3 * whole;
        if (largest > 0) guess = fmin(guess, fmax(largest, 1));
        if (masses) guess = fmin(guess, 0.1 * size);
        double least = told > 0 ? told : guess;
        fd->least[i] = told > 0 ? 0 : least > 0 ? least : 1e-3;
        fd->size[i] = fmax(fabs(u0[i]), least > 0 ? least : 1e-3);
    }
    if (fd->p.clock) e->atol[n - 1] = UNTOLD;
    find_magnitudes(e, before);
    set_sensitivities(e);
    if (before) keep_tolerances(e, before);
    double any = largest;
    for (int i = n; i < all; i++) any = fmax(any, fabs(u0[i]));
    for (int i = n; i < all; i++) { /* a zero and the round-off that others leave of one: of unknown size */
        double told = scale ? scale[i] : 0, known = fmax(NOISE * any, DBL_MIN);
        fd->size[i] = fmax(told, fabs(u0[i]) >= known ? fabs(u0[i]) : told > 0 ? 0 : 1e-3);
    }
    e->algebraic_atol = 0;
    for (int i = n; i < all && fd->p.atol && e->o.step == 0; i++) e->algebraic_atol |= fd->p.atol[i] > 0;
    if (e->o.atol_each) e->o.atol_each = e->atol;
    e->work.rtol = e->o.step > 0 ? 0 : e->o.rtol;
}
