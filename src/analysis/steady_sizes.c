/* steady_sizes.c - sizes of the states of an equilibrium: as the model says, or as the start has them.
 *
 * A state that begins at 0 and is nowhere near 1 would make rates vanish beside others: a velocity beside a
 * coordinate of 1e-9.  Its size is that which balances its rates with the others (bundle_balance). */
#include "analysis/steady.h"

#include <math.h>

/* As the model or the start has them; old_x: 0 where neither does.  How many these are. */
static int take_sizes(keel_steady *s) {
    const keel_problem *p = s->bundle.problem;
    int unknown = 0;
    for (int j = 0; j < s->n; j++) {
        double scale = p->scale ? p->scale[s->bundle.state[j]] : 0;
        s->old_x[j] = scale > 0 ? scale : fabs(s->x[j]);
        s->size[j] = s->old_x[j] > 0 ? s->old_x[j] : 1;
        unknown += !(s->old_x[j] > 0);
    }
    return unknown;
}

static keel_status balance(keel_steady *s) {
    double *grown = s->f; /* free until it is looked again */
    if (steady_look(s) != KEEL_OK) return s->status;
    bundle_balance(s->n, s->r, s->rate, s->q, s->old_x, grown);
    for (int j = 0; j < s->n; j++) s->size[j] *= grown[j];
    for (int k = 0; k < s->r * s->n; k++) s->q[k] /= grown[k % s->n];
    return KEEL_OK;
}

keel_status steady_sizes_find(keel_steady *s) {
    int unknown = take_sizes(s);
    for (int k = 0; k < s->r * s->n; k++) s->q[k] /= s->size[k % s->n];
    return unknown ? balance(s) : KEEL_OK;
}
