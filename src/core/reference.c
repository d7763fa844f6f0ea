/* reference.c - the values that invariants are held at: those of the start, freed of their own round-off.
 *
 * The round-off of a value computed once is there for ever: held at it, the energy of an orbit is off by a
 * constant, and its phase by that times t.  The mean over pairs of places beside the start, x + d and x - d,
 * has an eleventh of it, and d, of a millionth of a millionth of x, does not show in it. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { PAIRS = 64, PAIRS_OF_MANY = 16, MANY = 256 };
#define BESIDE 0x1p-40
#define CLEAR 3 /* standard errors: less says nothing about the value itself */

static double next_share(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return 1 - (double)(int64_t)(*seed >> 33) * 0x1p-30; /* -1 .. 1 */
}

/* Two places as far from x on either side, to the last bit; y of both is there. */
static void place_pair(const struct field *fd, const double *restrict u, uint64_t *seed,
                       double *restrict here, double *restrict there) {
    const double *restrict size = fd->size;
    for (int j = 0, n = fd->n; j < n; j++) {
        here[j] = u[j] + BESIDE * size[j] * next_share(seed);
        there[j] = u[j] - (here[j] - u[j]);
    }
}

/* The values of the rows from the energy on, which are those of the maps as they stand; whoever adds them up
 * looks whether they are finite.  0, or what the map returned: there are none. */
static int values(const struct engine *e, double t, const double *u, double *out) {
    const keel_map *energy = &e->field.energy.user, *invariant = &e->field.invariant.user;
    const struct rows *r = &e->rows;
    void *user = e->field.p.user;
    int code = energy->count ? energy->value(t, u, out + r->at[KEEL_ROW_ENERGY], user) : 0;
    if (code == 0 && invariant->count) code = invariant->value(t, u, out + r->at[KEEL_ROW_INVARIANT], user);
    return code;
}

/* reference += the mean difference from it, where that is clear, and where there are values: nothing is
 * promised beside the start.  Memory that runs out is no such reason. */
static keel_status average(struct engine *e, double t, const double *u) {
    struct rows *r = &e->rows;
    int first = r->at[KEEL_ROW_ENERGY], pairs = e->field.n > MANY ? PAIRS_OF_MANY : PAIRS;
    double *sum = r->terms, *squares = r->column, *value = r->fresh_size, *other = e->kept_aside;
    uint64_t seed = 1;
    for (int i = first; i < r->count; i++) sum[i] = squares[i] = 0;
    memcpy(e->scratch, u, (size_t)(e->field.n + e->field.m) * sizeof *u);
    memcpy(e->split, u, (size_t)(e->field.n + e->field.m) * sizeof *u);
    for (int k = 0; k < pairs; k++) {
        place_pair(&e->field, u, &seed, e->scratch, e->split);
        if (keel_halted(e->field.halt)) return KEEL_OK;
        int code = values(e, t, e->scratch, value);
        if (code == 0) code = values(e, t, e->split, other);
        if (code == KEEL_ENOMEM) return map_diagnose(&e->field, "invariant", NULL, code, t, 0, value);
        if (code != 0) return KEEL_OK;
        for (int i = first; i < r->count; i++) {
            double off = 0.5 * ((value[i] - r->reference[i]) + (other[i] - r->reference[i]));
            sum[i] += off;
            squares[i] += off * off;
        }
    }
    for (int i = first; i < r->count; i++)
        if (!isfinite(sum[i])) return KEEL_OK;
    for (int i = first; i < r->count; i++) {
        double mean = sum[i] / pairs, error = sqrt(fmax(squares[i] / pairs - mean * mean, 0) / pairs);
        if (r->treatment[i] == KEEL_ROW_KEPT && fabs(mean) > CLEAR * error &&
            fabs(mean) < 4 * rows_unit(r, i))
            r->reference[i] += mean;
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
