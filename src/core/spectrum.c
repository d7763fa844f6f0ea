/* spectrum.c - the time scales of the equations where the solver stands: 1/|lambda|, lambda the eigenvalues
 * of d f / d x.
 *
 * All of them up to SMALL unknowns, in the sizes of the tolerances, which balance the matrix.  Those below
 * ZERO of the largest belong to what is conserved, or cannot be told from it.  Of larger systems powers of J
 * give the fastest one alone. */
#include "core/spectrum.h"

#include "base/portable.h"
#include "core/step_control.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 100 };
#define ZERO 1e-8
#define HARDLY 0.3  /* Re lambda / |lambda| */
#define SLOWER 1e-3 /* than the fastest part */

/* J in the sizes of the tolerances; work: e->workspace. */
static keel_status jacobian(struct engine *e, double *j) {
    const double *x = e->x[e->r->current];
    int n = e->field.n;
    if (e->field.m) algebra_stand(&e->field, e->r->t, x);
    step_control_scales(n, x, x, e->atol, e->o.rtol, e->scale);
    keel_status status = engine_rhs(e, e->r->t, x, e->workspace);
    if (status == KEEL_OK) status = keel_work_jacobian(&e->work, e->r->t, x, e->workspace, 0, j);
    for (int i = 0; i < n && status == KEEL_OK; i++)
        for (int k = 0; k < n; k++) j[i * n + k] *= e->scale[i] / e->scale[k];
    return status == KEEL_OK && !engine_finite(n * n, j) ? KEEL_RETRY : status;
}

/* All eigenvalues, real and imaginary parts behind each other, to be freed; how large the largest one is. */
static keel_status eigenvalues(struct engine *e, double **out, double *largest) {
    size_t n = (size_t)e->field.n;
    double *j = malloc((n * n + 2 * n) * sizeof *j), *re = j + n * n, *im = re + n;
    *out = NULL;
    if (!j) return KEEL_ENOMEM;
    keel_status status = jacobian(e, j);
    int found = status == KEEL_OK ? eigen_values(e->field.n, j, re, im) : 0;
    *largest = 0;
    for (size_t i = 0; i < n && found > 0; i++) *largest = fmax(*largest, portable_length(re[i], im[i]));
    memmove(j, re, 2 * n * sizeof *j);
    if (found > 0 && *largest > 0) return *out = j, KEEL_OK;
    free(j);
    return found < 0 ? KEEL_ENOMEM : KEEL_RETRY;
}

static keel_status of_all(struct engine *e, keel_time_scales *out) {
    double *re, largest, least = HUGE_VAL;
    int n = e->field.n;
    keel_status status = eigenvalues(e, &re, &largest);
    for (int i = 0; i < n && status == KEEL_OK; i++) {
        double size = portable_length(re[i], re[n + i]);
        if (size == largest) out->damping = -re[i] * e->r->direction / size;
        if (size > ZERO * largest) least = fmin(least, size);
    }
    free(re);
    out->fastest = 1 / largest;
    out->slowest = 1 / least;
    return status;
}

int spectrum_swings(struct engine *e) {
    double *re, largest;
    int n = e->field.n, swings = 0;
    keel_stats before = e->r->stats;
    keel_status status = n == 0 || n > SMALL ? KEEL_RETRY : eigenvalues(e, &re, &largest);
    if (status != KEEL_OK) return status == KEEL_ENOMEM ? -1 : 0;
    for (int i = 0; i < n; i++) {
        double size = portable_length(re[i], re[n + i]);
        swings |= size > SLOWER * largest && fabs(re[i]) < HARDLY * size;
    }
    free(re);
    e->r->stats = before;
    e->field.fault.status = KEEL_OK;
    return swings;
}

static keel_status of_fastest(struct engine *e, keel_time_scales *out) {
    keel_stiffness found;
    keel_status status = stiffness_fastest(e, &found);
    if (status != KEEL_OK) return status;
    *out = (keel_time_scales){1 / found.product, NAN, found.damping};
    return found.product > 0 ? KEEL_OK : KEEL_RETRY;
}

keel_status spectrum_find(struct engine *e, keel_time_scales *out) {
    keel_stats before = e->r->stats;
    int direction = e->r->direction;
    if (direction == 0) e->r->direction = 1; /* before a run */
    keel_status status = e->field.n == 0       ? KEEL_RETRY
                         : e->field.n <= SMALL ? of_all(e, out)
                                               : of_fastest(e, out);
    e->r->direction = direction;
    e->r->stats = before;
    e->field.fault.status = KEEL_OK;
    return status;
}
