/* reference.c - the values that invariants are held at: those of the start, freed of their own round-off.
 *
 * The round-off of a value computed once is there for ever: held at it, the energy of an orbit is off by a
 * constant, and its phase by that times t.  The mean over pairs of places beside the start, x + d and x - d,
 * has an eleventh of it, and d, of a millionth of a millionth of x, does not show in it. */
#include "base/machine.h"
#include "core/beside.h"
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAIRS = 64, PAIRS_OF_MANY = 16, MANY = 256 };
#define CLEAR 3 /* standard errors: less says nothing about the value itself */

/* The values of the rows from the energy on, which are those of the maps as they stand; whoever adds them up
 * looks whether they are finite.  0, or what the map returned: there are none. */
static int values(double t, const double *u, double *out, void *engine) {
    const struct engine *e = engine;
    const keel_map *energy = &e->field.energy.user, *invariant = &e->field.invariant.user;
    const int *at = e->rows.at;
    void *user = e->field.p.user;
    if (keel_halted(e->field.halt)) return KEEL_STOPPED;
    int code = energy->count ? energy->value(t, u, out, user) : 0;
    if (code == 0 && invariant->count)
        code = invariant->value(t, u, out + (at[KEEL_ROW_INVARIANT] - at[KEEL_ROW_ENERGY]), user);
    return code;
}

/* Where the machine has wide registers. */
MACHINE_WIDE static int sum_in_turn(const struct keel_beside_state *b, const struct beside_workspace *w,
                                    struct engine *e) {
    return beside_sum(b, w, values, e);
}

/* By lanes where the kernel has these rows, and they are all there are. */
static int sum_beside(struct engine *e, struct keel_beside_state *b) {
    const struct field *fd = &e->field;
    const keel_kernel *k = fd->kernel;
    double *share = e->workspace, *stride = share + fd->width, *bend = stride + fd->width;
    struct beside_workspace w = {e->scratch, e->split, e->rows.fresh_size, e->kept_aside, share,
                                 stride,     bend};
    if (k && k->beside && k->energy == fd->p.energy.value && k->invariant == fd->p.invariant.value &&
        b->rows == e->rows.count)
        return k->beside(b, fd->p.user);
    memcpy(w.here, b->u, (size_t)(fd->n + fd->m) * sizeof *b->u);
    memcpy(w.there, b->u, (size_t)(fd->n + fd->m) * sizeof *b->u);
    return sum_in_turn(b, &w, e);
}

/* reference += the mean difference from it, where that is clear, and where there are values: nothing is
 * promised beside the start.  Memory that runs out is no such reason. */
static keel_status average(struct engine *e, double t, const double *u) {
    struct rows *r = &e->rows;
    int first = r->at[KEEL_ROW_ENERGY], pairs = e->field.n > MANY ? PAIRS_OF_MANY : PAIRS;
    double *sum = r->terms + first, *squares = r->column + first;
    struct keel_beside_state b = {e->field.n,    r->count - first,     pairs, t,      u,
                                  e->field.size, r->reference + first, sum,   squares};
    int code = sum_beside(e, &b);
    if (code == KEEL_ENOMEM) return map_diagnose(&e->field, "invariant", NULL, code, t, 0, e->scratch);
    if (code != 0) return KEEL_OK;
    for (int i = 0; i < b.rows; i++)
        if (!isfinite(sum[i])) return KEEL_OK;
    for (int i = 0; i < b.rows; i++) {
        double mean = sum[i] / pairs, error = sqrt(fmax(squares[i] / pairs - mean * mean, 0) / pairs);
        if (r->treatment[first + i] == KEEL_ROW_KEPT && fabs(mean) > CLEAR * error &&
            fabs(mean) < 4 * rows_unit(r, first + i))
            r->reference[first + i] += mean;
    }
    return KEEL_OK;
}

keel_status reference_set(struct engine *e, double t, const double *u) {
    struct rows *r = &e->rows;
    int first = r->at[KEEL_ROW_ENERGY];
    for (int i = first; i < r->count; i++) r->reference[i] = 0;
    keel_status status = rows_residual(&e->field, r, t, u, r->residual);
    if (status != KEEL_OK) return status;
    for (int i = first; i < r->count; i++) r->reference[i] = r->residual[i];
    for (int i = first; i < r->count; i++) r->residual[i] = 0;
    return KEEL_OK;
}

/* Where directions are the stabilizer's own, roots lie beside the one that the start itself is: the value
 * stays as computed. */
keel_status reference_refine(struct engine *e, double t, const double *u) {
    const struct manifold *m = &e->manifold;
    if (!manifold_to_round_off(m) || m->traits & KEEL_OWN_DIRECTIONS) return KEEL_OK;
    if (e->rows.at[KEEL_ROW_ENERGY] == e->rows.count) return KEEL_OK;
    keel_status status = average(e, t, u);
    return status != KEEL_OK ? status : rows_residual(&e->field, &e->rows, t, u, e->rows.residual);
}
